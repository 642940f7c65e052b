# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distribution of a product of two tensors on a grid: the parts of each rank, and the moves for
them.

Each dimension of the grid is given to an index, or to none: a rank then multiplies its part of
the indices, for which it needs parts of both operands, and makes a part of the result, or a summand of
one if a summed index is cut. All of the known algorithms are such choices: to move nothing, to gather an
operand, to scatter sums, matrices in two or three dimensions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .._notation.subscripts import Labels, Subscripts
from .._order.search import spell_subscripts
from ._grid import Grid, Layout, name_move, traffic_of
from ._machine import Machine, least_elements, least_elements_within
from ._rings import Ring, lying_rings, ring_layout, ring_seconds, ring_traffic, seconds_of

# Choices that are looked at; of more, each dimension of the grid is changed by itself.
_MOST_CHOICES = 20000

Choice = tuple["str | None", ...]


class Problem(NamedTuple):
    """A contraction, and how its tensors lie; the result where it is to be, or None if that is
    all the same."""

    subscripts: Subscripts
    extents: Mapping[str, int]
    layouts: tuple[Layout, Layout]
    out: Layout | None
    grid: Grid
    itemsize: int

    def shape(self, labels: Labels) -> tuple[int, ...]:
        return tuple(self.extents[label] for label in labels)


class Plan(NamedTuple):
    """Steps of a product, in this order: operands move into `operands`, blocks of them go around,
    the product is made in layout `made`, with summands along `partial` dimensions, which are added
    up into layout `summed`, and moved into layout `out`. `str` of it explains it."""

    problem: Problem
    choice: Choice
    operands: tuple[Layout, Layout]
    ring: Ring | None
    made: Layout
    partial: tuple[int, ...]
    summed: Layout
    out: Layout
    seconds: float
    multiply_seconds: float
    #: Elements that leave each rank for others.
    sent: tuple[int, ...]
    most: int
    text: str = ""

    def __str__(self) -> str:
        return self.text


def _dims_of(problem: Problem, choice: Choice) -> dict[str, tuple[int, ...]]:
    """The dimensions that each index is cut along, in the order in which an operand has them."""
    dims: dict[str, tuple[int, ...]] = {}
    for label in problem.extents:
        given = tuple(dim for dim, chosen in enumerate(choice) if chosen == label)
        for labels, layout in zip(problem.subscripts.operands, problem.layouts):
            if label in labels and set(layout[labels.index(label)]) == set(given):
                given = layout[labels.index(label)]
                break
        dims[label] = given
    return dims


def _scatter(problem: Problem, made: Layout, partial: tuple[int, ...]) -> Layout:
    """Target of sums: along the axis of the result with the longest parts, if those are long
    enough."""
    layout = list(made)
    shape = problem.shape(problem.subscripts.result)
    for dim in partial:
        lengths = [n // problem.grid.parts(dims) for n, dims in zip(shape, layout)]
        longest = max(range(len(lengths)), key=lengths.__getitem__, default=None)
        if longest is not None and lengths[longest] >= problem.grid.shape[dim]:
            layout[longest] += (dim,)
    return tuple(layout)


def add_up(*sent: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*sent)))


class PlanError(MemoryError):
    """No plan leaves each rank within the memory of the machine."""


PlanError.__module__ = "tc.distributed"


