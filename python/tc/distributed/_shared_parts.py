# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of products of a program, each made a tensor of its own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .._notation.subscripts import Labels, Subscripts
from ._statements import Statements, Term, Value

# Products of more tensors than this have too many parts to look at.
_MOST_FACTORS = 8
# Parts that are tried.
_MOST_TRIED = 30


class _Place(NamedTuple):
    """Some factors of a term, and what their indices are called in all equal parts."""

    value: int
    term: int
    factors: tuple[int, ...]
    names: dict[str, str]


# Tensors by their numbers, their indices by common names, and which of these the part has.
_Part = tuple[tuple[int, ...], tuple[Labels, ...], tuple[str, ...]]


def _parts(statements: Statements) -> dict[_Part, list[_Place]]:
    """The parts of two tensors and more, each of which is there once, and their places."""
    found: dict[_Part, list[_Place]] = {}
    for number in statements.order():
        for position, term in enumerate(statements.values[number].terms):
            count = len(term.inputs)
            if not 2 <= count <= _MOST_FACTORS:
                continue
            for size in range(2, count + 1):
                for factors in itertools.combinations(range(count), size):
                    if len({term.inputs[i] for i in factors}) == size:
                        part, names = _spell(term, factors)
                        place = _Place(number, position, factors, names)
                        found.setdefault(part, []).append(place)
    return found


def _spell(term: Term, factors: tuple[int, ...]) -> tuple[_Part, dict[str, str]]:
    names: dict[str, str] = {}
    lists = term.subscripts.operands
    ordered = sorted(factors, key=lambda i: term.inputs[i])
    for i in ordered:
        for label in lists[i]:
            names.setdefault(label, f"i{len(names)}")
    outside = set(term.subscripts.result).union(
        *(lists[i] for i in range(len(lists)) if i not in factors)
    )
    kept = tuple(name for label, name in names.items() if label in outside)
    renamed = tuple(tuple(names[label] for label in lists[i]) for i in ordered)
    return (tuple(term.inputs[i] for i in ordered), renamed, kept), names


def _apart(places: list[_Place]) -> list[_Place]:
    """Those of which no two have a factor in common."""
    used: set[tuple[int, int, int]] = set()
    found = []
    for place in places:
        own = {(place.value, place.term, i) for i in place.factors}
        if used.isdisjoint(own):
            used |= own
            found.append(place)
    return found


def _candidates(statements: Statements) -> Iterator[tuple[_Part, list[_Place]]]:
    """Those that are in two places at least, the ones of the most multiplications first."""
    several = [
        (part, apart) for part, places in _parts(statements).items()
        if len(apart := _apart(places)) > 1
    ]

    def products(part: _Part) -> int:
        inputs, lists, _ = part
        extents = {
            x: n for i, labels in zip(inputs, lists) for x, n in zip(labels, statements.values[i].shape)
        }
        return math.prod(extents.values())

    several.sort(key=lambda pair: -products(pair[0]))
    return iter(several[:_MOST_TRIED])


def _extract(statements: Statements, part: _Part, places: list[_Place]) -> Statements:
    """The same with the part as a tensor of its own."""
    values = list(statements.values)
    inputs, lists, kept = part
    extents = {
        x: n for i, labels in zip(inputs, lists) for x, n in zip(labels, values[i].shape)
    }
    whole = next((place for place in places if _is_all_of(values[place.value], place)), None)
    if whole:
        # There is a tensor that is just this.
        number = whole.value
        kept = tuple(whole.names[x] for x in values[number].terms[0].subscripts.result)
    else:
        number = len(values)
        shape = tuple(extents[x] for x in kept)
        parts = sum(value.name.startswith("part ") for value in values)
        values.append(
            Value(f"part {parts + 1}", shape, (Term(inputs, Subscripts(lists, kept), 1.0),))
        )
    # Places in one term are replaced together: its inputs have other numbers then.
    of_terms: dict[tuple[int, int], list[_Place]] = {}
    for place in places:
        if place is not whole:
            of_terms.setdefault((place.value, place.term), []).append(place)
    for (in_value, in_term), own in of_terms.items():
        value = values[in_value]
        term = value.terms[in_term]
        lists_of_part = []
        for place in own:
            labels = {name: label for label, name in place.names.items()}
            lists_of_part.append(tuple(labels[x] for x in kept))
        replaced = {i for place in own for i in place.factors}
        rest = [i for i in range(len(term.inputs)) if i not in replaced]
        changed = Term(
            (*(number for _ in own), *(term.inputs[i] for i in rest)),
            Subscripts(
                (*lists_of_part, *(term.subscripts.operands[i] for i in rest)),
                term.subscripts.result,
            ),
            term.factor,
        )
        terms = (*value.terms[:in_term], changed, *value.terms[in_term + 1 :])
        values[in_value] = value._replace(terms=terms)
    return statements._replace(values=tuple(values))


def _is_all_of(value: Value, place: _Place) -> bool:
    (*others, term) = value.terms
    return not others and term.factor == 1 and len(place.factors) == len(term.inputs)


def share(
    statements: Statements, seconds_of: Callable[[Statements], float]
) -> Statements:
    """Makes parts tensors of their own, one after the other, as long as all takes less time then."""
    best = seconds_of(statements)
    tried: set[_Part] = set()
    while True:
        for part, places in _candidates(statements):
            if part in tried:
                continue
            tried.add(part)
            changed = _extract(statements, part, places)
            seconds = seconds_of(changed)
            if seconds < best:
                statements, best = changed, seconds
                break
        else:
            return statements
