# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that calls allocate: at most 1.2 times as much as copied operands, the result and
results between pairs take, and 8 MiB, or 8 MiB for each thread of compiled code, as
docs/cpu-runtime.md says."""

import json
import os
import subprocess
import sys

import pytest

MEASURE = """
import json, re, sys
import numpy as np
import tc

spec, extents, dtype, threads, specialize, views = json.loads(sys.argv[1])
terms = spec.split("->")[0].split(",")

def make(term):
    shape = [extents[letter] for letter in term]
    if views == "every second":
        return np.ones([*shape[:-1], 2 * shape[-1]], dtype)[..., ::2]
    if views == "unaligned":
        bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.ones(bytes + 1, np.uint8)[1:].view(dtype).reshape(shape)
    return np.ones(shape, dtype)

arrays = [make(term) for term in terms]
options = dict(threads=threads, specialize=specialize)
if specialize == "always":
    # Code is made before, in a process of its own that has the compiler.
    tc.einsum(spec, *arrays, **options)
# Whatever the first call of all takes.
small = [np.ones([2] * len(term), dtype) for term in terms]
tc.einsum(spec, *small, threads=threads)
big = np.ones((700, 700))
tc.einsum("ij,jk->ik", big, big, threads=threads, specialize="never")
del big

def peak():
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+)", file.read())[1]) << 10

try:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
except OSError:
    pass
before = peak()
result = tc.einsum(spec, *arrays, **options)
print(peak() - before, result.nbytes, sum(array.nbytes for array in arrays))
"""
MEBIBYTE = 1 << 20
FREE = 8 * MEBIBYTE

# Allocated beside the result: bytes of results between pairs, or of one before it is
# converted, and the operands' bytes that copies have for one.
CASES = {
    "matrices": ("ij,jk->ik", {"i": 2500, "j": 2500, "k": 2500}, "float64", 0, 0, None),
    "transposed": ("cab,dbc->dca", {"a": 160, "b": 150, "c": 90, "d": 140}, "float32", 0, 0, None),
    "narrow": ("ij,jk->ik", {"i": 3000, "j": 2000, "k": 3000}, "float16", 0, 0, None),
    "integers": ("ij,jk->ik", {"i": 2500, "j": 2000, "k": 2500}, "int8", 0, 0, None),
    "complex": ("ij,jk->ik", {"i": 1500, "j": 1500, "k": 1500}, "complex128", 0, 0, None),
    "batches": ("nij,njk->nik", {"n": 600, "i": 80, "j": 90, "k": 100}, "float64", 0, 0, None),
    "permutation": ("abcd->dcba", {"a": 60, "b": 50, "c": 60, "d": 70}, "float64", 0, 0, None),
    "outer": ("i,j->ij", {"i": 3000, "j": 4000}, "float64", 0, 0, None),
    "vector": ("ij,j->i", {"i": 4000, "j": 4000}, "float64", 0, 0, None),
    "sums of operands": ("ijk,kl->il", {"i": 100, "j": 100, "k": 900, "l": 80}, "float64", 0, 0, None),
    "sums of each": (
        "ija,kl->ik", {"i": 1000, "j": 40, "a": 100, "k": 900, "l": 900}, "float64", 0, 0, None,
    ),
    "every second": ("ij,jk->ik", {"i": 1500, "j": 1500, "k": 1500}, "float64", 0, 0, "every second"),
    "unaligned": ("ij,jk->ik", {"i": 1500, "j": 1500, "k": 1500}, "float64", 0, 1, "unaligned"),
    "16 bits": ("ij,jk->ik", {"i": 1500, "j": 1500, "k": 1500}, "int16", 1500 * 1500 * 4, 2, None),
    "three": (
        "ij,jk,kl->il", {"i": 1200, "j": 1100, "k": 1000, "l": 900}, "float64", 1100 * 900 * 8, 0, None,
    ),
    "five": (
        "ab,bc,cd,de,ef->af",
        {"a": 900, "b": 900, "c": 900, "d": 900, "e": 900, "f": 900},
        "float64", 2 * 900 * 900 * 8, 0, None,
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("threads", [1, 3])
def test_ahead_of_time(name, threads):
    check(name, "never", threads)


# Code copies operands that it cannot read along their memory, or that are narrow.
@pytest.mark.parametrize("name", ["transposed", "complex", "narrow", "every second", "five"])
def test_code(name):
    check(name, "always", 2, copied=name in ("narrow", "every second"), free=2 * FREE)


def check(name, specialize, threads, copied=0, free=FREE):
    spec, extents, dtype, between, ahead, views = CASES[name]
    copied = copied or ahead
    done = subprocess.run(
        [
            sys.executable, "-c", MEASURE,
            json.dumps([spec, extents, dtype, threads, specialize, views]),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        # Freed memory is given back, and counts again where it is taken again.
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    taken, result, operands = map(int, done.stdout.split())
    print(f"{name}: {taken / MEBIBYTE:.1f} MiB, result {result / MEBIBYTE:.1f}, "
          f"between {between / MEBIBYTE:.1f}, copied {copied * operands / MEBIBYTE:.1f}")
    needed = copied * operands + result + between
    assert taken <= 1.2 * needed + free
