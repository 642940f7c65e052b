# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays.host import operand_names
from .._arrays.layout import Layout, as_integer, itemsize_of, name_of
from .._messages.former import renamed
from .._messages.wording import in_plain_words, suggest
from .._notation.letters import with_labels
from .._notation.subscripts import parse
from .compiled import Contraction
from .fused import factor_of
from .pair import auxiliaries_of, common_dtype, compile_pair, extents_of, first_two


# Options of the C interface besides the arguments of `compile`.
OPTIONS = (
    "specialize",
    "strategy",
    "workspace_limit",
    "library_calls",
    "schedule",
    "tuned",
    "refine",
    "precision",
    "semiring",
    "product",
    "combine",
    "identity",
    "conjugate_a",
    "conjugate_b",
    "allow_three_products",
    "saturate",
    "dynamic_shapes",
    "prologue_a",
    "prologue_b",
    "epilogue",
    "offset_a",
    "offset_b",
    "offset_c",
    "name",
    "cache",
    "cache_size",
)


@in_plain_words
def compile(  # the name is the interface's, which users write as tc.compile
    subscripts: str,
    shapes: Sequence[Sequence[int]],
    dtypes: Any = "float64",
    target: str = "cpu",
    *,
    strides: Sequence[Sequence[int] | None] | None = None,
    alpha: complex | str | None = None,
    beta: complex | str | None = None,
    threads: int = 0,
    auxiliaries: Mapping[str, Any] | None = None,
    **options: Any,
) -> Contraction:
    """Compiles a contraction of one or two operands.

    `dtypes` is one for both or one for each, also "bfloat16", "float8_e4m3fn" or
    "float8_e5m2". `target` is "cpu", which is this machine's, or a GPU such as
    "sm_90". `strides` are in bytes, as NumPy has them, one entry for each operand
    and one for the result, None for what is contiguous. `alpha` and `beta` are
    numbers, or "argument" if each call gives them; by default the semiring's one
    and zero. `auxiliaries` has for the auxiliary tensors of the epilogue an array
    like those of the calls, or a shape if it is contiguous and of the result's dtype. Further
    options are those of the C interface, with underscores: {options}. With `dynamic_shapes`, calls
    take arrays of any extents and strides, and those given here are what kernels for
    GPUs are tuned for; on a CPU, ahead-of-time kernels compute it.
    """
    shapes = [
        tuple(
            as_integer(extent, f"extent {axis} of operand {i}")
            for axis, extent in enumerate(shape)
        )
        for i, shape in enumerate(shapes)
    ]
    if len(shapes) not in (1, 2):
        raise ValueError(
            f"there are {len(shapes)} shapes, but one operand or two: "
            "compile_program() compiles products of more"
        )
    if isinstance(dtypes, (str, type, np.dtype)):
        dtypes = [dtypes] * len(shapes)
    dtypes = list(dtypes)
    layouts = []
    given = [None] * (len(shapes) + 1) if strides is None else list(strides)
    if len(given) != len(shapes) + 1:
        raise ValueError(
            f"there are {len(given)} entries in strides, but must be {len(shapes) + 1}: one for "
            "each operand and one for the result"
        )
    if len(dtypes) != len(shapes):
        raise ValueError(
            f"there are {len(dtypes)} dtypes, but must be {len(shapes)}: one for each operand"
        )
    parsed = parse(subscripts, tuple(map(len, shapes)))
    extents = extents_of(parsed.operands, shapes)
    shapes.append(tuple(extents[label] for label in parsed.result))
    names = [name_of(dtype) for dtype in dtypes]
    whats = (*operand_names(len(names)), "out")
    for what, shape, known, stride in zip(whats, shapes, (*names, common_dtype(names)), given):
        layout = Layout.contiguous(shape, known, itemsize_of(known))
        if stride is not None:
            steps = tuple(as_integer(step, f"a stride of {what}") for step in stride)
            if len(steps) != len(shape):
                raise ValueError(
                    f"{what} has {len(shape)} axes, but there are {len(steps)} strides for it"
                )
            layout = layout._replace(strides=steps)
        layouts.append(layout)
    semiring = options.get("semiring", "plus_times")
    chosen = {
        "target": target,
        "threads": str(threads),
        "alpha": factor_of(alpha, 1, semiring),
        "beta": factor_of(beta, 0, semiring),
    }
    if "any_shape" in options:
        options["dynamic_shapes"] = renamed(
            "any_shape", "dynamic_shapes", options.pop("any_shape")
        )
    if "sides" in options:
        auxiliaries = renamed("sides", "auxiliaries", options.pop("sides"))
    for key, value in options.items():
        if key not in OPTIONS:
            every = (*OPTIONS, "strides", "alpha", "beta", "threads", "auxiliaries")
            raise ValueError(f"option '{key}': there is no such option{suggest(key, every)}")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        chosen[key.replace("_", "-")] = text
    if "epilogue" in chosen:
        chosen["epilogue"] = with_labels(chosen["epilogue"])
    *operands, out = layouts
    first, second = first_two(operands)
    read = {
        name: Layout.of(auxiliary)
        if isinstance(auxiliary, np.ndarray)
        else Layout.contiguous(
            [as_integer(n, f"an extent of auxiliary tensor '{name}'") for n in auxiliary],
            out.dtype,
            out.itemsize,
        )
        for name, auxiliary in (auxiliaries or {}).items()
    }
    # Calls are held to layouts, and those of tensors that nobody describes are contiguous.
    for name, labels in auxiliaries_of(chosen.get("epilogue", "")).items():
        if name not in read and extents.keys() >= set(labels):
            shape = [extents[label] for label in labels]
            read[name] = Layout.contiguous(shape, out.dtype, out.itemsize)
    native, out = compile_pair(parsed, first, second, out, chosen, read)
    return Contraction(subscripts, tuple(operands), out, native, chosen, read)


if compile.__doc__:
    compile.__doc__ = compile.__doc__.format(options=", ".join(OPTIONS))
