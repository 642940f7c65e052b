#!/usr/bin/env python3
"""Holds the machine code of the 48 contractions of the TCCG suite, at their
full extents, to limits: few moves, few instructions beside those that
multiply, no spills.

Where K has few tiles, all is unrolled: there is no loop, or only one over tiles
of C. There, a kernel may move each accumulator once, as it does if those that a
lane has in neighbouring registers are no neighbours in C. In f64, contractions
31 to 48, whose K is 24, have few instructions for all but products and
accesses in what runs for each tile of C.

Besides, most kernels in f64 have few instructions beside those that multiply,
whatever limit each has.

All cases in f64 run, and a part of the others and of the exceptions; with
--all, all do, and with --share=N, one of N of these. The limits are the same for
the oldest and the newest ptxas that scripts/setup.sh fetches, of which TC_PTXAS
names one:

  for version in 13.0.88 13.5.37; do
    TC_PTXAS=build/ptxas-$version/ptxas python3 test/Integration/machine_code_limits.py \\
      --tools build/bin --all
  done
"""

import concurrent.futures
import math
import os
import re
import sys
import threading

import harness
import suites

CHIPS = ("sm_80", "sm_90")

# Element types, and how products of f32 are computed. 8-bit floats become
# halves on arrival; before sm_89, by arithmetic on integers, so not there.
KINDS = ("f64", "f32", "f32-tf32", "c64", "f16", "bf16", "f8e4m3fn")
CONVERTED, CONVERTS_FROM = "f8e4m3fn", "sm_90"
# One case in so many runs, f64 apart, and one in so many of the exceptions.
SAMPLED, SAMPLED_OF_EXCEPTIONS = 19, 3

# The moves of a main loop, as a part of its instructions. In c64, one operand
# goes through registers in every step, where its numbers are turned, by
# negations and moves; and 8-bit floats, loaded under conditions into registers
# that are cleared.
MOST_MOVES = {"c64": 0.15, CONVERTED: 0.07}
MOST_MOVES_USUALLY = 0.02
CLEARED = ("halves are loaded under conditions into registers that are cleared "
           "before")
TURNED = "a step has few products for the numbers that it turns"
MORE_MOVES = {
    ("f16", "sm_80", 6): (0.06, CLEARED),
    ("f16", "sm_80", 8): (0.06, CLEARED),
    ("f16", "sm_80", 14): (0.1, CLEARED),
    ("f16", "sm_90", 14): (0.06, CLEARED),
    **{("f16", "sm_90", number): (0.06, CLEARED)
       for number in (4, 6, 8)},
    **{("c64", "sm_90", number): (0.16, TURNED)
       for number in (6, 8)},
    **{("c64", "sm_90", number): (1.3, TURNED)
       for number in (40, 46)},
}
# Bytes that are stored and loaded by spills where the estimate of registers is
# too low.
SPILLS = {
    ("f64", "sm_90", 28): 32,
    ("c64", "sm_90", 12): 112,
    ("f32-tf32", "sm_80", 15): 80,
    ("f32-tf32", "sm_80", 18): 80,
}

# Other instructions of the main loop but NOPs for each that multiplies; and
# where M or N is 24, so that a block has few products for what it copies.
MOST_OTHERS = {
    "DMMA.16x8x8": (3.0, 4.0),
    "DMMA.16x8x4": (1.5, 2.0),
    "DMMA.884": (1.5, 2.0),
    "FFMA": (0.12, 0.28),
    "HMMA.16816.F32": (1.0, 2.0),
    "HMMA.1688.F32": (1.0, 2.0),
    "HMMA.1688.F32.TF32": (2.0, 6.6),
}

# Before sm_90, each factor is rounded to TF32 where it is used by two
# instructions.
MOST_OTHERS_OF_CHIP = {
    ("sm_80", "HMMA.1688.F32.TF32"): (3.6, 8.5),
}

# The same in c64 and of 8-bit floats, which go through registers, whatever M
# and N are.
MOST_OTHERS_OF_KIND = {
    "c64": {
        "DMMA.16x8x8": 6.3,
        "DMMA.16x8x4": 2.7,
        "DMMA.884": 3.0,
    },
    CONVERTED: {
        "HMMA.16816.F32": 4.4,
        "HMMA.1688.F32": 3.4,
    },
}

