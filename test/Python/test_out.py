# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unsuitable places for a result: arrays of another shape, and arrays that overlap themselves, at
whichever door and of whichever dtype."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tc
from foreign_tensor import Foreign

DTYPES = ("float64", "int16", "uint8", "bool", "float16", "complex64", ">f8")


def operands(count, dtype, extent=3):
    return [np.ones((extent, extent), np.dtype(dtype).newbyteorder("=")) for _ in range(count)]


def refused(message, call):
    with pytest.raises(ValueError) as raised:
        call()
    assert str(raised.value) == message


SPECS = ("ij->i", "ij,ij->i", "ij,jk,kj->i", "ij,jk,kl,lj->i")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_other_shapes(count, dtype):
    arrays = operands(count, dtype)
    for shape in ((4, 3), (1,), (), (3, 1), (0,)):
        out = np.ones(shape, dtype)
        for options in ({}, {"casting": "unsafe"}, {"optimize": False}, {"order": "F"}):
            refused(
                f"out has shape {shape}, but the result has (3,)",
                lambda: tc.einsum(SPECS[count - 1], *arrays, out=out, **options),
            )
        assert (out == 1).all()
        with pytest.raises(ValueError):
            np.einsum(SPECS[count - 1], *arrays, out=out, casting="unsafe")


def test_the_shape_that_was_filled():
    out = np.zeros((4, 3), "int16")
    refused(
        "out has shape (4, 3), but the result has (3,)",
        lambda: tc.einsum("i->i", np.arange(3, dtype="int16"), out=out),
    )
    assert not out.any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_overlapping_themselves(count, dtype):
    arrays = operands(count, dtype)
    for options in ({}, {"casting": "unsafe"}, {"beta": 1} if dtype != "bool" else {}):
        out = as_strided(np.ones(9, dtype), (3,), (0,))
        refused(
            "elements of out overlap: stride 0 along index 'i' of extent 3",
            lambda: tc.einsum(SPECS[count - 1], *arrays, out=out, **options),
        )
        assert (out == 1).all()


def test_how_dimensions_overlap():
    memory = np.zeros(100)

    def fails(message, shape, strides, array=memory):
        ones = [np.ones(shape)] * 3
        out = as_strided(array, shape, strides)
        for some in ones[:1], ones[:2], ones:
            labels = "ijk"[: len(shape)]
            spec = ",".join([labels] * len(some)) + "->" + labels
            refused(f"elements of out overlap: {message}", lambda: tc.einsum(spec, *some, out=out))

    fails("strides 1 along index 'i' and 1 along index 'j'", (3, 3), (8, 8))
    fails("strides 2 along index 'i' and 3 along index 'j'", (4, 4), (16, 24))
    fails("strides 2 along index 'i', 3 along index 'j' and 5 along index 'k'", (2, 2, 2), (16, 24, 40))
    # Elements that begin within others.
    fails("they have 8 bytes, and strides are (12, 4) bytes", (2, 3), (12, 4))
    out = as_strided(memory, (2, 2), (16, 24))
    tc.einsum("ij,ij->ij", np.full((2, 2), 3.0), np.ones((2, 2)), out=out)
    assert (memory[[0, 2, 3, 5]] == 3).all() and memory[[1, 4]].sum() == 0


def test_other_doors():
    """Slices, another order, lists of axes, semirings, epilogues, kernels and what overlaps operands."""
    a = np.ones((64, 64))
    large, twice = np.zeros((65, 64)), as_strided(np.zeros(300), (64, 64), (8, 8))
    wrong = "out has shape (65, 64), but the result has (64, 64)"
    overlap = "elements of out overlap: strides 1 along index 'i' and 1 along index 'l'"
    for options in (
        {"memory_limit": 3000},
        {"optimize": "greedy"},
        {"optimize": [(0, 1), (0, 1)]},
        {"semiring": "min_plus"},
        {"epilogue": "relu(x)"},
        {"dtype": "float64"},
    ):
        for message, out in ((wrong, large), (overlap, twice)):
            refused(message, lambda: tc.einsum("ij,jk,kl->il", a, a, a, out=out, **options))
            assert not out.any()
    # Numbers of axes are letters, from A on.
    letters = overlap.replace("'i'", "'A'").replace("'l'", "'C'")
    refused(letters, lambda: tc.einsum(a, [0, 1], a, [1, 2], [0, 2], out=twice))
    kernel = tc.compile("ij,jk->ik", [a.shape] * 2, dynamic_shapes=True)
    refused(wrong, lambda: kernel(a, a, out=large))
    refused(overlap.replace("'l'", "'k'"), lambda: kernel(a, a, out=twice))
    # A view of an operand, of another shape.
    refused("out has shape (32, 128), but the result has (64, 64)",
            lambda: tc.einsum("ij,jk->ik", a, a, out=a.reshape(32, 128)))


def test_tensors_of_others():
    for some in (1, 3):
        spec = ",".join(["i"] * some) + "->i"
        refused(
            "out has shape (4, 3), but the result has (3,)",
            lambda: tc.einsum(spec, *[np.ones(3)] * some, out=Foreign(np.zeros((4, 3)))),
        )
        refused(
            "elements of out overlap: stride 0 along index 'i' of extent 3",
            lambda: tc.einsum(spec, *[np.ones(3)] * some, out=Foreign(as_strided(np.zeros(1), (3,), (0,)))),
        )
