# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dtypes of tc.jax.einsum's results, beside those of jax.numpy.einsum: promotion, weak types,
preferred_element_type; and symbolic extents."""

import numpy as np
import pytest
import random_products

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.export  # noqa: E402
import jax.numpy as jnp  # noqa: E402

import tc.jax  # noqa: E402

# Bounds of errors, relative to results of the operands' magnitudes.
TOLERANCES = {
    "float8_e4m3fn": 0.3,
    "float8_e5m2": 0.6,
    "float16": 5e-3,
    "bfloat16": 5e-2,
    "float32": 1e-5,
    "float64": 1e-12,
    "complex64": 1e-5,
    "complex128": 1e-12,
}
INTEGERS = ["int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64"]


@pytest.fixture(params=[False, True], ids=["32", "64"], autouse=True)
def wide(request):
    with jax.enable_x64(request.param):
        yield request.param


def draw(dtype, shapes, seed):
    rng = np.random.default_rng(seed)
    if dtype in TOLERANCES:
        return [jnp.asarray(rng.standard_normal(shape)).astype(dtype) for shape in shapes]
    low = 0 if dtype[0] in "ub" else -5
    return [jnp.asarray(rng.integers(low, 6, shape)).astype(dtype) for shape in shapes]


def same(found, wanted):
    assert found.dtype == wanted.dtype and found.weak_type == wanted.weak_type
    assert found.shape == wanted.shape


def check(arguments, options, tolerance):
    wanted = jnp.einsum(*arguments, **options)
    found = tc.jax.einsum(*arguments, **options)
    same(found, wanted)
    if tolerance == 0:
        assert (found == wanted).all()
        return
    subscripts, *operands = arguments
    most = jnp.einsum(subscripts, *(abs(x.astype("complex64")) for x in operands))
    error = abs(found.astype("complex64") - wanted.astype("complex64"))
    assert (error <= tolerance * abs(most) + 1e-30).all()


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *TOLERANCES])
def test_random(dtype, wide):
    if not wide and dtype in ("int64", "uint64", "float64", "complex128"):
        pytest.skip("JAX has it with x64 only")
    for seed in range(3):
        subscripts, shapes = random_products.draw(300 + seed, 1 + seed, largest=4)
        # XLA adds eighth floats up in their own dtype.
        if dtype.startswith("float8") and seed == 0:
            continue
        print(subscripts, shapes)
        check((subscripts, *draw(dtype, shapes, seed)), {}, TOLERANCES.get(dtype, 0))


def test_booleans():
    """Sums of booleans that wrap around, or are 0 as often, stay true."""
    a = jnp.ones((300, 256), bool)
    assert tc.jax.einsum("ij,ij->i", a, a).all() and not tc.jax.einsum("ij->i", ~a).any()
    result = tc.jax.einsum("ij,kj,il->kl", *[jnp.ones((256, 256), bool)] * 3)
    assert result.dtype == bool and result.all()
    same(tc.jax.einsum("ij,ij->i", a, a.astype("float32")), jnp.ones(300, "float32"))


def test_counts_of_booleans_beyond_floats():
    """Of 2^140 true products, with what is false."""
    true, false = jnp.ones((2**10,), bool), jnp.zeros((2**14,), bool)
    operands = [true] * 14 + [false]
    subscripts = ",".join("abcdefghijklmno") + "->o"
    for found in (
        tc.jax.einsum(subscripts, *operands),
        jax.jit(lambda *x: tc.jax.einsum(subscripts, *x))(*operands),
    ):
        same(found, false)
        assert not found.any()


SCALARS = [2.0, 3, True, 2j]


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "complex64", "bool"])
def test_weak_types(dtype):
    a = jnp.ones(3, dtype)
    for scalar in SCALARS:
        # JAX's own takes no narrower dtype than one of the operands has.
        expected = a * scalar if dtype != "bool" or scalar is not True else a
        found = tc.jax.einsum("i,->i", a, scalar)
        same(found, expected)
        assert (found == expected).all()
    assert tc.jax.einsum("i,->i", jnp.ones(3, "bfloat16"), 2.0).dtype == "bfloat16"


def test_weak_types_alone():
    for a in SCALARS:
        same(tc.jax.einsum("->", a), jnp.einsum("->", a))
        for b in SCALARS:
            found = tc.jax.einsum(",->", a, b)
            same(found, jnp.einsum(",->", a, b))
            assert found == a * b
    same(jax.jit(lambda x: tc.jax.einsum(",->", x, 3.0))(2.0), jnp.asarray(6.0))
    # Gradients go through.
    assert jax.grad(lambda x: tc.jax.einsum(",->", x, 3.0))(2.0) == 3


def test_floats_of_8_bits():
    a = jnp.ones(3, "float8_e5m2")
    for other, expected in [
        (2.0, "float8_e5m2"),
        (jnp.ones(3, "int32"), "float8_e5m2"),
        (jnp.ones(3, "float8_e4m3fn"), "float32"),
        (jnp.ones(3, "bfloat16"), "float32"),
    ]:
        term = "i" if jnp.ndim(other) else ""
        assert tc.jax.einsum(f"i,{term}->i", a, other).dtype == expected
    with pytest.raises(ValueError, match="no available implicit dtype promotion path"):
        tc.jax.einsum("i,i->i", jnp.ones(3, "int4"), jnp.ones(3, "int8"))


@pytest.mark.parametrize("subscripts", ["ij,jk->ik", "ij->i", "ij,jk,kl->il"])
@pytest.mark.parametrize(
    "dtype, preferred",
    [
        ("bfloat16", "float32"),
        ("float16", "bfloat16"),
        ("float32", "bfloat16"),
        ("float32", "float32"),
        ("float32", "complex64"),
        ("int8", "int32"),
        ("int8", "float32"),
        ("uint8", "int32"),
        ("bool", "int32"),
    ],
)
def test_preferred_element_type(dtype, preferred, subscripts):
    shapes = [(5, 40), (40, 7), (7, 3)][: subscripts.count(",") + 1]
    operands = draw(dtype, shapes, 5)
    options = {"preferred_element_type": preferred}
    tolerance = max(TOLERANCES.get(dtype, 0), TOLERANCES.get(preferred, 0))
    if preferred == "float32" and subscripts != "ij,jk,kl->il":
        tolerance = 1e-6
    check((subscripts, *operands), options, tolerance)


def test_preferred_element_type_is_refused():
    a = jnp.ones((2, 2))
    with pytest.raises(TypeError, match="preferred_element_type is float32, but .* complex"):
        tc.jax.einsum("ij,jk", a.astype("complex64"), a, preferred_element_type="float32")
    with pytest.raises(TypeError, match="preferred_element_type is bool"):
        tc.jax.einsum("ij,jk", a, a, preferred_element_type=bool)


def test_what_is_not_supported():
    a = jnp.ones((2, 2), "float8_e4m3b11fnuz")
    with pytest.raises(TypeError, match="dtype float8_e4m3b11fnuz, which is not supported"):
        tc.jax.einsum("ij,jk", a, a)


def test_messages():
    """Those of tc.einsum."""
    a = np.ones((2, 3), np.float32)
    for arguments in [("ij,jk", a, a), ("...j,...k", a, np.ones((4, 3))), ("ii", a), ("éi,ki", a, a.T)]:
        with pytest.raises(ValueError) as wanted:
            tc.einsum(*arguments)
        with pytest.raises(ValueError) as found:
            tc.jax.einsum(*arguments)
        assert str(found.value) == str(wanted.value)
    with pytest.raises(ValueError, match="index 'i' has extent 1 in axis 0 and 3 in axis 1 of operand 0"):
        tc.jax.einsum("ii", a[:1])


def test_symbolic_extents():
    """XLA computes them: no code is made for each."""
    n, m = jax.export.symbolic_shape("n, m")
    for subscripts, shapes, arrays in [
        ("ij,jk->ik", [(n, 3), (3, m)], [(5, 3), (3, 4)]),
        ("ij,kj,kl->il", [(n, m), (4, m), (4, n)], [(2, 3), (4, 3), (4, 2)]),
        ("ii,i->", [(n, n), (n,)], [(3, 3), (3,)]),
    ]:
        def function(*x, subscripts=subscripts):
            return tc.jax.einsum(subscripts, *x)

        avals = [jax.ShapeDtypeStruct(shape, "float32") for shape in shapes]
        exported = jax.export.export(jax.jit(function))(*avals)
        operands = draw("float32", arrays, 6)
        found = exported.call(*operands)
        np.testing.assert_allclose(found, jnp.einsum(subscripts, *operands), rtol=1e-5, atol=1e-5)
