#!/usr/bin/env python3
"""Adds torch.einsum to results of tc-bench: measures each case that the results
have, in the same way (L2 cache flushed before each run, CUDA events, the median),
though in a process of its own, and checks sampled elements against sums in
double precision."""

import argparse
import json
import math
import random
import statistics
import string
import sys
import time

from bench_results import BadResults, load_results, outcome_of
import whole_file

# Elements of C that are compared with sums.
SAMPLES = 64
# Machine epsilons of the element types.
EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}


class Failed(Exception):
    """The reason why a case has no times."""


class Contraction:
    """A case on torch's row-major tensors: with the first index at stride one,
    all lists are reversed."""

    def __init__(self, case, layout):
        step = -1 if layout == "col" else 1
        self.lists = {name: case[name][::step] for name in "ABC"}
        self.extents = case["extents"]
        self.alpha, self.beta = case.get("alpha", 1), case.get("beta", 0)
        labels = dict.fromkeys(self.lists["A"] + self.lists["B"])
        self.letters = dict(zip(labels, string.ascii_letters))
        self.terms = math.prod(extent for label, extent in self.extents.items()
                               if label not in self.lists["C"])

    def shape(self, name):
        return [self.extents[label] for label in self.lists[name]]

    def expression(self, fixed=()):
        """For torch.einsum, without the indices that are fixed."""
        a, b, c = ("".join(self.letters[label] for label in self.lists[name]
                           if label not in fixed) for name in "ABC")
        return f"{a},{b}->{c}"

    def at(self, name, values):
        """The subscript that selects the part of a tensor that fixed indices
        leave."""
        return tuple(values.get(label, slice(None))
                     for label in self.lists[name])


def make_operands(torch, contraction, element_type, seed):
    torch.manual_seed(seed)
    kind = {"f64": torch.float64, "f32": torch.float32,
            "f16": torch.float16, "bf16": torch.bfloat16}.get(element_type)
    if kind is None:
        raise Failed(f"torch has no type {element_type}")
    wide = torch.float64 if element_type == "f64" else torch.float32
    return [(torch.rand(contraction.shape(name), dtype=wide, device="cuda")
             * 2 - 1).to(kind) for name in "ABC"]


def run_once(torch, contraction, a, b, c):
    product = torch.einsum(contraction.expression(), a, b)
    if contraction.alpha == 1 and contraction.beta == 0:
        return product
    return c.mul_(contraction.beta).add_(product, alpha=contraction.alpha)


def check(torch, contraction, operands, element_type, seed):
    """As docs/package.md says: errors by norm, bounded by rounding."""
    a, b, c = operands
    old = c * 1
    result = run_once(torch, contraction, a, b, c)
    choose = random.Random(seed)
    error = size = magnitude = 0.0
    for _ in range(SAMPLES):
        values = {label: choose.randrange(contraction.extents[label])
                  for label in contraction.lists["C"]}
        part_a = a[contraction.at("A", values)].double()
        part_b = b[contraction.at("B", values)].double()
        expression = contraction.expression(fixed=contraction.lists["C"])
        before = (contraction.beta * float(old[contraction.at("C", values)])
                  if contraction.beta else 0.0)
        expected = before + contraction.alpha * float(
            torch.einsum(expression, part_a, part_b))
        squares = contraction.alpha**2 * float(
            torch.einsum(expression, part_a * part_a, part_b * part_b))
        error += (float(result[contraction.at("C", values)]) - expected)**2
        size += expected**2
        magnitude += squares + before**2
    relative = math.sqrt(error / size) if error else 0.0
    tolerance = (4 * EPSILON[element_type] * math.sqrt(contraction.terms)
                 * max(1.0, math.sqrt(magnitude / size)))
    passed = relative <= tolerance
    summary = (f"{'passed' if passed else 'FAILED'}: {SAMPLES} elements, "
               f"relative error {relative:.3g} (tolerance {tolerance:.3g})")
    return {"passed": passed, "relative_error": relative,
            "tolerance": tolerance, "summary": summary}


