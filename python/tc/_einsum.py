# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _einsum_again, _einsum_host, _einsum_program, _memo
from ._contraction import common_dtype, extents_of, why_out_is_read
from ._conversion import conversion_of
from ._device import is_on_device, name_all
from ._einsum_device import Caller, clear_devices, contract_on_device
from ._einsum_pairs import check_semiring, contract_pairs, orders
from ._einsum_program import How
from ._former import renamed
from ._fused import factor_of, fuse, user_semiring_of
from ._host_arrays import import_array, import_operands, same
from ._layout import Layout
from ._order import Machine, check_optimize, find_order
from ._overlap import check_auxiliaries, check_out
from ._products import spell_sublists
from ._slices import contract_slices, cuttable
from ._subscripts import parse


def clear_cache() -> None:
    """Forgets what this process has compiled. What is on disk stays."""
    _memo.forget()
    _einsum_host.quick_calls.clear()
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


def _read(subscripts: Any, operands: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Subscripts and operands, which may be given each with a list of axes behind."""
    axes = operands[0] if operands else None
    is_list = isinstance(axes, (list, tuple)) or (
        isinstance(axes, np.ndarray) and axes.ndim == 1 and axes.dtype.kind in "iu"
    )
    if is_list and not isinstance(subscripts, str):
        return spell_sublists((subscripts, *operands))
    if not operands:
        raise ValueError("there is no operand")
    return subscripts, operands


def einsum_path(
    subscripts: str,
    *operands: Any,
    target: str | None = None,
    threads: int = 0,
    semiring: str = "plus_times",
    optimize: Any = True,
    memory_limit: int | None = None,
) -> tuple[list[Any], str]:
    """The order in which `einsum` contracts these operands, as
    ``numpy.einsum_path`` returns it, and a text that draws the tree with predicted
    times and bytes, if the model chose it, and says what is cut into slices to keep
    `memory_limit`: the path is that of each slice. `optimize` of both takes the first. The
    parameters are those of `einsum`, but `target` may be any, wherever the operands
    lie, of which nothing is read but shapes and dtypes."""
    subscripts, operands = _read(subscripts, operands)
    check_semiring(semiring, len(operands))
    check_optimize(optimize, memory_limit)
    named = name_all(operands, None, None)
    if any(is_on_device(array, what) for what, array in named.items()):
        caller = Caller(operands, None, None, target, None, False)
        layouts = [array.layout for array in caller.operands]
        target = caller.target
        dtypes = [layout.dtype for layout in layouts]
    else:
        arrays = [import_array(array, what)[0] for what, array in named.items()]
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
        Machine(target or "cpu", threads, semiring, memory_limit, slices),
    )
    return ["einsum_path", *found.path], found.text


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
    result, such as integers among floats, and, of more than two, one of a pair whose
    sums have a narrower dtype than those of all, and small views with gaps. More than
    two are contracted in pairs. What is between has the dtype of sums, and is not rounded. The result is
    new unless `out` is given, which is then overwritten and returned; it may have
    any dtype whose own sums have the dtype of the operands' sums, must not overlap
    the operands, and is read only if `beta` is not 0 or the epilogue uses it.

    `semiring` ("min_plus", for one) says what takes the place of sum and
    product; `alpha` and `beta` are its one and zero unless they are given.
    `prologues` has an expression in x, or None, for each operand, whose elements
    become that before they are multiplied; `epilogue`, as in
    "leaky_relu(x, 0.01) + c", is what an element x of the result becomes before
    it is stored where `out` held c. It may read other arrays, an element for each
    element of the result, as "relu(x + bias[j])" with ``auxiliaries={"bias": array}``,
    where j is an index of the result. They must not overlap `out`.

    Two operands may have a semiring of their own: `product` ("abs(x - y)") is
    what two factors become, `combine` ("max(x, y)") what two sums, and `identity`
    (-inf) a number that the latter leaves others as they are with. There is no
    `alpha` then, and a `beta` of 1 combines with `out`.

    If `optimize` is True, the order of pairs is the one that takes the least time
    by the model of the machine, with results between that take `memory_limit` bytes
    at most at the same time. Where those of the fastest order take more, the product
    is computed in slices, parts of some indices, unless an order that fits is faster;
    if even those of slices do not fit, it is an UnsupportedError.
    False is from the left to the right; a text such as "optimal" or "greedy", alone or
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
    is given.

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
        and type(subscripts) is str
    ):
        # What is common takes no detour.
        result = None
        if len(operands) > 2:
            check_semiring(semiring, len(operands))
            how = How(threads, semiring, tuned, optimize, specialize)
            result = _einsum_program.contract(subscripts, operands, how)
        elif (
            type(operands[0]) is type(operands[1]) is np.ndarray
            and semiring == "plus_times"
            and tuned is None
            and optimize is True
        ):
            result = _einsum_host.contract_common(subscripts, *operands, threads, specialize)
        if result is not None:
            return result if result.ndim else result[()]
    subscripts, operands = _read(subscripts, operands)
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
    if out is None and (reason := why_out_is_read(old is not None, epilogue)):
        raise ValueError(f"{reason}, but there is no out")
    order = orders(
        semiring,
        threads,
        optimize,
        memory_limit,
        dynamic_shapes,
        factor,
        epilogue,
        auxiliaries,
    )
    fused = fuse(semiring, wanted, epilogue, tuned, user_semiring)
    if len(operands) == 2 and user_semiring:
        old = None
    if caller:
        if dtype is not None:
            raise ValueError("dtype is set, but operand 0 lies on a CUDA device")
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
            order,
        )

    arrays, make = import_operands(operands)
    read = {
        name: import_array(auxiliary, f"auxiliary tensor '{name}'")[0]
        for name, auxiliary in (auxiliaries or {}).items()
    }
    array = None
    if out is not None:
        if not isinstance(out, np.ndarray) and not hasattr(out, "__dlpack__"):
            raise TypeError("out is no array")
        array = import_array(out, "out", writes=True)[0]
        check_out(array, arrays)
        check_auxiliaries(array, read)

    conversion = conversion_of(
        tuple(x.dtype for x in arrays),
        None if dtype is None else np.dtype(dtype),
        casting,
        semiring,
        None if array is None else array.dtype,
    )
    if conversion is not None:
        into = None if array is None else conversion.out(array)
        if array is not None and into is None and why_out_is_read(old is not None, epilogue):
            raise TypeError(f"out has dtype {array.dtype}, but the result {conversion.dtype}")
        made = _einsum(
            subscripts,
            *conversion.operands(arrays),
            out=into,
            alpha=alpha,
            beta=beta,
            threads=threads,
            semiring=conversion.semiring,
            prologues=prologues,
            epilogue=epilogue,
            auxiliaries=auxiliaries,
            product=product,
            combine=combine,
            identity=identity,
            optimize=optimize,
            memory_limit=memory_limit,
            tuned=tuned,
        )
        if out is not None:
            if into is None:
                np.copyto(array, conversion.result(made), casting=casting)
            return out
        return conversion.result(made) if make is same else make(conversion.result(np.asarray(made)))

    parsed = parse(subscripts, tuple(operand.ndim for operand in arrays))
    result = found = None
    if memory_limit is None and not (user_semiring or any(wanted) or epilogue or read):
        how = How(threads, semiring, tuned, optimize, specialize)
        result = _einsum_program.contract_into(parsed, arrays, array, factor, old, how)
    if result is None:
        out_dtype = None if array is None else array.dtype.name
        found = order(parsed, map(Layout.of, arrays), "cpu", out_dtype)
    if found is not None:

        def contract_many(parts, place, first, old_factor):
            def contract(pair, a, b, pair_fused, is_last, dtype):
                into = (place, first, old_factor) if is_last else (None, None, None)
                return _einsum_host.contract(
                    pair,
                    a,
                    b,
                    *into,
                    threads,
                    specialize,
                    pair_fused,
                    is_last and read or None,
                    dtype,
                )

            return contract_pairs(
                parsed,
                parts,
                [Layout.of(each) for each in parts],
                contract,
                np.ndarray.astype,
                semiring,
                wanted,
                epilogue,
                tuned,
                found,
            )

        if not found.slices:
            result = contract_many(arrays, array, factor, old)
        else:
            result = array
            if result is None:
                extents = extents_of(parsed.operands, [each.shape for each in arrays])
                shape = tuple(extents[label] for label in parsed.result)
                result = np.empty(shape, common_dtype([x.dtype.name for x in arrays]))
            contract_slices(
                parsed, arrays, result, (factor, old), semiring, found, contract_many
            )
    elif result is None:
        a, b = (*arrays, None)[:2]
        result = _einsum_host.contract(
            parsed, a, b, array, factor, old, threads, specialize, fused, read or None
        )
    if out is not None:
        return out
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
        result = _einsum_host.quick_calls.call(
            subscripts, *operands, options.get("threads", 0), options.get("specialize", "auto")
        )
        if result is not None:
            return result
    if len(operands) in (1, 2) and (not options or options.keys() <= _QUICK_DEVICE_OPTIONS):
        result = _einsum_again.contract(
            subscripts, operands, options.get("out"), options.get("stream")
        )
        if result is not None:
            return result
    return _einsum(subscripts, *operands, **options)


# As messages and pickles call it.
einsum.__name__ = einsum.__qualname__ = "einsum"
