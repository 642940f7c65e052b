#!/usr/bin/env python3
"""Measures what a warm call of tc.einsum takes beside its kernel, and prints the
table of docs/python.md. Run it with a Python that has the package."""

import timeit

import numpy as np

import tc

CASES = [
    ("i,i->i", (1,), (1,)),
    ("ij,jk->ik", (8, 8), (8, 8)),
    ("abc,cd->abd", (8, 8, 8), (8, 8)),
    ("abcd,cdef->abef", (4, 4, 4, 4), (4, 4, 4, 4)),
    ("ij,jk->ik", (64, 64), (64, 64)),
]
REPEATS = 7


def best(call):
    """Microseconds of one call: the least of some runs of about 20 ms."""
    timer = timeit.Timer(call)
    number = max(1, int(0.02 / max(timer.timeit(100) / 100, 1e-8)))
    return min(timer.repeat(REPEATS, number)) / number * 1e6


def main():
    print("| contraction | extents | `tc.einsum` | kernel | difference |"
          " `numpy.einsum` |")
    print("| --- | --- | --- | --- | --- | --- |")
    for subscripts, *shapes in CASES:
        a, b = (np.ones(shape) for shape in shapes)
        compiled = tc.compile(subscripts, shapes, threads=1)
        out = np.empty(compiled.shape)
        run = compiled._native.run
        whole = best(lambda: tc.einsum(subscripts, a, b, threads=1))
        kernel = best(lambda: run(a, b, out, None, None))
        numpy = best(lambda: np.einsum(subscripts, a, b))
        extents = ", ".join("x".join(map(str, shape)) for shape in shapes)
        print(f"| `{subscripts}` | {extents} | {whole:.2f} | {kernel:.2f} |"
              f" {whole - kernel:.2f} | {numpy:.2f} |")


if __name__ == "__main__":
    main()
