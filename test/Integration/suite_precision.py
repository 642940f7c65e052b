#!/usr/bin/env python3
"""Simulates contractions of the TCCG benchmark at their full size in the
arithmetic of tensor cores, a block each, and compares the errors.

Halves, 8-bit floats, TF32, 3xTF32 and BF16x3 must use tensor cores and pass their
check. The error of 3xTF32 must be close to that of f32, that of BF16x3 within its
bound, and that of TF32 must be as large as its rounding makes it: else the
comparison would show nothing. Every sixth
problem is taken, from the thirteenth on: the first eight are so thin that memory
bounds them, and other instructions may be as good.
"""

import itertools
import json
import sys

import harness
import suites
from suite_sim import KINDS

# The instructions that each kind is there for.
INSTRUCTIONS = {"f16": "mma.f16", "bf16": "mma.f16", "f8e4m3fn": "mma.f8",
                "f8e5m2": "mma.f16", "tf32": "mma.tf32",
                "3xtf32": "mma.tf32", "bf16x3": "mma.f16"}
# Options for chips that multiply 8-bit floats as such; elsewhere, they become
# halves.
OPTIONS = {"f8e4m3fn": ("--chip=sm_89",)}
# The factor by which the error may be larger than f32's with 3xTF32. With TF32 it
# is about 0.3 / 2**10, and must be more than a third of that.
CLOSE, TF32_SHOWS = 3, 1e-4
# Contractions whose K has 24 values.
SHORT_K = range(31, 49)
# Precisions that f32 itself may stand for.
MORE_PRECISE = ("tf32", "3xtf32", "bf16x3")
AS_FAST = "computed as f32, which is as fast"
# The largest error of one product with bf16x3.
BF16X3 = 3 / 2**16


def simulate(context, problem, kind):
    """The relative error of the first block, and how it was computed."""
    extents = suites.format_extents(problem.double_extents)
    report = json.loads(context.simulate(
        problem.spec, f"--extents={extents}", *KINDS[kind],
        *OPTIONS.get(kind, ()), "--blocks=first", "--check=500",
        f"--seed={problem.number}", "--json"))
    kernel = report["kernels"][0]
    kinds = kernel["counters"]["warp_instructions_by_kind"]
    if kind in INSTRUCTIONS and kinds[INSTRUCTIONS[kind]] == 0:
        # With a short K, memory decides, and f32 itself may be as fast.
        if kind not in MORE_PRECISE or problem.number not in SHORT_K:
            raise harness.Failure(f"{kind} does not use tensor cores: "
                                  + kernel["schedule"])
        return None
    return kernel["check"]["relative_error"]


def narrow_case(problem, kind):
    def run(context):
        return {"error": simulate(context, problem, kind)}
    return harness.Case(f"{problem.name}-{kind}", run)


def split_case(problem):
    def run(context):
        errors = {kind: simulate(context, problem, kind)
                  for kind in ("f32", "tf32", "3xtf32", "bf16x3")}
        single = errors["f32"]
        for kind in ("3xtf32", "bf16x3"):
            if errors[kind] is None:
                errors[kind] = AS_FAST
        if (errors["3xtf32"] != AS_FAST
                and errors["3xtf32"] > CLOSE * single):
            raise harness.Failure(f"3xtf32 has an error of {errors['3xtf32']}, "
                                  f"f32 of {single}")
        if (errors["bf16x3"] != AS_FAST
                and not single < errors["bf16x3"] < BF16X3):
            raise harness.Failure(f"bf16x3 has an error of {errors['bf16x3']}, "
                                  f"f32 of {single}")
        if errors["tf32"] is None:
            errors["tf32"] = AS_FAST
        elif errors["tf32"] < TF32_SHOWS:
            raise harness.Failure(f"tf32 has an error of {errors['tf32']}, "
                                  f"less than {TF32_SHOWS}")
        return errors
    return harness.Case(f"{problem.name}-f32", run)


def main():
    arguments = harness.parser(__doc__).parse_args()
    problems = [problem for problem in suites.tccg()
                if problem.number > 12 and problem.number % 6 == 1]
    cases = [narrow_case(problem, kind) for problem in problems
             for kind in ("f16", "bf16")]
    cases += [narrow_case(problem, kind)
              for problem, kind in zip(problems[::2],
                                       itertools.cycle(("f8e4m3fn", "f8e5m2")))]
    cases += [split_case(problem) for problem in problems]
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
