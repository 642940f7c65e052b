#!/usr/bin/env python3
"""Times first calls of tc.einsum, of many distinct contractions, beside NumPy's.

The contractions are those that CCSD of a water molecule asks pyscf.lib.einsum for
(6-31G, one iteration; needs the package pyscf), or with --random, so many random ones of
small tensors. Each is computed with numpy.einsum (optimize=True, as tensordot
where it can) and by tc.einsum for the first time in the process, which knows nothing
and has no cache on disk. Wall and processor time of both are printed, and the worst
that a first call takes beyond NumPy's time. With --operands, the random ones are products of
that many tensors. With --processes, what is timed is what a process does once: so many
processes import the package, after NumPy, and call it for the first time.

  first_calls.py [--specialize=auto] [--threads=1]
  first_calls.py --random=100 [--operands=2] [--specialize=auto] [--threads=1]
  first_calls.py --processes=20 [--specialize=auto]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

os.environ["TC_CACHE"] = "off"

# pylint: disable=wrong-import-position
import numpy as np

import tc


def contractions_of_water():
    """Subscripts and operands of two, each combination of shapes once."""
    import pyscf
    from pyscf import cc
    seen = {}

    def note(subscripts, *operands, **_):
        if len(operands) == 2:
            key = (subscripts, *(each.shape for each in operands),
                   *(each.strides for each in operands))
            # Some are of no elements.
            if key not in seen and all(each.size for each in operands):
                seen[key] = (subscripts, *(each.copy("K") for each in operands))
        return np.einsum(subscripts, *operands, optimize=True)

    molecule = pyscf.M(atom="O 0 0 0; H 0 1 0; H 0 0 1", basis="631g", verbose=0)
    field = molecule.UHF().run()
    theory = cc.GCCSD(field.to_ghf())
    theory.max_cycle = 1
    kept = pyscf.lib.einsum
    modules = [module for module in (cc.gccsd, cc.gintermediates)
               if getattr(module, "einsum", None) is kept]
    for module in modules:
        module.einsum = note
    try:
        theory.kernel()
    finally:
        for module in modules:
            module.einsum = kept
    return list(seen.values())


def random_contractions(count):
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(count):
        extents = dict(zip("abcdef", rng.integers(2, 12, 6)))
        shapes = [tuple(int(extents[i]) for i in term) for term in ("abce", "cedf")]
        cases.append(("abce,cedf->afbd", *(rng.standard_normal(s) for s in shapes)))
    return cases


def random_products(operands, count):
    """Of tensors of two to four indices, each of which shares one with the next."""
    rng = np.random.default_rng(1)
    cases = []
    for _ in range(count):
        labels = [chr(ord("a") + i) for i in range(3 * operands)]
        extents = dict(zip(labels, rng.integers(2, 12, len(labels))))
        terms = [[labels[3 * i], labels[3 * (i + 1) % len(labels)],
                  *labels[3 * i + 1 : 3 * i + 1 + rng.integers(0, 3)]]
                 for i in range(operands)]
        # Some of the indices that one tensor alone has are kept.
        kept = [label for term in terms[:3] for label in term[2:]][:4]
        subscripts = ",".join(map("".join, terms)) + "->" + "".join(kept)
        shapes = [tuple(int(extents[label]) for label in term) for term in terms]
        cases.append((subscripts, *(rng.standard_normal(shape) for shape in shapes)))
    return cases


# Milliseconds of the processor in a process of its own.
PROCESS = """
import json, sys, time
import numpy as np

times = {}

def timed(name, function):
    begin = time.process_time()
    result = function()
    times[name] = 1e3 * (time.process_time() - begin)
    return result

a = np.ones((8, 8))
timed("import tc", lambda: __import__("tc"))
import tc
timed("tc.einsum, not called", lambda: tc.einsum)
for operands in ("ij,jk->ik", "ij,jk,kl->il"):
    arrays = [a] * (operands.count(",") + 1)
    timed(f"NumPy, {operands}", lambda: np.einsum(operands, *arrays, optimize=True))
    timed(f"tc, {operands}",
          lambda: tc.einsum(operands, *arrays, threads=1, specialize=sys.argv[1]))
print(json.dumps(times))
"""


def time_processes(count, specialize):
    rows = [json.loads(subprocess.run([sys.executable, "-c", PROCESS, specialize], check=True,
                                      capture_output=True, text=True).stdout)
            for _ in range(count)]
    print(f"{count} processes, specialize={specialize}, in milliseconds of the processor")
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"  {name:26} median {statistics.median(values):8.3f}  least "
              f"{min(values):8.3f}  largest {max(values):8.3f}")


def timed(function):
    wall, processor = time.perf_counter(), time.process_time()
    result = function()
    return result, time.perf_counter() - wall, time.process_time() - processor


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--specialize", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--random", type=int, help="so many random contractions")
    parser.add_argument("--operands", type=int, default=2, help="of each random one")
    parser.add_argument("--processes", type=int)
    arguments = parser.parse_args()
    if arguments.processes:
        time_processes(arguments.processes, arguments.specialize)
        return
    if arguments.operands != 2 and not arguments.random:
        parser.error("--operands goes with --random")
    if not arguments.random:
        try:
            cases = contractions_of_water()
        except ImportError:
            parser.error("no module named pyscf: install it, or take --random=100")
    elif arguments.operands > 2:
        cases = random_products(arguments.operands, arguments.random)
    else:
        cases = random_contractions(arguments.random)
    # Work that a process does once, such as loading libraries.
    tc.einsum("ij,jk", np.eye(2), np.eye(2), specialize=arguments.specialize)
    np.einsum("ij,jk,kl", np.eye(2), np.eye(2), np.eye(2), optimize=True)
    rows = []
    for subscripts, *operands in cases:
        expected, *numpy_times = timed(
            lambda: np.einsum(subscripts, *operands, optimize=True))
        result, *times = timed(
            lambda: tc.einsum(subscripts, *operands, threads=arguments.threads,
                              specialize=arguments.specialize))
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)
        _, again, _ = timed(
            lambda: tc.einsum(subscripts, *operands, threads=arguments.threads,
                              specialize=arguments.specialize))
        rows.append((*numpy_times, *times, again))
    print(f"{len(rows)} distinct contractions of {len(cases[0]) - 1} operands, "
          f"specialize={arguments.specialize}, in milliseconds")
    for name, column in (("NumPy, wall", 0), ("NumPy, processor", 1),
                         ("tc, first call, wall", 2),
                         ("tc, first call, processor", 3),
                         ("tc, second call, wall", 4)):
        values = sorted(row[column] * 1e3 for row in rows)
        print(f"  {name:26} total {sum(values):9.2f}  median "
              f"{values[len(values) // 2]:7.3f}  largest {values[-1]:8.3f}")
    worst = max((row[2] - row[0]) * 1e3 for row in rows)
    print(f"  beyond NumPy's, at worst   {worst:.3f}")


if __name__ == "__main__":
    main()
