#!/usr/bin/env python3
"""Simulates and checks random sums of contractions, each a chain of them in one
MLIR function, on memrefs or on tensors.

Drawn are: the rank and the extents of C, and its strides; the number of terms;
for each of them what the indices of C are called, which are in A, in B or in
both, the indices that are summed, the order of every index list and the inputs'
strides; the element types, of which the terms' inputs may differ; precisions,
alpha and beta; prologues; an epilogue of the last term; whether all elements of
the result, maybe of one contraction only, are added up; and the chip. Most chains
must become one kernel: the model may find several faster. Those that are added up
must not store C then.
"""

import math
import random
import sys

import harness
from random_contractions import Operand, draw_layout, region_lines, symbol

# Inputs, the type of C and that of sums.
TYPES = (("f64", "f64", "f64"), ("f64", "f64", "f64"), ("f32", "f32", "f32"),
         ("f16", "f32", "f32"), ("f16", "f16", "f32"), ("bf16", "f32", "f32"),
         ("i8", "i32", "i32"), ("i32", "i32", "i32"), ("i64", "i64", "i64"))
CHIPS = ("sm_75", "sm_80", "sm_90")
MOST_ELEMENTS, MOST_FMAS = 3000, 60_000
# Chains that must become one kernel.
LEAST_MERGED = 0.9


def draw_extents(rng, count, most):
    extents = [rng.randint(1, 12) for _ in range(count)]
    while math.prod(extents) > most:
        largest = max(range(count), key=lambda i: extents[i])
        extents[largest] = rng.randint(1, extents[largest] - 1)
    return extents


