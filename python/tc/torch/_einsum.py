# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of tensors, as views of them that the operator takes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .._contraction.specialize import check_word
from .._einsum.arguments import check_flags
from .._notation.terms import Form, check_extents, form_of, spell_sublists, term_of
from ._kernels import DTYPES, common_dtype
from ._operator import apply

# Integers that are multiplied as wider ones, of which the result keeps the low bits.
_WIDENED = {torch.int16, torch.uint8}
# Kernels multiply complex numbers and real ones of their parts' dtype.
_PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}


@torch.compiler.assume_constant_result
def _form_of(subscripts: str, ranks: Sequence[int]) -> Form:
    return form_of(subscripts, tuple(ranks), sums_ellipsis=True)


def read_arguments(arguments: Sequence[Any]) -> tuple[str, Sequence[torch.Tensor]]:
    """Subscripts and operands, in whichever form they are given."""
    if not arguments:
        raise ValueError("there are neither subscripts nor operands")
    subscripts: Any
    operands: Any
    if isinstance(arguments[0], torch.Tensor):
        subscripts, operands = spell_sublists(arguments)
    else:
        subscripts, *operands = arguments
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = operands[0]
    if not isinstance(subscripts, str):
        raise TypeError("subscripts are no text, as in 'ij,jk->ik'")
    if not operands:
        raise ValueError("there is no operand")
    return subscripts, operands


def why_not(operands: Sequence[Any]) -> Exception | None:
    """Exception if these cannot be contracted; None if they can."""
    device: Any = getattr(operands[0], "device", None)
    for number, operand in enumerate(operands):
        if not isinstance(operand, torch.Tensor):
            return TypeError(f"operand {number} is no tensor")
        if operand.layout != torch.strided:
            return TypeError(f"operand {number} has layout {operand.layout}, not torch.strided")
        if operand.dtype not in DTYPES and operand.dtype not in _WIDENED:
            return TypeError(f"operand {number} has dtype {operand.dtype}, which is not supported")
        if operand.device != device:
            return ValueError(f"operand {number} lies on {operand.device}, but operand 0 on {device}")
    if device.type not in ("cpu", "cuda", "meta"):
        return ValueError(f"the operands lie on {device}, which is neither a CPU nor CUDA's")
    return None


def is_supported(*arguments: Any) -> bool:
    """True if `einsum` takes operands of these kinds: tensors of one CPU or CUDA device, of a dtype
    that can be contracted. Nothing is said of the subscripts."""
    return why_not(read_arguments(arguments)[1]) is None


