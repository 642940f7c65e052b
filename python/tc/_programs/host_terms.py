# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms (tc._notation.terms) computed together on contiguous arrays in the host's memory.

One product is a program of libtc, which runs it at once by ahead-of-time kernels. Programs
of several statements are compiled there before they run: until that pays, each statement is run here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import _native
from .._arrays.layout import DTYPES, ELEMENT_TYPES, Layout, itemsize_of
from .._contraction.pair import compile_pair, first_two
from .._contraction.specialize import Later, check_word, in_effect
from .._einsum.program import find_workspace
from .._notation.letters import name_of
from .._notation.subscripts import Subscripts
from .._notation.terms import Term, extents_of
from .._order.search import spell_subscripts
from .statements import Statement, program_of, statements_of

# Seconds that compiling a statement takes, about.
_SECONDS = 0.04

Arrays = Sequence[np.ndarray]
# Takes operands and results.
Run = Callable[[Arrays, Arrays], None]


class HostTerms:
    """Terms of operands of these shapes and one dtype, in which what is between is not rounded: one of
    sums, of NumPy."""

    def __init__(
        self,
        terms: Sequence[Term],
        shapes: Sequence[tuple[int, ...]],
        element_type: str,
        threads: int,
        specialize: str,
    ) -> None:
        check_word(specialize)
        specialize = in_effect(specialize)
        extents = extents_of(terms, shapes)
        #: The shapes of the results.
        self.shapes = [tuple(extents[label] for label in term.result) for term in terms]

        def compile_all(in_background: bool = False) -> Run:
            program = program_of(terms, extents, element_type)
            return _compiled(program, threads, "always", in_background)

        #: Computes the results, which must not overlap the operands.
        self.run: Run
        if specialize == "always":
            self.run = compile_all()
        elif len(terms) == 1 and len(terms[0].factors) > 1:
            self.run = _compiled(program_of(terms, extents, element_type), threads, specialize)
        else:
            dtype = DTYPES[element_type]
            statements = statements_of(terms, extents, dtype, is_quick=True)
            ahead = _Statements(statements, extents, dtype, threads).run
            is_kept = specialize == "never"
            self.run = (
                ahead
                if is_kept
                else Later(ahead, lambda: compile_all(True), _SECONDS * len(statements)).run
            )


def _compiled(text: str, threads: int, specialize: str, in_background: bool = False) -> Run:
    options = {"target": "cpu", "threads": str(threads), "specialize": specialize}
    if in_background:
        options["background"] = "true"
    native = _native.Program(text, "tensors", options)
    # X3 or R0: an operand, or a result.
    places = [(name[0] == "R", int(name[1:])) for name, *_ in native.parameters]
    room = native.workspace_bytes, native.workspace_alignment

    def run(operands: Arrays, results: Arrays) -> None:
        native.run(
            [(results if is_result else operands)[number] for is_result, number in places],
            find_workspace(*room),
        )

    return run


class _Statements:
    """Statements, each of which is run by itself, by ahead-of-time kernels."""

    def __init__(
        self, statements: Sequence[Statement], extents: dict[str, int], dtype: str, threads: int
    ) -> None:
        self._dtype = np.dtype(dtype)
        options = {"target": "cpu", "threads": str(threads), "specialize": "never"}
        last = {
            name: place
            for place, statement in enumerate(statements)
            for name, _ in statement.factors
        }
        #: Of each: what computes it, the names of its factors, its own, its shape, and
        #: the names of what nothing reads any more.
        self._steps = []
        for place, statement in enumerate(statements):
            lists = [tuple(map(name_of, labels)) for _, labels in statement.factors]
            subscripts = Subscripts(tuple(lists), tuple(map(name_of, statement.labels)))
            shapes = [
                tuple(extents[label] for label in labels) for _, labels in statement.factors
            ]
            self._steps.append(
                (
                    _step(subscripts, shapes, dtype, options),
                    [name for name, _ in statement.factors],
                    statement.name,
                    tuple(extents[label] for label in statement.labels),
                    [x for x, its in last.items() if its == place and x[0] not in "XR"],
                )
            )

    def run(self, operands: Arrays, results: Arrays) -> None:
        arrays = {f"X{i}": array for i, array in enumerate(operands)}
        arrays.update((f"R{i}", array) for i, array in enumerate(results))
        for run, factors, name, shape, unread in self._steps:
            if name not in arrays:
                arrays[name] = np.empty(shape, self._dtype)
            run([arrays[factor] for factor in factors], arrays[name])
            for each in unread:
                del arrays[each]


def _step(
    subscripts: Subscripts,
    shapes: Sequence[tuple[int, ...]],
    dtype: str,
    options: dict[str, str],
) -> Callable[[list[np.ndarray], np.ndarray], None]:
    """Function that computes one product."""
    if len(shapes) > 2:
        native = _native.Program.of_einsum(
            spell_subscripts(subscripts), ELEMENT_TYPES[dtype], shapes, options
        )
        room = native.workspace_bytes, native.workspace_alignment

        def run_program(arrays: list[np.ndarray], result: np.ndarray) -> None:
            native.run([*arrays, result], find_workspace(*room))

        return run_program
    layouts = [Layout.contiguous(shape, dtype, itemsize_of(dtype)) for shape in shapes]
    a, b = first_two(layouts)
    pair = compile_pair(subscripts, a, b, None, {**options, "alpha": "", "beta": ""}, {})[0]

    def run_pair(arrays: list[np.ndarray], result: np.ndarray) -> None:
        first, second = first_two(arrays)
        pair.run(first, second, result, None, None)

    return run_pair
