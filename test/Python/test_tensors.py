# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors on grids of ranks: what moves, what is multiplied, and what is said of it."""

import itertools
import json
import os
import pathlib
import random

import numpy as np
import pytest

import tc.distributed as dist
from tc._notation.subscripts import parse
from tc.distributed import _ranks
from tc.distributed._choose import Problem, choose
from tc.distributed._grid import Grid, all_pieces, size_of, traffic_of
from tc.distributed._machine import least_elements, least_elements_within

import mpi_ranks
from seeds import SEED
from test_distributed import needs_mpi

# Random contractions on each number of ranks; in a short run, also how many of TCCG's.
CASES = int(os.environ.get("TC_TEST_TENSORS", "30"))


@needs_mpi
@pytest.mark.parametrize("ranks", mpi_ranks.RANKS)
def test_contractions(ranks, tmp_path):
    print("SEED", SEED)
    said = mpi_ranks.run(
        ranks,
        tmp_path,
        f"""
        import random
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import tensor_cases as cases
        rng = random.Random({SEED})
        wanted = [*list(cases.tccg(rng))[: {CASES}], *cases.drawn(rng, {CASES}, (0, *cases.SIZES, *cases.SIZES))]
        texts = []
        for number, case in enumerate(wanted):
            with dist.Mesh(comm, cases.draw_grid(rng, size)) as mesh:
                texts.append(cases.check_case(mesh, rng, case, number))
        with dist.Mesh(comm, (size,)) as mesh:
            texts += [cases.check_case(mesh, rng, case, 1, *rest) for case, *rest in cases.chosen()]
        words = ("stays", "all-gather", "reduce-scatter", "all-to-all", "all-reduce", "goes around")
        say([word for word in words if any(word in text for text in texts)])
        say(getattr(cases.check_bound, "checked", 0))
        """,
        seconds=600,
    )
    print(said[0])
    assert all(each == said[0] for each in said)
    if ranks > 1:
        words, checked = said[0]
        # The cases of one seed need not have all kinds of moves; those of the tests have.
        assert len(words) == 6 or SEED != 1, words
        assert checked > 0


@needs_mpi
def test_a_grid_of_two_dimensions(tmp_path):
    said = mpi_ranks.run(
        4,
        tmp_path,
        f"""
        import random
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import program_cases, tensor_cases as cases
        with dist.Mesh(comm, (2, 2)) as mesh:
            for case, *rest, words in cases.chosen_on_square():
                text = cases.check_case(mesh, random.Random(1), case, 1, *rest)
                assert all(x in text for x in words), (words, text)
            program_cases.check_program(mesh, random.Random(1), 1, program_cases.adding_program)
            say(cases.check_bound.checked)
        """,
    )
    assert said == [[1]] * 4


