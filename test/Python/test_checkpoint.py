# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints of products over ranks: killed jobs, full disks, corrupt files."""

import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

import tc.distributed as dist
from tc.distributed._checkpoint import Store
from tc.distributed._slice_plan import Plan

import mpi_ranks
import spoilt_files
from seeds import SEED
from test_distributed import needs_mpi

# Number of times that a job is killed: few by default.
KILLS = int(os.environ.get("TC_TEST_KILLS", "2"))


def problem():
    numbers = np.random.default_rng(3)
    shapes = [(4, 24), (24, 6), (6, 5)]
    return "ij,jk,kl->il", [numbers.standard_normal(shape) for shape in shapes]


# A job whose slices take some time, and which says which of them are on the disk.
JOB = f"""
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_checkpoint as test
from tc.distributed._checkpoint import Store
from tc.distributed._slice_plan import Plan
whole, replace = Plan.contract, Store.replace
def contract(self, operands, number, threads):
    contract.number = number
    time.sleep(0.005)
    return whole(self, operands, number, threads)
def write(self, *arguments):
    replace(self, *arguments)
    if hasattr(contract, "number"):
        say(contract.number)
Plan.contract, Store.replace = contract, write
info = {{}}
subscripts, operands = test.problem()
result = dist.contract(
    subscripts, operands, comm, slices={{"i": 2, "j": 24}}, checkpoint=folder + "/kept", info=info)
say([info["found"], info["computed"], result.tobytes().hex()])
"""


def children(process):
    """The ranks of a job: whatever Python runs below its launcher."""
    found = subprocess.run(
        ["ps", "-s", str(process.pid), "-o", "pid=,args="], capture_output=True, text=True
    ).stdout
    lines = (line.split(None, 1) for line in found.splitlines())
    return [
        int(pid) for pid, command in lines
        if "mpi4py" in command and command.startswith(sys.executable)
    ]


def kill_one(process, rng):
    """Kills a rank, and waits for the rest to end."""
    ranks = children(process)
    if ranks:
        os.kill(rng.choice(ranks), signal.SIGKILL)
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    process.stdout.close()


@needs_mpi
def test_killed_jobs_lose_nothing(tmp_path):
    rng = random.Random(SEED)
    print("SEED", SEED)
    subscripts, operands = problem()
    expected = dist.contract(subscripts, operands, slices={"i": 2, "j": 24}).tobytes().hex()
    finished = set()
    for _ in range(KILLS):
        ranks = rng.choice(mpi_ranks.RANKS)
        process = mpi_ranks.start(ranks, tmp_path, JOB)
        wanted = rng.randint(1, 6)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if sum(map(len, mpi_ranks.said(ranks, tmp_path))) >= wanted:
                break
            time.sleep(0.005)
        kill_one(process, rng)
        for lines in mpi_ranks.said(ranks, tmp_path):
            for said in lines:
                assert not isinstance(said, int) or said not in finished, "computed again"
            finished.update(said for said in lines if isinstance(said, int))
    assert finished
    ranks = rng.choice(mpi_ranks.RANKS)
    last = mpi_ranks.run(ranks, tmp_path, JOB)
    for lines in last:
        assert not finished.intersection(lines[:-1])
    found = last[0][-1][0]
    # A slice that was killed between the disk and the test's own note is there, too.
    assert len(finished) <= found <= 48
    assert found + sum(lines[-1][1] for lines in last) == 48
    assert all(lines[-1][2] == expected for lines in last)


def contract(folder, **options):
    subscripts, operands = problem()
    info = {}
    options = {"slices": {"i": 2, "j": 24}, **options}
    result = dist.contract(subscripts, operands, checkpoint=folder, info=info, **options)
    return result, info


def test_a_job_goes_on(tmp_path, monkeypatch):
    whole, left = Plan.contract, [17]

    def contract_some(self, operands, number, threads):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return whole(self, operands, number, threads)

    monkeypatch.setattr(Plan, "contract", contract_some)
    with pytest.raises(KeyboardInterrupt):
        contract(tmp_path / "kept")
    monkeypatch.setattr(Plan, "contract", whole)
    result, info = contract(tmp_path / "kept")
    assert (info["found"], info["computed"]) == (17, 31)
    again, info = contract(tmp_path / "kept")
    assert (info["found"], info["computed"]) == (48, 0)
    expected, _ = contract(None)
    assert result.tobytes() == again.tobytes() == expected.tobytes()


