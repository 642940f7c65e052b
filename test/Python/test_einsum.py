# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers, against numpy.einsum in float64."""

import concurrent.futures
import random
from fractions import Fraction

import numpy as np
import opt_einsum
import pytest

import tc
from tc import _native

from seeds import numbered

# Of integers, whose sums are exact, nothing is rounded.
EPSILON = {
    "float64": 2.0**-52,
    "float32": 2.0**-23,
    "float16": 2.0**-10,
    "int32": 0,
    "int64": 0,
}


def check(result, subscripts, *arrays, alpha=1.0, old=None, beta=0.0):
    """Errors of a sum of K terms grow with its root; 32 leaves room."""
    wide = [np.asarray(array, "float64") for array in arrays]
    expected = alpha * np.einsum(subscripts, *wide)
    magnitude = abs(alpha) * np.einsum(subscripts, *map(abs, wide))
    if old is not None:
        expected = expected + beta * np.asarray(old, "float64")
        magnitude = magnitude + abs(beta * np.asarray(old, "float64"))
    epsilon = EPSILON[str(arrays[0].dtype)]
    assert result.dtype == arrays[0].dtype
    assert result.shape == expected.shape
    assert (abs(result - expected) <= 32 * epsilon * magnitude).all()


def view(rng, shape, dtype):
    """An array of random numbers that lies in memory in some way: permuted,
    reversed, with gaps, or repeated along an axis."""
    order = rng.sample(range(len(shape)), len(shape))
    gaps = [rng.choice((1, 1, 2, 3)) for _ in shape]
    base = np.random.default_rng(rng.randrange(1 << 30)).uniform(
        *((-9, 9) if dtype.startswith("int") else (-1, 1)),
        [shape[axis] * gap for axis, gap in zip(order, gaps)],
    )
    array = base.astype(dtype)[tuple(slice(None, None, gap) for gap in gaps)]
    array = array[tuple(slice(None, None, rng.choice((1, 1, -1))) for _ in shape)]
    array = array.transpose(np.argsort(order))
    if shape and rng.random() < 0.2:
        axis = rng.randrange(len(shape))
        array = np.broadcast_to(np.take(array, [0], axis), shape)
    assert array.shape == tuple(shape)
    return array


@pytest.mark.parametrize(
    "dtype, seed",
    [
        (dtype, seed)
        for dtype in EPSILON
        for seed in range(60 if dtype in ("float64", "float32") else 20)
    ],
)
def test_random(dtype, seed):
    rng = random.Random(numbered(seed))
    labels = "abcdef"[: rng.randint(1, 6)]
    extents = {label: rng.randint(1, 7) for label in labels}
    terms = ["", ""]
    for label in labels:
        for i in rng.choice(((0,), (1,), (0, 1))):
            terms[i] += label
    terms = ["".join(rng.sample(term, len(term))) for term in terms]
    kept = [label for label in labels if rng.random() < 0.6]
    subscripts = f"{terms[0]},{terms[1]}->{''.join(rng.sample(kept, len(kept)))}"
    arrays = [view(rng, [extents[x] for x in term], dtype) for term in terms]
    result = np.asarray(tc.einsum(subscripts, *arrays, threads=1))
    check(result, subscripts, *arrays)

    alpha, beta = rng.choice((1, -2.5)), rng.choice((0, 1, 0.5))
    if dtype.startswith("int"):
        alpha, beta = int(2 * alpha), int(2 * beta)
    shape = result.shape
    wide = np.full([2 * n for n in shape], 7, dtype)
    out = wide[(..., *(slice(0, n) for n in shape))]
    old = out.copy()
    returned = tc.einsum(
        subscripts, *arrays, out=out, alpha=alpha, beta=beta, threads=1
    )
    assert returned is out
    check(out, subscripts, *arrays, alpha=alpha, old=old, beta=beta)


