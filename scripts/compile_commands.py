#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints build/compile_commands.json with an entry for each source that is compiled in
a batch: CMake has one for the batch alone, and tools would guess at the options."""

import json
import pathlib
import re
import sys


def main():
    entries = json.loads(pathlib.Path(sys.argv[1]).read_text())
    more = []
    for entry in entries:
        path = pathlib.Path(entry["file"])
        if path.parent.name != "Unity":
            continue
        for source in re.findall(r'^#include "(.*)"', path.read_text(), re.MULTILINE):
            own = dict(entry, file=source)
            own["command"] = entry["command"].replace(f" {entry['file']}", f" {source}")
            more.append(own)
    json.dump(entries + more, sys.stdout, indent=1)


if __name__ == "__main__":
    sys.exit(main())
