# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of tensors in files: results, what is read and written, memory, errors."""

import errno
import math
import os
import random
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import tc.distributed as dist
from tc.distributed import _files, _tiles
from tc.distributed._mapped import place_of

import mpi_ranks
import tensor_cases
from seeds import SEED
from test_distributed import needs_mpi


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
    whole = list(plan.steps(range(4)))
    assert [(t["i"], t["k"], t["j"]) for t, _, _ in whole] == [
        (0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0),
    ]
    # Whoever makes a tile of the result adds up in the same order.
    for ranks in (1, 2, 3, 4, 7):
        shares = [plan.share(rank, ranks) for rank in range(ranks)]
        assert [step for share in shares for step in plan.steps(share)] == whole
        moved = [plan.transfers(share) for share in shares]
        assert sum(written for _, written in moved) == 8 * 24
        assert sum(read for read, _ in moved) >= plan.transfers()[0]
    # A: 6 tiles of 2 x 4; B: 8 of 4 x 3.
    assert plan.transfers() == (8 * (6 * 8 + 8 * 12), 8 * 24)
    assert sum(first for _, first, _ in whole) == 4


def test_enough_tiles(small_maps):
    operands = [np.ones((4096, 8)), np.ones((8, 6))]
    def plan(**options):
        return dist.plan_files("ij,jk->ik", *operands, memory=1 << 20, **options)
    # There is too little to do.
    assert plan().result_tiles == 1
    assert plan(tiles=10).result_tiles == 16 and plan(tiles=10).lengths["i"] == 256
    assert plan(tiles=4096 * 6).lengths == {"i": 1, "j": 8, "k": 1}
    # Rows of A and of C cost nothing, until others of B would be read again.
    large = [np.broadcast_to(1.0, (1 << 18, 64)), np.ones((64, 64))]
    found = dist.plan_files("ij,jk->ik", *large, memory=1 << 30)
    assert found.result_tiles == 64 and found.lengths == {"i": 4096, "j": 64, "k": 64}


@needs_mpi
@pytest.mark.parametrize("ranks", mpi_ranks.RANKS[-1:] if len(mpi_ranks.RANKS) < 3 else mpi_ranks.RANKS)
def test_ranks_share_the_tiles(ranks, tmp_path):
    print("SEED", SEED)
    rng = random.Random(SEED)
    wanted = []
    for number, (a, b, result, extents) in enumerate(tensor_cases.drawn(rng, 12)):
        if not result or math.prod(extents.values()) > 20000:
            continue
        least = min(rng.choice([1, 3, 10]), math.prod(extents[x] for x in result))
        wanted.append((number, f"{a},{b}->{result}", [[extents[x] for x in term] for term in (a, b, result)], least))
    memory = 600
    code = f"""
    from tc.distributed import _files, _tiles
    _tiles.MAPPED = _files.MAPPED = 16
    _tiles.PANELS = 0
    def run(comm, number, spec, shapes, least):
        name = folder + f"/{{number}}-"
        numbers = np.random.default_rng(number)
        a, b = (numbers.standard_normal(shape) for shape in shapes[:2])
        if rank == 0:
            np.lib.format.open_memmap(name + "c", "w+", "float64", tuple(shapes[2])).flush()
        if comm:
            comm.barrier()
        c = np.lib.format.open_memmap(name + "c", "r+")
        report = dist.contract_files(spec, a, b, c, comm, memory={memory}, tiles=least, threads=1)
        assert report.plan.memory <= {memory} and report.plan.result_tiles >= least
        read, written = report.plan.transfers(report.plan.share(rank, size))
        assert (report.read_bytes, report.written_bytes) == (read, written)
        assert abs(c - np.einsum(spec, a, b)).max(initial=0) < 1e-11
        return report.plan.result_tiles, hashlib.md5(c.tobytes()).hexdigest()
    cases = {wanted!r}
    say([run(comm, *case) for case in cases])
    if rank == 0:
        # By itself, and to other files.
        folder, size = folder + "/one", 1
        os.mkdir(folder)
        say([run(None, *case) for case in cases])
    """
    said = mpi_ranks.run(ranks, tmp_path, code)
    (made, alone), *others = said
    assert [made] == [alone] and others == [[made]] * (ranks - 1)
    assert max(tiles for tiles, _ in made) > 4


