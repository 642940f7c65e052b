# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Subscripts of einsum, as the compiler reads them.

A label is the name of an index in the compiler's notation: a letter, or a name
that it gives to a dimension that an ellipsis stands for.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from .. import _native
from .._messages.wording import plain
from .letters import without_blanks

Labels = tuple[str, ...]


class Subscripts(NamedTuple):
    """One label for each axis of each operand, and of the result."""

    operands: tuple[Labels, ...]
    result: Labels


def parse(subscripts: str, ranks: tuple[int, ...]) -> Subscripts:
    """Reads subscripts for operands of these ranks."""
    if not isinstance(subscripts, str):
        raise TypeError("subscripts are no text, as in 'ij,jk->ik'")
    return _parse(subscripts, ranks)


@functools.lru_cache(maxsize=4096)
def _parse(subscripts: str, ranks: tuple[int, ...]) -> Subscripts:
    # One operand without axes has subscripts without letters.
    whole = without_blanks(subscripts) or "->"
    for spot, letter in enumerate(subscripts, 1):
        # Lines and comments are of texts in files, and halves of characters of nothing.
        if letter in "\t\n\r#" or "\ud800" <= letter <= "\udfff":
            raise ValueError(
                f"subscripts {ascii(subscripts)}, character {spot}: {ascii(letter)} is no letter"
            )
    try:
        expanded = _native.expand(whole, ranks)
    except ValueError as error:
        # Place of a fault, unless that is the whole.
        place = re.match(r"spec:1:(?!1:)(\d+): ", str(error))
        where = ""
        if place and not whole.startswith("["):
            spots = [spot for spot, letter in enumerate(subscripts, 1) if letter != " "]
            spots.append(len(subscripts) + 1)
            where = f", character {spots[min(int(place[1]), len(spots)) - 1]}"
        raise ValueError(f"subscripts '{subscripts}'{where}: {plain(str(error))}") from None
    inputs, _, output = expanded.partition("->")
    *operands, result = (
        tuple(filter(None, term.split(",")))
        for term in (*inputs[1:-1].split("],["), output[1:-1])
    )
    return Subscripts(tuple(operands), result)
