# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Former names of arguments, which are still taken."""

from __future__ import annotations

import warnings
from typing import Any


def renamed(former: str, name: str, value: Any) -> Any:
    """The value of an argument that is given under its former name."""
    warnings.warn(f"{former} is now called {name}", DeprecationWarning, stacklevel=3)
    return value
