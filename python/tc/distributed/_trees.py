# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tree of a product and the layout of each of its temporaries, chosen together.

Of each subset of the factors, and of each layout in which their product may lie, the fastest way to make it is
kept: from each two parts of the subset, each as it lies the best for that, in each way to multiply them.
Where memory is short, a way that takes longer is kept, too, if it holds fewer bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Union

import numpy as np

from .._notation.subscripts import Labels, Subscripts
from .._order.search import Machine as OrderMachine
from .._order.search import find_order
from ._cut import steps_of
from ._grid import Layout
from ._statements import Shape, Term, Value
from ._ways import Space, Way

# Products of more tensors than this, or with more ways to multiply in all trees together than that,
# are contracted in the order that the model finds for one rank.
_MOST_FACTORS = 8
_MOST_COMBINATIONS = 400_000


class Lies(NamedTuple):
    """A tensor, and how it was made: the seconds for that, the most bytes that a rank holds until it is
    there, and those of its block; none of what is there anyway."""

    seconds: float
    peak: int
    held: int
    layout: Layout
    #: What it is made by, or the number of a tensor that is there.
    made: Made | Sum | int


class Needed(NamedTuple):
    """The same, moved to where it is multiplied: the bytes while it moves and behind that."""

    seconds: float
    peak: int
    held: int
    moving: int
    after: int
    layout: Layout
    source: Lies


class Made(NamedTuple):
    """A product of two, before it is moved to where it is kept."""

    seconds: float
    peak: int
    held: int
    layout: Layout
    way: Way
    subscripts: Subscripts
    extents: Mapping[str, int]
    operands: tuple[Needed, Needed]
    #: Whether the second operand is made before the first one.
    is_swapped: bool


class Sum(NamedTuple):
    """A tensor as the sum of its terms, all in one layout."""

    seconds: float
    peak: int
    held: int
    layout: Layout
    value: Value
    terms: tuple[Lies, ...]


Entry = Union[Lies, Needed, Made, Sum]
Table = dict[Layout, list[Lies]]


class _Pair(NamedTuple):
    """Two parts of a product."""

    subscripts: Subscripts
    left: Table
    right: Table


def _figures_of(entry: Entry) -> tuple[float, ...]:
    """The seconds and all bytes."""
    return entry[:5] if isinstance(entry, Needed) else entry[:3]


