# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of tc.torch.einsum, and what PyTorch does with its operator."""

import pytest
import random_products

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import tc.torch  # noqa: E402
from tc.torch import einsum  # noqa: E402

f64, c128 = torch.float64, torch.complex128


def draw(*shape, dtype=f64, seed=0, grad=False):
    generator = torch.Generator().manual_seed(seed + len(shape))
    return torch.randn(shape, dtype=dtype, generator=generator).requires_grad_(grad)


def close(found, wanted, tolerance=1e-12):
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    assert (found - wanted).abs().max() <= tolerance * max(1, wanted.abs().max())


def expressions(count, operands, **options):
    for seed in range(count):
        subscripts, shapes = random_products.draw(seed, operands, **options)
        yield pytest.param(subscripts, shapes, id=f"{seed}:{subscripts}")


@pytest.mark.parametrize(
    "subscripts, shapes",
    [each for n in (1, 2, 3, 4) for each in expressions(10, n, largest=11)],
)
@pytest.mark.parametrize("dtype", [f64, c128], ids=["real", "complex"])
def test_as_torch(subscripts, shapes, dtype):
    mine = [draw(*shape, dtype=dtype, seed=i, grad=True) for i, shape in enumerate(shapes)]
    theirs = [x.detach().clone().requires_grad_() for x in mine]
    # Every other operand is lazily conjugated.
    found = einsum(subscripts, *(x.conj() if i % 2 else x for i, x in enumerate(mine)))
    wanted = torch.einsum(subscripts, *(x.conj() if i % 2 else x for i, x in enumerate(theirs)))
    close(found, wanted)
    weights = draw(*wanted.shape, dtype=dtype, seed=9)
    found_grads = torch.autograd.grad(found, mine, weights)
    wanted_grads = torch.autograd.grad(wanted, theirs, weights)
    for a, b in zip(found_grads, wanted_grads):
        close(a, b)


@pytest.mark.parametrize(
    "subscripts, shapes", [each for n in (2, 3) for each in expressions(6, n, largest=4)]
)
@pytest.mark.parametrize("dtype", [f64, c128], ids=["real", "complex"])
def test_gradcheck(subscripts, shapes, dtype):
    operands = [draw(*shape, dtype=dtype, seed=i, grad=True) for i, shape in enumerate(shapes)]

    def function(*operands):
        return einsum(subscripts, *operands)

    assert torch.autograd.gradcheck(function, operands, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, operands)


def test_real_and_complex():
    a, b = draw(4, 5, grad=True), draw(5, 3, dtype=c128, grad=True)
    assert torch.autograd.gradcheck(lambda a, b: einsum("ij,jk->ki", a, b), (a, b))
    # The gradient of what is real is real.
    einsum("ij,jk->", a, b).abs().backward()
    assert a.grad.dtype == f64 and b.grad.dtype == c128


def test_gradients_are_one_program(monkeypatch):
    from tc.torch import _kernels

    calls = []
    compute = _kernels._run_program

    def counted(terms, *others):
        calls.append(len(terms))
        return compute(terms, *others)

    monkeypatch.setattr(_kernels, "_run_program", counted)
    operands = [draw(6, 6, seed=i, grad=True) for i in range(5)]
    einsum("ab,bc,cd,de,ea->", *operands).backward()
    assert calls == [1, 5]


def test_what_no_gradient_needs_is_not_kept():
    a, b = draw(4, 4, grad=True), draw(4, 4)
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: saved.append(x) or x, lambda x: x):
        einsum("ij,jk->ik", a, b)
    assert [x.data_ptr() for x in saved] == [b.data_ptr()]


@pytest.mark.parametrize(
    "shapes, terms",
    [
        ([(4, 5)], "0ab->b;0ab->ba"),
        ([(4, 5), (5, 6)], "0ab,1bc->ac"),
        ([(4, 5), (4, 6), (6,)], "0ab,1ac->bc;1ac,2c->;0ab,1ac,2c->b"),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64], ids=["real", "complex"])
def test_opcheck(shapes, terms, dtype):
    operands = [draw(*shape, dtype=dtype, grad=True) for shape in shapes]
    results = torch.library.opcheck(torch.ops.tc.products.default, (operands, terms))
    assert set(results.values()) == {"SUCCESS"}