def draw_term(rng, extents, views):
    """The operands of a term: A, B, and the labels of C."""
    labels = rng.sample("abcdefghij", len(extents))
    summed = rng.sample("klmn", rng.choice((0, 1, 1, 1, 2)))
    extent_of = dict(zip(labels, extents))
    limit = max(1, MOST_FMAS // max(1, math.prod(extents)))
    extent_of.update(zip(summed, draw_extents(rng, len(summed), limit)))
    lists = {"A": list(summed), "B": list(summed)}
    for label in labels:
        for tensor in rng.choice(("A", "A", "B", "B", "AB")):
            lists[tensor].append(label)
    operands = []
    for tensor in "AB":
        rng.shuffle(lists[tensor])
        shape = [extent_of[label] for label in lists[tensor]]
        layout = draw_layout(rng, shape) if views else (None, 0)
        operands.append(Operand(lists[tensor], shape, *layout))
    return *operands, labels


class Sum:
    """A function that adds several contractions up, of tensors or of memrefs."""

    def __init__(self, rng, on_tensors=None):
        self.rng = rng
        self.name = "sum"  # as MLIR quotes it
        self.chip = rng.choice(CHIPS)
        inputs, self.output, self.scalar = rng.choice(TYPES)
        self.on_tensors = (rng.random() < 0.4 if on_tensors is None
                           else on_tensors)
        extents = draw_extents(rng, rng.randint(0, 5), MOST_ELEMENTS)
        layout = (None, 0) if self.on_tensors else draw_layout(rng, extents)
        self.c = Operand([], extents, *layout)
        self.reduces = (self.on_tensors and len(extents) > 0
                        and rng.random() < 0.6)
        self.terms = []
        for _ in range(rng.choice((1, 1, 2, 4) if self.reduces
                                  else (2, 2, 3, 4, 6))):
            a, b, labels = draw_term(rng, extents, not self.on_tensors)
            element = inputs
            # C holds sums, or else factors.
            if self.output == "f32" and rng.random() < 0.3:
                element = rng.choice(("f16", "bf16", "f32"))
            self.terms.append((element, a, b, labels))

    def type(self, operand, element):
        text = operand.type(element)
        return text.replace("memref<", "tensor<") if self.on_tensors else text

    def is_float(self):
        return self.scalar.startswith("f")

    def factor(self, name, lines):
        """An alpha, or nothing."""
        value = self.rng.choice(
            (None, None, -1.0, 0.5, -2.0, 1.25) if self.is_float()
            else (None, None, -1, 1))
        if value is None:
            return ""
        lines.append(f"  %{name} = arith.constant {value!r} : {self.scalar}")
        return f" alpha(%{name} : {self.scalar})"

    def reduction(self, elements, c_type):
        """The sum of all elements."""
        one = f"tensor<{self.output}>"
        zero, add = ("0", "addi") if self.output[0] == "i" else ("0.0", "addf")
        dimensions = ", ".join(str(i) for i in range(len(self.c.extents)))
        return [f"  %zero = arith.constant {zero} : {self.output}",
                f"  %none = tensor.empty() : {one}",
                f"  %begin = linalg.fill ins(%zero : {self.output})"
                f" outs(%none : {one}) -> {one}",
                f"  %sum = linalg.reduce {{ arith.{add} }}"
                f" ins({elements} : {c_type}) outs(%begin : {one})"
                f" dimensions = [{dimensions}]"]

    def module(self):
        rng = self.rng
        c_type = self.type(self.c, self.output)
        parameters, lines = [f"%C: {c_type}"], []
        one = 1.0 if self.is_float() else 1
        lines.append(f"  %one = arith.constant {one!r} : {self.scalar}")
        # A kernel that reads C cannot do without it.
        first = None if self.reduces else rng.choice((None, "one", "argument"))
        if first == "argument":
            parameters.append(f"%beta: {self.scalar}")
        destination = "%C"
        for number, (element, a, b, labels) in enumerate(self.terms):
            a_type, b_type = self.type(a, element), self.type(b, element)
            parameters += [f"%A{number}: {a_type}", f"%B{number}: {b_type}"]
            beta = "one" if number else {"argument": "beta"}.get(first, first)
            alpha = self.factor(f"alpha{number}", lines)
            result = f"%r{number} = " if self.on_tensors else ""
            lines += [f"  {result}tc.contract {a.index_list()}, "
                      f"{b.index_list()} -> [{', '.join(labels)}]",
                      f"    ins(%A{number}, %B{number} : {a_type}, {b_type})",
                      f"    outs({destination} : {c_type}){alpha}"]
            if beta:
                lines[-1] += f" beta(%{beta} : {self.scalar})"
            if element == "f32" and rng.random() < 0.3:
                precision = rng.choice(("tf32", '"3xtf32"', "bf16x3"))
                lines[-1] += f" precision = {precision}"
            if self.is_float() and rng.random() < 0.25:
                lines += region_lines("prologue_a", ["%y = arith.negf %x : $t"],
                                      element, element, self.scalar, False, ())
            if (number + 1 == len(self.terms) and self.is_float()
                    and rng.random() < (0.8 if self.reduces else 0.4)):
                # Operations that make a number of zero show elements beyond the
                # edges.
                code = rng.choice((["%y = math.absf %x : $t"],
                                   ["%c = arith.constant 0.75 : $t\n"
                                    "%y = arith.addf %x, %c : $t"]))
                lines += region_lines("epilogue", code, self.scalar,
                                      self.output, self.scalar, False, ())
            if self.on_tensors:
                lines[-1] += f" -> {c_type}"
                destination = f"%r{number}"
        if self.reduces:
            lines += self.reduction(destination, c_type)
            destination, c_type = "%sum", f"tensor<{self.output}>"
        end = (f"  return {destination} : {c_type}" if self.on_tensors
               else "  return")
        results = f" -> {c_type}" if self.on_tensors else ""
        return "\n".join([f"func.func {symbol(self.name)}"
                          f"({', '.join(parameters)}){results} {{",
                          *lines, end, "}"]) + "\n"


def case(seed, number):
    name = f"sum-{seed}-{number:03}"
    drawn = Sum(random.Random(f"{seed}-{number}"))
    text = drawn.module()

    def run(context):
        path = context.write(f"{name}.mlir", text)
        factor = ["--beta=-0.75" if drawn.is_float() else "--beta=3"]
        told = context.simulate(path, "--check=all", f"--chip={drawn.chip}",
                                f"--seed={number}",
                                *(factor if "%beta:" in text else ()))
        kernels = told.count("\nkernel ")
        if drawn.reduces and kernels == 1 and "= sum over" not in told:
            raise harness.Failure("stores C, which is only added up")
        return {"merged": kernels == 1}

    return harness.Case(name, run)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--count", type=int, default=60)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.count} cases")

    def show(outcomes):
        merged = sum(outcome.figures["merged"] for outcome in outcomes)
        print(f"{merged} of {len(outcomes)} chains became one kernel")
        if not arguments.filter and merged < LEAST_MERGED * len(outcomes):
            raise harness.Failure(f"fewer than {LEAST_MERGED:.0%}")

    return harness.main([case(arguments.seed, number)
                         for number in range(arguments.count)], arguments, show)


if __name__ == "__main__":
    sys.exit(main())
