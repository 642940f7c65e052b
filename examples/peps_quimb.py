# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The norm of a projected entangled pair state (PEPS) of quimb, and its gradient by PyTorch.

    python examples/peps_quimb.py [SIDE [BOND]]

The norm of SIDE by SIDE spins is contracted by quimb with NumPy and with `backend="tc"`, along one
path, and by one call of tc.einsum, which chooses its own. The gradient of its logarithm by all tensors
is computed with tc.torch.einsum, and by quimb with torch.einsum. Prints the time of each.
"""

import sys
import time

import cotengra
import quimb.tensor
import torch

import tc.torch

RUNS = 6


def measure(function):
    """The result of a function, and the least processor seconds of a few calls after the first
    one."""
    found = function()
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return found, min(times)


def show(what, seconds):
    print(f"{what}: {1e3 * seconds:.2f} ms of the processor")


def differ(a, b):
    return float(abs(a - b) / abs(b))


def check_norm(norm, path):
    """By quimb with two backends and by tc alone. Returns the largest difference."""
    wanted, seconds = measure(lambda: norm.contract(all, optimize=path, backend="numpy"))
    show("norm, quimb with numpy", seconds)
    found, seconds = measure(lambda: norm.contract(all, optimize=path, backend="tc"))
    show("norm, quimb with tc", seconds)
    at_once, seconds = measure(lambda: tc.einsum(norm.get_equation(), *norm.arrays))
    show("norm, tc.einsum", seconds)
    return max(differ(found, wanted), differ(at_once, wanted))


def check_gradient(bra, ket, path):
    """Returns the largest difference of the two gradients of a tensor."""
    # In one order of the sites for both.
    inputs = [each.inds for state in (bra, ket) for each in state.tensors]
    numbers = {label: i for i, label in enumerate(dict.fromkeys(x for its in inputs for x in its))}
    state = [torch.tensor(each.data, requires_grad=True) for each in ket.tensors]

    def by_tc(operands):
        lists = ([numbers[label] for label in its] for its in inputs)
        return tc.torch.einsum(*(each for pair in zip(operands, lists) for each in pair), [])

    # torch.einsum takes at most 52 indices: quimb's library calls it pair by pair.
    def by_torch(operands):
        return cotengra.array_contract(operands, inputs, (), optimize=path, prefer_einsum=True)

    def gradient(contract):
        norm = contract([each.conj() for each in state] + state)
        return torch.autograd.grad(norm.log(), state)

    wanted, seconds = measure(lambda: gradient(by_torch))
    show("gradient, quimb with torch.einsum", seconds)
    found, seconds = measure(lambda: gradient(by_tc))
    show("gradient, tc.torch.einsum", seconds)
    return max(float((a - b).norm() / b.norm()) for a, b in zip(found, wanted))


def main():
    side, bond = (int(x) for x in [*sys.argv[1:3], *["3", "4"][len(sys.argv) - 1 :]])
    state = quimb.tensor.PEPS.rand(side, side, bond, seed=1)
    norm, bra, ket = state.make_norm(return_all=True)
    bra, ket = (norm.select(tag) for tag in ("BRA", "KET"))
    path = norm.contraction_path(optimize="greedy")
    errors = check_norm(norm, path), check_gradient(bra, ket, path)
    print(f"norms differ by {errors[0]:.1e}, gradients by {errors[1]:.1e}")
    return 0 if max(errors) < 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main())
