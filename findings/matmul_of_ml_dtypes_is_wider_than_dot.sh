#!/usr/bin/env bash
# NumPy and ml_dtypes: matrix products of narrow dtypes by np.matmul and by np.dot.
#
# Guess:    for two matrices, np.matmul and np.dot are the same product: bfloat16 and 8-bit
#           floats give their own dtype, each number rounded once from a wider sum, and int4
#           wraps around in 4 bits; np.sum of 300 ones is as near to 300 as the dtype is.
# Observed: np.matmul, np.vecdot and np.matvec have no loop of these dtypes and take the first
#           one to which they cast safely: the result is float32 for all floats, and for int4
#           int8, whose sums wrap around in 8 bits. np.dot and np.inner stay in the dtype.
#           np.sum rounds after each addition: 300 ones are 256 in bfloat16 and 16 in
#           float8_e4m3fn, where np.dot of the same ones is 300 and 288.
# Versions: numpy 2.4.6, ml_dtypes 0.6.0 (PyPI).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  numpy==2.4.6 ml_dtypes==0.6.0
"$folder/venv/bin/python" - <<'PYTHON'
import ml_dtypes
import numpy as np

# By dtype: matmul's dtype and number, dot's number, sum's number, of 300 ones.
DUE = {
    "bfloat16": ("float32", 300, 300, 256),
    "float8_e4m3fn": ("float32", 300, 288, 16),
    "float8_e5m2": ("float32", 300, 320, 8),
    "int4": ("int8", 44, -4, -4),
}
for name, (wider, by_matmul, by_dot, by_sum) in DUE.items():
    dtype = np.dtype(getattr(ml_dtypes, name))
    rows = np.ones((2, 300)).astype(dtype)
    product, dot = np.matmul(rows, rows.T), np.dot(rows, rows.T)
    total = rows.sum(axis=1)
    print(f"{name:14} matmul: {product.dtype} {float(product[0, 0])}, "
          f"dot: {dot.dtype} {float(dot[0, 0])}, sum: {total.dtype} {float(total[0])}")
    assert str(product.dtype) == wider and (product.astype(float) == by_matmul).all()
    for other in (np.vecdot(rows, rows), np.matvec(rows, rows[0])):
        assert str(other.dtype) == wider and (other.astype(float) == by_matmul).all()
    for other in (dot, np.inner(rows, rows)):
        assert other.dtype == dtype and (other.astype(float) == by_dot).all()
    assert total.dtype == dtype and (total.astype(float) == by_sum).all()
PYTHON
