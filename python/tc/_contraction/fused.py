# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that is fused into contractions, as options of the C interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# Code that is fused into a contraction, and the tuning database, as options of the C interface with
# values.
Fused = tuple[tuple[str, str], ...]


def factor_of(value: Any, neutral: float, semiring: str) -> str:
    """A factor as an option; empty if it changes nothing."""
    if value is None or (semiring == "plus_times" and value == neutral):
        return ""
    if isinstance(value, (complex, np.complexfloating)):
        return f"{float(value.real)!r}{float(value.imag):+}i"
    return str(value)


def user_semiring_of(
    semiring: str,
    product: str | None,
    combine: str | None,
    identity: float | None,
    alpha: Any,
    beta: Any,
    operands: int,
) -> Fused:
    """The options of a semiring of the user's own, if there is one."""
    if product is combine is identity is None:
        return ()
    if semiring != "plus_times":
        raise ValueError("product, combine and identity are another semiring")
    if operands != 2:
        raise ValueError("a semiring of product and combine takes two operands")
    if alpha is not None or beta not in (None, 1):
        raise ValueError(
            "a semiring of product and combine has no factors but a beta of 1, to "
            "combine with out"
        )
    options = {
        "product": product,
        "combine": combine,
        "identity": "" if identity is None else str(identity),
        "beta": "" if beta is None else "1",
    }
    return tuple((key, value) for key, value in options.items() if value)


def fuse(
    semiring: str,
    prologues: Sequence[str | None],
    epilogue: str | None,
    tuned: str | None,
    saturate: bool,
) -> Fused:
    """The options for two operands."""
    options = {
        "semiring": semiring,
        "epilogue": epilogue,
        "tuned": tuned,
        "saturate": "true" if saturate else "",
    }
    options.update(zip(("prologue-a", "prologue-b"), prologues))
    return tuple(
        (key, value)
        for key, value in options.items()
        if value and value != "plus_times"
    )
