#!/usr/bin/env python3
"""Counts the cost of taking the shape at run time: a kernel's instructions of a
warp for some length of K, and outside of the loop over K, beside those of the
kernel for that shape alone with the same schedule.

In the loop, products, loads and stores, copies and barriers must be as many.
Additional instructions are for addresses: no more than three for two copies from
global memory. Outside of the loop, where each copy of the first tiles and each store
has an address and bounds of its own, there must be no more than a few hundred
instructions more, or where small blocks copy much for each thread, twenty for each
of these accesses. Both are simulated for the first block and two lengths of K, the
one from a package that is compiled once.
"""

import json
import os
import re
import sys

import harness

# Instructions of which both must have as many.
SAME = ("fma.f32", "fma.f64", "mma.f64", "mma.f16", "ld.global", "ld.shared",
        "st.shared", "ldmatrix", "cp.async", "barrier")
LONG, LONGER = 2048, 4096
MOST_OUTSIDE, MOST_OF_ACCESS = 350, 20

SQUARE = {"i": 512, "j": 512}
FOUR = {"a": 32, "i": 32, "j": 32, "b": 32}
# Contractions, and the schedule to obey where it is not the one that is chosen.
CASES = (
    ("ik,kj->ij", SQUARE, "f64", "sm_90",
     "m = [i: 32], n = [j: 64], k = [k: 16], register = [2, 8], "
     "instruction = mma_m16n8k4"),
    ("ik,kj->ij", SQUARE, "f32", "sm_90", None),
    ("ik,kj->ij", SQUARE, "f16", "sm_90", None),
    ("ik,kj->ij", SQUARE, "f64", "sm_75", None),
    ("ki,kj->ij", SQUARE, "f32", "sm_80", None),
    ("aik,kjb->abij", FOUR, "f64", "sm_80",
     "m = [a: 32, i: 1], n = [b: 16, j: 4], k = [k: 16], register = [4, 4], "
     "instruction = mma_m8n8k4"),
)
# Contractions for which small blocks are chosen, each of whose threads copies
# much.
MANY_ACCESSES = (
    ("ik,kj->ij", SQUARE, "f64", "sm_90", None),
    ("aik,kjb->abij", FOUR, "f64", "sm_80", None),
)


def count(context, source, extents, k, options):
    """Instructions of a warp of the first kernel by kind, and its schedule."""
    text = ",".join(f"{x}={n}" for x, n in {**extents, "k": k}.items())
    report = json.loads(context.simulate(
        source, f"--extents={text}", "--blocks=0", "--json", *options))
    kernel = report["kernels"][0]
    warps = kernel["block"][0] // 32
    kinds = kernel["counters"]["warp_instructions_by_kind"]
    return {kind: n / warps for kind, n in kinds.items()}, kernel["schedule"]


def accesses_outside(schedule, loop, short):
    """Copies of the tiles ahead of the loop, and stores of C, by a warp."""
    depth = 1
    for tile in re.findall(r": (\d+)", re.search(r", k = \[([^\]]*)\]",
                                                schedule)[1]):
        depth *= int(tile)
    stages = re.search(r"stages = (\d+)", schedule)
    ahead = int(stages[1]) - 1 if stages else 1
    copies = loop["cp.async"] + loop["ld.global"]
    return ahead * copies * depth / LONG + short["st.global"]


def case(spec, extents, element_type, chip, schedule, most_of_access=0):
    """With that schedule, or if it is None, with the one that is chosen."""
    labels = "".join(x for x in spec if x.isalpha())
    which = "given" if schedule else "chosen"
    name = f"{labels}-{element_type}-{chip}-{which}"

    def run(context):
        options = [f"--type={element_type}", f"--chip={chip}"]
        package = os.path.join(context.folder, f"{name}.json")
        obey = ([f"--schedule=#tc.schedule<target = \"{chip}\", {schedule}>"]
                if schedule else [])
        _, obeyed = count(context, spec, extents, LONG,
                          [*options, *obey, "--dynamic-shapes",
                           f"--save-package={package}"])
        figures = {"name": f"{spec} {element_type} {chip} {which}"}
        loops = {}
        for shape, source, more in (
                ("known", spec, [*options, f"--schedule={obeyed}"]),
                ("any", package, [])):
            short, long = (count(context, source, extents, k, more)[0]
                           for k in (LONG, LONGER))
            loop = {kind: long[kind] - short[kind] for kind in short}
            loops[shape] = loop
            figures[shape] = sum(loop.values())
            # Both lengths are as many steps apart as the first one is long.
            figures[shape + "-outside"] = sum(short.values()) - figures[shape]
            accesses = accesses_outside(obeyed, loop, short)
        known, other = loops["known"], loops["any"]
        for kind in SAME:
            if known[kind] != other[kind]:
                raise harness.Failure(
                    f"{other[kind]} {kind} in the loop, not {known[kind]}")
        copies = known["cp.async"] + known["ld.global"]
        if figures["any"] - figures["known"] > 1.5 * copies:
            raise harness.Failure(
                f"{figures['any']} instructions in the loop, and "
                f"{figures['known']} of a known shape with {copies} copies")
        outside = figures["any-outside"] - figures["known-outside"]
        if outside > max(MOST_OUTSIDE, most_of_access * accesses):
            raise harness.Failure(f"{outside} more outside of the loop, of "
                                  f"{accesses} accesses there")
        return figures

    return harness.Case(name, run)


def show(outcomes):
    print(f"{'':39} known shape      any shape")
    for figures in (outcome.figures for outcome in outcomes):
        print(f"{figures['name']:35}" + "".join(
            f"{figures[x]:>10.0f} + {figures[x + '-outside']:.0f}"
            for x in ("known", "any")))


def main():
    arguments = harness.parser(__doc__).parse_args()
    cases = ([case(*x) for x in CASES] +
             [case(*x, MOST_OF_ACCESS) for x in MANY_ACCESSES])
    return harness.main(cases, arguments, show)


if __name__ == "__main__":
    sys.exit(main())
