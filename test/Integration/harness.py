"""Shared code of the integration drivers: finding the tools, running cases side by
side, and reporting so that every failure can be repeated by hand.

A driver makes `Case`s and hands them to `main`. Each ends with the line
'N passed, N failed' and exits with status 0 only if something ran and all of
it was right.
"""

import argparse
import concurrent.futures
import copy
import dataclasses
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from typing import Callable, List, Optional

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))

# pylint: disable-next=wrong-import-position
import whole_file

SUITES = os.path.join(ROOT, "benchmarks", "suites")


class Failure(Exception):
    """The reason why a case is wrong, and the shell command that shows it."""

    def __init__(self, reason, command=""):
        super().__init__(reason)
        self.command = command


@dataclasses.dataclass
class Case:
    """One thing to check. `run` gets the context, raises Failure, and may
    return a dictionary of figures for the driver's report."""
    name: str
    run: Callable


@dataclasses.dataclass
class Outcome:
    name: str
    seconds: float
    figures: Optional[dict] = None
    reason: str = ""
    command: str = ""


class Context:
    """The tools, and a folder that a case may write to."""

    def __init__(self, tools, folder, timeout):
        self.tools = os.path.abspath(tools)
        self.folder = folder
        self.timeout = timeout
        # Results that are found once, for all cases.
        self.found = {}

    def of_case(self, name):
        """The same with a folder of its own in this one: cases that run side by
        side may write files of one name."""
        own = copy.copy(self)
        own.folder = os.path.join(self.folder, name)
        os.makedirs(own.folder, exist_ok=True)
        return own

    def tool(self, name):
        path = os.path.join(self.tools, name)
        if not os.path.exists(path):
            raise Failure(f"no program {path}: build it first")
        return path

    def simulate(self, what, *options):
        """Runs a specification or a file on the simulator, on one core: the
        cases run side by side."""
        return self.call([self.tool("tc-run"), what, "--target=sim",
                          "--workers=1", "--ptxas=0", *options])

    def compute(self, target, what, *options):
        """The same on the simulator ("sim") or on this machine ("cpu")."""
        if target == "sim":
            return self.simulate(what, *options)
        return self.call([self.tool("tc-run"), what, f"--target={target}",
                          "--workers=1", *options])

    def small_cpu(self, name):
        """A target file, as this machine's CPU but with caches so small that
        small problems take many blocks."""
        if "cpu" not in self.found:
            self.found["cpu"] = self.call(
                [self.tool("tc-run"), "--target-info=cpu", "--json"])
        target = json.loads(self.found["cpu"])
        for cache, size in zip(target["caches"], (2048, 8192, 32768)):
            cache["bytes"], cache["ways"] = size, 4
        target["name"] = "small"
        return self.write(f"{name}.json", json.dumps(target))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def import_function(self, name, notation, text, *options):
        """A contraction as a function of that name; several make a module."""
        handle, path = tempfile.mkstemp(dir=self.folder, prefix=f"{name}-",
                                        text=True)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        module = self.call([self.tool("tc-translate"), f"--import-{notation}",
                            path, *options])
        function = re.fullmatch(r"module {\n(.*)}\s*", module, re.DOTALL)
        return re.sub(r"(func\.func @)\w+\(", rf"\g<1>{name}(", function[1])

    def machine_code(self, name, functions, chip):
        """`tc-run`'s report on the machine code of functions, by their names. One
        call for many of them: nvdisasm takes a quarter of a second to start."""
        report = json.loads(self.call(
            [self.tool("tc-run"),
             self.write(f"{name}-{chip}.mlir", "".join(functions)),
             f"--chip={chip}", "--machine-code=json"]))
        if report["architecture"] != chip:
            raise Failure(f"the code is for {report['architecture']}")
        return {kernel["entry"]: kernel for kernel in report["kernels"]}

    def call(self, command, stdin=None):
        """Runs a command; its standard output, or a Failure. `stdin` is the
        path of a file."""
        shown = shlex.join(command) + (f" < {shlex.quote(stdin)}" if stdin
                                       else "")
        try:
            with open(stdin or os.devnull, "rb") as source:
                done = subprocess.run(command, stdin=source, text=True,
                                      capture_output=True, check=False,
                                      timeout=self.timeout,
                                      env={**os.environ, "TC_CACHE": "off",
                                           "TC_CALIBRATION": "off"})
        except subprocess.TimeoutExpired:
            raise Failure(f"not done after {self.timeout} s", shown) from None
        if done.returncode != 0:
            told = (done.stderr.strip() or done.stdout.strip()).splitlines()
            # Operations that errors show may be longer than what is told.
            errors = [line for line in told[:-8] if "error: " in line][:2]
            raise Failure(f"exit status {done.returncode}: "
                          + "\n    ".join([*errors, *told[-8:]]), shown)
        return done.stdout


def link_library(context, output, *libraries):
    """Makes OUTPUT.so of OUTPUT.o and libraries, which may be of the build."""
    compiler = find_c_compiler()
    if not compiler:
        raise Failure("no clang-22, clang or cc here")
    folder = os.path.join(os.path.dirname(context.tools), "lib")
    context.call([*compiler, "-shared", output + ".o", f"-L{folder}",
                  f"-Wl,-rpath,{folder}", "-Wl,--no-undefined", *libraries,
                  "-lm", "-o", output + ".so"])


