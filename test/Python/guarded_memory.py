# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays beside pages that nothing may touch: the last byte of one lies in front of such a page, or its
first byte behind one. Whoever reads or writes a byte beyond it is killed, and what was written between
its elements is found."""

import ctypes
import mmap

import numpy as np
from numpy.lib.stride_tricks import as_strided

_PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def _check(failed):
    if failed:
        raise OSError(ctypes.get_errno(), "pages cannot be guarded")


class Memory:
    """Bytes between two pages that nothing may touch."""

    def __init__(self, size):
        #: All bytes are 0xff: numbers made of them are not finite, or negative.
        self.size = max(-(-size // _PAGE), 1) * _PAGE
        self._whole = self.size + 2 * _PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self._begin = _libc.mmap(None, self._whole, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
        _check(self._begin in (None, ctypes.c_void_p(-1).value))
        for page in (self._begin, self._begin + _PAGE + self.size):
            _check(_libc.mprotect(page, _PAGE, 0))
        data = (ctypes.c_char * self.size).from_address(self._begin + _PAGE)
        self.bytes = np.frombuffer(data, np.uint8)
        self.bytes[:] = 0xFF

    def close(self):
        """Unmaps it: a process that looks at it afterwards is killed, too."""
        self.bytes = None
        _check(_libc.munmap(self._begin, self._whole))


def reach(shape, strides, itemsize):
    """Bytes from the element whose coordinates are all zero to the least address and behind the last."""
    if 0 in shape:
        return 0, 0
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides)]
    return sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps) + itemsize


class Guarded:
    """An array of a layout, strides in bytes, as close to a page that nothing may touch as it gets: the
    one in front of it or the one behind it, or `shift` bytes away."""

    def __init__(self, shape, strides, dtype, is_in_front, shift=0):
        dtype = np.dtype(dtype)
        low, high = reach(shape, strides, dtype.itemsize)
        self._memory = Memory(high - low + shift)
        begin = shift if is_in_front else self._memory.size - shift - (high - low)
        self._layout = begin - low, tuple(shape), tuple(strides), dtype
        self.array = self._view(self._memory.bytes)
        self._held = self._memory.bytes.copy()

    def _view(self, memory):
        begin, shape, strides, dtype = self._layout
        if 0 in shape:
            # No bytes are its own, and the page behind the last one is near enough.
            return as_strided(np.ndarray(0, dtype, memory, min(begin, len(memory))), shape, strides)
        # NumPy makes views of what begins in front of the element at zero, too.
        return np.ndarray(shape, dtype, memory, begin, strides)

    def fill(self, values):
        """Sets the elements, and holds what is there."""
        np.copyto(self.array, values, casting="unsafe")
        self._held = self._memory.bytes.copy()
        return self

    @property
    def values(self):
        """A copy of the elements that are held, in the order of C."""
        return np.array(self._view(self._held), self._layout[3].newbyteorder("="), order="C")

    def changed(self, is_written=False):
        """The number of bytes that have changed; of an array that was written, those of its
        elements do not count."""
        expected = self._held
        if is_written:
            expected = expected.copy()
            self._view(expected)[...] = self.array
        return int(np.count_nonzero(self._memory.bytes != expected))

    def close(self):
        self.array = None
        self._memory.close()
