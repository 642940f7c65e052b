# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of a search, and how they are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .candidates import Space


class Evaluation(NamedTuple):
    """A candidate by its number, the seconds that it took, and whether an earlier
    run of the search has found that out."""

    number: int
    seconds: float
    is_known: bool


class Tuning(NamedTuple):
    """The result of a search."""

    subscripts: str
    target: str
    kind: str
    database: str
    search: str
    space: Space
    evaluations: tuple[Evaluation, ...]
    failures: Mapping[int, str]

    @property
    def best(self) -> Evaluation:
        return min(self.evaluations, key=lambda each: each.seconds)

    @property
    def first(self) -> Evaluation | None:
        """The model's choice, unless it could not be evaluated."""
        return next((each for each in self.evaluations if each.number == 0), None)

    @property
    def schedule(self) -> str:
        """The best schedule, as option "schedule" takes it."""
        return self.space.candidates[self.best.number].schedule

    def summary(self) -> str:
        known = sum(each.is_known for each in self.evaluations)
        lines = [
            ("contraction", self.subscripts),
            ("machine", self.space.machine),
            (
                "evaluations",
                f"{len(self.evaluations)} of {len(self.space.candidates)} candidates, "
                f"{self.kind}"
                + (f", {known} of them before" if known else "")
                + (f"; {len(self.failures)} failed" if self.failures else ""),
            ),
        ]
        if self.first:
            lines.append(("model's choice", self._describe(self.first)))
        lines.append(("best", self._describe(self.best)))
        if self.first:
            ratio = self.first.seconds / self.best.seconds
            lines.append(("ratio", f"{ratio:.3f} times as fast as the model's choice"))
        lines.append(("database", f"{self.database}, search {self.search}"))
        return "\n".join(f"{title:<16}{text}" for title, text in lines)

    def _describe(self, evaluation: Evaluation) -> str:
        candidate = self.space.candidates[evaluation.number]
        return (
            f"{duration(evaluation.seconds)}, predicted "
            f"{duration(candidate.predicted)}: {candidate.schedule}"
        )

    def plot(self, path: str) -> None:
        """Draws the search as SVG; needs matplotlib."""
        from .plot import draw

        draw(self, path)


def duration(seconds: float) -> str:
    for unit in ("s", "ms", "us"):
        if seconds >= 1:
            return f"{seconds:.4g} {unit}"
        seconds *= 1000
    return f"{seconds:.4g} ns"
