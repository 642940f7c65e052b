# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of the compiler, in the words of who calls it by arrays."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from .._arrays.layout import DTYPES
from .._notation.letters import letter_of_label
from .errors import UnsupportedError

_TENSORS = {"A": "operand 0", "B": "operand 1", "C": "out"}

# Rules for words that are written otherwise, and how.
_RULES: tuple[tuple[str, Any], ...] = (
    # Places in a specification that was made here, and names of operations on it.
    (r"\bspec:\d+:\d+: error: ", ""),
    (r"'tc\.\w+' op ", ""),
    (r"\b(elements|factors|pointer) of ([ABC])\b", lambda m: f"{m[1]} of {_TENSORS[m[2]]}"),
    (rf"\b({'|'.join(DTYPES)})\b", lambda m: DTYPES[m[1]]),
    # The names of indices that are digits or beyond ASCII.
    (r"'(u[0-9a-f]{2,6})'", lambda m: f"'{letter_of_label(m[1])}'"),
    (r"\bthe specification names\b", "the subscripts name"),
    (r"\b1 operands\b", "1 operand"),
    (r"\bbut 1 are given\b", "but 1 is given"),
)


def plain(text: str) -> str:
    """A message of the compiler's in NumPy's words."""
    for pattern, wording in _RULES:
        text = re.sub(pattern, wording, text)
    return text


def reword(error: BaseException) -> None:
    """The same of an exception, which is to be raised again."""
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (plain(error.args[0]),)


#: The exceptions that messages of the compiler's become.
REWORDED = (TypeError, ValueError, UnsupportedError)


def check_keywords(given: Iterable[str], known: Iterable[str], function: str) -> None:
    """Refuses names that a function has not, as Python does."""
    for name in given:
        if name not in known:
            raise TypeError(
                f"{function}() got an unexpected keyword argument '{name}'{suggest(name, known)}"
            )


def in_plain_words(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose exceptions are reworded, and which tells names that are near those of
    options that it has not."""
    parameters = inspect.signature(function).parameters.values()
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    known = [parameter.name for parameter in parameters]

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if not takes_all:
            check_keywords(options, known, function.__name__)
        try:
            return function(*arguments, **options)
        except REWORDED as error:
            reword(error)
            raise

    return call


def counted(number: int) -> str:
    """So many operands."""
    return f"{number} operand" if number == 1 else f"{number} operands"


def check_count(wanted: int, given: int) -> None:
    """Refuses another number of operands than a kernel has."""
    if wanted != given:
        verb = "is" if given == 1 else "are"
        raise ValueError(f"it was compiled for {counted(wanted)}, but {given} {verb} given")


def suggest(name: str, known: Iterable[str]) -> str:
    """Known name that may have been meant by an unknown one, as an end of a message."""
    # It is not imported where there are no mistakes.
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    return f": did you mean '{close[0]}'?" if close else ""
