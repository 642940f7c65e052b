# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of two operands: from labels and layouts to compiled code."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from .. import _json, _native
from .._arrays.layout import ELEMENT_TYPES, Layout, as_integer, itemsize_of
from .._device import launch
from .._device.package import Package
from .._messages.wording import in_plain_words
from .._notation.letters import letter_of_label
from .._notation.subscripts import Labels, Subscripts


_Operand = TypeVar("_Operand")


def first_two(operands: Sequence[_Operand]) -> tuple[_Operand, _Operand | None]:
    """The operands of a contraction, of which the second is None if there is one only."""
    return operands[0], operands[1] if len(operands) > 1 else None


def extents_of(
    operands: Sequence[Labels], shapes: Sequence[Sequence[int]]
) -> dict[str, int]:
    """The extent of each label. As in NumPy, an extent of one goes with any
    other in another operand; other extents that differ are an error."""
    places: dict[str, tuple[int, int, int]] = {}
    for i, (labels, shape) in enumerate(zip(operands, shapes)):
        for axis, (label, extent) in enumerate(zip(labels, shape)):
            there = places.get(label)
            if there is None or there[0] == 1:
                places[label] = (extent, axis, i)
            if label in labels[:axis]:
                # Nothing is broadcast along a diagonal.
                first = labels.index(label)
                there = (shape[first], first, i)
            elif extent == 1:
                continue
            if there is not None and there[0] != extent and (there[2] == i or there[0] != 1):
                raise ValueError(
                    f"index '{letter_of_label(label)}' has extent {there[0]} in axis "
                    f"{there[1]} of operand {there[2]} and {extent} in axis "
                    f"{axis} of operand {i}"
                )
    return {label: place[0] for label, place in places.items()}


def check_place(
    out: Layout, subscripts: Subscripts, shapes: Sequence[Sequence[int]]
) -> None:
    """Refuses an `out` that is no place for a result of operands of these shapes: it has another
    shape, or overlaps itself."""
    extents = extents_of(subscripts.operands, shapes)
    out.check_result(tuple(extents[label] for label in subscripts.result), subscripts.result)


def _known_type(dtype: str, what: str) -> int:
    known = ELEMENT_TYPES.get(dtype)
    if known is None:
        raise TypeError(
            f"{what} has dtype {dtype}, which is none of " + ", ".join(ELEMENT_TYPES)
        )
    return known


def _element_type(layout: Layout, what: str) -> int:
    return _known_type(layout.dtype, what)


def common_dtype(dtypes: Sequence[str]) -> str:
    """The dtype in which elements of operands with these are multiplied: the
    least that holds all their numbers."""
    common = dtypes[0]
    for i, dtype in enumerate(dtypes[1:], 1):
        if dtype == common:
            continue
        pair = (_known_type(common, "operand 0"), _known_type(dtype, f"operand {i}"))
        found = _native.common_type(*pair)
        if not found:
            raise TypeError(
                f"operand 0 has dtype {dtypes[0]} and operand {i} has {dtype}: "
                "convert one of them"
            )
        common = _name_of_type(found)
    return common


def _name_of_type(element_type: int) -> str:
    return next(name for name, known in ELEMENT_TYPES.items() if known == element_type)


@functools.lru_cache(maxsize=None)
def sum_dtype(dtype: str) -> str:
    """The dtype in which products of elements with that dtype are summed."""
    return _name_of_type(_native.sum_type(_known_type(dtype, "an operand")))


def sums_alike(dtype: str, other: str) -> bool:
    """True if sums of these dtypes are rounded alike, as complex numbers are like their parts."""
    return np.zeros(0, dtype).real.dtype == np.zeros(0, other).real.dtype


def strides_of(layout: Layout, what: str) -> list[int]:
    """Strides in elements."""
    strides = []
    for axis, extent in enumerate(layout.shape):
        stride, rest = divmod(layout.strides[axis], layout.itemsize)
        if rest != 0 and extent > 1:
            raise ValueError(
                f"{what} has a stride of {layout.strides[axis]} bytes along axis "
                f"{axis}, which is no multiple of the {layout.itemsize} bytes of "
                "an element: copy it"
            )
        strides.append(as_integer(stride, f"the stride of {what} along axis {axis}"))
    return strides


