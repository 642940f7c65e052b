#!/usr/bin/env python3
"""Checks that the tests exist which pages name in tables, in the column "shown
by": `path`, or `path:name` where the file has that name. A line of a table that
says neither "no" nor anything of ours needs none."""

import os
import re
import sys

COLUMN = "shown by"
OURS = "here"


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def check(path, root):
    """Prints the errors of a page, and returns their number."""
    wrong = named = 0
    header = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.startswith("|"):
                header = None
                continue
            row = cells(line)
            if header is None:
                header = row if COLUMN in row and OURS in row else []
                continue
            if not header or set(line.strip()) <= set("|- "):
                continue
            ours = row[header.index(OURS)]
            tests = re.findall(r"`([^`]+)`", row[header.index(COLUMN)])
            named += len(tests)
            if not tests and ours and ours != "no":
                print(f"{path}:{number}: no test for '{row[0] or ours}'")
                wrong += 1
            for test in tests:
                name, _, inside = test.partition(":")
                if not os.path.isfile(os.path.join(root, name)):
                    print(f"{path}:{number}: there is no {name}")
                    wrong += 1
                    continue
                with open(os.path.join(root, name), encoding="utf-8") as source:
                    if inside and not re.search(rf"\b{re.escape(inside)}\b",
                                                source.read()):
                        print(f"{path}:{number}: {name} has no {inside}")
                        wrong += 1
    if named == 0:
        print(f"{path}: no table names a test")
        wrong += 1
    return wrong


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
    return 1 if sum(check(path, root) for path in sys.argv[1:]) else 0


if __name__ == "__main__":
    sys.exit(main())