def keep(front: list, entry: Entry) -> None:
    """Adds an entry unless another one is as good in seconds and in all bytes, and drops those that are not
    any more."""

    def is_as_good(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        return all(mine <= theirs for mine, theirs in zip(one, other))

    own = _figures_of(entry)
    if any(is_as_good(_figures_of(other), own) for other in front):
        return
    front[:] = [other for other in front if not is_as_good(own, _figures_of(other))]
    front.append(entry)


class Trees:
    """Searches trees. With `room`, no rank holds more bytes besides what is there anyway."""

    def __init__(self, space: Space, dtype: str) -> None:
        self._space = space
        self._dtype = dtype

    def there(self, number: int, layout: Layout) -> Table:
        """The table of a tensor that is there."""
        return {layout: [Lies(0.0, 0, 0, layout, number)]}

    def of_sum(
        self, value: Value, terms: Sequence[Table], room: float | None
    ) -> dict[Layout, list[Sum]]:
        """A tensor of its terms, each added to those before it where these lie."""
        found: dict[Layout, list[Sum]] = {}
        for layout in terms[0]:
            size = self._space.size(value.shape, layout)
            sums = [Sum(x.seconds, x.peak, size, layout, value, (x,)) for x in terms[0][layout]]
            for table in terms[1:]:
                longer: list[Sum] = []
                for so_far in sums:
                    for term in table.get(layout, ()):
                        peak = max(so_far.peak, size + term.peak)
                        seconds = so_far.seconds + term.seconds
                        if room is None or peak <= room:
                            every = (*so_far.terms, term)
                            keep(longer, Sum(seconds, peak, size, layout, value, every))
                sums = longer
            if sums:
                found[layout] = sums
        return found

    def of_term(
        self, term: Term, shapes: Sequence[Shape], leaves: Sequence[Table],
        targets: Iterable[Layout], room: float | None,
    ) -> Table:
        """Of a product of tensors which lie as their tables say; in all layouts that are looked at, and in
        `targets`."""
        extents = dict(
            (x, n) for labels, s in zip(term.subscripts.operands, shapes) for x, n in zip(labels, s)
        )
        lists = list(term.subscripts.operands)
        tables = {1 << i: table for i, table in enumerate(leaves)}
        if len(lists) == 1:
            # The other operand is a number, which all ranks have.
            lists.append(())
            tables[2] = self.there(-1, ())
        names = {1 << i: labels for i, labels in enumerate(lists)}
        whole = (1 << len(lists)) - 1
        for subset, splits in self._splits(term, lists, extents).items():
            names[subset] = _labels_of(subset, lists, term.subscripts.result)
            pairs = [
                _Pair(Subscripts((names[left], names[right]), names[subset]), tables[left], tables[right])
                for left, right in splits
            ]
            made = self._fastest(pairs, extents) if room is None else self._within(pairs, extents, room)
            shape = tuple(extents[x] for x in names[subset])
            wanted = dict.fromkeys((*self._space.layouts(shape), *made))
            if subset == whole:
                wanted.update(dict.fromkeys(targets))
            tables[subset] = self._store(made, shape, tuple(wanted), room)
        return tables[whole]

    def _splits(
        self, term: Term, lists: Sequence[Labels], extents: Mapping[str, int]
    ) -> dict[int, list[tuple[int, int]]]:
        """The subsets of more than one factor that are looked at, smaller ones first, and the pairs that
        they are made of."""
        count = len(lists)
        pairs = (3**count + 1) // 2 - 2**count
        subscripts = Subscripts(tuple(lists), term.subscripts.result)
        if count <= _MOST_FACTORS:
            if count == 2 or pairs * self._space.count_cuts(extents) <= _MOST_COMBINATIONS:
                return {
                    subset: [
                        (part, subset - part)
                        for part in _parts_of(subset)
                        if part > subset - part
                    ]
                    for subset in range(1, 1 << count)
                    if subset & (subset - 1)
                }
        shapes = tuple(tuple(extents[x] for x in labels) for labels in lists)
        machine = OrderMachine("cpu", 1, "plus_times", None)
        order = find_order(subscripts, shapes, [self._dtype] * count, True, machine)
        found: dict[int, list[tuple[int, int]]] = {}
        subsets = [1 << i for i in range(count)]
        for step in steps_of(subscripts, order.path):
            left, right = (subsets[i] for i in step.reads)
            found[left | right] = [(left, right)]
            subsets.append(left | right)
        return found

    def _fastest(
        self, pairs: Sequence[_Pair], extents: Mapping[str, int]
    ) -> dict[Layout, list[Made]]:
        """The fastest way to multiply one of the pairs for each layout of the result. Tables have one entry
        for each layout."""
        best: dict[Layout, tuple[float, int, int]] = {}
        sides: dict[tuple[int, int], np.ndarray] = {}
        for number, pair in enumerate(pairs):
            ways = self._space.ways(pair.subscripts, extents)
            total = ways.seconds
            for side, (table, labels) in enumerate(zip(pair[1:], pair.subscripts.operands)):
                shape = tuple(extents[x] for x in labels)
                moving = self._space.move_matrix(shape, tuple(table), ways.needed[side])
                seconds = moving + np.array([front[0].seconds for front in table.values()])[:, None]
                sides[number, side] = seconds.argmin(axis=0)
                total = total + seconds.min(axis=0)[ways.needs[side]]
            least = np.minimum.reduceat(total, ways.begins).tolist()
            ends = [*ways.begins[1:].tolist(), len(total)]
            for out, seconds, begin, end in zip(ways.outs, least, ways.begins.tolist(), ends):
                if out not in best or seconds < best[out][0]:
                    best[out] = (seconds, number, begin + int(total[begin:end].argmin()))
        made = {}
        for out, (_, number, position) in best.items():
            pair = pairs[number]
            ways = self._space.ways(pair.subscripts, extents)
            way = ways.ways[position]
            a, b = (
                self._need(
                    list(table.values())[sides[number, side][ways.needs[side][position]]][0],
                    tuple(extents[x] for x in labels), way.operands[side],
                )
                for side, (table, labels) in enumerate(zip(pair[1:], pair.subscripts.operands))
            )
            made[out] = [_multiply(a, b, way, pair.subscripts, extents)]
        return made

    def _need(self, source: Lies, shape: Shape, layout: Layout) -> Needed:
        """A tensor, moved to where it is needed."""
        if source.layout == layout:
            return Needed(
                source.seconds, source.peak, source.held, source.held, source.held, layout, source
            )
        (moving,) = self._space.move_seconds(shape, source.layout, (layout,))
        size, held = self._space.size(shape, layout), source.held
        return Needed(source.seconds + moving, source.peak, held, held + size, size, layout, source)

    def _within(
        self, pairs: Sequence[_Pair], extents: Mapping[str, int], room: float
    ) -> dict[Layout, list[Made]]:
        """All ways to multiply one of the pairs that no other one beats in both seconds and bytes."""
        made: dict[Layout, list[Made]] = {}
        for pair in pairs:
            ways = self._space.ways(pair.subscripts, extents)
            first, second = (
                self._move(table, tuple(extents[x] for x in labels), needed, room)
                for table, labels, needed in zip(pair[1:], pair.subscripts.operands, ways.needed)
            )
            for way in ways.ways:
                front = made.setdefault(way.out, [])
                for a in first[way.operands[0]]:
                    for b in second[way.operands[1]]:
                        entry = _multiply(a, b, way, pair.subscripts, extents)
                        if entry.peak <= room:
                            keep(front, entry)
        return made

    def _move(
        self, table: Table, shape: Shape, targets: tuple[Layout, ...], room: float
    ) -> dict[Layout, list[Needed]]:
        """The tensor of a table, in layouts in which it is needed."""
        found: dict[Layout, list[Needed]] = {target: [] for target in targets}
        for entries in table.values():
            for target in targets:
                for entry in entries:
                    needed = self._need(entry, shape, target)
                    if max(needed.peak, needed.moving) <= room:
                        keep(found[target], needed)
        return found

    def _store(
        self, made: dict[Layout, list[Made]], shape: Shape, targets: tuple[Layout, ...],
        room: float | None,
    ) -> Table:
        """Table that was made, where it may be kept."""
        if room is None:
            moving = self._space.move_matrix(shape, tuple(made), targets)
            entries = [front[0] for front in made.values()]
            seconds = moving + np.array([entry.seconds for entry in entries])[:, None]
            chosen = seconds.argmin(axis=0).tolist()
            return {
                target: [self._lie(entries[i], shape, target, float(seconds[i, number]))]
                for number, (target, i) in enumerate(zip(targets, chosen))
            }
        found: Table = {target: [] for target in targets}
        for layout, front in made.items():
            moves = self._space.move_seconds(shape, layout, targets)
            for target, moved in zip(targets, moves):
                for entry in front:
                    lies = self._lie(entry, shape, target, entry.seconds + moved)
                    if lies.peak <= room:
                        keep(found[target], lies)
        return {target: front for target, front in found.items() if front}

    def _lie(self, made: Made, shape: Shape, layout: Layout, seconds: float) -> Lies:
        size = self._space.size(shape, layout)
        peak = made.peak if made.layout == layout else max(made.peak, made.held + size)
        return Lies(seconds, peak, size, layout, made)


def _multiply(
    a: Needed, b: Needed, way: Way, subscripts: Subscripts, extents: Mapping[str, int]
) -> Made:
    peak, is_swapped = _peak_of(a, b, way)
    seconds = a.seconds + b.seconds + way.seconds
    return Made(
        seconds, peak, way.out_bytes, way.out, way, subscripts, extents, (a, b), is_swapped
    )


def _parts_of(subset: int) -> Iterable[int]:
    part = (subset - 1) & subset
    while part:
        yield part
        part = (part - 1) & subset


def _labels_of(subset: int, lists: Sequence[Labels], result: Labels) -> Labels:
    """The indices of a product of some factors, in the order of the result for all of them."""
    if subset == (1 << len(lists)) - 1:
        return result
    outside = set(result)
    inside: dict[str, None] = {}
    for i, labels in enumerate(lists):
        if subset >> i & 1:
            inside.update(dict.fromkeys(labels))
        else:
            outside.update(labels)
    return tuple(label for label in inside if label in outside)


def _peak_of(a: Needed, b: Needed, way: Way) -> tuple[int, bool]:
    """The most bytes that are held until the product is there, with the operand first for which that is less,
    and whether that is the second one. Both are moved behind that, the first operand first."""
    in_order = max(a.source.peak, a.held + b.source.peak)
    swapped = max(b.source.peak, b.held + a.source.peak)
    later = max(
        a.moving + b.held, a.after + b.moving, a.after + b.after + way.multiply_bytes, way.sum_bytes
    )
    return max(min(in_order, swapped), later), swapped < in_order
