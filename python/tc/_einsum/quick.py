# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that were made before, on NumPy arrays that look alike: of small arrays, all that
is looked at takes longer than what is computed. Two operands without `out` are found in native
code (_native.QuickCalls); this is for the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._arrays.host import is_readable
from .._notation.terms import spell_sublists
from . import host, program
from .cache import CACHE_ENTRIES

# By all that they depend on: subscripts of lists of axes, and what computes calls.
_spelled: dict[tuple, str] = {}
_calls: dict[tuple, Known] = {}

# What einsum may be told besides its operands.
OPTIONS = {"out", "threads", "specialize"}


class Known(NamedTuple):
    """What computes a call."""

    run: Any
    # Of the result.
    shape: tuple[int, ...]
    dtype: Any
    # Bytes and alignment of what a program of many operands needs; None of a contraction.
    workspace: tuple[int, int] | None = None

    def call(self, operands: Sequence[np.ndarray], out: np.ndarray | None) -> np.ndarray | None:
        """The result; None if the arrays need another look after all."""
        made = out
        if made is None:
            made = np.empty(self.shape, self.dtype)
        else:
            flags = made.flags
            if not flags.writeable:
                return None
            is_own = flags.owndata
            for operand in operands:
                # An array that owns its memory shares it with itself and with its views.
                is_apart = is_own and operand.base is None and operand is not made
                if not is_apart and np.may_share_memory(operand, made):
                    return None
        try:
            if self.workspace is not None:
                self.run([*operands, made], program.find_workspace(*self.workspace))
            else:
                self.run(operands[0], operands[1] if len(operands) > 1 else None, made, None, None)
        except ValueError:
            # Not aligned.
            return None
        return made


def forget() -> None:
    _calls.clear()


def _keep(kept: dict, key: tuple, value: Any) -> Any:
    if len(kept) >= CACHE_ENTRIES:
        kept.clear()
    kept[key] = value
    return value


def look_of(operands: Sequence[Any], out: Any) -> list[Any] | None:
    """What arrays look like; None if any is none of NumPy's own."""
    look: list[Any] = []
    for array in operands if out is None else (*operands, out):
        if type(array) is not np.ndarray:
            return None
        look += (array.dtype, array.shape, array.strides)
    return look


def _read_lists(arguments: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
    """The subscripts and operands of lists of numbers; None of others."""
    operands = arguments[: len(arguments) // 2 * 2 : 2]
    lists = arguments[1::2] if len(arguments) % 2 == 0 else (*arguments[1::2], arguments[-1])
    for axes in lists:
        if type(axes) is not list:
            return None
    # Lists have no hash, and numbers of other types have that of an integer.
    key = (len(arguments), str(lists))
    subscripts = _spelled.get(key)
    if subscripts is None:
        if not set(map(type, chain.from_iterable(lists))) <= {int}:
            return None
        subscripts = _keep(_spelled, key, spell_sublists(arguments)[0])
    return subscripts, operands


def _call_two(subscripts: str, a: Any, b: Any, threads: Any, specialize: Any) -> Any:
    """The same of two operands, which native code remembers."""
    try:
        result = host.quick_calls.call(subscripts, a, b, threads, specialize)
    except ValueError:
        # Not aligned.
        return None
    if result is None and type(a) is type(b) is np.ndarray:
        result = host.contract_common(subscripts, a, b, threads, specialize)
        return result if result is None or result.ndim else result[()]
    return result


def call(
    subscripts: Any,
    operands: tuple[Any, ...],
    out: Any = None,
    threads: Any = 0,
    specialize: Any = "auto",
) -> Any:
    """What einsum returns; None where that takes a longer way."""
    if type(subscripts) is not str:
        read = _read_lists((subscripts, *operands))
        if read is None:
            return None
        subscripts, operands = read
        if len(operands) == 2 and out is None:
            return _call_two(subscripts, *operands, threads, specialize)
    elif len(operands) == 2 and out is None:
        return None
    look = look_of(operands, out)
    if look is None or type(threads) is not int or type(specialize) is not str:
        return None
    key = (subscripts, threads, specialize, out is None, *look)
    known = _calls.get(key) or _remember(key, subscripts, operands, out)
    result = known and known.call(operands, out)
    if result is None or out is not None or result.ndim:
        return result
    return result[()]


def _remember(
    key: tuple, subscripts: str, operands: tuple[np.ndarray, ...], out: np.ndarray | None
) -> Known | None:
    """Finds what computes arrays of one dtype, which is kept under the key; None of others, and
    where an error is to be explained."""
    arrays = operands if out is None else (*operands, out)
    dtype = arrays[0].dtype if operands else None
    if dtype not in program.WIDE_DTYPES or any(x.dtype != dtype for x in arrays):
        return None
    if not all(map(is_readable, arrays)):
        return None
    _, threads, specialize, *_ = key
    if len(operands) > 2:
        if not all(array.flags.c_contiguous for array in arrays):
            return None
        how = program.How(threads, "plus_times", None, True, specialize)
        shapes = tuple(array.shape for array in operands)
        run, shape, _, *workspace = program.find_program(subscripts, shapes, dtype, how)
        if run is None or (out is not None and out.shape != shape):
            return None
        return _keep(_calls, key, Known(run, shape, dtype, tuple(workspace)))
    a, b = (*operands, None)[:2]
    run, shape, _ = host.find_contraction(subscripts, a, b, out, threads, specialize)
    return _keep(_calls, key, Known(run, shape, dtype))
