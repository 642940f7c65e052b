# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dtypes, shapes and strides, for which nothing of the compiler is needed."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _launch

# The compiler's numbers of dtypes, in their order.
ELEMENT_TYPES = {
    dtype: number for number, dtype, _, _ in sorted(_launch.ELEMENT_TYPES.values())
}
# The dtypes by the compiler's names.
DTYPES = {name: dtype for name, (_, dtype, _, _) in _launch.ELEMENT_TYPES.items()}
# The same by DLPack's code and bits.
DLPACK_DTYPES = {
    (code, 8 * itemsize): dtype
    for _, dtype, itemsize, code in _launch.ELEMENT_TYPES.values()
}

# Dtypes that NumPy does not have, by their bytes.
_FOREIGN_ITEMSIZES = {
    dtype: itemsize
    for _, dtype, itemsize, _ in _launch.ELEMENT_TYPES.values()
    if not hasattr(np, dtype)
}


def _index_of(value: Any, what: str) -> int:
    try:
        if not isinstance(value, (bool, np.bool_)):
            return operator.index(value)
    except TypeError:
        pass
    raise TypeError(f"{what} is {value!r}, which is no integer")


def as_integer(value: Any, what: str) -> int:
    """A number that the compiler takes in 64 bits."""
    number = _index_of(value, what)
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{what} is {number}, which does not fit 64 bits")
    return number


def as_address(value: Any, what: str) -> int:
    """A number that the driver takes for an address or a handle."""
    number = _index_of(value, what)
    if not 0 <= number < 2**64:
        raise ValueError(f"{what} is {number}, which is no address of 64 bits")
    return number


def name_of(dtype: Any) -> str:
    name = str(dtype)
    return name if name in _FOREIGN_ITEMSIZES else np.dtype(dtype).name


def itemsize_of(dtype: str) -> int:
    return _FOREIGN_ITEMSIZES.get(dtype) or np.dtype(dtype).itemsize


@functools.lru_cache(maxsize=4096)
def _contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides, step = [], itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


@functools.lru_cache(maxsize=4096)
def _reach(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[int, int]:
    if 0 in shape:
        return 0, 0
    low = high = 0
    for extent, stride in zip(shape, strides):
        if stride < 0:
            low += (extent - 1) * stride
        else:
            high += (extent - 1) * stride
    return low, high + itemsize


@functools.lru_cache(maxsize=4096)
def _describe_overlap(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, labels: tuple[str, ...]
) -> str | None:
    """Reason for which elements of an array come to overlap, if any do."""
    if all(extent <= 1 or stride % itemsize == 0 for extent, stride in zip(shape, strides)):
        steps = [stride // itemsize for stride in strides]
        return _launch.describe_overlap(shape, steps, labels)
    # Elements are rows of bytes.
    bytewise = _launch.describe_overlap((*shape, itemsize), (*strides, 1), (*labels, "byte"))
    return bytewise and f"they have {itemsize} bytes, and strides are {strides} bytes"


class Layout(NamedTuple):
    """Description of an array: shape and strides (in bytes) as NumPy has them, and the name of its
    dtype."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    itemsize: int

    @classmethod
    def of(cls, array: np.ndarray) -> Layout:
        return cls.made_of(array.dtype, array.shape, array.strides)

    @classmethod
    def made_of(
        cls, dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> Layout:
        # The name of a dtype does not say its byte order.
        name = dtype.name if dtype.isnative else str(dtype)
        return cls(shape, strides, name, dtype.itemsize)

    @classmethod
    def contiguous(cls, shape: Sequence[int], dtype: str, itemsize: int) -> Layout:
        shape = tuple(shape)
        return cls(shape, _contiguous_strides(shape, itemsize), dtype, itemsize)

    @property
    def is_empty(self) -> bool:
        return 0 in self.shape

    @property
    def reach(self) -> tuple[int, int]:
        """Bytes from the element whose coordinates are all zero to the least
        address, at most 0, and to the one behind the last."""
        return _reach(self.shape, self.strides, self.itemsize)

    def check_result(self, shape: tuple[int, ...], labels: Sequence[str]) -> None:
        """Raises ValueError unless this is the layout of an `out` for a result of that shape,
        whose axes have these labels: elements of its own for all elements."""
        if self.shape != shape:
            raise ValueError(f"out has shape {self.shape}, but the result has {shape}")
        if overlap := _describe_overlap(shape, self.strides, self.itemsize, tuple(labels)):
            raise ValueError(f"elements of out overlap: {overlap}")

    def check(self, what: str, found: Layout) -> None:
        """Raises ValueError if an array has not this layout."""
        if found == self:
            return
        for field in ("dtype", "shape", "strides"):
            is_, should = getattr(found, field), getattr(self, field)
            # Strides say nothing along extents of one, or of nothing.
            if field == "strides":
                if self.is_empty:
                    continue
                along = [i for i, n in enumerate(self.shape) if n > 1]
                is_ = tuple(is_[i] for i in along)
                should = tuple(should[i] for i in along)
            if is_ != should:
                raise ValueError(
                    f"{what} has {field} {is_}, but was compiled for {should}"
                )


class OpenLayout(NamedTuple):
    """The same of arrays some of whose extents each call says; those are the names of
    these in the shape. They are contiguous."""

    shape: tuple[int | str, ...]
    dtype: str
    itemsize: int

    def bind(self, what: str, found: Layout, extents: dict[str, tuple[int, str]]) -> None:
        """Notes the extents that an array says, with what says it. Raises ValueError if it
        has not this layout, or another extent than one before it."""
        if found.dtype != self.dtype:
            raise ValueError(f"{what} has dtype {found.dtype}, but was compiled for {self.dtype}")
        if len(found.shape) != len(self.shape):
            raise ValueError(f"{what} has shape {found.shape}, but was compiled for {self.shape}")
        for extent, own in zip(found.shape, self.shape):
            if isinstance(own, str):
                known, other = extents.setdefault(own, (extent, what))
                if extent != known:
                    raise ValueError(
                        f"{what} has extent {extent} along index '{own}', but {other} has {known}"
                    )

    def close(self, extents: Mapping[str, int]) -> Layout:
        """Layout for certain extents."""
        shape = [extents[x] if isinstance(x, str) else x for x in self.shape]
        return Layout.contiguous(shape, self.dtype, self.itemsize)
