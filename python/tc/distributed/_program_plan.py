# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of all ranks for a program, and their description."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .._order.search import spell
from ._choose import Plan, PlanError, Problem, add_up, describe_moves, make_plan, sizes_of
from ._grid import Grid, Layout
from ._machine import Machine, least_elements, least_elements_within
from ._program_search import Roots, Search, inputs_of, last_uses, roots_of
from ._shared_parts import share
from ._statements import Statements
from ._trees import Lies, Made, Needed, Sum
from ._ways import Space

# The number that stands for a one without axes, the other factor of a product of one.
ONE = -1


class Key(NamedTuple):
    """Problem of a plan: statements, the layouts of arguments, those that results have to have, a
    dtype and a grid."""

    statements: Statements
    given: Mapping[int, Layout]
    wanted: Mapping[int, Layout]
    dtype: str
    grid: Grid


class Step(NamedTuple):
    """A contraction of two tensors by their numbers, times a factor. Numbers are those of the
    statements' tensors, and then those of temporaries."""

    plan: Plan
    operands: tuple[int, int]
    output: int
    factor: float
    #: Whether it is added to what the output holds.
    adds: bool
    #: Operands that nothing reads any more.
    frees: tuple[int, ...]


class ProgramPlan(NamedTuple):
    """Steps of `contract_program`, in their order. `str` of it explains it."""

    made_for: Key
    #: Of each tensor and temporary.
    names: tuple[str, ...]
    results: Mapping[str, int]
    #: Of the results, by their names.
    layouts: Mapping[str, Layout]
    steps: tuple[Step, ...]
    seconds: float
    #: Bytes of blocks on the rank that holds the most, those of arguments included.
    peak: int
    text: str = ""

    def __str__(self) -> str:
        return self.text

    @property
    def sent(self) -> tuple[int, ...]:
        """Elements that leave each rank for others."""
        return add_up((0,) * self.made_for.grid.size, *(step.plan.sent for step in self.steps))


class _Writer:
    """Writes the steps that make tensors."""

    def __init__(self, statements: Statements, space: Space, given: Mapping[int, Layout]) -> None:
        self._space = space
        self._tensors = len(statements.values)
        self._layouts = {ONE: (), **given}
        self.names = [value.name for value in statements.values]
        # Of products that are no tensor of a statement.
        self._parts = 0
        self.steps: list[Step] = []

    def root(self, number: int, made: Sum, frees: Sequence[int]) -> None:
        """Makes a tensor of its own. `frees` are others that nothing reads behind it."""
        begin = len(self.steps)
        self._sum(made, number)
        left = set(frees)
        for i in range(len(self.steps) - 1, begin - 1, -1):
            step = self.steps[i]
            gone = tuple(x for x in dict.fromkeys(step.operands) if x in left)
            left.difference_update(gone)
            self.steps[i] = step._replace(frees=(*step.frees, *gone))

    def _sum(self, made: Sum, output: int) -> None:
        for position, (term, lies) in enumerate(zip(made.value.terms, made.terms)):
            self._product(lies, output, term.factor, position > 0)

    def _product(self, lies: Lies, output: int, factor: float, adds: bool) -> None:
        made = lies.made
        assert isinstance(made, Made)
        operands = [ONE, ONE]
        for side in (1, 0) if made.is_swapped else (0, 1):
            operands[side] = self._operand(made.operands[side])
        labels = {x for each in made.subscripts.operands for x in each}
        extents = {x: n for x, n in made.extents.items() if x in labels}
        has = (self._layouts[operands[0]], self._layouts[operands[1]])
        space, way = self._space, made.way
        problem = Problem(made.subscripts, extents, has, lies.layout, space.grid, space.itemsize)
        plan = make_plan(
            problem, space.machine, way.choice, way.operands, way.ring, way.made, way.partial,
            way.out, lies.layout, way.multiply_seconds,
        )
        frees = tuple(x for x in operands if x >= self._tensors)
        self.steps.append(Step(plan, (operands[0], operands[1]), output, factor, adds, frees))
        self._layouts[output] = lies.layout

    def _operand(self, needed: Needed) -> int:
        """The number of an operand, which is made now unless it is there."""
        made = needed.source.made
        if isinstance(made, int):
            return made
        number = len(self.names)
        if isinstance(made, Sum):
            self.names.append(made.value.name)
            self._sum(made, number)
        else:
            self._parts += 1
            self.names.append(f"t{self._parts}")
            self._product(needed.source, number, 1.0, False)
        return number


