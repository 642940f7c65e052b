# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of more than two arrays, pair by pair, and in which order."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .._arrays.layout import Layout
from .._contraction.pair import common_dtype, extents_of, sum_dtype, sums_alike
from .._notation.subscripts import Labels, Subscripts
from .._order.optimizers import is_optimizer
from .._order.path import Order
from .._order.search import Machine, find_order
from .._order.slices import cuttable
from .cache import cached
from .call import Arrays, Call, Options


def contract_pairs(
    subscripts: Subscripts,
    arrays: Sequence[Any],
    layouts: Sequence[Layout],
    contract: Callable[[Subscripts, Any, Any, Options, bool, str], Any],
    convert: Callable[[Any, str], Any],
    options: Options,
    order: Order,
) -> Any:
    """Contracts pairs of more than two operands. A prologue goes with the
    operand, and the epilogue and its auxiliary tensors with the last pair. Results
    between have the dtype of sums, so that nothing is rounded but the last."""
    dtypes = [layout.dtype for layout in layouts]
    dtype = common_dtype(dtypes)
    sums = sum_dtype(dtype)
    prologues = options.prologues or (None,) * len(dtypes)
    operands: list[tuple[Labels, Any, str, str | None]] = list(
        zip(subscripts.operands, arrays, dtypes, prologues)
    )
    plain = options.for_code()
    # Of each label, what is left that has it, the result included.
    holders = Counter(subscripts.result)
    for labels in subscripts.operands:
        holders.update(set(labels))
    for number, step in enumerate(order.path):
        chosen = [operands[i] for i in reversed(step)]
        for i in sorted(step, reverse=True):
            del operands[i]
        while len(chosen) > 1:
            labels_a, a, dtype_a, prologue_a = chosen.pop()
            labels_b, b, dtype_b, prologue_b = chosen.pop()
            is_last = not operands and not chosen
            between = sum_dtype(common_dtype((dtype_a, dtype_b)))
            holders.subtract(set(labels_a))
            holders.subtract(set(labels_b))
            # In their own type, sums would be rounded, or wrap around.
            if not sums_alike(between, sums):
                a, between = convert(a, sums), sums
            if is_last:
                result = subscripts.result
            elif order.indices:
                result = order.indices[number]
            else:
                result = tuple(
                    dict.fromkeys(l for l in labels_a + labels_b if holders[l] > 0)
                )
            made = contract(
                Subscripts((labels_a, labels_b), result),
                a,
                b,
                options.for_code((prologue_a, prologue_b), options.epilogue if is_last else None)
                if is_last or prologue_a or prologue_b
                else plain,
                is_last,
                dtype if is_last else between,
            )
            holders.update(result)
            chosen.append((result, made, between, None))
        operands += chosen
    return operands[0][1]


def find_pairs(
    subscripts: Subscripts,
    layouts: Iterable[Layout],
    target: str,
    options: Options,
    arrays: Arrays,
    out_dtype: str | None = None,
) -> Order | None:
    """The order of pairs of operands with these layouts; None where there is nothing to choose."""
    count, optimize, limit = len(subscripts.operands), options.optimize, options.memory_limit
    if count <= 2 and (optimize is True or is_optimizer(optimize)):
        return None
    shapes, _, dtypes, _ = zip(*layouts)
    slices = cuttable(
        options.semiring, arrays.alpha, options.epilogue, arrays.auxiliaries, dtypes, out_dtype
    )
    # The order, and so the bits, are the same for any number of threads.
    machine = Machine(target, 0, options.semiring, limit, slices, options.search_seconds)
    find = functools.partial(find_order, subscripts, shapes, dtypes, optimize, machine)
    if options.dynamic_shapes and optimize is True and limit is None:
        # Another order would have other pairs, which had to be compiled.
        extents_of(subscripts.operands, shapes)
        asked = Options(semiring=options.semiring)
        return cached(Call("order", subscripts, dtypes, target=target, options=asked), find)
    found = find()
    return found if count > 2 else None
