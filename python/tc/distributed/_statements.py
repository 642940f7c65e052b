# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of a program: tensors, each a sum of products of tensors before it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .. import _native
from .._arrays.layout import ELEMENT_TYPES
from .._contraction.pair import extents_of
from .._notation.subscripts import Labels, Subscripts, parse

Shape = tuple[int, ...]


class Term(NamedTuple):
    """A product of tensors by their numbers, times a number."""

    inputs: tuple[int, ...]
    subscripts: Subscripts
    factor: float


class Value(NamedTuple):
    """A tensor that is given, which has no terms, or the sum of its terms."""

    name: str
    shape: Shape
    terms: tuple[Term, ...] = ()


class Statements(NamedTuple):
    """Tensors, and which of them are the results, by their names."""

    values: tuple[Value, ...]
    results: Mapping[str, int]
    #: None where the operands have any dtype that can be summed.
    dtype: str | None

    @property
    def arguments(self) -> dict[str, int]:
        return {value.name: i for i, value in enumerate(self.values) if not value.terms}

    def extents(self, term: Term) -> dict[str, int]:
        shapes = [self.values[i].shape for i in term.inputs]
        return extents_of(term.subscripts.operands, shapes)

    def order(self) -> list[int]:
        """The tensors that results need, each behind those of which it is made."""
        order: list[int] = []
        seen = set()
        waiting = [(i, False) for i in reversed(list(self.results.values()))]
        while waiting:
            number, is_done = waiting.pop()
            if is_done:
                order.append(number)
            elif number not in seen:
                seen.add(number)
                waiting.append((number, True))
                inputs = [i for term in self.values[number].terms for i in term.inputs]
                waiting += [(i, False) for i in reversed(inputs)]
        return order

    def uses(self) -> dict[int, int]:
        """Number of times that each tensor that results need is a factor."""
        order = self.order()
        count = dict.fromkeys(order, 0)
        for number in order:
            for term in self.values[number].terms:
                for i in term.inputs:
                    count[i] += 1
        return count


def statements_of_einsum(subscripts: str, shapes: Sequence[Shape]) -> Statements:
    """A product of tensors, which are called by their positions."""
    parsed = parse(subscripts, tuple(map(len, shapes)))
    extents = extents_of(parsed.operands, shapes)
    values = [Value(f"operand {i}", tuple(shape)) for i, shape in enumerate(shapes)]
    for i, (labels, shape) in enumerate(zip(parsed.operands, shapes)):
        _check_diagonal(f"operand {i}", labels)
        for label, extent in zip(labels, shape):
            if extent != extents[label]:
                raise ValueError(
                    f"index '{label}' has extent {extent} in operand {i}, but {extents[label]} in "
                    "another: tensors on a mesh are not broadcast"
                )
    if not values:
        raise ValueError("there is no operand")
    term = Term(tuple(range(len(shapes))), parsed, 1.0)
    result = Value("result", tuple(extents[label] for label in parsed.result), (term,))
    return Statements((*values, result), {"result": len(values)}, None)


def _check_diagonal(what: str, labels: Labels) -> None:
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"{what} has index '{label}' twice: take its diagonal first")


class _Reader:
    """Gives each state that a tensor of a text has a number of its own."""

    def __init__(self, tensors: Sequence[Mapping], arguments: Sequence[int]) -> None:
        self._tensors = tensors
        self.values: list[Value] = []
        # Of each tensor the value that it is now, and of values whether a term has read them.
        self.now: dict[int, int] = {}
        self._is_read: set[int] = set()
        for number in arguments:
            self.now[number] = len(self.values)
            self.values.append(Value(tensors[number]["name"], tuple(tensors[number]["extents"])))

    def add(self, step: Mapping) -> None:
        number = step["output"]
        tensor = self._tensors[number]
        inputs, lists = [], []
        for each in step["inputs"]:
            labels = tuple(each["indices"])
            _check_diagonal(f"tensor '{self._tensors[each['tensor']]['name']}'", labels)
            inputs.append(self.now[each["tensor"]])
            lists.append(labels)
        subscripts = Subscripts(tuple(lists), tuple(step["indices"]))
        terms = [Term(tuple(inputs), subscripts, step["factor"])]
        self._is_read.update(inputs)
        if step["accumulates"]:
            before = self.now[number]
            earlier = self.values[before].terms
            if earlier and before not in self._is_read:
                # Nobody has seen the sum so far. Its terms move behind what is made by now.
                self.values[before] = self.values[before]._replace(terms=())
                terms = [*earlier, *terms]
            else:
                same = tuple(step["indices"])
                terms.insert(0, Term((before,), Subscripts((same,), same), 1.0))
                self._is_read.add(before)
        self.now[number] = len(self.values)
        self.values.append(Value(tensor["name"], tuple(tensor["extents"]), tuple(terms)))


def statements_of_text(text: str, notation: str) -> Statements:
    """The statements of a program (docs/programs.md)."""
    if not isinstance(text, str):
        raise TypeError("the program is no text")
    found = json.loads(_native.describe_program(text, notation))
    if found["unknown"]:
        raise ValueError(
            f"the extent of index '{found['unknown'][0]}' is unknown: programs on a mesh have "
            "all extents in their text"
        )
    tensors = found["tensors"]
    names = {number: dtype for dtype, number in ELEMENT_TYPES.items()}
    reader = _Reader(tensors, found["arguments"])
    for step in found["steps"]:
        reader.add(step)
    results = {tensors[number]["name"]: reader.now[number] for number in found["results"]}
    made = Statements(tuple(reader.values), results, names[tensors[0]["element_type"]])
    return _without_unused(made, len(found["arguments"]))


def _without_unused(given: Statements, arguments: int) -> Statements:
    """The same without the sums that have become others; arguments are the first ones, and stay."""
    order = [*range(arguments), *(i for i in given.order() if i >= arguments)]
    new = {old: i for i, old in enumerate(order)}
    values = []
    for old in order:
        value = given.values[old]
        terms = tuple(
            term._replace(inputs=tuple(new[i] for i in term.inputs)) for term in value.terms
        )
        values.append(value._replace(terms=terms))
    results = {name: new[i] for name, i in given.results.items()}
    return Statements(tuple(values), results, given.dtype)
