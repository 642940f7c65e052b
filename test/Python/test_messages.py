# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of exceptions: in the words of NumPy, of what the caller has given."""

import pathlib

import numpy as np
import pytest

import tc
from tc._contraction.compile import OPTIONS

HERE = np.ones((3, 3))


def overlapping():
    return np.lib.stride_tricks.as_strided(np.ones(20), (3, 3), (8, 8))


@pytest.mark.parametrize(
    "error, message, call",
    [
        (
            ValueError,
            "elements of out overlap: strides 1 along index 'i' and 1 along index 'k'",
            lambda: tc.einsum("ij,jk->ik", HERE, HERE, out=overlapping()),
        ),
        (
            ValueError,
            "elements of out overlap: stride 0 along index 'i' of extent 3",
            lambda: tc.compile("ij,jk->ik", [(3, 3)] * 2, strides=[None, None, (0, 8)]),
        ),
        (
            ValueError,
            "operand 0 has 2 axes, but there are 1 strides for it",
            lambda: tc.compile("ij,jk->ik", [(3, 3)] * 2, strides=[(8,), None, None]),
        ),
        (
            ValueError,
            "operand 1 has 2 axes, but there are 3 strides for it",
            lambda: tc.compile("ij,jk->ik", [(3, 3)] * 2, strides=[None, (24, 8, 8), None]),
        ),
        (
            ValueError,
            "out has 1 axes, but there are 2 strides for it",
            lambda: tc.compile("ij->i", [(3, 3)], strides=[None, (8, 8)]),
        ),
        (
            ValueError,
            "there are 1 entries in strides, but must be 3: one for each operand and one for the result",
            lambda: tc.compile("ij,jk->ik", [(3, 3)] * 2, strides=[None]),
        ),
        (
            ValueError,
            "there are 4 entries in strides, but must be 3: one for each operand and one for the result",
            lambda: tc.compile("ij,jk->ik", [(3, 3)] * 2, strides=[None] * 4),
        ),
        (
            ValueError,
            "there are 1 dtypes, but must be 2: one for each operand",
            lambda: tc.compile("ij,jk->ik", [(3, 3)] * 2, ["float32"]),
        ),
        (
            ValueError,
            "conjugate_a applies to complex numbers, but the factors of operand 0 have 'float32'",
            lambda: tc.compile("ij,jk->ik", [(3, 3)] * 2, "float32", conjugate_a=True),
        ),
        (
            ValueError,
            "semiring min_plus applies to real numbers, but the element type is complex128",
            lambda: tc.einsum("ij,jk", HERE + 1j, HERE, semiring="min_plus"),
        ),
        (
            ValueError,
            "subscripts 'ij': the subscripts name 1 operand, but 2 are given",
            lambda: tc.einsum("ij", HERE, HERE),
        ),
        (
            ValueError,
            "subscripts 'ij,jk': the subscripts name 2 operands, but 1 is given",
            lambda: tc.einsum_path("ij,jk", HERE),
        ),
        (
            ValueError,
            "subscripts 'ij,jk->il', character 9: index 'l' is in the output but in no input",
            lambda: tc.einsum("ij,jk->il", HERE, HERE),
        ),
        (
            ValueError,
            "subscripts 'iβ,βk->iββ', character 10: index 'β' occurs twice in the output",
            lambda: tc.einsum("iβ,βk->iββ", HERE, HERE),
        ),
        (
            ValueError,
            "subscripts 'iβ, βk -> iββ', character 13: index 'β' occurs twice in the output",
            lambda: tc.einsum("iβ, βk -> iββ", HERE, HERE),
        ),
        (
            ValueError,
            "index 'β' has extent 3 in axis 1 of operand 0 and 4 in axis 0 of operand 1",
            lambda: tc.einsum("iβ,βk", HERE, np.ones((4, 3))),
        ),
        (
            ValueError,
            "alpha: '0.5' is no int64",
            lambda: tc.compile("i->i", [(3,)], "int64", alpha="argument")(
                np.arange(3), alpha=0.5
            ),
        ),
        (
            ValueError,
            "it was compiled for 1 operand, but 2 are given",
            lambda: tc.compile("i->i", [(3,)])(HERE[0], HERE[0]),
        ),
        (
            TypeError,
            "operand 1 has dtype <U1, which is none of float64, float32, float16, bfloat16, int8, "
            "int32, int64, complex64, complex128, float8_e4m3fn, float8_e5m2, uint8, uint32, "
            "uint64, bool, int16, uint16",
            lambda: tc.einsum("i,i", HERE[0], np.array(["a", "b", "c"])),
        ),
        (
            AttributeError,
            "a contraction for target 'cpu' has no ptx, but object, header, cache",
            lambda: tc.compile("i->i", [(3,)]).ptx,
        ),
        (
            AttributeError,
            "a contraction for target 'cpu' has no cache, but object, header",
            lambda: tc.compile("i->i", [(3,)], dynamic_shapes=True).cache,
        ),
        (
            AttributeError,
            "a contraction for target 'sm_80' has no object, but ptx, cubin, package",
            lambda: tc.compile("i->i", [(3,)], target="sm_80").object,
        ),
        (
            ValueError,
            "option 'epilog': there is no such option: did you mean 'epilogue'?",
            lambda: tc.compile("i->i", [(3,)], epilog="x"),
        ),
        (
            ValueError,
            "option 'thread': there is no such option: did you mean 'threads'?",
            lambda: tc.compile("i->i", [(3,)], thread=1),
        ),
    ],
)
def test_messages(error, message, call):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message


