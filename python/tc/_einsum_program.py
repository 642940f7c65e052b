# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of many arrays as one program: all steps are one call of native code."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._errors import UnsupportedError
from ._layout import ELEMENT_TYPES
from ._memo import cached
from ._order import Machine, check_path, find_order, spell_subscripts, strategy_of
from ._subscripts import parse

# Of which a temporary is as precise as a sum.
_DTYPES = {
    np.dtype(name)
    for name in ("float32", "float64", "complex64", "complex128", "int32", "int64")
}
# Larger workspaces are not kept from one call to the next.
_MOST_KEPT = 1 << 26
# Each thread's, which all of its calls share.
_kept = threading.local()

_NOTHING = (None, (), None, 0, 1)


class How(NamedTuple):
    """What `einsum` is told besides its arrays."""

    threads: int
    semiring: str
    tuned: str | None
    optimize: Any
    specialize: str


def _make(
    subscripts: str,
    shapes: Sequence[tuple[int, ...]],
    dtype: np.dtype,
    options: dict[str, str],
    optimize: Any,
) -> tuple:
    """A program with the shape of its result and what its workspace takes; nothing
    if there is none: then each step is compiled and run by itself, and says so."""
    try:
        parsed = parse(subscripts, tuple(map(len, shapes)))
        if optimize is not True:
            machine = Machine("cpu", 0, options["semiring"], None)
            names = [dtype.name] * len(shapes)
            order = find_order(parsed, tuple(shapes), names, optimize, machine)
            steps = (",".join(map(str, step)) for step in order.path)
            options["path"] = " ".join(steps)
        native = _native.Program.of_einsum(
            spell_subscripts(parsed), ELEMENT_TYPES[dtype.name], shapes, options
        )
    except (ValueError, UnsupportedError):
        return _NOTHING
    *_, (_, _, extents, _, _, _, _) = native.parameters
    return (
        native.run,
        tuple(extents),
        dtype,
        native.workspace_bytes,
        native.workspace_alignment,
    )


def find_workspace(size: int, alignment: int) -> np.ndarray | None:
    """Memory for temporaries, which this thread may use until its next call."""
    if size == 0:
        return None
    kept = getattr(_kept, "workspace", None)
    if kept is not None and kept.nbytes >= size:
        return kept
    made = np.empty(size + alignment, np.uint8)
    made = made[-made.ctypes.data % alignment :]
    if size <= _MOST_KEPT:
        _kept.workspace = made
    return made


def _recognise(optimize: Any, operands: int) -> Any:
    """The order that is asked for, to find again what was compiled for it; None if
    none of them can be meant."""
    if type(optimize) in (bool, str):
        return optimize
    if strategy := strategy_of(optimize):
        return strategy
    if type(optimize) not in (list, tuple) or not optimize:
        return None
    begin = 1 if type(optimize[0]) is str and optimize[0] == "einsum_path" else 0
    try:
        path = tuple(map(tuple, optimize[begin:]))
    except TypeError:
        return None
    # All that needs a look is looked at when it is compiled.
    is_plain = set(map(type, chain.from_iterable(path))) <= {int}
    return path if is_plain else check_path(optimize, operands)


def contract(subscripts: Any, operands: Sequence[Any], how: How) -> np.ndarray | None:
    """The product of three or more arrays of NumPy, in the order that `optimize` asks
    for; None unless all are contiguous and of one dtype."""
    if type(subscripts) is not str or len(operands) < 3:
        return None
    shapes = []
    first = operands[0]
    for operand in operands:
        if type(operand) is not np.ndarray or operand.dtype != first.dtype:
            return None
        flags = operand.flags
        if not (flags.c_contiguous and flags.aligned):
            return None
        shapes.append(operand.shape)
    run, shape, dtype, room, alignment = _find(subscripts, tuple(shapes), first.dtype, how)
    if run is None:
        return None
    result = np.empty(shape, dtype)
    run([*operands, result], find_workspace(room, alignment))
    return result


def workspace_bytes(
    subscripts: str, shapes: tuple[tuple[int, ...], ...], dtype: np.dtype, how: How
) -> int | None:
    """What the temporaries of `contract` take of contiguous arrays of such shapes; None if it returns None."""
    if len(shapes) < 3:
        return None
    run, _, _, room, _ = _find(subscripts, shapes, dtype, how)
    return None if run is None else room


def _find(
    subscripts: str, shapes: tuple[tuple[int, ...], ...], dtype: np.dtype, how: How
) -> tuple:
    """What `_make` makes, once."""
    if dtype not in _DTYPES or not dtype.isnative:
        return _NOTHING
    order = _recognise(how.optimize, len(shapes))
    if order is None:
        return _NOTHING
    # A database that is named is consulted.
    if how.specialize == "auto" and os.environ.get("TC_TUNED"):
        how = how._replace(specialize="always")
    key = ("program", subscripts, shapes, dtype, how._replace(optimize=order))

    def make() -> tuple:
        options = {
            "threads": str(how.threads),
            "semiring": how.semiring,
            "tuned": how.tuned or "",
            "specialize": how.specialize,
        }
        return _make(subscripts, shapes, dtype, options, order)

    return cached(key, make)
