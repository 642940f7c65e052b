# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of tensors that lie in files, within a limit of memory."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._arrays.layout import as_integer
from .._arrays.overlap import overlap
from .._einsum.einsum import einsum
from .._notation.subscripts import Labels
from .._order.search import spell_subscripts
from ._grid import Box, size_of
from ._machine import Machine
from ._mapped import place_of
from ._pair import parse_pair
from ._ranks import Ranks
from ._tensor import shape_of
from ._tiles import MAPPED, TilePlan, find_tiles

T = TypeVar("T")


class Report(NamedTuple):
    """Costs of a contraction on this rank: seconds of all of it, of the threads that read, write
    and multiply, of which the latter does not wait for others then, and bytes that were read and
    written."""

    plan: TilePlan
    seconds: float
    read_seconds: float
    write_seconds: float
    multiply_seconds: float
    read_bytes: int
    written_bytes: int


def _map_of(array: Any) -> mmap.mmap | None:
    """The mapping of a file that an array is a view of; None if there is none whose pages can be
    dropped, as those that were copied on writing cannot."""
    while isinstance(array, np.ndarray):
        if getattr(array, "mode", None) == "c":
            return None
        array = array.base
    return array if isinstance(array, mmap.mmap) else None


def _copy(target: np.ndarray, source: np.ndarray, mapping: mmap.mmap) -> None:
    """Copies some megabytes after the other, and drops what was mapped for each: it stays
    in the system's cache, but is no memory of this process."""
    mapped = target if _map_of(target) is mapping else source
    # All between is mapped, too: the system does so around each page that is touched.
    span = sum((n - 1) * abs(step) for n, step in zip(mapped.shape, mapped.strides))
    axis = next((i for i, extent in enumerate(source.shape) if extent > 1), None)
    if span <= MAPPED // 2 or axis is None:
        target[...] = source
        mapping.madvise(mmap.MADV_DONTNEED)
        return
    half = source.shape[axis] // 2
    for part in (slice(None, half), slice(half, None)):
        place = (slice(None),) * axis + (part,)
        _copy(target[place], source[place], mapping)


def _where(box: Box) -> tuple[Any, ...]:
    # With the ellipsis, an array without axes is a view, too.
    return (*(slice(*bounds) for bounds in box), ...)


def _read(array: Any, box: Box, tile: np.ndarray) -> None:
    mapping = _map_of(array)
    if mapping is None:
        # Of another library's, or of NumPy's in memory.
        tile[...] = array[tuple(slice(*bounds) for bounds in box)]
    else:
        _copy(tile, array[_where(box)], mapping)


def _write(array: Any, box: Box, tile: np.ndarray) -> None:
    mapping = _map_of(array)
    if mapping is None:
        array[tuple(slice(*bounds) for bounds in box)] = tile
    else:
        _copy(array[_where(box)], tile, mapping)


