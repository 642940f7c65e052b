# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dtypes of einsum's results, by JAX's rules, and those in which kernels compute them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ._primitive import ELEMENT_TYPES

# Dtypes of which the sums of products are in another one, which what is between two
# products has.
_SUMS = {
    "float16": "float32",
    "bfloat16": "float32",
    "float8_e4m3fn": "float32",
    "float8_e5m2": "float32",
    "int8": "int32",
}
# Integers that are multiplied as others, of which the result keeps the low bits. Booleans of
# one operand or two are counted, in numbers that neither wrap around nor overflow.
_OTHERS = {
    "bool": "float32",
    "int4": "int8",
    "int16": "int32",
    "uint4": "int8",
    "uint8": "int32",
    "uint16": "int32",
    "uint32": "int32",
    "uint64": "int64",
}


def _is_float8(dtype: Any) -> bool:
    return jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1


def common_dtype(operands: Sequence[Any]) -> tuple[Any, bool]:
    """The dtype that JAX promotes those of operands to, and whether it is a weak one; float32 for
    different floats of 8 bits, and for these with other floats, for which JAX has none."""
    # Numbers of Python's are weak floats, and take the dtype of others.
    strong = {
        x.dtype
        for x in operands
        if jnp.issubdtype(x.dtype, jnp.complexfloating)
        or jnp.issubdtype(x.dtype, jnp.floating)
        and not x.weak_type
    }
    if len(strong) > 1 and any(map(_is_float8, strong)):
        operands = [jnp.dtype("float32") if _is_float8(x.dtype) else x for x in operands]
    return jax.dtypes.result_type(*operands, return_weak_type_flag=True)


def preferred_dtype(dtype: Any, preferred: Any) -> tuple[Any, Any]:
    """The dtype in which operands of a common dtype are multiplied and summed, and that of the
    result, where one is preferred."""
    wanted = jax.dtypes.canonicalize_dtype(preferred)
    if wanted == dtype:
        return dtype, dtype
    # Of others, JAX refuses some and takes some, in which the sum is none of the products.
    is_complex = jnp.issubdtype(dtype, jnp.complexfloating)
    if wanted == jnp.bool_ or is_complex and not jnp.issubdtype(wanted, jnp.complexfloating):
        raise TypeError(f"preferred_element_type is {wanted}, but the operands have dtype {dtype}")
    narrow = {"int4": "int8", "uint4": "uint8"}
    both = [
        jnp.dtype("float32") if _is_float8(its) else jnp.dtype(narrow.get(its.name, its))
        for its in (dtype, wanted)
    ]
    return jnp.promote_types(*both), wanted


def kernel_dtype(dtype: Any, operands: int, saturate: bool) -> str:
    """The dtype in which kernels compute a product of so many operands of this one. What is to
    saturate is rounded here."""
    name = _OTHERS.get(dtype.name, dtype.name)
    if name not in ELEMENT_TYPES:
        raise TypeError(f"the operands have dtype {dtype.name}, which is not supported")
    return _SUMS.get(name, name) if operands > 2 or saturate else name


def with_dtype(
    result: jax.Array, inner: Any, dtype: Any, is_weak: bool, saturate: bool
) -> jax.Array:
    """Result of a kernel for products of `inner`, as the result has it."""
    if inner == jnp.bool_:
        result = result != 0
    if saturate and _is_float8(dtype):
        most = float(jnp.finfo(dtype).max)
        result = jnp.clip(result, -most, most)
    result = result.astype(inner).astype(dtype)
    if not is_weak:
        return result
    return jax.lax.convert_element_type_p.bind(
        result, new_dtype=dtype, weak_type=True, sharding=None
    )
