# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tc.torch.patched() beside PyTorch's own einsum: the same dtypes, integers, views and errors."""

import pytest
import random_products

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import tc.torch  # noqa: E402
from tc.torch import _patched  # noqa: E402

# Distances of results: integers wrap around alike, and what is between three operands is not
# rounded here.
TOLERANCES = {
    "int8": 0,
    "uint8": 0,
    "int16": 0,
    "int32": 0,
    "int64": 0,
    "bool": 0,
    "float16": 2e-2,
    "bfloat16": 1e-1,
    "float32": 1e-5,
    "complex64": 1e-5,
    "complex128": 1e-13,
}


@pytest.fixture
def calls(monkeypatch):
    """The calls that PyTorch's own einsum does not get."""
    seen = []

    def einsum(*arguments):
        seen.append(arguments)
        return tc.torch.einsum(*arguments)

    monkeypatch.setattr(_patched, "einsum", einsum)
    return seen


def both(subscripts, *operands):
    """Result of PyTorch, or its error, and the result of the patched function."""
    theirs = torch.einsum

    def run():
        try:
            return torch.einsum(subscripts, *operands)
        except (RuntimeError, NotImplementedError) as error:
            return error

    wanted = run()
    with tc.torch.patched():
        assert torch.einsum is torch.functional.einsum is not theirs
        found = run()
    assert torch.einsum is torch.functional.einsum is theirs
    return found, wanted


def draw(dtype, shapes, seed):
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point or dtype.is_complex:
        return [torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]
    return [torch.randint(-99, 99, shape, generator=generator).to(dtype) for shape in shapes]


@pytest.mark.parametrize("name", TOLERANCES)
def test_random(name, calls):
    dtype = getattr(torch, name)
    for seed in range(40):
        subscripts, shapes = random_products.draw(200 + seed, 1 + seed % 4, largest=4)
        operands = draw(dtype, shapes, seed)
        found, wanted = both(subscripts, *operands)
        print(subscripts, shapes)
        if isinstance(wanted, Exception):
            assert type(found) is type(wanted)
            continue
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        if TOLERANCES[name] == 0:
            assert torch.equal(found, wanted)
        else:
            most = torch.einsum(subscripts, *(x.to(torch.complex128).abs() for x in operands))
            error = (found.to(torch.complex128) - wanted.to(torch.complex128)).abs()
            assert (error <= TOLERANCES[name] * most.abs() + 1e-30).all()
    # PyTorch's own does not do all of it.
    assert (len(calls) > 10) == (name != "bool")


@pytest.mark.parametrize(
    "dtype, subscripts, shapes, expected",
    [
        (torch.int8, "i->", [(2,)], torch.int64),
        (torch.int32, "ij,k->i", [(2, 3), (4,)], torch.int64),
        (torch.int32, "ij->i", [(2, 1)], torch.int64),
        (torch.uint8, "ij,jk->ik", [(2, 1), (3, 4)], torch.int64),
        (torch.int16, "ij,i->i", [(2, 1), (2,)], torch.int16),
        (torch.int8, "ij,jk->ik", [(2, 3), (3, 4)], torch.int8),
        (torch.int8, "iij,j->i", [(2, 2, 3), (3,)], torch.int8),
        (torch.int64, "ij,k->i", [(2, 3), (4,)], torch.int64),
    ],
)
def test_sums_of_integers(dtype, subscripts, shapes, expected):
    found, wanted = both(subscripts, *(torch.full(shape, 100).to(dtype) for shape in shapes))
    assert found.dtype == wanted.dtype == expected
    assert torch.equal(found, wanted)


def test_autocast(calls):
    a, b = torch.randn(4, 4), torch.randn(4, 4).bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        for subscripts, operands in [
            ("ij,jk->ik", (a, a)),
            ("ij,jk->ik", (a, b)),
            ("ij,ij->ij", (a, a)),
            ("ij,ij->ij", (a, b)),
            ("ij,kl->i", (a, a)),
            ("ij->i", (a,)),
            ("ij,jk,kl->il", (a, a, b)),
            ("ij,jk,ik->ik", (a, a, a)),
        ]:
            found, wanted = both(subscripts, *operands)
            assert found.dtype == wanted.dtype
            torch.testing.assert_close(found, wanted, rtol=5e-2, atol=5e-2)
    assert len(calls) == 2


def test_mixed_dtypes():
    a, b = torch.randn(3, 3), torch.randn(3, 3, dtype=torch.float64)
    found, wanted = both("ij,ij->ij", a, b)
    assert torch.equal(found, wanted) and found.dtype == torch.float64
    found, wanted = both("ij,jk->ik", a, b)
    assert isinstance(wanted, RuntimeError) and str(found) == str(wanted)


def test_views():
    a = torch.randn(3, 3)
    with tc.torch.patched():
        torch.einsum("ii->i", a).zero_()
        torch.einsum("ij->ji", a)[0] = 7
    assert (a.diagonal()[1:] == 0).all() and (a[:, 0] == 7).all()


def test_errors():
    """They are PyTorch's own."""
    a = torch.ones(2, 3)
    for subscripts, operands in [
        ("ij,jk->ik", (a, a)),
        ("ij,jk->il", (a, a.T)),
        ("ii", (a,)),
        ("ijk", (a,)),
        ("ij,jk->ik", (a > 0, a.T > 0)),
    ]:
        found, wanted = both(subscripts, *operands)
        assert type(found) is type(wanted) and str(found) == str(wanted)
    with tc.torch.patched():
        with pytest.raises(ValueError, match="must specify the equation string"):
            torch.einsum("ij")


class Logged(torch.Tensor):
    """A subclass that sees the functions that are called with it."""

    seen: list = []

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.seen.append(function)
        return super().__torch_function__(function, types, args, kwargs or {})


def test_subclasses():
    a = torch.ones(3, 3).as_subclass(Logged)
    found, wanted = both("ij,jk->ik", a, a)
    assert type(found) is type(wanted) is Logged and torch.equal(found, wanted)
    # They know PyTorch's function, not what takes its place.
    assert Logged.seen.count(torch.einsum) == 2


def test_compiled(calls):
    a = torch.arange(6, dtype=torch.int32).reshape(2, 3)
    b = torch.randn(3, 3, requires_grad=True)

    @torch.compile(backend="aot_eager", fullgraph=True)
    def function(a, b):
        return torch.einsum("ij->", a), torch.einsum("ij,jk->ik", b, b)

    with tc.torch.patched():
        total, product = function(a, b)
    assert total == 15 and total.dtype == torch.int64
    torch.testing.assert_close(product, b @ b)
    product.sum().backward()
    assert b.grad is not None
