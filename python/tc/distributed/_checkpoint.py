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

from ._sums import Node

# Of the folder's files.
_NAME = re.compile(r"rank-(\d+)\.sqlite")
# Bytes of a record at most; SQLite takes some less than 2**30.
_RECORD = 1 << 26
# Says that a database is a checkpoint, and of this form: "tcD1".
_APPLICATION = 0x74634431

_SCHEMA = f"""
PRAGMA application_id = {_APPLICATION};
CREATE TABLE job (description TEXT NOT NULL, plan TEXT NOT NULL);
CREATE TABLE record (
  block INTEGER, level INTEGER, number INTEGER, piece INTEGER,
  data BLOB NOT NULL, checksum BLOB NOT NULL,
  PRIMARY KEY (block, level, number, piece));
"""


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
    return sorted(int(each[1]) for each in found if each)


def _checksum(node: Node, piece: int, data: bytes) -> bytes:
    hashed = hashlib.blake2b(repr((*node, piece)).encode(), digest_size=16)
    hashed.update(data)
    return hashed.digest()


class Store:
    """The file of one rank. Nobody else may have it open."""

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
        with contextlib.suppress(sqlite3.Error):
            # What cannot be read so, as it is not there or was being made, is looked at later.
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

    @contextlib.contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            why = str(error)
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
        with self._naming_the_file():
            rows = self._database.execute("SELECT description, plan FROM job").fetchall()
        try:
            ((text, plan),) = rows
            stored = dict(json.loads(text))
        except (ValueError, TypeError) as error:
            raise CheckpointError(f"checkpoint {self.path} is corrupt: {error}") from error
        for what, value in json.loads(json.dumps(description)).items():
            if stored.get(what) != value:
                raise CheckpointError(
                    f"checkpoint {self.path} is of another problem: {what} is "
                    f"{stored.get(what)} there, but {value} here"
                )
        return plan

    def write_job(self, description: dict[str, Any], plan: str) -> None:
        """Makes a new file one of this problem."""
        with self._transaction() as database:
            for statement in filter(str.strip, _SCHEMA.split(";")):
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

    def read(self, sizes: Sequence[int], dtype: np.dtype) -> Iterator[tuple[Node, np.ndarray]]:
        """All sums, of blocks that have so many elements."""
        with self._naming_the_file():
            nodes = self._database.execute(
                "SELECT DISTINCT block, level, number FROM record ORDER BY 1, 2, 3"
            ).fetchall()
        for node in map(Node._make, nodes):
            with self._naming_the_file():
                records = self._database.execute(
                    "SELECT piece, data, checksum FROM record WHERE block = ? AND level = ? "
                    "AND number = ? ORDER BY piece", node
                ).fetchall()
            is_whole = all(
                piece == i and _checksum(node, piece, data) == checksum
                for i, (piece, data, checksum) in enumerate(records)
            )
            data = b"".join(record[1] for record in records)
            known = 0 <= node.block < len(sizes)
            if not is_whole or not known or len(data) != sizes[node.block] * dtype.itemsize:
                raise CheckpointError(
                    f"checkpoint {self.path} is corrupt: the sum {node.number} of level "
                    f"{node.level} of block {node.block} is not what was written; without "
                    "this file, its slices are computed again"
                )
            yield node, np.frombuffer(bytearray(data), dtype)

    def close(self) -> None:
        with self._naming_the_file():
            self._database.close()

    def remove(self) -> None:
        """Closes it and removes the file."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.path + suffix)
