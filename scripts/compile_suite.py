#!/usr/bin/env python3
"""Compiles a suite of contractions ahead, for tc-bench.

SUITE is `tccg` (the 48 contractions of the TCCG benchmark), `nwchem` (the 27
triples kernels of CCSD(T)), or a suite file without packages. The folder gets
`suite.json`, and for each case a package: PTX and its description, and, where
ptxas is installed, a cubin with its description; the suite then has ptxas's
registers and spills as well, and, where nvdisasm is installed, what the main
loop of the machine code consists of and what time is predicted from it. A case
that the compiler refuses is listed with its message; with --strict that is an
error.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUITES = os.path.join(ROOT, "benchmarks", "suites")
sys.path.insert(0, os.path.join(ROOT, "test", "Integration"))

import harness  # pylint: disable=wrong-import-position
import suites  # pylint: disable=wrong-import-position
import whole_file  # pylint: disable=wrong-import-position

FORMAT, VERSION = "tc-suite", 1
# The fields that a case has once it is compiled.
MADE = ("package", "cubin", "resources", "machine_code", "predicted_time")


class Refused(Exception):
    """The compiler's message about a case."""


def dense_case(name, element_type, lists, extents, alpha=1, beta=0):
    """A case of a suite; `lists` has the indices of C, A and B."""
    case = {"name": name, "type": element_type}
    case.update(zip("CAB", lists))
    case["extents"] = {label: extents[label]
                       for label in dict.fromkeys(sum(lists, []))}
    if alpha != 1:
        case["alpha"] = alpha
    if beta != 0:
        case["beta"] = beta
    return case


def tccg(element_type):
    return [dense_case(problem.name, element_type,
                       [list(labels) for labels in problem.lists()],
                       problem.extents(element_type))
            for problem in suites.tccg()]


def nwchem(element_type):
    with open(os.path.join(SUITES, "nwchem_ccsd_t.json"),
              encoding="utf-8") as file:
        suite = json.load(file)
    cases = []
    for entry in suite["cases"]:
        lists = [entry["C"], entry["A"], entry["B"]]
        extents = dict.fromkeys(sum(lists, []), suite["extents_default"])
        cases.append(dense_case(entry["id"], element_type, lists, extents,
                                alpha=-1 if entry["sign"] == "-" else 1,
                                beta=1))
    return cases


