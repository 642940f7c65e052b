#!/usr/bin/env python3
"""Times the 48 contractions of the TCCG benchmark on cores of this machine.

For each, in one process and in turns, on the same random arrays: the compiled
contraction, GEMM of the equal size (NumPy's BLAS), numpy.tensordot,
numpy.einsum and, if they are there, TBLIS by the package pytblis, and the ahead-of-time
kernels of the package tc; before and after each
turn, the FMA peak of one core. The best of a few turns counts, with the caches
as they are, and the results have to agree.
Prints a table and geometric means of the fractions of peak; --json writes all
figures with a description of the machine, tccg_page.py makes a page of them.

  tccg_cpu.py --tools=build/bin --type=f64 --core=1 --json=out.json
"""

import argparse
import ctypes
import datetime
import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, os.pardir, "scripts"))

# pylint: disable=wrong-import-position
import fairness
import whole_file

SUITE = os.path.join(HERE, "..", "suites", "tccg.json")
GROUPS = (("1 to 8", range(1, 9)), ("9 to 11", range(9, 12)),
          ("12, 20 to 30", (12, *range(20, 31))), ("13 to 19", range(13, 20)),
          ("31 to 48", range(31, 49)), ("all", range(1, 49)))
# Above it, a turn takes seconds: fewer are taken.
LARGE_GFLOP = 100
# Sums of K products of numbers in [0, 1) in two orders, relative by norm.
LARGEST_ERROR = {"f64": 1e-13, "f32": 1e-4}


def parse_ids(text):
    ids = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def compile_case(arguments, case, extents, folder):
    """The contraction as a function of three pointers, and its schedule."""
    def path(name):
        return os.path.join(folder, name)

    def tool(name):
        return os.path.join(arguments.tools, name)
    with open(path("spec"), "w", encoding="utf-8") as file:
        file.write(case["spec"])
    run([tool("tc-translate"), "--import-tccg", f"--type={arguments.type}",
         "--extents=" + ",".join(f"{k}={v}" for k, v in extents.items()),
         path("spec"), "-o", path("in.mlir")])
    scheduled = run([tool("tc-opt"), "--tc-collapse-indices",
                     f"--tc-tile-cpu=threads={arguments.threads}",
                     path("in.mlir")])
    schedule = re.search(r"#tc\.cpu_schedule<[^>]*>", scheduled).group(0)
    run([tool("tc-opt"),
         f"--tc-cpu-pipeline=outline threads={arguments.threads}",
         path("in.mlir"), "-o", path("loops.mlir")])
    run([tool("tc-translate"), "--tc-to-object", path("loops.mlir"),
         "-o", path("code.o")])
    libraries = []
    if arguments.threads > 1:
        libraries = ["-L/usr/lib/llvm-22/lib", "-lomp",
                     "-Wl,-rpath,/usr/lib/llvm-22/lib"]
    library = path(f"{case['id']}.so")
    run(["cc", "-shared", path("code.o"), "-o", library, *libraries])
    function = ctypes.CDLL(library).contract_contraction
    function.restype = None
    function.argtypes = [ctypes.c_void_p] * 3
    return function, schedule


def aligned(shape, dtype):
    """An array at the begin of a cache line, as allocators for numbers give."""
    import numpy
    line = 64
    size = math.prod(shape) * numpy.dtype(dtype).itemsize
    memory = numpy.empty(size + line, numpy.uint8)
    first = -memory.ctypes.data % line
    return memory[first:first + size].view(dtype).reshape(shape)


