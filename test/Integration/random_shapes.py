#!/usr/bin/env python3
"""Simulates and checks random contractions on random shapes: kernels that take
extents and strides as arguments, compiled once and run on several.

Drawn are: which indices are in A, in B and in C, and their order; the extents
that kernels are tuned for, maybe twice, some of which have blocks share sums; the
element type, the semiring, alpha and beta, fused code, with another tensor, too,
whether all of C is added up, the chip; then, for each of several runs of the
package, the extents, multiples of those or any, and the strides of tensors that
are contiguous, or that have their dimensions in any order, gaps, and strides that
are negative or, of inputs, zero; those of fused code's tensor, too. All versions
that take a shape are run, and each shape must have one.
"""

import math
import os
import random
import sys

import harness

TYPES = ("f64", "f64", "f32", "f32", "f16", "bf16", "i8", "i32", "i64",
         "f8e4m3fn", "c64", "c32")
CHIPS = ("sm_75", "sm_80", "sm_90")
SEMIRINGS = ("max_plus", "min_max", "max_times")
MOST_ELEMENTS, MOST_FMAS = 6000, 120_000
RUNS = 4


def draw_lists(rng):
    """The index lists of A, B and C, as strings of letters."""
    while True:
        lists = {"A": "", "B": "", "C": ""}
        for label in "abcdefg"[:rng.randint(1, 6)]:
            holders = rng.choice(("AC", "AC", "BC", "BC", "AB", "AB", "ABC",
                                  "A", "B"))
            for tensor in holders:
                lists[tensor] += label
        if any(lists.values()):
            break
    for tensor, labels in lists.items():
        lists[tensor] = "".join(rng.sample(labels, len(labels)))
    return lists


def draw_tuned(rng, lists):
    """Extents to tune for, which may be long: they need not run."""
    extents = {x: rng.choice((1, 2, 3, 5, 8, 16, 17, 24, 32, 40, 64, 100, 256,
                              512))
               for x in sorted(set("".join(lists.values())))}
    summed = [x for x in extents if x not in lists["C"]]
    # No loop over K has more steps than 31 bits count.
    if (summed and math.prod(extents[x] for x in summed) < 1 << 19
            and rng.random() < 0.3):
        extents[rng.choice(summed)] = 4096
    return extents


def draw_extents(rng, lists, tuned):
    """An extent for each index, few enough elements and products in all."""
    labels = sorted(tuned)
    if rng.random() < 0.5:
        # Extents that the specialised kernels take, unless those are too many.
        least = {x: math.gcd(tuned[x], 32) for x in labels}
        extents = {x: least[x] * rng.choice((1, 1, 2, 3)) for x in labels}
    else:
        least = dict.fromkeys(labels, 1)
        extents = {x: rng.choice((1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 24, 32, 33,
                                  40, 64)) for x in labels}

    def too_many():
        sizes = [math.prod(extents[x] for x in labels_of)
                 for labels_of in lists.values()]
        return (max(sizes) > MOST_ELEMENTS
                or math.prod(extents.values()) > MOST_FMAS)

    while too_many():
        largest = max(labels, key=lambda x: (extents[x] > least[x], extents[x]))
        extents[largest] = max(1, extents[largest] - max(
            least[largest], extents[largest] // 2 // least[largest]
            * least[largest])) or 1
    return extents


def draw_strides(rng, extents, is_output):
    """Strides of a tensor whose elements lie apart, or, of an input, together."""
    order = list(range(len(extents)))
    rng.shuffle(order)
    strides, step = [0] * len(extents), rng.choice((1, 1, 2, 3))
    for dim in order:
        strides[dim] = step
        step = step * extents[dim] + rng.choice((0, 0, 0, 1, 5))
    for dim in order:
        if rng.random() < 0.15:
            strides[dim] = -strides[dim]
        elif not is_output and rng.random() < 0.1:
            strides[dim] = 0
    return strides


def text_of(extents):
    return ",".join(f"{label}={extent}" for label, extent in extents.items())


