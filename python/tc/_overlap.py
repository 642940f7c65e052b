# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def check_apart(out: np.ndarray, operand: np.ndarray, what: str) -> None:
    """Refuses arrays with elements in common."""
    if not np.may_share_memory(out, operand):
        return
    try:
        overlaps = np.shares_memory(out, operand, max_work=1 << 16)
    except RuntimeError:  # too hard to say
        overlaps = True
    if overlaps:
        raise ValueError(f"out overlaps {what}: copy one of them")


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
