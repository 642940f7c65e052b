# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which indices of a product are cut, and into how many parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._errors import UnsupportedError
from .._order import Path, Slice
from .._subscripts import Labels, Subscripts

# Slices of fewer multiplications are not cut further, unless more slices are asked for.
_LEAST_PRODUCTS = 1 << 20
# How many times the multiplications there may be then.
_MOST_RATIO = 1.5


class Step(NamedTuple):
    """One contraction of a path: its indices, those of its result, and the steps whose
    results it reads."""

    indices: frozenset[str]
    result: frozenset[str]
    reads: tuple[int, ...]


def steps_of(subscripts: Subscripts, path: Path) -> list[Step]:
    """The contractions of two that a path is made of, in its order."""
    terms: list[tuple[frozenset[str], int | None]] = [
        (frozenset(labels), None) for labels in subscripts.operands
    ]
    steps: list[Step] = []
    for positions in path:
        chosen = [terms[i] for i in positions]
        terms = [each for i, each in enumerate(terms) if i not in positions]
        made = chosen.pop(0)
        while True:
            other = chosen.pop(0) if chosen else None
            pair = [made, other] if other else [made]
            rest = frozenset(subscripts.result).union(*(each[0] for each in terms + chosen))
            indices = frozenset().union(*(each[0] for each in pair))
            steps.append(
                Step(
                    indices,
                    indices & rest,
                    tuple(each[1] for each in pair if each[1] is not None),
                )
            )
            made = (indices & rest, len(steps) - 1)
            if not chosen:
                break
        terms.append(made)
    return steps


class Cuts:
    """A product whose indices are cut further and further."""

    def __init__(
        self, steps: Sequence[Step], extents: Mapping[str, int], itemsize: int
    ) -> None:
        self._steps = steps
        self._extents = extents
        self._itemsize = itemsize
        self.lengths = dict(extents)
        self._whole = self.products

    def parts(self, index: str) -> int:
        return -(-self._extents[index] // max(self.lengths[index], 1))

    @property
    def count(self) -> int:
        """How many slices there are."""
        return math.prod(map(self.parts, self._extents))

    def _size(self, indices: frozenset[str]) -> int:
        return math.prod(self.lengths[index] for index in indices)

    @property
    def products(self) -> int:
        """Multiplications of one slice."""
        return sum(self._size(step.indices) for step in self._steps)

    @property
    def ratio(self) -> float:
        """How many times the multiplications of the whole all slices take together."""
        return self.count * self.products / max(self._whole, 1)

    @property
    def peak(self) -> int:
        """Bytes that results between steps take at the same time."""
        live = most = 0
        for step in self._steps[:-1]:
            live += self._size(step.result)
            most = max(most, live)
            live -= sum(self._size(self._steps[i].result) for i in step.reads)
        return self._itemsize * most

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

    def cut_to_fit(self, limit: int) -> None:
        """Cuts until results between steps fit: each time the index that makes the
        logarithm of the multiplications grow the least for what the one of the bytes shrinks."""

        def cost(index: str) -> float:
            length = self.lengths[index]
            self.cut(index)
            saved = math.log(peak / max(self.peak, 1))
            grown = math.log(max(self.ratio / ratio, 1))
            self.lengths[index] = length
            return (grown + 1e-6) / saved if saved > 0 else math.inf

        while (peak := self.peak) > limit:
            ratio = self.ratio
            costs = {index: cost(index) for index in self.candidates()}
            if not costs:
                raise UnsupportedError(
                    f"memory_limit is {limit}, but in the order of the path results between "
                    f"steps take {peak} bytes, however small the slices are"
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
        cut = [index for index in self._extents if self.parts(index) > 1]
        cut.sort(key=lambda index: index not in result)
        return tuple(Slice(index, self.parts(index), self.lengths[index]) for index in cut)
