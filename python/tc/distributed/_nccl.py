# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages from device to device by NCCL, as CuPy has it. Blocks may be arrays of PyTorch, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._ranks import Ranks

# Of a flat array on a device its address; and how many elements each rank sends or gets, and where these begin.
Side = tuple[int, Sequence[int], Sequence[int]]


class Nccl:
    """A communicator of NCCL's, which is made where it is needed first, for the device that is used then."""

    def __init__(self) -> None:
        try:
            import cupy
            from cupy.cuda import nccl
        except ImportError as error:
            raise ImportError(f"nccl is asked for, but CuPy's cannot be imported: {error}") from error
        if not nccl.available:
            raise ImportError("nccl is asked for, but this CuPy has none")
        self._cupy, self._nccl = cupy, nccl
        self._comm: Any = None
        self._device = 0

    def connect(self, ranks: Ranks, device: int) -> None:
        """Makes the communicator, unless it is there. All ranks call it, each with a device of its own, which has to
        stay the same; what is wrong is raised on all."""
        with ranks.together():
            if self._comm is not None and device != self._device:
                raise ValueError(
                    f"blocks are on device {device}, but those that NCCL sent before were on device "
                    f"{self._device}: each rank has one"
                )
            is_first = self._comm is None and ranks.rank == 0
            unique = self._nccl.get_unique_id() if is_first else None
        if self._comm is not None:
            return
        with ranks.reaching():
            unique = ranks.comm.bcast(unique)
        with ranks.together(), self._cupy.cuda.Device(device):
            made = self._nccl.NcclCommunicator(ranks.size, unique, ranks.rank)
        # Only where all ranks have it.
        self._comm, self._device = made, device

    def exchange(self, stream: int, sent: Side, got: Side, itemsize: int) -> None:
        """Exchange like Alltoallv, in the order of the stream. All ranks call it, after
        `connect`."""
        nccl = self._nccl
        with self._cupy.cuda.Device(self._device):
            nccl.groupStart()
            for call, (address, counts, offsets) in ((self._comm.send, sent), (self._comm.recv, got)):
                for peer, (count, offset) in enumerate(zip(counts, offsets)):
                    if count:
                        # As bytes, as there are no complex numbers.
                        where = address + offset * itemsize
                        call(where, count * itemsize, nccl.NCCL_INT8, peer, stream)
            nccl.groupEnd()

    def close(self) -> None:
        if self._comm is not None:
            # Work under way needs it.
            self._cupy.cuda.Device(self._device).synchronize()
            self._comm.destroy()
            self._comm = None
