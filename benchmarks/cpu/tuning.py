#!/usr/bin/env python3
"""Compares the model's choices with those found by measuring, over the TCCG benchmark on
one core of this machine: the model's first choice, the best of its first eight, and the
one that SURF, the search of tc.tune, finds in so many evaluations, as fractions of the
speed of the best schedule of all that were measured.

  tuning.py --type=f32 --core=1 --schedules=300 --gflop=0.15 --json=out.json
  tuning.py --report=out.json

All of --schedules are measured: of a pool of 1000 as tc.tune has it, the model's best
third, and the rest evenly spread. They take turns, in which the least time of each
counts: in so many as an evaluation of tc.tune has, then those that are within a third of
the fastest in many more, by which they are judged. SURF, once for each of --seeds, and
the search among the first eight see the former, and confirm what they find by some of the
latter. What is in the file of --json already is not measured again. --cases takes a part
of the suite; contractions of more than --gflop are made smaller. Needs the Python package
with scikit-learn.
"""

import argparse
import json
import os
import sys

from strategies import cpu_name, milliseconds, shrink
from tccg_cpu import SUITE, geometric_mean, parse_ids, whole_file

DTYPES = {"f64": "float64", "f32": "float32"}
FEW = 8
POOL = 1000
# Turns that an evaluation of tc.tune has, and that decide.
REPEATS, TURNS = 7, 35
# Candidates that are slower than the fastest by this factor take no part in those.
RIVALS = 4 / 3
NAMES = ("first", f"best of {FEW}", "tuned")


def problem_of(case, extents, dtype):
    """The suite is column-major: NumPy's arrays have their indices reversed."""
    from tc._tuning.candidates import Problem
    c, a, b = (text[::-1] for text in case["spec"].split("-"))
    shapes = tuple(tuple(extents[label] for label in labels) for labels in (a, b))
    return Problem(f"{a},{b}->{c}", shapes, (dtype, dtype), "cpu", 1, {})


def drawn(count, most):
    """So many of the numbers of candidates: the first third, and the rest evenly."""
    if count <= most:
        return list(range(count))
    first = most // 3
    step = (count - first) / (most - first)
    return [*range(first), *(first + int(step * i) for i in range(most - first))]


def confirm(seen, seconds, turns):
    """The one of those seen that tc.tune takes, which measures some again."""
    from tc._tuning import tune
    fastest = sorted(seen, key=seconds.__getitem__)[:tune.MOST_CONFIRMED]
    again = tune.CONFIRMING_ROUNDS * REPEATS
    return min(fastest, key=lambda number: min([seconds[number], *turns[number][:again]]))


def search(space, seconds, turns, arguments, seed):
    """The number of the candidate that SURF finds, whose evaluations are looked
    up."""
    from tc._tuning import tune
    seen = []

    def evaluate(numbers):
        seen.extend(numbers)
        return [seconds[number] for number in numbers]

    for _ in tune._search(space, arguments.evaluations, arguments.batch, seed, evaluate):
        pass
    return confirm(seen, seconds, turns)


def take_turns(runs, numbers, count):
    """The times of some of the runs, so many of each."""
    from tc._tuning.evaluate import seconds_of
    times = {number: [] for number in numbers}
    for _ in range(count):
        for number in numbers:
            run, together = runs[number]
            # An untimed run first: the contents of the caches after the run before must not
            # count.
            run()
            times[number].append(seconds_of(run, together))
    return times


def measure_all(problem, space):
    """The candidates that can be compiled, the seconds of each as tc.tune sees them, and
    the times by which they are judged of those that may be the fastest or are chosen."""
    from tc._tuning.evaluate import EvaluationFailed, count_runs, make_evaluator
    evaluator = make_evaluator("cpu", problem, REPEATS)
    candidates, runs = [], []
    for candidate in space.candidates:
        try:
            run = evaluator.prepare(candidate.schedule)
        except EvaluationFailed as failure:
            if not candidates:
                raise
            print(f"{problem.subscripts}: {candidate.schedule}: {failure}", file=sys.stderr)
            continue
        candidates.append(candidate)
        runs.append((run, count_runs(run)))
    seen = take_turns(runs, range(len(runs)), REPEATS)
    seconds = [min(times) for times in seen.values()]
    rivals = [number for number, each in enumerate(seconds)
              if number < FEW or each < RIVALS * min(seconds)]
    return space._replace(candidates=tuple(candidates)), seconds, take_turns(
        runs, rivals, TURNS)


