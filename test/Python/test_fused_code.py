# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Semirings and code that is fused into contractions, against NumPy."""

import numpy as np
import pytest

import tc

SEMIRINGS = {
    "max_plus": (np.maximum, np.add),
    "min_plus": (np.minimum, np.add),
    "max_times": (np.maximum, np.multiply),
    "max_min": (np.maximum, np.minimum),
    "min_max": (np.minimum, np.maximum),
}


def reduce_product(semiring, a, b):
    """The product of matrices over a semiring."""
    combine, product = SEMIRINGS[semiring]
    return combine.reduce(product(a[:, :, None], b[None, :, :]), axis=1)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_semirings(semiring, dtype):
    rng = np.random.default_rng(3)
    a = rng.integers(-9, 9, (5, 7)).astype(dtype)
    b = rng.integers(-9, 9, (7, 4)).astype(dtype)
    combine, product = SEMIRINGS[semiring]
    expected = reduce_product(semiring, a, b)
    result = tc.einsum("ij,jk->ik", a, b, semiring=semiring)
    assert result.dtype == dtype
    assert (result == expected).all()
    # Factors are multiplied and added as the semiring does it.
    out = rng.integers(-9, 9, (5, 4)).astype(dtype)
    scaled = combine(product(2, expected), product(3, out))
    tc.einsum("ij,jk->ik", a, b, out=out, alpha=2, beta=3, semiring=semiring)
    assert (out == scaled).all()
    # One operand.
    assert (
        tc.einsum("ij->j", a, semiring=semiring) == combine.reduce(a, axis=0)
    ).all()
    if semiring == "max_times":
        with pytest.raises(ValueError, match="max_times takes two operands"):
            tc.einsum("ij,jk,kl->il", a, b, b.T, semiring=semiring)
    else:
        c = rng.integers(-9, 9, (4, 6)).astype(dtype)
        assert (
            tc.einsum("ij,jk,kl->il", a, b, c, semiring=semiring)
            == reduce_product(semiring, expected, c)
        ).all()


@pytest.mark.parametrize("dtype", ["float64", "float16", "int8"])
def test_user_semirings(dtype):
    rng = np.random.default_rng(5)
    a = rng.integers(-9, 9, (5, 7)).astype(dtype)
    b = rng.integers(-9, 9, (4, 7)).astype(dtype)
    distances = np.abs(a[:, None, :] - b[None, :, :])
    manhattan = {"product": "abs(x - y)", "combine": "x + y", "identity": 0}
    chebyshev = {"product": "abs(x - y)", "combine": "max(x, y)", "identity": -np.inf}
    assert (tc.einsum("ik,jk->ij", a, b, **manhattan) == distances.sum(axis=2)).all()
    out = np.full((5, 4), 11, dtype)
    tc.einsum("ik,jk->ij", a, b, out=out, beta=1, **chebyshev)
    assert (out == np.maximum(distances.max(axis=2), 11)).all()
    empty = a[:, :0], b[:, :0]
    if dtype != "int8":
        assert (tc.einsum("ik,jk->ij", *empty, **chebyshev) == -np.inf).all()
    tc.einsum("ik,jk->ij", *empty, out=out, beta=1, **chebyshev)
    assert (out == np.maximum(distances.max(axis=2), 11)).all()


def test_bad_user_semirings():
    a = np.ones((3, 3))
    whole = {"product": "x * y", "combine": "x + y", "identity": 0}
    for changed, message in (
        ({"identity": None}, "identity: is missing"),
        ({"product": "x * z"}, "product: column 5: unknown variable 'z'"),
        ({"semiring": "min_plus"}, "are another semiring"),
        ({"alpha": 2}, "has no factors but a beta of 1"),
        ({"out": np.ones((3, 3)), "beta": 2}, "has no factors but a beta of 1"),
        ({"identity": 1}, "combine must leave the identity"),
    ):
        with pytest.raises((ValueError, tc.UnsupportedError), match=message):
            tc.einsum("ij,jk->ik", a, a, **{**whole, **changed})
    with pytest.raises(ValueError, match="takes two operands"):
        tc.einsum("ij,jk,kl->il", a, a, a, **whole)


def test_bitwise_semirings():
    a = np.array([[1, 2], [4, 8]], "int64")
    b = np.array([[3, 6], [12, 9]], "int64")
    assert (
        tc.einsum("ij,jk->ik", a, b, semiring="or_and") == [[1, 0], [8, 12]]
    ).all()
    assert (tc.einsum("ij->j", b, semiring="xor_and") == b[0] ^ b[1]).all()
    with pytest.raises(ValueError, match="or_and applies to integers"):
        tc.einsum("ij,jk->ik", a * 1.0, b * 1.0, semiring="or_and")


