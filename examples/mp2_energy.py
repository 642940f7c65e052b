# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The correlation energy of second-order perturbation theory (MP2) of a molecule that
does not exist, from density-fitting integrals, with energies by Laplace's transformation:
three statements, compiled together.

    python examples/mp2_energy.py

1 / x is the integral of exp(-x t) over t from 0 on, for which a sum stands (J. Almloef,
Chem. Phys. Lett. 181, 319, 1991): so the denominators become factors, and all is a
program of contractions.
"""

import sys

import numpy as np

import tc

OCCUPIED, VIRTUAL, AUXILIARY, POINTS = 6, 18, 40, 12

PROGRAM = f"""
# For each point of the sum, integrals with the factors of both of their indices.
t = {POINTS}, i = {OCCUPIED}, j = {OCCUPIED}, a = {VIRTUAL}, b = {VIRTUAL}, x = {AUXILIARY}, y = {AUXILIARY}
S[t,x,i,a] = L[x,i,a] * o[t,i] * v[t,a]
direct[] = -2 * S[t,x,i,a] * L[y,i,a] * S[t,x,j,b] * L[y,j,b] * w[t]
exchange[] = S[t,x,i,a] * L[y,i,b] * S[t,x,j,b] * L[y,j,a] * w[t]
"""


def main():
    random = np.random.default_rng(1)
    integrals = random.normal(size=(AUXILIARY, OCCUPIED, VIRTUAL)) / AUXILIARY
    below = -np.sort(random.uniform(0.5, 2, OCCUPIED))
    above = np.sort(random.uniform(0.2, 3, VIRTUAL))

    # Gauss and Legendre's points, of which the interval is (0, 1), moved to t = s / (1 - s).
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    s = (nodes + 1) / 2
    times, weights = s / (1 - s), weights / 2 / (1 - s) ** 2
    program = tc.compile_program(PROGRAM)
    energies = program(
        L=integrals,
        o=np.exp(np.outer(times, below)),
        v=np.exp(-np.outer(times, above)),
        w=weights,
    )
    energy = float(energies["direct"] + energies["exchange"])

    # By the definition, with denominators.
    pairs = np.einsum("xia,xjb->iajb", integrals, integrals)
    gaps = above[None, :, None, None] + above - below[:, None, None, None] - below[:, None]
    expected = -(pairs * (2 * pairs - pairs.transpose(0, 3, 2, 1)) / gaps).sum()
    error = abs(energy / expected - 1)
    print(
        f"energy {energy:.6f}, {expected:.6f} by its definition; "
        f"{program.workspace_bytes} bytes of temporaries"
    )
    return 0 if error < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
