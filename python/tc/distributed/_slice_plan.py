# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices of a product, and the work in each."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _json, _native
from .._arrays.layout import as_integer
from .._contraction.pair import extents_of
from .._einsum import program
from .._einsum.call import Options
from .._einsum.einsum import einsum
from .._messages.errors import UnsupportedError
from .._notation.letters import name_of
from .._notation.subscripts import Subscripts, parse
from .._order.path import Path, Slice, check_path
from .._order.search import Machine, find_order, spell_subscripts
from .._order.slices import part_of
from ._cut import Cuts
from ._pair import DTYPES


# Ahead-of-time kernels round otherwise than what is compiled after some calls.
_SPECIALIZE = "always"

# Of more, what is left takes too much memory on each rank, and handing them out takes rank 0 minutes. No other door of
# the compiler's takes more either.
MOST_SLICES = _native.MOST_SLICES


class Problem(NamedTuple):
    """A product of arrays, whatever is in them, what was asked of its slices, which is the most bytes of
    results between steps, a path, and the least number of slices or the parts of each index, and the threads of a rank."""

    subscripts: str
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    memory_limit: int | None
    path: Path | None
    slices: int | tuple[tuple[str, int], ...] | None
    threads: int

    def parse(self) -> Subscripts:
        return parse(self.subscripts, tuple(map(len, self.shapes)))


