#!/usr/bin/env python3
"""What chains of contractions in one kernel move, for the operators of spectral elements
of 4 to 15 points on two chips: interpolation along all three axes, from n points to as
many or two more.

Each element of U is read and each of V written, nothing is between, and what crosses
DRAM is at most 1.05 times that: the sectors that a block's part of a tensor lies in, the
parts of all blocks apart, and the small matrices once, which all blocks find in the
second cache."""

import json
import sys

import harness

CHIPS = ("sm_80", "sm_90")
ORDERS = range(4, 16)
# With few, blocks would share an element to fill the chip, and each read it.
ELEMENTS = 601
# The least of the chips: where blocks share elements, all of U has to fit.
SECOND_CACHE = 40 << 20
BLOCKS = "first,middle,last"
F64, SECTOR = 8, 32
MOST = 1.05


def module(n, m):
    """V[e,k,j,i] = sum over l, m and n of C[i,n] B[j,m] A[k,l] U[e,l,m,n]."""
    def tensor(*extents):
        return f"tensor<{'x'.join(map(str, extents))}xf64>"
    matrix = tensor(m, n)
    types = [tensor(ELEMENTS, n, n, n), tensor(ELEMENTS, n, n, m),
             tensor(ELEMENTS, n, m, m), tensor(ELEMENTS, m, m, m)]
    steps = [("[e, l, m, n], [i, n] -> [e, l, m, i]", "%U", "%C"),
             ("[e, l, m, i], [j, m] -> [e, l, j, i]", "%0", "%B"),
             ("[e, l, j, i], [k, l] -> [e, k, j, i]", "%1", "%A")]
    text = (f"func.func @interpolate(%A: {matrix}, %B: {matrix}, %C: {matrix}, "
            f"%U: {types[0]}) -> {types[3]} {{\n")
    for i, made in enumerate(types[1:]):
        text += f"  %t{i} = tensor.empty() : {made}\n"
    text += f"  %V = tc.fused -> {types[3]} {{\n"
    for i, (lists, a, b) in enumerate(steps):
        text += (f"    %{i} = tc.contract {lists} ins({a}, {b} : {types[i]}, {matrix}) "
                 f"outs(%t{i} : {types[i + 1]}) -> {types[i + 1]}\n")
    return (text + f"    tc.fused_yield %2 : {types[3]}\n  }}\n"
            f"  return %V : {types[3]}\n}}\n")


def sectors(points, block):
    """Those of all elements, the so many of a block apart from the others."""
    bytes_of = points ** 3 * F64
    ends = [*range(0, ELEMENTS, block), ELEMENTS]
    return sum(-(-end * bytes_of // SECTOR) - begin * bytes_of // SECTOR
               for begin, end in zip(ends, ends[1:]))


def expect(what, found, wanted):
    if found != wanted:
        raise harness.Failure(f"{what} is {found}, not {wanted}")


def case(chip, n, m):
    def run(context):
        path = context.write(f"{chip}-{n}-{m}.mlir", module(n, m))
        told = context.simulate(path, f"--chip={chip}", f"--blocks={BLOCKS}", "--check",
                                f"--seed={n}", "--ptxas=0", "--json")
        kernels = json.loads(told)["kernels"]
        expect("the number of kernels", len(kernels), 1)
        kernel = kernels[0]
        tensors = kernel["counters"]["tensors"]
        expect("what it takes", sorted(tensors), ["A1", "B", "B1", "B2", "C"])
        # The last block may have fewer.
        block = -(-ELEMENTS // kernel["grid"][0])
        elements = 2 * block + (ELEMENTS - 1) % block + 1
        expect("what is read of U", tensors["A1"]["load_bytes"],
               elements * n ** 3 * F64)
        written = tensors["C"]["store_bytes"]
        if kernel["grid"][0] <= ELEMENTS:
            expect("what is written of V", written, elements * m ** 3 * F64)
        elif not 0 < written < elements * m ** 3 * F64:
            raise harness.Failure(f"{written} B are written of V")
        elif ELEMENTS * n ** 3 * F64 > SECOND_CACHE:
            raise harness.Failure("blocks share elements that no cache keeps")
        moved = sum(sectors(points, block) for points in (n, m)) * SECTOR
        expect("what is read of the result", tensors["C"]["load_bytes"], 0)
        matrices = 3 * n * m * F64
        for name in ("B", "B1", "B2"):
            if tensors[name]["load_bytes"] > kernel["counters"]["blocks"] * n * m * F64:
                raise harness.Failure(f"a block reads {name} more than once")
        needed = ELEMENTS * (n ** 3 + m ** 3) * F64 + matrices
        ratio = (moved + matrices) / needed
        if ratio > MOST:
            raise harness.Failure(f"{ratio:.3f} times what is needed crosses DRAM")
        return {"ratio": ratio}
    return harness.Case(f"{chip}-{n}-{m}", run)


def main():
    arguments = harness.parser(__doc__).parse_args()
    cases = [case(chip, n, n if (n + i) % 2 or n + 2 > max(ORDERS) else n + 2)
             for i, chip in enumerate(CHIPS) for n in ORDERS]
    return harness.main(
        cases, arguments,
        lambda outcomes: print("at most", max(o.figures["ratio"] for o in outcomes),
                               "times what is needed"))


if __name__ == "__main__":
    sys.exit(main())