def compile_pair(
    subscripts: Subscripts,
    a: Layout,
    b: Layout | None,
    out: Layout | None,
    options: Mapping[str, str],
    auxiliaries: Mapping[str, Layout],
    dtype: str | None = None,
) -> tuple[_native.Contraction, Layout]:
    """Compiles a contraction of two operands, or of one if `b` is None; `out` is
    contiguous unless it is given, and has that dtype, or the operands' own.
    Returns it with the layout of the result."""
    layouts = (a,) if b is None else (a, b)
    shapes = [layout.shape for layout in layouts]
    extents = extents_of(subscripts.operands, shapes)
    types = [_element_type(x, f"operand {i}") for i, x in enumerate(layouts)]
    common = common_dtype([layout.dtype for layout in layouts])
    shape = tuple(extents[label] for label in subscripts.result)
    if out is None:
        dtype = dtype or common
        out = Layout.contiguous(shape, dtype, itemsize_of(dtype))
    out.check_result(shape, subscripts.result)
    types.append(_element_type(out, "out"))

    lists = (*subscripts.operands, subscripts.result)
    *terms, result = ("[" + ",".join(labels) + "]" for labels in lists)
    strides = [strides_of(x, f"operand {i}") for i, x in enumerate(layouts)]
    strides.append(strides_of(out, "out"))
    contraction = _native.Contraction(
        ",".join(terms) + "->" + result,
        types,
        [layout.shape for layout in (*layouts, out)],
        strides,
        options,
        [
            (
                name,
                _element_type(auxiliary, f"auxiliary tensor '{name}'"),
                auxiliary.shape,
                strides_of(auxiliary, f"auxiliary tensor '{name}'"),
            )
            for name, auxiliary in auxiliaries.items()
        ],
    )
    return contraction, out


def why_out_is_read(beta: Any, epilogue: str | None) -> str | None:
    """Reason for which the old contents of the result are read, if they are; nothing is for a beta
    that changes nothing."""
    if beta:
        return "beta is not 0"
    # Names of functions are longer than a letter, and an index of another tensor may be called c.
    if epilogue and re.search(r"\bc\b", re.sub(r"\[[^]]*", "[", epilogue)):
        return "the epilogue uses c"
    return None


def auxiliaries_of(epilogue: str) -> dict[str, list[str]]:
    """The auxiliary tensors that an epilogue reads, in its order, with the indices of each."""
    return {
        name: re.findall(r"\w+", indices)
        for name, indices in re.findall(r"([A-Za-z_]\w*)\s*\[([^]]*)", epilogue)
    }


@in_plain_words
def launch_native(native, operands, out, alpha, beta, auxiliaries, stream):
    """Launches a contraction on addresses."""
    a, b = (*operands, 0)[:2]
    native.launch(a, b, out, alpha, beta, list(auxiliaries.items()), stream)


def alignments_of(native: _native.Contraction) -> list[int]:
    """The alignments of A, B, C and the auxiliary tensors; none if nothing is
    multiplied."""
    package = native.get(_native.ARTIFACTS["package"])
    return launch.alignments_of(_json.parse(package)["kernels"][0]) if package else []


def package_of(native: _native.Contraction, epilogue: str | None) -> Package:
    """The kernels of a contraction. What an epilogue reads besides C, if one is
    given that reads something, is called there as it is here."""
    text = native.get(_native.ARTIFACTS["package"]).decode()
    if epilogue is not None:
        # Few kernels need it, and it takes a while to import.
        import json

        # Packages number them in the order in which the epilogue reads them.
        read = auxiliaries_of(epilogue)
        names = {f"s{place}": name for place, name in enumerate(read)}
        description = json.loads(text)
        for kernel in description["kernels"]:
            kernel["epilogue"] = re.sub(
                r"\b(\w+)(?=\[)", lambda found: names[found[1]], kernel["epilogue"]
            )
            for argument in kernel["arguments"]:
                for key in ("name", "tensor"):
                    if argument.get(key) in names:
                        argument[key] = names[argument[key]]
        text = json.dumps(description)
    return Package.from_text(text, native.get(_native.ARTIFACTS["ptx"]))
