# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The record of a call of einsum: what it is told, in one of the forms that arguments may have,
and what its arrays look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._contraction.fused import Fused, fuse, user_semiring_of
from .._contraction.pair import why_out_is_read
from .._notation.letters import with_labels
from .._order.search import check_optimize, check_path, strategy_of

# What is known of an array of NumPy: dtype, shape and strides.
Look = tuple[np.dtype, tuple[int, ...], tuple[int, ...]]


class Options(NamedTuple):
    """The arguments besides subscripts, arrays and factors."""

    threads: int = 0
    specialize: str = "auto"
    semiring: str = "plus_times"
    # What the user's own semiring is made of.
    user_semiring: Fused = ()
    # Of each operand; empty if none has one.
    prologues: tuple[str | None, ...] = ()
    # Indices are called by their labels there.
    epilogue: str | None = None
    conjugated: tuple[bool, bool] = (False, False)
    saturate: bool = False
    tuned: str | None = None
    # True, False, a strategy, or one with its limit, or a path.
    optimize: Any = True
    memory_limit: int | None = None
    dtype: np.dtype | None = None
    casting: Any = "safe"
    order: str = "K"
    dynamic_shapes: bool = False

    def for_code(
        self, prologues: tuple[str | None, ...] = (), epilogue: str | None = None
    ) -> Options:
        """All of it on which code for one operand or two depends, which have these prologues
        and this epilogue."""
        return Options(
            self.threads,
            self.specialize,
            self.semiring,
            self.user_semiring,
            prologues if any(prologues) else (),
            epilogue,
            self.conjugated,
            self.saturate,
            self.tuned,
        )

    @property
    def fused(self) -> Fused:
        """What is fused into code, as options of the C interface."""
        conjugated = zip(("conjugate-a", "conjugate-b"), self.conjugated)
        return (
            *fuse(self.semiring, self.prologues, self.epilogue, self.tuned, self.saturate),
            *self.user_semiring,
            *((name, "true") for name, is_wanted in conjugated if is_wanted),
        )


#: What a call is told that is told nothing.
PLAIN = Options()


class Call(NamedTuple):
    """All on which it depends how a call is computed: equal calls are computed by the same code."""

    # What is kept of it: "code", "program", "order", "kernel" or "launch".
    kind: str
    # As a text or parsed, and the same for all calls of a kind.
    subscripts: Any
    # What the arrays look like.
    operands: tuple[Any, ...]
    out: Any = None
    auxiliaries: tuple[tuple[str, Any], ...] = ()
    # Of a new result; None if that follows from the operands.
    dtype: Any = None
    has_alpha: bool = False
    has_beta: bool = False
    target: str = "cpu"
    options: Options = PLAIN


class Arrays(NamedTuple):
    """The arrays and factors of a call, of which its record has only what they look like."""

    operands: Sequence[Any]
    out: Any
    auxiliaries: Mapping[str, Any]
    # None if they are one and zero.
    alpha: Any
    beta: Any


def check_semiring(semiring: str, operands: int) -> None:
    if operands > 2 and semiring == "max_times":
        raise ValueError(
            "semiring max_times takes two operands: of more, some of which may be "
            "negative, the result would depend on the order"
        )


def normal_order(optimize: Any, operands: int) -> Any:
    """The order that is asked for, such that it can be found again; as it is given if it is
    none, which is found fault with where the order is looked for."""
    if optimize is None:
        return False
    if type(optimize) in (bool, str):
        return optimize
    if strategy := strategy_of(optimize):
        return strategy
    if type(optimize) not in (list, tuple) or not optimize:
        return optimize
    begin = 1 if type(optimize[0]) is str and optimize[0] == "einsum_path" else 0
    try:
        path = tuple(map(tuple, optimize[begin:]))
    except TypeError:
        return optimize
    is_plain = set(map(type, chain.from_iterable(path))) <= {int}
    return path if is_plain else check_path(optimize, operands)


def normalise(
    told: Options,
    arrays: Arrays,
    prologues: Sequence[str | None] | None,
    user_semiring: tuple[Any, Any, Any],
) -> Options:
    """The arguments in one form, with those that are not told in that of the record. Refuses what
    goes with no arrays that there could be."""
    count = len(arrays.operands)
    semiring = user_semiring_of(
        told.semiring, *user_semiring, arrays.alpha, arrays.beta, count
    )
    if prologues is not None and len(prologues) != count:
        raise ValueError(f"there are {len(prologues)} prologues, but {count} operands")
    check_semiring(told.semiring, count)
    epilogue = with_labels(told.epilogue) if told.epilogue else None
    if arrays.out is None and (reason := why_out_is_read(arrays.beta is not None, epilogue)):
        raise ValueError(f"{reason}, but there is no out")
    optimize = False if told.optimize is None else told.optimize
    check_optimize(optimize, told.memory_limit)
    return told._replace(
        user_semiring=semiring,
        prologues=tuple(x or None for x in prologues) if prologues and any(prologues) else (),
        epilogue=epilogue,
        saturate=bool(told.saturate),
        tuned=told.tuned or None,
        optimize=normal_order(optimize, count),
        # Results have the machine's byte order, as those of NumPy do.
        dtype=None if told.dtype is None else np.dtype(told.dtype).newbyteorder("="),
        dynamic_shapes=bool(told.dynamic_shapes),
    )
