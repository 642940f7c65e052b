# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions by kernels that were made ahead, and code that takes over."""

import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import tc


@pytest.mark.parametrize("specialize", ["auto", "never", "always"])
def test_results_are_the_same(specialize):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((5, 7, 3)), rng.standard_normal((3, 6))
    result = tc.einsum("abc,cd->dab", a, b, specialize=specialize)
    np.testing.assert_allclose(result, np.einsum("abc,cd->dab", a, b), rtol=1e-13)


def test_a_word_that_is_none_of_these():
    with pytest.raises(ValueError, match="'often' is none of always, never and auto"):
        tc.einsum("ij,jk", np.eye(2), np.eye(2), specialize="often")


def test_compiled_ahead():
    kernel = tc.compile("ij,jk", [(4, 5), (5, 6)], specialize="never")
    a, b = np.ones((4, 5)), np.ones((5, 6))
    np.testing.assert_array_equal(kernel(a, b), a @ b)
    with pytest.raises(AttributeError, match="what is not compiled"):
        kernel.schedule  # pylint: disable=pointless-statement


def test_nothing_is_compiled_for_a_first_call():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((6, 5)), rng.standard_normal((5, 7))
    tc.einsum("ij,jk", a, b)
    begin = time.process_time()
    for extent in range(20, 60):
        tc.einsum("ij,jk->ki", rng.standard_normal((6, extent)), rng.standard_normal((extent, 7)))
    # Compiling one takes as long.
    assert time.process_time() - begin < 0.04


# While code is made, the process forks or ends.
BUSY = """
import os, sys
import numpy as np
import tc

a, b = np.ones((2, 300, 300))
for extent in range(280, 300):
    x, y = a[:, :extent], b[:extent]
    for _ in range(400):
        tc.einsum("ij,jk", x, y, threads=1)
    if sys.argv[1] == "fork" and extent == 290:
        child = os.fork()
        if child:
            assert os.waitpid(child, 0)[1] == 0
assert np.all(tc.einsum("ij,jk", a, b) == 300)
"""


@pytest.mark.parametrize("what", ["end", "fork"])
def test_a_process_ends_while_code_is_made(what):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BUSY), what],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=dict(os.environ, TC_CACHE="off"),
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("specialize", ["never", "auto", "always"])
@pytest.mark.parametrize("spec", ["i,i->", "ij,j->i", "i,ij->j", "ij,ij->", "ij,jk->ik"])
def test_empty_sums_are_zero(spec, specialize):
    extents = {"i": 3, "j": 0, "k": 5} if "j" in spec else {"i": 0}
    if spec == "i,ij->j":
        extents = {"i": 0, "j": 4}
    operands = [
        np.empty([extents[label] for label in term]) for term in spec.split("->")[0].split(",")
    ]
    result = tc.einsum(spec, *operands, specialize=specialize)
    assert np.array_equal(result, np.einsum(spec, *operands))
