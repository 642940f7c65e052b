# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays on CUDA devices, of whatever library.

An array is one if it has `__dlpack__` or `__cuda_array_interface__`. No library
is imported: those that made the arrays are there already.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _launch
from .._arrays import dlpack
from .._arrays.layout import DLPACK_DTYPES, Layout, as_address, as_integer
from .._arrays.overlap import check_apart
from .libraries import (
    LEGACY,
    NULL,
    Library,
    describe_tensor,
    handle_of,
    is_plain_on_cuda,
    library_of,
    normal,
)

# DLPack's kinds of devices: CUDA's, and CUDA's memory that goes to where it is used.
CUDA, _CUDA_MANAGED = 2, 13
_DTYPES = frozenset(DLPACK_DTYPES.values())


class DeviceArray(NamedTuple):
    """Description of an array on a device."""

    # Of the element whose coordinates are all zero.
    pointer: int
    layout: Layout
    # None if it has no elements, or goes to where it is used.
    device: int | None
    is_read_only: bool
    # Keeps the memory for as long as this lives.
    owner: Any = None

    @property
    def bounds(self) -> tuple[int, int]:
        """The least address, and the one behind the last."""
        low, high = self.layout.reach
        return self.pointer + low, self.pointer + high

    @property
    def shadow(self) -> np.ndarray:
        """An array at the same addresses, whose elements must not be read."""
        return np.asarray(_Shadow(self))


class _Shadow:
    def __init__(self, array: DeviceArray) -> None:
        layout = array.layout
        self.__array_interface__ = {
            "version": 3,
            "shape": layout.shape,
            "strides": layout.strides,
            "typestr": f"|V{layout.itemsize}",
            "data": (array.pointer, array.is_read_only),
        }


def is_on_device(array: Any, what: str) -> bool:
    """True if an array lies on a CUDA device, and not in the host's memory."""
    if isinstance(array, np.ndarray):
        return False
    if is_plain_on_cuda(array):
        return True
    if hasattr(array, "__dlpack_device__"):
        kind = int(array.__dlpack_device__()[0])
        if kind in (CUDA, _CUDA_MANAGED):
            return True
        if kind in dlpack.HOST_KINDS:
            return False
        raise ValueError(
            f"{what} lies on a device of DLPack's kind {kind}, which is neither the "
            "host nor CUDA's"
        )
    return hasattr(array, "__cuda_array_interface__")


def ask_dlpack(array: Any, stream: int) -> dlpack.Asked:
    """Asks an array what it is, once it has ordered its own stream before that one."""
    return dlpack.ask(array, stream=LEGACY if stream == NULL else stream)


def _read_dlpack(
    array: Any, what: str, stream: int, asked: dlpack.Asked | None
) -> DeviceArray:
    own = LEGACY if stream == NULL else stream
    found = dlpack.describe(array, what, asked, stream=own)
    is_placed = not found.layout.is_empty and found.kind != _CUDA_MANAGED
    return DeviceArray(
        found.pointer,
        found.layout,
        found.device if is_placed else None,
        found.is_read_only,
        found.capsule,
    )


def _find_device(pointer: int, what: str) -> tuple[int, int]:
    try:
        return _launch.find_device(pointer)
    except ValueError:
        raise ValueError(
            f"{what} lies in the host's memory, not on a device"
        ) from None


@functools.lru_cache(maxsize=64)
def _read_type(typestr: str) -> tuple[str, int]:
    dtype = np.dtype(typestr)
    return dtype.name if dtype.isnative else str(dtype), dtype.itemsize


def _read_interface(
    interface: Mapping[str, Any], what: str, stream: int
) -> DeviceArray:
    version = interface.get("version")
    if version not in (2, 3):
        raise ValueError(
            f"{what} has version {version} of __cuda_array_interface__; versions 2 "
            "and 3 are understood"
        )
    if interface.get("mask") is not None:
        raise TypeError(f"{what} has a mask")
    shape = tuple(as_integer(n, f"an extent of {what}") for n in interface["shape"])
    if any(extent < 0 for extent in shape):
        raise ValueError(f"{what} has shape {shape}, of which a part is negative")
    name, itemsize = _read_type(interface["typestr"])
    if interface.get("strides") is None:
        layout = Layout.contiguous(shape, name, itemsize)
    else:
        strides = tuple(
            as_integer(step, f"a stride of {what}") for step in interface["strides"]
        )
        layout = Layout(shape, strides, name, itemsize)
        if len(layout.strides) != len(shape):
            raise ValueError(
                f"{what} has {len(shape)} axes, but {len(layout.strides)} strides"
            )
    pointer, is_read_only = interface["data"]
    if layout.is_empty:
        return DeviceArray(0, layout, None, is_read_only)
    pointer = as_address(pointer, f"the address of {what}")
    device, _ = _find_device(pointer, what)
    theirs = _stream_of_interface(interface, what)
    if theirs is not None and normal(theirs) != normal(stream):
        _launch.order_streams(device, theirs, stream)
    return DeviceArray(pointer, layout, device, is_read_only)


