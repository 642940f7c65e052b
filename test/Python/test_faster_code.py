# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Later processes know whether code or ahead-of-time kernels are faster."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import textwrap

import pytest

# Calls until the cache has an answer, or until there is code, or for a given time at most; then
# the code's origin.
CODE = """
import contextlib, json, os, sqlite3, sys, time
import numpy as np
import tc

file = os.path.join(os.environ["TC_CACHE"], "kernels.sqlite")
shapes, awaited, most = json.loads(sys.argv[2]), sys.argv[3], float(sys.argv[4])

def has(count):
    if not os.path.exists(file):
        return False
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        query = "SELECT count(*) FROM entries WHERE length(value) < 10"
        try:
            return database.execute(query).fetchone()[0] >= count
        except sqlite3.Error:
            return False

def origin():
    try:
        return kernel.cache
    except AttributeError:
        return None

kernel = tc.compile(sys.argv[1], shapes, specialize="auto", threads=1)
arrays = [np.ones(shape) for shape in shapes]
end = time.monotonic() + most
while time.monotonic() < end:
    begin = time.monotonic()
    while time.monotonic() < begin + 0.1:
        kernel(*arrays)
    if origin() if awaited == "code" else has({"answer": 1, "answers": 2}[awaited]):
        break
print(origin())
"""

PRODUCTS = [
    ("ij,jk", [(200, 200), (200, 200)]),
    ("abc,cd->dab", [(20, 30, 24), (24, 50)]),
    ("ij,jk->ki", [(30, 40), (40, 50)]),
]


def run(product, folder, until, seconds, **environment):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE)]
        + [product[0], json.dumps(product[1]), until, str(seconds)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=dict(os.environ, TC_CACHE=str(folder), **environment),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def entries(folder):
    """The answers that the cache has, and the number of other values."""
    with contextlib.closing(sqlite3.connect(folder / "kernels.sqlite")) as database:
        values = [bytes(value) for (value,) in database.execute("SELECT value FROM entries")]
    short = [value for value in values if len(value) < 10]
    return short, len(values) - len(short)


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_later_process_knows_what_is_faster(product, tmp_path):
    assert run(product, tmp_path, "answer", 60) == "miss"
    (answer,), codes = entries(tmp_path)
    assert answer in (b"code", b"ahead") and codes == 1
    loaded = {b"code": "hit", b"ahead": "None"}[answer]
    for mode in (0o600, 0o400):
        # For root, files are never read-only.
        os.chmod(tmp_path / "kernels.sqlite", mode)
        assert run(product, tmp_path, "code", 60 if answer == b"code" else 2) == loaded
        assert entries(tmp_path) == ([answer], 1)


@pytest.mark.skipif(
    not {"avx512f", "avx2"} & set(open("/proc/cpuinfo", encoding="ascii").read().split()),
    reason="the machine has no other kernels",
)
def test_other_kernels_are_compared_anew(tmp_path):
    product = PRODUCTS[0]
    run(product, tmp_path, "answer", 60)
    run(product, tmp_path, "answers", 60, TC_CPU_RUNTIME="generic")
    answers, codes = entries(tmp_path)
    assert len(answers) == 2 and codes == 1, "the code is the same for both"
    assert answers[1] == b"code", "it has wider vectors"


def test_spoilt_answers_are_given_anew(tmp_path):
    product = PRODUCTS[0]
    run(product, tmp_path, "answer", 60)
    with contextlib.closing(sqlite3.connect(tmp_path / "kernels.sqlite")) as database:
        database.execute("UPDATE entries SET value = zeroblob(20) WHERE length(value) < 10")
        database.commit()
    assert run(product, tmp_path, "answer", 60) == "hit"
    (answer,), codes = entries(tmp_path)
    assert answer in (b"code", b"ahead") and codes == 1


def test_code_of_a_process_that_ended_too_soon_is_compared(tmp_path):
    product = PRODUCTS[0]
    # Makes the code, and asks nobody for more.
    command = "import tc; tc.compile('ij,jk', [(200, 200)] * 2, threads=1, specialize='always')"
    environment = dict(os.environ, TC_CACHE=str(tmp_path))
    subprocess.run([sys.executable, "-c", command], check=True, timeout=300, env=environment)
    assert entries(tmp_path) == ([], 1)
    assert run(product, tmp_path, "answer", 60) == "hit"
    assert len(entries(tmp_path)[0]) == 1
