# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In which order many operands are contracted."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _json, _native
from .._arrays.layout import ELEMENT_TYPES, as_integer
from .._contraction.pair import common_dtype, extents_of, sum_dtype
from .._notation.letters import letter_of
from .._notation.subscripts import Labels, Subscripts

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


class Machine(NamedTuple):
    """Times that decide, memory for temporaries, and indices of which there may be slices, as the C
    interface has it."""

    target: str
    threads: int
    semiring: str
    memory_limit: int | None
    slices: str = "none"


def spell(labels: Labels) -> str:
    return "[" + ",".join(labels) + "]"


@functools.lru_cache(maxsize=256)
def spell_subscripts(subscripts: Subscripts) -> str:
    """The text of subscripts, with an arrow."""
    return ",".join(map(spell, subscripts.operands)) + "->" + spell(subscripts.result)


@functools.lru_cache(maxsize=4096)
def _search(
    subscripts: Subscripts, shapes: Shapes, dtype: str, machine: Machine
) -> Order:
    """The order that the model finds."""
    extents = extents_of(subscripts.operands, shapes)
    spec = spell_subscripts(subscripts)
    limit = machine.memory_limit
    found = _json.parse(
        _native.find_order(
            spec,
            ELEMENT_TYPES[dtype],
            [[extents[label] for label in labels] for labels in subscripts.operands],
            {
                "target": machine.target,
                "threads": str(machine.threads),
                "semiring": machine.semiring,
                "memory-limit": "-1" if limit is None else str(limit),
                "slices": machine.slices,
            },
        )
    )
    return Order(
        tuple(map(tuple, found["path"])),
        tuple(map(tuple, found["indices"])),
        found["text"],
        tuple(Slice(**each) for each in found["slices"]),
    )


@functools.lru_cache(maxsize=4096)
def _ask_opt_einsum(
    subscripts: Subscripts, shapes: Shapes, strategy: str, most: int | None
) -> Order:
    """The order that a strategy finds, of which results between have so many elements at
    most."""
    # It takes longer to import than a product of few tensors takes.
    import opt_einsum

    extents = extents_of(subscripts.operands, shapes)
    symbols = {label: letter_of(i) for i, label in enumerate(extents)}
    terms = [
        "".join(symbols[label] for label in labels)
        for labels in (*subscripts.operands, subscripts.result)
    ]
    whole = [
        tuple(extents[label] for label in labels) for labels in subscripts.operands
    ]
    path, info = opt_einsum.contract_path(
        ",".join(terms[:-1]) + "->" + terms[-1],
        *whole,
        shapes=True,
        optimize=strategy,
        memory_limit=most,
    )
    return Order(tuple(map(tuple, path)), None, str(info))


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


def strategy_of(optimize: Any) -> tuple[str, int | None] | None:
    """The name of a strategy, alone or, as NumPy has it, with the most elements that a
    result between may have; None if it is something else."""
    if isinstance(optimize, str):
        return optimize, None
    is_pair = (
        isinstance(optimize, (tuple, list))
        and len(optimize) == 2
        and isinstance(optimize[0], str)
        and isinstance(optimize[1], (int, float, np.number))
    )
    return (optimize[0], int(optimize[1])) if is_pair else None


def check_optimize(optimize: Any, memory_limit: Any) -> None:
    """Refuses what cannot be meant, whatever the operands are."""
    if not isinstance(optimize, (bool, str, Sequence)):
        raise TypeError(
            "optimize is neither True nor False, nor the name of a strategy of "
            f"opt_einsum, nor a path, but {optimize!r}"
        )
    if memory_limit is None:
        return
    if as_integer(memory_limit, "memory_limit") < 0:
        raise ValueError(f"memory_limit is {memory_limit}, but must not be negative")
    if optimize is not True:
        raise ValueError(
            "there is a memory_limit, which only the order that the model finds keeps: "
            "optimize is not True"
        )


def find_order(
    subscripts: Subscripts,
    shapes: Shapes,
    dtypes: Sequence[str],
    optimize: Any,
    machine: Machine,
) -> Order:
    """The order that `optimize` asks for, which `check_optimize` has passed."""
    if optimize is True:
        return _search(subscripts, shapes, sum_dtype(common_dtype(dtypes)), machine)
    if optimize is False:
        return Order((tuple(range(len(shapes))),), None, "from the left to the right")
    strategy = strategy_of(optimize)
    if strategy:
        try:
            return _ask_opt_einsum(subscripts, shapes, *strategy)
        except KeyError:
            raise ValueError(
                f"opt_einsum has no strategy '{strategy[0]}' to find an order"
            ) from None
    return Order(check_path(optimize, len(shapes)), None, "as given")
