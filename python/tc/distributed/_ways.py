# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All ways in which ranks may contract two tensors, whichever way these lie."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .._notation.subscripts import Labels, Subscripts
from ._choose import Choice
from ._grid import Grid, Layout, Traffic
from ._machine import Machine
from ._rings import Ring, possible_rings, ring_layout, ring_seconds, ring_traffic
from ._traffic import Dims, arrangements, move_costs

Shape = tuple[int, ...]

# Layouts of one tensor, and ways to cut one product, that are looked at. Where there are more, only
# the longest axes are cut.
_MOST_LAYOUTS = 200
_MOST_CUTS = 500


class Way(NamedTuple):
    """One way: where the operands have to be, where the result then is, and the time without that of
    moving the operands. Bytes are those of the rank that has the most."""

    operands: tuple[Layout, Layout]
    out: Layout
    seconds: float
    multiply_seconds: float
    made: Layout
    partial: Dims
    ring: Ring | None
    choice: Choice
    operand_bytes: tuple[int, int]
    #: What is there besides operands while they are multiplied, and then while sums are added up.
    multiply_bytes: int
    sum_bytes: int
    out_bytes: int


def _count(axes: int, dims: int) -> int:
    """Number of layouts that cut some of so many axes."""
    return sum(
        math.comb(dims, cut) * math.prod(range(axes, axes + cut)) for cut in range(dims + 1)
    )


def _longest(extents: Sequence[int], dims: int, most: int) -> tuple[int, ...]:
    """The positions of the longest extents that may be cut, for so many layouts at most."""
    found = sorted((i for i, n in enumerate(extents) if n > 1), key=lambda i: -extents[i])
    while found and _count(len(found), dims) > most:
        found.pop()
    return tuple(sorted(found))


class Ways(NamedTuple):
    """All ways, sorted by where the result then is, with arrays over them."""

    ways: list[Way]
    #: Of each operand the layouts in which it may be needed, and which of these each way needs.
    needed: tuple[tuple[Layout, ...], tuple[Layout, ...]]
    needs: tuple[np.ndarray, np.ndarray]
    seconds: np.ndarray
    #: The layouts of results, and where the ways to each begin.
    outs: list[Layout]
    begins: np.ndarray


def _sort(ways: list[Way]) -> Ways:
    ways.sort(key=lambda way: way.out)
    rows: tuple[dict[Layout, int], dict[Layout, int]] = ({}, {})
    needs = tuple(
        np.array([found.setdefault(way.operands[side], len(found)) for way in ways])
        for side, found in enumerate(rows)
    )
    outs: list[Layout] = []
    begins = []
    for i, way in enumerate(ways):
        if not outs or way.out != outs[-1]:
            outs.append(way.out)
            begins.append(i)
    seconds = np.array([way.seconds for way in ways])
    return Ways(
        ways, (tuple(rows[0]), tuple(rows[1])), (needs[0], needs[1]), seconds, outs, np.array(begins)
    )


