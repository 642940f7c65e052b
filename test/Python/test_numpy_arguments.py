# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of numpy.einsum, and arrays that it takes, with NumPy's answers."""

import fake_device
import numpy as np
import pytest
from test_numpy_rules import close, draw

import tc


@pytest.mark.parametrize("order", ["C", "F", "A", "a", "f", "c"])
@pytest.mark.parametrize("code", ["d", "h", "?", "D"])
def test_order(order, code):
    a, b, c = draw((4, 5), code), draw((5, 6), code), draw((6, 3), code)
    for subscripts, operands in [
        ("ij,jk->ik", (a, b)),
        ("ij,jk->ki", (a.copy("F"), b.copy("F"))),
        ("ij,jk,kl->li", (a, b, c)),
        ("ij,jk,kl->li", (a.copy("F"), b.copy("F"), c.copy("F"))),
        ("ij->ji", (a,)),
        ("ij->ji", (a.copy("F"),)),
        ("ij,jk->", (a, b)),
    ]:
        wanted = np.einsum(subscripts, *operands, order=order)
        found = tc.einsum(subscripts, *operands, order=order)
        assert type(found) is type(wanted)
        close(np.asarray(found), np.asarray(wanted))
        if len(operands) > 1:
            assert np.asarray(found).strides == np.asarray(wanted).strides
        else:
            # NumPy returns a view here.
            fortran = order.upper() == "F" or (order in "Aa" and operands[0].flags.f_contiguous)
            assert found.flags.f_contiguous == fortran
        out = np.zeros_like(wanted, order="C")
        assert tc.einsum(subscripts, *operands, order=order, out=out) is out
        close(out, np.asarray(wanted))


def test_other_orders():
    a = draw((4, 5), "d")
    for order in ("K", "k", None):
        close(tc.einsum("ij->ji", a, order=order), a.T)
    with pytest.raises(ValueError, match="^order is 'X', which is none of"):
        tc.einsum("ij->ji", a, order="X")
    on_device = fake_device.Interface(a)
    with pytest.raises(ValueError, match="^order is 'F', but results on a CUDA device have"):
        tc.einsum("ij->ji", on_device, order="F")
    out = fake_device.Interface(np.zeros((5, 4)))
    assert tc.einsum("ij->ji", on_device, order="F", out=out) is out


def test_bytes_and_no_optimization():
    a, b, c = draw((4, 5), "d"), draw((5, 6), "d"), draw((6, 3), "d")
    close(tc.einsum(b"ij,jk->ki", a, b), (a @ b).T)
    assert tc.einsum_path(b"ij,jk", a, b)[0] == ["einsum_path", (0, 1)]
    close(tc.einsum("ij,jk,kl", a, b, c, optimize=None), np.einsum("ij,jk,kl", a, b, c))
    path, _ = tc.einsum_path("kl,ij,jk", c, a, b, optimize=None)
    assert path == tc.einsum_path("kl,ij,jk", c, a, b, optimize=False)[0]


def test_unknown_arguments():
    a = draw((4, 4), "d")
    for name, hint in [
        ("optimise", ": did you mean 'optimize'[?]"),
        ("epilog", ": did you mean 'epilogue'[?]"),
        ("xyz", ""),
    ]:
        message = rf"^einsum\(\) got an unexpected keyword argument '{name}'{hint}$"
        with pytest.raises(TypeError, match=message):
            tc.einsum("ij,jk", a, a, **{name: True})


@pytest.mark.parametrize("code", ["d", "h", "F"])
def test_out_that_overlaps(code):
    for subscripts, views in [
        ("ij,jk->ik", lambda x: (x[:4], x[:4].T, x[:4])),
        ("ij,jk->ki", lambda x: (x[:4], x[1:], x[:4])),
        ("ij->ji", lambda x: (x[:4], x[:4])),
        ("ij,jk,kl->il", lambda x: (x[:4], x[1:], x[:4], x[1:])),
    ]:
        base = draw((5, 4), code)
        *operands, out = views(base.copy())
        wanted = np.einsum(subscripts, *(x.copy() for x in operands))
        old = out.copy()
        assert tc.einsum(subscripts, *operands, out=out) is out
        close(out, wanted)
        *operands, out = views(base.copy())
        tc.einsum(subscripts, *operands, out=out, alpha=2, beta=3)
        close(out, 2 * wanted + 3 * old)


