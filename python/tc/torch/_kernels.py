# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms (tc._notation.terms) computed on tensors of PyTorch, where they lie."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from .._arrays.layout import Layout
from .._contraction.pair import compile_pair, first_two
from .._contraction.specialize import in_effect
from .._device.arrays import gather
from .._einsum.cache import CACHE_ENTRIES
from .._einsum.call import Options
from .._einsum.device_pairs import Caller, target_of
from .._notation.letters import name_of
from .._notation.subscripts import Subscripts
from .._notation.terms import Term, extents_of, read, selected, write
from .._programs.compiled import compile_program
from .._programs.host_terms import HostTerms
from .._programs.statements import program_of

# By dtype: the package's name of it, and the compiler's.
DTYPES = {
    torch.float64: ("float64", "f64"),
    torch.float32: ("float32", "f32"),
    torch.float16: ("float16", "f16"),
    torch.bfloat16: ("bfloat16", "bf16"),
    torch.float8_e4m3fn: ("float8_e4m3fn", "f8e4m3fn"),
    torch.float8_e5m2: ("float8_e5m2", "f8e5m2"),
    torch.complex128: ("complex128", "c64"),
    torch.complex64: ("complex64", "c32"),
    torch.int64: ("int64", "i64"),
    torch.int32: ("int32", "i32"),
    torch.int8: ("int8", "i8"),
}
# Dtypes of which NumPy has none, as those of which it has.
_BITS = {
    torch.bfloat16: torch.int16,
    torch.float8_e4m3fn: torch.uint8,
    torch.float8_e5m2: torch.uint8,
}
# Results between products are not rounded: they have the dtype of sums.
_SUMS = {
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
    torch.float8_e4m3fn: torch.float32,
    torch.float8_e5m2: torch.float32,
    torch.int8: torch.int32,
}


def common_dtype(dtypes: Sequence[torch.dtype]) -> torch.dtype:
    """Dtype to which PyTorch promotes dtypes; of 8-bit floats with others float32, or what these
    others are together."""
    common = dtypes[0]
    for dtype in dtypes[1:]:
        if dtype == common:
            continue
        if common.is_floating_point and common.itemsize == 1:
            common = torch.float32
        if dtype.is_floating_point and dtype.itemsize == 1:
            dtype = torch.float32
        common = torch.promote_types(common, dtype)
    return common


@functools.lru_cache(maxsize=None)
def saturates(dtype: torch.dtype) -> bool:
    """True if PyTorch's cast makes numbers beyond the range of an 8-bit float its largest one,
    which depends on the dtype and on PyTorch's version."""
    if dtype not in (torch.float8_e4m3fn, torch.float8_e5m2):
        return True
    beyond = torch.full((), 2 * torch.finfo(dtype).max, dtype=torch.float32, device="cpu")
    return bool(beyond.to(dtype).float().isfinite())


def dtypes_of(terms: Sequence[Term], operands: Sequence[torch.Tensor]) -> list[torch.dtype]:
    """The dtype of each term's result."""
    first = operands[0].dtype
    if all(operand.dtype == first for operand in operands):
        return [first] * len(terms)
    return [common_dtype([operands[i].dtype for i, _ in term.factors]) for term in terms]


class _Plain(NamedTuple):
    """A tensor as its memory has it, and what is done to its elements when they are read."""

    tensor: torch.Tensor
    is_conjugate: bool
    is_negative: bool

    @classmethod
    def of(cls, tensor: torch.Tensor) -> _Plain:
        is_conjugate = tensor.is_conj()
        if is_conjugate:
            tensor = tensor.conj()
        is_negative = tensor.is_neg()
        if is_negative:
            tensor = torch._neg_view(tensor)
        return cls(tensor.detach(), is_conjugate, is_negative)

    @property
    def array(self) -> np.ndarray:
        return _array_of(self.tensor)

    @property
    def layout(self) -> tuple[Any, ...]:
        return tuple(self.tensor.shape), self.tensor.stride(), self.tensor.dtype


def _array_of(tensor: torch.Tensor) -> np.ndarray:
    """An array at the same addresses, whose elements have the same size."""
    bits = _BITS.get(tensor.dtype)
    return (tensor if bits is None else tensor.view(bits)).numpy()


def _subscripts_of(term: Term) -> Subscripts:
    return Subscripts(
        tuple(tuple(map(name_of, labels)) for _, labels in term.factors),
        tuple(map(name_of, term.result)),
    )


