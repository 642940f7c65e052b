# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search for a schedule that evaluates candidates, and keeps what it finds.

It is SURF (Rivera et al., "Generating Efficient Tensor Contractions for GPUs", ICPP
2015, algorithm 2): a random forest, fitted to what was evaluated so far, chooses the
batch that is evaluated next. docs/tuning.md explains it.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .. import _launch, _native
from .._arrays.layout import as_integer, name_of
from .candidates import Problem, Space, list_candidates
from .evaluate import EvaluationFailed, Evaluator, make_evaluator
from .results import Evaluation, Tuning, duration

# Trees of the forest, which is as good with more, and slower.
TREES = 100
# Numbers of the seemingly fastest schedules that are measured again, and of their measurements: the
# least of many measured times is low by luck, too, and others were unlucky.
MOST_CONFIRMED = 8
CONFIRMING_ROUNDS = 4


def _forest(seed: int) -> Any:
    try:
        from sklearn.ensemble import RandomForestRegressor
    except ImportError as error:
        raise ImportError(
            "tuning needs scikit-learn, which cannot be imported: pip install "
            f"'tc-contract[tune]' ({error})"
        ) from error
    return RandomForestRegressor(n_estimators=TREES, random_state=seed, n_jobs=1)


def _table(space: Space) -> list[list[float]]:
    """A row of numbers for each candidate."""
    names = sorted(set().union(*(each.features for each in space.candidates)))
    return [
        [math.log2(each.predicted), *(each.features.get(name, 0) for name in names)]
        for each in space.candidates
    ]


def _search(
    space: Space,
    evaluations: int,
    batch: int,
    seed: int,
    evaluate: Callable[[list[int]], Iterable[float | None]],
) -> Iterable[None]:
    """Algorithm 2. `evaluate` gives the seconds that each of some candidates takes, or
    None if it fails; for which it is called depends on the seed and on what it gives
    only. The first batch has the model's choice."""
    forest = _forest(seed)
    table = _table(space)
    unknown = list(range(len(space.candidates)))
    rows: list[list[float]] = []
    logarithms: list[float] = []
    left = min(evaluations, len(unknown))
    chosen = [0, *random.Random(seed).sample(unknown[1:], min(batch, left) - 1)]
    while chosen:
        for number, seconds in zip(chosen, evaluate(chosen)):
            unknown.remove(number)
            if seconds is not None:
                rows.append(table[number])
                logarithms.append(math.log(seconds))
            yield
        left -= len(chosen)
        count = min(batch, left, len(unknown))
        if count == 0:
            return
        if not rows:
            chosen = unknown[:count]
            continue
        forest.fit(rows, logarithms)
        predicted = forest.predict([table[number] for number in unknown])
        # Of those that look alike, the ones that the model has first.
        ranked = sorted(zip(predicted.tolist(), unknown))
        chosen = [number for _, number in ranked[:count]]


class _Store:
    """The part of a database that belongs to one search."""

    def __init__(self, path: str, space: Space, search: str, seed: int, kind: str):
        self.path = path
        self._key = {
            "contraction": space.contraction,
            "machine": space.machine,
            "syntax": space.syntax,
        }
        self._line = {"kind": kind, "version": _launch.VERSION, "seed": seed, "search": search}
        # By schedule, what the search saw of it and what confirming it made of that.
        self.known: dict[str, float] = {}
        self.confirmed: dict[str, float] = {}
        if os.path.exists(path):
            for line in _native.export_tuning(path, False).splitlines():
                each = json.loads(line)
                if each["search"] == search and each["key"] == self._key:
                    if each["schedule"] in self.known:
                        self.confirmed[each["schedule"]] = each["seconds"]
                    self.known.setdefault(each["schedule"], each["seconds"])

    def add(self, stored: str, seconds: float) -> None:
        now = datetime.datetime.now(datetime.timezone.utc)
        line = {
            "key": self._key,
            "schedule": stored,
            "seconds": seconds,
            "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            **self._line,
        }
        _native.merge_tuning(self.path, json.dumps(line))


def _search_id(space: Space, evaluate: str, batch: int, seed: int) -> str:
    """Key of a search: the same candidates, evaluated in the same way and order, are the same
    search, however far it goes."""
    schedules = [each.stored for each in space.candidates]
    what = [space.contraction, space.machine, space.syntax, schedules]
    text = json.dumps([what, evaluate, batch, seed])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _confirm(
    space: Space, found: list[Evaluation], store: _Store, evaluator: Evaluator
) -> None:
    """Measures those again that seem to be the fastest; the least time of each counts."""
    places = sorted(range(len(found)), key=lambda place: found[place].seconds)
    places = places[:MOST_CONFIRMED]
    schedules = [space.candidates[found[place].number] for place in places]
    again = [store.confirmed.get(each.stored, math.inf) for each in schedules]
    left = [i for i, seconds in enumerate(again) if seconds == math.inf]
    for _ in range(CONFIRMING_ROUNDS):
        for i, seconds in zip(left, evaluator([schedules[i].schedule for i in left])):
            if not isinstance(seconds, EvaluationFailed):
                again[i] = min(again[i], seconds)
    for i, place in enumerate(places):
        least = min(found[place].seconds, again[i])
        if i in left and again[i] < math.inf:
            store.add(schedules[i].stored, least)
        found[place] = found[place]._replace(seconds=least)


