# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays.conversion import check_byte_order, clip, conversion_of
from .._arrays.host import import_array, import_operands, import_readable, same, take_conjugation
from .._arrays.layout import Layout
from .._arrays.overlap import temporary_for
from .._contraction.fused import factor_of, fuse, user_semiring_of
from .._contraction.pair import check_place, why_out_is_read
from .._contraction.specialize import check_word
from .._device.arrays import is_on_device, name_all
from .._messages.former import renamed
from .._messages.wording import REWORDED, reword
from .._notation.letters import with_labels
from .._notation.subscripts import parse
from .._order.search import check_path, strategy_of
from . import again, cache, host, program, quick
from .arguments import (
    check_flags,
    check_keywords,
    check_order,
    conjugations,
    is_reversed,
    read_subscripts,
)
from .device import Caller, clear_devices, contract_on_device
from .pairs import check_semiring, orders
from .program import How


def clear_cache() -> None:
    """Forgets what this process has compiled. What is on disk stays."""
    cache.forget()
    host.quick_calls.clear()
    quick.forget()
    clear_devices()


def _find_caller(
    operands, out, auxiliaries, target, stream, dynamic_shapes
) -> Caller | None:
    """What contracts arrays on a device; None if they lie in the host's memory."""
    if target is stream is auxiliaries is None and not dynamic_shapes:
        # What is common takes no detour.
        arrays = operands if out is None else (*operands, out)
        if all(type(array) is np.ndarray for array in arrays):
            return None
    named = name_all(operands, out, auxiliaries)
    if any(is_on_device(array, what) for what, array in named.items()):
        if target == "cpu":
            raise ValueError(
                "target is 'cpu', but "
                + next(what for what, x in named.items() if is_on_device(x, what))
                + " lies on a CUDA device"
            )
        return Caller(operands, out, auxiliaries, target, stream, dynamic_shapes)
    if target not in (None, "cpu"):
        raise ValueError(
            f"target is '{target}', but operand 0 lies in the host's memory; compile() "
            "makes code for GPUs"
        )
    if stream is not None:
        raise ValueError("there is a stream, but operand 0 lies in the host's memory")
    return None


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
    tuned: str | None = None,
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
    if even those of slices do not fit, it is an UnsupportedError.
    False, or None, is from the left to the right; a text such as "optimal" or "greedy", alone or
    in a pair with the most elements of what is between, is a
    strategy of opt_einsum, which counts multiplications; and a path, as `einsum_path`
    or NumPy's returns it, is obeyed.

    `tuned` is the file of a tuning database, which `tune` fills: its best schedules
    are obeyed, if it has one for a pair on the target. Without, it is the one that the
    environment variable TC_TUNED names; "off" is none.

    `threads` are used at most, one for each core if it is 0. In the host's memory, a
    contraction without semiring, prologues and epilogue runs at once, by kernels that
    were compiled ahead. `specialize` says when code is made for it: "auto" in the
    background once its calls have taken as long as that will take about, "never", or
    "always" before the first call. The last bits of a result may change when that code
    takes over. What is compiled is so once for each combination of subscripts,
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

    Raises ValueError for subscripts, extents or an `out` that do not fit,
    TypeError for dtypes, and UnsupportedError for what the compiler cannot do.
    """
    if (
        len(operands) >= 2
        and out is None
        and alpha is None
        and beta is None
        and prologues is epilogue is auxiliaries is None
        and product is combine is identity is stream is None
        and target in (None, "cpu")
        and not dynamic_shapes
        and any_shape is sides is memory_limit is dtype is None
        and casting == "safe"
        and order == "K"
        and not (conjugate_a or conjugate_b or saturate)
        and type(subscripts) is str
    ):
        # What is common takes no detour.
        result = None
        if len(operands) > 2:
            check_semiring(semiring, len(operands))
            how = How(threads, semiring, tuned, optimize, specialize)
            result = program.contract(subscripts, operands, how)
        elif (
            type(operands[0]) is type(operands[1]) is np.ndarray
            and semiring == "plus_times"
            and tuned is None
            and optimize is True
        ):
            result = host.contract_common(subscripts, *operands, threads, specialize)
        if result is not None:
            return result if result.ndim else result[()]
    check_flags(saturate=saturate, conjugate_a=conjugate_a, conjugate_b=conjugate_b)
    subscripts, operands = read_subscripts(subscripts, operands)
    if optimize is None:
        optimize = False
    order = check_order(order)
    operands, conjugated = take_conjugation(operands, (conjugate_a, conjugate_b), semiring)
    if any_shape is not None:
        dynamic_shapes = renamed("any_shape", "dynamic_shapes", any_shape)
    if sides is not None:
        auxiliaries = renamed("sides", "auxiliaries", sides)
    caller = _find_caller(operands, out, auxiliaries, target, stream, dynamic_shapes)
    if dynamic_shapes and not caller:
        specialize = "never"
    factor = alpha if factor_of(alpha, 1, semiring) else None
    old = beta if factor_of(beta, 0, semiring) else None
    user_semiring = user_semiring_of(
        semiring, product, combine, identity, factor, old, len(operands)
    )
    wanted = list(prologues) if prologues is not None else [None] * len(operands)
    if len(wanted) != len(operands):
        raise ValueError(
            f"there are {len(wanted)} prologues, but {len(operands)} operands"
        )
    check_semiring(semiring, len(operands))
    if epilogue:
        epilogue = with_labels(epilogue)
    if out is None and (reason := why_out_is_read(old is not None, epilogue)):
        raise ValueError(f"{reason}, but there is no out")
    find_pairs = orders(
        semiring,
        optimize,
        memory_limit,
        dynamic_shapes,
        factor,
        epilogue,
        auxiliaries,
    )
    fused = fuse(semiring, wanted, epilogue, tuned, user_semiring, saturate)
    if len(operands) == 2 and user_semiring:
        old = None
    if caller:
        if dtype is not None:
            raise ValueError("dtype is set, but operand 0 lies on a CUDA device")
        if order not in ("C", "K") and out is None:
            raise ValueError(f"order is '{order}', but results on a CUDA device have order 'C'")
        if casting != "safe":
            raise ValueError(f"casting is '{casting}', but operand 0 lies on a CUDA device")
        check_word(specialize)
        if specialize == "never":
            raise ValueError("specialize is 'never', but operand 0 lies on a CUDA device")
        if any(conjugated):
            kinds = [array.layout.dtype[0] == "c" for array in caller.operands]
            fused += conjugations(conjugated, kinds)
        return contract_on_device(
            caller,
            subscripts,
            out,
            factor,
            old,
            fused,
            semiring,
            wanted,
            epilogue,
            tuned,
            saturate,
            find_pairs,
        )

    if casting == "no":
        check_byte_order(operands, out)
    arrays, make = import_operands(operands)
    read = {
        name: import_readable(auxiliary, f"auxiliary tensor '{name}'")[0]
        for name, auxiliary in (auxiliaries or {}).items()
    }
    if any(conjugated):
        fused += conjugations(conjugated, [x.dtype.kind == "c" for x in arrays])

    def again(arrays: Sequence[np.ndarray], into: np.ndarray | None, **changed: Any) -> Any:
        """The same of other arrays."""
        return _einsum(
            subscripts,
            *arrays,
            out=into,
            alpha=alpha,
            beta=beta,
            threads=threads,
            specialize=specialize,
            dynamic_shapes=dynamic_shapes,
            saturate=saturate,
            prologues=prologues,
            epilogue=epilogue,
            auxiliaries=auxiliaries,
            product=product,
            combine=combine,
            identity=identity,
            optimize=optimize,
            memory_limit=memory_limit,
            tuned=tuned,
            order=order,
            conjugate_a=conjugated[0],
            conjugate_b=conjugated[1],
            **changed,
        )

    array = None
    if out is not None:
        if not isinstance(out, np.ndarray) and not hasattr(out, "__dlpack__"):
            raise TypeError("out is no array")
        array = import_array(out, "out", writes=True)[0]
        # Wherever it is written in the end: NumPy would repeat what has fewer axes.
        parsed = parse(subscripts, tuple(operand.ndim for operand in arrays))
        check_place(Layout.of(array), parsed, [x.shape for x in arrays])
        temporary = temporary_for(array, (*arrays, *read.values()))
        if temporary is not None:
            kept = {"semiring": semiring, "dtype": dtype}
            np.copyto(array, again(arrays, temporary, casting=casting, **kept))
            return out

    conversion = conversion_of(
        tuple(x.dtype for x in arrays),
        # Results have the machine's byte order, as those of NumPy do.
        None if dtype is None else np.dtype(dtype).newbyteorder("="),
        casting,
        semiring,
        None if array is None else array.dtype,
    )
    if conversion is not None:
        into = None if array is None else conversion.out(array)
        is_written = into is not None
        if not is_written and array is not None and why_out_is_read(old is not None, epilogue):
            if array.dtype != conversion.dtype:
                raise TypeError(f"out has dtype {array.dtype}, but the result {conversion.dtype}")
            into = array.astype(conversion.inner)
        made = again(conversion.operands(arrays), into, semiring=conversion.semiring)
        if out is not None:
            if not is_written:
                made = conversion.result(made)
                np.copyto(array, clip(made, array.dtype) if saturate else made, casting=casting)
            return out
        return conversion.result(made) if make is same else make(conversion.result(np.asarray(made)))

    parsed = parse(subscripts, tuple(operand.ndim for operand in arrays))
    reverses = out is None and is_reversed(order, arrays)
    if reverses:
        # A result whose last axis is the first in memory, seen the other way around.
        parsed = parsed._replace(result=parsed.result[::-1])
    if is_empty := len(arrays) > 2 and any(operand.size == 0 for operand in arrays):
        if not isinstance(optimize, (bool, str)) and strategy_of(optimize) is None:
            check_path(optimize, len(arrays))
        parsed, arrays = host.pair_of_nothing(parsed, arrays)
        wanted = [None, None]
        fused = fuse(semiring, wanted, epilogue, tuned, user_semiring)
    result = found = None
    if is_empty:
        pass
    elif memory_limit is None and not (user_semiring or any(wanted) or epilogue or read):
        how = How(threads, semiring, tuned, optimize, specialize)
        result = program.contract_into(parsed, arrays, array, factor, old, how)
    if result is None and not is_empty:
        out_dtype = None if array is None else array.dtype.name
        found = find_pairs(parsed, map(Layout.of, arrays), "cpu", out_dtype)
    if found is not None:
        result = host.contract_in_order(
            parsed,
            arrays,
            array,
            (factor, old),
            (threads, specialize),
            (semiring, wanted, epilogue, tuned, saturate),
            read,
            found,
        )
    elif result is None:
        a, b = (*arrays, None)[:2]
        result = host.contract(
            parsed, a, b, array, factor, old, threads, specialize, fused, read or None
        )
    if out is not None:
        return out
    if reverses:
        result = result.T
    if make is not same:
        return make(result)
    return result if result.ndim else result[()]


_QUICK_OPTIONS = {"threads", "specialize"}
_QUICK_DEVICE_OPTIONS = {"out", "stream"}


@functools.wraps(_einsum)
def einsum(subscripts, *operands, **options):
    # Python takes longer to pass all options on than it takes to contract small
    # arrays.
    if len(operands) == 2 and (not options or options.keys() <= _QUICK_OPTIONS):
        try:
            result = host.quick_calls.call(
                subscripts, *operands, options.get("threads", 0), options.get("specialize", "auto")
            )
            if result is not None:
                return result
        except ValueError:
            # An array is not aligned, as those before were.
            pass
    try:
        if operands and np.ndarray in (type(operands[0]), type(subscripts)):
            if not options or options.keys() <= quick.OPTIONS:
                result = quick.call(subscripts, operands, **options)
                if result is not None:
                    return result
        elif len(operands) in (1, 2) and (not options or options.keys() <= _QUICK_DEVICE_OPTIONS):
            result = again.contract(
                subscripts, operands, options.get("out"), options.get("stream")
            )
            if result is not None:
                return result
        check_keywords(options, _einsum.__kwdefaults__, "einsum")
        return _einsum(subscripts, *operands, **options)
    except REWORDED as error:
        reword(error)
        raise


# As messages and pickles call it.
einsum.__name__ = einsum.__qualname__ = "einsum"