def peak_of(
    problem: Problem, operands: Sequence[Layout], ring: Ring | None, made: Layout,
    partial: tuple[int, ...], summed: Layout, out: Layout,
) -> int:
    """Bytes of blocks on the rank that holds the most, the operands' own included, which stay; not those of messages
    that are under way."""

    def size(labels: Labels, layout: Layout) -> int:
        lengths = (-(-n // problem.grid.parts(dims)) for n, dims in zip(problem.shape(labels), layout))
        return problem.itemsize * math.prod(lengths)

    terms, result = problem.subscripts.operands, problem.subscripts.result
    there = sum(map(size, terms, problem.layouts))
    moved = sum(
        size(labels, need) for labels, has, need in zip(terms, problem.layouts, operands) if has != need
    )
    # The block that arrives, and the one that was multiplied before.
    travels = 2 * size(terms[ring.operand], operands[ring.operand]) if ring else 0
    return there + max(
        moved + travels + size(result, made),
        size(result, made) + (size(result, summed) if partial else 0),
        size(result, summed) + (size(result, out) if out != summed else 0),
    )


def _evaluate(
    problem: Problem, machine: Machine, choice: Choice, allow_ring: bool
) -> Iterator[Plan]:
    """The plans for a choice: without a ring, and with each one that is possible."""
    grid, (a, b), result = problem.grid, problem.subscripts.operands, problem.subscripts.result
    dims = _dims_of(problem, choice)
    needed = tuple(tuple(dims[label] for label in labels) for labels in (a, b))
    made = tuple(dims[label] for label in result)
    partial = tuple(dim for dim, label in enumerate(choice) if label and label not in result)
    summed = _scatter(problem, made, partial)
    out = summed if problem.out is None else problem.out
    products = math.prod(
        -(-extent // grid.parts(dims[label])) for label, extent in problem.extents.items()
    )
    rings = lying_rings((a, b), problem.layouts, dims) if allow_ring else ()
    for ring in (None, *rings):
        layouts = list(needed)
        if ring:
            operand = ring.operand
            layouts[operand] = ring_layout((a, b)[operand], needed[operand], ring)
        held = peak_of(problem, layouts, ring, made, partial, summed, out)
        if held <= machine.memory:
            yield make_plan(
                problem, machine, choice, (layouts[0], layouts[1]), ring, made, partial, summed, out,
                products / machine.products,
            )


def make_plan(
    problem: Problem, machine: Machine, choice: Choice, operands: tuple[Layout, Layout],
    ring: Ring | None, made: Layout, partial: tuple[int, ...], summed: Layout, out: Layout,
    multiply_seconds: float,
) -> Plan:
    """A plan with what moves and the time of that."""
    grid, itemsize = problem.grid, problem.itemsize
    shape = problem.shape(problem.subscripts.result)
    every = [
        traffic_of(grid, has, wanted, problem.shape(labels))
        for has, wanted, labels in zip(problem.layouts, operands, problem.subscripts.operands)
    ]
    every.append(traffic_of(grid, made, summed, shape, partial))
    every.append(traffic_of(grid, summed, out, shape))
    seconds = sum(seconds_of(machine, each, itemsize) for each in every)
    if ring:
        labels = problem.subscripts.operands[ring.operand]
        travel = ring_traffic(grid, operands[ring.operand], problem.shape(labels), ring.dim)
        seconds += ring_seconds(machine, travel, itemsize, multiply_seconds)
        every.append(travel)
    else:
        seconds += multiply_seconds
    return Plan(
        problem, choice, operands, ring, made, partial, summed, out, seconds, multiply_seconds,
        add_up(*(each.sent for each in every)), sum(each.most for each in every),
    )


def _choices(problem: Problem) -> Iterator[Choice]:
    labels = [*problem.extents, None]
    count = len(problem.grid.shape)
    if len(labels) ** count <= _MOST_CHOICES:
        yield from itertools.product(labels, repeat=count)
        return
    # Layouts that the tensors suggest, and those that differ from them along one dimension or two.
    starts = []
    for terms, layout in zip(problem.subscripts.operands, problem.layouts):
        start: list[str | None] = [None] * count
        for label, dims in zip(terms, layout):
            for dim in dims:
                start[dim] = label
        starts.append(start)
    seen = set()
    for start in starts:
        for dims in itertools.combinations(range(count), min(2, count)):
            for chosen in itertools.product(labels, repeat=len(dims)):
                choice = list(start)
                for dim, each in zip(dims, chosen):
                    choice[dim] = each
                if tuple(choice) not in seen:
                    seen.add(tuple(choice))
                    yield tuple(choice)


def choose(problem: Problem, machine: Machine, allow_ring: bool = True) -> Plan:
    """The plan that is predicted to take the least time, of those that fit the memory."""
    plans = [
        plan
        for choice in _choices(problem)
        for plan in _evaluate(problem, machine, choice, allow_ring)
    ]
    if not plans:
        raise PlanError(
            f"no way to multiply {spell_subscripts(problem.subscripts)} on a grid of {problem.grid.shape} leaves each "
            f"rank within its {machine.memory:.4g} bytes"
        )
    plans.sort(key=lambda plan: (plan.seconds, sum(plan.sent), plan.choice.count(None)))
    best = plans[0]
    others = list({plan.choice: plan for plan in reversed(plans) if plan.choice != best.choice}.values())
    others.sort(key=lambda plan: plan.seconds)
    return best._replace(text=_explain(best, machine, others[:2]))


def spell_layout(labels: Labels, layout: Layout) -> str:
    entries = [
        label + ("/" + ".".join(map(str, dims)) if dims else "") for label, dims in zip(labels, layout)
    ]
    return "[" + ", ".join(entries) + "]"


def describe_moves(plan: Plan) -> list[str]:
    """Moves of A, B and C, each in some words."""
    problem = plan.problem
    lines = []
    for number, (labels, has, wanted) in enumerate(
        zip(problem.subscripts.operands, problem.layouts, plan.operands)
    ):
        line = name_move(has, wanted)
        if plan.ring and plan.ring.operand == number:
            around = f"goes around along dimension {plan.ring.dim} while it is multiplied"
            line = around if line == "stays" else f"{line}, {around}"
        lines.append(f"{spell_layout(labels, has)} {line}: {spell_layout(labels, wanted)}")
    result = problem.subscripts.result
    words = [spell_layout(result, plan.made)]
    if plan.partial:
        along = ", ".join(map(str, plan.partial))
        kind = "all-reduce" if plan.summed == plan.made else "reduce-scatter"
        words.append(f"{kind} along {along}: {spell_layout(result, plan.summed)}")
    if plan.out != plan.summed:
        words.append(f"{name_move(plan.summed, plan.out)}: {spell_layout(result, plan.out)}")
    lines.append(" ".join(words))
    return lines


def sizes_of(problem: Problem) -> tuple[int, int, int, int]:
    """m, n, k and the batch of the matrices that a contraction multiplies."""
    a, b = map(set, problem.subscripts.operands)
    result = set(problem.subscripts.result)

    def extent(labels: set[str]) -> int:
        return math.prod(problem.extents[label] for label in labels)

    return extent((a - b) & result), extent((b - a) & result), extent(a & b - result), extent(a & b & result)


def _explain(plan: Plan, machine: Machine, others: Sequence[Plan]) -> str:
    problem = plan.problem
    size, ranks = problem.itemsize, problem.grid.size
    m, n, k, batch = sizes_of(problem)
    least = least_elements(m, n, k, batch, ranks) * size
    within = least_elements_within(m * n * k * batch, ranks, machine.memory / size) * size
    shape = "x".join(map(str, problem.grid.shape))
    cut = [f"{dim} cuts {label or 'nothing'}" for dim, label in enumerate(plan.choice)]
    lines = [
        f"{spell_subscripts(problem.subscripts)} on {ranks} ranks in a grid of {shape}: {plan.seconds:.4g} s predicted",
        f"  dimensions    {', '.join(cut) or 'none'}",
        *(f"  {name}             {line}" for name, line in zip("ABC", describe_moves(plan))),
        f"  multiplied    in {plan.multiply_seconds:.4g} s, at {machine.products:.4g} products a second",
        f"  moved         {sum(plan.sent) * size} B by all ranks, {plan.most * size} B by the busiest",
        f"  lower bounds  {least:.0f} B by some rank if each element is on one, "
        f"{within:.0f} B with {machine.memory:.4g} B of memory",
    ]
    for other in others:
        names = ",".join(label or "-" for label in other.choice)
        lines.append(
            f"  instead       dimensions cut {names}: {other.seconds / max(plan.seconds, 1e-300):.3g} times "
            f"the time, {sum(other.sent) * size} B"
        )
    return "\n".join(lines)
