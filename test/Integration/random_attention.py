#!/usr/bin/env python3
"""Simulates and checks random attention: two contractions, and a softmax between
them or other code, of which the second one sums step by step.

Drawn are: the indices of batch, rows and values, and those that the scores are
summed over, some of them none; which is the other input of each contraction; the
order of every index list; extents, ones and primes among them; the element types of
inputs, scores, factors and result; alpha, beta, code between scores and softmax and
after it; tensors or memrefs, with strides; and the chip.
"""

import sys

import random_chains
from random_contractions import Operand, draw_layout, region_lines

# Inputs, scores, factors, result.
TYPES = (("f64", "f64", "f64", "f64"), ("f32", "f32", "f32", "f32"),
         ("f16", "f32", "f16", "f16"), ("f16", "f32", "f16", "f32"),
         ("bf16", "f32", "bf16", "bf16"), ("f16", "f16", "f16", "f16"),
         ("bf16", "bf16", "bf16", "f32"), ("f16", "f32", "f32", "f32"))
CHIPS = ("sm_75", "sm_80", "sm_90")
EXTENTS = (1, 2, 3, 5, 7, 8, 16, 17)
SUMMED = (2, 3, 7, 16, 31, 64, 67, 100, 128, 200)
# Of all cases, those that must have a schedule.
LEAST_SCHEDULED = 0.8


class Attention:
    """A function that computes it."""

    MEMBER = random_chains.Chain.MEMBER
    NO_SCHEDULE = random_chains.Chain.NO_SCHEDULE

    def __init__(self, rng):
        self.rng = rng
        self.chip = rng.choice(CHIPS)
        self.inputs, self.scores, self.factors, self.output = rng.choice(TYPES)
        self.on_tensors = rng.random() < 0.6
        self.softmax = rng.random() < 0.75
        self.labels = iter("abcdefghijlmnopqrstuvwxyz")
        self.extents = {"k": rng.choice(SUMMED)}

    def sums(self):
        """The type of sums."""
        return "f64" if self.inputs == "f64" else "f32"

    def new(self, count, most=2000):
        labels = []
        for _ in range(count):
            label = next(self.labels)
            extents = [extent for extent in EXTENTS if extent <= most]
            self.extents[label] = self.rng.choice(extents)
            most //= self.extents[label]
            labels.append(label)
        return labels

    def operand(self, labels, element, strided=False):
        labels = list(labels)
        self.rng.shuffle(labels)
        shape = [self.extents[label] for label in labels]
        strided = strided and not self.on_tensors
        layout = draw_layout(self.rng, shape) if strided else (None, 0)
        operand = Operand(labels, shape, *layout)
        text = operand.type(element)
        if self.on_tensors:
            text = text.replace("memref<", "tensor<")
        return operand, text

    def contraction(self, result, pair, output, more):
        """The lines of a contraction: (operand, type, value) of each input and of C."""
        (a, a_type, a_value), (b, b_type, b_value) = pair
        c, c_type, c_value = output
        prefix = f"{result} = " if self.on_tensors else ""
        return [f"    {prefix}tc.contract {a.index_list()}, {b.index_list()}"
                f" -> {c.index_list()}",
                f"      ins({a_value}, {b_value} : {a_type}, {b_type})",
                f"      outs({c_value} : {c_type}){more}"]

    def module(self):
        rng, sums = self.rng, self.sums()
        batch, rows = self.new(rng.choice((0, 0, 1, 2)), 8), self.new(rng.choice((0, 1, 1, 2)))
        depth, values = self.new(rng.choice((0, 1, 1, 2)), 100), self.new(rng.choice((0, 1, 1)))
        queries = self.operand(batch + rows + depth, self.inputs, True)
        keys = self.operand(batch + ["k"] + depth, self.inputs, True)
        scores = self.operand(batch + rows + ["k"], self.scores)
        value = self.operand(batch + ["k"] + values, self.inputs, True)
        output = self.operand(batch + rows + values, self.output, True)
        before, lines = [], []
        alpha = beta = ""
        if rng.random() < 0.6:
            before.append(f"  %alpha = arith.constant {rng.choice((0.125, -0.5, 2.0))!r} : {sums}")
            alpha = f" alpha(%alpha : {sums})"
        if rng.random() < 0.3:
            before.append(f"  %beta = arith.constant -0.75 : {sums}")
            beta = f" beta(%beta : {sums})"
        if self.on_tensors:
            for name in "sp":
                before.append(f"  %{name} = tensor.empty() : {scores[1]}")
        else:
            before.append(f"  %s = memref.alloc() : {scores[1]}")
            in_place = rng.random() < 0.5
            before.append("  %p = memref.alloc() : " + scores[1] if not in_place else "")
            if in_place:
                before.pop()
        pair = [(*queries, "%Q"), (*keys, "%K")]
        rng.shuffle(pair)
        lines += self.contraction("%0", pair, (*scores, "%s"), alpha)
        if rng.random() < 0.4:
            code = rng.choice((["%y = math.absf %x : $t"],
                               ["%c = arith.constant 0.75 : $t\n%y = arith.addf %x, %c : $t"]))
            lines += region_lines("epilogue", code, sums, self.scores, sums, False, ())
        if self.on_tensors:
            lines[-1] += f" -> {scores[1]}"
        taken = "%0" if self.on_tensors else "%s"
        if self.softmax:
            target = "%p" if self.on_tensors or not in_place else "%s"
            prefix = "%1 = " if self.on_tensors else ""
            arrow = f" -> {scores[1]}" if self.on_tensors else ""
            lines.append(f"    {prefix}linalg.softmax dimension({scores[0].labels.index('k')}) "
                         f"ins({taken} : {scores[1]}) outs({target} : {scores[1]}){arrow}")
            taken = "%1" if self.on_tensors else target
        elif not self.on_tensors and not in_place:
            before.pop()
        pair = [(*scores, taken), (*value, "%V")]
        swapped = rng.random() < 0.5
        if swapped:
            pair.reverse()
        lines += self.contraction("%2", pair, (*output, "%O"), beta)
        if self.factors != self.scores:
            name = "prologue_b" if swapped else "prologue_a"
            lines += region_lines(name, ["%y = math.absf %x : $t"], self.scores, self.factors, self.scores, False)
        if self.on_tensors:
            lines[-1] += f" -> {output[1]}"
            lines.append(f"    tc.fused_yield %2 : {output[1]}")
        opening = f"  %R = tc.fused -> {output[1]} {{" if self.on_tensors else "  tc.fused {"
        end = f"  return %R : {output[1]}" if self.on_tensors else "  return"
        results = f" -> {output[1]}" if self.on_tensors else ""
        parameters = [f"%{name}: {operand[1]}" for name, operand in
                      (("Q", queries), ("K", keys), ("V", value), ("O", output))]
        return "\n".join([f"func.func @attention({', '.join(parameters)}){results} {{",
                          *before, opening, *lines, "  }", end, "}"]) + "\n"


if __name__ == "__main__":
    sys.exit(random_chains.main(__doc__, "attention", Attention, LEAST_SCHEDULED))
