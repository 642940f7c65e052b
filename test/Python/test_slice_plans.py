# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts that products over ranks are cut into, and the bytes of a slice."""

import math
import random

import numpy as np
import pytest

import tc
import tc.distributed as dist
from tc._einsum import program
from tc._notation.subscripts import parse
from tc.distributed._cut import Cuts, steps_of
from tc.distributed._job import _what_is_left
from tc.distributed._slice_plan import Plan, find_plan, make_problem
from tc.distributed._sums import Node

from seeds import SEED


def test_a_tree_of_cotengra():
    class Tree:
        sliced_inds = {"j": None}

        def get_path(self):
            return ((1, 2), (0, 1))

    operands = [np.ones((3, 4)), np.ones((4, 5)), np.ones(5)]
    plan = dist.plan("ij,jk,k->i", operands, path=Tree())
    assert plan.path == ((1, 2), (0, 1)) and plan.slices == (("j", 4, 1),)


def test_plans_survive_their_text():
    operands = [np.ones((3, 4)), np.ones((4, 5)), np.ones(5)]
    problem = make_problem("ij,jk,k->i", operands, None, None, 6, 1)
    plan = find_plan(problem)
    assert Plan.from_json(plan.to_json(), problem) == plan


def test_slices_cover_the_product_once():
    operands = [np.ones((5, 7)), np.ones((7, 6))]
    plan = find_plan(make_problem("ij,jk->ik", operands, None, None, {"i": 2, "j": 3, "k": 2}, 1))
    assert (plan.blocks, plan.terms) == (4, 3)
    seen = np.zeros((5, 7, 6), int)
    for number in range(12):
        parts = plan.parts(number)
        assert tuple(parts[x] for x in "ik") == plan.place(number // 3)
        seen[parts["i"], parts["j"], parts["k"]] += 1
    assert (seen == 1).all()


def test_cuts_count_as_the_slices_do():
    spec, shapes = "ab,bc,cd->ad", [(6, 8), (8, 10), (10, 4)]
    operands = [np.ones(shape) for shape in shapes]
    plan = dist.plan(spec, operands, path=[(0, 1), (0, 1)], slices={"a": 3})
    cuts = Cuts(plan.subscripts, plan.path, plan.extents, 8)
    # Of a slice: 2 x 8 x 10 + 2 x 10 x 4 multiplications, and [a, c] between.
    cuts.lengths["a"] = 2
    assert (cuts.count, cuts.products, cuts.peak, cuts.ratio) == (3, 240, 160, 1.0)
    # Without "c", the second half of the work is done again for each part of b.
    cuts.lengths["b"] = 4
    assert cuts.ratio == (80 + 80) * 6 / 720


def test_steps_go_down_the_tree():
    rng = random.Random(SEED)
    print("SEED", SEED)
    for _ in range(20):
        labels = "abcdefghij"
        terms = ["".join(rng.sample(labels, 3)) for _ in range(7)]
        parsed = parse(",".join(terms) + "->" + terms[0][0], (3,) * 7)
        extents = {label: rng.randint(1, 5) for label in labels}
        path = [tuple(rng.sample(range(n), 2)) for n in range(7, 1, -1)]
        cuts = Cuts(parsed, path, extents, 8)
        # By the definition, step by step.
        live, most = {}, 0
        steps = steps_of(parsed, cuts.path())
        for number, step in enumerate(steps[:-1]):
            live[7 + number] = math.prod(extents[x] for x in step.result)
            most = max(most, sum(live.values()))
            for read in step.reads:
                live.pop(read, None)
        assert 8 * most == cuts.peak
        assert sum(math.prod(extents[x] for x in step.indices) for step in steps) == cuts.products


def test_programs_keep_the_limit(monkeypatch):
    """Memory that programs are given, with the gaps that places have."""
    rng = random.Random(SEED)
    print("SEED", SEED)
    given = []
    whole = program.find_workspace

    def find_workspace(size, alignment):
        given.append(size)
        return whole(size, alignment)

    monkeypatch.setattr(program, "find_workspace", find_workspace)
    gaps = tried = 0
    # Of four, none may have gaps.
    while tried < 4 or (gaps == 0 and tried < 40):
        tried += 1
        labels = "abcdefghij"
        terms = ["".join(rng.sample(labels, 3)) for _ in range(6)]
        extents = {label: rng.randint(2, 5) for label in labels}
        operands = [np.random.default_rng(1).random([extents[x] for x in term]) for term in terms]
        spec = ",".join(terms) + "->" + terms[0][0]
        # Bytes of places without slices.
        path = np.einsum_path(spec, *operands, optimize="greedy")[0][1:]
        path = path if all(len(step) == 2 for step in path) else None
        room = dist.plan(spec, operands, memory_limit=1 << 30, path=path).memory(np.dtype("float64"), 1)
        peak = Cuts(parse(spec, (3,) * 6), dist.plan(spec, operands, path=path, slices=1).path, extents, 8).peak
        limit = max(rng.randint(peak // 2, room), 1024)
        given.clear()
        made = dist.contract(spec, operands, memory_limit=limit, path=path)
        assert np.allclose(made, np.einsum(spec, *operands, optimize=True))
        assert given and max(given) <= limit, (spec, extents, limit, max(given))
        gaps += room > peak
    assert gaps > 0
    # Three results of 72 B are there at once, each from a multiple of 64.
    product = "ab,bc,cd,de,ea->", [np.ones((3, 3))] * 5
    whole, cut = (dist.plan(*product, path=[(0, 1), (0, 1), (1, 2), (0, 1)], memory_limit=limit) for limit in (328, 327))
    assert "and 216 B between steps, in 328 B of memory" in str(whole) and whole.terms == 1
    assert cut.terms > 1 and cut.memory(np.dtype("float64"), 1) <= 327
    with pytest.raises(tc.UnsupportedError) as caught:
        dist.plan("ab,bc,cd,da->", [np.ones((3, 3))] * 4, path=[(0, 1), (0, 1), (0, 1)], memory_limit=71)
    assert str(caught.value) == (
        "memory_limit is 71, but a program lays out results between steps in 72 bytes, which no slices make less"
    )


def test_the_limit_is_kept_by_one_program(monkeypatch):
    """Not by one for each combination of whole and shorter parts."""
    asked = []
    whole = program.workspace_bytes

    def workspace_bytes(spec, shapes, *rest):
        asked.append(shapes)
        return whole(spec, shapes, *rest)

    monkeypatch.setattr(program, "workspace_bytes", workspace_bytes)
    operands = [np.ones((11, 11)) for _ in range(4)]
    path = [(0, 1), (0, 1), (0, 1)]
    plan = dist.plan("ab,bc,cd,de->ae", operands, path=path, memory_limit=160)
    lengths = {each.index: each.length for each in plan.slices}
    assert lengths == {"a": 6, "e": 6, "c": 1}
    sizes = {**dict.fromkeys("abcde", 11), **lengths}
    # The last that was asked for is that of the longest parts; each time that something is cut, there is one.
    assert asked[-1] == tuple(tuple(sizes[x] for x in term) for term in ("ab", "bc", "cd", "de"))
    assert len(asked) == len(set(asked)) <= 3


def test_cuts_of_subtrees_that_need_the_same():
    # No single cut lets the whole take less: ac and df are made from and to numbers, one after the other.
    parsed = parse("ab,bc,ac,de,ef,df->", (2,) * 6)
    path = [(0, 1), (0, 4), (0, 1), (0, 2), (0, 1)]
    cuts = Cuts(parsed, path, dict.fromkeys("abcdef", 64), 8)
    assert cuts.peak == 8 * (64 * 64 + 2)
    cuts.cut_to_fit(8 * (16 * 64 + 2))
    # Each by four, and all but the numbers again for the other's parts.
    assert cuts.count == 16 and cuts.parts("b") == cuts.parts("e") == 1
    assert cuts.peak == 8 * (16 * 64 + 2) and cuts.ratio == pytest.approx(4, rel=0.01)


def test_more_slices_than_can_be_handed_out():
    matrix = np.broadcast_to(1.0, (1 << 14, 1 << 14))
    chain = ("ij,jk,kl->il", [matrix] * 3)
    found = "temporaries of 64 B ask for 33554432 slices, and at most 16777216 are computed; 128 B would do"
    given = "memory_limit is 64, which asks for 33554432 slices, but there are 16777216 at most; 128 bytes would do"
    for text, path in ((found, None), (given, ((0, 1), (0, 1)))):
        with pytest.raises(tc.UnsupportedError) as caught:
            dist.plan(*chain, memory_limit=64, path=path)
        assert str(caught.value) == text
    text = "slices asks for 33554432, but there are 16777216 at most"
    for slices in (1 << 25, {"i": 1 << 14, "k": 1 << 11}):
        with pytest.raises(ValueError) as caught:
            dist.plan(*chain, path=((0, 1), (0, 1)), slices=slices)
        assert str(caught.value) == text
    # As many as there may be.
    plan = dist.plan(*chain, memory_limit=128, path=((0, 1), (0, 1)))
    assert plan.blocks * plan.terms == 1 << 24


def test_what_is_left():
    plan = dist.plan("ij,jk->ik", [np.ones((3, 5)), np.ones((5, 2))], slices={"i": 3, "j": 5})
    assert list(_what_is_left(plan, {})) == list(range(15))
    # Of the first block's five terms the first two, and of the last one's all but one.
    done = {0: [(Node(0, 1, 0), 0)], 2: [(Node(2, 2, 0), 1)]}
    assert _what_is_left(plan, done).tolist() == [2, 3, 4, 5, 6, 7, 8, 9, 14]
    assert _what_is_left(plan, {block: [(Node(block, 3, 0), 0)] for block in range(3)}).size == 0
