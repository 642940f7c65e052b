# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that take slices from rank 0, event by event, by the very rules of tc.distributed: its ranges and
its pace. What the closed form of tc.distributed.predict is compared with."""

import heapq
import itertools

from tc.distributed._spread import Pace, Ranges


def simulate(work, ranks, machine):
    """Seconds until all slices are done and all ranks know it, and how many questions rank 0 has answered. Slices take
    as long as they are predicted to."""
    left = Ranges(work.slices, ranks)
    count = itertools.count()

    # Rank 0 does one thing at a time: a slice, or an answer. Questions wait for it.
    waiting = [(machine.latency, next(count), rank) for rank in range(1, ranks)]
    heapq.heapify(waiting)
    paces = [Pace(0.0) for _ in range(ranks)]
    # When a rank that has asked ahead is done with what it had.
    busy_until = [0.0] * ranks
    questions, now, end = 0, 0.0, 0.0
    own = None
    asking = ranks - 1

    def answer(at, rank):
        nonlocal questions, asking, end
        questions += 1
        chunk = left.take(rank, paces[rank].wanted)
        begin = max(at + machine.answer + machine.latency, busy_until[rank])
        if chunk is None:
            asking -= 1
            end = max(end, busy_until[rank])
            return
        # The chunk before is done when this one begins; the next is asked for before the last slice of this.
        if busy_until[rank] > 0:
            paces[rank].chunk_is_done(busy_until[rank])
        busy_until[rank] = begin + len(chunk) * work.seconds
        asks = busy_until[rank] - work.seconds + machine.latency
        heapq.heappush(waiting, (asks, next(count), rank))

    while True:
        while waiting and waiting[0][0] <= now:
            _, _, rank = heapq.heappop(waiting)
            answer(now, rank)
            now += machine.answer
        if own:
            own.pop()
            now += work.seconds
            end = max(end, now)
            if not own:
                paces[0].chunk_is_done(now)
            continue
        chunk = left.take(0, paces[0].wanted)
        if chunk is not None:
            own = list(chunk)
            continue
        if not asking:
            return max(end, now), questions
        now = max(now, waiting[0][0])
