# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of two tensors on a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._einsum import einsum
from .._subscripts import Labels
from ._choose import Plan, Problem, choose
from ._grid import Box, check_layout
from ._machine import Machine
from ._pair import parse_pair
from ._slice_plan import spell_all
from ._tensor import Mesh, Tensor, move, part_of_block, shape_of


def _make_problem(
    subscripts: str, a: Tensor, b: Tensor, layout: Sequence[Any] | None
) -> Problem:
    for what, tensor in (("operand 0", a), ("operand 1", b)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{what} is no Tensor, but {type(tensor).__name__}: distribute it")
    if a.mesh is not b.mesh:
        raise ValueError("operand 1 is on another mesh than operand 0")
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
    """What `contract_tensors` does; `str` of it explains it. Nothing is moved."""
    return choose(_make_problem(subscripts, a, b, layout), machine, ring)


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
    which it is made. `machine` has the figures by which the plan is chosen. Without `ring`, no blocks go around."""
    mesh = a.mesh if isinstance(a, Tensor) else b.mesh
    with mesh.ranks.together():
        problem = _make_problem(subscripts, a, b, layout)
    given: dict[str, Any] = {"subscripts": subscripts, "layout": problem.out, "machine": machine, "ring": ring}
    given["the layouts of operands"] = problem.layouts
    given["the shapes of operands"] = (a.shape, b.shape)
    mesh.ranks.check_equal(given)
    with mesh.ranks.together():
        return _run(choose(problem, machine, ring), mesh, (a, b), threads)


def _run(plan: Plan, mesh: Mesh, operands: tuple[Tensor, Tensor], threads: int) -> Tensor:
    problem = plan.problem
    moved = [move(tensor, layout) for tensor, layout in zip(operands, plan.operands)]
    shape = problem.shape(problem.subscripts.result)
    if plan.ring:
        block = _go_around(plan, mesh, moved, threads)
    else:
        block = _multiply(plan, [tensor.block for tensor in moved], threads)
    made = Tensor(mesh, shape, plan.made, block)
    return move(move(made, plan.summed, plan.partial), plan.out)


def _multiply(plan: Plan, blocks: Sequence[np.ndarray], threads: int) -> np.ndarray:
    spec = spell_all(plan.problem.subscripts)
    return np.asarray(einsum(spec, *blocks, threads=threads))


def _cut(
    labels: Labels, block: np.ndarray, has: Box, index: str, bounds: tuple[int, int]
) -> np.ndarray:
    """What a block has of a part of an index; all of it if it has not that index."""
    box = tuple(bounds if label == index else own for label, own in zip(labels, has))
    return part_of_block(block, has, box)


def _go_around(
    plan: Plan, mesh: Mesh, operands: Sequence[Tensor], threads: int
) -> np.ndarray:
    """The product of one operand and of another whose blocks go around: while one is multiplied, it is
    sent on to the rank before, and the next comes from the rank behind."""
    assert plan.ring
    ring, grid, comm = plan.ring, mesh.grid, mesh.ranks.comm
    problem, at = plan.problem, list(mesh.coordinates)
    travels, other = operands[ring.operand], operands[1 - ring.operand]
    labels = problem.subscripts.operands
    result = problem.subscripts.result
    around = grid.shape[ring.dim]

    def neighbour(step: int) -> int:
        there = list(at)
        there[ring.dim] = (at[ring.dim] + step) % around
        return grid.rank(there)

    spec = spell_all(problem.subscripts)
    out_box = grid.box(plan.made, problem.shape(result), at)
    made = np.zeros(shape_of(out_box), travels.dtype)
    block, here = np.ascontiguousarray(travels.block), list(at)
    axis = labels[ring.operand].index(ring.index)
    for step in range(around):
        here[ring.dim] = (at[ring.dim] + step) % around
        bounds = grid.box(travels.layout, travels.shape, here)[axis]
        waiting = []
        if step + 1 < around:
            following = list(here)
            following[ring.dim] = (here[ring.dim] + 1) % around
            box = grid.box(travels.layout, travels.shape, following)
            arriving = np.empty(shape_of(box), travels.dtype)
            waiting = [comm.Irecv(arriving, neighbour(1)), comm.Isend(block, neighbour(-1))]
            mesh.ranks.sent += block.nbytes
        fixed = _cut(labels[1 - ring.operand], other.block, other.box, ring.index, bounds)
        place = _cut(result, made, out_box, ring.index, bounds)
        pair = (block, fixed) if ring.operand == 0 else (fixed, block)
        if place.size and block.size:
            einsum(spec, *pair, out=place, beta=1, threads=threads)
        for request in waiting:
            request.Wait()
        if step + 1 < around:
            block = arriving
    return made
