# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums that are done, on the disk, from which a job that was killed goes on.

A checkpoint is a folder with a database of each rank, so that no two processes write to
one file. A sum is a record for each 64 MiB of its elements, with a checksum. Where two
sums become one, one transaction replaces them, so that whatever is killed at whatever
time, the disk has each finished slice in exactly one sum.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import _json
from ._sums import Node

# Of the folder's files.
_NAME = re.compile(r"rank-(\d+)\.sqlite")
# Bytes of a record at most; SQLite takes some less than 2**30.
_RECORD = 1 << 26
# Exceptions of SQLite, and what Python makes of a message of SQLite's that quotes a damaged file.
_FAILURES = (sqlite3.Error, UnicodeDecodeError)
# Says that a database is a checkpoint, and of this form: "tcD1".
_APPLICATION = 0x74634431

_TABLES = (
    "CREATE TABLE job (description TEXT NOT NULL, plan TEXT NOT NULL)",
    """CREATE TABLE record (
  block INTEGER, level INTEGER, number INTEGER, piece INTEGER,
  data BLOB NOT NULL, checksum BLOB NOT NULL,
  PRIMARY KEY (block, level, number, piece))""",
)


class CheckpointError(RuntimeError):
    """A checkpoint cannot be read or written, or is of another problem."""


CheckpointError.__module__ = "tc.distributed"


def path_of(folder: str, rank: int) -> str:
    return os.path.join(folder, f"rank-{rank}.sqlite")


def make_folder(folder: str) -> list[int]:
    """Makes a folder, if there is none, and returns the ranks whose files it has."""
    try:
        os.makedirs(folder, exist_ok=True)
        found = map(_NAME.fullmatch, os.listdir(folder))
    except OSError as error:
        raise CheckpointError(
            f"checkpoint {folder}: {error.strerror or error}"
        ) from error
    except ValueError as error:
        # It has a NUL character.
        raise CheckpointError(f"checkpoint {folder!r}: {error}") from error
    return sorted(int(each[1]) for each in found if each)


def _checksum(node: Node, piece: int, data: bytes | memoryview) -> bytes:
    hashed = hashlib.blake2b(repr((*node, piece)).encode(), digest_size=16)
    hashed.update(data)
    return hashed.digest()


def _short(value: Any) -> str:
    """A value, or what SQLite says, for a message of one line; the end of a long one may lack."""
    try:
        text = str(value)[:200]
    except RecursionError:
        return "nested deep"
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


