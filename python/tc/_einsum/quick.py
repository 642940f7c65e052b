# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of NumPy arrays with few options. Of small arrays, all that is looked at takes longer
than what is computed, so that native code remembers these calls (cache.past_calls), and reads
the plainest ones itself: this finds what computes the others when they come for the first time."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from itertools import chain
from typing import Any

import numpy as np

from .. import _native
from .._arrays.host import is_readable
from .._notation.terms import spell_sublists
from .._order.optimizers import is_optimizer
from .._order.path import check_path
from .._order.search import check_optimize
from .cache import past_calls, recall
from .call import Options
from .host_pairs import PLAIN_TYPES, find_contraction, plain_type
from .program import LARGE_WORKSPACE, WIDE_DTYPES, find_program, find_workspace

# The arguments that einsum may have besides its operands.
OPTIONS = {"out", "threads", "specialize", "optimize", "memory_limit", "search_seconds"}

# Strategies that mean the same of two operands, as there is one order.
_STRATEGIES = {"greedy", "optimal", "auto"}

# The code of calls that are remembered; other functions convert operands, too.
_COMPILED = (_native.Contraction, _native.Program)

# Calls that were made before, and those that native code reads itself.
plain_calls = _native.PlainCalls(
    past_calls, PLAIN_TYPES, plain_type, WIDE_DTYPES, find_workspace, LARGE_WORKSPACE
)

# The function that computes a call, shape and dtype of its result, and a program's workspace.
_Found = tuple[Any, tuple[int, ...], np.dtype, Any]


def _is_numpys(array: Any) -> bool:
    """True of NumPy's arrays and scalars, but for those of classes that are derived from arrays."""
    return type(array) is np.ndarray or isinstance(array, np.generic)


def _read_lists(arguments: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
    """The subscripts and operands of lists of numbers; None of others."""
    operands = arguments[: len(arguments) // 2 * 2 : 2]
    lists = arguments[1::2] if len(arguments) % 2 == 0 else (*arguments[1::2], arguments[-1])
    if any(type(axes) is not list for axes in lists):
        return None
    # A number that equals an integer need not be one.
    if not set(map(type, chain.from_iterable(lists))) <= {int}:
        return None
    return spell_sublists(arguments)[0], operands


def _read_order(optimize: Any, count: int) -> Any:
    """The order that is asked for, such that native code remembers it; None of others."""
    if optimize is None or type(optimize) is bool:
        return bool(optimize)
    if is_optimizer(optimize):
        return optimize if count > 2 and isinstance(optimize, Hashable) else None
    if type(optimize) is str:
        return optimize if count > 2 or optimize in _STRATEGIES else None
    if type(optimize) not in (list, tuple):
        return None
    steps = optimize[1:] if optimize and type(optimize[0]) is str else optimize
    if not steps or any(type(step) not in (list, tuple) for step in steps):
        return None
    if not set(map(type, chain.from_iterable(steps))) <= {int}:
        return None
    try:
        return check_path(optimize, count)
    except (TypeError, ValueError):
        # There are messages for it.
        return None


def call(subscripts: Any, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of einsum; None where that takes a longer way."""
    text, given = subscripts, operands
    if type(subscripts) is not str:
        read = _read_lists((subscripts, *operands))
        if read is None:
            return None
        text, given = read
    out = options.get("out")
    if out is not None and type(out) is not np.ndarray:
        return None
    for array in given if out is None else (*given, out):
        if not _is_numpys(array) or not is_readable(array):
            return None
    order = _read_order(options.get("optimize", True), len(given))
    if order is None:
        return None
    limit, seconds = options.get("memory_limit"), options.get("search_seconds")
    if limit is not None or seconds is not None:
        check_optimize(order, limit, seconds)
    asked = Options(
        options.get("threads", 0),
        options.get("specialize", "auto"),
        optimize=order,
        memory_limit=limit,
        search_seconds=seconds,
    )
    found = _find(text, given, out, asked)
    if found is None:
        return None
    run, shape, dtype, workspace = found
    native = getattr(run, "__self__", None)
    if isinstance(native, _COMPILED):
        past_calls.keep(subscripts, operands, options, native, shape, dtype, workspace)
        return recall(subscripts, operands, options)
    result = np.empty(shape, dtype)
    run(*given, result, None, None, None)
    return result if result.ndim else result[()]


def _find(
    subscripts: str,
    operands: tuple[np.ndarray, ...],
    out: np.ndarray | None,
    asked: Options,
) -> _Found | None:
    """The code for two operands, or any number of one dtype; None of others, and where an error
    is to be explained."""
    arrays = operands if out is None else (*operands, out)
    dtype = arrays[0].dtype
    if len(operands) != 2 or out is not None:
        if plain_type(dtype) is None or any(x.dtype != dtype for x in arrays):
            return None
        if type(asked.threads) is not int or type(asked.specialize) is not str:
            return None
        if len(operands) > 2:
            if not all(array.flags.c_contiguous for array in arrays):
                return None
            shapes = tuple(array.shape for array in operands)
            run, shape, _, room, alignment = find_program(subscripts, shapes, dtype, asked)
            if run is None or (out is not None and out.shape != shape):
                return None
            workspace = functools.partial(find_workspace, room, alignment) if room else None
            return run, shape, dtype, workspace
    found = find_contraction(subscripts, operands, out, asked.threads, asked.specialize)
    return (*found, None)
