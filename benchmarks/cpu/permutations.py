#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Permutations of the indices of large tensors, beside copies of as many bytes.

Each line is one permutation on one thread: the least milliseconds of the processor
of turns of each of the libraries (`libtc_cpu_runtime.so`, as of the state before and
after a change), of NumPy, which assigns the transposed array, and of NumPy's copy of
the array as it lies. The lines of which the last library takes the longest, beside
the copy, come first. With `--scaled`, the libraries multiply by a factor, too.
"""

import argparse
import ctypes
import math
import time

import numpy as np

TYPES = {
    "float64": 1,
    "float32": 2,
    "float16": 3,
    "int8": 5,
    "complex64": 8,
    "complex128": 9,
}


def digits(permutation):
    return [int(digit, 36) for digit in permutation]


def reversed_axes(extent, count):
    return [extent] * count, list(range(count))[::-1]


# Extents, and the dimension of the array that each dimension of the result is.
CASES = [
    ([2048, 2048], digits("10")),
    ([4096, 4096], digits("10")),
    ([2000, 3000], digits("10")),
    ([1023, 4097], digits("10")),
    ([4, 1000000], digits("10")),
    ([1000000, 4], digits("10")),
    ([3, 1000000], digits("10")),
    ([1000000, 3], digits("10")),
    ([7, 500000], digits("10")),
    ([24, 100000], digits("10")),
    ([100000, 24], digits("10")),
    ([256, 256, 64], digits("210")),
    ([256, 256, 64], digits("201")),
    ([256, 256, 64], digits("120")),
    ([256, 256, 64], digits("021")),
    ([256, 256, 64], digits("102")),
    ([101, 203, 197], digits("210")),
    ([101, 203, 197], digits("201")),
    ([101, 203, 197], digits("021")),
    ([64, 64, 64, 16], digits("3210")),
    ([64, 64, 64, 16], digits("2301")),
    ([64, 64, 64, 16], digits("1032")),
    ([64, 64, 64, 16], digits("0321")),
    ([45, 47, 43, 41], digits("3210")),
    ([45, 47, 43, 41], digits("2031")),
    ([24, 24, 24, 24, 10], digits("43210")),
    ([24, 24, 24, 24, 10], digits("24130")),
    ([24, 24, 24, 24, 10], digits("03214")),
    ([21, 11, 23, 13, 31], digits("41302")),
    ([16, 12, 16, 12, 10, 12], digits("543210")),
    ([16, 12, 16, 12, 10, 12], digits("205143")),
    ([10, 10, 10, 10, 10, 32], digits("514230")),
    ([3, 5, 1000, 7, 40], digits("42310")),
    ([1000, 3, 5, 300], digits("3120")),
    ([300, 300, 7, 7], digits("3102")),
    reversed_axes(2, 22),
    reversed_axes(3, 14),
    reversed_axes(4, 11),
    reversed_axes(2, 23),
    ([2] * 22, [1, 0, *range(2, 20), 21, 20]),
    ([2] * 22, [*range(11, 22), *range(11)]),
    ([2] * 22, [20, *range(1, 20), 0, 21]),
    ([2] * 22, [*range(0, 22, 2), *range(1, 22, 2)]),
    ([3] * 14, [*range(0, 14, 2), *range(1, 14, 2)]),
]


class Combined(ctypes.Structure):
    """A TcCpuCombinedIndex."""

    _fields_ = [("extent", ctypes.c_int64), ("strides", ctypes.c_int64 * 4)]


class Index(ctypes.Structure):
    """A TcCpuIndex."""

    _fields_ = [("extent", ctypes.c_int64), ("strides", ctypes.c_int64 * 3)]


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def call_of(library, source, target, one, factor):
    """A function that brings source to target, times the factor if there is one."""
    width, code = source.itemsize, TYPES[source.dtype.name]
    strides = zip(target.shape, source.strides, target.strides)
    if factor is None:
        indices = [Index(e, (s // width, 0, t // width)) for e, s, t in strides]
        given = (Index * len(indices))(*indices)
        types, places = (code,) * 3, (source, one, target)
        rest = (None, None, 1)
        function = library.tcCpuContract
    else:
        indices = [Combined(e, (s // width, 0, 0, t // width)) for e, s, t in strides]
        given = (Combined * len(indices))(*indices)
        types, places = (code,), (source, None, None, target)
        rest = (address(factor), None, 1)
        function = library.tcCpuCombine

    def call():
        pointers = [place is not None and address(place) or None for place in places]
        if function(given, len(indices), *types, 0, *pointers, *rest):
            raise RuntimeError("refused")

    return call


def least_times(calls, seconds):
    """The least milliseconds of the processor of each, of turns that take so long."""
    least = [math.inf] * len(calls)
    end = time.process_time() + seconds
    turn = 0
    while turn < len(calls) or time.process_time() < end:
        # Behind a copy, the source is in the caches: each call is so in its turn.
        for j in range(len(calls)):
            i = (turn + j) % len(calls)
            begin = time.thread_time_ns()
            calls[i]()
            least[i] = min(least[i], (time.thread_time_ns() - begin) * 1e-6)
        turn += 1
    return least


def measure(case, dtype, options):
    """The times of the libraries, of NumPy and of a copy."""
    shape, order = case
    # Bytes other than zero, of whatever type; of floating-point numbers, small ones.
    random = np.random.default_rng(1)
    words = random.integers(0, 99, math.prod(shape) * np.dtype(dtype).itemsize, np.int8)
    source = words.view(dtype).reshape(shape)
    transposed = source.transpose(order)
    target = np.zeros(transposed.shape, dtype)
    factor = None
    if options.scaled:
        factor = np.ones(1, "float32" if dtype in ("float16", "int8") else dtype)
        if dtype == "int8":
            factor = np.ones(1, "int32")
    one = np.ones(1, dtype)
    calls = [call_of(library, transposed, target, one, factor) for library in options.loaded]
    for call in calls:
        target[...] = 0
        call()
        assert np.array_equal(target.view(np.int8), np.ascontiguousarray(transposed).view(np.int8))
    other = np.zeros_like(source)
    calls += [lambda: np.copyto(target, transposed), lambda: np.copyto(other, source)]
    return least_times(calls, options.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--type", nargs="+", default=list(TYPES))
    parser.add_argument("--seconds", type=float, default=0.2, help="of each line")
    parser.add_argument("--scaled", action="store_true")
    parser.add_argument("--most-bytes", type=int, default=2**28, help="of an array")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of cases")
    options = parser.parse_args()
    options.loaded = [ctypes.CDLL(path) for path in options.libraries]
    lines = []
    for number, case in enumerate(CASES):
        if options.only and number not in options.only:
            continue
        for dtype in options.type:
            if math.prod(case[0]) * np.dtype(dtype).itemsize > options.most_bytes:
                continue
            *times, numpy, copy = measure(case, dtype, options)
            lines.append((number, case, dtype, times, numpy, copy))
    lines.sort(key=lambda line: -line[3][-1] / line[5])
    for number, (shape, order), dtype, times, numpy, copy in lines:
        extents = f"{shape[0]}^{len(shape)}" if len(set(shape)) == 1 else "x".join(map(str, shape))
        places = "".join(np.base_repr(place, 36) for place in order)
        print(
            f"{number:2} {extents:>20} {places:22} {dtype:10}",
            *(f"{time:8.2f}" for time in times),
            f"NumPy {numpy:8.2f} copy {copy:7.2f}  over copy",
            *(f"{time / copy:5.2f}" for time in times),
            f" over NumPy {times[-1] / numpy:5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
