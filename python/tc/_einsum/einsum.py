# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy import generic, ndarray

from .._arrays.host import take_conjugation
from .._contraction.fused import factor_of, user_semiring_of
from .._contraction.pair import why_out_is_read
from .._messages.former import renamed
from .._messages.wording import REWORDED, check_keywords, reword
from .._notation.letters import with_labels
from .._order.search import check_optimize
from . import again, cache, program, quick
from .arguments import check_flags, check_order, check_way_to_run, name_of_tuned, read_subscripts
from .call import Arrays, Options, check_semiring, normal_order, normal_prologues
from .device import contract_on_device, find_caller
from .device_pairs import clear_devices
from .host import contract_on_host


def clear_cache() -> None:
    """Forgets what this process has compiled. What is on disk stays."""
    cache.forget()
    clear_devices()


def _einsum(
    subscripts: str,
    *operands: Any,
    out: Any = None,
    alpha: complex | None = None,
    beta: complex | None = None,
    target: str | None = None,
    threads: int = 0,
    specialize: str = "auto",
    semiring: str = "plus_times",
    prologues: Sequence[str | None] | None = None,
    epilogue: str | None = None,
    auxiliaries: Mapping[str, Any] | None = None,
    product: str | None = None,
    combine: str | None = None,
    identity: float | None = None,
    stream: Any = None,
    dynamic_shapes: bool = False,
    optimize: Any = True,
    memory_limit: int | None = None,
    search_seconds: float | None = None,
    tuned: str | os.PathLike[str] | None = None,
    dtype: Any = None,
    casting: str = "safe",
    order: str | None = "K",
    conjugate_a: bool = False,
    conjugate_b: bool = False,
    saturate: bool = False,
    any_shape: bool | None = None,
    sides: Mapping[str, Any] | None = None,
) -> Any:
    """Computes ``alpha * numpy.einsum(subscripts, *operands) + beta * out``.

    Operands are NumPy arrays, or tensors that speak DLPack and lie in the
    host's memory, or arrays on a CUDA device, each perhaps with a list of axes behind
    it instead of subscripts. They have any dtype of booleans, integers, floats and
    complex numbers up to 64 bits a part, and the result the one to which NumPy promotes
    them, or `dtype`, if `casting` allows that. Any strides will do. Of arrays in the
    host's memory, copied are integers of 16 bits, operands of another kind than the
    result, such as integers among floats, what is not aligned or has another byte order than the
    machine, and, of more than two, one of a pair whose
    sums have a narrower dtype than those of all, and small views with gaps. More than
    two are contracted in pairs. What is between has the dtype of sums, and is not rounded. The result is
    new unless `out` is given, which is then overwritten and returned; it may have
    any dtype whose own sums have the dtype of the operands' sums, is written by way
    of a copy if it overlaps what is read, or has gaps or a byte order that kernels do not write, and
    is read only if `beta` is not 0 or the epilogue uses it. On a CUDA device, it must not overlap.
    A new one has its axes in `order` in memory, where "K" is "C". `conjugate_a` and
    `conjugate_b` conjugate the first and the second of two operands at most, without a copy.

    `semiring` ("min_plus", for one) says what takes the place of sum and
    product; `alpha` and `beta` are its one and zero unless they are given.
    `prologues` has an expression in x, or None, for each operand, whose elements
    become that before they are multiplied; `epilogue`, as in
    "leaky_relu(x, 0.01) + c", is what an element x of the result becomes before
    it is stored where `out` held c. It may read other arrays, an element for each
    element of the result, as "relu(x + bias[j])" with ``auxiliaries={"bias": array}``,
    where j is an index of the result.

    Two operands may have a semiring of their own: `product` ("abs(x - y)") is
    what two factors become, `combine` ("max(x, y)") what two sums, and `identity`
    (-inf) a number that the latter leaves others as they are with. There is no
    `alpha` then, and a `beta` of 1 combines with `out`.

    If `optimize` is True, the order of pairs is the one that takes the least time
    by the model of the machine, with results between that take `memory_limit` bytes
    at most at the same time. Where those of the fastest order take more, the product
    is computed in slices, parts of some indices, unless an order that fits is faster;
    if even those of slices do not fit, it is an UnsupportedError. Without a limit, half of the
    machine's memory is one that is kept where that is possible; -1 is none. The order is
    searched for about `search_seconds`, or a quarter of what the product takes, from 0.1 to 2.
    False, or None, is from the left to the right; a text such as "optimal" or "greedy", alone or
    in a pair with the most elements of an intermediate, is a
    strategy of opt_einsum, which counts multiplications; a path, as `einsum_path`
    or NumPy's returns it, is obeyed; and an optimizer of opt_einsum or cotengra, or a function
    with the same arguments, is asked once for each combination of subscripts and shapes, and a
    tree of cotengra is obeyed, with its slices.

    `tuned` is the file of a tuning database, which `tune` fills: its best schedules
    are obeyed, if it has one for a pair on the target. Without, it is the one that the
    environment variable TC_TUNED names; "off" is none.

    `threads` are used at most, one for each core if it is 0. In the host's memory, a
    contraction without semiring, prologues and epilogue runs at once, by kernels that
    were compiled ahead. `specialize` says when code is made for it: "auto" in the
    background once its calls have taken as long as that will take about, "never", or
    "always" before the first call. It is tried and, if it is faster, takes over: the last
    bits of a result may change then. What is compiled is so once for each combination of subscripts,
    dtype, shapes and strides.

    With `dynamic_shapes`, for arrays on a CUDA device, pairs are contracted by kernels
    that take extents and strides when they are launched: each combination of
    subscripts, dtypes and orders of axes is compiled once, tuned for the shapes
    of its first call, whose order others keep, too, unless there is a
    `memory_limit`. Pairs of which no such kernel can be made (complex numbers,
    one operand, other arrays in the epilogue) are compiled as otherwise. In the host's
    memory, it is `specialize` "never".

    Arrays on a CUDA device speak DLPack or have `__cuda_array_interface__`; all
    lie on one. `target` is by default made for that device. The work is queued on
    `stream`, a handle or an object of a library that has one, by default the
    current one of the operands' library, which also makes the result unless `out`
    is given. All is compiled, so that `specialize` cannot be "never", and nothing is cast;
    `threads` are those of the host, of which it uses none.

    A result beyond the range of float8_e5m2 becomes infinite, and of float8_e4m3fn, which has
    no infinities, NaN, as those of ml_dtypes do; with `saturate`, it becomes the largest
    number of its sign.

    `any_shape` is the former name of `dynamic_shapes`, and `sides` that of `auxiliaries`.

    Raises ValueError for subscripts, extents, values of options or an `out` that do not
    fit, TypeError for dtypes and for options of a wrong kind, and UnsupportedError for what the
    compiler cannot do.
    """
    check_flags(saturate=saturate, conjugate_a=conjugate_a, conjugate_b=conjugate_b)
    subscripts, operands = read_subscripts(subscripts, operands)
    given, conjugated = take_conjugation(operands, (conjugate_a, conjugate_b), semiring)
    if any_shape is not None:
        dynamic_shapes = renamed("any_shape", "dynamic_shapes", any_shape)
    if sides is not None:
        auxiliaries = renamed("sides", "auxiliaries", sides)
    arrays = Arrays(
        given,
        out,
        auxiliaries or {},
        alpha if factor_of(alpha, 1, semiring) else None,
        beta if factor_of(beta, 0, semiring) else None,
    )
    caller = find_caller(arrays, target, stream, dynamic_shapes)
    count = len(given)
    user_semiring = (product, combine, identity, arrays.alpha, arrays.beta, count)
    optimize = False if optimize is None else optimize
    options = Options(
        threads,
        "never" if dynamic_shapes and not caller else specialize,
        semiring,
        user_semiring_of(semiring, *user_semiring),
        normal_prologues(prologues, count),
        with_labels(epilogue) if epilogue else None,
        conjugated,
        bool(saturate),
        name_of_tuned(tuned),
        normal_order(optimize, count),
        memory_limit,
        search_seconds,
        # Results have the machine's byte order, as those of NumPy do.
        None if dtype is None else np.dtype(dtype).newbyteorder("="),
        casting,
        check_order(order),
        bool(dynamic_shapes),
    )
    if (threads, specialize) != (0, "auto"):
        check_way_to_run(threads, specialize)
    check_semiring(semiring, count)
    if out is None and (reason := why_out_is_read(arrays.beta is not None, options.epilogue)):
        raise ValueError(f"{reason}, but there is no out")
    check_optimize(optimize, memory_limit, search_seconds)
    if caller:
        return contract_on_device(caller, subscripts, options, arrays)
    return contract_on_host(subscripts, options, arrays)


