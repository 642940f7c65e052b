#!/usr/bin/env python3
"""Compiles the 48 contractions of the TCCG benchmark at full size, f64 and f32
for sm_80 and sm_90 and complex ones of f64 for sm_90, from text to PTX, and
assembles the PTX: no register may spill and no thread may need a stack frame.

The compile time is the wall time of the three processes from text to PTX
(import, tc-opt, tc-translate), their start-up included.
"""

import sys

import harness
import ptx
import suites


def cases(ptxas):
    kinds = [(element_type, chip) for element_type in ("f64", "f32")
             for chip in ptx.CHIPS] + [("c64", "sm_90")]
    return [ptx.case(problem.name, problem.spec, "tccg",
                     problem.tccg_text(element_type.replace("c", "f")),
                     [f"--type={element_type}"], element_type, chip, ptxas)
            for problem in suites.tccg() for element_type, chip in kinds]


def main():
    arguments = harness.parser(__doc__).parse_args()
    return harness.main(cases(ptx.find_assembler()), arguments, ptx.show)


if __name__ == "__main__":
    sys.exit(main())
