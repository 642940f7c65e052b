# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tc.torch.einsum runs before it is compiled: with derivatives, in batches and under
torch.compile."""

import os
import subprocess
import sys
import textwrap

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import tc.torch  # noqa: E402
from tc.torch import _kernels  # noqa: E402

LOADS = """
import torch
import tc.torch

def say(what):
    # Calls that compile load the compiler.
    print(what, "libtc_compiler" in open("/proc/self/maps").read())

def einsum(*arguments):
    return tc.torch.einsum(*arguments, **options)

def draw(*shape, dtype=torch.float64):
    return torch.randn(shape, dtype=dtype, requires_grad=True)

options = {}
for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2,
              torch.complex64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
    x, y, z = torch.ones(3, 4).to(dtype), torch.ones(4, 5).to(dtype), torch.ones(5, 2).to(dtype)
    assert (einsum("ij,jk->ki", x, y).to(torch.float32) == 4).all()
    assert (einsum("ij,jk,kl->il", x, y, z).to(torch.float32) == 20).all()
    assert (einsum("ij->j", x).to(torch.float32) == 3).all()
say("forward")
a, b, c, d = draw(4, 5), draw(5, 6), draw(6, 7), draw(7, 3)
einsum("ij,jk->ik", a, b).sum().backward()
einsum("ij,jk->ik", a, b.T.contiguous().T).sum().backward()
einsum("ij,jk,kl,lm->im", a, b, c, d).square().sum().backward()
say("backward")
gradients = torch.autograd.grad(
    einsum("ij,jk,kl->il", a, b, c).square().sum(), (a, b, c), create_graph=True)
sum(x.square().sum() for x in gradients).backward()
say("double backward")
batch = torch.randn(3, 4, 5, dtype=torch.float64)
torch.func.vmap(lambda x: einsum("ij,jk,kl->il", x, b, c))(batch)
torch.func.vmap(torch.func.grad(lambda x: einsum("ij,jk,kl->", x, b, c)))(batch)
torch.func.jvp(lambda x: einsum("ij,jk,kl->il", x, b, c), (a,), (a,))
say("func")
compiled = torch.compile(lambda x: einsum("ij,jk,kl->il", x, b, c), backend="aot_eager", fullgraph=True)
compiled(a).sum().backward()
say("compile")
x, y = torch.randn(2, 4, 5, dtype=torch.complex128)
einsum("ij,kj->ik", x.conj(), y)
einsum("ij,kj->ik", x.conj().imag, y.real)
say("views")
options = {"specialize": "never"}
for _ in range(300):
    einsum("ij,jk,kl->il", *torch.ones(3, 60, 60, dtype=torch.float64))
say("never")
options = {"specialize": "always"}
einsum("ij,jk->ik", a, b)
say("always")
"""


def test_nothing_is_compiled_for_a_first_call():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LOADS)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=dict(os.environ, TC_CACHE="off"),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *first, last = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    assert len(first) == 7
    for what, is_loaded in first:
        assert is_loaded == "False", what
    assert last == ["always", "True"]


@pytest.fixture
def words(monkeypatch):
    """Words by which kernels are asked for."""
    seen = set()
    pair, terms = _kernels._compile_pair, _kernels._host_terms

    def seeing_pair(*arguments):
        seen.add(arguments[-1])
        return pair(*arguments)

    def seeing_terms(*arguments):
        seen.add(arguments[-1])
        return terms(*arguments)

    monkeypatch.setattr(_kernels, "_compile_pair", seeing_pair)
    monkeypatch.setattr(_kernels, "_host_terms", seeing_terms)
    return seen


@pytest.mark.parametrize("specialize", ["auto", "never", "always"])
@pytest.mark.parametrize("count", [2, 3])
def test_derivatives_have_the_option(specialize, count, words):
    subscripts, every = [("ij,jk->ik", "ij,jk,kl->il")[count - 2], (4, 5, 6, 7)]
    shapes = [every[i : i + 2] for i in range(count)]
    operands = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]

    def einsum(*x):
        return tc.torch.einsum(subscripts, *x, specialize=specialize)

    def theirs(*x):
        return torch.einsum(subscripts, *x)

    def differentiate(function):
        first = torch.autograd.grad(function(*operands).square().sum(), operands, create_graph=True)
        second = torch.autograd.grad(sum(x.square().sum() for x in first), operands)
        tangent = torch.func.jvp(function, tuple(operands), tuple(operands))[1]
        batch = torch.func.vmap(
            torch.func.grad(lambda a: function(a, *operands[1:]).square().sum())
        )(torch.stack([operands[0].detach()] * 2))
        plain = function(*(x.detach() for x in operands))
        graph = torch.compile(function, backend="aot_eager", fullgraph=True)
        traced = torch.autograd.grad(graph(*operands).square().sum(), operands)
        return *first, *second, tangent, batch, plain, *traced

    for found, wanted in zip(differentiate(einsum), differentiate(theirs)):
        torch.testing.assert_close(found, wanted)
    assert words == {specialize}


def test_a_word_that_is_none_of_these():
    a = torch.ones(2, 2)
    for word in ("often", None):
        with pytest.raises(ValueError, match="is none of always, never and auto"):
            tc.torch.einsum("ij,jk", a, a, specialize=word)


def test_graphs_without_the_option():
    """As those that were exported before there was one."""
    a = torch.ones(2, 3)
    (found,) = torch.ops.tc.products([a, a.T], "0ab,1bc->ac")
    assert (found == 3).all()


def test_batches_of_the_operator_have_the_option(words):
    def function(x):
        return torch.ops.tc.products([x, x], "0ab,1cb->ac", "never")

    a = torch.ones(2, 3, 4)
    (found,) = torch.vmap(function)(a)
    assert (found == 4).all() and found.shape == (2, 3, 3)
    assert words == {"never"}