@needs_mpi
def test_errors_of_tensors(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        """
        caught(dist.Mesh, comm, (3,))
        caught(dist.Mesh, comm, (2,) if rank else (1, 2))
        caught(dist.Mesh, comm, ("x",) if rank else (2,))
        caught(dist.contract_tensors, "ij,jk->ik", np.ones((6, 4)), np.ones((4, 5)))
        mesh = dist.Mesh(comm, (2,))
        other = dist.Mesh(comm, (1, 2))
        a, b = np.ones((6, 4)), np.ones((4, 5))
        caught(mesh.distribute, a, [0])
        caught(mesh.distribute, a, [0, 0])
        caught(mesh.distribute, a, [1, None])
        caught(mesh.distribute, a, [rank - 1 or None, None])
        caught(mesh.build, (6, 4), "f8", [0, None], lambda box: np.ones((6, 4)))
        caught(mesh.distribute, a.astype(object), [0, None])
        left, right = mesh.distribute(a, [0, None]), mesh.distribute(b, [0, None])
        call = dist.contract_tensors
        caught(call, "ij,jk->ik", left, b)
        caught(call, "ij,jk->ik", left, other.distribute(b, [0, None]))
        caught(call, "ij,jk->ik" if rank else "ij,jk->ki", left, right)
        caught(call, "ij,jk->ik", left, right, threads=1 + rank)
        caught(call, "ij,jk->ik", left, right, machine=dist.Machine() if rank else 5)
        caught(call, "ij,ik->jk", left, right)
        caught(call, "ij,jk->ik", left, mesh.distribute(b.astype("f4"), [0, None]))
        halves = [mesh.distribute(x.astype("f2"), [0, None]) for x in (a, b)]
        caught(call, "ij,jk->ik", *halves)
        caught(call, "ij,jk->ik", left, right, machine=dist.Machine(memory=100))
        caught(call, "ij,jj->i", left, mesh.distribute(np.ones((4, 4)), [0, None]))
        caught(call, "ij,jk->ik", left, mesh.distribute(np.ones((1, 4)), [None, None]))
        caught(call, "ij,jk->ik", left, right, layout=[0])
        caught(left.redistribute, [5, None])
        say(call("ij,jk->ik", left, right, layout=[None, 0]).gather().tolist() == (a @ b).tolist())
        """,
    )
    assert said[0] == said[1]
    assert said[0] == [
        "ValueError: the grid has shape (3,), but there are 2 ranks",
        "ValueError: the shape of the grid is (1, 2) on rank 0, but (2,) on rank 1",
        "RankError: rank 1: TypeError: an extent of the grid is 'x', which is no integer",
        "TypeError: neither operand is a Tensor: distribute them",
        "ValueError: the tensor has 2 axes, but its layout 1: [0]",
        "ValueError: the layout of the tensor names dimension 0 of the grid twice",
        "ValueError: the layout of the tensor names dimension 1 of the grid, which has 1",
        "RankError: rank 0: ValueError: the layout of the tensor names dimension -1 of the grid, "
        "which has 1",
        "RankError: rank 0: ValueError: the part ((0, 3), (0, 4)) of a tensor has shape (3, 4), but the "
        "array that was made for it (6, 4)",
        "TypeError: the tensor has dtype object, which is none of numbers",
        "TypeError: operand 1 is no Tensor, but ndarray: distribute it",
        "ValueError: operand 1 is on another mesh than operand 0",
        "ValueError: subscripts is 'ij,jk->ki' on rank 0, but 'ij,jk->ik' on rank 1",
        "ValueError: threads is 1 on rank 0, but 2 on rank 1",
        "RankError: rank 0: TypeError: machine is no Machine, but int",
        "ValueError: index 'i' has extent 6 in axis 0 of operand 0 and 4 in axis 0 of operand 1",
        "TypeError: operand 0 has dtype float64 and operand 1 float32: convert one of them",
        "TypeError: operands have dtype float16, but partial sums can be float32, float64, complex64, "
        "complex128, int32, int64",
        "PlanError: no way to multiply [i,j],[j,k]->[i,k] on a grid of (2,) leaves each rank within "
        "its 100 bytes",
        "ValueError: operand 1 has index 'j' twice: take its diagonal first",
        "ValueError: index 'j' has extent 1 in operand 1, but 4 in the other: tensors on a mesh are "
        "not broadcast",
        "ValueError: the result has 2 axes, but its layout 1: [0]",
        "ValueError: the layout of the tensor names dimension 5 of the grid, which has 1",
        True,
    ]


def test_plans_are_refused_what_contractions_are():
    with dist.Mesh(None, (1,)) as mesh:
        rows = mesh.distribute(np.ones((3, 3)), [0, None])
        for call in (dist.plan_tensors, dist.contract_tensors):
            with pytest.raises(TypeError, match="^machine is no Machine, but int$"):
                call("ij,jk->ik", rows, rows, machine=5)


