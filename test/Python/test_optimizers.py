# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders by optimizers and trees of other libraries, and what bounds the model's own."""

import re

import numpy as np
import opt_einsum
import pytest

import tc
from tc._einsum import program
from tc._einsum.call import Options
from tc._order import search

from seeds import SEED

SPEC = "ab,bc,cd,de,ea->"
EXTENTS = dict(a=7, b=12, c=5, d=11, e=3)


class Tree:
    """A tree as cotengra has it: `ContractionTree` has these members."""

    def __init__(self, spec, extents, path, sliced=()):
        inputs, output = spec.split("->")
        # Its own names of indices.
        self.inputs = [tuple(2 * x for x in term) for term in inputs.split(",")]
        self.output = tuple(2 * x for x in output)
        self.size_dict = {2 * x: extent for x, extent in extents.items()}
        self.sliced_inds = dict.fromkeys(2 * x for x in sliced)
        self.path = path

    def get_path(self):
        return self.path


class Searching:
    """An optimizer of cotengra's, whose trees have slices."""

    def search(self, inputs, output, size_dict):
        self.inputs, self.output = inputs, output
        letters = [x for term in inputs for x in term]
        tree = Tree("a->", {}, [(0, 1), (0, 3), (0, 2), (0, 1)])
        tree.inputs, tree.size_dict = inputs, size_dict
        tree.sliced_inds = {letters[1]: None}
        return tree

    def __call__(self, inputs, output, size_dict, memory_limit=None):
        raise AssertionError("the tree has slices, which a path has not")


@pytest.fixture
def arrays():
    rng = np.random.default_rng(SEED)
    inputs = SPEC.split("->", maxsplit=1)[0].split(",")
    return [rng.uniform(-1, 1, [EXTENTS[x] for x in term]) for term in inputs]


def check(result, arrays, spec=SPEC):
    expected = np.einsum(spec, *arrays)
    magnitude = np.einsum(spec, *map(abs, arrays))
    assert (abs(result - expected) <= 1e-13 * magnitude).all()


def test_optimizers(arrays):
    asked = []

    def optimizer(inputs, output, size_dict, memory_limit=None):
        asked.append((inputs, output, size_dict, memory_limit))
        return [(1, 2), (0, 3), (0, 2), (0, 1)]

    for _ in range(3):
        check(tc.einsum(SPEC, *arrays, optimize=optimizer), arrays)
    # It is asked once, as opt_einsum asks.
    ((inputs, output, sizes, limit),) = asked
    assert output == frozenset() and limit is None and all(type(x) is frozenset for x in inputs)
    assert [sorted(sizes[x] for x in term) for term in inputs] == [
        sorted(array.shape) for array in arrays
    ]
    path, text = tc.einsum_path(SPEC, *arrays, optimize=optimizer)
    assert path[1:] == [(1, 2), (0, 3), (0, 2), (0, 1)] and "function" in text
    for known in (opt_einsum.RandomGreedy(max_repeats=4), opt_einsum.DynamicProgramming()):
        check(tc.einsum(SPEC, *arrays, optimize=known), arrays)
        check(tc.einsum(SPEC, *[x[::1, ::-1] for x in arrays], optimize=known),
              [x[::1, ::-1] for x in arrays])  # fmt: skip
    # Of two operands, there is nothing to ask.
    tc.einsum("ab,bc", *arrays[:2], optimize=optimizer)
    assert len(asked) == 1


@pytest.mark.parametrize("spec, sliced", [(SPEC, ""), (SPEC, "c"), ("ab,bc,cd,de,fa->f", "fc")])
def test_trees(arrays, spec, sliced):
    extents = {**EXTENTS, "f": EXTENTS["e"]}
    tree = Tree(spec, extents, [(1, 2), (0, 3), (0, 2), (0, 1)], sliced)
    check(tc.einsum(spec, *arrays, optimize=tree), arrays, spec)
    check(tc.einsum(spec, *arrays, optimize=tree), arrays, spec)
    out = np.ones([extents[x] for x in spec.split("->")[1]])
    tc.einsum(spec, *arrays, out=out, alpha=2, beta=3, optimize=tree)
    check((out - 3) / 2, arrays, spec)


