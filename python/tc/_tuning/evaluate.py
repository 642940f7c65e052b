# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of a contraction with a schedule: on this CPU, on a CUDA device, or by prediction from
machine code."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._arrays.layout import DTYPES
from .._contraction.pair import extents_of, sum_dtype
from .._messages.errors import UnsupportedError
from .._notation.letters import without_blanks
from .._notation.subscripts import parse

if TYPE_CHECKING:
    from .candidates import Problem

# The least time of a run that is timed: the clock and the call take a part of it.
LEAST_SECONDS = 2e-4

class EvaluationFailed(Exception):
    """A candidate that cannot be compiled or run."""


# The seconds of schedules, one after the other, or why there are none. What computes
# something wrong is an error.
Evaluator = Callable[[Sequence[str]], Iterator["float | EvaluationFailed"]]


def make_evaluator(how: str, problem: Problem, repeats: int) -> Evaluator:
    if how not in ("cpu", "cuda", "machine-code"):
        raise ValueError(f"evaluate is '{how}', which is none of cpu, cuda and machine-code")
    if (how == "cpu") != (problem.target == "cpu"):
        raise ValueError(f"evaluate is '{how}', but target is '{problem.target}'")
    if how == "cpu":
        return _OnCpu(problem, repeats)
    return _ByTool(how, problem, repeats)


def _dtype_of_numpy(dtype: str) -> np.dtype:
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    # One that a package such as ml_dtypes adds has no finfo and no sums of NumPy's.
    if found is None or found.isbuiltin != 1:
        raise ValueError(
            f"NumPy has no {dtype}, so that contractions of it cannot be evaluated here"
        )
    return found


def _random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    kind = _dtype_of_numpy(dtype)
    if kind.kind == "i":
        return rng.integers(-4, 5, shape).astype(kind)
    array = rng.uniform(-1, 1, shape)
    if kind.kind == "c":
        array = array + 1j * rng.uniform(-1, 1, shape)
    return array.astype(kind)


def seconds_of(run: Callable[[], object], count: int) -> float:
    """Of one run, when there are so many one after the other."""
    start = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - start) / count


def count_runs(run: Callable[[], object]) -> int:
    """Number of runs that are to be timed together."""
    return max(1, math.ceil(LEAST_SECONDS / max(seconds_of(run, 1), 1e-9)))


