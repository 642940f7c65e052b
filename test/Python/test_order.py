# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which many operands are contracted."""

import concurrent.futures
import json
import random
import re
import time
import weakref

import numpy as np
import opt_einsum
import pytest

import tc
import tc.distributed as dist
from tc import _native
from tc._arrays.layout import ELEMENT_TYPES, Layout
from tc._einsum import pairs, program
from tc._einsum.call import Arrays, Options
from tc._notation.subscripts import Subscripts
from tc._order.path import Order

from seeds import SEED

CHAIN = "ij,jk,k->i"
CHAIN_SHAPES = [(300, 400), (400, 500), (500,)]


def ones(shapes, dtype="float64"):
    """Arrays of these shapes that take no memory."""
    return [np.broadcast_to(np.ones((), dtype), shape) for shape in shapes]


def draw(rng, operands):
    """Subscripts and shapes of a random network: traces, indices of one operand and
    of many, extents of one that are broadcast, operands without indices."""
    labels = "abcdefghij"[: operands + rng.randint(0, 2)]
    extents = {label: rng.randint(1, 4) for label in labels}
    terms = [rng.choices(labels, k=rng.randint(0, 3)) for _ in range(operands)]
    used = sorted(set().union(*terms))
    result = rng.sample(used, rng.randint(0, min(3, len(used))))
    shapes = []
    for term in terms:
        sizes = {x: 1 if rng.random() < 0.1 else extents[x] for x in set(term)}
        shapes.append(tuple(sizes[label] for label in term))
    return ",".join(map("".join, terms)) + "->" + "".join(result), shapes


def check_path(path, operands):
    """That it contracts all operands, two at a time."""
    name, *steps = path
    assert name == "einsum_path" and len(steps) == operands - 1
    for left, step in zip(range(operands, 1, -1), steps):
        assert len(set(step)) == 2 and all(0 <= position < left for position in step)


def check_close(result, expected, magnitude):
    assert np.shape(result) == expected.shape
    assert (abs(result - expected) <= 1e-13 * magnitude).all()


@pytest.mark.parametrize("number", range(40))
def test_random_networks(number):
    rng = random.Random(SEED + number)
    subscripts, shapes = draw(rng, 3 + number % 6)
    drawn = f"SEED {SEED}, {subscripts}, {shapes}"
    print(drawn)
    numbers = np.random.default_rng(SEED + number)
    arrays = [numbers.uniform(-1, 1, shape) for shape in shapes]
    expected = np.einsum(subscripts, *arrays)
    magnitude = np.einsum(subscripts, *map(abs, arrays))
    path, text = tc.einsum_path(subscripts, *arrays)
    check_path(path, len(shapes))
    assert text.startswith(f"order of {len(shapes)} tensors for cpu: ")
    assert all(f"- input {i} [" in text for i in range(len(shapes)))
    theirs, _ = np.einsum_path(subscripts, *arrays, optimize="greedy")
    mine, _ = opt_einsum.contract_path(subscripts, *arrays, optimize="random-greedy")
    # Each takes its time to compile.
    orders = rng.sample([False, "greedy", path, path[1:], theirs, mine], 2)
    for optimize in (True, *orders):
        for specialize in ("always", "auto", "never"):
            result = tc.einsum(
                subscripts, *arrays, optimize=optimize, threads=1, specialize=specialize
            )
            check_close(result, expected, magnitude)


@pytest.mark.parametrize("target", ["cpu", "sm_80", "sm_90"])
def test_the_tree_is_drawn(target):
    path, text = tc.einsum_path(CHAIN, *ones(CHAIN_SHAPES), target=target)
    assert path == ["einsum_path", (1, 2), (0, 1)]
    lines = text.splitlines()
    head = rf"order of 3 tensors for {target}: [\d.]+ [num]?s predicted, 3.125 KiB of temporaries"
    assert re.fullmatch(head, lines[0])
    assert [line[2:].split("  ")[0] for line in lines[1:6]] == [
        "[i]", "|- input 0 [i, j]", "`- [j]", "", "",
    ]
    assert lines[4] == "     |- input 1 [j, k]" and lines[5] == "     `- input 2 [k]"
    assert lines[6].startswith("  (0 (1 2)) is the best of all 3 trees; ")


