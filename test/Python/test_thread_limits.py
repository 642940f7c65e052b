# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Limits of threads: if the system has no more of them, fewer are used, with the same
results."""

import os
import resource
import subprocess
import sys
import textwrap

import pytest

# Under a limit of threads, or of addresses with large stacks, and in a child of a fork.
CODE = """
import os, resource, sys
import numpy as np
import tc

limit, specialize = sys.argv[1:]
rng = np.random.default_rng(1)
a, b, c = (rng.standard_normal((600, 600)) for _ in range(3))
counts = (8, 2, 5000)

def compiled(spec, count):
    if specialize == "never":
        return lambda *arrays: tc.einsum(spec, *arrays, threads=count, specialize="never")
    if spec.count(",") == 1:
        return tc.compile(spec, [(600, 600)] * 2, threads=count)
    text = "i = 600, j = 600, k = 600, l = 600; R[i,l] = A[i,j] * B[j,k] * C[k,l]"
    program = tc.compile_program(text.replace("; ", chr(10)), threads=count)
    return lambda *arrays: program(dict(zip("ABC", arrays)))

calls = {}
for spec, arrays in {"ij,jk->ik": (a, b), "ij,jk,kl->il": (a, b, c)}.items():
    one = compiled(spec, 1)(*arrays)
    calls[spec] = [(compiled(spec, count), arrays, one) for count in counts]

if limit == "threads":
    # There is no limit for root.
    if os.getuid() == 0:
        try:
            os.setuid(61234)
        except PermissionError:
            sys.exit(77)
    resource.setrlimit(resource.RLIMIT_NPROC, (4, 4))
else:
    pages = int(open("/proc/self/statm").read().split()[0])
    bytes = pages * resource.getpagesize() + (5 << 29)
    resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))

def check():
    for several in calls.values():
        for call, arrays, one in several:
            for _ in range(3):
                assert np.array_equal(call(*arrays), one)

check()
child = os.fork() if limit == "addresses" else 0
if child:
    assert os.waitpid(child, 0)[1] == 0
else:
    check()
    print("done", flush=True)
"""


@pytest.mark.parametrize("specialize", ["never", "always"])
@pytest.mark.parametrize("limit", ["threads", "addresses"])
def test_contractions(limit, specialize):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE), limit, specialize],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=dict(os.environ, OMP_STACKSIZE="1G", OPENBLAS_NUM_THREADS="1"),
    )
    if done.returncode == 77:
        pytest.skip("root cannot become another user here")
    assert done.returncode == 0 and done.stdout == "done\n", done.stderr[-2000:]


@pytest.mark.parametrize("target", ["sim", "cpu"])
def test_simulator_and_reference(target):
    def limit():
        # Of threads of C++, that is the stack.
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    done = subprocess.run(
        [os.path.join(os.environ["TC_TOOLS"], "tc-run"), "ij,jk->ik", "--shapes=256x256,256x256"]
        + [f"--target={target}", "--workers=16", "--check=all", "--seed=1"]
        + (["--threads=1"] if target == "cpu" else []),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        preexec_fn=limit,
    )
    assert done.returncode == 0, done.stderr[-2000:]