# Of contractions whose K is one tile or a few: instructions for all but
# products, accesses and NOPs, for as many products as 48 DMMA.16x8x8 make.
SMALL_K = range(31, 49)
MOST_AROUND, PRODUCTS = 80, 48
PARTS_OF_PRODUCT = {"DMMA.16x8x8": 1, "DMMA.16x8x4": 2, "DMMA.884": 4}
# The part of the kernels in f64 that have so few others for as many products as
# a DMMA.16x8x8 makes, on each chip.
LEAN, LEAN_PART = 3.0, 0.55
ACCESSES = ("multiply", "shared_load", "shared_store", "global_load",
            "global_store", "async_copy", "nop")

# Cases with more, how many they may have, and why.
ELEMENTS = ("an operand's neighbours in memory are none in its panel, so that "
            "it is copied element by element")
CARRIES = ("two indices of K step, so that each step works out carries, and "
           "where a tile is cut off")
FEW_PRODUCTS = ("a step has so few products for its addresses, loads and "
                "barriers")
CUT_OFF = "all tiles are cut off, so that each copy has a size of its own"
ROUNDED = ("a thread has so few sums for the factors that it rounds where it "
           "uses them")
FEW_SUMS = ("a thread has so few sums that it loads a fragment for every "
            "product or two")
EXCEPTIONS = {
    ("f64", "sm_90", 9): (2.1, FEW_SUMS),
    ("f64", "sm_90", 13): (4.1, CARRIES),
    ("f64", "sm_90", 28): (1.6, ELEMENTS),
    ("f64", "sm_90", 30): (1.6, ELEMENTS),
    ("f32", "sm_80", 11): (0.16, FEW_PRODUCTS),
    ("f32", "sm_80", 15): (0.36, FEW_PRODUCTS),
    ("f32", "sm_80", 16): (0.13, FEW_PRODUCTS),
    ("f32", "sm_80", 18): (0.36, FEW_PRODUCTS),
    ("f32", "sm_80", 19): (0.18, CARRIES),
    ("f32", "sm_80", 28): (0.14, FEW_PRODUCTS),
    ("f32", "sm_80", 30): (0.14, FEW_PRODUCTS),
    **{("f32", "sm_80", number): (0.2, FEW_PRODUCTS)
       for number in SMALL_K if number not in (31, 34, 37, 42, 45, 48)},
    ("f32-tf32", "sm_80", 13): (4.3, CARRIES),
    ("f32-tf32", "sm_80", 14): (5.0, ROUNDED),
    ("f32-tf32", "sm_80", 19): (4.4, CARRIES),
    ("f32-tf32", "sm_80", 26): (4.7, ROUNDED),
    ("f32-tf32", "sm_80", 27): (4.7, ROUNDED),
    ("f32-tf32", "sm_80", 28): (4.8, ROUNDED),
    ("f32-tf32", "sm_80", 30): (4.8, ROUNDED),
    ("f32-tf32", "sm_90", 9): (2.6, ROUNDED),
    ("f32-tf32", "sm_90", 10): (2.05, ROUNDED),
    ("f32-tf32", "sm_90", 12): (2.1, CUT_OFF),
    ("f32-tf32", "sm_90", 13): (2.8, ROUNDED),
    ("f32-tf32", "sm_90", 14): (3.3, ROUNDED),
    **{("f32-tf32", "sm_90", number): (2.3, ROUNDED)
       for number in (16, 17)},
    ("f32-tf32", "sm_90", 19): (3.1, CARRIES),
    **{("f32-tf32", "sm_90", number): (2.1, ROUNDED)
       for number in (20, 24)},
    ("f32-tf32", "sm_90", 28): (3.1, ROUNDED),
    ("f32-tf32", "sm_90", 30): (3.1, ROUNDED),
    ("c64", "sm_80", 19): (3.5, CARRIES),
    **{("c64", "sm_90", number): (3.1, CARRIES)
       for number in (21, 23, 25, 26, 27)},
    ("f16", "sm_80", 1): (3.0, ELEMENTS),
    ("f16", "sm_80", 6): (2.2, ELEMENTS),
    ("f16", "sm_80", 8): (2.2, ELEMENTS),
    ("f16", "sm_80", 13): (1.4, CARRIES),
    ("f16", "sm_80", 28): (2.9, FEW_SUMS),
    ("f16", "sm_80", 30): (2.9, FEW_SUMS),
    ("f16", "sm_90", 1): (3.8, ELEMENTS),
    **{("f16", "sm_90", number): (2.2, ELEMENTS)
       for number in (6, 8)},
    ("f16", "sm_90", 14): (1.4, ELEMENTS),
    ("f16", "sm_90", 19): (1.45, CARRIES),
    ("f8e4m3fn", "sm_90", 1): (5.2, ELEMENTS),
    ("f8e4m3fn", "sm_90", 14): (5.7, ELEMENTS),
    ("f8e4m3fn", "sm_90", 28): (4.5, ELEMENTS),
    ("f8e4m3fn", "sm_90", 30): (4.5, ELEMENTS),
}


