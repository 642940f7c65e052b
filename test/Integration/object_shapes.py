#!/usr/bin/env python3
"""Compiles contractions of which extents and strides are unknown to object files,
and calls each of these with several shapes.

Drawn are index lists, element types, which extents and strides the types leave
open, factors, conjugates, and prologues and epilogues. The object file becomes a
shared library with libtc_cpu_runtime, which Python loads; operands are small
integers, so that all results are exact, and Python computes them from the
definition. Extents are zero, one, prime and others; strides may be negative and
leave gaps. The gaps between elements of A and B hold NaNs, and those between
elements of C have to stay as they were.
"""

import ctypes
import dataclasses
import itertools
import math
import os
import random
import re
import shutil
import struct
import sys
import typing

import harness

EXTENTS = (0, 1, 1, 2, 3, 4, 5, 7, 8, 13, 17)


def f8e4m3fn(value):
    """The byte of an integer of at most 8."""
    if math.isnan(value):
        return b"\x7f"
    if value == 0:
        return b"\x80" if math.copysign(1, value) < 0 else b"\0"
    exponent = int(math.log2(abs(value)))
    fraction = abs(value) / 2 ** exponent - 1
    return bytes([(value < 0) << 7 | (exponent + 7) << 3 | int(fraction * 8)])


def packed(code):
    return lambda value: struct.pack(code, value)


@dataclasses.dataclass
class Type:
    """An element type: its name in MLIR, the one in which its products are
    summed, how a number is written to memory, and a ctypes type of it."""
    mlir: str
    sums: str
    write: typing.Callable
    c: typing.Any = None
    kind: str = "float"


TYPES = {
    "f64": Type("f64", "f64", packed("d"), ctypes.c_double),
    "f32": Type("f32", "f32", packed("f"), ctypes.c_float),
    "f16": Type("f16", "f32", packed("e")),
    "bf16": Type("bf16", "f32", lambda value: struct.pack("f", value)[2:]),
    "f8e4m3fn": Type("f8E4M3FN", "f32", f8e4m3fn),
    "f8e5m2": Type("f8E5M2", "f32", lambda value: struct.pack("e", value)[1:]),
    "i8": Type("i8", "i32", packed("b"), kind="integer"),
    "i32": Type("i32", "i32", packed("i"), ctypes.c_int32, "integer"),
    "i64": Type("i64", "i64", packed("q"), ctypes.c_int64, "integer"),
    "c32": Type("complex<f32>", "c32",
                lambda value: struct.pack("ff", value.real, value.imag),
                ctypes.c_float, "complex"),
    "c64": Type("complex<f64>", "c64",
                lambda value: struct.pack("dd", value.real, value.imag),
                ctypes.c_double, "complex"),
}
# Types of A and B that differ.
MIXED = [("f16", "bf16"), ("bf16", "f32"), ("f8e5m2", "f8e4m3fn"),
         ("f32", "f64"), ("i8", "i32"), ("f64", "c64"), ("c32", "f32")]


def write(element_type, value):
    if TYPES[element_type].kind == "complex":
        value = complex(value)
    elif TYPES[element_type].kind == "integer":
        value = int(value)
    else:
        value = float(value)
    return TYPES[element_type].write(value)


