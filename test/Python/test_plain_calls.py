# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""First calls that native code reads by itself: they are those that Python reads."""

import concurrent.futures

import numpy as np
import pytest

import tc
from tc import _native
from tc._arrays.layout import ELEMENT_TYPES
from tc._einsum import cache, quick
from tc._einsum.quick import plain_calls

from seeds import SEED

OPTIONS = {"threads": "0", "specialize": "auto", "saturate": "false"}


def draw(rng, shape, dtype):
    if np.dtype(dtype).kind == "i":
        return rng.integers(-9, 10, shape).astype(dtype)
    return rng.integers(-9, 10, shape).astype(dtype) / 4


@pytest.mark.parametrize("subscripts, shapes", [
    ("ij,jk->ik", [(7, 5), (5, 11)]),
    (" i j , jk ", [(7, 5), (5, 11)]),
    ("ba,aC", [(3, 4), (4, 2)]),
    ("Zz,za->aZ", [(3, 4), (4, 2)]),
    ("ii->i", [(6, 6)]),
    ("ii", [(6, 6)]),
    ("iji->j", [(6, 5, 6)]),
    ("i->", [(13,)]),
    ("ba", [(3, 2)]),
    ("i,j->ij", [(1, ), (5,)]),
    ("ij,kl->", [(3, 4), (5, 6)]),
    (",ij->ji", [(), (3, 4)]),
    ("ij,->i", [(3, 4), ()]),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "int8", "int64", "float16"])
def test_letters(subscripts, shapes, dtype):
    rng = np.random.default_rng(SEED)
    arrays = tuple(draw(rng, shape, dtype) for shape in shapes)
    made = _native.compile_plain(subscripts, arrays, ELEMENT_TYPES[dtype], OPTIONS)
    expected = np.einsum(subscripts, *arrays)
    assert made is not None and made[1] == np.shape(expected)
    result = tc.einsum(subscripts, *arrays)
    assert result.dtype == expected.dtype and np.shape(result) == np.shape(expected)
    exact = np.einsum(subscripts, *(x.astype("complex128") for x in arrays))
    if np.dtype(dtype).kind == "i":
        assert (result == expected).all()
    else:
        np.testing.assert_allclose(result, exact, rtol=2e-3 if dtype == "float16" else 1e-6)
    views = tuple(np.flip(x) for x in arrays)
    assert _native.compile_plain(subscripts, views, ELEMENT_TYPES[dtype], OPTIONS) is not None
    np.testing.assert_allclose(
        tc.einsum(subscripts, *views), np.einsum(subscripts, *views), rtol=5e-3
    )


@pytest.mark.parametrize("subscripts, shapes", [
    ("...i,i", [(3, 4), (4,)]),
    ("ij,jk->il", [(3, 4), (4, 5)]),
    ("ij,jk->ii", [(3, 4), (4, 5)]),
    ("ij,jk->", [(3, 4), (1, 5)]),
    ("ij,jk->ik", [(3, 4), (5, 5)]),
    ("ij,jk->ik", [(3, 0), (0, 5)]),
    ("ij,jk", [(3, 4)]),
    ("ij", [(3, 4), (4, 5)]),
    ("i,j,k", [(3,), (4,), (5,)]),
    ("ijk,kl", [(3, 4), (4, 5)]),
    (",", [(), ()]),
    ("", [()]),
    ("i,,j", [(3,), (), (4,)]),
    ("i->j->", [(3,)]),
    ("i-j", [(3,)]),
    ("i-", [(3,)]),
    ("i->,i", [(3,)]),
    ("é", [(3,)]),
    ("[i]", [(3,)]),
    ("i\t", [(3,)]),
])  # fmt: skip
def test_what_python_reads(subscripts, shapes):
    arrays = tuple(np.ones(shape) for shape in shapes)
    assert _native.compile_plain(subscripts, arrays, ELEMENT_TYPES["float64"], OPTIONS) is None


def test_strides_between_elements():
    fields = np.zeros(4, [("x", "f8"), ("y", "i4")])["x"]
    assert _native.compile_plain("i->", (fields,), ELEMENT_TYPES["float64"], OPTIONS) is None


@pytest.mark.parametrize("options", [{}, {"threads": 3}, {"specialize": "auto", "optimize": True}])
@pytest.mark.parametrize("subscripts, shapes", [
    ("ii->i", [(6, 6)]),
    ("ij->", [(6, 7)]),
    ("ij,jk->ik", [(7, 5), (5, 11)]),
    ("ij,jk,kl->li", [(7, 5), (5, 11), (11, 3)]),
    ("ij, jk, kl", [(7, 5), (5, 11), (11, 3)]),
    ("ij,jk,k->", [(8, 16), (16, 4), (4,)]),
    ("ii,ij,jk,kk->j", [(3, 3), (3, 5), (5, 7), (7, 7)]),
    ("a,b,c,d,e->edcba", [(2,), (3,), (4,), (5,), (1,)]),
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "complex64", "int32"])
def test_first_calls(subscripts, shapes, dtype, options, monkeypatch):
    """Native code computes them, and remembers them."""
    rng = np.random.default_rng(SEED)
    monkeypatch.setattr(quick, "call", None)
    tc.clear_cache()
    # The fourth one is compiled.
    for _ in range(5):
        arrays = [draw(rng, shape, dtype) for shape in shapes]
        result = tc.einsum(subscripts, *arrays, **options)
        expected = np.einsum(subscripts, *arrays)
        assert result.dtype == expected.dtype and type(result) is type(expected)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-3)
        assert len(cache.past_calls) == 1


