# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays on CUDA devices, of whatever library, and launches on them.

An array is one if it has `__dlpack__` or `__cuda_array_interface__`. No library
is imported: those that made the arrays are there already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _dlpack, _launch
from ._layout import DLPACK_DTYPES, Layout, as_address, as_integer
from ._libraries import (
    LEGACY,
    NULL,
    Library,
    describe_tensor,
    handle_of,
    is_plain_on_cuda,
    library_of,
    normal,
)
from ._messages import check_count
from ._overlap import check_apart

# DLPack's kinds of devices: CUDA's, and CUDA's memory that goes to where it is used.
CUDA, _CUDA_MANAGED = 2, 13
_DTYPES = frozenset(DLPACK_DTYPES.values())


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
    """Whether an array lies on a CUDA device, and not in the host's memory."""
    if isinstance(array, np.ndarray):
        return False
    if is_plain_on_cuda(array):
        return True
    if hasattr(array, "__dlpack_device__"):
        kind = int(array.__dlpack_device__()[0])
        if kind in (CUDA, _CUDA_MANAGED):
            return True
        if kind in _dlpack.HOST_KINDS:
            return False
        raise ValueError(
            f"{what} lies on a device of DLPack's kind {kind}, which is neither the "
            "host nor CUDA's"
        )
    return hasattr(array, "__cuda_array_interface__")


def ask_dlpack(array: Any, stream: int) -> _dlpack.Asked:
    """Asks an array what it is, once it has ordered its own stream before that one."""
    return _dlpack.ask(array, stream=LEGACY if stream == NULL else stream)


def _read_dlpack(
    array: Any, what: str, stream: int, asked: _dlpack.Asked | None
) -> DeviceArray:
    own = LEGACY if stream == NULL else stream
    found = _dlpack.describe(array, what, asked, stream=own)
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
    """What describes an array that does not speak DLPack. Made anew for each
    who asks."""
    if hasattr(array, "__dlpack_device__"):
        return None
    return array.__cuda_array_interface__


def _read(
    array: Any,
    interface: Mapping[str, Any] | None,
    what: str,
    stream: int,
    asked: _dlpack.Asked | None = None,
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
    named: Mapping[str, Any], stream: Any, asked: Sequence[_dlpack.Asked | None] = ()
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


def alignments_of(kernel: Mapping[str, Any]) -> list[int]:
    """The alignments of A, B, C and the auxiliary tensors of a package's kernel."""
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
    auxiliaries: Mapping[str, Layout]
    # Of A, B, C and the auxiliary tensors; none if nothing is read.
    alignments: Sequence[int]
    # Takes addresses, factors and the stream.
    run: Callable[..., None]
    # Elements from an aligned address to the least one of A, B and C.
    offsets: tuple[int, int, int] = (0, 0, 0)
    # If arrays may have any shape: makes that of a new result of the operands'
    # layouts. `run` takes the layouts of the operands, the result and the auxiliary
    # tensors then.
    out_of: Callable[[Sequence[Layout]], Layout] | None = None


def _check_alignment(
    what: str, array: DeviceArray, alignment: int, offset: int
) -> None:
    if (array.bounds[0] - offset * array.layout.itemsize) % alignment != 0:
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
    auxiliaries: Mapping[str, Any] | None,
    stream: Any,
    why_read: str | None,
) -> Any:
    """Queues a kernel on arrays of the layouts that it has, and returns `out`,
    which is new if it is None."""
    check_count(len(kernel.operands), len(operands))
    named = name_all(operands, out, auxiliaries)
    check_places(named, f"the code is for {kernel.target}")
    gathered = gather(named, stream)
    arrays = gathered.arrays
    names = [f"operand {i}" for i in range(len(operands))]
    for what, layout in zip(names, kernel.operands):
        layout.check(what, arrays[what].layout)
    for name in auxiliaries or {}:
        # The launch says so of those that are unknown.
        if name in kernel.auxiliaries:
            what = f"auxiliary tensor '{name}'"
            kernel.auxiliaries[name].check(what, arrays[what].layout)
    if out is None:
        if why_read:
            raise ValueError(f"C is read, as {why_read}: give out")
        layout = kernel.out
        if kernel.out_of:
            layout = kernel.out_of([arrays[what].layout for what in names])
        out, result = gathered.make(layout)
        kernel.out.check("the new result", result.layout)
    else:
        result = arrays["out"]
        kernel.out.check("out", result.layout)
        check_out(arrays)
    if kernel.alignments:
        # B is the last of two operands; one goes without.
        for what, place in (*zip(names, (0, 1)), ("out", 2)):
            array = result if what == "out" else arrays[what]
            _check_alignment(
                what, array, kernel.alignments[place], kernel.offsets[place]
            )
    kernel.run(
        [arrays[what].pointer for what in names],
        result.pointer,
        alpha,
        beta,
        {name: arrays[f"auxiliary tensor '{name}'"].pointer for name in auxiliaries or {}},
        gathered.stream,
        *(
            [
                [
                    *(arrays[what].layout for what in names),
                    result.layout,
                    *(
                        arrays[f"auxiliary tensor '{name}'"].layout
                        for name in kernel.auxiliaries
                        if name in (auxiliaries or {})
                    ),
                ]
            ]
            if kernel.out_of
            else []
        ),
    )
    return out


def interface_layouts(kernel: Kernel, arrays: Sequence[Any]) -> list[tuple] | None:
    """What _native.QuickLaunch takes of A, B and C, which the kernel was launched
    on; None if it takes none of these."""
    layouts = (*kernel.operands, kernel.out)
    if kernel.out_of or not kernel.alignments or any(x.is_empty for x in layouts):
        return None
    found = []
    for array, layout, alignment, offset in zip(
        arrays, layouts, kernel.alignments, kernel.offsets
    ):
        if library_of(type(array)) is not None or hasattr(array, "__dlpack_device__"):
            return None
        interface = array.__cuda_array_interface__
        if interface.get("stream") is not None:
            return None
        found.append(
            (
                type(array),
                tuple(interface["shape"]),
                interface["typestr"],
                interface.get("strides"),
                *layout.reach,
                alignment,
                offset * layout.itemsize,
            )
        )
    return found