def key_of(kind, chip, problem):
    """In tables; both types of 16 bits make the same code."""
    return ("f16" if kind == "bf16" else kind, chip, problem.number)


def most_others(kind, chip, problem, multiply):
    """Of a main loop that is no exception."""
    multiply = multiply.removesuffix(".BF16")
    if kind in MOST_OTHERS_OF_KIND:
        return MOST_OTHERS_OF_KIND[kind][multiply]
    extents = problem.extents(kind.split("-")[0])
    c, a, b = problem.lists()
    small = any(math.prod(extents[label] for label in set(side) & set(c)) == 24
                for side in (a, b))
    limits = MOST_OTHERS_OF_CHIP.get((chip, multiply), MOST_OTHERS[multiply])
    return limits[small]


def hold(figure, usual, key, what, exceptions):
    """Holds a figure to a limit or, of an exception, to that of its own."""
    limit, why = exceptions.get(key, (usual, "the limit"))
    if key in exceptions and figure <= usual:
        raise harness.Failure(f"{figure:.3f} {what} are no exception any more")
    if figure > limit:
        raise harness.Failure(f"{figure:.3f} {what}, more than {limit}: {why}")


def around_products(counts, multiply):
    """A kernel whose K is so small that the code around its products
    matters."""
    around = sum(count for category, count in counts.items()
                 if category not in ACCESSES)
    return (around * PRODUCTS * PARTS_OF_PRODUCT[multiply]
            / counts["multiply"])


def check_moves_of_all(code, schedule, kind, key):
    """Of a kernel without a loop over K: at most one for each word of the
    accumulators."""
    register = re.search(r"register = \[(\d+), (\d+)\]", schedule)
    words = int(register[1]) * int(register[2])
    words *= 2 if kind in ("f64", "c64") else 1
    # Complex numbers that are turned are moved on the way as well.
    if kind == "c64":
        words += 2 * code["by_category"]["shared_store"]
    hold(code["by_category"]["move"] / words, 1, key,
         "moves per word of accumulators", MORE_MOVES)


def part_of(code):
    """The main loop, or all if there is none."""
    return (code if code["main_loop"] is None
            else code["loops"][code["main_loop"]])


def others_of(kernel):
    """Others for as many products as the widest instruction makes."""
    part = part_of(kernel["machine_code"])
    return (part["others_per_multiply"] *
            PARTS_OF_PRODUCT.get(part["multiply"], 1))


def check(kernel, kind, chip, problem):
    key = key_of(kind, chip, problem)
    spilled = kernel["spill_store_bytes"] + kernel["spill_load_bytes"]
    most = SPILLS.get(key, 0)
    if spilled > most or (most > 0 and spilled == 0):
        raise harness.Failure(f"{spilled} B go by spills")
    code = kernel["machine_code"]
    part = part_of(code)
    # A loop that stores C is over tiles of it.
    unrolled = part is code or part["by_category"]["global_store"] > 0
    if unrolled:
        check_moves_of_all(part, kernel["schedule"], kind, key)
    else:
        hold(part["by_category"]["move"] / part["instructions"],
             MOST_MOVES.get(kind, MOST_MOVES_USUALLY), key,
             "of the main loop's instructions are moves", MORE_MOVES)
    if kind == "f64" and problem.number in SMALL_K:
        hold(around_products(part["by_category"], part["multiply"]),
             MOST_AROUND, key, f"instructions around {PRODUCTS} products",
             EXCEPTIONS)
    elif not unrolled:
        hold(part["others_per_multiply"],
             most_others(kind, chip, problem, part["multiply"]), key,
             f"others per {part['multiply']}", EXCEPTIONS)