def test_fewer_than_three_operands():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    assert tc.einsum_path("ij->ji", a)[0] == ["einsum_path", (0,)]
    assert tc.einsum_path("ij,jk", a, b)[0] == ["einsum_path", (0, 1)]
    assert tc.einsum_path("ij,jk", a, b, optimize=False)[0] == ["einsum_path", (0, 1)]
    for optimize in (True, False, "greedy", [(0, 1)], ["einsum_path", (1, 0)]):
        assert (tc.einsum("ij,jk", a, b, optimize=optimize) == a @ b).all()
    for optimize in (True, False, "optimal", [(0,)], []):
        assert (tc.einsum("ij->ji", a, optimize=optimize) == a.T).all()
    # There are no temporaries.
    assert (tc.einsum("ij,jk", a, b, memory_limit=0) == a @ b).all()
    assert "0 B of temporaries" in tc.einsum_path("ij,jk", a, b, memory_limit=0)[1]


def test_what_operands_may_be():
    path, _ = tc.einsum_path(CHAIN, [[1, 2]], [[3], [4]], [5])
    check_path(path, 3)
    a, b, c = np.ones((7, 2, 3)), np.ones((3, 4)), np.ones((1, 4))
    path, text = tc.einsum_path("...ij,jk,...k->...i", a, b, c)
    check_path(path, 3)
    result = tc.einsum("...ij,jk,...k->...i", a, b, c, optimize=path)
    assert result.shape == (7, 2) and (result == 12).all()
    empty = [np.ones((2, 0)), np.ones((0, 3)), np.ones((3, 4))]
    check_path(tc.einsum_path("ij,jk,kl", *empty)[0], 3)
    for optimize in (True, False, "greedy", "optimal", "dp", [(1, 2), (0, 1)]):
        result = tc.einsum("ij,jk,kl", *empty, optimize=optimize)
        assert result.shape == (2, 4) and not result.any()


@pytest.mark.parametrize(
    "dtypes, width",
    [
        (["float16"] * 3, 4),
        (["int8", "int8", "int64"], 8),
        (["float32", "float64", "float16"], 8),
        (["float32", "complex64", "float32"], 8),
        (["complex128"] * 3, 16),
    ],
)
@pytest.mark.parametrize("target", ["cpu", "sm_90"])
def test_temporaries_have_the_dtype_of_sums(dtypes, width, target):
    arrays = [ones([shape], dtype)[0] for shape, dtype in zip(CHAIN_SHAPES, dtypes)]
    kibibytes = 400 * width / 1024
    _, text = tc.einsum_path(CHAIN, *arrays, target=target)
    assert f", {kibibytes:.4g} KiB of temporaries" in text


def test_dtypes_in_each_order():
    rng = np.random.default_rng(SEED)
    arrays = [
        rng.integers(-100, 100, shape).astype(dtype)
        for shape, dtype in zip([(5, 6), (6, 7), (7, 8)], ["int8", "int8", "int64"])
    ]
    expected = np.einsum("ij,jk,kl->il", *(x.astype("int64") for x in arrays))
    for optimize in (True, False, [(1, 2), (0, 1)], [(0, 2), (0, 1)], [(2, 0, 1)]):
        result = tc.einsum("ij,jk,kl->il", *arrays, optimize=optimize)
        assert result.dtype == "int64" and (result == expected).all(), optimize


def test_what_goes_with_operands_goes_along():
    rng = np.random.default_rng(SEED)
    a, b, c = (rng.uniform(1, 2, shape) for shape in [(3, 4), (4, 5), (5, 6)])
    bias, old = rng.uniform(1, 2, 6), rng.uniform(1, 2, (3, 6))
    expected = 2 * (a + 1) @ b @ (c * 3) + old + bias
    between = (a[:, :, None, None] + b[:, :, None] + c).min(axis=(1, 2))
    for optimize in (True, False, "optimal", [(2, 1), (1, 0)], [(0,), (0, 2), (1, 0)]):
        out = old.copy()
        tc.einsum(
            "ij,jk,kl->il", a, b, c, out=out, alpha=2, beta=1, optimize=optimize,
            prologues=["x + 1", None, "3 * x"], epilogue="x + bias[l]",
            auxiliaries={"bias": bias},
        )  # fmt: skip
        np.testing.assert_allclose(out, expected, rtol=1e-13)
        tropical = tc.einsum("ij,jk,kl->il", a, b, c, semiring="min_plus", optimize=optimize)
        np.testing.assert_allclose(tropical, between, rtol=1e-15)


