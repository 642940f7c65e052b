# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Coupled cluster (CCSD) of a water molecule by PySCF, whose einsum is replaced for a while.

    python examples/ccsd_pyscf.py [BASIS [THEORY]]

THEORY is `restricted`, or `general`, which is of spin orbitals. Prints how long all calls of einsum
took, with PySCF's own and with tc's, and the energies. With an empty folder as TC_CACHE, all code that
is compiled is new.
"""

import argparse
import contextlib
import sys
import time

import numpy as np
import pyscf
from pyscf import cc

import tc

WATER = "O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587"


@contextlib.contextmanager
def replaced_einsum(make):
    """While it is entered, `make(einsum)` is in the place of `pyscf.lib.einsum` and of `numpy.einsum`,
    also where modules of PySCF have names of their own for these."""
    modules = [np, *(each for name, each in sys.modules.items() if name.startswith("pyscf."))]
    places = []
    for einsum in (pyscf.lib.einsum, np.einsum):
        instead = make(einsum)
        for module in modules:
            for name, value in list(vars(module).items()):
                if value is einsum:
                    setattr(module, name, instead)
                    places.append((module, name, einsum))
    try:
        yield
    finally:
        for module, name, einsum in places:
            setattr(module, name, einsum)


def by_tc(einsum):
    """Returns a function that computes products by tc.einsum. Of a single operand, NumPy's result
    may be a view, to which PySCF writes; that is left to `einsum`, and so are calls with other
    options."""

    def contract(subscripts, *operands, **options):
        if len(operands) < 2 or options.keys() - {"optimize"}:
            return einsum(subscripts, *operands, **options)
        return tc.einsum(subscripts, *operands)

    return contract


class Clock:
    """Adds up the seconds of calls, and of the processor in all threads meanwhile."""

    def __init__(self):
        self.calls, self.wall, self.processor = 0, 0.0, 0.0
        self.is_running = False

    def around(self, einsum):
        """PySCF's einsum calls NumPy's, whose time is a part of its own."""

        def timed(*operands, **options):
            if self.is_running:
                return einsum(*operands, **options)
            self.is_running = True
            wall, processor = time.perf_counter(), time.process_time()
            try:
                return einsum(*operands, **options)
            finally:
                self.wall += time.perf_counter() - wall
                self.processor += time.process_time() - processor
                self.calls += 1
                self.is_running = False

        return timed


def energy(field, theory, make):
    """The correlation energy, with `make(einsum)` for einsum, and the clock of its calls."""
    clock = Clock()
    with replaced_einsum(lambda einsum: clock.around(make(einsum))):
        solver = cc.rccsd.RCCSD(field) if theory == "restricted" else cc.GCCSD(field.to_ghf())
        solver.conv_tol = 1e-11
        return solver.kernel()[0], clock


def main():
    parser = argparse.ArgumentParser(description="CCSD of water with tc.einsum")
    parser.add_argument("basis", nargs="?", default="cc-pvdz")
    parser.add_argument("theory", nargs="?", default="restricted", choices=["restricted", "general"])
    given = parser.parse_args()
    molecule = pyscf.M(atom=WATER, basis=given.basis, verbose=0)
    field = molecule.RHF().run(conv_tol=1e-12)
    energies = []
    for name, make in [("PySCF", lambda einsum: einsum), ("tc", by_tc)]:
        found, clock = energy(field, given.theory, make)
        energies.append(found)
        print(
            f"einsum of {name}: {clock.calls} calls, {clock.wall:.3f} s, "
            f"{clock.processor:.3f} s of the processor, energy {found:.12f}"
        )
    error = abs(energies[1] - energies[0])
    print(f"energies differ by {error:.1e}")
    return 0 if error < 1e-10 else 1


if __name__ == "__main__":
    sys.exit(main())