class Space:
    """Layouts on a grid, and what they cost on a machine."""

    def __init__(self, grid: Grid, machine: Machine, itemsize: int, allow_ring: bool) -> None:
        self.grid = grid
        self.machine = machine
        self.itemsize = itemsize
        self.allow_ring = allow_ring
        self.layouts = functools.lru_cache(maxsize=None)(self._layouts)
        self.size = functools.lru_cache(maxsize=None)(self._size)
        self._all_moves = functools.lru_cache(maxsize=None)(self._find_all_moves)
        self.move_seconds = functools.lru_cache(maxsize=None)(self._move_seconds)
        self._travel = functools.lru_cache(maxsize=None)(self._find_travel)
        self._ways_of = functools.lru_cache(maxsize=None)(self._find_ways)

    def _layouts(self, shape: Shape) -> tuple[Layout, ...]:
        """Those of a tensor that are looked at."""
        dims = len(self.grid.shape)
        axes = _longest(shape, dims, _MOST_LAYOUTS)
        return tuple(arrangements(dims, axes, len(shape)))

    def count_cuts(self, extents: Mapping[str, int]) -> int:
        """About how many ways there are to cut a product of these indices."""
        dims = len(self.grid.shape)
        return _count(len(_longest(list(extents.values()), dims, _MOST_CUTS)), dims)

    def _size(self, shape: Shape, layout: Layout) -> int:
        """Bytes of the longest block."""
        lengths = (-(-n // self.grid.parts(dims)) for n, dims in zip(shape, layout))
        return self.itemsize * math.prod(lengths)

    def _move_seconds(
        self, shape: Shape, source: Layout, targets: tuple[Layout, ...], partial: Dims = ()
    ) -> list[float]:
        elements, messages = move_costs(self.grid, source, targets, shape, partial)
        machine = self.machine
        seconds = messages * machine.latency + elements * self.itemsize / machine.bandwidth
        return seconds.tolist()

    def move_matrix(
        self, shape: Shape, sources: tuple[Layout, ...], targets: tuple[Layout, ...]
    ) -> np.ndarray:
        """The seconds from each layout to each other one."""
        known, whole = self._all_moves(shape)
        if not known.keys() >= {*sources, *targets}:
            return np.array([self.move_seconds(shape, source, targets) for source in sources])
        rows = [known[layout] for layout in sources]
        columns = [known[layout] for layout in targets]
        return whole[np.ix_(rows, columns)]

    def _find_all_moves(self, shape: Shape) -> tuple[dict[Layout, int], np.ndarray]:
        """The layouts that are looked at, and the seconds between all of them."""
        layouts = self.layouts(shape)
        whole = np.array([self.move_seconds(shape, source, layouts) for source in layouts])
        return {layout: i for i, layout in enumerate(layouts)}, whole

    def ways(self, subscripts: Subscripts, extents: Mapping[str, int]) -> Ways:
        labels = {x for each in subscripts.operands for x in each}
        return self._ways_of(subscripts, tuple((x, extents[x]) for x in sorted(labels)))

    def _find_ways(self, subscripts: Subscripts, extents: tuple[tuple[str, int], ...]) -> Ways:
        labels = [label for label, _ in extents]
        dims = len(self.grid.shape)
        axes = _longest([n for _, n in extents], dims, _MOST_CUTS)
        ways: list[Way] = []
        for cuts in arrangements(dims, axes, len(labels)):
            ways += self._ways_to_cut(subscripts, dict(extents), dict(zip(labels, cuts)))
        return _sort(ways)

    def _ways_to_cut(
        self, subscripts: Subscripts, extents: dict[str, int], cuts: dict[str, Dims]
    ) -> list[Way]:
        """With a ring and without, and with the sums at any of their places."""
        grid = self.grid

        def shape(labels: Labels) -> Shape:
            return tuple(extents[x] for x in labels)

        a, b = subscripts.operands
        result = subscripts.result
        choice: list[str | None] = [None] * len(grid.shape)
        for label, dims in cuts.items():
            for dim in dims:
                choice[dim] = label
        partial = tuple(
            dim for dim, label in enumerate(choice) if label is not None and label not in result
        )
        products = math.prod(-(-n // grid.parts(cuts[x])) for x, n in extents.items())
        multiply = products / self.machine.products
        needed = tuple(tuple(cuts[x] for x in labels) for labels in (a, b))
        made = tuple(cuts[x] for x in result)
        targets = tuple(_places_of_sums(made, partial, shape(result)))
        sums = self.move_seconds(shape(result), made, targets, partial)
        made_bytes = self.size(shape(result), made)
        rings = possible_rings((a, b), grid, extents, cuts) if self.allow_ring else ()
        ways = []
        for ring in (None, *rings):
            operands, seconds, more = list(needed), multiply, 0
            if ring:
                labels = subscripts.operands[ring.operand]
                lies = ring_layout(labels, needed[ring.operand], ring)
                operands[ring.operand] = lies
                travel = self._travel(shape(labels), lies, ring.dim)
                seconds = ring_seconds(self.machine, travel, self.itemsize, multiply)
                # The block that is multiplied and the one that arrives.
                more = 2 * self.size(shape(labels), lies)
            sizes = tuple(self.size(shape(x), y) for x, y in zip((a, b), operands))
            for target, after in zip(targets, sums):
                out_bytes = self.size(shape(result), target)
                ways.append(
                    Way(
                        (operands[0], operands[1]), target, seconds + after, multiply, made,
                        partial, ring, tuple(choice), (sizes[0], sizes[1]), made_bytes + more,
                        made_bytes + (out_bytes if partial else 0), out_bytes,
                    )
                )
        return ways

    def _find_travel(self, shape: Shape, lies: Layout, dim: int) -> Traffic:
        return ring_traffic(self.grid, lies, shape, dim)


def _places_of_sums(made: Layout, partial: Dims, shape: Shape) -> list[Layout]:
    """Targets of sums: along each dimension, each axis that is long enough is cut further or all
    ranks get the same."""
    places = [made]
    for dim in partial:
        for place in list(places):
            for axis, extent in enumerate(shape):
                if extent > 1:
                    places.append((*place[:axis], (*place[axis], dim), *place[axis + 1 :]))
    return places