def test_empty_sums():
    a, b = np.ones((2, 0)), np.ones((0, 3))
    assert (tc.einsum("ij,jk->ik", a, b, semiring="min_plus") == np.inf).all()
    assert (
        tc.einsum("ij,jk->ik", a, b, epilogue="x + 4") == np.full((2, 3), 4)
    ).all()
    for dtype, old, new in (("float16", 1.5, 3), ("int8", 100, -56), ("int64", 5, 10)):
        narrow = a.astype(dtype), b.astype(dtype)
        assert (tc.einsum("ij,jk->ik", *narrow) == 0).all()
        out = np.full((2, 3), old, dtype)
        tc.einsum("ij,jk->ik", *narrow, out=out, beta=2)
        assert (out == new).all()


def test_epilogue_and_prologues():
    rng = np.random.default_rng(4)
    a, b, c = (rng.standard_normal(s) for s in ((5, 7), (7, 4), (4, 6)))

    def leaky(x):
        return np.maximum(x, 0) + 0.01 * np.minimum(x, 0)

    np.testing.assert_allclose(
        tc.einsum("ij,jk->ik", a, b, epilogue="leaky_relu(x, 0.01)"),
        leaky(a @ b),
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        tc.einsum("ij,jk->ik", a, b, prologues=["relu(x)", None]),
        np.maximum(a, 0) @ b,
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        tc.einsum(
            "ij,jk,kl->il",
            a,
            b,
            c,
            prologues=["x * x", "exp(x)", "2 * x"],
            epilogue="leaky_relu(x, 0.01)",
        ),
        leaky(a**2 @ np.exp(b) @ (2 * c)),
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        tc.einsum("ij->i", a, prologues=["abs(x)"], epilogue="sqrt(x)"),
        np.sqrt(np.abs(a).sum(1)),
        rtol=1e-12,
    )
    out = np.arange(20.0).reshape(5, 4)
    tc.einsum("ij,jk->ik", a, b, out=out, epilogue="max(x, c)")
    np.testing.assert_allclose(
        out, np.maximum(a @ b, np.arange(20.0).reshape(5, 4)), rtol=1e-12
    )


@pytest.mark.parametrize(
    "options, message",
    [
        ({"semiring": "min"}, "option 'semiring': 'min' is none of plus_times"),
        ({"epilogue": "relu(x"}, r"option 'epilogue': column 7: expected"),
        ({"epilogue": "x + c"}, "the epilogue uses c, but there is no out"),
        ({"prologues": ["c", None]}, "option 'prologue-a': column 1: unknown"),
        ({"prologues": ["x"]}, "there are 1 prologues, but 2 operands"),
    ],
)
def test_fused_errors(options, message):
    with pytest.raises(ValueError, match=message):
        tc.einsum("ij,jk->ik", np.ones((2, 2)), np.ones((2, 2)), **options)


def test_fused_for_gpus():
    shapes = [(64, 32), (32, 48)]
    compiled = tc.compile("ij,jk->ik", shapes, "float32", "sm_90", semiring="min_plus")
    assert "min." in compiled.ptx
    assert '"semiring": "min_plus"' in compiled.package
    compiled = tc.compile(
        "ij,jk->ik", shapes, "float32", "sm_90", epilogue="relu(x)", prologue_b="-x"
    )
    assert '"epilogue": "max(x, 0)"' in compiled.package
    assert '"prologue_b": "-x"' in compiled.package


def test_compiled_epilogue():
    compiled = tc.compile(
        "ij,jk->ik", [(2, 3), (3, 4)], epilogue="x + c", semiring="max_plus"
    )
    assert "semiring = max_plus" in compiled.mlir and "epilogue" in compiled.mlir
    out = np.full((2, 4), 100.0)
    compiled(np.ones((2, 3)), np.ones((3, 4)), out)
    assert (out == 102).all()
    with pytest.raises(ValueError, match="as the epilogue uses c: give out"):
        compiled(np.ones((2, 3)), np.ones((3, 4)))


