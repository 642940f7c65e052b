#!/usr/bin/env python3
"""Keeps results of tc-bench on a device, and makes the tables of
docs/gpu-benchmark.md of them.

  gpu_page.py keep RESULTS.json... -o benchmarks/gpu/results/DATE-DEVICE.json
  gpu_page.py page benchmarks/gpu/results/DATE-DEVICE.json docs/gpu-benchmark.md

What is kept has, of each suite, conditions and versions, and of each case the
medians and quartiles of all contenders, the error of the result, registers and
schedule. The page's tables stand between the lines `<!-- tables -->` and
`<!-- end of tables -->`; the rest of it is written by hand.
"""

import argparse
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "scripts"))

import whole_file  # pylint: disable=wrong-import-position

PEERS = ("cutensor", "cutensor-best", "torch", "cublas")
BEGIN, END = "<!-- tables -->\n", "<!-- end of tables -->\n"


def kept_outcome(outcome):
    kept = {"contender": outcome["contender"]}
    if "median_seconds" not in outcome:
        kept["error"] = outcome["error"]
        return kept
    kept["median_us"] = round(outcome["median_seconds"] * 1e6, 2)
    kept["quartiles_us"] = [round(value * 1e6, 2)
                            for value in outcome["quartiles_seconds"]]
    kept["relative_error"] = outcome["check"]["relative_error"]
    for key in ("registers", "schedule", "algorithm"):
        if key in outcome.get("details", {}):
            kept[key] = outcome["details"][key]
    return kept


def kept_suite(results):
    kept = {key: results[key]
            for key in ("suite", "date", "options", "device", "versions")}
    kept["copy_bytes_per_second"] = results["ceilings"]["copy_bytes_per_second"]
    kept["cases"] = []
    for case in results["cases"]:
        conditions = [case["conditions"][when] for when in ("before", "after")]
        kept["cases"].append({
            "name": case["name"],
            "contraction": case["contraction"],
            "extents": case["extents"],
            "floor_us": round(case["floor_seconds"] * 1e6, 2),
            "bound": case["bound"],
            "multiprocessor_mhz": [each["multiprocessor_mhz"]
                                   for each in conditions],
            "throttled_by": sorted({why for each in conditions
                                    for why in each["throttled_by"]}),
            "outcomes": list(map(kept_outcome, case["outcomes"]))})
    return kept


def median(case, contender):
    for outcome in case["outcomes"]:
        if outcome["contender"] == contender:
            return outcome.get("median_us")
    return None


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def ratio(suite, numbers, peer):
    """A peer's time divided by tc's, as a geometric mean."""
    pairs = [(median(case, peer), median(case, "tc"))
             for case in suite["cases"] if numbers is None
             or int(case["name"][:2]) in numbers]
    values = [theirs / ours for theirs, ours in pairs if theirs and ours]
    return format(mean(values), ".2f") if values else "-"


def tables(suites):
    yield "| suite | cases | " + " | ".join(PEERS) + " |"
    yield "| --- | ---: |" + " ---: |" * len(PEERS)
    groups = (("1 to 8", range(1, 9)), ("9 to 19", range(9, 20)),
              ("20 to 30", range(20, 31)), ("31 to 48", range(31, 49)))
    for suite in suites:
        yield (f"| {suite['suite']} | {len(suite['cases'])} | "
               + " | ".join(ratio(suite, None, peer) for peer in PEERS) + " |")
        if not suite["suite"].startswith("tccg"):
            continue
        for name, numbers in groups:
            yield (f"| {suite['suite']}, {name} | {len(numbers)} | "
                   + " | ".join(ratio(suite, numbers, peer) for peer in PEERS)
                   + " |")
    for suite in suites:
        yield ""
        yield f"### {suite['suite']}"
        yield ""
        yield ("Microseconds, medians of "
               f"{suite['options']['repeats']} runs.")
        yield ""
        yield "| | floor | tc | " + " | ".join(PEERS) + " |"
        yield "| --- | ---: | ---: |" + " ---: |" * len(PEERS)
        for case in suite["cases"]:
            times = [median(case, contender) for contender in ("tc", *PEERS)]
            yield (f"| `{case['name']}` | {case['floor_us']:.1f} | "
                   + " | ".join("-" if time is None else f"{time:.1f}"
                                for time in times) + " |")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    keep = commands.add_parser("keep", help="keep what tc-bench wrote")
    keep.add_argument("results", nargs="+", metavar="RESULTS.json")
    keep.add_argument("-o", "--output", required=True, metavar="FILE")
    page = commands.add_parser("page", help="renew the tables of the page")
    page.add_argument("kept", metavar="FILE")
    page.add_argument("page", metavar="PAGE.md")
    arguments = parser.parse_args()
    if arguments.command == "keep":
        suites = [kept_suite(load(path)) for path in arguments.results]
        with whole_file.writing(arguments.output) as file:
            json.dump(suites, file, indent=1)
            file.write("\n")
        return
    with open(arguments.page, encoding="utf-8") as file:
        text = file.read()
    head, _, rest = text.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise SystemExit(f"error: {arguments.page}: no tables to renew")
    with whole_file.writing(arguments.page) as file:
        file.write(head + BEGIN + "\n".join(tables(load(arguments.kept)))
                   + "\n" + END + tail)


if __name__ == "__main__":
    main()
