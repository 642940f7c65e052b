# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes that compute together, and how they agree on errors."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ._arrays import HOST, Arrays

# Elements of a message at most: MPI counts them in 32 bits.
MOST = 1 << 30


class RankError(RuntimeError):
    """Error on one rank, raised on all of them; `rank` says which one."""

    def __init__(self, rank: int, text: str) -> None:
        super().__init__(f"rank {rank}: {text}")
        self.rank = rank


RankError.__module__ = "tc.distributed"


class _Alone:
    """The communicator of a process that computes by itself, without MPI."""

    def Get_rank(self) -> int:
        return 0

    def Get_size(self) -> int:
        return 1

    def Is_inter(self) -> bool:
        return False

    def Dup(self) -> _Alone:
        return self

    def Free(self) -> None:
        pass

    def allgather(self, value: Any) -> list[Any]:
        return [value]

    def bcast(self, value: Any, root: int = 0) -> Any:
        return value


def _check_communicator(comm: Any) -> None:
    for name in ("Get_rank", "Get_size", "Is_inter", "Dup", "Allreduce", "allgather", "bcast"):
        if not hasattr(comm, name):
            raise TypeError(
                f"comm is {comm!r}, which is no communicator as mpi4py has them: it has "
                f"no method {name}"
            )
    try:
        size, is_inter = comm.Get_size(), comm.Is_inter()
    except Exception as error:
        raise ValueError(
            f"comm is no communicator that this process belongs to: {error}"
        ) from error
    if is_inter or size < 1:
        raise ValueError("comm is an intercommunicator: merge its two groups first")


def _describe(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(type(error), error)).strip()


