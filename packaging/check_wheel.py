#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks an installed wheel: run by scripts/test_wheel.sh with the Python that has it,
where there may be neither compilers nor LLVM. Names what it checked; the first that
does not hold ends it with status 1.

    check_wheel.py [--cuda] [--beside MODULE...]

With --cuda, ptxas and libdevice are those of the packages that tc-contract[cuda] asks
for. With --beside, contracts after, and before, the modules that have an LLVM of their
own were imported and have compiled something."""

import argparse
import importlib
import importlib.metadata
import itertools
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

import numpy as np

SEED = 17
REAL = ("float64", "float32", "float16")
COMPLEX = ("complex128", "complex64")
INTEGERS = ("int64", "int32", "int8", "uint16")
# Extents of one, primes, and such that tiles divide.
CASES = (
    ("ij,jk->ik", {"i": 37, "j": 53, "k": 64}),
    ("abc,cd->dab", {"a": 1, "b": 7, "c": 31, "d": 16}),
    ("dega,gfbc->abcdef", {"a": 3, "b": 5, "c": 2, "d": 4, "e": 3, "f": 1, "g": 11}),
    ("ijk->ki", {"i": 8, "j": 13, "k": 9}),
)
TOOLS = ("tc-bench", "tc-calibrate", "tc-launch", "tc-lsp-server", "tc-opt",
         "tc-reduce", "tc-run", "tc-time", "tc-translate")


def say(text):
    print("  " + text, flush=True)


def expect(holds, text):
    if not holds:
        sys.exit(f"check_wheel.py: error: {text}")


def draw(generator, dtype, shape):
    """Numbers of which products and their sums are far from overflow."""
    if dtype in INTEGERS:
        return generator.integers(0, 3, shape).astype(dtype)
    numbers = generator.uniform(-1, 1, shape)
    if dtype in COMPLEX:
        numbers = numbers + 1j * generator.uniform(-1, 1, shape)
    return numbers.astype(dtype)


def wide(array):
    """The same numbers in a dtype in which NumPy's sums err less."""
    kind = array.dtype.kind
    return array.astype("complex128" if kind == "c" else
                        "float64" if kind == "f" else "int64")


def check_einsum(tc):
    generator = np.random.default_rng(SEED)
    count = 0
    for (subscripts, extents), dtype in itertools.product(CASES, REAL + COMPLEX + INTEGERS):
        shapes = [[extents[index] for index in term]
                  for term in subscripts.split("->", maxsplit=1)[0].split(",")]
        operands = [draw(generator, dtype, shape) for shape in shapes]
        expected = np.einsum(subscripts, *map(wide, operands))
        for options in ({}, {"specialize": "never"}, {"specialize": "always"},
                        {"specialize": "always", "threads": 2}):
            if len(operands) == 1 and options:
                continue
            result = tc.einsum(subscripts, *operands, **options)
            expect(result.dtype == dtype, f"{subscripts} of {dtype} is {result.dtype}")
            if dtype in INTEGERS:
                held = np.array_equal(result, expected.astype(dtype))
            else:
                error = np.max(np.abs(wide(result) - expected))
                held = error <= 64 * np.finfo(dtype).eps * max(1, np.max(np.abs(expected)))
            expect(held, f"{subscripts} of {dtype}, {options}: another result than NumPy's")
            count += 1
    say(f"einsum: {count} results as NumPy's in float64 or integers")


def check_program(tc):
    generator = np.random.default_rng(SEED)
    i, j, k, l, m = 20, 31, 17, 10, 15
    program = tc.compile_program(f"""
        i = {i}, j = {j}, k = {k}, l = {l}, m = {m}
        T[i,l] = A[i,j] * B[j,k] * C[k,l]
        D[i,m] += 0.5 * T[i,l] * E[l,m]
    """)
    a, b, c, d, e = (generator.uniform(-1, 1, shape)
                     for shape in ((i, j), (j, k), (k, l), (i, m), (l, m)))
    expected = d + 0.5 * (a @ b @ c) @ e
    expect(np.allclose(program(A=a, B=b, C=c, D=d, E=e), expected, rtol=1e-12, atol=1e-12),
           "the program computes something else than NumPy")
    say("compile_program: as NumPy")


