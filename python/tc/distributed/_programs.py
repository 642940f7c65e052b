# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of several contractions, and products of many tensors, on a mesh."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from .._arrays.layout import as_integer
from ._choose import PlanError
from ._grid import Layout, check_layout
from ._machine import Machine
from ._multiply import make_product
from ._pair import DTYPES
from ._program_plan import ONE, Key, ProgramPlan, Step, find_program
from ._statements import statements_of_einsum, statements_of_text
from ._tensor import Mesh, Tensor, move


class _Problem:
    """A program and its operands, looked at."""

    def __init__(
        self, program: str, operands: Mapping[str, Tensor] | Sequence[Tensor], layouts: Any,
        notation: str, machine: Machine, ring: bool,
    ) -> None:
        self.program = program
        self.is_text = isinstance(operands, Mapping)
        self._notation = notation
        self._machine = machine
        self._allows_ring = bool(ring)
        named = (
            dict(operands)
            if isinstance(operands, Mapping)
            else {f"operand {i}": tensor for i, tensor in enumerate(operands)}
        )
        for name, tensor in named.items():
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"{name} is no Tensor, but {type(tensor).__name__}: distribute it"
                )
        if not named:
            raise ValueError("there is no operand")
        if not isinstance(machine, Machine):
            raise TypeError(f"machine is no Machine, but {type(machine).__name__}")
        if self.is_text:
            self.statements = statements_of_text(program, notation)
        else:
            shapes = [tensor.shape for tensor in named.values()]
            self.statements = statements_of_einsum(program, shapes)
        self.tensors = self._check_operands(named)
        self.mesh = next(iter(named.values())).mesh
        self.wanted = self._check_layouts(layouts)

    def _check_operands(self, named: Mapping[str, Tensor]) -> dict[int, Tensor]:
        """The operands by the numbers of their tensors."""
        arguments = self.statements.arguments
        for name in named:
            if name not in arguments:
                raise ValueError(
                    f"the program takes no tensor '{name}', but {', '.join(arguments)}"
                )
        first, before = next(iter(named.items()))
        found = {}
        for name, number in arguments.items():
            if name not in named:
                raise ValueError(f"tensor '{name}' is missing")
            tensor, shape = named[name], self.statements.values[number].shape
            if tensor.mesh is not before.mesh:
                raise ValueError(f"{name} is on another mesh than {first}")
            if tensor.arrays.kind != before.arrays.kind:
                raise ValueError(f"{first} lies {before.arrays.kind}, and {name} {tensor.arrays.kind}")
            if tensor.shape != shape:
                raise ValueError(f"{name} has shape {tensor.shape}, but in the program {shape}")
            if tensor.dtype != before.dtype:
                raise TypeError(
                    f"{first} has dtype {before.dtype} and {name} {tensor.dtype}: convert one of them"
                )
            found[number] = tensor
        wanted = self.statements.dtype
        if wanted is not None and before.dtype.name != wanted:
            raise TypeError(f"{first} has dtype {before.dtype}, but in the program {wanted}")
        if before.dtype.name not in DTYPES:
            raise TypeError(
                f"operands have dtype {before.dtype}, but partial sums can be {', '.join(DTYPES)}"
            )
        return found

    def _check_layouts(self, layouts: Any) -> dict[int, Layout]:
        results = self.statements.results
        if layouts is None:
            return {}
        if not self.is_text:
            layouts = {"result": layouts}
        elif not isinstance(layouts, Mapping):
            raise TypeError("layouts are those of results by their names")
        found = {}
        for name, layout in layouts.items():
            if name not in results:
                raise ValueError(
                    f"layouts names '{name}', which is no result; those are {', '.join(results)}"
                )
            number = results[name]
            shape = self.statements.values[number].shape
            what = f"result '{name}'" if self.is_text else "the result"
            found[number] = check_layout(self.mesh.grid, layout, len(shape), what)
        return found

    @property
    def dtype(self) -> np.dtype:
        return next(iter(self.tensors.values())).dtype

    def given(self) -> dict[str, Any]:
        """Arguments that are the same on all ranks."""
        return {
            "the program": str(self.program),
            "notation": str(self._notation),
            "layouts": self.wanted,
            "machine": self._machine,
            "ring": self._allows_ring,
            "the layouts of operands": [tensor.layout for tensor in self.tensors.values()],
            "the shapes of operands": [tensor.shape for tensor in self.tensors.values()],
            "the dtype of operands": self.dtype.name,
        }

    @property
    def key(self) -> Key:
        layouts = {number: tensor.layout for number, tensor in self.tensors.items()}
        return Key(self.statements, layouts, self.wanted, self.dtype.name, self.mesh.grid)

    @property
    def is_device(self) -> bool:
        return next(iter(self.tensors.values())).arrays.is_device

    def find(self) -> ProgramPlan:
        return find_program(self.key, self._machine, self._allows_ring and not self.is_device)

    def check_plan(self, plan: Any) -> None:
        """Raises an error if the plan was made for anything else."""
        if not isinstance(plan, ProgramPlan):
            raise TypeError(f"plan is no ProgramPlan, but {type(plan).__name__}")
        if plan.made_for != self.key:
            raise ValueError("plan was made for another program, or for other layouts or dtypes")
        if any(step.plan.ring for step in plan.steps):
            if self.is_device:
                raise ValueError("plan lets blocks go around, which those on devices do not")
            if not self._allows_ring:
                raise ValueError("plan lets blocks go around, but ring is False")