@pytest.mark.parametrize("subscripts", [
    "ij,jk->ik", "ij,jk->ki", "bij,bkj->bik", "ij,kl->", "ii->i", "iij->j", "ijk->kji", "i->",
    "i,j->ji", ",ij->ji", "i,ij->ij", "ijk,lkj->il", "aib,bja->ij", "ijkl,kml->mji",
])  # fmt: skip
@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "complex64", "complex128", "int8", "int64", "float16", "bfloat16"]
)
def test_the_bits_are_those_of_compiled_contractions(subscripts, dtype):
    """Also those of runs before a contraction is compiled, and of views."""
    if dtype == "bfloat16":
        dtype = pytest.importorskip("ml_dtypes").bfloat16
    rng = np.random.default_rng([SEED, *subscripts.encode()])
    terms = subscripts.split("->")[0].split(",")
    for _ in range(8):
        sizes = {label: int(rng.choice([1, 2, 5, 16, 33])) for label in subscripts}
        arrays = []
        for term in terms:
            steps = rng.choice([-2, -1, 0, 1, 1, 3], len(term))
            whole = [sizes[label] * max(1, abs(step)) for label, step in zip(term, steps)]
            array = rng.standard_normal(whole)
            if np.dtype(dtype).kind == "c":
                array = array + 1j * rng.standard_normal(whole)
            array = (8 * array).astype(dtype)
            array = array[tuple(slice(None, None, int(step) or 1) for step in steps)]
            # Elements repeat along axes whose step is zero.
            array = array[tuple(slice(None) if step else slice(1) for step in steps)]
            arrays.append(np.broadcast_to(array, [sizes[label] for label in term]))
        expected = tc.einsum(subscripts, *arrays, specialize="never")
        for _ in range(6):
            result = tc.einsum(subscripts, *arrays)
            assert type(result) is type(expected) and result.dtype == expected.dtype
            assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("scalar", [np.float64(1.5), np.complex64(2 - 1j), np.int8(-3), np.float16(0.5)])
def test_scalars_of_numpy(scalar, monkeypatch):
    """They are arrays without axes."""
    monkeypatch.setattr(quick, "call", None)
    array = np.arange(-6, 6).reshape(3, 4).astype(scalar.dtype)
    for _ in range(5):
        for result in (tc.einsum(",ij->ji", scalar, array), tc.einsum("ij,->ji", array, scalar)):
            assert result.dtype == array.dtype
            np.testing.assert_array_equal(result, array.T * scalar)


@pytest.mark.parametrize("subscripts", [
    "i,i,i->", "ij,jk,kl->il", "pi,pqij,qj->pq", "bhpn,bhp,bn->bhpn", "iij,jk,k->i", "ij,jk,ki",
    "ab,cb,cd,a->d", "i,j,k,l->ijkl", "abc,bcd,cde,ea,b->", "ab,bc,cd,de,ef,fg->ga",
])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "complex128", "int8", "float16"])
def test_first_calls_of_many_operands(subscripts, dtype):
    """Numbers are such that sums are exact, as the order may be another one than without code."""
    rng = np.random.default_rng([SEED, *subscripts.encode()])
    terms = subscripts.split("->")[0].split(",")
    for _ in range(6):
        sizes = {label: int(rng.choice([1, 2, 3, 5])) for label in subscripts}
        arrays = []
        for term in terms:
            array = rng.integers(-1, 2, [sizes[label] for label in term]).astype(dtype)
            kind = rng.integers(4)
            if kind == 1:
                array = np.flip(array)
            elif kind == 2:
                array = np.asfortranarray(array)
            elif kind == 3:
                array = np.repeat(array, 2, axis=-1)[..., ::2]
            arrays.append(array)
        path = [
            tuple(rng.choice(left, 2, replace=False).tolist()) for left in range(len(terms), 1, -1)
        ]
        for optimize in (True, path):
            tc.clear_cache()
            expected = tc.einsum(subscripts, *arrays, optimize=optimize, specialize="never")
            for _ in range(3):
                result = tc.einsum(subscripts, *arrays, optimize=optimize)
                assert type(result) is type(expected) and result.dtype == expected.dtype
                # But for the signs of zeros.
                assert np.array_equal(result, expected)