def run(*command, status=0):
    """Output of a tool, run by the command that pip made."""
    program = os.path.join(sysconfig.get_path("scripts"), command[0])
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True,
                          check=False)
    expect(done.returncode == status, f"{' '.join(command)}: status {done.returncode}\n"
           f"{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_gpu(tc, cuda):
    spec, extents = "abc,cd->abd", "a=24,b=17,c=8,d=33"
    kernel = tc.compile(spec, [(24, 17, 8), (8, 33)], target="sm_90")
    expect(".target sm_90" in kernel.ptx, "no PTX for sm_90")
    with tempfile.TemporaryDirectory() as folder:
        package = os.path.join(folder, "contraction.json")
        text = run("tc-run", spec, f"--extents={extents}", "--check", "--seed=1",
                   f"--save-package={package}")
        expect("check        passed: all 13464 elements" in text, text)
        run("tc-launch", "--validate", package)
        expect(len(tc.load_package(package).kernels) == 1, "the package has no kernel")
    say("GPU: PTX made, simulated and checked; its package read by tc-launch and Python")
    if not cuda:
        return
    expect(kernel.cubin[:4] == b"\x7fELF", "ptxas made no machine code")
    text = run("tc-run", "ij,jk->ik", "--extents=i=16,j=16,k=16", "--type=f32", "--check",
               "--seed=1", "--epilogue=tanh(x)")
    expect("check        passed" in text and "(ptxas)" in text, text)
    say("GPU: ptxas, nvdisasm and libdevice of NVIDIA's packages")


def check_tools():
    version = importlib.metadata.version("tc-contract")
    for tool in TOOLS:
        help_text = run(tool, "--help")
        expect("ption" in help_text or "OPTIONS" in help_text, f"{tool} --help: {help_text}")
        if tool in ("tc-lsp-server", "tc-opt", "tc-reduce", "tc-translate"):
            continue
        expect(version in run(tool, "--version"), f"{tool} --version")
    run("tc-run", "--no-such-option", status=1)
    module = ('func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %c: tensor<4x3xf32>) '
              '-> tensor<4x3xf32> { %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%a, %b : '
              'tensor<4x8xf32>, tensor<8x3xf32>) outs(%c : tensor<4x3xf32>) -> '
              'tensor<4x3xf32> return %0 : tensor<4x3xf32> }')
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(module)
        file.flush()
        expect("llvm.func @f" in run("tc-opt", "--tc-cpu-pipeline", file.name) or
               "func.func @f" in run("tc-opt", "--tc-cpu-pipeline", file.name), "tc-opt")
    say(f"tools: {', '.join(TOOLS)}")


def mapped_libraries():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}


def check_contents():
    """Checks the contents of the package, and checks that its libraries ask for nothing else."""
    distribution = importlib.metadata.distribution("tc-contract")
    files = [str(file) for file in distribution.files]
    for licence in ("LICENSE", "third-party/llvm.txt", "third-party/mlir.txt",
                    "third-party/libomp.txt", "third-party/sqlite3.txt",
                    "third-party/zlib.txt", "third-party/zstd.txt",
                    "third-party/libstdc++.txt", "third-party/nanobind.txt",
                    "third-party/nlohmann-json.txt", "third-party/robin-map.txt",
                    "third-party/xla.txt"):
        (file,) = (file for file in files if file.endswith(f"licenses/{licence}"))
        size = distribution.locate_file(file).stat().st_size
        expect(size > 500, f"{file} has {size} bytes")
    prefix = pathlib.Path(subprocess.run(
        [sys.executable, "-m", "tc", "--prefix"], capture_output=True, text=True,
        check=True).stdout.strip())
    for file in ("include/tc-c/Contraction.h", "lib/cmake/TC/TCConfig.cmake",
                 "lib/pkgconfig/tc_launch.pc", "lib/libtc_cuda_runtime.so.0",
                 "lib/libtc_cpu_runtime.so.0", "lib/libtc_launch.so.0"):
        expect((prefix / file).is_file(), f"no {file} in {prefix}")
    loaded = {os.path.basename(path): path for path in mapped_libraries()}
    for name in ("libtc.so.0", "libtc_compiler.so.0", "libtc_launch.so.0", "libomp.so.5"):
        expect(loaded.get(name, "").startswith(str(prefix)),
               f"of {name}, not the package's was loaded, but {loaded.get(name)}")
    strange = [path for name, path in loaded.items() if name.startswith(("libLLVM", "libMLIR"))]
    expect(not strange, f"{', '.join(strange)} was loaded")
    say(f"contents: licences of 11 others, headers and libraries in {prefix}")


