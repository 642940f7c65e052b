# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions by ahead-of-time kernels, and code that takes over."""

import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import tc
from tc import _native

from seeds import SEED


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
    with pytest.raises(AttributeError, match="^schedule does not exist for what is not compiled"):
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


# Of which some have temporaries that live at the same time.
NETWORKS = [
    "ij,jk,kl->li",
    "ab,bc,cd,de->ae",
    "ijkl,ia,jb,kc->abcl",
    "iij,jk,kl->il",
    "ia,ib,ic->abc",
    "ab,cd,bd,ac->",
]


def draw_network(rng, subscripts, dtype, extents):
    """Arrays, and their magnitudes."""
    sizes = {label: rng.choice(extents) for label in subscripts if label.isalpha()}
    arrays = []
    for term in subscripts.split("->")[0].split(","):
        array = rng.standard_normal([sizes[label] for label in term])
        if np.dtype(dtype).kind == "c":
            array = array + 1j * rng.standard_normal(array.shape)
        arrays.append((8 * array).astype(dtype))
    return arrays


@pytest.mark.parametrize("specialize", ["auto", "never", "always"])
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "complex64", "complex128", "int32", "int64"]
)
def test_products_of_many(dtype, specialize):
    rng = np.random.default_rng([SEED, *f"{specialize} {dtype}".encode()])
    # Each takes its time to compile.
    count = 2 if specialize == "always" else 40
    for subscripts in map(str, rng.permutation(NETWORKS * 7)[:count]):
        arrays = draw_network(rng, subscripts, dtype, [1, 2, 7, 8, 13, 16, 17])
        print(subscripts, [array.shape for array in arrays])
        result = tc.einsum(subscripts, *arrays, specialize=specialize)
        wide = {"i": np.int64, "f": np.float64, "c": np.complex128}[np.dtype(dtype).kind]
        operands = [array.astype(wide) for array in arrays]
        wanted = np.einsum(subscripts, *operands, optimize=True)
        if wide is np.int64:
            assert np.array_equal(result, wanted.astype(dtype))
            continue
        magnitude = np.einsum(subscripts, *map(abs, operands), optimize=True)
        assert result.dtype == dtype and result.shape == wanted.shape
        assert (abs(result - wanted) <= 300 * np.finfo(dtype).eps * magnitude).all()


def test_nothing_is_compiled_for_a_product_of_many():
    a = np.ones((4, 4))
    tc.einsum("ij,jk,kl", a, a, a)
    begin = time.process_time()
    for extent in range(20, 40):
        b, c = np.ones((4, extent)), np.ones((extent, 5))
        result = tc.einsum("ij,jk,kl,lm->im", a, b, c, np.ones((5, 6)), threads=1)
        assert (result == 4 * 5 * extent).all()
    # Compiling one takes as long.
    assert time.process_time() - begin < 0.1


def test_nothing_is_compiled_for_sums_over_nothing():
    rng = np.random.default_rng([SEED, 9])
    arrays = [np.ones((5, 0)), np.ones((0, 4)), rng.random((4, 3))]

    def run(text, **tensors):
        options = {"target": "cpu", "threads": "1", "specialize": "never"}
        program = _native.Program(text, "tensors", options)
        assert program.workspace_bytes == 0
        program.run([tensors[name] for name, *_ in program.parameters], None)

    begin = time.process_time()
    text = "i = 5, j = 0, k = 4, l = 3\nD[i,l] {} 0.5 * A[i,j] * B[j,k] * C[k,l]"
    d = rng.random((5, 3))
    before = d.copy()
    run(text.format("+="), **dict(zip("ABC", arrays)), D=d)
    assert np.array_equal(d, before)
    run(text.format("="), **dict(zip("ABC", arrays)), D=d)
    assert np.array_equal(d, np.zeros((5, 3)))
    # No order is looked for: that of so many tensors would take seconds.
    extents = ", ".join(f"x{n} = {3 if n else 0}" for n in range(15))
    factors = [f"F{n}[x{n},x{n + 1}]" for n in range(14)]
    given = {f"F{n}": np.ones((3 if n else 0, 3)) for n in range(14)}
    run(f"{extents}\nR[x0,x14] = {' * '.join(factors)}", R=np.ones((0, 3)), **given)
    # Compiling one takes as long.
    assert time.process_time() - begin < 0.04
    # A statement that is to be compiled has the same results.
    for sign, wanted in (("+=", before), ("=", np.zeros((5, 3)))):
        d = before.copy()
        tc.compile_program(text.format(sign))(**dict(zip("ABC", arrays)), D=d)
        assert np.array_equal(d, wanted)


def test_what_is_not_computed_ahead_is_compiled():
    a, b, c = np.random.default_rng(3).random((3, 5, 5))
    wanted = ((a[:, :, None] + b).min(1)[:, :, None] + c).min(1)
    for specialize in ("auto", "never", "always"):
        result = tc.einsum("ij,jk,kl", a, b, c, semiring="min_plus", specialize=specialize)
        np.testing.assert_allclose(result, wanted, rtol=1e-14)
    with pytest.raises(ValueError, match="'often' is none of always, never and auto"):
        tc.einsum("ij,jk,kl", a, b, c, specialize="often")


# While code is made, the process forks or ends.
BUSY = """
import os, sys
import numpy as np
import tc

a, b = np.ones((2, 300, 300))
for extent in range(294, 300):
    x, y = a[:, :extent], b[:extent]
    for _ in range(300):
        tc.einsum("ij,jk", x, y, threads=1)
    if sys.argv[1] == "fork" and extent == 297:
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


# Code takes over while calls go on, in several threads.
TAKES_OVER = """
import os, sys, threading, time
import numpy as np
import tc

rng = np.random.default_rng(1)
a, b, c = (rng.integers(-4, 5, shape).astype(float) for shape in ((40, 50), (50, 60), (60, 7)))
wanted = a @ b @ c
end = time.monotonic() + float(sys.argv[1])

def call():
    while time.monotonic() < end:
        assert np.array_equal(tc.einsum("ij,jk,kl", a, b, c, threads=1), wanted)

threads = [threading.Thread(target=call) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("seconds", ["0.3", "3"])
def test_code_takes_over_from_products_of_many(seconds):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(TAKES_OVER), seconds],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=dict(os.environ, TC_CACHE="off"),
    )
    assert done.returncode == 0 and not done.stderr, done.stderr[-2000:]


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
