# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of tensors in files: results, what is read and written, memory, errors."""

import errno
import math
import os
import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import tc.distributed as dist
from tc.distributed import _files, _tiles

import tensor_cases
from test_distributed import SEED


@pytest.fixture
def small_maps(monkeypatch):
    """Little of a file is mapped at once, so that small tiles are worth it."""
    monkeypatch.setattr(_tiles, "MAPPED", 256)
    monkeypatch.setattr(_files, "MAPPED", 256)
    monkeypatch.setattr(_tiles, "PANELS", 0)


def in_file(folder, name, array):
    mapped = np.memmap(folder / name, array.dtype, "w+", shape=array.shape or (1,))
    mapped[...] = array
    mapped.flush()
    return mapped if array.shape else mapped.reshape(())


def check(folder, rng, case, number):
    a, b, result, extents = case
    spec = f"{a},{b}->{result}"
    dtype = rng.choice(["float64", "float32", "complex64", "int32"])
    numbers = np.random.default_rng(number)
    arrays = [
        (numbers.uniform(-9, 9, [extents[x] for x in term])).astype(dtype) for term in (a, b)
    ]
    wide = {"f": "float64", "c": "complex128", "i": "int64"}[np.dtype(dtype).kind]
    expected = np.einsum(spec, *(x.astype(wide) for x in arrays))
    magnitude = np.einsum(spec, *map(abs, arrays))
    operands = [in_file(folder, f"{number}{i}", x) for i, x in enumerate(arrays)]
    out = in_file(folder, f"{number}c", np.zeros(expected.shape, dtype))
    least = 2 * 3 * np.dtype(dtype).itemsize + 512
    whole = 2 * (sum(x.nbytes for x in arrays) + out.nbytes) + 512
    memory = rng.choice([least, rng.randint(least, whole), whole])
    what = f"{spec} {extents} {dtype}, memory {memory}"
    report = dist.contract_files(spec, *operands, out, memory=memory, threads=1)
    limit = 0 if dtype == "int32" else 200 * np.finfo(dtype).eps
    assert (abs(out - expected) <= limit * magnitude).all(), what
    assert report.plan.memory <= memory, what
    assert (report.read_bytes, report.written_bytes) == report.plan.transfers(), what
    assert report.written_bytes == out.nbytes, what
    assert report.read_bytes >= sum(x.nbytes for x in arrays), what
    if memory == whole:
        assert report.read_bytes == sum(x.nbytes for x in arrays), what


def test_random_contractions(tmp_path, small_maps):
    rng = random.Random(SEED)
    print("SEED", SEED)
    cases = [*tensor_cases.drawn(rng, 20), *list(tensor_cases.tccg(rng))[::4]]
    for number, case in enumerate(cases):
        if math.prod(case[3].values()) < 5000:
            check(tmp_path, rng, case, number)


def test_tiles_turn(small_maps):
    # Two tiles of each index: at each turn of the summed index, a tile of A stays.
    operands = [np.ones((4, 8)), np.ones((8, 6))]
    plan = dist.plan_files("ij,jk->ik", *operands, memory=4096)
    plan = plan._replace(lengths={"i": 2, "j": 4, "k": 3}, b_outside=False)
    steps = [(t["i"], t["k"], t["j"]) for t, _, _ in plan.steps()]
    assert steps == [
        (0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0),
    ]
    # A: 6 tiles of 2 x 4; B: 8 of 4 x 3.
    assert plan.transfers() == (8 * (6 * 8 + 8 * 12), 8 * 24)
    assert sum(first for _, first, _ in plan.steps()) == 4


def test_other_arrays(small_maps):
    class Chunked:
        """As much of the interface of Zarr's and h5py's arrays as is needed."""

        def __init__(self, array):
            self.array, self.shape, self.dtype = array, array.shape, array.dtype

        def __getitem__(self, box):
            assert all(isinstance(part, slice) for part in box)
            return self.array[box].copy()

        def __setitem__(self, box, value):
            self.array[box] = value

    a, b = np.random.default_rng(1).random((30, 20)), np.random.default_rng(2).random((20, 10))
    out = np.zeros((30, 10))
    report = dist.contract_files("ij,jk->ik", Chunked(a), b.T.copy().T, Chunked(out), memory=2000)
    assert np.allclose(out, a @ b) and report.plan.memory <= 2000


def test_memory_is_kept(tmp_path):
    # The peak is that of this process, so that it needs one of its own.
    code = """
    import resource, sys
    import numpy as np, tc, tc.distributed as dist
    folder = sys.argv[1]
    def make(name, shape):
        made = np.memmap(folder + name, "float64", "w+", shape=shape)
        for row in range(0, shape[0], 64):
            made[row : row + 64] = np.random.default_rng(row).random((min(64, shape[0] - row), shape[1]))
            made.flush()
            made._mmap.madvise(4)
        return made
    a, b = make("/a", (1500, 2000)), make("/b", (2000, 1700))
    c = np.memmap(folder + "/c", "float64", "w+", shape=(1500, 1700))
    small = np.ones((200, 200))
    tc.einsum("ij,jk->ik", small, small, threads=1, specialize="never")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = dist.contract_files("ij,jk->ik", a, b, c, memory=32 << 20, threads=1)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert np.allclose(c[::97], a[::97] @ np.asarray(b))
    print(after - before, report.plan.memory >> 10)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), tmp_path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    peak, planned = map(int, run.stdout.split())
    # All three take 69 MiB. The allocator has some of its own.
    assert planned <= 32 << 10 and peak <= (32 << 10) + (1 << 10), run.stdout


def test_errors(tmp_path, monkeypatch):
    a, b = np.ones((6, 4)), np.ones((4, 5))
    out = in_file(tmp_path, "out", np.zeros((6, 5)))

    def raises(kind, text, *arguments, memory=1 << 25):
        with pytest.raises(kind) as caught:
            dist.contract_files(*arguments, memory=memory)
        assert text in str(caught.value)

    spec = "ij,jk->ik"
    raises(TypeError, "operand 1 is no array, but list", spec, a, [1], out)
    raises(TypeError, "operand 0 has dtype float64 and operand 1 float32", spec, a, b.astype("f4"), out)
    raises(ValueError, "out has shape (6, 4) and dtype float64, but the result (6, 5)", spec, a, b, a)
    raises(ValueError, "has index 'i' twice", "ii,ij->j", np.ones((4, 4)), b, out)
    raises(ValueError, "index 'j' has extent 1 in operand 1, but 4", spec, a, np.ones((1, 5)), out)
    raises(ValueError, "an index has extent 0", spec, np.ones((0, 4)), b, out)
    raises(MemoryError, "memory is 100 bytes, but tiles of one element take", spec, a, b, out, memory=100)
    read_only = np.memmap(tmp_path / "out", "float64", "r", shape=(6, 5))
    raises(ValueError, "out is read-only", spec, a, b, read_only)

    def no_space(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", no_space)
    raises(OSError, "out: No space left on device", spec, a, b, out)
    assert not out.any()


def test_out_that_is_an_operand_is_refused(tmp_path):
    a = np.memmap(tmp_path / "a", "float64", "w+", shape=(40, 40))
    a[...] = 1
    with pytest.raises(ValueError, match="out shares memory with a"):
        dist.contract_files("ij,jk->ik", a, a.copy(), a, memory=32 << 20)
    assert np.all(a == 1)
