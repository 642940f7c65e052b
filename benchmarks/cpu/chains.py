#!/usr/bin/env python3
"""Measures chains of contractions on one core, one contraction after the other and in
tiles that stay in the second cache (docs/cpu-lowering.md).

  chains.py --page=TABLE.md

Runs of both take turns. Times are those of the processor, in milliseconds, the median
of all runs: on a machine that others use, too, they are less disturbed than the clock
on the wall.
"""

import argparse
import resource
import statistics
import sys

import numpy as np
import tc

INTERPOLATION = """
T1[e,l,m,i] = U[e,l,m,n] * C[i,n]
T2[e,l,i,j] = T1[e,l,m,i] * B[j,m]
V[e,i,j,k] = T2[e,l,i,j] * A[k,l]
"""
CHAINS = (
    ("interpolation of elements", "e = 2000, i = j = k = 12, l = m = n = 10", INTERPOLATION),
    ("the same, a prime number", "e = 2003, i = j = k = 12, l = m = n = 10", INTERPOLATION),
    ("the same, of fewer points", "e = 20000, i = j = k = 6, l = m = n = 5", INTERPOLATION),
    ("three directions added up", "e = 2000, i = j = k = l = 12", """
w[e,k,j,i] = D[l,i] * r[e,k,j,l]
w[e,k,j,i] += D[l,j] * s[e,k,l,i]
w[e,k,j,i] += D[l,k] * t[e,l,j,i]
"""),
    ("(A B) D", "m = 200000, k = l = n = 16", """
T[m,l] = A[m,k] * B[k,l]
R[m,n] = T[m,l] * D[l,n]
"""),
    ("(A B) D", "m = 20000, k = l = n = 64", """
T[m,l] = A[m,k] * B[k,l]
R[m,n] = T[m,l] * D[l,n]
"""),
    ("(A B) D", "m = 20000, k = l = n = 100", """
T[m,l] = A[m,k] * B[k,l]
R[m,n] = T[m,l] * D[l,n]
"""),
    ("(A B) D", "m = 20000, k = l = n = 200", """
T[m,l] = A[m,k] * B[k,l]
R[m,n] = T[m,l] * D[l,n]
"""),
    ("(A B) D", "m = 8000, k = l = n = 400", """
T[m,l] = A[m,k] * B[k,l]
R[m,n] = T[m,l] * D[l,n]
"""),
)
WAYS = ("never", "always", "auto")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def spelled(extents):
    """Extents of several indices at once, one by one."""
    texts, names = [], []
    for part in extents.replace(",", " =").split("="):
        part = part.strip()
        if part.isdigit():
            texts += [f"{name} = {part}" for name in names]
            names = []
        else:
            names.append(part)
    return ", ".join(texts)


def measure(text, runs):
    """The median of each way, in milliseconds, and whether `auto` takes tiles."""
    programs = {way: tc.compile_program(text, threads=1, tile_chains=way) for way in WAYS}
    rng = np.random.default_rng(1)
    parameters = programs["never"].parameters.items()
    arrays = {name: rng.random(each.layout.shape) for name, each in parameters}
    times = {way: [] for way in WAYS}
    for _ in range(runs):
        for way, program in programs.items():
            began = processor_seconds()
            program(arrays)
            times[way].append(processor_seconds() - began)
    sizes = {way: len(program.object) for way, program in programs.items()}
    return ({way: statistics.median(each) * 1e3 for way, each in times.items()},
            sizes["auto"] != sizes["never"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--page", metavar="FILE.md", help="write the table here, too")
    arguments = parser.parse_args()
    lines = ["| | extents | one by one | in tiles | | chosen |",
             "| --- | --- | ---: | ---: | ---: | --- |"]
    for name, extents, statements in CHAINS:
        times, is_tiled = measure(spelled(extents) + statements, arguments.runs)
        lines.append(
            f"| {name} | {extents} | {times['never']:.3g} | {times['always']:.3g} | "
            f"{times['never'] / times['always']:.3g} | {'tiles' if is_tiled else 'one by one'} |")
        print(lines[-1], flush=True)
    if arguments.page:
        with open(arguments.page, "w", encoding="utf-8") as page:
            page.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
