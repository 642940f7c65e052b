#!/usr/bin/env python3
"""Measures contractions that use each element a few times, or are small, on one
core: packed (strategy gett), unpacked (direct) and as the model chooses, beside
NumPy's matmul, dot or einsum, whichever is the fastest.

  small_products.py --tools=build/bin --core=1 --page=docs/cpu-small-products.md

NumPy's times are those of a call from Python, which takes a microsecond or two;
ours are those of a call of the compiled code. Each is the best of several runs, the
caches as they are.
"""

import argparse
import datetime
import json
import math
import os
import platform
import re
import subprocess
import sys
import time

# One core: threads of BLAS are counted when NumPy is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np  # pylint: disable=wrong-import-position

PRODUCTS = (
    ("matrix times vector", "ij,j->i", (1000, 1000)),
    ("matrix times vector", "ij,j->i", (4000, 4000)),
    ("transposed matrix times vector", "ji,j->i", (1000, 1000)),
    ("transposed matrix times vector", "ji,j->i", (4000, 4000)),
    ("dot product", "i,i->", (10000,)),
    ("dot product", "i,i->", (1000000,)),
    ("dot products of a batch", "bi,bi->b", (5000, 64)),
    ("dot products of a batch", "ib,ib->b", (64, 5000)),
    ("outer product", "i,j->ij", (1000, 1000)),
    ("small matrices", "bij,bjk->bik", (1000, 4, 4, 4)),
    ("small matrices", "bij,bjk->bik", (1000, 8, 8, 8)),
    ("small matrices", "bij,bjk->bik", (1000, 16, 16, 16)),
    ("small matrices", "bij,bjk->bik", (200, 32, 32, 32)),
    ("matrices", "ij,jk->ik", (16, 16, 16)),
    ("matrices", "ij,jk->ik", (64, 64, 64)),
    ("matrices", "ij,jk->ik", (128, 128, 128)),
    ("matrices", "ij,jk->ik", (512, 512, 512)),
    ("a tall matrix", "ij,jk->ik", (4000, 16, 4)),
    ("a long sum", "ij,jk->ik", (4, 4000, 4)),
    ("a gate on one index of a state", "ab,cbd->cad", (4, 4, 512, 512)),
)
CHOSEN = "auto"
STRATEGIES = ("gett", "direct", CHOSEN)


def shapes_of(spec, extents):
    """The shapes of both inputs; extents are in the order of first appearance."""
    inputs = spec.split("->")[0].split(",")
    labels = dict.fromkeys("".join(inputs))
    sizes = dict(zip(labels, extents))
    return [tuple(sizes[label] for label in labels) for labels in inputs]


def measured(arguments, spec, shapes, strategy):
    """Seconds of the compiled code, and the strategy that it has."""
    command = [os.path.join(arguments.tools, "tc-run"), spec,
               "--shapes=" + ",".join("x".join(map(str, s)) for s in shapes),
               f"--type={arguments.type}", "--target=cpu", "--threads=1",
               "--cache=off", "--seed=1", f"--strategy={strategy}",
               f"--bench={arguments.runs}", "--json"]
    if arguments.core is not None:
        command = ["taskset", "-c", str(arguments.core), *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    kernel = json.loads(done.stdout)["kernels"][0]
    return kernel["time"]["best_seconds"], kernel["strategy"]


def best_of(call, runs):
    best = math.inf
    for _ in range(runs):
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best


def of_numpy(arguments, spec, shapes):
    """Seconds of the fastest way that NumPy has."""
    rng = np.random.default_rng(1)
    dtype = {"f32": np.float32, "f64": np.float64}[arguments.type]
    a, b = (rng.random(shape).astype(dtype) for shape in shapes)
    calls = [lambda: np.einsum(spec, a, b)]
    if spec in ("ij,jk->ik", "bij,bjk->bik", "ij,j->i", "i,i->"):
        calls.append(lambda: a @ b)
    if spec == "ji,j->i":
        calls.append(lambda: a.T @ b)
    if spec == "i,j->ij":
        calls.append(lambda: np.outer(a, b))
    if spec == "ab,cbd->cad":
        calls.append(lambda: np.matmul(a, b))
    return min(best_of(call, arguments.runs) for call in calls)


def microseconds(seconds):
    return f"{seconds * 1e6:.4g}"


def page(arguments, rows):
    ratios = [numpy / times[CHOSEN] for *_, numpy, times, _ in rows]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    lines = [
        "# Small products and those of vectors, measured", "",
        f"Measured on {datetime.date.today()}, on one core, {arguments.type}: "
        f"{platform.platform()}; NumPy {np.__version__}. Times are in "
        f"microseconds, the best of {arguments.runs} runs, the caches as they "
        "are. *gett* packs its inputs, *direct* [does not]"
        "(cpu-strategies.md#direct-loops), and *chosen* is what the model "
        "takes. NumPy's times are the best of `matmul`, `outer` and `einsum`, "
        "and calls from Python, which take a microsecond or two; ours are those "
        "of the compiled code.", "",
        "```sh",
        "python3 benchmarks/cpu/small_products.py --core=1 "
        "--page=docs/cpu-small-products.md",
        "```", "",
        f"In the geometric mean, NumPy takes {mean:.2f} times as long as what "
        "is chosen.", "",
        "| | | shapes | gett | direct | chosen | | NumPy |",
        "| --- | --- | --- | ---: | ---: | ---: | --- | ---: |"]
    for name, spec, shapes, numpy, times, strategy in rows:
        cells = [name, f"`{spec}`", ", ".join("x".join(map(str, s))
                                              for s in shapes),
                 *(microseconds(times[s]) for s in STRATEGIES), strategy,
                 microseconds(numpy)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="build/bin",
                        help="folder of the built programs")
    parser.add_argument("--type", choices=("f64", "f32"), default="f64")
    parser.add_argument("--core", type=int, help="the core to run on")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--filter", default="",
                        help="only products whose name this finds")
    parser.add_argument("--page", metavar="FILE",
                        help="write the page of the documentation")
    arguments = parser.parse_args()
    if arguments.core is not None:
        os.sched_setaffinity(0, {arguments.core})
    rows = []
    for name, spec, extents in PRODUCTS:
        if not re.search(arguments.filter, name):
            continue
        shapes = shapes_of(spec, extents)
        times = {}
        for strategy in STRATEGIES:
            times[strategy], chosen = measured(arguments, spec, shapes, strategy)
        numpy = of_numpy(arguments, spec, shapes)
        rows.append((name, spec, shapes, numpy, times, chosen))
        print(f"{name:32} {spec:14} "
              + "  ".join(f"{s} {microseconds(times[s]):>9}"
                          for s in STRATEGIES)
              + f"  numpy {microseconds(numpy):>9} us", flush=True)
    if not rows:
        sys.exit(f"error: no product's name has '{arguments.filter}'")
    if arguments.page:
        with open(arguments.page, "w", encoding="utf-8") as file:
            file.write(page(arguments, rows))


if __name__ == "__main__":
    main()
