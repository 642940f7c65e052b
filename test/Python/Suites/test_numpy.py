# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's own tests of einsum, with tc.einsum in the place of numpy.einsum
wherever that takes two operands.

Loops over extents take some of them. What tc.einsum does not take goes on to
NumPy; the last test prints how often and why. Arguments are what NumPy makes of
them: arrays of one dtype. Kernels for GPUs of the same subscripts, shapes and
dtypes run in the simulator, with operands of their own.
"""

import collections
import concurrent.futures
import os
import subprocess

import numpy as np
import pytest
from numpy._core.tests import test_einsum as suite

import tc

# And what tc-run calls them.
DTYPES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "int64": "i64",
    "int32": "i32",
    "int8": "i8",
}

# How often tc.einsum was called, and why NumPy's was.
calls = collections.Counter()
# Subscripts, shapes and dtypes of what tc.einsum was called with.
taken = {}


def why_not(subscripts, operands, options, converted):
    """Why a call is not one of tc.einsum's, if it is not."""
    if not isinstance(subscripts, str):
        return "subscripts are lists of axes"
    if len(operands) != 2:
        return f"{len(operands)} operands"
    dtype = converted[0].dtype
    if dtype.name not in DTYPES or not dtype.isnative:
        return f"dtype {dtype.str}"
    if options.get("order", "K") != "K":
        return "the memory order of the result is asked for"
    if any(x.dtype != dtype for x in converted):
        return "operands of one dtype, but another is asked for"
    out = options.get("out")
    if out is not None and out.dtype != dtype:
        return "out has another dtype"
    if out is not None and any(np.shares_memory(out, x) for x in operands):
        return "out overlaps an operand"
    return None


def convert(operands, options):
    operands = [np.asarray(x) for x in operands]
    dtype = options.get("dtype") or np.result_type(*operands)
    casting = options.get("casting", "safe")
    return [np.asarray(x).astype(dtype, casting=casting, copy=False) for x in operands]


@pytest.fixture(autouse=True)
def replaced_einsum(monkeypatch):
    numpy_einsum = np.einsum

    def einsum(subscripts, *operands, **options):
        # Errors are NumPy's to raise, and its tests know their messages.
        out = options.get("out")
        before = out.copy() if isinstance(out, np.ndarray) else None
        expected = numpy_einsum(subscripts, *operands, **options)
        converted = None
        if isinstance(subscripts, str) and len(operands) == 2:
            converted = convert(operands, options)
        if reason := why_not(subscripts, operands, options, converted):
            calls[reason] += 1
            return expected
        calls["tc"] += 1
        shapes = tuple(x.shape for x in converted)
        taken[subscripts, shapes, converted[0].dtype.name] = None
        if out is not None:
            out[...] = before
        result = tc.einsum(subscripts, *converted, out=out)
        assert result.shape == expected.shape
        assert result.dtype == expected.dtype
        return result

    def fewer(*arguments):
        """Of the extents from 1 to 16, each of which is compiled for, some."""
        whole = range(*arguments)
        return (1, 2, 3, 7, 16) if whole == range(1, 17) else whole

    monkeypatch.setattr(np, "einsum", einsum)
    monkeypatch.setattr(suite, "range", fewer, raising=False)


class TestNumPysEinsum(suite.TestEinsum):
    def test_output_order(self):
        pytest.skip("is about strides of results, which here are C's")


def test_overlap():
    suite.test_overlap()


def test_chunking_precision():
    suite.test_einsum_chunking_precision()


def simulate(case):
    """What is wrong with a kernel, if anything is."""
    subscripts, shapes, dtype = case
    command = [
        os.path.join(os.environ["TC_TOOLS"], "tc-run"),
        subscripts,
        "--shapes=" + ",".join("x".join(map(str, x)) or "[]" for x in shapes),
        f"--type={DTYPES[dtype]}",
        "--check=all",
        "--ptxas=0",
        "--seed=1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return None if done.returncode == 0 else f"{' '.join(command)}: {done.stderr}"


def test_kernels_in_the_simulator(capsys):
    """Comes behind those that leave the cases."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [text for text in pool.map(simulate, taken) if text]
    with capsys.disabled():
        print(f"\n  {len(taken):5} kernels simulated", end="")
    assert not failures, "\n".join(failures[:5])
    assert len(taken) >= 700


def test_most_calls_were_ours(capsys):
    """Comes last: the others leave the numbers that it checks."""
    with capsys.disabled():
        for reason, count in calls.most_common():
            print(f"\n  {count:5} {'calls of tc.einsum' if reason == 'tc' else 'of NumPy: ' + reason}", end="")
        print()
    assert calls["tc"] >= 500
