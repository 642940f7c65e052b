#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls random contractions on arrays beside pages that nothing may touch (guard_doors.py), in a process
that is killed by touching one: then a new one goes on with the next case. Prints what was found, and
exits with status 1 if anything was. Seed and number determine a case; --only repeats one, with all that
there is to say of it."""

import argparse
import collections
import faulthandler
import os
import subprocess
import sys


def work(seed, first, end, is_told):
    """Runs cases, each of which is announced before, as nobody may be there to say so afterwards."""
    # pylint: disable-next=import-outside-toplevel
    import guard_doors

    faulthandler.enable()
    outcomes = collections.Counter()
    for number in range(first, end):
        print("CASE", number, flush=True)
        case, wrong = guard_doors.run_case(seed, number)
        outcomes[case.said[0].split()[0] if case.said else "nothing"] += 1
        if len(case.said) > 1:
            outcomes[case.said[1].partition(":")[0] + " in a call"] += 1
        if is_told:
            print(*case.said, sep="\n")
        if wrong:
            print(f"WRONG {number}: {'; '.join(case.said)}: {wrong}", flush=True)
    print("DONE", *(f"{count} {name}," for name, count in outcomes.most_common()), flush=True)


def run_python(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False,
                          cwd=os.path.dirname(os.path.abspath(__file__)), **options)


def run_cases(seed, count, seconds):
    """Runs so many cases in processes of their own: the lines that say what was found, and what was run."""
    found, done, first = [], [], 0
    while first < count:
        try:
            child = run_python(os.path.abspath(__file__), f"--seed={seed}", f"--from={first}", f"--count={count - first}",
                               "--work", timeout=seconds)
            status, output, errors = child.returncode, child.stdout, child.stderr
        except subprocess.TimeoutExpired as expired:
            status, errors = "hangs", ""
            output = (expired.stdout or b"").decode()
        last = first - 1
        for line in output.splitlines():
            word, _, rest = line.partition(" ")
            if word == "CASE":
                last = int(rest)
            elif word == "WRONG":
                found.append(line)
            elif word == "DONE":
                done.append(rest)
        if status == 0:
            break
        trace = [x.strip() for x in errors.splitlines() if x.strip()]
        found.append(f"CRASH {last}: status {status}: {' | '.join(trace[:12])}")
        # One that cannot even begin would do so again and again.
        if last < first:
            break
        first = last + 1
    return found, done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000, help="of cases (default 1000)")
    parser.add_argument("--from", type=int, default=0, dest="first", help=argparse.SUPPRESS)
    parser.add_argument("--only", type=int, metavar="N", help="case N alone, in this process")
    parser.add_argument("--timeout", type=int, default=36000, metavar="SECONDS")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only is not None:
        work(arguments.seed, arguments.only, arguments.only + 1, True)
        return 0
    if arguments.work:
        work(arguments.seed, arguments.first, arguments.first + arguments.count, False)
        return 0
    found, done = run_cases(arguments.seed, arguments.count, arguments.timeout)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{arguments.count} cases of seed {arguments.seed}, {len(found)} of them wrong:", *done)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
