#!/usr/bin/env python3
"""Compares predicted with measured times over the TCCG benchmark, on one core of
this machine, with the built-in figures and with those of tc-calibrate.

  tc-calibrate --output=cpu.json
  agreement.py --tools=build/bin --type=f64 --core=1 --calibration=cpu.json

For each contraction and either set of figures, the chosen strategy's prediction
is held against the best of a few runs on one thread, the caches as they are.
Prints ratios of predicted to measured times, their geometric mean and how many
are within 20% of one; --json writes them. Contractions of more than --gflop are
made smaller, the largest extents by a quarter at a time.
"""

import argparse
import json
import math
import os
import sys

from strategies import cpu_name, pinned, repeats_for, shrink
from tccg_cpu import SUITE, geometric_mean, parse_ids, run, whole_file

# Ratios from one over this to this count as within 20%.
WITHIN = 1.2


def measure(arguments, case, extents, gflop, calibration):
    """Predicted and measured seconds, and the strategy, with these figures."""
    os.environ["TC_CALIBRATION"] = calibration
    repeats = max(3, repeats_for(gflop))
    kernel = json.loads(run(pinned(arguments.core, [
        os.path.join(arguments.tools, "tc-run"), case["spec"],
        "--extents=" + ",".join(f"{k}={v}" for k, v in extents.items()),
        f"--type={arguments.type}", "--target=cpu", "--threads=1",
        "--cache=off", "--seed=1", f"--bench={repeats}", "--json"])))["kernels"][0]
    return {"strategy": kernel["strategy"],
            "predicted": kernel["predictions"][kernel["strategy"]]["seconds"],
            "measured": kernel["time"]["best_seconds"]}


def ratio(result):
    return result["predicted"] / result["measured"]


def summary(name, results):
    ratios = [ratio(result) for result in results]
    mean = geometric_mean(ratios)
    within = sum(1 / WITHIN <= value <= WITHIN for value in ratios)
    spread = math.exp(math.sqrt(sum(math.log(value / mean) ** 2
                                    for value in ratios) / len(ratios)))
    return (f"{name}: predicted over measured {mean:.3f} in the geometric mean, "
            f"spread by a factor of {spread:.2f}; {within} of {len(ratios)} "
            f"({100 * within / len(ratios):.0f}%) within 20%; "
            f"{sum(r['measured'] for r in results) * 1e3:.0f} ms in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="folder with tc-run")
    parser.add_argument("--type", choices=("f64", "f32"), default="f64")
    parser.add_argument("--calibration", help="the file that tc-calibrate wrote; "
                        "without it, only built-in figures are looked at")
    parser.add_argument("--cases", type=parse_ids, default=list(range(1, 49)),
                        help="as in 1-8,12")
    parser.add_argument("--gflop", type=float, default=math.inf,
                        help="the most work of one contraction")
    parser.add_argument("--core", type=int, help="the core to run on")
    parser.add_argument("--json", help="file to write")
    arguments = parser.parse_args()
    figures = {"built-in": "off"}
    if arguments.calibration:
        figures["calibrated"] = os.path.abspath(arguments.calibration)
    suffix = "dp" if arguments.type == "f64" else "sp"
    with open(SUITE, encoding="utf-8") as file:
        cases = {case["id"]: case for case in json.load(file)}
    results = {name: [] for name in figures}
    for number in arguments.cases:
        case = cases[number]
        extents, gflop = shrink(case[f"sizes_{suffix}"],
                                case[f"gflop_{suffix}"], arguments.gflop)
        for name, calibration in figures.items():
            results[name].append(
                {"id": number, "spec": case["spec"], "extents": extents,
                 **measure(arguments, case, extents, gflop, calibration)})
        print(f"{number:2} {case['spec']:20} " + "  ".join(
            f"{name} {ratio(results[name][-1]):.2f} of "
            f"{results[name][-1]['measured'] * 1e3:.3g} ms" for name in figures),
              flush=True)
    for name in figures:
        print(summary(name, results[name]))
    if arguments.json:
        with whole_file.writing(arguments.json) as file:
            json.dump({"cpu": cpu_name(), "type": arguments.type,
                       "results": results}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
