# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks in the host's memory, and on CUDA devices as arrays of CuPy or PyTorch.

What is sent of a block on a device is packed there. NCCL or MPI then take it from the device, if they can, or MPI
from pinned memory of the host, in which a copy goes to and from the device.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from .._device.arrays import is_on_device
from .._device.libraries import Library, library_of, normal
from ._nccl import Nccl

if TYPE_CHECKING:
    from ._ranks import Ranks

# Ways to send arrays on devices: by way of the host's memory, by MPI from device to device, or by
# NCCL.
Transport = Union[Nccl, Literal["staged", "mpi"]]

# Variables that tell the MPI libraries themselves that they are to take addresses on devices:
# Cray's MPICH, MPICH, MVAPICH and Open MPI, which has its parameter by two names.
_VARIABLES = (
    "MPICH_GPU_SUPPORT_ENABLED",
    "MPIR_CVAR_ENABLE_GPU",
    "MV2_USE_CUDA",
    "OMPI_MCA_opal_cuda_support",
    "OMPI_MCA_mpi_cuda_support",
)


def is_cuda_aware() -> bool:
    """True if the environment says that MPI takes addresses on devices."""
    return any(os.environ.get(name, "").lower() in ("1", "true") for name in _VARIABLES)


class Arrays:
    """Operations on blocks of one kind; of this class itself, NumPy's arrays."""

    kind = "in host memory"
    is_device = False

    def dtype_of(self, array: Any) -> np.dtype:
        return array.dtype

    def as_block(self, array: Any, dtype: np.dtype) -> Any:
        """The array as a contiguous one of that dtype."""
        return np.asarray(array, dtype, order="C")

    def copy(self, array: Any) -> Any:
        return array.copy()

    def empty(self, shape: Any, dtype: np.dtype) -> Any:
        return np.empty(shape, dtype)

    def filled(self, shape: Any, dtype: np.dtype, number: int) -> Any:
        return np.full(shape, number, dtype)

    def concatenate(self, arrays: Sequence[Any]) -> Any:
        return np.concatenate(arrays)

    def to_wire(self, array: Any) -> Any:
        """Array that MPI sends for a flat array."""
        return array

    def wire(self, count: int, dtype: np.dtype) -> Any:
        """Array in which MPI puts so many elements."""
        return np.empty(count, dtype)

    def from_wire(self, array: Any) -> Any:
        """Array that MPI has put there."""
        return array

    def connect(self, ranks: Ranks) -> None:
        """Makes what `exchange` needs. All ranks call it, and what is wrong is raised on all."""

    def exchange(self, comm: Any, sends: Any, gets: Any) -> None:
        """Sends and gets; both are a flat array, and of each rank how many elements and from where."""
        comm.Alltoallv(sends, gets)


HOST = Arrays()


class _Device(Arrays):
    """Arrays of a library on one device."""

    is_device = True

    def __init__(self, library: Library, device: int, transport: Transport) -> None:
        self.kind = f"on a device, as arrays of {library.module.__name__}"
        self._module = library.module
        self._device = device
        self._transport = transport
        self._library = library

    def to_wire(self, array: Any) -> Any:
        if self._transport == "mpi":
            # It knows of no streams.
            self._wait()
        return self._to_host(array) if self._transport == "staged" else array

    def wire(self, count: int, dtype: np.dtype) -> Any:
        return self._pinned(count, dtype) if self._transport == "staged" else self.empty(count, dtype)

    def from_wire(self, array: Any) -> Any:
        return self._from_host(array) if self._transport == "staged" else array

    def connect(self, ranks: Ranks) -> None:
        if isinstance(self._transport, Nccl):
            self._transport.connect(ranks, self._device)

    def exchange(self, comm: Any, sends: Any, gets: Any) -> None:
        if not isinstance(self._transport, Nccl):
            comm.Alltoallv(sends, gets)
            return
        stream = normal(self._library.current_stream(self._device))
        (sent, how), (got, where) = sends, gets
        itemsize = self.dtype_of(sent).itemsize
        addresses = self._address_of(sent), self._address_of(got)
        self._transport.exchange(
            stream, (addresses[0], *how), (addresses[1], *where), itemsize
        )

    def _address_of(self, array: Any) -> int:
        raise NotImplementedError

    def _wait(self) -> None:
        raise NotImplementedError

    def _pinned(self, count: int, dtype: np.dtype) -> np.ndarray:
        raise NotImplementedError

    def _to_host(self, array: Any) -> np.ndarray:
        raise NotImplementedError

    def _from_host(self, array: np.ndarray) -> Any:
        raise NotImplementedError