def find(subscripts, shapes, **options):
    options = {key.replace("_", "-"): str(value) for key, value in options.items()}
    found = _native.find_order(subscripts, ELEMENT_TYPES["float64"], shapes, options)
    return json.loads(found)


@pytest.mark.parametrize("operands", [5, 7, 16])
@pytest.mark.parametrize("target", ["cpu", "sm_90"])
def test_memory_limit(operands, target):
    """Of a chain of matrices, whose temporaries are matrices or vectors."""
    rng = random.Random(SEED)
    extents = [rng.randint(2, 40) for _ in range(operands + 1)]
    print(f"SEED {SEED}: {extents}")
    labels = "abcdefghijklmnopq"
    subscripts = ",".join(labels[i : i + 2] for i in range(operands))
    subscripts += f"->{labels[0]}{labels[operands]}"
    shapes = list(zip(extents, extents[1:]))
    peak = find(subscripts, shapes, target=target)["peak_bytes"]
    limits = 0
    while True:
        try:
            found = find(subscripts, shapes, target=target, memory_limit=int(peak) - 1)
        except tc.UnsupportedError as error:
            assert f"{int(peak) - 1} B" in str(error)
            break
        assert found["peak_bytes"] < peak
        peak = found["peak_bytes"]
        limits += 1
    assert limits < 200
    limit = int(peak)
    path, _ = tc.einsum_path(subscripts, *ones(shapes), target=target, memory_limit=limit)
    found = find(subscripts, shapes, target=target, memory_limit=limit, slices="all")
    assert path[1:] == list(map(tuple, found["path"]))
    if target == "cpu":
        numbers = np.random.default_rng(SEED)
        arrays = [numbers.uniform(-1, 1, shape) for shape in shapes]
        result = tc.einsum(subscripts, *arrays, memory_limit=limit)
        magnitude = np.linalg.multi_dot([abs(array) for array in arrays])
        check_close(result, np.linalg.multi_dot(arrays), magnitude)


def record_peaks(monkeypatch, shape):
    """A list that gets the bytes of the arrays that are alive whenever one is made,
    but for those of that shape."""
    alive, peaks, empty = [], [0], np.empty

    def make(wanted, dtype):
        array = empty(wanted, dtype)
        if array.shape != shape:
            alive.append((array.nbytes, weakref.ref(array)))
            peaks.append(sum(size for size, made in alive if made() is not None))
        return array

    monkeypatch.setattr(np, "empty", make)
    return peaks


@pytest.mark.parametrize("number", range(24))
def test_slices_of_random_networks(monkeypatch, number):
    """Within any limit that is possible, with each kind of factor and sum."""
    rng = random.Random(SEED + number)
    drawn, shapes = draw(rng, 3 + number % 4)
    dtype = rng.choice(["float64", "float32", "complex64", "complex128", "int64"])
    semiring = rng.choice(["plus_times", "plus_times", "min_plus", "max_min"])
    if dtype.startswith("complex"):
        semiring = "plus_times"
    numbers = np.random.default_rng(SEED + number)
    arrays = [numbers.integers(-4, 5, shape).astype(dtype) for shape in shapes]
    if dtype.startswith("complex"):
        arrays = [x + 1j * numbers.integers(-4, 5, x.shape).astype(dtype) for x in arrays]
    least = rng.choice([1, 2, 2, 5]) * np.dtype(dtype).itemsize
    limit = max(least, (1 if len(shapes) == 3 else 2) * np.dtype(dtype).itemsize)
    print(f"SEED {SEED}, {drawn}, {shapes}, {dtype}, {semiring}, {limit}")
    options = {"semiring": semiring, "memory_limit": limit}
    path, text = tc.einsum_path(drawn, *arrays, **options)
    check_path(path, len(shapes))
    expected = tc.einsum(drawn, *arrays, semiring=semiring)
    if semiring == "plus_times":
        # Of integers, which nothing rounds.
        assert (expected == np.einsum(drawn, *arrays)).all()
    peaks = record_peaks(monkeypatch, np.shape(expected))
    result = tc.einsum(drawn, *arrays, threads=1, **options)
    assert result.dtype == dtype and (result == expected).all()
    # Arrays of the result's shape are not counted.
    assert max(peaks) <= limit
    old = numbers.integers(-4, 5, np.shape(expected)).astype(dtype)
    out = old.copy()
    if semiring == "plus_times":
        tc.einsum(drawn, *arrays, out=out, alpha=2, beta=3, threads=1, **options)
        assert (out == 2 * expected + 3 * old).all()
    else:
        one = {"min_plus": 0}.get(semiring, np.inf)
        if dtype == "int64" and semiring == "max_min":
            one = np.iinfo("int64").max
        tc.einsum(drawn, *arrays, out=out, beta=one, threads=1, **options)
        combine = np.minimum if semiring == "min_plus" else np.maximum
        assert (out == combine(expected, old)).all()


