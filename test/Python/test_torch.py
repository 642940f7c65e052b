# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tc.torch.einsum, and tc.einsum of PyTorch's tensors, where PyTorch is installed
(scripts/framework_tests.sh). It is too large to be fetched for this; test_einsum.py has
a stand-in."""

import fake_device
import numpy as np
import opt_einsum
import pytest

import tc

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import tc.torch  # noqa: E402
from tc._einsum.call import Options  # noqa: E402
from tc._notation.terms import read  # noqa: E402
from tc.torch import _kernels  # noqa: E402


def random(*shape, dtype):
    generator = torch.Generator().manual_seed(len(shape))
    return torch.randn(*shape, dtype=dtype, generator=generator)


def check(result, expected, tolerance):
    assert isinstance(result, torch.Tensor)
    assert result.shape == expected.shape
    result, expected = result.to(torch.complex128), expected.to(torch.complex128)
    assert (result - expected).norm() <= tolerance * expected.norm()


def reference(subscripts, *operands):
    return torch.einsum(subscripts, *(x.to(torch.complex128) for x in operands))


@pytest.mark.parametrize(
    "dtype, tolerance",
    [("float64", 1e-14), ("float32", 1e-6), ("float16", 2e-3), ("complex128", 1e-14)],
)
def test_dtypes(dtype, tolerance):
    dtype = getattr(torch, dtype)
    a, b = random(13, 7, 5, dtype=dtype), random(5, 11, 13, dtype=dtype)
    result = tc.einsum("abc,cda->bd", a, b)
    assert result.dtype == dtype
    check(result, reference("abc,cda->bd", a, b), tolerance)


def test_views_and_out():
    a = random(8, 6, 10, dtype=torch.float32)[::2, :, 1::3].permute(2, 0, 1)
    b = random(6, 1, dtype=torch.float32).expand(6, 9)
    expected = reference("abc,cd->abd", a, b)
    check(tc.einsum("abc,cd->abd", a, b), expected, 1e-6)
    out = torch.zeros(3, 4, 9)
    address = out.data_ptr()
    assert tc.einsum("abc,cd->abd", a, b, out=out) is out
    assert out.data_ptr() == address
    check(out, expected, 1e-6)


def test_integers():
    i, j = torch.arange(30, dtype=torch.int32), torch.arange(24, dtype=torch.int32)
    i, j = i.reshape(5, 6) - 9, j.reshape(6, 4) - 7
    assert (tc.einsum("ij,jk->ik", i, j) == i @ j).all()


def test_opt_einsum():
    x = [random(n, n + 1, dtype=torch.float64) for n in (4, 5, 6)]
    result = opt_einsum.contract("ab,bc,cd->ad", *x, backend="tc")
    check(result, reference("ab,bc,cd->ad", *x), 1e-14)


def test_what_cannot_be_read():
    good = torch.ones(3, 3)
    with pytest.raises(BufferError, match="^operand 1: .*gradient"):
        tc.einsum("ij,jk->ik", good, torch.ones(3, 3, requires_grad=True))
    with pytest.raises(TypeError, match="^operand 0 has elements of DLPack's type 5 with 32 bits"):
        tc.einsum("ij,jk->ik", good.to(torch.complex32), good)


FLOATS = {
    "float64": 1e-14,
    "float32": 1e-6,
    "float16": 2e-3,
    "bfloat16": 2e-2,
    "float8_e4m3fn": 2e-1,
    "float8_e5m2": 3e-1,
    "complex128": 1e-14,
    "complex64": 1e-6,
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("subscripts", ["abc,cda->bd", "abc,cda,de->be", "abc,cda->"])
def test_operator_dtypes(name, subscripts):
    dtype = getattr(torch, name)
    drawn = torch.complex64 if dtype.is_complex else torch.float32
    shapes = [(13, 7, 5), (5, 11, 13), (11, 3)][: subscripts.count(",") + 1]
    operands = [random(*shape, dtype=drawn).to(dtype) for shape in shapes]
    result = tc.torch.einsum(subscripts, *operands)
    assert result.dtype == dtype
    # Summands may cancel.
    most = reference(subscripts, *(x.to(torch.complex128).abs() for x in operands)).norm()
    error = (result.to(torch.complex128) - reference(subscripts, *operands)).norm()
    assert error <= FLOATS[name] * most


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])
def test_operator_integers(dtype):
    """They wrap around as PyTorch's do."""
    i, j, k = (torch.arange(24).reshape(shape) * 7 for shape in [(4, 6), (6, 4), (4, 6)])
    i, j, k = i.to(dtype), j.to(dtype), k.to(dtype)
    for subscripts, operands in [("ij,jk->ki", (i, j)), ("ij,jk,kl->li", (i, j, k))]:
        result = tc.torch.einsum(subscripts, *operands)
        assert result.dtype == dtype
        assert (result == torch.einsum(subscripts, *operands)).all()


