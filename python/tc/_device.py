# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays on CUDA devices, of whatever library, and launches on them.

An array is one if it has `__dlpack__` or `__cuda_array_interface__`. No library
is imported: those that made the arrays are there already.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _launch
from ._layout import Layout
from ._overlap import check_apart

# DLPack's kinds of devices: memory that the host reads, CUDA's, and CUDA's that
# goes to where it is used.
_HOST_KINDS = (1, 3)
_CUDA, _CUDA_MANAGED = 2, 13

# DLPack's types by code and bits.
_DLPACK_DTYPES = {
    (0, 8): "int8",
    (0, 32): "int32",
    (0, 64): "int64",
    (2, 16): "float16",
    (2, 32): "float32",
    (2, 64): "float64",
    (4, 16): "bfloat16",
    (5, 64): "complex64",
    (5, 128): "complex128",
    (10, 8): "float8_e4m3fn",
    (12, 8): "float8_e5m2",
}

# The legacy default stream by the name that both protocols have for it, and by
# the driver's.
_LEGACY, _NULL = 1, 0


class DeviceArray(NamedTuple):
    """What is known of an array on a device."""

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
        low = high = self.pointer
        for extent, stride in zip(self.layout.shape, self.layout.strides):
            reach = (extent - 1) * stride
            if reach < 0:
                low += reach
            else:
                high += reach
        return low, high + self.layout.itemsize

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
    """Whether an array lies on a CUDA device, and not in the host's memory."""
    if isinstance(array, np.ndarray):
        return False
    if hasattr(array, "__dlpack_device__"):
        kind = int(array.__dlpack_device__()[0])
        if kind in (_CUDA, _CUDA_MANAGED):
            return True
        if kind in _HOST_KINDS:
            return False
        raise ValueError(
            f"{what} lies on a device of DLPack's kind {kind}, which is neither the "
            "host nor CUDA's"
        )
    return hasattr(array, "__cuda_array_interface__")


def _normal(stream: int) -> int:
    return _NULL if stream == _LEGACY else stream


