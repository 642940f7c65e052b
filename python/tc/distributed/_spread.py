# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices handed out to ranks, of which some are slower than others.

Rank 0 knows what is left and works itself; the others ask it, before they begin the last
slice that they have, so that the answer is there when they need it. Each rank begins with a range
of its own, which is handed out from the front in chunks of a fraction of a second; when that is used up, it
gets the second half of the longest range that is left. So what a rank computes is mostly
consecutive, and most of its sums can be added up at once.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable

from ._ranks import Ranks

# Of what is left of a rank's range, a chunk is this part at most.
PART = 8
# Seconds that a chunk is to take at least and at most: ranks hear of an error behind it.
BRIEF, LONG = 0.02, 0.2
# Seconds to wait before a look for a message, at first and at most.
_SHORTEST, _LONGEST = 2e-5, 2e-3


class Ranges:
    """Slices that are left, by the rank that they are meant for."""

    def __init__(self, count: int, ranks: int) -> None:
        ends = [count * rank // ranks for rank in range(ranks + 1)]
        self.left = [list(pair) for pair in zip(ends, ends[1:])]
        # Lengths that ranges had, and their ranks: the longest is found without a look at all.
        self._longest = [(begin - end, rank) for rank, (begin, end) in enumerate(self.left)]
        heapq.heapify(self._longest)
        #: How often a rank got what was meant for another.
        self.stolen = 0

    def _find_longest(self) -> int | None:
        """The rank that most is left of; None if nothing is left of any."""
        while self._longest:
            length, rank = self._longest[0]
            begin, end = self.left[rank]
            if length == begin - end:
                return rank if length else None
            # It was longer then.
            heapq.heapreplace(self._longest, (begin - end, rank))
        return None

    def take(self, rank: int, wanted: int) -> range | None:
        """The next chunk for that rank, which wants so much; None if nothing is left."""
        own = self.left[rank]
        if own[0] == own[1]:
            longest = self._find_longest()
            if longest is None:
                return None
            begin, end = self.left[longest]
            middle = begin + (end - begin) // 2
            self.left[longest][1] = middle
            own[:] = middle, end
            heapq.heappush(self._longest, (middle - end, rank))
            self.stolen += 1
        begin, end = own
        own[0] = begin + max(1, min(wanted, (end - begin) // PART))
        return range(begin, own[0])


class Pace:
    """Number of slices that a rank wants at once."""

    def __init__(self, now: float) -> None:
        self.wanted = 1
        self._begin = now

    def chunk_is_done(self, now: float) -> None:
        if now - self._begin < BRIEF:
            self.wanted *= 2
        elif now - self._begin > LONG:
            self.wanted = max(1, self.wanted // 2)
        self._begin = now


def spread(ranks: Ranks, count: int, work: Callable[[int], None]) -> int:
    """Calls `work` for each number below `count` once on one of the ranks. When it raises
    on one of them, the others begin nothing more and return. Returns how often work
    was moved from one rank to another, on rank 0."""
    if ranks.rank == 0:
        return _serve(ranks, count, work)
    _ask(ranks, work)
    return 0


def _wait(ranks: Ranks) -> None:
    """Until there is a message, without keeping a core busy."""
    pause = _SHORTEST
    while not ranks.comm.iprobe():
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST)


def _serve(ranks: Ranks, count: int, work: Callable[[int], None]) -> int:
    """Loop of rank 0. Messages to it are a rank and how much that wants, which is nothing if it has
    failed; answers are a chunk, or None, after which a rank asks no more."""
    asking, has_failed = ranks.size - 1, False

    def answer() -> None:
        nonlocal asking, has_failed
        rank, wanted = ranks.comm.recv()
        has_failed |= wanted == 0
        chunk = None
        try:
            chunk = None if has_failed else left.take(rank, wanted)
        finally:
            asking -= chunk is None
            ranks.comm.send(chunk, rank)

    try:
        left = Ranges(count, ranks.size)
        pace = Pace(time.monotonic())
        while not has_failed and (chunk := left.take(0, pace.wanted)) is not None:
            for number in chunk:
                # One look may only make MPI take in what the next one finds.
                while asking and (ranks.comm.iprobe() or ranks.comm.iprobe()):
                    answer()
                if has_failed:
                    break
                work(number)
            pace.chunk_is_done(time.monotonic())
    except BaseException:
        has_failed = True
        raise
    finally:
        while asking:
            _wait(ranks)
            answer()
    return left.stolen


def _ask(ranks: Ranks, work: Callable[[int], None]) -> None:
    """Loop of the other ranks."""

    def receive() -> range | None:
        _wait(ranks)
        return ranks.comm.recv()

    pace = Pace(time.monotonic())
    ranks.comm.send((ranks.rank, pace.wanted), 0)
    chunk = receive()
    while chunk is not None:
        has_asked = False
        try:
            for number in chunk:
                if number == chunk[-1]:
                    ranks.comm.send((ranks.rank, pace.wanted), 0)
                    has_asked = True
                work(number)
        except BaseException:
            if not has_asked or receive() is not None:
                ranks.comm.send((ranks.rank, 0), 0)
                receive()
            raise
        pace.chunk_is_done(time.monotonic())
        chunk = receive()
