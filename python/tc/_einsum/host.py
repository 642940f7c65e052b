# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of arrays that lie in the host's memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays.conversion import check_byte_order, clip, conversion_of
from .._arrays.host import import_array, import_operands, import_readable, same
from .._arrays.layout import Layout
from .._arrays.overlap import temporary_for
from .._contraction.pair import check_place, first_two, why_out_is_read
from .._notation.subscripts import Subscripts, parse
from .._order.optimizers import is_optimizer
from .._order.path import check_path
from .._order.search import strategy_of
from . import program
from .arguments import conjugations, is_reversed
from .call import Arrays, Options
from .host_pairs import contract, contract_in_order, pair_of_nothing
from .pairs import find_pairs


def contract_on_host(subscripts: str, options: Options, given: Arrays) -> Any:
    """Contracts arrays of whichever library, or into them."""
    if options.casting == "no":
        check_byte_order(given.operands, given.out)
    operands, make = import_operands(given.operands)
    auxiliaries = {
        name: import_readable(auxiliary, f"auxiliary tensor '{name}'")[0]
        for name, auxiliary in given.auxiliaries.items()
    }
    if any(options.conjugated):
        kinds = [x.dtype.kind == "c" for x in operands]
        options = options._replace(conjugated=conjugations(options.conjugated, kinds))
    arrays = Arrays(operands, given.out, auxiliaries, given.alpha, given.beta)
    if given.out is not None:
        _contract_into(subscripts, options, arrays)
        return given.out
    result = _convert(subscripts, options, arrays)
    if make is not same:
        return make(result)
    return result if result.ndim else result[()]


def _contract_into(subscripts: str, options: Options, arrays: Arrays) -> None:
    """Contracts arrays of NumPy into an array of whichever library."""
    operands, out, auxiliaries, _, _ = arrays
    if not isinstance(out, np.ndarray) and not hasattr(out, "__dlpack__"):
        raise TypeError("out is no array")
    place = import_array(out, "out", writes=True)[0]
    # Checked wherever it is written in the end: NumPy would repeat what has fewer axes.
    parsed = parse(subscripts, tuple(operand.ndim for operand in operands))
    check_place(Layout.of(place), parsed, [x.shape for x in operands])
    temporary = temporary_for(place, (*operands, *auxiliaries.values()))
    if temporary is not None:
        np.copyto(place, _convert(subscripts, options, arrays._replace(out=temporary)))
    else:
        _convert(subscripts, options, arrays if place is out else arrays._replace(out=place))


def _convert(subscripts: str, options: Options, arrays: Arrays) -> np.ndarray:
    """Contracts arrays of NumPy of any dtypes; `out` may be written."""
    out = arrays.out
    conversion = conversion_of(
        tuple(x.dtype for x in arrays.operands),
        options.dtype,
        options.casting,
        options.semiring,
        None if out is None else out.dtype,
    )
    if conversion is None:
        return _contract(subscripts, options, arrays)
    into = None if out is None else conversion.out(out)
    is_written = into is not None
    if out is not None and not is_written:
        if why_out_is_read(arrays.beta is not None, options.epilogue):
            if out.dtype != conversion.dtype:
                raise TypeError(f"out has dtype {out.dtype}, but the result {conversion.dtype}")
            into = out.astype(conversion.inner)
    made = _convert(
        subscripts,
        options._replace(semiring=conversion.semiring, dtype=None, casting="safe"),
        Arrays(
            conversion.operands(arrays.operands),
            into,
            arrays.auxiliaries,
            arrays.alpha,
            arrays.beta,
        ),
    )
    if out is None:
        return conversion.result(made)
    if not is_written:
        made = conversion.result(made)
        made = clip(made, out.dtype) if options.saturate else made
        np.copyto(out, made, casting=options.casting)
    return out


def _contract(subscripts: str, options: Options, arrays: Arrays) -> np.ndarray:
    """Contracts arrays of dtypes that kernels have."""
    if options.user_semiring:
        # It has a beta of its own.
        arrays = arrays._replace(beta=None)
    operands, out, auxiliaries, alpha, beta = arrays
    parsed = parse(subscripts, tuple([operand.ndim for operand in operands]))
    reverses = out is None and is_reversed(options.order, operands)
    if reverses:
        # A result whose last axis is the first in memory, seen the other way around.
        parsed = parsed._replace(result=parsed.result[::-1])
    result = _contract_many(parsed, options, arrays)
    if result is None:
        a, b = first_two(operands)
        if len(operands) > 2:
            parsed, (a, b) = pair_of_nothing(parsed, operands)
            options = options._replace(prologues=())
        result = contract(parsed, a, b, out, alpha, beta, options.code, auxiliaries)
    return result.T if reverses else result


def _contract_many(
    subscripts: Subscripts, options: Options, arrays: Arrays
) -> np.ndarray | None:
    """The product of more than two arrays; None of others, and where one of them is empty."""
    operands, out, auxiliaries, alpha, beta = arrays
    is_many = len(operands) > 2
    if not is_many and options.optimize is True:
        return None
    if is_many and any(operand.size == 0 for operand in operands):
        optimize = options.optimize
        is_path = not (isinstance(optimize, (bool, str)) or is_optimizer(optimize))
        if is_path and strategy_of(optimize) is None:
            check_path(optimize, len(operands))
        return None
    is_plain = not (options.user_semiring or options.prologues or options.epilogue or auxiliaries)
    if is_many and is_plain:
        made = program.contract_into(subscripts, operands, out, alpha, beta, options)
        if made is not None:
            return made
    out_dtype = None if out is None else out.dtype.name
    order = find_pairs(subscripts, map(Layout.of, operands), "cpu", options, arrays, out_dtype)
    return None if order is None else contract_in_order(subscripts, arrays, options, order)
