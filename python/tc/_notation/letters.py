# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Letters of subscripts: what einsum and opt_einsum call indices.

A letter is one of ASCII's, a digit, or any character beyond ASCII. The compiler's notation
calls an index by an identifier, its label: "u" and the number in Unicode where the letter is none.
"""

from __future__ import annotations

import re


#: The last number that has a letter.
LAST_NUMBER = 0x10FFFF - 0x800 - 140


def letter_of(number: int) -> str:
    """The letter that stands for a number from 0 on: small and capital ones, then what
    comes behind ASCII, in the order of numbers; surrogates are none."""
    if number < 52:
        return chr(ord("a") + number) if number < 26 else chr(ord("A") + number - 26)
    code = number + 140
    return chr(code if code < 0xD800 else code + 0x800)


def name_of(letter: str) -> str:
    """The label of a letter: digits and what is not ASCII have names that spell them."""
    return letter if letter.isascii() and letter.isalpha() else f"u{ord(letter):x}"


def letter_of_label(label: str) -> str:
    """Letter of a label in subscripts."""
    number = int(label[1:], 16) if re.fullmatch("u[0-9a-f]{2,6}", label) else 0
    return chr(number) if 0 < number < 0x110000 and name_of(chr(number)) == label else label


def with_labels(epilogue: str) -> str:
    """An epilogue whose tensors have labels where it calls their indices by letters."""

    def spell(found: re.Match[str]) -> str:
        names = [name.strip(" ") for name in found[1].split(",")]
        return "[" + ",".join(
            name_of(name) if len(name) == 1 and (name.isalnum() or not name.isascii()) else name
            for name in names
        )

    return re.sub(r"\[([^]]*)", spell, epilogue)


def without_blanks(subscripts: str) -> str:
    """Subscripts without spaces, which are the only characters that mean nothing: what else
    Unicode has of them are letters for opt_einsum."""
    return subscripts.replace(" ", "")
