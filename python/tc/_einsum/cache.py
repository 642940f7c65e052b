# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The calls of einsum that a process keeps, and what it has compiled for them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _native

if TYPE_CHECKING:
    from .call import Call

_Entry = TypeVar("_Entry", bound=tuple)

# Entries that a process keeps at most; the first ones go first.
CACHE_ENTRIES = 4096

# By the record of a call, what it has led to: of code (run, shape, dtype) for the CPU and
# (contraction, layout) for GPUs, a program, an order, or what is launched.
_cache: dict[Call, Any] = {}

# Calls of NumPy's arrays as they come: to make a key takes Python longer than small arrays
# take to be contracted.
past_calls = _native.PastCalls(CACHE_ENTRIES)

# Whoever changes the cache holds it, and whoever forks, so that no child begins with a lock that
# nobody gives back.
_lock = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


def forget() -> None:
    with _lock:
        _cache.clear()
        past_calls.clear()


def recall(subscripts: Any, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of a call of NumPy's arrays that was made before; None of others."""
    try:
        return past_calls.call(subscripts, operands, options)
    except ValueError:
        # An array is not aligned, as those before were.
        return None


# The entry of a call, or None.
find: Callable[[Call], Any] = _cache.get


def keep(call: Call, entry: _Entry) -> _Entry:
    """Keeps an entry, and returns it."""
    with _lock:
        while len(_cache) >= CACHE_ENTRIES:
            del _cache[next(iter(_cache))]
        _cache[call] = entry
    return entry


def cached(call: Call, make: Callable[[], _Entry]) -> _Entry:
    """The entry of a call, which is made if there is none."""
    return find(call) or keep(call, make())
