# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of one array or two on a CUDA device that look like those of an earlier call.

To go through the rules takes many times as long as the driver takes to queue a kernel.
So what they led to is kept by the subscripts and all that the arrays say of themselves,
and of their addresses only what is left behind an aligned one. Where anything is
otherwise, or fails, the call goes through the rules, which have the messages.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional

from .. import _launch
from .._arrays.dlpack import Asked
from .._contraction.pair import first_two
from .._device.arrays import CUDA, DeviceArray, ask_dlpack
from .._device.libraries import NULL, Library, handle_of, library_of, normal, plain_torch
from .._native import ALIGNMENT, read_interface
from .cache import find, keep
from .call import PLAIN, Call
from .device_pairs import Caller

# The rest of the record of a call that is told nothing else.
_NOTHING_ELSE = Call("launch", "", ())[4:]
_new = tuple.__new__

# Facts that are read of an array: its address, all that decides what is launched on it and whether
# it may be, and what DLPack has said, if it was asked.
_Read = tuple[int, tuple, Optional[Asked]]


def _read_dlpack(array: Any, stream: int) -> _Read | None:
    # Managed memory goes to where it is used, and the host's is none of a device's.
    if array.__dlpack_device__()[0] != CUDA:
        return None
    asked = ask_dlpack(array, stream)
    description = asked[1]
    pointer = description[0]
    return pointer, (description[1:], pointer % ALIGNMENT), asked


def _read_tensor(array: Any, torch: Any) -> _Read | None:
    if not torch.is_what_it_says(array):
        return None
    pointer = array.data_ptr()
    look = (
        array.get_device(),
        array.shape,
        array.stride(),
        array.dtype,
        pointer % ALIGNMENT,
    )
    return pointer, look, None


# Takes an array and the stream on which a kernel will read it; None if the array is none
# of a device's, or nothing that is kept.
_Reader = Callable[[Any, int], Optional[_Read]]


def _reader_of(its: type) -> _Reader | None:
    """None if no array of that class lies on a device, or the class does not say so."""
    if torch := plain_torch(its):
        # The call is queued on the current stream, as the elements are.
        return lambda array, _: _read_tensor(array, torch)
    if hasattr(its, "__dlpack_device__"):
        return _read_dlpack
    return read_interface if hasattr(its, "__cuda_array_interface__") else None


class _Kinds(NamedTuple):
    """Facts from the classes of a call's arrays."""

    readers: Sequence[_Reader]
    # The first one that makes results, and the number of its array.
    library: Library | None
    chosen: int
    # True if what is read of the first array does not say on which device it lies.
    is_place_open: bool


@functools.lru_cache(maxsize=256)
def _kinds_of(*classes: type) -> _Kinds | None:
    """None if no call with arrays of these classes is kept."""
    readers = [reader for reader in map(_reader_of, classes) if reader]
    if len(readers) < len(classes):
        return None
    libraries = [(library_of(its), number) for number, its in enumerate(classes)]
    library, chosen = next((x for x in libraries if x[0] is not None), (None, 0))
    return _Kinds(readers, library, chosen, readers[0] is read_interface)


class _Known(NamedTuple):
    """Kernels and launches for arrays that look like those of an earlier call."""

    queue: Callable[[int, int, int, int], None]
    # Bytes from the addresses to the least ones and behind the last.
    operands: Sequence[tuple[int, int]]
    out: tuple[int, int]
    # Of a new result.
    shape: tuple[int, ...]
    dtype: str


def _run(
    known: _Known,
    pointers: list[int],
    out: Any,
    stream: int,
    library: Any,
    device: int | None,
) -> Any:
    """Queues what is known; None if it is refused."""
    queue, reaches, (begin, end), shape, dtype = known
    if out is None:
        out = library.empty(shape, dtype, device, stream)
        reader: Any = _reader_of(type(out))
        pointers.append(reader(out, stream)[0])
    else:
        begin += pointers[-1]
        end += pointers[-1]
        for pointer, (low, high) in zip(pointers, reaches):
            # Perhaps they have no element in common, which takes longer to find.
            if pointer + low < end and begin < pointer + high:
                return None
    if len(reaches) == 1:
        pointers.insert(1, 0)
    # By three names, which is quicker than to pass a list on.
    first, second, last = pointers
    queue(first, second, last, stream)
    return out


def _keep(call: Call, caller: Caller, result: DeviceArray) -> None:
    """Keeps what a call has launched."""
    layouts = [array.layout for array in (*caller.operands, result)]
    if any(layout.is_empty for layout in layouts):
        return
    *operands, out = [layout.reach for layout in layouts]
    new = result.layout
    keep(call, _Known(caller.launched.queue, operands, out, new.shape, new.dtype))


def contract(subscripts: Any, operands: Sequence[Any], out: Any, stream: Any) -> Any:
    """Contracts one array or two on a device; None if that is not for here."""
    arrays = operands if out is None else (*operands, out)
    try:
        kinds = _kinds_of(*map(type, arrays))
        if kinds is None:
            return None
        readers, library, chosen, is_place_open = kinds
        queue, device = NULL, None
        if library is not None:
            device = library.device_of(arrays[chosen])
            queue = library.current_stream(device)
        if stream is not None:
            handle = handle_of(stream)
            # The elements of a library's arrays are ordered by its own stream.
            if library is not None and normal(handle) != normal(queue):
                return None
            queue = handle
        pointers, looks, asked = [], [], []
        for reader, array in zip(readers, arrays):
            read = reader(array, queue)
            if read is None:
                return None
            pointer, look, answer = read
            pointers.append(pointer)
            looks.append(look)
            asked.append(answer)
        if is_place_open:
            # The launch refuses others that lie elsewhere.
            looks.append(_launch.find_device(pointers[0]))
        # Takes half of the time that Call takes.
        call = _new(Call, ("launch", subscripts, tuple(looks), out is not None, *_NOTHING_ELSE))
        known = find(call)
        if known is not None:
            return _run(known, pointers, out, queue, library, device)
    except Exception:  # of whatever kind: the rules say what is wrong
        return None
    caller = Caller(operands, out, None, None, stream, False, asked)
    a, b = first_two(caller.operands)
    result = caller.contract(caller.parse(subscripts), a, b, None, None, PLAIN, True)
    _keep(call, caller, result)
    return caller.made if out is None else out