@needs_mpi
def test_errors_of_ranks(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        """
        a, b = np.ones((6, 4)), np.ones((4, 5))
        if rank == 0:
            np.lib.format.open_memmap(folder + "/c.npy", "w+", "float64", (6, 5)).flush()
        comm.barrier()
        c = np.lib.format.open_memmap(folder + "/c.npy", "r+")
        spec, call = "ij,jk->ik", dist.contract_files
        caught(call, spec, a, b, c, comm, memory=1 << (25 + rank))
        caught(call, spec, a[rank:], b, c, comm, memory=1 << 25)
        caught(call, spec, a, b, np.zeros((6, 5)), comm, memory=1 << 25)
        import mmap
        copied = np.load(folder + "/c.npy", mmap_mode="c")
        raw = mmap.mmap(os.open(folder + "/c.npy", os.O_RDWR), 0, access=mmap.ACCESS_COPY)
        private = [copied, np.frombuffer(raw, "float64", 30, 128), np.frombuffer(bytearray(240)), np.frombuffer(mmap.mmap(-1, 240))]
        for out in private:
            caught(call, spec, a, b, out.reshape(6, 5), comm, memory=1 << 25)
        caught(call, spec, a, b, c, comm, memory=1 << 25, tiles=31)
        caught(call, spec, a, b, c, comm, memory=1 << 25, tiles=0)
        class Broken:
            shape, dtype = (4, 5), np.dtype("float64")
            def __getitem__(self, box):
                raise OSError("a block cannot be read")
        caught(call, spec, a, Broken() if rank else b, c, comm, memory=1 << 25, tiles=2)
        call(spec, a, b, c, comm, memory=1 << 25)
        say((c == a @ b).all().item())
        """,
    )
    assert said[0] == said[1]
    assert said[0] == [
        "ValueError: memory is 33554432 on rank 0, but 67108864 on rank 1",
        "RankError: rank 1: ValueError: out has shape (6, 5) and dtype float64, but the result (5, 5) and float64",
        *["ValueError: out is in the memory of one rank, or copied there on writing: of several ranks, each "
          "writes a part of it"] * 5,
        "ValueError: tiles is 31, but the result has 30 at most",
        "ValueError: tiles is 0, but there is one at least",
        "RankError: rank 1: OSError: a block cannot be read",
        True,
    ]


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
    os.link(tmp_path / "a", tmp_path / "same")
    for mode in ("r", "c"):
        again = np.memmap(tmp_path / "same", "float64", mode, shape=(40, 40))
        with pytest.raises(ValueError, match="out has elements of a file in common with b"):
            dist.contract_files("ij,jk->ik", np.ones((40, 40)), again.T[::-1], a, memory=32 << 20)
    assert np.all(a == 1)


def test_parts_of_one_file(tmp_path):
    """Only the parts of a file that tensors take have to be different ones."""
    numbers = np.memmap(tmp_path / "all", "float64", "w+", shape=(3, 40, 40))
    numbers[...] = np.random.default_rng(1).random(numbers.shape)
    a, b, c = (
        np.memmap(tmp_path / "all", "float64", "r+", 12800 * i, (40, 40)) for i in range(3)
    )
    dist.contract_files("ij,jk->ik", a, b[::-1], c, memory=32 << 20)
    assert np.allclose(c, a @ b[::-1])
    with pytest.raises(ValueError, match="out has elements of a file in common with a"):
        overlapping = np.memmap(tmp_path / "all", "float64", "r+", 12792, (40, 40))
        dist.contract_files("ij,jk->ik", a, b, overlapping, memory=32 << 20)


