#!/usr/bin/env python3
"""Compiles the 48 contractions of the TCCG benchmark at full size, f64 and f32
for sm_80 and sm_90 and complex ones of f64 for sm_90, every fourth of f64 for any
shape, and every twelfth of 8-bit floats, from text to PTX, and assembles the PTX: no
register may spill and no thread may need a stack frame.

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

    def case(problem, element_type, sizes, chip, dynamic_shapes=False):
        return ptx.case(problem.name, problem.spec, "tccg",
                        problem.tccg_text(sizes), [f"--type={element_type}"],
                        element_type, chip, ptxas, dynamic_shapes)

    return ([case(problem, element_type, element_type.replace("c", "f"), chip)
             for problem in suites.tccg() for element_type, chip in kinds]
            + [case(problem, "f64", "f64", chip, dynamic_shapes=True)
               for problem in suites.tccg()[2::4] for chip in ptx.CHIPS]
            + [case(problem, element_type, "f32", chip)
               for problem in suites.tccg()[::12]
               for element_type, chip in (("f8e4m3fn", "sm_90"),
                                          ("f8e5m2", "sm_89"))])


def main():
    arguments = harness.parser(__doc__).parse_args()
    return harness.main(cases(ptx.find_assembler()), arguments, ptx.show)


if __name__ == "__main__":
    sys.exit(main())
