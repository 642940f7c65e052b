# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package's public interface, and the files that it saves."""

import inspect
import pathlib
import re

import pytest

import tc

SHAPES = [(4, 5), (5, 3)]
# Former names, which help() and the documentation have under new ones.
FORMER = {"any_shape", "sides"}


def test_names():
    assert set(tc.__all__) <= set(dir(tc))
    assert not {"TYPE_CHECKING", "importlib"} & set(dir(tc))


def test_the_signature_that_is_documented():
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    if not page.exists():
        pytest.skip("the documentation is not here")
    signature = inspect.signature(tc.einsum)
    kept = [x for name, x in signature.parameters.items() if name not in FORMER]
    wanted = [re.sub(r": '[^=]*' = |: '[^=]*'$", lambda m: "=" * ("=" in m[0]), str(x)) for x in kept]
    shown = re.search(r"`tc\.einsum\((subscripts, [^`]*)\)`", page.read_text(encoding="utf-8"))[1]
    assert " ".join(shown.replace('"', "'").split()) == ", ".join(wanted)


def test_all_parameters_are_described():
    for name in inspect.signature(tc.einsum).parameters:
        if name not in ("subscripts", "operands"):
            assert f"`{name}`" in tc.einsum.__doc__, name


@pytest.mark.parametrize("target", ["cpu", "sm_80"])
def test_kernels_of_dynamic_shapes(target):
    kernel = tc.compile("ij,jk->ik", SHAPES, target=target, dynamic_shapes=True)
    assert repr(kernel) == (
        "<tc.Contraction 'ij,jk->ik' of float64[4, 5], float64[5, 3] or any other shapes for "
        f"'{target}'>"
    )


PROGRAM = "i = 4, j = 5, k = 3\nC[i,k] = A[i,j] * B[j,k]"


def test_packages(tmp_path):
    paths = tc.compile("ij,jk->ik", SHAPES, target="sm_80", name="first").save(tmp_path / "a.json")
    assert paths == (tmp_path / "a.json", tmp_path / "a.ptx")
    program = tc.compile_program(PROGRAM, target="sm_80")
    # Beside another one, whose code has another name.
    assert program.save(str(tmp_path / "b.json")) == (tmp_path / "b.json", tmp_path / "b.ptx")
    first = tc.load_package(tmp_path / "a.json")
    assert repr(first) == "<tc.Package of first for 'sm_80'>"
    second = tc.load_package(tmp_path / "b.json")
    (name,) = second.programs
    assert name in repr(second) and second.programs[name].inputs == ["A", "B"]
    with pytest.raises(ValueError, match="is the one beside it"):
        program.save(tmp_path / "c.ptx")


def test_object_code(tmp_path):
    kernel = tc.compile("ij,jk->ik", SHAPES, name="first")
    for made, function in ((kernel, "first_contraction"), (tc.compile_program(PROGRAM), "program_run")):
        code, header = made.save(tmp_path / f"{function}.o")
        assert header == tmp_path / f"{function}.h" and f"int {function}(" in header.read_text()
        assert code.read_bytes().startswith(b"\x7fELF")