@pytest.mark.parametrize(
    "dtypes",
    [
        ("float16", "float32"),
        ("float64", "float32"),
        ("float16", "float64"),
        ("int8", "int32"),
        ("int64", "int32"),
    ],
)
def test_mixed_dtypes(dtypes):
    wide = np.promote_types(*dtypes)
    for seed in range(8):
        rng = random.Random(numbered(seed))
        a, b = (view(rng, shape, d) for shape, d in zip(((5, 7), (7, 4)), dtypes))
        result = tc.einsum("ij,jk->ik", a, b, threads=1)
        check(result, "ij,jk->ik", a.astype(wide), b.astype(wide))
    compiled = tc.compile("ij,jk->ik", [(5, 7), (7, 4)], dtypes)
    assert compiled(np.ones((5, 7), dtypes[0]), np.ones((7, 4), dtypes[1])).dtype == wide
    assert "tc.contract" in compiled.mlir and "prologue" not in compiled.mlir


def test_mixed_dtypes_of_many():
    rng = np.random.default_rng(9)
    a, b = rng.integers(-100, 100, (2, 30, 30), "int8")
    c = rng.integers(-100, 100, (30, 30), "int64")
    # The product of a and b would wrap around in eight bits.
    expected = np.einsum("ij,jk,kl->il", a.astype("int64"), b.astype("int64"), c)
    result = tc.einsum("ij,jk,kl->il", a, b, c)
    assert result.dtype == "int64" and (result == expected).all()
    halves = (a / 128).astype("float16"), (b / 128).astype("float16")
    result = tc.einsum("ij,jk,kl->il", *halves, c.astype("float64"))
    check(result, "ij,jk,kl->il", *(x.astype("float64") for x in (*halves, c)))


def test_int8():
    rng = np.random.default_rng(8)
    a, b = rng.integers(-100, 100, (2, 30, 30), "int8")
    expected = np.einsum("ij,jk->ik", a.astype("int32"), b.astype("int32"))
    # As in NumPy, sums wrap around unless they are stored wider.
    assert (tc.einsum("ij,jk->ik", a, b) == expected.astype("int8")).all()
    out = np.empty((30, 30), "int32")
    assert (tc.einsum("ij,jk->ik", a, b, out=out) == expected).all()
    for half in (0.5, np.float32(0.5), np.array(0.5), Fraction(1, 2)):
        with pytest.raises(ValueError, match="^alpha: '0.5' is no int32$"):
            tc.einsum("ij,jk->ik", a, b, alpha=half)


ONE = {dtype: np.ones((1, 1), dtype) for dtype in ("int32", "int64", "float32")}


@pytest.mark.parametrize("factor", [2**53 + 1, -(2**63), 2**63 - 1, np.int64(3), 4.0])
def test_integers_are_exact(factor):
    a = ONE["int64"]
    expected = int(factor)
    assert tc.einsum("ij,jk->ik", a, a, alpha=factor)[0, 0] == expected
    assert tc.einsum("ij,jk->ik", a, 0 * a, out=a.copy(), beta=factor)[0, 0] == expected
    compiled = tc.compile("ij,jk->ik", [(1, 1)] * 2, "int64", alpha=factor)
    assert compiled(a, a)[0, 0] == expected


@pytest.mark.parametrize(
    "dtype, factor, message",
    [
        ("int32", 2**31, "'2147483648' is no int32"),
        ("int32", 1.5, "'1.5' is no int32"),
        ("int32", 1 + 1j, r"'1\+1i' is complex, which no int32 is"),
        ("int64", 2**63, "'9223372036854775808' is no int64"),
        ("int64", -(2**63) - 1, "nearly '-9223372036854775808' is no int64"),
        ("int64", 10**400, None),
        ("float32", 1e40, r"'1e\+40' is too large for float32"),
        ("float32", 2**200, r"'1.6069380442589903e\+60' is too large for float32"),
        ("float32", 1j, r"'0\+1i' is complex, which no float32 is"),
    ],
)
def test_factors_that_do_not_fit(dtype, factor, message):
    a = ONE[dtype]
    calls = (
        lambda: tc.einsum("ij,jk->ik", a, a, alpha=factor),
        lambda: tc.compile("ij,jk->ik", [(1, 1)] * 2, dtype, alpha=factor),
    )
    for call in calls:
        with pytest.raises(ValueError, match=message and f"^alpha: {message}$"):
            call()


