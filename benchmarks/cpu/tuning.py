#!/usr/bin/env python3
"""Compares what the model chooses with what measuring finds, over the TCCG benchmark on
one core of this machine: the model's first choice, the best of its first eight, and the
best that tc.tune finds in so many evaluations, as fractions of the speed of the best
schedule of all that were measured.

  tuning.py --type=f64 --core=1 --evaluations=100 --database=tuned.sqlite --json=out.json

Needs the Python package with scikit-learn. What was found is in the database, from which
a run that was interrupted goes on. The three are timed again at the end, in turns, so
that luck of a single measurement decides nothing. --cases takes a part of the suite;
contractions of more than --gflop are made smaller.
"""

import argparse
import json
import math
import os
import statistics
import sys

from strategies import cpu_name, milliseconds, shrink
from tccg_cpu import SUITE, geometric_mean, parse_ids, whole_file

DTYPES = {"f64": "float64", "f32": "float32"}
FEW = 8
# Of the measurement that decides, and what is said of which schedules.
ROUNDS = 5
NAMES = ("first", f"best of {FEW}", "tuned")


def problem_of(case, extents, dtype):
    """The suite is column-major: NumPy's arrays have their indices reversed."""
    from tc import _tune
    c, a, b = (text[::-1] for text in case["spec"].split("-"))
    shapes = tuple(tuple(extents[label] for label in labels) for labels in (a, b))
    return _tune.Problem(f"{a},{b}->{c}", shapes, (dtype, dtype), "cpu", 1, {})


def measure(arguments, case, extents):
    """The seconds of each of the three, and of the best of all."""
    import tc
    from tc import _evaluate
    problem = problem_of(case, extents, DTYPES[arguments.type])

    def progress(line):
        print(f"{case['id']}: {line}", file=sys.stderr, flush=True)

    found = tc.tune(
        problem.subscripts, problem.shapes, problem.dtypes, database=arguments.database,
        evaluations=arguments.evaluations, batch=arguments.batch, seed=arguments.seed,
        progress=progress if arguments.verbose else None)
    candidates = found.space.candidates
    evaluate = _evaluate.make_evaluator("cpu", problem, 7)
    seconds = {each.number: each.seconds for each in found.evaluations}
    few = {number: seconds[number] if number in seconds else
           evaluate(candidates[number].schedule)
           for number in range(min(FEW, len(candidates)))}
    chosen = dict(zip(NAMES, (0, min(few, key=few.get), found.best.number)))
    times = {number: [] for number in chosen.values()}
    for _ in range(ROUNDS):
        for number, list_of in times.items():
            list_of.append(evaluate(candidates[number].schedule))
    medians = {number: statistics.median(each) for number, each in times.items()}
    least = min(medians.values())
    return {
        "candidates": len(candidates), "evaluations": len(found.evaluations),
        "seconds": {name: medians[number] for name, number in chosen.items()},
        "schedules": {name: candidates[number].schedule for name, number in chosen.items()},
        "fractions": {name: least / medians[number] for name, number in chosen.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--type", choices=sorted(DTYPES), default="f64")
    parser.add_argument("--cases", type=parse_ids, default=list(range(1, 49)),
                        help="as in 1-8,12")
    parser.add_argument("--gflop", type=float, default=math.inf,
                        help="the most work of one contraction")
    parser.add_argument("--core", type=int, help="the core to run on")
    parser.add_argument("--evaluations", type=int, default=100)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", required=True)
    parser.add_argument("--json", help="file to write")
    parser.add_argument("--verbose", action="store_true", help="report each evaluation")
    arguments = parser.parse_args()
    if arguments.core is not None:
        os.sched_setaffinity(0, {arguments.core})
    suffix = "dp" if arguments.type == "f64" else "sp"
    with open(SUITE, encoding="utf-8") as file:
        cases = {case["id"]: case for case in json.load(file)}
    results = []
    for number in arguments.cases:
        case = cases[number]
        extents, _ = shrink(case[f"sizes_{suffix}"], case[f"gflop_{suffix}"],
                            arguments.gflop)
        result = {"id": number, "spec": case["spec"], "extents": extents,
                  **measure(arguments, case, extents)}
        results.append(result)
        print(f"{number:2} {case['spec']:20} "
              + "  ".join(f"{name} {milliseconds(result['seconds'][name])} ms "
                          f"({result['fractions'][name]:.3f})" for name in NAMES)
              + f"  of {result['candidates']} candidates", flush=True)
    for name in NAMES:
        fractions = [result["fractions"][name] for result in results]
        print(f"{name}: {geometric_mean(fractions):.3f} of the best in the geometric "
              f"mean, {min(fractions):.3f} at least")
    if arguments.json:
        with whole_file.writing(arguments.json) as file:
            json.dump({"cpu": cpu_name(), "type": arguments.type,
                       "evaluations": arguments.evaluations, "results": results},
                      file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
