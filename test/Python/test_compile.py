# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tc.compile: attributes of compiled contractions, and calls of them."""

import json
import shutil

import numpy as np
import pytest

import tc

SHAPES = [(13, 9), (9, 11)]


def test_for_the_cpu(tmp_path):
    made = [
        tc.compile("ik,kj->ij", SHAPES, cache=tmp_path / "cache", name="product")
        for _ in range(2)
    ]
    assert [contraction.cache for contraction in made] == ["miss", "hit"]
    contraction = made[0]
    assert contraction.shape == (13, 11)
    assert contraction.schedule.startswith("#tc.cpu_schedule<")
    assert "predicted" in contraction.explain()
    assert contraction._repr_html_().startswith("<pre>  schedule")
    assert "tc.contract [i, k], [k, j] -> [i, j]" in contraction.mlir
    assert "int product_contraction(const double *A" in contraction.header
    assert contraction.object.startswith(b"\x7fELF")
    with pytest.raises(AttributeError, match="has no ptx, but object"):
        contraction.ptx
    a, b = np.arange(117.0).reshape(13, 9), np.arange(99.0).reshape(9, 11)
    assert (contraction(a, b) == a @ b).all()
    out = np.empty((13, 11))
    assert contraction(a, b, out) is out
    assert (out == a @ b).all()


def test_of_one_operand():
    contraction = tc.compile("...ii->...", [(3, 5, 5)])
    assert "tc.contract [ellipsis0, i, i], [] -> [ellipsis0]" in contraction.mlir
    a = np.arange(75.0).reshape(3, 5, 5)
    assert (contraction(a) == np.trace(a, axis1=1, axis2=2)).all()
    out = np.empty(3)
    assert contraction(a, out=out) is out
    with pytest.raises(ValueError, match="compiled for 1 operand, but 2 are"):
        contraction(a, a)
    assert ".target sm_90" in tc.compile("ij->ji", [(3, 5)], target="sm_90").ptx


def test_machine_code(monkeypatch):
    contraction = tc.compile("ij->ji", [(3, 5)], target="sm_80")
    if shutil.which("ptxas"):
        assert contraction.cubin.startswith(b"\x7fELF")
    contraction = tc.compile("ij->ji", [(3, 5)], target="sm_80")
    monkeypatch.setenv("TC_PTXAS", "/nonexistent/ptxas")
    with pytest.raises(AttributeError, match="TC_PTXAS is '/nonexistent/ptxas'"):
        contraction.cubin


def test_broadcasting():
    contraction = tc.compile("...ij,jk", [(2, 1, 3, 1), (4, 5)])
    assert contraction.shape == (2, 1, 3, 5)
    a, b = np.arange(6.0).reshape(2, 1, 3, 1), np.arange(20.0).reshape(4, 5)
    assert (contraction(a, b) == np.einsum("...ij,jk", a, b)).all()


def test_calls_that_do_not_fit():
    contraction = tc.compile("ik,kj->ij", SHAPES)
    a, b = np.ones(SHAPES[0]), np.ones(SHAPES[1])

    def fails(message, *arrays):
        with pytest.raises((TypeError, ValueError)) as raised:
            contraction(*arrays)
        assert message in str(raised.value)

    fails("operand 0 has shape (9, 13), but was compiled for (13, 9)", a.T, b)
    fails(
        "operand 0 has strides (8, 104), but was compiled for (72, 8)",
        np.asfortranarray(a),
        b,
    )
    fails("operand 1 has dtype float32, but was", a, b.astype("float32"))
    fails("operand 1 has dtype int64, but was", a, b.astype(int).tolist())
    fails("out has shape (11, 13)", a, b, np.empty((11, 13)))
    fails("out overlaps operand 0", a, b, a)


def test_what_the_compiler_cannot_do():
    with pytest.raises(tc.UnsupportedError, match="strategy loop_over_gemm: 'n' and 'k' have"):
        tc.compile(",kn->nk", [(), (13, 9)], strategy="log")


def test_factors():
    contraction = tc.compile("ik,kj->ij", SHAPES, alpha="argument", beta=2)
    a, b, out = np.ones(SHAPES[0]), np.ones(SHAPES[1]), np.ones((13, 11))
    contraction(a, b, out, alpha=3)
    assert (out == 3 * 9 + 2).all()
    with pytest.raises(ValueError, match="beta is not 0: give out"):
        contraction(a, b, alpha=3)
    with pytest.raises(ValueError, match="alpha is NULL, but is an argument"):
        contraction(a, b, out)


def test_strides():
    a = np.ones((9, 13)).T
    contraction = tc.compile("ik,kj->ij", SHAPES, strides=[a.strides, None, None])
    assert (contraction(a, np.ones(SHAPES[1])) == 9).all()


@pytest.mark.parametrize(
    "dtype",
    [
        "float64",
        "float32",
        "float16",
        "bfloat16",
        "float8_e4m3fn",
        "float8_e5m2",
    ],
)
def test_for_a_gpu(dtype):
    contraction = tc.compile("ik,kj->ij", SHAPES, dtype, target="sm_80")
    assert ".target sm_80" in contraction.ptx
    package = json.loads(contraction.package)
    assert package["kernels"][0]["entry"] in contraction.ptx
    assert "sm_80" in contraction.schedule
    assert "schedule" in contraction.explain()
    if dtype == "float32":
        shown = contraction._repr_html_()
        assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html')
        assert "&lt;/svg&gt;" in shown and "<svg" not in shown
    if dtype == "float64":
        with pytest.raises(TypeError, match="operand 0 lies in the host.s memory, but"):
            contraction(np.ones(SHAPES[0]), np.ones(SHAPES[1]))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"target": "sm_1"}, "option 'target': "),
        ({"colour": "red"}, "option 'colour': there is no such option"),
        ({"strategy": "luck"}, "'luck' is none of auto, gett, ttgt, loop_over_gemm, direct and library"),
        ({"shapes": []}, "there are 0 shapes, but one operand or two"),
    ],
)
def test_errors(arguments, message):
    arguments = {"shapes": SHAPES, **arguments}
    with pytest.raises(ValueError) as raised:
        tc.compile("ik,kj->ij", arguments.pop("shapes"), **arguments)
    assert message in str(raised.value)
