# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of many arrays as one program: all steps are one call of native code."""

from __future__ import annotations

import contextlib
import functools
import re
import threading
import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _native
from .._arrays.layout import DTYPES, ELEMENT_TYPES
from .._contraction.pair import extents_of
from .._contraction.specialize import in_effect
from .._messages.errors import UnsupportedError
from .._notation.subscripts import Labels, Subscripts, parse
from .._order.optimizers import is_optimizer
from .._order.search import (
    Machine,
    bounds_by_default,
    default_memory_limit,
    find_order,
    milliseconds_of,
    spell,
    spell_subscripts,
)
from .cache import cached
from .call import Call, Options

# Of which a temporary is as precise as a sum, or wraps around to the same result.
WIDE_DTYPES = {
    np.dtype(name)
    for name in ("float32", "float64", "complex64", "complex128", "int8", "int32", "int64")
}


# Of which results between have the dtype of sums in ahead-of-time kernels only.
_HALVES = {"float16", "bfloat16"}


def is_computed(dtype: np.dtype, options: Options) -> bool:
    """True if a program computes products of such arrays as pairs do."""
    if dtype in WIDE_DTYPES:
        return dtype.isnative
    is_ahead = in_effect(options.specialize) != "always" and options.semiring == "plus_times"
    return is_ahead and dtype.name in _HALVES and dtype.isnative


# Larger workspaces are not kept from one call to the next.
_MOST_KEPT = 1 << 26
# Workspaces of fewer bytes are within any limit that nobody has asked for.
LARGE_WORKSPACE = 1 << 26
# Each thread's, which all of its calls share.
_kept = threading.local()

# Views without gaps are taken as they lie, and of others those of so many bytes are
# copied: what each pair costs besides its own time is more.
_MOST_COPIED = 1 << 16

_NOTHING = (None, (), None, 0, 1)

# Errors of programs that are too long; pairs are not.
_LIMIT = re.compile(r"more than \d+ (extents|factors|bytes)")


def _write(subscripts: Subscripts, shapes: Sequence[tuple[int, ...]], dtype: str) -> str:
    """The product as a program that adds to its result (docs/programs.md)."""
    extents = extents_of(subscripts.operands, shapes)
    for labels, shape in zip(subscripts.operands, shapes):
        if tuple(extents[label] for label in labels) != shape:
            # As Program.of_einsum does: what is compiled reads all of an extent.
            raise ValueError("in a program, nothing is broadcast")
    # Labels may be words of the notation.
    names = {label: f"i{number}" for number, label in enumerate(extents)}

    def tensor(name: str, labels: Labels) -> str:
        return name + spell(tuple(names[label] for label in labels))

    (element_type,) = (name for name, its in DTYPES.items() if its == dtype)
    lines = [f"type = {element_type}"]
    lines += [f"{names[label]} = {extent}" for label, extent in extents.items()]
    factors = (tensor(f"X{i}", labels) for i, labels in enumerate(subscripts.operands))
    lines.append(f"result{spell(tuple(names[x] for x in subscripts.result))} += " + " * ".join(factors))
    return "\n".join(lines)


