# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _einsum_program, _native
from ._contraction import (
    common_dtype,
    compile_pair,
    extents_of,
    sum_dtype,
    sums_alike,
    why_out_is_read,
)
from ._conversion import Conversion, conversion_of
from ._device import is_on_device, name_all
from ._einsum_device import Caller, clear_devices, refuse_conversion
from ._former import renamed
from ._fused import factor_of, fuse, user_semiring_of
from ._layout import Layout
from ._order import Machine, check_optimize, find_order
from ._overlap import check_auxiliaries, check_out
from ._products import spell_sublists
from ._slices import contract_slices, cuttable
from ._subscripts import Labels, Subscripts, parse

# What a process keeps at most; what was compiled first goes first.
CACHE_ENTRIES = 4096

# What was compiled, by all that it depends on: (run, shape, dtype) for the CPU,
# (run, layout) for GPUs.
_cache: dict[tuple, tuple] = {}

# Calls of two arrays in the host's memory without options but `threads` and
# `specialize`, by what their arrays look like.
_quick_calls = _native.QuickCalls()

# Whoever changes the cache holds it.
_lock = threading.Lock()


def clear_cache() -> None:
    """Forgets what this process has compiled. What is on disk stays."""
    with _lock:
        _cache.clear()
    _quick_calls.clear()
    clear_devices()


def _keep(key: tuple, entry: tuple) -> None:
    with _lock:
        while len(_cache) >= CACHE_ENTRIES:
            del _cache[next(iter(_cache))]
        _cache[key] = entry


def cached(key: tuple, make: Callable[[], tuple]) -> tuple:
    """What is kept under the key, which is made if there is nothing."""
    entry = _cache.get(key)
    if entry is None:
        entry = make()
        _keep(key, entry)
    return entry


def _describe(array: np.ndarray | None) -> tuple | None:
    """All that code for an array depends on: the arguments of Layout.made_of."""
    return None if array is None else (array.dtype, array.shape, array.strides)


def _convert_then_run(
    conversion: Conversion, subscripts: Subscripts, threads: int, specialize: str
) -> Callable:
    """What contracts two operands that have to be converted."""
    fused = fuse(conversion.semiring, (), None, None)

    def run(a, b, out, *_):
        into = conversion.out(out)
        made = _contract(
            subscripts,
            *conversion.operands((a, b)),
            into,
            None,
            None,
            threads,
            specialize,
            fused,
        )
        if into is None:
            out[...] = conversion.result(made)

    return run


def _compile(key: tuple) -> tuple:
    """Compiles what the key describes, all of which comes from it, and keeps the
    result under it."""
    (
        subscripts,
        a,
        b,
        out,
        dtype,
        has_alpha,
        has_beta,
        threads,
        specialize,
        fused,
        auxiliaries,
    ) = key
    # A database that is named is consulted.
    if specialize == "auto" and os.environ.get("TC_TUNED"):
        specialize = "always"
    options = {
        "target": "cpu",
        "threads": str(threads),
        "specialize": specialize,
        "alpha": "argument" if has_alpha else "",
        "beta": "argument" if has_beta else "",
        **dict(fused),
    }
    layouts = [each and Layout.made_of(*each) for each in (a, b, out)]
    if not isinstance(subscripts, Subscripts):
        ranks = (len(layout.shape) for layout in layouts[:2] if layout)
        subscripts = parse(subscripts, tuple(ranks))
    if b is not None and not (out or dtype or has_alpha or has_beta or fused or auxiliaries):
        conversion = conversion_of((a[0], b[0]), None, "safe", "plus_times")
        if conversion is not None:
            extents = extents_of(subscripts.operands, [a[1], b[1]])
            shape = tuple(extents[label] for label in subscripts.result)
            run = _convert_then_run(conversion, subscripts, threads, specialize)
            entry = (run, shape, conversion.dtype)
            _keep(key, entry)
            return entry
    native, layout = compile_pair(
        subscripts,
        *layouts,
        options,
        {name: Layout.made_of(*auxiliary) for name, auxiliary in auxiliaries or ()},
        dtype,
    )
    entry = (native.run, layout.shape, np.dtype(layout.dtype))
    _keep(key, entry)
    return entry


def _key_of(
    subscripts, a, b, out, alpha, beta, threads, specialize, fused, auxiliaries, dtype
) -> tuple:
    return (
        subscripts,
        (a.dtype, a.shape, a.strides),
        _describe(b),
        _describe(out),
        dtype if out is None else None,
        alpha is not None,
        beta is not None,
        threads,
        specialize,
        fused,
        auxiliaries and tuple((name, _describe(x)) for name, x in auxiliaries.items()),
    )


def _contract(
    subscripts,
    a,
    b,
    out,
    alpha,
    beta,
    threads,
    specialize,
    fused=(),
    auxiliaries=None,
    dtype=None,
):
    """Contracts two arrays, or one if `b` is None. Factors that are None are one
    and zero. Without `out`, the result has that dtype, or the operands' own."""
    key = _key_of(
        subscripts, a, b, out, alpha, beta, threads, specialize, fused, auxiliaries, dtype
    )
    entry = _cache.get(key) or _compile(key)
    run, shape, made = entry
    if out is None:
        out = np.empty(shape, made)
    run(a, b, out, alpha, beta, auxiliaries)
    return out


