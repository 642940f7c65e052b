# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of arrays that lie in the host's memory: of one or two, and of more pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import _native
from .._arrays.conversion import Conversion, conversion_of
from .._arrays.host import is_readable
from .._arrays.layout import Layout
from .._contraction.fused import fuse
from .._contraction.pair import common_dtype, compile_pair, extents_of
from .._contraction.specialize import in_effect
from .._notation.subscripts import Subscripts, parse
from .._order.slices import contract_slices
from .cache import find, keep
from .pairs import contract_pairs

# Calls of two arrays without options but `threads` and `specialize`, by what
# their arrays look like.
quick_calls = _native.QuickCalls()


def _describe(array: np.ndarray | None) -> tuple | None:
    """All that code for an array depends on: the arguments of Layout.made_of."""
    return None if array is None else (array.dtype, array.shape, array.strides)


def _convert_then_run(
    conversion: Conversion, subscripts: Subscripts, threads: int, specialize: str
) -> Callable:
    """What contracts two operands that have to be converted."""
    fused = fuse(conversion.semiring, (), None, None)

    def run(a, b, out, *_):
        into = conversion.out(out)
        made = contract(
            subscripts,
            *conversion.operands((a, b)),
            into,
            None,
            None,
            threads,
            specialize,
            fused,
        )
        if into is None:
            out[...] = conversion.result(made)

    return run


def _compile(key: tuple) -> tuple:
    """Compiles what the key describes, all of which comes from it, and keeps the
    result under it."""
    (
        subscripts,
        a,
        b,
        out,
        dtype,
        has_alpha,
        has_beta,
        threads,
        specialize,
        fused,
        auxiliaries,
    ) = key
    options = {
        "target": "cpu",
        "threads": str(threads),
        "specialize": in_effect(specialize),
        "saturate": "false",
        "alpha": "argument" if has_alpha else "",
        "beta": "argument" if has_beta else "",
        **dict(fused),
    }
    layouts = [each and Layout.made_of(*each) for each in (a, b, out)]
    if not isinstance(subscripts, Subscripts):
        ranks = (len(layout.shape) for layout in layouts[:2] if layout)
        subscripts = parse(subscripts, tuple(ranks))
    if b is not None and not (out or dtype or has_alpha or has_beta or fused or auxiliaries):
        conversion = conversion_of((a[0], b[0]), None, "safe", "plus_times")
        if conversion is not None:
            extents = extents_of(subscripts.operands, [a[1], b[1]])
            shape = tuple(extents[label] for label in subscripts.result)
            run = _convert_then_run(conversion, subscripts, threads, specialize)
            return keep(key, (run, shape, conversion.dtype))
    native, layout = compile_pair(
        subscripts,
        *layouts,
        options,
        {name: Layout.made_of(*auxiliary) for name, auxiliary in auxiliaries or ()},
        dtype,
    )
    return keep(key, (native.run, layout.shape, np.dtype(layout.dtype)))


def _key_of(
    subscripts, a, b, out, alpha, beta, threads, specialize, fused, auxiliaries, dtype
) -> tuple:
    return (
        subscripts,
        (a.dtype, a.shape, a.strides),
        _describe(b),
        _describe(out),
        dtype if out is None else None,
        alpha is not None,
        beta is not None,
        threads,
        specialize,
        fused,
        auxiliaries and tuple((name, _describe(x)) for name, x in auxiliaries.items()),
    )


def contract(
    subscripts,
    a,
    b,
    out,
    alpha,
    beta,
    threads,
    specialize,
    fused=(),
    auxiliaries=None,
    dtype=None,
):
    """Contracts two arrays, or one if `b` is None. Factors that are None are one
    and zero. Without `out`, the result has that dtype, or the operands' own."""
    key = _key_of(
        subscripts, a, b, out, alpha, beta, threads, specialize, fused, auxiliaries, dtype
    )
    entry = find(key) or _compile(key)
    run, shape, made = entry
    if out is None:
        out = np.empty(shape, made)
    run(a, b, out, alpha, beta, auxiliaries)
    return out


def find_contraction(subscripts, a, b, out, threads, specialize) -> tuple:
    """What contracts arrays with nothing else, with the shape and the dtype of the result."""
    key = _key_of(subscripts, a, b, out, None, None, threads, specialize, (), None, None)
    return find(key) or _compile(key)


def contract_common(subscripts, a, b, threads, specialize):
    """The same with nothing else, which is remembered for the next call; None for arrays that
    kernels do not read."""
    if not (is_readable(a) and is_readable(b)):
        return None
    run, shape, dtype = find_contraction(subscripts, a, b, None, threads, specialize)
    result = np.empty(shape, dtype)
    run(a, b, result, None, None, None)
    native = getattr(run, "__self__", None)
    if type(native) is _native.Contraction and type(threads) is int:
        quick_calls.keep(native, subscripts, specialize, threads, a, b, shape, dtype)
    return result


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


def contract_in_order(subscripts, arrays, out, factors, how, options, auxiliaries, order):
    """Contracts pairs of more than two arrays in that order, slice by slice if it has slices.
    `factors` are alpha and beta, `how` is threads and specialize, and `options` are semiring,
    prologues, epilogue, tuning database and whether 8-bit floats saturate."""

    def contract_many(parts, place, first, old):
        def contract_pair(pair, a, b, fused, is_last, dtype):
            into = (place, first, old) if is_last else (None, None, None)
            read = auxiliaries if is_last and auxiliaries else None
            return contract(pair, a, b, *into, *how, fused, read, dtype)

        layouts = [Layout.of(each) for each in parts]
        return contract_pairs(
            subscripts, parts, layouts, contract_pair, np.ndarray.astype, *options, order
        )

    if not order.slices:
        return contract_many(arrays, out, *factors)
    if out is None:
        extents = extents_of(subscripts.operands, [each.shape for each in arrays])
        shape = tuple(extents[label] for label in subscripts.result)
        out = np.empty(shape, common_dtype([x.dtype.name for x in arrays]))
    contract_slices(subscripts, arrays, out, factors, options[0], order, contract_many)
    return out
