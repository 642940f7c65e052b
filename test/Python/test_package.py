# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages, for which no compiler is needed."""

import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import fake_device
import numpy as np
import pytest
from fake_device import DLPack, Interface, installed
from test_device import close, numbers

import tc


def save(folder, subscripts, shapes, **options):
    """Compiles a package into a folder."""
    description, code = tc.compile(subscripts, shapes, target="sm_80", **options).save(
        folder / "saved.json"
    )
    assert code == folder / "saved.ptx"
    return description


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return save(tmp_path_factory.mktemp("package"), "abc,cd->abd", [(4, 3, 5), (5, 7)])


def test_launch(path):
    package = tc.load_package(path)
    assert package.target == "sm_80"
    assert package.description["format"] == "tc-package"
    (kernel,) = package.kernels
    assert kernel.name == "contract"
    a, b = numbers((4, 3, 5), seed=1), numbers((5, 7), seed=2)
    out = Interface(np.zeros((4, 3, 7)))
    # a and b are one dimension of the package.
    assert package(Interface(a), DLPack(b), out) is out
    close(out.get(), a @ b)
    with installed(fake_device.make_cupy()) as cupy:
        for call in (package.launch, kernel.launch, kernel):
            result = call(cupy.ndarray(a.reshape(12, 5)), cupy.ndarray(b))
            close(result.get(), (a @ b).reshape(12, 7))


def test_views_factors_and_auxiliaries(tmp_path):
    a, b, c = numbers((9, 13))[::-1], numbers((13, 22), seed=1)[:, ::2], numbers((9, 11))
    bias = numbers((9,), seed=2)
    kernel = tc.load_package(
        save(
            tmp_path, "ik,kj->ij", [a.shape, b.shape], strides=[a.strides, b.strides, None],
            alpha="argument", beta="argument", epilogue="x + bias[i]", auxiliaries={"bias": bias},
        )
    )
    out = DLPack(c)
    arrays = DLPack(a), DLPack(b), out
    kernel(*arrays, alpha=2, beta=-1, auxiliaries={"s0": Interface(bias)})
    close(out.get(), 2 * a @ b - c + bias[:, None])
    with pytest.raises(ValueError, match="auxiliary tensor 's0' is not given"):
        kernel(*arrays, alpha=2, beta=-1)
    with pytest.raises(ValueError, match="auxiliary tensor 'bias' is not in the epilogue"):
        kernel(*arrays, alpha=2, beta=-1, auxiliaries={"bias": Interface(bias)})
    with pytest.raises(ValueError, match="alpha is NULL, but is an argument"):
        kernel(*arrays, beta=-1, auxiliaries={"s0": Interface(bias)})
    with pytest.raises(ValueError, match="C is read, as beta is not 0"):
        kernel(*arrays[:2], alpha=2, beta=-1, auxiliaries={"s0": Interface(bias)})


SUM = """
func.func @sum(%a: memref<12x20x7xf64>, %b: memref<7x10xf64>, %c: memref<12x20x10xf64>,
               %e: memref<12x9x10xf64>, %f: memref<20x9xf64>) {
  %one = arith.constant 1.0 : f64
  %minus = arith.constant -1.0 : f64
  tc.contract [x, y, k], [k, z] -> [x, y, z]
    ins(%a, %b : memref<12x20x7xf64>, memref<7x10xf64>)
    outs(%c : memref<12x20x10xf64>) alpha(%minus : f64) beta(%one : f64)
  tc.contract [x, k, z], [y, k] -> [x, y, z]
    ins(%e, %f : memref<12x9x10xf64>, memref<20x9xf64>)
    outs(%c : memref<12x20x10xf64>) beta(%one : f64)
  return
}
"""


