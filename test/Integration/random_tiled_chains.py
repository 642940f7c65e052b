#!/usr/bin/env python3
"""Runs random chains of contractions on the CPU, tile by tile, and checks them.

The chains are those of random_chains.py, on tensors; most have a batch index with a larger extent,
primes among them. They are compiled for a machine with small caches, so that intermediate results do
not fit, and a tile is a small part; on one thread and on two. Each contraction of a tile is checked
by definition, and then the whole chain against the contractions of it one after the other, each by
definition.
"""

import random
import sys

import harness
import random_chains

# Types of inputs, of intermediate results, and of C.
TYPES = (("f64", "f64", "f64"), ("f64", "f64", "f64"), ("f32", "f32", "f32"),
         ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("complex<f64>",) * 3,
         ("complex<f32>",) * 3)
BATCH = (5, 17, 31, 64, 97)
# Of all chains, those that must be computed in tiles.
LEAST_TILED = 0.5
WHOLE = "\nwhole program chain\n"


class TiledChain(random_chains.Chain):
    """A chain on tensors, with a batch index that goes through all links."""

    # With divisions, the difference between two ways to compute the chain would have no bound.
    DIVIDES = False

    def __init__(self, rng):
        super().__init__(rng)
        self.inputs, self.between, self.output = rng.choice(TYPES)
        self.on_tensors = True
        self.batched = rng.random() < 0.85
        self.threads = rng.choice((1, 1, 2))

    def first(self):
        a, b, kept = super().first()
        if self.batched:
            label = next(self.labels)
            self.extents[label] = self.rng.choice(BATCH)
            self.batch.add(label)
            for side in (a, kept) + ((b,) if self.rng.random() < 0.4 else ()):
                side.insert(0, label)
        return a, b, kept


def case(seed, number):
    name = f"tiled-chain-{seed}-{number:03}"
    drawn = TiledChain(random.Random(f"tiled-{seed}-{number}"))
    text = drawn.module()

    def run(context):
        path = context.write(f"{name}.mlir", text)
        told = context.compute(
            "cpu", path, "--check=all", f"--seed={number}", "--tile-chains=always",
            f"--target-file={context.small_cpu(name)}",
            f"--threads={drawn.threads}")
        if "no program" in told:
            raise harness.Failure("is no program")
        return {"tiled": WHOLE in told}

    return harness.Case(name, run)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=20261126)
    parser.add_argument("--count", type=int, default=40)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.count} cases")

    def show(outcomes):
        tiled = sum(outcome.figures["tiled"] for outcome in outcomes)
        print(f"{tiled} of {len(outcomes)} are computed in tiles")
        if not arguments.filter and tiled < LEAST_TILED * len(outcomes):
            raise harness.Failure(f"fewer than {LEAST_TILED:.0%}")

    return harness.main([case(arguments.seed, number)
                         for number in range(arguments.count)], arguments, show)


if __name__ == "__main__":
    sys.exit(main())