def _make(call: Call) -> tuple:
    """A program with the shape of its result and what its workspace takes; nothing
    if there is none: then each step is compiled and run by itself, and says so. One that
    adds to its result is in the order of the model."""
    subscripts, shapes, dtype, asked = call.subscripts, call.operands, call.dtype, call.options
    adds = call.has_beta
    options = {
        "threads": str(asked.threads),
        "semiring": asked.semiring,
        "tuned": asked.tuned or "",
        "specialize": asked.specialize,
        "search-milliseconds": milliseconds_of(asked.search_seconds),
    }
    if dtype not in WIDE_DTYPES:
        options["keep-sums"] = "true"
    most = asked.memory_limit
    if most is not None:
        options["memory-limit"] = str(most)
    try:
        parsed = (
            subscripts
            if isinstance(subscripts, Subscripts)
            else parse(subscripts, tuple(map(len, shapes)))
        )
        if asked.optimize is not True:
            machine = Machine("cpu", asked.threads, asked.semiring, None, "all")
            names = [dtype.name] * len(shapes)
            order = find_order(parsed, shapes, names, asked.optimize, machine)
            if order.slices:
                return _NOTHING
            steps = (",".join(map(str, step)) for step in order.path)
            options["path"] = " ".join(steps)

        def compile_with(options: dict[str, str]) -> _native.Program:
            if adds:
                return _native.Program(_write(parsed, shapes, dtype.name), "tensors", options)
            spec = spell_subscripts(parsed)
            return _native.Program.of_einsum(spec, ELEMENT_TYPES[dtype.name], shapes, options)

        native = compile_with(options)
        # Little memory is not worth to look for the limit.
        is_large = native.workspace_bytes > LARGE_WORKSPACE
        if is_large and bounds_by_default(asked.optimize, most, "cpu"):
            most = default_memory_limit()
            if native.workspace_bytes > most:
                with contextlib.suppress(UnsupportedError):
                    native = compile_with({**options, "memory-limit": str(most)})
    except (ValueError, UnsupportedError) as error:
        if limit := _LIMIT.search(str(error)):
            warnings.warn(
                f"a product of {len(shapes)} operands has {limit[0]}, and is contracted pair by "
                "pair, which takes longer than a program",
                RuntimeWarning,
                stacklevel=2,
            )
        return _NOTHING
    parameters = {name: extents for name, _, extents, *_ in native.parameters}
    # Of one that adds, the result is a tensor that is read, too, and need not be the last.
    places = [(int(name[1:]) if name[0] == "X" else -1) for name in parameters]

    def run_in_order(arrays: Sequence[np.ndarray], workspace: np.ndarray | None) -> None:
        native.run([arrays[place] for place in places], workspace)

    return (
        run_in_order if adds else native.run,
        tuple(parameters["result"]),
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


def contract(subscripts: Any, operands: Sequence[Any], options: Options) -> np.ndarray | None:
    """The product of three or more arrays of NumPy, in the order that the options ask
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
    run, shape, dtype, room, alignment = find_program(subscripts, tuple(shapes), first.dtype, options)
    if run is None:
        return None
    result = np.empty(shape, dtype)
    run([*operands, result], find_workspace(room, alignment))
    return result


def _turn(array: np.ndarray, labels: Labels) -> tuple[np.ndarray, Labels] | None:
    """A view of an array with its axes in the order of memory; None if that is not contiguous."""
    if not array.flags.aligned:
        return None
    if array.flags.c_contiguous:
        return array, labels
    axes = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    turned = array.transpose(axes)
    if not turned.flags.c_contiguous:
        return None
    return turned, tuple(labels[axis] for axis in axes)


def _take(array: np.ndarray, labels: Labels) -> tuple[np.ndarray, Labels] | None:
    """The same, or a copy of what is small."""
    turned = _turn(array, labels)
    if turned is None and _is_copied(array):
        return np.ascontiguousarray(array), labels
    return turned


def _without_ones(
    operands: Sequence[tuple[np.ndarray, Labels]], extents: Mapping[str, int]
) -> list[tuple[np.ndarray, Labels]]:
    """Operands without the axes of extent one along which they are broadcast: an index is what
    others have."""

    def drop(array: np.ndarray, labels: Labels) -> tuple[np.ndarray, Labels]:
        kept = [
            axis for axis, label in enumerate(labels) if array.shape[axis] == extents[label]
        ]
        shape = [array.shape[axis] for axis in kept]
        return array.reshape(shape), tuple(labels[axis] for axis in kept)

    return [drop(*each) for each in operands]


def _is_copied(array: np.ndarray) -> bool:
    """True if an array with gaps is small, and none that is refused."""
    whole = all(stride % array.itemsize == 0 for stride in array.strides)
    return array.nbytes <= _MOST_COPIED and array.flags.aligned and whole


def _number_of(factor: Any, dtype: np.dtype) -> np.ndarray | None:
    """A factor as an array without axes; None if it is no number of that dtype."""
    number, kinds = np.asarray(factor), "ifc"
    if number.ndim or number.dtype.kind not in kinds[: kinds.index(dtype.kind) + 1]:
        return None
    with np.errstate(over="ignore"):
        made = number.astype(dtype)
    is_exact = made == number if dtype.kind == "i" else np.isfinite(made) or not np.isfinite(number)
    return made if is_exact else None


def contract_into(
    subscripts: Subscripts,
    arrays: Sequence[np.ndarray],
    out: np.ndarray | None,
    alpha: Any,
    beta: Any,
    options: Options,
) -> np.ndarray | None:
    """Result of `contract` for arrays of any strides, and into `out` if that is given. Factors that
    are None are one and zero. None where no program does it, or where more would be copied than
    that saves: with factors, there are programs in the order of the model only, of which alpha is
    one more operand."""
    dtype = arrays[0].dtype
    if len(arrays) < 3 or any(x.dtype != dtype for x in arrays):
        return None
    if not is_computed(dtype, options):
        return None
    # Factors are operands of the arrays' dtype, to which those of halves would be rounded.
    if (alpha is not None or beta is not None) and (
        options.semiring != "plus_times"
        or options.optimize is not True
        or dtype not in WIDE_DTYPES
    ):
        return None
    taken = [_take(array, labels) for array, labels in zip(arrays, subscripts.operands)]
    operands = [each for each in taken if each is not None]
    if len(operands) < len(taken):
        return None
    if any(1 in array.shape for array in arrays):
        shapes = [array.shape for array in arrays]
        operands = _without_ones(operands, extents_of(subscripts.operands, shapes))
    if alpha is not None:
        number = _number_of(alpha, dtype)
        if number is None:
            return None
        operands.append((number, ()))
    old = None if beta is None else _number_of(beta, dtype)
    if beta is not None and old is None:
        return None
    place, labels = None, subscripts.result
    if out is not None:
        if out.dtype != dtype:
            return None
        turned = _turn(out, labels)
        if turned is not None:
            place, labels = turned
        elif not _is_copied(out):
            return None
    parts, lists = zip(*operands)
    adds = old is not None and place is not None
    run, shape, _, room, alignment = find_program(
        Subscripts(lists, labels), tuple(x.shape for x in parts), dtype, options, adds
    )
    # Shapes that do not fit are refused elsewhere.
    if run is None or (out is not None and shape != (out if place is None else place).shape):
        return None
    workspace = find_workspace(room, alignment)
    made = np.empty(shape, dtype) if place is None else place
    if out is not None and old is not None and old != 1:
        np.multiply(out, old, out=out)
    run([*parts, made], workspace)
    if out is None:
        return made
    if place is None:
        out[...] = made if old is None else out + made
    return out


def workspace_bytes(
    subscripts: str, shapes: tuple[tuple[int, ...], ...], dtype: np.dtype, options: Options
) -> int | None:
    """Bytes that the temporaries of `contract` take of contiguous arrays of such shapes; None if it
    returns None."""
    if len(shapes) < 3:
        return None
    run, _, _, room, _ = find_program(subscripts, shapes, dtype, options)
    return None if run is None else room


def find_program(
    subscripts: str | Subscripts,
    shapes: tuple[tuple[int, ...], ...],
    dtype: np.dtype,
    options: Options,
    adds: bool = False,
) -> tuple:
    """Result of `_make`, made once."""
    # An empty product is neither ordered nor compiled.
    if not is_computed(dtype, options) or any(0 in shape for shape in shapes):
        return _NOTHING
    # Pairs find fault with an order that is none.
    order = options.optimize
    is_kept = type(order) in (bool, str, tuple) or (
        is_optimizer(order) and isinstance(order, Hashable)
    )
    if not is_kept or order == ():
        return _NOTHING
    asked = Options(
        options.threads,
        in_effect(options.specialize),
        options.semiring,
        tuned=options.tuned,
        optimize=options.optimize,
        memory_limit=options.memory_limit,
        search_seconds=options.search_seconds,
    )
    # One that adds reads its result.
    call = Call("program", subscripts, shapes, dtype=dtype, has_beta=adds, options=asked)
    return cached(call, functools.partial(_make, call))
