# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in the host's memory, of whichever library."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np


def same(array: np.ndarray) -> np.ndarray:
    return array


@functools.lru_cache(maxsize=64)
def operand_names(count: int) -> tuple[str, ...]:
    return tuple(f"operand {i}" for i in range(count))


def _package_of(operand: Any) -> Any:
    """What makes arrays of that kind, by `from_dlpack`."""
    name = type(operand).__module__.partition(".")[0]
    # The one of JAX's arrays does not.
    return sys.modules.get("jax.numpy" if name in ("jax", "jaxlib") else name)


def import_array(
    operand: Any, what: str
) -> tuple[np.ndarray, Callable[[np.ndarray], Any]]:
    """An operand as an array that shares its memory, if it has any, and what
    makes the result one of its kind."""
    if isinstance(operand, np.ndarray):
        return operand, same
    if hasattr(operand, "__dlpack__"):
        package = _package_of(operand)
        try:
            array = np.from_dlpack(operand)
        except BufferError as error:
            # As of tensors that require gradients.
            raise BufferError(f"{what}: {error}") from error
        except RuntimeError as error:
            dtype = getattr(operand, "dtype", "elements")
            raise TypeError(f"{what} has {dtype}: NumPy says: {error}") from error
        return array, getattr(package, "from_dlpack", same)
    return np.asarray(operand), same
