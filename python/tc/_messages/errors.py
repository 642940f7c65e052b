# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the package's own."""


class UnsupportedError(RuntimeError):
    """The call is legal, but the target or the compiler cannot do it."""


class DriverError(RuntimeError):
    """There is no CUDA driver, or one of its calls failed."""


for _exception in (UnsupportedError, DriverError):
    _exception.__module__ = "tc"
