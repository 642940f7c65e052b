# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders of pairs, and paths that are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._arrays.layout import as_integer
from .._notation.subscripts import Labels

Path = tuple[tuple[int, ...], ...]
Shapes = tuple[tuple[int, ...], ...]


class Slice(NamedTuple):
    """An index that is cut into so many parts of that length; the last may be
    shorter."""

    # Hides a method of tuples.
    index: str  # type: ignore[assignment]
    parts: int
    length: int


class Order(NamedTuple):
    """The operands that each step takes out of the list of what there is, to whose
    end it appends its result; the indices of each result in the order of
    memory, where the model chose them; and the slices that are computed so, one
    after the other."""

    path: Path
    indices: tuple[Labels, ...] | None
    text: str
    slices: tuple[Slice, ...] = ()


def check_path(path: Sequence[Any], operands: int) -> Path:
    """A path that was given, with or without NumPy's "einsum_path" in front."""
    steps = list(path)
    if steps and isinstance(steps[0], str):
        if steps.pop(0) != "einsum_path":
            raise ValueError("a path begins with 'einsum_path' or with a step")
    left, checked = operands, []
    for number, step in enumerate(steps):
        try:
            positions = tuple(step)
        except TypeError:
            raise TypeError(
                f"step {number} of the path is {step!r}, not positions of operands"
            ) from None
        positions = tuple(
            as_integer(position, f"a position of step {number} of the path")
            for position in positions
        )
        if not positions:
            raise ValueError(f"step {number} of the path names no operand")
        for position in positions:
            if not 0 <= position < left:
                raise ValueError(
                    f"step {number} of the path names operand {position}, but there "
                    f"are {left}"
                )
        if len(set(positions)) < len(positions):
            raise ValueError(f"step {number} of the path names an operand twice")
        left -= len(positions) - 1
        checked.append(positions)
    if left != 1:
        raise ValueError(f"the path leaves {left} operands that are not contracted")
    return tuple(checked)