@dataclasses.dataclass
class Contraction:
    """`labels` and `types` are of A, B and C; `known` are the extents that types
    say, and `layouts` how: whether a tensor is contiguous, has strides that are
    unknown, or one of 1 at the end."""
    labels: list
    types: list
    known: dict
    layouts: list
    alpha: object = None
    beta: object = None
    conjugates: tuple = (False, False)
    maps: str = ""
    semiring: str = ""

    def memref(self, tensor):
        shape = "".join(f"{self.known.get(label, '?')}x"
                        for label in self.labels[tensor])
        element = TYPES[self.types[tensor]].mlir
        rank = len(self.labels[tensor])
        layout = self.layouts[tensor]
        if layout == "contiguous" or rank == 0:
            return f"memref<{shape}{element}>"
        strides = ["?"] * rank
        if layout == "last":
            strides[-1] = "1"
        return (f"memref<{shape}{element}, strided<[{', '.join(strides)}], "
                "offset: ?>>")

    @property
    def sums(self):
        widest = max(self.types[:2], key=lambda t: (
            TYPES[t].kind == "complex", len(write(TYPES[t].sums, 0))))
        return TYPES[widest].sums

    def module(self):
        names = ("%A", "%B", "%C")
        memrefs = [self.memref(tensor) for tensor in range(3)]
        arguments = [f"{name}: {memref}"
                     for name, memref in zip(names, memrefs)]
        factors = constants = ""
        sums = TYPES[self.sums].mlir
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if value is None:
                continue
            factors += f" {name}(%{name} : {sums})"
            if value == "argument":
                arguments.append(f"%{name}: {sums}")
            elif TYPES[self.sums].kind == "complex":
                part = sums[len("complex<"):-1]
                constants += (f"  %{name} = complex.constant [{value}.0 : "
                              f"{part}, 0.0 : {part}] : {sums}\n")
            else:
                point = "" if TYPES[self.sums].kind == "integer" else ".0"
                constants += (f"  %{name} = arith.constant {value}{point} : "
                              f"{sums}\n")
        lists = ["[" + ", ".join(labels) + "]" for labels in self.labels]
        more = "".join(f" conjugate_{name}"
                       for name, is_set in zip("ab", self.conjugates) if is_set)
        if self.semiring:
            more = f" semiring = {self.semiring}" + more
        if self.maps:
            arguments.append(f"%S: memref<{TYPES[self.sums].mlir}>")
            more += (f" auxiliaries(%S [] : memref<{TYPES[self.sums].mlir}>)"
                     + self.regions())
        return (f"func.func @f({', '.join(arguments)}) {{\n{constants}"
                f"  tc.contract {lists[0]}, {lists[1]} -> {lists[2]}\n"
                f"    ins(%A, %B : {memrefs[0]}, {memrefs[1]}) "
                f"outs(%C : {memrefs[2]}){factors}{more}\n  return\n}}\n")

    def regions(self):
        """A's elements are doubled, and to C's go the scalar and, with "old",
        C's old element once more."""
        a, c, s = (TYPES[self.types[0]].mlir, TYPES[self.types[2]].mlir,
                   TYPES[self.sums].mlir)
        add = "addi" if TYPES[self.sums].kind == "integer" else "addf"
        text = (f" prologue_a {{\n  ^bb0(%x: {a}):\n"
                f"    %y = arith.{add} %x, %x : {a}\n    tc.yield %y : {a}\n"
                f"  }} epilogue {{\n  ^bb0(%x: {s}, %c: {c}, %s: {s}):\n"
                f"    %y = arith.{add} %x, %s : {s}\n")
        value = "%y"
        if self.maps == "old":
            text += f"    %z = arith.{add} %y, %c : {c}\n"
            value = "%z"
        return text + f"    tc.yield {value} : {c}\n  }}"


def draw(rng, number):
    roles = {"batch": rng.choice((0, 0, 0, 1)), "m": rng.choice((0, 1, 1, 2)),
             "n": rng.choice((0, 1, 1, 2)), "k": rng.choice((0, 1, 1, 2))}
    named = {role: [f"{role}{i}" for i in range(count)]
             for role, count in roles.items()}
    lists = [named["batch"] + named["m"] + named["k"],
             named["batch"] + named["k"] + named["n"],
             named["batch"] + named["m"] + named["n"]]
    for labels in lists:
        rng.shuffle(labels)
    # A diagonal.
    if lists[0] and rng.random() < 0.1:
        lists[0].append(rng.choice(lists[0]))
    names = list(TYPES)
    types = ([names[number % len(names)]] * 2 if rng.random() < 0.7
             else list(rng.choice(MIXED)))
    contraction = Contraction(lists, types + types[:1], {}, [])
    sums = contraction.sums
    types.append(rng.choice([sums] + [t for t in names
                                      if TYPES[t].sums == sums]))
    labels = sorted(set(itertools.chain(*lists)))
    known = {label: rng.choice(EXTENTS[1:]) for label in labels
             if rng.random() < 0.2}
    layouts = [rng.choice(("contiguous", "any", "last")) for _ in range(3)]
    contraction = Contraction(lists, types, known, layouts)
    contraction.alpha = rng.choice((None, None, 2, "argument"))
    contraction.beta = rng.choice((None, None, 0, 1, "argument"))
    if TYPES[sums].kind == "complex":
        contraction.conjugates = tuple(
            TYPES[t].kind == "complex" and rng.random() < 0.3
            for t in types[:2])
    elif rng.random() < 0.3 and types[0] == types[1] and types[0] == sums:
        types[2] = sums
        contraction.maps = rng.choice(("plain", "old"))
    elif rng.random() < 0.15 and TYPES[sums].kind == "float":
        contraction.semiring = "max_plus"
        contraction.alpha = contraction.beta = None
    return contraction