def test_sums(tmp_path):
    """The inputs of other terms are given by their names."""
    (tmp_path / "sum.mlir").write_text(SUM)
    subprocess.run(
        [os.path.join(os.environ["TC_TOOLS"], "tc-run"), "sum.mlir", "--blocks=first",
         "--ptxas=0", "--save-package=sum.json"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )
    (kernel,) = tc.load_package(tmp_path / "sum.json").kernels
    a, b, c = numbers((12, 20, 7)), numbers((7, 10), seed=1), numbers((12, 20, 10), seed=2)
    e, f = numbers((12, 9, 10), seed=3), numbers((20, 9), seed=4)
    expected = c - a @ b + np.einsum("xkz,yk->xyz", e, f)
    out = Interface(c.copy())
    kernel(Interface(e), Interface(f), out, auxiliaries={"A1": Interface(a), "B1": DLPack(b)})
    close(out.get(), expected)
    with pytest.raises(ValueError, match="auxiliary tensor 'B1' is not given"):
        kernel(Interface(e), Interface(f), out, auxiliaries={"A1": Interface(a)})


#: The squared norm of a product.
NORM = """
func.func @norm(%A: tensor<12x7xf64>, %B: tensor<7x10xf64>) -> tensor<f64> {
  %C = tensor.empty() : tensor<12x10xf64>
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<12x7xf64>, tensor<7x10xf64>) outs(%C : tensor<12x10xf64>)
    epilogue {
    ^bb0(%x: f64, %old: f64):
      %square = arith.mulf %x, %x : f64
      tc.yield %square : f64
    } -> tensor<12x10xf64>
  %f0 = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %zero = linalg.fill ins(%f0 : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %norm = linalg.reduce { arith.addf } ins(%D : tensor<12x10xf64>)
    outs(%zero : tensor<f64>) dimensions = [0, 1]
  return %norm : tensor<f64>
}
"""


def test_reduction(tmp_path):
    """A sum of all elements is one number."""
    (tmp_path / "norm.mlir").write_text(NORM)
    subprocess.run(
        [os.path.join(os.environ["TC_TOOLS"], "tc-run"), "norm.mlir", "--blocks=first",
         "--ptxas=0", "--save-package=norm.json"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )
    package = tc.load_package(tmp_path / "norm.json")
    a, b = numbers((12, 7)), numbers((7, 10), seed=1)
    for shape in ((), (1,)):
        out = Interface(np.full(shape, 7.0))
        package(Interface(a), Interface(b), out)
        close(out.get(), np.full(shape, ((a @ b) ** 2).sum()))
    with pytest.raises(ValueError, match="out has shape"):
        package(Interface(a), Interface(b), Interface(np.zeros((12, 10))))


def energy_of_triples(t1, t2, t2_pairs, v_hole, v_particle, v_pairs, e_hole, e_particle):
    """That of CCSD(T), from what is antisymmetrised and by which permutations."""
    first_apart = [("ijk", 1), ("jik", -1), ("kij", 1)]
    by_hole = sum(
        p_sign * h_sign * np.einsum(f"{p}{h}->abcijk", -np.einsum("ibal,lcjk->abcijk", t2, v_hole))
        for p, p_sign in [("abc", 1), ("bca", 1), ("acb", -1)] for h, h_sign in first_apart
    )
    by_particle = sum(
        p_sign * h_sign
        * np.einsum(f"{p}{h}->abcijk", -np.einsum("jiad,bckd->abcijk", t2_pairs, v_particle))
        for p, p_sign in [("abc", 1), ("bac", -1), ("cab", 1)]
        for h, h_sign in [("ijk", 1), ("jki", 1), ("ikj", -1)]
    )
    singles = sum(
        p_sign * h_sign * np.einsum(f"{p}{h}->abcijk", np.einsum("ia,bcjk->abcijk", t1, v_pairs))
        for p, p_sign in [("abc", 1), ("bac", -1), ("cab", 1)] for h, h_sign in first_apart
    )
    x = by_hole + by_particle
    holes = e_hole[:, None, None] + e_hole[:, None] + e_hole
    particles = (e_particle[:, None, None] + e_particle[:, None] + e_particle)[..., None, None, None]
    return (x * (x + singles) / (holes - particles - 8)).sum()


def test_energy(tmp_path):
    """The example, at other extents, against the formula in NumPy."""
    example = pathlib.Path(__file__).parents[2] / "examples" / "ccsd_t_energy.mlir"
    text = re.sub(r"(?<=[<x])16(?=x)", "4", example.read_text())
    (tmp_path / "energy.mlir").write_text(text)
    subprocess.run(
        [os.path.join(os.environ["TC_TOOLS"], "tc-run"), "energy.mlir", "--blocks=first",
         "--ptxas=0", "--save-package=energy.json"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )
    (kernel,) = tc.load_package(tmp_path / "energy.json").kernels
    t1, e_hole, e_particle = numbers((4, 4)), numbers((4,), seed=1), numbers((4,), seed=2)
    t2, t2_pairs, v_hole, v_particle, v_pairs = (numbers((4,) * 4, seed=s) for s in range(3, 8))

    def operand(tensor):
        labels = set(tensor["indices"])
        if len(labels) < 4:
            return t1 if len(labels) == 2 else e_hole if labels < set("ijk") else e_particle
        if not labels & set("dl"):
            return v_pairs
        if tensor["name"].startswith("A"):
            return t2 if "l" in labels else t2_pairs
        return v_hole if "l" in labels else v_particle

    tensors = [x for x in kernel.description["arguments"] if x["kind"] == "tensor"]
    arrays = {x["name"]: Interface(operand(x)) for x in tensors if x["name"] != "C"}
    out = Interface(np.zeros(()))
    kernel(arrays.pop("A"), arrays.pop("B"), out, auxiliaries=arrays)
    close(out.get(), energy_of_triples(t1, t2, t2_pairs, v_hole, v_particle, v_pairs, e_hole, e_particle))


def test_alignment(tmp_path):
    """Of the versions of a kernel, the one that fits is launched."""
    for name, options in (("one", []), ("both", ["--any-alignment"])):
        subprocess.run(
            [os.path.join(os.environ["TC_TOOLS"], "tc-run"), "ik,kj->ij", "--extents=i=64,k=32,j=48",
             "--blocks=first", "--ptxas=0", f"--save-package={name}.json", *options],
            cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
        )
    a, b = numbers((64, 32)), numbers((32, 48), seed=1)
    one, both = (tc.load_package(tmp_path / f"{name}.json") for name in ("one", "both"))
    assert len(both.kernels) == 1
    for shift in itertools.product((0, 8), repeat=3):
        out = Interface(np.zeros((64, 48)), shift=shift[2])
        both(Interface(a, shift=shift[0]), Interface(b, shift=shift[1]), out)
        close(out.get(), a @ b)
    with pytest.raises(ValueError, match="begins at an address that is no multiple of the 16 bytes"):
        one(Interface(a, shift=8), Interface(b), Interface(np.zeros((64, 48))))
    with pytest.raises(ValueError, match="operand 1 begins at an address that is no multiple of the 8"):
        both(Interface(a), Interface(b, shift=4), Interface(np.zeros((64, 48))))


def test_alignment_in_programs(tmp_path):
    """The workspace of a program is enough for versions of its kernels, one of which shares sums among more blocks."""
    (tmp_path / "product.tensors").write_text(
        "type = f32, i = 64, k = 1500, j = 48, l = 32\nT[i,j] = A[i,k] * B[k,j]\nD[i,l] += T[i,j] * E[j,l]\n"
    )
    subprocess.run(
        [os.path.join(os.environ["TC_TOOLS"], "tc-run"), "product.tensors", "--any-alignment",
         "--blocks=first", "--ptxas=0", "--save-package=product.json"],
        cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )
    package = tc.load_package(tmp_path / "product.json")
    rooms = {}
    for kernel in package.description["kernels"]:
        own = sum(x["bytes"] for x in kernel["arguments"] if x["kind"] == "workspace")
        rooms.setdefault(kernel.get("version_of", kernel["entry"]), []).append(own)
    assert any(original < version for original, version in rooms.values()), rooms
    (program,) = package.programs.values()
    shapes = {"A": (64, 1500), "B": (1500, 48), "E": (48, 32)}
    arrays = {name: numbers(shape, seed=i).astype(np.float32) for i, (name, shape) in enumerate(shapes.items())}
    for shift in (0, 4):
        old = np.ones((64, 32), np.float32)
        given = {name: Interface(array, shift=shift) for name, array in {**arrays, "D": old}.items()}
        a, b, e = (array.astype(float) for array in arrays.values())
        bound = 1e-5 * (abs(a) @ abs(b) @ abs(e) + 1)
        assert (abs(program(given).get() - (1 + a @ b @ e)) <= bound).all(), shift
    # Of temporaries no more is known than what the workspace is aligned to.
    description = json.loads((tmp_path / "product.json").read_text())
    description["kernels"][2]["arguments"][2]["alignment"] = 512
    strict = tc.Package.from_text(json.dumps(description), (tmp_path / "product.ptx").read_bytes())
    (program,) = strict.programs.values()
    given["D"] = Interface(np.ones((64, 32), np.float32))
    with pytest.raises(ValueError, match="the least address of A is no multiple of the 16 bytes"):
        program(given)


@pytest.fixture(scope="module")
def shapes_path(tmp_path_factory):
    """Of kernels that take their shape at run time, tuned for two."""
    folder = tmp_path_factory.mktemp("shapes")
    subprocess.run(
        [os.path.join(os.environ["TC_TOOLS"], "tc-run"), "aik,kj->aij", "--extents=a=2,i=64,k=32,j=32",
         "--tuned-for=a=2,i=64,k=32,j=32", "--tuned-for=a=4,i=8,k=8,j=8", "--chip=sm_80",
         "--blocks=first", "--ptxas=0", "--save-package=shapes.json"],
        cwd=folder, check=True, stdout=subprocess.DEVNULL,
    )
    return folder / "shapes.json"


def test_dynamic_shapes(shapes_path):
    package = tc.load_package(shapes_path)
    assert len(package.kernels) == 1 and len(package.description["kernels"]) == 3
    with installed(fake_device.make_cupy()) as cupy:
        for extents in ((2, 64, 32, 32), (4, 8, 8, 16), (1, 1, 1, 1), (3, 5, 7, 11), (2, 64, 31, 32), (1, 2, 100, 3)):
            batch, i, k, j = extents
            a, b = numbers((batch, i, k)), numbers((k, j), seed=1)
            out = Interface(np.zeros((batch, i, j)))
            assert package(Interface(a), DLPack(b), out) is out
            close(out.get(), a @ b)
            # A new result has the shape that the operands ask for.
            result = package(cupy.ndarray(a), cupy.ndarray(b))
            assert result.shape == (batch, i, j)
            close(result.get(), a @ b)


def test_compiled_for_dynamic_shapes():
    kernel = tc.compile("ik,kj->ij", [(64, 32), (32, 48)], target="sm_80", dynamic_shapes=True, beta="argument")
    for i, k, j in ((64, 32, 48), (5, 7, 11), (1, 33, 2)):
        a, b, c = numbers((i, k)), numbers((k, j), seed=1), numbers((i, j), seed=2)
        out = Interface(c)
        assert kernel.launch(Interface(a), Interface(b), out, beta=0.5) is out
        close(out.get(), a @ b + 0.5 * c)
        # The caller of the kernel launches it.
        kernel(Interface(a.T.copy().T), Interface(b), out, beta=0)
        close(out.get(), a @ b)
    with pytest.raises(tc.UnsupportedError, match="option 'dynamic-shapes': of a CPU, ahead-of-time kernels take no prologues"):
        tc.compile("ik,kj->ij", [(4, 4), (4, 4)], dynamic_shapes=True, target="cpu", epilogue="relu(x)")
    # One operand is multiplied by the semiring's one, which nobody gives.
    for subscripts, options, reference in (
        ("ijk->ki", {}, lambda x: x.sum(axis=1).T),
        ("ijk->k", {"semiring": "max_plus"}, lambda x: x.max(axis=(0, 1))),
    ):
        kernel = tc.compile(subscripts, [(16, 8, 32)], target="sm_80", dynamic_shapes=True, **options)
        for shape in ((16, 8, 32), (5, 1, 7), (1, 13, 3)):
            x = numbers(shape)
            wanted = reference(x)
            close(kernel.launch(Interface(x), out=Interface(np.zeros(wanted.shape))).get(), wanted)
    with pytest.raises(ValueError, match="it was compiled for 2 operands, but 1 is given"):
        tc.compile("ik,kj->ij", [(4, 4), (4, 4)], target="sm_80", dynamic_shapes=True).launch(Interface(x))


def test_compiled_for_dynamic_shapes_on_the_cpu():
    kernel = tc.compile("bik,kj->bij", [(2, 4, 3), (3, 5)], dynamic_shapes=True, alpha=2, beta="argument")
    for extents in ((2, 4, 3, 5), (1, 1, 1, 1), (7, 13, 31, 11), (3, 5, 0, 4), (0, 2, 3, 4)):
        batch, i, k, j = extents
        a, b, c = numbers((k, batch, i)).transpose(1, 2, 0), numbers((k, j), seed=1)[::-1], numbers((batch, i, j), seed=2)
        wanted = 2 * (a @ b) - c
        assert kernel(a, b, c, beta=-1) is c
        close(c, wanted)
    # Extents of one go with any others.
    a, b, c = numbers((3, 4, 1)), numbers((6, 5), seed=1), np.zeros((3, 4, 5))
    close(kernel(a, b, c, beta=0), 2 * a * b.sum(axis=0))
    assert "int64_t extent_" in kernel.header and kernel.object.startswith(b"\x7fELF")
    turn = tc.compile("ij->ji", [(2, 3)], "complex64", dynamic_shapes=True, conjugate_a=True)
    a = (numbers((5, 7)) + 1j * numbers((5, 7), seed=1)).astype(np.complex64)
    assert np.array_equal(turn(a), a.conj().T)
    for arrays, message in (
        ((np.zeros((2, 3, 4)), np.zeros((5, 6)), np.zeros((2, 3, 6))), "index 'k' has extent 4 in axis 2"),
        ((np.zeros((2, 3, 4)), np.zeros((4, 6)), np.zeros((2, 3, 5))), "out has shape .2, 3, 5., but the result has .2, 3, 6."),
        ((np.zeros((2, 3)), np.zeros((4, 6)), np.zeros((2, 3, 5))), "operand 0 has 2 axes, but it was compiled for 3"),
    ):
        with pytest.raises(ValueError, match=message):
            kernel(*arrays, beta=0)


def test_what_kernels_of_dynamic_shapes_compute():
    """A bias, complex numbers, and sums that blocks share."""
    biased = tc.compile(
        "ik,kj->ij", [(64, 32), (32, 48)], target="sm_80", dynamic_shapes=True,
        epilogue="relu(x + bias[j] - d[j,i])", auxiliaries={"bias": (48,), "d": (48, 64)},
    )  # fmt: skip
    shared = tc.compile("ki,kj->ij", [(30000, 8), (30000, 8)], "complex128", target="sm_80", dynamic_shapes=True)
    assert '"split_k"' in shared.package
    for i, k, j, step in ((64, 32, 48, 1), (64, 32, 48, 2), (5, 7, 11, -1), (1, 33, 2, 3)):
        a, b, bias = numbers((i, k)), numbers((k, j), seed=1), numbers((j * abs(step),), seed=2)[::step]
        d = numbers((j, i), seed=3) if step == 1 else numbers((i, j + 1), seed=3)[:, 1:].T
        given = {"bias": Interface(bias), "d": Interface(d)}
        out = biased.launch(Interface(a), Interface(b), Interface(np.zeros((i, j))), auxiliaries=given)
        close(out.get(), np.maximum(a @ b + bias - d.T, 0))
        x, y = a.T + 1j * numbers((k, i), seed=4), b - 1j * numbers((k, j), seed=5)
        out = Interface(np.zeros((i, j), complex))
        close(shared.launch(Interface(x), Interface(y), out).get(), x.T @ y)
    with pytest.raises(ValueError, match=r"auxiliary tensor 'bias' has shape \(3,\), but must have \(2,\)"):
        biased.launch(
            Interface(numbers((3, 4))), Interface(numbers((4, 2))), Interface(np.zeros((3, 2))),
            auxiliaries={"bias": Interface(numbers((3,))), "d": Interface(numbers((2, 3)))},
        )  # fmt: skip


def test_former_name_of_auxiliaries():
    x, w, bias = numbers((4, 3)), numbers((3, 5), seed=1), numbers((5,), seed=2)
    wanted = x @ w + bias
    with pytest.warns(DeprecationWarning, match="sides is now called auxiliaries"):
        close(tc.einsum("bi,ij->bj", x, w, epilogue="x + bias[j]", sides={"bias": bias}), wanted)
    with pytest.warns(DeprecationWarning, match="sides is now called auxiliaries"):
        kernel = tc.compile("bi,ij->bj", [x.shape, w.shape], epilogue="x + bias[j]", sides={"bias": bias.shape})
    with pytest.warns(DeprecationWarning, match="sides is now called auxiliaries"):
        close(kernel(x, w, sides={"bias": bias}), wanted)


def test_former_name_of_dynamic_shapes():
    with pytest.warns(DeprecationWarning, match="any_shape is now called dynamic_shapes"):
        kernel = tc.compile("ik,kj->ij", [(64, 32), (32, 48)], target="sm_80", any_shape=True)
    a, b, out = numbers((5, 7)), numbers((7, 11), seed=1), Interface(np.zeros((5, 11)))
    close(kernel.launch(Interface(a), Interface(b), out).get(), a @ b)
    with pytest.warns(DeprecationWarning):
        close(tc.einsum("ik,kj->ij", a, b, any_shape=True), a @ b)


def test_refined_schedules_are_for_gpus():
    with pytest.raises(
        tc.UnsupportedError, match="option 'refine' is for GPUs only"
    ):
        tc.compile("ik,kj->ij", [(4, 4), (4, 4)], target="cpu", refine=8)


def test_einsum_of_dynamic_shapes(monkeypatch):
    compiled = []
    compile_pair = tc._einsum.device_pairs.compile_pair

    def count(*arguments):
        compiled.append(arguments[0])
        return compile_pair(*arguments)

    monkeypatch.setattr(tc._einsum.device_pairs, "compile_pair", count)
    tc.clear_cache()
    with installed(fake_device.make_cupy()) as cupy:
        for i, k, j in ((64, 32, 48), (5, 7, 11), (1, 33, 2)):
            a, b = numbers((i, k)), numbers((k, j), seed=1)
            result = tc.einsum("ik,kj->ij", cupy.ndarray(a), cupy.ndarray(b), dynamic_shapes=True)
            close(result.get(), a @ b)
            if i > 1:
                # Another order of axes.
                result = tc.einsum("ik,kj->ij", cupy.ndarray(a.T.copy().T), cupy.ndarray(b), dynamic_shapes=True)
                close(result.get(), a @ b)
        assert len(compiled) == 2
        # With factors. What views skip is no matter.
        for rows in (9, 14):
            a, b, c = numbers((20, rows)), numbers((20, 30), seed=1), numbers((rows, 10), seed=2)
            out = Interface(c)
            got = tc.einsum(
                "ik,kj->ij", Interface(a.T), Interface(b[:, ::3]), out=out, alpha=-2, beta=0.5, dynamic_shapes=True
            )
            assert got is out
            close(out.get(), -2 * a.T @ b[:, ::3] + 0.5 * c)
        assert len(compiled) == 3
        # In pairs, each of which is compiled once.
        for n in (6, 17):
            a, b, c = (numbers((n, n + step), seed=step) for step in range(3))
            result = tc.einsum(
                "ij,ik,kl->jl", cupy.ndarray(a), cupy.ndarray(b), cupy.ndarray(c[:1].repeat(n + 1, 0)), dynamic_shapes=True
            )
            close(result.get(), a.T @ b @ c[:1].repeat(n + 1, 0))
        assert len(compiled) == 5
        # An extent of one goes with any other.
        for n in (1, 6):
            a, b = numbers((5, n)), numbers((6, 4), seed=1)
            result = tc.einsum("ik,kj->ij", cupy.ndarray(a), cupy.ndarray(b), dynamic_shapes=True)
            close(result.get(), np.einsum("ik,kj->ij", a, b))
        del compiled[5:]
        for n in (3, 4):
            z = numbers((n, n), "complex128")
            close(tc.einsum("ij,jk->ik", cupy.ndarray(z), cupy.ndarray(z), dynamic_shapes=True).get(), z @ z)
            x, s = numbers((n, n)), numbers((2 * n,), seed=1)[::2]
            result = tc.einsum("ij->ji", cupy.ndarray(x), dynamic_shapes=True)
            close(result.get(), x.T)
            result = tc.einsum(
                "ij,jk->ik", cupy.ndarray(x), cupy.ndarray(x), dynamic_shapes=True,
                epilogue="x + s[i]", auxiliaries={"s": cupy.ndarray(s)},
            )
            close(result.get(), x @ x + s[:, None])
        assert len(compiled) == 5 + 1 + 2
        empty = tc.einsum("ij,jk->ik", cupy.ndarray(np.zeros((2, 0))), cupy.ndarray(np.zeros((0, 3))), dynamic_shapes=True)
        close(empty.get(), np.zeros((2, 3)))
        with pytest.raises(ValueError, match="out has shape \\(2, 2\\), but the result has \\(2, 4\\)"):
            tc.einsum(
                "ik,kj->ij", Interface(numbers((2, 3))), Interface(numbers((3, 4))), out=Interface(np.zeros((2, 2))),
                dynamic_shapes=True,
            )
    a, b = numbers((2, 3)), numbers((3, 4), seed=1)
    close(tc.einsum("ik,kj->ij", a, b, dynamic_shapes=True), a @ b)


def test_any_strides(shapes_path):
    package = tc.load_package(shapes_path)
    a, b, c = numbers((9, 20, 3)), numbers((33, 18), seed=1), numbers((26, 8, 3), seed=2)
    for left, right, result in (
        (a[::2, ::4, ::-1], b[:3, ::2].copy(), np.zeros((5, 5, 9))),
        (a[:, 4:9], b[5:2:-1, 1:], np.zeros((9, 5, 17))),
        (a.transpose(2, 0, 1), b[:20, 0:1], np.zeros((1, 9, 3)).transpose(2, 1, 0)),
        (np.broadcast_to(a[:1], (3, 20, 3)), b[:3, :8], c[:20].transpose(2, 0, 1)),
        (a[:, :0:-1, :1], np.broadcast_to(b[:1, :1], (1, 2)), np.zeros((9, 19, 4))[:, :, ::-2]),
    ):
        out = Interface(result)
        package(Interface(left), Interface(right), out)
        close(out.get(), left @ right)


def test_shapes_that_do_not_fit(shapes_path):
    package = tc.load_package(shapes_path)
    a, b = Interface(numbers((2, 3, 4))), Interface(numbers((5, 6)))
    with pytest.raises(ValueError, match="extent of B along index 'k' is 5, but elsewhere 4"):
        package(a, b, Interface(np.zeros((2, 3, 6))))
    with pytest.raises(ValueError, match="operand 0 has 2 axes, but the package has 3 for it"):
        package(b, b, Interface(np.zeros((2, 3, 6))))
    with pytest.raises(ValueError, match="operand 1 has dtype float32, but was compiled for float64"):
        package(a, Interface(numbers((4, 6)).astype("float32")), Interface(np.zeros((2, 3, 6))))
    overlapping = np.lib.stride_tricks.as_strided(np.zeros(40), (2, 3, 6), (8, 8, 8))
    with pytest.raises(ValueError, match="elements of out overlap: strides 1 along index '.' and 1"):
        package(a, Interface(numbers((4, 6))), Interface(overlapping))
    with pytest.raises(ValueError, match="out has shape .2, 3, 5., but the result has .2, 3, 6."):
        package(a, Interface(numbers((4, 6))), Interface(np.zeros((2, 3, 5))))
    # None do, but kernels ask for strides that step over all that the smaller ones reach.
    apart = np.lib.stride_tricks.as_strided(np.zeros(90), (2, 3, 6), (8 * 44, 8 * 13, 8 * 4))
    with pytest.raises(ValueError, match="elements of C may overlap"):
        package(a, Interface(numbers((4, 6))), Interface(apart))
    empty = Interface(np.zeros((2, 3, 0)))
    with pytest.raises(ValueError, match="extent of index 'k' is 0, but must be at least 1"):
        package(empty, Interface(np.zeros((0, 6))), Interface(np.zeros((2, 3, 6))))


@pytest.mark.parametrize(
    "shape, fits",
    [
        ((4, 3, 5), True),
        ((12, 5), True),
        ((2, 6, 5), True),
        ((1, 12, 1, 5, 1), True),
        ((3, 20), False),
        ((60,), False),
        ((12, 5, 2), False),
        ((12,), False),
        ((5, 12), False),
    ],
)
def test_shapes(path, shape, fits):
    package = tc.load_package(path)
    a, b = Interface(numbers(shape, seed=3)), Interface(numbers((5, 7), seed=4))
    out = Interface(np.zeros((12, 7)))
    if fits:
        package(a, b, out)
        close(out.get(), a.get().reshape(12, 5) @ b.get())
        return
    with pytest.raises(ValueError, match="operand 0 has shape .* but the package has"):
        package(a, b, out)


def test_errors(path, tmp_path):
    package = tc.load_package(path)
    a, b = numbers((12, 5)), numbers((5, 7))
    out = Interface(np.zeros((12, 7)))

    def fails(kind, message, *arrays):
        with pytest.raises(kind) as raised:
            package(*arrays)
        assert message in str(raised.value)

    fails(TypeError, "operand 1 lies in the host's memory, but the code is for sm_80",
          Interface(a), b, out)
    fails(ValueError, "operand 0 has dtype float32, but was compiled for float64",
          Interface(a.astype("float32")), Interface(b), out)
    fails(ValueError, "operand 0 has shape (12, 5) and strides (8, 96), but the package has "
          "(12, 5) and (40, 8) for it", Interface(np.asfortranarray(a)), Interface(b), out)
    fails(ValueError, "operand 0 begins at an address that is no multiple of the 8 bytes",
          Interface(a, shift=4), Interface(b), out)
    with pytest.raises(ValueError, match="/nowhere.json: No such file or directory"):
        tc.load_package("/nowhere.json")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    with pytest.raises(ValueError, match=r"wrong.json: \$.format: missing"):
        tc.load_package(wrong)
    two = pathlib.Path(__file__).parent / "../Tools/tc-launch/Inputs/matmul.json"
    package = tc.load_package(two)
    with pytest.raises(ValueError, match="several kernels: choose of matmul, scale"):
        package.launch(Interface(a), Interface(b))
    a, b, c = (numbers(5, "float32", i) for i in range(3))
    result = Interface(c)
    package.kernels[1](Interface(a), Interface(b[:1].reshape(())), result, alpha=2, beta=3)
    close(result.get(), 2 * a * b[0] + 3 * c)


WITHOUT_COMPILER = """
import sys
sys.path[:0] = sys.argv[2:]
import fake_device, numpy, tc
package = tc.load_package(sys.argv[1])
a, b = numpy.arange(60.0).reshape(4, 3, 5), numpy.arange(35.0).reshape(5, 7)
out = fake_device.Interface(numpy.zeros((4, 3, 7)))
package(fake_device.Interface(a), fake_device.Interface(b), out)
assert (out.get() == a @ b).all()
print(open("/proc/self/maps").read())
print("version", tc.__version__, "einsum" in dir(tc))
try:
    tc.einsum
except ImportError as error:
    print("no compiler:", error)
"""


@pytest.mark.parametrize("has_compiler", [True, False])
def test_without_compiler(path, tmp_path, has_compiler):
    """Of a package, neither libtc nor LLVM is loaded, or has to be there."""
    installed_at = pathlib.Path(tc.__file__).parent
    copy = tmp_path / "tc"
    shutil.copytree(installed_at, copy)
    if not has_compiler:
        for name in (*copy.glob("lib/libtc.so*"), *copy.glob("_native*.so")):
            name.unlink()
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILER, str(path), str(tmp_path),
         str(pathlib.Path(__file__).parent)],
        capture_output=True, text=True, check=False, env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr
    maps, _, rest = done.stdout.partition("version ")
    assert f"{copy}/lib/libtc_launch.so" in maps
    for library in ("libLLVM", "libMLIR", "libtc.so"):
        assert library not in maps
    assert rest.startswith(f"{tc.__version__} True")
    message = "no compiler: tc.einsum needs libtc, which cannot be loaded: "
    assert (message in rest) != has_compiler


def test_names():
    assert {"einsum", "load_package", "DriverError"} <= set(dir(tc))
    assert tc.Contraction.__name__ == "Contraction"
    with pytest.raises(AttributeError, match="'tc' has no attribute 'einsums'"):
        tc.einsums


PTXAS_BESIDE = """
import sys
sys.path.insert(0, sys.argv[1])
import tc
kernel = tc.compile("ij,jk->ik", [(4, 4), (4, 4)], target="sm_90", cache="off")
try:
    print(len(kernel.cubin))
except AttributeError as error:
    print(error)
"""


def test_ptxas_of_the_package_beside(tmp_path):
    """As pip installs it for tc-contract[cuda]. On PATH there is none."""
    shutil.copytree(pathlib.Path(tc.__file__).parent, tmp_path / "tc")
    ptxas = tmp_path / "nvidia" / "cu13" / "bin" / "ptxas"
    ptxas.parent.mkdir(parents=True)
    ptxas.write_text("#!/bin/sh\necho the one beside was called >&2\nexit 1\n")
    ptxas.chmod(0o755)
    environment = {
        name: value for name, value in os.environ.items() if name != "TC_PTXAS"
    }
    environment["PATH"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", PTXAS_BESIDE, str(tmp_path)],
        capture_output=True, text=True, check=False, env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert "the one beside was called" in done.stdout


def test_prefix_is_a_wheels():
    """A package that was built from sources has no headers to tell of."""
    done = subprocess.run(
        [sys.executable, "-m", "tc", "--prefix"],
        capture_output=True, text=True, check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "this package was built from sources" in done.stderr