def _conjugated(plain: Sequence[_Plain]) -> tuple[bool, bool]:
    first, second = (*(each.is_conjugate for each in plain), False)[:2]
    return first, second


@functools.lru_cache(maxsize=CACHE_ENTRIES)
def _compile_pair(term, layouts, dtype, conjugated, is_negative, threads, specialize):
    """Code for one operand or two of the host's."""
    made = []
    for shape, strides, its in layouts:
        steps = tuple(stride * its.itemsize for stride in strides)
        made.append(Layout(shape, steps, DTYPES[its][0], its.itemsize))
    options = {
        "target": "cpu",
        "threads": str(threads),
        "specialize": in_effect(specialize),
        "alpha": "-1" if is_negative else "",
        "beta": "",
        **dict(Options(conjugated=conjugated).fused),
        "saturate": "true" if saturates(dtype) else "false",
    }
    a, b = first_two(made)
    native, layout = compile_pair(
        _subscripts_of(term), a, b, None, options, {}, DTYPES[dtype][0]
    )
    return native.run, layout.shape


def _contract_pair(
    term: Term, operands: Sequence[torch.Tensor], dtype: torch.dtype, specialize: str
) -> torch.Tensor:
    """A term of one factor or two, of which nothing is copied."""
    plain = [_Plain.of(operands[number]) for number, _ in term.factors]
    is_negative = sum(each.is_negative for each in plain) == 1
    if operands[0].device.type == "cuda":
        return contract_on_device(
            term,
            [each.tensor for each in plain],
            DTYPES[dtype][0],
            Options(conjugated=_conjugated(plain), saturate=saturates(dtype)),
            is_negative,
        )
    run, shape = _compile_pair(
        Term(tuple((i, labels) for i, (_, labels) in enumerate(term.factors)), term.result),
        tuple(each.layout for each in plain),
        dtype,
        _conjugated(plain),
        is_negative,
        torch.get_num_threads(),
        specialize,
    )
    # Not on the default device, which may be another one.
    result = torch.empty(shape, dtype=dtype, device="cpu")
    a, b = first_two([each.array for each in plain])
    run(a, b, _array_of(result), None, None, None)
    return result


def contract_on_device(
    term: Term,
    arrays: Sequence[Any],
    dtype: str,
    options: Options,
    is_negative: bool,
) -> Any:
    """A term of one factor or two, of arrays on a CUDA device, of PyTorch's or another
    library's, queued on its current stream."""
    caller = Caller(arrays, None, None, None, None, False)
    a, b = first_two(caller.operands)
    factor = -1 if is_negative else None
    caller.contract(_subscripts_of(term), a, b, factor, None, options, True, dtype)
    return caller.made


@functools.lru_cache(maxsize=CACHE_ENTRIES)
def _is_elsewhere(terms: tuple[Term, ...], number: int, axis: int) -> bool:
    """True if other factors have the index of an operand's axis, too, in all terms."""
    return all(
        any(labels[axis] in theirs for other, theirs in term.factors if other != number)
        for term in terms
        for its, labels in term.factors
        if its == number
    )


def _without_repeats(
    terms: tuple[Term, ...], number: int, operand: torch.Tensor
) -> tuple[tuple[Term, ...], torch.Tensor]:
    """Takes one of elements that repeat along an axis, as in what is expanded, where
    other factors have the index, too."""
    for axis in reversed(range(operand.dim())):
        if (
            operand.stride(axis) == 0
            and operand.shape[axis] != 1
            and _is_elsewhere(terms, number, axis)
        ):
            axes = tuple(i for i in range(operand.dim()) if i != axis)
            terms = _with_axes(terms, ((number, axes),))
            operand = operand.select(axis, 0)
    return terms, operand


@functools.lru_cache(maxsize=CACHE_ENTRIES)
def _with_axes(
    terms: tuple[Term, ...], axes: tuple[tuple[int, tuple[int, ...]], ...]
) -> tuple[Term, ...]:
    """The terms for operands that have only these of their axes, in this order."""
    chosen = dict(axes)
    return tuple(
        Term(
            tuple(
                (
                    number,
                    "".join(labels[axis] for axis in chosen[number])
                    if number in chosen
                    else labels,
                )
                for number, labels in term.factors
            ),
            term.result,
        )
        for term in terms
    )