class Tensor:
    """Memory of a tensor of some shape, with numbers by coordinates."""

    def __init__(self, rng, contraction, tensor, extents, most):
        self.type = contraction.types[tensor]
        self.width = len(write(self.type, 0))
        labels = contraction.labels[tensor]
        shape = [extents[label] for label in labels]
        order = list(range(len(shape)))
        layout = contraction.layouts[tensor]
        gap = 0
        if layout == "any":
            rng.shuffle(order)
        if layout != "contiguous":
            gap = rng.choice((0, 0, 1, 3))
        self.strides = [0] * len(shape)
        running = 1 if layout != "any" else 1 + rng.choice((0, 0, 1))
        for dim in reversed(order):
            self.strides[dim] = running
            running = running * shape[dim] + gap
        if layout == "last" and self.strides:
            self.strides[-1] = 1
        if layout == "any":
            self.strides = [-stride if rng.random() < 0.2 else stride
                            for stride in self.strides]
        reach = [(extent - 1) * stride
                 for extent, stride in zip(shape, self.strides) if extent > 0]
        self.zero = 2 - sum(r for r in reach if r < 0)
        count = self.zero + sum(r for r in reach if r > 0) + 3
        is_integer = TYPES[self.type].kind == "integer"
        gaps = write(self.type, 0 if is_integer else math.nan)
        if tensor == 2:
            gaps = write(self.type, 4)
        self.elements = [gaps] * count
        self.numbers = {}
        for place in itertools.product(*map(range, shape)):
            value = rng.randint(-most, most)
            if TYPES[self.type].kind == "complex":
                value += 1j * rng.randint(-most, most)
            self.set(place, value)
        self.memory = None

    def at(self, place):
        return self.zero + sum(map(lambda x, s: x * s, place, self.strides))

    def set(self, place, value):
        self.numbers[place] = value
        self.elements[self.at(place)] = write(self.type, value)

    def pointer(self):
        text = b"".join(self.elements)
        # Of the widest real number.
        self.memory = ctypes.create_string_buffer(text, len(text) + 8)
        return ctypes.c_void_p(
            ctypes.addressof(self.memory) + self.zero * self.width)


def expected(contraction, extents, tensors, alpha, beta, scalar):
    """C's numbers from the definition."""
    labels = sorted(extents)
    a_labels, b_labels, c_labels = contraction.labels
    is_max = bool(contraction.semiring)
    sums = {place: -math.inf if is_max else 0 for place in tensors[2].numbers}
    for values in itertools.product(*(range(extents[label])
                                      for label in labels)):
        at = dict(zip(labels, values))
        a = tensors[0].numbers[tuple(at[label] for label in a_labels)]
        b = tensors[1].numbers[tuple(at[label] for label in b_labels)]
        if contraction.maps:
            a *= 2
        a = a.conjugate() if contraction.conjugates[0] else a
        b = b.conjugate() if contraction.conjugates[1] else b
        place = tuple(at[label] for label in c_labels)
        sums[place] = (max(sums[place], a + b) if is_max
                       else sums[place] + a * b)
    results = {}
    for place, value in sums.items():
        old = tensors[2].numbers[place]
        result = value if is_max else alpha * value + beta * old
        if contraction.maps:
            result += scalar
        if contraction.maps == "old":
            result += old
        results[place] = result
    return results