class Store:
    """The file of one rank. Nobody else may have it open. Whatever may be in it: its values are of any type, as a
    column says nothing of that, and its texts say anything."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._look_before()
        with self._naming_the_file():
            self._database = sqlite3.connect(path, timeout=0, isolation_level=None)
        try:
            self.is_new = self._take()
        except BaseException:
            self._database.close()
            raise

    def _look_before(self) -> None:
        """Refuses another program's file while nothing of it can be changed: whoever else closes one tidies up."""
        with contextlib.suppress(*_FAILURES):
            # A file that cannot be read so, as it is not there or was being made, is looked at
            # later.
            uri = pathlib.Path(self.path).absolute().as_uri() + "?mode=ro"
            with contextlib.closing(sqlite3.connect(uri, timeout=0, uri=True)) as database:
                self._is_empty(database)

    def _take(self) -> bool:
        """Takes the file for itself, and says whether it is empty."""
        with self._naming_the_file():
            self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
            is_empty = self._is_empty(self._database)
            for setting in ("journal_mode = WAL", "synchronous = NORMAL"):
                self._database.execute(f"PRAGMA {setting}")
            self._database.execute("BEGIN EXCLUSIVE")
            self._database.execute("COMMIT")
        return is_empty

    def _is_empty(self, database: sqlite3.Connection) -> bool:
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = database.execute("PRAGMA application_id").fetchone()
        if application != _APPLICATION and (tables or application):
            raise CheckpointError(f"checkpoint {self.path} is a database of something else")
        return tables == 0

    def corrupt(self, why: object) -> CheckpointError:
        return CheckpointError(f"checkpoint {self.path} is corrupt: {_short(why)}")

    def _check_tables(self) -> None:
        """Refuses other tables than those of a checkpoint, and views, which compute anything."""
        with self._naming_the_file():
            found = self._database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if sorted(map(repr, found)) != sorted(repr((sql,)) for sql in _TABLES):
            raise self.corrupt("it has other tables than a checkpoint")

    @contextlib.contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except _FAILURES as error:
            why = _short(error)
            if "locked" in why:
                why = "it is in use by another job"
            raise CheckpointError(f"checkpoint {self.path}: {why}") from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._naming_the_file():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def read_job(self, description: dict[str, Any]) -> str | None:
        """The plan that is there, if it is for the same problem; None in a new file."""
        if self.is_new:
            return None
        self._check_tables()
        with self._naming_the_file():
            rows = self._database.execute("SELECT description, plan FROM job LIMIT 2").fetchall()
        if len(rows) != 1:
            raise self.corrupt("it is not of one job")
        ((text, plan),) = rows
        try:
            stored = _json.parse_file(text)
        except ValueError as error:
            raise self.corrupt(error) from error
        if not isinstance(stored, dict) or not isinstance(plan, str):
            raise self.corrupt("its job has no description or no plan")
        for what, value in json.loads(json.dumps(description)).items():
            if stored.get(what) != value:
                raise CheckpointError(
                    f"checkpoint {self.path} is of another problem: {what} is "
                    f"{_short(stored.get(what))} there, but {_short(value)} here"
                )
        return plan

    def write_job(self, description: dict[str, Any], plan: str) -> None:
        """Makes a new file one of this problem."""
        with self._transaction() as database:
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            for statement in _TABLES:
                database.execute(statement)
            database.execute("INSERT INTO job VALUES (?, ?)", (json.dumps(description), plan))
        self.is_new = False

    def replace(self, removed: Sequence[Node], node: Node, array: np.ndarray) -> None:
        """Writes a sum in the place of others."""
        # A complex number is not a buffer of bytes, and without axes there is no view.
        data = memoryview(array.reshape(-1).view(np.uint8))
        with self._transaction() as database:
            database.executemany(
                "DELETE FROM record WHERE block = ? AND level = ? AND number = ?", removed
            )
            for piece, begin in enumerate(range(0, max(len(data), 1), _RECORD)):
                part = data[begin : begin + _RECORD]
                database.execute(
                    "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?)",
                    (*node, piece, part, _checksum(node, piece, part)),
                )

    def _nodes(self, blocks: int, terms: int) -> list[Node]:
        """The sums that are there, of which no two have a term in common."""
        with self._naming_the_file():
            found = self._database.execute(
                "SELECT DISTINCT block, level, number FROM record ORDER BY 1, 2, 3"
            ).fetchall()
        top = (terms - 1).bit_length()
        nodes, parts = [], []
        for values in found:
            node = Node._make(values)
            is_node = (
                all(type(value) is int for value in values)
                and 0 <= node.block < blocks
                and 0 <= node.level <= top
                and 0 <= node.number <= (terms - 1) >> node.level
            )
            if not is_node:
                raise self._not_written(node)
            nodes.append(node)
            part = node.terms(terms)
            parts.append((node.block, part.start, part.stop, node))
        parts.sort()
        for before, after in zip(parts, parts[1:]):
            if before[0] == after[0] and after[1] < before[2]:
                raise self._not_written(after[3])
        return nodes

    def _not_written(self, node: Node) -> CheckpointError:
        return self.corrupt(
            f"the sum {_short(node.number)} of level {_short(node.level)} of block "
            f"{_short(node.block)} is not what was written; without this file, its slices are "
            "computed again"
        )

    def read(
        self, sizes: Sequence[int], terms: int, dtype: np.dtype
    ) -> Iterator[tuple[Node, np.ndarray]]:
        """All sums, of blocks that have so many elements, and so many terms each."""
        for node in self._nodes(len(sizes), terms):
            size = sizes[node.block] * dtype.itemsize
            data = bytearray()
            with self._naming_the_file():
                records = self._database.execute(
                    "SELECT piece, data, checksum FROM record WHERE block = ? AND level = ? "
                    "AND number = ? ORDER BY piece", node
                )
                for number, (piece, part, checksum) in enumerate(records):
                    is_whole = (
                        type(piece) is int
                        and piece == number
                        and isinstance(part, bytes)
                        and len(data) + len(part) <= size
                        and _checksum(node, piece, part) == checksum
                    )
                    if not is_whole:
                        raise self._not_written(node)
                    data += part
            if len(data) != size:
                raise self._not_written(node)
            yield node, np.frombuffer(data, dtype)

    def close(self) -> None:
        with self._naming_the_file():
            self._database.close()

    def remove(self) -> None:
        """Closes it and removes the file."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.path + suffix)
