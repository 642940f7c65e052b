# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of einsum, each alone on each of the ways that a call can go: it is obeyed or refused."""

import numpy as np
import pytest

import tc
from tc import _native


def draw(dtype, *shapes):
    rng = np.random.default_rng(5)
    arrays = []
    for shape in shapes:
        array = rng.integers(-3, 4, shape).astype("float64")
        if np.dtype(dtype).kind == "c":
            array = array + 1j * rng.integers(-3, 4, shape)
        arrays.append(np.abs(array).astype(dtype) if np.dtype(dtype).kind == "u" else array.astype(dtype))
    return arrays


# Subscripts, operands and the dtype of `out`, if there is one: two are found again, contracted at
# once or converted, more are a program or pairs, and results are written where they lie or copied.
WAYS = {
    "one": ("ij->i", draw("float64", (4, 5)), None),
    "two": ("ij,jk->ik", draw("float64", (4, 5), (5, 6)), None),
    "two strided": ("ij,kj->ik", [x.T for x in draw("float64", (5, 4), (5, 6))], None),
    "two small": ("ij,jk->ik", draw("int16", (4, 5), (5, 6)), None),
    "two unsigned": ("ij,jk->ik", draw("uint32", (4, 5), (5, 6)), None),
    "two of booleans": ("ij,jk->ik", draw("bool", (4, 5), (5, 6)), None),
    "two mixed": ("ij,jk->ik", [*draw("float64", (4, 5)), *draw("int32", (5, 6))], None),
    "two into out": ("ij,jk->ik", draw("float64", (4, 5), (5, 6)), "float64"),
    "two into a wider out": ("ij,jk->ik", draw("int32", (4, 5), (5, 6)), "float64"),
    "three": ("ij,jk,kl->il", draw("float64", (4, 5), (5, 6), (6, 3)), None),
    "three strided": ("ji,jk,kl->il", [x[::2] for x in draw("float64", (10, 4), (10, 6), (12, 3))], None),
    "three mixed": ("ij,jk,kl->il", [*draw("float64", (4, 5), (5, 6)), *draw("int32", (6, 3))], None),
    "three halves": ("ij,jk,kl->il", draw("float16", (4, 5), (5, 6), (6, 3)), None),
    "three small": ("ij,jk,kl->il", draw("int16", (4, 5), (5, 6), (6, 3)), None),
    "three into out": ("ij,jk,kl->il", draw("float64", (4, 5), (5, 6), (6, 3)), "float64"),
}


@pytest.fixture(name="compiled")
def fixture_compiled(monkeypatch):
    """The options of all that is compiled from now on."""
    found = []
    # Native code reads those that it reads by the same options (test_plain_calls.py).
    monkeypatch.setattr("tc._einsum.einsum._call_plain", lambda *arguments: None)
    contraction, program, plain = _native.Contraction, _native.Program, _native.compile_plain

    def make_contraction(spec, types, shapes, strides, options, auxiliaries):
        found.append(dict(options))
        return contraction(spec, types, shapes, strides, options, auxiliaries)

    def compile_plain(subscripts, operands, element_type, options):
        found.append(dict(options))
        return plain(subscripts, operands, element_type, options)

    class Programs:
        def __new__(cls, text, notation, options):
            found.append(dict(options))
            return program(text, notation, options)

        @staticmethod
        def of_einsum(spec, element_type, shapes, options):
            found.append(dict(options))
            return program.of_einsum(spec, element_type, shapes, options)

    monkeypatch.setattr(_native, "Contraction", make_contraction)
    monkeypatch.setattr(_native, "Program", Programs)
    monkeypatch.setattr(_native, "compile_plain", compile_plain)
    tc.clear_cache()
    yield found
    tc.clear_cache()


def call(way, **options):
    subscripts, operands, dtype = WAYS[way]
    if dtype is not None:
        options["out"] = np.zeros(np.einsum(subscripts, *operands).shape, dtype)
    return tc.einsum(subscripts, *operands, **options)


def reference(way):
    subscripts, operands, dtype = WAYS[way]
    return np.einsum(subscripts, *operands, dtype=dtype)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "option, value, key, text",
    [
        ("specialize", "never", "specialize", "never"),
        ("specialize", "always", "specialize", "always"),
        ("dynamic_shapes", True, "specialize", "never"),
        ("threads", 3, "threads", "3"),
        ("tuned", "off", "tuned", "off"),
    ],
)
def test_what_is_compiled(way, option, value, key, text, compiled):
    np.testing.assert_allclose(call(way, **{option: value}), reference(way))
    assert compiled and all(options.get(key) == text for options in compiled)


@pytest.mark.parametrize("way", WAYS)
def test_words_that_are_none(way):
    with pytest.raises(ValueError, match="'often' is none of always, never and auto"):
        call(way, specialize="often")
    if len(WAYS[way][1]) > 2:
        # Of fewer, there is no order.
        with pytest.raises(ValueError, match="no strategy 'fastest'"):
            call(way, optimize="fastest")
    with pytest.raises(ValueError, match="order is 'Q'"):
        call(way, order="Q")


@pytest.mark.parametrize("way", WAYS)
def test_results(way):
    expected = reference(way)
    is_numbers = expected.dtype != bool
    np.testing.assert_allclose(call(way, optimize=False), expected)
    np.testing.assert_allclose(call(way, memory_limit=1 << 20), expected)
    if is_numbers:
        np.testing.assert_allclose(call(way, alpha=3), 3 * expected)
    if WAYS[way][2] is None:
        assert call(way, order="F").flags.f_contiguous
        with pytest.raises(ValueError, match="beta is not 0, but there is no out"):
            call(way, beta=2)
        found = call(way, dtype="complex128")
        assert found.dtype == "complex128"
        np.testing.assert_allclose(found, np.einsum(WAYS[way][0], *WAYS[way][1], dtype="complex128"))
    else:
        out = np.ones_like(expected)
        tc.einsum(WAYS[way][0], *WAYS[way][1], out=out, beta=2)
        np.testing.assert_allclose(out, expected + 2)
    dtypes = {x.dtype for x in WAYS[way][1]}
    if len(dtypes) > 1:
        with pytest.raises(TypeError, match="casting 'no'"):
            call(way, casting="no")
