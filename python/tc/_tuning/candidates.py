# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schedules from which a search chooses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from .. import _native
from .._arrays.layout import ELEMENT_TYPES
from .._contraction.pair import common_dtype, extents_of
from .._notation.subscripts import parse


class Candidate(NamedTuple):
    """A schedule, as it is compiled and as databases have it; the seconds that the
    model predicts, and what the forest sees of it."""

    schedule: str
    stored: str
    predicted: float
    features: Mapping[str, float]


class Space(NamedTuple):
    """All candidates, of which the first is the model's choice."""

    contraction: str
    machine: str
    syntax: int
    candidates: tuple[Candidate, ...]


class Problem(NamedTuple):
    """A contraction that is tuned, and for what."""

    subscripts: str
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    target: str
    threads: int
    options: Mapping[str, str]


def list_candidates(problem: Problem, most: int) -> Space:
    """The model's ranking."""
    parsed = parse(problem.subscripts, tuple(map(len, problem.shapes)))
    if len(parsed.operands) != 2:
        raise ValueError(
            f"'{problem.subscripts}' has {len(parsed.operands)} operands; only "
            "contractions of two are tuned"
        )
    extents = extents_of(parsed.operands, problem.shapes)
    names = (*problem.dtypes, common_dtype(problem.dtypes))
    result = tuple(extents[label] for label in parsed.result)
    terms = ["[" + ",".join(labels) + "]" for labels in (*parsed.operands, parsed.result)]
    found = json.loads(
        _native.find_candidates(
            ",".join(terms[:-1]) + "->" + terms[-1],
            [ELEMENT_TYPES[name] for name in names],
            [*problem.shapes, result],
            {
                "target": problem.target,
                "threads": str(problem.threads),
                **problem.options,
            },
            most,
        )
    )
    return Space(
        found["contraction"],
        found["machine"],
        found["syntax"],
        tuple(
            Candidate(each["schedule"], each["stored"], each["seconds"], each["features"])
            for each in found["candidates"]
        ),
    )