def test_mixed_dtypes():
    def draw(dtype):
        return (3 * random(6, 6, dtype=torch.float32)).to(dtype)

    for dtypes, expected in [
        ((torch.float16, torch.bfloat16), torch.float32),
        ((torch.float32, torch.float64), torch.float64),
        ((torch.float64, torch.complex64), torch.complex128),
        ((torch.float32, torch.complex64), torch.complex64),
        ((torch.int32, torch.float16), torch.float16),
        ((torch.int8, torch.int64), torch.int64),
        ((torch.float8_e5m2, torch.float8_e4m3fn), torch.float32),
        ((torch.float8_e5m2, torch.bfloat16), torch.float32),
    ]:
        operands = [draw(dtype) for dtype in dtypes]
        result = tc.torch.einsum("ij,jk->ik", *operands)
        assert result.dtype == expected
        check(result, reference("ij,jk->ik", *operands), 1e-2)


def test_forms():
    a, b = random(2, 3, 4, dtype=torch.float64), random(2, 4, 5, dtype=torch.float64)
    for arguments in [
        ("bij,bjk->bik", a, b),
        ("bij,bjk->bik", [a, b]),
        ("bij, bjk", (a, b)),
        ("...ij,...jk", a, b),
        ("...ij,...jk->...ki", a, b),
        ("...ij,...jk->ik", a, b),
        ("bij,...->...b", a, b),
        ("b...j->b", a),
        (a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3]),
        (a, [30, 1, 2], b, [30, 2, 3]),
        (a, [..., 1, 2], b, [..., 2, 3], [3, ...]),
        (torch.eye(3, dtype=torch.float64), [7, 7]),
    ]:
        check(tc.torch.einsum(*arguments), torch.einsum(*arguments), 1e-14)


def test_lazy_views_are_not_copied(monkeypatch):
    seen = []
    compile_pair = _kernels._compile_pair

    def seeing(term, layouts, dtype, conjugated, is_negative, *others):
        seen.append((conjugated, is_negative))
        return compile_pair(term, layouts, dtype, conjugated, is_negative, *others)

    monkeypatch.setattr(_kernels, "_compile_pair", seeing)
    a, b = random(5, 6, dtype=torch.complex128), random(6, 7, dtype=torch.complex128)
    # The negated parts are imaginary parts of conjugates, with the strides of complex numbers.
    parts = [x.conj().imag for x in (a, b)]
    assert all(x.is_neg() for x in parts)
    for x, y in [(a.conj(), b), (a, b.conj()), (a.conj(), b.conj()), (parts[0], b), parts]:
        check(tc.torch.einsum("ij,jk->ik", x, y), reference("ij,jk->ik", x, y), 1e-14)
    assert seen == [
        ((True, False), False),
        ((False, True), False),
        ((True, True), False),
        ((False, False), True),
        ((False, False), False),
    ]
    check(
        tc.torch.einsum("ij,jk,lk->il", a.conj(), b, b.conj()),
        reference("ij,jk,lk->il", a.conj(), b, b.conj()),
        1e-14,
    )


