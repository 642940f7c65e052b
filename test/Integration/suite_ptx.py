#!/usr/bin/env python3
"""Compiles the 48 contractions of the TCCG benchmark at full size, f64 and f32
for sm_80 and sm_90 and complex ones of f64 for sm_90, every fourth of f64 for any
shape, every twelfth of 8-bit floats, and two for each later chip, from text to PTX, and
assembles the PTX: no register may spill and no thread may need a stack frame. With
--few-f64, every sixth of those of f64 alone, as machine_code_limits.py assembles them
all, too.
"""

import sys

import harness
import ptx
import suites


def kernels(few_f64):
    kinds = [(element_type, chip) for element_type in ("f64", "f32")
             for chip in ptx.CHIPS] + [("c64", "sm_90")]

    def kernel(problem, element_type, sizes, chip, dynamic_shapes=False):
        return ptx.Kernel(problem.name, problem.spec, "tccg",
                          problem.tccg_text(sizes), (f"--type={element_type}",),
                          element_type, chip, dynamic_shapes)

    return ([kernel(problem, element_type, element_type.replace("c", "f"), chip)
             for problem in suites.tccg() for element_type, chip in kinds
             if element_type != "f64" or not few_f64 or problem.number % 6 == 0]
            + [kernel(problem, "f64", "f64", chip, dynamic_shapes=True)
               for problem in suites.tccg()[2::4] for chip in ptx.CHIPS]
            + [kernel(problem, element_type, "f32", chip)
               for problem in suites.tccg()[::12]
               for element_type, chip in (("f8e4m3fn", "sm_90"),
                                          ("f8e5m2", "sm_89"))]
            + [kernel(problem, element_type, element_type, chip)
               for problem in suites.tccg()[11::24]
               for element_type in ("f64", "f32") for chip in ptx.FURTHER_CHIPS])


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--few-f64", action="store_true",
                        help="every sixth kernel of f64 alone")
    arguments = parser.parse_args()
    return harness.main(ptx.cases(kernels(arguments.few_f64), arguments), arguments,
                        ptx.show)


if __name__ == "__main__":
    sys.exit(main())