def run_apart(context, script, options, source):
    """Runs a script with options in a process of its own, which may end in any
    way; raises Failure, with the source that it is about, unless in a good
    one."""
    done = subprocess.run(
        [sys.executable, script, "--tools", context.tools, *options],
        capture_output=True, text=True, check=False, timeout=context.timeout)
    if done.returncode != 0:
        raise Failure(f"{done.stdout}{done.stderr}exit status "
                      f"{done.returncode}\n{source}")


def find_ptxas():
    """The PTX assembler, or nothing: that of TC_PTXAS, which the tools take, too."""
    if os.environ.get("TC_PTXAS"):
        return os.environ["TC_PTXAS"]
    places = [os.environ.get("PATH", ""), "/usr/local/cuda/bin",
              os.path.join(ROOT, "build", "ptxas", "nvidia", "cu13", "bin")]
    return shutil.which("ptxas", path=os.pathsep.join(places))


def find_nvdisasm():
    """The disassembler of cubins, or nothing."""
    places = [os.environ.get("PATH", ""), "/usr/local/cuda/bin",
              os.path.join(ROOT, "build", "ptxas", "nvidia", "cu13", "bin")]
    return os.environ.get("TC_NVDISASM") or shutil.which(
        "nvdisasm", path=os.pathsep.join(places))


def find_libdevice():
    """CUDA's math library where the compiler looks for it, or nothing."""
    ptxas = find_ptxas()
    toolkits = ["/usr/local/cuda"] + (
        [os.path.dirname(os.path.dirname(os.path.realpath(ptxas)))]
        if ptxas else [])
    places = [os.environ.get("TC_LIBDEVICE")] + [
        os.path.join(toolkit, "nvvm/libdevice/libdevice.10.bc")
        for toolkit in toolkits]
    return next((place for place in places
                 if place and os.path.exists(place)), None)


def find_c_compiler():
    """The command of a C compiler, or nothing. Clang links by LLD where that is:
    the linker is much of what building a small program takes."""
    for name in ("clang-22", "clang", "cc"):
        if shutil.which(name):
            uses_lld = name == "clang-22" and shutil.which("ld.lld-22")
            return [name, *(["-fuse-ld=lld-22"] if uses_lld else [])]
    return None


def parser(description):
    result = argparse.ArgumentParser(
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"),
                        help="folder of the built programs")
    result.add_argument("--jobs", type=int, default=2,
                        help="cases that run at once")
    result.add_argument("--filter", default="",
                        help="run only the cases whose name this regular "
                        "expression finds")
    result.add_argument("--keep", metavar="FOLDER",
                        help="write each case's files into a folder here and "
                        "leave them")
    result.add_argument("--timeout", type=int, default=120,
                        help="seconds that one command may take")
    result.add_argument("--json", metavar="FILE",
                        help="write the outcomes and figures here")
    return result


def run_case(case, context):
    began = time.monotonic()
    try:
        figures = case.run(context.of_case(case.name))
        return Outcome(case.name, time.monotonic() - began, figures)
    except Failure as failure:
        return Outcome(case.name, time.monotonic() - began,
                       reason=str(failure), command=failure.command)


def report(outcome, lock):
    if outcome.reason:
        with lock:
            print(f"FAILED {outcome.name}: {outcome.reason}")
            if outcome.command:
                print(f"  repeat: {outcome.command}")
            sys.stdout.flush()


def run_all(cases: List[Case], arguments, context):
    lock = threading.Lock()
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(lambda c: run_case(c, context), cases):
            report(outcome, lock)
            outcomes.append(outcome)
    return outcomes


def main(cases: List[Case], arguments,
         show: Callable[[List[Outcome]], None] = None):
    """Runs the cases that the filter leaves; `show` prints a driver's table, and
    raises a Failure if the results of all cases together are wrong."""
    cases = [c for c in cases if re.search(arguments.filter, c.name)]
    began = time.monotonic()
    folder = arguments.keep or tempfile.mkdtemp(prefix="tc-integration-")
    os.makedirs(folder, exist_ok=True)
    context = Context(arguments.tools, folder, arguments.timeout)
    outcomes = run_all(cases, arguments, context)
    wrong = None
    if show:
        try:
            show([o for o in outcomes if not o.reason])
        except Failure as failure:
            wrong = str(failure)
            print(f"FAILED: {wrong}")
    if arguments.json:
        with whole_file.writing(arguments.json) as file:
            json.dump([dataclasses.asdict(o) for o in outcomes], file,
                      indent=1)
            file.write("\n")
    failed = [o for o in outcomes if o.reason]
    # A failure's command names these files, so they outlive it.
    if failed:
        print(f"the failed cases' files are in {folder}")
    elif not arguments.keep:
        shutil.rmtree(folder)
    slowest = max(outcomes, key=lambda o: o.seconds, default=None)
    if slowest:
        print(f"{time.monotonic() - began:.1f} s in all; slowest: "
              f"{slowest.name}, {slowest.seconds:.1f} s")
    else:
        print("error: no case to run")
    print(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or wrong or not outcomes else 0