def find_program(key: Key, machine: Machine, allow_ring: bool) -> ProgramPlan:
    """The plan that is predicted to take the least time, of those within the machine's memory that were
    found."""
    space = Space(key.grid, machine, np.dtype(key.dtype).itemsize, allow_ring)
    search = Search(space, key.dtype)

    def find(statements: Statements) -> Roots | None:
        return search.find(statements, key.given, key.wanted, machine.memory)

    def seconds_of(statements: Statements) -> float:
        found = find(statements)
        return found.seconds if found else math.inf

    shared = share(key.statements, seconds_of)
    roots = find(shared)
    if roots is None:
        raise PlanError(
            f"no way to compute {', '.join(key.statements.results)} on a grid of {key.grid.shape} "
            f"leaves each rank within its {machine.memory:.4g} bytes"
        )
    writer = _Writer(shared, space, key.given)
    order = roots_of(shared)
    last = last_uses(shared, order)
    for position, number in enumerate(order):
        needs = inputs_of(shared, order, number)
        frees = [i for i in needs if i in last and last[i] == position]
        writer.root(number, roots.sums[number], frees)
    plan = ProgramPlan(
        key, tuple(writer.names), shared.results,
        {name: roots.sums[i].layout for name, i in shared.results.items()},
        tuple(writer.steps), sum(step.plan.seconds for step in writer.steps), roots.peak,
    )
    return plan._replace(text=_explain(plan, machine))


def _bounds(plan: Plan, machine: Machine) -> tuple[float, float]:
    """Bytes that some rank sends or gets at least for a contraction: if each element is on one rank, and
    with the memory that there is."""
    problem = plan.problem
    m, n, k, batch = sizes_of(problem)
    size, ranks = problem.itemsize, problem.grid.size
    return (
        least_elements(m, n, k, batch, ranks) * size,
        least_elements_within(m * n * k * batch, ranks, machine.memory / size) * size,
    )


def _explain_step(plan: ProgramPlan, number: int, step: Step, machine: Machine) -> list[str]:
    def name(tensor: int) -> str:
        return "1" if tensor == ONE else plan.names[tensor]

    problem = step.plan.problem
    factors = [
        name(tensor) + (spell(labels) if labels else "[]" if tensor != ONE else "")
        for tensor, labels in zip(step.operands, problem.subscripts.operands)
        if tensor != ONE
    ]
    if step.factor != 1:
        factors.insert(0, f"{step.factor:g}")
    output = name(step.output) + spell(problem.subscripts.result)
    head = f"  {number:<3} {output} {'+=' if step.adds else '='} {' * '.join(factors)}"
    lines = [head]
    for tensor, words in zip((*step.operands, step.output), describe_moves(step.plan)):
        if tensor != ONE:
            lines.append(f"      {name(tensor):<10} {words}")
    least, within = _bounds(step.plan, machine)
    seconds, multiplied = step.plan.seconds, step.plan.multiply_seconds
    lines.append(
        f"      {'time':<10} {seconds:.4g} s, {multiplied:.4g} s of it multiplied; "
        f"{step.plan.most * problem.itemsize} B by the busiest rank, at least {least:.0f} B and "
        f"{within:.0f} B"
    )
    if step.frees:
        lines.append(f"      {'frees':<10} {', '.join(map(name, step.frees))}")
    return lines


def _explain(plan: ProgramPlan, machine: Machine) -> str:
    grid, steps = plan.made_for.grid, plan.steps
    size = np.dtype(plan.made_for.dtype).itemsize
    shape = "x".join(map(str, grid.shape))
    names = ", ".join(plan.results)
    lines = [
        f"{names} in {len(steps)} steps on {grid.size} ranks in a grid of {shape}: "
        f"{plan.seconds:.4g} s predicted"
    ]
    for number, step in enumerate(steps):
        lines += _explain_step(plan, number + 1, step, machine)
    for name, layout in plan.layouts.items():
        cuts = ["/" + ".".join(map(str, dims)) if dims else "-" for dims in layout]
        lines.append(f"  result        {name} lies [{', '.join(cuts)}]")
    multiplied = sum(step.plan.multiply_seconds for step in steps)
    moved = plan.seconds - multiplied
    share_of = 100 / max(plan.seconds, 1e-300)
    bounds = [_bounds(step.plan, machine) for step in steps]
    lines += [
        f"  time          {multiplied:.4g} s multiplied ({multiplied * share_of:.0f}%), "
        f"{moved:.4g} s moved ({moved * share_of:.0f}%)",
        f"  moved         {sum(plan.sent) * size} B by all ranks, "
        f"{sum(step.plan.most for step in steps) * size} B by the busiest ones of the steps",
        f"  lower bounds  of steps by themselves: {sum(x for x, _ in bounds):.0f} B by some rank if each "
        f"element is on one, {sum(x for _, x in bounds):.0f} B with {machine.memory:.4g} B of memory",
        f"  memory        {plan.peak} B at most on a rank",
    ]
    return "\n".join(lines)
