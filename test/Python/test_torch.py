"""PyTorch's tensors in the host's memory, where PyTorch is installed. It is too
large to be fetched for this; test_einsum.py has a stand-in."""

import opt_einsum
import pytest

import tc

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


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
    with pytest.raises(TypeError, match="^operand 0 has torch.bfloat16"):
        tc.einsum("ij,jk->ik", good.to(torch.bfloat16), good)
