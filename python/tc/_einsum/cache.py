# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process keeps of what it has compiled."""

from __future__ import annotations

import threading
from collections.abc import Callable

# What a process keeps at most; what was compiled first goes first.
CACHE_ENTRIES = 4096

# What was compiled, by all that it depends on: (run, shape, dtype) for the CPU,
# (contraction, layout) for GPUs; and what _einsum_again launches.
_cache: dict[tuple, tuple] = {}

# Whoever changes the cache holds it.
_lock = threading.Lock()


def forget() -> None:
    with _lock:
        _cache.clear()


def find(key: tuple) -> tuple | None:
    """What is kept under the key."""
    return _cache.get(key)


def keep(key: tuple, entry: tuple) -> tuple:
    """Keeps an entry, and returns it."""
    with _lock:
        while len(_cache) >= CACHE_ENTRIES:
            del _cache[next(iter(_cache))]
        _cache[key] = entry
    return entry


def cached(key: tuple, make: Callable[[], tuple]) -> tuple:
    """What is kept under the key, which is made if there is nothing."""
    return _cache.get(key) or keep(key, make())