def test_rows_of_one_file_in_turn(tmp_path):
    """Arrays without common elements may lie between each other."""
    numbers = np.memmap(tmp_path / "all", "float64", "w+", shape=(120, 40))
    numbers[...] = np.random.default_rng(2).random(numbers.shape)
    again = np.memmap(tmp_path / "all", "float64", "r+", shape=(120, 40))
    expected = numbers[0::3] @ numbers[1::3, ::-1]
    kept = numbers[0::3].copy()
    dist.contract_files("ij,jk->ik", numbers[0::3], again[1::3, ::-1], numbers[2::3], memory=32 << 20)
    assert np.allclose(numbers[2::3], expected)
    dist.contract_files("ij,jk->ik", numbers[0::3], again[1::3, ::-1], again[2::3].T[::-1].T, memory=32 << 20)
    assert np.allclose(numbers[2::3, ::-1], expected) and np.array_equal(numbers[0::3], kept)
    for first in (numbers, again):
        with pytest.raises(ValueError, match="^out (shares memory|has elements of a file in common) with a$"):
            dist.contract_files("ij,jk->ik", first[0::3], numbers[1::3], numbers[3:83:2], memory=32 << 20)


def test_places_that_overlap(tmp_path):
    """The same is said of views of two mappings as of views of one array."""
    rng = random.Random(3)
    one, other = (np.memmap(tmp_path / "all", "int32", mode, 0, (2000,)) for mode in ("w+", "r+"))

    def view(array, itemsize, begin, shape, strides):
        flat = array.view("i1")[begin:]
        return np.ndarray(shape, f"V{itemsize}", flat, 0, strides)

    outcomes = set()
    for _ in range(300):
        drawn = []
        for _ in range(2):
            shape = [rng.randint(1, 4) for _ in range(rng.randint(0, 3))]
            strides = [rng.choice([4, 8, 12, 16, 40, 100]) for _ in shape]
            drawn.append((rng.choice([2, 4, 8]), rng.randrange(200), shape, strides))
        expected = np.shares_memory(view(one, *drawn[0]), view(one, *drawn[1]))
        assert place_of(view(one, *drawn[0])).overlaps(place_of(view(other, *drawn[1]))) == expected
        outcomes.add(expected)
    assert outcomes == {False, True}


@pytest.mark.parametrize("spec, shapes", [
    ("ij,jk->ik", [(3, 0), (0, 4)]),
    ("ij,jk->ik", [(0, 3), (3, 4)]),
    ("bij,bjk->bik", [(2, 3, 0), (2, 0, 2)]),
    ("ij,jk->", [(3, 0), (0, 4)]),
    ("bij,bjk->bik", [(0, 3, 2), (0, 2, 2)]),
])
def test_sums_over_nothing(spec, shapes, tmp_path):
    a, b = (np.zeros(shape) for shape in shapes)
    expected = np.einsum(spec, a, b)
    out = np.full(expected.shape, 7.0)
    if out.size:
        out = np.memmap(tmp_path / "out", "float64", "w+", shape=expected.shape)
        out[...] = 7
    report = dist.contract_files(spec, a, b, out, memory=32 << 20)
    assert np.array_equal(out, expected) and report.read_bytes == 0 and report.written_bytes == out.nbytes
    assert "predicted" in str(dist.plan_files(spec, a, b, memory=32 << 20, tiles=1))


def test_more_tiles_than_there_may_be(monkeypatch):
    monkeypatch.setattr(_tiles, "_explain", lambda *_: "")
    a, b = (np.broadcast_to(np.zeros(1), (1 << 20, 1 << 20)) for _ in range(2))
    fixed = 16 << 20
    with pytest.raises(MemoryError) as caught:
        dist.plan_files("ij,jk->ik", a, b, memory=fixed + 1000)
    found = re.fullmatch(
        rf"memory is {fixed + 1000} bytes, which asks for (\d+) tiles, but there are 16777216 at most; (\d+) bytes would do",
        str(caught.value),
    )
    assert int(found[1]) > 1 << 24
    assert dist.plan_files("ij,jk->ik", a, b, memory=int(found[2])).count <= 1 << 24
    with pytest.raises(MemoryError):
        dist.plan_files("ij,jk->ik", a, b, memory=fixed + int(0.99 * (int(found[2]) - fixed)))
