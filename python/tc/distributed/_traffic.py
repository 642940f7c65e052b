# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traffic from one layout to many others, without a list of the pieces.

A piece is a box, and what two ranks have in common is a product over the axes. So is the number of
elements and pieces that a rank sends and gets in all: of each axis, one number for each rank says
enough.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ._grid import Grid, Layout

Dims = tuple[int, ...]


def arrangements(grid_rank: int, axes: Sequence[int], rank: int) -> Iterator[Layout]:
    """All layouts of a tensor of that rank which cut some of these axes: each dimension of the grid
    along one of them or none, in any order."""
    for chosen in itertools.product((None, *axes), repeat=grid_rank):
        groups: list[list[int]] = [[] for _ in range(rank)]
        for dim, axis in enumerate(chosen):
            if axis is not None:
                groups[axis].append(dim)
        yield from itertools.product(*(itertools.permutations(group) for group in groups))


@functools.lru_cache(maxsize=64)
def _coordinates(grid: Grid) -> np.ndarray:
    """Of each rank its coordinates."""
    found = [grid.coordinates(rank) for rank in range(grid.size)]
    return np.array(found, np.int64).reshape(grid.size, len(grid.shape))


def _parts(grid: Grid, dims: Dims) -> np.ndarray:
    """Of each rank which part of an axis it has."""
    part = np.zeros(grid.size, np.int64)
    for dim in dims:
        part = part * grid.shape[dim] + _coordinates(grid)[:, dim]
    return part


@functools.lru_cache(maxsize=1 << 16)
def _along_axis(
    grid: Grid, extent: int, source: Dims, target: Dims, fixed: frozenset[int]
) -> np.ndarray:
    """Of each rank, along one axis: the elements that it has in both layouts, and in the second one; in
    how many parts of the first one these are; and the elements and parts of the second layout that it
    sends to ranks with its own coordinates along the `fixed` dimensions."""

    def bounds(dims: Dims) -> tuple[np.ndarray, np.ndarray]:
        parts = grid.parts(dims)
        number = np.arange(parts)
        return extent * number // parts, extent * (number + 1) // parts

    def common(one: Sequence, other: Sequence) -> np.ndarray:
        return np.maximum(np.minimum(one[1], other[1]) - np.maximum(one[0], other[0]), 0)

    first, second = bounds(source), bounds(target)
    has = tuple(each[_parts(grid, source)] for each in first)
    wants = tuple(each[_parts(grid, target)] for each in second)
    got = common([x[:, None] for x in wants], [x[None, :] for x in first])
    sent = common([x[:, None] for x in has], [x[None, :] for x in second])
    number = np.arange(grid.parts(target))
    for dim in reversed(target):
        number, coordinate = np.divmod(number, grid.shape[dim])
        if dim in fixed:
            sent = sent * (coordinate[None, :] == _coordinates(grid)[:, dim, None])
    return np.array(
        [
            common(has, wants),
            wants[1] - wants[0],
            np.count_nonzero(got, axis=1),
            sent.sum(axis=1),
            np.count_nonzero(sent, axis=1),
        ]
    )


class _Rows(NamedTuple):
    """Layouts as rows of tables, one table an axis: what each axis may be cut along, and which of these
    each layout has; and whether it is cut along each dimension of the grid."""

    dims: tuple[tuple[Dims, ...], ...]
    places: tuple[np.ndarray, ...]
    cuts: np.ndarray


@functools.lru_cache(maxsize=1 << 12)
def _rows_of(grid_rank: int, targets: tuple[Layout, ...]) -> _Rows:
    dims, index = [], []
    for along in zip(*targets):
        rows: dict[Dims, int] = {}
        index.append(np.array([rows.setdefault(each, len(rows)) for each in along]))
        dims.append(tuple(rows))
    cuts = np.zeros((len(targets), grid_rank), bool)
    for i, target in enumerate(targets):
        for dim in itertools.chain(*target):
            cuts[i, dim] = True
    return _Rows(tuple(dims), tuple(index), cuts)


@functools.lru_cache(maxsize=1 << 14)
def _axis_table(
    grid: Grid, extent: int, source: Dims, rows: tuple[Dims, ...], fixed: frozenset[int]
) -> np.ndarray:
    return np.stack([_along_axis(grid, extent, source, row, fixed) for row in rows], axis=1)


def move_costs(
    grid: Grid, source: Layout, targets: tuple[Layout, ...], shape: Sequence[int], partial: Dims = ()
) -> tuple[np.ndarray, np.ndarray]:
    """For each target what `traffic_of` says of the busiest rank: its elements and its messages."""
    used = {dim for dims in source for dim in dims} | set(partial)
    fixed = frozenset(range(len(grid.shape))) - used
    rows = _rows_of(len(grid.shape), targets)
    product = np.ones((5, len(targets), grid.size), np.int64)
    for extent, dims, others, index in zip(shape, source, rows.dims, rows.places):
        product *= _axis_table(grid, extent, dims, others, fixed)[:, index]
    lengths = np.array([n if dim in used else 1 for dim, n in enumerate(grid.shape)], np.int64)
    again = np.where(rows.cuts, 1, lengths).prod(axis=1)[:, None]
    summands = math.prod(grid.shape[dim] for dim in partial)
    both, wants, into, sent, out = product
    # The part of the target that a rank has itself goes nowhere.
    elements = np.maximum(wants * summands - both, sent * again - both).max(axis=1)
    keeps = both > 0
    messages = np.maximum(into * summands - keeps, out * again - keeps).max(axis=1)
    if not partial and source in targets:
        stays = targets.index(source)
        elements[stays] = messages[stays] = 0
    return elements, messages
