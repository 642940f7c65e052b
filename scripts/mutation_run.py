#!/usr/bin/env python3
"""Plants faults in kernels and counts those that the simulator finds.

Compiles contractions with tc-run, adds the kernels of test/Mutation/Inputs, has
tc-sim-mutate change one thing at a time in each, and sums up the outcomes.
Everything follows from the seeds, which the report names.

  scripts/mutation_run.py                      the report, on standard output
  scripts/mutation_run.py --output=FILE        into a file
  scripts/mutation_run.py --log=FILE           also each mutant, a line of JSON

With --assert-caught the run is a test: every fault of the kinds that always
matter must be found, and a share of all.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

import whole_file

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INPUTS = os.path.join(ROOT, "test", "Mutation", "Inputs")

# Contractions of the TCCG benchmark with small, odd extents: a name, the
# contraction, extents, and options.
CONTRACTIONS = (
    ("ttm", "abc-bda-dc", "a=13,b=7,c=9,d=11", "--type=f64 --chip=sm_90"),
    ("ttm-f32", "abcd-dbea-ec", "a=17,b=5,c=9,d=3,e=19",
     "--type=f32 --chip=sm_80"),
    ("matmul", "ab-ac-cb", "a=37,b=29,c=23",
     "--type=f64 --chip=sm_80 --alpha=1.5 --beta=-0.5"),
    ("matmul-transposed", "ab-ca-bc", "a=33,b=35,c=21",
     "--type=f32 --chip=sm_90"),
    ("tall", "ab-acd-dbc", "a=41,b=6,c=5,d=9",
     "--type=f64 --chip=sm_90 --beta=1"),
    ("four", "abcd-aebf-dfce", "a=9,b=5,c=7,d=6,e=3,f=5",
     "--type=f64 --chip=sm_80"),
    ("four-f32", "abcd-ebad-ce", "a=11,b=5,c=9,d=7,e=10",
     "--type=f32 --chip=sm_90 --alpha=-2"),
    ("five", "abcde-efbad-cf", "a=5,b=7,c=9,d=3,e=6,f=11",
     "--type=f64 --chip=sm_90"),
    ("six", "abcdef-gdab-efgc", "a=3,b=5,c=4,d=3,e=5,f=2,g=7",
     "--type=f64 --chip=sm_80 --beta=1"),
    ("six-f32", "abcdef-dega-gfbc", "a=5,b=3,c=2,d=4,e=3,f=5,g=9",
     "--type=f32 --chip=sm_80"),
    ("batch", "abn-acn-cbn", "a=17,b=19,c=13,n=3", "--type=f64 --chip=sm_90"),
)

# Faults of these kinds change what a correct kernel of ours does.
SYNCHRONISATION = ("drop-barrier", "drop-wait")
ALWAYS_HARMFUL = SYNCHRONISATION + ("drop-store",)
OUTCOMES = ("rejected", "stopped", "wrong", "rounding", "same")


class Failure(Exception):
    """An error message for the user."""


def compile_kernels(tools, folder, names):
    packages = {}
    for name, spec, extents, options in CONTRACTIONS:
        if names and name not in names:
            continue
        path = os.path.join(folder, name + ".json")
        command = [os.path.join(tools, "tc-run"), spec, "--extents=" + extents,
                   "--ptxas=0", "--check=all", "--seed=1", "--workers=1",
                   "--save-package=" + path] + options.split()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)}: {done.stderr or done.stdout}")
        packages[name] = path
    for file in sorted(os.listdir(INPUTS)):
        name, extension = os.path.splitext(file)
        if extension == ".json" and (not names or name in names):
            packages[name] = os.path.join(INPUTS, file)
    return packages


def run_mutants(tools, path, options):
    command = [os.path.join(tools, "tc-sim-mutate"), f"--seed={options.seed}",
               f"--count={options.count}", f"--workers={options.workers}", path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(done.stderr.strip())
    return [json.loads(line) for line in done.stdout.splitlines()]


def table(title, counts):
    """Rows of counts by outcome, with sums."""
    lines = [f"| {title} | faults | refused by the parser | stopped by a check "
             "or a detector | wrong result | survived |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    total = collections.Counter()
    for name, row in list(counts.items()) + [("all", total)]:
        lines.append(f"| {name} | {sum(row.values())} | {row['rejected']} | "
                     f"{row['stopped']} | {row['wrong']} | "
                     f"{row['rounding'] + row['same']} |")
        if row is not total:
            total.update(row)
    return lines


def code(text):
    return f"`{text.replace('|', chr(92) + '|')}`" if text else "dropped"


def report(mutants, options):
    by_kernel = collections.OrderedDict()
    by_kind = collections.OrderedDict()
    for mutant in mutants:
        by_kernel.setdefault(mutant["kernel"], collections.Counter())[
            mutant["outcome"]] += 1
    for kind in sorted({mutant["kind"] for mutant in mutants}):
        by_kind[kind] = collections.Counter(
            m["outcome"] for m in mutants if m["kind"] == kind)
    survivors = [m for m in mutants if m["outcome"] in ("rounding", "same")]
    lines = [
        "# Faults that the simulator finds", "",
        f"`scripts/mutation_run.py --seed={options.seed} "
        f"--count={options.count}` made this page. It plants one small fault "
        "at a time in the PTX of correct", "kernels, runs each in the "
        "[simulator](simulator.md) with all detectors on, and compares the "
        "whole result with a reference.",
        "`tc-sim-mutate --seed=N --count=1 PACKAGE.json` repeats a fault.", "",
        *table("kernel", by_kernel), "", *table("fault", by_kind), "",
        "## Survivors", "",
        "Each survivor left every bit of C as the original does, for four sets "
        "of operands, and no detector spoke; or, where it",
        "says so, results that differ by less than the original's bound on "
        "rounding errors.", "",
        "| kernel | seed | line | before | after | why it may survive |",
        "| --- | ---: | ---: | --- | --- | --- |"]
    for m in survivors:
        lines.append(f"| {m['kernel']} | {m['seed']} | {m['line']} | "
                     f"{code(m['before'])} | {code(m['after'])} | "
                     f"{reason(m)} |")
    return "\n".join(lines) + "\n"


# Reasons why a change of an operation may change nothing, by its name.
EQUIVALENCES = {
    "ret": "running off the end returns as well",
    "bra": "what it skips has no effect here",
    "bra.uni": "what it skips has no effect here",
    "bar.sync": "another barrier does as well",
    "or.b32": "the operands share no bit",
}


def reason(mutant):
    """The reason why a mutant that computes the same does so."""
    words = mutant["before"].split()
    opcode = words[1] if words[0].startswith("@") else words[0]
    opcode = opcode.rstrip(";")
    kind = mutant["kind"]
    if mutant["outcome"] == "rounding":
        return "differs by rounding errors"
    if mutant["detail"] == "the result is not used":
        return mutant["detail"]
    if opcode in EQUIVALENCES and kind in ("drop-instruction", "change-opcode",
                                           "change-immediate"):
        return EQUIVALENCES[opcode]
    if kind in ("drop-guard", "negate-guard"):
        return "either way is right"
    if kind == "change-immediate" and ("0d" in mutant["before"] or
                                       "0f" in mutant["before"]):
        return "lost in rounding"
    if kind in ("change-opcode", "change-immediate", "swap-operands"):
        return "no operand is where the two differ"
    return "the same values, or none that are stored"


def check(mutants, share):
    """Raises Failure unless all that must be found was found: faults that
    always matter, and those of synchronisation by a detector and not by
    luck."""
    harmful = [m for m in mutants if m["kind"] in ALWAYS_HARMFUL]
    if not any(m["kind"] in SYNCHRONISATION for m in harmful):
        raise Failure("no fault of synchronisation was planted")
    missed = [m for m in harmful if m["outcome"] in ("rounding", "same") or
              m["kind"] in SYNCHRONISATION and m["outcome"] != "stopped"]
    if missed:
        raise Failure("not found: " + "; ".join(
            f"{m['kernel']} seed {m['seed']} line {m['line']} {m['before']} "
            f"({m['outcome']})" for m in missed))
    found = sum(m["outcome"] not in ("rounding", "same") for m in mutants)
    if found < share * len(mutants):
        raise Failure(f"only {found} of {len(mutants)} faults were found")
    print(f"{found} of {len(mutants)} faults found, all {len(harmful)} that "
          "always matter")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"),
                        help="folder of tc-run and tc-sim-mutate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200,
                        help="faults a kernel")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kernels", default="",
                        help="names, separated by commas; all if not given")
    parser.add_argument("--output")
    parser.add_argument("--log")
    parser.add_argument("--assert-caught", type=float, metavar="SHARE")
    options = parser.parse_args()
    names = [name for name in options.kernels.split(",") if name]
    try:
        mutants = []
        with tempfile.TemporaryDirectory() as folder:
            packages = compile_kernels(options.tools, folder, names)
            for name, path in packages.items():
                for mutant in run_mutants(options.tools, path, options):
                    mutant.pop("package")
                    mutants.append({"kernel": name, **mutant})
        if options.log:
            with whole_file.writing(options.log) as file:
                file.writelines(json.dumps(m) + "\n" for m in mutants)
        if options.assert_caught is not None:
            check(mutants, options.assert_caught)
        elif options.output:
            with whole_file.writing(options.output) as file:
                file.write(report(mutants, options))
        else:
            print(report(mutants, options), end="")
    except Failure as failure:
        print(f"mutation_run.py: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