def test_out_that_overlaps_an_auxiliary():
    a, b, out = draw((5, 6), "d"), draw((6, 4), "d"), draw((5, 4), "d")
    wanted = a @ b + out[0]
    tc.einsum("ij,jk->ik", a, b, out=out, epilogue="x+bias[k]", auxiliaries={"bias": out[0]})
    close(out, wanted)


def odd(array, how):
    """The same numbers in memory that kernels do not read."""
    if how == "swapped":
        return array.astype(array.dtype.newbyteorder())
    if how == "unaligned":
        made = np.zeros(array.nbytes + 1, "u1")[1:].view(array.dtype).reshape(array.shape)
    else:
        made = np.zeros(array.shape, [("pad", "u1"), ("x", array.dtype)])["x"]
    made[...] = array
    return made


@pytest.mark.parametrize("how", ["swapped", "unaligned", "field"])
@pytest.mark.parametrize("code", ["d", "h", "F", "q"])
def test_odd_arrays(how, code):
    a, b, c = draw((4, 5), code), draw((5, 6), code), draw((6, 3), code)
    for _ in range(2):
        # In between, such that calls of arrays of the same shapes and strides are remembered.
        close(tc.einsum("ij,jk->ki", a, b), np.einsum("ij,jk->ki", a, b))
        close(tc.einsum("ij,jk->ki", odd(a, how), b), np.einsum("ij,jk->ki", a, b))
        close(tc.einsum("ij,jk->ki", a, odd(b, how)), np.einsum("ij,jk->ki", a, b))
    close(tc.einsum("ij->ji", odd(a, how)), a.T)
    close(tc.einsum("ij,jk,kl", odd(a, how), b, odd(c, how)), np.einsum("ij,jk,kl", a, b, c))
    out = odd(np.zeros((4, 6), code), how)
    assert tc.einsum("ij,jk", a, b, out=out) is out
    close(out.astype(code), np.einsum("ij,jk", a, b))
    assert tc.einsum_path("ij,jk", odd(a, how), b)[0] == ["einsum_path", (0, 1)]


def test_odd_arrays_of_kernels():
    a, b = draw((4, 5), "d"), draw((5, 6), "d")
    kernel = tc.compile("ij,jk->ik", [a.shape, b.shape])
    for how in ("swapped", "unaligned", "field"):
        # Arrays that look alike are copied again.
        for _ in range(3):
            close(kernel(odd(a, how), b), a @ b)


@pytest.mark.parametrize("first, second", [("D", "D"), ("F", "D"), ("D", "d"), ("d", "F")])
def test_conjugates(first, second):
    a, b = draw((4, 5), first), draw((5, 6), second)
    for conjugate_a in (False, True):
        for conjugate_b in (False, True):
            wanted = np.einsum(
                "ij,jk->ki", a.conj() if conjugate_a else a, b.conj() if conjugate_b else b
            )
            options = {"conjugate_a": conjugate_a, "conjugate_b": conjugate_b}
            close(tc.einsum("ij,jk->ki", a, b, **options), wanted)
            out = wanted.copy()
            tc.einsum("ij,jk->ki", a, b, out=out, alpha=2, beta=1, **options)
            close(out, 3 * wanted)
            if first == second == "D":
                arrays = [fake_device.Interface(x) for x in (a, b, np.zeros_like(out))]
                tc.einsum("ij,jk->ki", *arrays[:2], out=arrays[2], **options)
                close(arrays[2].get(), wanted)
    close(tc.einsum("ij->j", a, conjugate_a=True), np.einsum("ij->j", a.conj()))


def test_conjugates_of_what_is_not_there():
    a = draw((4, 4), "D")
    with pytest.raises(ValueError, match="^conjugate_b is set, but there is no such operand"):
        tc.einsum("ij->ji", a, conjugate_b=True)
    with pytest.raises(ValueError, match="^conjugate_a and conjugate_b are of two operands"):
        tc.einsum("ij,jk,kl", a, a, a, conjugate_a=True)
