# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices of a product that are cut, and into how many parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from .._messages.errors import UnsupportedError
from .._notation.subscripts import Labels, Subscripts
from .._order.path import Path, Slice

# Slices of fewer multiplications are not cut further, unless more slices are asked for.
_LEAST_PRODUCTS = 1 << 20
# Highest ratio of the multiplications in slices to those of the whole.
_MOST_RATIO = 1.5


class Step(NamedTuple):
    """One contraction of a path: its indices, those of its result, and what it reads: operands
    by their numbers, and results of steps, the first of which has the number behind those."""

    indices: frozenset[str]
    result: frozenset[str]
    reads: tuple[int, ...]


def steps_of(subscripts: Subscripts, path: Path) -> list[Step]:
    """The contractions of two that a path is made of, in its order."""
    count = len(subscripts.operands)
    terms = [(frozenset(labels), number) for number, labels in enumerate(subscripts.operands)]
    steps: list[Step] = []
    for positions in path:
        chosen = [terms[i] for i in positions]
        terms = [each for i, each in enumerate(terms) if i not in positions]
        made = chosen.pop(0)
        while True:
            pair = [made, chosen.pop(0)] if chosen else [made]
            rest = frozenset(subscripts.result).union(*(each[0] for each in terms + chosen))
            indices = frozenset().union(*(each[0] for each in pair))
            steps.append(Step(indices, indices & rest, tuple(each[1] for each in pair)))
            made = (indices & rest, count + len(steps) - 1)
            if not chosen:
                break
        terms.append(made)
    return steps


class Cuts:
    """A product whose indices are cut further and further."""

    def __init__(
        self, subscripts: Subscripts, path: Path, extents: Mapping[str, int], itemsize: int
    ) -> None:
        self._steps = steps_of(subscripts, path)
        self._operands = len(subscripts.operands)
        self.extents = extents
        self._itemsize = itemsize
        self.lengths = dict(extents)
        self._whole = self.products

    def parts(self, index: str) -> int:
        # Of nothing there is one part.
        return -(-self.extents[index] // max(self.lengths[index], 1)) or 1

    @property
    def count(self) -> int:
        """Number of slices."""
        return math.prod(map(self.parts, self.extents))

    def _size(self, indices: frozenset[str]) -> int:
        return math.prod(self.lengths[index] for index in indices)

    @property
    def products(self) -> int:
        """Multiplications of one slice."""
        return sum(self._size(step.indices) for step in self._steps)

    @property
    def ratio(self) -> float:
        """Ratio of the multiplications of all slices to those of the whole."""
        return self.count * self.products / max(self._whole, 1)

    def _measure(self) -> tuple[list[int], list[list[int]]]:
        """For each step, elements of results that are there at the same time until it is done, and the steps
        whose results it reads, in the order that takes the fewest: the one first that needs the most for
        what it leaves."""
        peaks: list[int] = []
        orders: list[list[int]] = []
        sizes = [self._size(step.result) for step in self._steps]
        for number, step in enumerate(self._steps):
            before = [read - self._operands for read in step.reads if read >= self._operands]
            before.sort(key=lambda i: sizes[i] - peaks[i])
            live = most = 0
            for i in before:
                most = max(most, live + peaks[i])
                live += sizes[i]
            # The last result is none between steps.
            own = sizes[number] if number + 1 < len(self._steps) else 0
            peaks.append(max(most, live + own))
            orders.append(before)
        return peaks, orders

    @property
    def peak(self) -> int:
        """Bytes that results between steps take at the same time, if those of a subtree are made
        one after the other."""
        return self._itemsize * self._measure()[0][-1]

    def path(self) -> Path:
        """The same tree, step by step in the order of `peak`."""
        orders = self._measure()[1]
        done: list[int] = []
        waiting = [len(self._steps) - 1]
        while waiting:
            # From the last step backwards, and so the last of those before it first.
            number = waiting.pop()
            done.append(number)
            waiting += orders[number]
        there = list(range(self._operands))
        path = []
        for number in reversed(done):
            positions = tuple(there.index(read) for read in self._steps[number].reads)
            path.append(positions)
            there = [each for i, each in enumerate(there) if i not in positions]
            there.append(self._operands + number)
        return tuple(path)

    def _shorter(self, index: str) -> int:
        """The next length that divides the present one, or about half of it."""
        length = self.lengths[index]
        divisor = next((n for n in (2, 3, 5, 7) if length % n == 0), None)
        return length // divisor if divisor else -(-length // 2)

    def candidates(self) -> list[str]:
        return [index for index, length in self.lengths.items() if length > 1]

    def cut(self, index: str) -> None:
        self.lengths[index] = self._shorter(index)

    def cut_cheapest(self) -> bool:
        """Cuts the index that the least work has to be done again for; of equal ones,
        the longest. False if nothing is left to cut."""

        def cost(index: str) -> tuple[float, int]:
            length = self.lengths[index]
            self.cut(index)
            ratio = self.ratio
            self.lengths[index] = length
            return ratio, -length

        candidates = self.candidates()
        if not candidates:
            return False
        self.cut(min(candidates, key=cost))
        return True

    def _excess(self, limit: int) -> float:
        """By how much subtrees miss a limit, all together: where several need the same, a cut that
        helps one of them is worth something, too."""
        peaks = (self._itemsize * peak for peak in self._measure()[0])
        return sum(math.log(peak / max(limit, 1)) for peak in peaks if peak > limit)

    def cut_to_fit(self, limit: int) -> None:
        """Cuts until results between steps fit: each time the index that makes the
        logarithm of the multiplications grow the least for what subtrees miss the limit less by."""

        def cost(index: str) -> float:
            length = self.lengths[index]
            self.cut(index)
            saved = excess - self._excess(limit)
            grown = math.log(max(self.ratio / ratio, 1))
            self.lengths[index] = length
            return (grown + 1e-6) / saved if saved > 0 else math.inf

        while (excess := self._excess(limit)) > 0:
            ratio = self.ratio
            costs = {index: cost(index) for index in self.candidates()}
            if not costs:
                raise UnsupportedError(
                    f"memory_limit is {limit}, but in the order of the path results between "
                    f"steps take {self.peak} bytes, however small the slices are"
                )
            self.cut(min(costs, key=costs.__getitem__))

    def cut_into(self, least: int | None) -> None:
        """Cuts until there are so many slices at least; if that is None, until they are about
        256, as long as each is worth it."""
        wanted = 256 if least is None else least
        while self.count < wanted:
            before = dict(self.lengths)
            is_cut = self.cut_cheapest()
            if least is None:
                if not is_cut:
                    return
                if self.products < _LEAST_PRODUCTS or self.ratio > _MOST_RATIO:
                    self.lengths = before
                    return
            elif not is_cut:
                raise ValueError(
                    f"slices is {least}, but this product has {self.count} at most"
                )

    def slices(self, result: Labels) -> tuple[Slice, ...]:
        """The indices that are cut, those of the result first."""
        cut = [index for index in self.extents if self.parts(index) > 1]
        cut.sort(key=lambda index: index not in result)
        return tuple(Slice(index, self.parts(index), self.lengths[index]) for index in cut)
