#!/usr/bin/env python3
"""Simulates, or runs on the CPU, and checks random contractions, each an MLIR
function on memrefs.

Drawn are: ranks of up to 6; for each index its role (batch, M, N, K, summed in
one input) and an extent of 1 to 20; diagonals; the order of every index list;
strides, contiguous or of a view with gaps, an offset and dimensions that run
backwards; the element types, of which the inputs' may differ, and the precision
or the semiring, which may be user-defined; of complex numbers, which inputs are
conjugated or real; alpha and beta; prologues and epilogues of a few steps, with
auxiliary tensors. On the CPU, every other case is compiled for a CPU with caches so
small that there are many blocks. The same seed draws the same cases, on any
machine.
"""

import dataclasses
import math
import random
import re
import sys
from typing import Dict, List, Optional, Tuple

import drawn_schedules
import harness

# Element types of the inputs and of the output, and the precision.
TYPES = (("f64", "f64", None), ("f32", "f32", None), ("f32", "f32", "tf32"),
         ("f32", "f32", '"3xtf32"'), ("f32", "f32", "bf16x3"),
         ("f16", "f16", None),
         ("f8E4M3FN", "f8E4M3FN", None), ("f8E4M3FN", "f32", None),
         ("f8E5M2", "f8E5M2", None), ("f8E5M2", "f32", None),
         ("f16", "f32", None), ("bf16", "bf16", None), ("bf16", "f32", None),
         ("i8", "i8", None), ("i8", "i32", None), ("i32", "i32", None),
         ("i64", "i64", None), ("complex<f64>", "complex<f64>", None),
         ("complex<f32>", "complex<f32>", None),
         ("complex<f32>", "complex<f32>", '"3xtf32"'))
# Types that one of the inputs may have instead.
EIGHT_BITS = ("f8E4M3FN", "f8E5M2")
NARROWER = {"f64": ("f32", "f16", "bf16", *EIGHT_BITS),
            "f32": ("f16", "bf16", *EIGHT_BITS),
            "f16": EIGHT_BITS, "bf16": EIGHT_BITS,
            "i32": ("i8",), "i64": ("i32", "i8")}