def _stream_of_interface(interface: Mapping[str, Any], what: str) -> int | None:
    """The stream after which an array's elements are there; None if they are."""
    stream = interface.get("stream")
    if stream is None:
        return None
    if isinstance(stream, bool) or not isinstance(stream, int) or stream < 1:
        raise ValueError(
            f"{what} has stream {stream!r} in its __cuda_array_interface__: 1 is the "
            "default stream, 2 that of the thread, and others are handles"
        )
    return as_address(stream, f"the stream of {what}")


def _interface_of(array: Any) -> Mapping[str, Any] | None:
    """Description of an array that does not speak DLPack. Made anew for each who asks."""
    if hasattr(array, "__dlpack_device__"):
        return None
    return array.__cuda_array_interface__


def _read(
    array: Any,
    interface: Mapping[str, Any] | None,
    what: str,
    stream: int,
    asked: dlpack.Asked | None = None,
) -> DeviceArray:
    """Reads what is known of an array on a device. What is queued on `stream`
    afterwards finds the elements that are queued to be there."""
    if interface is not None:
        return _read_interface(interface, what, stream)
    described = describe_tensor(array, stream)
    if described is None or described.dtype not in _DTYPES:
        return _read_dlpack(array, what, stream, asked)
    pointer, shape, strides, dtype, itemsize, device = described
    layout = Layout(shape, tuple(step * itemsize for step in strides), dtype, itemsize)
    return DeviceArray(
        pointer, layout, None if layout.is_empty else device, False, array
    )


class Gathered(NamedTuple):
    """Arrays of a call, which lie on one device."""

    arrays: dict[str, DeviceArray]
    device: int
    stream: int
    library: Library | None

    def make(
        self, layout: Layout, what: str = "the result"
    ) -> tuple[Any, DeviceArray]:
        """A new array of the library's, contiguous."""
        if self.library is None:
            raise ValueError(
                f"a new array is needed for {what}, which PyTorch and CuPy can make, "
                "but no operand is theirs"
                + (": give out" if what == "the result" else "")
            )
        made = self.library.empty(
            layout.shape, layout.dtype, self.device, self.stream
        )
        return made, _read(made, _interface_of(made), "the result", self.stream)


def _choose_stream(
    interfaces: Mapping[str, Mapping[str, Any] | None],
    library: Library | None,
    its: Any,
) -> int:
    """The stream of a call that names none: the current one of the library, one
    of whose arrays is given, else the first that an array has."""
    if library is not None:
        return library.current_stream(library.device_of(its))
    for what, interface in interfaces.items():
        if interface is not None:
            theirs = _stream_of_interface(interface, what)
            if theirs is not None:
                return theirs
    return NULL


def _common_device(arrays: Mapping[str, DeviceArray]) -> int:
    placed = [(what, x.device) for what, x in arrays.items() if x.device is not None]
    for what, device in placed[1:]:
        first, decides = placed[0]
        if device != decides:
            raise ValueError(
                f"{what} lies on device {device}, but {first} on device {decides}"
            )
    if placed:
        return placed[0][1]
    # All go to where they are used, or have no elements.
    for what, array in arrays.items():
        if not array.layout.is_empty:
            return _find_device(array.pointer, what)[0]
    return 0


def gather(
    named: Mapping[str, Any], stream: Any, asked: Sequence[dlpack.Asked | None] = ()
) -> Gathered:
    """Reads what is known of all arrays of a call, and finds the stream. Arrays that
    were asked for it by DLPack, the first ones, are not asked again."""
    its = library = None
    for its in named.values():
        library = library_of(type(its))
        if library is not None:
            break
    interfaces = {what: _interface_of(array) for what, array in named.items()}
    if stream is not None:
        queue = handle_of(stream)
    else:
        queue = _choose_stream(interfaces, library, its)
    answers = dict(zip(named, asked))
    arrays = {
        what: _read(array, interfaces[what], what, queue, answers.get(what))
        for what, array in named.items()
    }
    return Gathered(arrays, _common_device(arrays), queue, library)


def name_all(
    operands: Sequence[Any], out: Any, auxiliaries: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The arrays of a call by what messages call them."""
    named = {f"operand {i}": array for i, array in enumerate(operands)}
    if out is not None:
        named["out"] = out
    for name, auxiliary in (auxiliaries or {}).items():
        named[f"auxiliary tensor '{name}'"] = auxiliary
    return named


def check_places(named: Mapping[str, Any], reason: str) -> None:
    """Refuses the host's arrays."""
    for what, array in named.items():
        if not is_on_device(array, what):
            raise TypeError(f"{what} lies in the host's memory, but {reason}")


def check_in_host(named: Mapping[str, Any]) -> None:
    """Refuses arrays on a device."""
    for what, array in named.items():
        if is_on_device(array, what):
            raise TypeError(f"{what} lies on a device, but the code is for the CPU")


def check_out(arrays: Mapping[str, DeviceArray]) -> None:
    """Refuses an out that cannot be written while the others are read."""
    out = arrays["out"]
    if out.is_read_only:
        raise ValueError("out is not writable")
    if out.layout.is_empty:
        return
    low, high = out.bounds
    for what, array in arrays.items():
        if what == "out" or array.layout.is_empty:
            continue
        least, most = array.bounds
        if least < high and low < most:
            check_apart(out.shadow, array.shadow, what)
