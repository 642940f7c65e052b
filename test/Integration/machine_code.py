#!/usr/bin/env python3
"""Reads the machine code of a matrix product in every element type for every
chip: no opcode is unknown, the counts add up, and a main loop is found.
"""

import os
import sys
import threading

import harness

CHIPS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110",
         "sm_120", "sm_121")
KINDS = [f"--type={name}" for name in (
    "f64", "f32", "f16", "bf16", "f8e4m3fn", "i8", "i32", "i64", "c32",
    "c64")] + [f"--type=f32 --precision={name}"
               for name in ("tf32", "3xtf32", "bf16x3")]


def check(counts, where):
    """One function or loop."""
    categories = counts["by_category"]
    if sum(categories.values()) != counts["instructions"]:
        raise harness.Failure(f"{where}: the categories do not add up")
    if categories["other"]:
        raise harness.Failure(f"{where}: {categories['other']} unknown opcodes")


def name_of(kind):
    return kind.replace("--type=", "").replace(" --precision=", "_")


class MachineCode:
    """ptxas's code of the kernels, those for one chip as one module, which is the
    same for all chips."""

    def __init__(self):
        self.locks = {chip: threading.Lock() for chip in CHIPS}
        self.reports = {}
        self.import_lock = threading.Lock()
        self.imported = None

    def functions(self, context):
        with self.import_lock:
            if self.imported is None:
                self.imported = [
                    context.import_function(
                        name_of(kind), "einsum", "ik,kj->ij",
                        "--extents=i=256,j=256,k=4096", *kind.split())
                    for kind in KINDS]
        return self.imported

    def kernel(self, context, kind, chip):
        with self.locks[chip]:
            if chip not in self.reports:
                self.reports[chip] = context.machine_code(
                    "products", self.functions(context), chip)
        return self.reports[chip][name_of(kind)]


def case(kind, chip, machine_code):
    def run(context):
        kernel = machine_code.kernel(context, kind, chip)
        code = kernel["machine_code"]
        check(code, kernel["entry"])
        for loop in code["loops"]:
            check(loop, f"loop at {loop['first_instruction']}")
        # Addresses are made of IMAD, too.
        if "=i" not in kind and code["main_loop"] is None:
            raise harness.Failure("no loop multiplies")
        return None

    return harness.Case(f"{name_of(kind)}-{chip}", run)


def main():
    arguments = harness.parser(__doc__).parse_args()
    nvdisasm = harness.find_nvdisasm()
    if not nvdisasm or not harness.find_ptxas():
        print("error: needs ptxas and nvdisasm")
        return 1
    os.environ["TC_NVDISASM"] = nvdisasm
    machine_code = MachineCode()
    return harness.main([case(kind, chip, machine_code) for kind in KINDS
                         for chip in CHIPS], arguments)


if __name__ == "__main__":
    sys.exit(main())
