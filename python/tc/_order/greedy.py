# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An order of small products that takes less time to find than they take."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

# So many multiplications take as long as the model's search for a better order, about.
_MOST = 1e7


def quick_path(
    operands: Sequence[str], extents: Mapping[str, int]
) -> list[tuple[int, int]] | None:
    """A greedy order of pairs that contracts operands with these indices to a number, as positions in
    the list of what there is, to whose end each step appends its result. Each step takes the
    pair whose result is smallest beside its operands (Smith and Gray, opt_einsum, Journal of
    Open Source Software 3(26), 2018). None if the products take longer than a search for a better order."""
    left = [frozenset(labels) for labels in operands]
    counts = Counter(label for labels in left for label in labels)

    def size(labels: frozenset[str]) -> int:
        return math.prod(extents[label] for label in labels)

    def result_of(a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return frozenset(x for x in a | b if counts[x] > 1 + (x in a and x in b))

    path: list[tuple[int, int]] = []
    total = 0
    while len(left) > 1:
        pairs = [(i, j) for j in range(len(left)) for i in range(j)]

        def weigh(pair: tuple[int, int]) -> tuple[int, int]:
            """The elements by which the result is larger than the pair, and the multiplications."""
            a, b = left[pair[0]], left[pair[1]]
            return size(result_of(a, b)) - size(a) - size(b), size(a | b)

        # Tensors that share nothing wait.
        i, j = min(
            [p for p in pairs if not left[p[0]].isdisjoint(left[p[1]])] or pairs, key=weigh
        )
        both, union, result = left[i] & left[j], left[i] | left[j], result_of(left[i], left[j])
        total += size(union)
        if total > _MOST:
            return None
        counts.subtract(both)
        for label in union - result:
            counts[label] = 0
        del left[j], left[i]
        left.append(result)
        path.append((i, j))
    return path