def test_views():
    a = random(8, 6, 10, dtype=torch.float32)[::2, :, 1::3].permute(2, 0, 1)
    b = random(6, 1, dtype=torch.float32).expand(6, 9)
    c = torch.tensor(2.0).expand(9, 4)
    for subscripts, operands in [
        ("abc,cd->abd", (a, b)),
        ("abc,cd,de->ae", (a, b, c)),
        ("abc,cd,de->", (a, b, c)),
        ("cd,de,fd->c", (b, c, c.T)),
        ("de,de,->e", (c, c, torch.tensor(3.0))),
    ]:
        check(tc.torch.einsum(subscripts, *operands), reference(subscripts, *operands), 1e-6)


def test_nothing():
    for shape, result in [((3, 0), (3, 4)), ((0, 5), (0, 4))]:
        b = torch.ones(shape[1], 4)
        assert (tc.torch.einsum("ij,jk->ik", torch.ones(shape), b) == torch.zeros(result)).all()
    a = torch.ones(3, 0, requires_grad=True)
    tc.torch.einsum("ij,kj,lj->", a, torch.ones(2, 0), torch.ones(4, 0)).backward()
    assert a.grad.shape == (3, 0)


def test_threads():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        a = random(40, 40, dtype=torch.float64)
        check(tc.torch.einsum("ij,jk", a, a), a @ a, 1e-14)
    finally:
        torch.set_num_threads(before)


def test_modes():
    a = random(5, 5, dtype=torch.float64)
    with torch.device("meta"):
        # New tensors lie there, results where the operands are.
        two, three = tc.torch.einsum("ij,jk", a, a), tc.torch.einsum("ij,jk,kl", a, a, a)
    check(two, a @ a, 1e-14)
    check(three, a @ a @ a, 1e-14)
    with torch.inference_mode():
        inside = tc.torch.einsum("ij,jk", a, a)
        check(tc.torch.einsum("ij,jk", inside, a), a @ a @ a, 1e-14)
    parameter = torch.nn.Parameter(a)
    with torch.no_grad():
        assert not tc.torch.einsum("ij->ji", parameter).requires_grad
    assert tc.torch.einsum("ij->ji", parameter).requires_grad


def test_operator_errors():
    a = torch.ones(3, 4)
    for error, message, arguments in [
        (TypeError, "operand 1 has dtype torch.bool", ("ij,jk", a, a.T > 0)),
        (TypeError, "operand 1 is no tensor", ("ij,jk", a, 3)),
        (TypeError, "operand 0 has layout torch.sparse_coo", ("ij", a.to_sparse())),
        (ValueError, "operand 1 lies on meta", ("ij,jk", a, torch.ones(4, 4, device="meta"))),
        (ValueError, "^index 'j' has extent 4 in axis 1 of operand 0 and 3 in axis 0 of operand 1$", ("ij,jk", a, a)),
        (ValueError, "index 'i' has extent 3 in axis 0 of operand 0 and 4 in axis 1 of operand 0$", ("ii", a)),
        (ValueError, "name 1 operand, but 2 are given", ("ij", a, a)),
        (TypeError, "a list of axes", (a, [0, 1], a, a)),
        (ValueError, "no operand", ("ij",)),
        (ValueError, "neither subscripts", ()),
    ]:
        with pytest.raises(error, match=message):
            tc.torch.einsum(*arguments)


def test_devices():
    """Calls that queue kernels, with the tests' driver and another library's arrays: this PyTorch
    has no device."""
    rng = np.random.default_rng(4)
    a, b, c = (rng.random((6, 6)) + 1j * rng.random((6, 6)) for _ in range(3))
    with fake_device.installed(fake_device.make_cupy()) as cupy:
        on = [cupy.asarray(x) for x in (a, b, c)]
        (term,) = read("0ab,1bc->ca")
        conjugate = Options(conjugated=(False, True))
        found = _kernels.contract_on_device(term, on[:2], "complex128", conjugate, True)
        np.testing.assert_allclose(found.get(), -(a @ b.conj()).T, rtol=1e-14)
        terms = read("0ab,1bc,2cd->da;1bc,2cd->bd")
        first, second = _kernels.run_on_device(terms, on, "c64")
        np.testing.assert_allclose(first.get(), (a @ b @ c).T, rtol=1e-13)
        np.testing.assert_allclose(second.get(), b @ c, rtol=1e-13)
