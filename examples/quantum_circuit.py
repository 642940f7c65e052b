# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The quantum Fourier transform of a state of some qubits, gate by gate.

The state of n qubits is a complex tensor with n dimensions of extent two, the
first one of the most significant qubit. A gate on some qubits is contracted with
it along theirs; one that only changes phases has one index for each qubit, which
stays. No gate transposes the state: the compiler reads it where it lies.

    python examples/quantum_circuit.py [QUBITS]
"""

import sys

import numpy as np
import tc

HADAMARD = np.array([[1, 1], [1, -1]], "complex128") / np.sqrt(2)


def controlled_phase(angle):
    """The factors of both qubits' values: one unless both are one."""
    return np.array([[1, 1], [1, np.exp(1j * angle)]])


def apply_gate(gate, state, qubit):
    """The state after a gate on one qubit."""
    indices = [f"q{i}" for i in range(state.ndim)]
    result = ["new" if i == qubit else index for i, index in enumerate(indices)]
    return tc.einsum(
        f"[new,q{qubit}],[{','.join(indices)}]->[{','.join(result)}]", gate, state
    )


def apply_phases(phases, state, *qubits):
    """The state after a gate that multiplies by a phase for each value of some
    qubits: their indices are in both operands and in the result."""
    indices = ",".join(f"q{i}" for i in range(state.ndim))
    those = ",".join(f"q{i}" for i in qubits)
    return tc.einsum(f"[{those}],[{indices}]->[{indices}]", phases, state)


def fourier_transform(state):
    for target in range(state.ndim):
        state = apply_gate(HADAMARD, state, target)
        for control in range(target + 1, state.ndim):
            phases = controlled_phase(np.pi / 2 ** (control - target))
            state = apply_phases(phases, state, target, control)
    # The circuit leaves the qubits in reverse order.
    return state.transpose()


def main():
    qubits = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    parts = np.random.default_rng(1).standard_normal((2,) + (2,) * qubits)
    state = parts[0] + 1j * parts[1]
    state /= np.linalg.norm(state)
    result = fourier_transform(state).ravel()
    expected = np.fft.ifft(state.ravel(), norm="ortho")
    error = np.linalg.norm(result - expected)
    print(f"{qubits} qubits, error {error:.1e}")
    return 0 if error < 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main())
