# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of all tensors of a program.

A tensor that one product reads, once, is chosen with the tree of that product. One that is read more
often is made once, in one layout, and those layouts are tried: all combinations of them if there are few, else one
tensor after the other, again and again, until none is better elsewhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ._grid import Layout
from ._statements import Statements, Value
from ._trees import Lies, Sum, Table, Trees
from ._ways import Space

# Combinations of layouts of tensors that are read several times, which are all tried.
_MOST_COMBINATIONS = 64
# Of each such tensor, the layouts that are tried where there are more, and how often.
_MOST_TRIED = 12
_MOST_ROUNDS = 3


class Roots(NamedTuple):
    """The tensors that are made one after the other, each in its layout, the seconds of all and the
    most bytes that a rank holds."""

    sums: dict[int, Sum]
    seconds: float
    peak: int


class Search:
    """Searches the layouts of one program. Tables of products that programs have in common are kept."""

    def __init__(self, space: Space, dtype: str) -> None:
        self._space = space
        self._trees = Trees(space, dtype)
        self._tables: dict[tuple, tuple[int, dict]] = {}

    def find(
        self, statements: Statements, given: Mapping[int, Layout], wanted: Mapping[int, Layout],
        memory: float,
    ) -> Roots | None:
        """The fastest way within the memory that was found; `given` says how arguments lie, and
        `wanted` how results have to."""
        free = _Problem(self, statements, given, wanted, None)
        found = free.solve()
        if found is not None and found.peak > memory:
            found = _Problem(self, statements, given, wanted, memory).solve()
        return found

    def table(
        self, statements: Statements, number: int, fixed: Mapping[int, Layout],
        targets: tuple[Layout, ...], room: float | None,
    ) -> tuple[int, dict[Layout, list[Sum]]]:
        """All layouts of a tensor that is made, while those in `fixed` are there; with a number that
        stands for all of this."""
        value = statements.values[number]
        leaves: list[list[Table]] = []
        names: list[tuple] = []
        for term in value.terms:
            tables: list[Table] = []
            for i in term.inputs:
                if i in fixed:
                    tables.append(self._trees.there(i, fixed[i]))
                    names.append((term.subscripts, statements.values[i].shape, i, fixed[i]))
                else:
                    number, sums = self.table(statements, i, fixed, (), room)
                    tables.append(
                        {
                            layout: [Lies(x.seconds, x.peak, x.held, layout, x) for x in entries]
                            for layout, entries in sums.items()
                        }
                    )
                    names.append((term.subscripts, number))
            leaves.append(tables)
        key = (tuple(names), value, targets, room)
        if key not in self._tables:
            made = [
                self._trees.of_term(
                    term, [statements.values[i].shape for i in term.inputs], tables, targets, room
                )
                for term, tables in zip(value.terms, leaves)
            ]
            self._tables[key] = (len(self._tables), self._trees.of_sum(value, made, room))
        return self._tables[key]

    def layouts(self, value: Value) -> tuple[Layout, ...]:
        return self._space.layouts(value.shape)

    def size(self, value: Value, layout: Layout) -> int:
        return self._space.size(value.shape, layout)


def roots_of(statements: Statements) -> list[int]:
    """The tensors that are made by themselves, in this order: results, and what is not read once."""
    uses, results = statements.uses(), set(statements.results.values())
    return [
        i for i in statements.order()
        if statements.values[i].terms and (i in results or uses[i] != 1)
    ]


def inputs_of(statements: Statements, roots: Collection[int], number: int) -> list[int]:
    """The roots and arguments that a tensor is made of, through what is chosen with its tree."""
    found = []
    for term in statements.values[number].terms:
        for i in term.inputs:
            is_there = i in roots or not statements.values[i].terms
            found += [i] if is_there else inputs_of(statements, roots, i)
    return found


def last_uses(statements: Statements, roots: Sequence[int]) -> dict[int, int]:
    """Of each root the position of the last one that needs it; that behind the last for results."""
    last = {i: position for position, i in enumerate(roots)}
    for position, root in enumerate(roots):
        for i in inputs_of(statements, roots, root):
            if i in last:
                last[i] = position
    last.update((i, len(roots)) for i in statements.results.values())
    return last


