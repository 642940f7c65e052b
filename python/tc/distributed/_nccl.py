# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages from device to device by NCCL, as CuPy has it. Blocks may be arrays of PyTorch, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Of a flat array on a device its address; and how many elements each rank sends or gets, and where these begin.
Side = tuple[int, Sequence[int], Sequence[int]]


class Nccl:
    """A communicator of NCCL's, which is made where it is needed first."""

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

    def exchange(
        self, comm: Any, device: int, stream: int, sent: Side, got: Side, itemsize: int
    ) -> None:
        """What Alltoallv does, in the order of the stream. All ranks of `comm` call it, each with a device of its
        own."""
        nccl = self._nccl
        with self._cupy.cuda.Device(device):
            if self._comm is None:
                unique = comm.bcast(nccl.get_unique_id() if comm.Get_rank() == 0 else None)
                self._comm = nccl.NcclCommunicator(comm.Get_size(), unique, comm.Get_rank())
                self._device = device
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
            # What is under way needs it.
            self._cupy.cuda.Device(self._device).synchronize()
            self._comm.destroy()
            self._comm = None
