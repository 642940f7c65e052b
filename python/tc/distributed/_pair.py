# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two operands, looked at before anything is moved or read."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._contraction.pair import extents_of
from .._notation.subscripts import Subscripts, parse

#: Of which partial sums have the dtype of the result, so that they can be added up later.
DTYPES = ("float32", "float64", "complex64", "complex128", "int32", "int64")


def parse_pair(subscripts: str, a: Any, b: Any, where: str) -> tuple[Subscripts, dict[str, int]]:
    """Labels and extents of two tensors with `shape` and `dtype`, of one dtype; `where` says what they are
    in. Neither is broadcast, or has an index twice."""
    if a.dtype != b.dtype:
        raise TypeError(
            f"operand 0 has dtype {a.dtype} and operand 1 {b.dtype}: convert one of them"
        )
    if np.dtype(a.dtype).name not in DTYPES:
        raise TypeError(
            f"operands have dtype {a.dtype}, but partial sums can be {', '.join(DTYPES)}"
        )
    parsed = parse(subscripts, (len(a.shape), len(b.shape)))
    for number, labels in enumerate(parsed.operands):
        for label in labels:
            if labels.count(label) > 1:
                raise ValueError(
                    f"operand {number} has index '{label}' twice: take its diagonal first"
                )
    extents = extents_of(parsed.operands, [a.shape, b.shape])
    for number, (labels, tensor) in enumerate(zip(parsed.operands, (a, b))):
        for label, extent in zip(labels, tensor.shape):
            if extent != extents[label]:
                raise ValueError(
                    f"index '{label}' has extent {extent} in operand {number}, but "
                    f"{extents[label]} in the other: tensors {where} are not broadcast"
                )
    return parsed, extents
