# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum_path."""

from __future__ import annotations

from typing import Any

from .._arrays.conversion import conversion_of
from .._arrays.host import import_operands
from .._arrays.layout import Layout
from .._device.arrays import is_on_device, name_all
from .._messages.wording import in_plain_words
from .._notation.subscripts import parse
from .._order.search import Machine, check_optimize, find_order
from .._order.slices import cuttable
from .._threads import check_threads
from .arguments import read_subscripts
from .call import check_semiring
from .device_pairs import Caller


@in_plain_words
def einsum_path(
    subscripts: str,
    *operands: Any,
    target: str | None = None,
    threads: int = 0,
    semiring: str = "plus_times",
    optimize: Any = True,
    memory_limit: int | None = None,
    search_seconds: float | None = None,
) -> tuple[list[Any], str]:
    """The order in which `einsum` contracts these operands, as
    ``numpy.einsum_path`` returns it, and a text that draws the tree with predicted
    times and bytes, if the model chose it, and says what is cut into slices to keep
    `memory_limit`: the path is that of each slice. `optimize` of both takes the first.
    Of the order of `einsum` itself, which is the same for any number of threads, times are
    those of one; with `threads`, it is the order that is the fastest with so many. The other
    parameters are those of `einsum`, but `target` may be any, wherever the operands
    lie, of which nothing is read but shapes and dtypes."""
    subscripts, operands = read_subscripts(subscripts, operands)
    optimize = False if optimize is None else optimize
    check_threads(threads)
    check_semiring(semiring, len(operands))
    check_optimize(optimize, memory_limit, search_seconds)
    named = name_all(operands, None, None)
    if any(is_on_device(array, what) for what, array in named.items()):
        caller = Caller(operands, None, None, target, None, False)
        layouts = [array.layout for array in caller.operands]
        target = caller.target
        dtypes = [layout.dtype for layout in layouts]
    else:
        arrays, _ = import_operands(operands)
        layouts = [Layout.of(array) for array in arrays]
        dtypes = [layout.dtype for layout in layouts]
        conversion = conversion_of(tuple(x.dtype for x in arrays), None, "safe", semiring)
        if conversion is not None:
            dtypes, semiring = [conversion.inner.name] * len(dtypes), conversion.semiring
    slices = cuttable(semiring, None, None, None, dtypes, None)
    found = find_order(
        parse(subscripts, tuple(len(layout.shape) for layout in layouts)),
        tuple(layout.shape for layout in layouts),
        dtypes,
        optimize,
        Machine(target or "cpu", threads, semiring, memory_limit, slices, search_seconds),
    )
    return ["einsum_path", *found.path], found.text
