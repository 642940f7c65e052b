# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views whose strides no 32 bits hold, in memory of which only the elements are
touched."""

import mmap

import numpy as np
import pytest

import tc

STRIDE = 2**31 + 7

NAMES = ("a", "b", "out", "bias")

# Python knows it from 3.11 on.
NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)


def spread(array, strides):
    """The same numbers with these strides, in elements."""
    span = sum((n - 1) * s for n, s in zip(array.shape, strides)) + 1
    memory = mmap.mmap(
        -1,
        span * array.itemsize,
        mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE,
    )
    view = np.lib.stride_tricks.as_strided(
        np.frombuffer(memory, array.dtype),
        array.shape,
        [s * array.itemsize for s in strides],
    )
    view[...] = array
    return view


@pytest.mark.parametrize("strides", [(STRIDE, 1), (1, STRIDE), (STRIDE, 40 * STRIDE)])
@pytest.mark.parametrize(
    "dtype, which",
    [
        *((dtype, which) for dtype in ("float64", "float32") for which in NAMES),
        # Epilogues are of floating-point numbers.
        *(("int32", which) for which in NAMES if which != "bias"),
    ],
)
def test_strides(dtype, which, strides):
    rng = np.random.default_rng(6)
    arrays = {
        name: rng.integers(1, 9, shape).astype(dtype)
        for name, shape in {
            "a": (40, 30),
            "b": (30, 24),
            "out": (40, 24),
            "bias": (40, 24),
        }.items()
    }
    expected = arrays["a"] @ arrays["b"]
    options = {}
    if dtype != "int32":
        expected = expected + arrays["bias"]
        options = {"epilogue": "x + bias[i,k]"}
    arrays[which] = spread(arrays[which], strides)
    if options:
        options["auxiliaries"] = {"bias": arrays["bias"]}
    out = arrays["out"]
    tc.einsum("ij,jk->ik", arrays["a"], arrays["b"], out=out, **options)
    assert (out == expected).all()
