#!/usr/bin/env python3
"""Everything to be done on a day with a GPU, in one command, on a machine without
LLVM: builds tc-launch, tc-bench and tc-sim-crosscheck if they are not given;
checks every package of the compiled suites; measures the suites beside cuBLAS,
cuTENSOR and torch.einsum, as far as they are there; runs packages under
compute-sanitizer, the cheapest first; compares the simulator's instructions with
the device's; and makes a page of all results, anew after each suite.

It may be cut off after any minute: the same command goes on where it was. The
steps done are in FOLDER/journal.json, with a digest of the code that it was
done with, so that a package that has changed is done again.

Options that are not listed go to tc-bench. The exit status is 0 only if all that
was run passed."""

import argparse
import ctypes
import glob
import hashlib
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
import time

import whole_file

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPTS = os.path.join(ROOT, "scripts")
PROGRAMS = ("tc-launch", "tc-bench", "tc-sim-crosscheck")
SANITIZERS = ("memcheck", "racecheck", "synccheck", "initcheck")
# Elements of C that a result is compared at; more would take the host too long.
SAMPLES = 2000
# Names of CUDA's libraries, which the loader may not find by itself.
LIBRARIES = {"cublas": ("libcublas.so.13", "libcublas.so.12"),
             "cutensor": ("libcutensor.so.2",)}


class Stop(Exception):
    """The reason why nothing more can be done."""


def say(text):
    print(f"== {text}", flush=True)


def digest(*paths):
    """A digest that distinguishes versions of some files."""
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()[:16]


