#!/usr/bin/env python3
"""Measures how long the tools take for the 48 contractions of the TCCG benchmark
at full size, and writes the table docs/compile-times.md or, with --cpu,
docs/compile-times-cpu.md.

To PTX, a figure is the median over runs of the wall time of one process,
`tc-run --emit=ptx`, start-up included. To functions of the CPU, it is the least
over runs of what `tc-run --target=cpu --compile-only` measures in the process,
without the cache of compiled code and with it. Nothing runs beside it. Run it on
a quiet machine.
"""

import argparse
import json
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
import whole_file  # pylint: disable=wrong-import-position

COLUMNS = [(element_type, chip) for element_type in ("f64", "f32")
           for chip in ptx.CHIPS]
CPU_COLUMNS = [(element_type, cache) for cache in ("off", "cache")
               for element_type in ("f64", "f32")]


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def measure(context, problem, element_type, chip):
    """The time of one process in milliseconds."""
    extents = suites.format_extents(problem.extents(element_type))
    command = [context.tool("tc-run"), problem.spec, f"--extents={extents}",
               f"--type={element_type}", f"--chip={chip}", "--emit=ptx"]
    began = time.perf_counter()
    context.call(command)
    return (time.perf_counter() - began) * 1e3


def measure_cpu(context, problem, element_type, cache):
    """The time within one process in milliseconds. With the cache, the first
    run fills it."""
    extents = suites.format_extents(problem.extents(element_type))
    folder = "off" if cache == "off" else os.path.join(context.folder, cache)
    command = [context.tool("tc-run"), problem.spec, f"--extents={extents}",
               f"--type={element_type}", "--target=cpu", "--compile-only",
               f"--cache={folder}", "--json"]
    report = json.loads(context.call(command))
    if report["cache"] == "miss":
        report = json.loads(context.call(command))
    if report["cache"] != ("off" if cache == "off" else "hit"):
        raise harness.Failure(f"cache: {report['cache']}", " ".join(command))
    return report["compile_seconds"] * 1e3


def measure_all(context, columns, take, runs):
    """For each problem and column the times of all runs. Anything that slows
    the machine down for a while then meets another problem in each round."""
    times = [(problem, [[] for _ in columns]) for problem in suites.tccg()]
    for _ in range(runs):
        for problem, row in times:
            for column, cell in zip(columns, row):
                cell.append(take(context, problem, *column))
    return times


def table(rows, columns, digits):
    """Lines of Markdown."""
    lines = ["| id | contraction | " + " | ".join(columns) + " |",
             "| ---: | --- |" + " ---: |" * len(columns)]
    return lines + [f"| {problem.number} | `{problem.spec}` | "
                    + " | ".join(f"{time:.{n}f}"
                                 for time, n in zip(row, digits)) + " |"
                    for problem, row in rows]


def machine():
    return f"{processor()}, {os.cpu_count()} cores"


def page(rows, runs):
    """The Markdown page."""
    times = [time for _, row in rows for time in row]
    return "\n".join([
        "# Compile times", "",
        "From the text of a contraction to PTX, in milliseconds, for the 48 "
        "contractions of the TCCG benchmark",
        "at their full sizes. A figure is the wall time of one process, "
        "`tc-run SPEC --emit=ptx`, start-up included: the",
        f"median of {runs} runs. Machine: {machine()}. "
        "`scripts/compile_time_table.py` makes this page.", "",
        f"Median over all: {statistics.median(times):.0f} ms; largest: "
        f"{max(times):.0f} ms. [Those for CPUs](compile-times-cpu.md)", "",
        *table(rows, [f"{element_type}, {chip}"
                      for element_type, chip in COLUMNS],
               [0] * len(COLUMNS))]) + "\n"


def cpu_page(rows, runs):
    """The Markdown page about CPUs."""
    def reported(first):
        times = [time for _, row in rows for time in row[first:first + 2]]
        return (f"median {statistics.median(times):.1f} ms, largest "
                f"{max(times):.1f} ms")

    return "\n".join([
        "# Compile times for CPUs", "",
        "From the text of a contraction to functions that can be called on the "
        "CPU at hand, in milliseconds, for the 48",
        "contractions of the TCCG benchmark at their full sizes. A figure is "
        "`compile_seconds` of",
        "`tc-run SPEC --target=cpu --compile-only --json`, the time in the "
        "process without its start-up: the least of",
        f"{runs} runs. Machine: {machine()}. "
        "`scripts/compile_time_table.py --cpu` makes this page.", "",
        f"Without the [cache](cpu-lowering.md#the-cache): {reported(0)}.",
        f"With it: {reported(2)}.", "",
        *table(rows, ["f64", "f32", "f64, cache", "f32, cache"],
               [0, 0, 1, 1])]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cpu", action="store_true",
                        help="measure code for the CPU")
    parser.add_argument("--output", help="the page, if not that in docs/")
    arguments = parser.parse_args()
    name, columns, take, choose, write = (
        ("compile-times-cpu.md", CPU_COLUMNS, measure_cpu, min, cpu_page)
        if arguments.cpu else
        ("compile-times.md", COLUMNS, measure, statistics.median, page))
    try:
        with tempfile.TemporaryDirectory() as folder:
            context = harness.Context(arguments.tools, folder, timeout=60)
            times = measure_all(context, columns, take, arguments.runs)
    except harness.Failure as failure:
        print(f"error: {failure}\n  {failure.command}", file=sys.stderr)
        return 1
    rows = [(problem, [choose(cell) for cell in row])
            for problem, row in times]
    output = arguments.output or os.path.join(ROOT, "docs", name)
    with whole_file.writing(output) as file:
        file.write(write(rows, arguments.runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