def call_with(library, contraction, rng, header):
    """Calls the function with a shape, and compares; a text if it is wrong."""
    labels = sorted(set(itertools.chain(*contraction.labels)))
    extents = {label: contraction.known.get(label, rng.choice(EXTENTS))
               for label in labels}
    # So few products of so small numbers that every type holds the results.
    most = 1
    while math.prod(extents.values()) > 20000:
        label = max((l for l in labels if l not in contraction.known),
                    key=extents.get)
        extents[label] = 1
    summed = [label for label in labels if label not in contraction.labels[2]]
    if contraction.types[2] in ("f8e4m3fn", "f8e5m2"):
        for label in summed:
            if label not in contraction.known:
                extents[label] = min(extents[label], 1)
        if math.prod(extents[label] for label in summed) > 2:
            return None
    tensors = [Tensor(rng, contraction, tensor, extents, most)
               for tensor in range(3)]
    values = {}
    for name, absent in (("alpha", 1), ("beta", 0)):
        value = getattr(contraction, name)
        values[name] = absent if value is None else value
        if value == "argument":
            values[name] = rng.choice((0, 1, 2))
    scalar = 2
    results = expected(contraction, extents, tensors, values["alpha"],
                       values["beta"], scalar)
    pointers = [tensor.pointer() for tensor in tensors]
    side = ctypes.create_string_buffer(write(contraction.sums, scalar))
    number = TYPES[contraction.sums].c
    arguments = []
    for name in header:
        if name in "ABC":
            arguments.append(pointers["ABC".index(name)])
        elif name == "side0":
            arguments.append(ctypes.cast(side, ctypes.c_void_p))
        elif match := re.fullmatch(r"extent_(\w+)", name):
            # Indices that lie behind one another everywhere are one.
            arguments.append(ctypes.c_int64(math.prod(
                extents[label] for label in match[1].split("_"))))
        elif match := re.fullmatch(r"stride_([abc])_([^_]+)(_second)?", name):
            tensor = "abc".index(match[1])
            dims = [dim for dim, label in enumerate(contraction.labels[tensor])
                    if label == match[2]]
            arguments.append(ctypes.c_int64(
                tensors[tensor].strides[dims[bool(match[3])]]))
        else:
            name, _, part = name.partition("_")
            arguments.append(number(values[name] if part != "imaginary" else 0))
    status = library.f_contraction(*arguments)
    if status != 0:
        return f"returns {status} for {extents}"
    c = tensors[2]
    wanted = list(c.elements)
    for place, value in results.items():
        wanted[c.at(place)] = write(c.type, value)
    # A zero may have a sign.
    minus = write(c.type, -0.0)
    found = [c.memory.raw[i * c.width:(i + 1) * c.width]
             for i in range(len(wanted))]
    wrong = sum(x != y and not (x == minus and y == write(c.type, 0))
                and not (TYPES[c.type].kind == "complex" and equal(c.type, x, y))
                for x, y in zip(found, wanted))
    return f"{wrong} elements wrong for {extents}" if wrong else None


def equal(element_type, x, y):
    code = "ff" if element_type == "c32" else "dd"
    return struct.unpack(code, x) == struct.unpack(code, y)


def case(name, contraction, seed, shapes):
    def run(context):
        folder = f"{context.folder}/{name}"
        os.mkdir(folder)
        module = context.write(f"{name}/module.mlir", contraction.module())
        lowered, output = f"{folder}/lowered.mlir", f"{folder}/f"
        context.call([context.tool("tc-opt"),
                      "--tc-cpu-pipeline=outline threads=2", module, "-o",
                      lowered])
        context.call([context.tool("tc-translate"), "--tc-to-object", lowered,
                      "-o", output + ".o"])
        header = context.call([context.tool("tc-translate"), "--tc-to-header",
                               lowered])
        parameters = re.search(r"int f_contraction\((.*)\);", header)[1]
        names = [re.sub(r".*[ *]", "", parameter)
                 for parameter in parameters.split(", ")]
        # Nothing is unknown if no tensor has an index.
        calls_library = not contraction.semiring and "?" in contraction.module()
        if ("-ltc_cpu_runtime" in header) != calls_library:
            raise harness.Failure("the header is wrong about the library")
        harness.link_library(context, output, "-ltc_cpu_runtime")
        harness.run_apart(
            context, __file__,
            [f"--library={output}.so", f"--case={name}", f"--seed={seed}",
             f"--names={','.join(names)}", f"--shapes={shapes}"],
            contraction.module())

    return harness.Case(name, run)


def contraction_of(name, seed):
    number = int(name.partition("-")[2])
    return draw(random.Random(f"{seed}/{number}"), number)


def call_library(arguments):
    """Runs a case, in a process of its own."""
    library = ctypes.CDLL(arguments.library)
    contraction = contraction_of(arguments.case, arguments.seed)
    rng = random.Random(f"{arguments.seed}/{arguments.case}/shapes")
    for _ in range(arguments.shapes):
        wrong = call_with(library, contraction, rng,
                          arguments.names.split(","))
        if wrong:
            print(wrong)
            return 1
    return 0


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=33,
                        help="random contractions")
    parser.add_argument("--shapes", type=int, default=8,
                        help="shapes of each")
    for hidden in ("--library", "--case", "--names"):
        parser.add_argument(hidden, help="of the process that calls one")
    arguments = parser.parse_args()
    if arguments.library:
        return call_library(arguments)
    if not shutil.which("cc") and not harness.find_c_compiler():
        print("no C compiler here")
        return 1
    names = [f"random-{number:03}" for number in range(arguments.count)]
    return harness.main([case(name, contraction_of(name, arguments.seed),
                              arguments.seed, arguments.shapes)
                         for name in names], arguments)


if __name__ == "__main__":
    sys.exit(main())
