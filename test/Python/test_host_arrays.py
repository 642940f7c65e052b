# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries in the host's memory, and results that are theirs."""

import ctypes
import sys
import types

import fake_device
import numpy as np
import pytest

import tc

FOREIGN = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]


class Tensor:
    """A tensor of bfloat16, given as its bits, of a library that has nothing else."""

    type, kind = (4, 16), 1

    def __init__(self, bits):
        self.bits = np.asarray(bits, "u2")
        # Must not die while NumPy raises an exception, as they are freed by Python
        # code.
        self.capsules = []

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, **_):
        rank = self.bits.ndim
        shape = (ctypes.c_int64 * rank)(*self.bits.shape)
        tensor = fake_device._DLTensor(
            self.bits.ctypes.data, self.kind, 0, rank, *self.type, 1, shape, None, 0
        )
        held = fake_device._Managed(tensor, None, None)
        self.capsules.append(fake_device._capsule(held, b"dltensor", (shape, self.bits)))
        return self.capsules[-1]


# One and two in bfloat16.
BITS = np.array([[0x3F80, 0x4000], [0, 0x3F80]], "u2")


def test_without_ml_dtypes(monkeypatch):
    # As where it is not installed.
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(TypeError, match="^operand 0 has dtype bfloat16, .*: install that package"):
        tc.einsum("ij,jk", Tensor(BITS), Tensor(BITS))


@pytest.mark.parametrize("kind", [RuntimeError, BufferError, TypeError])
def test_what_numpy_raises_does_not_matter(monkeypatch, kind):
    """Of a dtype that it has not: NumPy 2.4 has another exception than 2.5."""

    def from_dlpack(_):
        raise kind("Unsupported dtype in DLTensor.")

    monkeypatch.setattr(np, "from_dlpack", from_dlpack)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(TypeError, match="^operand 0 has dtype bfloat16, .*: install that package"):
        tc.einsum("ij,jk", Tensor(BITS), Tensor(BITS))


def test_tensors_elsewhere():
    class Lying(Tensor):
        kind = 10  # a ROCm device

        def __dlpack_device__(self):
            return 1, 0

    far = Lying(BITS)
    with pytest.raises(TypeError, match="^operand 1 has elements and lies on DLPack's kind 10 of device"):
        tc.einsum("ij,jk", BITS, far)


def test_types_that_nothing_has():
    odd = Tensor(BITS)
    odd.type = (4, 32)
    with pytest.raises(TypeError, match="^operand 1 has elements of DLPack's type 4 with 32 bits"):
        tc.einsum("ij,jk", BITS, odd)


def test_a_tensor_of_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    tensor = Tensor(BITS)
    result = tc.einsum("ij,jk", tensor, tensor)
    assert result.dtype == ml_dtypes.bfloat16 and result.tolist() == [[1, 4], [0, 1]]
    # The capsules that described it are let go.
    assert {sys.getrefcount(capsule) for capsule in tensor.capsules} == {3}


@pytest.fixture(name="torch")
def fixture_torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.mark.parametrize("name", FOREIGN)
def test_torch_einsum(torch, name):
    dtype = getattr(torch, name)
    a, b = torch.randn(5, 7).to(dtype), torch.randn(4, 7).to(dtype).T
    wanted = (a.float() @ b.float()).to(dtype).float()
    result = tc.einsum("ij,jk->ik", a, b)
    assert type(result) is torch.Tensor and result.dtype == dtype
    torch.testing.assert_close(result.float(), wanted, rtol=0.3, atol=0.2)
    out = torch.zeros(5, 4, dtype=dtype)
    assert tc.einsum("ij,jk->ik", a, b, out=out) is out
    assert torch.equal(out.float(), result.float())


