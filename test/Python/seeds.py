# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The seed of all that tests draw: 1, so that each run is like the one before, or TC_SEED."""

import os

SEED = int(os.environ.get("TC_SEED", "1"))


def numbered(number):
    """The seed in a place of a test's list of seeds: the place, or others with TC_SEED."""
    return number + 1000 * (SEED - 1)
