#!/usr/bin/env bash
# opt_einsum: optimize="random-greedy-128" beside optimize="greedy", of a large lattice.
#
# Guess:    the best of 128 tries of the greedy search with noise is at least as good as
#           the one without, which is among them or costs nothing to add.
# Observed: of a lattice of 20 x 20 tensors with bonds of 2, the best of 128 takes 12 to 17
#           times the multiplications of "greedy", and a hundred times as long to find; of
#           one of 4 x 4 x 4, a sixth to a quarter of them. No try is without noise.
# Versions: opt_einsum 3.4.0 (PyPI), Python 3.11.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  numpy==2.4.6 opt_einsum==3.4.0
"$folder/venv/bin/python" - <<'PYTHON'
import itertools
import time

import opt_einsum


def lattice(*sides):
    """The index lists of a lattice whose neighbours share an index each."""
    lists = {place: [] for place in itertools.product(*map(range, sides))}
    bonds = 0
    for place in sorted(lists):
        for axis in range(len(sides)):
            other = list(place)
            other[axis] += 1
            if tuple(other) in lists:
                lists[place].append(bonds)
                lists[tuple(other)].append(bonds)
                bonds += 1
    return list(lists.values())


def multiplications(lists, optimize):
    """Those of the order that is found, and the seconds that it takes."""
    symbols = ["".join(map(opt_einsum.get_symbol, indices)) for indices in lists]
    shapes = [(2,) * len(indices) for indices in lists]
    begin = time.perf_counter()
    _, info = opt_einsum.contract_path(
        ",".join(symbols) + "->", *shapes, shapes=True, optimize=optimize
    )
    seconds = time.perf_counter() - begin
    return float(info.opt_cost), seconds


for sides in ((20, 20), (4, 4, 4)):
    greedy, seconds = multiplications(lattice(*sides), "greedy")
    noisy, noisy_seconds = multiplications(lattice(*sides), "random-greedy-128")
    print(
        f"{sides}: greedy {greedy:.3g} in {seconds:.2f} s, random-greedy-128 {noisy:.3g} "
        f"in {noisy_seconds:.1f} s, {noisy / greedy:.2f} of it"
    )
    assert (noisy > 3 * greedy) if sides == (20, 20) else (noisy < greedy)
PYTHON
