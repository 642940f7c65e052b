# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Coupled-cluster doubles of a Hubbard chain, with tensors that are cut over the ranks of MPI.

Electrons hop along a ring of sites, half of which are filled, and two on one site repel each other. The equations for
the amplitudes are a program of twelve statements, which is planned once for all iterations: where its tensors
lie, and what moves when. No rank ever has all of an integral or of the amplitudes.

    mpiexec -n 4 python examples/distributed_ccd.py [SITES [REPULSION]]

The energy is compared with that of other equations, which have no intermediates, by numpy.einsum on one rank; on two
sites, it is the exact one.
"""

import sys

import numpy as np
import tc.distributed as dist
from mpi4py import MPI

import over_ranks

# Converged amplitudes change no element by more.
TOLERANCE = 1e-10
# Of each change that the equations ask for, so much is made: all of it diverges where repulsion is strong.
STEP = 0.8

# J = <mn||ef>, A = <mn||ij>, B = <ab||ef> and C = <mb||ej> are antisymmetrised integrals over orbitals with spin,
# of which i, j, m, n are filled and a, b, e, f empty.
PROGRAM = """
i = {o}, j = {o}, m = {o}, n = {o}, a = {v}, b = {v}, e = {v}, f = {v}
X[b,e] = -0.5 * t[m,n,b,f] * J[m,n,e,f]
Y[m,j] = 0.5 * t[j,n,e,f] * J[m,n,e,f]
V[m,n,i,j] = A[m,n,i,j] + 0.5 * t[i,j,e,f] * J[m,n,e,f]
W[m,b,e,j] = C[m,b,e,j] - 0.5 * t[j,n,f,b] * J[m,n,e,f]
F[i,j,a,b] = t[i,j,a,e] * X[b,e]
G[i,j,a,b] = t[i,m,a,b] * Y[m,j]
H[i,j,a,b] = t[i,m,a,e] * W[m,b,e,j]
R[i,j,a,b] = J[i,j,a,b] + 0.5 * t[m,n,a,b] * V[m,n,i,j] + 0.5 * t[i,j,e,f] * B[a,b,e,f]
R[i,j,a,b] += F[i,j,a,b] - F[i,j,b,a]
R[i,j,a,b] += G[j,i,a,b] - G[i,j,a,b]
R[i,j,a,b] += H[i,j,a,b] - H[j,i,a,b] - H[i,j,b,a] + H[j,i,b,a]
E[] = 0.25 * J[i,j,a,b] * t[i,j,a,b]
output R, E
"""


def make_orbitals(sites):
    """Those of the ring without repulsion, by their energies, whose Slater determinant is that of
    Hartree and Fock at half filling, too: each site has one electron."""
    hopping = np.zeros((sites, sites))
    for site in range(sites if sites > 2 else 1):
        hopping[site, (site + 1) % sites] = hopping[(site + 1) % sites, site] = -1
    return np.linalg.eigh(hopping)


def make_integrals(orbitals, repulsion, ranges):
    """<pq||rs> of orbitals with spin, the two spins of each one behind the other, of those from and to which
    `ranges` says."""
    parts = [orbitals[:, np.arange(*bounds) // 2] for bounds in ranges]
    up = [np.arange(*bounds) % 2 for bounds in ranges]

    def of_spins(pairs):
        factors = [(up[p][:, None] == up[q][None, :]).astype(float) for p, q in pairs]
        (p, r), (q, s) = pairs
        letters = "pqrs"
        spec = f"{letters[p]}{letters[r]},{letters[q]}{letters[s]}->pqrs"
        return np.einsum(spec, *factors)

    direct = repulsion * np.einsum("xp,xq,xr,xs->pqrs", *parts, optimize=True)
    return direct * (of_spins([(0, 2), (1, 3)]) - of_spins([(0, 3), (1, 2)]))


def solve_on_ranks(mesh, sites, repulsion):
    """The correlation energy by the program, how many iterations that took, and the plan of each."""
    energies, orbitals = make_orbitals(sites)
    filled, empty = (0, sites), (sites, 2 * sites)

    def build(spaces, layout):
        """A block of integrals on each rank."""
        begins = [space[0] for space in spaces]

        def make(box):
            ranges = [(b + begin, e + begin) for (b, e), begin in zip(box, begins)]
            return make_integrals(orbitals, repulsion, ranges)

        return mesh.build((sites,) * 4, "float64", layout, make)

    first, second = (0, 1) if len(mesh.grid.shape) > 1 else (0, None)
    tensors = {
        "J": build([filled, filled, empty, empty], [None, None, first, second]),
        "A": build([filled, filled, filled, filled], [first, second, None, None]),
        "B": build([empty, empty, empty, empty], [first, second, None, None]),
        "C": build([filled, empty, empty, filled], [None, first, second, None]),
    }
    spread = np.repeat(energies, 2)
    lies = [None, None, first, second]

    def make_denominators(box):
        i, j, a, b = (spread[begin:end] for begin, end in (*box[:2], *((x + sites, y + sites) for x, y in box[2:])))
        return i[:, None, None, None] + j[:, None, None] - a[:, None] - b

    denominators = mesh.build((sites,) * 4, "float64", lies, make_denominators).block
    amplitudes = mesh.build((sites,) * 4, "float64", lies, lambda box: np.zeros([e - b for b, e in box]))
    text, plan = PROGRAM.format(o=sites, v=sites), None
    layouts = {"R": lies, "E": []}
    for iteration in range(1, 500):
        info = {}
        found = dist.contract_program(text, {**tensors, "t": amplitudes}, layouts=layouts, plan=plan, info=info)
        plan = info["plan"]
        new = found["R"].block / denominators
        change = mesh.ranks.comm.allreduce(abs(new - amplitudes.block).max(initial=0), MPI.MAX)
        amplitudes.block[...] += STEP * (new - amplitudes.block)
        if change < TOLERANCE:
            return float(found["E"].gather()), iteration, plan
    raise ArithmeticError("the amplitudes do not converge")


def solve_with_numpy(sites, repulsion):
    """The same by the sums of all diagrams (T. D. Crawford, H. F. Schaefer, "An introduction to coupled cluster theory
    for computational chemists", 2000), one numpy.einsum each."""
    energies, orbitals = make_orbitals(sites)
    every = make_integrals(orbitals, repulsion, [(0, 2 * sites)] * 4)
    o, v = slice(0, sites), slice(sites, 2 * sites)
    oovv, oooo, vvvv, ovvo = every[o, o, v, v], every[o, o, o, o], every[v, v, v, v], every[o, v, v, o]
    spread = np.repeat(energies, 2)
    i, a = spread[o], spread[v]
    denominators = i[:, None, None, None] + i[:, None, None] - a[:, None] - a

    def both(x, axes):
        return x - x.swapaxes(*axes)

    def sum_of(spec, *factors):
        return np.einsum(spec, *factors, optimize=True)

    t = np.zeros_like(oovv)
    for _ in range(500):
        new = oovv + sum_of("abcd,ijcd->ijab", vvvv, t) / 2 + sum_of("klij,klab->ijab", oooo, t) / 2
        new += both(both(sum_of("kbcj,ikac->ijab", ovvo, t), (0, 1)), (2, 3))
        new += both(both(sum_of("klcd,ikac,ljdb->ijab", oovv, t, t), (0, 1)), (2, 3)) / 2
        new += sum_of("klcd,ijcd,klab->ijab", oovv, t, t) / 4
        new -= both(sum_of("klcd,ijac,klbd->ijab", oovv, t, t), (2, 3)) / 2
        new -= both(sum_of("klcd,ikab,jlcd->ijab", oovv, t, t), (0, 1)) / 2
        new /= denominators
        if abs(new - t).max() < TOLERANCE:
            break
        t += STEP * (new - t)
    return sum_of("ijab,ijab->", oovv, t) / 4


def main():
    sites, tenths = over_ranks.arguments_or(6, 10)
    repulsion = tenths / 10
    if sites % 4 != 2:
        print("error: SITES is 2, 6, 10 and so on, so that all orbitals of one energy are filled", file=sys.stderr)
        return 1
    comm = MPI.COMM_WORLD
    # About a square.
    rows = max(n for n in range(1, int(comm.size**0.5) + 1) if comm.size % n == 0)
    begin = MPI.Wtime()
    with dist.Mesh(comm, (rows, comm.size // rows) if rows > 1 else (comm.size,)) as mesh:
        energy, iterations, plan = solve_on_ranks(mesh, sites, repulsion)
        sent = comm.allreduce(mesh.ranks.sent)
    seconds = MPI.Wtime() - begin
    if comm.rank:
        return 0
    steps = str(plan).splitlines()
    print("\n".join([steps[0], *steps[-4:]]))
    print(f"{iterations} iterations, {sent} B sent by all ranks; {seconds:.2f} s")
    print(f"{sites} sites, repulsion {repulsion:g}, correlation energy {energy:.12f}")
    error = abs(energy - solve_with_numpy(sites, repulsion))
    if sites == 2:
        exact = (repulsion - np.sqrt(repulsion**2 + 16)) / 2
        error = max(error, abs(energy + 2 * -1 + repulsion / 2 - exact))
    print(f"error {error:.1e}")
    return 0 if error < 1e-8 else 1


if __name__ == "__main__":
    sys.exit(main())