def name_of(kind, chip, problem):
    return f"{kind}-{chip}-{problem.name}"


class MachineCode:
    """ptxas's code of the kernels. Those of one type and chip go to ptxas and nvdisasm at
    once, which take long to start."""

    def __init__(self, keys, nvdisasm, jobs):
        self.nvdisasm = nvdisasm
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.problems = {}
        for kind, chip, problem in keys:
            self.problems.setdefault((kind, chip), []).append(problem)
        self.lock = threading.Lock()
        self.reports = None

    def kernel(self, context, kind, chip, problem):
        with self.lock:
            if self.reports is None:
                self.reports = {
                    key: self.pool.submit(self.compile, context, *key)
                    for key in self.problems}
        return self.reports[kind, chip].result()[f"contract{problem.number}"]

    def compile(self, context, kind, chip):
        element_type, *precision = kind.split("-")
        functions = [
            context.import_function(
                f"contract{problem.number}", "tccg",
                problem.tccg_text(element_type), f"--type={element_type}",
                *[f"--precision={name}" for name in precision])
            for problem in self.problems[kind, chip]]
        os.environ["TC_NVDISASM"] = self.nvdisasm
        return context.machine_code(kind, functions, chip)


def case(problem, kind, chip, machine_code):
    def run(context):
        kernel = machine_code.kernel(context, kind, chip, problem)
        check(kernel, kind, chip, problem)
        return {"kind": kind, "chip": chip, "others": others_of(kernel)}

    return harness.Case(name_of(kind, chip, problem), run)


def check_lean(outcomes):
    """Prints the number of kernels in f64 that are lean; raises if they are too few."""
    for chip in CHIPS:
        others = [outcome.figures["others"] for outcome in outcomes
                  if outcome.figures["kind"] == "f64"
                  and outcome.figures["chip"] == chip]
        lean = sum(x <= LEAN for x in others)
        print(f"{lean} of {len(others)} kernels in f64 have at most {LEAN} "
              f"others per DMMA.16x8x8 on {chip}")
        if lean < LEAN_PART * len(others):
            raise harness.Failure(f"fewer than {LEAN_PART} of them are lean")


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--all", action="store_true",
                        help="run all cases, not just a part")
    parser.add_argument("--share", type=int, default=1, metavar="N",
                        help="run one of N of those that run otherwise")
    arguments = parser.parse_args()
    nvdisasm = harness.find_nvdisasm()
    if not nvdisasm or not harness.find_ptxas():
        print("error: needs ptxas and nvdisasm")
        return 1
    keys = [(kind, chip, problem) for kind in KINDS for chip in CHIPS
            for problem in suites.tccg()
            if kind != CONVERTED or chip == CONVERTS_FROM]
    listed = EXCEPTIONS.keys() | MORE_MOVES.keys() | SPILLS.keys()
    keys = [(kind, chip, problem)
            for number, (kind, chip, problem) in enumerate(keys)
            if (arguments.all or kind == "f64" or number % SAMPLED == 0 or
                (kind, chip, problem.number) in listed and
                number % SAMPLED_OF_EXCEPTIONS == 0) and
            re.search(arguments.filter, name_of(kind, chip, problem))]
    keys = keys[::arguments.share]
    machine_code = MachineCode(keys, nvdisasm, arguments.jobs)
    return harness.main(
        [case(problem, kind, chip, machine_code)
         for kind, chip, problem in keys], arguments,
        None if arguments.filter or arguments.share > 1 else check_lean)


if __name__ == "__main__":
    sys.exit(main())