class Plan(NamedTuple):
    """A tree, and the slices that it is computed for. Slices are numbered block by block:
    a block is a part of the result, and all of its slices are added up. `str` of it is a
    text for people."""

    subscripts: Subscripts
    extents: Mapping[str, int]
    path: Path
    slices: tuple[Slice, ...]
    #: Multiplications of a whole slice.
    products: int
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def _cut_in_result(self) -> tuple[Slice, ...]:
        return tuple(each for each in self.slices if each.index in self.subscripts.result)

    @property
    def blocks(self) -> int:
        return math.prod(each.parts for each in self._cut_in_result)

    @property
    def terms(self) -> int:
        """Number of slices that are added up for a block."""
        return math.prod(each.parts for each in self.slices) // self.blocks

    def parts(self, number: int) -> dict[str, slice]:
        """Part of each index that is cut."""
        found = {}
        for each in reversed(self.slices):
            number, part = divmod(number, each.parts)
            begin = part * each.length
            found[each.index] = slice(
                begin, min(begin + each.length, self.extents[each.index])
            )
        return found

    def place(self, block: int) -> tuple[slice, ...]:
        """Place of a block in the result."""
        parts = self.parts(block * self.terms)
        return tuple(parts.get(label, slice(None)) for label in self.subscripts.result)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.extents[label] for label in self.subscripts.result)

    def to_json(self) -> str:
        return json.dumps(self)

    @classmethod
    def from_json(cls, text: str, problem: Problem) -> Plan:
        """A plan for that problem. Raises ValueError if the text is none."""
        parsed = problem.parse()
        known = extents_of(parsed.operands, problem.shapes)
        try:
            subscripts, extents, path, slices, products, explained = _json.parse_file(text)
            plan = cls(
                parsed,
                known,
                check_path(path, len(parsed.operands)),
                tuple(Slice(*each) for each in slices),
                products,
                explained,
            )
            are_parts = all(
                each.parts == -(-known[each.index] // each.length) for each in plan.slices
            )
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            raise ValueError(f"its plan is none: {error}") from error
        if not are_parts or (subscripts, extents) != tuple(json.loads(json.dumps((parsed, known)))):
            raise ValueError("its plan is of other indices")
        if not plan._agrees(np.dtype(problem.dtype).itemsize):
            raise ValueError("its plan is of other slices")
        return plan

    def _agrees(self, itemsize: int) -> bool:
        """True if slices, and what is said of them, are such as are made here."""
        for each in self.slices:
            is_slice = type(each.parts) is int and type(each.length) is int and each.length > 0
            if not is_slice:
                return False
        indices = [each.index for each in self.slices]
        of_result = [index in self.subscripts.result for index in indices]
        cuts = Cuts(self.subscripts, self.path, self.extents, itemsize)
        cuts.lengths.update((each.index, each.length) for each in self.slices)
        return (
            len(set(indices)) == len(indices)
            and of_result == sorted(of_result, reverse=True)
            and self.blocks * self.terms <= MOST_SLICES
            and type(self.products) is int
            and self.products == cuts.products
            and isinstance(self.text, str)
        )

    def contract(self, operands: Sequence[np.ndarray], number: int, threads: int) -> np.ndarray:
        """One slice of contiguous operands, with the same bits wherever it is computed: parts are
        copied where they are not contiguous, as code depends on strides."""
        parts = self.parts(number)
        arrays = [
            np.ascontiguousarray(part_of(array, labels, parts))
            if not parts.keys().isdisjoint(labels)
            else array
            for array, labels in zip(operands, self.subscripts.operands)
        ]
        spec = spell_subscripts(self.subscripts)
        made = program.contract(spec, arrays, self._options(threads))
        if made is None:
            optimize = self.path if len(arrays) > 2 else True
            made = einsum(
                spec, *arrays, optimize=optimize, threads=threads, specialize=_SPECIALIZE
            )
        return np.asarray(made)

    def _options(self, threads: int) -> Options:
        """Options of the program that computes a slice."""
        return Options(threads, _SPECIALIZE, optimize=self.path)

    def memory(self, dtype: np.dtype, threads: int) -> int | None:
        """Bytes in which the program of a whole slice lays out results between steps, which is made
        for that; None if steps are computed one by one, or there is only one. Where the last
        part of an index is shorter, so are these results, which are made by the same steps."""
        sizes = {**self.extents, **{each.index: each.length for each in self.slices}}
        shapes = tuple(tuple(sizes[x] for x in labels) for labels in self.subscripts.operands)
        return program.workspace_bytes(
            spell_subscripts(self.subscripts), shapes, dtype, self._options(threads)
        )


def make_problem(
    subscripts: str,
    operands: Sequence[np.ndarray],
    memory_limit: int | None,
    path: Any,
    slices: Any,
    threads: Any,
) -> Problem:
    """Problem that was asked for, after a look at each part of it. A path may be a tree of
    cotengra's, which says what is cut, too."""
    if not isinstance(subscripts, str):
        raise TypeError("subscripts are no text, as in 'ij,jk->ik'")
    if not operands:
        raise ValueError("there is no operand")
    dtype = np.result_type(*operands).name
    if dtype not in DTYPES:
        raise TypeError(
            f"the result has dtype {dtype}, but partial sums can be {', '.join(DTYPES)}"
        )
    shapes = tuple(operand.shape for operand in operands)
    extents = extents_of(parse(subscripts, tuple(map(len, shapes))).operands, shapes)
    if hasattr(path, "get_path"):
        if slices is None:
            slices = {index: extents[_check_index(index)] for index in path.sliced_inds}
        path = path.get_path()
    if path is not None:
        path = check_path(path, len(operands))
    if isinstance(slices, Mapping):
        slices = tuple(
            (_check_index(index), as_integer(parts, f"slices of index '{index}'"))
            for index, parts in slices.items()
        )
        for index, parts in slices:
            if index not in extents:
                raise ValueError(f"slices names index '{index}', which no operand has")
            if not 1 <= parts <= max(extents[index], 1):
                raise ValueError(
                    f"slices has {parts} parts of index '{index}', which has extent "
                    f"{extents[index]}"
                )
        if memory_limit is not None:
            raise ValueError("slices says what is cut: there is no memory_limit beside it")
    elif slices is not None:
        if isinstance(slices, bool) or (slices := as_integer(slices, "slices")) < 1:
            raise ValueError(f"slices is {slices!r}, but there is one at least")
    if memory_limit is not None:
        memory_limit = as_integer(memory_limit, "memory_limit")
        if memory_limit < 0:
            raise ValueError(f"memory_limit is {memory_limit}, but must not be negative")
    threads = as_integer(threads, "threads")
    return Problem(subscripts, shapes, dtype, memory_limit, path, slices, threads)


def _check_index(index: Any) -> str:
    """Name of an index of `slices`, or of a tree of cotengra's."""
    if not isinstance(index, str):
        raise TypeError(f"slices names {index!r}, which is no index")
    return name_of(index) if len(index) == 1 else index


class _TooManySlices(Exception):
    """A memory limit asks for so many slices."""


def _check_limit(problem: Problem, cuts: Cuts) -> None:
    if problem.memory_limit is not None and cuts.count > MOST_SLICES:
        raise _TooManySlices(cuts.count)


def _enough_memory(problem: Problem, subscripts: Subscripts, path: Path) -> int:
    """About the least limit that asks for few enough slices: the least one that was tried."""
    extents = extents_of(subscripts.operands, problem.shapes)
    whole = Cuts(subscripts, path, extents, np.dtype(problem.dtype).itemsize)

    def cut(limit: int) -> Cuts:
        cuts = Cuts(subscripts, path, extents, np.dtype(problem.dtype).itemsize)
        cuts.cut_to_fit(limit)
        return cuts

    assert problem.memory_limit is not None
    low, high = problem.memory_limit, max(problem.memory_limit, whole.peak)
    while high > low + 1 + low // 1000:
        middle = math.isqrt(max(low, 1) * high) if high > 2 * low else (low + high) // 2
        try:
            is_enough = cut(middle).count <= MOST_SLICES
        except UnsupportedError:
            is_enough = False
        low, high = (low, middle) if is_enough else (middle, high)
    while True:
        # The places of a program take more.
        try:
            _keep_limit(problem._replace(memory_limit=high), subscripts, cut(high))
            return high
        except (_TooManySlices, UnsupportedError):
            high += max(high // 8, 64)


def _keep_limit(problem: Problem, subscripts: Subscripts, cuts: Cuts) -> int | None:
    """Cuts further while programs of slices take more memory than the limit, as their places are aligned, and there may be
    gaps between them. Returns what they take."""
    assert problem.memory_limit is not None
    limit, dtype = problem.memory_limit, np.dtype(problem.dtype)
    while True:
        _check_limit(problem, cuts)
        slices = cuts.slices(subscripts.result)
        plan = Plan(subscripts, cuts.extents, cuts.path(), slices, cuts.products, "")
        room = plan.memory(dtype, problem.threads)
        if room is None or room <= problem.memory_limit:
            return room
        limit = min(limit, cuts.peak) - (room - problem.memory_limit)
        try:
            cuts.cut_to_fit(limit)
        except UnsupportedError:
            raise UnsupportedError(
                f"memory_limit is {problem.memory_limit}, but a program lays out results between steps in "
                f"{room} bytes, which no slices make less"
            ) from None


def find_plan(problem: Problem) -> Plan:
    """The tree of the path, or else the one that is predicted to be the fastest; cut as
    `slices` says, or as much as the memory limit asks for, and then until ranks have
    enough to do."""
    subscripts = problem.parse()
    count = len(subscripts.operands)
    extents = extents_of(subscripts.operands, problem.shapes)
    wanted = problem.slices
    text, path, limit = "as given\n", problem.path, problem.memory_limit
    fixed: dict[str, int] = {}
    if path is None:
        machine = Machine("cpu", 1, "plus_times", limit, "none" if limit is None else "all")
        names = [problem.dtype] * count
        order = find_order(subscripts, problem.shapes, names, True, machine)
        text, path, limit = order.text, order.path, None
        fixed = {each.index: each.length for each in order.slices}
    cuts = Cuts(subscripts, path, extents, np.dtype(problem.dtype).itemsize)
    cuts.lengths.update(fixed)
    try:
        if isinstance(wanted, tuple):
            for index, parts in wanted:
                cuts.lengths[index] = -(-extents[index] // parts)
        else:
            if limit is not None:
                cuts.cut_to_fit(limit)
            _check_limit(problem, cuts)
            cuts.cut_into(wanted)
        if wanted is not None and cuts.count > MOST_SLICES:
            raise ValueError(f"slices asks for {cuts.count}, but there are {MOST_SLICES} at most")
        room = None if problem.memory_limit is None else _keep_limit(problem, subscripts, cuts)
    except _TooManySlices as error:
        raise UnsupportedError(
            f"memory_limit is {problem.memory_limit}, which asks for {error} slices, but there are "
            f"{MOST_SLICES} at most; {_enough_memory(problem, subscripts, path)} bytes would do"
        ) from None
    slices = cuts.slices(subscripts.result)
    cut = [f"[{each.index}] in {each.parts} parts of {each.length}" for each in slices]
    text = text.rstrip() + f"\n{cuts.count} slices over ranks: " + ("; ".join(cut) or "no index is cut")
    text += (
        f"\n{cuts.products:.3g} products each, {cuts.ratio:.3g} times those of the whole, "
        f"and {cuts.peak} B between steps"
    )
    if room is not None:
        text += f", in {room} B of memory"
    return Plan(subscripts, extents, cuts.path(), slices, cuts.products, text)
