# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes of native code of arrays: nothing beyond them."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import guard_pages
import tc
from tc import _native
from tc._arrays.layout import ELEMENT_TYPES


def test_arrays_beside_guarded_pages():
    found, done = guard_pages.run_cases(seed=11, count=150, seconds=300)
    assert not found and len(done) == 1, found


def test_that_guards_kill():
    """Faults of the kind that the cases look for would be found."""
    code = (
        "import ctypes, guarded_memory;"
        "made = guarded_memory.Guarded((3,), (8,), 'float64', {});"
        "ctypes.string_at(made.array.ctypes.data + {}, 1)"
    )
    for is_in_front, kills, lives in ((False, 24, 23), (True, -1, 0)):
        for offset, is_killed in ((kills, True), (lives, False)):
            done = guard_pages.run_python("-c", code.format(is_in_front, offset))
            assert (done.returncode < 0) == is_killed, done.stderr


def broadcast(shape, out, **options):
    """A product of three operands one of which has extent one along an index that others have."""
    rng = np.random.default_rng(5)
    a, b, c = rng.random(shape), rng.random(5), rng.random(1)
    expected = np.einsum("ci,c,c->", a, b, c)
    return tc.einsum("ci,c,c->", a, b, c, out=out, **options), expected


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (1, 1)])
def test_broadcast_with_beta(shape):
    out = np.array(1.0)
    found, expected = broadcast(shape, out, beta=0.5)
    assert found is out
    np.testing.assert_allclose(out, expected + 0.5, rtol=1e-14)
    out = np.array(1.0)
    np.testing.assert_allclose(broadcast(shape, out, alpha=2, beta=3)[0], 2 * expected + 3, rtol=1e-14)
    np.testing.assert_allclose(broadcast(shape, None)[0], expected, rtol=1e-14)


def refused(message, call, *arguments):
    with pytest.raises(ValueError) as raised:
        call(*arguments)
    assert message in str(raised.value)


def test_native_contractions_compare_arrays():
    a, b, c = np.ones((2, 3)), np.ones((3, 4)), np.zeros((2, 4))
    kernel = tc.compile(
        "ij,jk->ik", [a.shape, b.shape], epilogue="x + bias[k]", auxiliaries={"bias": (4,)}
    )._native
    bias = {"bias": np.ones(4)}

    def fails(message, a=a, b=b, c=c, bias=bias):
        refused(message, kernel.run, a, b, c, None, None, bias)

    kernel.run(a, b, c, None, None, bias)
    assert (c == 4).all()
    fails("operand 0 has shape (2, 2), but was compiled for (2, 3)", a=a[:, :2])
    fails("operand 0 has shape (6,), but was compiled for (2, 3)", a=a.ravel())
    fails("operand 1 has shape (1, 4), but was compiled for (3, 4)", b=b[:1])
    fails("operand 1 has strides (8, 24), but was compiled for (32, 8)", b=np.ones((4, 3)).T)
    fails("operand 1 has strides (0, 8), but was compiled for (32, 8)", b=as_strided(b, (3, 4), (0, 8)))
    fails("out has shape (1, 4), but was compiled for (2, 4)", c=c[:1])
    fails("operand 0 has elements of 4 bytes, but was compiled for 8", a=a.astype("float32"))
    fails("auxiliary tensor 'bias' has shape (3,), but was compiled for (4,)", bias={"bias": np.ones(3)})
    fails("auxiliary tensor 'other' is not in the epilogue", bias={"other": np.ones(4)})
    # Strides say nothing along extents of one.
    one = tc.compile("ij->ij", [(1, 3)])._native
    one.run(as_strided(np.ones(3), (1, 3), (8, 8)), None, np.zeros((1, 3)), None, None)