def test_factors_beyond_doubles():
    a = ONE["int64"]
    with pytest.raises(ValueError, match="^alpha: an integer beyond all doubles is too large for int64$"):
        tc.einsum("ij,jk->ik", a, a, alpha=10**400)


def test_factors_that_are_no_numbers():
    with pytest.raises(TypeError, match="^alpha is 'two', which is no number$"):
        tc.einsum("ij,jk->ik", ONE["float32"], ONE["float32"], alpha="two")


@pytest.mark.parametrize("extent", [100, 257])
def test_large(extent):
    rng = np.random.default_rng(2)
    a, b = rng.uniform(-1, 1, (2, extent, extent))
    check(tc.einsum("ij,kj->ki", a, b), "ij,kj->ki", a, b)


def test_many_operands():
    rng = np.random.default_rng(3)
    shapes = [(4, 5, 6), (6, 7), (7, 3, 5), (3, 8), (8, 2)]
    subscripts = "abc,cd,deb,ef,fg->ga"
    arrays = [rng.uniform(-1, 1, shape) for shape in shapes]
    expected = np.einsum(subscripts, *arrays, optimize=True)
    np.testing.assert_allclose(tc.einsum(subscripts, *arrays), expected, rtol=1e-12)
    out = np.ones_like(expected)
    tc.einsum(subscripts, *arrays, out=out, alpha=2, beta=3)
    np.testing.assert_allclose(out, 2 * expected + 3, rtol=1e-12)


@pytest.mark.parametrize(
    "subscripts, shapes",
    [
        ("ij,jk,kl->il", [(5, 6), (6, 7), (7, 8)]),
        ("abc,bd,cd->a", [(3, 4, 5), (4, 6), (5, 6)]),
        ("ab,ab,b->ab", [(3, 4), (3, 4), (4,)]),
        ("ii,ij->j", [(3, 3), (3, 4)]),
    ],
)
def test_as_backend_of_opt_einsum(subscripts, shapes):
    rng = np.random.default_rng(4)
    arrays = [rng.uniform(-1, 1, shape) for shape in shapes]
    result = opt_einsum.contract(subscripts, *arrays, backend="tc")
    expected = np.einsum(subscripts, *arrays)
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-14)


SEVERAL = [
    ("ij,jk,kl->il", [(5, 6), (6, 7), (7, 8)]),
    ("ij,jk,kl,lm->im", [(3, 4), (4, 5), (5, 6), (6, 7)]),
    ("ab,bc,cd,de,e->a", [(3, 4), (4, 5), (5, 6), (6, 7), (7,)]),
]


@pytest.mark.parametrize("subscripts, shapes", SEVERAL)
@pytest.mark.parametrize("narrow, wide", [("int8", "int32"), ("float16", "float32")])
def test_between_pairs_nothing_is_rounded(subscripts, shapes, narrow, wide):
    rng = np.random.default_rng(8)
    arrays = [rng.integers(-60, 61, shape).astype(narrow) for shape in shapes]
    exact = np.einsum(subscripts, *(array.astype("float64") for array in arrays))
    out = np.zeros(exact.shape, wide)
    assert tc.einsum(subscripts, *arrays, out=out) is out
    if narrow == "int8":
        assert (out == exact.astype("int64").astype("int32")).all()
        assert (tc.einsum(subscripts, *arrays) == exact.astype("int64").astype("int8")).all()
        return
    np.testing.assert_allclose(out, exact, rtol=1e-5, atol=1e-5 * abs(exact).max())
    small = [array / 64 for array in arrays]
    exact = np.einsum(subscripts, *(array.astype("float64") for array in small))
    held = np.ones(exact.shape, narrow)
    result = tc.einsum(subscripts, *small, out=held, alpha=0.5, beta=2.0)
    assert result is held
    np.testing.assert_allclose(
        held, exact / 2 + 2, rtol=6e-4, atol=1e-5 * abs(exact).max()
    )


