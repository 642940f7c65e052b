#!/usr/bin/env bash
# PyTorch, JAX and ml_dtypes: numbers beyond the range of 8-bit floats.
#
# Guess:    the three agree, as all follow the OCP formats of the same name: a cast to
#           float8_e4m3fn, which has no infinities, gives NaN or the largest number, and
#           PyTorch does for float8_e5m2 what it does for float8_e4m3fn.
# Observed: PyTorch saturates float8_e4m3fn, even an infinity becomes 448, and does not
#           saturate float8_e5m2, which overflows to infinity. JAX and ml_dtypes saturate
#           neither: NaN of float8_e4m3fn, infinity of float8_e5m2. All agree that a tie
#           (464) stays 448.
# Versions: torch 2.15.0, jax 0.12.0.1, ml_dtypes 0.6.0, on the CPU (PyPI; Python 3.12 or
#           later; torch brings some GB of CUDA packages).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  torch==2.15.0 jax==0.12.0.1 ml_dtypes==0.6.0 numpy==2.5.5
"$folder/venv/bin/python" - <<'PYTHON'
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import torch

NUMBERS = np.array([464, 465, 1e9, np.inf, -1e9, 61440], np.float32)


def by_torch(dtype):
    return torch.from_numpy(NUMBERS).to(getattr(torch, dtype)).float().numpy()


def by_jax(dtype):
    return np.asarray(jnp.asarray(NUMBERS).astype(getattr(jnp, dtype)).astype(jnp.float32))


def by_ml_dtypes(dtype):
    with np.errstate(all="ignore"):
        return NUMBERS.astype(getattr(ml_dtypes, dtype)).astype(np.float32)


nan, inf = np.nan, np.inf
DUE = {
    ("torch", "float8_e4m3fn"): [448, 448, 448, 448, -448, 448],
    ("jax", "float8_e4m3fn"): [448, nan, nan, nan, nan, nan],
    ("ml_dtypes", "float8_e4m3fn"): [448, nan, nan, nan, nan, nan],
    ("torch", "float8_e5m2"): [448, 448, inf, inf, -inf, inf],
    ("jax", "float8_e5m2"): [448, 448, inf, inf, -inf, inf],
    ("ml_dtypes", "float8_e5m2"): [448, 448, inf, inf, -inf, inf],
}
print(f"{'':24}{NUMBERS.tolist()}")
for (library, dtype), due in DUE.items():
    found = globals()[f"by_{library}"](dtype)
    print(f"{library:10}{dtype:14}{found.tolist()}")
    assert np.array_equal(found, np.array(due, np.float32), equal_nan=True), due
PYTHON
