# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of the library, held to the header and to what the package takes."""

import ctypes
import inspect
import json
import pathlib
import re

import pytest

import tc
from tc import _native

# Options that the package says by other arguments, or has no need of.
WITHOUT_KEYWORD = {"background", "keep-sums", "path", "search-milliseconds", "slices"}


def describe():
    # The library is among those that the module needs.
    function = ctypes.CDLL(_native.__file__).tcOptionsDescribe
    function.restype = ctypes.c_void_p
    buffer, length = ctypes.create_string_buffer(1 << 16), ctypes.c_size_t()
    assert function(buffer, ctypes.c_size_t(len(buffer)), ctypes.byref(length)) is None
    return {option["key"]: option for option in json.loads(buffer.value)}


OPTIONS = describe()


def is_option_of_compile(key):
    try:
        tc.compile("i->i", [(2,)], **{key.replace("-", "_"): "@"})
    except Exception as error:
        return "there is no such option" not in str(error)
    return True


def parameters(function):
    return inspect.signature(function).parameters


def test_the_header_lists_them():
    header = pathlib.Path(__file__).parents[2] / "include" / "tc-c" / "Contraction.h"
    if not header.exists():
        pytest.skip("the header is not here")
    comment = re.search(r"key +values.*?\*/", header.read_text(encoding="utf-8"), re.DOTALL)[0]
    rows = dict(re.findall(r'^ \*  "([a-z-]+)" +(.*)', comment, re.MULTILINE))
    assert set(rows) == set(OPTIONS)
    for key, row in rows.items():
        # Two may share what is said of the first.
        if row.startswith('"'):
            assert row.startswith(f'"{OPTIONS[key]["default"]}"'), key
    words = set(re.findall(r'"([^"\n]*)"', comment))
    for key, option in OPTIONS.items():
        assert words >= set(option.get("values", ())), key


def test_each_is_a_keyword():
    named = {*parameters(tc.compile), *parameters(tc.compile_program), *parameters(tc.einsum)}
    for key in OPTIONS:
        is_keyword = key.replace("-", "_") in named or is_option_of_compile(key)
        assert is_keyword == (key not in WITHOUT_KEYWORD), key


def test_programs_have_their_defaults():
    for name, parameter in parameters(tc.compile_program).items():
        option = OPTIONS.get(name.replace("_", "-"))
        if option and parameter.default is not None:
            assert str(parameter.default).lower() == option["default"], name


@pytest.mark.parametrize("key", ["precision", "semiring", "tile-chains"])
def test_programs_take_all_choices(key):
    assert OPTIONS[key]["kind"] == "choice"
    for value in OPTIONS[key]["values"]:
        try:
            tc.compile_program(
                "i = 2, j = 3\nc[i] = A[i,j] * b[j]", **{key.replace("-", "_"): value}
            )
        except ValueError as error:
            assert "is none of" not in str(error), value
