# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of more than two arrays, pair by pair, and in which order."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

from .._contraction.fused import fuse
from .._contraction.pair import common_dtype, extents_of, sum_dtype, sums_alike
from .._notation.subscripts import Labels, Subscripts
from .._order.search import Machine, check_optimize, find_order
from .._order.slices import cuttable
from .cache import cached


def contract_pairs(
    subscripts,
    arrays,
    layouts,
    contract,
    convert,
    semiring,
    prologues,
    epilogue,
    tuned,
    saturate,
    order,
):
    """Contracts pairs of more than two operands. A prologue goes with the
    operand, and the epilogue and its auxiliary tensors with the last pair. Results
    between have the dtype of sums, so that nothing is rounded but the last."""
    dtypes = [layout.dtype for layout in layouts]
    dtype = common_dtype(dtypes)
    sums = sum_dtype(dtype)
    operands: list[tuple[Labels, Any, str, str | None]] = list(
        zip(subscripts.operands, arrays, dtypes, prologues)
    )
    # Of each label, what is left that has it, the result included.
    holders = Counter(subscripts.result)
    for labels in subscripts.operands:
        holders.update(set(labels))
    for number, step in enumerate(order.path):
        chosen = [operands[i] for i in reversed(step)]
        for i in sorted(step, reverse=True):
            del operands[i]
        while len(chosen) > 1:
            labels_a, a, dtype_a, prologue_a = chosen.pop()
            labels_b, b, dtype_b, prologue_b = chosen.pop()
            is_last = not operands and not chosen
            between = sum_dtype(common_dtype((dtype_a, dtype_b)))
            holders.subtract(set(labels_a))
            holders.subtract(set(labels_b))
            # In their own type, sums would be rounded, or wrap around.
            if not sums_alike(between, sums):
                a, between = convert(a, sums), sums
            if is_last:
                result = subscripts.result
            elif order.indices:
                result = order.indices[number]
            else:
                result = tuple(
                    dict.fromkeys(l for l in labels_a + labels_b if holders[l] > 0)
                )
            made = contract(
                Subscripts((labels_a, labels_b), result),
                a,
                b,
                fuse(
                    semiring,
                    (prologue_a, prologue_b),
                    epilogue if is_last else None,
                    tuned,
                    saturate=saturate,
                ),
                is_last,
                dtype if is_last else between,
            )
            holders.update(result)
            chosen.append((result, made, between, None))
        operands += chosen
    return operands[0][1]


def check_semiring(semiring: str, operands: int) -> None:
    if operands > 2 and semiring == "max_times":
        raise ValueError(
            "semiring max_times takes two operands: of more, some of which may be "
            "negative, the result would depend on the order"
        )


def orders(
    semiring,
    optimize,
    memory_limit,
    dynamic_shapes,
    alpha=None,
    epilogue=None,
    auxiliaries=None,
):
    """What finds the order for operands that are not known yet; None where there
    is nothing to choose."""
    check_optimize(optimize, memory_limit)

    def order(subscripts, layouts, target, out_dtype=None):
        count = len(subscripts.operands)
        if count <= 2 and optimize is True:
            return None
        shapes, _, dtypes, _ = zip(*layouts)
        slices = (
            "none"
            if memory_limit is None
            else cuttable(semiring, alpha, epilogue, auxiliaries, dtypes, out_dtype)
        )
        # The order, and so the bits, are the same for any number of threads.
        machine = Machine(target, 0, semiring, memory_limit, slices)
        find = functools.partial(
            find_order, subscripts, shapes, dtypes, optimize, machine
        )
        if dynamic_shapes and optimize is True and memory_limit is None:
            # Another order would have other pairs, which had to be compiled.
            extents_of(subscripts.operands, shapes)
            return cached(("order", subscripts, dtypes, machine), find)
        found = find()
        return found if count > 2 else None

    return order
