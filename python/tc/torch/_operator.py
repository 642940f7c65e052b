# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operator of PyTorch, `torch.ops.tc.products(operands, terms, specialize="auto")`, with its rules.

All of them are closed: the gradients of terms are terms, which one call computes, and
those of a batch are terms with one index more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .._notation.terms import batched, gradients_of, needed_of, read, shapes_of, tangents_of
from ._kernels import compute, dtypes_of

_NAME = "tc::products"

torch.library.define(
    _NAME, "(Tensor[] operands, str terms, str specialize=\"auto\") -> Tensor[]"
)
_library = torch.library.Library("tc", "FRAGMENT")
for _key in ("Conjugate", "Negative"):
    # Operands that are lazily conjugated or negated are read so by the kernels: nothing is copied.
    _library.impl("products", torch.library.fallthrough_kernel, _key)

products = torch.ops.tc.products.default


def _constant(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of texts and flags, which torch.compile calls, and does not trace."""

    @torch.compiler.assume_constant_result
    def called(*arguments: Any) -> Any:
        return function(*arguments)

    return called


_needed = _constant(needed_of)
_planned = _constant(gradients_of)
_with_batch = _constant(batched)


@torch.library.impl(_NAME, ("cpu", "cuda"))
def _compute(
    operands: Sequence[torch.Tensor], terms: str, specialize: str = "auto"
) -> list[torch.Tensor]:
    return compute(terms, operands, specialize)


@torch.library.register_fake(_NAME)
def _fake(
    operands: Sequence[torch.Tensor], terms: str, specialize: str = "auto"
) -> list[torch.Tensor]:
    shapes = shapes_of(terms, [x.shape for x in operands])
    dtypes = dtypes_of(read(terms), operands)
    return [operands[0].new_empty(shape, dtype=dtype) for shape, dtype in zip(shapes, dtypes)]


def _spread(gradient: torch.Tensor, missing: Sequence[int], shape: Sequence[Any]) -> torch.Tensor:
    for axis in missing:
        gradient = gradient.unsqueeze(axis)
    return gradient.expand(shape) if missing else gradient


def _gradients(
    text: str,
    specialize: str,
    operands: Sequence[torch.Tensor | None],
    wanted: Sequence[bool],
    shapes: Sequence[Sequence[Any]],
    dtypes: Sequence[torch.dtype],
    gradients: Sequence[torch.Tensor | None],
) -> list[torch.Tensor | None]:
    """The gradients of operands, all products of which are computed together."""
    found, terms, used = _planned(text, tuple(wanted), tuple(x is not None for x in gradients))
    sums: list[torch.Tensor | None] = [None] * len(wanted)
    if not found:
        return sums
    # The conjugate of a product of conjugates: only the results' gradients are conjugated.
    everything = [*(x.conj() if x is not None else None for x in gradients), *operands]
    for each, part in zip(found, apply([everything[i] for i in used], terms, specialize)):
        number = each.operand
        part = part.conj()
        if part.is_complex() and not dtypes[number].is_complex:
            part = part.real
        part = _spread(part.to(dtypes[number]), each.missing, shapes[number])
        there = sums[number]
        sums[number] = part if there is None else there + part
    return sums


def _gradients_of(
    ctx: Any, wanted: Sequence[bool], gradients: Sequence[torch.Tensor | None]
) -> list[torch.Tensor | None]:
    """Those of the operands of which a context has kept what they need."""
    return _gradients(
        ctx.text, ctx.specialize, ctx.saved_tensors, wanted, ctx.shapes, ctx.dtypes, gradients
    )


def _set_context(ctx: Any, inputs: Any, output: Any) -> None:
    operands, ctx.text, ctx.specialize = inputs
    ctx.wanted = [x.requires_grad for x in operands]
    needed = _needed(ctx.text, tuple(ctx.wanted))
    ctx.save_for_backward(*(x if its else None for x, its in zip(operands, needed)))
    ctx.shapes = [x.shape for x in operands]
    ctx.dtypes = [x.dtype for x in operands]


def _backward(ctx: Any, gradients: Sequence[torch.Tensor | None]) -> Any:
    return _gradients_of(ctx, ctx.wanted, gradients), None, None


torch.library.register_autograd(_NAME, _backward, setup_context=_set_context)


@torch.library.register_vmap(_NAME)
def _vmap(
    info: Any,
    in_dims: Any,
    operands: Sequence[torch.Tensor],
    terms: str,
    specialize: str = "auto",
) -> Any:
    made, has = batched(terms, tuple(in_dims[0]))
    results = products(operands, made, specialize)
    return results, [0 if it_has else None for it_has in has]


class _Derivatives(torch.autograd.Function):
    """The operator with its derivatives of first order, for those who call it eagerly:
    PyTorch takes tangents only so."""

    @staticmethod
    def forward(
        ctx: Any, text: str, specialize: str, *operands: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        results = tuple(products(operands, text, specialize))
        _keep(ctx, (text, specialize, *operands), results)
        ctx.save_for_forward(*operands)
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> Any:
        return None, None, *_gradients_of(ctx, ctx.needs_input_grad[2:], gradients)

    @staticmethod
    def jvp(ctx: Any, _: None, __: None, *tangents: torch.Tensor | None) -> Any:
        results, terms, used = tangents_of(ctx.text, tuple(x is not None for x in tangents))
        sums: list[torch.Tensor | None] = [None] * len(read(ctx.text))
        everything = [*ctx.saved_tensors, *tangents]
        for number, part in zip(results, apply([everything[i] for i in used], terms, ctx.specialize)):
            there = sums[number]
            sums[number] = part if there is None else there + part
        return tuple(sums)


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    """Keeps what the gradients need."""
    ctx.text, ctx.specialize, *operands = inputs
    ctx.set_materialize_grads(False)
    needed = _needed(ctx.text, tuple(ctx.needs_input_grad[2:]))
    ctx.save_for_backward(*(x if its else None for x, its in zip(operands, needed)))
    ctx.shapes = [x.shape for x in operands]
    ctx.dtypes = [x.dtype for x in operands]


class _Transformed(torch.autograd.Function):
    """The same under `torch.func` in what `torch.compile` traces, which takes no `jvp`."""

    @staticmethod
    def forward(
        text: str, specialize: str, *operands: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        return tuple(products(operands, text, specialize))

    setup_context = staticmethod(_keep)
    backward = _Derivatives.backward

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, text: str, specialize: str, *operands: torch.Tensor
    ) -> Any:
        made, has = _with_batch(text, tuple(in_dims[2:]))
        results = tuple(apply(operands, made, specialize))
        return results, tuple(0 if it_has else None for it_has in has)


class _TransformedWithTangents(_Transformed):
    """The same for those who call it eagerly."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _keep(ctx, inputs, output)
        ctx.save_for_forward(*inputs[2:])

    jvp = _Derivatives.jvp


def _has_derivatives(operands: Sequence[torch.Tensor]) -> bool:
    """True if gradients or tangents may be asked for."""
    if torch.is_grad_enabled() and any(x.requires_grad for x in operands):
        return True
    # Levels of tangents are counted from zero.
    return torch.autograd.forward_ad._current_level >= 0


def apply(
    operands: Sequence[torch.Tensor], text: str, specialize: str
) -> Sequence[torch.Tensor]:
    """The results of terms, differentiably."""
    is_compiling = torch.compiler.is_compiling()
    if torch._C._are_functorch_transforms_active():
        way = _Transformed if is_compiling else _TransformedWithTangents
        return way.apply(text, specialize, *operands)
    if is_compiling or not _has_derivatives(operands):
        return products(operands, text, specialize)
    return _Derivatives.apply(text, specialize, *operands)
