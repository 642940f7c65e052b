#!/usr/bin/env python3
"""Simulates and checks random horizontal fusions, each group of contractions one kernel that
computes several products of one input, on memrefs or on tensors.

Drawn are: the number of contractions; the indices of what they have in common; for
each of them, which of these it sums over, which new ones it has, which of its inputs is
the common one, and the order of every index list, in which each calls the indices as it
likes; extents, ones and primes among them; strides of inputs and outputs; the element
types of all tensors, complex ones among them, with inputs that are conjugated or real;
alpha; epilogues of real numbers; and the chip. Most groups must have a schedule: tiles
whose sizes differ much may have no number of threads in common.
"""

import math
import sys

import random_chains
from random_contractions import region_lines

LEAST_SCHEDULED = 0.7


class HorizontalFusion(random_chains.Chain):
    """A function that computes products that share an input."""

    MEMBER = "contraction 1"
    NO_SCHEDULE = "has the same tile of what the contractions have in common"

    def branch(self, shared):
        """The labels of the input that all have in common, of the other input and of
        the output of a contraction, which calls all of them by names of its own."""
        rng = self.rng
        names = {label: next(self.labels) for label in shared}
        for label, own in names.items():
            self.extents[own] = self.extents[label]
        summed = [own for label, own in names.items()
                  if label not in self.free and rng.random() < 0.5]
        kept = [own for own in names.values() if own not in summed]
        size = math.prod(self.extents[own] for own in kept)
        most = max(1, min(random_chains.MOST_NEW, random_chains.MOST_ELEMENTS // size))
        new = self.new_labels(rng.choice((0, 1, 1, 2)), most)
        # Indices of which a block has one value.
        batch = [own for label, own in names.items()
                 if label in self.free and rng.random() < 0.15]
        return list(names.values()), summed + new + batch, kept + new

    def fused_lines(self, number, operands, output, c_value):
        """The lines of a contraction."""
        rng = self.rng
        (a, a_type, a_value), (b, b_type, b_value) = operands
        c_type = self.type(output, self.output)
        own = []
        alpha = self.alpha(f"alpha{number}", own)
        result = f"%r{number} = " if self.on_tensors else ""
        lines = [f"    {result}tc.contract {a.index_list()}, {b.index_list()}"
                 f" -> {output.index_list()}",
                 f"      ins({a_value}, {b_value} : {a_type}, {b_type})",
                 f"      outs({c_value} : {c_type}){alpha}{self.conjugates(operands)}"]
        if not self.is_complex and rng.random() < 0.3:
            lines += region_lines("epilogue", ["%y = math.absf %x : $t"], self.sums(),
                                  self.output, self.sums(), False, ())
        if self.on_tensors:
            lines[-1] += f" -> {c_type}"
        return own, lines

    def module(self):
        rng = self.rng
        count = rng.choice((2, 2, 3))
        shared = self.new_labels(rng.randint(1, 4), 800)
        self.free = {label for label in shared if rng.random() < 0.4}
        common = self.operand(shared, not self.on_tensors)
        common_type = self.inputs
        parameters = [f"%U: {self.type(common, common_type)}"]
        before, lines, results = [], [], []
        for number in range(count):
            names, other_labels, output_labels = self.branch(common.labels)
            own = type(common)(names, common.extents, common.strides, common.offset)
            is_b = rng.random() < 0.4
            other = self.operand(other_labels, not self.on_tensors)
            other_type = self.real_or_not(is_a=is_b)
            parameters.append(f"%B{number}: {self.type(other, other_type)}")
            output = self.operand(output_labels, not self.on_tensors)
            c_type = self.type(output, self.output)
            if self.on_tensors:
                before.append(f"  %T{number} = tensor.empty() : {c_type}")
            else:
                parameters.append(f"%T{number}: {c_type}")
            pair = [(own, self.type(common, common_type), "%U"),
                    (other, self.type(other, other_type), f"%B{number}")]
            if is_b:
                pair.reverse()
            constants, text = self.fused_lines(number, pair, output, f"%T{number}")
            before += constants
            lines += text
            results.append((f"%r{number}", c_type))
        values = ", ".join(value for value, _ in results)
        types = ", ".join(kind for _, kind in results)
        if self.on_tensors:
            lines.append(f"    tc.fused_yield {values} : {types}")
            opening = f"  %D:{count} = tc.fused -> {types} {{"
            end = "  return " + ", ".join(f"%D#{i}" for i in range(count)) + f" : {types}"
        else:
            opening, end = "  tc.fused {", "  return"
        signature = f" -> ({types})" if self.on_tensors else ""
        return "\n".join([f"func.func @fusion({', '.join(parameters)}){signature} {{",
                          *before, opening, *lines, "  }", end, "}"]) + "\n"


if __name__ == "__main__":
    sys.exit(random_chains.main(__doc__, "fusion", HorizontalFusion, LEAST_SCHEDULED))
