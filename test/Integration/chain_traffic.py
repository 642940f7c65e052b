#!/usr/bin/env python3
"""The memory traffic of chains of contractions in one kernel, for the operators of
spectral elements of 4 to 15 points on two chips: interpolation along all three axes,
from n points to as many or two more.

Each element of U is read and each of V written, and nothing in between. DRAM's traffic is
at most 1.05 times that: the sectors that a block's part of a tensor lies in, the parts of
all blocks apart, and the small matrices once, which all blocks find in the second cache.

The gradient along all three axes, three products of one field, too: the field is read
from DRAM once, and each of the three results written once.

Two gates on a few qubits of a quantum state, of complex numbers, too: each amplitude is
read and written once, in runs of whole sectors, which no two blocks share.

Attention of a few heads, too: queries are read and the output is written once,
intermediate results are neither, and each block reads all keys and values of its head,
which the second cache keeps."""

import json
import re
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


def gradient(n):
    """The derivatives of a field along the three directions of each element."""
    field, matrix = f"tensor<{ELEMENTS}x{n}x{n}x{n}xf64>", f"tensor<{n}x{n}xf64>"
    steps = ("[e, k, j, l], [i, l]", "[e, k, l, i], [j, l]", "[e, l, j, i], [k, l]")
    fields = ", ".join([field] * 3)
    text = (f"func.func @gradient(%u: {field}, %D: {matrix}) -> ({fields}) {{\n"
            f"  %t = tensor.empty() : {field}\n  %g:3 = tc.fused -> {fields} {{\n")
    for i, lists in enumerate(steps):
        text += (f"    %{i} = tc.contract {lists} -> [e, k, j, i] ins(%u, %D : {field}, "
                 f"{matrix}) outs(%t : {field}) -> {field}\n")
    return (text + f"    tc.fused_yield %0, %1, %2 : {fields}\n  }}\n"
            f"  return %g#0, %g#1, %g#2 : {fields}\n}}\n")


# Of the larger one of the chips.
PROCESSORS, SHARED, MOST_BLOCKS = 132, 228 << 10, 32