class _OnCpu:
    """Runs on random data. Schedules that are evaluated together take turns, and the least
    time of each counts: what else a machine does makes all of them slower for a while,
    and nothing faster."""

    def __init__(self, problem: Problem, repeats: int) -> None:
        from .._contraction.compile import compile

        self._compile = compile
        self._problem = problem
        self._repeats = repeats
        rng = np.random.default_rng(1)
        self._operands = [
            _random_array(rng, shape, dtype)
            for shape, dtype in zip(problem.shapes, problem.dtypes)
        ]
        parsed = parse(problem.subscripts, tuple(map(len, problem.shapes)))
        extents = extents_of(parsed.operands, problem.shapes)
        self._terms = math.prod(
            extent for label, extent in extents.items() if label not in parsed.result
        )
        self._out: np.ndarray | None = None
        self._expected: np.ndarray | None = None

    def _make(self, schedule: str):
        problem = self._problem
        return self._compile(
            problem.subscripts,
            problem.shapes,
            problem.dtypes,
            threads=problem.threads,
            schedule=schedule,
            cache="off",
            tuned="off",
            **{key.replace("-", "_"): text for key, text in problem.options.items()},
        )

    def prepare(self, schedule: str) -> Callable[[], object]:
        """Function that computes the contraction, which it did once, and right."""
        try:
            contraction = self._make(schedule)
        except UnsupportedError as error:
            raise EvaluationFailed(str(error)) from error
        # All schedules write to the same place: caches and pages of another might suit
        # them better or worse.
        if self._out is None:
            self._out = np.empty(contraction.shape, contraction._out.dtype)
        a, b, out = *self._operands, self._out
        out.fill(0)
        contraction(a, b, out)
        self._check(schedule, out)
        return lambda: contraction(a, b, out)

    def __call__(self, schedules: Sequence[str]) -> Iterator[float | EvaluationFailed]:
        found: list[float | EvaluationFailed] = [math.inf] * len(schedules)
        least = [math.inf] * len(schedules)
        runs = []
        for place, schedule in enumerate(schedules):
            try:
                run = self.prepare(schedule)
            except EvaluationFailed as failure:
                found[place] = failure
            else:
                runs.append((place, run, count_runs(run)))
        for _ in range(self._repeats):
            for place, run, count in runs:
                # The contents of the caches after the run before do not count.
                run()
                found[place] = least[place] = min(least[place], seconds_of(run, count))
        return iter(found)

    def _check(self, schedule: str, out: np.ndarray) -> None:
        """Compares with the first result, up to the order of sums."""
        if self._expected is None:
            self._expected = out.copy()
            return
        kind = np.dtype(out.dtype)
        if kind.kind == "i":
            tolerance = 0.0
        else:
            terms = self._terms
            rounding = np.finfo(sum_dtype(self._problem.dtypes[0])).eps
            finite = np.abs(self._expected[np.isfinite(self._expected)])
            largest = float(finite.max()) if finite.size else 0.0
            tolerance = largest * (
                4 * float(np.finfo(kind).eps) + 64 * float(rounding) * math.sqrt(terms)
            )
        if not np.allclose(out, self._expected, rtol=0, atol=tolerance, equal_nan=True):
            raise RuntimeError(
                "a schedule computes something else than the model's choice: " + schedule
            )


def find_tool() -> str:
    folder = os.environ.get("TC_TOOLS")
    found = shutil.which("tc-run", path=folder) if folder else shutil.which("tc-run")
    if not found:
        raise FileNotFoundError(
            "tc-run, which evaluates schedules for GPUs, is "
            + (f"not in TC_TOOLS, {folder}" if folder else "not on PATH; TC_TOOLS may name its folder")
        )
    return found


class _ByTool:
    """Predictions by tc-run."""

    def __init__(self, how: str, problem: Problem, repeats: int) -> None:
        names = {dtype: name for name, dtype in DTYPES.items()}
        shapes = ",".join("x".join(map(str, shape)) for shape in problem.shapes)
        self._command = [
            find_tool(),
            without_blanks(problem.subscripts),
            f"--shapes={shapes}",
            f"--chip={problem.target}",
        ]
        for option, dtype in zip(("--type-a", "--type-b"), problem.dtypes):
            self._command.append(f"{option}={names[dtype]}")
        for key, text in problem.options.items():
            self._command.append(f"--{key}={text}")
        self._key = "median_seconds" if how == "cuda" else "seconds"
        self._command += (
            ["--target=cuda", f"--bench={repeats}", "--check", "--seed=1", "--json"]
            if how == "cuda"
            else ["--time=json"]
        )

    def __call__(self, schedules: Sequence[str]) -> Iterator[float | EvaluationFailed]:
        return map(self._evaluate, schedules)

    def _evaluate(self, schedule: str) -> float | EvaluationFailed:
        done = subprocess.run(
            [*self._command, f"--schedule={schedule}"],
            capture_output=True,
            text=True,
            check=False,
        )
        kernel = {}
        if done.stdout.startswith("{"):
            kernel = json.loads(done.stdout)["kernels"][0]
        if not kernel.get("check", {}).get("passed", True):
            raise RuntimeError("a schedule computes something wrong: " + schedule)
        if done.returncode != 0 or "time" not in kernel:
            lines = done.stderr.strip().splitlines()
            return EvaluationFailed(lines[-1] if lines else "tc-run failed")
        return float(kernel["time"][self._key])