def test_numbers_of_numpy(tmp_path):
    result, _ = contract(tmp_path / "slices", slices={"i": np.int64(2), "j": np.int32(24)})
    again, info = contract(tmp_path / "slices")
    assert info["found"] == 48 and again.tobytes() == result.tobytes()
    contract(tmp_path / "count", slices=np.int64(3))
    contract(tmp_path / "limit", slices=None, memory_limit=np.int64(100), threads=np.int64(1))


def fails(folder, **options):
    with pytest.raises(dist.CheckpointError) as caught:
        contract(folder, **options)
    return str(caught.value)


def test_of_another_problem(tmp_path):
    contract(tmp_path)
    path = tmp_path / "rank-0.sqlite"
    assert fails(tmp_path, slices=3).startswith(f"checkpoint {path} is of another problem: slices is ")
    assert "threads is 1 there, but 2 here" in fails(tmp_path, threads=2)
    subscripts, operands = problem()
    with pytest.raises(dist.CheckpointError, match="the digest of operand 1 is "):
        operands[1][0, 0] += 1
        dist.contract(subscripts, operands, slices={"i": 2, "j": 24}, checkpoint=tmp_path)


def test_corrupt_files(tmp_path):
    contract(tmp_path)
    path = tmp_path / "rank-0.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("UPDATE record SET data = zeroblob(length(data)) WHERE block = 1")
    database.close()
    text = fails(tmp_path)
    assert text.startswith(f"checkpoint {path} is corrupt: the sum 0 of level 5 of block 1 is not")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE job SET description = '{'")
    database.close()
    assert fails(tmp_path).startswith(f"checkpoint {path} is corrupt: ")
    path.write_bytes(b"no database at all" * 100)
    assert fails(tmp_path) == f"checkpoint {path}: file is not a database"


@pytest.mark.parametrize(
    "plan, text",
    [
        ("{", "its plan is none: Expecting property name"),
        ("[1, 2]", "its plan is none: not enough values to unpack"),
        (lambda plan: [*plan[:2], [[0, 7], [0, 1]], *plan[3:]], "its plan is none: step 0 of the path names operand 7"),
        (lambda plan: [*plan[:3], [["i", 2, 0]], *plan[4:]], "its plan is none: integer division"),
        (lambda plan: [*plan[:3], [["x", 2, 2]], *plan[4:]], "its plan is none: 'x'"),
        (lambda plan: [*plan[:3], [["i", 9, 2]], *plan[4:]], "its plan is of other indices"),
        (lambda plan: [plan[0], {**plan[1], "i": 8}, *plan[2:]], "its plan is of other indices"),
        (lambda plan: [*plan[:3], [["i", -2, -2], *plan[3][1:]], *plan[4:]], "its plan is of other slices"),
        (lambda plan: [*plan[:3], [["i", 2.0, 2], *plan[3][1:]], *plan[4:]], "its plan is of other slices"),
        (lambda plan: [*plan[:3], [plan[3][0]] * 2, *plan[4:]], "its plan is of other slices"),
        (lambda plan: [*plan[:3], plan[3][::-1], *plan[4:]], "its plan is of other slices"),
        (lambda plan: [*plan[:4], 1, plan[5]], "its plan is of other slices"),
        (lambda plan: [*plan[:5], 5], "its plan is of other slices"),
        (lambda plan: [*plan[:3], 5, *plan[4:]], "its plan is none: 'int' object is not iterable"),
    ],
)
def test_corrupt_plans(plan, text, tmp_path):
    contract(tmp_path)
    path = tmp_path / "rank-0.sqlite"
    with sqlite3.connect(path) as database:
        (kept,) = database.execute("SELECT plan FROM job").fetchone()
        changed = plan if isinstance(plan, str) else json.dumps(plan(json.loads(kept)))
        database.execute("UPDATE job SET plan = ?", (changed,))
    database.close()
    assert fails(tmp_path).startswith(f"checkpoint {path} is corrupt: {text}")


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "change, text",
    [
        ("UPDATE record SET block = NULL", "the sum 0 of level 5 of block None is not what was written"),
        ("UPDATE record SET level = 'x'", "the sum 0 of level x of block 0 is not"),
        ("UPDATE record SET number = 1 << 60", f"the sum {1 << 60} of level 5 of block 0 is not"),
        ("UPDATE record SET data = CAST(x'ff00ff' AS TEXT)", None),
        ("UPDATE record SET data = 'text'", "the sum 0 of level 5 of block 0 is not"),
        ("UPDATE record SET data = 7, checksum = 8", "the sum 0 of level 5 of block 0 is not"),
        ("UPDATE record SET piece = 0.5", "the sum 0 of level 5 of block 0 is not"),
        # Half of a sum that is there, too, would count twice.
        ("INSERT INTO record SELECT block, 0, 3, piece, data, checksum FROM record WHERE block = 0",
         "the sum 3 of level 0 of block 0 is not"),
        ("UPDATE job SET description = 5", "its job has no description or no plan"),
        (f"UPDATE job SET description = '{DEEP}'", "it is nested too deep"),
        (f"UPDATE job SET plan = '{DEEP}'", "its plan is none: it is nested too deep"),
        ("UPDATE job SET description = '[]'", "its job has no description or no plan"),
        ("UPDATE job SET plan = x'00'", "its job has no description or no plan"),
        ("INSERT INTO job SELECT * FROM job", "it is not of one job"),
        ("DELETE FROM job", "it is not of one job"),
        ("ALTER TABLE record ADD COLUMN other", "it has other tables than a checkpoint"),
        ("DROP TABLE record", "it has other tables than a checkpoint"),
        ("CREATE VIEW other AS SELECT 1", "it has other tables than a checkpoint"),
    ],
)
def test_damaged_values(change, text, tmp_path):
    contract(tmp_path)
    path = tmp_path / "rank-0.sqlite"
    with sqlite3.connect(path) as database:
        database.execute(change)
    database.close()
    why = f" is corrupt: {text}" if text else ": Could not decode to UTF-8"
    assert fails(tmp_path).startswith(f"checkpoint {path}{why}")


