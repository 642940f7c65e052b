# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of two tensors along indices that are drawn at random, which all ranks draw alike, and
their check on ranks."""

import json
import math
import pathlib

import numpy as np

import tc.distributed as dist
from tc.distributed._machine import least_elements

ROOT = pathlib.Path(__file__).parents[2]


def tccg(rng):
    """The 48 contractions of TCCG, with extents of 2 to 6."""
    suite = json.loads((ROOT / "benchmarks" / "suites" / "tccg.json").read_text())
    for entry in suite:
        result, a, b = entry["spec"].split("-")
        labels = sorted(set(result + a + b))
        yield a, b, result, {label: rng.randint(2, 6) for label in labels}


SIZES = (1, 2, 3, 4, 5, 7, 8, 11, 13)


def drawn(rng, count, sizes=SIZES):
    """Random contractions: any number of indices of each kind, extents of one and primes."""
    for _ in range(count):
        names = list("abcdefgh")
        rng.shuffle(names)
        kinds = [[names.pop() for _ in range(rng.choice([0, 1, 1, 2]))] for _ in range(4)]
        m, n, k, batch = kinds
        extents = {x: rng.choice(sizes) for each in kinds for x in each}
        terms = [m + k + batch, n + k + batch, m + n + batch]
        for term in terms:
            rng.shuffle(term)
        yield ("".join(terms[0]), "".join(terms[1]), "".join(terms[2]), extents)


def draw_grid(rng, size):
    """A grid of so many ranks."""
    if size == 1:
        return rng.choice([(), (1,)])
    shapes = [(size,)] + [(n, size // n) for n in range(2, size) if size % n == 0]
    if size == 8:
        shapes.append((2, 2, 2))
    return rng.choice(shapes)


def draw_layout(rng, axes, grid):
    """Some dimensions of a grid along some axes."""
    layout = [[] for _ in range(axes)]
    for dim in rng.sample(range(len(grid)), len(grid)):
        if axes and rng.random() < 0.8:
            layout[rng.randrange(axes)].append(dim)
    return [tuple(dims) for dims in layout]


MACHINES = [
    dist.Machine(),
    # Messages cost nothing, or everything; elements do; multiplications are slow.
    dist.Machine(latency=1e-12, bandwidth=1e6),
    dist.Machine(latency=1.0, bandwidth=1e12),
    dist.Machine(products=1e5),
]


def chosen():
    """Contractions, layouts of A, B and C and machines for which it is sure on a line of ranks, of 2, 3, 4 or 8, that
    blocks go around, that sums are to be had by all, and that the bound holds."""
    rows, slow = [(0,), ()], dist.Machine(products=1e5)
    yield ("ij", "jk", "ik", dict(i=24, j=24, k=24)), (rows, rows, rows), slow
    yield ("ij", "ij", "", dict(i=24, j=7)), (rows, rows, None), dist.Machine()


def chosen_on_square():
    """The same on a grid of two by two ranks, with words of the plan; of most, parts differ."""
    lies, turned = [(0,), (1,)], [(1,), (0,)]
    cheap = dist.Machine(latency=1e-12, bandwidth=1e6)
    square, long = dict(i=23, j=29, k=19), dict(i=7, j=509, k=5)
    matrices = ("ij", "jk", "ik")
    around = ["goes around along dimension 0", "reduce-scatter along 1"]
    yield (*matrices, square), (lies, turned, lies), cheap, around
    even, slow = dict(i=24, j=24, k=24), dist.Machine(products=1e5)
    yield (*matrices, even), (lies, lies, lies), slow, ["goes around along dimension 1"]
    rows = [(0, 1), ()]
    yield (*matrices, long), (rows, rows, None), cheap, ["reduce-scatter along 0, 1"]
    exchanged = ["[i/1.0, j] all-to-all: [i/1, j/0]"]
    yield (*matrices, long), ([(1, 0), ()], [(0,), ()], lies), cheap, exchanged


def check_case(mesh, rng, case, number, layouts=None, machine=None):
    """Contracts on the mesh, in layouts of A, B and C or any, and compares with NumPy and what moves with the
    plan. Returns the words that say what was done."""
    a, b, result, extents = case
    spec = f"{a},{b}->{result}"
    numbers = np.random.default_rng(number)
    dtype = rng.choice(["float64", "float32", "complex128"])
    arrays = []
    for term in (a, b):
        array = numbers.uniform(-1, 1, [extents[x] for x in term])
        if dtype == "complex128":
            array = array + 1j * numbers.uniform(-1, 1, array.shape)
        arrays.append(array.astype(dtype))
    if layouts is None:
        layouts = [draw_layout(rng, len(term), mesh.grid.shape) for term in (a, b, result)]
        layouts[2] = layouts[2] if rng.random() < 0.6 else None
    wanted = layouts[2]
    machine = machine or rng.choice(MACHINES)
    tensors = [mesh.distribute(x, layout) for x, layout in zip(arrays, layouts)]
    what = f"{spec} {extents} on {mesh.grid.shape}, layouts {layouts}, wanted {wanted}, {machine}"
    plan = dist.plan_tensors(spec, *tensors, layout=wanted, machine=machine)
    before = mesh.ranks.sent
    made = dist.contract_tensors(spec, *tensors, layout=wanted, machine=machine)
    moved = mesh.ranks.sent - before
    assert moved == plan.sent[mesh.ranks.rank] * made.dtype.itemsize, (what, moved, str(plan))
    assert wanted is None or made.layout == tuple(wanted), what
    wide = np.dtype("complex128" if dtype == "complex128" else "float64")
    expected = np.einsum(spec, *(x.astype(wide) for x in arrays))
    magnitude = np.einsum(spec, *map(abs, arrays))
    part = tuple(slice(*bounds) for bounds in made.box)
    limit = 100 * np.finfo(dtype).eps
    assert made.block.shape == expected[part].shape, what
    assert (abs(made.block - expected[part]) <= limit * magnitude[part]).all(), (what, str(plan))
    whole = made.gather()
    assert whole.shape == expected.shape and (abs(whole - expected) <= limit * magnitude).all(), what
    check_bound(plan, mesh, a, b, result, extents, what)
    return str(plan)


def check_bound(plan, mesh, a, b, result, extents, what):
    """That no less moves than has to, where the bound holds: all tensors are cut evenly along all
    dimensions of the grid, and so is the work."""
    grid = mesh.grid
    for labels, layout in ((a, plan.problem.layouts[0]), (b, plan.problem.layouts[1]), (result, plan.out)):
        if sorted(dim for dims in layout for dim in dims) != list(range(len(grid.shape))):
            return
        if any(extents[x] % grid.parts(dims) for x, dims in zip(labels, layout)):
            return
    if None in plan.choice:
        return
    counts = {x: math.prod(n for n, y in zip(grid.shape, plan.choice) if y == x) for x in extents}
    if any(extents[x] % parts for x, parts in counts.items()):
        return

    def extent(labels):
        return math.prod(extents[x] for x in labels)

    first, second, third = set(a), set(b), set(result)
    least = least_elements(
        extent((first - second) & third), extent((second - first) & third),
        extent(first & second - third), extent(first & second & third), grid.size,
    )
    assert plan.most >= least - 1e-9, (what, least, str(plan))
    check_bound.checked = getattr(check_bound, "checked", 0) + 1
