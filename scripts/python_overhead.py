#!/usr/bin/env python3
"""Measures the processor time that a warm call of tc.einsum takes beside its kernel,
and prints the tables of docs/python.md. Run it with a Python that has the package.

With TC_FAKE_CUDA, the folder of the tests' driver, the last table is made: calls
on a device whose kernels take no time, as FAKE_CUDA_SKIP has it."""

import os
import pathlib
import sys
import time
import timeit

import numpy as np

import tc

CASES = [
    ("i,i->i", (1,), (1,)),
    ("ij,jk->ik", (4, 4), (4, 4)),
    ("ij,jk->ik", (8, 8), (8, 8)),
    ("abc,cd->abd", (8, 8, 8), (8, 8)),
    ("abcd,cdef->abef", (4, 4, 4, 4), (4, 4, 4, 4)),
    ("ij,jk->ik", (64, 64), (64, 64)),
]
REPEATS = 7


def best(call):
    """Microseconds of one call: the least of some runs of about 20 ms."""
    timer = timeit.Timer(call, timer=time.process_time)
    number = max(1, int(0.02 / max(timer.timeit(100) / 100, 1e-8)))
    return min(timer.repeat(REPEATS, number)) / number * 1e6


def print_host():
    print("| contraction | extents | `tc.einsum` | kernel | difference |"
          " compiled | `numpy.einsum` |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for subscripts, *shapes in CASES:
        a, b = (np.ones(shape) for shape in shapes)
        compiled = tc.compile(subscripts, shapes, threads=1)
        out = np.empty(compiled.shape)
        run = compiled._native.run
        whole = best(lambda: tc.einsum(subscripts, a, b, threads=1))
        called = best(lambda: compiled(a, b))
        kernel = best(lambda: run(a, b, out, None, None))
        numpy = best(lambda: np.einsum(subscripts, a, b))
        extents = ", ".join("x".join(map(str, shape)) for shape in shapes)
        print(f"| `{subscripts}` | {extents} | {whole:.2f} | {kernel:.2f} |"
              f" {whole - kernel:.2f} | {called:.2f} | {numpy:.2f} |")


def print_other_calls():
    """Calls that Python remembers, and not native code."""
    a, b, c, out = (np.full((4, 4), number, "float64") for number in range(4))
    kernel = tc.compile("ij,jk->ik", [a.shape, b.shape], threads=1)
    lists = a, [0, 1], b, [1, 2], [0, 2]
    cases = [
        ('einsum("ij,jk->ik", a, b, out=c)', lambda x: x.einsum("ij,jk->ik", a, b, out=out)),
        ('einsum("ij->ji", a)', lambda x: x.einsum("ij->ji", a)),
        ('einsum("ij->i", a)', lambda x: x.einsum("ij->i", a)),
        ('einsum("ii->", a)', lambda x: x.einsum("ii->", a)),
        ('einsum("ij,jk,kl->il", a, b, c)', lambda x: x.einsum("ij,jk,kl->il", a, b, c)),
        ("einsum(a, [0, 1], b, [1, 2], [0, 2])", lambda x: x.einsum(*lists)),
        (
            "kernel(a, b, out=c)",
            lambda x: kernel(a, b, out=out) if x is tc else np.matmul(a, b, out=out),
        ),
    ]
    print("\n| call | `tc` | `numpy` |\n| --- | --- | --- |")
    for text, call in cases:
        mine, theirs = best(lambda: call(tc)), best(lambda: call(np))
        print(f"| `{text}` | {mine:.1f} | {theirs:.1f} |")


def print_device():
    os.environ["FAKE_CUDA_SKIP"] = "1"
    tests = pathlib.Path(__file__).parents[1] / "test" / "Python"
    sys.path.insert(0, str(tests))
    # pylint: disable-next=import-outside-toplevel
    import fake_device

    print("| contraction | extents | `tc.einsum` | `kernel.launch` | of that, C |")
    print("| --- | --- | --- | --- | --- |")
    for subscripts, *shapes in CASES[:4]:
        kernel = tc.compile(subscripts, shapes, target="sm_90")
        a, b, out = (
            fake_device.Interface(np.ones(shape)) for shape in (*shapes, kernel.shape)
        )
        pointers = [array.pointer for array in (a, b, out)]
        whole = best(lambda: tc.einsum(subscripts, a, b, out=out))
        launch = best(lambda: kernel.launch(a, b, out))
        native = best(lambda: kernel._native.launch(*pointers, None, None, [], 0))
        extents = ", ".join("x".join(map(str, shape)) for shape in shapes)
        print(f"| `{subscripts}` | {extents} | {whole:.1f} | {launch:.1f} | {native:.1f} |")


def main():
    if "TC_FAKE_CUDA" in os.environ:
        print_device()
    else:
        print_host()
        print_other_calls()


if __name__ == "__main__":
    main()
