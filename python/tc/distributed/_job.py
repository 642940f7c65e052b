# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of many arrays, slice by slice on many ranks."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import time
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from .. import _launch
from . import _checkpoint
from ._checkpoint import CheckpointError, Store
from ._ranks import Ranks
from ._slice_plan import Plan, Problem, find_plan, make_problem
from ._spread import spread
from ._sums import Forest, Node, choose_holders, combine, gather_nodes


def plan(
    subscripts: str,
    operands: Sequence[Any],
    *,
    memory_limit: int | None = None,
    path: Any = None,
    slices: Any = None,
    threads: int = 1,
) -> Plan:
    """Plan of `contract`, by slices; `str` of it explains it. Of the operands, only shapes and
    dtypes count."""
    arrays = [np.asarray(operand) for operand in operands]
    return find_plan(make_problem(subscripts, arrays, memory_limit, path, slices, threads))


def contract(
    subscripts: str,
    operands: Sequence[Any],
    comm: Any = None,
    *,
    memory_limit: int | None = None,
    path: Any = None,
    slices: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    threads: int = 1,
    info: MutableMapping[str, Any] | None = None,
) -> np.ndarray:
    """Computes ``numpy.einsum(subscripts, *operands)`` on all ranks of a communicator, which
    all call it with the same arguments, and returns the result on each, as a new
    array. Whatever the number of ranks, and whichever computes which slice, it has the same bits on
    processors of one kind.

    `comm` has mpi4py's interface; None is one process without MPI. The result has the dtype to
    which NumPy promotes those of the operands, one of float32, float64, complex64,
    complex128, int32 and int64. `memory_limit` is the most bytes in which a program
    lays out results between steps on one rank. `path` is an order in the convention of
    ``numpy.einsum_path``, or a tree of cotengra's, whose slices are taken, too; by default, the
    model chooses. `slices` is the least number of slices, or has the number of parts of each
    index that is cut; by default, there are as many as the memory limit asks for, and
    about 256 if they are worth it. `checkpoint` is a folder that all ranks see, where finished
    slices are kept: the same call goes on from there, with any number of ranks.
    `threads` are those of each rank. `info` gets "plan", a text, and the numbers of "slices",
    of those that were "found" in the checkpoint, of those that this rank "computed" and, on
    rank 0, how often work was "stolen"; and the "seconds" until all had the "plan", of all "slices" and until all had
    the "result", and those of this rank's "processor" during the slices.

    Raises on all ranks what is wrong on one: ValueError and TypeError for arguments that do not
    fit, or that ranks were given different ones of; tc.UnsupportedError where no slices keep the memory limit;
    CheckpointError for folders that cannot be read or written, have records that are corrupt, or
    are of another problem; and RankError, which names the rank, for whatever else happens on one."""
    with Ranks(comm) as ranks:
        with ranks.together():
            arrays = [np.asarray(operand) for operand in operands]
            problem = make_problem(subscripts, arrays, memory_limit, path, slices, threads)
            arrays = [np.asarray(array, problem.dtype, order="C") for array in arrays]
            folder = None if checkpoint is None else os.fspath(checkpoint)
        ranks.check_equal({**problem._asdict(), "checkpoint": folder})
        with ranks.together():
            digests = {
                f"the digest of operand {i}": _digest(array) for i, array in enumerate(arrays)
            }
        ranks.check_equal(digests)
        with contextlib.ExitStack() as open_files:
            job = _Job(ranks, problem, arrays, {} if info is None else info)
            result = job.run(folder, digests, open_files)
            with ranks.together():
                open_files.close()
            return result


def _digest(array: np.ndarray) -> str:
    """Of all bits of an array, in the order of its indices."""
    hashed = hashlib.blake2b(digest_size=16)
    # Not all of it is copied at once.
    for part in array if array.ndim > 1 else [array]:
        hashed.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8))
    return hashed.hexdigest()


