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

    path, total = [], 0
    while len(left) > 1:
        pairs = [(i, j) for j in range(len(left)) for i in range(j)]
        # What shares nothing waits.
        best = None
        for i, j in [p for p in pairs if not left[p[0]].isdisjoint(left[p[1]])] or pairs:
            both, union = left[i] & left[j], left[i] | left[j]
            result = frozenset(x for x in union if counts[x] > 1 + (x in both))
            cost = size(result) - size(left[i]) - size(left[j]), size(union)
            if best is None or cost < best[0]:
                best = cost, i, j, result, both, union
        (_, multiplications), i, j, result, both, union = best
        total += multiplications
        if total > _MOST:
            return None
        counts.subtract(both)
        for label in union - result:
            counts[label] = 0
        del left[j], left[i]
        left.append(result)
        path.append((i, j))
    return path
