# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of einsum, in the forms that NumPy has for them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._notation.terms import spell_sublists
from .._threads import check_threads


def check_flags(**flags: Any) -> None:
    """Refuses what is neither true nor false, such as the text "false", which Python
    would take for true."""
    for name, value in flags.items():
        if not isinstance(value, (bool, int, np.bool_)) or value not in (0, 1):
            raise TypeError(f"{name} is {value!r}, which is neither True nor False")


def check_way_to_run(threads: Any = 0, specialize: Any = "auto") -> None:
    """Refuses what is no number of threads, and what is no name of when code is made."""
    check_threads(threads)
    if not isinstance(specialize, str):
        raise TypeError(f"specialize is {specialize!r}, which is no text")


def name_of_tuned(tuned: Any) -> str | None:
    """The name of the file of a tuning database, "off", or None where none is given."""
    if not isinstance(tuned, (str, os.PathLike, type(None))):
        raise TypeError(f"tuned is {tuned!r}, which is no path")
    return os.fspath(tuned) if tuned else None


def read_subscripts(subscripts: Any, operands: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Subscripts and operands, which may be given each with a list of axes behind."""
    axes = operands[0] if operands else None
    is_list = isinstance(axes, (list, tuple)) or (
        isinstance(axes, np.ndarray) and axes.ndim == 1 and axes.dtype.kind in "iu"
    )
    if isinstance(subscripts, bytes):
        subscripts = subscripts.decode("ascii")
    if is_list and not isinstance(subscripts, str):
        return spell_sublists((subscripts, *operands))
    if not operands:
        raise ValueError("there is no operand")
    return subscripts, operands


def check_order(order: Any) -> str:
    """The order of a result's axes in memory as a capital letter."""
    letter = "K" if order is None else order.upper() if isinstance(order, str) else None
    if letter not in ("C", "F", "A", "K"):
        raise ValueError(f"order is {order!r}, which is none of 'C', 'F', 'A' and 'K'")
    return letter


def is_reversed(order: str, operands: Sequence[np.ndarray]) -> bool:
    """True if a new result has its first axis innermost."""
    if order == "A":
        return all(operand.flags.f_contiguous for operand in operands)
    return order == "F"


def conjugations(wanted: Sequence[bool], are_complex: Sequence[bool]) -> tuple[bool, bool]:
    """The first and the second operand, as far as they are conjugated: those of which it is
    wanted; of real ones, there is nothing to conjugate."""
    for name, is_wanted in zip("ab"[len(are_complex) :], wanted[len(are_complex) :]):
        if is_wanted:
            raise ValueError(f"conjugate_{name} is set, but there is no such operand")
    if len(are_complex) > 2:
        raise ValueError("conjugate_a and conjugate_b are of two operands, but there are more")
    first, second = map(all, zip(wanted, (*are_complex, False)))
    return first, second
