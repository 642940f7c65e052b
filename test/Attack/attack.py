#!/usr/bin/env python3
"""Attacks the build, and logs all runs and findings.

  differential   random contractions on the CPU and in the simulator against an
                 interpreter, on 1 to 8 threads, bits compared between two
                 numbers of threads
  memory         random contractions on the CPU under limits of address space
                 that are drawn: the right numbers, or an error and an output as
                 it was
  guard          calls of the Python package on arrays beside pages that nothing
                 may touch, by all doors that compute on the host
  cache          each option of tc-run alone against the cache of kernels, and
                 sets of options that are drawn
  packages       packages that are spoilt in thousands of ways
  files          checkpoints, tuning databases and caches, the same
  drivers        the random drivers of the tests with seeds that no test has, a
                 few cases of each
  modules        modules in MLIR's generic form with something missing or changed
  fuzzers        mutated notations, schedules, modules, PTX, packages, targets
                 and listings, and sequences of calls of the C interface, under
                 AddressSanitizer and UndefinedBehaviorSanitizer

All follow from the seed. The fuzzers need a build of the preset "fuzz".
Exits with status 1 if anything was found."""

import argparse
import datetime
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
ROOT = os.path.dirname(TESTS)
sys.path.insert(0, os.path.join(ROOT, "scripts"))

# pylint: disable-next=wrong-import-position
import drivers
# pylint: disable-next=wrong-import-position
import modules
# pylint: disable-next=wrong-import-position
import whole_file


FUZZERS = ("FuzzEinsum", "FuzzTCCG", "FuzzCogent", "FuzzProgram",
           "FuzzSchedule", "FuzzContract", "FuzzPTX", "FuzzPackage", "FuzzTarget",
           "FuzzForeign", "FuzzMachineCode", "FuzzInterface")
# Inputs of a second or more are not worth thousands of others.
RUNS_DIVISORS = {"FuzzInterface": 10, "FuzzTarget": 100}
# The number of draws of each kind, unless an option gives another.
COUNTS = {
    "differential": (5000, "random contractions"),
    "memory": (100, "contractions under limits of address space"),
    "guard": (5000, "calls on arrays beside guarded pages"),
    "cache": (200, "sets of options"),
    "packages": (10000, "spoilt packages"),
    "files": (3000, "spoilt checkpoints, and a tenth of other files"),
    "modules": (100000, "modules in MLIR's generic form"),
    "drivers": (200, "fresh seeds of each random driver of the tests"),
    "fuzz": (20000, "inputs of each fuzz target, of slow ones fewer"),
}
DTYPES = ("float64", "float32", "float16", "complex64", "complex128", "int8",
          "int32", "int64")
SPECS = ("ac,cb->ab", "ca,cb->ba", "acd,dbc->ab", "adc,cb->dab", "dac,cb->dab",
         "dac,dcb->dab", "acd,cd->a", "ac->a", "cd,cd->", "abd,cb->adc")


class Attack:
    """One kind, its outcome and how long it took."""

    def __init__(self, name, work):
        self.name, self.work = name, work
        self.found, self.said, self.seconds = False, "", 0.0

    def run(self):
        print(f"{self.name} ...", flush=True)
        began = time.monotonic()
        self.found, self.said = self.work()
        self.seconds = time.monotonic() - began
        print(f"{self.text()}\n", flush=True)

    def text(self):
        outcome = "FOUND SOMETHING" if self.found else "nothing found"
        return (f"{self.name}: {outcome}, {self.seconds:.0f} s\n"
                + "".join(f"  {line}\n" for line in self.said.splitlines()))


