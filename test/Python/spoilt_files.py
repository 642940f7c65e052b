#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spoils files that the package has written, and reads them again: what is there is used as it was, or
refused by the exception that is documented, soon.

  checkpoint  of a product in slices: values of SQLite's, JSON, tables, and bytes of the file
  tuning      a database of evaluations, in the same ways
  cache       compiled code on the disk, in the same ways: it is made anew at the worst
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import numpy as np

import tc
import tc.distributed as dist
from tc import _native

# Much more than any of it takes.
SECONDS = 30
VALUES = (None, None, "", "x", b"", b"\0", 0, 1, -1, 2**62, -(2**63), 1.5, float("inf"), "1", "\ud7ff", "é" * 1000)
DEEP = "[" * 100_000 + "]" * 100_000
TEXTS = ("{", "{}", "[]", "null", "1" * 5000, '"' + "a" * 100_000 + '"', DEEP, '{"a":' * 5000 + "1" + "}" * 5000,
         "NaN", "[1e999]", "\\", '{"a":1,"a":2}', "[[]]")


def any_json(rng, value):
    """A value with something in it that is another one."""
    if isinstance(value, (list, dict)) and value and rng.randrange(4):
        changed = value.copy()
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        kind = rng.randrange(6)
        if kind == 0:
            del changed[key]
        elif kind == 1 and isinstance(value, list):
            changed.append(value[key])
        else:
            changed[key] = any_json(rng, value[key])
        return changed
    return rng.choice([None, True, False, 0, 1, -1, 2, 7, 2**31, 2**63, 10**30, 0.5, 1e300, "", "i", "é", [], {}, [[0]],
                       [value], {"a": value}])


def tables_of(database):
    found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return sorted(name for (name,) in found)


def columns_of(database, table):
    return [each[1] for each in database.execute(f"PRAGMA table_info({table})")]


def change_value(database, rng):
    table = rng.choice(tables_of(database))
    column = rng.choice(columns_of(database, table))
    where = rng.choice(["", f" WHERE rowid = (SELECT min(rowid) FROM {table})"])
    rows = database.execute(f"SELECT {column} FROM {table} LIMIT 1").fetchone()
    old = rows[0] if rows else None
    value = rng.choice(VALUES)
    if isinstance(old, str) and rng.randrange(2):
        value = rng.choice(TEXTS)
        with contextlib.suppress(ValueError):
            if rng.randrange(3):
                value = json.dumps(any_json(rng, json.loads(old)))
    elif isinstance(old, bytes) and rng.randrange(2):
        value = rng.choice([old[:-1], old + b"\0", old[::-1], old * 2, old.hex(), bytes(len(old))])
    elif isinstance(old, int) and rng.randrange(2):
        value = rng.choice([old + 1, old - 1, old * 2, float(old), str(old)])
    update = f"UPDATE OR REPLACE {table} SET {column} = ?{where}"
    if value is not None:
        database.execute(update, (value,))
        return
    # SQLite allows NULL where the text of the table does, which is as it was afterwards.
    (text,) = database.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    with rewriting(database) as again:
        again.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (text.replace(" NOT NULL", ""), table))
    with rewriting(database) as again:
        again.execute(update, (value,))
        again.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (text, table))


@contextlib.contextmanager
def rewriting(database):
    """Another connection, which may change the texts of tables. They count for those that come after it."""
    database.commit()
    (path,) = (each[2] for each in database.execute("PRAGMA database_list"))
    with contextlib.closing(sqlite3.connect(path)) as again:
        again.execute("PRAGMA writable_schema = ON")
        yield again
        again.commit()


def change_rows(database, rng):
    table = rng.choice(tables_of(database))
    columns = columns_of(database, table)
    kind = rng.randrange(3)
    if kind == 0:
        database.execute(f"DELETE FROM {table}" + rng.choice(["", " WHERE rowid % 2"]))
    elif kind == 1:
        values = [rng.choice(VALUES) or 0 for _ in columns]
        database.execute(f"INSERT OR REPLACE INTO {table} VALUES ({','.join('?' * len(columns))})", values)
    else:
        column = rng.choice(columns)
        number = rng.randrange(-1, 3)
        chosen = ",".join(f"{each} + {number}" if each == column else each for each in columns)
        database.execute(f"INSERT OR REPLACE INTO {table} SELECT {chosen} FROM {table} LIMIT 1")


def change_tables(database, rng):
    table = rng.choice(tables_of(database))
    column = rng.choice(columns_of(database, table))
    database.execute(rng.choice([
        f"DROP TABLE {table}",
        f"ALTER TABLE {table} RENAME TO other",
        f"ALTER TABLE {table} RENAME COLUMN {column} TO other",
        "CREATE TABLE other (x)",
        "PRAGMA user_version = 77",
        "PRAGMA application_id = 5",
        "PRAGMA application_id = 0",
    ]))


def change_bytes(path, rng):
    data = bytearray(path.read_bytes()) or bytearray(1)
    kind = rng.randrange(4)
    if kind == 0:
        data = data[: rng.randrange(len(data) + 1)]
    elif kind == 1:
        begin = rng.randrange(len(data))
        data[begin : begin + rng.randrange(1, 5000)] = bytes(rng.randrange(1, 5000))
    else:
        for _ in range(rng.randrange(1, 20)):
            # The head and the schema more often than the rest.
            data[rng.randrange(min(rng.choice([200, 4096, 1 << 20]), len(data)))] = rng.randrange(256)
    path.write_bytes(data)


