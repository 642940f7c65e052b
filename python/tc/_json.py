# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON of libraries."""

from __future__ import annotations

from typing import Any


def parse(text: str | bytes) -> Any:
    """Value of a text."""
    # Small contractions need none of it, and are computed sooner than it is imported.
    import json

    return json.loads(text)


def parse_file(text: Any) -> Any:
    """The same of what a file has, whatever that is. Raises ValueError for what is no JSON."""
    if not isinstance(text, (str, bytes)):
        raise ValueError(f"{type(text).__name__} stands where a text should")
    try:
        return parse(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