def test_large_products_of_several():
    ones = [np.full((4, 4), 50, "int8")] * 3
    out = tc.einsum("ij,jk,kl->il", *ones, out=np.zeros((4, 4), "int32"))
    assert (out == 2_000_000).all()
    halves = [np.full((4, 4), 300, "float16")] * 3
    out = tc.einsum("ij,jk,kl->il", *halves, out=np.zeros((4, 4), "float32"))
    assert (out == 16 * 300.0**3).all()


@pytest.mark.parametrize("axes", [2, 0, ((0, 2), (1, 0)), (1, 1), ([-1], [0])])
def test_tensordot(axes):
    rng = np.random.default_rng(5)
    a, b = rng.uniform(-1, 1, (4, 5, 6)), rng.uniform(-1, 1, (5, 6, 3))
    if axes == ((0, 2), (1, 0)):
        b = rng.uniform(-1, 1, (6, 4, 3))
    if axes == (1, 1):
        b = rng.uniform(-1, 1, (7, 5))
    if axes == ([-1], [0]):
        b = rng.uniform(-1, 1, (6, 3))
    expected = np.tensordot(a, b, axes)
    np.testing.assert_allclose(tc.tensordot(a, b, axes), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "axes",
    [
        np.int64(1),
        (np.int64(1), np.int8(0)),
        (np.array([1]), np.array([0])),
        ((-1,), (-2,)),
        0,
        ((), ()),
    ],
)
def test_tensordot_axes(axes):
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(tc.tensordot(a, b, axes), np.tensordot(a, b, axes))


@pytest.mark.parametrize("shapes", [((3, 0), (0, 4)), ((), ()), ((3,), (3,))])
def test_tensordot_few_axes(shapes):
    a, b = (np.ones(shape) for shape in shapes)
    axes = 1 if a.ndim else 0
    np.testing.assert_array_equal(tc.tensordot(a, b, axes), np.tensordot(a, b, axes))


@pytest.mark.parametrize(
    "shapes, axes",
    [
        (((2, 3), (1, 4)), 1),
        (((2, 1), (3, 4)), 1),
        (((2, 3), (3, 4)), 3),
        (((2, 3), (3, 4)), (2, 0)),
        (((2, 3), (3, 4)), (1, -3)),
        (((2, 2), (2, 2)), ((0, 0), (0, 1))),
        (((2, 2), (2, 2)), ((0, -2), (0, 1))),
        (((2, 2), (2, 2)), ((0, 1), (0,))),
        (((2, 3), (3, 4)), 1.0),
        (((2, 3), (3, 4)), ((1.0,), (0,))),
    ],
)
def test_tensordot_refuses_what_numpy_refuses(shapes, axes):
    a, b = (np.ones(shape) for shape in shapes)
    with pytest.raises((ValueError, IndexError, TypeError)):
        np.tensordot(a, b, axes)
    with pytest.raises((ValueError, IndexError, TypeError)):
        tc.tensordot(a, b, axes)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda a: tc.einsum("ij,jk->ik\0", a, a), "NUL"),
        (lambda a: tc.einsum("ij,jk->ik", a, a, epilogue="x\0 + 1"), "NUL"),
        (lambda a: tc.compile("ij,jk->ik", [(4.5, 5), (5, 4)]), "no integer"),
        (lambda a: tc.compile("ij,jk->ik", [(2**70, 5), (5, 4)]), "does not fit"),
        (lambda a: tc.compile("aij,j->ai", [(1, 2**40, 2**40), (2**40,)]), "the stride of"),
        (lambda a: tc.einsum("ij,jk->ik", a, a, threads=2**70), "threads is 1180591620717411303424, which does"),
        (lambda a: tc.load_package("a\0b"), "the path has a NUL"),
        (lambda a: tc.Package.from_text("{}\0", b""), "the description has a NUL"),
    ],
)
def test_nonsense_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(np.ones((4, 4)))