Progress = Callable[[str], None]


def tune(
    subscripts: str,
    shapes: Sequence[Sequence[int]],
    dtypes: Any = "float64",
    target: str = "cpu",
    *,
    database: str,
    threads: int = 1,
    evaluations: int = 100,
    batch: int = 10,
    pool: int = 1000,
    seed: int = 1,
    evaluate: str | None = None,
    repeats: int = 7,
    progress: Progress | None = None,
    **options: Any,
) -> Tuning:
    """Searches a fast schedule for a contraction of two operands by evaluating up to
    so many of the `pool` best candidates of the model, a batch at a time, and adds
    each evaluation to the database as soon as it is there. A search that was
    interrupted goes on where it was if it is called again with the same arguments.

    Subscripts, shapes, dtypes and options are those of `compile`; tensors are
    contiguous, and factors are numbers. `evaluate` says how: "cpu", on this machine, where
    the schedules of a batch take turns, some `repeats` of them, the least time of each counts, and
    results are compared with those of the model's choice; "cuda", the median time of so
    many runs on a device; what seems to be the fastest at the end is measured again, as
    it may be so by luck; or "machine-code", the time that is predicted from
    machine code, both by `tc-run`, which TC_TOOLS or PATH have. By default it is "cpu" for target "cpu", and
    "machine-code" for GPUs. `progress` takes a line of text after each evaluation.
    """
    for name, number in (
        ("evaluations", evaluations),
        ("batch", batch),
        ("pool", pool),
        ("repeats", repeats),
    ):
        if as_integer(number, name) < 1:
            raise ValueError(f"{name} is {number}, but must be 1 at least")
    as_integer(seed, "seed")
    if not database:
        raise ValueError("no database is named")
    if isinstance(dtypes, str) or not isinstance(dtypes, Sequence):
        dtypes = (dtypes, dtypes)
    problem = Problem(
        subscripts,
        tuple(tuple(as_integer(n, "an extent") for n in shape) for shape in shapes),
        tuple(map(name_of, dtypes)),
        target,
        threads,
        {
            key.replace("_", "-"): str(value).lower() if isinstance(value, bool) else str(value)
            for key, value in options.items()
        },
    )
    chosen = evaluate or ("cpu" if target == "cpu" else "machine-code")
    evaluator = make_evaluator(chosen, problem, repeats)
    _forest(seed)
    space = list_candidates(problem, pool)
    kind = "simulated" if chosen == "machine-code" else "measured"
    search = _search_id(space, chosen, batch, seed)
    store = _Store(database, space, search, seed, kind)
    found: list[Evaluation] = []
    failures: dict[int, str] = {}

    def evaluate_batch(numbers: list[int]) -> Iterator[float | None]:
        candidates = [space.candidates[number] for number in numbers]
        unknown = [each.schedule for each in candidates if each.stored not in store.known]
        measured = evaluator(unknown)
        for number, candidate in zip(numbers, candidates):
            seconds = store.known.get(candidate.stored)
            is_known = seconds is not None
            if seconds is None:
                new = next(measured)
                if isinstance(new, EvaluationFailed):
                    failures[number] = str(new)
                    yield None
                    continue
                store.add(candidate.stored, new)
                seconds = new
            found.append(Evaluation(number, seconds, is_known))
            yield seconds

    wanted = min(evaluations, len(space.candidates))
    start, made = time.monotonic(), 0
    for done, _ in enumerate(_search(space, evaluations, batch, seed, evaluate_batch), 1):
        made += not (found and found[-1].is_known)
        if progress:
            progress(_progress_line(done, wanted, found, made, time.monotonic() - start))
    if not found:
        raise RuntimeError(
            f"no candidate could be evaluated; the model's choice: {failures[0]}"
        )
    if kind == "measured":
        _confirm(space, found, store, evaluator)
    return Tuning(
        subscripts,
        target,
        kind,
        database,
        search,
        space,
        tuple(found),
        failures,
    )


def _progress_line(
    done: int, wanted: int, found: Sequence[Evaluation], made: int, elapsed: float
) -> str:
    line = f"{done}/{wanted}"
    if found:
        best = min(each.seconds for each in found)
        line += f", best {duration(best)}"
        if found[0].number == 0:
            line += f" (model's choice {duration(found[0].seconds)})"
    if made and done < wanted:
        left = elapsed / made * (wanted - done)
        line += f", {left:.0f} s left" if left < 90 else f", {left / 60:.0f} min left"
    return line