def test_gathered_tensors_are_copies():
    with dist.Mesh(None, (1,)) as mesh:
        for layout in ([None, None], [0, None]):
            tensor = mesh.distribute(np.ones((3, 2)), layout)
            whole = tensor.gather()
            whole[...] = 5
            assert (tensor.block == 1).all() and (tensor.gather() == 1).all()


def test_meshes_are_closed_once(monkeypatch):
    from tc.distributed import _nccl, _tensor

    class Transport(_nccl.Nccl):
        def __init__(self):
            pass

        def close(self):
            raise RuntimeError("the device is lost")

    freed = []
    monkeypatch.setattr(_ranks._Alone, "Free", lambda self: freed.append(self))
    with dist.Mesh(None, (1,)) as mesh:
        mesh.close()
    assert len(freed) == 1
    monkeypatch.setattr(_tensor, "Nccl", Transport)
    mesh = dist.Mesh(None, (1,), nccl=True)
    with pytest.raises(RuntimeError, match="the device is lost"):
        mesh.close()
    assert len(freed) == 2


def test_pieces_are_each_element_once():
    rng = random.Random(SEED)
    print("SEED", SEED)
    layouts = [((0,), ()), ((), (1,)), ((0, 1), ()), ((1, 0), ()), ((1,), (0,)), ((), ())]
    for shape in ((5, 7), (1, 3), (8, 4), (0, 4)):
        grid = Grid(rng.choice([(2, 3), (4, 2), (1, 5)]))
        for source, target in itertools.product(layouts, repeat=2):
            seen = [np.zeros(shape, int) for _ in range(grid.size)]
            for piece in all_pieces(grid, source, target, shape):
                has = grid.box(source, shape, grid.coordinates(piece.source))
                assert all(a <= c <= d <= b for (a, b), (c, d) in zip(has, piece.box))
                seen[piece.target][tuple(slice(*x) for x in piece.box)] += 1
            for rank, array in enumerate(seen):
                box = grid.box(target, shape, grid.coordinates(rank))
                part = array[tuple(slice(*x) for x in box)]
                assert (part == 1).all() and array.sum() == size_of(box)
            traffic = traffic_of(grid, source, target, shape)
            assert source != target or traffic.total == 0


def problem(spec, extents, layouts, grid, out=None):
    operands = spec.split("->")[0].split(",")
    parsed = parse(spec, tuple(map(len, operands)))
    return Problem(parsed, extents, tuple(layouts), out, Grid(grid), 8)


SQUARE = dict(i=64, j=64, k=64)


@pytest.mark.parametrize(
    "spec, extents, layouts, grid, words",
    [
        # The batch is cut already.
        ("bij,bjk->bik", dict(b=8, i=9, j=9, k=9), [((0,), (), ()), ((0,), (), ())], (4,),
         ["stays", "stays", ""]),
        # A small operand is gathered for a large one that stays.
        ("ij,jk->ik", dict(i=4096, j=64, k=64), [((0,), ()), ((0,), ())], (4,),
         ["stays", "all-gather", ""]),
        # The sum is cut in both.
        ("ij,jk->ik", dict(i=64, j=4096, k=64), [((), (0,)), ((0,), ())], (4,),
         ["stays", "stays", "reduce-scatter"]),
        # One of them is cut along the wrong index.
        ("ij,jk->ik", dict(i=64, j=4096, k=64), [((0,), ()), ((0,), ())], (4,),
         ["all-to-all", "stays", "reduce-scatter"]),
    ],
)
def test_what_is_chosen(spec, extents, layouts, grid, words):
    plan = choose(problem(spec, extents, layouts, grid), dist.Machine(), allow_ring=False)
    lines = str(plan).splitlines()[2:5]
    assert all(word in line for word, line in zip(words, lines)), str(plan)


