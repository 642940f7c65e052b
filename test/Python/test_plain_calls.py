# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""First calls that native code reads by itself: they are those that Python reads."""

import numpy as np
import pytest

import tc
from tc import _native
from tc._arrays.layout import ELEMENT_TYPES

from seeds import SEED

OPTIONS = {"threads": "0", "specialize": "auto", "saturate": "false"}


def draw(rng, shape, dtype):
    if np.dtype(dtype).kind == "i":
        return rng.integers(-9, 10, shape).astype(dtype)
    return rng.integers(-9, 10, shape).astype(dtype) / 4


@pytest.mark.parametrize("subscripts, shapes", [
    ("ij,jk->ik", [(7, 5), (5, 11)]),
    (" i j , jk ", [(7, 5), (5, 11)]),
    ("ba,aC", [(3, 4), (4, 2)]),
    ("Zz,za->aZ", [(3, 4), (4, 2)]),
    ("ii->i", [(6, 6)]),
    ("ii", [(6, 6)]),
    ("iji->j", [(6, 5, 6)]),
    ("i->", [(13,)]),
    ("ba", [(3, 2)]),
    ("i,j->ij", [(1, ), (5,)]),
    ("ij,kl->", [(3, 4), (5, 6)]),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "int8", "int64", "float16"])
def test_letters(subscripts, shapes, dtype):
    rng = np.random.default_rng(SEED)
    arrays = tuple(draw(rng, shape, dtype) for shape in shapes)
    made = _native.compile_plain(subscripts, arrays, ELEMENT_TYPES[dtype], OPTIONS)
    expected = np.einsum(subscripts, *arrays)
    assert made is not None and made[1] == np.shape(expected)
    result = tc.einsum(subscripts, *arrays)
    assert result.dtype == expected.dtype and np.shape(result) == np.shape(expected)
    exact = np.einsum(subscripts, *(x.astype("complex128") for x in arrays))
    if np.dtype(dtype).kind == "i":
        assert (result == expected).all()
    else:
        np.testing.assert_allclose(result, exact, rtol=2e-3 if dtype == "float16" else 1e-6)
    views = tuple(np.flip(x) for x in arrays)
    assert _native.compile_plain(subscripts, views, ELEMENT_TYPES[dtype], OPTIONS) is not None
    np.testing.assert_allclose(
        tc.einsum(subscripts, *views), np.einsum(subscripts, *views), rtol=5e-3
    )


@pytest.mark.parametrize("subscripts, shapes", [
    ("...i,i", [(3, 4), (4,)]),
    ("ij,jk->il", [(3, 4), (4, 5)]),
    ("ij,jk->ii", [(3, 4), (4, 5)]),
    ("ij,jk->", [(3, 4), (1, 5)]),
    ("ij,jk->ik", [(3, 4), (5, 5)]),
    ("ij,jk->ik", [(3, 0), (0, 5)]),
    ("ij,jk", [(3, 4)]),
    ("ij", [(3, 4), (4, 5)]),
    ("i,j,k", [(3,), (4,), (5,)]),
    ("ijk,kl", [(3, 4), (4, 5)]),
    ("i,", [(3,), ()]),
    ("", [()]),
    ("i->j->", [(3,)]),
    ("i-j", [(3,)]),
    ("i-", [(3,)]),
    ("i->,i", [(3,)]),
    ("é", [(3,)]),
    ("[i]", [(3,)]),
    ("i\t", [(3,)]),
])  # fmt: skip
def test_what_python_reads(subscripts, shapes):
    arrays = tuple(np.ones(shape) for shape in shapes)
    assert _native.compile_plain(subscripts, arrays, ELEMENT_TYPES["float64"], OPTIONS) is None


def test_strides_between_elements():
    fields = np.zeros(4, [("x", "f8"), ("y", "i4")])["x"]
    assert _native.compile_plain("i->", (fields,), ELEMENT_TYPES["float64"], OPTIONS) is None
