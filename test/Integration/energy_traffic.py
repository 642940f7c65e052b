#!/usr/bin/env python3
"""The memory traffic of the energy of CCSD(T), as one kernel of 18 contractions:
each block reads its tile of each input once, in whole sectors, and writes one
number.

The tiles are those of the kernel's schedules, and the bytes follow from them in
closed form; nothing of the model is asked.
"""

import json
import math
import os
import re
import sys

import harness

EXAMPLE = os.path.join(harness.ROOT, "examples", "ccsd_t_energy.mlir")
BLOCKS = "first,middle,last"
F64, SECTOR, COUNTER = 8, 32, 4


def tiles_of(term):
    """A block's tile along each index of C; the whole extents of the other
    indices."""
    tiles = dict(term["extents"])
    for side in ("m", "n"):
        entries = re.search(rf"\b{side} = \[(.*?)\]", term["schedule"]).group(1)
        for entry in entries.split(", "):
            label, tile = entry.split(": ")
            tiles[label] = int(tile)
    return tiles


def inputs_of(term):
    """The names of A and B, and their labels."""
    product = term["contraction"].split("= ")[1]
    return [(name, labels.split(","))
            for name, labels in re.findall(r"(\w+)\[(.*?)\]", product)
            if name[0] in "AB"]


def expect(what, found, wanted):
    if found != wanted:
        raise harness.Failure(f"{what} is {found}, not {wanted}")


def run(context):
    told = context.simulate(EXAMPLE, f"--blocks={BLOCKS}", "--check=all",
                            "--seed=1", "--json")
    (kernel,) = json.loads(told)["kernels"]
    counters = kernel["counters"]
    blocks = counters["blocks"]
    tensors = counters["tensors"]
    # "C = sum over a,b of A[..." has C's indices before the inputs.
    main = {**kernel, "contraction":
            "C = " + kernel["contraction"].split(" of ")[1]}
    terms = [main, *kernel["contractions"]]
    expect("the number of terms", len(terms), 18)
    for term in terms:
        tiles = tiles_of(term)
        inputs = inputs_of(term)
        expect("the number of inputs", len(inputs), 2)
        for name, labels in inputs:
            elements = math.prod(tiles[label] for label in labels)
            bytes_read = blocks * elements * F64
            expect(f"what is read of {name}", tensors[name]["load_bytes"],
                   bytes_read)
            expect(f"the sectors of {name}", tensors[name]["load_sectors"],
                   bytes_read // SECTOR)
    for name, tensor in tensors.items():
        expect(f"what is written of {name}", tensor["store_bytes"], 0)
    expect("what is read of C", tensors["C"]["load_bytes"], 0)
    expect("what is written of the workspace",
           counters["workspace"]["store_bytes"], blocks * (F64 + COUNTER))
    expect("what is read of the workspace",
           counters["workspace"]["load_bytes"], blocks * COUNTER)


if __name__ == "__main__":
    sys.exit(harness.main([harness.Case("energy", run)],
                          harness.parser(__doc__).parse_args()))
