# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The primitive of JAX: several products of the same operands (tc._notation.terms), with its rules.

All of them are closed: tangents and cotangents of terms are terms, which one call
computes, and those of a batch are terms with one index more.
"""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Sequence
from typing import Any

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from .._notation.terms import (
    batched,
    extents_of,
    gradients_of,
    merged,
    read,
    selected,
    shapes_of,
    tangents_of,
    write,
)
from .._programs.compiled import compile_program
from .._programs.statements import program_of



def _interface() -> tuple[int, int]:
    """The version of the interface for custom calls of the XLA that JAX has."""
    header = pathlib.Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    found = dict(
        re.findall(r"#define XLA_FFI_API_(MAJOR|MINOR) (\d+)", header.read_text("utf-8"))
    )
    return int(found["MAJOR"]), int(found["MINOR"])


def _is_known(interface: tuple[int, int], ours: tuple[int, int]) -> bool:
    """True if XLA takes handlers that were built with the headers of `ours`. For one that it does
    not take, it would refuse to run anything on the CPU."""
    return interface[0] == ours[0] and interface[1] >= ours[1]


_xla: Any = None
try:
    from .. import _xla as _built

    if _is_known(_interface(), _built.INTERFACE):
        _xla = _built
except (ImportError, OSError, KeyError, AttributeError):
    # The package was built without XLA's headers, or JAX has none, or others.
    pass

# The compiler's names of dtypes in which products are computed.
ELEMENT_TYPES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8e4m3fn",
    "float8_e5m2": "f8e5m2",
    "complex128": "c64",
    "complex64": "c32",
    "int64": "i64",
    "int32": "i32",
    "int8": "i8",
}

_TARGET = "tc_products"
if _xla is not None:
    jax.ffi.register_ffi_target(_TARGET, _xla.handler(), platform="cpu")

products_p = Primitive("tc_products")
products_p.multiple_results = True


@functools.lru_cache(maxsize=4096)
def _compiled(terms: str) -> Any:
    return jax.jit(lambda *operands: products_p.bind(*operands, terms=terms))


@products_p.def_impl
def _run(*operands: Any, terms: str) -> Any:
    return _compiled(terms)(*operands)


@products_p.def_abstract_eval
def _shape(*operands: Any, terms: str) -> Any:
    shapes = shapes_of(terms, [x.shape for x in operands])
    # Like an operand in all else, such as the axes of a mesh along which it varies, but whole
    # where an operand is distributed.
    like = operands[0]
    return [
        like.update(
            shape=shape,
            weak_type=False,
            sharding=NamedSharding(like.sharding.mesh, PartitionSpec(*[None] * len(shape))),
        )
        for shape in shapes
    ]


def _varying_axes(x: Any) -> frozenset[Any]:
    """The axes of a mesh along which it varies, within `shard_map`."""
    return jax.typeof(x).manual_axis_type.varying


def _varying_alike(operands: Sequence[Any]) -> Sequence[Any]:
    """Lets operands within `shard_map` vary along the same axes of the mesh."""
    axes = [_varying_axes(x) for x in operands]
    every = frozenset().union(*axes)
    return [
        jax.lax.pcast(x, tuple(every - its), to="varying") if its != every else x
        for x, its in zip(operands, axes)
    ]


def apply(operands: Sequence[Any], text: str) -> list[Any]:
    """The results of terms, of operands with one dtype."""
    if not text:
        return []
    terms = read(text)
    if all(x.size for x in operands):
        made, used = selected(text)
        return products_p.bind(*_varying_alike([operands[i] for i in used]), terms=made)
    # Of some, there is nothing to sum.
    results = []
    for term in terms:
        if all(operands[number].size for number, _ in term.factors):
            results += apply(operands, write([term]))
        else:
            extents = extents_of([term], [x.shape for x in operands])
            shape = tuple(extents[label] for label in term.result)
            results.append(jnp.zeros(shape, operands[0].dtype))
    return results


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, terms: str) -> Any:
    results = products_p.bind(*primals, terms=terms)
    given = tuple(type(x) is not ad.Zero for x in tangents)
    numbers, text, used = tangents_of(terms, given)
    everything = [*primals, *tangents]
    sums: list[Any] = [None] * len(results)
    # One call, the transpose of which is one, too.
    for number, part in zip(numbers, apply([everything[i] for i in used], text)):
        sums[number] = part if sums[number] is None else ad.add_jaxvals(sums[number], part)
    return results, [
        ad.Zero(jax.typeof(result).to_tangent_aval()) if tangent is None else tangent
        for result, tangent in zip(results, sums)
    ]


def _transpose(cotangents: Sequence[Any], *operands: Any, terms: str) -> Any:
    wanted = tuple(ad.is_undefined_primal(x) for x in operands)
    given = tuple(type(x) is not ad.Zero for x in cotangents)
    found, text, used = gradients_of(terms, wanted, given)
    everything = [*cotangents, *operands]
    # The tangents of one result have one cotangent. What they share is then computed once.
    chosen: list[Any] = []
    places: list[int] = []
    there: dict[int, int] = {}
    for number in used:
        value = everything[number]
        if id(value) not in there:
            there[id(value)] = len(chosen)
            chosen.append(value)
        places.append(there[id(value)])
    sums: list[Any] = [None] * len(operands)
    for each, part in zip(found, apply(chosen, merged(text, tuple(places)))):
        shape = operands[each.operand].aval.shape
        if each.missing:
            part = jnp.broadcast_to(jnp.expand_dims(part, each.missing), shape)
        before = sums[each.operand]
        sums[each.operand] = part if before is None else ad.add_jaxvals(before, part)
    return [
        ad.Zero(operand.aval) if its and total is None else total
        for operand, its, total in zip(operands, wanted, sums)
    ]


def _batch(operands: Sequence[Any], axes: Sequence[Any], *, terms: str) -> Any:
    made, has = batched(terms, tuple(axes))
    return apply(operands, made), [0 if its else None for its in has]


ad.primitive_jvps[products_p] = _jvp
ad.primitive_transposes[products_p] = _transpose
batching.primitive_batchers[products_p] = _batch


def _program_of(terms: str, avals: Sequence[Any]) -> str:
    parsed = read(terms)
    extents = extents_of(parsed, [x.shape for x in avals])
    return program_of(parsed, extents, ELEMENT_TYPES[avals[0].dtype.name])


def _by_xla(*operands: Any, terms: str) -> Any:
    """Product by XLA itself, on something else than a CPU or for symbolic extents."""
    return [
        jnp.einsum(
            ",".join(labels for _, labels in term.factors) + "->" + term.result,
            *(operands[number] for number, _ in term.factors),
        )
        for term in read(terms)
    ]


_lower_to_xla = mlir.lower_fun(_by_xla, multiple_results=True)


def _lower_to_call(ctx: Any, *operands: Any, terms: str) -> Any:
    if any(jax.export.is_symbolic_dim(extent) for x in ctx.avals_in for extent in x.shape):
        # A function that is exported with symbolic extents has no code of its own for each.
        return _lower_to_xla(ctx, *operands, terms=terms)
    program = _program_of(terms, ctx.avals_in)
    _xla.prepare(program, 0)
    rule = jax.ffi.ffi_lowering(_TARGET)
    return rule(ctx, *operands, program=program, threads=mlir.i64_attr(0))


@functools.lru_cache(maxsize=4096)
def _host_program(text: str) -> Any:
    return compile_program(text, saturate=False)


def _by_callback(*operands: Any, terms: str) -> Any:
    """The same without XLA's headers."""
    program = _host_program(_program_of(terms, operands))
    shapes = shapes_of(terms, [x.shape for x in operands])

    def call(*arrays: Any) -> Any:
        found = program({f"X{i}": np.asarray(x) for i, x in enumerate(arrays)})
        return (found,) if len(shapes) == 1 else tuple(found[f"R{i}"] for i in range(len(shapes)))

    types = tuple(jax.ShapeDtypeStruct(shape, operands[0].dtype) for shape in shapes)
    return jax.pure_callback(call, types, *operands)


mlir.register_lowering(products_p, _lower_to_xla)
mlir.register_lowering(
    products_p,
    mlir.lower_fun(_by_callback, multiple_results=True) if _xla is None else _lower_to_call,
    platform="cpu",
)
