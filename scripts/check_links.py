#!/usr/bin/env python3
"""Checks the relative links of Markdown files: the file must exist, and so
must the heading that a fragment names."""

import os
import re
import sys

LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^(```|~~~)")


def prose(path):
    """Yields (line number, text) outside fenced code, without code spans."""
    fenced = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if FENCE.match(line.strip()):
                fenced = not fenced
            elif not fenced:
                yield number, re.sub(r"`[^`]*`", "``", line)


def anchors(path):
    """The fragments that a page's headings make, as GitHub spells them."""
    found = set()
    fenced = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if FENCE.match(line.strip()):
                fenced = not fenced
            match = None if fenced else re.match(r"#+\s+(.*)", line)
            if match:
                text = match.group(1).strip().lower()
                text = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
                found.add(text)
    return found


def check(path):
    dead = 0
    for number, text in prose(path):
        for target in LINK.findall(text):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, fragment = target.partition("#")
            file = os.path.normpath(
                os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(file):
                print(f"{path}:{number}: dead link to {target}")
                dead += 1
            elif fragment and file.endswith(".md") \
                    and fragment not in anchors(file):
                print(f"{path}:{number}: no heading for {target}")
                dead += 1
    return dead


def main():
    return 1 if sum(check(path) for path in sys.argv[1:]) else 0


if __name__ == "__main__":
    sys.exit(main())