def test_slices_are_told():
    shapes = [(300, 400), (400, 500), (500,)]
    path, text = tc.einsum_path(CHAIN, *ones(shapes), target="sm_90", memory_limit=1600)
    assert path == ["einsum_path", (1, 2), (0, 1)]
    assert "\n  2 slices: [j] in 2 parts of 200\n" in text
    assert re.search(r"\n  1 times the products and [\d.]+ times the time of \(0 \(1 2\)\) ", text)
    found = find(CHAIN, shapes, target="sm_90", memory_limit=1600, slices="all")
    assert found["slices"] == [{"index": "j", "parts": 2, "length": 200}]
    assert found["products_ratio"] == 1 and found["seconds_ratio"] > 1
    # Without a limit, there are none.
    found = find(CHAIN, shapes, target="sm_90", slices="all")
    assert found["slices"] == [] and "seconds_ratio" not in found


def test_what_slices_leave_whole():
    """Sums that an epilogue needs, or that the result would round; and results that
    auxiliary tensors go with."""
    rng = np.random.default_rng(SEED)
    a, b, c = (rng.uniform(1, 2, shape) for shape in [(12, 40), (40, 41), (41, 13)])
    expected, spec = a @ b @ c, "ij,jk,kl->il"
    limit = 8 * 3 * 41
    result = tc.einsum(spec, a, b, c, memory_limit=limit, epilogue="sqrt(x)")
    np.testing.assert_allclose(result, np.sqrt(expected), rtol=1e-12)
    out = np.ones((12, 13))
    tc.einsum(spec, a, b, c, out=out, memory_limit=limit, epilogue="x + 2 * c")
    np.testing.assert_allclose(out, expected + 2, rtol=1e-12)
    out = np.zeros((12, 13), "float16")
    halves = [x.astype("float16") for x in (a, b, c)]
    tc.einsum(spec, *halves, out=out, memory_limit=4 * 3 * 41)
    exact = np.linalg.multi_dot([x.astype("float32") for x in halves])
    assert (abs(out - exact) <= 2**-10 * exact).all()
    for call in (
        {"epilogue": "sqrt(x)"},
        {"alpha": 2, "semiring": "min_plus"},
    ):
        with pytest.raises(tc.UnsupportedError, match="^the temporaries take 320 B at least"):
            tc.einsum(spec, a, b, c, memory_limit=319, **call)
    bias = {"epilogue": "x + bias[l]", "auxiliaries": {"bias": np.ones(13)}}
    with pytest.raises(tc.UnsupportedError, match="^the temporaries of every order take more"):
        tc.einsum(spec, a, b, c, memory_limit=limit, **bias)


@pytest.mark.parametrize("optimize", [True, False])
def test_temporaries_live_as_long_as_is_said(monkeypatch, optimize):
    """By what is alive when an array is made."""
    subscripts, shapes = "ij,jk,kl,lm,mn->in", [(64, 65), (65, 66), (66, 67), (67, 68), (68, 5)]
    arrays = [np.ones(shape) for shape in shapes]
    # Of a view with gaps that is not copied, each pair is a call, whose temporary is an array.
    monkeypatch.setattr(program, "_MOST_COPIED", 0)
    arrays[0] = np.ones((64, 130))[:, ::2]
    alive, peak, empty = [], [], np.empty

    def make(shape, dtype):
        array = empty(shape, dtype)
        alive.append((array.nbytes, weakref.ref(array)))
        peak.append(sum(size for size, made in alive if made() is not None))
        return array

    monkeypatch.setattr(np, "empty", make)
    result = tc.einsum(subscripts, *arrays, optimize=optimize)
    # The result is the caller's.
    peak[-1] -= result.nbytes
    if optimize is True:
        assert max(peak) == find(subscripts, shapes)["peak_bytes"]
    else:
        assert max(peak) == 8 * 64 * (67 + 68)