def gradient_case(chip, n):
    """Each block reads its elements of the field three times, of which only the first
    time finds them in DRAM: what all blocks at work have is in the second cache."""
    def run(context):
        path = context.write(f"{chip}-gradient-{n}.mlir", gradient(n))
        told = context.simulate(path, f"--chip={chip}", f"--blocks={BLOCKS}", "--check",
                                f"--seed={n}", "--ptxas=0", "--json")
        kernels = json.loads(told)["kernels"]
        expect("the number of kernels", len(kernels), 1)
        kernel = kernels[0]
        tensors = kernel["counters"]["tensors"]
        expect("what it takes", sorted(tensors), ["A", "B", "B1", "B2", "C", "C1", "C2"])
        block = -(-ELEMENTS // kernel["grid"][0])
        if kernel["grid"][0] > ELEMENTS:
            raise harness.Failure("blocks share elements")
        elements = 2 * block + (ELEMENTS - 1) % block + 1
        expect("what is read of the field", tensors["A"]["load_bytes"],
               3 * elements * n ** 3 * F64)
        for name in ("C", "C1", "C2"):
            expect(f"what is written of {name}", tensors[name]["store_bytes"],
                   elements * n ** 3 * F64)
            expect(f"what is read of {name}", tensors[name]["load_bytes"], 0)
        resident = min(MOST_BLOCKS, SHARED // max(1, kernel["dynamic_shared_bytes"]))
        if PROCESSORS * resident * block * n ** 3 * F64 > SECOND_CACHE:
            raise harness.Failure("blocks have more at once than the second cache keeps")
        matrices = 3 * n * n * F64
        moved = 4 * sectors(n, block) * SECTOR + matrices
        ratio = moved / (4 * ELEMENTS * n ** 3 * F64 + matrices)
        if ratio > MOST:
            raise harness.Failure(f"{ratio:.3f} times what is needed crosses DRAM")
        return {"ratio": ratio}
    return harness.Case(f"{chip}-gradient-{n}", run)


QUBITS = 18
# The two qubits of each gate, the most significant one being 0: the same, one in
# common, none; near by, far apart; those whose amplitudes lie side by side.
GATES = (((3, 9), (3, 9)), ((2, 9), (9, 15)), ((0, 17), (5, 11)), ((16, 17), (14, 15)),
         ((16, 17), (0, 1)), ((0, 1), (17, 2)))


def indices_of(gates):
    """The indices of a state, with their extents: qubits that gates are on, and letters
    for neighbours that none is on."""
    free = iter("abcdefghi")
    indices = []
    for qubit in range(QUBITS):
        if any(qubit in gate for gate in gates):
            indices.append((qubit, 2))
        elif indices and isinstance(indices[-1][0], str):
            indices[-1] = (indices[-1][0], 2 * indices[-1][1])
        else:
            indices.append((next(free), 2))
    return indices


def label_of(index, changed=()):
    """A contraction's label for an index, which may be one of those that a gate has
    changed."""
    if isinstance(index, str):
        return index
    return f"{'n' if index in changed else 'q'}{index}"


def run_of(indices, changed, schedule):
    """The number of neighbours in memory that a block has at a time."""
    tiles = dict(re.findall(r"(\w+): (\d+)", schedule))
    run = 1
    for index, extent in reversed(indices):
        tile = min(extent, int(tiles.get(label_of(index, changed), 1)))
        run *= tile
        if tile < extent:
            break
    return run


def two_gates(element, gates):
    """G on two qubits of a state and then H on two."""
    indices = indices_of(gates)
    extents = [extent for _, extent in indices]
    state = f"tensor<{'x'.join(map(str, extents))}xcomplex<{element}>>"
    gate = f"tensor<2x2x2x2xcomplex<{element}>>"

    def lists(qubits):
        before, after = (", ".join(label_of(index, changed) for index, _ in indices)
                         for changed in ((), qubits))
        one, other = qubits
        return f"[{before}], [n{one}, n{other}, q{one}, q{other}] -> [{after}]"

    text = (f"func.func @gates(%psi: {state}, %G: {gate}, %H: {gate}) -> {state} {{\n"
            f"  %t = tensor.empty() : {state}\n  %o = tensor.empty() : {state}\n"
            f"  %phi = tc.fused -> {state} {{\n")
    for i, (qubits, taken, matrix, made) in enumerate(
            zip(gates, ("%psi", "%0"), ("%G", "%H"), ("%t", "%o"))):
        text += (f"    %{i} = tc.contract {lists(qubits)} ins({taken}, {matrix} : "
                 f"{state}, {gate}) outs({made} : {state}) -> {state}\n")
    return (text + f"    tc.fused_yield %1 : {state}\n  }}\n"
            f"  return %phi : {state}\n}}\n")


def gates_case(chip, element, gates):
    name = f"{chip}-gates-{element}-" + "-".join(str(q) for gate in gates for q in gate)

    def run(context):
        path = context.write(f"{name}.mlir", two_gates(element, gates))
        told = context.simulate(path, f"--chip={chip}", "--check", "--seed=1",
                                "--ptxas=0", "--json")
        kernels = json.loads(told)["kernels"]
        expect("the number of kernels", len(kernels), 1)
        tensors = kernels[0]["counters"]["tensors"]
        expect("what it takes", sorted(tensors), ["A1", "B", "B1", "C"])
        of_number = 16 if element == "f64" else 8
        of_state, of_gates = of_number << QUBITS, 2 * 16 * of_number
        expect("what is read of the state", tensors["A1"]["load_bytes"], of_state)
        expect("what is written of it", tensors["C"]["store_bytes"], of_state)
        expect("what is read of the result", tensors["C"]["load_bytes"], 0)
        indices = indices_of(gates)
        moved = of_gates
        for changed, schedule in (((), kernels[0]["contractions"][0]["schedule"]),
                                  (gates[1], kernels[0]["schedule"])):
            run = run_of(indices, changed, schedule) * of_number
            moved += of_state * -(-run // SECTOR) * SECTOR // run
        ratio = moved / (2 * of_state + of_gates)
        if ratio > MOST:
            raise harness.Failure(f"{ratio:.3f} times what is needed crosses DRAM")
        return {"ratio": ratio}
    return harness.Case(name, run)


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
    cases += [gradient_case(CHIPS[n % 2], n) for n in ORDERS]
    cases += [gates_case(chip, element, gates) for chip in CHIPS
              for element in ("f64", "f32") for gates in GATES]
    cases += [attention_case(chip, *extents) for chip in CHIPS
              for extents in ((256, 192, 64), (129, 301, 32))]
    return harness.main(
        cases, arguments,
        lambda outcomes: print("at most", max(o.figures["ratio"] for o in outcomes),
                               "times what is needed"))


if __name__ == "__main__":
    sys.exit(main())