def seconds(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def time_case(arguments, case, extents, gflop, peak):
    """Best times of ours and the peers, in GFLOP/s; and the peak beside them."""
    import numpy
    dtype = numpy.float64 if arguments.type == "f64" else numpy.float32
    random = numpy.random.default_rng(1)
    # The suite is column-major: NumPy's arrays have their indices reversed.
    c, a, b = (text[::-1] for text in case["spec"].split("-"))
    left, right, out = (
        aligned([extents[label] for label in labels], dtype)
        for labels in (a, b, c))
    m, n, k = case["mnk_dp" if arguments.type == "f64" else "mnk_sp"]
    matrices = [aligned(shape, dtype) for shape in ((m, k), (k, n), (m, n))]
    for operand in (left, right, *matrices[:2]):
        random.random(out=operand, dtype=dtype)
    out.fill(0)
    matrices[2].fill(0)
    with tempfile.TemporaryDirectory() as folder:
        function, schedule = compile_case(arguments, case, extents, folder)
    summed = [label for label in a if label in b]
    axes = ([a.index(label) for label in summed],
            [b.index(label) for label in summed])
    rest = [label for label in a + b if label not in summed]
    order = [rest.index(label) for label in c]

    def tensordot():
        return numpy.ascontiguousarray(
            numpy.tensordot(left, right, axes=axes).transpose(order))
    runners = {
        "tc": lambda: function(left.ctypes.data, right.ctypes.data,
                               out.ctypes.data),
        "gemm": lambda: numpy.dot(matrices[0], matrices[1], out=matrices[2]),
        "tensordot": tensordot,
        "einsum": lambda: numpy.einsum(f"{a},{b}->{c}", left, right,
                                       optimize=True),
    }
    if arguments.tblis:
        runners["tblis"] = lambda: arguments.tblis.contract(
            f"{a},{b}->{c}", left, right, out=out)
    if arguments.ahead:
        kernel = arguments.ahead.compile(
            f"{a},{b}->{c}", [left.shape, right.shape], dtype,
            threads=arguments.threads, specialize="never")
        runners["ahead"] = lambda: kernel(left, right, out)
    peaks = [peak()]
    begin = time.perf_counter()
    expected = tensordot()
    best = dict.fromkeys(runners, math.inf)
    best["tensordot"] = time.perf_counter() - begin
    errors = {}
    for name in ("tc", "ahead", "tblis"):
        if name not in runners:
            continue
        out.fill(numpy.nan)
        best[name] = seconds(runners[name])
        errors[name] = float(numpy.linalg.norm((out - expected).ravel())
                             / numpy.linalg.norm(expected.ravel()))
        if not errors[name] <= LARGEST_ERROR[arguments.type]:
            sys.exit(f"contraction {case['id']}: relative error of {name} "
                     f"{errors[name]:.2g}")
    del expected
    turns = 2 if gflop > LARGE_GFLOP else arguments.turns
    # Those that are far behind.
    few_turns = 0 if gflop > LARGE_GFLOP else 2
    for turn in range(turns):
        for name, runner in runners.items():
            if (turn >= few_turns and best[name] < math.inf
                    and name not in ("tc", "ahead", "gemm")):
                continue
            best[name] = min(best[name], seconds(runner))
        peaks.append(peak())
    return {"gflops": {name: gflop / value for name, value in best.items()},
            "peak_gflops": max(peaks) * arguments.threads, "error": errors["tc"],
            "schedule": schedule, "turns": turns}


def load_tblis(threads):
    """TBLIS by its Python package, or None."""
    try:
        import pytblis
    except ImportError:
        print("no pytblis: not beside TBLIS")
        return None
    pytblis.set_num_threads(threads)
    return pytblis


def load_package():
    """The package tc, or None."""
    try:
        import tc
    except ImportError:
        print("no package tc: without ahead-of-time kernels")
        return None
    return tc


def describe_machine(arguments):
    import importlib.metadata
    import numpy
    description = {"cpu": platform.processor(), "system": platform.platform(),
                   "date": datetime.date.today().isoformat(),
                   "threads": arguments.threads, "numpy": numpy.__version__}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                description["cpu"] = line.partition(":")[2].strip()
    description["cores"] = os.cpu_count()
    description["caches"] = re.sub(
        r"\s+", " ", run(["lscpu", "--caches=NAME,ONE-SIZE"])).strip()
    blas = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
    description["blas"] = f"{blas['name']} {blas['version']}"
    description["blas_core"] = fairness.openblas_core()
    description["environment"] = fairness.variables_set()
    if arguments.tblis:
        description["pytblis"] = importlib.metadata.version("pytblis")
    return description


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_means(results):
    for name, ids in GROUPS:
        group = [result for result in results if result["id"] in ids]
        if group:
            means = ", ".join(
                f"{peer} " + format(geometric_mean(
                    [result["gflops"][peer] / result["peak_gflops"]
                     for result in group]), ".3f")
                for peer in group[0]["gflops"])
            print(f"{name}: {means} of peak ({len(group)} cases)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True,
                        help="folder with tc-opt, tc-translate and fma-peak")
    parser.add_argument("--type", choices=("f64", "f32"), default="f64")
    parser.add_argument("--cases", type=parse_ids, default=list(range(1, 49)),
                        help="as in 1-8,12")
    parser.add_argument("--core", type=int,
                        help="the core to run on, with one thread")
    parser.add_argument("--threads", type=int, default=1,
                        help="threads of all programs (1); the peak is that "
                        "of one core, times the threads")
    parser.add_argument("--turns", type=int, default=7,
                        help="turns of each case (7); two for large ones, and "
                        "for the slower peers")
    parser.add_argument("--json", help="file to write")
    fairness.add_option(parser)
    arguments = parser.parse_args()
    fairness.require_own_choice(arguments.allow_environment)
    if arguments.core is not None:
        os.sched_setaffinity(0, {arguments.core})
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = str(arguments.threads)
    arguments.tblis = load_tblis(arguments.threads)
    arguments.ahead = load_package()
    print(f"OpenBLAS runs the kernels of {fairness.openblas_core()}")
    suffix = "dp" if arguments.type == "f64" else "sp"
    with open(SUITE, encoding="utf-8") as file:
        cases = {case["id"]: case for case in json.load(file)}

    def peak():
        return float(run([os.path.join(arguments.tools, "fma-peak"),
                          arguments.type]))

    results = []
    for number in arguments.cases:
        case = cases[number]
        result = {"id": number, "spec": case["spec"],
                  **time_case(arguments, case, case[f"sizes_{suffix}"],
                              case[f"gflop_{suffix}"], peak)}
        results.append(result)
        print(f"{number:2} {case['spec']:17}" + "".join(
            f"  {name} {value:6.1f}"
            for name, value in result["gflops"].items())
            + f" GFLOP/s of {result['peak_gflops']:6.1f}: "
            f"{result['gflops']['tc'] / result['peak_gflops']:.3f}",
            flush=True)
    print_means(results)
    if arguments.json:
        with whole_file.writing(arguments.json) as file:
            json.dump({"type": arguments.type,
                       "machine": describe_machine(arguments),
                       "results": results}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
