# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of threads of calls that are not told how many."""

from __future__ import annotations

from types import TracebackType

from . import _native
from ._arrays.layout import as_integer


def check_threads(threads: int) -> int:
    """A number of threads, of which 0 leaves it open."""
    number = as_integer(threads, "threads")
    if not 0 <= number <= _native.MOST_THREADS:
        raise ValueError(f"threads is {number}, but must be from 0 to {_native.MOST_THREADS}")
    return number


def get_num_threads() -> int:
    """The most threads of a call with `threads=0` from this thread."""
    return _native.get_threads()


def set_num_threads(threads: int) -> None:
    """Sets the most threads of calls with `threads=0`, in all threads of the process; 0 is
    what the environment says, or one for each core."""
    _native.set_threads(check_threads(threads))


class num_threads:  # noqa: N801
    """Sets the most threads of calls with `threads=0` from this thread, until it is left.

    with tc.num_threads(2):
        c = tc.einsum("ij,jk->ik", a, b)

    0 is what holds for the process.
    """

    def __init__(self, threads: int) -> None:
        self._number = check_threads(threads)
        self._former: list[int] = []

    def __enter__(self) -> num_threads:
        self._former.append(_native.set_threads_here(self._number))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _native.set_threads_here(self._former.pop())
