# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several products of the same operands, as the packages for PyTorch and JAX have them.

A term is one product, summed over all indices that its result lacks. Its text is
"0ab,1bc->ac", where a number says which operand a factor is, and a letter an index of one
of its axes; terms are separated by ";". An operand has no index twice, and an index has
one extent in all terms. The derivatives of terms are terms again, and so is what
batches make of them.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from .._contraction.pair import extents_of as common_extents_of
from .letters import LAST_NUMBER, letter_of, without_blanks
from .subscripts import Labels, parse


class Term(NamedTuple):
    """The operands that are multiplied, by their numbers, each with its indices, and
    the indices of the result."""

    factors: tuple[tuple[int, str], ...]
    result: str


@functools.lru_cache(maxsize=4096)
def read(text: str) -> tuple[Term, ...]:
    """The terms of a text."""
    terms = []
    for each in text.split(";") if text else ():
        factors, arrow, result = each.partition("->")
        given = factors.split(",")
        found = [x for x in map(re.compile(r"([0-9]+)([^0-9]*)").fullmatch, given) if x]
        if not arrow or len(found) < len(given):
            raise ValueError(f"'{each}' is no term, as in '0ab,1bc->ac'")
        terms.append(Term(tuple((int(x[1]), x[2]) for x in found), result))
    return tuple(terms)


def write(terms: Sequence[Term]) -> str:
    """The text of terms."""
    return ";".join(
        ",".join(f"{number}{labels}" for number, labels in term.factors) + "->" + term.result
        for term in terms
    )


