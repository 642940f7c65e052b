# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's rules and forms in einsum: promotion, casting, lists of axes, paths; and requests of
other packages."""

import pickle

import fake_device
import numpy as np
import pytest

import tc

# Booleans, all integers and all floats that NumPy has everywhere.
CODES = "?bBhHiIqQefdFD"


def draw(shape, code, seed=0):
    rng = np.random.default_rng([seed, *shape])
    dtype = np.dtype(code)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        # Sums of products wrap around.
        least = 0 if dtype.kind == "u" else -100
        return rng.integers(least, 100, shape).astype(dtype)
    array = rng.standard_normal(shape)
    if dtype.kind == "c":
        array = array + 1j * rng.standard_normal(shape)
    return array.astype(dtype)


def close(found, wanted):
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    if wanted.dtype.kind in "biu":
        assert (found == wanted).all()
        return
    tolerance = 100 * np.finfo(wanted.dtype).eps
    assert np.abs(found - wanted).max() <= tolerance * np.abs(wanted).max()


@pytest.mark.parametrize("first", CODES)
def test_promotion(first):
    for second in CODES:
        a, b, c = draw((5, 7), first), draw((7, 4), second), draw((4, 3), first, seed=1)
        close(tc.einsum("ij,jk->ki", a, b), np.einsum("ij,jk->ki", a, b))
        wide = np.result_type(a, b)
        # In NumPy's own order, results between are rounded to half precision.
        exact = wide if wide != np.float16 else np.float32
        wanted = np.einsum("ij,jk,kl->li", *(x.astype(exact) for x in (a, b, c)))
        found = tc.einsum("ij,jk,kl->li", a, b, c)
        if wide == np.float16:
            assert found.dtype == wide
            assert np.abs(found - wanted).max() <= 1e-3 * np.abs(wanted).max()
        else:
            close(found, wanted)


def test_views_of_unsigned_integers():
    a, b = draw((6, 8, 4), "B")[::-1, ::2].transpose(2, 0, 1), draw((4, 5), "B")[:, ::-1]
    wanted = np.einsum("kij,jl->lik", a, b)
    close(tc.einsum("kij,jl->lik", a, b), wanted)
    out = np.full(wanted.shape, 3, np.uint8)
    assert tc.einsum("kij,jl->lik", a, b, out=out, alpha=2, beta=1) is out
    assert (out == 3 + 2 * wanted.astype(int).astype(np.uint8)).all()


def test_booleans():
    a, b = draw((5, 6), "?"), draw((6, 4), "?")
    close(tc.einsum("ij,jk", a, b), a @ b)
    close(tc.einsum("ij->i", a), a.any(1))
    assert tc.einsum("ij,jk->", a, b).dtype == bool
    with pytest.raises(TypeError, match="^semiring min_plus is of numbers, but the operands are"):
        tc.einsum("ij,jk", a, b, semiring="min_plus")
    # Order matters there, and unsigned numbers have another one.
    with pytest.raises(TypeError, match="^operand 0 has dtype uint8, which is none of"):
        tc.einsum("ij,jk", a.view("B"), b.view("B"), semiring="min_plus")


def test_dtype_and_casting():
    a, b = draw((5, 6), "f"), draw((6, 4), "f")
    result = tc.einsum("ij,jk", a, b, dtype="float64")
    close(result, np.einsum("ij,jk", a, b, dtype="float64"))
    # Products are of that dtype, and not only sums.
    assert np.abs(result - a.astype(float) @ b.astype(float)).max() <= 1e-14 * np.abs(result).max()
    close(tc.einsum("ij,jk", a, b, dtype=np.float32), tc.einsum("ij,jk", a, b))
    narrow = tc.einsum("ij,jk", a.astype("d"), b, dtype="f", casting="same_kind")
    close(narrow, a @ b)
    counts = tc.einsum("ij,jk", *(draw(x.shape, "?") for x in (a, b)), dtype=int)
    assert counts.dtype == int and counts.max() > 1
    for options, message in [
        ({"dtype": "e"}, "operand 0 has dtype float32, which casting 'safe' does not make float16"),
        ({"dtype": "i", "casting": "same_kind"}, "casting 'same_kind' does not make int32"),
        ({"dtype": "g"}, "dtype float128 is none of float64, "),
    ]:
        with pytest.raises(TypeError, match=message):
            tc.einsum("ij,jk", a, b, **options)


def test_out_of_another_dtype():
    a, b = draw((5, 6), "h"), draw((6, 4), "h")
    out = np.zeros((5, 4), "d")
    assert tc.einsum("ij,jk", a, b, out=out) is out
    assert (out == a @ b).all()
    wide = np.zeros((5, 4), "d")
    tc.einsum("ij,jk", a.astype("f"), b.astype("f"), out=wide)
    assert (wide == a.astype("f") @ b.astype("f")).all()
    integers = np.zeros((5, 4), "q")
    with pytest.raises(TypeError, match="^out has dtype int64, which casting 'safe' does not make"):
        tc.einsum("ij,jk", a.astype("d"), b.astype("d"), out=integers)
    tc.einsum("ij,jk", a.astype("d"), b.astype("d"), out=integers, casting="unsafe")
    assert (integers == a.astype("q") @ b).all()
    narrow = np.zeros((5, 4), "b")
    with pytest.raises(TypeError, match="Cannot cast"):
        tc.einsum("ij,jk", draw((5, 6), "H"), b.view("H"), out=np.zeros((5, 4), "?"))
    with pytest.raises(TypeError, match="^out has dtype bool, but the result uint16"):
        tc.einsum("ij,jk", a.view("H"), b.view("H"), out=np.zeros((5, 4), "?"), beta=1)
    assert (tc.einsum("ij,jk", a, b, out=narrow) == (a @ b).astype("b")).all()


@pytest.mark.parametrize(("code", "out_code"), ["?q", "?f", "hi", "Bq", "bq", "Hd", "fd", "FD"])
def test_sums_for_a_wider_out(code, out_code):
    # As NumPy, which promotes operands to the dtype of out: booleans are counted, and
    # integers of 8 and 16 bits do not wrap around.
    a, b = draw((5, 700), code), draw((700, 4), code)
    for subscripts, operands in (("ij,jk", (a, b)), ("ij->i", (a,)), ("ij,jk,jl->i", (a, b, b))):
        wanted = np.zeros(np.einsum(subscripts, *operands).shape, out_code)
        np.einsum(subscripts, *operands, out=wanted)
        out = np.zeros_like(wanted)
        assert tc.einsum(subscripts, *operands, out=out) is out
        close(out, wanted)
    if code == "?":
        assert out.max() > 1


def test_casting_of_operands():
    a, b = draw((5, 6), "D"), draw((6, 4), "q")
    for casting in ("no", "equiv"):
        with pytest.raises(TypeError, match=f"^operand 1 has dtype int64, which casting '{casting}'"):
            tc.einsum("ij,jk", a, b, casting=casting)
        close(tc.einsum("ij,jk", a, a.T, casting=casting), a @ a.T)
    with pytest.raises(ValueError, match="casting"):
        tc.einsum("ij,jk", a, b, casting="whatever")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_casting_of_byte_orders(count):
    """"no" refuses what "equiv" swaps, as in NumPy."""
    spec = ",".join(["ij"] * count) + "->ij"
    native = [np.arange(6.0).reshape(2, 3)] * count
    swapped = [*native[1:], native[0].astype(">f8")]
    out = np.zeros((2, 3), ">f8")
    for arrays, options in ((swapped, {"out": native[0].copy()}), (native, {"out": out})):
        for einsum in (np.einsum, tc.einsum):
            with pytest.raises(TypeError, match=">f8"):
                einsum(spec, *arrays, casting="no", **options)
            if einsum is tc.einsum and arrays is swapped:
                message = f"^operand {count - 1} has dtype >f8, which casting 'no' does not make float64$"
                with pytest.raises(TypeError, match=message):
                    einsum(spec, *arrays, casting="no")
            einsum(spec, *arrays, casting="equiv", **options)
            close(options["out"].astype("float64"), native[0] ** count)
            out[...] = 0
    with pytest.raises(TypeError, match="^out has dtype >f8, which casting 'no' does not make of float64$"):
        tc.einsum(spec, *native, casting="no", out=out)
    # A dtype of another byte order is that of the machine.
    for casting in ("no", "equiv"):
        found = tc.einsum(spec, *native, casting=casting, dtype=">f8")
        assert found.dtype.isnative
        close(found, native[0] ** count)


def test_no_subscripts():
    assert tc.einsum("", 3) == np.einsum("", 3) == 3


def test_lists_of_axes():
    a, b = draw((3, 4), "d"), draw((4, 5), "d")
    for lists in [
        ([0, 1], [1, 2]),
        ([0, 1], [1, 2], [2, 0]),
        # Without a list for the result, its axes are in the order of numbers.
        ([30, 1], [1, 2]),
        ([60, 70], [70, 2], [60, 2]),
        ([..., 0], [0, 1], [1, ...]),
        ([0, 1], np.array([1, 2])),
    ]:
        arguments = [a, lists[0], b, *lists[1:]]
        known = [x if not isinstance(x, list) else [y % 50 if y is not ... else y for y in x]
                 for x in arguments]  # fmt: skip
        close(tc.einsum(*arguments), np.einsum(*known))
    assert tc.einsum_path(a, [0, 1], b, [1, 2], [0, 2])[0] == ["einsum_path", (0, 1)]
    with pytest.raises(TypeError, match="'k' stands where a list of axes should"):
        tc.einsum(a, [0, 1], b, "k")
    with pytest.raises(ValueError, match="^-1 stands in a list of axes"):
        tc.einsum(a, [0, -1])
    close(tc.einsum(a, [0, 1111923], b, [1111923, 2]), a @ b)
    for number in (1111924, 2**31, 2**70):
        with pytest.raises(ValueError, match=f"^{number} stands in .* more than 1111923$"):
            tc.einsum(a, [0, number])


def test_strategies_with_limits():
    a, b, c = draw((6, 7), "d"), draw((7, 8), "d"), draw((8, 2), "d")
    for optimize in [("greedy", 1000), ["optimal", 1e6], ("greedy", 3)]:
        close(tc.einsum("ij,jk,kl", a, b, c, optimize=optimize), np.einsum("ij,jk,kl", a, b, c))
        path, text = tc.einsum_path("ij,jk,kl", a, b, c, optimize=optimize)
        assert path[0] == "einsum_path" and all(len(step) == 2 for step in path[1:])
    # Nothing between fits as a whole.
    assert " slices: " in text
    with pytest.raises(ValueError, match="no strategy 'best'"):
        tc.einsum("ij,jk,kl", a, b, c, optimize=("best", 100))


def test_paths_of_converted_dtypes():
    a = draw((4, 4), "B")
    assert tc.einsum_path("ij,jk,kl", a, a, a)[0][0] == "einsum_path"
    assert tc.einsum_path("ij,jk,kl", a, a.astype("d"), a > 3)[0][0] == "einsum_path"


def test_on_a_device():
    a = fake_device.Interface(np.ones((3, 3)))
    with pytest.raises(ValueError, match="^dtype is set, but operand 0 lies on a CUDA device"):
        tc.einsum("ij,jk", a, a, dtype="float32")


@pytest.mark.parametrize("target", ["cpu", "sm_80"])
def test_pickles_and_prints(target):
    a, b = draw((5, 6), "f"), draw((6, 4), "f")
    kernel = tc.compile("ij,jk->ik", [a.shape, b.shape], "float32", target, alpha=2)
    assert repr(kernel) == (
        f"<tc.Contraction 'ij,jk->ik' of float32[5, 6], float32[6, 4] for '{target}'>"
    )
    again = pickle.loads(pickle.dumps(kernel))
    assert repr(again) == repr(kernel) and again.schedule == kernel.schedule
    if target == "cpu":
        close(again(a, b), kernel(a, b))
    else:
        assert again.ptx == kernel.ptx


def test_pickles_with_fused_code():
    a, b, bias = draw((5, 6), "f"), draw((6, 4), "f"), draw((4,), "f")
    fused = {"epilogue": "relu(x + bias[k])", "beta": "argument", "strides": [None, None, (4, 20)]}
    kernel = tc.compile(
        "ij,jk->ik", [a.shape, b.shape], "float32", auxiliaries={"bias": bias.shape}, **fused
    )
    out = np.zeros((4, 5), "f").T
    pickle.loads(pickle.dumps(kernel))(a, b, out, beta=2, auxiliaries={"bias": bias})
    close(out, np.maximum(a @ b + bias, 0))


def test_what_backends_have():
    """autoray and cotengra ask the module for these."""
    a = draw((3, 4), "D")
    assert tc.array(a) is a and tc.array([1, 2]).shape == (2,)
    assert tc.reshape(a, [4, 3]).shape == (4, 3)
    assert (tc.conj(a) == a.conj()).all()


@pytest.mark.filterwarnings("ignore:Couldn't import `kahypar`")
def test_quimb(monkeypatch):
    """The amplitude of a circuit, contracted by tc through cotengra and autoray."""
    quimb = pytest.importorskip("quimb.tensor", reason="quimb is not installed")
    circuit = quimb.Circuit(6)
    for layer in range(3):
        for qubit in range(6):
            circuit.ry(0.3 * qubit + layer, qubit)
        for qubit in range(layer % 2, 5, 2):
            circuit.cz(qubit, qubit + 1)
    calls = []
    tensordot = tc.tensordot
    monkeypatch.setattr(tc, "tensordot", lambda *x, **y: calls.append(x) or tensordot(*x, **y))
    for bits in ("000000", "101101"):
        # Without quimb's simplifications, so that something is left.
        found = circuit.amplitude(bits, backend="tc", simplify_sequence="")
        assert found == pytest.approx(circuit.amplitude(bits), rel=1e-5)
    assert len(calls) > 20


@pytest.mark.parametrize("spec, shapes", [
    ("dd,d,d->", [(1, 3), (3,), (3,)]),
    ("d,dd,d->d", [(3,), (3, 1), (3,)]),
    ("d,d,dd->", [(1,), (1,), (1, 3)]),
    ("dd,de,e->", [(1, 3), (3, 2), (2,)]),
    ("d,ded,e->", [(3,), (1, 2, 3), (2,)]),
    ("dd,d->", [(1, 3), (3,)]),
    ("d,dd->d", [(3,), (3, 1)]),
    ("dd->", [(1, 3)]),
])  # fmt: skip
def test_nothing_is_broadcast_along_a_diagonal(spec, shapes):
    arrays = [draw(shape, "d") for shape in shapes]
    for optimize in (False, True):
        with pytest.raises(ValueError):
            np.einsum(spec, *arrays, optimize=optimize)
        with pytest.raises(ValueError, match="^index 'd' has extent "):
            tc.einsum(spec, *arrays, optimize=optimize)


@pytest.mark.parametrize("spec, shapes", [
    ("dd,d,d->", [(1, 1), (3,), (3,)]),
    ("d,dd,d->d", [(3,), (1, 1), (1,)]),
    ("dd,d,de->e", [(3, 3), (1,), (1, 2)]),
])  # fmt: skip
def test_whole_diagonals_of_one_element_are_broadcast(spec, shapes):
    arrays = [draw(shape, "d") for shape in shapes]
    close(tc.einsum(spec, *arrays), np.einsum(spec, *arrays))
