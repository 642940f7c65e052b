# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tc.jax.einsum, and tc.einsum of JAX's arrays, where JAX is installed
(scripts/framework_tests.sh)."""

import os
import subprocess
import sys

import numpy as np
import opt_einsum
import pytest
import random_products

# Devices on which shard_map distributes; read when JAX begins.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp  # noqa: E402
from jax.sharding import AxisType, PartitionSpec  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import tc  # noqa: E402
import tc.jax  # noqa: E402
from tc.jax import _primitive, einsum  # noqa: E402

jax.config.update("jax_enable_x64", True)


def draw(*shape, dtype="float64", seed=0):
    rng = np.random.default_rng([seed, len(shape)])
    array = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * rng.standard_normal(shape)
    return jnp.asarray(array, dtype)


def close(found, wanted, tolerance=1e-12):
    assert isinstance(found, jax.Array)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    if wanted.size:
        assert jnp.abs(found - wanted).max() <= tolerance * max(1, jnp.abs(wanted).max())


def expressions(count, operands, **options):
    for seed in range(count):
        subscripts, shapes = random_products.draw(100 + seed, operands, **options)
        yield pytest.param(subscripts, shapes, id=f"{100 + seed}:{subscripts}")


@pytest.mark.parametrize(
    "subscripts, shapes",
    [each for n in (1, 2, 3, 4) for each in expressions(8, n, largest=11)],
)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_as_jax(subscripts, shapes, dtype):
    operands = [draw(*shape, dtype=dtype, seed=i) for i, shape in enumerate(shapes)]
    wanted, pull_wanted = jax.vjp(lambda *x: jnp.einsum(subscripts, *x), *operands)
    found, pull_found = jax.vjp(lambda *x: einsum(subscripts, *x), *operands)
    close(found, wanted)
    cotangent = draw(*wanted.shape, dtype=dtype, seed=9)
    for a, b in zip(pull_found(cotangent), pull_wanted(cotangent)):
        close(a, b)


@pytest.mark.parametrize(
    "subscripts, shapes", [each for n in (2, 3) for each in expressions(4, n, largest=4)]
)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_check_grads(subscripts, shapes, dtype):
    operands = [draw(*shape, dtype=dtype, seed=i) for i, shape in enumerate(shapes)]
    # Forwards and backwards, twice.
    check_grads(lambda *x: einsum(subscripts, *x), operands, order=2)


@pytest.mark.parametrize(
    "dtype, tolerance",
    [
        ("float32", 1e-5),
        ("float16", 1e-2),
        ("bfloat16", 5e-2),
        ("float8_e4m3fn", 0.3),
        ("float8_e5m2", 0.6),
        ("complex64", 1e-5),
        ("int64", 0),
        ("int32", 0),
        ("int16", 0),
        ("int8", 0),
        ("uint8", 0),
    ],
)
@pytest.mark.parametrize("subscripts", ["ij,jk->ki", "ij,jk,kl->il"])
def test_dtypes(dtype, tolerance, subscripts):
    shapes = [(5, 13), (13, 7), (7, 3)][: subscripts.count(",") + 1]
    wide = "complex128" if dtype.startswith("complex") else "float64"
    operands = [
        (draw(*shape, seed=i) * (3 if "int" in dtype else 1)).astype(dtype)
        for i, shape in enumerate(shapes)
    ]
    result = einsum(subscripts, *operands)
    assert result.dtype == dtype
    wanted = np.einsum(subscripts, *(np.asarray(x).astype(wide) for x in operands))
    if tolerance == 0:
        assert (np.asarray(result) == wanted.astype("int64").astype(dtype)).all()
    else:
        found = np.asarray(result).astype(wide)
        assert np.abs(found - wanted).max() <= tolerance * np.abs(wanted).max()


def test_mixed_dtypes():
    a, b = draw(4, 5, dtype="float32"), draw(5, 6, dtype="complex64")
    assert einsum("ij,jk", a, b).dtype == "complex64"
    assert einsum("ij,jk", a.astype("int32"), a.T).dtype == "float32"
    assert einsum("ij,jk", a.astype("float8_e5m2"), a.T.astype("bfloat16")).dtype == "float32"


def test_forms():
    a, b = draw(2, 3, 4), draw(2, 4, 5)
    for arguments in [
        ("...ij,...jk", a, b),
        ("bij, bjk->bki", a, b),
        (a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3]),
        (a, [..., 1, 2], b, [..., 2, 3], [3, ...]),
    ]:
        close(einsum(*arguments), jnp.einsum(*arguments))
    with pytest.raises(ValueError, match="^index 'j' has extent 4 in axis 2 of operand 0 and 2 in axis 0 of operand 1$"):
        einsum("bij,jkl", a, b)
    with pytest.raises(ValueError, match="^index 'i' has extent 2 in axis 0 of operand 0 and 3 in axis 1 of operand 0$"):
        einsum("iij", a)
    with pytest.raises(ValueError, match="no operand"):
        einsum("ij")


def test_nothing():
    close(einsum("ij,jk->ik", jnp.ones((3, 0)), jnp.ones((0, 4))), jnp.zeros((3, 4)))
    gradient = jax.grad(lambda a: einsum("ij,kj,lj->", a, jnp.ones((2, 0)), jnp.ones((4, 0))))
    assert gradient(jnp.ones((3, 0))).shape == (3, 0)


def test_transformations():
    a, b, batch = draw(4, 5), draw(5, 6, seed=1), draw(3, 4, 5)
    for transform in [
        lambda e: jax.jit(lambda a, b: e("ij,jk->ki", a, b)),
        lambda e: jax.hessian(lambda a, b: e("ij,jk,il,lk->", a, b, a, b)),
        lambda e: jax.jacfwd(lambda a, b: e("ij,jk->ki", a, b)),
        lambda e: jax.checkpoint(lambda a, b: jnp.sin(e("ij,jk->ki", a, b))),
        lambda e: jax.grad(jax.checkpoint(lambda a, b: jnp.sin(e("ij,jk->ki", a, b)).sum())),
    ]:
        close(transform(einsum)(a, b), transform(jnp.einsum)(a, b))
    for transform in [
        lambda e: jax.vmap(lambda a, b: e("ij,jk->ki", a, b), (0, None)),
        lambda e: jax.vmap(lambda a, b: e("ij,jk->ki", a, b), (0, None), 2),
        lambda e: jax.vmap(jax.grad(lambda a, b: e("ij,jk,ij->", a, b, a)), (0, None)),
        lambda e: jax.vmap(jax.grad(lambda a, b: e("ij,jk,ij->", a, b, a), 1), (0, None)),
        lambda e: jax.vmap(
            jax.vmap(lambda a, b: e("i,ik->k", a, b), (0, None)), (0, None)
        ),
    ]:
        close(transform(einsum)(batch, b), transform(jnp.einsum)(batch, b))


def test_gradients_are_one_call():
    operands = [draw(6, 6, seed=i) for i in range(4)]

    def product(*x):
        return einsum("ab,bc,cd,da->", *x)

    text = str(jax.make_jaxpr(jax.grad(product, (0, 1, 2, 3)))(*operands))
    assert text.count("tc_products[") == 2
    # The cotangent of all tangents is one operand.
    assert text.count("->ab;") == 1 and "0,2bc,3cd,4da->ab" in text


def test_shard_map():
    mesh = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,))
    along, whole = PartitionSpec("x"), PartitionSpec()
    a, b = draw(8, 12), draw(12, 5)
    rows = jax.jit(
        jax.shard_map(
            lambda a, b: einsum("ij,jk->ik", a, b),
            mesh=mesh,
            in_specs=(along, whole),
            out_specs=along,
        )
    )
    close(rows(a, b), a @ b)
    sums = jax.jit(
        jax.shard_map(
            lambda a, b: jax.lax.psum(einsum("ij,jk->ik", a, b), "x"),
            mesh=mesh,
            in_specs=(PartitionSpec(None, "x"), along),
            out_specs=whole,
        )
    )
    close(sums(a, b), a @ b)
    for function in (rows, sums):
        found = jax.grad(lambda a, b: (function(a, b) ** 2).sum(), (0, 1))(a, b)
        wanted = jax.grad(lambda a, b: ((a @ b) ** 2).sum(), (0, 1))(a, b)
        for x, y in zip(found, wanted):
            close(x, y)


def test_ways():
    """The call of XLA's, if the package was built with its headers, what calls back where it
    was not, and what XLA computes on other platforms."""
    a, b = draw(4, 5), draw(5, 6)
    terms = "0ab,1bc->ca;0ab->b"
    wanted = [(a @ b).T, a.sum(0)]
    text = jax.jit(lambda a, b: einsum("ij,jk->ki", a, b)).lower(a, b).as_text()
    assert ("tc_products" in text) == (_primitive._xla is not None)
    for way in (_primitive._by_callback, _primitive._by_xla, _primitive.products_p.bind):
        for found, its in zip(jax.jit(way, static_argnames="terms")(a, b, terms=terms), wanted):
            close(found, its)
    # A function lowered for a GPU does not need one.
    lowered = jax.jit(lambda a, b: einsum("ij,jk->ki", a, b)).trace(a, b)
    assert "dot_general" in lowered.lower(lowering_platforms=("cuda",)).as_text()


def test_interface():
    """Only what XLA would take is registered with it: it refuses a later minor version."""
    assert _primitive._is_known((0, 3), (0, 3))
    assert _primitive._is_known((0, 5), (0, 3))
    assert not _primitive._is_known((0, 3), (0, 5))
    assert not _primitive._is_known((1, 3), (0, 3))
    if _primitive._xla is not None:
        assert _primitive._is_known(_primitive._interface(), _primitive._xla.INTERFACE)


SERIALIZED = """
import sys, jax, jax.export, jax.numpy as jnp
jax.config.update("jax_enable_x64", True)
import tc.jax
file, = sys.argv[1:]
function = jax.export.deserialize(bytearray(open(file, "rb").read()))
a = jnp.arange(12.0).reshape(3, 4)
assert (function.call(a) == a @ a.T).all()
"""


@pytest.mark.skipif(_primitive._xla is None, reason="tc was built without XLA's headers")
def test_other_process(tmp_path):
    """An exported function has all that is to be compiled."""
    pytest.importorskip("flatbuffers", reason="flatbuffers, which jax.export uses, is not installed")
    function = jax.jit(lambda a: einsum("ij,kj->ik", a, a))
    checks = [jax.export.DisabledSafetyCheck.custom_call("tc_products")]
    exported = jax.export.export(function, disabled_checks=checks)(jnp.zeros((3, 4)))
    path = tmp_path / "exported"
    path.write_bytes(exported.serialize())
    run = subprocess.run(
        [sys.executable, "-c", SERIALIZED, path], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_einsum_of_arrays():
    """tc.einsum, which knows nothing of JAX's transformations."""
    a, b = draw(4, 5), draw(5, 6)
    result = tc.einsum("ij,jk->ik", a, b)
    assert isinstance(result, jax.Array)
    close(result, a @ b)
    result = tc.einsum("ij,jk,kl->il", np.asarray(a), b, draw(6, 3))
    assert isinstance(result, jax.Array)
    close(opt_einsum.contract("ij,jk->ki", a, b, backend="tc"), (a @ b).T)


@pytest.mark.skipif(_primitive._xla is None, reason="tc was built without XLA's headers")
def test_handler_compares_buffers():
    """The handler reads what its program was compiled for, and nothing of other buffers."""
    a, b = jnp.ones((3, 4), "float32"), jnp.ones((4, 5), "float32")
    text = _primitive._program_of("0ab,1bc->ac", [a, b])

    def call(a, b, shape=(3, 5)):
        result = jax.ShapeDtypeStruct(shape, "float32")
        return jax.ffi.ffi_call("tc_products", [result])(a, b, program=text, threads=np.int64(0))[0]

    close(call(a, b), jnp.full((3, 5), 4, "float32"))
    for message, wrong in (
        ("'X0' has shape .2, 4., but was compiled for .3, 4.", lambda: call(a[:2], b)),
        ("'X1' has shape .20., but was compiled for .4, 5.", lambda: call(a, b.reshape(20))),
        ("'R0' has shape .3, 2., but was compiled for .3, 5.", lambda: call(a, b, (3, 2))),
        ("'X1' .* elements of 4 bytes", lambda: call(a, b.astype("bfloat16"))),
    ):
        with pytest.raises(Exception, match=message):
            wrong()