def load_suite(name, element_type):
    """A suite without packages, as a dictionary."""
    if name in ("tccg", "nwchem"):
        element_type = element_type or "f64"
        make = tccg if name == "tccg" else nwchem
        return {"format": FORMAT, "version": VERSION,
                "name": f"{name}-{element_type}", "layout": "col",
                "cases": make(element_type)}
    try:
        with open(name, encoding="utf-8") as file:
            suite = json.load(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SystemExit(f"error: {name}: {reason}") from None
    if (suite.get("format"), suite.get("version")) != (FORMAT, VERSION):
        raise SystemExit(f"error: {name}: not a suite of version {VERSION}")
    if element_type:
        raise SystemExit(f"error: --type: {name} says that itself")
    for case in suite["cases"]:
        for key in (*MADE, "refused"):
            case.pop(key, None)
    return suite


def tccg_text(case):
    tensors = {name: f"{name}[{','.join(case[name])}]" for name in "CAB"}
    lines = [f"{tensors['C']} = {tensors['A']} * {tensors['B']}"]
    lines += [f"{label} = {extent}"
              for label, extent in case["extents"].items()]
    return "\n".join(lines) + "\n"


def call(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=False)


def compile_package(case, stem, suite, arguments):
    """Writes STEM.json and STEM.ptx."""
    source = f"{stem}.tccg"
    with open(source, "w", encoding="utf-8") as file:
        file.write(tccg_text(case))
    command = [os.path.join(arguments.tools, "tc-run"), source,
               f"--type={case['type']}", f"--chip={arguments.chip}",
               f"--layout={suite['layout']}", "--emit=ptx",
               f"--save-package={stem}.json"]
    for key in ("alpha", "beta", "precision"):
        if key in case:
            command.append(f"--{key}={case[key]}")
    done = call(command)
    os.remove(source)
    if done.returncode != 0:
        reported = done.stderr.strip() or f"exit status {done.returncode}"
        raise Refused(reported.splitlines()[0].replace("tc-run: ", "", 1)
                      .replace(source, os.path.basename(source)))


def assemble(stem, ptxas, chip):
    """Writes STEM.cubin and STEM.cubin.json; ptxas's figures."""
    done = call([ptxas, "-v", f"-arch={chip}", f"{stem}.ptx", "-o",
                 f"{stem}.cubin"])
    if done.returncode != 0:
        raise Refused(f"ptxas: {done.stderr.strip().splitlines()[0]}")

    def figure(pattern):
        return max(int(value) for value in re.findall(pattern, done.stderr))

    with open(f"{stem}.json", encoding="utf-8") as file:
        description = json.load(file)
    description["code"] = {"kind": "cubin",
                           "file": os.path.basename(stem) + ".cubin"}
    with whole_file.writing(f"{stem}.cubin.json") as file:
        json.dump(description, file, indent=2)
        file.write("\n")
    return {"registers": figure(r"Used (\d+) registers"),
            "spill_store_bytes": figure(r"(\d+) bytes spill stores"),
            "spill_load_bytes": figure(r"(\d+) bytes spill loads")}


def of_cubin(stem, option, nvdisasm, arguments):
    """tc-run's report on the kernel in STEM.cubin."""
    done = subprocess.run(
        [os.path.join(arguments.tools, "tc-run"), f"{stem}.cubin.json",
         option], stdin=subprocess.DEVNULL, text=True,
        capture_output=True, check=False,
        env={**os.environ, "TC_NVDISASM": nvdisasm})
    if done.returncode != 0:
        raise Refused(done.stderr.strip().splitlines()[0])
    return json.loads(done.stdout)["kernels"][0]


def machine_code(stem, nvdisasm, arguments):
    """Figures of the main loop of STEM.cubin, or of all of a kernel without
    one."""
    code = of_cubin(stem, "--machine-code=json", nvdisasm,
                    arguments)["machine_code"]
    if code["main_loop"] is not None:
        code = code["loops"][code["main_loop"]]
    kept = ("others_per_multiply", "stall_cycles", "bank_conflicts",
            "busy_cycles")
    return {"multiply": code["multiply"],
            "instructions": code["instructions"],
            "multiplies": code["by_category"]["multiply"],
            "moves": code["by_category"]["move"],
            **{key: code[key] for key in kept}}


def add_predicted_time(case, stem, nvdisasm, arguments):
    """Adds the time that the machine code in STEM.cubin is predicted to take.
    Code that cannot be timed is as good as any."""
    try:
        time = of_cubin(stem, "--time=json", nvdisasm, arguments)["time"]
    except Refused as refused:
        print(f"no predicted time: {case['name']}: {refused}")
        return
    case["predicted_time"] = {key: time[key] for key in (
        "seconds", "launch_seconds", "limited_by")}


def file_names(cases):
    """A name for each case that files can have."""
    names = [re.sub(r"[^\w.-]", "_", case["name"]) for case in cases]
    return [name if names.count(name) == 1 else f"{name}-{number}"
            for number, name in enumerate(names)]


def compile_case(case, name, suite, ptxas, nvdisasm, arguments):
    """The case with the compiler's results."""
    case = dict(case)
    stem = os.path.join(arguments.output, name)
    try:
        compile_package(case, stem, suite, arguments)
        case["package"] = f"{name}.json"
        if ptxas:
            case["resources"] = assemble(stem, ptxas, arguments.chip)
            case["cubin"] = f"{name}.cubin.json"
            if nvdisasm:
                case["machine_code"] = machine_code(stem, nvdisasm, arguments)
                add_predicted_time(case, stem, nvdisasm, arguments)
    except Refused as refused:
        for key in MADE:
            case.pop(key, None)
        case["refused"] = str(refused)
    return case


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", metavar="SUITE")
    parser.add_argument("--type", help="element type of a built-in suite (f64)")
    parser.add_argument("--chip", default="sm_90",
                        help="chip to compile for (%(default)s)")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER",
                        help="where the suite goes")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"),
                        help="folder of the built programs")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="only cases in whose names this is found")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="cases compiled at once (one a core)")
    parser.add_argument("--ptx-only", action="store_true",
                        help="make no cubins, even where ptxas is installed")
    parser.add_argument("--strict", action="store_true",
                        help="fail if a case is refused")
    arguments = parser.parse_args()

    suite = load_suite(arguments.suite, arguments.type)
    cases = [case for case in suite["cases"]
             if re.search(arguments.only, case["name"])]
    if not cases:
        raise SystemExit("error: --only leaves no case")
    ptxas = None if arguments.ptx_only else harness.find_ptxas()
    if not ptxas:
        print("no cubins, and no figures of registers and spills")
    nvdisasm = harness.find_nvdisasm()
    if ptxas and not nvdisasm:
        print("no figures of machine code, and no predicted times")
    os.makedirs(arguments.output, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        cases = list(pool.map(
            lambda case, name: compile_case(case, name, suite, ptxas,
                                            nvdisasm, arguments),
            cases, file_names(cases)))
    suite["target"] = arguments.chip
    suite["cases"] = cases
    path = os.path.join(arguments.output, "suite.json")
    with whole_file.writing(path) as file:
        json.dump(suite, file, indent=1)
        file.write("\n")
    refused = [case for case in cases if "refused" in case]
    for case in refused:
        print(f"refused: {case['name']}: {case['refused']}")
    print(f"{path}: {len(cases) - len(refused)} cases compiled, "
          f"{len(refused)} refused")
    return 1 if arguments.strict and refused else 0


if __name__ == "__main__":
    sys.exit(main())