class _Problem:
    def __init__(
        self, search: Search, statements: Statements, given: Mapping[int, Layout],
        wanted: Mapping[int, Layout], memory: float | None,
    ) -> None:
        self._search = search
        self._statements = statements
        self._given = given
        self._wanted = wanted
        self._memory = memory
        self._roots = roots_of(statements)
        self._last = last_uses(statements, self._roots)
        uses = statements.uses()
        self._variables = [i for i in self._roots if uses[i] and i not in wanted]

    def solve(self) -> Roots | None:
        start = self._begin()
        options = [self._search.layouts(self._statements.values[i]) for i in self._variables]
        best = self._evaluate(start)
        if math.prod(map(len, options)) <= _MOST_COMBINATIONS:
            for chosen in itertools.product(*options):
                best = _better(best, self._evaluate(dict(zip(self._variables, chosen))))
            return best
        for _ in range(_MOST_ROUNDS):
            before = best
            for i, layouts in zip(self._variables, options):
                for layout in self._promising(i, layouts, start):
                    found = self._evaluate({**start, i: layout})
                    if _better(best, found) is not best:
                        best, start = found, {**start, i: layout}
            if best is before:
                break
        return best

    def _begin(self) -> dict[int, Layout]:
        """Each tensor in the layout in which it is made the fastest, after those before it; or, where bytes
        count, in the one of the fewest."""
        chosen: dict[int, Layout] = {}
        for i in self._variables:
            value = self._statements.values[i]
            if self._memory is not None:
                layouts = self._search.layouts(value)
                chosen[i] = min(layouts, key=lambda layout: self._search.size(value, layout))
                continue
            _, table = self._search.table(self._statements, i, self._fixed(chosen), (), None)
            chosen[i] = min(table, key=lambda layout: table[layout][0].seconds)
        return chosen

    def _promising(
        self, number: int, layouts: tuple[Layout, ...], chosen: Mapping[int, Layout]
    ) -> list[Layout]:
        """Layouts in which the tensor is made soon; of some that are equal, the ones that hold the least."""
        if len(layouts) <= _MOST_TRIED:
            return list(layouts)
        value = self._statements.values[number]
        others = {i: layout for i, layout in chosen.items() if i != number}
        _, table = self._search.table(self._statements, number, self._fixed(others), (), None)
        kept = [layout for layout in layouts if layout in table]
        kept.sort(key=lambda x: (table[x][0].seconds, self._search.size(value, x)))
        return kept[:_MOST_TRIED]

    def _fixed(self, chosen: Mapping[int, Layout]) -> dict[int, Layout]:
        return {**self._given, **self._wanted, **chosen}

    def _evaluate(self, chosen: Mapping[int, Layout]) -> Roots | None:
        """All roots, where the tensors that are read several times lie so."""
        statements, memory = self._statements, self._memory
        there = sum(
            self._search.size(statements.values[i], layout) for i, layout in self._given.items()
        )
        fixed = self._fixed(chosen)
        sums: dict[int, Sum] = {}
        seconds, peak = 0.0, there
        for position, root in enumerate(self._roots):
            # Tensors that are read no more are gone.
            held = there + sum(s.held for i, s in sums.items() if self._last[i] >= position)
            room = None if memory is None else memory - held
            targets = (fixed[root],) if root in fixed else ()
            # A tensor is not its own input, though its layout is known.
            others = {i: layout for i, layout in fixed.items() if i in sums or i in self._given}
            _, table = self._search.table(statements, root, others, targets, room)
            entries = (
                table.get(fixed[root], [])
                if root in fixed
                else [x for entries in table.values() for x in entries]
            )
            if not entries:
                return None
            best = min(entries, key=lambda entry: (entry.seconds, entry.peak))
            sums[root] = best
            seconds += best.seconds
            peak = max(peak, held + best.peak)
        return Roots(sums, seconds, peak)


def _better(one: Roots | None, other: Roots | None) -> Roots | None:
    if one is None or other is None:
        return one or other
    return other if (other.seconds, other.peak) < (one.seconds, one.peak) else one