@pytest.mark.parametrize("where", [(0, None), (1, 0), (2, 1), (None, 1)])
def test_vmap(where):
    operands = [
        draw(*(shape if at is None else (*shape[:at], 3, *shape[at:])), seed=seed)
        for seed, (shape, at) in enumerate(zip([(4, 5), (5, 6)], where))
    ]
    for transform in (lambda f: f, torch.func.grad, torch.func.jacfwd):
        found, wanted = (
            torch.func.vmap(
                transform(lambda a, b, each=each: each("ij,jk,ij->", a, b, a)), where
            )(*operands)
            for each in (einsum, torch.einsum)
        )
        close(found, wanted)


def test_batches_in_batches():
    a, b = draw(2, 3, 4, 5), draw(7, 5, 6)
    found, wanted = (
        torch.func.vmap(
            torch.func.vmap(
                torch.func.vmap(lambda a, b, each=each: each("ij,jk->ki", a, b), (0, None)),
                (0, None),
            ),
            (None, 0),
        )(a, b)
        for each in (einsum, torch.einsum)
    )
    close(found, wanted)


def test_func():
    a = draw(4, 5)

    def quartic(einsum):
        return lambda a: einsum("ij,kj,kl,il->", a, a, a, a)

    for transform in (torch.func.jacrev, torch.func.jacfwd, torch.func.hessian):
        close(transform(quartic(einsum))(a), transform(quartic(torch.einsum))(a))
    (_, mine), (_, theirs) = (
        torch.func.jvp(quartic(each), (a,), (draw(4, 5, seed=3),))
        for each in (einsum, torch.einsum)
    )
    close(mine, theirs)


@pytest.mark.parametrize("dtype", [f64, c128], ids=["real", "complex"])
def test_compile(dtype):
    a, b, c = (
        draw(*shape, dtype=dtype, grad=True) for shape in [(4, 5), (5, 6), (6, 4)]
    )

    def function(a, b, c):
        return einsum("ij,jk,kl->il", a * 2, b, c.conj()).abs().sum()

    mine = torch.compile(function, fullgraph=True)(a, b, c)
    close(mine, function(a, b, c))
    found = torch.autograd.grad(mine, (a, b, c))
    for x, y in zip(found, torch.autograd.grad(function(a, b, c), (a, b, c))):
        close(x, y)


def test_compile_transforms_and_shapes():
    def function(a, b):
        return torch.func.grad(lambda a: einsum("ij,jk->", a, b))(a)

    compiled = torch.compile(function, fullgraph=True, dynamic=True)
    for rows in (4, 5, 9):
        a, b = draw(rows, 5), draw(5, 6)
        close(compiled(a, b), function(a, b))


def test_export():
    class Layer(torch.nn.Module):
        def forward(self, a, b):
            return einsum("...j,jk->...k", a, b)

    sizes = {0: torch.export.Dim.AUTO}
    exported = torch.export.export(
        Layer(), (draw(3, 4, 5), draw(5, 6)), dynamic_shapes=(sizes, None)
    )
    assert "torch.ops.tc.products.default" in str(exported)
    a, b = draw(8, 4, 5), draw(5, 6, seed=2)
    close(exported.module()(a, b), torch.einsum("...j,jk->...k", a, b))


def test_autocast():
    a, b = draw(8, 5, dtype=torch.float32, grad=True), draw(5, 6, dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        result = einsum("ij,jk->ik", a, b)
        assert result.dtype == torch.bfloat16 == torch.einsum("ij,jk->ik", a, b).dtype
        assert einsum("ij,jk->ik", a.double(), b.double()).dtype == f64
    result.sum().backward()
    assert a.grad.dtype == torch.float32


def test_fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        result = einsum("ij,jk->ik", torch.empty(3, 4, device="cuda"), torch.empty(4, 5, device="cuda"))
        assert result.shape == (3, 5) and result.device.type == "cuda"
    assert einsum("ij,jk->ik", torch.empty(3, 4, device="meta"), torch.empty(4, 5, device="meta")).is_meta


def test_module():
    assert tc.torch.__all__ == ["einsum", "is_supported", "patched"]
    assert tc.torch is not torch
