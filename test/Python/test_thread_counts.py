# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No bit of a result depends on the number of threads: products of one to five arrays, by
ahead-of-time kernels and by code. TC_SEED and TC_COUNT say which random ones, and how many."""

import math
import os
import random

import numpy as np
import pytest

import tc

DTYPES = ("float16", "float32", "float64", "complex64", "complex128", "int8", "int32", "int64")
EXTENTS = (1, 2, 3, 5, 8, 13, 24, 61, 100, 257)
SEED = int(os.environ.get("TC_SEED", "1"))
COUNT = int(os.environ.get("TC_COUNT", "60"))


def draw(seed):
    """Subscripts and arrays, of which some have work for several threads."""
    rng = random.Random(seed)
    operands = rng.randint(1, 5)
    letters = "abcdef"[: rng.randint(2, 6)]
    # The order once depended on the number of threads.
    subscripts, extents = "b,cdba,cb->ac", {"a": 100, "b": 8, "c": 3, "d": 257}
    dtype = "complex64"
    while seed > 0:
        extents = {letter: rng.choice(EXTENTS) for letter in letters}
        terms = ["".join(rng.sample(letters, rng.randint(1, len(letters)))) for _ in range(operands)]
        used = sorted(set("".join(terms)))
        result = "".join(rng.sample(used, rng.randint(0, min(3, len(used)))))
        sizes = [math.prod(extents[x] for x in term) for term in (*terms, result)]
        subscripts, dtype = ",".join(terms) + "->" + result, rng.choice(DTYPES)
        if max(sizes) <= 1 << 20 and math.prod(extents[x] for x in used) <= 1 << 26:
            break
    numbers = np.random.default_rng(seed)
    arrays = []
    for term in subscripts.split("->")[0].split(","):
        array = numbers.standard_normal([extents[x] for x in term])
        if dtype.startswith("complex"):
            array = array + 1j * numbers.standard_normal(array.shape)
        arrays.append((4 * array).astype(dtype))
    return subscripts, arrays


def compare(seed, specialize):
    subscripts, arrays = draw(seed)
    print(seed, subscripts, [(array.shape, array.dtype) for array in arrays])
    one = tc.einsum(subscripts, *arrays, threads=1, specialize=specialize)
    for threads in (2, 3, 8):
        several = tc.einsum(subscripts, *arrays, threads=threads, specialize=specialize)
        assert several.tobytes() == one.tobytes(), f"{threads} threads"


@pytest.mark.parametrize("subscripts, shapes", [
    ("i,i,i->", [(300007,)] * 3),
    ("ni,n,nj->ij", [(20011, 13), (20011,), (20011, 11)]),
    ("bi,ij,bj->b", [(20011, 23), (23, 29), (20011, 29)]),
    ("bi,ir,ro->bo", [(4099, 100), (100, 40), (40, 64)]),
])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
def test_bits_of_slices_that_stay_in_caches(subscripts, shapes, dtype):
    numbers = np.random.default_rng(SEED)
    # Sums do not cancel, nor are they beyond the range of halves.
    arrays = [(np.abs(numbers.standard_normal(shape)) / shape[0] ** (1 / 3)).astype(dtype)
              for shape in shapes]
    one = tc.einsum(subscripts, *arrays, threads=1, specialize="never")
    wide = np.einsum(subscripts, *[array.astype(np.result_type(dtype, "float64"))
                                   for array in arrays], optimize=True)
    tolerance = 30 * float(np.finfo(dtype).eps)
    assert np.linalg.norm(one - wide) <= tolerance * np.linalg.norm(wide)
    for threads in (2, 3, 7):
        several = tc.einsum(subscripts, *arrays, threads=threads, specialize="never")
        assert np.array_equal(several, one)


@pytest.mark.parametrize("specialize, share", [("never", 1), ("always", 10)])
def test_bits(specialize, share):
    # Each takes its time to compile.
    for seed in [0, *range(SEED, SEED + COUNT // share)]:
        compare(seed, specialize)
    tc.clear_cache()


def test_paths():
    arrays = [np.broadcast_to(np.complex64(1), shape) for shape in ((8,), (3, 257, 8, 100), (3, 8))]
    path = tc.einsum_path("b,cdba,cb->ac", *arrays)[0]
    assert path == tc.einsum_path("b,cdba,cb->ac", *arrays, threads=1)[0]
