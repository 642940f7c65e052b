# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of one array or two in the host's memory, and of more pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _native
from .._arrays.conversion import Conversion, conversion_of
from .._arrays.layout import ELEMENT_TYPES, Layout
from .._contraction.pair import common_dtype, compile_pair, extents_of, first_two
from .._contraction.specialize import in_effect
from .._notation.subscripts import Subscripts, parse
from .._order.path import Order
from .._order.slices import contract_slices
from .cache import find, keep
from .call import PLAIN, Arrays, Call, Look, Options
from .pairs import contract_pairs


# The compiler's numbers of NumPy's own dtypes that nothing converts.
PLAIN_TYPES = {
    np.dtype(name): ELEMENT_TYPES[name]
    for name in (
        *("float64", "float32", "float16", "complex128", "complex64"),
        *("int64", "int32", "int8"),
    )
}


def plain_type(dtype: np.dtype) -> int | None:
    """The compiler's number of a dtype that nothing converts; None of others."""
    number = PLAIN_TYPES.get(dtype)
    # One of ml_dtypes, which may be imported later than this is.
    if number is None and dtype.name == "bfloat16" and dtype.isnative:
        number = ELEMENT_TYPES["bfloat16"]
    return number


def _looks_of(arrays: Sequence[np.ndarray]) -> tuple[Look, ...]:
    return tuple([(array.dtype, array.shape, array.strides) for array in arrays])


def _look_of(array: np.ndarray) -> Look:
    return _looks_of((array,))[0]


def _convert_then_run(conversion: Conversion, subscripts: Subscripts, options: Options) -> Callable:
    """A function that contracts two operands which have to be converted."""
    options = options._replace(semiring=conversion.semiring)

    def run(a, b, out, *_):
        into = conversion.out(out)
        operands = conversion.operands((a, b))
        made = contract(subscripts, *operands, into, None, None, options)
        if into is None:
            out[...] = conversion.result(made)

    return run


def _compile(call: Call) -> tuple:
    """Compiles what the record describes, all of which comes from it, and keeps the result under
    it."""
    options = call.options
    operands = [Layout.made_of(*look) for look in call.operands]
    subscripts = call.subscripts
    if not isinstance(subscripts, Subscripts):
        subscripts = parse(subscripts, tuple(len(layout.shape) for layout in operands))
    plain = Call("code", call.subscripts, call.operands, options=call.options)
    if call == plain and len(operands) == 2 and not options.fused:
        dtypes = tuple(dtype for dtype, _, _ in call.operands)
        conversion = conversion_of(dtypes, None, "safe", "plus_times")
        if conversion is not None:
            extents = extents_of(subscripts.operands, [layout.shape for layout in operands])
            shape = tuple(extents[label] for label in subscripts.result)
            run = _convert_then_run(conversion, subscripts, options)
            return keep(call, (run, shape, conversion.dtype))
    a, b = first_two(operands)
    native, layout = compile_pair(
        subscripts,
        a,
        b,
        None if call.out is None else Layout.made_of(*call.out),
        {
            "target": call.target,
            "threads": str(options.threads),
            "specialize": in_effect(options.specialize),
            "saturate": "false",
            "alpha": "argument" if call.has_alpha else "",
            "beta": "argument" if call.has_beta else "",
            **dict(options.fused),
        },
        {name: Layout.made_of(*look) for name, look in call.auxiliaries},
        call.dtype,
    )
    return keep(call, (native.run, layout.shape, np.dtype(layout.dtype)))


def _compile_plain(call: Call, operands: Sequence[np.ndarray]) -> tuple | None:
    """The same for subscripts in letters and operands of one dtype, in less time; None of others."""
    dtype = operands[0].dtype
    kind = plain_type(dtype)
    if kind is None or call.out is not None or operands[-1].dtype != dtype:
        return None
    if not call.subscripts.isascii():
        return None
    options = {
        "threads": str(call.options.threads),
        "specialize": in_effect(call.options.specialize),
        "saturate": "false",
    }
    made = _native.compile_plain(call.subscripts, tuple(operands), kind, options)
    if made is None:
        return None
    native, shape = made
    return keep(call, (native.run, shape, dtype))


def contract(
    subscripts: str | Subscripts,
    a: np.ndarray,
    b: np.ndarray | None,
    out: np.ndarray | None,
    alpha: Any,
    beta: Any,
    options: Options,
    auxiliaries: Mapping[str, np.ndarray] | None = None,
    dtype: str | None = None,
) -> np.ndarray:
    """Contracts two arrays, or one if `b` is None. Factors that are None are one
    and zero. Without `out`, the result has that dtype, or the operands' own."""
    call = Call(
        "code",
        subscripts,
        _looks_of((a,) if b is None else (a, b)),
        None if out is None else _look_of(out),
        tuple((name, _look_of(x)) for name, x in auxiliaries.items()) if auxiliaries else (),
        dtype if out is None else None,
        alpha is not None,
        beta is not None,
        "cpu",
        options,
    )
    run, shape, made = find(call) or _compile(call)
    if out is None:
        out = np.empty(shape, made)
    run(a, b, out, alpha, beta, auxiliaries or None)
    return out


def find_contraction(
    subscripts: str,
    operands: Sequence[np.ndarray],
    out: np.ndarray | None,
    threads: int,
    specialize: str,
) -> tuple:
    """A function that contracts one array or two with nothing else, with the shape and the dtype
    of the result."""
    options = PLAIN
    if threads != 0 or specialize != "auto":
        options = Options(threads, specialize)
    place = None if out is None else _look_of(out)
    looks = _looks_of(operands)
    call = Call("code", subscripts, looks, place, (), None, False, False, "cpu", options)
    return find(call) or _compile_plain(call, operands) or _compile(call)


def pair_of_nothing(
    subscripts: Subscripts, arrays: Sequence[np.ndarray]
) -> tuple[Subscripts, tuple[np.ndarray, np.ndarray]]:
    """Two operands whose product is that of many, one of which has no element: either the result
    has none, too, or all of it is a sum over nothing, and no order is to be looked for."""
    extents = extents_of(subscripts.operands, [each.shape for each in arrays])
    # No label that the result has.
    nothing = "nothing" + "".join(subscripts.result)
    result = tuple(extents[label] for label in subscripts.result)
    dtype = common_dtype([each.dtype.name for each in arrays])
    pair = Subscripts(((nothing,), (nothing, *subscripts.result)), subscripts.result)
    return pair, (np.empty(0, dtype), np.empty((0, *result), dtype))


def contract_in_order(
    subscripts: Subscripts, arrays: Arrays, options: Options, order: Order
) -> np.ndarray:
    """Contracts pairs of more than two arrays in that order, slice by slice if it has slices."""

    def contract_many(parts, place, alpha, beta):
        def contract_pair(pair, a, b, pair_options, is_last, dtype):
            into = (place, alpha, beta) if is_last else (None, None, None)
            read = arrays.auxiliaries if is_last else None
            return contract(pair, a, b, *into, pair_options, read, dtype)

        layouts = [Layout.of(each) for each in parts]
        return contract_pairs(
            subscripts, parts, layouts, contract_pair, np.ndarray.astype, options, order
        )

    operands, out, _, alpha, beta = arrays
    if not order.slices:
        return contract_many(operands, out, alpha, beta)
    if out is None:
        extents = extents_of(subscripts.operands, [each.shape for each in operands])
        shape = tuple(extents[label] for label in subscripts.result)
        out = np.empty(shape, common_dtype([x.dtype.name for x in operands]))
    contract_slices(
        subscripts, operands, out, (alpha, beta), options.semiring, order, contract_many
    )
    return out
