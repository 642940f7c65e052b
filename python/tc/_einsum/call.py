# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The record of a call of einsum: what it is told, in one of the forms that arguments may have,
and what its arrays look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._contraction.fused import Fused, fuse
from .._order.path import check_path
from .._order.search import strategy_of

# The look of an array of NumPy: dtype, shape and strides.
Look = tuple[np.dtype, tuple[int, ...], tuple[int, ...]]


class Options(NamedTuple):
    """The arguments besides subscripts, arrays and factors."""

    threads: int = 0
    specialize: str = "auto"
    semiring: str = "plus_times"
    # Options of the user's own semiring, if there is one.
    user_semiring: Fused = ()
    # Of each operand; empty if none has one.
    prologues: tuple[str | None, ...] = ()
    # Indices are called by their labels there.
    epilogue: str | None = None
    conjugated: tuple[bool, bool] = (False, False)
    saturate: bool = False
    tuned: str | None = None
    # True, False, a strategy, or one with its limit, a path, an optimizer or a tree.
    optimize: Any = True
    memory_limit: int | None = None
    search_seconds: float | None = None
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
    def code(self) -> Options:
        """The same of all operands."""
        is_code = self[_OF_CODE:] == PLAIN[_OF_CODE:]
        return self if is_code else self.for_code(self.prologues, self.epilogue)

    @property
    def fused(self) -> Fused:
        """Options of the C interface for all that is fused into code."""
        conjugated = zip(("conjugate-a", "conjugate-b"), self.conjugated)
        return (
            *fuse(self.semiring, self.prologues, self.epilogue, self.tuned, self.saturate),
            *self.user_semiring,
            *((name, "true") for name, is_wanted in conjugated if is_wanted),
        )


#: The options of a call that is told nothing.
PLAIN = Options()
# The first of the fields on which no code depends.
_OF_CODE = Options._fields.index("optimize")


class Call(NamedTuple):
    """All on which it depends how a call is computed: equal calls are computed by the same code."""

    # The entry that is kept: "code", "program", "order", "kernel" or "launch".
    kind: str
    # As a text or parsed, and the same for all calls of a kind.
    subscripts: Any
    # The looks of the arrays.
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


def normal_prologues(prologues: Sequence[str | None] | None, count: int) -> tuple[str | None, ...]:
    """The prologues of so many operands in the form of the record."""
    if prologues is None:
        return ()
    if len(prologues) != count:
        raise ValueError(f"there are {len(prologues)} prologues, but {count} operands")
    return tuple(each or None for each in prologues) if any(prologues) else ()


def normal_order(optimize: Any, operands: int) -> Any:
    """The order that is asked for, such that it can be found again; as it is given if it is
    none, which is found fault with where the order is looked for."""
    if type(optimize) in (bool, str):
        return optimize
    if strategy := strategy_of(optimize):
        return strategy
    if type(optimize) not in (list, tuple) or not optimize:
        return False if optimize is None else optimize
    begin = 1 if type(optimize[0]) is str and optimize[0] == "einsum_path" else 0
    try:
        path = tuple(map(tuple, optimize[begin:]))
    except TypeError:
        return optimize
    is_plain = set(map(type, chain.from_iterable(path))) <= {int}
    return path if is_plain else check_path(optimize, operands)