def test_json_that_is_long():
    """More than the 64 KiB that are taken to do."""
    labels = ",".join(f"a{'x' * 60}{i:02}" for i in range(64))
    subscripts = ",".join([f"[{labels}]"] * 8) + f"->[{labels}]"
    found = find(subscripts, [(1,) * 64] * 8, target="sm_90")
    assert len(json.dumps(found)) > 1 << 16
    check_path(["einsum_path", *found["path"]], 8)


def test_all_predicted_is_said():
    found = find(CHAIN, CHAIN_SHAPES, target="sm_90")
    assert found["path"] == [[1, 2], [0, 1]] and found["indices"] == [["j"], ["i"]]
    assert found["seconds"] == pytest.approx(sum(found["step_seconds"]))
    assert 0 < found["lower_bound_seconds"] <= found["seconds"]
    assert found["peak_bytes"] == 3200 and found["is_exact"]


@pytest.mark.parametrize("error, message, options", [
    (TypeError, "^optimize is neither True nor False, nor the name of a strategy of "
     "opt_einsum, nor a path, an optimizer or a tree, but 3.5$", {"optimize": 3.5}),
    (TypeError, "or a tree, but 1$", {"optimize": 1}),
    (ValueError, "^opt_einsum has no strategy 'fast' to find an order$", {"optimize": "fast"}),
    (ValueError, "^a path begins with 'einsum_path' or with a step$",
     {"optimize": ["greedy", (0, 1), (0, 1)]}),
    (TypeError, "^step 1 of the path is 0, not positions of operands$",
     {"optimize": [(0, 1), 0]}),
    (TypeError, "^a position of step 0 of the path is 1.0, which is no integer$",
     {"optimize": [(0, 1.0)]}),
    (ValueError, "^step 1 of the path names no operand$", {"optimize": [(0, 1), ()]}),
    (ValueError, "^step 1 of the path names operand 2, but there are 2$",
     {"optimize": [(0, 1), (0, 2)]}),
    (ValueError, "^step 0 of the path names operand -1, but there are 3$",
     {"optimize": [(0, -1), (0, 1)]}),
    (ValueError, "^step 0 of the path names an operand twice$",
     {"optimize": [(1, 1), (0, 1)]}),
    (ValueError, "^the path leaves 2 operands that are not contracted$",
     {"optimize": [(0, 1)]}),
    (ValueError, "^the path leaves 3 operands that are not contracted$",
     {"optimize": ["einsum_path"]}),
    (ValueError, "^there is a memory_limit, which only the order that the model finds "
     "keeps: optimize is not True$", {"optimize": "greedy", "memory_limit": 5}),
    (ValueError, "^memory_limit is -2, but must not be negative, unless it is -1: no limit$",
     {"memory_limit": -2}),
    (ValueError, "^memory_limit is -9223372036854775808, but must not be negative, unless it is -1: no limit$",
     {"memory_limit": -(2**63)}),
    (TypeError, "^memory_limit is 1.5, which is no integer$", {"memory_limit": 1.5}),
    (ValueError, "^memory_limit is 9223372036854775808, which does not fit 64 bits$",
     {"memory_limit": 2**63}),
    (tc.UnsupportedError, "^the temporaries take 8 B at least, whatever they are cut into, "
     "more than 7 B$", {"memory_limit": 7}),
    (ValueError, "^threads is -1, but must be from 0 to 65536$", {"threads": -1}),
    (ValueError, "^semiring max_times takes two operands", {"semiring": "max_times"}),
    (ValueError, "semiring", {"semiring": "plus_plus"}),
])  # fmt: skip
def test_errors(error, message, options):
    for call in (tc.einsum_path, tc.einsum):
        with pytest.raises(error, match=message):
            call(CHAIN, *ones(CHAIN_SHAPES), **options)


@pytest.mark.parametrize("optimize, error", [
    (3.5, TypeError), ([(0,)], ValueError), ([(0, 2)], ValueError), ([("a", "b")], TypeError),
])  # fmt: skip
def test_errors_of_two_operands(optimize, error):
    for call in (tc.einsum_path, tc.einsum):
        with pytest.raises(error, match="path"):
            call("ij,jk", np.ones((2, 2)), np.ones((2, 2)), optimize=optimize)