@pytest.mark.parametrize("option", ["saturate", "conjugate_a", "conjugate_b"])
def test_flags_are_no_text(option):
    a = np.ones((2, 2))
    for call in (lambda **given: tc.einsum("ij,jk", a, a, **given),) + (
        (lambda **given: tc.compile_program("i = 2\nC[i] = A[i] * B[i]", **given),)
        if option == "saturate"
        else ()
    ):
        with pytest.raises(TypeError, match=f"^{option} is 'false', which is neither True nor"):
            call(**{option: "false"})


def test_all_options_are_known(tmp_path, monkeypatch):
    # A cache is where it is wanted, by a name such as "?" in the folder of the moment.
    monkeypatch.chdir(tmp_path)
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    if not page.exists():
        pytest.skip("the documentation is not here")
    text = page.read_text(encoding="utf-8")
    for name in OPTIONS:
        assert f"`{name}`" in text and name in tc.compile.__doc__
        # The compiler knows it, whatever it says of the value.
        try:
            tc.compile("i,i->", [(3,)] * 2, "complex64", **{name: "?"})
        except (ValueError, TypeError, OSError, tc.UnsupportedError) as error:
            assert "no such option" not in str(error)


@pytest.mark.parametrize("function", [tc.einsum, tc.einsum_path])
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    "error, message, option",
    [
        (TypeError, "threads is 'x', which is no integer", {"threads": "x"}),
        (TypeError, "threads is True, which is no integer", {"threads": True}),
        (TypeError, "threads is 1.5, which is no integer", {"threads": 1.5}),
        (ValueError, "threads is -1, but must be from 0 to 65536", {"threads": -1}),
        (TypeError, "memory_limit is True, which is no integer", {"memory_limit": True}),
        (TypeError, "memory_limit is 1.5, which is no integer", {"memory_limit": 1.5}),
        (TypeError, "search_seconds is 'x', which is no number", {"search_seconds": "x"}),
        (TypeError, "specialize is True, which is no text", {"specialize": True}),
        (TypeError, "tuned is 3, which is no path", {"tuned": 3}),
        (
            TypeError,
            "{}() got an unexpected keyword argument 'optimise': did you mean 'optimize'?",
            {"optimise": True},
        ),
    ],
)
def test_values_of_options(function, count, error, message, option):
    if function is tc.einsum_path and (name := next(iter(option))) in ("specialize", "tuned"):
        message = f"{{}}() got an unexpected keyword argument '{name}'"
    text = ("i->", "i,i->", "i,i,i->")[count - 1]
    with pytest.raises(error) as raised:
        function(text, *[HERE[0]] * count, **option)
    assert str(raised.value) == message.format(function.__name__)


def test_axes_of_tensordot():
    a = np.ones((2, 2))
    for wrong in ("x", (0, 1, 0), ()):
        with pytest.raises(ValueError, match="which is neither a number nor a pair of those of"):
            tc.tensordot(a, a, wrong)
