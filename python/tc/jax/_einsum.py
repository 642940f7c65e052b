# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of JAX's arrays, as what the primitive takes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from .._products import check_extents, form_of, spell_sublists, term_of_sizes
from ._primitive import ELEMENT_TYPES, apply

# Dtypes of which the sums of products are in another one, which what is between two
# products has, and integers that are multiplied as wider ones.
_SUMS = {
    "float16": "float32",
    "bfloat16": "float32",
    "float8_e4m3fn": "float32",
    "float8_e5m2": "float32",
    "int8": "int32",
}
_WIDENED = {"int16": "int32", "uint8": "int32", "uint16": "int32"}


def _common_dtype(operands: list[Any]) -> Any:
    """The dtype that JAX promotes those of operands to; float32 for different floats of
    8 bits, and for these with others."""
    dtypes = [x.dtype for x in operands]
    if len(set(dtypes)) > 1:
        dtypes = [
            jnp.dtype("float32")
            if jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1
            else dtype
            for dtype in dtypes
        ]
    return jnp.result_type(*dtypes)


def einsum(subscripts: Any, *operands: Any) -> jax.Array:
    """Sums products of the operands' elements, as `jax.numpy.einsum` does:

        einsum("bij,bjk->bik", a, b)
        einsum(a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3])

    The result has the dtype to which JAX promotes those of the operands. The order
    of more than two is the one that is predicted to take the least time.

    Raises ValueError for subscripts and extents that do not fit, and TypeError for
    dtypes that are not supported.
    """
    if not isinstance(subscripts, str):
        subscripts, operands = spell_sublists((subscripts, *operands))
    if not operands:
        raise ValueError("there is no operand")
    arrays = [jnp.asarray(x) for x in operands]
    dtype = _common_dtype(arrays)
    name = _WIDENED.get(dtype.name, dtype.name)
    if name not in ELEMENT_TYPES:
        raise TypeError(f"the operands have dtype {dtype.name}, which is not supported")
    if len(arrays) > 2:
        name = _SUMS.get(name, name)
    form = form_of(subscripts, tuple(x.ndim for x in arrays))
    check_extents(form, [x.shape for x in arrays])
    views = []
    for array, pairs in zip(arrays, form.diagonals):
        for first, second in pairs:
            array = jnp.diagonal(array, 0, first, second)
        views.append(array.astype(name))
    terms, removed = term_of_sizes(form, tuple(x.shape for x in views))
    squeezed = [jnp.squeeze(x, axes) if axes else x for x, axes in zip(views, removed)]
    (result,) = apply(squeezed, terms)
    return result.astype(dtype)
