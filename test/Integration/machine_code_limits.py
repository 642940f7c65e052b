#!/usr/bin/env python3
"""Holds the machine code of the 48 contractions of the TCCG suite, at their
full extents, to limits: few moves, few instructions beside those that
multiply, no spills.

Where K has few tiles, all is unrolled and there is no loop. There, a kernel
may move each accumulator once, as it does if those that a lane has in
neighbouring registers are no neighbours in C.
"""

import json
import math
import os
import re
import sys

import harness
import suites

CHIPS = ("sm_80", "sm_90")

# Element types, and how products of f32 are computed.
KINDS = ("f64", "f32", "f32-tf32")

# The moves of a main loop, as a part of its instructions.
MOST_MOVES = 0.02
# Where the estimate of registers is too low, as all tiles are cut off: moves,
# and bytes that are stored and loaded by spills.
SHORT_OF_REGISTERS = {("f32-tf32", "sm_80", 12): (0.03, 160)}

# Other instructions of the main loop but NOPs for each that multiplies; and
# where M or N is 24, so that a block has few products for what it copies.
MOST_OTHERS = {
    "DMMA.16x8x8": (3.0, 4.0),
    "DMMA.16x8x4": (1.5, 2.0),
    "DMMA.884": (1.5, 2.0),
    "FFMA": (0.12, 0.28),
    # Every factor is rounded where it is used, by two instructions.
    "HMMA.1688.F32.TF32": (5.5, 9.5),
}

# Main loops with more others, how many they may have, and why. All have tiles
# that the cost model prefers to larger ones, as these leave multiprocessors
# idle in the last wave or cover less of the extents.
ELEMENTS = ("an operand's neighbours in memory are none in its panel, so that "
            "it is copied element by element")
CARRIES = ("two indices of K step, so that each step works out carries, and "
           "where a tile is cut off")
PLACES = ("a thread's copies lie farther apart than an instruction's offset "
          "reaches, so that each takes two additions for its address")
FEW_PRODUCTS = ("a step has so few products for its addresses, loads and "
                "barriers")
EXCEPTIONS = {
    ("f64", "sm_90", 3): (2.3, ELEMENTS),
    ("f64", "sm_90", 7): (2.2, ELEMENTS),
    ("f64", "sm_90", 14): (3.2, ELEMENTS),
    ("f64", "sm_90", 16): (3.5, FEW_PRODUCTS),
    ("f64", "sm_90", 17): (3.7, FEW_PRODUCTS),
    ("f64", "sm_90", 19): (2.4, CARRIES),
    ("f64", "sm_90", 20): (3.2, PLACES),
    ("f64", "sm_90", 21): (3.5, PLACES),
    ("f64", "sm_90", 22): (3.2, PLACES),
    ("f64", "sm_90", 23): (3.5, PLACES),
    ("f64", "sm_90", 24): (3.2, PLACES),
    ("f64", "sm_90", 25): (3.5, PLACES),
    ("f64", "sm_90", 26): (3.3, PLACES),
    ("f64", "sm_90", 27): (3.5, PLACES),
    ("f64", "sm_90", 28): (3.4, ELEMENTS),
    ("f64", "sm_90", 30): (3.4, ELEMENTS),
    ("f32", "sm_80", 10): (0.14, ELEMENTS),
    ("f32", "sm_80", 11): (0.16, ELEMENTS),
    ("f32", "sm_80", 15): (0.36, FEW_PRODUCTS),
    ("f32", "sm_80", 16): (0.17, FEW_PRODUCTS),
    ("f32", "sm_80", 18): (0.36, FEW_PRODUCTS),
    ("f32", "sm_80", 19): (0.21, CARRIES),
    ("f32", "sm_80", 28): (0.14, FEW_PRODUCTS),
    ("f32", "sm_80", 30): (0.14, FEW_PRODUCTS),
}


def most_others(kind, problem, multiply):
    """Of a main loop that is no exception."""
    extents = problem.extents(kind.split("-")[0])
    c, a, b = problem.lists()
    small = any(math.prod(extents[label] for label in set(side) & set(c)) == 24
                for side in (a, b))
    return MOST_OTHERS[multiply][small]


def check_loop(loop, kind, chip, problem):
    counts, multiply = loop["by_category"], loop["multiply"]
    most, _ = SHORT_OF_REGISTERS.get((kind, chip, problem.number),
                                     (MOST_MOVES, 0))
    if counts["move"] > most * loop["instructions"]:
        raise harness.Failure(f"{counts['move']} of the main loop's "
                              f"{loop['instructions']} instructions are moves")
    others = loop["others_per_multiply"]
    most = most_others(kind, problem, multiply)
    why = "the limit"
    if (kind, chip, problem.number) in EXCEPTIONS:
        if others <= most:
            raise harness.Failure(f"{others:.3f} others per multiply are no "
                                  "exception any more")
        most, why = EXCEPTIONS[kind, chip, problem.number]
    if others > most:
        raise harness.Failure(f"{others:.3f} others per {multiply}, more than "
                              f"{most}: {why}")


def check_all(code, schedule):
    """A kernel without a loop."""
    register = re.search(r"register = \[(\d+), (\d+)\]", schedule)
    words = 2 * int(register[1]) * int(register[2])
    if code["by_category"]["move"] > words:
        raise harness.Failure(f"{code['by_category']['move']} moves, more "
                              f"than the {words} words of accumulators")


def case(problem, kind, chip, nvdisasm):
    def run(context):
        os.environ["TC_NVDISASM"] = nvdisasm
        element_type, *precision = kind.split("-")
        extents = ",".join(f"{label}={extent}" for label, extent
                           in problem.extents(element_type).items())
        report = json.loads(context.call(
            [context.tool("tc-run"), problem.spec, f"--extents={extents}",
             f"--type={element_type}", f"--chip={chip}",
             *[f"--precision={name}" for name in precision],
             "--machine-code=json"]))
        for kernel in report["kernels"]:
            spilled = kernel["spill_store_bytes"] + kernel["spill_load_bytes"]
            _, most = SHORT_OF_REGISTERS.get((kind, chip, problem.number),
                                             (MOST_MOVES, 0))
            if spilled > most or (most > 0 and spilled == 0):
                raise harness.Failure(f"{spilled} B go by spills")
            code = kernel["machine_code"]
            if code["main_loop"] is None:
                check_all(code, kernel["schedule"])
            else:
                check_loop(code["loops"][code["main_loop"]], kind, chip,
                           problem)
        return None

    return harness.Case(f"{kind}-{chip}-{problem.name}", run)


def main():
    arguments = harness.parser(__doc__).parse_args()
    nvdisasm = harness.find_nvdisasm()
    if not nvdisasm or not harness.find_ptxas():
        print("error: needs ptxas and nvdisasm")
        return 1
    return harness.main([case(problem, kind, chip, nvdisasm)
                         for kind in KINDS for chip in CHIPS
                         for problem in suites.tccg()], arguments)


if __name__ == "__main__":
    sys.exit(main())
