# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results beyond the range of 8-bit floats, by the rule of each library, and by the other one."""

import numpy as np
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

import tc  # noqa: E402

# Below, at and above half a step beyond the largest number.
NUMBERS = {
    "float8_e4m3fn": [447, 448, 463.9, 464, 464.1, 479, 480, 1e3, np.inf, np.nan],
    "float8_e5m2": [57343, 57344, 61439, 61440, 61441, 65536, 1e9, np.inf, np.nan],
}
DTYPES = sorted(NUMBERS)


def numbers_of(name):
    numbers = np.array(NUMBERS[name], "float32")
    return np.concatenate([numbers, -numbers])


def expected_of(name, saturate):
    """Expected values, as float32."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    numbers = numbers_of(name)
    if saturate:
        most = float(ml_dtypes.finfo(dtype).max)
        numbers = np.clip(numbers, -most, most)
    with np.errstate(all="ignore"):
        return numbers.astype(dtype).astype("float32")


def same(found, name, saturate):
    np.testing.assert_array_equal(np.asarray(found).astype("float32"), expected_of(name, saturate))


def test_expected():
    # As the formats say.
    assert expected_of("float8_e4m3fn", False)[3] == 448 and np.isnan(expected_of("float8_e4m3fn", False)[4])
    assert expected_of("float8_e5m2", False)[2] == 57344 and expected_of("float8_e5m2", False)[3] == np.inf


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("saturate", [None, False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"specialize": "always"}, {"specialize": "never"}, {"dynamic_shapes": True}, {"epilogue": "x"}],
    ids=str,
)
def test_einsum(name, saturate, options):
    if saturate is not None:
        options = {**options, "saturate": saturate}
    dtype = getattr(ml_dtypes, name)
    x, one = numbers_of(name), np.ones((), "float32")
    out = np.zeros(x.shape, dtype)
    same(tc.einsum("i,->i", x, one, out=out, **options), name, bool(saturate))
    # With gaps and in place of what is read.
    wide = np.zeros((len(x), 3), dtype)
    same(tc.einsum("i,->i", x, one, out=wide[:, 1], **options), name, bool(saturate))
    # Sums, of more operands, and of all in the dtype.
    same(tc.einsum("ij,,->i", x[:, None], one, one, out=out, **options), name, bool(saturate))
    most = np.full((2, 2), ml_dtypes.finfo(dtype).max, dtype)
    for operands in ([most], [most, most], [most, most, most]):
        subscripts = ",".join("ij" for _ in operands) + "->i"
        found = tc.einsum(subscripts, *operands, **options).astype("float32")
        assert np.isfinite(found).all() == bool(saturate)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("saturate", [False, True])
def test_einsum_that_converts(name, saturate):
    dtype = getattr(ml_dtypes, name)
    x = numbers_of(name).astype("float64")
    out = np.zeros(x.shape, dtype)
    options = {"casting": "unsafe", "saturate": saturate}
    same(tc.einsum("i,->i", x, np.ones(()), out=out, **options), name, saturate)
    a = np.full(3, ml_dtypes.finfo(dtype).max, "float32")
    found = tc.einsum("i,i->i", a, a, dtype=dtype, **options)
    assert found.dtype == dtype and np.isfinite(found.astype("float32")).all() == saturate


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("saturate", [None, False, True])
def test_compiled(name, saturate):
    options = {} if saturate is None else {"saturate": saturate}
    dtype = getattr(ml_dtypes, name)
    most = np.full(5, ml_dtypes.finfo(dtype).max, dtype)
    for specialize in ("always", "never"):
        kernel = tc.compile("i,i->i", [(5,), (5,)], name, specialize=specialize, **options)
        assert np.isfinite(kernel(most, -most).astype("float32")).all() == (saturate is not False)
    short = {"float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2"}[name]
    text = f"type = {short}\ni = 5\nC[i] = A[i] * B[i]"
    program = tc.compile_program(text, **options)
    assert np.isfinite(program(A=most, B=most).astype("float32")).all() == (saturate is not False)


@pytest.mark.parametrize("target", ["sm_80", "sm_89"])
def test_kernels_for_gpus(target):
    kernels = [
        tc.compile("ij,jk", [(16, 16), (16, 16)], "float8_e5m2", target, saturate=saturate)
        for saturate in (True, False)
    ]
    assert kernels[0].ptx != kernels[1].ptx
    assert '"nonsaturating": true' in kernels[1].package and "nonsaturating" not in kernels[0].package


@pytest.mark.parametrize("name", DTYPES)
def test_jax(name):
    jnp = pytest.importorskip("jax", reason="JAX is not installed").numpy
    import jax

    import tc.jax

    x, one = jnp.asarray(numbers_of(name)), jnp.ones((), "float32")
    most = jnp.full((2, 2), jnp.finfo(name).max, name)
    for saturate in (False, True):
        found = tc.jax.einsum("i,->i", x, one, preferred_element_type=name, saturate=saturate)
        assert found.dtype == name
        same(found, name, saturate)
        for operands in ([most], [most, most], [most, most, most]):
            subscripts = ",".join("ij" for _ in operands) + "->i"
            found = tc.jax.einsum(subscripts, *operands, saturate=saturate)
            assert found.dtype == name and jnp.isfinite(found.astype("float32")).all() == saturate
    by_default = tc.jax.einsum("ij,jk", most, -most)
    np.testing.assert_array_equal(by_default.astype("float32"), jnp.einsum("ij,jk", most, -most).astype("float32"))
    np.testing.assert_array_equal(
        jax.jit(lambda *x: tc.jax.einsum("ij,jk", *x))(most, most).astype("float32"),
        jnp.einsum("ij,jk", most, most).astype("float32"),
    )
    # Those of JAX's arrays, by tc.einsum.
    assert not np.isfinite(np.asarray(tc.einsum("ij,jk", most, most).astype("float32"))).any()


@pytest.mark.parametrize("name", DTYPES)
def test_torch(name):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    import tc.torch

    dtype = getattr(torch, name)
    largest = torch.finfo(dtype).max
    most = torch.full((2, 2), largest).to(dtype)
    for count in (1, 2, 3):
        subscripts = ",".join("ij" for _ in range(count)) + "->i"
        sums = torch.full((2,), 2 * largest**count)
        as_cast = sums.to(dtype).float()
        for specialize in ("always", "never"):
            found = tc.torch.einsum(subscripts, *[most] * count, specialize=specialize)
            assert found.dtype == dtype
            torch.testing.assert_close(found.float(), as_cast, rtol=0, atol=0, equal_nan=True)
        for saturate in (False, True):
            found = tc.torch.einsum(subscripts, *[most] * count, saturate=saturate)
            assert found.dtype == dtype and found.float().isfinite().all() == saturate
    # As those of ml_dtypes, whatever PyTorch's cast does.
    from tc.torch import _einsum

    for saturate in (False, True):
        same(_einsum._round(torch.from_numpy(numbers_of(name)), dtype, saturate).float().numpy(), name, saturate)
