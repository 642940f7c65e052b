#!/usr/bin/env python3
"""Simulates the 48 contractions of the TCCG benchmark and checks the results.

full:  chosen blocks (first, middle, last and edge) of the double-precision
       problems at their full size; where each sums 90,000 products, the first and
       the last tile, and a part of their elements
small: whole problems at small, odd extents: primes, ones, and just over what a
       tile holds. In f64 at all of them; half of the other types, precisions and
       semirings for each problem, at one of them, another for each.
cpu:   the same on the CPU of this machine, in f64, f32, c64 and c32, and in two of
       these compiled for one with caches so small that there are many blocks
cpu-full: samples of the problems at their full size on the CPU, in f64 and f32
"""

import sys

import harness
import suites

PRIMES = (7, 5, 3, 11, 2, 13)
# The options of each kind of arithmetic.
KINDS = {"f64": ("--type=f64",), "f32": ("--type=f32",),
         "f16": ("--type=f16",), "bf16": ("--type=bf16",),
         "f8e4m3fn": ("--type=f8e4m3fn",), "f8e5m2": ("--type=f8e5m2",),
         "tf32": ("--type=f32", "--precision=tf32"),
         "3xtf32": ("--type=f32", "--precision=3xtf32"),
         "bf16x3": ("--type=f32", "--precision=bf16x3"),
         "min_plus": ("--type=f32", "--semiring=min_plus"),
         "i8": ("--type=i8",), "i32": ("--type=i32",),
         "c64": ("--type=c64", "--alpha=0.5-2i"),
         "c32": ("--type=c32", "--conjugate-b"),
         "c32-tf32": ("--type=c32", "--precision=tf32", "--conjugate-a")}
CPU_KINDS = ("f64", "f32", "c64", "c32")
# Contractions whose K has two of the longest indices.
LONG_SUMS = (13, 14)
# Bounds the work of one whole problem.
MOST_FMAS = 400_000


def shrink(extents):
    """Lowers the largest extents until the problem is small enough; odd
    extents stay odd."""
    extents = dict(extents)
    while True:
        fmas = 1
        for extent in extents.values():
            fmas *= extent
        if fmas <= MOST_FMAS:
            return extents
        largest = max(extents, key=lambda label: extents[label])
        extents[largest] = max(1, (extents[largest] // 2) | 1)


def prime_extents(problem):
    labels = problem.labels()
    return shrink({label: PRIMES[(i + problem.number) % len(PRIMES)]
                   for i, label in enumerate(labels)})


def ones(problem):
    """Every other extent is one; which ones depends on the problem."""
    labels = problem.labels()
    return shrink({label: 1 if (i + problem.number) % 2 else 19
                   for i, label in enumerate(labels)})


def over_a_tile(problem):
    """The stride-one index of each tensor spans just over a usual tile."""
    extents = {label: 2 for label in problem.labels()}
    for labels, extent in zip(problem.lists(), (65, 33, 17)):
        extents[labels[0]] = extent
    return shrink(extents)


def compute(target, problem, extents, kind, *options):
    def run(context):
        context.compute(target, problem.spec,
                        f"--extents={suites.format_extents(extents)}",
                        *KINDS[kind], *options)
    return run


def compute_in_blocks(problem, extents, kind, name):
    def run(context):
        compute("cpu", problem, extents, kind, "--check=all",
                f"--seed={problem.number}",
                f"--target-file={context.small_cpu(name)}")(context)
    return run


def block_cases():
    """Extents that leave a part of a block, in most indices."""
    cases = []
    for p in suites.tccg():
        extents = shrink({label: 19 + 4 * i
                          for i, label in enumerate(p.labels())})
        for kind in CPU_KINDS[p.number % 2::2]:
            name = f"{p.name}-{kind}-blocks"
            cases.append(harness.Case(
                name, compute_in_blocks(p, extents, kind, name)))
    return cases


def cpu_full_cases():
    return [harness.Case(f"{p.name}-{kind}-full",
                         compute("cpu", p, p.extents(kind), kind,
                                 "--check=1000", f"--seed={p.number}"))
            for p in suites.tccg() for kind in ("f64", "f32")]


def full_cases():
    def options(problem):
        if problem.number in LONG_SUMS:
            return "--blocks=first,last", "--check=500"
        return "--blocks=first,middle,last,edge", "--check"

    return [harness.Case(f"{p.name}-f64",
                         compute("sim", p, p.double_extents, "f64",
                                 *options(p), f"--seed={p.number}"))
            for p in suites.tccg()]


def small_cases(target):
    shapes = (("primes", prime_extents), ("ones", ones),
              ("over", over_a_tile))

    def chosen(problem, kind):
        if kind == "f64":
            return shapes
        return (shapes[problem.number % len(shapes)],)

    kinds = KINDS if target == "sim" else CPU_KINDS
    return [harness.Case(f"{p.name}-{kind}-{shape}",
                         compute(target, p, extents(p), kind, "--check=all",
                                 f"--seed={p.number}"))
            for p in suites.tccg() for i, kind in enumerate(kinds)
            if target == "cpu" or kind == "f64" or (p.number + i) % 2
            for shape, extents in chosen(p, kind)]


def main():
    parser = harness.parser(__doc__)
    modes = {"full": full_cases, "small": lambda: small_cases("sim"),
             "cpu": lambda: small_cases("cpu") + block_cases(),
             "cpu-full": cpu_full_cases}
    parser.add_argument("mode", choices=modes)
    arguments = parser.parse_args()
    return harness.main(modes[arguments.mode](), arguments)


if __name__ == "__main__":
    sys.exit(main())
