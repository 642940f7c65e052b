#!/usr/bin/env python3
"""Times the 48 contractions of the TCCG benchmark on cores of this machine.

For each: tc-run --target=cpu, the FMA peak just before and after (the larger
counts), and, with --peers, GEMM of the equal size, numpy.tensordot and
numpy.einsum with the BLAS of NumPy on one thread. All are the best of a few
runs, with the caches as they are. Prints a table and geometric means of the
fractions of peak; --json writes all figures with a description of the machine.

  tccg_cpu.py --tools=build/bin --type=f64 --peers --json=out.json
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.join(HERE, "..", "suites", "tccg.json")
GROUPS = (("1 to 8", range(1, 9)), ("9 to 11", range(9, 12)),
          ("12, 20 to 30", (12, *range(20, 31))), ("13 to 19", range(13, 20)),
          ("31 to 48", range(31, 49)), ("all", range(1, 49)))


def parse_ids(text):
    ids = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids


def pinned(core, command):
    return command if core is None else ["taskset", "-c", str(core), *command]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def repeats_for(gflop):
    """As many as take a few seconds."""
    return max(1, min(9, int(60 / gflop)))


def time_ours(arguments, case, extents, gflop):
    text = run(pinned(arguments.core, [
        os.path.join(arguments.tools, "tc-run"), case["spec"],
        "--extents=" + ",".join(f"{k}={v}" for k, v in extents.items()),
        f"--type={arguments.type}", "--target=cpu", "--seed=1", "--check=1000",
        f"--threads={arguments.threads}",
        f"--bench={repeats_for(gflop)}", "--json"]))
    report = json.loads(text)
    kernel = report["kernels"][0]
    return {"gflops": gflop / kernel["time"]["best_seconds"],
            "compile_seconds": report["compile_seconds"],
            "panel_bytes": kernel["panel_bytes"],
            "schedule": kernel["schedule"]}


def best_of(function, repeats):
    best = math.inf
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def time_peers(case, extents, gflop, element_type):
    """In this process, which main() has pinned."""
    import numpy
    dtype = numpy.float64 if element_type == "f64" else numpy.float32
    repeats = repeats_for(gflop)
    m, n, k = case["mnk_dp" if element_type == "f64" else "mnk_sp"]
    random = numpy.random.default_rng(1)
    left = random.random((m, k), dtype)
    right = random.random((k, n), dtype)
    out = numpy.empty((m, n), dtype)
    times = {"gemm": best_of(lambda: numpy.dot(left, right, out=out), repeats)}
    del left, right, out
    # The suite is column-major: NumPy's arrays have their indices reversed.
    lists = [text[::-1] for text in case["spec"].split("-")]
    c, a, b = lists
    tensors = [random.random([extents[label] for label in labels], dtype)
               for labels in (a, b)]
    summed = [label for label in a if label in b]
    axes = ([a.index(label) for label in summed],
            [b.index(label) for label in summed])
    rest = [label for label in a + b if label not in summed]
    order = [rest.index(label) for label in c]
    times["tensordot"] = best_of(
        lambda: numpy.ascontiguousarray(
            numpy.tensordot(*tensors, axes=axes).transpose(order)), repeats)
    times["einsum"] = best_of(
        lambda: numpy.einsum(f"{a},{b}->{c}", *tensors, optimize=True),
        repeats)
    return {name: gflop / seconds for name, seconds in times.items()}


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True,
                        help="folder with tc-run and fma-peak")
    parser.add_argument("--type", choices=("f64", "f32"), default="f64")
    parser.add_argument("--cases", type=parse_ids, default=list(range(1, 49)),
                        help="as in 1-8,12")
    parser.add_argument("--core", type=int, help="the core to run on")
    parser.add_argument("--threads", type=int, default=1,
                        help="threads of tc-run (1); the peak stays that of "
                        "one core")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--json", help="file to write")
    arguments = parser.parse_args()
    if arguments.core is not None:
        os.sched_setaffinity(0, {arguments.core})
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"
    suffix = "dp" if arguments.type == "f64" else "sp"
    with open(SUITE, encoding="utf-8") as file:
        cases = {case["id"]: case for case in json.load(file)}

    def peak():
        return float(run(pinned(arguments.core, [
            os.path.join(arguments.tools, "fma-peak"), arguments.type])))

    results = []
    for number in arguments.cases:
        case = cases[number]
        extents = case[f"sizes_{suffix}"]
        gflop = case[f"gflop_{suffix}"]
        before = peak()
        result = {"id": number, "spec": case["spec"],
                  **time_ours(arguments, case, extents, gflop)}
        result["peak_gflops"] = max(before, peak())
        result["fraction"] = result["gflops"] / result["peak_gflops"]
        if arguments.peers:
            result["peers"] = time_peers(case, extents, gflop, arguments.type)
        results.append(result)
        peers = "".join(f"  {name} {value:6.1f}"
                        for name, value in result.get("peers", {}).items())
        print(f"{number:2} {case['spec']:20} {result['gflops']:6.1f} GFLOP/s "
              f"of {result['peak_gflops']:6.1f}: {result['fraction']:.3f}, "
              f"compiled in {result['compile_seconds'] * 1e3:.0f} ms{peers}",
              flush=True)
    for name, ids in GROUPS:
        group = [result for result in results if result["id"] in ids]
        if not group:
            continue
        line = geometric_mean([result["fraction"] for result in group])
        text = f"{name}: geometric mean {line:.3f} of peak ({len(group)} cases)"
        if arguments.peers:
            for peer in group[0]["peers"]:
                mean = geometric_mean([result["peers"][peer]
                                       / result["peak_gflops"]
                                       for result in group])
                text += f", {peer} {mean:.3f}"
        print(text)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"cpu": cpu_name(), "type": arguments.type,
                       "results": results}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
