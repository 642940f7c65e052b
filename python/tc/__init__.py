# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dense tensor contractions, compiled for the CPU at hand or to PTX.

    import tc
    c = tc.einsum("abc,cd->abd", a, b)
    print(tc.compile("abc,cd->abd", [(24, 16, 8), (8, 32)], target="sm_90").ptx)

`opt_einsum.contract(..., backend="tc")` works, too.
"""

from ._contraction import Contraction
from ._einsum import (
    __version__,
    clear_cache,
    compile,
    einsum,
    tensordot,
    transpose,
)
from ._native import UnsupportedError

__all__ = [
    "Contraction",
    "UnsupportedError",
    "__version__",
    "clear_cache",
    "compile",
    "einsum",
    "tensordot",
    "transpose",
]