class Shapes:
    """A package, and the shapes to run it with."""

    def __init__(self, rng):
        self.lists = draw_lists(rng)
        self.spec = "{A},{B}->{C}".format(**self.lists)
        element = rng.choice(TYPES)
        self.options = [f"--type={element}", f"--chip={rng.choice(CHIPS)}"]
        is_float = element.startswith(("f", "bf"))
        is_complex = element.startswith("c")
        semiring = (rng.random() < 0.15 and element != "f8e4m3fn"
                    and not is_complex)
        self.reduces = (is_float and not semiring and bool(self.lists["C"])
                        and rng.random() < 0.2)
        if is_complex and rng.random() < 0.5:
            self.options.append(rng.choice(("--conjugate-a", "--conjugate-b")))
        if semiring:
            self.options.append(f"--semiring={rng.choice(SEMIRINGS)}")
        elif self.reduces:
            self.options.append("--reduce")
        elif rng.random() < 0.4:
            self.options += ["--alpha=-0.5", "--beta=0.75"] if is_float else [
                "--alpha=3", "--beta=-1"]
        if is_float and rng.random() < 0.25:
            self.options.append("--prologue-a=x + 0.5")
        self.held = None
        if is_float and rng.random() < 0.4:
            epilogue = "--epilogue=max(x, 0.25)"
            if self.lists["C"] and rng.random() < 0.6:
                self.held = rng.sample(self.lists["C"],
                                       rng.randint(1, len(self.lists["C"])))
                epilogue += f" + s[{','.join(self.held)}]"
            self.options.append(epilogue)
        if element == "f32" and not semiring and rng.random() < 0.4:
            self.options.append("--precision="
                                + rng.choice(("tf32", "3xtf32", "bf16x3")))
        self.tuned = [draw_tuned(rng, self.lists)
                      for _ in range(rng.choice((1, 1, 2)))]
        self.runs = []
        for _ in range(RUNS):
            extents = draw_extents(rng, self.lists, rng.choice(self.tuned))
            strides = None
            if rng.random() < 0.4:
                drawn = {tensor: draw_strides(rng, [extents[x] for x in labels],
                                              tensor == "C")
                         for tensor, labels in self.lists.items()}
                if self.reduces:
                    drawn["C"] = [0] * len(drawn["C"])
                if self.held and rng.random() < 0.7:
                    drawn["s"] = draw_strides(rng, [extents[x] for x in self.held],
                                              is_output=False)
                strides = ";".join(",".join(map(str, drawn[tensor]))
                                   for tensor in drawn)
            self.runs.append((extents, strides))

    def shape_options(self, extents, strides):
        return [f"--extents={text_of(extents)}"] + (
            [f"--strides={strides}"] if strides else [])


def case(seed, number):
    name = f"shapes-{seed}-{number:03}"
    drawn = Shapes(random.Random(f"{seed}-{number}"))

    def run(context):
        package = os.path.join(context.folder, f"{name}.json")
        ran = 0
        for place, shape in enumerate(drawn.runs):
            options = drawn.shape_options(*shape)
            if place == 0:
                options += [f"--tuned-for={text_of(x)}" for x in drawn.tuned]
                options += [*drawn.options, f"--save-package={package}"]
                source = drawn.spec
            else:
                source = package
            told = context.simulate(source, "--check=all", "--least-aligned",
                                    f"--seed={number}", *options)
            ran += told.count("\nkernel ")
            if "launches take" not in told:
                raise harness.Failure("no kernel is chosen for a shape")
        return {"ran": ran}

    return harness.Case(name, run)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--count", type=int, default=50)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.count} cases")

    def show(outcomes):
        ran = sum(outcome.figures["ran"] for outcome in outcomes)
        print(f"{ran} kernels run on {RUNS * len(outcomes)} shapes")

    return harness.main([case(arguments.seed, number)
                         for number in range(arguments.count)],
                        arguments, show)


if __name__ == "__main__":
    sys.exit(main())