def run(command, keep=20, **options):
    """Runs a program: whether it failed, and its last lines."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          errors="replace", check=False, **options)
    lines = done.stdout.splitlines()
    return done.returncode != 0, "\n".join(lines[-keep:])


def python(script, *arguments, **options):
    return run([sys.executable, os.path.join(TESTS, script), *arguments],
               **options)


def memory_case(rng):
    return {"spec": rng.choice(SPECS),
            "extents": {"a": rng.randint(1, 700), "b": rng.randint(1, 500),
                        "c": rng.randint(1, 3000), "d": rng.randint(1, 9)},
            "dtype": rng.choice(DTYPES),
            "strategy": rng.choice(("auto", "auto", "gett", "ttgt", "loop_over_gemm",
                                    "direct")),
            "threads": rng.randint(1, 8),
            "seed": rng.randrange(1 << 30)}


def attack_memory(arguments):
    interpreter = os.path.join(arguments.build, "python-venv", "bin", "python")
    rng = random.Random(arguments.seed)
    counts, wrong, unsupported = {"right": 0, "refused": 0}, [], 0
    for _ in range(arguments.memory):
        case = json.dumps(memory_case(rng))
        failed, said = run(
            [interpreter, os.path.join(TESTS, "Python", "under_limits.py"),
             case], timeout=600)
        if failed and "UnsupportedError" in said:
            unsupported += 1
            continue
        outcomes = [] if failed else said.split()
        # The last call has memory enough.
        if (failed or outcomes[-1] != "right"
                or set(outcomes) - {"right", "refused"}):
            wrong.append(f"{case}: {said}")
        for outcome in outcomes:
            counts[outcome] = counts.get(outcome, 0) + 1
    figures = ", ".join(f"{count} {name}" for name, count in counts.items())
    return bool(wrong), "\n".join(
        [f"{arguments.memory} contractions, of which {unsupported} have no "
         f"such strategy; calls: {figures}", *wrong])


def attack_fuzzer(arguments, name):
    runs = arguments.fuzz // RUNS_DIVISORS.get(name, 1)
    with tempfile.TemporaryDirectory(prefix="tc-attack-") as folder:
        failed, said = run(
            [os.path.join(arguments.fuzzers, name), f"-runs={runs}",
             f"-seed={arguments.seed}",
             f"-max_total_time={arguments.fuzz_seconds}", "-timeout=60", "-rss_limit_mb=4096",
             "-detect_leaks=0", "-print_final_stats=1", "-verbosity=0",
             f"-artifact_prefix={os.getcwd()}/{name}-", folder,
             os.path.join(TESTS, "Fuzz", "Corpus", name)])
    done = re.search(r"number_of_executed_units: *(\d+)", said)
    return failed, said if failed or not done else f"{done[1]} inputs"


def attacks(arguments):
    seed = arguments.seed
    tools = os.path.join(arguments.build, "bin")
    if arguments.differential:
        yield Attack("differential", lambda: python(
            "Differential/differential.py", f"--tools={tools}",
            f"--seed={seed}", f"--count={arguments.differential}"))
    if arguments.memory:
        yield Attack("memory", lambda: attack_memory(arguments))
    if arguments.guard:
        interpreter = os.path.join(arguments.build, "python-venv", "bin", "python")
        yield Attack("guard", lambda: run(
            [interpreter, os.path.join(TESTS, "Python", "guard_pages.py"),
             f"--seed={seed}", f"--count={arguments.guard}"]))
    if arguments.cache:
        yield Attack("cache", lambda: python(
            "Integration/kernel_cache.py", f"--tools={tools}", f"--seed={seed}",
            f"--drawn={arguments.cache}", "--timeout=3600"))
    if arguments.packages:
        # Of each of two seeds, as many.
        yield Attack("packages", lambda: python(
            "Integration/packages.py", f"--tools={tools}", f"--seed={seed}",
            f"--count={arguments.packages // 2}", "--timeout=36000"))
    if arguments.files:
        yield Attack("files", lambda: run(
            [os.path.join(arguments.build, "python-venv", "bin", "python"),
             os.path.join(TESTS, "Python", "spoilt_files.py"),
             f"--seed={seed}", f"--count={arguments.files}"]))
    if arguments.modules:
        yield Attack("modules", lambda: modules.run(
            tools, seed, arguments.modules, os.getcwd()))
    for driver in drivers.DRIVERS if arguments.drivers else ():
        if re.search(arguments.only, driver.name):
            yield Attack(driver.name, lambda driver=driver: drivers.run(
                driver, arguments.build, seed, arguments.drivers))
    if arguments.fuzz:
        for name in FUZZERS:
            yield Attack(name, lambda name=name: attack_fuzzer(arguments, name))


def commit():
    done = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty",
                           "--abbrev=40"], text=True, capture_output=True,
                          check=False)
    return done.stdout.strip() or "unknown"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--fuzzers", help="folder of the fuzz targets",
                        default=os.path.join(ROOT, "build-fuzz", "fuzz"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", metavar="FILE", help="also write all here")
    for name, (count, what) in COUNTS.items():
        parser.add_argument(f"--{name}", type=int, default=count, metavar="N",
                            help=f"{what} (default {count}; 0: none)")
    parser.add_argument("--kinds", default="", metavar="A,B",
                        help="run these kinds only, of those above")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="of the drivers, those whose name this finds")
    parser.add_argument("--fuzz-seconds", type=int, default=3600, metavar="N",
                        help="and at most so long with each (default 3600)")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    try:
        is_any = any(re.search(arguments.only, driver.name)
                     for driver in drivers.DRIVERS)
    except re.error as error:
        parser.error(f"--only: '{arguments.only}': {error}")
    if not is_any:
        parser.error(f"--only: no driver's name matches '{arguments.only}'")
    if arguments.kinds:
        chosen = arguments.kinds.replace("fuzzers", "fuzz").split(",")
        for kind in COUNTS:
            if kind not in chosen:
                setattr(arguments, kind, 0)
        if unknown := set(chosen) - set(COUNTS):
            parser.error(f"no kind {', '.join(sorted(unknown))}")
    lines = [f"date: {datetime.date.today().isoformat()}",
             f"commit: {commit()}", f"seed: {arguments.seed}", ""]
    found = False
    for attack in attacks(arguments):
        attack.run()
        found |= attack.found
        lines.append(attack.text())
        if arguments.log:
            with whole_file.writing(arguments.log) as file:
                file.write("\n".join(lines))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