class Ranks:
    """A communicator of the callee's own, as a context: messages of a program that goes
    on elsewhere are never taken for those of a contraction."""

    def __init__(self, comm: Any) -> None:
        """Takes what has mpi4py's interface, or None for one process."""
        if comm is None:
            comm = _Alone()
        else:
            _check_communicator(comm)
        self.comm = comm.Dup()
        self.rank: int = self.comm.Get_rank()
        self.size: int = self.comm.Get_size()
        with self.reaching():
            # Mark of a failure of this rank, and number of ranks that have failed: where no memory
            # is left, there is still this.
            self._has_failed, self._failures = np.array([0], np.int32), np.array([0], np.int32)
        #: Bytes that this rank has sent to others in `exchange`, `collect` and `pass_on`.
        self.sent = 0

    def __enter__(self) -> Ranks:
        return self

    def __exit__(self, *_: Any) -> None:
        self.comm.Free()

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Errors that are raised inside on any rank are raised at the end on all: if they are the
        same everywhere, as they are, else as a RankError that names the first rank. All ranks have
        to get to the end, so that nothing inside may wait for a rank that has failed there."""
        own: BaseException | None = None
        try:
            yield
        except BaseException as error:
            own = error
        if self.size == 1:
            if own:
                raise own
            return
        with self.reaching(own):
            self._has_failed[0] = own is not None
            self.comm.Allreduce(self._has_failed, self._failures)
            if not self._failures[0]:
                return
            found = self.comm.allgather(own and (_describe(own), isinstance(own, Exception)))
        failed = [rank for rank, each in enumerate(found) if each is not None]
        if own and (not isinstance(own, Exception) or found == [found[0]] * self.size):
            raise own
        first = failed[0]
        raise RankError(first, found[first][0]) from own

    @contextlib.contextmanager
    def reaching(self, own: BaseException | None = None) -> Iterator[None]:
        """Ends the job if what is inside, calls of MPI and what they cannot do without, raises: others cannot
        be told, if there are some. `own` is an error that the others have not heard of."""
        try:
            yield
        except BaseException:
            if self.size == 1:
                raise
            if own:
                traceback.print_exception(type(own), own, own.__traceback__)
            # MPI may end this process before anything else is printed.
            traceback.print_exc()
            print(f"tc.distributed: rank {self.rank} cannot reach the others", file=sys.stderr)
            self.comm.Abort(1)
            raise

    def check_equal(self, values: Mapping[str, Any]) -> None:
        """Raises ValueError on all ranks if they were given different values, which are plain, of one name. It
        is those of rank 0 that all get, so that this does not take longer by the square of ranks."""
        with self.reaching():
            first = self.comm.bcast(values)
        with self.together():
            differs = next((name for name, own in values.items() if own != first[name]), None)
        with self.reaching():
            found = self.comm.allgather(differs and (differs, values[differs]))
        for rank, other in enumerate(found):
            if other:
                name, value = other
                raise ValueError(f"{name} is {first[name]!r} on rank 0, but {value!r} on rank {rank}")

    def exchange(
        self, parts: Sequence[Any], counts: Sequence[int], most: int, dtype: np.dtype,
        arrays: Arrays = HOST,
    ) -> list[Any]:
        """Sends to each rank one flat array of that dtype, and returns those from each, which have so
        many elements. `most` are those that any rank sends or gets, on all ranks the same; `arrays` are of
        which kind parts are."""
        if self.size == 1:
            return list(parts)
        rounds = max(1, -(-most // MOST))
        arrays.connect(self)
        with self.together():
            received = [arrays.empty(count, dtype) for count in counts]
        for number in range(rounds):
            with self.together():
                now = [_share(part, number, rounds) for part in parts]
                places = [_share(part, number, rounds) for part in received]
                own, theirs = [len(part) for part in now], [len(part) for part in places]
                sent = arrays.to_wire(arrays.concatenate(now))
                got = arrays.wire(sum(theirs), dtype)
                sends, gets = [sent, (own, _offsets(own))], [got, (theirs, _offsets(theirs))]
            with self.reaching():
                arrays.exchange(self.comm, sends, gets)
            with self.together():
                _place(arrays.from_wire(got), places)
                self.sent += (len(sent) - own[self.rank]) * dtype.itemsize
        return received

    def collect(self, part: np.ndarray, counts: Sequence[int]) -> list[np.ndarray]:
        """The flat arrays of all ranks, which have so many elements, on all of them."""
        if self.size == 1:
            return [part]
        rounds = max(1, -(-sum(counts) // MOST))
        with self.together():
            collected = [np.empty(count, part.dtype) for count in counts]
        for number in range(rounds):
            with self.together():
                places = [_share(each, number, rounds) for each in collected]
                theirs = [place.size for place in places]
                got = np.empty(sum(theirs), part.dtype)
                now = np.ascontiguousarray(_share(part, number, rounds))
                gets = [got, (theirs, _offsets(theirs))]
            with self.reaching():
                self.comm.Allgatherv(now, gets)
            with self.together():
                _place(got, places)
                self.sent += now.nbytes * (self.size - 1)
        return collected


    def pass_on(self, sent: np.ndarray, to: int, got: np.ndarray, source: int) -> list[Any]:
        """Begins to send a contiguous array to one rank, and to get one from another, which sends as much.
        Returns what to wait for before either array is used again."""
        waiting = [self.comm.Irecv(message, source) for message in _messages(got)]
        waiting += [self.comm.Isend(message, to) for message in _messages(sent)]
        self.sent += sent.nbytes
        return waiting


def _messages(array: np.ndarray) -> list[np.ndarray]:
    """Views of a contiguous array, none of which has more elements than MPI counts."""
    flat = array.reshape(-1)
    shares = max(1, -(-flat.size // MOST))
    return [_share(flat, number, shares) for number in range(shares)]


def _share(part: Any, number: int, shares: int) -> Any:
    """A view of one of equal shares of a flat array."""
    return part[len(part) * number // shares : len(part) * (number + 1) // shares]


def _place(got: Any, places: Sequence[Any]) -> None:
    """Copies what has arrived, one after the other, to where it belongs."""
    begin = 0
    for place in places:
        place[...] = got[begin : begin + len(place)]
        begin += len(place)


def _offsets(counts: Sequence[int]) -> list[int]:
    return [0, *np.cumsum(counts[:-1]).tolist()]
