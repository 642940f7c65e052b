# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In which order many operands are contracted."""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _json, _native
from .._arrays.layout import ELEMENT_TYPES, as_integer
from .._contraction.pair import common_dtype, extents_of, sum_dtype
from .._messages.errors import UnsupportedError
from .._notation.letters import letter_of
from .._notation.subscripts import Labels, Subscripts
from .optimizers import ask_optimizer, is_optimizer
from .path import Order, Shapes, Slice, check_path

# As opt_einsum has it.
NO_LIMIT = -1
_MOST_SECONDS = 3600


class Machine(NamedTuple):
    """Times that decide, memory for temporaries, indices of which there may be slices, as the C
    interface has it, and how long to search."""

    target: str
    threads: int
    semiring: str
    memory_limit: int | None
    slices: str = "none"
    search_seconds: float | None = None


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
                "search-milliseconds": milliseconds_of(machine.search_seconds),
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


def check_optimize(optimize: Any, memory_limit: Any, search_seconds: Any = None) -> None:
    """Refuses what cannot be meant, whatever the operands are."""
    if not isinstance(optimize, (bool, str, Sequence)):
        if not is_optimizer(optimize):
            raise TypeError(
                "optimize is neither True nor False, nor the name of a strategy of "
                f"opt_einsum, nor a path, an optimizer or a tree, but {optimize!r}"
            )
        if not isinstance(optimize, Hashable):
            raise TypeError(f"optimize is a {type(optimize).__name__}, which has no hash")
    if memory_limit is not None and as_integer(memory_limit, "memory_limit") < NO_LIMIT:
        raise ValueError(
            f"memory_limit is {memory_limit}, but must not be negative, unless it is "
            f"{NO_LIMIT}: no limit"
        )
    if search_seconds is not None:
        is_number = isinstance(search_seconds, (int, float, np.integer, np.floating))
        if not is_number or isinstance(search_seconds, bool):
            raise TypeError(f"search_seconds is {search_seconds!r}, which is no number")
        if not 0 <= search_seconds <= _MOST_SECONDS:
            raise ValueError(
                f"search_seconds is {search_seconds}, but must be from 0 to {_MOST_SECONDS}"
            )
    if optimize is True:
        return
    for name, value in (("memory_limit", memory_limit), ("search_seconds", search_seconds)):
        if value is not None:
            raise ValueError(
                f"there is a {name}, which only the order that the model finds keeps: "
                "optimize is not True"
            )


def milliseconds_of(search_seconds: float | None) -> str:
    """A time of search, as the C interface has it."""
    return "-1" if search_seconds is None else str(math.ceil(1000 * search_seconds))


@functools.lru_cache(maxsize=1)
def default_memory_limit() -> int:
    """Bytes that results between take at most if nobody says."""
    return _native.default_memory_limit()


def bounds_by_default(optimize: Any, memory_limit: int | None, target: str) -> bool:
    """True if the default bounds what is between. Devices have memory of their own."""
    return optimize is True and memory_limit is None and target == "cpu"


def find_order(
    subscripts: Subscripts,
    shapes: Shapes,
    dtypes: Sequence[str],
    optimize: Any,
    machine: Machine,
) -> Order:
    """The order that `optimize` asks for, which `check_optimize` has passed."""
    dtype = sum_dtype(common_dtype(dtypes))
    if optimize is True:
        if not bounds_by_default(True, machine.memory_limit, machine.target):
            limit = None if machine.memory_limit == NO_LIMIT else machine.memory_limit
            return _search(subscripts, shapes, dtype, machine._replace(memory_limit=limit))
        try:
            bounded = machine._replace(memory_limit=default_memory_limit())
            return _search(subscripts, shapes, dtype, bounded)
        except UnsupportedError:
            # Nobody has asked for it.
            return _search(subscripts, shapes, dtype, machine)
    if optimize is False:
        return Order((tuple(range(len(shapes))),), None, "from the left to the right")
    strategy = strategy_of(optimize)
    if strategy:
        name, most = strategy
        try:
            order = _ask_opt_einsum(subscripts, shapes, name, most)
        except KeyError:
            raise ValueError(f"opt_einsum has no strategy '{name}' to find an order") from None
        if most is None or all(len(step) <= 2 for step in order.path):
            return order
        # Pairs of what is left would exceed it, where NumPy multiplies all at once.
        bytes_of_most = max(most, 0) * np.dtype(dtype).itemsize
        return _search(subscripts, shapes, dtype, machine._replace(memory_limit=bytes_of_most))
    if is_optimizer(optimize):
        extents = extents_of(subscripts.operands, shapes)
        return ask_optimizer(optimize, subscripts, shapes, tuple(extents.items()))
    return Order(check_path(optimize, len(shapes)), None, "as given")
