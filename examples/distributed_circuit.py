# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An amplitude of a random quantum circuit, in slices over the ranks of MPI.

Qubits are in a line, and layers of random gates act on neighbours, of even and odd pairs in
turn. The amplitude of "all qubits are zero" is a product of all gates, of which no more is stored at
once than the limit allows; a state of so many qubits is never made.

    mpiexec -n 4 python examples/distributed_circuit.py [QUBITS [LAYERS [LIMIT [CHECKPOINT]]]]

LIMIT is in bytes. With CHECKPOINT, a folder, the command can be killed, and goes on when it is called
again. Up to 16 qubits, the state is made, too, and compared; of more, in up to 8 layers, a chain of tensors.
"""

import sys

import numpy as np

import over_ranks


def random_gate(rng):
    """A unitary of two qubits, [new, new, old, old]."""
    parts = rng.standard_normal((2, 4, 4))
    unitary, _ = np.linalg.qr(parts[0] + 1j * parts[1])
    return unitary.reshape(2, 2, 2, 2)


def make_circuit(qubits, layers, rng):
    """The gates in the order of time, each with its first qubit."""
    return [
        (first, random_gate(rng))
        for layer in range(layers)
        for first in range(layer % 2, qubits - 1, 2)
    ]


def make_network(qubits, gates):
    """Subscripts and tensors of the amplitude. The zeros in which qubits begin and end
    are put into their gates at once."""
    wires = [None] * qubits
    last = {}
    for number, (first, _) in enumerate(gates):
        last[first] = last[first + 1] = number
    terms, tensors, count = [], [], 0
    for number, (first, gate) in enumerate(gates):
        labels, chosen, before = [], [], []
        for qubit in (first, first + 1):
            before.append(wires[qubit])
            if last[qubit] == number:
                chosen.append(0)
            else:
                chosen.append(slice(None))
                wires[qubit] = f"w{count}"
                labels.append(wires[qubit])
                count += 1
        for wire in before:
            chosen.append(0 if wire is None else slice(None))
            labels += [] if wire is None else [wire]
        terms.append("[" + ",".join(labels) + "]")
        tensors.append(np.ascontiguousarray(gate[tuple(chosen)]))
    return ",".join(terms) + "->[]", tensors


def amplitude_of_state(qubits, gates):
    state = np.zeros((2,) * qubits, "complex128")
    state[(0,) * qubits] = 1
    for first, gate in gates:
        state = np.tensordot(gate, state, ((2, 3), (first, first + 1)))
        state = np.moveaxis(state, (0, 1), (first, first + 1))
    return state[(0,) * qubits]


def amplitude_of_chain(qubits, gates):
    """The same by a chain of one tensor a qubit, [left, qubit, right], that gates are applied to. Nothing is cut off
    but what is zero, so that bonds grow with the layers."""
    zero = np.array([1, 0], "complex128").reshape(1, 2, 1)
    chain = [zero] * qubits
    for first, gate in gates:
        both = np.einsum("lxm,myr->lxyr", chain[first], chain[first + 1])
        both = np.einsum("abxy,lxyr->labr", gate, both)
        left, right = both.shape[0], both.shape[-1]
        u, sizes, w = np.linalg.svd(both.reshape(2 * left, 2 * right), full_matrices=False)
        kept = sizes > 1e-15 * sizes[0]
        chain[first] = u[:, kept].reshape(left, 2, -1)
        chain[first + 1] = (sizes[:, None] * w)[kept].reshape(-1, 2, right)
    value = np.ones((1, 1))
    for tensor in chain:
        value = value @ tensor[:, 0]
    return value[0, 0]


def main():
    qubits, layers, limit = over_ranks.arguments_or(12, 10, 2048)
    checkpoint = sys.argv[4] if len(sys.argv) > 4 else None
    gates = make_circuit(qubits, layers, np.random.default_rng(1))
    subscripts, tensors = make_network(qubits, gates)
    amplitude, is_first = over_ranks.contract(subscripts, tensors, limit, checkpoint)
    if not is_first:
        return 0
    print(f"{qubits} qubits, {len(gates)} gates, amplitude {amplitude:.6e}")
    if qubits > 16 and layers > 8:
        return 0
    expected = amplitude_of_state if qubits <= 16 else amplitude_of_chain
    error = abs(amplitude / expected(qubits, gates) - 1)
    print(f"relative error {error:.1e}")
    return 0 if error < 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main())