def use_torch(tc):
    torch = importlib.import_module("torch")
    tc_torch = importlib.import_module("tc.torch")
    generator = torch.Generator().manual_seed(SEED)
    a, b = (torch.rand(shape, generator=generator, dtype=torch.float64, requires_grad=True)
            for shape in ((5, 7), (7, 3)))
    tc_torch.einsum("ij,jk->ik", a, b).square().sum().backward()
    gradients = [x.grad.clone() for x in (a, b)]
    a.grad = b.grad = None
    torch.einsum("ij,jk->ik", a, b).square().sum().backward()
    for mine, theirs in zip(gradients, (a.grad, b.grad)):
        expect(torch.allclose(mine, theirs, rtol=1e-12), "another gradient than PyTorch's")


def use_jax(tc):
    jax = importlib.import_module("jax")
    tc_jax = importlib.import_module("tc.jax")
    a, b = (jax.numpy.asarray(np.random.default_rng(SEED).random(shape), dtype="float32")
            for shape in ((5, 7), (7, 3)))
    mine = jax.jit(lambda x, y: tc_jax.einsum("ij,jk->ik", x, y))(a, b)
    theirs = jax.jit(lambda x, y: jax.numpy.einsum("ij,jk->ik", x, y))(a, b)
    expect(np.allclose(mine, theirs, rtol=1e-5), "another result than JAX's")


def use_numba(tc):
    numba = importlib.import_module("numba")

    @numba.njit(parallel=True)
    def add_up(array):
        total = 0.0
        for i in numba.prange(array.size):
            total += array[i]
        return total

    expect(add_up(np.arange(1000.0)) == 499500, "another sum than NumPy's")


def use_tc(tc):
    """With threads, so that OpenMP's runtime is loaded, and compiled code."""
    a = np.random.default_rng(SEED).random((61, 61))
    result = tc.einsum("ij,jk->ik", a, a, specialize="always", threads=2)
    expect(np.allclose(result, a @ a), "another result than NumPy's")
    kernel = tc.compile("ij,jk->ik", [(8, 8), (8, 8)], target="sm_80", cache="off")
    expect(".target sm_80" in kernel.ptx, "no PTX for sm_80")


USES = {"torch": use_torch, "jax": use_jax, "numba": use_numba, "tc": use_tc}


def check_beside(modules):
    """One process for each order in which they are imported and used: each is once the
    first, and each comes before each other."""
    names = ["tc", *modules]
    turns = [names[i:] + names[:i] for i in range(len(names))]
    for order in turns + [turn[::-1] for turn in turns]:
        done = subprocess.run(
            [sys.executable, __file__, "--order", *order], capture_output=True, text=True,
            check=False, env=dict(os.environ, TC_CACHE="off"))
        expect(done.returncode == 0, f"in the order {' '.join(order)}: status "
               f"{done.returncode}\n{done.stdout}{done.stderr}")
        say(f"in one process: {', '.join(order)}")


def use_in_order(order):
    for name in order:
        importlib.import_module(name)
    tc = importlib.import_module("tc")
    for name in (*order, *reversed(order)):
        USES[name](tc)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--beside", nargs="+", choices=sorted(set(USES) - {"tc"}), default=[])
    parser.add_argument("--order", nargs="+", choices=sorted(USES), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.order:
        return use_in_order(arguments.order)
    tc = importlib.import_module("tc")
    print(f"Python {sys.version.split()[0]}, {' '.join(os.confstr('CS_GNU_LIBC_VERSION').split())}, "
          f"NumPy {np.__version__}, tc {tc.__version__}", flush=True)
    check_einsum(tc)
    check_program(tc)
    check_gpu(tc, arguments.cuda)
    check_tools()
    check_contents()
    if arguments.beside:
        check_beside(arguments.beside)
    return 0


if __name__ == "__main__":
    sys.exit(main())