def _in_order(
    terms: tuple[Term, ...], operands: Sequence[torch.Tensor], dtype: torch.dtype
) -> tuple[tuple[Term, ...], list[torch.Tensor]]:
    """Puts axes of operands into the order in which they lie in memory, and makes what is
    not contiguous then, or of another dtype, or lazily conjugated, so."""
    turned, made = [], []
    for number, operand in enumerate(operands):
        if not operand.is_contiguous():
            terms, operand = _without_repeats(terms, number, operand)
            strides = operand.stride()
            order = tuple(sorted(range(operand.dim()), key=lambda axis: -strides[axis]))
            permuted = operand.permute(order)
            if permuted.is_contiguous():
                turned.append((number, order))
                operand = permuted
            else:
                operand = operand.contiguous()
        made.append(operand.to(dtype).resolve_conj().resolve_neg().detach())
    return _with_axes(terms, tuple(turned)) if turned else terms, made


@functools.lru_cache(maxsize=CACHE_ENTRIES)
def _host_terms(terms, shapes, dtype, threads, specialize):
    return HostTerms(terms, shapes, DTYPES[dtype][1], threads, specialize)


@functools.lru_cache(maxsize=CACHE_ENTRIES)
def _compile_device_program(
    terms: tuple[Term, ...], shapes: tuple[tuple[int, ...], ...], element_type: str, target: str
) -> Any:
    text = program_of(terms, extents_of(terms, shapes), element_type)
    return compile_program(text, target=target)


def run_on_device(
    terms: tuple[Term, ...], arrays: Sequence[Any], element_type: str
) -> list[Any]:
    """All terms as one program on a CUDA device, of contiguous arrays of PyTorch or another
    library, queued on its current stream."""
    used = {number for term in terms for number, _ in term.factors}
    named = {f"X{number}": arrays[number] for number in sorted(used)}
    shapes = tuple(tuple(x.shape) for x in arrays)
    target = target_of(gather(named, None))
    program = _compile_device_program(terms, shapes, element_type, target)
    found = program.launch(named)
    return [found] if len(terms) == 1 else [found[f"R{i}"] for i in range(len(terms))]


def _run_program(
    terms: tuple[Term, ...],
    operands: Sequence[torch.Tensor],
    dtypes: Sequence[torch.dtype],
    specialize: str,
) -> list[torch.Tensor]:
    """All terms as one program, which computes once what they share."""
    dtype = common_dtype([x.dtype for x in operands])
    dtype = _SUMS.get(dtype, dtype)
    terms, chosen = _in_order(terms, operands, dtype)
    if chosen[0].device.type == "cuda":
        found = run_on_device(terms, chosen, DTYPES[dtype][1])
    else:
        together = _host_terms(
            terms, tuple(x.shape for x in chosen), dtype, torch.get_num_threads(), specialize
        )
        found = [torch.empty(shape, dtype=dtype, device="cpu") for shape in together.shapes]
        together.run([x.numpy() for x in chosen], [x.numpy() for x in found])
    return [
        result if result.dtype == its else result.to(its)
        for result, its in zip(found, dtypes)
    ]


def _zeros(term: Term, operands: Sequence[torch.Tensor], dtype: torch.dtype) -> torch.Tensor:
    extents = extents_of([term], [x.shape for x in operands])
    shape = [extents[label] for label in term.result]
    return operands[0].new_zeros(shape, dtype=dtype)


def compute(
    text: str, operands: Sequence[torch.Tensor], specialize: str
) -> list[torch.Tensor]:
    """The results of terms, which are new."""
    terms = read(text)
    dtypes = dtypes_of(terms, operands)
    if all(operand.numel() for operand in operands):
        # Of pairs, nothing is shared but their operands.
        if all(len(term.factors) <= 2 for term in terms):
            return [
                _contract_pair(term, operands, dtype, specialize)
                for term, dtype in zip(terms, dtypes)
            ]
        text, used = selected(text)
        chosen = [operands[number] for number in used]
        return _run_program(read(text), chosen, dtypes, specialize)
    # Each by itself, as only some have nothing to sum.
    return [
        _zeros(term, operands, dtype)
        if not all(operands[number].numel() for number, _ in term.factors)
        else compute(*_alone(term, operands), specialize)[0]
        for term, dtype in zip(terms, dtypes)
    ]


def _alone(
    term: Term, operands: Sequence[torch.Tensor]
) -> tuple[str, list[torch.Tensor]]:
    text, used = selected(write([term]))
    return text, [operands[number] for number in used]