class _Job:
    """One call, behind the check of its arguments."""

    def __init__(
        self,
        ranks: Ranks,
        problem: Problem,
        arrays: Sequence[np.ndarray],
        info: MutableMapping[str, Any],
    ) -> None:
        self._ranks = ranks
        self._problem = problem
        self._arrays = arrays
        self._info = info
        self._dtype = np.dtype(problem.dtype)

    def run(
        self, folder: str | None, digests: Mapping[str, str], files: contextlib.ExitStack
    ) -> np.ndarray:
        ranks, store = self._ranks, None
        plan: Any = None
        others: Any = None
        begin = time.perf_counter()
        with ranks.together():
            if ranks.rank == 0:
                store, plan, others = self._begin(folder, digests, files)
        with ranks.reaching():
            plan, others = ranks.comm.bcast((plan, others))
        with ranks.together():
            forest = Forest(plan.terms)
            places = [plan.place(block) for block in range(plan.blocks)]
            result = np.empty(plan.shape, self._dtype)
            shapes = [result[place].shape for place in places]
            sizes = list(map(math.prod, shapes))
            if folder is not None:
                if store is None:
                    store = self._open(folder, ranks.rank, digests, plan, files)
                for node, array in store.read(sizes, plan.terms, self._dtype):
                    forest.add(node, array)
                self._adopt(folder, others, digests, plan, store, forest, sizes)
        found = gather_nodes(ranks, forest)
        with ranks.together():
            left = _what_is_left(plan, choose_holders(found, forest.top))
            total = plan.blocks * plan.terms
            self._info.update(plan=plan.text, slices=total, found=total - len(left), computed=0)
        planned, worked = time.perf_counter(), time.process_time()

        def work(place: int) -> None:
            number = int(left[place])
            made = plan.contract(self._arrays, number, self._problem.threads).reshape(-1)
            used, node = forest.add(Node(number // plan.terms, 0, number % plan.terms), made)
            if store:
                store.replace(used, node, forest.nodes[node])
            self._info["computed"] += 1

        with ranks.together():
            # Whoever fails tells rank 0, and all get to the end.
            self._info["stolen"] = spread(ranks, len(left), work)
        multiplied, worked = time.perf_counter(), time.process_time() - worked
        blocks = combine(ranks, forest, sizes, self._dtype)
        with ranks.together():
            for place, shape, block in zip(places, shapes, blocks):
                result[place] = block.reshape(shape)
            self._info["seconds"] = {
                "plan": planned - begin,
                "slices": multiplied - planned,
                "result": time.perf_counter() - multiplied,
                "processor": worked,
            }
        return result

    def _describe(self, digests: Mapping[str, str]) -> dict[str, Any]:
        """Description that has to be the same for a sum to be of use."""
        return {**self._problem._asdict(), **digests, "tc": _launch.VERSION}

    def _read_plan(self, store: Store, text: str) -> Plan:
        try:
            return Plan.from_json(text, self._problem)
        except ValueError as error:
            raise store.corrupt(error) from error

    def _begin(
        self, folder: str | None, digests: Mapping[str, str], files: contextlib.ExitStack
    ) -> tuple[Store | None, Plan, list[int]]:
        """Rank 0's file, the plan, which may be that of a job that was killed, and the ranks that had
        files."""
        if folder is None:
            return None, find_plan(self._problem), []
        others = _checkpoint.make_folder(folder)
        store = files.enter_context(contextlib.closing(Store(_checkpoint.path_of(folder, 0))))
        text = store.read_job(self._describe(digests))
        if text is not None:
            return store, self._read_plan(store, text), others
        plan = find_plan(self._problem)
        store.write_job(self._describe(digests), plan.to_json())
        return store, plan, others

    def _open(
        self,
        folder: str,
        rank: int,
        digests: Mapping[str, str],
        plan: Plan,
        files: contextlib.ExitStack,
    ) -> Store:
        """The file of a rank, which is made if there is none."""
        path = _checkpoint.path_of(folder, rank)
        if not os.path.isdir(folder):
            raise CheckpointError(
                f"checkpoint {folder} is no folder here: it has to be one that all ranks see"
            )
        store = files.enter_context(contextlib.closing(Store(path)))
        text = store.read_job(self._describe(digests))
        if text is None:
            store.write_job(self._describe(digests), plan.to_json())
        elif self._read_plan(store, text) != plan:
            raise CheckpointError(f"checkpoint {path} has another plan than that of rank 0")
        return store

    def _adopt(
        self,
        folder: str,
        others: Sequence[int],
        digests: Mapping[str, str],
        plan: Plan,
        store: Store,
        forest: Forest,
        sizes: Sequence[int],
    ) -> None:
        """Takes over what ranks have done that are no more."""
        ranks = self._ranks
        for other in others:
            if other < ranks.size or other % ranks.size != ranks.rank:
                continue
            with contextlib.ExitStack() as files:
                theirs = self._open(folder, other, digests, plan, files)
                for node, array in theirs.read(sizes, plan.terms, self._dtype):
                    # A process that was killed here before has taken over some.
                    if not forest.holds(node):
                        used, node = forest.add(node, array)
                        store.replace(used, node, forest.nodes[node])
                theirs.remove()


def _what_is_left(
    plan: Plan, done: Mapping[int, Sequence[tuple[Node, int]]]
) -> range | np.ndarray:
    """The slices that no rank has a sum of."""
    total = plan.blocks * plan.terms
    if not done:
        return range(total)
    left = np.ones(total, bool)
    for block, held in done.items():
        for node, _ in held:
            terms = node.terms(plan.terms)
            left[block * plan.terms + terms.start : block * plan.terms + terms.stop] = False
    return np.flatnonzero(left)