def measure(arguments, case, extents):
    """The results of a contraction."""
    from tc._tuning.candidates import list_candidates
    problem = problem_of(case, extents, DTYPES[arguments.type])
    pool = list_candidates(problem, POOL)
    space, seconds, turns = measure_all(problem, pool._replace(candidates=tuple(
        pool.candidates[i] for i in drawn(len(pool.candidates), arguments.schedules))))
    least = {number: min(seconds[number], *times) for number, times in turns.items()}
    # Choices of a search that are no rivals, too.
    least = {**dict(enumerate(seconds)), **least}
    turns = {number: turns.get(number, []) for number in least}
    few = confirm(range(min(FEW, len(least))), seconds, turns)
    tuned = [search(space, seconds, turns, arguments, seed + 1)
             for seed in range(arguments.seeds)]
    fastest = min(least, key=least.get)
    taken = dict(zip(NAMES, (
        least[0], least[few], geometric_mean([least[number] for number in tuned]))))
    result = {
        "pool": len(pool.candidates), "schedules": len(least),
        "best": least[fastest], "seconds": taken,
        "predicted": {"first": space.candidates[0].predicted,
                      "best": space.candidates[fastest].predicted},
        "rank": fastest,
        "chosen": {"first": space.candidates[0].schedule,
                   "best": space.candidates[fastest].schedule},
        "fractions": {name: least[fastest] / each for name, each in taken.items()}}
    if arguments.all:
        result["measured"] = [
            [candidate.schedule, candidate.predicted, seconds[number], *turns[number]]
            for number, candidate in enumerate(space.candidates)]
    return result


def line_of(result):
    return (f"{result['id']:2} {result['spec']:20} best {milliseconds(result['best'])} ms  "
            + "  ".join(f"{name} {result['fractions'][name]:.3f}" for name in NAMES)
            + f"  of {result['schedules']} schedules")


def summary(results):
    lines = []
    for name in NAMES:
        fractions = [result["fractions"][name] for result in results]
        lines.append(f"{name}: {geometric_mean(fractions):.3f} of the best in the geometric "
                     f"mean, {min(fractions):.3f} at least")
    return lines


def write(path, content):
    with whole_file.writing(path) as file:
        json.dump(content, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--type", choices=sorted(DTYPES), default="f64")
    parser.add_argument("--cases", type=parse_ids, default=list(range(1, 49)),
                        help="as in 1-8,12")
    parser.add_argument("--gflop", type=float, default=1e9,
                        help="the most work of one contraction")
    parser.add_argument("--core", type=int, help="the core to run on")
    parser.add_argument("--schedules", type=int, default=300,
                        help="how many are measured of each contraction")
    parser.add_argument("--evaluations", type=int, default=100)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=3, help="searches of each contraction")
    parser.add_argument("--json", help="file to write, and to go on from")
    parser.add_argument("--all", action="store_true",
                        help="write the time of each schedule, too")
    parser.add_argument("--report", help="a file to report, instead of measuring")
    arguments = parser.parse_args()
    if arguments.report:
        with open(arguments.report, encoding="utf-8") as file:
            results = json.load(file)["results"]
        print("\n".join([*map(line_of, results), *summary(results)]))
        return 0
    if arguments.core is not None:
        os.sched_setaffinity(0, {arguments.core})
    suffix = "dp" if arguments.type == "f64" else "sp"
    with open(SUITE, encoding="utf-8") as file:
        cases = {case["id"]: case for case in json.load(file)}
    content = {"cpu": cpu_name(), **{name: getattr(arguments, name) for name in (
        "type", "gflop", "schedules", "evaluations", "batch", "seeds")}, "results": []}
    if arguments.json and os.path.exists(arguments.json):
        with open(arguments.json, encoding="utf-8") as file:
            found = json.load(file)
        if any(found[name] != content[name] for name in content if name != "results"):
            parser.error(f"--json: {arguments.json} was measured with other options")
        content = found
    results = content["results"]
    for number in arguments.cases:
        if any(result["id"] == number for result in results):
            continue
        case = cases[number]
        extents, _ = shrink(case[f"sizes_{suffix}"], case[f"gflop_{suffix}"],
                            arguments.gflop)
        result = {"id": number, "spec": case["spec"], "extents": extents,
                  **measure(arguments, case, extents)}
        results.append(result)
        print(line_of(result), flush=True)
        if arguments.json:
            write(arguments.json, content)
    print("\n".join(summary(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
