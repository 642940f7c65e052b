# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled objects, in files."""

from __future__ import annotations

import os
import pathlib

# Two files that belong together: the one that is named, and the one beside it.
Saved = tuple[pathlib.Path, pathlib.Path]


def _beside(path: str | os.PathLike[str], suffix: str) -> Saved:
    """A path, and the file of that suffix that belongs to it."""
    first = pathlib.Path(path)
    second = first.with_suffix(suffix)
    if second == first:
        raise ValueError(f"path is '{first}', but the file of suffix {suffix} is the one beside it")
    return first, second


def save_package(path: str | os.PathLike[str], description: str, code: str) -> Saved:
    """Writes a launch description, and PTX beside it, for `tc.load_package`."""
    # Few who compile save, and it takes a while to import.
    import json

    first, second = _beside(path, ".ptx")
    described = json.loads(description)
    described["code"]["file"] = second.name
    second.write_text(code, encoding="utf-8")
    first.write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
    return first, second


def save_object(path: str | os.PathLike[str], code: bytes, header: str) -> Saved:
    """Writes object code, and its C header beside it."""
    first, second = _beside(path, ".h")
    first.write_bytes(code)
    second.write_text(header, encoding="utf-8")
    return first, second
