# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of a search for a schedule."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .results import Tuning


def require_matplotlib() -> None:
    """Fails where no picture could be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "a picture needs matplotlib, which cannot be imported: pip install "
            f"matplotlib ({error})"
        ) from error


def require_place(path: str) -> None:
    """Fails where no file could be written."""
    place = path if os.path.exists(path) else os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(place, os.W_OK):
        raise OSError(f"no picture can be written to {path}")


def draw(tuning: Tuning, path: str) -> None:
    """Times against predictions, and the best time so far, as SVG."""
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    evaluations = tuning.evaluations
    scale, unit = next(
        (each for each in ((1, "s"), (1e3, "ms")) if each[0] * tuning.best.seconds >= 1),
        (1e6, "us"),
    )
    times = [scale * each.seconds for each in evaluations]
    predicted = [
        scale * tuning.space.candidates[each.number].predicted for each in evaluations
    ]
    # The same search gives the same file.
    with matplotlib.rc_context({"svg.hashsalt": tuning.search, "svg.fonttype": "none"}):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.scatter(predicted, times, s=14, color="#4c72b0")
        ends = [min(predicted + times), max(predicted + times)]
        left.plot(ends, ends, color="#999999", linewidth=1, label="as predicted")
        best = evaluations.index(tuning.best)
        left.scatter(
            predicted[best], times[best], s=60, marker="*", color="#c44e52",
            label="best", zorder=3,
        )
        left.set_xscale("log")
        left.set_yscale("log")
        left.set_xlabel(f"predicted by the model, {unit}")
        left.set_ylabel(f"{tuning.kind}, {unit}")
        left.legend()
        numbers = range(1, len(evaluations) + 1)
        right.plot(numbers, times, ".", color="#4c72b0", label="evaluation")
        right.step(
            numbers,
            list(itertools.accumulate(times, min)),
            where="post",
            color="#c44e52",
            label="best so far",
        )
        if tuning.first:
            right.axhline(
                scale * tuning.first.seconds, color="#999999", linewidth=1,
                label="model's choice",
            )
        right.set_yscale("log")
        right.set_xlabel("evaluation")
        right.set_ylabel(f"{tuning.kind}, {unit}")
        right.legend()
        for axis in (left.xaxis, left.yaxis, right.yaxis):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("{x:g}")
        figure.suptitle(f"{tuning.subscripts}, {tuning.target}")
        figure.savefig(path, format="svg", metadata={"Date": None})