def plan_program(
    program: str,
    operands: Mapping[str, Tensor] | Sequence[Tensor],
    *,
    layouts: Any = None,
    notation: str = "tensors",
    machine: Machine = Machine(),
    ring: bool = True,
) -> ProgramPlan:
    """Plan of `contract_program`; `str` of it explains it. Nothing is moved."""
    return _Problem(program, operands, layouts, notation, machine, ring).find()


def contract_program(
    program: str,
    operands: Mapping[str, Tensor] | Sequence[Tensor],
    *,
    layouts: Any = None,
    notation: str = "tensors",
    machine: Machine = Machine(),
    ring: bool = True,
    threads: int = 1,
    plan: ProgramPlan | None = None,
    info: MutableMapping[str, Any] | None = None,
) -> Any:
    """Computes a program of several statements (docs/programs.md), whose tensors are given by their
    names, or an einsum of tensors that are given one after the other. All ranks of their mesh call it
    alike. Returns the results by their names, or the only one.

    Trees, and the layouts of all temporaries, are those which are predicted to take the least time on the
    `machine`, within its memory; results have the layouts that `layouts` has by their names, or, of an
    einsum, itself. `ring` says whether blocks may go around, which those on devices do not. A `plan` that was made for the same program and for
    operands of the same layouts is not made again. Arguments are not changed, those that the program adds
    to included.

    `info` is filled with the "plan" and the most "bytes" of blocks that this rank has held."""
    given = operands.values() if isinstance(operands, Mapping) else operands
    first = next((each for each in given if isinstance(each, Tensor)), None)
    if first is None:
        raise TypeError("no operand is a Tensor: distribute them")
    mesh = first.mesh
    ranks = mesh.ranks
    with ranks.together():
        problem = _Problem(program, operands, layouts, notation, machine, ring)
        alike = {
            **problem.given(), "threads": as_integer(threads, "threads"),
            "whether there is a plan": plan is not None,
        }
    ranks.check_equal(alike)
    with ranks.together():
        if plan is not None:
            problem.check_plan(plan)
        # It takes a while, and is the same for all.
        found = plan if plan is not None or ranks.rank else _find(problem)
    with ranks.reaching():
        found = ranks.comm.bcast(found)
    if isinstance(found, PlanError):
        raise found
    assert found
    plan = found
    with ranks.together():
        run = _Run(plan, mesh, problem.tensors, threads)
    results = run.run()
    with ranks.together():
        if info is not None:
            info.update(plan=plan, bytes=run.peak)
    return results if len(results) > 1 else next(iter(results.values()))


def _find(problem: _Problem) -> ProgramPlan | PlanError:
    """The plan, or why there is none, which is the same on all ranks."""
    try:
        return problem.find()
    except PlanError as error:
        return error


class _Run:
    """Runs the steps, and counts the bytes of the blocks that this rank holds."""

    def __init__(
        self, plan: ProgramPlan, mesh: Mesh, tensors: Mapping[int, Tensor], threads: int
    ) -> None:
        self._plan = plan
        self._mesh = mesh
        self._threads = threads
        self._there = dict(tensors)
        first = next(iter(tensors.values()))
        self._dtype, self._arrays = first.dtype, first.arrays
        self._held = sum(tensor.block.nbytes for tensor in tensors.values())
        self.peak = self._held

    def run(self) -> dict[str, Tensor]:
        for step in self._plan.steps:
            self._step(step)
        return {name: self._there[number] for name, number in self._plan.results.items()}

    def _hold(self, *tensors: Tensor, extra: int = 0) -> None:
        self._held += sum(tensor.block.nbytes for tensor in tensors)
        self.peak = max(self.peak, self._held + extra)

    def _drop(self, *tensors: Tensor) -> None:
        self._held -= sum(tensor.block.nbytes for tensor in tensors)

    def _move(
        self, tensor: Tensor, layout: Layout, partial: tuple[int, ...] = (), drops: bool = True
    ) -> Tensor:
        """The tensor elsewhere, perhaps in the place of what it was."""
        moved = move(tensor, layout, partial)
        if moved is not tensor:
            self._hold(moved)
            if drops:
                self._drop(tensor)
        return moved

    def _operand(self, step: Step, side: int) -> tuple[Tensor, bool]:
        """An operand where it is needed, and whether nothing needs that behind the product."""
        number, layout = step.operands[side], step.plan.operands[side]
        if number == ONE:
            with self._mesh.ranks.together():
                one = self._arrays.filled((), self._dtype, 1)
            return Tensor(self._mesh, (), (), one), False
        # The other side may have the same.
        is_last = number in step.frees and number not in step.operands[side + 1 :]
        tensor = self._there.pop(number) if is_last else self._there[number]
        if tensor.layout == layout:
            return tensor, is_last
        return self._move(tensor, layout, drops=is_last), True

    def _step(self, step: Step) -> None:
        plan, mesh = step.plan, self._mesh
        pairs = [self._operand(step, side) for side in (0, 1)]
        operands = [tensor for tensor, _ in pairs]
        made = make_product(plan, mesh, operands, self._threads)
        travels = 2 * operands[plan.ring.operand].block.nbytes if plan.ring else 0
        self._hold(made, extra=travels)
        self._drop(*(tensor for tensor, is_gone in pairs if is_gone))
        del operands, pairs
        if step.factor != 1:
            with mesh.ranks.together():
                made.block *= self._dtype.type(step.factor).item()
        made = self._move(self._move(made, plan.summed, plan.partial), plan.out)
        if not step.adds:
            self._there[step.output] = made
            return
        with mesh.ranks.together():
            self._there[step.output].block += made.block
        self._drop(made)
