#!/usr/bin/env python3
"""Simulates and checks contractions under schedules that map tiles to blocks in
every way: in groups of rows, with an operand's panel kept, with shared sums; and
that multiply complex numbers by three real products.

Extents divide by the tiles, do not, are one, and are prime; factors are
constants and arguments; types are f64 and f32. Schedules are written here, so
that the search's choices do not matter.
"""

import dataclasses
import os
import sys
from typing import Dict, List

import harness


@dataclasses.dataclass
class Problem:
    """A contraction and tiles for it. Tiles are cut to the extents."""
    name: str
    spec: str
    extents: Dict[str, int]
    tiles: Dict[str, Dict[str, int]]  # of m, n and k, by index
    register: str
    options: List[str] = dataclasses.field(default_factory=list)
    # The first entry of k, if it is not an index of the contraction.
    first_of_k: str = ""

    def tile(self, label, tile):
        return min(tile, self.extents[label])

    def steps(self):
        """K tiles."""
        steps = 1
        for label, tile in self.tiles["k"].items():
            steps *= -(-self.extents[label] // self.tile(label, tile))
        return steps

    def schedule(self, mapping, whole_k):
        lists = []
        for side in "mnk":
            entries = [
                f"{label}: "
                + str(self.extents[label] if whole_k and side == "k"
                      else self.tile(label, tile))
                for label, tile in self.tiles[side].items()
                # Contractions lose indices of one value.
                if self.extents[label] > 1]
            if side == "k" and self.first_of_k:
                entries.insert(0, self.first_of_k)
            lists.append(f"{side} = [{', '.join(entries)}]")
        return ", ".join(['target = "sm_90"', *lists,
                          f"register = [{self.register}]", mapping])


def matmul(name, m, n, k, register="2, 2", options=()):
    return Problem(name, "mk,kn->mn", {"m": m, "n": n, "k": k},
                   {"m": {"m": 4}, "n": {"n": 8}, "k": {"k": 4}}, register,
                   list(options))


PROBLEMS = [
    matmul("even", 16, 32, 16),
    matmul("prime", 13, 23, 17),
    matmul("transposed", 11, 9, 17, options=["--layout=col"]),
    matmul("row", 1, 40, 13, "1, 1"),
    matmul("column", 37, 1, 13, "1, 1"),
    matmul("scalar", 1, 1, 11, "1, 1"),
    matmul("single", 13, 23, 17, "1, 1", ["--type=f32"]),
    matmul("beta", 13, 23, 17, options=["--beta=-0.5", "--alpha=2"]),
    matmul("scaled", 10, 20, 14, options=["--beta=1", "--type=f32"]),
    # Several indices a side, in orders that keep them apart.
    Problem("many", "zaik,zkcj->zciaj",
            {"z": 2, "a": 5, "i": 6, "k": 10, "c": 3, "j": 10},
            {"m": {"a": 2, "i": 4}, "n": {"c": 2, "j": 4}, "k": {"k": 3}},
            "2, 2"),
    Problem("sums", "klmz,nmlkz->zn", {"k": 2, "l": 3, "m": 2, "z": 4, "n": 9},
            {"m": {}, "n": {"n": 4}, "k": {"k": 1, "l": 2, "m": 2}}, "1, 1"),
]



def three_products(problem, *options):
    return dataclasses.replace(
        problem, name=f"{problem.name}-three-products",
        options=["--allow-three-products", *options],
        first_of_k="re_im_3m: 1")


THREE_PRODUCTS = [
    three_products(matmul("even", 16, 32, 16), "--type=c64"),
    three_products(matmul("prime", 13, 23, 17), "--type=c64", "--conjugate-a",
                   "--alpha=2-0.5i"),
    three_products(matmul("wide", 16, 32, 16, "2, 4"), "--type=c32",
                   "--conjugate-b", "--beta=0.5+1i"),
    three_products(matmul("transposed", 11, 9, 17), "--type=c32",
                   "--layout=col", "--conjugate-a", "--conjugate-b",
                   "--beta=1"),
    three_products(matmul("short", 13, 23, 3), "--type=c64"),
    three_products(matmul("row", 1, 40, 13, "1, 1"), "--type=c64"),
    three_products(PROBLEMS[-2], "--type=c64", "--conjugate-b"),
    three_products(PROBLEMS[-1], "--type=c32"),
]
# Pipelines, and matrix instructions of the tiles of those.
STAGES = ("stages = 2", "stages = 3", "stages = 5")
MATRIX = Problem("matrix", "mk,kn->mn", {"m": 37, "n": 29, "k": 21},
                 {"m": {"m": 32}, "n": {"n": 16}, "k": {"k": 8}}, "4, 4")

RASTERS = (1, 2, 3, 64)
WALKS = (1, 2, 3, 100)
PARTS = (2, 3, 4, 64)


def case(problem, name, mapping, whole_k=False):
    full_name = f"{problem.name}-{name}"

    def run(context):
        extents = ",".join(f"{label}={extent}"
                           for label, extent in problem.extents.items())
        package = os.path.join(context.folder, f"{full_name}.json")
        check = ["--check=all", "--seed=1", "--least-aligned"]
        context.simulate(problem.spec, f"--extents={extents}", *check,
                         f"--schedule={problem.schedule(mapping, whole_k)}",
                         *problem.options, f"--save-package={package}")
        # Blocks by themselves own what they say.
        context.simulate(package, *check, "--blocks=first,middle,last,edge")

    return harness.Case(full_name, run)


def cases():
    for problem in PROBLEMS:
        for rows in RASTERS:
            yield case(problem, f"raster-{rows}", f"raster = {rows}")
        for stationary in "ab":
            for walk in WALKS:
                mapping = f"stationary = {stationary}, tiles_per_block = {walk}"
                yield case(problem, f"{stationary}-{walk}", mapping, True)
        yield case(problem, "a-2-raster-2",
                   "stationary = a, tiles_per_block = 2, raster = 2", True)
        for parts in sorted({min(parts, problem.steps())
                             for parts in PARTS}):
            yield case(problem, f"split-{parts}", f"split_k = {parts}")
        yield case(problem, "split-2-raster-2",
                   f"split_k = {min(2, problem.steps())}, raster = 2")
    for problem in THREE_PRODUCTS:
        for stages in STAGES:
            yield case(problem, stages.replace(" = ", "-"), stages)
        yield case(problem, "raster-2", "raster = 2")
    for options, instruction in (
            (("--type=c64",), "mma_m16n8k4"),
            (("--type=c64", "--conjugate-a"), "mma_m16n8k8"),
            (("--type=c32", "--precision=tf32"), "mma_m16n8k8"),
            (("--type=c32", "--precision=3xtf32", "--conjugate-b"),
             "mma_m16n8k8")):
        problem = three_products(MATRIX, *options)
        yield case(problem, "-".join(option.strip("-") for option in options),
                   f"instruction = {instruction}")


def main():
    arguments = harness.parser(__doc__).parse_args()
    return harness.main(list(cases()), arguments)


if __name__ == "__main__":
    sys.exit(main())