def cast(operands: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
    """Operands converted by autocast: as those of a matrix product, floats of at most 32 bits have
    its dtype."""
    kind = operands[0].device.type
    if kind == "meta" or not torch.is_autocast_enabled(kind):
        return operands
    dtype = torch.get_autocast_dtype(kind)
    return [
        x.to(dtype) if x.is_floating_point() and x.dtype != torch.float64 else x for x in operands
    ]


def _fits(dtype: torch.dtype, common: torch.dtype) -> bool:
    """True if kernels for that common dtype read these elements as they are."""
    if common.is_complex:
        return dtype in (common, _PARTS.get(common))
    return dtype.is_floating_point == common.is_floating_point and dtype in DTYPES


def diagonals_of(
    subscripts: str, shapes: Sequence[Sequence[Any]]
) -> tuple[Form, list[list[Any]]]:
    """Form of the subscripts for operands of these shapes, and the shapes of the rest of these when
    repeated indices have become diagonals."""
    form = _form_of(subscripts, [len(shape) for shape in shapes])
    check_extents(form, shapes)
    left = []
    for extents, pairs in zip(shapes, form.diagonals):
        shape = list(extents)
        for first, second in pairs:
            shape.append(shape[first])
            del shape[second], shape[first]
        left.append(shape)
    return form, left


class _Plan(NamedTuple):
    """Plan of a call: the term, the dtype of the result, and for each operand the pairs of axes
    that become diagonals, the dtype to which it is converted, and the axes that are removed then;
    no views if the operands are taken as they are."""

    terms: str
    dtype: torch.dtype
    views: tuple[tuple[Any, torch.dtype | None, tuple[int, ...]], ...] | None


def _find_plan(
    subscripts: str, shapes: Sequence[Sequence[Any]], dtypes: Sequence[torch.dtype]
) -> _Plan:
    form, left = diagonals_of(subscripts, shapes)
    dtype = common_dtype(dtypes)
    inner = torch.int32 if dtype in _WIDENED else dtype
    terms, removed = term_of(form, left)
    views = tuple(
        (pairs, None if _fits(its, inner) else inner, axes)
        for pairs, its, axes in zip(form.diagonals, dtypes, removed)
    )
    is_plain = all(not pairs and to is None and not axes for pairs, to, axes in views)
    return _Plan(terms, dtype, None if is_plain else views)


_find_plan_again = functools.lru_cache(maxsize=4096)(_find_plan)


def _view(
    operand: torch.Tensor,
    pairs: Sequence[tuple[int, int]],
    dtype: torch.dtype | None,
    axes: tuple[int, ...],
) -> torch.Tensor:
    for first, second in pairs:
        operand = operand.diagonal(0, first, second)
    if dtype is not None:
        operand = operand.to(dtype)
    return operand.squeeze(axes) if axes else operand


def _round(result: torch.Tensor, dtype: torch.dtype, saturate: bool) -> torch.Tensor:
    """A result as an 8-bit float, which saturates or not, whatever PyTorch's cast does."""
    most = torch.finfo(dtype).max
    if saturate:
        return result.clamp(-most, most).to(dtype)
    # Half a step beyond the largest number is a tie, which goes to the even one.
    is_even, step = (True, 32) if dtype == torch.float8_e4m3fn else (False, 8192)
    tie = most + step / 2
    is_beyond = result.abs() > tie if is_even else result.abs() >= tie
    beyond = float("nan") if dtype == torch.float8_e4m3fn else float("inf")
    return torch.where(is_beyond, torch.full_like(result, beyond).copysign(result), result).to(dtype)


def einsum(
    *arguments: Any, specialize: str = "auto", saturate: bool | None = None
) -> torch.Tensor:
    """Sums products of the operands' elements, as `torch.einsum` does:

        einsum("bij,bjk->bik", a, b)
        einsum("bij,bjk->bik", [a, b])
        einsum(a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3])

    Dimensions that an ellipsis stands for, and that an explicit result lacks, are
    summed over. Operands may be any views, lazily conjugated ones too. Where
    dtypes differ, the result has the one that PyTorch promotes them to.

    All lie on one CPU or CUDA device, where work is queued on the current stream.
    The order of more than two operands is the one that is predicted to take the
    least time. Under autocast, operands are cast as those of `torch.matmul`.

    On a CPU, products and their derivatives run at once, by ahead-of-time kernels.
    `specialize` says when code is made for them, as that of `tc.einsum` does: "auto" in the
    background once calls have taken as long as that will take about, "never", or "always"
    before the first call.

    A result beyond the range of an 8-bit float becomes what PyTorch's cast makes it, which
    depends on the dtype. With `saturate`, it is the largest number of its sign, and without,
    if it is False, infinite or, of float8_e4m3fn, which has no infinities, NaN.

    Raises ValueError for subscripts, extents and devices that do not fit, and TypeError
    for dtypes and layouts that are not supported.
    """
    check_word(specialize)
    if saturate is not None:
        check_flags(saturate=saturate)
    subscripts, operands = read_arguments(arguments)
    error = why_not(operands)
    if error is not None:
        raise error
    operands = cast(operands)
    find = _find_plan if torch.compiler.is_compiling() else _find_plan_again
    plan = find(subscripts, tuple(x.shape for x in operands), tuple(x.dtype for x in operands))
    dtype = plan.dtype
    is_float8 = dtype in (torch.float8_e4m3fn, torch.float8_e5m2)
    if is_float8 and saturate is not None:
        # Rounded here, and not by the kernels.
        wide = [x.float() for x in operands]
        return _round(einsum(subscripts, *wide, specialize=specialize), dtype, saturate)
    if plan.views is not None:
        operands = [_view(x, *view) for x, view in zip(operands, plan.views)]
    (result,) = apply(operands, plan.terms, specialize)
    return result if result.dtype == dtype else result.to(dtype)
