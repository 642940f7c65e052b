# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of tensors on a grid of ranks, and the moves from one such layout to another."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Of each axis of a tensor the dimensions of the grid along which it is cut, the one of the
# longest parts first. Along a dimension that is nowhere, all ranks have the same.
Layout = tuple[tuple[int, ...], ...]
Box = tuple[tuple[int, int], ...]


class Grid(NamedTuple):
    """Ranks in the order of their coordinates, the last of which is the fastest."""

    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def coordinates(self, rank: int) -> tuple[int, ...]:
        found = []
        for extent in reversed(self.shape):
            rank, coordinate = divmod(rank, extent)
            found.append(coordinate)
        return tuple(reversed(found))

    def rank(self, coordinates: Sequence[int]) -> int:
        number = 0
        for extent, coordinate in zip(self.shape, coordinates):
            number = number * extent + coordinate
        return number

    def parts(self, dims: Sequence[int]) -> int:
        """Into how many parts an axis is cut."""
        return math.prod(self.shape[dim] for dim in dims)

    def part(self, dims: Sequence[int], coordinates: Sequence[int]) -> int:
        """Part that ranks with such coordinates have."""
        number = 0
        for dim in dims:
            number = number * self.shape[dim] + coordinates[dim]
        return number

    def box(self, layout: Layout, shape: Sequence[int], coordinates: Sequence[int]) -> Box:
        """The elements that ranks with such coordinates have, from and to along each axis. Parts
        differ by one element at most, and may have none."""
        bounds = []
        for dims, extent in zip(layout, shape):
            parts, part = self.parts(dims), self.part(dims, coordinates)
            bounds.append((extent * part // parts, extent * (part + 1) // parts))
        return tuple(bounds)


def size_of(box: Box) -> int:
    return math.prod(end - begin for begin, end in box)


def intersect(one: Box, other: Box) -> Box:
    """The elements of both; perhaps none, as a box that ends before it begins does not."""
    return tuple(
        (max(a, c), max(min(b, d), a, c)) for (a, b), (c, d) in zip(one, other)
    )


def check_layout(grid: Grid, layout: Sequence[object], rank: int, what: str) -> Layout:
    """A layout as it is given: for each axis None, a dimension of the grid, or several."""
    if len(layout) != rank:
        raise ValueError(f"{what} has {rank} axes, but its layout {len(layout)}: {layout!r}")
    checked: list[tuple[int, ...]] = []
    for entry in layout:
        if entry is None:
            entry = ()
        checked.append((entry,) if isinstance(entry, int) else tuple(entry))  # type: ignore[arg-type]
    used = [dim for dims in checked for dim in dims]
    for dim in used:
        if not isinstance(dim, int) or not 0 <= dim < len(grid.shape):
            raise ValueError(
                f"the layout of {what} names dimension {dim!r} of the grid, which has "
                f"{len(grid.shape)}"
            )
        if used.count(dim) > 1:
            raise ValueError(f"the layout of {what} names dimension {dim} of the grid twice")
    return tuple(checked)


class Piece(NamedTuple):
    """Elements that go from one rank to another."""

    source: int
    target: int
    box: Box


def _sources(
    grid: Grid, source: Layout, shape: Sequence[int], partial: Sequence[int],
    at: tuple[int, ...], box: Box,
) -> Iterator[tuple[int, Box]]:
    """The ranks that have parts of a box, and which: of ranks that have the same, the one
    that is at the same place along the other dimensions."""
    choices = [[coordinate] for coordinate in at]
    for dim in partial:
        choices[dim] = list(range(grid.shape[dim]))
    for dims, extent, (begin, end) in zip(source, shape, box):
        parts = grid.parts(dims)
        low = [False] * parts
        for part in range(parts):
            low[part] = extent * part // parts < end and extent * (part + 1) // parts > begin
        for dim in dims:
            choices[dim] = list(range(grid.shape[dim]))
        if sum(low) == parts:
            continue
        # Of the first dimensions only those that have something.
        below = parts
        for dim in dims:
            below //= grid.shape[dim]
            choices[dim] = [
                c for c in choices[dim]
                if any(low[i] for i in range(parts) if i // below % grid.shape[dim] == c)
            ]
    for coordinates in itertools.product(*choices):
        common = intersect(grid.box(source, shape, coordinates), box)
        if size_of(common):
            yield grid.rank(coordinates), common


def pieces_for(
    grid: Grid, source: Layout, target: Layout, shape: tuple[int, ...],
    partial: tuple[int, ...], rank: int,
) -> list[Piece]:
    """Pieces that a rank gets, from itself, too, to have its part of the second layout; along
    `partial` dimensions, ranks have summands, all of which it gets, in the order of ranks."""
    at = grid.coordinates(rank)
    box = grid.box(target, shape, at)
    if size_of(box) == 0:
        return []
    return [
        Piece(other, rank, common)
        for other, common in _sources(grid, source, shape, partial, at, box)
    ]


@functools.lru_cache(maxsize=4096)
def all_pieces(
    grid: Grid, source: Layout, target: Layout, shape: tuple[int, ...], partial: tuple[int, ...] = ()
) -> tuple[Piece, ...]:
    """Pieces that all ranks get, by target and then by source."""
    return tuple(
        piece
        for rank in range(grid.size)
        for piece in sorted(pieces_for(grid, source, target, shape, partial, rank))
    )


class Traffic(NamedTuple):
    """Elements that leave each rank for others, and of the busiest rank the elements
    and messages that it sends or gets."""

    sent: tuple[int, ...]
    most: int
    messages: int

    @property
    def total(self) -> int:
        return sum(self.sent)


@functools.lru_cache(maxsize=4096)
def traffic_of(
    grid: Grid, source: Layout, target: Layout, shape: tuple[int, ...], partial: tuple[int, ...] = ()
) -> Traffic:
    """Traffic from one layout to another."""
    sent, got, out, into = ([0] * grid.size for _ in range(4))
    if source != target or partial:
        for piece in all_pieces(grid, source, target, shape, partial):
            if piece.source != piece.target:
                count = size_of(piece.box)
                sent[piece.source] += count
                got[piece.target] += count
                out[piece.source] += 1
                into[piece.target] += 1
    return Traffic(tuple(sent), max(sent + got), max(out + into))


def name_move(source: Layout, target: Layout) -> str:
    """Name of a movement."""
    if source == target:
        return "stays"
    pairs = list(zip(source, target))
    if all(new[: len(old)] == old for old, new in pairs):
        return "is cut where it lies"
    if all(old[: len(new)] == new for old, new in pairs):
        return "all-gather"
    return "all-to-all"
