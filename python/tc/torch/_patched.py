# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`einsum` in the place of PyTorch's own, where both give the same.

PyTorch (aten/src/ATen/native/Linear.cpp) sums over indices of one operand by `torch.sum`, which
makes integers int64, multiplies matrices by `torch.bmm`, which keeps the dtype and takes no
others with it, and else multiplies elements. Autocast changes the dtype in `torch.bmm` only.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ._einsum import cast, diagonals_of, einsum, read_arguments, why_not


def _is_same(
    subscripts: str, shapes: Sequence[Sequence[Any]], dtype: torch.dtype, is_cast: bool
) -> bool:
    """True if PyTorch's einsum of operands of this dtype gives a new tensor of it."""
    form, left = diagonals_of(subscripts, shapes)
    # Number of operands that have an index. An extent of one is not counted: it is repeated.
    counts: dict[str, int] = {}
    for labels, extents in zip(form.labels, left):
        for label, extent in zip(labels, extents):
            counts[label] = counts.get(label, 0) + (1 if extent != 1 else 0)
    summed = [count for label, count in counts.items() if label not in form.result]
    is_single = len(shapes) == 1
    if is_single and not summed:
        # A view of the operand, through which callers may write.
        return False
    is_integer = not dtype.is_floating_point and not dtype.is_complex
    if is_integer and dtype != torch.int64 and (is_single or 1 in summed):
        return False
    # Of more operands, what is cast depends on PyTorch's order.
    return not is_cast or (len(shapes) == 2 and 2 in summed)


_is_same_again = functools.lru_cache(maxsize=4096)(_is_same)


def _takes(subscripts: str, operands: Sequence[Any]) -> bool:
    """True if `einsum` does what PyTorch's own does with these."""
    if why_not(operands) is not None:
        return False
    taken = cast(operands)
    dtype = taken[0].dtype
    if any(x.dtype != dtype for x in taken):
        return False
    is_same = _is_same if torch.compiler.is_compiling() else _is_same_again
    try:
        return is_same(subscripts, tuple(x.shape for x in taken), dtype, taken is not operands)
    except ValueError:
        # PyTorch refuses operands that do not fit by an exception of its own.
        return False


@contextlib.contextmanager
def patched() -> Iterator[None]:
    """Puts `einsum` into the place of `torch.einsum`, for all threads, until it is left.
    What it does not take (`is_supported`), or of which PyTorch's own gives a view, another
    dtype or an error, goes on to PyTorch's own."""
    theirs = torch.einsum

    def ours(*arguments: Any) -> torch.Tensor:
        try:
            subscripts, operands = read_arguments(arguments)
        except (TypeError, ValueError):
            return theirs(*arguments)
        if torch.overrides.has_torch_function(operands):
            # PyTorch's own would tell them that this function is called.
            return torch.overrides.handle_torch_function(theirs, operands, subscripts, *operands)
        if _takes(subscripts, operands):
            return einsum(subscripts, *operands)
        return theirs(*arguments)

    torch.einsum = torch.functional.einsum = ours
    try:
        yield
    finally:
        torch.einsum = torch.functional.einsum = theirs