def _contract_common(subscripts, a, b, threads, specialize):
    """The same with nothing else, which is remembered for the next call."""
    result = _contract(subscripts, a, b, None, None, None, threads, specialize)
    key = _key_of(subscripts, a, b, None, None, None, threads, specialize, (), None, None)
    run, shape, dtype = _cache.get(key) or (None, None, None)
    native = getattr(run, "__self__", None)
    if type(native) is _native.Contraction and type(threads) is int:
        _quick_calls.keep(native, subscripts, specialize, threads, a, b, shape, dtype)
    return result


def _contract_many(
    subscripts,
    arrays,
    layouts,
    contract,
    convert,
    semiring,
    prologues,
    epilogue,
    tuned,
    order,
):
    """Contracts pairs of more than two operands. A prologue goes with the
    operand, and the epilogue and its auxiliary tensors with the last pair. Results
    between have the dtype of sums, so that nothing is rounded but the last."""
    dtypes = [layout.dtype for layout in layouts]
    dtype = common_dtype(dtypes)
    sums = sum_dtype(dtype)
    operands: list[tuple[Labels, Any, str, str | None]] = list(
        zip(subscripts.operands, arrays, dtypes, prologues)
    )
    for number, step in enumerate(order.path):
        chosen = [operands[i] for i in reversed(step)]
        operands = [each for i, each in enumerate(operands) if i not in step]
        while len(chosen) > 1:
            labels_a, a, dtype_a, prologue_a = chosen.pop()
            labels_b, b, dtype_b, prologue_b = chosen.pop()
            rest = operands + chosen
            is_last = not rest
            between = sum_dtype(common_dtype((dtype_a, dtype_b)))
            # In their own type, sums would be rounded, or wrap around.
            if not sums_alike(between, sums):
                a, between = convert(a, sums), sums
            if is_last:
                result = subscripts.result
            elif order.indices:
                result = order.indices[number]
            else:
                needed = set(subscripts.result).union(*(other[0] for other in rest))
                result = tuple(
                    dict.fromkeys(l for l in labels_a + labels_b if l in needed)
                )
            made = contract(
                Subscripts((labels_a, labels_b), result),
                a,
                b,
                fuse(
                    semiring,
                    (prologue_a, prologue_b),
                    epilogue if is_last else None,
                    tuned,
                ),
                is_last,
                dtype if is_last else between,
            )
            chosen.append((result, made, between, None))
        operands += chosen
    return operands[0][1]


def _same(array: np.ndarray) -> np.ndarray:
    return array


@functools.lru_cache(maxsize=64)
def _operand_names(count: int) -> tuple[str, ...]:
    return tuple(f"operand {i}" for i in range(count))


def _package_of(operand: Any) -> Any:
    """What makes arrays of that kind, by `from_dlpack`."""
    name = type(operand).__module__.partition(".")[0]
    # The one of JAX's arrays does not.
    return sys.modules.get("jax.numpy" if name in ("jax", "jaxlib") else name)


def import_array(
    operand: Any, what: str
) -> tuple[np.ndarray, Callable[[np.ndarray], Any]]:
    """An operand as an array that shares its memory, if it has any, and what
    makes the result one of its kind."""
    if isinstance(operand, np.ndarray):
        return operand, _same
    if hasattr(operand, "__dlpack__"):
        package = _package_of(operand)
        try:
            array = np.from_dlpack(operand)
        except BufferError as error:
            # As of tensors that require gradients.
            raise BufferError(f"{what}: {error}") from error
        except RuntimeError as error:
            dtype = getattr(operand, "dtype", "elements")
            raise TypeError(f"{what} has {dtype}: NumPy says: {error}") from error
        return array, getattr(package, "from_dlpack", _same)
    return np.asarray(operand), _same


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
        return Caller(operands, out, auxiliaries, target, stream, dynamic_shapes, cached)
    if target not in (None, "cpu"):
        raise ValueError(
            f"target is '{target}', but operand 0 lies in the host's memory; compile() "
            "makes code for GPUs"
        )
    if stream is not None:
        raise ValueError("there is a stream, but operand 0 lies in the host's memory")
    return None


def _call_device(
    caller,
    subscripts,
    out,
    alpha,
    beta,
    fused,
    semiring,
    prologues,
    epilogue,
    tuned,
    order,
):
    """Contracts what the caller has gathered."""
    arrays = caller.operands
    parsed = caller.parse(subscripts)
    layouts = [array.layout for array in arrays]
    out_dtype = caller.out and caller.out.layout.dtype
    found = order(parsed, layouts, caller.target, out_dtype)
    if found is None:
        a, b = (*arrays, None)[:2]
        caller.contract(parsed, a, b, alpha, beta, fused, True)
        return caller.made if out is None else out

    def contract_many(parts, place, first, old):
        def contract(pair, a, b, pair_fused, is_last, dtype):
            last = (first, old) if is_last else (None, None)
            return caller.contract(pair, a, b, *last, pair_fused, is_last, dtype, place)

        _contract_many(
            parsed,
            parts,
            [array.layout for array in parts],
            contract,
            refuse_conversion,
            semiring,
            prologues,
            epilogue,
            tuned,
            found,
        )

    if not found.slices:
        contract_many(arrays, caller.out, alpha, beta)
        return caller.made if out is None else out
    made = caller.out or caller.make_result(parsed, common_dtype([x.dtype for x in layouts]))
    result = caller.made if out is None else out
    contract_slices(
        parsed, arrays, made, (alpha, beta), semiring, found, contract_many
    )
    return result