def extents_of(terms: Sequence[Term], shapes: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The extent of each index."""
    extents: dict[str, Any] = {}
    for term in terms:
        for number, labels in term.factors:
            if len(labels) != len(shapes[number]):
                raise ValueError(
                    f"operand {number} has {len(shapes[number])} axes, but {len(labels)} indices"
                )
            for label, extent in zip(labels, shapes[number]):
                if extents.setdefault(label, extent) != extent:
                    raise ValueError(
                        f"index '{label}' has extents {extents[label]} and {extent}"
                    )
    return extents


def shapes_of(text: str, shapes: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """The shape of each term's result, for operands of these shapes."""
    terms = read(text)
    extents = extents_of(terms, shapes)
    return [tuple(extents[label] for label in term.result) for term in terms]


class Form(NamedTuple):
    """Steps from einsum's operands to those of a term: for each the axes that are one diagonal, as
    pairs to be taken one after the other, each of which moves to the end; and the letters of all
    axes that are left; with the labels of all axes, as messages call them."""

    diagonals: tuple[tuple[tuple[int, int], ...], ...]
    labels: tuple[str, ...]
    result: str
    names: tuple[Labels, ...]


@functools.lru_cache(maxsize=4096)
def form_of(subscripts: str, ranks: tuple[int, ...], sums_ellipsis: bool = False) -> Form:
    """Reads einsum's subscripts for operands of these ranks. What an ellipsis stands
    for, and the result lacks, is an error, unless it is to be summed over."""
    inputs, arrow, output = subscripts.partition("->")
    is_summed = sums_ellipsis and arrow and "..." in inputs and "..." not in output
    parsed = parse(f"{inputs}->...{output}" if is_summed else subscripts, ranks)
    if is_summed:
        rank = len(without_blanks(output))
        parsed = parsed._replace(result=parsed.result[len(parsed.result) - rank :])
    names = dict.fromkeys(label for labels in parsed.operands for label in labels)
    letters = {name: letter_of(i) for i, name in enumerate(names)}
    diagonals, terms = [], []
    for labels in parsed.operands:
        left = [letters[label] for label in labels]
        pairs = []
        for letter in dict.fromkeys(left):
            while left.count(letter) > 1:
                first = left.index(letter)
                second = left.index(letter, first + 1)
                pairs.append((first, second))
                del left[second], left[first]
                left.append(letter)
        diagonals.append(tuple(pairs))
        terms.append("".join(left))
    result = "".join(letters[label] for label in parsed.result)
    return Form(tuple(diagonals), tuple(terms), result, parsed.operands)


def _letter_of(axis: int) -> str:
    """The letter of a number in a list of axes, such that letters are in the order of
    numbers, as those of a result that is not given have to be."""
    number = operator.index(axis)
    if number < 0:
        raise ValueError(f"{number} stands in a list of axes, where no number is negative")
    if number > LAST_NUMBER:
        raise ValueError(
            f"{number} stands in a list of axes, where no number is more than {LAST_NUMBER}"
        )
    return letter_of((number + 26) % 52 if number < 52 else number)


def spell_sublists(arguments: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    """The subscripts and operands of einsum's other form, in which a list of axes
    follows each operand, and at the end may follow that of the result."""

    def spell(axes: Any) -> str:
        try:
            return "".join(
                "..." if axis is Ellipsis else _letter_of(axis) for axis in axes
            )
        except TypeError:
            raise TypeError(
                f"{axes!r} stands where a list of axes should, which are numbers or Ellipsis"
            ) from None

    count = len(arguments) // 2
    subscripts = ",".join(spell(arguments[2 * i + 1]) for i in range(count))
    if len(arguments) % 2:
        subscripts += "->" + spell(arguments[-1])
    return subscripts, tuple(arguments[: 2 * count : 2])


def check_extents(form: Form, shapes: Sequence[Sequence[Any]]) -> None:
    """Refuses operands of which an index has two extents. One goes with any other, but not
    along the axes of a diagonal."""
    common_extents_of(form.names, shapes)
    for number, (labels, shape) in enumerate(zip(form.names, shapes)):
        there: dict[str, int] = {}
        for axis, label in enumerate(labels):
            first = there.setdefault(label, axis)
            if shape[first] != shape[axis]:
                raise ValueError(
                    f"index '{label}' has extent {shape[first]} in axis {first} and {shape[axis]} in "
                    f"axis {axis} of operand {number}, of which it is to be a diagonal"
                )


def term_of(
    form: Form, shapes: Sequence[Sequence[Any]]
) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """The text of the term for operands that have these shapes, which fit, and the axes to remove
    of each: those of extent one, where the same index has another extent elsewhere."""
    extents: dict[str, Any] = {}
    for letters, shape in zip(form.labels, shapes):
        for letter, extent in zip(letters, shape):
            if extents.get(letter, 1) == 1:
                extents[letter] = extent
    factors, removed = [], []
    for number, (letters, shape) in enumerate(zip(form.labels, shapes)):
        axes = tuple(
            axis
            for axis, letter in enumerate(letters)
            if shape[axis] == 1 and extents[letter] != 1
        )
        left = "".join(x for axis, x in enumerate(letters) if axis not in axes)
        factors.append((number, left))
        removed.append(axes)
    return write([Term(tuple(factors), form.result)]), tuple(removed)


#: The same, for shapes of numbers, which are found again.
term_of_sizes = functools.lru_cache(maxsize=4096)(term_of)


@functools.lru_cache(maxsize=4096)
def needed_of(text: str, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
    """Operands that are read for the gradients that are wanted: all that are multiplied, in some
    term, by an operand whose gradient is wanted."""
    needed = [False] * len(wanted)
    for term in read(text):
        for number, _ in term.factors:
            needed[number] |= any(wanted[other] for other, _ in term.factors if other != number)
    return tuple(needed)


class Gradient(NamedTuple):
    """Summand that one term adds to the gradient of an operand: a term, the result of which is the
    same along the axes of the operand that it lacks."""

    operand: int
    term: Term
    missing: tuple[int, ...]


@functools.lru_cache(maxsize=4096)
def gradients_of(
    text: str, wanted: tuple[bool, ...], given: tuple[bool, ...]
) -> tuple[list[Gradient], str, tuple[int, ...]]:
    """The products of which gradients are sums, for the operands of which they are
    wanted, and the results whose own gradients are given; their text, and the numbers of
    its operands among the gradients of all results and, behind these, the operands."""
    terms = read(text)
    found = []
    for number, term in enumerate(terms):
        if not given[number]:
            continue
        for operand, labels in term.factors:
            if not wanted[operand]:
                continue
            others = tuple(
                (len(terms) + other, theirs)
                for other, theirs in term.factors
                if other != operand
            )
            factors = ((number, term.result), *others)
            there = set().union(*(theirs for _, theirs in factors))
            found.append(
                Gradient(
                    operand,
                    Term(factors, "".join(x for x in labels if x in there)),
                    tuple(i for i, x in enumerate(labels) if x not in there),
                )
            )
    return found, *selected(write([each.term for each in found]))


@functools.lru_cache(maxsize=4096)
def tangents_of(text: str, given: tuple[bool, ...]) -> tuple[list[int], str, tuple[int, ...]]:
    """The products of which the tangents of results are sums, for the operands of which
    tangents are given: of each the number of the result; their text, and the numbers of its
    operands among the operands and, behind these, all tangents."""
    terms = read(text)
    results, found = [], []
    for number, term in enumerate(terms):
        for operand, _ in term.factors:
            if given[operand]:
                factors = tuple(
                    (len(given) + other if other == operand else other, labels)
                    for other, labels in term.factors
                )
                results.append(number)
                found.append(term._replace(factors=factors))
    return results, *selected(write(found))


@functools.lru_cache(maxsize=4096)
def selected(text: str) -> tuple[str, tuple[int, ...]]:
    """The text of terms of which operands that occur in none are left out, and the numbers
    of the others."""
    used = sorted({number for term in read(text) for number, _ in term.factors})
    places = [used.index(number) if number in used else 0 for number in range(max(used, default=0) + 1)]
    return merged(text, tuple(places)), tuple(used)


@functools.lru_cache(maxsize=4096)
def merged(text: str, places: tuple[int, ...]) -> str:
    """The text of terms of which each operand is at another place; several may be at
    one."""
    return write(
        [
            term._replace(
                factors=tuple((places[number], labels) for number, labels in term.factors)
            )
            for term in read(text)
        ]
    )


@functools.lru_cache(maxsize=4096)
def batched(text: str, axes: tuple[int | None, ...]) -> tuple[str, list[bool]]:
    """The terms with one index more, the one of a batch, which is that axis of each
    operand, if any. It is the first one of a result that has it; says which have."""
    terms = read(text)
    used = {x for term in terms for _, labels in term.factors for x in labels}
    letter = next(
        symbol for symbol in map(letter_of, range(len(used) + 1)) if symbol not in used
    )
    made, has = [], []
    for term in terms:
        factors = []
        for number, labels in term.factors:
            axis = axes[number]
            if axis is not None:
                labels = labels[:axis] + letter + labels[axis:]
            factors.append((number, labels))
        has.append(any(axes[number] is not None for number, _ in factors))
        made.append(Term(tuple(factors), letter * has[-1] + term.result))
    return write(made), has