class Tensor:
    """An array of another library, which speaks DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def from_dlpack(array):
    """The conversion back by that library."""
    return Tensor(np.from_dlpack(array))


def test_dlpack():
    rng = np.random.default_rng(6)
    a, b = rng.uniform(-1, 1, (3, 4)), rng.uniform(-1, 1, (5, 4)).T
    result = tc.einsum("ij,jk->ik", Tensor(a), Tensor(b))
    assert type(result) is Tensor
    check(result.array, "ij,jk->ik", a, b)


def test_sums_of_many_booleans():
    """Of 2^70 products: NumPy, too, has "or" in the place of sums."""
    true, false = np.ones(2**10, bool), np.zeros(3, bool)
    subscripts = "a,b,c,d,e,f,g,h->h"
    for last in (true[:3], false):
        operands = [*[true] * 7, last]
        found = tc.einsum(subscripts, *operands)
        assert found.dtype == bool and (found == last).all()
        assert (found == np.einsum(subscripts, *(x[:2] for x in operands[:7]), last)).all()


@pytest.mark.parametrize("kind", [BufferError, TypeError])
def test_dlpack_that_cannot_be_read(kind):
    class Refusing(Tensor):
        dtype = "bfloat16"

        def __dlpack__(self, **arguments):
            # Exceptions of PyTorch and NumPy.
            if kind is BufferError:
                raise BufferError("Can't export tensors that require gradient")
            raise RuntimeError("Unsupported dtype in DLTensor.")

    good, bad = Tensor(np.ones((3, 3))), Refusing(np.ones((3, 3)))
    with pytest.raises(kind, match="^operand 1"):
        tc.einsum("ij,jk->ik", good, bad)
    with pytest.raises(kind, match="^out"):
        tc.einsum("ij,jk->ik", good, good, out=bad)


def test_threads_share_the_cache():
    tc.clear_cache()
    a = np.arange(12.0).reshape(3, 4)

    def work(n):
        b = np.arange(4.0 * (n % 3 + 1)).reshape(4, -1)
        return (tc.einsum("ij,jk->ik", a, b) == a @ b).all()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(40)))


def test_the_cache_tells_calls_apart(monkeypatch):
    """Each call that differs in one thing is compiled on its own."""
    # Native code remembers the calls that it reads itself.
    monkeypatch.setattr("tc._einsum.einsum._call_plain", lambda *arguments: None)
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, 4, 4))
    bias = np.ones(4)
    user = {"product": "x * y", "combine": "x + y", "identity": 0}
    calls = [
        ("ij,jk", a, b, {}),
        ("ij,kj", a, b, {}),
        ("ij,jk", a.T, b, {}),
        ("ij,jk", a, b.T, {}),
        ("ij,jk", a[:2], b, {}),
        ("ij,jk", a.astype("float32"), b, {}),
        ("ij,jk", a, b.astype("float32"), {}),
        ("ij,jk", a, b, {"out": np.zeros((4, 4))}),
        ("ij,jk", a, b, {"out": np.zeros((4, 4)).T}),
        ("ij,jk", a, b, {"out": np.zeros((4, 4)), "beta": 2}),
        ("ij,jk", a, b, {"alpha": 2}),
        ("ij,jk", a, b, {"threads": 1}),
        ("ij,jk", a, b, {"tuned": "off"}),
        ("ij,jk", a, b, {"semiring": "max_plus"}),
        ("ij,jk", a, b, {"prologues": ["abs(x)", None]}),
        ("ij,jk", a, b, {"prologues": [None, "abs(x)"]}),
        ("ij,jk", a, b, {"epilogue": "abs(x)"}),
        ("ij,jk", a, b, {"epilogue": "x + bias[k]", "auxiliaries": {"bias": bias}}),
        (
            "ij,jk",
            a,
            b,
            {"epilogue": "x + bias[k]", "auxiliaries": {"bias": bias.astype("float32")}},
        ),
        ("ij,jk", a, b, user),
        ("ij,jk", a, b, {**user, "product": "x - y"}),
        ("ij,jk", a, b, {**user, "combine": "max(x, y)"}),
        ("ij,jk", a, b, {**user, "combine": "max(x, y)", "identity": -1}),
    ]
    tc.clear_cache()
    for count, (subscripts, left, right, options) in enumerate(calls, 1):
        for _ in range(2):
            tc.einsum(subscripts, left, right, **options)
        assert len(tc._einsum.cache._cache) == count, options


def test_calls_that_mean_the_same(monkeypatch):
    """Each is compiled once, in whatever form it is told."""
    # Native code remembers the calls that it reads itself.
    monkeypatch.setattr("tc._einsum.einsum._call_plain", lambda *arguments: None)
    a, b, c = np.random.default_rng(6).standard_normal((3, 4, 4))
    path = [(0, 1), (0, 1)]
    same = [
        [("ij,jk", {"alpha": 2}), ("ij,jk", {"alpha": 3.0, "beta": 0, "prologues": (None, "")}),
         (b"ij,jk", {"alpha": 2, "epilogue": "", "tuned": "", "order": "c"})],
        [("ij,jk", {"prologues": ["abs(x)", None]}), ("ij,jk", {"prologues": ("abs(x)", ""), "saturate": 0})],
        [("ij,jk,kl", {"optimize": path}), ("ij,jk,kl", {"optimize": ["einsum_path", *map(list, path)]}),
         ("ij,jk,kl", {"optimize": tuple((np.int64(i), j) for i, j in path)})],
        [("ij,jk,kl", {"optimize": ("greedy", 100)}), ("ij,jk,kl", {"optimize": ["greedy", 100.0]})],
    ]  # fmt: skip
    tc.clear_cache()
    for count, calls in enumerate(same, 1):
        for subscripts, options in calls:
            operands = (a, b) if len(subscripts) == 5 else (a, b, c)
            tc.einsum(subscripts, *operands, **options)
            assert len(tc._einsum.cache._cache) == count, options


def test_the_cache_is_bounded(monkeypatch):
    # Native code remembers the calls that it reads itself.
    monkeypatch.setattr("tc._einsum.einsum._call_plain", lambda *arguments: None)
    tc.clear_cache()
    monkeypatch.setattr("tc._einsum.cache.CACHE_ENTRIES", 2)
    for n in range(1, 5):
        assert tc.einsum("i,i->", np.ones(n), np.ones(n)) == n
    assert len(tc._einsum.cache._cache) == 2


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("subscripts", ["ij,jk->ik", "ij,jk->ki", "ji,jk", "ij,ij->", "i,j"])
def test_complex_numbers(dtype, subscripts):
    rng = np.random.default_rng(7)
    ranks = [len(term) for term in subscripts.split("->")[0].split(",")]

    def draw(shape):
        parts = rng.standard_normal((2, *shape))
        return np.array(parts[0] + 1j * parts[1], dtype)

    a, b = (draw((5,) * rank) for rank in ranks)
    expected = np.einsum(subscripts, a, b)
    tolerance = 1e-5 if dtype == "complex64" else 1e-13
    result = tc.einsum(subscripts, a, b, alpha=2 - 1j)
    assert result.dtype == np.dtype(dtype)
    np.testing.assert_allclose(result, (2 - 1j) * expected, rtol=tolerance, atol=tolerance)
    out = draw(expected.shape)
    wanted = expected + 0.5j * out
    tc.einsum(subscripts, a, b, out=out, beta=0.5j)
    np.testing.assert_allclose(out, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("swapped", [False, True])
def test_complex_by_real(swapped):
    rng = np.random.default_rng(8)
    a, b = rng.standard_normal((6, 4)), rng.standard_normal((4, 3)) * (1 + 2j)
    if swapped:
        a, b = b.T, a.T
    np.testing.assert_allclose(tc.einsum("ij,jk", a, b), a @ b, rtol=1e-13)
    # Of other parts, one is converted.
    narrow = a.astype("complex64") if swapped else a.astype("float32")
    result = tc.einsum("ij,jk", narrow, b)
    assert result.dtype == "complex128"
    np.testing.assert_allclose(result, narrow.astype(a.dtype) @ b, rtol=1e-13)


def test_conjugates():
    rng = np.random.default_rng(9)
    parts = rng.standard_normal((4, 5, 5))
    a, b = parts[0] + 1j * parts[1], parts[2] + 1j * parts[3]
    compiled = tc.compile(
        "ij,jk", ((5, 5), (5, 5)), "complex128", conjugate_a=True, alpha=1j
    )
    out = np.empty((5, 5), "complex128")
    compiled(a, b, out=out)
    np.testing.assert_allclose(out, 1j * a.conj() @ b, rtol=1e-13)


EMPTY = [
    ("ab,bc,cd->ad", [(3, 4), (4, 0), (0, 5)], (3, 5)),
    ("ab,bc,cd->ad", [(0, 4), (4, 2), (2, 5)], (0, 5)),
    ("ab,,cd,->ad", [(3, 0), (), (2, 5), ()], (3, 5)),
    (",".join("abcdefghijkl") + ",," + "->ab", [(3,), (2,)] + [(1000,)] * 9 + [(0,), (), ()], (3, 2)),
]


@pytest.mark.parametrize("subscripts, shapes, shape", EMPTY)
def test_products_of_nothing_are_neither_ordered_nor_compiled(monkeypatch, subscripts, shapes, shape):
    def fail(*_, **__):
        raise AssertionError("something is looked for")

    monkeypatch.setattr(_native, "find_order", fail)
    monkeypatch.setattr(_native, "Program", fail)
    operands = [np.ones(each) for each in shapes]
    found = tc.einsum(subscripts, *operands)
    assert found.shape == shape and found.dtype == np.float64 and not found.any()
    for optimize in (False, "greedy", [(0, 1)] * (len(shapes) - 1)):
        assert not tc.einsum(subscripts, *operands, optimize=optimize).any()
    assert not tc.einsum(subscripts, *operands, memory_limit=0).any()
    out = np.full(shape, 3.0)
    assert tc.einsum(subscripts, *operands, out=out, alpha=2, beta=0.5) is out
    assert (out == 1.5).all()
    assert (tc.einsum(subscripts, *operands, semiring="min_plus") == np.inf).all()
    assert (tc.einsum(subscripts, *operands, epilogue="x + 7") == 7).all()
    mixed = [each.astype(np.float32 if i else np.int16) for i, each in enumerate(operands)]
    assert tc.einsum(subscripts, *mixed).dtype == np.result_type(*mixed)
    with pytest.raises(ValueError, match="^the path leaves 2 operands"):
        tc.einsum(subscripts, *operands, optimize=[(0, 1)] * (len(shapes) - 2))
    with pytest.raises(ValueError, match="^index 'a' has extent"):
        tc.einsum(subscripts.replace("->", ",a->", 1), *operands, np.ones(7))


@pytest.mark.parametrize("count", [5000])
def test_networks_of_thousands(count):
    """A chain of matrices, of which each is a rotation."""
    rng = np.random.default_rng(5)
    angles = rng.uniform(0, 2 * np.pi, count)
    sublists = []
    for i, angle in enumerate(angles):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        sublists += [turn, [i, i + 1]]
    found = tc.einsum(*sublists, [0, count])
    whole = angles.sum()
    wanted = [[np.cos(whole), -np.sin(whole)], [np.sin(whole), np.cos(whole)]]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)


def test_networks_beyond_the_limit_say_so():
    """More than 16384 indices, 32 an operand."""
    operands = [np.full((1,) * 32, 2.0) for _ in range(8)] + [np.ones((1,) * 32)] * 510
    sublists = []
    for i, operand in enumerate(operands):
        sublists += [operand, list(range(32 * i, 32 * i + 32))]
    with pytest.warns(RuntimeWarning, match="^a product of 518 operands has more than 16384 extents"):
        assert tc.einsum(*sublists, []) == 256