def spoil(path, rng):
    """Changes a database in a way that is drawn."""
    if rng.randrange(4) == 0:
        change_bytes(path, rng)
        return
    change = rng.choice([change_value, change_value, change_value, change_rows, change_tables])
    # Not every change can be made of what is there.
    with contextlib.suppress(sqlite3.Error, UnicodeError, OverflowError):
        with contextlib.closing(sqlite3.connect(path)) as database:
            change(database, rng)
            database.commit()


def problem():
    numbers = np.random.default_rng(3)
    shapes = [(4, 6), (6, 3), (3, 2)]
    return "ij,jk,kl->il", [numbers.standard_normal(shape) for shape in shapes]


class Checkpoint:
    name = "rank-0.sqlite"

    def make(self, folder):
        subscripts, operands = problem()
        self.expected = self.run(folder)
        with contextlib.closing(sqlite3.connect(folder / self.name)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
            # Sums of slices that were not the last ones, as a job has them that was killed.
            database.execute("DELETE FROM record WHERE block = 1")
            database.commit()

    def run(self, folder):
        subscripts, operands = problem()
        return dist.contract(subscripts, operands, checkpoint=folder, slices={"i": 2, "j": 6}).tobytes()

    def judge(self, folder):
        try:
            return self.run(folder) == self.expected
        except dist.CheckpointError as error:
            return str(error).startswith("checkpoint ") and "\n" not in str(error)


class Tuning:
    name = "tuned.sqlite"

    def make(self, folder):
        lines = [
            json.dumps({"key": {"contraction": json.dumps({"contraction": {"indices": [], "types": ["f64"]}}),
                                "machine": f"m{i % 2}", "syntax": 1},
                        "schedule": f"s{i}", "seconds": 0.5 + i, "kind": "measured", "date": "2026-01-01T00:00:00Z",
                        "version": "1", "seed": i, "search": "abc"})
            for i in range(4)
        ]
        _native.merge_tuning(str(folder / self.name), "\n".join(lines))

    def judge(self, folder):
        path = str(folder / self.name)
        for best in (False, True):
            try:
                lines = _native.export_tuning(path, best)
            except (ValueError, tc.UnsupportedError) as error:
                if "the tuning database " not in str(error) or "\n" in str(error):
                    return False
            else:
                list(map(json.loads, lines.splitlines()))
        done = subprocess.run([sys.executable, "-c", "from tc._tuning.command import main; raise SystemExit(main())",
                               "show", "--database", path], capture_output=True, text=True, check=False)
        return done.returncode in (0, 1) and "Traceback" not in done.stderr


class Cache:
    name = "kernels.sqlite"
    code = (
        "import numpy as np, tc, sys\n"
        "a = np.arange(12.0).reshape(3, 4)\n"
        "c = tc.einsum('ij,jk->ik', a, a.T.copy(), specialize='always')\n"
        "assert (c == a @ a.T).all()\n"
    )

    def run(self, folder):
        return subprocess.run([sys.executable, "-c", self.code], capture_output=True, text=True, check=False,
                              env={**os.environ, "TC_CACHE": str(folder)})

    def make(self, folder):
        done = self.run(folder)
        assert done.returncode == 0, done.stderr
        (found,) = folder.iterdir()
        self.name = found.name

    def judge(self, folder):
        done = self.run(folder)
        return done.returncode == 0 and "Traceback" not in done.stderr


KINDS = {"checkpoint": Checkpoint, "tuning": Tuning, "cache": Cache}


def attack(kind, seed, count, folder):
    """Faults that were found, as lines."""
    rng = random.Random(f"{kind} {seed}")
    tested, found = KINDS[kind](), []
    original = folder / "original"
    original.mkdir()
    tested.make(original)
    for number in range(count):
        spoilt = folder / "spoilt"
        shutil.copytree(original, spoilt)
        for _ in range(rng.choice([1, 1, 2])):
            spoil(spoilt / tested.name, rng)
        kept = (spoilt / tested.name).read_bytes()
        begin, why = time.monotonic(), ""
        try:
            if not tested.judge(spoilt):
                why = "wrong, or not refused as it should be"
        # An exception that is not documented is a fault.
        except BaseException as error:  # pylint: disable=broad-exception-caught
            why = f"{type(error).__name__}: {str(error)[:300]}"
        if not why and time.monotonic() - begin > SECONDS:
            why = f"took {time.monotonic() - begin:.0f} s"
        if why:
            name = pathlib.Path(f"{kind}-{seed}-{number}.sqlite").absolute()
            name.write_bytes(kept)
            found.append(f"{kind} {number} of seed {seed}: {why}; see {name}")
        shutil.rmtree(spoilt)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="spoilt files of each kind")
    parser.add_argument("--kind", choices=KINDS, action="append")
    arguments = parser.parse_args()
    found = []
    for kind in arguments.kind or KINDS:
        with tempfile.TemporaryDirectory(prefix="tc-spoilt-") as folder:
            # Processes are started anew for each cache.
            count = arguments.count if kind == "checkpoint" else arguments.count // 10
            lines = attack(kind, arguments.seed, count, pathlib.Path(folder))
        print(f"{count} of {kind}: {len(lines)} found")
        found += lines
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
