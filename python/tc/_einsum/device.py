# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of arrays that lie on a CUDA device."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._contraction.pair import check_place, common_dtype, first_two
from .._contraction.specialize import check_word
from .._device.arrays import DeviceArray, is_on_device, name_all
from .._order.slices import contract_slices
from .arguments import conjugations
from .call import Arrays, Options
from .device_pairs import Caller
from .pairs import contract_pairs, find_pairs


def _refuse_conversion(array: DeviceArray, dtype: str) -> DeviceArray:
    raise TypeError(
        f"a pair of operands has dtype {array.layout.dtype}, but others make the "
        f"result {dtype}: convert one of them"
    )


def find_caller(
    arrays: Arrays, target: str | None, stream: Any, dynamic_shapes: bool
) -> Caller | None:
    """A caller for arrays on a device; None if they lie in the host's memory."""
    operands, out, auxiliaries, _, _ = arrays
    if target is stream is None and not (auxiliaries or dynamic_shapes):
        # The common case takes no detour.
        given = operands if out is None else (*operands, out)
        if all(type(array) is np.ndarray for array in given):
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


def _refuse_options(options: Options, has_out: bool) -> None:
    """Refuses what is for arrays in the host's memory."""
    if options.dtype is not None:
        raise ValueError("dtype is set, but operand 0 lies on a CUDA device")
    if options.order not in ("C", "K") and not has_out:
        raise ValueError(f"order is '{options.order}', but results on a CUDA device have order 'C'")
    if options.casting != "safe":
        raise ValueError(f"casting is '{options.casting}', but operand 0 lies on a CUDA device")
    check_word(options.specialize)
    if options.specialize == "never":
        raise ValueError("specialize is 'never', but operand 0 lies on a CUDA device")


def contract_on_device(caller: Caller, subscripts: str, options: Options, given: Arrays) -> Any:
    """Contracts what the caller has gathered."""
    arrays, out = caller.operands, given.out
    _refuse_options(options, out is not None)
    if any(options.conjugated):
        kinds = [array.layout.dtype[0] == "c" for array in arrays]
        options = options._replace(conjugated=conjugations(options.conjugated, kinds))
    if options.threads != 0 or options.specialize != "auto":
        # Of the host's threads, none is used, and all is compiled.
        options = options._replace(threads=0, specialize="auto")
    alpha, beta = given.alpha, None if options.user_semiring else given.beta
    parsed = caller.parse(subscripts)
    layouts = [array.layout for array in arrays]
    if caller.out is not None:
        check_place(caller.out.layout, parsed, [layout.shape for layout in layouts])
    out_dtype = caller.out and caller.out.layout.dtype
    found = find_pairs(parsed, layouts, caller.target, options, given, out_dtype)
    if found is None:
        a, b = first_two(arrays)
        caller.contract(parsed, a, b, alpha, beta, options.code, True)
        return caller.made if out is None else out

    def contract_many(parts, place, first, old):
        def contract(pair, a, b, pair_options, is_last, dtype):
            last = (first, old) if is_last else (None, None)
            return caller.contract(pair, a, b, *last, pair_options, is_last, dtype, place)

        layouts = [array.layout for array in parts]
        contract_pairs(parsed, parts, layouts, contract, _refuse_conversion, options, found)

    if not found.slices:
        contract_many(arrays, caller.out, alpha, beta)
        return caller.made if out is None else out
    made = caller.out or caller.make_result(parsed, common_dtype([x.dtype for x in layouts]))
    result = caller.made if out is None else out
    contract_slices(parsed, arrays, made, (alpha, beta), options.semiring, found, contract_many)
    return result
