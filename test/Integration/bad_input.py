#!/usr/bin/env python3
"""Bad input, over all tools: each case must end with exit status 1 and one error
on standard error that names the thing and its place, and write nothing, neither
to standard output nor to the file that it was to make.
"""

import dataclasses
import os
import re
import shlex
import subprocess
import sys
from typing import Callable, Dict, Union

import bad_input_cases
import harness


@dataclasses.dataclass
class BadInput:
    """A command line, run in a folder that holds just the files of the case, and
    a regular expression that the error must match. The files may be made by a
    function of the context."""
    name: str
    command: str
    error: str
    files: Union[Dict[str, str], Callable] = dataclasses.field(
        default_factory=dict)


def files_below(folder):
    return {os.path.relpath(os.path.join(path, file), folder)
            for path, _, files in os.walk(folder) for file in files}


def check(done, bad, shown):
    """Fails if the finished process is not what the module's text says."""
    if done.returncode != 1:
        raise harness.Failure(f"exit status {done.returncode}, not 1", shown)
    if done.stdout:
        raise harness.Failure("it wrote to standard output", shown)
    lines = done.stderr.strip().splitlines()
    # MLIR shows the offending line below the error; its message about a file
    # that it cannot open is one line without the word.
    errors = [line for line in lines if re.search(r"\berror: ", line)] or (
        lines if len(lines) == 1 else [])
    if len(errors) != 1:
        raise harness.Failure(f"{len(errors)} errors, not one:\n"
                              f"{done.stderr}", shown)
    if not re.search(bad.error, errors[0]):
        raise harness.Failure(f"'{errors[0]}' does not match '{bad.error}'",
                              shown)


def case(bad):
    def run(context):
        folder = context.folder
        files = bad.files(context) if callable(bad.files) else bad.files
        for name, text in files.items():
            context.write(name, text)
        words = shlex.split(bad.command)
        command = [context.tool(words[0]), *words[1:]]
        shown = f"cd {shlex.quote(folder)} && {shlex.join(command)}"
        done = subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, check=False, cwd=folder,
                              timeout=context.timeout)
        check(done, bad, shown)
        written = files_below(folder) - set(files)
        if written:
            raise harness.Failure(f"it wrote {sorted(written)}", shown)

    return harness.Case(bad.name, run)


def main():
    arguments = harness.parser(__doc__).parse_args()
    cases = [case(BadInput(*row)) for row in bad_input_cases.CASES]
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
