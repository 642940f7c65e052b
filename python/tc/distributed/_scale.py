# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of slices on any number of ranks."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ._machine import Machine
from ._slice_plan import Plan
from ._spread import BRIEF, PART

# Bytes of a node's name as ranks tell it to one another, and seconds that each needs to take note of it.
_NODE_BYTES, _NODE_SECONDS = 30, 5e-6
#: Calls that all ranks make together before the first slice, and behind the last one, so that all hear of errors.
CALLS_BEFORE, CALLS_BEHIND = 14, 16

#: From one process to more than any machine has.
RANKS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 2000, 5000, 10000, 20000, 50000, 100000)


class Work(NamedTuple):
    """Amount of work: slices, seconds of each, and bytes of the result and of a plan's text."""

    slices: int
    seconds: float
    result_bytes: int
    plan_bytes: int


class Row(NamedTuple):
    """Seconds on so many ranks: until all have the plan, until all slices are done and all know it, and until all have
    the result. `questions` are those that rank 0 answers."""

    ranks: int
    begin: float
    slices: float
    end: float
    questions: int

    @property
    def seconds(self) -> float:
        return self.begin + self.slices + self.end


def work_of(plan: Plan, dtype: str, machine: Machine) -> Work:
    """The slices of a plan."""
    return Work(
        plan.blocks * plan.terms,
        plan.products / machine.products + machine.call,
        math.prod(plan.shape) * np.dtype(dtype).itemsize,
        len(plan.to_json()),
    )


def _questions(share: int, seconds: float) -> int:
    """Number of times that a rank asks to get its share of slices: for chunks that double until one
    takes the least time, for those of that length, for the last ones, which are parts of what is
    left, and at the end."""
    count = chunk = 1
    while share > 0:
        is_long = chunk * seconds >= BRIEF
        most = max(1, share // PART)
        if is_long and chunk < most:
            # All up to where chunks are parts of what is left.
            steady = (share - PART * chunk) // chunk + 1
            share -= steady * chunk
            count += steady
            continue
        share -= min(chunk, most)
        count += 1
        chunk *= 1 if is_long else 2
    return count


def predict_row(work: Work, ranks: int, machine: Machine) -> Row:
    """The closed form. Slices take the longest of three: a rank's share, in whole slices; all work, with rank 0's answers, in
    equal shares; and rank 0's answers alone."""
    stages = math.ceil(math.log2(ranks)) if ranks > 1 else 0
    begin = stages * (CALLS_BEFORE * machine.latency + work.plan_bytes / machine.bandwidth)
    share = work.slices / ranks
    few, more = divmod(work.slices, ranks)
    questions = sum(
        number * _questions(each, work.seconds)
        for number, each in ((more, few + 1), (ranks - 1 - more, few))
        if number > 0
    )
    answers = questions * machine.answer
    slices = max(
        math.ceil(share) * work.seconds,
        (work.slices * work.seconds + answers) / ranks,
        answers,
    )
    # Of consecutive slices, the sums of each rank are about one for each time that they double.
    working = min(ranks, work.slices)
    nodes = working * (1 + math.log2(max(share, 1)))
    if ranks == 1:
        return Row(ranks, 0.0, slices, 0.0, 0)
    held = 1 + math.log2(max(share, 1))
    end = (
        CALLS_BEHIND * stages * machine.latency
        # The list of owners; the summands; and the result to all.
        + nodes * (_NODE_BYTES / machine.bandwidth + _NODE_SECONDS)
        + (held + 1) * work.result_bytes / machine.bandwidth
    )
    return Row(ranks, begin, slices, end, questions)


class Prediction(NamedTuple):
    """Times on numbers of ranks; `str` of it is a table. The work is all of it, or if `weak`, that for each rank."""

    work: Work
    rows: tuple[Row, ...]
    weak: bool = False

    def ideal(self, row: Row) -> float:
        """Seconds if there were nothing but multiplications, and all ranks had as many."""
        return self.work.slices * self.work.seconds / (1 if self.weak else row.ranks)

    def efficiency(self, row: Row) -> float:
        """Of all time of all ranks, the part in which they multiply."""
        return self.ideal(row) / row.seconds

    def describe(self) -> str:
        each = " for each rank" if self.weak else ""
        return f"{self.work.slices} slices of {self.work.seconds:.3g} s{each}"

    def __str__(self) -> str:
        lines = [
            f"{self.describe()}, a result of {self.work.result_bytes} B",
            "   ranks     plan s   slices s   result s      all s  efficiency  questions",
        ]
        for row in self.rows:
            lines.append(
                f"{row.ranks:8d} {row.begin:10.3g} {row.slices:10.3g} {row.end:10.3g} "
                f"{row.seconds:10.3g} {self.efficiency(row):10.1%} {row.questions:10d}"
            )
        return "\n".join(lines)

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Times of all parts over ranks, and the time that would be if all scaled, as SVG."""
        try:
            import matplotlib
        except ImportError as error:
            raise ImportError(
                f"a picture needs matplotlib, which cannot be imported: pip install matplotlib ({error})"
            ) from error
        from matplotlib.figure import Figure

        ranks = [row.ranks for row in self.rows]
        # The same prediction gives the same file.
        with matplotlib.rc_context({"svg.hashsalt": "tc", "svg.fonttype": "none"}):
            figure = Figure(figsize=(7, 4.2), layout="constrained")
            axes = figure.subplots()
            ideal = [self.ideal(row) for row in self.rows]
            axes.plot(ranks, ideal, color="#999999", linewidth=1, label="ideal")
            for name, color in (("seconds", "#c44e52"), ("slices", "#4c72b0"), ("begin", "#55a868"), ("end", "#8172b2")):
                label = {"seconds": "all", "begin": "plan", "end": "result"}.get(name, name)
                times = [getattr(row, name) or math.nan for row in self.rows]
                axes.plot(ranks, times, marker=".", color=color, label=label)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("ranks")
            axes.set_ylabel("seconds")
            axes.legend()
            axes.set_title(self.describe())
            figure.savefig(path, format="svg", metadata={"Date": None})


def predict(
    plan: Plan,
    *,
    dtype: str = "float64",
    machine: Machine = Machine(),
    ranks: Sequence[int] = RANKS,
    weak: bool = False,
) -> Prediction:
    """Time of `contract` by the plan on so many ranks each, without the search for the plan and
    without checkpoints. If `weak`, there are as many slices for each rank as the plan has: of a
    problem that grows with the ranks, by an index more that is cut, where slices and result are as
    large."""
    for number in ranks:
        if number < 1:
            raise ValueError(f"ranks has {number}, but there is one at least")
    work = work_of(plan, dtype, machine)
    rows = (
        predict_row(work._replace(slices=work.slices * (number if weak else 1)), number, machine)
        for number in ranks
    )
    return Prediction(work, tuple(rows), weak)
