#!/usr/bin/env bash
# numpy.einsum: a dtype= whose byte order is not the machine's.
#
# Guess:    einsum returns the right numbers, be it in the machine's order or swapped,
#           as it does for operands and an out of the other byte order.
# Observed: the result says '>f8', and its bytes are in the machine's order, so that all
#           numbers are wrong: 1.0 reads as 3.04e-319. No error, no warning. With
#           optimize=True, the same call is a TypeError. An out of dtype '>f8' is right.
# Versions: NumPy 2.4.6 (PyPI), on a little-endian machine.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import numpy as np

assert sys.byteorder == "little"
a = np.arange(1.0, 7.0).reshape(2, 3)
made = np.einsum("ij,ij->ij", a, a, dtype=">f8")
print(f"dtype=: {made.dtype.str}, {made[0]}, due are {(a * a)[0]}")
assert made.dtype.str == ">f8" and not np.array_equal(made, a * a)
assert np.array_equal(made.view("<f8"), a * a)

try:
    np.einsum("ij,ij->ij", a, a, dtype=">f8", optimize=True)
    raise AssertionError("optimize=True is no longer refused")
except TypeError as error:
    print(f"optimize=True: TypeError: {str(error)[:70]}...")

out = np.zeros((2, 3), ">f8")
np.einsum("ij,ij->ij", a, a, out=out)
print(f"out=: {out.dtype.str}, {out[0]}")
assert np.array_equal(out, a * a)
PYTHON
