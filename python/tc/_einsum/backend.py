# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that opt_einsum, cotengra and autoray ask a backend for, besides einsum."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._arrays.host import import_array
from .._arrays.layout import as_integer
from .._device.arrays import is_on_device
from .._notation.letters import letter_of
from .einsum import einsum


def _summed_axes(axes: Any, shape: tuple[int, ...], what: str) -> list[int]:
    """The axes of an operand that are summed, counted from the first."""
    try:
        given = list(axes)
    except TypeError:
        given = [axes]
    numbers = [as_integer(axis, f"an axis of {what}") for axis in given]
    rank = len(shape)
    for axis in numbers:
        if not -rank <= axis < rank:
            raise IndexError(f"{what} has {rank} axes, but axis {axis} is to be summed")
    chosen = [axis % rank for axis in numbers]
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"an axis of {what} occurs twice in {numbers}")
    return chosen


def _as_key(axes: Any) -> Any:
    """Axes as tuples of integers or an integer, such that equal ones mean the same; None of others,
    as 1.0 equals 1."""
    if type(axes) is int:
        return axes
    if type(axes) not in (tuple, list) or len(axes) != 2:
        return None
    key = tuple([tuple(x) if type(x) in (tuple, list) else x for x in axes])
    for each in key:
        if type(each) is not int and (type(each) is not tuple or not set(map(type, each)) <= {int}):
            return None
    return key


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``numpy.tensordot``, as a contraction, by the same rules: the summed axes
    have equal extents, and none occurs twice."""
    if type(a) is np.ndarray and type(b) is np.ndarray:
        key = _as_key(axes)
        if key is not None:
            return einsum(_spell_again(a.shape, b.shape, key), a, b)
    return einsum(_spell(np.shape(a), np.shape(b), axes), a, b)


def _spell(shape_a: tuple[int, ...], shape_b: tuple[int, ...], axes: Any) -> str:
    """The subscripts of a product of arrays with these shapes."""
    rank_a, rank_b = len(shape_a), len(shape_b)
    try:
        first, second = axes
    except TypeError:
        count = as_integer(axes, "axes")
        first, second = range(-count, 0), range(count)
    except ValueError:
        raise ValueError(
            f"axes is {axes!r}, which is neither a number nor a pair of those of operand 0 and "
            "operand 1"
        ) from None
    summed_a = _summed_axes(first, shape_a, "operand 0")
    summed_b = _summed_axes(second, shape_b, "operand 1")
    if len(summed_a) != len(summed_b):
        raise ValueError(
            f"{len(summed_a)} axes of operand 0 are to be summed, but "
            f"{len(summed_b)} of operand 1"
        )
    labels_a = [letter_of(i) for i in range(rank_a)]
    labels_b = [letter_of(rank_a + i) for i in range(rank_b)]
    for axis_a, axis_b in zip(summed_a, summed_b):
        if shape_a[axis_a] != shape_b[axis_b]:
            raise ValueError(
                f"axis {axis_a} of operand 0 has extent {shape_a[axis_a]}, but axis "
                f"{axis_b} of operand 1, with which it is summed, {shape_b[axis_b]}"
            )
        labels_b[axis_b] = labels_a[axis_a]
    summed = {labels_a[axis] for axis in summed_a}
    result = [label for label in labels_a + labels_b if label not in summed]
    return f"{''.join(labels_a)},{''.join(labels_b)}->{''.join(result)}"


_spell_again = functools.lru_cache(maxsize=4096)(_spell)


def transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    """``numpy.transpose``: a view."""
    if is_on_device(a, "operand 0"):
        order = tuple(axes) if axes is not None else tuple(reversed(range(a.ndim)))
        # PyTorch's transpose is of two axes.
        return (a.permute if hasattr(a, "permute") else a.transpose)(order)
    array, make = import_array(a, "operand 0")
    return make(np.transpose(array, axes))


def array(a: Any) -> Any:
    """An array as it is; of anything else NumPy makes one."""
    return a if hasattr(a, "shape") else np.asarray(a)


def reshape(a: Any, shape: Sequence[int]) -> Any:
    """``numpy.reshape``, by the array's own library."""
    return array(a).reshape(tuple(shape))


def conj(a: Any) -> Any:
    """``numpy.conj``, by the array's own library."""
    return array(a).conj()
