#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums whose elements are each read once or a few times, beside NumPy.

Each line is one contraction of `tc.einsum`, by kernels that were compiled ahead of
time, and the faster one of `numpy.einsum` without and with `optimize`: the least of
calls in turns, in microseconds, on one thread. NumPy's BLAS has one thread if
OPENBLAS_NUM_THREADS=1 is set before. With `--compiled`, calls of compiled code
(`specialize="always"`) take turns with these, too, and stand behind, with their time
over that of the kernels. With `--json`, the figures are written there.
"""

import argparse
import json
import platform
import time

import fairness
import numpy as np

import tc

# Subscripts, with the extents of their indices; "2" takes every second element.
CALLS = [
    ("i,i->", {"i": 1000}),
    ("i,i->", {"i": 100000}),
    ("i,i->", {"i": 1000000}),
    ("i->", {"i": 1000000}),
    ("i2->", {"i": 1000000}),
    ("ij,ij->i", {"i": 1000, "j": 1000}),
    ("ij,ij->i", {"i": 100000, "j": 10}),
    ("ji,ji->i", {"i": 100000, "j": 10}),
    ("aN,aN->N", {"a": 3, "N": 200000}),
    ("Na,Na->N", {"a": 3, "N": 200000}),
    ("ij,j->i", {"i": 1000, "j": 1000}),
    ("ij,i->j", {"i": 1000, "j": 1000}),
    ("ij,j->i", {"i": 30000, "j": 7}),
    ("ij,i->j", {"i": 30000, "j": 7}),
    ("ij,jk->ik", {"i": 1000, "j": 1000, "k": 2}),
    ("ki,kj->ij", {"i": 4, "j": 4, "k": 100000}),
    ("ij,ji->", {"i": 1000, "j": 1000}),
    ("ijk,ikj->", {"i": 100, "j": 100, "k": 100}),
    ("ijk,ijk->j", {"i": 100, "j": 100, "k": 100}),
    ("ijk->j", {"i": 100, "j": 100, "k": 100}),
    ("ij,kl->", {"i": 150, "j": 150, "k": 150, "l": 150}),
    ("Nik,Nkj->Nij", {"N": 4000, "i": 4, "j": 4, "k": 4}),
    ("ikN,kjN->ijN", {"N": 4000, "i": 4, "j": 4, "k": 4}),
    ("Nik,Nkj->Nij", {"N": 400, "i": 16, "j": 16, "k": 16}),
    ("abcdefghijklmnop,ponmlkjihgfedcba->", dict.fromkeys("abcdefghijklmnop", 2)),
    ("abcdefghijklmnop,acegikmo->bdfhjlnp", dict.fromkeys("abcdefghijklmnop", 2)),
]
TYPES = ["float64", "float32", "complex128", "complex64", "int8", "float16"]


def draw(random, shape, dtype):
    """Numbers of a type, standard normal or small integers."""
    dtype = np.dtype(dtype)
    if dtype.kind == "i":
        return random.integers(-5, 6, shape).astype(dtype)
    numbers = random.standard_normal(shape)
    if dtype.kind == "c":
        numbers = numbers + 1j * random.standard_normal(shape)
    return numbers.astype(dtype)


def least_times(calls, seconds):
    """The least time of each call, in microseconds, of turns that take so long."""
    least = [float("inf")] * len(calls)
    repeats = []
    for call in calls:
        call()
        begin = time.perf_counter()
        call()
        repeats.append(max(1, int(2e-4 / (time.perf_counter() - begin + 1e-9))))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i, call in enumerate(calls):
            # The one before may have left little of the operands in the caches.
            call()
            begin = time.perf_counter()
            for _ in range(repeats[i]):
                call()
            least[i] = min(least[i], 1e6 * (time.perf_counter() - begin) / repeats[i])
    return least


def measure(subscripts, extents, dtype, seconds, random, compiles):
    """The times of `tc`, of NumPy, of NumPy with `optimize`, and of compiled code."""
    inputs, output = subscripts.split("->")
    arrays = []
    for labels in inputs.split(","):
        skips = labels.endswith("2")
        shape = [extents[label] * (2 if skips else 1) for label in labels.strip("2")]
        arrays.append(draw(random, shape, dtype)[:: 2 if skips else 1])
    expression = inputs.replace("2", "") + "->" + output
    calls = [lambda: tc.einsum(expression, *arrays, specialize="never", threads=1)]
    calls += [
        lambda optimize=optimize: np.einsum(expression, *arrays, optimize=optimize)
        for optimize in (False, True)
    ]
    if compiles:
        calls.append(lambda: tc.einsum(expression, *arrays, specialize="always", threads=1))
    return expression, least_times(calls, seconds)


def main():
    """Prints a table, and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each line's turns")
    parser.add_argument("--types", default=",".join(TYPES), help="of NumPy, with commas between")
    parser.add_argument("--only", metavar="TEXT", help="lines whose subscripts are these")
    parser.add_argument("--compiled", action="store_true", help="measures compiled code, too")
    parser.add_argument("--json", metavar="FILE", help="writes the figures there")
    fairness.add_option(parser)
    arguments = parser.parse_args()
    fairness.require_own_choice(arguments.allow_environment)
    print(f"OpenBLAS runs the kernels of {fairness.openblas_core()}")
    random = np.random.default_rng(1)
    rows = []
    for subscripts, extents in CALLS:
        if arguments.only not in (None, subscripts):
            continue
        for dtype in arguments.types.split(","):
            expression, (ours, plain, optimized, *compiled) = measure(
                subscripts, extents, dtype, arguments.seconds, random, arguments.compiled
            )
            numpys = min(plain, optimized)
            rows.append(
                {
                    "subscripts": expression,
                    "strided": "2" in subscripts,
                    "extents": extents,
                    "dtype": dtype,
                    "tc_us": ours,
                    "numpy_us": numpys,
                    "compiled_us": compiled[0] if compiled else None,
                }
            )
            sizes = ", ".join(str(extent) for extent in dict.fromkeys(extents.values()))
            print(
                f"{subscripts:38} {sizes:>18} {dtype:11}"
                f"{ours:12.1f} {numpys:12.1f} {ours / numpys:8.2f}"
                + (f"{compiled[0]:12.1f} {compiled[0] / ours:8.2f}" if compiled else ""),
                flush=True,
            )
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(
                {"machine": platform.platform(), "numpy": np.__version__,
                 "core": fairness.openblas_core(), "rows": rows}, file, indent=1
            )
            file.write("\n")


if __name__ == "__main__":
    main()
