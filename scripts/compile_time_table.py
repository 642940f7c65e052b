#!/usr/bin/env python3
"""Measures how long the tools take from text to PTX for the 48 contractions of
the TCCG benchmark at full size, and writes the table docs/compile-times.md.

A figure is the median over runs of the wall time of one process, `tc-run
--emit=ptx`, start-up included; nothing runs beside it. Run it on a quiet
machine.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "Integration"))

import harness  # pylint: disable=wrong-import-position
import ptx  # pylint: disable=wrong-import-position
import suites  # pylint: disable=wrong-import-position

COLUMNS = [(element_type, chip) for element_type in ("f64", "f32")
           for chip in ptx.CHIPS]


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def measure(context, problem, element_type, chip, runs):
    """The median time in milliseconds."""
    extents = suites.format_extents(problem.extents(element_type))
    command = [context.tool("tc-run"), problem.spec, f"--extents={extents}",
               f"--type={element_type}", f"--chip={chip}", "--emit=ptx"]
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        context.call(command)
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


def page(rows, runs):
    """The Markdown page."""
    times = [time for _, row in rows for time in row]
    lines = [
        "# Compile times", "",
        "From the text of a contraction to PTX, in milliseconds, for the 48 "
        "contractions of the TCCG benchmark",
        "at their full sizes. A figure is the wall time of one process, "
        "`tc-run SPEC --emit=ptx`, start-up included: the",
        f"median of {runs} runs. Machine: {processor()}, {os.cpu_count()} "
        "cores. `scripts/compile_time_table.py` makes this page.", "",
        f"Median over all: {statistics.median(times):.0f} ms; largest: "
        f"{max(times):.0f} ms.", "",
        "| id | contraction | " + " | ".join(
            f"{element_type}, {chip}" for element_type, chip in COLUMNS)
        + " |",
        "| ---: | --- |" + " ---: |" * len(COLUMNS)]
    lines += [f"| {problem.number} | `{problem.spec}` | "
              + " | ".join(f"{time:.0f}" for time in row) + " |"
              for problem, row in rows]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", default=os.path.join(
        ROOT, "docs", "compile-times.md"))
    arguments = parser.parse_args()
    rows = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            context = harness.Context(arguments.tools, folder, timeout=60)
            for problem in suites.tccg():
                rows.append((problem, [
                    measure(context, problem, *column, arguments.runs)
                    for column in COLUMNS]))
    except harness.Failure as failure:
        print(f"error: {failure}\n  {failure.command}", file=sys.stderr)
        return 1
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(page(rows, arguments.runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
