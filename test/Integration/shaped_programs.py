#!/usr/bin/env python3
"""Draws programs of several statements whose extents each call says, compiles them
to object files, and calls each with several shapes.

An object file becomes a shared library with libtc_cpu_runtime, which is called from
Python and compared with NumPy. Extents are zero, one, prime and others; some are
known. The workspace, which is as large as the program says for these extents and
holds what is not a number, lies before bytes that must stay as they are. Numbers are
small integers. The same seed draws the same programs.
"""

import ctypes
import random
import re
import sys

import numpy

import harness

EXTENTS = (0, 1, 1, 2, 3, 5, 7, 8, 11)
TYPES = {"f64": numpy.float64, "f32": numpy.float32, "i64": numpy.int64,
         "i32": numpy.int32}
LABELS = "abcdef"
GUARD = 64


class Program:
    """`statements` have an output, an operator and products of a number and
    factors; `names` has for each the names of indices in it."""

    def __init__(self, rng):
        self.rng = rng
        self.type = rng.choice(list(TYPES))
        self.known = {label: rng.choice(EXTENTS[1:]) for label in LABELS
                      if rng.random() < 0.15}
        self.tensors, self.defined, self.statements = {}, {}, []
        for _ in range(rng.randint(2, 5)):
            self.statements.append(self.draw())
        # A program without unknown extents has no function that takes some.
        used = {label for labels in self.tensors.values() for label in labels}
        if used <= self.known.keys():
            del self.known[min(used)]
        self.names = [{label: label + ("2" if rng.random() < 0.3 else "")
                       for label in LABELS} for _ in self.statements]

    def new(self, prefix, labels):
        name = prefix + str(len(self.tensors))
        self.tensors[name] = list(labels)
        return name

    def product(self, but):
        factors = []
        for _ in range(self.rng.choice((1, 2, 2, 3, 3, 4))):
            known = [name for name in self.tensors if name != but]
            if known and self.rng.random() < 0.6:
                unread = [name for name in known if name in self.defined]
                factors.append(self.rng.choice(unread or known))
            else:
                factors.append(self.new("A", self.rng.sample(
                    LABELS, self.rng.randint(1, 3))))
        return self.rng.choice((1, 1, 2, -3)), factors

    def draw(self):
        # The tensor that is added to may be an argument.
        arguments = [name for name in self.tensors if name[0] == "A"]
        number, factors = self.product(None)
        used = sorted({label for name in factors
                       for label in self.tensors[name]})
        fitting = [name for name in arguments if name not in factors
                   and set(self.tensors[name]) <= set(used)]
        if fitting and self.rng.random() < 0.3:
            output, operator = self.rng.choice(fitting), "+="
        else:
            output = self.new("T", self.rng.sample(
                used, self.rng.randint(0, min(3, len(used)))))
            operator = "="
        products = [(number, factors)]
        if self.rng.random() < 0.3 and self.tensors[output]:
            products.append((2, [self.new("A", self.tensors[output])]))
        self.defined[output] = True
        return output, operator, products

    def text(self):
        extents = []
        used = {self.names[i][label]
                for i, (output, _, products) in enumerate(self.statements)
                for name in [output, *(f for _, fs in products for f in fs)]
                for label in self.tensors[name]}
        for label in sorted(used):
            extent = self.known.get(label[0])
            hint = "?" if label[0] in "ab" else "?40"
            extents.append(f"{label} = {hint if extent is None else extent}")
        lines = [f"type = {self.type}, name = drawn", ", ".join(extents)]
        outputs = []
        for (output, operator, products), names in zip(self.statements,
                                                       self.names):
            def write(name, names=names):
                return (name + "[" + ",".join(
                    names[label] for label in self.tensors[name]) + "]")
            terms = " + ".join(f"{number} * " + " * ".join(map(write, factors))
                               for number, factors in products)
            lines.append(f"{write(output)} {operator} {terms}")
            if output not in outputs:
                outputs.append(output)
        return "\n".join([*lines, "output " + ", ".join(outputs), ""])

    def compute(self, extents, arrays, dtype, number_of=int):
        """Computes the final values of all tensors."""
        for output, operator, products in self.statements:
            shape = [extents[label] for label in self.tensors[output]]
            total = numpy.zeros(shape, dtype)
            for number, factors in products:
                operands = []
                for name in factors:
                    operands += [arrays[name],
                                 [LABELS.index(x) for x in self.tensors[name]]]
                total = total + number_of(number) * numpy.einsum(
                    *operands, [LABELS.index(x) for x in self.tensors[output]])
            total = total.astype(dtype)
            arrays[output] = (arrays[output] + total if operator == "+="
                              else total)


