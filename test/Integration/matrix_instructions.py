#!/usr/bin/env python3
"""Compares the lines of `tc-run --target-info` on mma.sync, which the search of
schedules goes by, with machine code: one kernel for each instruction and target is
assembled and disassembled. An instruction for which a target has no line has to be
refused by ptxas.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile

import harness

# Of PTX: the types of factors and sums; registers of a thread for A, B and C by
# shape; and their types.
SHAPES = {
    "f64": ("f64.f64.f64.f64", "f64", "f64",
            {"m8n8k4": (1, 1, 2), "m16n8k4": (2, 1, 4), "m16n8k8": (4, 2, 4),
             "m16n8k16": (8, 4, 4)}),
    "tf32": ("f32.tf32.tf32.f32", "b32", "f32",
             {"m16n8k4": (2, 1, 4), "m16n8k8": (4, 2, 4)}),
    "bf16": ("f32.bf16.bf16.f32", "b32", "f32",
             {"m16n8k8": (2, 1, 4), "m16n8k16": (4, 2, 4)}),
    "f16": ("f32.f16.f16.f32", "b32", "f32",
            {"m16n8k8": (2, 1, 4), "m16n8k16": (4, 2, 4)}),
    "f8": ("f32.e4m3.e5m2.f32", "b32", "f32",
           {"m16n8k16": (2, 1, 4), "m16n8k32": (4, 2, 4)}),
    "i8": ("s32.s8.s8.s32", "b32", "b32",
           {"m8n8k16": (1, 1, 2), "m16n8k16": (2, 1, 4), "m16n8k32": (4, 2, 4)}),
}
# Names of shapes in machine code.
NAMES = {"884": "m8n8k4", "8816": "m8n8k16", "1684": "m16n8k4", "1688": "m16n8k8",
         "16816": "m16n8k16", "16832": "m16n8k32", "8x8x4": "m8n8k4",
         "16x8x4": "m16n8k4", "16x8x8": "m16n8k8", "16x8x16": "m16n8k16"}
# Instructions that convert factors and add sums. The number of moves depends on the code
# around.
OTHERS = ("F2FP", "FADD")
# The version of PTX that has all of these.
PTX_VERSION = 87


def entry_of(factor, shape):
    return f"product_{factor}_{shape}"


def write_entry(factor, shape):
    """A kernel of one product whose numbers are loaded and stored."""
    types, of_factors, of_sums, shapes = SHAPES[factor]
    bytes_of = {"f64": 8, "b32": 4, "f32": 4}
    lines = [f".visible .entry {entry_of(factor, shape)}(.param .u64 input, "
             ".param .u64 output) {",
             ".reg .b64 %p<2>; .reg .b32 %t;",
             "ld.param.u64 %p0, [input]; ld.param.u64 %p1, [output];",
             "mov.u32 %t, %tid.x; mad.wide.u32 %p0, %t, 1024, %p0;",
             "mad.wide.u32 %p1, %t, 1024, %p1;"]
    offset, lists = 0, []
    for name, count, kind in zip("abc", shapes[shape],
                                 (of_factors, of_factors, of_sums)):
        lines.append(f".reg .{kind} %{name}<{count}>;")
        for i in range(count):
            lines.append(f"ld.global.{kind} %{name}{i}, [%p0+{offset}];")
            offset += bytes_of[kind]
        lists.append("{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}")
    a, b, c = lists
    lines.append(f"mma.sync.aligned.{shape}.row.col.{types} {c}, {a}, {b}, {c};")
    for i in range(shapes[shape][2]):
        lines.append(f"st.global.{of_sums} [%p1+{i * bytes_of[of_sums]}], %c{i};")
    return "\n".join(lines + ["ret;", "}", ""])


def figures_of(context, target):
    """A version of PTX, and by factor and shape the machine code: so many
    instructions of which shape, and how many others."""
    told = context.call([context.tool("tc-run"), f"--target-info={target}"])
    version = re.search(r"^ +ptx_version +(\d+)$", told, re.MULTILINE)
    part = re.search(r"^  mma\.sync, as ptxas makes it\n((?:    .*\n?)+)", told,
                     re.MULTILINE)
    if not version or not part:
        raise harness.Failure("no version of PTX, or nothing of mma.sync")
    lowerings = {}
    for factor, shape, text in re.findall(
            r"^ +(\w+), (m\d+n\d+k\d+) +(.*)$", part[1], re.MULTILINE):
        made = re.fullmatch(r"(\d+) of (m\d+n\d+k\d+)(?:, (\d+) others)?", text)
        lowerings[factor, shape] = (
            (int(made[1]), made[2], int(made[3] or 0)) if made else (1, shape, 0))
    return max(int(version[1]), PTX_VERSION), lowerings


def assemble(ptxas, folder, target, version, entries):
    """The path of the cubin, or nothing if ptxas refuses."""
    source = os.path.join(folder, "products.ptx")
    with open(source, "w", encoding="utf-8") as file:
        file.write(f".version {version // 10}.{version % 10}\n.target {target}\n"
                   ".address_size 64\n" + "".join(entries))
    cubin = os.path.join(folder, "products.cubin")
    done = subprocess.run([ptxas, f"-arch={target}", "-o", cubin, source],
                          capture_output=True, check=False)
    return cubin if done.returncode == 0 else None


def count(listing):
    """Of one kernel: matrix instructions by shape, and others."""
    shapes, others = collections.Counter(), 0
    for opcode in re.findall(r"/\*[0-9a-f]{4}\*/\s+(?:@!?U?P\w+ )?([A-Z]\w*(?:\.\w+)*)",
                             listing):
        name, *modifiers = opcode.split(".")
        if re.fullmatch("[DHIQ]MMA", name):
            shapes[next(NAMES[word] for word in modifiers if word in NAMES)] += 1
        elif name in OTHERS:
            others += 1
    return shapes, others


def case(target, ptxas, nvdisasm):
    def run(context):
        version, lowerings = figures_of(context, target)
        every = [(factor, shape) for factor, row in SHAPES.items() for shape in row[3]]
        unknown = lowerings.keys() - set(every)
        if unknown:
            raise harness.Failure(f"there is no kernel for {sorted(unknown)}")
        with tempfile.TemporaryDirectory() as folder:
            cubin = assemble(ptxas, folder, target, version,
                             [write_entry(*key) for key in lowerings])
            if not cubin:
                raise harness.Failure("ptxas refuses one that is said to be there")
            listing = context.call([nvdisasm, "-c", cubin])
            for key in set(every) - lowerings.keys():
                if assemble(ptxas, folder, target, version, [write_entry(*key)]):
                    raise harness.Failure(f"ptxas makes something of {key}")
        functions = dict(re.findall(r"^\.text\.(\w+):\n(.*?)(?=^\.text\.\w+:\n|\Z)",
                                    listing, re.MULTILINE | re.DOTALL))
        for (factor, shape), (instructions, made, others) in lowerings.items():
            found, found_others = count(functions[entry_of(factor, shape)])
            if found != {made: instructions} or (factor != "i8"
                                                 and found_others != others):
                raise harness.Failure(
                    f"{factor} {shape} is {dict(found)} and {found_others} others; "
                    f"said to be {instructions} of {made} and {others}")

    return harness.Case(target, run)


def main():
    arguments = harness.parser(__doc__).parse_args()
    ptxas, nvdisasm = harness.find_ptxas(), harness.find_nvdisasm()
    if not nvdisasm or not ptxas:
        print("error: needs ptxas and nvdisasm")
        return 1
    told = subprocess.run([os.path.join(arguments.tools, "tc-run"), "--target-info=none"],
                          capture_output=True, text=True, check=False).stderr
    targets = re.findall(r"\bsm_\d+\b", told)
    if len(targets) < 10:
        print("error: tc-run lists no targets")
        return 1
    return harness.main([case(target, ptxas, nvdisasm) for target in targets
                         if re.search(arguments.filter, target)], arguments)


if __name__ == "__main__":
    sys.exit(main())