def test_letters_of_auxiliary_tensors():
    rng = np.random.default_rng(6)
    a, b, bias = (rng.standard_normal(s) for s in ((5, 7), (7, 4), 4))
    expected = a @ b + bias
    # "c" is what the result held, but an index behind a bracket.
    for letter in ("c", "x", "2", "\u00e9", "\u1680", chr(0x20000)):
        subscripts, epilogue = f"ij,j{letter}->i{letter}", f"x + bias[ {letter} ]"
        result = tc.einsum(subscripts, a, b, epilogue=epilogue, auxiliaries={"bias": bias})
        np.testing.assert_allclose(result, expected, rtol=1e-12)
        kernel = tc.compile(subscripts, [a.shape, b.shape], epilogue=epilogue)
        np.testing.assert_allclose(kernel(a, b, auxiliaries={"bias": bias}), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="the epilogue uses c, but there is no out"):
        tc.einsum("ij,jc->ic", a, b, epilogue="x + bias[c] + c", auxiliaries={"bias": bias})


def test_auxiliary_tensors():
    rng = np.random.default_rng(5)
    a, b, c = (rng.standard_normal(s) for s in ((5, 7), (7, 4), (4, 6)))
    bias, scale, table = rng.standard_normal(8), rng.standard_normal(5), rng.standard_normal((4, 5))
    expected = np.maximum((a @ b) * scale[:, None] + bias[::-2], 0) + table.T
    epilogue = "relu(x * scale[i] + bias[k]) + table[k,i]"
    auxiliaries = {"bias": bias[::-2], "table": table, "scale": scale}
    for _ in range(2):
        result = tc.einsum("ij,jk->ik", a, b, epilogue=epilogue, auxiliaries=auxiliaries)
        np.testing.assert_allclose(result, expected, rtol=1e-12)
    # Another layout is other code.
    other = {**auxiliaries, "bias": np.ascontiguousarray(bias[::-2])}
    result = tc.einsum("ij,jk->ik", a, b, epilogue=epilogue, auxiliaries=other)
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    narrow = bias[:4].astype("float32")
    np.testing.assert_allclose(
        tc.einsum("ij,jk->ik", a, b, epilogue="x + bias[k]", auxiliaries={"bias": narrow}),
        a @ b + narrow,
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        tc.einsum("ij->i", a, epilogue="x + bias[i]", auxiliaries={"bias": scale}),
        a.sum(1) + scale,
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        tc.einsum(
            "ij,jk,kl->il", a, b, c, epilogue="x * one[]", auxiliaries={"one": np.array(3.0)}
        ),
        3 * (a @ b @ c),
        rtol=1e-12,
    )
    out = np.zeros((5, 4))
    kernel = tc.compile(
        "ij,jk->ik", [a.shape, b.shape], epilogue="x+bias[k]", auxiliaries={"bias": (4,)}
    )
    with pytest.raises(ValueError, match="out overlaps auxiliary tensor 'bias'"):
        kernel(a, b, out, auxiliaries={"bias": out[0]})


@pytest.mark.parametrize(
    "side, kind, message",
    [
        ({}, ValueError, "auxiliary tensor 'bias' is not given"),
        (
            {"bias": np.ones(3)},
            ValueError,
            "auxiliary tensor 'bias': index 'k' has extent 3 in dimension 0, but 2 in C",
        ),
        ({"base": np.ones(2)}, ValueError, "auxiliary tensor 'base' is not in the epilogue"),
        (
            {"bias": np.ones(2, "uint8")},
            TypeError,
            "auxiliary tensor 'bias' has dtype uint8, which is none of",
        ),
        (
            {"bias": np.ones(2, "complex64")},
            ValueError,
            "auxiliary tensor 'bias': its element type is complex64, but epilogues are of "
            "floating-point numbers",
        ),
    ],
)
def test_errors_of_auxiliary_tensors(side, kind, message):
    with pytest.raises(kind) as raised:
        tc.einsum(
            "ij,jk->ik",
            np.ones((2, 2)),
            np.ones((2, 2)),
            epilogue="x + bias[k]",
            auxiliaries=side,
        )
    assert message in str(raised.value)


def test_compiled_auxiliary_tensors():
    shapes, epilogue = [(2, 3), (3, 4)], "x + bias[k]"
    compiled = tc.compile("ij,jk->ik", shapes, epilogue=epilogue, auxiliaries={"bias": (4,)})
    a, b, bias = np.ones((2, 3)), np.ones((3, 4)), np.arange(4.0)
    assert (compiled(a, b, auxiliaries={"bias": bias}) == 3 + bias).all()
    with pytest.raises(ValueError, match="auxiliary tensor 'bias' has shape .3,., but was"):
        compiled(a, b, auxiliaries={"bias": np.ones(3)})
    with pytest.raises(ValueError, match="auxiliary tensor 'bias' is not given"):
        compiled(a, b)
    package = tc.compile(
        "ij,jk->ik", shapes, "float32", "sm_90", epilogue=epilogue, auxiliaries={"bias": (4,)}
    ).package
    assert '"epilogue": "x + s0[k]"' in package
