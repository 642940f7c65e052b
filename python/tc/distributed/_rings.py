# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands whose blocks go around along a dimension of the grid, from rank to rank, while they are
multiplied: which ones may, and how long that takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .._notation.subscripts import Labels
from ._grid import Grid, Layout, Traffic, size_of
from ._machine import Machine
from ._traffic import Dims


class Ring(NamedTuple):
    """An operand whose blocks go around along a dimension of the grid, while those that are there are
    multiplied; its index that is cut so."""

    operand: int
    dim: int
    # Hides a method of tuples.
    index: str  # type: ignore[assignment]


def lying_rings(
    operands: Sequence[Labels], layouts: Sequence[Layout], dims: Mapping[str, Dims]
) -> Iterator[Ring]:
    """Operands that already lie as they would go around: cut along one dimension more than the product, whose
    indices are cut along `dims`, needs."""
    for operand, (labels, layout) in enumerate(zip(operands, layouts)):
        for label, has in zip(labels, layout):
            if has and dims[label] == has[:-1] and _is_free(has[-1], labels, dims):
                yield Ring(operand, has[-1], label)


def possible_rings(
    operands: Sequence[Labels], grid: Grid, extents: Mapping[str, int], dims: Mapping[str, Dims]
) -> Iterator[Ring]:
    """Operands that may go around, wherever they lie before, along a dimension that cuts an index of the other one:
    cut along the index with the longest parts."""
    for operand, labels in enumerate(operands):
        for dim in sorted(dim for cuts in dims.values() for dim in cuts):
            if labels and _is_free(dim, labels, dims) and grid.shape[dim] > 1:
                label = max(labels, key=lambda x: extents[x] / grid.parts(dims[x]))
                if extents[label] >= grid.parts((*dims[label], dim)):
                    yield Ring(operand, dim, label)


def _is_free(dim: int, labels: Labels, dims: Mapping[str, Dims]) -> bool:
    """True if none of the indices is cut along a dimension."""
    return all(dim not in dims[label] for label in labels)


def ring_layout(labels: Labels, needed: Layout, ring: Ring) -> Layout:
    """Layout of an operand that goes around, which the product needs in layout `needed`."""
    axis = labels.index(ring.index)
    return (*needed[:axis], (*needed[axis], ring.dim), *needed[axis + 1 :])


def ring_traffic(grid: Grid, layout: Layout, shape: tuple[int, ...], dim: int) -> Traffic:
    """Traffic of a ring: each rank hands on every block of its ring but the one that it would get
    back."""
    sent = []
    for rank in range(grid.size):
        at = list(grid.coordinates(rank))
        total = 0
        for step in range(grid.shape[dim] - 1):
            block = [*at]
            block[dim] = (at[dim] + step) % grid.shape[dim]
            total += size_of(grid.box(layout, shape, block))
        sent.append(total)
    return Traffic(tuple(sent), max(sent), grid.shape[dim] - 1)


def seconds_of(machine: Machine, traffic: Traffic, itemsize: int) -> float:
    """Seconds of some traffic."""
    return traffic.messages * machine.latency + traffic.most * itemsize / machine.bandwidth


def ring_seconds(machine: Machine, travel: Traffic, itemsize: int, multiply: float) -> float:
    """Of movements and multiplications together, which alone take `multiply`: of each block but the last, the
    longer of the two."""
    each = multiply / (travel.messages + 1)
    step = seconds_of(machine, travel, itemsize) / max(travel.messages, 1)
    return each + travel.messages * max(step, each)
