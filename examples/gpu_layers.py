# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two layers of a network on a GPU, with arrays of CuPy.

The first is compiled for the shapes at hand when it is called; the second is
compiled before, saved as a package, and launched as on a machine without a
compiler. Nothing waits but the copy of the result to the host.

    python examples/gpu_layers.py FOLDER
"""

import pathlib
import sys

import cupy
import numpy as np
import tc

BATCH, INPUTS, HIDDEN, OUTPUTS = 16, 24, 20, 6


def save_package(folder):
    """The second layer, compiled: a description, and PTX beside it."""
    compiled = tc.compile(
        "bi,ij->bj", [(BATCH, HIDDEN), (HIDDEN, OUTPUTS)], "float32", target="sm_80"
    )
    description, _ = compiled.save(folder / "layer.json")
    return description


def main():
    random = np.random.default_rng(1)
    shapes = (BATCH, INPUTS), (INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, OUTPUTS)
    x, w, bias, v = (random.uniform(-1, 1, shape).astype("float32") for shape in shapes)
    second = tc.load_package(save_package(pathlib.Path(sys.argv[1])))

    with cupy.cuda.Stream(non_blocking=True):
        hidden = tc.einsum(
            "bi,ij->bj",
            cupy.asarray(x),
            cupy.asarray(w),
            epilogue="relu(x + bias[j])",
            auxiliaries={"bias": cupy.asarray(bias)},
        )
        result = cupy.asnumpy(second(hidden, cupy.asarray(v)))

    error = abs(result - np.maximum(x @ w + bias, 0) @ v).max()
    print(f"{type(hidden).__name__} of {hidden.shape}, error {error:.1e}")
    return 0 if error < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