class _CuPyArrays(_Device):
    def _here(self) -> Any:
        return self._module.cuda.Device(self._device)

    def as_block(self, array: Any, dtype: np.dtype) -> Any:
        with self._here():
            return self._module.ascontiguousarray(array, dtype)

    def empty(self, shape: Any, dtype: np.dtype) -> Any:
        with self._here():
            return self._module.empty(shape, dtype)

    def filled(self, shape: Any, dtype: np.dtype, number: int) -> Any:
        with self._here():
            return self._module.full(shape, number, dtype)

    def concatenate(self, arrays: Sequence[Any]) -> Any:
        with self._here():
            return self._module.concatenate(arrays)

    def _address_of(self, array: Any) -> int:
        return array.data.ptr

    def _wait(self) -> None:
        with self._here():
            self._module.cuda.get_current_stream().synchronize()

    def _pinned(self, count: int, dtype: np.dtype) -> np.ndarray:
        # The array keeps the memory.
        memory = self._module.cuda.alloc_pinned_memory(max(count * dtype.itemsize, 1))
        return np.frombuffer(memory, dtype, count)

    def _to_host(self, array: Any) -> np.ndarray:
        host = self._pinned(len(array), array.dtype)
        if len(array):
            array.get(out=host)
        return host

    def _from_host(self, array: np.ndarray) -> Any:
        made = self.empty(array.shape, array.dtype)
        if array.size:
            with self._here():
                made.set(array)
        return made


class _TorchArrays(_Device):
    def dtype_of(self, array: Any) -> np.dtype:
        return np.dtype(str(array.dtype).rpartition(".")[2])

    def _options(self, dtype: np.dtype) -> dict[str, Any]:
        return {"dtype": getattr(self._module, dtype.name), "device": f"cuda:{self._device}"}

    def as_block(self, array: Any, dtype: np.dtype) -> Any:
        return array.detach().to(getattr(self._module, dtype.name)).contiguous()

    def copy(self, array: Any) -> Any:
        return array.detach().clone()

    def empty(self, shape: Any, dtype: np.dtype) -> Any:
        return self._module.empty(shape, **self._options(dtype))

    def filled(self, shape: Any, dtype: np.dtype, number: int) -> Any:
        return self._module.full(shape, number, **self._options(dtype))

    def concatenate(self, arrays: Sequence[Any]) -> Any:
        return self._module.cat(list(arrays))

    def _address_of(self, array: Any) -> int:
        return array.data_ptr()

    def _wait(self) -> None:
        self._module.cuda.current_stream(self._device).synchronize()

    def _pinned(self, count: int, dtype: np.dtype) -> np.ndarray:
        options = {"dtype": getattr(self._module, dtype.name), "pin_memory": True}
        return self._module.empty(count, **options).numpy()

    def _to_host(self, array: Any) -> np.ndarray:
        host = self._module.empty(len(array), dtype=array.dtype, pin_memory=True)
        host.copy_(array)
        return host.numpy()

    def _from_host(self, array: np.ndarray) -> Any:
        return self._module.from_numpy(array).to(f"cuda:{self._device}")


def arrays_of(array: Any, transport: Transport) -> Arrays:
    """Operations on blocks of the kind of an array."""
    if not is_on_device(array, "a block"):
        return HOST
    library = library_of(type(array))
    if library is None:
        raise TypeError(
            f"a block on a device is an array of CuPy or PyTorch, but not of {type(array).__module__}"
        )
    kinds = {"cupy": _CuPyArrays, "torch": _TorchArrays}
    return kinds[library.module.__name__](library, library.device_of(array), transport)
