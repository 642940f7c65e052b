# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that must not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .host import is_readable, native_copy


# Any number will do, which NumPy's annotations do not say.
_MOST_WORK: Any = 1 << 16
# Place of the exception in NumPy before 1.25.
_TooHardError = getattr(np, "exceptions", np).TooHardError


def overlap(out: np.ndarray, operand: np.ndarray) -> bool:
    """True if arrays have elements in common, or may."""
    if not np.may_share_memory(out, operand):
        return False
    try:
        return np.shares_memory(out, operand, max_work=_MOST_WORK)
    except _TooHardError:
        return True


def check_apart(out: np.ndarray, operand: np.ndarray, what: str) -> None:
    """Refuses arrays with elements in common."""
    if overlap(out, operand):
        raise ValueError(f"out overlaps {what}: copy one of them")


def temporary_for(out: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray | None:
    """A copy of `out` that is to be written instead, as `out` shares memory with what is read,
    or lies such that kernels do not write it; None if it can be written."""
    if not out.flags.writeable:
        raise ValueError("out is not writable")
    if is_readable(out) and not any(overlap(out, other) for other in others):
        return None
    return native_copy(out)


def check_out(out: np.ndarray, operands: Sequence[np.ndarray]) -> None:
    """Refuses what cannot be written while the operands are read."""
    if not out.flags.writeable:
        raise ValueError("out is not writable")
    for i, operand in enumerate(operands):
        check_apart(out, operand, f"operand {i}")


def check_auxiliaries(out: np.ndarray, auxiliaries: Mapping[str, np.ndarray]) -> None:
    """The same for auxiliary tensors."""
    for name, auxiliary in auxiliaries.items():
        if isinstance(auxiliary, np.ndarray):
            check_apart(out, auxiliary, f"auxiliary tensor '{name}'")
