# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in the host's memory, of whichever library."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dlpack

# DLPack's code and bits of dtypes that NumPy has of its own.
_NUMPYS = {
    *((code, bits) for code in (0, 1) for bits in (8, 16, 32, 64)),
    *((2, bits) for bits in (16, 32, 64)),
    *((5, bits) for bits in (64, 128)),
    (6, 8),
}

# Function that makes an array of NumPy's one of the operands' library.
Maker = Callable[[np.ndarray], Any]


def same(array: np.ndarray) -> np.ndarray:
    return array


@functools.lru_cache(maxsize=64)
def operand_names(count: int) -> tuple[str, ...]:
    return tuple(f"operand {i}" for i in range(count))


def _package_of(operand: Any) -> Any:
    """Package that makes arrays of that kind, by `from_dlpack`."""
    name = type(operand).__module__.partition(".")[0]
    # The one of JAX's arrays does not.
    return sys.modules.get("jax.numpy" if name in ("jax", "jaxlib") else name)


class _Memory:
    """The memory of a tensor as NumPy takes it, as unsigned integers."""

    def __init__(self, tensor: dlpack.Tensor) -> None:
        layout = tensor.layout
        self.capsule = tensor.capsule
        # As NumPy has it: capsules of old do not say that they may be written.
        is_old = "dltensor_versioned" not in repr(tensor.capsule)
        self.__array_interface__ = {
            "version": 3,
            "shape": layout.shape,
            "strides": layout.strides,
            "typestr": np.dtype(f"u{layout.itemsize}").str,
            "data": (tensor.pointer, tensor.is_read_only or is_old),
        }


def _import_foreign(tensor: dlpack.Tensor, what: str) -> np.ndarray:
    """An array of a dtype that NumPy has not of its own, but ml_dtypes has for it."""
    dtype = tensor.layout.dtype
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(
            f"{what} has dtype {dtype}, which NumPy takes of ml_dtypes: install that package"
        ) from None
    return np.asarray(_Memory(tensor)).view(getattr(ml_dtypes, dtype))


def _resolve(operand: Any, what: str, writes: bool) -> Any:
    """A tensor of PyTorch's without conjugation or negation that is yet to be done, which
    DLPack refuses, or does not know of."""
    for lazy, resolve in (("is_conj", "resolve_conj"), ("is_neg", "resolve_neg")):
        if getattr(operand, lazy, bool)():
            if writes:
                raise BufferError(f"{what} cannot be written: {lazy}() is true, call {resolve}()")
            operand = getattr(operand, resolve)()
    return operand


def _maker_of(package: Any) -> Maker:
    """Function that makes a result an array of that package's."""
    if not hasattr(package, "from_dlpack"):
        return same

    def make(array: np.ndarray) -> Any:
        name = array.dtype.name
        if hasattr(np, name):
            return package.from_dlpack(array)
        # NumPy's DLPack knows its own dtypes only.
        bits = array.view(f"u{array.itemsize}")
        return package.from_dlpack(bits).view(getattr(package, name))

    return make


def _import_dlpack(operand: Any, what: str) -> np.ndarray:
    """The same of a tensor that speaks DLPack, by the dtype that it says it has: what is raised
    for one that NumPy has not depends on NumPy's version."""
    asked = _ask(operand, what)
    _, (_, _, _, code, bits, lanes, kind, *_) = asked
    if kind not in dlpack.HOST_KINDS:
        dtype = getattr(operand, "dtype", "elements")
        raise TypeError(f"{what} has {dtype} and lies on DLPack's kind {kind} of device")
    if lanes == 1 and (code, bits) in _NUMPYS:
        try:
            return np.from_dlpack(operand)
        except BufferError as error:
            raise BufferError(f"{what}: {error}") from error
    return _import_foreign(dlpack.describe(operand, what, asked), what)


def _ask(operand: Any, what: str) -> dlpack.Asked:
    """Description of a tensor by DLPack."""
    try:
        return dlpack.ask(operand)
    except BufferError as error:
        # As of tensors that require gradients.
        raise BufferError(f"{what}: {error}") from error
    except Exception as error:
        # Of whatever kind: libraries have their own for what DLPack has no dtype for.
        dtype = getattr(operand, "dtype", "elements")
        raise TypeError(f"{what} has {dtype}, of which DLPack says nothing: {error}") from error


def import_array(operand: Any, what: str, writes: bool = False) -> tuple[np.ndarray, Maker]:
    """An array as one of NumPy's that shares its memory, if it has any, and what
    makes the result one of its kind."""
    if isinstance(operand, np.ndarray):
        return operand, same
    if hasattr(operand, "__dlpack__"):
        make = _maker_of(_package_of(operand))
        return _import_dlpack(_resolve(operand, what, writes), what), make
    return np.asarray(operand), same


def native_copy(array: np.ndarray) -> np.ndarray:
    """A copy that kernels read, in the same order of axes."""
    return np.array(array, array.dtype.newbyteorder("="))


def take_conjugation(
    operands: Sequence[Any], conjugated: tuple[bool, bool], semiring: str
) -> tuple[Sequence[Any], tuple[bool, bool]]:
    """Operands of PyTorch's without lazy conjugation, where kernels conjugate instead."""
    if len(operands) > 2 or semiring != "plus_times":
        return operands, conjugated
    taken, flags = [], list(conjugated)
    for i, operand in enumerate(operands):
        if type(operand) is not np.ndarray and getattr(operand, "is_conj", bool)():
            # Undoes it, and copies nothing.
            operand, flags[i] = operand.conj(), not flags[i]
        taken.append(operand)
    return tuple(taken), (flags[0], flags[1])


def is_readable(array: np.ndarray) -> bool:
    """True if kernels read an array as it lies."""
    flags, dtype = array.flags, array.dtype
    return (
        dtype.isnative
        and flags.aligned
        and (flags.c_contiguous or not any(step % dtype.itemsize for step in array.strides))
    )


def import_readable(operand: Any, what: str) -> tuple[np.ndarray, Maker]:
    """The same of what is read: a copy if kernels do not read it as it lies."""
    array, make = import_array(operand, what)
    return (array if is_readable(array) else native_copy(array)), make


def import_operands(operands: Sequence[Any]) -> tuple[tuple[np.ndarray, ...], Maker]:
    """The operands of a call, and what makes the result one of the first's kind that is
    none of NumPy's."""
    arrays, makers = zip(*map(import_readable, operands, operand_names(len(operands))))
    return arrays, next((maker for maker in makers if maker is not same), same)