def test_a_bound_is_reached():
    given = problem("ij,jk->ik", dict(i=4096, j=64, k=64), [((0,), ()), ((0,), ())], (4,))
    assert choose(given, dist.Machine()).most == least_elements(4096, 64, 64, 1, 4) == 3 * 1024
    cube = problem(
        "ij,jk->ik", SQUARE, [((0,), (1, 2)), ((2,), (1, 0))], (2, 2, 2), ((0,), (1, 2))
    )
    plan = choose(cube, dist.Machine(latency=1e-12))
    least = least_elements(64, 64, 64, 1, 8)
    assert least == pytest.approx(3 * 2**9) and plan.most >= least


@pytest.mark.parametrize(
    "layouts, ring, out, held",
    [
        # 16 x 12 and 12 x 8 elements, by one dimension of two ranks; what is moved is there beside what it was.
        ([((0,), ()), ((), (0,))], False, None, (96 + 48) + 96 + 64),
        # Two blocks of the smaller one go around.
        ([((0,), ()), ((), (0,))], True, None, (96 + 48) + 2 * 48 + 64),
        # Nothing moves but summands, and of the sums all parts to all ranks.
        ([((), (0,)), ((0,), ())], False, None, (96 + 48) + 128 + 64),
        ([((), (0,)), ((0,), ())], False, ((), ()), (96 + 48) + 64 + 128),
        # Nothing moves.
        ([((0,), ()), ((), ())], False, None, (96 + 96) + 64),
    ],
)
def test_memory_is_what_is_held(layouts, ring, out, held):
    given = problem("ij,jk->ik", dict(i=16, j=12, k=8), layouts, (2,), out)
    choose(given, dist.Machine(memory=8 * held), ring)
    with pytest.raises(dist.PlanError, match="no way to multiply"):
        choose(given, dist.Machine(memory=8 * held - 1), ring)


def test_a_ring_hides_what_moves():
    given = problem("ij,jk->ik", dict(i=4096, j=512, k=512), [((0,), ()), ((0,), ())], (4,))
    slow = dist.Machine(bandwidth=1e9, products=1e9)
    plan = choose(given, slow)
    assert plan.ring == (1, 0, "j")
    assert "B             [j/0, k] goes around along dimension 0 while it is multiplied" in str(plan)
    without = choose(given, slow, allow_ring=False)
    assert without.ring is None and plan.sent == without.sent
    # All blocks but the first arrive while others are multiplied.
    assert plan.seconds == pytest.approx(plan.multiply_seconds)
    assert without.seconds > plan.seconds


def test_bounds():
    # Long, flat and square, from the three cases of Al Daas et al., each at a border of two.
    assert least_elements(64, 8, 4, 1, 8) == pytest.approx((512 + 256) / 8 + 32 - 800 / 8)
    assert least_elements(64, 8, 4, 1, 32) == pytest.approx(3 * 16 - 800 / 32)
    assert least_elements(8, 64, 4, 1, 32) == least_elements(4, 8, 64, 1, 32)
    assert least_elements(64, 64, 64, 1, 1) == 0 == least_elements(9, 9, 9, 8, 4)
    assert least_elements(64, 64, 64, 0, 8) == least_elements(0, 64, 64, 1, 8) == 0
    assert least_elements(64, 64, 64, 2, 16) == least_elements(64, 64, 64, 1, 8)
    assert least_elements_within(2**30, 4, 2**12) == pytest.approx(
        2**30 / (2 * 2**0.5 * 4 * 2**6) - 2**12
    )


def test_machines(tmp_path):
    path = tmp_path / "machine.json"
    path.write_text(json.dumps({"latency": 1e-6, "products": 1e9}))
    assert dist.Machine.read(path) == dist.Machine(latency=1e-6, products=1e9)
    for text, error in (
        ("[]", "a machine is an object with figures by their names"),
        ('{"speed": 1}', "'speed' is no figure of a machine, which has latency, bandwidth"),
        ('{"latency": -1}', "latency is -1, which is no positive number"),
        ("{", "Expecting property name"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError) as caught:
            dist.Machine.read(path)
        assert str(caught.value).startswith(f"{path}: {error}")
