# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places of arrays of NumPy in files, as the system maps them (proc_pid_maps(5))."""

from __future__ import annotations

import mmap
from typing import Any, NamedTuple

import numpy as np

from .._arrays.overlap import overlap

# Name of the system for memory that processes share and no file has.
_ANONYMOUS = "/dev/zero (deleted)"


class _StandIn:
    """An array of the same shape whose addresses are places in a file. Nothing is there to be read."""

    def __init__(self, array: np.ndarray, first: int) -> None:
        self.__array_interface__ = {
            "version": 3,
            "typestr": f"|V{array.itemsize}",
            "shape": array.shape,
            "strides": array.strides,
            # NumPy takes address 0 for no array.
            "data": (first + mmap.PAGESIZE, True),
        }


class Place(NamedTuple):
    """Place of an array in a file, by its device and inode: the byte of its first element; and a
    flag: what is written to it gets there."""

    array: np.ndarray
    file: str
    first: int
    is_written: bool

    def overlaps(self, other: Place) -> bool:
        """True if they have elements in common, or may, if that is too hard to say."""
        if self.file != other.file:
            return False
        return overlap(*(np.asarray(_StandIn(each.array, each.first)) for each in (self, other)))


def place_of(array: Any) -> Place | None:
    """Place of an array in a file; None if it is no array of NumPy's, or in memory."""
    if not isinstance(array, np.ndarray) or not array.size:
        return None
    first = array.ctypes.data
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            addresses, rights, offset, device, inode, *name = line.split(maxsplit=5)
            begin, end = (int(address, 16) for address in addresses.split("-"))
            if begin <= first < end:
                if inode == "0" or "".join(name).strip() == _ANONYMOUS:
                    return None
                place = int(offset, 16) + first - begin
                return Place(array, f"{device} {inode}", place, rights[3] == "s")
    return None
