# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product whose operands MLIR cuts over the ranks of MPI.

sharded_product.mlir says of one operand how it is cut. Passes of MLIR say so of all others, make a
program for each rank's parts, and functions of MPI of what moves; those of tc make the code of a
part. One rank compiles, all load what it made, and one compares with NumPy.

    mpiexec -n 2 python -m mpi4py examples/sharded_product.py

It needs tc-opt, mlir-translate-22 and clang-22 on PATH, and MPICH, as the handles of Open MPI do not
get through LLVM 22.
"""

import ctypes
import pathlib
import subprocess
import tempfile

import numpy as np
from mpi4py import MPI

PASSES = [
    "func.func(sharding-propagation,shard-partition,canonicalize)",
    "convert-shard-to-mpi",
    "tc-cpu-pipeline",
    # The rest is upstream's business. The grid is in the code now.
    "symbol-dce,convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf",
    "convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts",
]


def build(module, folder, tc_opt="tc-opt"):
    """A shared library with the functions of a file of MLIR."""
    lowered, code, library = (pathlib.Path(folder, "sharded" + x) for x in (".mlir", ".ll", ".so"))
    pipeline = f"--pass-pipeline=builtin.module({','.join(PASSES)})"
    for command in (
        [tc_opt, pipeline, module, "-o", lowered],
        ["mlir-translate-22", "--mlir-to-llvmir", lowered, "-o", code],
        ["clang-22", "-O2", "-march=native", "-Wno-override-module", "-shared", "-fPIC", code, "-o", library],
    ):
        subprocess.run(command, check=True)
    return library


def load(library):
    # mpi4py has loaded MPICH, but for itself.
    ctypes.CDLL("libmpi.so.12", ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(library)


def describe(array):
    """MLIR's description of an array, as C interfaces take it."""
    strides = [stride // array.itemsize for stride in array.strides]
    fields = [ctypes.c_void_p] * 2 + [ctypes.c_int64] * (1 + 2 * array.ndim)
    description = type("Description", (ctypes.Structure,), {
        "_fields_": [(f"field{number}", kind) for number, kind in enumerate(fields)]})
    return description(array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides)


def call(function, *arguments):
    """Calls a function whose last array is one to write, and returns a copy of its result, which
    has the shape of that one. Scalars are of ctypes."""
    arrays = [x for x in arguments if isinstance(x, np.ndarray)]
    result = describe(arrays[-1])
    function(ctypes.byref(result), *(
        ctypes.byref(describe(x)) if isinstance(x, np.ndarray) else x for x in arguments))
    kind = np.ctypeslib.as_ctypes_type(arrays[-1].dtype)
    elements = ctypes.cast(result.field1, ctypes.POINTER(kind))
    copy = np.ctypeslib.as_array(elements, arrays[-1].shape).copy()
    if result.field0 != arrays[-1].ctypes.data:
        ctypes.CDLL(None).free(ctypes.c_void_p(result.field0))
    return copy


def main():
    comm = MPI.COMM_WORLD
    if comm.size != 2:
        raise SystemExit(f"sharded_product.mlir is cut over 2 ranks, not {comm.size}")
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(__file__).with_suffix(".mlir")
        library = comm.bcast(build(module, folder) if comm.rank == 0 else None)
        product = load(library)._mlir_ciface_product
        comm.Barrier()

    # All have the same random numbers, and take their parts.
    random = np.random.default_rng(1)
    a, b, c = (random.standard_normal(shape) for shape in ((64, 96), (96, 32), (64, 32)))
    mine = slice(48 * comm.rank, 48 * (comm.rank + 1))
    result = call(product, a[:, mine].copy(), b[mine].copy(), c.copy(), ctypes.c_double(0.5))
    error = abs(result - (a @ b + 0.5 * c)).max()
    errors = comm.gather(error)
    if comm.rank == 0:
        print(f"{comm.size} ranks, largest errors", *(f"{x:.1e}" for x in errors))
        if max(errors) > 1e-12:
            raise SystemExit("the results are wrong")


if __name__ == "__main__":
    main()
