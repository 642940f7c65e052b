#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy-22 on one source, and leaves out findings in headers of others.

clang-tidy shows what it finds in a header of the system if the path to it passes a line
of the source. Nobody can mend that header here, nor headers that the build writes. An
error of the compiler counts wherever it is.

    own_findings.py ARGUMENT-OF-CLANG-TIDY...
"""

import pathlib
import re
import subprocess
import sys

FINDING = re.compile(r"^(/.*?):\d+:\d+: (?:warning|error): .*\[([^\[\]]*)\]$")
COUNT = re.compile(r"^\d+ warnings? treated as errors?\n?", re.MULTILINE)
ROOT = pathlib.Path(__file__).resolve().parent.parent


def is_own(path):
    """True of files of the project but for those in the folder of the build."""
    path = pathlib.Path(path).resolve()
    return ROOT in path.parents and ROOT / "build" not in path.parents


def split(text):
    """The lines before the first finding, and the findings with the lines below them."""
    head, findings = [], []
    for line in text.splitlines(keepends=True):
        if FINDING.match(line):
            findings.append([line])
        else:
            (findings[-1] if findings else head).append(line)
    return head, findings


def counts(finding):
    path, checks = FINDING.match(finding[0]).groups()
    return is_own(path) or "clang-diagnostic-error" in checks.split(",")


def main():
    run = subprocess.run(["clang-tidy-22", *sys.argv[1:]], check=False, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode == 0:
        sys.stdout.write(run.stdout)
        return 0
    head, findings = split(run.stdout)
    rest = "".join(head) + COUNT.sub("", run.stderr)
    counted = [finding for finding in findings if counts(finding)]
    # A run that ended otherwise than by its findings has failed.
    if run.returncode == 1 and findings and not counted and not rest.strip():
        return 0
    sys.stdout.write("".join(line for finding in counted for line in finding) + rest)
    return 1


if __name__ == "__main__":
    sys.exit(main())