def test_jax_einsum():
    jnp = pytest.importorskip("jax", reason="JAX is not installed").numpy
    for name in FOREIGN:
        a = jnp.arange(6.0).reshape(2, 3).astype(name)
        result = tc.einsum("ij,kj->ik", a, a)
        assert type(result) is type(a) and result.dtype == name
        assert result[0].tolist() == [5, 14]
        with pytest.raises(ValueError, match="^out is not writable"):
            tc.einsum("ij,kj->ik", a, a, out=result)


@pytest.mark.parametrize("dynamic_shapes", [False, True])
@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16"])
def test_torch_kernels(torch, name, dynamic_shapes):
    dtype = getattr(torch, name)
    kernel = tc.compile("ij,jk->ik", [(3, 4), (4, 2)], name, dynamic_shapes=dynamic_shapes)
    a, b = torch.arange(12.0).reshape(3, 4).to(dtype), torch.ones(4, 2, dtype=dtype)
    result = kernel(a, b)
    assert type(result) is torch.Tensor and torch.equal(result, a @ b)
    out = torch.zeros(3, 2, dtype=dtype)
    assert kernel(a, b, out) is out and torch.equal(out, a @ b)
    # As einsum: the first that is none of NumPy's decides.
    if name == "float64":
        assert torch.equal(kernel(a.numpy(), b), a @ b)


def test_torch_auxiliaries(torch):
    kernel = tc.compile(
        "ij,jk->ik", [(3, 4), (4, 2)], epilogue="x + bias[k]", auxiliaries={"bias": (2,)}
    )
    a, b, bias = (torch.ones(*shape, dtype=torch.float64) for shape in ((3, 4), (4, 2), (2,)))
    assert (kernel(a, b, auxiliaries={"bias": bias}) == 5).all()


def test_kernels_of_other_arrays():
    kernel = tc.compile("ij,jk->ik", [(2, 2), (2, 2)])
    assert (kernel([[1.0, 2.0], [0.0, 1.0]], np.eye(2)) == [[1, 2], [0, 1]]).all()
    a = fake_device.Interface(np.eye(2))
    with pytest.raises(TypeError, match="^operand 1 lies on a device, but the code is for the CPU"):
        kernel(np.eye(2), a)


def test_torch_programs(torch):
    program = tc.compile_program("i = 3, j = 4\nC[i] = A[i,j]\nD[i] += A[i,j]")
    a, d = torch.ones(3, 4, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    made = program(A=a, D=d)
    assert made["D"] is d and d.tolist() == [5, 5, 5]
    assert type(made["C"]) is torch.Tensor and made["C"].tolist() == [4, 4, 4]


def test_lazy_conjugates(torch, monkeypatch):
    a = torch.randn(3, 4, dtype=torch.complex128)
    b = torch.randn(4, 3, dtype=torch.complex128)
    wanted = a.conj().resolve_conj() @ b
    torch.testing.assert_close(tc.einsum("ij,jk,kl->il", a.conj(), b, a), wanted @ a)
    with monkeypatch.context() as patched:
        # Of two operands, kernels conjugate, and nothing is copied.
        patched.setattr(torch.Tensor, "resolve_conj", None)
        torch.testing.assert_close(tc.einsum("ij,jk->ik", a.conj(), b), wanted)
        torch.testing.assert_close(tc.einsum("ij,jk->ik", a.mH.T, b), wanted)
        torch.testing.assert_close(tc.einsum("ij,jk->ik", a.mH.T, b, conjugate_a=True), a @ b)
    # This tensor's signs are yet to be changed.
    negative = a.conj().imag
    assert negative.is_neg()
    torch.testing.assert_close(tc.einsum("ij->ji", negative), -a.imag.T)
    with pytest.raises(BufferError, match="^out cannot be written: is_conj"):
        tc.einsum("ij->ji", b, out=a.conj())


def test_packages_without_from_dlpack():
    class Bare(Tensor):
        __module__ = "bare"

        def __dlpack__(self, **arguments):
            return np.ones((2, 2)).__dlpack__()

    with fake_device.installed(types.ModuleType("bare")):
        assert type(tc.einsum("ij,jk", Bare(BITS), Bare(BITS))) is np.ndarray