def test_spoilt_files(tmp_path):
    for kind, count in (("checkpoint", 150), ("tuning", 10)):
        folder = tmp_path / kind
        folder.mkdir()
        assert not spoilt_files.attack(kind, 1, count, folder)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_files_of_other_programs_stay_as_they_are(mode, tmp_path):
    path = tmp_path / "rank-0.sqlite"
    # Whoever ends so leaves what it has written last beside the file.
    code = f"""
import os, sqlite3
database = sqlite3.connect({str(path)!r}, isolation_level=None)
database.execute("PRAGMA journal_mode = {mode}")
database.execute("CREATE TABLE theirs (x)")
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code], check=True)

    def content():
        return {each.name: each.read_bytes() for each in tmp_path.iterdir() if each.suffix != ".sqlite-shm"}

    before = content()
    assert len(before) == (2 if mode == "WAL" else 1)
    assert fails(tmp_path) == f"checkpoint {path} is a database of something else"
    assert content() == before


def test_folders_that_cannot_be(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert fails(file) == f"checkpoint {file}: File exists"
    assert fails(file / "below") == f"checkpoint {file / 'below'}: Not a directory"
    kept = tmp_path / "kept"
    kept.mkdir()
    store = Store(str(kept / "rank-0.sqlite"))
    assert fails(kept) == f"checkpoint {kept / 'rank-0.sqlite'}: it is in use by another job"
    store.close()


@needs_mpi
def test_a_disk_that_is_full(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        """
        import resource
        from tc.distributed._slice_plan import Plan
        whole = Plan.contract
        def contract(self, operands, number, threads):
            time.sleep(0.02)
            return whole(self, operands, number, threads)
        # Each rank gets some.
        Plan.contract = contract
        a = np.ones((8, 20000))
        if rank == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        kept = folder + "/kept"
        caught(dist.contract, "ij->j", [a], comm, slices={"i": 8}, checkpoint=kept)
        if rank == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        info = {}
        dist.contract("ij->j", [a], comm, slices={"i": 8}, checkpoint=kept, info=info)
        say(info["found"])
        """,
    )
    (text, found), (other, _) = said
    path = tmp_path / "kept" / "rank-1.sqlite"
    assert text == other
    assert text.startswith(f"RankError: rank 1: tc.distributed.CheckpointError: checkpoint {path}: ")
    assert "full" in text or "disk I/O" in text
    assert found > 0
