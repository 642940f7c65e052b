# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Python code on ranks of MPI, for the tests of tc.distributed.

TC_TEST_RANKS=1,2,3,4,8 names more numbers of ranks than the two of a short run, and TC_MPIEXEC
another command than the mpiexec beside this Python, such as
"mpirun --oversubscribe --allow-run-as-root"."""

import contextlib
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import textwrap

RANKS = [int(x) for x in os.environ.get("TC_TEST_RANKS", "2,3").split(",")]

# Names that code finds: its communicator, the folder of this run, `say`, which keeps a value for
# the test, and `caught`, which calls something and says its exception.
_BEFORE = """\
import hashlib, json, os, sys, time
import numpy as np
from mpi4py import MPI
import tc
import tc.distributed as dist
comm, rank, size = MPI.COMM_WORLD, MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
folder = sys.argv[1]
def say(value):
    with open(os.path.join(sys.argv[1], f"said-{rank}"), "a") as file:
        file.write(json.dumps(value) + "\\n")
def caught(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except Exception as error:
        say(f"{type(error).__name__}: {error}")
    else:
        say(None)
"""


def start(ranks, folder, code):
    """A process that runs the code on so many ranks, as `python -m mpi4py` does, which
    ends all if one raises."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    for said in folder.glob("said-*"):
        said.unlink()
    script = folder / "code.py"
    script.write_text(_BEFORE + textwrap.dedent(code))
    return launch(ranks, [script, folder])


def launch(ranks, arguments):
    """A process that runs a script on so many ranks, with a group of its own."""
    beside = pathlib.Path(sys.executable).with_name("mpiexec")
    launcher = shlex.split(os.environ.get("TC_MPIEXEC", str(beside)))
    # One thread a rank, NumPy's included, as there may be more ranks than cores.
    one = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return subprocess.Popen(
        [*launcher, "-n", str(ranks), sys.executable, "-m", "mpi4py", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **one},
        start_new_session=True,
    )


def end_of(process, seconds):
    """The output of a process, which has to end well. After so long, it is killed with all that it
    has started."""
    try:
        output, _ = process.communicate(timeout=seconds)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        print(process.communicate()[0])
        raise
    assert process.returncode == 0, output
    return output


def said(ranks, folder):
    """The values that each rank has said."""
    files = [pathlib.Path(folder, f"said-{rank}") for rank in range(ranks)]
    return [
        [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        for file in files
    ]


def run(ranks, folder, code, seconds=120):
    """The values that each rank has said, of code that has to end well."""
    end_of(start(ranks, folder, code), seconds)
    return said(ranks, folder)
