# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of tensors that lie in files, and the order of their products."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .. import _native
from .._notation.subscripts import Labels, Subscripts
from .._order.search import spell_subscripts
from ._grid import Box, size_of
from ._machine import Machine

#: Tiles at most, as slices.
MOST_SLICES = _native.MOST_SLICES
# Bytes that are read at once, whatever is needed of them.
PAGE = 4096
# Bytes of files that are mapped at the same time, for each thread that reads or writes.
MAPPED = 4 << 20
# Bytes for panels that a multiplication packs.
PANELS = 8 << 20
# Tiles of the result that there are to be, so that ranks have something to do, if none are asked for; how many times the
# pages may be read and written then, and multiplications of a tile at least.
_ENOUGH_TILES, _MOST_PAGES, _LEAST_PRODUCTS = 64, 1.1, 1 << 24

# Of an index the number of its tile.
Tile = Mapping[str, int]


class TilePlan(NamedTuple):
    """The length of each index's tiles, and whether those of B's own indices are outside of
    those of A's. `str` of it explains it."""

    subscripts: Subscripts
    extents: Mapping[str, int]
    itemsize: int
    lengths: Mapping[str, int]
    b_outside: bool
    text: str = ""

    def __str__(self) -> str:
        return self.text

    def tiles(self, label: str) -> int:
        if self.extents[label] == 0:
            # A sum over nothing is a number, too.
            return 0 if label in self.subscripts.result else 1
        return -(-self.extents[label] // self.lengths[label])

    def size(self, labels: Labels) -> int:
        """Bytes of the largest tile of a tensor."""
        return self.itemsize * math.prod(self.lengths[label] for label in labels)

    @property
    def memory(self) -> int:
        """Bytes for panels, files and tiles: of each tensor one that is multiplied, and one that is
        read or written."""
        terms = (*self.subscripts.operands, self.subscripts.result)
        return sum(2 * self.size(labels) for labels in terms) + 2 * MAPPED + PANELS

    def box(self, labels: Labels, tile: Tile) -> Box:
        """The elements of a tensor's tile, from and to along each axis."""
        bounds = []
        for label in labels:
            begin = tile[label] * self.lengths[label]
            bounds.append((begin, min(begin + self.lengths[label], self.extents[label])))
        return tuple(bounds)

    def _kinds(self) -> tuple[Labels, Labels, Labels, Labels]:
        """The indices of the batch, those of A and of B in the result, and the summed ones."""
        a, b = self.subscripts.operands
        result = self.subscripts.result
        return (
            tuple(x for x in result if x in a and x in b),
            tuple(x for x in result if x not in b),
            tuple(x for x in result if x not in a),
            tuple(x for x in self.extents if x not in result),
        )

    @property
    def count(self) -> int:  # type: ignore[override]
        """Tiles that are multiplied."""
        return math.prod(map(self.tiles, self.extents))

    @property
    def result_tiles(self) -> int:
        return math.prod(map(self.tiles, self.subscripts.result))

    def share(self, rank: int, ranks: int) -> range:
        """The tiles of the result that a rank makes: as many as others, one after the other."""
        return range(self.result_tiles * rank // ranks, self.result_tiles * (rank + 1) // ranks)

    def steps(self, share: range) -> Iterator[tuple[Tile, bool, bool]]:
        """The tiles that are multiplied one after the other for some tiles of the result, and whether each is the
        first and the last of its tile of the result. Summed tiles go forth and back, so that a tile of an operand is
        used twice where they turn; the way that they go is that of the tile of the result, whoever makes it."""
        batch, m, n, k = self._kinds()
        outer, inner = (n, m) if self.b_outside else (m, n)
        labels = (*batch, *outer, *inner)

        def over(labels: Labels) -> Iterator[tuple[int, ...]]:
            return itertools.product(*(range(self.tiles(label)) for label in labels))

        forth = list(over(k))
        back = forth[::-1]
        made = itertools.islice(enumerate(over(labels)), share.start, share.stop)
        for place, part in made:
            tile = dict(zip(labels, part))
            for number, each in enumerate(back if place % 2 else forth):
                yield {**tile, **dict(zip(k, each))}, number == 0, number + 1 == len(forth)

    def transfers(self, share: range | None = None) -> tuple[int, int]:
        """Bytes that are read and written for some tiles of the result, or for all."""
        read = written = 0
        last: list[Box | None] = [None, None]
        for tile, _, is_last in self.steps(range(self.result_tiles) if share is None else share):
            for operand, labels in enumerate(self.subscripts.operands):
                box = self.box(labels, tile)
                if box != last[operand]:
                    last[operand] = box
                    read += self.itemsize * size_of(box)
            written += is_last * self.itemsize * size_of(self.box(self.subscripts.result, tile))
        return read, written

    def pages(self) -> float:
        """About the bytes of pages that are read and written, which is what takes time."""
        batch, m, n, k = self._kinds()

        def count(labels: Labels) -> int:
            return math.prod(map(self.tiles, labels))

        once = count(k) == 1
        again = (
            (1 if once and not self.b_outside else count(n)),
            (1 if once and self.b_outside else count(m)),
            1,
        )
        terms = (*self.subscripts.operands, self.subscripts.result)
        return sum(times * self._touched(labels) for times, labels in zip(again, terms))

    def _touched(self, labels: Labels) -> float:
        """Bytes of pages that hold a tensor's tiles, one tile after the other."""
        run = self.itemsize
        for label in reversed(labels):
            run *= self.lengths[label]
            if self.lengths[label] < self.extents[label]:
                break
        whole = self.itemsize * math.prod(self.extents[label] for label in labels)
        return whole * (1 + PAGE / max(run, 1)) if run < whole else whole


def find_tiles(
    subscripts: Subscripts,
    extents: Mapping[str, int],
    itemsize: int,
    memory: int,
    machine: Machine,
    least: int | None,
) -> TilePlan:
    """The tiles that fit the memory and for which the fewest pages are read and written: cut
    in halves, where that costs the least for what it saves, and then made longer as long as all fits. Those of the result
    are cut further until there are so many at least; if that is None, as long as it is worth it for ranks."""
    best = _cut_to_fit(subscripts, extents, itemsize, memory)
    if best.count > MOST_SLICES:
        low, high = memory, TilePlan(subscripts, extents, itemsize, dict(extents), False).memory
        while high > low + 1 + low // 1000:
            middle = (low + high) // 2
            is_enough = _cut_to_fit(subscripts, extents, itemsize, middle).count <= MOST_SLICES
            low, high = (low, middle) if is_enough else (middle, high)
        raise MemoryError(
            f"memory is {memory} bytes, which asks for {best.count} tiles, but there are {MOST_SLICES} at most; "
            f"{high} bytes would do"
        )
    best = _cut_result(best, least)
    if best.count > MOST_SLICES:
        raise ValueError(f"tiles asks for {best.count}, but there are {MOST_SLICES} at most")
    return best._replace(text=_explain(best, memory, machine))


def _cut_to_fit(
    subscripts: Subscripts, extents: Mapping[str, int], itemsize: int, memory: int
) -> TilePlan:
    best: TilePlan | None = None
    for b_outside in (False, True):
        plan = TilePlan(subscripts, extents, itemsize, dict(extents), b_outside)
        while plan.memory > memory:
            shorter = [
                plan._replace(lengths={**plan.lengths, label: -(-length // 2)})
                for label, length in plan.lengths.items()
                if length > 1
            ]
            # An index that is in two tensors only saves nothing by itself if others are as long.
            shorter = [each for each in shorter if each.memory < plan.memory]
            if not shorter:
                raise MemoryError(
                    f"memory is {memory} bytes, but tiles of one element take {plan.memory}"
                )
            room, pages = plan.memory, plan.pages()
            plan = min(
                shorter,
                key=lambda each: (max(each.pages() / max(pages, 1) - 1, 0) + 1e-9)
                / math.log(room / each.memory),
            )
        plan = _lengthen(plan, memory)
        if best is None or plan.pages() < best.pages():
            best = plan
    assert best
    return best


def _cut_result(plan: TilePlan, least: int | None) -> TilePlan:
    """More tiles of the result, along the indices for which the fewest pages are read more."""
    if 0 in plan.extents.values():
        return plan
    wanted, most = (_ENOUGH_TILES, _MOST_PAGES * plan.pages()) if least is None else (least, math.inf)
    while plan.result_tiles < wanted:
        shorter = [
            plan._replace(lengths={**plan.lengths, label: -(-plan.lengths[label] // 2)})
            for label in plan.subscripts.result
            if plan.lengths[label] > 1
        ]
        finer = min(shorter, key=lambda each: (each.pages(), each.memory), default=None)
        if finer is None:
            if least is None:
                break
            raise ValueError(f"tiles is {least}, but the result has {plan.result_tiles} at most")
        products = math.prod(
            finer.lengths[label] if label in plan.subscripts.result else extent
            for label, extent in plan.extents.items()
        )
        if finer.pages() > most or (least is None and products < _LEAST_PRODUCTS):
            break
        plan = finer
    return plan


def _lengthen(plan: TilePlan, memory: int) -> TilePlan:
    """Fewer tiles along an index, as long as all fits and no more is read."""
    while True:
        longer = []
        for label in plan.lengths:
            tiles = plan.tiles(label)
            for fewer in {tiles - 1, tiles * 3 // 4, tiles * 7 // 8}:
                if 1 <= fewer < tiles:
                    length = -(-plan.extents[label] // fewer)
                    each = plan._replace(lengths={**plan.lengths, label: length})
                    if each.memory <= memory and each.pages() <= plan.pages():
                        longer.append(each)
        if not longer:
            return plan
        plan = min(longer, key=lambda each: (each.pages(), each.memory))


def _explain(plan: TilePlan, memory: int, machine: Machine) -> str:
    read, written = plan.transfers()
    terms = (*plan.subscripts.operands, plan.subscripts.result)
    spec = spell_subscripts(plan.subscripts)
    whole = plan.itemsize * sum(
        math.prod(plan.extents[label] for label in labels) for labels in terms
    )
    disk = plan.pages() / machine.disk
    products = math.prod(plan.extents.values()) / machine.products
    lengths = ", ".join(
        f"{label} {plan.lengths[label]} of {extent}" for label, extent in plan.extents.items()
    )
    return "\n".join(
        [
            f"{spec} from files, within {memory} B: {max(disk, products):.4g} s predicted",
            f"  tiles         {plan.count}: {lengths}",
            f"  memory        {plan.memory} B",
            f"  moved         {read} B read, {written} B written, of {whole} B",
            f"  disk          {disk:.4g} s, at {machine.disk:.4g} B/s, whole pages",
            f"  multiplied    in {products:.4g} s, at {machine.products:.4g} products a second",
        ]
    )