def test_other_threads_compile_meanwhile():
    """Several may find at the same time that a call is due."""
    rng = np.random.default_rng(SEED)
    a, b = rng.standard_normal((2, 64, 64))
    expected = tc.einsum("ij,jk->ik", a, b, specialize="never")
    for _ in range(20):
        tc.clear_cache()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            made = [pool.submit(tc.einsum, "ij,jk->ik", a, b, threads=1) for _ in range(40)]
            assert all((each.result() == expected).all() for each in made)


def test_their_number_is_bounded():
    past = _native.PastCalls(2)
    calls = _native.PlainCalls(past, {np.dtype("float64"): ELEMENT_TYPES["float64"]}, lambda _: None, set(), lambda *_: None, 0)
    for extent in range(1, 6):
        ones = np.ones(extent)
        assert calls.call("i,i->", (ones, ones), {}) == extent
        assert len(past) <= 2


def test_paths(monkeypatch):
    rng = np.random.default_rng(SEED)
    arrays = [draw(rng, shape, "float64") for shape in ((3, 5), (5, 7), (7, 4), (4, 6))]
    expected = arrays[0] @ arrays[1] @ arrays[2] @ arrays[3]
    with monkeypatch.context() as patch:
        patch.setattr(quick, "call", None)
        for path in ([(0, 1), (0, 1), (0, 1)], ["einsum_path", (2, 3), (0, 1), (0, 1)],
                     ((0, 1, 2, 3),), [(1, 2), (0, 2), [1, 0]]):  # fmt: skip
            result = tc.einsum("ij,jk,kl,lm->im", *arrays, optimize=path)
            np.testing.assert_allclose(result, expected, rtol=1e-12)
    with pytest.raises(ValueError, match="step 1 of the path names operand 3"):
        tc.einsum("ij,jk,kl,lm->im", *arrays, optimize=[(0, 1), (0, 3), (0, 1)])


def misaligned(shape):
    room = np.zeros(8 * int(np.prod(shape)) + 1, np.uint8)[1:]
    array = room.view("float64").reshape(shape)
    array[...] = 1
    return array


@pytest.mark.parametrize("subscripts, arrays, options", [
    ("ij,jk->ik", [np.ones((3, 4)), np.ones((4, 5))], {"out": np.empty((3, 5))}),
    ("ij,jk->ik", [np.ones((3, 4)), np.ones((4, 5))], {"optimize": "greedy"}),
    ("ij,jk->ik", [np.ones((3, 4)), np.ones((4, 5))], {"optimize": [(0, 1)]}),
    ("ij,jk->ik", [np.ones((3, 4)), np.ones((4, 5))], {"specialize": "never"}),
    ("ij,jk->ik", [np.ones((3, 4)), np.ones((4, 5))], {"beta": 0}),
    ("ij,jk->ik", [np.ones((3, 4)), np.ones((4, 5), "float32")], {}),
    ("ij,jk->ik", [np.ones((3, 4), ">f8"), np.ones((4, 5), ">f8")], {}),
    ("ij,jk->ik", [np.ones((3, 4), "int16"), np.ones((4, 5), "int16")], {}),
    ("ij,jk->ik", [misaligned((3, 4)), np.ones((4, 5))], {}),
    ("ij,jk->ik", [np.ones((3, 4)), np.ones((1, 5))], {}),
    ("...j,jk->...k", [np.ones((3, 4)), np.ones((4, 5))], {}),
    ("ij,jk,kl->il", [np.ones((3, 4)), np.ones((5, 4)).T, np.ones((5, 2))], {}),
    ("ij,jk,kl->il", [np.ones((3, 4)), np.ones((1, 5)), np.ones((5, 2))], {}),
    ("ij,jk,kl->il", [np.ones((3, 4)), np.ones((4, 5)), np.ones((5, 2))], {"memory_limit": 1 << 20}),
    ("ij,jk,kl->il", [np.ones((3, 4)), np.ones((4, 5)), np.ones((5, 2))], {"search_seconds": 0.1}),
    ("ij,jk,kl->il", [np.ones((3, 4)), np.ones((4, 5)), np.ones((5, 2))], {"optimize": False}),
])  # fmt: skip
def test_other_calls(subscripts, arrays, options):
    """Those that native code leaves to Python's rules."""
    tc.clear_cache()
    assert plain_calls.call(subscripts, tuple(arrays), dict(options)) is None
    wanted = np.einsum(subscripts, *(array.astype("float64") for array in arrays))
    np.testing.assert_allclose(tc.einsum(subscripts, *arrays, **options), wanted)


def test_tuning_database(monkeypatch, tmp_path):
    """One that is named is consulted."""
    arrays = (np.ones((3, 4)), np.ones((4, 5)))
    tc.clear_cache()
    monkeypatch.setenv("TC_TUNED", str(tmp_path / "tuned"))
    assert plain_calls.call("ij,jk->ik", arrays, {}) is None
    monkeypatch.setenv("TC_TUNED", "")
    assert plain_calls.call("ij,jk->ik", arrays, {}) is not None
