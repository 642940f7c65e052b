# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's own tests of einsum, with tc.einsum in the place of numpy.einsum
wherever that takes them.

Loops over extents take some of them. Calls that tc.einsum does not take go on to NumPy; the last
test prints how often and why. Kernels for GPUs of the same subscripts, shapes and dtypes run in
the simulator, with operands of their own.
"""

import collections
import concurrent.futures
import os
import subprocess

import numpy as np
import pytest
from numpy._core.tests import test_einsum as suite

import tc

# NumPy's dtypes, and tc-run's names of them.
DTYPES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "int64": "i64",
    "int32": "i32",
    "int8": "i8",
}

# The number of calls of tc.einsum, and the reasons for those of NumPy's.
calls = collections.Counter()
# Subscripts, shapes and dtypes of the calls of tc.einsum.
taken = {}


def why_not(subscripts, operands, options):
    """The reason why a call is not one of tc.einsum's, if it is not."""
    out = options.get("out")
    # A list of axes follows each operand, if there are no subscripts.
    arrays = operands
    if not isinstance(subscripts, str):
        everything = (subscripts, *operands)
        arrays = everything[: 2 * (len(everything) // 2) : 2]
    arrays = [np.asarray(x) for x in arrays]
    for dtype in (*(x.dtype for x in arrays), np.dtype(options.get("dtype") or "f8")):
        if dtype.kind not in "biufc" or dtype.char in "gG":
            return f"dtype {dtype.str}"
    dtype = options.get("dtype") or np.result_type(*arrays)
    if out is not None and not np.can_cast(dtype, out.dtype, options.get("casting", "safe")):
        return "out has a dtype that its casting does not allow"
    return None


def is_simulated(subscripts, operands):
    """Returns true if a kernel for a GPU is made of the call, too: of two operands of one dtype."""
    if not isinstance(subscripts, str) or len(operands) != 2:
        return False
    dtypes = {np.asarray(x).dtype.name for x in operands}
    return len(dtypes) == 1 and dtypes <= set(DTYPES)


@pytest.fixture(autouse=True)
def replaced_einsum(monkeypatch):
    numpy_einsum = np.einsum

    def einsum(subscripts, *operands, **options):
        # Errors are NumPy's to raise, and its tests know their messages.
        out = options.get("out")
        before = out.copy() if isinstance(out, np.ndarray) else None
        expected = numpy_einsum(subscripts, *operands, **options)
        if reason := why_not(subscripts, operands, options):
            calls[reason] += 1
            return expected
        calls["tc"] += 1
        if is_simulated(subscripts, operands):
            first, second = map(np.asarray, operands)
            taken[subscripts, (first.shape, second.shape), first.dtype.name] = None
        if out is not None:
            out[...] = before
        result = tc.einsum(subscripts, *operands, **options)
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
        pytest.skip("is about the order 'K' of results, too, which here is 'C'")

    def test_einsum_views(self):
        pytest.skip("is about results that are views, which here are new")


def test_overlap():
    suite.test_overlap()


def simulate(case):
    """The error of a kernel, if there is one."""
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
    assert calls["tc"] >= 5000
