#!/usr/bin/env python3
"""Fuses leaky ReLU into A, B and C of the 48 contractions of the TCCG benchmark
in f16, the experiment of T. Faingnaert, W. Vermeulen, T. Besard and B. De
Sutter, Flexible Performant Tensor Contractions on GPUs, section IV-D.

sim: whole problems at small, odd extents are simulated and checked. The kernels
     move the bytes that those without fused code move by the same schedule, in
     as many sectors.
ptx: the problems at full size, assembled for sm_90 without spills
"""

import json
import sys

import harness
import ptx
import suite_sim
import suites

CODE = ("--prologue-a=leaky_relu(x, 0.01)", "--prologue-b=leaky_relu(x, 0.02)",
        "--epilogue=leaky_relu(x, 0.03)")
TYPE, CHIP = "f16", "sm_90"


def kernel_of(context, problem, extents, *options):
    report = json.loads(context.simulate(
        problem.spec, f"--extents={suites.format_extents(extents)}",
        f"--type={TYPE}", "--check=all", "--json", f"--seed={problem.number}",
        *options))
    (kernel,) = report["kernels"]
    return kernel


def case(problem, shape, extents):
    def run(context):
        fused = kernel_of(context, problem, extents, *CODE)
        plain = kernel_of(context, problem, extents,
                          f"--schedule={fused['schedule']}")
        moved = [kernel["counters"]["tensors"] for kernel in (fused, plain)]
        if moved[0] != moved[1]:
            raise harness.Failure(f"fused code moves {moved[0]}, none moves "
                                  f"{moved[1]} by {fused['schedule']}")
    return harness.Case(f"{problem.name}-{shape}", run)


def sim_cases():
    return [case(p, shape, extents(p)) for p in suites.tccg()
            for shape, extents in (("primes", suite_sim.prime_extents),
                                   ("over", suite_sim.over_a_tile))]


def ptx_cases(arguments):
    return ptx.cases([ptx.Kernel(p.name, p.spec, "tccg", p.tccg_text(TYPE),
                                 (f"--type={TYPE}", *CODE), TYPE, CHIP)
                      for p in suites.tccg()], arguments)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("mode", choices=("sim", "ptx"))
    arguments = parser.parse_args()
    if arguments.mode == "ptx":
        return harness.main(ptx_cases(arguments), arguments, ptx.show)
    return harness.main(sim_cases(), arguments)


if __name__ == "__main__":
    sys.exit(main())
