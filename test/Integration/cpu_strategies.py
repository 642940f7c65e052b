#!/usr/bin/env python3
"""Checks the strategies other than gett on the CPU against the reference.

Cases are the 48 contractions of the TCCG benchmark with small extents, in f64
and f32, and random ones (those of random_contractions.py: views with any
strides, batch indices, roles without an index, diagonals, factors). Strategies
loop_over_gemm, direct and library are not available for each; the driver says for which
and why, and fails if they are for fewer than they should be.
"""

import random
import re
import sys

import harness
import random_contractions
import suite_sim
import suites

# Fewer cases with a strategy than these, of the 48 contractions and a part of the
# random ones, are a fault. Of the 48, 33 have at most one index of stride one in
# each role.
LEAST = {"loop_over_gemm": (33, 0.5), "direct": (48, 0.5), "library": (48, 0.3)}
REFUSED = re.compile(r"strategy (?:loop_over_gemm|direct|library): (.*)")


def compute(context, what, strategy, *options):
    """Runs and checks; figures that say whether the strategy was available."""
    try:
        context.compute("cpu", what, f"--strategy={strategy}", "--check=all",
                        *options)
    except harness.Failure as failure:
        refused = REFUSED.search(str(failure))
        if strategy not in LEAST or not refused:
            raise
        return {"strategy": strategy, "unavailable": refused.group(1)}
    return {"strategy": strategy, "unavailable": None}


def suite_case(problem, element_type, extents, strategy):
    def run(context):
        return compute(context, problem.spec, strategy,
                       f"--extents={suites.format_extents(extents)}",
                       f"--type={element_type}", f"--seed={problem.number}")

    return harness.Case(f"{problem.name}-{element_type}-{strategy}", run)


def random_case(seed, number, strategy):
    name = f"random-{seed}-{number:03}"
    text = random_contractions.draw(random.Random(f"{seed}/{number}"),
                                    random_contractions.TYPES[:2]).module()

    def run(context):
        path = context.write(f"{name}-{strategy}.mlir", text)
        return compute(context, path, strategy, f"--seed={number}")

    return harness.Case(f"{name}-{strategy}", run)


def show(outcomes):
    for outcome in outcomes:
        if outcome.figures["unavailable"]:
            print(f"unavailable: {outcome.name}: "
                  f"{outcome.figures['unavailable']}")


def available(outcomes, strategy, prefix):
    return sum(1 for outcome in outcomes
               if outcome.figures["strategy"] == strategy
               and re.match(prefix, outcome.name)
               and not outcome.figures["unavailable"])


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=20161113)
    parser.add_argument("--count", type=int, default=100)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.count} random contractions")
    cases = []
    for strategy in ("ttgt", *LEAST):
        for problem in suites.tccg():
            cases.append(suite_case(problem, "f64",
                                    suite_sim.prime_extents(problem),
                                    strategy))
            cases.append(suite_case(problem, "f32",
                                    suite_sim.over_a_tile(problem), strategy))
        cases += [random_case(arguments.seed, number, strategy)
                  for number in range(arguments.count)]

    too_few = []

    def judge(outcomes):
        show(outcomes)
        if arguments.filter:
            return
        for strategy, (of_suite, of_random) in LEAST.items():
            for prefix, least in ((r"\d+-.*-f64", of_suite),
                                  (r"\d+-.*-f32", of_suite),
                                  ("random", of_random * arguments.count)):
                count = available(outcomes, strategy, prefix)
                print(f"strategy {strategy} ran for {count} cases {prefix}")
                if count < least:
                    too_few.append(f"error: strategy {strategy} ran for {count} "
                                   f"cases {prefix}, but must for {least}")

    status = harness.main(cases, arguments, judge)
    for line in too_few:
        print(line)
    return 1 if too_few else status


if __name__ == "__main__":
    sys.exit(main())