# Types that C may have instead, by the type of the sums.
OUTPUTS = {"f32": (*EIGHT_BITS, "f16", "bf16", "f32"), "i32": ("i8", "i32")}
WIDTHS = {"f8E4M3FN": 8, "f8E5M2": 8, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
# Half of the contractions without a precision have one of these; those of
# integers may have the last two, too.
SEMIRINGS = ("max_plus", "min_plus", "max_times", "max_min", "min_max",
             "or_and", "xor_and")
# User-defined ones: the product of %x and %y of type $t, what combines two sums
# and its identity. Some have numbers whose product is the identity.
FLOAT_OPERATIONS = (
    ("%d = arith.subf %x, %y : $t\n%z = math.absf %d : $t",
     "%z = arith.addf %x, %y : $t", "0.0"),
    ("%d = arith.subf %x, %y : $t\n%z = math.absf %d : $t",
     "%z = arith.maxnumf %x, %y : $t", "$least"),
    ("%p = arith.mulf %x, %y : $t\n%z = arith.addf %p, %x : $t",
     "%z = arith.minnumf %x, %y : $t", "$greatest"),
    ("%a = math.absf %x : $t\n%b = arith.constant 1.5 : $t\n"
     "%s = arith.maxnumf %a, %b : $t\n%z = arith.addf %s, %y : $t",
     "%z = arith.addf %x, %y : $t", "0.0"),
)
INTEGER_OPERATIONS = (
    ("%d = arith.subi %x, %y : $t\n%z = math.absi %d : $t",
     "%z = arith.addi %x, %y : $t", "0"),
    ("%d = arith.subi %x, %y : $t\n%z = arith.muli %d, %d : $t",
     "%z = arith.maxsi %x, %y : $t", "-1"),
    ("%p = arith.muli %x, %y : $t\n%z = arith.addi %p, %x : $t",
     "%z = arith.minsi %x, %y : $t", "2147483647"),
    ("%b = arith.constant 3 : $t\n%s = arith.maxsi %x, %b : $t\n"
     "%z = arith.addi %s, %y : $t", "%z = arith.addi %x, %y : $t", "0"),
)
INFINITIES = {"f32": ("0xFF800000", "0x7F800000"),
              "f64": ("0xFFF0000000000000", "0x7FF0000000000000")}
# Steps of prologues and epilogues, on %x of type $t, and whether all of them are
# exact in any type. Others could round a factor to another neighbour than the
# checker does, which is a large error in the narrow types. No sequence of
# different steps cancels what an earlier one has rounded: the bounds of errors
# know what goes into a region and what comes out of it.
STEPS = (
    ("%y = arith.negf %x : $t", True),
    ("%y = math.absf %x : $t", True),
    ("%l = arith.constant -0.75 : $t\n%y = arith.maxnumf %x, %l : $t", True),
    ("%z = arith.constant 0.0 : $t\n%s = arith.constant 0.125 : $t\n"
     "%p = arith.maxnumf %x, %z : $t\n%n = arith.minnumf %x, %z : $t\n"
     "%m = arith.mulf %s, %n : $t\n%y = arith.addf %p, %m : $t", True),
    ("%h = arith.constant 1.5 : $t\n%y = arith.addf %x, %h : $t", False),
    ("%s = arith.constant 0.75 : $t\n%y = arith.mulf %x, %s : $t", False),
    ("%s = arith.constant 0.5 : $t\n%m = arith.mulf %s, %x : $t\n"
     "%y = arith.subf %x, %m : $t", True),
    ("%h = arith.constant 0.5 : $t\n%y = arith.maximumf %h, %x : $t", True),
    ("%h = arith.constant 0.5 : $t\n%y = arith.minimumf %x, %h : $t", True),
    ("%y = math.tanh %x : $t", False),
    ("%y = math.erf %x : $t", False),
    ("%a = math.absf %x : $t\n%n = arith.negf %a : $t\n"
     "%y = math.exp %n : $t", False),
    ("%o = arith.constant 1.0 : $t\n%a = math.absf %x : $t\n"
     "%d = arith.addf %o, %a : $t\n%y = math.sqrt %d : $t", False),
    ("%o = arith.constant 2.0 : $t\n%a = math.absf %x : $t\n"
     "%d = arith.addf %o, %a : $t\n%y = math.log %d : $t", False),
    ("%o = arith.constant 1.0 : $t\n%a = math.absf %x : $t\n"
     "%d = arith.addf %o, %a : $t\n%y = arith.divf %x, %d : $t", False),
)
# Operations of an epilogue on an element of its first auxiliary tensor, and on one of
# another.
SIDE_OPERATIONS = ("addf", "subf", "mulf", "maxnumf"), ("mulf", "maxnumf")
LABELS = "abcdefghijklmnopqrstuvwxyz"
LARGEST_RANK = 6
LARGEST_EXTENT = 20
# Bounds the work of one case: multiply-adds, and elements of one tensor.
MOST_FMAS = 40_000
MOST_ELEMENTS = 40_000

# The tensors that hold an index of that role.
HOLDERS = {"batch": "ABC", "m": "AC", "n": "BC", "k": "AB",
           "sum of A": "A", "sum of B": "B"}
WEIGHTS = {"batch": 2, "m": 4, "n": 4, "k": 4, "sum of A": 1, "sum of B": 1}


@dataclasses.dataclass
class Operand:
    labels: List[str]
    extents: List[int]
    strides: Optional[List[int]]  # nothing if contiguous
    offset: int

    def type(self, element_type):
        shape = "".join(f"{extent}x" for extent in self.extents)
        if self.strides is None:
            return f"memref<{shape}{element_type}>"
        strides = ", ".join(map(str, self.strides))
        offset = f", offset: {self.offset}" if self.offset else ""
        return f"memref<{shape}{element_type}, strided<[{strides}]{offset}>>"

    def index_list(self):
        return "[" + ", ".join(self.labels) + "]"


@dataclasses.dataclass
class Side:
    """A tensor that the epilogue reads, and the operation that takes it."""
    operand: Operand
    element: str
    operation: str


def draw_lists(rng) -> Dict[str, List[str]]:
    """Index lists whose ranks are within the limit."""
    while True:
        lists = {"A": [], "B": [], "C": []}
        roles = rng.choices(list(WEIGHTS), list(WEIGHTS.values()),
                            k=rng.randint(0, 8))
        for label, role in zip(LABELS, roles):
            for tensor in HOLDERS[role]:
                lists[tensor].append(label)
        for tensor in "AB":
            if lists[tensor] and rng.random() < 0.12:
                lists[tensor].append(rng.choice(lists[tensor]))
        if all(len(labels) <= LARGEST_RANK for labels in lists.values()):
            for labels in lists.values():
                rng.shuffle(labels)
            return lists


def draw_extents(rng, lists) -> Dict[str, int]:
    """Extents that keep the work of the case within its limits."""
    labels = sorted(set(sum(lists.values(), [])))
    extents = {label: rng.randint(1, LARGEST_EXTENT) for label in labels}

    def too_large():
        return (math.prod(extents.values()) > MOST_FMAS
                or any(math.prod(extents[label] for label in labels)
                       > MOST_ELEMENTS for labels in lists.values()))

    while too_large():
        label = max(labels, key=lambda l: (extents[l], l))
        extents[label] = rng.randint(1, extents[label] - 1)
    return extents


def draw_layout(rng, extents) -> Tuple[Optional[List[int]], int]:
    """Strides and an offset, as of a view into a larger, transposed array."""
    if rng.random() < 0.4:
        return None, 0
    strides = [0] * len(extents)
    running = rng.choice((1, 1, 1, 2, 3))
    order = list(range(len(extents)))
    if rng.random() < 0.5:
        order.reverse()
    else:
        rng.shuffle(order)
    for dimension in order:
        strides[dimension] = running
        running *= extents[dimension]
        if rng.random() < 0.3:
            running += rng.randint(1, 5)
    offset = rng.choice((0, 0, 1, 2, 7, 16))
    if rng.random() < 0.2:
        for dimension in rng.sample(order, min(len(order), 1)):
            offset += strides[dimension] * (extents[dimension] - 1)
            strides[dimension] = -strides[dimension]
    return strides, offset


def draw_broadcast(rng, operand):
    """The operand, maybe with a dimension that does not move."""
    if operand.labels and rng.random() < 0.1:
        strides = operand.strides or [
            math.prod(operand.extents[dimension + 1:])
            for dimension in range(len(operand.extents))]
        strides[rng.randrange(len(strides))] = 0
        operand.strides = strides


def draw_sides(rng, lists, extents, types) -> List["Side"]:
    """Tensors that an epilogue reads."""
    auxiliaries = []
    for operations in SIDE_OPERATIONS[:rng.choice((0, 0, 1, 2))]:
        labels = rng.sample(lists["C"], rng.randint(0, len(lists["C"])))
        shape = [extents[label] for label in labels]
        operand = Operand(labels, shape, *draw_layout(rng, shape))
        draw_broadcast(rng, operand)
        auxiliaries.append(Side(operand, rng.choice(types),
                          rng.choice(operations)))
    return auxiliaries


def draw_factor(rng, input_type):
    """alpha or beta: nothing, a special value or any."""
    factor = rng.choice((None, 0.0, 1.0, -1.0, round(rng.uniform(-3, 3), 3)))
    if input_type.startswith("complex") and factor is not None:
        return complex(factor, rng.choice((0, round(rng.uniform(-3, 3), 3))))
    if input_type.startswith("i") and factor is not None:
        return round(factor)
    return factor


def draw_semiring(rng, input_type, precision):
    """A semiring that the types allow, or nothing."""
    if (precision is not None or input_type.startswith("complex")
            or rng.random() < 0.5):
        return None
    return rng.choice(SEMIRINGS if input_type.startswith("i")
                      else SEMIRINGS[:-2])


def draw_operations(rng, input_type):
    """The operations of a user-defined semiring."""
    return rng.choice(INTEGER_OPERATIONS if input_type.startswith("i")
                      else FLOAT_OPERATIONS)


def draw_steps(rng, only_exact):
    steps = [step for step, exact in STEPS if exact or not only_exact]
    return rng.sample(steps, rng.randint(1, 3))


def draw_fused(rng, input_type) -> Dict[str, List[str]]:
    """The steps of each region that there is."""
    if input_type.startswith(("i", "complex")) or rng.random() < 0.4:
        return {}
    regions = [region for region in ("prologue_a", "prologue_b", "epilogue")
               if rng.random() < 0.5]
    narrow = WIDTHS[input_type] < 32
    return {region: draw_steps(rng, narrow and region != "epilogue")
            for region in regions}


def rename(step, number):
    """A step from %v<number> to the next one."""
    for name in "adhlmnopsz":
        step = step.replace(f"%{name}", f"%{name}{number}")
    return step.replace("%x", f"%v{number}").replace("%y", f"%v{number + 1}")


def convert(result, value, source, target):
    """Lines that convert between floating-point types."""
    if source == target:
        return [], value
    operation = "extf" if WIDTHS[source] < WIDTHS[target] else "truncf"
    return ([f"{result} = arith.{operation} {value} : {source} to {target}"],
            result)


def region_lines(name, steps, element, stored, compute, uses_old, auxiliaries=()):
    """The text of a region: steps in one type, from and to others."""
    arguments = f"%e: {element}"
    if name == "epilogue":
        arguments += f", %old: {stored}"
        for number, side in enumerate(auxiliaries):
            arguments += f", %side{number}: {side.element}"
    lines = [f"{name} {{", f"^bb0({arguments}):"]
    widened, value = convert("%v0", "%e", element, compute)
    lines += widened
    for number, side in enumerate(auxiliaries):
        widened, other = convert(f"%wide{number}", f"%side{number}",
                                 side.element, compute)
        lines += widened
        lines += [f"%fused{number} = arith.{side.operation} {value}, "
                  f"{other} : {compute}"]
        value = f"%fused{number}"
    for number, step in enumerate(steps):
        text = rename(step.replace("$t", compute), number)
        if number == 0:
            text = text.replace("%v0", value)
        lines += text.split("\n")
    result = f"%v{len(steps)}"
    if uses_old:
        widened, old = convert("%oldwide", "%old", stored, compute)
        lines += widened
        lines += [f"%with = arith.maxnumf {result}, {old} : {compute}"]
        result = "%with"
    narrowed, result = convert("%stored", result, compute, stored)
    return lines + narrowed + [f"tc.yield {result} : {stored}", "}"]


def operation_lines(name, text, scalar):
    """The text of a region of a user-defined semiring."""
    return ([f"{name} {{", f"^bb0(%x: {scalar}, %y: {scalar}):"]
            + text.replace("$t", scalar).split("\n")
            + [f"tc.yield %z : {scalar}", "}"])


def symbol(name):
    """A reference to a function, whose name is escaped as MLIR's strings are."""
    return f"@{name}" if re.fullmatch(r"[A-Za-z_]\w*", name,
                                      re.ASCII) else f'@"{name}"'


def sum_type(input_type):
    """The type of sums of products of that type, and of alpha and beta."""
    if input_type.startswith("complex"):
        return input_type
    return {"f64": "f64", "i8": "i32", "i32": "i32",
            "i64": "i64"}.get(input_type, "f32")


@dataclasses.dataclass
class Contraction:
    """A contraction of A, B and C. alpha and beta are constants, "argument"
    for an argument of the function, or nothing."""
    extents: Dict[str, int]
    operands: Dict[str, Operand]
    input_type: str
    output_type: str
    precision: Optional[str]
    semiring: Optional[str]
    factors: Dict[str, object]
    fused: Dict[str, List[str]] = dataclasses.field(default_factory=dict)
    uses_old: bool = False
    # An input whose elements are not of the factors' type, and their type.
    narrow: Dict[str, str] = dataclasses.field(default_factory=dict)
    # Of complex numbers: the inputs that are conjugated.
    conjugates: str = ""
    allows_three_products: bool = False
    # Decisions for a CPU, if they are not left to the model.
    cpu_schedule: Optional[str] = None
    # Other tensors that the epilogue reads.
    auxiliaries: List[Side] = dataclasses.field(default_factory=list)
    # Of a user-defined semiring.
    operations: Optional[Tuple[str, str, str]] = None
    accumulates: bool = False
    # As MLIR quotes it, and other names of indices.
    name: str = "contraction"
    other_labels: Dict[str, str] = dataclasses.field(default_factory=dict)

    def index_list(self, operand) -> str:
        return "[" + ", ".join(self.other_labels.get(label, label)
                               for label in operand.labels) + "]"

    def identity(self) -> str:
        scalar = self.scalar_type()
        identity = self.operations[2]
        if identity.startswith("$"):
            identity = INFINITIES[scalar][identity == "$greatest"]
        return f"{identity} : {scalar}"

    def scalar_type(self):
        return sum_type(self.input_type)

    def constant(self, value):
        """The operation that yields a factor."""
        scalar = self.scalar_type()
        if not scalar.startswith("complex"):
            return f"arith.constant {value!r} : {scalar}"
        part = scalar[len("complex<"):-1]
        return (f"complex.constant [{float(value.real)!r} : {part}, "
                f"{float(value.imag)!r} : {part}] : {scalar}")

    def module(self) -> str:
        """A module with one function."""
        a, b, c = (self.operands[tensor] for tensor in "ABC")
        elements = {tensor: self.narrow.get(tensor, self.input_type)
                    for tensor in "AB"}
        a_type, b_type = a.type(elements["A"]), b.type(elements["B"])
        c_type = c.type(self.output_type)
        parameters = [f"%A: {a_type}", f"%B: {b_type}", f"%C: {c_type}"]
        lines = []
        auxiliary_types = [side.operand.type(side.element) for side in self.auxiliaries]
        parameters += [f"%S{number}: {auxiliary_type}"
                       for number, auxiliary_type in enumerate(auxiliary_types)]
        for name, value in self.factors.items():
            if value == "argument":
                parameters.append(f"%{name}: {self.scalar_type()}")
            elif value is not None:
                lines.append(f"  %{name} = {self.constant(value)}")
        lines += [f"  tc.contract {self.index_list(a)}, {self.index_list(b)} -> "
                  f"{self.index_list(c)}",
                  f"    ins(%A, %B : {a_type}, {b_type})",
                  f"    outs(%C : {c_type})"]
        for name, value in self.factors.items():
            if value is not None:
                lines[-1] += f" {name}(%{name} : {self.scalar_type()})"
        if self.precision is not None:
            lines[-1] += f" precision = {self.precision}"
        if self.operations is not None:
            lines[-1] += f" semiring = user_defined({self.identity()})"
        elif self.semiring is not None:
            lines[-1] += f" semiring = {self.semiring}"
        if self.accumulates:
            lines[-1] += " accumulate"
        for tensor in self.conjugates:
            lines[-1] += f" conjugate_{tensor.lower()}"
        if self.allows_three_products:
            lines[-1] += " allow_three_products"
        if self.auxiliaries:
            names = ", ".join(
                f"%S{number} {self.index_list(side.operand)} : {auxiliary_type}"
                for number, (side, auxiliary_type)
                in enumerate(zip(self.auxiliaries, auxiliary_types)))
            lines[-1] += f" auxiliaries({names})"
        if self.cpu_schedule:
            lines[-1] += f" {{cpu_schedule = {self.cpu_schedule}}}"
        for region in ("prologue_a", "prologue_b", "semiring", "epilogue"):
            if region == "semiring" and self.operations is not None:
                for name, text in zip(("product", "combine"), self.operations):
                    lines += operation_lines(name, text, self.scalar_type())
            if region not in self.fused:
                continue
            steps = self.fused[region]
            is_epilogue = region == "epilogue"
            element = (self.scalar_type() if is_epilogue
                       else elements[region[-1].upper()])
            stored = self.output_type if is_epilogue else self.input_type
            lines += region_lines(region, steps, element, stored,
                                  self.scalar_type(),
                                  is_epilogue and self.uses_old,
                                  self.auxiliaries if is_epilogue else ())
        lines += ["  return", "}"]
        return "\n".join([f"func.func {symbol(self.name)}"
                          f"({', '.join(parameters)}) {{"] + lines) + "\n"


def draw(rng, types=TYPES, semirings=True, fuses=False, mixes=True,
         broadcasts=False, real_inputs=()) -> Contraction:
    """A contraction of some of the types, maybe with other semirings, and maybe
    with prologues and epilogues. With `mixes`, the tensors may differ in type,
    with `broadcasts`, inputs have strides of zero.
    A may be real where B is complex; `real_inputs` names others that may."""
    lists = draw_lists(rng)
    extents = draw_extents(rng, lists)
    operands = {}
    for tensor, labels in lists.items():
        shape = [extents[label] for label in labels]
        operands[tensor] = Operand(labels, shape, *draw_layout(rng, shape))
    input_type, output_type, precision = rng.choice(types)
    if mixes and rng.random() < 0.2:
        sums = sum_type(input_type)
        output_type = rng.choice(OUTPUTS.get(sums, (sums,)))
    factors = {name: draw_factor(rng, input_type)
               for name in ("alpha", "beta")}
    # Without products, integers of C would stay as they are, and a kernel need
    # not store them, which the simulator takes for an omission.
    if input_type.startswith("i") and factors["alpha"] == 0:
        factors["alpha"] = 2
    semiring = (draw_semiring(rng, input_type, precision)
                if semirings else None)
    operations, accumulates = None, False
    if semiring is not None and rng.random() < 0.35:
        operations = draw_operations(rng, input_type)
        accumulates = rng.random() < 0.5
        factors = {}
    fused = draw_fused(rng, input_type) if fuses else {}
    uses_old = rng.random() < 0.5
    auxiliaries = []
    if "epilogue" in fused:
        scalar = "f64" if input_type == "f64" else "f32"
        auxiliaries = draw_sides(rng, lists, extents, (output_type, scalar))
    if broadcasts:
        for tensor in "AB":
            draw_broadcast(rng, operands[tensor])
    narrow = {}
    if mixes and input_type in NARROWER and rng.random() < 0.3:
        narrow[rng.choice("AB")] = rng.choice(NARROWER[input_type])
    conjugates, allows_three_products = "", False
    if input_type.startswith("complex"):
        real = rng.choice(("", "", "A") + real_inputs)
        if real:
            narrow[real] = input_type[len("complex<"):-1]
        conjugates = "".join(tensor for tensor in "AB"
                             if tensor != real and rng.random() < 0.4)
        allows_three_products = not real and rng.random() < 0.5
    result = Contraction(
        extents, operands, input_type, output_type, precision, semiring,
        factors, fused, uses_old, narrow, conjugates, allows_three_products,
        auxiliaries=auxiliaries, operations=operations, accumulates=accumulates)
    if allows_three_products and rng.random() < 0.5:
        result.cpu_schedule = drawn_schedules.draw_three_products(rng, result)
    return result


def draw_three_products(rng) -> Contraction:
    """A contraction with a schedule that has three real products."""
    complex_types = [entry for entry in TYPES
                     if entry[0].startswith("complex")]
    while True:
        contraction = draw(rng, complex_types)
        if contraction.cpu_schedule:
            return contraction


def case(seed, number, target, text):
    name = f"random-{seed}-{number:03}"

    def run(context):
        path = context.write(f"{name}.mlir", text)
        options = []
        if target == "cpu" and number % 2:
            options.append(f"--target-file={context.small_cpu(name)}")
        # Small contractions are left unpacked, unless a strategy is asked for.
        if target == "cpu" and number % 3:
            options.append("--strategy=gett")
        context.compute(target, path, "--check=all", f"--seed={number}",
                        *options)

    return harness.Case(name, run)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=20190216)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--target", choices=("sim", "cpu"), default="sim")
    parser.add_argument("--three-products", action="store_true",
                        help="only complex numbers that CPUs multiply by three "
                        "real products")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.count} cases")
    texts = {}
    for number in range(arguments.count):
        rng = random.Random(f"{arguments.seed}/{number}")
        if arguments.three_products:
            texts[number] = draw_three_products(rng).module()
            continue
        texts[number] = draw(rng, fuses=True,
                             # Kernels for GPUs have the complex input second.
                             real_inputs=("B",) * (arguments.target == "cpu"),
                             ).module()
    if arguments.target == "sim" and not harness.find_libdevice():
        functions = [number for number, text in texts.items()
                     if "math.tanh" in text]
        print(f"left out: {len(functions)} cases that call math functions, "
              "because there is no libdevice")
        for number in functions:
            del texts[number]
    cases = [case(arguments.seed, number, arguments.target, text)
             for number, text in texts.items()]
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
