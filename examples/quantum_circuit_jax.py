# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A variational quantum circuit in JAX: gates of two qubits in a brickwork, whose angles are
changed until the state has the least energy in a chain of spins in a transverse field.

    python examples/quantum_circuit_jax.py [qubits] [layers]

The state is one einsum of all gates, and the energy one of the state and the operators.
Prints the time of an energy with its gradient beside that of jax.numpy.einsum, both compiled
by jax.jit, and the energy beside the one of exact diagonalization.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

import tc.jax

jax.config.update("jax_enable_x64", True)

FIELD = 1.0
STEPS = 150
# Of Adam.
RATE, DECAY, SQUARED_DECAY = 0.05, 0.9, 0.99

IDENTITY, X, Z = np.eye(2), np.array([[0.0, 1], [1, 0]]), np.diag([1.0, -1])


def pairs(qubits, layers):
    """The pairs of qubits on which gates act, layer by layer."""
    return [
        (first, first + 1) for layer in range(layers) for first in range(layer % 2, qubits - 1, 2)
    ]


def gate(angles):
    """Rotations of two qubits about y, the phase exp(i a Z Z), and the same again:
    G[out, out, in, in]."""

    def rotation(angle):
        c, s = jnp.cos(angle / 2), jnp.sin(angle / 2)
        return jnp.array([[c, -s], [s, c]], complex)

    signs = jnp.array([[1, -1], [-1, 1]])
    phases = jnp.exp(1j * angles[4] * signs)
    before = jnp.einsum("ac,bd->abcd", rotation(angles[0]), rotation(angles[1]))
    after = jnp.einsum("ac,bd->abcd", rotation(angles[2]), rotation(angles[3]))
    return jnp.einsum("abcd,cd,cdef->abef", after, phases, before)


def energy(einsum, angles, qubits, layers):
    """The energy of the state that the circuit makes of zeros."""
    zero = jnp.array([1, 0], complex)
    # The newest index of each qubit.
    ends = list(range(qubits))
    arguments = [each for qubit in range(qubits) for each in (zero, [qubit])]
    count = qubits
    for (first, second), its in zip(pairs(qubits, layers), angles):
        arguments += [gate(its), [count, count + 1, ends[first], ends[second]]]
        ends[first], ends[second] = count, count + 1
        count += 2
    state = einsum(*arguments, ends)

    # The operators W[left, right, out, in] of -sum Z Z - FIELD sum X.
    whole = np.zeros((3, 3, 2, 2), complex)
    whole[0, 0] = whole[2, 2] = IDENTITY
    whole[0, 1], whole[1, 2], whole[0, 2] = -Z, Z, -FIELD * X
    arguments = [state.conj(), list(range(qubits)), state, list(range(qubits, 2 * qubits))]
    for i in range(qubits):
        its = whole if 0 < i < qubits - 1 else whole[0] if i == 0 else whole[:, 2]
        bonds = [2 * qubits + j for j in (i - 1, i) if 0 <= j < qubits - 1]
        arguments += [jnp.asarray(its), [*bonds, i, qubits + i]]
    return einsum(*arguments, []).real


def exact_energy(qubits):
    def at(matrices):
        full = np.eye(1)
        for i in range(qubits):
            full = np.kron(full, matrices.get(i, IDENTITY))
        return full

    whole = -sum(at({i: Z, i + 1: Z}) for i in range(qubits - 1))
    whole -= FIELD * sum(at({i: X}) for i in range(qubits))
    return np.linalg.eigvalsh(whole)[0]


def measure(function, angles):
    """The least processor time of a call, in seconds."""
    times = []
    for _ in range(7):
        start = time.process_time()
        jax.block_until_ready(function(angles))
        times.append(time.process_time() - start)
    return min(times[1:])


def main():
    qubits, layers = (int(x) for x in [*sys.argv[1:3], *["6", "4"][len(sys.argv) - 1 :]])
    angles = 0.3 * jax.random.normal(jax.random.key(1), (len(pairs(qubits, layers)), 5))
    ours, theirs = (
        jax.jit(
            jax.value_and_grad(lambda angles, einsum=einsum: energy(einsum, angles, qubits, layers))
        )
        for einsum in (tc.jax.einsum, jnp.einsum)
    )
    (_, found), (_, wanted) = ours(angles), theirs(angles)
    error = float(jnp.linalg.norm(found - wanted) / jnp.linalg.norm(wanted))
    for name, function in [("tc.jax.einsum", ours), ("jax.numpy.einsum", theirs)]:
        print(f"{name} {1e3 * measure(function, angles):.3f} ms of the processor")

    mean = squares = jnp.zeros_like(angles)
    for step in range(1, STEPS + 1):
        value, gradient = ours(angles)
        mean = DECAY * mean + (1 - DECAY) * gradient
        squares = SQUARED_DECAY * squares + (1 - SQUARED_DECAY) * gradient**2
        scaled = mean / (1 - DECAY**step)
        angles -= RATE * scaled / (jnp.sqrt(squares / (1 - SQUARED_DECAY**step)) + 1e-8)
    exact = exact_energy(qubits)
    print(f"gradients differ by {error:.1e}, energy {value:.4f}, exactly {exact:.4f}")
    return 0 if error < 1e-12 and value - exact < 0.05 * abs(exact) else 1


if __name__ == "__main__":
    sys.exit(main())