def test_optimizers_with_slices(arrays):
    optimizer = Searching()
    check(tc.einsum(SPEC, *arrays, optimize=optimizer), arrays)
    assert len(optimizer.inputs) == 5 and optimizer.output == ()
    # Index b, of 12 values, is the second one of the first operand.
    order = search.find_order(
        *([x for x in (program.parse(SPEC, (2,) * 5), tuple(x.shape for x in arrays))]),
        ["float64"] * 5, optimizer, search.Machine("cpu", 0, "plus_times", None),
    )  # fmt: skip
    assert order.slices == (("b", 12, 1),)


class Unhashable(Tree):
    __hash__ = None


@pytest.mark.parametrize("error, message, optimize", [
    (ValueError, "^the tree has 2 operands, but there are 5$",
     Tree("ab,bc->ac", EXTENTS, [(0, 1)])),
    (ValueError, "^operand 1 of the tree has 3 indices, but 2 axes$",
     Tree("ab,bcd,cd,de,ea->", EXTENTS, [])),
    (ValueError, "^index 'aa' of the tree is 'a' and 'e' of the operands$",
     Tree("ab,bc,cd,da,ea->", EXTENTS, [])),
    (ValueError, "^index 'cc' of the tree has 6 values, but 'c' 5$",
     Tree(SPEC, {**EXTENTS, "c": 6}, [])),
    (ValueError, "^two indices of the tree are one of the operands'$",
     Tree("ab,bc,cd,de,eg->", {**EXTENTS, "g": 7}, [])),
    (ValueError, "^the path leaves 4 operands", Tree(SPEC, EXTENTS, [(0, 1)])),
    (ValueError, "^step 0 of the path names operand 7, but there are 5$", lambda *_: [(0, 7)]),
    (TypeError, "^a position of the optimizer's path is 0.5, which is no integer$",
     lambda *_: [(0.5, 1)]),
    (TypeError, "^optimize is a Unhashable, which has no hash$", Unhashable(SPEC, EXTENTS, [])),
    (TypeError, "^optimize is neither True nor False, .* an optimizer or a tree, but 0.5$", 0.5),
    (TypeError, "^optimize is neither True nor False, ", opt_einsum.RandomGreedy),
])  # fmt: skip
def test_errors(arrays, error, message, optimize):
    for call in (tc.einsum, tc.einsum_path):
        with pytest.raises(error, match=message):
            call(SPEC, *arrays, optimize=optimize)


def test_a_limit_that_does_not_bind_costs_nothing(arrays):
    """The program is the one without a limit."""
    shapes = tuple(x.shape for x in arrays)
    rooms = [
        program.find_program(SPEC, shapes, arrays[0].dtype, Options(memory_limit=limit))[3]
        for limit in (None, 1 << 20, -1)
    ]
    assert rooms[0] > 0 and len(set(rooms)) == 1
    for limit in (1 << 20, -1):
        assert tc.einsum(SPEC, *arrays, memory_limit=limit) == tc.einsum(SPEC, *arrays)


@pytest.mark.parametrize("spec, shapes, limit", [
    ("ij,jk,kl->il", [(37, 41), (41, 53), (53, 29)], 2048),
    # Summed indices, with a shorter last part of both kinds.
    ("ij,jk,kl,li->", [(17, 13), (13, 19), (19, 11), (11, 17)], 640),
    ("ij,ij,jk->ik", [(31, 23), (31, 23), (23, 7)], 1024),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "complex64", "int64"])
def test_slices_are_one_call_of_native_code(spec, shapes, limit, dtype):
    rng = np.random.default_rng(SEED)
    operands = [rng.integers(-9, 10, shape).astype(dtype) for shape in shapes]
    asked = Options(memory_limit=limit, specialize="never")
    run, _, _, room, _ = program.find_program(spec, tuple(shapes), np.dtype(dtype), asked)
    assert run is not None and 0 < room <= limit
    whole = program.find_program(spec, tuple(shapes), np.dtype(dtype), Options())[3]
    assert whole > limit
    expected = np.einsum(spec, *operands)
    for _ in range(2):
        result = tc.einsum(spec, *operands, memory_limit=limit, specialize="never")
        assert (result == expected).all()
    out = np.full(np.shape(expected), 5, dtype)
    tc.einsum(spec, *operands, out=out, alpha=2, beta=3, memory_limit=limit, specialize="never")
    assert (out == 2 * expected + 15).all()


