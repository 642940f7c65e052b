# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dtypes of NumPy that kernels have not, or do not multiply with each other, by those that
they have: what is multiplied and what the result is follows NumPy's rules.

Sums and products of unsigned integers have the bits of those of signed ones, and so they are
read as such where they lie. Others are converted, which is a copy.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._contraction.pair import sum_dtype
from .layout import ELEMENT_TYPES

# Integers of 16 bits have no kernels; the low bits of wider ones are theirs.
_WIDENED: dict[np.dtype, np.dtype] = {np.dtype(np.int16): np.dtype(np.int32), np.dtype(np.uint16): np.dtype(np.int32)}
_SIGNED: dict[np.dtype, np.dtype] = {
    np.dtype(np.uint8): np.dtype(np.int8),
    np.dtype(np.uint32): np.dtype(np.int32),
    np.dtype(np.uint64): np.dtype(np.int64),
    np.dtype(np.bool_): np.dtype(np.int8),
}
# All that are taken, some by others.
_TAKEN = (*ELEMENT_TYPES, *(its.name for its in (*_SIGNED, *_WIDENED)))


def check_byte_order(operands: Sequence[Any], out: Any) -> None:
    """Refuses arrays of another byte order than the machine's, which casting 'no' does not
    convert."""
    for number, operand in enumerate(operands):
        if isinstance(operand, np.ndarray) and not operand.dtype.isnative:
            raise TypeError(
                f"operand {number} has dtype {operand.dtype}, which casting 'no' does not make "
                f"{operand.dtype.newbyteorder('=')}"
            )
    if isinstance(out, np.ndarray) and not out.dtype.isnative:
        raise TypeError(
            f"out has dtype {out.dtype}, which casting 'no' does not make of "
            f"{out.dtype.newbyteorder('=')}"
        )


class Conversion(NamedTuple):
    """Conversions of the operands of a call, and of its result."""

    #: For each operand the dtype to which it is converted, or None; with what follows.
    converted: tuple[np.dtype | None, ...]
    #: The dtype as which operands are read where they lie then, or None.
    read_as: np.dtype | None
    #: The dtype in which they are multiplied.
    inner: np.dtype
    #: The dtype of the result.
    dtype: np.dtype
    #: What takes the place of sum and product.
    semiring: str

    def operands(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        made = [
            array if dtype is None else array.astype(dtype)
            for array, dtype in zip(arrays, self.converted)
        ]
        return made if self.read_as is None else [x.view(self.read_as) for x in made]

    def writes(self, out: np.dtype) -> bool:
        """True if results are written as that dtype has them, and not converted."""
        if self.read_as is not None:
            return out == self.dtype
        known = out.name in ELEMENT_TYPES and out.isnative
        return known and sum_dtype(out.name) == sum_dtype(self.inner.name)

    def out(self, array: np.ndarray) -> np.ndarray | None:
        """Array to which a result is written as it lies; None if it is to be converted."""
        if not self.writes(array.dtype):
            return None
        return array if self.read_as is None else array.view(self.read_as)

    def result(self, array: np.ndarray) -> np.ndarray:
        if self.read_as is not None:
            return array.view(self.dtype)
        return array.astype(self.dtype, copy=False)


def clip(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Numbers beyond the range of an 8-bit float as its largest ones; those for other dtypes
    as they are."""
    if dtype.name not in ("float8_e4m3fn", "float8_e5m2") or array.dtype.kind not in "iuf":
        return array
    import ml_dtypes

    most = float(ml_dtypes.finfo(dtype).max)
    return np.clip(array, -most, most)


def _is_read(dtype: np.dtype, inner: np.dtype) -> bool:
    """True if kernels that multiply in the second dtype read elements of the first."""
    if dtype == inner:
        return True
    if dtype.name not in ELEMENT_TYPES or not dtype.isnative:
        return False
    if inner.kind == "c":
        return dtype == np.zeros(0, inner).real.dtype
    return dtype.kind == inner.kind and dtype.itemsize <= inner.itemsize


def _widened_by(
    out: np.dtype, dtypes: tuple[np.dtype, ...], common: np.dtype, casting: Any
) -> np.dtype | None:
    """The dtype of products and sums that are written to a wider `out`, as booleans are
    counted in integers; None if `out` changes nothing, or kernels sum in its dtype anyway."""
    try:
        wider = np.result_type(common, out)
    except TypeError:
        return None
    if wider == common or not np.can_cast(wider, out, casting):
        return None
    known = all(its.name in ELEMENT_TYPES and its.isnative for its in (*dtypes, common, out))
    if known and sum_dtype(out.name) == sum_dtype(common.name):
        return None
    return wider


@functools.lru_cache(maxsize=1024)
def conversion_of(
    dtypes: tuple[np.dtype, ...],
    dtype: np.dtype | None,
    casting: Any,
    semiring: str,
    out: np.dtype | None = None,
) -> Conversion | None:
    """Conversion that operands of these dtypes need, of which the result is to have `dtype`, or, if
    that is None, the one to which NumPy promotes them and `out`, to which it is written; None if
    they need nothing, or if there are no kernels for what they would become, which the compiler
    says then."""
    for number, its in enumerate(dtypes):
        if its.name not in _TAKEN:
            # The name of texts and records says little.
            name = str(its) if its.kind in "SUV" else its.name
            raise TypeError(
                f"operand {number} has dtype {name}, which is none of " + ", ".join(_TAKEN)
            )
    try:
        common = np.result_type(*dtypes)
    except TypeError:
        # As of bfloat16 and integers.
        return None
    if dtype is None and out is not None:
        dtype = _widened_by(out, dtypes, common, casting)
    wanted = common if dtype is None else dtype
    for number, its in enumerate(dtypes):
        if not np.can_cast(its, wanted, casting):
            raise TypeError(
                f"operand {number} has dtype {its}, which casting '{casting}' does not "
                f"make {wanted}"
            )
    inner = _WIDENED.get(wanted, wanted)
    if wanted == np.bool_:
        if semiring not in ("plus_times", "or_and"):
            raise TypeError(f"semiring {semiring} is of numbers, but the operands are of bool")
        semiring = "or_and"
    elif inner not in _SIGNED and inner.name not in ELEMENT_TYPES:
        if dtype is None:
            return None
        raise TypeError(f"dtype {wanted} is none of " + ", ".join(_TAKEN))
    # Signed and unsigned numbers differ in their order and in how they widen.
    if inner in _SIGNED and semiring not in ("plus_times", "or_and", "xor_and"):
        return None
    # With a dtype, products are to be of that one, and not only sums.
    is_read = (lambda its, inner: its == inner) if dtype is not None else _is_read
    converted = tuple(None if is_read(its, inner) else inner for its in dtypes)
    read_as = _SIGNED.get(inner)
    found = Conversion(converted, read_as, read_as or inner, wanted, semiring)
    if read_as is not None or wanted != inner or any(converted):
        return found
    if out is None or found.writes(out):
        return None
    if not np.can_cast(wanted, out, casting):
        raise TypeError(
            f"out has dtype {out}, which casting '{casting}' does not make of {wanted}"
        )
    return found
