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

from ._launch import VERSION as __version__
from ._messages.errors import DriverError, UnsupportedError
from ._threadpool import watch as _watch

if TYPE_CHECKING:
    from ._contraction.compile import compile
    from ._contraction.compiled import Contraction
    from ._device.package import Package, load_package
    from ._einsum.backend import array, conj, reshape, tensordot, transpose
    from ._einsum.einsum import clear_cache, einsum
    from ._einsum.path import einsum_path
    from ._programs.compiled import compile_program
    from ._programs.program import Program
    from ._threads import get_num_threads, num_threads, set_num_threads
    from ._tuning.tune import tune

# Names that are imported when they are first asked for. Most of them need libtc, which a machine
# that only launches packages has not.
_MODULES = {
    "Contraction": "_contraction.compiled",
    "Package": "_device.package",
    "Program": "_programs.program",
    "array": "_einsum.backend",
    "clear_cache": "_einsum.einsum",
    "compile": "_contraction.compile",
    "compile_program": "_programs.compiled",
    "conj": "_einsum.backend",
    "einsum": "_einsum.einsum",
    "einsum_path": "_einsum.path",
    "get_num_threads": "_threads",
    "load_package": "_device.package",
    "num_threads": "_threads",
    "reshape": "_einsum.backend",
    "set_num_threads": "_threads",
    "tensordot": "_einsum.backend",
    "transpose": "_einsum.backend",
    "tune": "_tuning.tune",
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
    "get_num_threads",
    "load_package",
    "num_threads",
    "reshape",
    "set_num_threads",
    "tensordot",
    "transpose",
    "tune",
]

_watch()


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
    if name == "einsum":
        # Its module takes less than a hundredth of what libtc takes that einsum loads, but as
        # much as ten small products: no first call of tensordot pays that.
        globals()["tensordot"] = __getattr__("tensordot")
    return value


def __dir__() -> list[str]:
    # Without what this module needs for itself.
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "importlib"})