class Stopwatch:
    """Times runs, the L2 cache flushed before each."""

    def __init__(self, torch, options):
        self.torch = torch
        self.reads = options["flush"] == "read"
        self.buffer = torch.zeros(options["flush_bytes"] // 4,
                                  dtype=torch.float32, device="cuda")
        self.start = torch.cuda.Event(enable_timing=True)
        self.stop = torch.cuda.Event(enable_timing=True)

    def seconds(self, run):
        if self.reads:
            self.buffer.max()
        else:
            self.buffer.zero_()
        self.start.record()
        run()
        self.stop.record()
        self.torch.cuda.synchronize()
        return self.start.elapsed_time(self.stop) * 1e-3


def figures(samples, case):
    """Statistics of the times, as tc-bench writes them."""
    median = statistics.median(samples)
    quartiles = (statistics.quantiles(samples, n=4, method="inclusive")
                 if len(samples) > 1 else [samples[0]] * 3)
    found = {"median_seconds": median,
             "quartiles_seconds": [quartiles[0], quartiles[2]],
             "flops_per_second": case["flops"] / median,
             "bytes_per_second": case["bytes"] / median}
    if "floor_seconds" in case:
        found["fraction_of_floor"] = case["floor_seconds"] / median
    found["samples_seconds"] = samples
    return found


def measure(torch, stopwatch, source, layout, case, options):
    """The outcome of torch in a case of the results."""
    contraction = Contraction(source, layout)
    outcome = {"contender": "torch"}
    try:
        torch.backends.cuda.matmul.allow_tf32 = (
            source.get("precision", "ieee") == "tf32")
        operands = make_operands(torch, contraction, source["type"],
                                 options["seed"])
        outcome["check"] = check(torch, contraction, operands, source["type"],
                                 options["seed"])
        if not outcome["check"]["passed"]:
            raise Failed("wrong result: " + outcome["check"]["summary"])
        samples = [stopwatch.seconds(lambda: run_once(torch, contraction,
                                                      *operands))
                   for _ in range(options["warm_ups"] + options["repeats"])]
        outcome.update(figures(samples[options["warm_ups"]:], case))
    # torch reports what it lacks (memory, types) as runtime errors.
    except (Failed, RuntimeError) as error:
        outcome["error"] = str(error).splitlines()[0]
    outcome["details"] = {"expression": contraction.expression()}
    return outcome


def save(results, path):
    with whole_file.writing(path) as file:
        json.dump(results, file, indent=2)
        file.write("\n")


def add_torch(torch, suite, results, arguments):
    """Appends to the cases in place and writes the results after each."""
    sources = {case["name"]: case for case in suite["cases"]}
    stopwatch = Stopwatch(torch, results["options"])
    began = time.monotonic()
    added = 0
    for case in results["cases"]:
        if not case["outcomes"] or outcome_of(case, "torch"):
            continue
        if (arguments.time_limit
                and time.monotonic() - began > arguments.time_limit):
            break
        outcome = measure(torch, stopwatch, sources[case["name"]],
                          suite["layout"], case, results["options"])
        case["outcomes"].append(outcome)
        added += 1
        reported = outcome.get("error") or f"{outcome['median_seconds'] * 1e6:.2f} us"
        print(f"{case['name']:32} torch {reported}", flush=True)
        save(results, arguments.output or arguments.results)
    return added


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", metavar="SUITE.json")
    parser.add_argument("results", metavar="RESULTS.json")
    parser.add_argument("-o", "--output", metavar="FILE",
                        help="where the results go, if not back to where they "
                        "are from")
    parser.add_argument("--time-limit", type=float, metavar="S",
                        help="begin no further case after S seconds")
    arguments = parser.parse_args()
    try:
        import torch  # pylint: disable=import-outside-toplevel
        if not torch.cuda.is_available():
            raise BadResults("torch sees no CUDA device")
        with open(arguments.suite, encoding="utf-8") as file:
            suite = json.load(file)
        results = load_results(arguments.results)
        names = {case["name"] for case in suite.get("cases", [])}
        missing = [case["name"] for case in results["cases"]
                   if case["name"] not in names]
        if results["machine"] != "cuda" or missing:
            raise BadResults(f"{arguments.results}: not results of "
                             f"{arguments.suite} on a device")
        results["versions"]["torch"] = torch.__version__
        print(f"{add_torch(torch, suite, results, arguments)} cases measured")
    except (BadResults, ImportError, OSError) as error:
        print(f"bench_torch.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
