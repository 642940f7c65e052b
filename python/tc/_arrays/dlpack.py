# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptions of arrays by DLPack."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _launch
from .layout import DLPACK_DTYPES, Layout

# The kinds of devices whose memory the host reads: its own, and what CUDA has pinned.
HOST_KINDS = (1, 3)


class Tensor(NamedTuple):
    """A tensor that DLPack describes."""

    # Of the element whose coordinates are all zero.
    pointer: int
    layout: Layout
    # DLPack's kind of device, and the number of the device.
    kind: int
    device: int
    is_read_only: bool
    # Keeps the memory for as long as it lives.
    capsule: Any


# Description of an array: the capsule, which keeps the memory for as long as it lives, and what
# _launch.read_dlpack returns of it.
Asked = tuple[Any, tuple]


def ask(array: Any, **options: Any) -> Asked:
    """Asks an array what it is; `options` are for its `__dlpack__`."""
    try:
        capsule = array.__dlpack__(max_version=(1, 0), **options)
    except TypeError:
        # Older libraries know no versions.
        capsule = array.__dlpack__(**options)
    return capsule, _launch.read_dlpack(capsule)


def describe(
    array: Any, what: str, asked: Asked | None = None, **options: Any
) -> Tensor:
    """The same as a tensor, of what it has said if it was asked before."""
    try:
        capsule, description = asked or ask(array, **options)
    except BufferError as error:
        # As of tensors that require gradients.
        raise BufferError(f"{what}: {error}") from error
    pointer, shape, strides, code, bits, lanes, kind, device, is_read_only = description
    dtype = DLPACK_DTYPES.get((code, bits)) if lanes == 1 else None
    if dtype is None:
        raise TypeError(
            f"{what} has elements of DLPack's type {code} with {bits} bits and "
            f"{lanes} lanes, which is none of " + ", ".join(DLPACK_DTYPES.values())
        )
    itemsize = bits // 8
    steps = tuple(stride * itemsize for stride in strides)
    layout = Layout(shape, steps, dtype, itemsize)
    return Tensor(pointer, layout, kind, device, is_read_only, capsule)
