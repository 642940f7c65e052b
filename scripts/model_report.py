#!/usr/bin/env python3
"""Puts the output of TCModelReport and TCScheduleTable into
docs/model-report.md.

The section's text stands between two comments that name it; the text around
them is written by hand.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import whole_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "model-report.md"
REPORT = "test/ModelSimulation/TCModelReport"
COMMANDS = {
    "schedules": ("test/Unit/TCScheduleTable",),
    "accesses": (REPORT, "accesses"),
    "ranking": (REPORT, "ranking"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("section", choices=COMMANDS)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("arguments", nargs="*",
                        help="of the section: the target of schedules, or "
                        "schedules and seed of a ranking")
    options = parser.parse_args()
    program, *section = COMMANDS[options.section]
    run = subprocess.run([options.build / program, *section,
                          *options.arguments],
                         stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        return run.returncode
    name = options.section
    pattern = re.compile(f"(<!-- {name}: begin -->\n).*(<!-- {name}: end -->)",
                         re.DOTALL)
    text, count = pattern.subn(lambda m: m[1] + "\n" + run.stdout + "\n" + m[2],
                               PAGE.read_text())
    if count != 1:
        print(f"{PAGE}: has no section '{name}'", file=sys.stderr)
        return 1
    with whole_file.writing(PAGE) as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
