# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Subscripts of einsum, as NumPy reads them.

A label is a letter of the subscripts, or ELLIPSIS followed by a number for one
of the dimensions that an ellipsis stands for, counted from the last.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import NamedTuple

ELLIPSIS = "..."

Labels = tuple[str, ...]


class Subscripts(NamedTuple):
    """One label for each axis of each operand, and of the result."""

    operands: tuple[Labels, ...]
    result: Labels


def _split(term: str, whole: str) -> Labels:
    """The letters of a term, with an ellipsis as one of them."""
    head, dots, tail = term.partition(ELLIPSIS)
    letters = (*head, *([dots] if dots else []), *tail)
    for letter in letters:
        if letter != ELLIPSIS and not letter.isalpha():
            raise ValueError(f"subscripts '{whole}': '{letter}' is no letter")
    return letters


def _expand(term: Labels, count: int) -> Labels:
    """Puts `count` labels in the place of the ellipsis."""
    if ELLIPSIS not in term:
        return term
    at = term.index(ELLIPSIS)
    dimensions = tuple(ELLIPSIS + str(i) for i in reversed(range(count)))
    return term[:at] + dimensions + term[at + 1 :]


def name(label: str) -> str:
    """The label as the compiler can spell it."""
    if label.startswith(ELLIPSIS):
        return "ellipsis" + label[len(ELLIPSIS) :]
    return label if label.isascii() else f"u{ord(label):x}"


def parse(subscripts: str, ranks: tuple[int, ...]) -> Subscripts:
    """Reads subscripts for operands of these ranks."""
    if not isinstance(subscripts, str):
        raise TypeError("subscripts are no text, as in 'ij,jk->ik'")
    return _parse(subscripts, ranks)


@functools.lru_cache(maxsize=4096)
def _parse(subscripts: str, ranks: tuple[int, ...]) -> Subscripts:
    whole = "".join(subscripts.split())
    inputs, arrow, output = whole.partition("->")
    terms = [_split(term, whole) for term in inputs.split(",")]
    if len(terms) != len(ranks):
        raise ValueError(
            f"subscripts '{whole}' name {len(terms)} operands, "
            f"but {len(ranks)} are given"
        )
    widest = 0
    operands = []
    for i, (term, rank) in enumerate(zip(terms, ranks)):
        has_ellipsis = ELLIPSIS in term
        named = len(term) - has_ellipsis
        if rank < named or (rank > named and not has_ellipsis):
            raise ValueError(
                f"operand {i} has {rank} dimensions, but '{''.join(term)}' in "
                f"subscripts '{whole}' names {named}"
            )
        if has_ellipsis:
            widest = max(widest, rank - named)
        operands.append(_expand(term, rank - named))

    counts = Counter(label for labels in operands for label in labels)
    if not arrow:
        once = sorted(
            label
            for label, count in counts.items()
            if count == 1 and not label.startswith(ELLIPSIS)
        )
        return Subscripts(
            tuple(operands), _expand((ELLIPSIS,), widest) + tuple(once)
        )
    term = _split(output, whole)
    if widest > 0 and ELLIPSIS not in term:
        raise ValueError(
            f"subscripts '{whole}': operands have dimensions for '...', "
            "but the result has no '...'"
        )
    result = _expand(term, widest)
    for label, count in Counter(result).items():
        if count > 1:
            raise ValueError(
                f"subscripts '{whole}': the result has '{label}' twice"
            )
        if label not in counts:
            raise ValueError(
                f"subscripts '{whole}': '{label}' of the result is in no operand"
            )
    return Subscripts(tuple(operands), result)
