"""From texts of contractions to assembled PTX, with the tools' figures. Several
contractions go through the tools at once, which start as often as there are batches
of them."""

import dataclasses
import json
import os
import re
import threading
from typing import Tuple

import harness

CHIPS = ("sm_80", "sm_90")
# Chips for which a few kernels are assembled.
FURTHER_CHIPS = ("sm_100", "sm_103", "sm_110", "sm_120", "sm_121")
# Contractions that go through the tools at once.
BATCH = 12


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A contraction to compile for a chip, in a notation and with options that the
    importer knows."""
    name: str
    spec: str
    notation: str
    text: str
    options: Tuple[str, ...]
    element_type: str
    chip: str
    # True if the kernel takes its shape at run time.
    dynamic_shapes: bool = False

    @property
    def full_name(self):
        ending = "-any" if self.dynamic_shapes else ""
        return f"{self.name}-{self.element_type}-{self.chip}{ending}"


def assemble(context, ptxas, ptx, chip):
    """Assembles for the chip; returns ptxas's report on each kernel, by its
    symbol."""
    command = [ptxas, "-v", f"-arch={chip}", "-o", os.devnull, ptx]
    told = context.call(["sh", "-c", 'exec "$@" 2>&1', "sh", *command])
    parts = re.split(r"Compiling entry function '(\w+)'", told)
    return dict(zip(parts[1::2], parts[2::2]))


# Bytes of the stack frames of kernels whose estimate of registers is too low:
# threads that copy to both shared tiles at addresses of which none differ by
# constants.
STACK_FRAMES = {
    "28-abcd-eafb-fdec-f64-sm_90": 16,
    "sd_t_d1_5-f32-sm_80": 8,
    "sd_t_d2_2-f64-sm_90": 16,
    "sd_t_d2_3-f64-sm_90": 24,
}


def registers_of(told, name):
    """The registers of a kernel that ptxas tells of. Fails if one spills or a
    thread needs a stack frame, exceptions apart, or an exception does not."""
    def figure(pattern):
        values = [int(value) for value in re.findall(pattern, told)]
        if not values:
            raise harness.Failure(f"ptxas -v says nothing like '{pattern}'")
        return max(values)

    for what in ("bytes stack frame", "bytes spill stores",
                 "bytes spill loads"):
        found, most = figure(rf"(\d+) {what}"), STACK_FRAMES.get(name, 0)
        if found > 2 * most or (what.endswith("frame") and found != most):
            raise harness.Failure(f"{found} {what}, expected {most}")
    return figure(r"Used (\d+) registers")


class Batch:
    """Kernels for one chip that are compiled, and given a ptxas assembled,
    together: when the first of their cases runs."""

    def __init__(self, name, kernels, ptxas):
        self.name, self.kernels, self.ptxas = name, kernels, ptxas
        self.lock = threading.Lock()
        self.compiled = None

    def compile(self, context):
        """Descriptions by entry, ptxas's reports by symbol, and the PTX's path."""
        chip = self.kernels[0].chip
        passes = (["--tc-dynamic-shapes"] if self.kernels[0].dynamic_shapes
                  else [])
        module = context.write(f"{self.name}.mlir", "".join(
            context.import_function(entry, kernel.notation, kernel.text,
                                    *kernel.options)
            for entry, kernel in self.entries()))
        lowered, ptx, description = (
            os.path.join(context.folder, self.name + ending)
            for ending in (".gpu.mlir", ".ptx", ".json"))
        context.call([context.tool("tc-opt"), *passes,
                      f"--tc-tile=target={chip}", "--tc-to-gpu", module, "-o",
                      lowered])
        context.call([context.tool("tc-translate"), "--tc-to-ptx", lowered,
                      f"--launch-description={description}", "-o", ptx])
        told = (assemble(context, self.ptxas, ptx, chip) if self.ptxas else {})
        with open(description, encoding="utf-8") as file:
            kernels = json.load(file)["kernels"]
        return {kernel["entry"]: kernel for kernel in kernels}, told, ptx

    def entries(self):
        return [(f"contract{number}", kernel)
                for number, kernel in enumerate(self.kernels)]

    def figures(self, context, entry, kernel):
        """Those of one kernel."""
        with self.lock:
            if self.compiled is None:
                try:
                    self.compiled = self.compile(context)
                except harness.Failure as failure:
                    self.compiled = failure
        if isinstance(self.compiled, harness.Failure):
            raise self.compiled
        kernels, told, ptx = self.compiled
        if entry not in kernels:
            raise harness.Failure(f"no kernel {entry} in {ptx}")
        described = kernels[entry]
        shared = (described["static_shared_bytes"]
                  + described["dynamic_shared_bytes"])
        figures = {"name": kernel.name, "spec": kernel.spec,
                   "type": kernel.element_type, "chip": kernel.chip,
                   "sharedBytes": shared}
        if self.ptxas:
            try:
                figures["registers"] = registers_of(
                    told.get(described["symbol"], ""), kernel.full_name)
            except harness.Failure as failure:
                raise harness.Failure(f"{entry}: {failure}",
                                      f"ptxas -v -arch={kernel.chip} {ptx}"
                                      ) from None
        return figures


def cases(kernels, arguments):
    """A case for each kernel that the filter leaves."""
    ptxas = find_assembler()
    together = {}
    for kernel in kernels:
        if re.search(arguments.filter, kernel.full_name):
            together.setdefault((kernel.chip, kernel.dynamic_shapes),
                                []).append(kernel)
    batches = [Batch(f"{chip}-{'any' if any_shape else 'known'}-{first}",
                     those[first:first + BATCH], ptxas)
               for (chip, any_shape), those in together.items()
               for first in range(0, len(those), BATCH)]

    def case(batch, entry, kernel):
        return harness.Case(kernel.full_name, lambda context:
                            batch.figures(context, entry, kernel))

    return [case(batch, entry, kernel) for batch in batches
            for entry, kernel in batch.entries()]


def find_assembler():
    """ptxas, or nothing and a line that says that nothing is assembled."""
    ptxas = harness.find_ptxas()
    if not ptxas:
        print("not assembled: ptxas is neither on PATH nor in "
              "/usr/local/cuda/bin")
    return ptxas


def show(outcomes):
    print(f"{'name':28} type chip  registers  shared")
    for figures in (o.figures for o in outcomes):
        print(f"{figures['name']:28} {figures['type']}  {figures['chip']} "
              f"{figures.get('registers', '-'):>9} "
              f"{figures['sharedBytes']:>7}")
