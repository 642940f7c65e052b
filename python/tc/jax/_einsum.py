# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of JAX's arrays, as what the primitive takes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from .._products import check_extents, form_of, spell_sublists, term_of_sizes
from ._dtypes import common_dtype, kernel_dtype, preferred_dtype, with_dtype
from ._primitive import apply


def einsum(subscripts: Any, *operands: Any, preferred_element_type: Any = None) -> jax.Array:
    """Sums products of the operands' elements, as `jax.numpy.einsum` does:

        einsum("bij,bjk->bik", a, b)
        einsum(a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3])

    The result has the dtype to which JAX promotes those of the operands, weak types
    among them, or `preferred_element_type`, in which products are summed then if it holds
    theirs. The order of more than two is the one that is predicted to take the least time.

    Raises ValueError for subscripts and extents that do not fit, and TypeError for
    dtypes that are not supported.
    """
    if not isinstance(subscripts, str):
        subscripts, operands = spell_sublists((subscripts, *operands))
    if not operands:
        raise ValueError("there is no operand")
    arrays = [jnp.asarray(x) for x in operands]
    dtype, is_weak = common_dtype(arrays)
    inner = dtype
    if preferred_element_type is not None:
        inner, dtype = preferred_dtype(dtype, preferred_element_type)
        is_weak = False
    name = kernel_dtype(inner, len(arrays))
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
    return with_dtype(result, inner, dtype, is_weak)
