# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ground state of a chain of spins in a transverse field, as a matrix product state
whose energy PyTorch minimizes: numerator and denominator are one einsum each, of which the
gradients of all tensors are one program.

    python examples/mps_energy_torch.py [sites] [bond]

Prints the time of an energy with its gradient beside that of torch.einsum, and the energy
beside the one of exact diagonalization.
"""

import sys
import time

import numpy as np
import torch

import tc.torch

FIELD = 1.0
STEPS = 60

IDENTITY, X, Z = np.eye(2), np.array([[0.0, 1], [1, 0]]), np.diag([1.0, -1])


def hamiltonian(sites):
    """-sum Z Z - FIELD sum X as tensors W[left, right, out, in], the first and the last of
    which have one bond."""
    whole = np.zeros((3, 3, 2, 2))
    whole[0, 0] = whole[2, 2] = IDENTITY
    whole[0, 1], whole[1, 2], whole[0, 2] = -Z, Z, -FIELD * X
    tensors = [whole[0], *[whole] * (sites - 2), whole[:, 2]]
    return [torch.tensor(x) for x in tensors]


def exact_energy(sites):
    def at(matrices):
        full = np.eye(1)
        for i in range(sites):
            full = np.kron(full, matrices.get(i, IDENTITY))
        return full

    whole = -sum(at({i: Z, i + 1: Z}) for i in range(sites - 1))
    whole -= FIELD * sum(at({i: X}) for i in range(sites))
    return np.linalg.eigvalsh(whole)[0]


def energy(einsum, state, operators):
    """<state|H|state> / <state|state>, by lists of axes: bonds of the state, of H and of the
    state's conjugate have numbers of their own at each site, and so have spins."""
    sites = len(state)

    def axes(kind, i, *spins):
        bonds = [5 * j + kind for j in (i - 1, i) if 0 <= j < sites - 1]
        return [*bonds, *(5 * i + spin for spin in spins)]

    above, below = [], []
    for i, tensor in enumerate(state):
        conjugate = tensor.conj()
        above += [conjugate, axes(0, i, 3), operators[i], axes(1, i, 3, 4), tensor, axes(2, i, 4)]
        below += [conjugate, axes(0, i, 3), tensor, axes(2, i, 3)]
    return (einsum(*above, []) / einsum(*below, [])).real


def measure(einsum, state, operators):
    """The least processor time of an energy with its gradient, in seconds."""
    times = []
    for _ in range(7):
        start = time.process_time()
        torch.autograd.grad(energy(einsum, state, operators), state)
        times.append(time.process_time() - start)
    return min(times[1:])


def main():
    sites, bond = (int(x) for x in [*sys.argv[1:3], *["6", "8"][len(sys.argv) - 1 :]])
    generator = torch.Generator().manual_seed(1)
    shapes = [(bond, 2), *[(bond, bond, 2)] * (sites - 2), (bond, 2)]
    state = [
        torch.randn(shape, dtype=torch.float64, generator=generator).requires_grad_()
        for shape in shapes
    ]
    operators = hamiltonian(sites)
    ours, theirs = (
        torch.autograd.grad(energy(einsum, state, operators), state)
        for einsum in (tc.torch.einsum, torch.einsum)
    )
    error = max((a - b).norm() / b.norm() for a, b in zip(ours, theirs))
    for name, einsum in [("tc.torch.einsum", tc.torch.einsum), ("torch.einsum", torch.einsum)]:
        print(f"{name} {1e3 * measure(einsum, state, operators):.3f} ms of the processor")

    optimizer = torch.optim.LBFGS(state, max_iter=STEPS, line_search_fn="strong_wolfe")

    def step():
        optimizer.zero_grad()
        value = energy(tc.torch.einsum, state, operators)
        value.backward()
        return value

    optimizer.step(step)
    found, exact = energy(tc.torch.einsum, state, operators).item(), exact_energy(sites)
    print(f"gradients differ by {error:.1e}, energy {found:.6f}, exactly {exact:.6f}")
    return 0 if error < 1e-12 and abs(found - exact) < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
