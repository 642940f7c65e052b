# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Leaves out cases that would only take time."""

# opt_einsum's way to find the order of contractions makes no difference to a
# contraction of two operands. These are one that is exact and one that is not.
OPTIMIZERS = ("optimal", "greedy")


def pytest_collection_modifyitems(config, items):
    def repeats(item):
        parameters = getattr(item, "callspec", None)
        chosen = parameters and parameters.params.get("optimize")
        return isinstance(chosen, str) and chosen not in OPTIMIZERS

    config.hook.pytest_deselected(items=[item for item in items if repeats(item)])
    items[:] = [item for item in items if not repeats(item)]