def test_errors_of_paths():
    a = np.ones((2, 3))
    with pytest.raises(ValueError, match="^there is no operand$"):
        tc.einsum_path("->")
    with pytest.raises(TypeError, match="^subscripts are no text"):
        tc.einsum_path(a, a)
    with pytest.raises(ValueError, match="name 2 operands, but 3 are given"):
        tc.einsum_path("ij,jk", a, a, a)
    with pytest.raises(ValueError, match="^index 'j' has extent 3 in axis 1 of operand 0 and 2"):
        tc.einsum_path("ij,jk,kl", a, a, a)
    with pytest.raises(ValueError, match="^option 'target': "):
        tc.einsum_path("ij,ij,ij", a, a, a, target="sm_1")
    with pytest.raises(TypeError, match="dtype"):
        tc.einsum_path("ij,ij,ij", *[a.astype("longdouble")] * 3)


def test_dynamic_shapes_keep_the_order(monkeypatch):
    """That of the first shapes, unless memory is limited; wherever shapes fit."""
    given = []
    monkeypatch.setattr(pairs, "find_order", lambda *args: given.append(args[1]) or found)
    subscripts = Subscripts((("i", "j"), ("j", "k"), ("k",)), ("i",))
    found = Order(((0, 1, 2),), None, "")
    arrays = Arrays((), None, {}, None, None)
    tc.clear_cache()
    for limit, times in ((None, 1), (1 << 20, 3)):
        given.clear()
        options = Options(memory_limit=limit, dynamic_shapes=True)
        for n in (4, 5, 6):
            layouts = [Layout.of(np.ones(shape)) for shape in ((n, n), (n, n), (n,))]
            assert pairs.find_pairs(subscripts, layouts, "sm_90", options, arrays) is found
        assert given == [((n, n), (n, n), (n,)) for n in (4, 5, 6)][:times]
    misfit = [Layout.of(np.ones(shape)) for shape in ((4, 4), (5, 4), (4,))]
    options = Options(dynamic_shapes=True)
    with pytest.raises(ValueError, match="^index 'j' has extent 4"):
        pairs.find_pairs(subscripts, misfit, "sm_90", options, arrays)
    tc.clear_cache()


def test_threads():
    """Many at once look for orders, the same and others."""
    numbers = np.random.default_rng(SEED)
    networks = [draw(random.Random(SEED + i), 6) for i in range(6)]
    networks = [
        (subscripts, [numbers.uniform(-1, 1, shape) for shape in shapes])
        for subscripts, shapes in networks
    ]

    def work(number):
        subscripts, arrays = networks[number % len(networks)]
        path, _ = tc.einsum_path(subscripts, *arrays, target="sm_80")
        check_path(path, 6)
        result = tc.einsum(subscripts, *arrays, threads=1 + number % 2)
        magnitude = np.einsum(subscripts, *map(abs, arrays))
        check_close(result, np.einsum(subscripts, *arrays), magnitude)
        return path

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(work, range(48)))
    for number, path in enumerate(paths):
        assert path == paths[number % len(networks)]


def test_limits_that_ask_for_too_many_slices():
    """All doors refuse them, and say what would do."""
    chain = ",".join(chr(97 + i) + chr(98 + i) for i in range(20))
    arrays = [np.ones((10, 10), "float32")] * 20
    begin = time.monotonic()
    said = set()
    for call in (tc.einsum, tc.einsum_path, dist.plan):
        arguments = [arrays] if call is dist.plan else arrays
        with pytest.raises(tc.UnsupportedError) as raised:
            call(chain, *arguments, memory_limit=8)
        said.add(str(raised.value))
    statements = " * ".join(f"A{i}[{chr(97 + i)},{chr(98 + i)}]" for i in range(20))
    extents = ", ".join(f"{chr(97 + i)} = 10" for i in range(21))
    text = f"output C\n{extents}\ntype = f32\nC[a,u] = {statements}\n"
    for target in ("cpu", "sm_90"):
        with pytest.raises(tc.UnsupportedError, match="temporaries of 8 B ask for (over )?[0-9.e+]+ slices") as raised:
            tc.compile_program(text, target=target, memory_limit=8)
    assert time.monotonic() - begin < 120
    (text,) = said
    found = re.fullmatch(
        r"temporaries of 8 B ask for (?:over )?([0-9.e+]+) slices, and at most 16777216 are computed; (\d+) B would do", text
    )
    assert float(found[1]) > 1 << 24
    path, text = tc.einsum_path(chain, *arrays, memory_limit=int(found[2]))
    assert int(re.search(r"(\d+) slices", text)[1]) <= 1 << 24
