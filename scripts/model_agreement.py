#!/usr/bin/env python3
"""Holds the model's times against those that the machine code predicts.

For the 48 contractions of the TCCG suite, each is compiled with the best
schedules of the search (tc-run --refine=N), and for each of these the time that
the model predicts stands beside the one predicted from machine code. Nothing is
run on a device; ptxas and nvdisasm are needed. --write puts the text between
two comments that name it into docs/model-agreement.md.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "model-agreement.md"
SUITE = ROOT / "benchmarks" / "suites" / "tccg.json"
KINDS = ("f64", "f32", "f16", "bf16", "f32-tf32", "c64")
# A judge is asked only if there is something to choose from.
FEWEST = 2


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def evaluate(build, problem, kind, chip, count):
    """Pairs of predicted and judged seconds with their schedules, the model's
    own choice first; none if that was not judged."""
    element, *precision = kind.split("-")
    sizes = problem["sizes_dp" if element in ("f64", "c64", "c128")
                    else "sizes_sp"]
    extents = ",".join(f"{label}={size}" for label, size in sizes.items())
    command = [build / "bin/tc-run", problem["spec"], f"--extents={extents}",
               f"--type={element}", f"--chip={chip}", "--explain", "--json"]
    command += [f"--precision={name}" for name in precision]

    def candidates(*more):
        done = subprocess.run([*command, *more], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"error: {problem['spec']}: {done.stderr.strip()[:500]}")
        return json.loads(done.stdout)["explanations"][0]["candidates"]

    first = candidates("--runners-up=0")[0]["schedule"]
    judged = candidates(f"--refine={count}",
                        f"--runners-up={count - 1}")
    judged.sort(key=lambda candidate: candidate["schedule"] != first)
    if not judged[0]["judged_seconds"]:
        return []
    return [{"schedule": c["schedule"], "model": c["seconds"],
             "judged": c["judged_seconds"]}
            for c in judged if c["judged_seconds"]]


def agreement_row(kind, chip, cases):
    ratios = [case[0]["model"] / case[0]["judged"] for case in cases if case]
    if not ratios:
        return [kind, chip, "0"] + ["-"] * 4
    within = sum(1 / 1.1 <= ratio <= 1.1 for ratio in ratios)
    return [kind, chip, str(len(ratios)), f"{geometric_mean(ratios):.3f}",
            f"{min(ratios):.2f}", f"{max(ratios):.2f}",
            f"{100 * within / len(ratios):.0f}%"]


def refine_row(problem, case):
    first = case[0]["judged"]
    best = min(case, key=lambda candidate: candidate["judged"])
    rank = sorted(case, key=lambda c: c["model"]).index(best) + 1
    return [f"{problem['id']} {problem['spec']}", f"{case[0]['model'] * 1e6:.1f}",
            f"{first * 1e6:.1f}", f"{best['judged'] * 1e6:.1f}",
            f"{first / best['judged']:.2f}", f"{rank} of {len(case)}"]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |",
             "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def write(name, text):
    pattern = re.compile(f"(<!-- {name}: begin -->\n).*(<!-- {name}: end -->)",
                         re.DOTALL)
    page, count = pattern.subn(lambda m: f"{m[1]}\n{text}\n\n{m[2]}",
                               PAGE.read_text())
    if count != 1:
        sys.exit(f"error: {PAGE}: has no section '{name}'")
    PAGE.write_text(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--chips", nargs="+", default=["sm_90"])
    parser.add_argument("--every", type=int, default=1,
                        help="only every so many contractions")
    parser.add_argument("--refine", type=int, default=FEWEST,
                        help=f"schedules for each ({FEWEST}); with more, what "
                        "taking the one with the least time gains is reported, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--data", type=pathlib.Path,
                        help="a file for all figures as JSON")
    parser.add_argument("--write", action="store_true",
                        help="put the text into the page")
    options = parser.parse_args()
    suite = json.loads(SUITE.read_text())[::options.every]
    rows, data = [], {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for chip in options.chips:
            for kind in options.kinds:
                cases = list(pool.map(
                    lambda p, k=kind, c=chip: evaluate(
                        options.build, p, k, c, options.refine), suite))
                data[f"{kind} {chip}"] = {
                    problem["id"]: case for problem, case in zip(suite, cases)}
                rows.append(agreement_row(kind, chip, cases))
                print(*rows[-1], flush=True)
                if options.refine > FEWEST:
                    refined = [refine_row(p, c) for p, c in zip(suite, cases)
                               if c]
                    gains = [float(c[0]["judged"]) /
                             min(d["judged"] for d in c) for c in cases if c]
                    text = (table(["contraction", "model, us",
                                   "from machine code, us", "best of these, us",
                                   "gain", "rank to the model"], refined) +
                            f"\n\nGeometric mean of the gains: "
                            f"{geometric_mean(gains):.3f}.")
                    print(text)
                    if options.write:
                        write(f"refine {kind} {chip}", text)
    if options.data:
        options.data.write_text(json.dumps(data, indent=1))
    if options.write and options.refine <= FEWEST:
        write("agreement", table(
            ["type", "chip", "contractions",
             "model / machine code, geometric mean", "least", "most",
             "within 10%"], rows))


if __name__ == "__main__":
    main()
