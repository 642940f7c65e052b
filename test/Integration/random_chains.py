#!/usr/bin/env python3
"""Simulates and checks random chains of contractions, each group of them one
kernel, on memrefs or on tensors.

Drawn are: the number of links; for each, which indices of what the link before
computes it sums over, in one or both of its inputs, which new ones it has, which of
its inputs is the other one, and the order of every index list; extents, ones and
primes among them; strides of the inputs and of C; the element types of all tensors,
complex ones among them, with inputs that are conjugated or real; alpha and beta;
epilogues between links of real numbers, which make a number of zero; and the chip.
Most chains must have a schedule: links whose tiles differ much in size may have no
number of threads in common.
"""

import math
import random
import sys

import harness
from random_contractions import Operand, draw_layout, region_lines

# Types of inputs, of intermediate results, and of C.
TYPES = (("f64", "f64", "f64"), ("f64", "f64", "f64"), ("f32", "f32", "f32"),
         ("f16", "f16", "f32"), ("f16", "f16", "f16"), ("bf16", "bf16", "f32"),
         ("f32", "f32", "f32"), ("complex<f64>",) * 3, ("complex<f32>",) * 3,
         ("complex<f64>",) * 3)
CHIPS = ("sm_75", "sm_80", "sm_90")
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16)
MOST_ELEMENTS, MOST_NEW = 1500, 8
# Of all chains, those that must have a schedule.
LEAST_SCHEDULED = 0.7


