# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions under limits of address space that are drawn at random: the right
result, or a MemoryError and an output as it was; never a signal. And sums over
many elements, whose panels stay within the caches."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

UNDER_LIMITS = os.path.join(os.path.dirname(__file__), "under_limits.py")


def run(*command):
    """The words that a program prints; fails if it does not end by itself."""
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    return done.stdout.split()


@pytest.mark.parametrize(
    "spec, dtype, strategy, threads",
    [
        ("ac,cb->ab", "float64", "gett", 1),
        ("ac,cb->ab", "float64", "gett", 2),
        ("ac,cb->ab", "float16", "auto", 1),
        ("ac,cb->ab", "int8", "auto", 2),
        ("ac,cb->ab", "complex64", "auto", 1),
        ("acd,dbc->ab", "float32", "ttgt", 1),
        ("adc,cb->dab", "float32", "ttgt", 2),
        ("dac,cb->dab", "float64", "log", 1),
    ],
)
def test_limits_of_address_space(spec, dtype, strategy, threads):
    case = {
        "spec": spec,
        "extents": {"a": 400, "b": 300, "c": 3000, "d": 7},
        "dtype": dtype,
        "strategy": strategy,
        "threads": threads,
        "seed": 5,
    }
    outcomes = run(UNDER_LIMITS, json.dumps(case))
    assert set(outcomes) <= {"right", "refused"}, outcomes
    assert outcomes[-1] == "right", outcomes
    # With nothing left, panels of some megabytes cannot be had.
    if threads == 1 and strategy == "ttgt":
        assert outcomes[0] == "refused", outcomes


LONG_SUM = """
import resource, sys
import numpy as np
import tc

dtype, elements = sys.argv[1], int(sys.argv[2])
array = np.ones(elements, dtype)
tc.einsum("i->", array[:1000], threads=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = tc.einsum("i->", array, threads=1)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(float(result), (after - before) // 1024)
"""


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32"])
def test_long_sums_take_little_memory(dtype):
    elements = 100_000_000
    result, megabytes = run("-c", LONG_SUM, dtype, str(elements))
    if dtype == "int8":
        assert float(result) == np.int64(elements).astype(np.int8)
    elif dtype == "float16":
        assert float(result) == np.inf
    assert int(megabytes) < 256


BROADCAST = """
import numpy as np
import tc

array = np.broadcast_to(np.ones(3), (2**14, 2**14, 3))
result = tc.einsum("ijk->k", array, threads=1)
print(*(result == 2.0**28))
"""


def test_sums_over_broadcast_arrays_copy_nothing():
    assert run("-c", BROADCAST) == ["True"] * 3
