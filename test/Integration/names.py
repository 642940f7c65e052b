#!/usr/bin/env python3
"""Compiles contractions with all kinds of names, for the simulator and for this
machine's CPU, and checks their results: names of functions that the code calls,
keywords of languages, names that differ in what no symbol can have."""

import random
import sys

import harness

SEED = 11
RANDOM = 20

CLASHING = [
    # The C library's and libm's, and what runtimes call.
    "malloc", "free", "memcpy", "memset", "main", "exp", "exit", "aligned_alloc",
    "_start", "environ", "printf", "vprintf", "dlopen", "cudaMalloc",
    "__kmpc_fork_call", "omp_get_num_threads", "_ZGVdN4v_exp",
    # CUDA's functions and LLVM's.
    "__nv_exp", "__nv_tanhf", "llvm.memcpy", "llvm.nvvm.barrier0",
    "llvm.fma.f32", "__assertfail", "__dynamic_shmem__0", "tc_kernels",
    # Keywords of C, C++ and PTX.
    "int", "class", "operator", "_Complex", "WARP_SZ", "add", "bra", "reg",
    "entry", "%tid.x", ".visible", "abs", "mad24", "$0",
    # Names that symbols cannot be, or look like those that are made.
    "", "9lives", "größe", "行列", "a b", "a\\22b", "*/", "tc_", "tc_x",
    "contract_contraction", "x" * 3000, "x_0123456789abcdef", "x\\0Ay",
]

# In one module.
ALIKE = ["a.b", "a_b", "a-b", "a b", "tc_a_b", "a_b_contraction", "memcpy",
         "tc_memcpy"]

# Calls a function, of which there is one in libm and one in libdevice.
EPILOGUE = """epilogue {
    ^bb0(%x: f32, %old: f32):
      %y = math.exp %x : f32
      tc.yield %y : f32
    }"""


def function(name, epilogue):
    return f"""func.func @"{name}"(%A: memref<9x5xf32>, %B: memref<5x7xf32>,
    %C: memref<9x7xf32>) {{
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<9x5xf32>, memref<5x7xf32>)
    outs(%C : memref<9x7xf32>) {epilogue}
  return
}}
"""


def case(title, names):
    def run(context):
        def write(place, epilogue):
            return context.write(f"{title}-{place}.mlir",
                                 "".join(function(name, epilogue)
                                         for name in names))
        ptxas = f"--ptxas={int(bool(harness.find_ptxas()))}"
        context.call([context.tool("tc-run"),
                      write("sim", EPILOGUE if harness.find_libdevice()
                            else ""), "--target=sim",
                      "--workers=1", "--check=all", ptxas,
                      f"--save-package={context.folder}/{title}.json"])
        context.call([context.tool("tc-launch"), "--validate",
                      f"{context.folder}/{title}.json"])
        context.call([context.tool("tc-run"),
                      write("cpu", EPILOGUE), "--target=cpu",
                      "--check=all", "--workers=1"])
    return harness.Case(title, run)


def random_name(generator):
    letters = "abXY019__.-$%@ é"
    return "".join(generator.choice(letters)
                   for _ in range(generator.randrange(1, 90)))


def main():
    arguments = harness.parser(__doc__).parse_args()
    generator = random.Random(SEED)
    names = CLASHING + [random_name(generator) for _ in range(RANDOM)]
    cases = [case(f"name-{number}", [name])
             for number, name in enumerate(names)]
    cases.append(case("alike", ALIKE))
    for number, name in enumerate(names):
        print(f"name-{number}: {name[:60]!r}")
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
