# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where arrays of NumPy lie in files, as the system maps them (proc_pid_maps(5))."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

# What the system calls memory that processes share and no file has.
_ANONYMOUS = "/dev/zero (deleted)"


class Place(NamedTuple):
    """Bytes of a file, by its device and inode, and whether what is written to them gets there."""

    file: str
    begin: int
    end: int
    is_written: bool

    def overlaps(self, other: Place) -> bool:
        return self.file == other.file and self.begin < other.end and other.begin < self.end


def place_of(array: Any) -> Place | None:
    """Where an array lies in a file, from its first byte to its last one; None if it is no array of NumPy's, or in
    memory."""
    if not isinstance(array, np.ndarray) or not array.size:
        return None
    spans = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)]
    first = array.ctypes.data + sum(span for span in spans if span < 0)
    size = sum(map(abs, spans)) + array.itemsize
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            addresses, rights, offset, device, inode, *name = line.split(maxsplit=5)
            begin, end = (int(address, 16) for address in addresses.split("-"))
            if begin <= first < end:
                if inode == "0" or "".join(name).strip() == _ANONYMOUS:
                    return None
                place = int(offset, 16) + first - begin
                return Place(f"{device} {inode}", place, place + size, rights[3] == "s")
    return None
