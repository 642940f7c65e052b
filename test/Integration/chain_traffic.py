#!/usr/bin/env python3
"""What chains of contractions in one kernel move, for the operators of spectral elements
of 4 to 15 points on two chips: interpolation along all three axes, from n points to as
many or two more.

Each element of U is read and each of V written, nothing is between, and what crosses
DRAM is at most 1.05 times that: the sectors that a block's part of a tensor lies in, the
parts of all blocks apart, and the small matrices once, which all blocks find in the
second cache.

Attention of a few heads, too: queries are read and the output is written once, what is
between not at all, and each block reads all keys and values of its head, which the
second cache keeps."""

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


HEADS = 4


def attention(queries, keys, size):
    """O[h,q,d] = sum over k of softmax(Q[h,q,d] K[h,k,d]) V[h,k,d]."""
    def tensor(*extents, element="f16"):
        return f"tensor<{HEADS}x{'x'.join(map(str, extents))}x{element}>"
    q, k, s = tensor(queries, size), tensor(keys, size), tensor(queries, keys)
    return (f"func.func @attention(%Q: {q}, %K: {k}, %V: {k}) -> {q} {{\n"
            f"  %s = tensor.empty() : {s}\n  %o = tensor.empty() : {q}\n"
            f"  %O = tc.fused -> {q} {{\n"
            f"    %0 = tc.contract [h, q, d], [h, k, d] -> [h, q, k] "
            f"ins(%Q, %K : {q}, {k}) outs(%s : {s}) -> {s}\n"
            f"    %1 = linalg.softmax dimension(2) ins(%0 : {s}) outs(%s : {s}) -> {s}\n"
            f"    %2 = tc.contract [h, q, k], [h, k, d] -> [h, q, d] "
            f"ins(%1, %V : {s}, {k}) outs(%o : {q}) -> {q}\n"
            f"    tc.fused_yield %2 : {q}\n  }}\n  return %O : {q}\n}}\n")


def attention_case(chip, queries, keys, size):
    name = f"{chip}-attention-{queries}-{keys}-{size}"

    def run(context):
        path = context.write(f"{name}.mlir", attention(queries, keys, size))
        told = context.simulate(path, f"--chip={chip}", "--check", "--seed=1",
                                "--ptxas=0", "--json")
        kernels = json.loads(told)["kernels"]
        expect("the number of kernels", len(kernels), 1)
        tensors = kernels[0]["counters"]["tensors"]
        expect("what it takes", sorted(tensors), ["A1", "B", "B1", "C"])
        of_queries, of_keys = (HEADS * rows * size * 2 for rows in (queries, keys))
        expect("what is read of Q", tensors["A1"]["load_bytes"], of_queries)
        expect("what is written of O", tensors["C"]["store_bytes"], of_queries)
        expect("what is read of O", tensors["C"]["load_bytes"], 0)
        blocks = kernels[0]["counters"]["blocks"] // HEADS
        for tensor in ("B", "B1"):
            expect(f"what is read of {tensor}", tensors[tensor]["load_bytes"],
                   blocks * of_keys)
        if 2 * of_keys > SECOND_CACHE:
            raise harness.Failure("keys and values are in no cache")
        # Rows begin with sectors, so that no block shares one with another.
        expect("what a row has beyond whole sectors", 2 * size % SECTOR, 0)
        return {"ratio": 1.0}
    return harness.Case(name, run)


def main():
    arguments = harness.parser(__doc__).parse_args()
    cases = [case(chip, n, n if (n + i) % 2 or n + 2 > max(ORDERS) else n + 2)
             for i, chip in enumerate(CHIPS) for n in ORDERS]
    cases += [attention_case(chip, *extents) for chip in CHIPS
              for extents in ((256, 192, 64), (129, 301, 32))]
    return harness.main(
        cases, arguments,
        lambda outcomes: print("at most", max(o.figures["ratio"] for o in outcomes),
                               "times what is needed"))


if __name__ == "__main__":
    sys.exit(main())