class Chain:
    """A function that computes a chain, of tensors or of memrefs."""

    # True if code between links makes infinity of zero, which shows reads beyond the
    # edges.
    DIVIDES = True
    # Texts in the report of a group that is one kernel, and in the error about one of
    # which none can be made.
    MEMBER = "contraction 1"
    NO_SCHEDULE = "keeps the tensors between contractions in shared memory"

    def __init__(self, rng):
        self.rng = rng
        self.chip = rng.choice(CHIPS)
        self.inputs, self.between, self.output = rng.choice(TYPES)
        self.on_tensors = rng.random() < 0.6
        self.labels = iter("abcdefghijklmnopqrstuvwxyz")
        self.extents = {}
        # Indices of which a block has one value, so that no link sums over
        # them.
        self.batch = set()

    @property
    def is_complex(self):
        return self.inputs.startswith("complex")

    def sums(self):
        """The type of sums."""
        if self.is_complex:
            return self.inputs
        return "f64" if self.inputs == "f64" else "f32"

    def new_labels(self, count, most):
        labels = []
        for _ in range(count):
            fitting = [extent for extent in EXTENTS if extent <= most]
            label = next(self.labels)
            self.extents[label] = self.rng.choice(fitting)
            most //= self.extents[label]
            labels.append(label)
        return labels

    def operand(self, labels, strided):
        labels = list(labels)
        self.rng.shuffle(labels)
        shape = [self.extents[label] for label in labels]
        layout = draw_layout(self.rng, shape) if strided else (None, 0)
        return Operand(labels, shape, *layout)

    def type(self, operand, element):
        text = operand.type(element)
        return text.replace("memref<", "tensor<") if self.on_tensors else text

    def alpha(self, name, lines):
        value = self.rng.choice((None, None, -1.0, 0.5, 1.25))
        if value is None:
            return ""
        lines.append(self.constant(name, value))
        return f" alpha(%{name} : {self.sums()})"

    def constant(self, name, value):
        if not self.is_complex:
            return f"  %{name} = arith.constant {value!r} : {self.sums()}"
        imaginary = self.rng.choice((0.0, 0.25, -1.5))
        part = self.sums()[len("complex<"):-1]
        return (f"  %{name} = complex.constant [{value!r} : {part}, "
                f"{imaginary!r} : {part}] : {self.sums()}")

    def real_or_not(self, is_a):
        """The type of an input that no link computes: the left one may be real where
        the other one is not."""
        if self.is_complex and is_a and self.rng.random() < 0.25:
            return self.inputs[len("complex<"):-1]
        return self.inputs

    def conjugates(self, operands):
        """The conjugations of A and of B, if these are complex."""
        return "".join(
            f" {name}" for name, (_, type_of, _) in
            zip(("conjugate_a", "conjugate_b"), operands)
            if "complex" in type_of and self.rng.random() < 0.35)

    def first(self):
        """The labels of A, of B and of the first link's result."""
        rng = self.rng
        kept = self.new_labels(rng.randint(1, 4), MOST_ELEMENTS)
        summed = self.new_labels(rng.choice((0, 1, 1, 2)), 60)
        a, b = list(summed), list(summed)
        for label in kept:
            sides = rng.choice(((a,), (a,), (a,), (b,), (b,), (a, b)))
            for side in sides:
                side.append(label)
            if len(sides) == 2:
                self.batch.add(label)
        return a, b, kept

    def further(self, taken):
        """The labels of the other input and of the output of a link."""
        rng = self.rng
        summed = [label for label in taken
                  if rng.random() < 0.5 and label not in self.batch]
        kept = [label for label in taken if label not in summed]
        size = math.prod(self.extents[label] for label in kept)
        new = self.new_labels(rng.choice((0, 1, 1, 2)),
                              max(1, min(MOST_NEW, MOST_ELEMENTS // size)))
        other = [label for label in summed if rng.random() < 0.85] + new
        batch = [label for label in kept if rng.random() < 0.1]
        self.batch.update(batch)
        return other + batch, kept + new

    def contraction(self, number, count, operands, lists, lines):
        """The lines of a link."""
        rng = self.rng
        is_last = number + 1 == count
        element = self.output if is_last else self.between
        (a, a_type, a_value), (b, b_type, b_value) = operands
        c, c_value = lists
        c_type = self.type(c, element)
        alpha = self.alpha(f"alpha{number}", lines)
        beta = " beta(%beta : " + self.sums() + ")" if is_last and self.has_beta else ""
        result = f"%r{number} = " if self.on_tensors else ""
        lines += [f"    {result}tc.contract {a.index_list()}, {b.index_list()}"
                  f" -> {c.index_list()}",
                  f"      ins({a_value}, {b_value} : {a_type}, {b_type})",
                  f"      outs({c_value} : {c_type}){alpha}{beta}"
                  f"{self.conjugates(operands)}"]
        if not is_last and not self.is_complex and rng.random() < 0.4:
            codes = [["%y = math.absf %x : $t"],
                     ["%c = arith.constant 0.75 : $t\n"
                      "%y = arith.addf %x, %c : $t"]]
            if self.DIVIDES and element in ("f32", "f64"):
                codes.append(["%c = arith.constant 1.0 : $t\n"
                              "%y = arith.divf %c, %x : $t"])
            code = rng.choice(codes)
            lines += region_lines("epilogue", code, self.sums(), element,
                                  self.sums(), False, ())
        if self.on_tensors:
            lines[-1] += f" -> {c_type}"

    def module(self):
        rng = self.rng
        count = rng.choice((2, 2, 3, 3, 4))
        self.has_beta = rng.random() < 0.3
        parameters, before, lines = [], [], []
        if self.has_beta:
            before.append(self.constant("beta", -0.75))
        a, b, labels = self.first()
        value, taken = "%A0", self.operand(a, not self.on_tensors)
        taken_type = self.real_or_not(is_a=True)
        parameters.append(f"%A0: {self.type(taken, taken_type)}")
        for number in range(count):
            is_last = number + 1 == count
            if number:
                b, labels = self.further(taken.labels)
            other = self.operand(b, not self.on_tensors)
            turns = number > 0 and rng.random() < 0.4
            other_type = self.type(other, self.real_or_not(is_a=turns))
            parameters.append(f"%B{number}: {other_type}")
            output = self.operand(labels, is_last and not self.on_tensors)
            element = self.output if is_last else self.between
            output_type = self.type(output, element)
            c_value = "%C" if is_last else f"%T{number}"
            if is_last:
                parameters.append(f"%C: {output_type}")
            else:
                make = "tensor.empty" if self.on_tensors else "memref.alloc"
                before.append(f"  %T{number} = {make}() : {output_type}")
            pair = [(taken, self.type(taken, taken_type), value),
                    (other, other_type, f"%B{number}")]
            if turns:
                pair.reverse()
            own = []
            self.contraction(number, count, pair, (output, c_value), own)
            # Constants come before the group.
            before += [line for line in own if ".constant " in line
                       and not line.startswith("    ") and "alpha" in line]
            lines += [line for line in own if line not in before]
            taken, taken_type = output, element
            value = f"%r{number}" if self.on_tensors else c_value
        c_type = output_type
        if self.on_tensors:
            lines.append(f"    tc.fused_yield {value} : {c_type}")
        opening = f"  %D = tc.fused -> {c_type} {{" if self.on_tensors else "  tc.fused {"
        end = f"  return %D : {c_type}" if self.on_tensors else "  return"
        results = f" -> {c_type}" if self.on_tensors else ""
        return "\n".join([f"func.func @chain({', '.join(parameters)}){results} {{",
                          *before, opening, *lines, "  }", end, "}"]) + "\n"


def case(prefix, draw, seed, number):
    name = f"{prefix}-{seed}-{number:03}"
    drawn = draw(random.Random(f"{seed}-{number}"))
    text = drawn.module()

    def run(context):
        path = context.write(f"{name}.mlir", text)
        try:
            told = context.simulate(path, "--check=all", f"--chip={drawn.chip}",
                                    f"--seed={number}")
        except harness.Failure as failure:
            if drawn.NO_SCHEDULE in str(failure):
                return {"scheduled": False}
            raise
        if told.count("\nkernel ") != 1 or f"\n  {drawn.MEMBER} " not in told:
            raise harness.Failure("is not one kernel")
        return {"scheduled": True}

    return harness.Case(name, run)


def main(description, prefix, draw, least_scheduled):
    """Runs as many cases as are asked for, which `draw` makes of random numbers."""
    parser = harness.parser(description)
    parser.add_argument("--seed", type=int, default=20261126)
    parser.add_argument("--count", type=int, default=40)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.count} cases")

    def show(outcomes):
        scheduled = sum(outcome.figures["scheduled"] for outcome in outcomes)
        print(f"{scheduled} of {len(outcomes)} have a schedule")
        if not arguments.filter and scheduled < least_scheduled * len(outcomes):
            raise harness.Failure(f"fewer than {least_scheduled:.0%}")

    return harness.main([case(prefix, draw, arguments.seed, number)
                         for number in range(arguments.count)], arguments, show)


if __name__ == "__main__":
    sys.exit(main(__doc__, "chain", Chain, LEAST_SCHEDULED))
