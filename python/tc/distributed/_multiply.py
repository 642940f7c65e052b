# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of two tensors on a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._arrays.layout import as_integer
from .._einsum.einsum import einsum
from .._notation.subscripts import Labels
from .._order.search import spell_subscripts
from ._choose import Plan, Problem, choose
from ._grid import Box, check_layout, size_of
from ._machine import Machine
from ._pair import parse_pair
from ._tensor import Mesh, Tensor, move, part_of_block, shape_of


def _make_problem(
    subscripts: str, a: Tensor, b: Tensor, layout: Sequence[Any] | None, machine: Machine
) -> Problem:
    """Problem that was asked for, after a look at each part of it."""
    for what, tensor in (("operand 0", a), ("operand 1", b)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{what} is no Tensor, but {type(tensor).__name__}: distribute it")
    if not isinstance(machine, Machine):
        raise TypeError(f"machine is no Machine, but {type(machine).__name__}")
    if a.mesh is not b.mesh:
        raise ValueError("operand 1 is on another mesh than operand 0")
    if a.arrays.kind != b.arrays.kind:
        raise ValueError(f"operand 0 lies {a.arrays.kind}, and operand 1 {b.arrays.kind}")
    parsed, extents = parse_pair(subscripts, a, b, "on a mesh")
    grid = a.mesh.grid
    out = None if layout is None else check_layout(grid, layout, len(parsed.result), "the result")
    return Problem(parsed, extents, (a.layout, b.layout), out, grid, a.dtype.itemsize)


def plan_tensors(
    subscripts: str,
    a: Tensor,
    b: Tensor,
    *,
    layout: Sequence[Any] | None = None,
    machine: Machine = Machine(),
    ring: bool = True,
) -> Plan:
    """Plan of `contract_tensors`; `str` of it explains it. Nothing is moved."""
    problem = _make_problem(subscripts, a, b, layout, machine)
    return choose(problem, machine, ring and not a.arrays.is_device)


def contract_tensors(
    subscripts: str,
    a: Tensor,
    b: Tensor,
    *,
    layout: Sequence[Any] | None = None,
    machine: Machine = Machine(),
    ring: bool = True,
    threads: int = 1,
) -> Tensor:
    """Contracts two tensors on a mesh, which all of its ranks call alike. The result has that layout, or the one in
    which it is made. `machine` has the figures by which the plan is chosen. Without `ring`, and on devices, no blocks go around."""
    found = next((each for each in (a, b) if isinstance(each, Tensor)), None)
    if found is None:
        raise TypeError("neither operand is a Tensor: distribute them")
    mesh = found.mesh
    with mesh.ranks.together():
        problem = _make_problem(subscripts, a, b, layout, machine)
        given = {
            "subscripts": str(subscripts),
            "layout": problem.out,
            "machine": machine,
            "ring": bool(ring),
            "threads": as_integer(threads, "threads"),
            "the layouts of operands": problem.layouts,
            "the shapes of operands": (a.shape, b.shape),
            "the dtype of operands": a.dtype.name,
        }
    mesh.ranks.check_equal(given)
    with mesh.ranks.together():
        plan = choose(problem, machine, ring and not a.arrays.is_device)
    return _run(plan, mesh, (a, b), threads)


def _run(plan: Plan, mesh: Mesh, operands: tuple[Tensor, Tensor], threads: int) -> Tensor:
    """Step by step, so that ranks agree before each one that moves anything on whether all got there."""
    moved = [move(tensor, layout) for tensor, layout in zip(operands, plan.operands)]
    made = make_product(plan, mesh, moved, threads)
    # A block that is not needed any more is gone before the next block is there.
    del moved
    made = move(made, plan.summed, plan.partial)
    return move(made, plan.out)


def make_product(plan: Plan, mesh: Mesh, moved: Sequence[Tensor], threads: int) -> Tensor:
    """Product of operands that have been moved; summands, if there are partial sums."""
    if plan.ring:
        block = _go_around(plan, mesh, moved, threads)
    else:
        with mesh.ranks.together():
            block = _multiply(plan, moved, threads)
    return Tensor(mesh, plan.problem.shape(plan.problem.subscripts.result), plan.made, block)


def _multiply(plan: Plan, operands: Sequence[Tensor], threads: int) -> Any:
    spec = spell_subscripts(plan.problem.subscripts)
    made = einsum(spec, *(tensor.block for tensor in operands), threads=threads)
    return made if operands[0].arrays.is_device else np.asarray(made)


def _cut(
    labels: Labels, block: np.ndarray, has: Box, index: str, bounds: tuple[int, int]
) -> np.ndarray:
    """Part of a block for a part of an index; all of it if it has not that index."""
    box = tuple(bounds if label == index else own for label, own in zip(labels, has))
    return part_of_block(block, has, box)


def _go_around(
    plan: Plan, mesh: Mesh, operands: Sequence[Tensor], threads: int
) -> np.ndarray:
    """The product of one operand and of another whose blocks go around: while one is multiplied, it is
    sent on to the rank before, and the next comes from the rank behind. A rank that fails goes on to hand
    on blocks, which others wait for, and raises behind the last one."""
    assert plan.ring
    ring, grid, ranks = plan.ring, mesh.grid, mesh.ranks
    problem, at = plan.problem, list(mesh.coordinates)
    travels, other = operands[ring.operand], operands[1 - ring.operand]
    labels = problem.subscripts.operands
    result = problem.subscripts.result
    around = grid.shape[ring.dim]

    def there(step: int) -> list[int]:
        """The coordinates of ranks before and behind this one."""
        return [(own + step) % around if dim == ring.dim else own for dim, own in enumerate(at)]

    with ranks.together():
        spec = spell_subscripts(problem.subscripts)
        out_box = grid.box(plan.made, problem.shape(result), at)
        made = np.zeros(shape_of(out_box), travels.dtype)
        axis = labels[ring.operand].index(ring.index)
        boxes = [grid.box(travels.layout, travels.shape, there(step)) for step in range(around)]
        room = max(map(size_of, boxes))
        buffers = [np.empty(room if around > 1 else 0, travels.dtype) for _ in range(2)]
        blocks = [np.ascontiguousarray(travels.block)]
        blocks += [
            buffers[step % 2][: size_of(box)].reshape(shape_of(box))
            for step, box in enumerate(boxes[1:])
        ]
        before, behind = grid.rank(there(-1)), grid.rank(there(1))

    def multiply(step: int) -> None:
        bounds, block = boxes[step][axis], blocks[step]
        fixed = _cut(labels[1 - ring.operand], other.block, other.box, ring.index, bounds)
        place = _cut(result, made, out_box, ring.index, bounds)
        pair = (block, fixed) if ring.operand == 0 else (fixed, block)
        if place.size and block.size:
            einsum(spec, *pair, out=place, beta=1, threads=threads)

    failure: BaseException | None = None
    for step, block in enumerate(blocks):
        waiting = []
        with ranks.reaching():
            if step + 1 < around:
                waiting = ranks.pass_on(block, before, blocks[step + 1], behind)
        try:
            if failure is None:
                multiply(step)
        except BaseException as error:
            failure = error
        with ranks.reaching():
            for request in waiting:
                request.Wait()
    with ranks.together():
        if failure is not None:
            raise failure
    return made
