#!/usr/bin/env python3
"""Runs random products of 3 to 8 tensors, in the simulator or on the CPU, step
by step on what the steps before have made, each checked against a reference.

Besides, the steps themselves have to make the product: each tensor is used once,
an index is summed where nothing after the step holds it and no earlier, and the last
step has the output's indices. The same seed draws the same cases, on any machine.
"""

import json
import random
import re
import sys

import harness

# With the factors of a semiring, which change nothing.
FORMULA = re.compile(r"C(?:\[(.*?)\])? = (?:\S+ \* )?A(?:\[(.*?)\])?"
                     r"(?: \* B(?:\[(.*?)\])?)?(?: \+ \S+ \* C.*)?$")
TYPES = ("f64", "f64", "f32", "f16", "c64", "i32")


class Network:
    """A connected one, whose indices are in one to four of its tensors."""

    def __init__(self, rng):
        count = rng.randint(3, 8)
        self.inputs = [[] for _ in range(count)]
        self.extents = {}
        for number in range(1, count):
            self.add_index(rng, [number, rng.randrange(number)])
        for _ in range(rng.randint(0, count)):
            self.add_index(rng, [rng.randrange(count)
                                 for _ in range(rng.randint(1, 4))])
        for labels in self.inputs:
            rng.shuffle(labels)
        self.output = [label for label in self.extents if rng.random() < 0.3]
        rng.shuffle(self.output)
        self.type = rng.choice(TYPES)
        self.semiring = ("min_plus" if self.type in ("f64", "f32")
                         and rng.random() < 0.2 else None)

    def add_index(self, rng, places):
        label = chr(ord("a") + len(self.extents))
        self.extents[label] = rng.choice((1, 2, 3, 4, 5, 7))
        for place in set(places):
            self.inputs[place].append(label)

    def spec(self):
        return ",".join(map("".join, self.inputs)) + "->" + "".join(self.output)


def lists_of(formula):
    """The indices of A, B and C in tc-run's report on a kernel."""
    match = FORMULA.match(formula)
    if not match:
        raise harness.Failure(f"no contraction: {formula}")
    c, a, b = ([x for x in (group or "").split(",") if x]
               for group in match.groups())
    return a, b, c


def check_steps(network, kernels):
    """Raises if the steps do not make the product."""
    left = [sorted(labels) for labels in network.inputs]
    made = {}
    for number, kernel in enumerate(kernels):
        a, b, c = lists_of(kernel["contraction"])
        read = kernel.get("results_of", {"a": None, "b": None})
        for labels, producer in ((a, read["a"]), (b, read["b"])):
            if producer is not None:
                if made.pop(producer, None) != labels:
                    raise harness.Failure(
                        f"kernel {number} does not read what {producer} made")
            elif sorted(labels) in left:
                left.remove(sorted(labels))
            # A tensor that is only summed is multiplied with the number one.
            elif labels or labels is a:
                raise harness.Failure(
                    f"kernel {number} reads {labels}, which is left of no input")
        needed = set(network.output).union(*left, *made.values())
        if set(c) != (set(a) | set(b)) & needed:
            raise harness.Failure(f"kernel {number} sums the wrong indices: "
                                  + kernel["contraction"])
        made[number] = c
    if left or list(made.values()) != [network.output]:
        raise harness.Failure(f"left are {left}, and made {made}")


def case(number, network, target):
    def run(context):
        extents = ",".join(f"{k}={v}" for k, v in network.extents.items())
        options = [f"--extents={extents}", f"--type={network.type}", "--check",
                   "--json", f"--seed={number}"]
        if network.semiring:
            options.append(f"--semiring={network.semiring}")
        report = json.loads(context.compute(target, network.spec(), *options))
        check_steps(network, report["kernels"])
        return {"steps": len(report["kernels"])}

    return harness.Case(f"drawn-{number:03}-{network.spec()}-{network.type}", run)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("target", choices=("sim", "cpu"))
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20261128)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    rng = random.Random(arguments.seed)
    return harness.main([case(number, Network(rng), arguments.target)
                         for number in range(arguments.count)], arguments)


if __name__ == "__main__":
    sys.exit(main())
