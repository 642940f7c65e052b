"""TC_CPU_RUNTIME, which asks for ahead-of-time kernels of fewer instructions."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
import tc

a, b = np.random.default_rng(3).random((2, 37, 37))
error = np.linalg.norm(tc.einsum("ij,jk->ik", a, b) - a @ b) / np.linalg.norm(a @ b)
print(error < 1e-14)
"""


def run(text):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=dict(os.environ, TC_CPU_RUNTIME=text),
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize("text", ["", "avx512bf16", "avx512", "avx2", "generic"])
def test_names(text):
    done = run(text)
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.parametrize("text", ["AVX2", "avx1024"])
def test_other_names_are_ignored(text):
    done = run(text)
    assert done.stdout == "True\n"
    assert done.stderr == (
        f"tc: warning: TC_CPU_RUNTIME is '{text}', which is not avx512bf16, avx512, avx2 or generic, and is ignored\n"
    )
