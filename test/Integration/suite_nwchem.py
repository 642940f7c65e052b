#!/usr/bin/env python3
"""The 27 triples kernels of NWChem's CCSD(T), with their signs, from COGENT's
notation.

ptx:   to PTX for sm_80 and sm_90 at extents of 16, assembled without spills
full:  chosen blocks (first, middle, last and edge) at extents of 16, simulated
small: whole problems at small, odd extents, simulated and checked
cpu:   the same on the CPU of this machine
cpu-full: samples at extents of 16, on the CPU
"""

import sys

import harness
import ptx
import suites

ODD_EXTENTS = ((3, 5, 2, 7, 3, 1, 5), (5, 1, 4, 3, 3, 6, 2),
               (17, 2, 1, 3, 2, 9, 3))


def compute(target, statement, tag, element_type, *options):
    name = f"{statement.name}-{element_type}-{tag}"

    def run(context):
        path = context.write(f"{name}.cogent", statement.text + "\n")
        context.compute(target, path, f"--type={element_type}", "--seed=27",
                        *options)

    return harness.Case(name, run)


def ptx_cases(arguments):
    return ptx.cases(
        [ptx.Kernel(s.name, s.name, "cogent", s.text + "\n",
                    (f"--type={element_type}",), element_type, chip)
         for s in suites.nwchem() for element_type in ("f64", "f32")
         for chip in ptx.CHIPS], arguments)


def full_cases():
    return [compute("sim", s, "full", "f64", "--blocks=first,middle,last,edge",
                    "--check")
            for s in suites.nwchem()]


def cpu_full_cases():
    return [compute("cpu", s, "full", element_type, "--check=1000")
            for s in suites.nwchem() for element_type in ("f64", "f32")]


def small_cases(target):
    cases = []
    for statement in suites.nwchem():
        for number, values in enumerate(ODD_EXTENTS):
            extents = dict(zip(statement.labels, values))
            cases += [compute(target, statement, f"small{number}", element_type,
                              "--extents=" + suites.format_extents(extents),
                              "--check=all")
                      for element_type in ("f64", "f32")]
    return cases


MODES = {"ptx": ptx_cases, "full": lambda _: full_cases(),
         "small": lambda _: small_cases("sim"),
         "cpu": lambda _: small_cases("cpu"),
         "cpu-full": lambda _: cpu_full_cases()}


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("mode", choices=MODES)
    arguments = parser.parse_args()
    return harness.main(MODES[arguments.mode](arguments), arguments,
                        ptx.show if arguments.mode == "ptx" else None)


if __name__ == "__main__":
    sys.exit(main())
