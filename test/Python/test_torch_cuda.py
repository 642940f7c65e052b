# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tc.torch.einsum of tensors on a GPU, where there is one: without the tests' driver,
which hides it. TC_TORCH_DEVICE=cpu runs the same on the CPU."""

import os

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

DEVICE = os.environ.get("TC_TORCH_DEVICE", "cuda")
if DEVICE == "cuda" and ("TC_FAKE_CUDA" in os.environ or not torch.cuda.is_available()):
    pytest.skip("there is no GPU, or the tests' driver hides it", allow_module_level=True)

from tc.torch import einsum  # noqa: E402

TOLERANCES = {
    torch.float64: 1e-13,
    torch.float32: 1e-5,
    torch.float16: 2e-3,
    torch.bfloat16: 2e-2,
    torch.complex128: 1e-13,
    torch.complex64: 1e-5,
}


def draw(*shape, dtype, seed=0):
    generator = torch.Generator().manual_seed(seed)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    return torch.randn(shape, dtype=wide, generator=generator).to(DEVICE, dtype)


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(
    "subscripts, shapes",
    [
        ("abc,cd->abd", [(13, 7, 32), (32, 17)]),
        ("bij,bkj->bki", [(3, 33, 16), (3, 9, 16)]),
        ("ij,jk,kl->il", [(13, 7), (7, 11), (11, 5)]),
        ("ii,ij->j", [(17, 17), (17, 8)]),
        ("ij,kj->", [(5, 7), (3, 7)]),
    ],
)
def test_values_and_gradients(subscripts, shapes, dtype):
    operands = [
        draw(*shape, dtype=dtype, seed=i).requires_grad_() for i, shape in enumerate(shapes)
    ]
    # Lazily conjugated ones, too; of real ones nothing is.
    result = einsum(subscripts, operands[0].conj(), *operands[1:])
    wide = torch.complex128 if dtype.is_complex else torch.float64
    exact = [x.detach().to("cpu", wide).requires_grad_() for x in operands]
    wanted = torch.einsum(subscripts, exact[0].conj(), *exact[1:])
    assert result.device.type == DEVICE and result.dtype == dtype
    weights = draw(*wanted.shape, dtype=dtype, seed=9)
    gradients = torch.autograd.grad(result, operands, weights)
    wanted_gradients = torch.autograd.grad(wanted, exact, weights.to("cpu", wide))
    for found, its in zip((result, *gradients), (wanted, *wanted_gradients)):
        assert found.shape == its.shape
        error = (found.detach().to("cpu", wide) - its.detach()).abs().max()
        assert error <= 10 * TOLERANCES[dtype] * max(1, its.abs().max())


def test_compile():
    a, b = (draw(*shape, dtype=torch.float32) for shape in [(16, 24), (24, 8)])
    compiled = torch.compile(lambda a, b: einsum("ij,jk->ik", a.sin(), b) + 1, fullgraph=True)
    torch.testing.assert_close(compiled(a, b), a.sin() @ b + 1)


@pytest.mark.skipif(DEVICE != "cuda", reason="CPUs have no streams")
def test_current_stream():
    """Work is queued behind what makes the operands, on the same stream."""
    a = draw(512, 512, dtype=torch.float32)
    wanted = (a + 1) @ a
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
        torch.cuda._sleep(20_000_000)
        result = einsum("ij,jk->ik", a + 1, a)
        torch.cuda.current_stream().synchronize()
    torch.testing.assert_close(result, wanted, rtol=1e-4, atol=1e-2)