def _reserve(out: Any) -> None:
    """Takes room on the disk for a result in a file, as a write to a mapping that finds none kills the
    process."""
    name = getattr(out, "filename", None)
    if _map_of(out) is None or name is None:
        return
    try:
        with open(name, "r+b") as file:
            os.posix_fallocate(file.fileno(), 0, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise OSError(error.errno, f"out: {error.strerror}", os.fspath(name)) from error


def _problem(
    subscripts: str, a: Any, b: Any, memory: int, tiles: int | None, machine: Machine
) -> TilePlan:
    for what, array in (("operand 0", a), ("operand 1", b)):
        if not hasattr(array, "shape") or not hasattr(array, "dtype"):
            raise TypeError(f"{what} is no array, but {type(array).__name__}")
    parsed, extents = parse_pair(subscripts, a, b, "in files")
    memory = as_integer(memory, "memory")
    if tiles is not None and (tiles := as_integer(tiles, "tiles")) < 1:
        raise ValueError(f"tiles is {tiles}, but there is one at least")
    if not isinstance(machine, Machine):
        raise TypeError(f"machine is no Machine, but {type(machine).__name__}")
    return find_tiles(parsed, extents, np.dtype(a.dtype).itemsize, memory, machine, tiles)


def plan_files(
    subscripts: str,
    a: Any,
    b: Any,
    *,
    memory: int,
    tiles: int | None = None,
    machine: Machine = Machine(),
) -> TilePlan:
    """Plan of `contract_files`; `str` of it explains it. Nothing is read."""
    return _problem(subscripts, a, b, memory, tiles, machine)


class _Worker:
    """A thread, and how long it has worked."""

    def __init__(self, name: str) -> None:
        self.pool = ThreadPoolExecutor(1, name)
        self.seconds = 0.0

    def start(self, call: Callable[..., T], *arguments: Any) -> Future[T]:
        def run() -> T:
            begin = time.perf_counter()
            try:
                return call(*arguments)
            finally:
                self.seconds += time.perf_counter() - begin

        return self.pool.submit(run)


def contract_files(
    subscripts: str,
    a: Any,
    b: Any,
    out: Any,
    comm: Any = None,
    *,
    memory: int,
    tiles: int | None = None,
    threads: int = 0,
    machine: Machine = Machine(),
) -> Report:
    """Computes ``out[...] = numpy.einsum(subscripts, a, b)`` tile by tile. Operands and `out` are
    numpy.memmap's, or other arrays with `shape`, `dtype`, and tuples of slices as indices, such
    as those of Zarr and h5py. `memory` is the most bytes that tiles, and what is mapped of files, take
    at the same time. While tiles are multiplied, the next ones are read, and the last ones of the result written, by
    a thread each. Room for the whole result is taken on the disk before.

    All ranks of a communicator, which has mpi4py's interface, call it alike, each with its own view of the same three
    files, and each makes a share of the result's tiles, within `memory` each. Of these there are `tiles` at least; by
    default, as many as the memory asks for, and about 64 if they are worth it. The number of ranks makes no difference to
    them, nor to any bit of the result. When it returns, all of that is written. What is wrong on one rank is raised on
    all."""
    with Ranks(comm) as ranks:
        with ranks.together():
            plan = _problem(subscripts, a, b, memory, tiles, machine)
            threads = as_integer(threads, "threads")
            _check_out(plan, a, b, out, ranks.size > 1)
            given = {
                "subscripts": str(subscripts),
                "the shapes of operands": (tuple(a.shape), tuple(b.shape)),
                "the dtype of operands": np.dtype(a.dtype).name,
                "memory": int(memory),
                "tiles": plan.result_tiles,
                "threads": threads,
                "machine": machine,
            }
        ranks.check_equal(given)
        with ranks.together():
            _reserve(out)
        with ranks.together():
            begin = time.perf_counter()
            share = plan.share(ranks.rank, ranks.size)
            reader, writer = _Worker("read"), _Worker("write")
            try:
                multiplied, read, written = _stream(
                    plan, share, (a, b), out, threads, reader, writer
                )
            finally:
                reader.pool.shutdown(cancel_futures=True)
                writer.pool.shutdown()
            seconds = time.perf_counter() - begin
        return Report(plan, seconds, reader.seconds, writer.seconds, multiplied, read, written)


def _check_out(plan: TilePlan, a: Any, b: Any, out: Any, is_shared: bool) -> None:
    shape = tuple(plan.extents[label] for label in plan.subscripts.result)
    if tuple(out.shape) != shape or out.dtype != a.dtype:
        raise ValueError(
            f"out has shape {tuple(out.shape)} and dtype {out.dtype}, but the result {shape} and {a.dtype}"
        )
    if getattr(out, "mode", "w+") == "r":
        raise ValueError("out is read-only")
    if not isinstance(out, np.ndarray):
        return
    place = place_of(out)
    for name, operand in (("a", a), ("b", b)):
        if isinstance(operand, np.ndarray) and overlap(out, operand):
            raise ValueError(f"out shares memory with {name}")
        other = place_of(operand)
        if place and other and place.overlaps(other):
            raise ValueError(f"out has elements of a file in common with {name}")
    if is_shared and (place is None or not place.is_written):
        raise ValueError(
            "out is in the memory of one rank, or copied there on writing: of several ranks, each "
            "writes a part of it"
        )


class _Buffers:
    """Memory for two tiles of a tensor, which are used in turn. Of tiles that are allocated one after
    the other, the allocator keeps some."""

    def __init__(self, plan: TilePlan, labels: Labels, dtype: np.dtype) -> None:
        count = plan.size(labels) // dtype.itemsize
        self._buffers = [np.empty(count, dtype) for _ in range(2)]

    def take(self, box: Box) -> np.ndarray:
        self._buffers.reverse()
        return self._buffers[0][: size_of(box)].reshape(shape_of(box))


def _stream(
    plan: TilePlan,
    share: range,
    operands: tuple[Any, Any],
    out: Any,
    threads: int,
    reader: _Worker,
    writer: _Worker,
) -> tuple[float, int, int]:
    """Multiplies some tiles of the result. Returns the seconds of that, and bytes that were read and written."""
    terms, result = plan.subscripts.operands, plan.subscripts.result
    spec = spell_subscripts(plan.subscripts)
    dtype = np.dtype(out.dtype)
    *buffers, results = (_Buffers(plan, labels, dtype) for labels in (*terms, result))
    boxes: list[Box | None] = [None, None]
    tiles: list[Any] = [None, None]
    read = written = 0
    seconds = 0.0

    def fetch(wanted: list[Box]) -> list[Any]:
        """The tiles of a step, of which one may be there from the step before."""
        nonlocal read
        for number, box in enumerate(wanted):
            if box != boxes[number]:
                # The other buffer has the tile that is multiplied now.
                tiles[number] = buffers[number].take(box)
                _read(operands[number], box, tiles[number])
                boxes[number] = box
                read += tiles[number].nbytes
        return list(tiles)

    def fetch_next() -> Future[list[Any]] | None:
        step = next(ahead, None)
        return step and reader.start(fetch, [plan.box(labels, step[0]) for labels in terms])

    ahead = plan.steps(share)
    coming, going = fetch_next(), None
    for tile, is_first, is_last in plan.steps(share):
        assert coming
        pair = coming.result()
        coming = fetch_next()
        begin = time.perf_counter()
        if is_first:
            box = plan.box(result, tile)
            # The contents of this buffer are written, as only one tile is on its way at a time.
            made = results.take(box)
        # The compiler would take memory, too.
        einsum(
            spec, *pair, out=made, beta=None if is_first else 1, threads=threads, specialize="never"
        )
        seconds += time.perf_counter() - begin
        if is_last:
            if going:
                going.result()
            going = writer.start(_write, out, box, made)
            written += made.nbytes
    if going:
        going.result()
    if hasattr(out, "flush"):
        writer.start(out.flush).result()
    return seconds, read, written
