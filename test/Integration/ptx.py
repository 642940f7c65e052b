"""From the text of a contraction to assembled PTX, with the tools' figures."""

import json
import os
import re
import time

import harness

CHIPS = ("sm_80", "sm_90")


def compile_text(context, name, notation, text, options, chip, passes=()):
    """Runs the tools one by one on a text in that notation, and these passes
    before a schedule is chosen; the paths of the
    PTX and of its launch description, and the wall time in seconds of the three
    processes, start-up included."""
    source = context.write(f"{name}.{notation}", text)
    imported, lowered, ptx, description = (
        os.path.join(context.folder, name + ending)
        for ending in (".mlir", ".gpu.mlir", ".ptx", ".json"))
    began = time.perf_counter()
    context.call([context.tool("tc-translate"), f"--import-{notation}",
                  *options, source, "-o", imported])
    context.call([context.tool("tc-opt"), *passes, f"--tc-tile=target={chip}",
                  "--tc-to-gpu", imported, "-o", lowered])
    context.call([context.tool("tc-translate"), "--tc-to-ptx", lowered,
                  f"--launch-description={description}", "-o", ptx])
    return ptx, description, time.perf_counter() - began


def shared_bytes(description):
    """The most shared memory that a block of the package takes."""
    with open(description, encoding="utf-8") as file:
        kernels = json.load(file)["kernels"]
    return max((kernel["static_shared_bytes"] + kernel["dynamic_shared_bytes"]
                for kernel in kernels), default=0)


def assemble(context, ptxas, ptx, chip):
    """Assembles for the chip; the most registers that a kernel takes. Fails if
    a register spills or a thread needs a stack frame."""
    command = [ptxas, "-v", f"-arch={chip}", "-o", os.devnull, ptx]
    told = context.call(["sh", "-c", 'exec "$@" 2>&1', "sh", *command])

    def figure(pattern):
        values = [int(value) for value in re.findall(pattern, told)]
        if not values:
            raise harness.Failure(f"ptxas -v says nothing like '{pattern}'",
                                  " ".join(command))
        return max(values)

    for what in ("bytes stack frame", "bytes spill stores",
                 "bytes spill loads"):
        if figure(rf"(\d+) {what}"):
            raise harness.Failure(f"{figure(rf'([0-9]+) {what}')} {what}",
                                  " ".join(command))
    return figure(r"Used (\d+) registers")


def case(name, spec, notation, text, options, element_type, chip, ptxas,
         dynamic_shapes=False):
    """A case that compiles the text and, given a ptxas, assembles it; kernels
    that take their shape at run time, if they are asked for."""
    full_name = f"{name}-{element_type}-{chip}{'-any' if dynamic_shapes else ''}"
    passes = ["--tc-dynamic-shapes"] if dynamic_shapes else []

    def run(context):
        ptx, description, seconds = compile_text(
            context, full_name, notation, text, options, chip, passes)
        figures = {"name": name, "spec": spec, "type": element_type,
                   "chip": chip, "sharedBytes": shared_bytes(description),
                   "compileMilliseconds": round(seconds * 1e3, 1)}
        if ptxas:
            figures["registers"] = assemble(context, ptxas, ptx, chip)
        return figures

    return harness.Case(full_name, run)


def find_assembler():
    """ptxas, or nothing and a line that says that nothing is assembled."""
    ptxas = harness.find_ptxas()
    if not ptxas:
        print("not assembled: ptxas is neither on PATH nor in "
              "/usr/local/cuda/bin")
    return ptxas


def show(outcomes):
    print(f"{'name':28} type chip  registers  shared  compile ms")
    for figures in (o.figures for o in outcomes):
        print(f"{figures['name']:28} {figures['type']}  {figures['chip']} "
              f"{figures.get('registers', '-'):>9} "
              f"{figures['sharedBytes']:>7} "
              f"{figures['compileMilliseconds']:>11}")
