# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of many operands, part by part."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._contraction.pair import common_dtype, extents_of, sum_dtype, sums_alike
from .._device.arrays import DeviceArray
from .._notation.subscripts import Labels, Subscripts
from .path import Order, Slice

# Of each index that is cut, the part that a slice has.
Parts = Mapping[str, slice]

# Numbers that leave sums as they are when these are multiplied with them.
_ONES = {"plus_times": 1, "max_times": 1, "min_plus": 0, "max_plus": 0, "or_and": -1, "xor_and": -1}

# Semirings whose products distribute over sums, also if integers wrap around.
_DISTRIBUTES = {"plus_times", "max_min", "min_max", "or_and", "xor_and"}


def cuttable(
    semiring: str,
    alpha: Any,
    epilogue: str | None,
    auxiliaries: Mapping[str, Any] | None,
    dtypes: Sequence[str],
    out_dtype: str | None,
) -> str:
    """Of which indices there may be slices, as the option "slices" of the C
    interface. An epilogue is for whole sums, and its auxiliary tensors for whole
    results; what is rounded is not added to."""
    if auxiliaries:
        return "none"
    common = common_dtype(dtypes)
    adds = (
        epilogue is None
        and (alpha is None or semiring in _DISTRIBUTES)
        and sums_alike(out_dtype or common, sum_dtype(common))
    )
    return "all" if adds else "output"


def _one_of(semiring: str, dtype: str) -> Any:
    """The semiring's one among numbers of that dtype."""
    if semiring in _ONES:
        return _ONES[semiring]
    kind = np.dtype(dtype)
    if kind.kind == "i":
        limits = np.iinfo(kind)
        return limits.max if semiring == "max_min" else limits.min
    return np.inf if semiring == "max_min" else -np.inf


def _all_parts(
    slices: Sequence[Slice], subscripts: Subscripts, shapes: Sequence[Sequence[int]]
) -> Iterator[tuple[Parts, bool]]:
    """The parts of each slice, and whether it is the first to write its part of
    the result."""
    extents = extents_of(subscripts.operands, shapes)
    ranges = [
        [
            slice(begin, min(begin + each.length, extents[each.index]))
            for begin in range(0, extents[each.index], each.length)
        ]
        for each in slices
    ]
    for chosen in itertools.product(*ranges):
        parts = {each.index: part for each, part in zip(slices, chosen)}
        is_first = all(
            part.start == 0
            for index, part in parts.items()
            if index not in subscripts.result
        )
        yield parts, is_first


def part_of(array: Any, labels: Labels, parts: Parts) -> Any:
    """A view of an array or of one on a device; an extent of one goes with any
    part."""
    on_device = isinstance(array, DeviceArray)
    shape = array.layout.shape if on_device else array.shape
    chosen = [
        slice(0, extent) if extent == 1 else parts.get(label, slice(0, extent))
        for label, extent in zip(labels, shape)
    ]
    if not on_device:
        # With the ellipsis, one without axes is a view, too.
        return array[(*chosen, ...)]
    layout = array.layout
    begin = sum(part.start * stride for part, stride in zip(chosen, layout.strides))
    return array._replace(
        pointer=array.pointer + begin,
        layout=layout._replace(shape=tuple(part.stop - part.start for part in chosen)),
    )


def contract_slices(
    subscripts: Subscripts,
    arrays: Sequence[Any],
    out: Any,
    factors: tuple[Any, Any],
    semiring: str,
    order: Order,
    contract_many: Callable[[list, Any, Any, Any], Any],
) -> None:
    """Calls `contract_many` with the parts of the operands and of `out` that each
    slice has, and with factors: the first one of a sum has those given, and the
    others add to it."""
    alpha, beta = factors
    shapes = [getattr(array, "layout", array).shape for array in arrays]
    one = _one_of(semiring, getattr(out, "layout", out).dtype)
    for parts, is_first in _all_parts(order.slices, subscripts, shapes):
        chosen = [
            part_of(array, labels, parts)
            for array, labels in zip(arrays, subscripts.operands)
        ]
        place = part_of(out, subscripts.result, parts)
        contract_many(chosen, place, alpha, beta if is_first else one)