def test_the_default_limit(monkeypatch):
    machine = search.default_memory_limit()
    assert 1 << 20 < machine < 1 << 50
    rng = np.random.default_rng(SEED)
    shapes = [(30, 41), (41, 50), (50, 20), (20, 30)]
    arrays = [rng.uniform(-1, 1, shape) for shape in shapes]
    spec = "ij,jk,kl,li->"
    monkeypatch.setattr("tc._einsum.einsum._call_plain", lambda *arguments: None)
    monkeypatch.setattr(program, "LARGE_WORKSPACE", 0)
    monkeypatch.setattr(search, "default_memory_limit", lambda: 1000)
    monkeypatch.setattr(program, "default_memory_limit", lambda: 1000)
    tc.clear_cache()
    assert re.search(r"\d slices: ", tc.einsum_path(spec, *arrays)[1])
    assert " slices: " not in tc.einsum_path(spec, *arrays, memory_limit=-1)[1]
    check(tc.einsum(spec, *arrays), arrays, spec)
    *_, room, _ = program.find_program(spec, tuple(shapes), arrays[0].dtype, Options())
    assert room <= 1000
    # A limit that cannot be kept is not, as nobody has asked for it.
    monkeypatch.setattr(search, "default_memory_limit", lambda: 7)
    monkeypatch.setattr(program, "default_memory_limit", lambda: 7)
    tc.clear_cache()
    search._search.cache_clear()
    check(tc.einsum(spec, *arrays), arrays, spec)
    assert " slices: " not in tc.einsum_path(spec, *arrays)[1]
    tc.clear_cache()


def test_the_most_elements_of_what_is_between():
    """NumPy multiplies all that is left at once where a pair's product would have more."""
    rng = np.random.default_rng(SEED)
    shapes = [(2, 40), (40, 3), (3, 50), (50, 2)]
    arrays = [rng.uniform(-1, 1, shape) for shape in shapes]
    spec = "ij,jk,kl,lm->im"
    path = np.einsum_path(spec, *arrays, optimize=("greedy", 4))[0]
    assert max(map(len, path[1:])) > 2
    for most in (4, 5, 1000):
        check(tc.einsum(spec, *arrays, optimize=("greedy", most)), arrays, spec)
    path, text = tc.einsum_path(spec, *arrays, optimize=("greedy", 4))
    assert all(len(step) == 2 for step in path[1:]) and "32 B of temporaries" in text


def test_search_seconds():
    """A longer search finds no worse an order, and each is found again."""
    count = 24
    rng = np.random.default_rng(SEED)
    ends = rng.permutation(np.repeat(np.arange(count), 4)).reshape(-1, 2)
    terms = [[] for _ in range(count)]
    for bond, pair in enumerate(ends):
        if pair[0] != pair[1]:
            for end in pair:
                terms[end].append(bond)
    operands = [x for term in terms for x in (np.broadcast_to(1.0, (3,) * len(term)), term)]
    found = [tc.einsum_path(*operands, [], search_seconds=x) for x in (0, 0, 0.5, 0.5)]
    assert found[0] == found[1] and found[2] == found[3]

    def time_of(text):
        number, unit = re.search(r"cpu: ([\d.e+]+) (\w+) predicted", text).groups()
        return float(number) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[unit]

    assert time_of(found[2][1]) <= time_of(found[0][1])


@pytest.mark.parametrize("error, message, options", [
    (ValueError, "^search_seconds is -1, but must be from 0 to 3600$", {"search_seconds": -1}),
    (ValueError, "^search_seconds is nan, but must be", {"search_seconds": float("nan")}),
    (TypeError, "^search_seconds is '1', which is no number$", {"search_seconds": "1"}),
    (TypeError, "^search_seconds is True, which is no number$", {"search_seconds": True}),
    (ValueError, "^there is a search_seconds, which only the order that the model finds keeps: ",
     {"search_seconds": 1, "optimize": "greedy"}),
])  # fmt: skip
def test_errors_of_search_seconds(arrays, error, message, options):
    for call in (tc.einsum, tc.einsum_path):
        with pytest.raises(error, match=message):
            call(SPEC, *arrays, **options)


def test_search_seconds_of_programs():
    text = "i = 4, j = 5, k = 6, l = 7\nD[i,l] = A[i,j] * B[j,k] * C[k,l]"
    rng = np.random.default_rng(SEED)
    a, b, c = (rng.uniform(-1, 1, shape) for shape in [(4, 5), (5, 6), (6, 7)])
    made = tc.compile_program(text, search_seconds=0.1)(A=a, B=b, C=c)
    np.testing.assert_allclose(made, a @ b @ c, rtol=1e-12, atol=1e-13)
    with pytest.raises(ValueError, match="^search_seconds is -1, but must be from 0 to 3600$"):
        tc.compile_program(text, search_seconds=-1)