def call_with(library, program, rng, header):
    """Calls the program with extents; a text if its results are wrong."""
    extents = {label: program.known.get(label, rng.choice(EXTENTS))
               for label in LABELS}
    generator = numpy.random.default_rng(rng.randrange(1 << 30))
    dtype = TYPES[program.type]
    arrays = {name: generator.integers(
        -2, 3, [extents[label] for label in labels]).astype(dtype)
        for name, labels in program.tensors.items()}
    given = {name: array.copy() for name, array in arrays.items()}
    sizes = {name: numpy.abs(array).astype(numpy.float64)
             for name, array in arrays.items()}
    program.compute(extents, arrays, dtype)
    # The magnitudes of the terms of each sum, which may cancel.
    program.compute(extents, sizes, numpy.float64, abs)
    numbers = [extents[name[len("extent_")]] for name in header["extents"]]
    size = library.drawn_workspace_bytes
    size.restype = ctypes.c_int64
    bytes_needed = size(*map(ctypes.c_int64, numbers))
    memory = numpy.full(bytes_needed + 2 * GUARD, 0xFF, numpy.uint8)
    begin = -memory.ctypes.data % GUARD
    status = library.drawn_run(
        *(ctypes.c_void_p(given[name].ctypes.data)
          for name in header["tensors"]),
        *map(ctypes.c_int64, numbers),
        ctypes.c_void_p(memory.ctypes.data + begin))
    if status != 0:
        return f"returns {status} for {extents}"
    if not (memory[begin + bytes_needed:] == 0xFF).all():
        return f"writes beyond its workspace for {extents}"
    for name in header["tensors"]:
        want, found = arrays[name], given[name]
        if program.type[0] == "f":
            # Products of many sums are beyond what is exact.
            good = numpy.all(numpy.abs(found - want) <= 100 * numpy.finfo(
                dtype).eps * sizes[name])
        else:
            good = numpy.array_equal(found, want)
        if not good:
            return f"{name} is wrong for {extents}:\n{found}\nnot\n{want}"
    return None


def case(name, seed, shapes):
    program = Program(random.Random(f"{seed}/{name}"))

    def run(context):
        output = f"{context.folder}/{name}"
        text = context.write(f"{name}.tensors", program.text())
        context.call([context.tool("tc-translate"), "--import-program",
                      "--use-tensors", text, "-o", output + ".mlir"])
        context.call([context.tool("tc-opt"), "--tc-cpu-pipeline=outline",
                      output + ".mlir", "-o", output + ".lowered.mlir"])
        context.call([context.tool("tc-translate"), "--tc-to-object",
                      output + ".lowered.mlir", "-o", output + ".o"])
        header = context.call([context.tool("tc-translate"), "--tc-to-header",
                               output + ".lowered.mlir"])
        match = re.search(r"int drawn_run\((.*)void \*workspace\);", header)
        if not match:
            raise harness.Failure("there is no drawn_run:\n" + program.text())
        names = re.findall(r"(\w+), ", match[1])
        harness.link_library(context, output, "-ltc_cpu_runtime")
        harness.run_apart(
            context, __file__,
            [f"--library={output}.so", f"--case={name}", f"--seed={seed}",
             f"--names={','.join(names)}", f"--shapes={shapes}"],
            program.text())

    return harness.Case(name, run)


def call_library(arguments):
    """Runs a case, in a process of its own."""
    library = ctypes.CDLL(arguments.library)
    program = Program(random.Random(f"{arguments.seed}/{arguments.case}"))
    names = arguments.names.split(",")
    header = {"extents": [n for n in names if n.startswith("extent_")],
              "tensors": [n for n in names if not n.startswith("extent_")]}
    rng = random.Random(f"{arguments.seed}/{arguments.case}/shapes")
    for _ in range(arguments.shapes):
        wrong = call_with(library, program, rng, header)
        if wrong:
            print(wrong)
            return 1
    return 0


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20, help="programs")
    parser.add_argument("--shapes", type=int, default=8,
                        help="shapes of each")
    for hidden in ("--library", "--case", "--names"):
        parser.add_argument(hidden, help="of the process that calls one")
    arguments = parser.parse_args()
    if arguments.library:
        return call_library(arguments)
    return harness.main([case(f"drawn-{number:03}", arguments.seed,
                              arguments.shapes)
                         for number in range(arguments.count)], arguments)


if __name__ == "__main__":
    sys.exit(main())
