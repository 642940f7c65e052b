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

from . import _native
from ._messages import plain

Labels = tuple[str, ...]


class Subscripts(NamedTuple):
    """One label for each axis of each operand, and of the result."""

    operands: tuple[Labels, ...]
    result: Labels


def letter_of(number: int) -> str:
    """The letter that stands for a number from 0 on: small and capital ones, then what
    comes behind ASCII, in the order of numbers; surrogates are none."""
    if number < 52:
        return chr(ord("a") + number) if number < 26 else chr(ord("A") + number - 26)
    code = number + 140
    return chr(code if code < 0xD800 else code + 0x800)


def _spell(term: str) -> str:
    """A term as a list of names, which spell the letters that are not ASCII."""
    head, dots, tail = term.partition("...")
    letters = (*head, *([dots] if dots else []), *tail)
    names = (
        f"u{ord(letter):x}" if len(letter) == 1 and not letter.isascii() else letter
        for letter in letters
    )
    return "[" + ",".join(names) + "]"


def letter_of_label(label: str) -> str:
    """What subscripts call a label."""
    return chr(int(label[1:], 16)) if label[0] == "u" and len(label) > 1 else label


def parse(subscripts: str, ranks: tuple[int, ...]) -> Subscripts:
    """Reads subscripts for operands of these ranks."""
    if not isinstance(subscripts, str):
        raise TypeError("subscripts are no text, as in 'ij,jk->ik'")
    return _parse(subscripts, ranks)


@functools.lru_cache(maxsize=4096)
def _parse(subscripts: str, ranks: tuple[int, ...]) -> Subscripts:
    # One operand without axes has subscripts without letters.
    whole = "".join(subscripts.split()) or "->"
    if not whole.isascii():
        for letter in whole:
            # opt_einsum and cotengra name the 76th index by a sign of multiplication, and go on with
            # whatever comes next in Unicode: only a slip of "->" is an error.
            if "\u2190" <= letter <= "\u21ff":
                raise ValueError(f"subscripts '{whole}': '{letter}' is no letter")
        inputs, arrow, output = whole.partition("->")
        whole = ",".join(map(_spell, inputs.split(",")))
        whole += arrow + _spell(output) if arrow else ""
    try:
        expanded = _native.expand(whole, ranks)
    except ValueError as error:
        # Where something stands, unless that is the whole.
        place = re.match(r"spec:1:(?!1:)(\d+): ", str(error)) if whole.isascii() else None
        where = f", character {place[1]}" if place and not whole.startswith("[") else ""
        raise ValueError(f"subscripts '{subscripts}'{where}: {plain(str(error))}") from None
    inputs, _, output = expanded.partition("->")
    *operands, result = (
        tuple(filter(None, term.split(",")))
        for term in (*inputs[1:-1].split("],["), output[1:-1])
    )
    return Subscripts(tuple(operands), result)
