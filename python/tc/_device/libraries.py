# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the libraries whose arrays lie on devices: the current stream, and new arrays. None is
imported: one that has made an array is there already."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, Union

from .._arrays.layout import as_address

# The legacy default stream by the name that both protocols have for it, and by
# the driver's.
LEGACY, NULL = 1, 0


def normal(stream: int) -> int:
    return NULL if stream == LEGACY else stream


class Described(NamedTuple):
    """A tensor on a device, strides in elements."""

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    itemsize: int
    device: int


class _Torch:
    """Calls of PyTorch."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def device_of(self, array: Any) -> int:
        return array.device.index

    def current_stream(self, device: int) -> int:
        # The call of PyTorch's own generated code: it makes no object of the stream.
        raw = getattr(self.module._C, "_cuda_getCurrentRawStream", None)
        if raw is not None:
            return raw(device)
        return self.module.cuda.current_stream(device).cuda_stream

    def is_what_it_says(self, array: Any) -> bool:
        """True if DLPack would say nothing else of a plain tensor than its address, shape and
        strides do."""
        return (
            array.is_cuda
            and array.layout is self.module.strided
            and not array.requires_grad
            and not array.is_conj()
            and not array.is_neg()
        )

    def describe(self, array: Any, stream: int) -> Described | None:
        """Description by DLPack of a plain tensor whose elements are there, or queued on that
        stream, a tenth of the time later; None of any other."""
        if not self.is_what_it_says(array):
            return None
        device = array.get_device()
        if normal(self.current_stream(device)) != normal(stream):
            return None
        return Described(
            array.data_ptr(),
            tuple(array.shape),
            array.stride(),
            str(array.dtype).rpartition(".")[2],
            array.element_size(),
            device,
        )

    def empty(self, shape: tuple[int, ...], dtype: str, device: int, stream: int):
        torch = self.module

        def allocate() -> Any:
            return torch.empty(
                shape, dtype=getattr(torch, dtype), device=f"cuda:{device}"
            )

        # Its memory is used again in the order of the stream that it is for.
        if normal(stream) == normal(self.current_stream(device)):
            return allocate()
        if normal(stream) == NULL:
            chosen = torch.cuda.default_stream(device)
        else:
            chosen = torch.cuda.ExternalStream(stream, device=device)
        with torch.cuda.stream(chosen):
            return allocate()


class _CuPy:
    """Calls of CuPy."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def device_of(self, array: Any) -> int:
        return array.device.id

    def current_stream(self, device: int) -> int:
        with self.module.cuda.Device(device):
            return self.module.cuda.get_current_stream().ptr

    def empty(self, shape: tuple[int, ...], dtype: str, device: int, stream: int):
        cuda = self.module.cuda
        with cuda.Device(device):
            if normal(stream) == normal(cuda.get_current_stream().ptr):
                return self.module.empty(shape, dtype)
            with cuda.ExternalStream(normal(stream)):
                return self.module.empty(shape, dtype)


Library = Union[_Torch, _CuPy]

_LIBRARIES: dict[str, type[_Torch] | type[_CuPy]] = {"torch": _Torch, "cupy": _CuPy}


def library_of(its: type) -> Library | None:
    """The library that arrays of a class are from, if it is one that makes results."""
    name = its.__module__.partition(".")[0]
    known = _LIBRARIES.get(name)
    return known(sys.modules[name]) if known and name in sys.modules else None


def plain_torch(its: type) -> _Torch | None:
    """PyTorch, if a class is that of its tensors: not of parameters, nor another
    subclass."""
    module = sys.modules.get("torch")
    is_plain = module is not None and its is getattr(module, "Tensor", None)
    return _Torch(module) if is_plain else None


def is_plain_on_cuda(array: Any) -> bool:
    """True if an array is a plain tensor of PyTorch's on a CUDA device, which it says sooner than
    it can be asked by DLPack."""
    return plain_torch(type(array)) is not None and array.is_cuda


def describe_tensor(array: Any, stream: int) -> Described | None:
    """Description of a plain tensor of PyTorch's; None of other arrays, and where DLPack has to say
    it."""
    torch = plain_torch(type(array))
    return None if torch is None else torch.describe(array, stream)


def handle_of(stream: Any) -> int:
    """The driver's handle of a stream."""
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    for attribute in ("cuda_stream", "ptr"):
        stream = getattr(stream, attribute, stream)
    if isinstance(stream, bool) or not isinstance(stream, int) or stream < 0:
        raise TypeError(
            f"stream is {stream!r}: give a handle, or a stream of PyTorch or CuPy, or "
            "one that has __cuda_stream__"
        )
    return as_address(stream, "stream")
