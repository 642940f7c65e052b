#!/usr/bin/env python3
"""Measures how fast the simulator runs the 48 contractions of the TCCG
benchmark in double precision, some blocks of each at full size, and writes the
table docs/simulator-speed.md.

A figure is simulated thread-instructions a second of one core, by the time that
the core spent on it: the median over launches. The exit status is 1 if a
contraction misses the goals.
"""

import argparse
import os
import statistics
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "Integration"))
sys.path.insert(0, os.path.join(ROOT, "scripts"))

import compile_time_table  # pylint: disable=wrong-import-position
import harness  # pylint: disable=wrong-import-position
import suites  # pylint: disable=wrong-import-position
import whole_file  # pylint: disable=wrong-import-position

# Millions of thread-instructions a second and core that every contraction is to
# reach without and with detectors.
GOALS = {"none": 100, "all": 30}


def compile_package(context, problem):
    """Writes the package of a contraction and returns its path."""
    path = os.path.join(context.folder, f"{problem.number:02}.json")
    context.call([context.tool("tc-run"), problem.spec,
                  f"--extents={suites.format_extents(problem.extents('f64'))}",
                  "--emit=ptx", f"--save-package={path}"])
    return path


def measure(context, program, package):
    """Millions of thread-instructions a second without and with detectors."""
    output = context.call([program, package])
    return [float(figure) for figure in output.split()[-2:]]


def page(rows):
    none, detected = ([row[1][i] for row in rows] for i in range(2))
    lines = [
        "# Speed of the simulator", "",
        "Simulated thread-instructions a second and core, in millions, for the "
        "48 contractions of the TCCG benchmark in", "double precision, for "
        "sm_90, with detectors off and with all of them on: some blocks of "
        "each at its full size, 16 million", "thread-instructions or one block "
        "a launch, by the time that the core spent, the median over launches. "
        "Machine: "
        f"{compile_time_table.processor()}.",
        "`benchmarks/simulator/suite_speed.py` makes this page.", "",
        "| | detectors off | all on |", "| --- | ---: | ---: |",
        f"| goal, for each | {GOALS['none']} | {GOALS['all']} |",
        f"| least | {min(none):.0f} | {min(detected):.0f} |",
        f"| median | {statistics.median(none):.0f} "
        f"| {statistics.median(detected):.0f} |", "",
        "| id | contraction | detectors off | all on |",
        "| ---: | --- | ---: | ---: |"]
    lines += [f"| {problem.number} | `{problem.spec}` | {figures[0]:.0f} "
              f"| {figures[1]:.0f} |" for problem, figures in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--output", default=os.path.join(
        ROOT, "docs", "simulator-speed.md"))
    arguments = parser.parse_args()
    program = os.path.join(arguments.build, "benchmarks", "simulator",
                           "tc-package-speed")
    rows = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            context = harness.Context(os.path.join(arguments.build, "bin"),
                                      folder, timeout=600)
            for problem in suites.tccg():
                package = compile_package(context, problem)
                figures = measure(context, program, package)
                rows.append((problem, figures))
                print(problem.name, *figures, flush=True)
    except harness.Failure as failure:
        print(f"error: {failure}\n  {failure.command}", file=sys.stderr)
        return 1
    with whole_file.writing(arguments.output) as file:
        file.write(page(rows))
    missed = [problem.name for problem, (none, detected) in rows
              if none < GOALS["none"] or detected < GOALS["all"]]
    for name in missed:
        print(f"missed by {name}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