class Journal:
    """The steps done in this folder without a failure, now or before."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "journal.json")
        self.steps = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.steps = json.load(file)

    def has(self, step, version):
        return self.steps.get(step, {}).get("version") == version

    def add(self, step, version):
        self.steps[step] = {"version": version,
                            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                                  time.gmtime())}
        with whole_file.writing(self.path) as file:
            json.dump(self.steps, file, indent=1)


class Suite:
    """A folder that scripts/compile_suite.py made."""

    def __init__(self, folder):
        self.file = os.path.join(folder, "suite.json")
        if not os.path.isfile(self.file):
            raise Stop(f"{folder}: no suite.json in it")
        self.name = os.path.basename(os.path.abspath(folder))
        with open(self.file, encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        cases.sort(key=lambda case: math.prod(case["extents"].values()))
        # The package with the least work first.
        self.packages = [os.path.join(folder, case.get("cubin",
                                                       case["package"]))
                         for case in cases if "package" in case]
        if not self.packages:
            raise Stop(f"{folder}: no package in it")

    def version(self):
        return digest(self.file, *map(code_of, self.packages))


def code_of(package):
    """The file that a description names."""
    with open(package, encoding="utf-8") as file:
        name = json.load(file)["code"]["file"]
    return os.path.join(os.path.dirname(package), name)


class Day:
    """A run of all steps."""

    def __init__(self, arguments, bench_options):
        self.arguments, self.bench_options = arguments, bench_options
        self.began = time.monotonic()
        self.output = arguments.output
        os.makedirs(self.output, exist_ok=True)
        self.journal = Journal(self.output)
        self.failures = 0
        self.suites = [Suite(folder) for folder in arguments.suites]
        if len({suite.name for suite in self.suites}) < len(self.suites):
            raise Stop("two suites have folders of the same name")

    def left(self, share=1.0):
        """Seconds of a share of the budget that are left, at least one."""
        if not self.arguments.budget:
            return 86400.0
        rest = (self.arguments.budget * share
                - (time.monotonic() - self.began))
        return max(rest, 1.0)

    def is_over(self, share=1.0):
        return self.left(share) <= 1.0

    def fail(self, what):
        self.failures += 1
        print(f"FAILED: {what}", flush=True)

    def path(self, *names):
        path = os.path.join(self.output, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def run(self, command, log, seconds):
        """The exit status, None if it was not done in time, and the last line."""
        with open(log, "w", encoding="utf-8") as file:
            try:
                code = subprocess.run(command, stdout=file, check=False,
                                      stderr=subprocess.STDOUT,
                                      stdin=subprocess.DEVNULL,
                                      timeout=seconds).returncode
            except subprocess.TimeoutExpired:
                code = None
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        return code, lines[-1] if lines else ""

    def step(self, name, version, command, log, seconds):
        """Runs a step unless it was done; whether it was clean, None if it was
        not done in time."""
        if self.journal.has(name, version):
            return True
        code, last = self.run(command, log, seconds)
        if code == 0:
            self.journal.add(name, version)
        elif code is not None:
            self.fail(f"{name}: {last or f'exit status {code}'}")
        return None if code is None else code == 0

    def build(self):
        if not self.arguments.tools:
            say("build")
            self.arguments.tools = os.path.join(ROOT, "build-runtime", "bin")
            log = self.path("build.log")
            for command in (
                    ["cmake", "--preset", "runtime", "-S", ROOT],
                    ["cmake", "--build", os.path.join(ROOT, "build-runtime"),
                     "--parallel", str(os.cpu_count() or 1), "--target",
                     *PROGRAMS]):
                code, _ = self.run(command, log, self.left())
                if code != 0:
                    raise Stop(f"cannot build: see {log}")
        for program in PROGRAMS:
            if not os.access(self.tool(program), os.X_OK):
                raise Stop(f"no program {self.tool(program)}")

    def tool(self, name):
        return os.path.join(self.arguments.tools, name)

    def check(self, suite):
        say(f"checks of {len(suite.packages)} packages of {suite.name}")
        checked = skipped = 0
        for package in suite.packages:
            name = os.path.basename(package)
            # The benchmark checks results, too.
            if self.is_over(1 / 3):
                skipped += 1
                continue
            if self.step(f"check of {suite.name}/{name}",
                         digest(package, code_of(package)),
                         [self.tool("tc-launch"), package,
                          f"--check={SAMPLES}"],
                         self.path(suite.name, "checks", name + ".log"),
                         self.left()):
                checked += 1
        say(f"{checked} checked, {skipped} left to the benchmark")

    def measure(self, suite):
        say(f"benchmark of {suite.name}")
        results = self.path(suite.name, "results.json")
        log = self.path(suite.name, "bench.log")
        version, step = suite.version(), f"benchmark of {suite.name}"
        # Results of other code are no beginning for these.
        if not self.journal.has(f"begin of {step}", version):
            if os.path.exists(results):
                os.remove(results)
            self.journal.add(f"begin of {step}", version)
        # A kernel that faults ends the program; the next goes on after it.
        for _ in range(len(suite.packages) + 1):
            again = (["--resume=" + results, "--keep-failed"]
                     if os.path.exists(results) else [])
            limit = max(1, int(self.left(7 / 8)))
            code, last = self.run(
                [self.tool("tc-bench"), suite.file, f"--output={results}",
                 *again, f"--time-limit={limit}", f"--samples={SAMPLES}",
                 *self.bench_options], log, self.left())
            if code == 0:
                break
            self.fail(f"{step}: {last}")
            with open(log, encoding="utf-8", errors="replace") as file:
                if "the device is lost" not in file.read():
                    break
        with open(log, encoding="utf-8", errors="replace") as file:
            print(file.read(), end="", flush=True)
        if not importlib.util.find_spec("torch"):
            say("no torch: torch.einsum is not measured")
        elif os.path.exists(results):
            say(f"torch.einsum on {suite.name}")
            code, last = self.run(
                [sys.executable, os.path.join(SCRIPTS, "bench_torch.py"),
                 suite.file, results, f"--time-limit={self.left() / 2:.0f}"],
                self.path(suite.name, "torch.log"), self.left())
            if code != 0:
                self.fail(f"torch.einsum on {suite.name}: {last}")
            print(last, flush=True)
        self.make_page()

    def sanitize(self, suite):
        if not shutil.which("compute-sanitizer"):
            say("no compute-sanitizer on PATH: not run")
            return
        for package in suite.packages[:self.arguments.sanitize]:
            name = os.path.basename(package)
            for tool in self.arguments.sanitizers:
                if self.is_over():
                    return
                # Kernels are slower by orders of magnitude.
                limit = min(self.left(), self.arguments.sanitize_limit)
                clean = self.step(
                    f"{tool} of {suite.name}/{name}",
                    digest(package, code_of(package)),
                    ["compute-sanitizer", "--tool", tool, "--error-exitcode",
                     "9", self.tool("tc-launch"), package],
                    self.path(suite.name, "sanitizers", f"{tool}-{name}.log"),
                    limit)
                if clean is not False:
                    say(f"{tool} of {suite.name}/{name}: "
                        + ("clean" if clean else "not done in time"))

    def cross_check(self):
        if self.is_over():
            return
        say("the simulator's instructions against the device's")
        log = self.path("cross-check.log")
        self.step("cross-check", digest(self.tool("tc-sim-crosscheck")),
                  [self.tool("tc-sim-crosscheck"),
                   f"--json={self.path('cross-check.json')}"], log, self.left())
        with open(log, encoding="utf-8", errors="replace") as file:
            for line in file.read().splitlines()[-1:]:
                print(line, flush=True)

    def make_page(self):
        results = [path for path in (
            os.path.join(self.output, suite.name, "results.json")
            for suite in self.suites) if os.path.exists(path)]
        plots = ([] if importlib.util.find_spec("matplotlib")
                 and not self.arguments.no_plots else ["--no-plots"])
        if not results:
            return
        code, last = self.run(
            [sys.executable, os.path.join(SCRIPTS, "bench_page.py"), *results,
             "-o", self.path("page.html"), *plots], self.path("page.log"), 600)
        if code != 0:
            self.fail(f"page: {last}")

    def all(self):
        self.build()
        self.bench_options += library_options()
        for suite in self.suites:
            self.check(suite)
        for suite in self.suites:
            self.measure(suite)
        for suite in self.suites:
            self.sanitize(suite)
        if not self.arguments.no_cross_check:
            self.cross_check()
        say(f"{self.output}: page.html, a folder for each suite; "
            f"{self.failures} failures in "
            f"{time.monotonic() - self.began:.0f} s")
        return 1 if self.failures else 0


def loads(name):
    try:
        ctypes.CDLL(name)
        return True
    except OSError:
        return False


def library_options():
    """Options that name libraries that the loader does not find: in the CUDA
    Toolkit, or in Python packages of NVIDIA's."""
    folders = ["/usr/local/cuda/lib64"]
    folders += [folder for root in sys.path
                for pattern in ("nvidia/*/lib", "cutensor/lib")
                for folder in sorted(glob.glob(f"{root}/{pattern}"))]
    options = []
    for library, names in LIBRARIES.items():
        found = [f"{folder}/{name}" for name in names for folder in folders
                 if os.path.exists(f"{folder}/{name}")]
        if found and not any(map(loads, names)):
            options.append(f"--{library}={found[0]}")
    return options


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", metavar="SUITE_FOLDER",
                        help="of scripts/compile_suite.py")
    parser.add_argument("-o", "--output", default="gpu-bench", metavar="FOLDER",
                        help="where results, page, logs and the journal go "
                        "(gpu-bench)")
    parser.add_argument("--tools", metavar="FOLDER",
                        help="programs that are built already")
    parser.add_argument("--budget", type=float, default=0, metavar="SECONDS",
                        help="for this call; none if not given")
    parser.add_argument("--sanitize", type=int, default=2, metavar="N",
                        help="packages of each suite to run under "
                        "compute-sanitizer (2)")
    parser.add_argument("--sanitizers", default=list(SANITIZERS),
                        type=lambda text: text.split(","), metavar="LIST",
                        help="its tools (" + ",".join(SANITIZERS) + ")")
    parser.add_argument("--sanitize-limit", type=float, default=120,
                        metavar="SECONDS", help="for each of these (120)")
    parser.add_argument("--no-cross-check", action="store_true",
                        help="leave the simulator's instructions alone")
    parser.add_argument("--no-plots", action="store_true",
                        help="leave the plots out of the page")
    arguments, bench_options = parser.parse_known_args()
    try:
        return Day(arguments, bench_options).all()
    except (Stop, OSError, KeyError, ValueError) as error:
        print(f"gpu_bench.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
