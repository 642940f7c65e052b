# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When code is made for what ahead-of-time kernels compute, too (docs/cpu-runtime.md)."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from .. import _native

WORDS = ("always", "never", "auto")

# Held while code is made here. A fork waits for that, as its child would find the compiler's locks taken.
_busy = threading.Lock()
# Threads that make code, and whether the interpreter ends, which does not wait for it.
_threads: list[threading.Thread] = []
_ends = threading.Event()


def _before_fork() -> None:
    while not _busy.acquire(timeout=0.01) and not _ends.is_set():
        pass


def _after_fork() -> None:
    if not _ends.is_set():
        _busy.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


@atexit.register
def _end() -> None:
    _ends.set()
    _native.end_specialization()
    # Unless it is stopped, there is nothing left to do for it but to return, which it cannot later.
    for thread in _threads:
        thread.join(0.1)


def check_word(specialize: Any) -> None:
    if specialize not in WORDS:
        raise ValueError(f"{specialize!r} is none of always, never and auto")


def in_effect(specialize: str) -> str:
    """Value of an option: a tuning database that is named is consulted."""
    return "always" if specialize == "auto" and os.environ.get("TC_TUNED") else specialize


class Later:
    """A contraction that is run by ahead-of-time kernels until its code is there, which a thread
    makes once runs have taken as long as that takes about."""

    def __init__(
        self, ahead: Callable[..., None], make: Callable[[], Callable[..., None]], seconds: float
    ) -> None:
        """`make` takes so many seconds, and returns what takes the place of `ahead`."""
        self._run = ahead
        self._make: Callable[[], Callable[..., None]] | None = make
        self._left = seconds

    def run(self, *arguments: Any) -> None:
        if self._make is None:
            self._run(*arguments)
            return
        # Waiting for a core that others use is no reason to compile.
        begin = time.thread_time()
        self._run(*arguments)
        self._left -= time.thread_time() - begin
        if self._left <= 0:
            self._start()

    def _start(self) -> None:
        # While something else is made, a later run asks again.
        if _ends.is_set() or not _busy.acquire(blocking=False):
            return
        make, self._make = self._make, None
        if make is None:
            _busy.release()
            return

        def work() -> None:
            try:
                self._run = make()
            except Exception:  # pylint: disable=broad-except
                # A contraction that cannot be compiled stays as it is.
                return
            finally:
                _busy.release()

        thread = threading.Thread(target=work, name="tc", daemon=True)
        _threads[:] = [thread]
        try:
            thread.start()
        except RuntimeError:
            # There are too many threads, or the process ends: runs stay as they are.
            _threads.clear()
            _busy.release()
