# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions that MLIR's passes cut over ranks, compiled and run."""

import math
import os
import pathlib

import numpy as np
import pytest

import mpi_ranks
from seeds import SEED
from test_distributed import needs_mpi

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
TC_OPT = os.path.join(os.environ.get("TC_TOOLS", ""), "tc-opt")
TYPES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64"}

# Grid, index lists, extents, which dimensions of the grid cut which index, dtype, and what else.
CASES = [
    ((2,), "mk,kn->mn", dict(m=13, k=22, n=7), dict(k=[0]), "float64", "beta"),
    ((2,), "bmk,bkn->mnb", dict(b=6, m=5, k=11, n=3), dict(b=[0]), "float32", ""),
    ((2, 2), "mk,kn->mn", dict(m=10, k=14, n=17), dict(k=[0], m=[1]), "float64", "beta"),
    ((2, 2), "kml,lnk->nm", dict(m=3, k=8, l=5, n=1), dict(k=[0, 1]), "float32", "alpha beta"),
    ((2, 2), "mkl,kln->mn", dict(m=1, k=6, l=34, n=19), dict(k=[1], l=[0]), "int32", "beta"),
    ((2,), "mk,kn->mn", dict(m=9, k=4, n=31), dict(k=[0]), "int64", ""),
    ((2,), "mk,kn->mn", dict(m=4, k=10, n=9), dict(k=[0]), "float64", "min_plus beta"),
    ((2,), "k,k->", dict(k=26), dict(k=[0]), "float64", ""),
]


def sides(case):
    inputs, c = case[1].split("->")
    return [*inputs.split(","), c]


def write(case):
    """A module whose function is cut as the case says, where the first operand that has
    an index is annotated."""
    grid, _, extents, cuts, dtype, more = case
    kind = TYPES[dtype]
    a, b, c = sides(case)
    types = ["tensor<" + "".join(f"{extents[x]}x" for x in side) + kind + ">" for side in (a, b, c)]
    lists = ["[" + ", ".join(side) + "]" for side in (a, b, c)]
    axes = ", ".join(str(cuts.get(x, [])) for x in a)
    factors = [x for x in ("alpha", "beta") if x in more]
    return f"""
module attributes {{dlti.map = #dlti.map<"MPI:Implementation" = "MPICH">}} {{
  shard.grid @grid(shape = {"x".join(map(str, grid))}) {{sym_visibility = "private"}}
  func.func @f(%a: {types[0]}, %b: {types[1]}, %c: {types[2]}{"".join(f", %{x}: {kind}" for x in factors)})
      -> {types[2]} attributes {{llvm.emit_c_interface}} {{
    %cut = shard.sharding @grid split_axes = [{axes}] : !shard.sharding
    %part = shard.shard %a to %cut annotate_for_users : {types[0]}
    %d = tc.contract {lists[0]}, {lists[1]} -> {lists[2]} ins(%part, %b : {types[0]}, {types[1]})
           outs(%c : {types[2]}) {" ".join(f"{x}(%{x} : {kind})" for x in factors)}
           {"semiring = min_plus" if "min_plus" in more else ""} -> {types[2]}
    return %d : {types[2]}
  }}
}}
"""


def make(case, seed):
    """Whole operands, and the factors alpha and beta."""
    numbers = np.random.default_rng(seed)
    arrays = [numbers.uniform(-9, 9, [case[2][x] for x in side]).astype(case[4]) for side in sides(case)]
    return arrays, {"alpha": 2, "beta": 3}


def expect(case, arrays, factors):
    a, b, c = arrays
    wide = "int64" if arrays[0].dtype.kind == "i" else "float64"
    more = case[5]
    if "min_plus" in more:
        whole = (a[:, :, None].astype(wide) + b[None]).min(axis=1)
        return np.minimum(whole, factors["beta"] + c)
    whole = np.einsum(case[1], a.astype(wide), b.astype(wide))
    whole = whole * (factors["alpha"] if "alpha" in more else 1)
    return whole + (factors["beta"] * c.astype(wide) if "beta" in more else 0)


def part(case, side, rank):
    """The part of a tensor that a rank has."""
    grid, _, extents, cuts = case[:4]
    place = np.unravel_index(rank, grid)
    slices = []
    for label in side:
        axes = cuts.get(label, [])
        length = extents[label] // math.prod(grid[x] for x in axes)
        index = int(np.ravel_multi_index([place[x] for x in axes], [grid[x] for x in axes])) if axes else 0
        slices.append(slice(index * length, (index + 1) * length))
    return tuple(slices)


def run_case(case, library, rank, seed):
    """The largest error of a rank, as a part of what magnitudes of all terms make."""

    import sharded_product

    arrays, factors = make(case, seed)
    mine = [np.array(x[part(case, side, rank)], order="C") for x, side in zip(arrays, sides(case))]
    scalar = np.ctypeslib.as_ctypes_type(np.dtype(case[4]))
    further = [scalar(value) for name, value in factors.items() if name in case[5]]
    function = sharded_product.load(library)._mlir_ciface_f
    result = sharded_product.call(function, *mine, *further)
    expected = expect(case, arrays, factors)[part(case, sides(case)[2], rank)]
    assert result.shape == expected.shape
    # Terms may cancel out.
    largest = np.abs(expect(case, [np.abs(x) for x in arrays], factors)).max()
    return float(np.abs(result - expected).max() / max(1, largest))


@needs_mpi
@pytest.mark.parametrize("number", range(len(CASES)))
def test_ranks(number, tmp_path):
    case = CASES[number]
    sources = tmp_path / "module.mlir"
    sources.write_text(write(case))
    ranks = math.prod(case[0])
    code = f"""
    sys.path[:0] = [{str(pathlib.Path(__file__).parent)!r}, {str(EXAMPLES)!r}]
    import sharded_product
    import test_sharding as test
    library = comm.bcast(
        sharded_product.build({str(sources)!r}, folder, {TC_OPT!r}) if rank == 0 else None)
    say(test.run_case(test.CASES[{number}], library, rank, {SEED}))
    """
    errors = [said[0] for said in mpi_ranks.run(ranks, tmp_path / "run", code)]
    kind = np.dtype(case[4])
    limit = 0 if kind.kind == "i" else 50 * np.finfo(kind).eps
    assert len(errors) == ranks and max(errors) <= limit, (SEED, errors)


@needs_mpi
def test_example(monkeypatch):
    monkeypatch.setenv("PATH", os.path.dirname(TC_OPT), prepend=os.pathsep)
    output = mpi_ranks.end_of(mpi_ranks.launch(2, [EXAMPLES / "sharded_product.py"]), 120)
    assert output.startswith("2 ranks, largest errors ")
