# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of JAX's arrays, as what the primitive takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import opt_einsum

from .._einsum.arguments import check_flags
from .._notation.terms import Form, check_extents, form_of, spell_sublists, term_of_sizes
from ._dtypes import common_dtype, kernel_dtype, preferred_dtype, with_dtype
from ._primitive import apply


def _any(form: Form, arrays: Sequence[jax.Array]) -> jax.Array:
    """True if any product of more than two booleans is true. Each pair is computed by itself, as
    counts of all products would be beyond the range of floats."""
    left = list(zip(form.labels, arrays))
    for step in find_path(form, [x.shape for x in arrays]):
        pair = [left[i] for i in step]
        left = [each for i, each in enumerate(left) if i not in step]
        needed = set(form.result).union(*(labels for labels, _ in left))
        labels = "".join(dict.fromkeys(x for its, _ in pair for x in its if x in needed))
        if not left:
            labels = form.result
        made = einsum(",".join(its for its, _ in pair) + "->" + labels, *(x for _, x in pair))
        left.append((labels, made))
    return left[0][1]


def find_path(form: Form, shapes: Sequence[Sequence[Any]]) -> Sequence[Sequence[int]]:
    """The order of pairs: that of the fewest multiplications, or from the left to the right where
    extents are symbols."""
    if not all(isinstance(extent, int) for shape in shapes for extent in shape):
        return [(0, 1)] + [(0, len(shapes) - step) for step in range(2, len(shapes))]
    text = ",".join(form.labels) + "->" + form.result
    return opt_einsum.contract_path(text, *shapes, shapes=True)[0]


def einsum(
    subscripts: Any,
    *operands: Any,
    preferred_element_type: Any = None,
    saturate: bool = False,
) -> jax.Array:
    """Sums products of the operands' elements, as `jax.numpy.einsum` does:

        einsum("bij,bjk->bik", a, b)
        einsum(a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3])

    The result has the dtype to which JAX promotes those of the operands, weak types
    among them, or `preferred_element_type`, in which products are summed then if it holds
    theirs. The order of more than two is the one that is predicted to take the least time.

    A result beyond the range of float8_e5m2 becomes infinite, and of float8_e4m3fn, which has
    no infinities, NaN, as JAX has it; with `saturate`, it becomes the largest number of its sign.

    Raises ValueError for subscripts and extents that do not fit, and TypeError for
    dtypes that are not supported.
    """
    check_flags(saturate=saturate)
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
    name = kernel_dtype(inner, len(arrays), saturate)
    form = form_of(subscripts, tuple(x.ndim for x in arrays))
    check_extents(form, [x.shape for x in arrays])
    views = []
    for array, pairs in zip(arrays, form.diagonals):
        for first, second in pairs:
            array = jnp.diagonal(array, 0, first, second)
        views.append(array)
    if inner == jnp.bool_ and len(views) > 2:
        return with_dtype(_any(form, views), inner, dtype, is_weak, saturate)
    views = [x.astype(name) for x in views]
    terms, removed = term_of_sizes(form, tuple(x.shape for x in views))
    squeezed = [jnp.squeeze(x, axes) if axes else x for x, axes in zip(views, removed)]
    (result,) = apply(squeezed, terms)
    return with_dtype(result, inner, dtype, is_weak, saturate)
