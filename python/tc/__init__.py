# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dense tensor contractions, compiled for the CPU at hand or for GPUs.

    import tc
    c = tc.einsum("abc,cd->abd", a, b)
    print(tc.compile("abc,cd->abd", [(24, 16, 8), (8, 32)], target="sm_90").ptx)

`opt_einsum.contract(..., backend="tc")` works, too.
"""

import importlib
from typing import TYPE_CHECKING

from ._errors import DriverError, UnsupportedError
from ._launch import VERSION as __version__

if TYPE_CHECKING:
    from ._backend import array, conj, reshape, tensordot, transpose
    from ._compile import compile
    from ._compiled import Contraction
    from ._einsum import clear_cache, einsum
    from ._einsum_path import einsum_path
    from ._host_program import compile_program
    from ._package import Package, load_package
    from ._program import Program
    from ._tune import tune

# What is imported when it is first asked for. Most of it needs libtc, which a machine
# that only launches packages has not.
_MODULES = {
    "Contraction": "_compiled",
    "Package": "_package",
    "Program": "_program",
    "array": "_backend",
    "clear_cache": "_einsum",
    "compile": "_compile",
    "compile_program": "_host_program",
    "conj": "_backend",
    "einsum": "_einsum",
    "einsum_path": "_einsum_path",
    "load_package": "_package",
    "reshape": "_backend",
    "tensordot": "_backend",
    "transpose": "_backend",
    "tune": "_tune",
}

__all__ = [
    "Contraction",
    "DriverError",
    "Package",
    "Program",
    "UnsupportedError",
    "__version__",
    "array",
    "clear_cache",
    "compile",
    "compile_program",
    "conj",
    "einsum",
    "einsum_path",
    "load_package",
    "reshape",
    "tensordot",
    "transpose",
    "tune",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f".{_MODULES[name]}", __name__)
    except ImportError as error:
        raise ImportError(
            f"tc.{name} needs libtc, which cannot be loaded: {error}"
        ) from error
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # Without what this module needs for itself.
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "importlib"})
