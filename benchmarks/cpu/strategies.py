#!/usr/bin/env python3
"""Compares the strategies gett, ttgt and loop_over_gemm over the TCCG benchmark: the times
that the model predicts with those that are measured on one core of this machine.

  strategies.py --tools=build/bin --type=f64 --core=1 --json=out.json
  strategies.py --report=out.json,more.json > table.md

The first command measures, for each contraction, the best of a few runs of each
strategy that is available, on one thread, the caches as they are; --cases takes
a part of them. Those of more than --gflop are made smaller, the largest extents
by a quarter at a time. The second prints a table in Markdown, and how often the strategy that is
predicted to be the fastest is, or is within 5% of it.
"""

import argparse
import json
import math
import os
import platform
import sys

from tccg_cpu import SUITE, geometric_mean, parse_ids, run, whole_file

STRATEGIES = ("gett", "ttgt", "loop_over_gemm")
# Times within this factor of the least count as being as fast.
TOLERANCE = 1.05


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def pinned(core, command):
    return command if core is None else ["taskset", "-c", str(core), *command]


def repeats_for(gflop):
    """As many as take about half a second."""
    return max(1, min(9, int(10 / gflop)))


def shrink(extents, gflop, most):
    """Smaller extents, and the work that is left."""
    extents = dict(extents)
    while gflop > most:
        label = max(extents, key=extents.get)
        smaller = max(8, extents[label] * 3 // 4 // 8 * 8)
        if smaller >= extents[label]:
            break
        gflop *= smaller / extents[label]
        extents[label] = smaller
    return extents, gflop


def measure(arguments, case, extents, gflop):
    """The predictions, and the best time of each available strategy."""
    times, predictions = {}, {}
    for strategy in STRATEGIES:
        if predictions.get(strategy, {}).get("unavailable"):
            continue
        text = run(pinned(arguments.core, [
            os.path.join(arguments.tools, "tc-run"), case["spec"],
            "--extents=" + ",".join(f"{k}={v}" for k, v in extents.items()),
            f"--type={arguments.type}", "--target=cpu", "--threads=1",
            "--cache=off", "--seed=1", f"--strategy={strategy}", f"--bench={repeats_for(gflop)}",
            "--json"]))
        kernel = json.loads(text)["kernels"][0]
        predictions = kernel["predictions"]
        times[strategy] = kernel["time"]["best_seconds"]
    return {"seconds": times, "predictions": predictions}


def predicted_best(result):
    return min(result["seconds"],
               key=lambda s: result["predictions"][s]["seconds"])


def loss(result):
    """The time of the predicted strategy over that of the fastest."""
    return (result["seconds"][predicted_best(result)]
            / min(result["seconds"].values()))


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}"


def table(results):
    """Rows of Markdown: measured and predicted milliseconds."""
    lines = ["| | contraction | gett | ttgt | loop_over_gemm | predicted | fastest | "
             "over the fastest |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for result in results:
        cells = []
        for strategy in STRATEGIES:
            seconds = result["seconds"].get(strategy)
            if seconds is None:
                cells.append("")
                continue
            predicted = result["predictions"][strategy]["seconds"]
            cells.append(f"{milliseconds(seconds)} ({milliseconds(predicted)})")
        fastest = min(result["seconds"], key=result["seconds"].get)
        lines.append(f"| {result['id']} | `{result['spec']}` | "
                     + " | ".join(cells)
                     + f" | {predicted_best(result)} | {fastest} | "
                     f"{loss(result):.2f} |")
    return lines


def summary(results):
    right = sum(loss(result) <= 1 for result in results)
    near = sum(loss(result) <= TOLERANCE for result in results)
    lines = [f"The strategy that is predicted to be the fastest is the fastest "
             f"of {right} of {len(results)} contractions, and within 5% of it "
             f"of {near}. Its time over that of the fastest is "
             f"{geometric_mean([loss(r) for r in results]):.3f} in the "
             f"geometric mean, {max(map(loss, results)):.2f} at most."]
    for strategy in STRATEGIES:
        ratios = [result["predictions"][strategy]["seconds"] / seconds
                  for result in results
                  for name, seconds in result["seconds"].items()
                  if name == strategy]
        if ratios:
            mean = geometric_mean(ratios)
            spread = math.sqrt(sum(math.log(r / mean) ** 2 for r in ratios)
                               / len(ratios))
            lines.append(f"Predicted over measured time of {strategy}: "
                         f"{mean:.2f} in the geometric mean, spread by a "
                         f"factor of {math.exp(spread):.2f} (standard "
                         f"deviation), {len(ratios)} contractions.")
    return lines


def report(paths):
    runs = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            runs.append(json.load(file))
    if len({(one["cpu"], one["type"]) for one in runs}) != 1:
        sys.exit(f"{', '.join(paths)}: not of one CPU and type")
    results = sorted((result for one in runs for result in one["results"]),
                     key=lambda result: result["id"])
    print(f"One core of: {runs[0]['cpu']}; {runs[0]['type']}.\n")
    print("\n".join(table(results)) + "\n")
    print("\n".join(summary(results)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", help="folder with tc-run")
    parser.add_argument("--type", choices=("f64", "f32"), default="f64")
    parser.add_argument("--cases", type=parse_ids, default=list(range(1, 49)),
                        help="as in 1-8,12")
    parser.add_argument("--gflop", type=float, default=math.inf,
                        help="the most work of one contraction")
    parser.add_argument("--core", type=int, help="the core to run on")
    parser.add_argument("--json", help="file to write")
    parser.add_argument("--report", help="files to make the table of, as in "
                        "a.json,b.json, instead of measuring")
    arguments = parser.parse_args()
    if arguments.report:
        return report(arguments.report.split(","))
    if not arguments.tools:
        parser.error("--tools: needed to measure")
    suffix = "dp" if arguments.type == "f64" else "sp"
    with open(SUITE, encoding="utf-8") as file:
        cases = {case["id"]: case for case in json.load(file)}
    results = []
    for number in arguments.cases:
        case = cases[number]
        extents, gflop = shrink(case[f"sizes_{suffix}"],
                                case[f"gflop_{suffix}"], arguments.gflop)
        result = {"id": number, "spec": case["spec"], "extents": extents,
                  **measure(arguments, case, extents, gflop)}
        results.append(result)
        print(f"{number:2} {case['spec']:20} "
              + "  ".join(f"{strategy} {milliseconds(seconds)} ms"
                          for strategy, seconds in result["seconds"].items())
              + f"  predicted {predicted_best(result)}, {loss(result):.2f} "
              "over the fastest", flush=True)
    if arguments.json:
        with whole_file.writing(arguments.json) as file:
            json.dump({"cpu": cpu_name(), "type": arguments.type,
                       "results": results}, file, indent=1)
            file.write("\n")
    return None


if __name__ == "__main__":
    sys.exit(main())