def _check_semiring(semiring: str, operands: int) -> None:
    if operands > 2 and semiring == "max_times":
        raise ValueError(
            "semiring max_times takes two operands: of more, some of which may be "
            "negative, the result would depend on the order"
        )


def _orders(
    semiring,
    threads,
    optimize,
    memory_limit,
    dynamic_shapes,
    alpha=None,
    epilogue=None,
    auxiliaries=None,
):
    """What finds the order for operands that are not known yet; None where there
    is nothing to choose."""
    check_optimize(optimize, memory_limit)

    def order(subscripts, layouts, target, out_dtype=None):
        count = len(subscripts.operands)
        if count <= 2 and optimize is True:
            return None
        shapes, _, dtypes, _ = zip(*layouts)
        slices = (
            "none"
            if memory_limit is None
            else cuttable(semiring, alpha, epilogue, auxiliaries, dtypes, out_dtype)
        )
        machine = Machine(target, threads, semiring, memory_limit, slices)
        find = functools.partial(
            find_order, subscripts, shapes, dtypes, optimize, machine
        )
        if dynamic_shapes and optimize is True and memory_limit is None:
            # Another order would have other pairs, which had to be compiled.
            extents_of(subscripts.operands, shapes)
            return cached(("order", subscripts, dtypes, machine), find)
        found = find()
        return found if count > 2 else None

    return order


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
    _check_semiring(semiring, len(operands))
    check_optimize(optimize, memory_limit)
    named = name_all(operands, None, None)
    if any(is_on_device(array, what) for what, array in named.items()):
        caller = Caller(operands, None, None, target, None, False, cached)
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
    sums have a narrower dtype than those of all. More than two are contracted in
    pairs. What is between has the dtype of sums, and is not rounded. The result is
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
        and type(subscripts) is str
    ):
        # What is common takes no detour.
        result = None
        if len(operands) > 2:
            _check_semiring(semiring, len(operands))
            result = _einsum_program.contract(
                subscripts, operands, threads, semiring, tuned, optimize, specialize, cached
            )
        elif (
            type(operands[0]) is type(operands[1]) is np.ndarray
            and semiring == "plus_times"
            and tuned is None
            and optimize is True
        ):
            result = _contract_common(subscripts, *operands, threads, specialize)
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
    _check_semiring(semiring, len(operands))
    if out is None and (reason := why_out_is_read(old is not None, epilogue)):
        raise ValueError(f"{reason}, but there is no out")
    order = _orders(
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
        return _call_device(
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

    arrays, makers = zip(*map(import_array, operands, _operand_names(len(operands))))
    make = next((maker for maker in makers if maker is not _same), _same)
    read = {
        name: import_array(auxiliary, f"auxiliary tensor '{name}'")[0]
        for name, auxiliary in (auxiliaries or {}).items()
    }
    array = None
    if out is not None:
        if not isinstance(out, np.ndarray) and not hasattr(out, "__dlpack__"):
            raise TypeError("out is no array")
        array = import_array(out, "out")[0]
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
        return conversion.result(made) if make is _same else make(conversion.result(np.asarray(made)))

    parsed = parse(subscripts, tuple(operand.ndim for operand in arrays))
    out_dtype = None if array is None else array.dtype.name
    found = order(parsed, map(Layout.of, arrays), "cpu", out_dtype)
    if found is None:
        a, b = (*arrays, None)[:2]
        result = _contract(
            parsed, a, b, array, factor, old, threads, specialize, fused, read or None
        )
    else:

        def contract_many(parts, place, first, old_factor):
            def contract(pair, a, b, pair_fused, is_last, dtype):
                into = (place, first, old_factor) if is_last else (None, None, None)
                return _contract(
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

            return _contract_many(
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
    if out is not None:
        return out
    if make is not _same:
        return make(result)
    return result if result.ndim else result[()]


_QUICK_OPTIONS = {"threads", "specialize"}


@functools.wraps(_einsum)
def einsum(subscripts, *operands, **options):
    # Python takes longer to pass all options on than it takes to contract small
    # arrays.
    if len(operands) == 2 and (not options or options.keys() <= _QUICK_OPTIONS):
        result = _quick_calls.call(
            subscripts, *operands, options.get("threads", 0), options.get("specialize", "auto")
        )
        if result is not None:
            return result
    return _einsum(subscripts, *operands, **options)


# As messages and pickles call it.
einsum.__name__ = einsum.__qualname__ = "einsum"
