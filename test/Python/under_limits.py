# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and calls one contraction, then calls it under limits of address
space that are drawn at random: what is left is what generated code allocates.
Prints for each call "right" or "refused", or what is wrong: "wrong" numbers, or
an output that is "changed" although the call was refused.

The only argument is JSON: spec, extents, dtype, strategy, threads, seed."""

import json
import resource
import sys

import numpy as np
import tc

MEBIBYTE = 1 << 20


def address_space():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def main():
    case = json.loads(sys.argv[1])
    rng = np.random.default_rng(case["seed"])
    operands = [
        # Small numbers, so that all sums are exact.
        rng.integers(-2, 3, [case["extents"][label] for label in operand]).astype(case["dtype"])
        for operand in case["spec"].split("->")[0].split(",")
    ]
    options = {} if case["strategy"] == "auto" else {"strategy": case["strategy"]}
    shapes = [array.shape for array in operands]
    kernel = tc.compile(
        case["spec"], shapes, case["dtype"], threads=case["threads"], **options
    )
    expected = kernel(*operands).copy()
    held = np.full_like(expected, 77)
    out = held.copy()
    outcomes = []
    # From a quarter of a mebibyte to 64, all magnitudes equally likely.
    for mebibytes in [0, *np.exp2(np.sort(rng.uniform(-2, 6, 6))), 4096]:
        limit = address_space() + int(mebibytes * MEBIBYTE)
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        try:
            kernel(*operands, out=out)
            done = True
        except MemoryError:
            done = False
        resource.setrlimit(
            resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        )
        if done:
            outcomes.append("right" if (out == expected).all() else "wrong")
        else:
            outcomes.append("refused" if (out == held).all() else "changed")
        out[...] = held
    print(*outcomes)


if __name__ == "__main__":
    main()