def _read_dlpack(array: Any, what: str, stream: int) -> DeviceArray:
    stream = _LEGACY if stream == _NULL else stream
    try:
        capsule = array.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:
        # Older libraries know no versions.
        capsule = array.__dlpack__(stream=stream)
    pointer, shape, strides, code, bits, lanes, kind, device, is_read_only = (
        _launch.read_dlpack(capsule)
    )
    dtype = _DLPACK_DTYPES.get((code, bits)) if lanes == 1 else None
    if dtype is None:
        raise TypeError(
            f"{what} has elements of DLPack's type {code} with {bits} bits and "
            f"{lanes} lanes, which is none of " + ", ".join(_DLPACK_DTYPES.values())
        )
    itemsize = bits // 8
    layout = Layout(
        shape, tuple(stride * itemsize for stride in strides), dtype, itemsize
    )
    is_placed = not layout.is_empty and kind != _CUDA_MANAGED
    return DeviceArray(
        pointer, layout, device if is_placed else None, is_read_only, capsule
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


def _read_interface(array: Any, what: str, stream: int) -> DeviceArray:
    interface = array.__cuda_array_interface__
    version = interface.get("version")
    if version not in (2, 3):
        raise ValueError(
            f"{what} has version {version} of __cuda_array_interface__; versions 2 "
            "and 3 are understood"
        )
    if interface.get("mask") is not None:
        raise TypeError(f"{what} has a mask")
    shape = tuple(map(int, interface["shape"]))
    name, itemsize = _read_type(interface["typestr"])
    if interface.get("strides") is None:
        layout = Layout.contiguous(shape, name, itemsize)
    else:
        layout = Layout(shape, tuple(map(int, interface["strides"])), name, itemsize)
        if len(layout.strides) != len(shape):
            raise ValueError(
                f"{what} has {len(shape)} axes, but {len(layout.strides)} strides"
            )
    pointer, is_read_only = interface["data"]
    if layout.is_empty:
        return DeviceArray(0, layout, None, is_read_only)
    device, _ = _find_device(pointer, what)
    theirs = _stream_of_interface(interface, what)
    if theirs is not None and _normal(theirs) != _normal(stream):
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
    return stream


def read(array: Any, what: str, stream: int) -> DeviceArray:
    """Reads what is known of an array on a device. What is queued on `stream`
    afterwards finds the elements that are queued to be there."""
    if hasattr(array, "__dlpack_device__"):
        return _read_dlpack(array, what, stream)
    return _read_interface(array, what, stream)


class _Torch:
    """What is asked of PyTorch."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def device_of(self, array: Any) -> int:
        return array.device.index

    def current_stream(self, device: int) -> int:
        return self.module.cuda.current_stream(device).cuda_stream

    def empty(self, shape: tuple[int, ...], dtype: str, device: int, stream: int):
        torch = self.module

        def allocate() -> Any:
            return torch.empty(
                shape, dtype=getattr(torch, dtype), device=f"cuda:{device}"
            )

        # Its memory is used again in the order of the stream that it is for.
        if _normal(stream) == _normal(self.current_stream(device)):
            return allocate()
        if _normal(stream) == _NULL:
            chosen = torch.cuda.default_stream(device)
        else:
            chosen = torch.cuda.ExternalStream(stream, device=device)
        with torch.cuda.stream(chosen):
            return allocate()


class _CuPy:
    """What is asked of CuPy."""

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
            if _normal(stream) == _normal(cuda.get_current_stream().ptr):
                return self.module.empty(shape, dtype)
            with cuda.ExternalStream(_normal(stream)):
                return self.module.empty(shape, dtype)


_LIBRARIES = {"torch": _Torch, "cupy": _CuPy}


def library_of(array: Any) -> _Torch | _CuPy | None:
    """The library that an array is from, if it is one that makes results."""
    name = type(array).__module__.partition(".")[0]
    known = _LIBRARIES.get(name)
    return known(sys.modules[name]) if known and name in sys.modules else None


def _handle_of(stream: Any) -> int:
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
    return stream


class Gathered(NamedTuple):
    """Arrays of a call, which lie on one device."""

    arrays: dict[str, DeviceArray]
    device: int
    stream: int
    library: _Torch | _CuPy | None

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
        return made, read(made, "the result", self.stream)


def gather(named: Mapping[str, Any], stream: Any) -> Gathered:
    """Reads what is known of all arrays of a call, and finds the stream."""
    first = next(iter(named))
    found = [(array, library_of(array)) for array in named.values()]
    array, library = next(
        ((array, known) for array, known in found if known), (None, None)
    )
    if stream is not None:
        queue = _handle_of(stream)
    elif library is not None:
        queue = library.current_stream(library.device_of(array))
    else:
        queue = next(
            (
                theirs
                for what, array in named.items()
                if not hasattr(array, "__dlpack_device__")
                and (theirs := _stream_of_interface(
                    array.__cuda_array_interface__, what
                ))
            ),
            _NULL,
        )
    arrays = {what: read(array, what, queue) for what, array in named.items()}
    placed = [(what, array) for what, array in arrays.items() if array.device is not None]
    for what, array in placed[1:]:
        first, decides = placed[0]
        if array.device != decides.device:
            raise ValueError(
                f"{what} lies on device {array.device}, but {first} on device "
                f"{decides.device}"
            )
    if placed:
        device = placed[0][1].device
    elif full := [x for x in arrays.items() if not x[1].layout.is_empty]:
        device, _ = _find_device(full[0][1].pointer, full[0][0])
    else:
        device = 0
    return Gathered(arrays, device, queue, library)


def name_all(
    operands: Sequence[Any], out: Any, sides: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The arrays of a call by what messages call them."""
    named = {f"operand {i}": array for i, array in enumerate(operands)}
    if out is not None:
        named["out"] = out
    named.update((f"side tensor '{name}'", side) for name, side in (sides or {}).items())
    return named


def check_places(named: Mapping[str, Any], reason: str) -> None:
    """Refuses the host's arrays."""
    for what, array in named.items():
        if not is_on_device(array, what):
            raise TypeError(f"{what} lies in the host's memory, but {reason}")


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


def alignments_of(kernel: Mapping[str, Any]) -> list[int]:
    """The alignments of A, B, C and the side tensors of a package's kernel."""
    return [
        argument["alignment"]
        for argument in kernel["arguments"]
        if argument["kind"] == "tensor"
    ]


class Kernel(NamedTuple):
    """What is launched, and on what."""

    target: str
    operands: Sequence[Layout]
    out: Layout
    sides: Mapping[str, Layout]
    # Of A, B, C and the side tensors; none if nothing is read.
    alignments: Sequence[int]
    # Takes addresses, factors and the stream.
    run: Callable[..., None]
    # Elements from an aligned address to the least one of A, B and C.
    offsets: tuple[int, int, int] = (0, 0, 0)


def _check_alignment(what: str, array: DeviceArray, alignment: int) -> None:
    if array.bounds[0] % alignment != 0:
        raise ValueError(
            f"{what} begins at an address that is no multiple of the {alignment} "
            "bytes to which it was compiled to be aligned: copy it"
        )


def launch(
    kernel: Kernel,
    operands: Sequence[Any],
    out: Any,
    alpha: Any,
    beta: Any,
    sides: Mapping[str, Any] | None,
    stream: Any,
    why_read: str | None,
) -> Any:
    """Queues a kernel on arrays of the layouts that it has, and returns `out`,
    which is new if it is None."""
    if len(operands) != len(kernel.operands):
        raise ValueError(
            f"it was compiled for {len(kernel.operands)} operands, but "
            f"{len(operands)} are given"
        )
    named = name_all(operands, out, sides)
    check_places(named, f"the code is for {kernel.target}")
    gathered = gather(named, stream)
    arrays = gathered.arrays
    names = [f"operand {i}" for i in range(len(operands))]
    for what, layout in zip(names, kernel.operands):
        layout.check(what, arrays[what].layout)
    for name in sides or {}:
        # The launch says so of those that are unknown.
        if name in kernel.sides:
            what = f"side tensor '{name}'"
            kernel.sides[name].check(what, arrays[what].layout)
    if out is None:
        if why_read:
            raise ValueError(f"C is read, as {why_read}: give out")
        out, result = gathered.make(kernel.out)
        kernel.out.check("the new result", result.layout)
    else:
        result = arrays["out"]
        kernel.out.check("out", result.layout)
        check_out(arrays)
    # B is the last of two operands; one goes without.
    for what, place in (*zip(names, (0, 1)), ("out", 2)):
        if kernel.alignments:
            array = result if what == "out" else arrays[what]
            offset = kernel.offsets[place] * array.layout.itemsize
            _check_alignment(
                what, array._replace(pointer=array.pointer - offset), kernel.alignments[place]
            )
    kernel.run(
        [arrays[what].pointer for what in names],
        result.pointer,
        alpha,
        beta,
        {name: arrays[f"side tensor '{name}'"].pointer for name in sides or {}},
        gathered.stream,
    )
    return out
