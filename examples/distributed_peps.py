# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The norm of a PEPS over the ranks of MPI, in slices, and with temporaries that are cut.

A state of spins on a square grid is a tensor for each spin, [up, left, down, right, spin], whose bonds
connect neighbours. Its norm is the product of all of these tensors and their conjugates, summed over
everything.

    mpiexec -n 4 python examples/distributed_peps.py [SIDE [BOND [LIMIT]]]

LIMIT is in bytes. Up to 16 spins, the state is made, too, and compared.
"""

import sys

import numpy as np
import tc

import over_ranks

SPIN = 2


def make_state(side, bond, rng):
    """The labels of bonds and spins and the tensors, row by row."""
    labels, tensors = [], []
    for row in range(side):
        for column in range(side):
            bonds = [
                f"v{row}_{column}" if row else None,
                f"h{row}_{column}" if column else None,
                f"v{row + 1}_{column}" if row + 1 < side else None,
                f"h{row}_{column + 1}" if column + 1 < side else None,
            ]
            own = [label for label in bonds if label]
            shape = (bond,) * len(own) + (SPIN,)
            labels.append([*own, f"s{row}_{column}"])
            tensors.append(rng.standard_normal(shape) / np.sqrt(np.prod(shape)))
    return labels, tensors


def spell(terms):
    return ",".join("[" + ",".join(term) + "]" for term in terms)


def norm_of(labels, tensors):
    """Subscripts and tensors of the squared norm."""
    conjugate = [[x if x[0] == "s" else f"c{x}" for x in term] for term in labels]
    return spell(labels + conjugate) + "->[]", tensors + [x.conj() for x in tensors]


def main():
    side, bond, limit = over_ranks.arguments_or(4, 3, 65536)
    labels, tensors = make_state(side, bond, np.random.default_rng(1))
    subscripts, operands = norm_of(labels, tensors)
    norm, is_first = over_ranks.contract(subscripts, operands, limit)
    try:
        again = over_ranks.contract_on_mesh(subscripts, operands)
    except tc.distributed.PlanError as error:
        # All ranks hear of it: without slices, it may take more memory than they have.
        again = norm
        if is_first:
            print(error)
    if not is_first:
        return 0
    print(f"{side}x{side} spins, bonds of {bond}, squared norm {norm:.12e}")
    difference = abs(again / norm - 1)
    print(f"relative difference {difference:.1e}")
    if difference > 1e-12:
        return 1
    if side > 4:
        return 0
    spins = [term[-1] for term in labels]
    state = tc.einsum(spell(labels) + "->" + spell([spins]), *tensors)
    error = abs(norm / np.vdot(state, state) - 1)
    print(f"relative error {error:.1e}")
    return 0 if error < 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main())