def _contract_program(subscripts: str, operands: Sequence[Any], told: dict[str, Any]) -> Any:
    """The result of many arrays with few options; None where that takes a longer way."""
    count = len(operands)
    optimize = normal_order(told.get("optimize", True), count)
    tuned = name_of_tuned(told.get("tuned"))
    options = Options(**{**told, "optimize": optimize, "tuned": tuned})
    check_semiring(options.semiring, count)
    result = program.contract(subscripts, operands, options)
    return result if result is None or result.ndim else result[()]


_DEFAULTS = _einsum.__kwdefaults__ or {}
_WAY_TO_RUN = ("threads", "specialize")
_MANY_OPTIONS = {"threads", "specialize", "semiring", "tuned", "optimize"}
_call_plain = quick.plain_calls.call
# No value of an option that there is not.
_UNKNOWN = object()


def _contract_common(subscripts: Any, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of common calls of NumPy's arrays, without the detour over all rules; None of
    others."""
    for name, value in options.items():
        if name not in quick.OPTIONS and value is not _DEFAULTS.get(name, _UNKNOWN):
            # Something else is told.
            break
    else:
        if not options.keys() <= quick.OPTIONS:
            options = {name: options[name] for name in options if name in quick.OPTIONS}
            result = cache.recall(subscripts, operands, options)
            if result is not None:
                return result
        if options:
            check_way_to_run(
                **{name: options[name] for name in _WAY_TO_RUN if name in options}
            )
        result = quick.call(subscripts, operands, options)
        if result is not None:
            return result
    if type(subscripts) is str and len(operands) > 2 and options.keys() <= _MANY_OPTIONS:
        return _contract_program(subscripts, operands, options)
    return None


@functools.wraps(_einsum)
def einsum(subscripts, *operands, **options):
    # Python takes longer to pass all options on than it takes to contract small
    # arrays.
    try:
        result = _call_plain(subscripts, operands, options)
        if result is not None:
            return result
    except ValueError:
        # An array is not aligned, as those before were.
        pass
    try:
        first = operands[0] if operands else None
        if type(subscripts) is ndarray or type(first) is ndarray or isinstance(first, generic):
            result = _contract_common(subscripts, operands, options)
            if result is not None:
                return result
        elif len(operands) in (1, 2):
            out, stream = options.get("out"), options.get("stream")
            if len(options) == (out is not None) + (stream is not None):
                result = again.contract(subscripts, operands, out, stream)
                if result is not None:
                    return result
        check_keywords(options, _DEFAULTS, "einsum")
        return _einsum(subscripts, *operands, **options)
    except REWORDED as error:
        reword(error)
        raise


# As messages and pickles call it.
einsum.__name__ = einsum.__qualname__ = "einsum"