def test_past_calls_compare_arrays():
    kernel = tc.compile("ij,jk->ik", [(2, 3), (3, 4)])._native
    a, b = np.ones((2, 3)), np.ones((3, 4))
    keep = _native.PastCalls(4).keep_arrays
    refused("operand 1 has shape", keep, a, b[:2], None, kernel, (2, 4), np.dtype("float64"))
    refused("out has shape", keep, a, b, None, kernel, (2, 3), np.dtype("float64"))
    refused("out has shape", keep, a, b, np.zeros((2, 3)), kernel, (2, 4), np.dtype("float64"))
    refused("out has elements of 4 bytes", keep, a, b, None, kernel, (2, 4), np.dtype("float32"))
    product = _native.Program.of_einsum("ij,jk,kl->il", ELEMENT_TYPES["float64"], [(2, 3), (3, 4), (4, 2)], {})
    result = (2, 2), np.dtype("float64")
    keep = _native.PastCalls(4).keep
    refused("operand 1 has shape", keep, "", (a, b[:2], b.T[:, :2]), {}, product, *result)
    refused("another number of arrays", keep, "", (a, b), {}, product, *result)


def test_native_contractions_of_any_shape_read_that_of_arrays():
    kernel = tc.compile("ij,jk->ik", [(2, 3), (3, 4)], dynamic_shapes=True)._native
    a, b, c = np.ones((5, 6))[:, ::-2], np.ones((3, 7)), np.zeros((5, 7))
    kernel.run_shaped(a, b, c, None, None)
    assert (c == 3).all()
    refused("index 'j' has extent 3 in dimension 1 of A and 2", kernel.run_shaped, a, b[:2], c, None, None)
    refused("operand 0 has 1 axes, but it was compiled for 2", kernel.run_shaped, a[0], b, c, None, None)
    refused("elements of C overlap: stride 0", kernel.run_shaped, a, b, as_strided(c, c.shape, (0, 8)), None, None)


def test_native_programs_compare_arrays():
    a, b, c, out = np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 2)), np.zeros((2, 2))
    shapes = [x.shape for x in (a, b, c)]
    product = _native.Program.of_einsum("ij,jk,kl->il", ELEMENT_TYPES["float64"], shapes, {})
    need = np.zeros(product.workspace_bytes + 64, np.uint8)
    need = need[-need.ctypes.data % 64 :]

    def fails(message, *arrays, workspace=None):
        refused(message, product.run, list(arrays), workspace)

    fails("operand 1 has shape (1, 4), but was compiled for (3, 4)", a, b[:1], c, out)
    fails("operand 2 has strides (8, 32), but was compiled for (16, 8)", a, b, np.ones((2, 4)).T, out)
    fails("out has shape (2,), but was compiled for (2, 2)", a, b, c, out[0])
    fails("takes 4 tensors", a, b, c)
    if product.workspace_bytes:
        fails("the workspace has", a, b, c, out, workspace=need[: product.workspace_bytes - 1])
    frozen = out.copy()
    frozen.flags.writeable = False
    with pytest.raises((BufferError, ValueError), match="read-only"):
        product.run([a, b, c, frozen], None)
    given = tc.compile_program("i = ?3, j = 4\nR[i] = A[i,j] * B[j]")._native
    a, b, out = np.ones((5, 4)), np.ones(4), np.zeros(5)
    given.run([a, b, out], None, [5])
    assert (out == 4).all()
    refused("tensor 'A' has shape (5, 4), but was compiled for (6, 4)", given.run, [a, b, out], None, [6])
    refused("tensor 'R' has shape (4,), but was compiled for (5,)", given.run, [a, b, out[:4]], None, [5])


def test_auxiliary_tensors_that_nobody_describes():
    kernel = tc.compile("ij,jk->ik", [(2, 3), (3, 4)], epilogue="x * scale[i] + table[i,k]")
    a, b, scale, table = np.ones((2, 3)), np.ones((3, 4)), np.ones(2), np.ones((2, 4))
    assert (kernel(a, b, auxiliaries={"scale": scale, "table": table}) == 4).all()
    refused("auxiliary tensor 'scale' has shape (1,), but was compiled for (2,)",
            lambda: kernel(a, b, auxiliaries={"scale": scale[:1], "table": table}))
    refused("auxiliary tensor 'table' has strides (8, 16), but was compiled for (32, 8)",
            lambda: kernel(a, b, auxiliaries={"scale": scale, "table": np.ones((4, 2)).T}))
