# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of several statements, on the CPU and on devices."""

import json
import os
import pathlib
import pickle
import random
import re
import shutil
import subprocess
import sys

import fake_device
import numpy as np
import opt_einsum
import pytest
from fake_device import Interface, Stream, installed
from seeds import numbered

import tc
from tc._einsum import cache, quick
from tc._einsum import program as einsum_program

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Integration"))
import random_programs  # noqa: E402
import shaped_programs  # noqa: E402

TEXT = """
i = 20, j = 30, k = 25, l = 10, m = 15
T[i,l] = A[i,j] * B[j,k] * C[k,l]
D[i,m] += 0.5 * T[i,l] * E[l,m]
"""
SHAPES = {"A": (20, 30), "B": (30, 25), "C": (25, 10), "D": (20, 15), "E": (10, 15)}


def draw(seed=1, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return {name: rng.random(shape).astype(dtype) for name, shape in SHAPES.items()}


def expected(given):
    product = np.linalg.multi_dot([given[name].astype(np.longdouble) for name in "ABC"])
    return given["D"] + 0.5 * product @ given["E"]


def close(found, wanted):
    assert np.linalg.norm(found - wanted) <= 1e-14 * np.linalg.norm(wanted)


@pytest.fixture(scope="module")
def program():
    return tc.compile_program(TEXT, threads=1)


@pytest.fixture(scope="module")
def on_device():
    return tc.compile_program(TEXT, target="sm_80")


def test_description(program, on_device):
    for each in (program, on_device):
        assert list(each.parameters) == list("ABCDE")
        assert each.inputs == list("ABCDE")
        assert each.results == ["D"]
        assert {n: p.layout.shape for n, p in each.parameters.items()} == SHAPES
    assert program.target == "cpu" and on_device.target == "sm_80"
    # B * C lives as long as T begins to: 2400 and 1600 bytes.
    assert 4000 <= program.workspace_bytes <= 4000 + 256
    (described,) = json.loads(on_device.package)["programs"]
    assert described["workspace"]["bytes"] == on_device.workspace_bytes


def test_host(program):
    given = draw()
    wanted = expected(given)
    d = given["D"]
    assert program(**given) is d
    close(d, wanted)
    # Again, in memory that is given, by one mapping.
    given = draw(2)
    room = np.full(program.workspace_bytes + 256, 255, np.uint8)
    room = room[-room.ctypes.data % 256 :]
    wanted = expected(given)
    close(program(given, workspace=room), wanted)


def test_results():
    program = tc.compile_program("i = 3, j = 4\ns[] = A[i,j]\nr[j] = A[i,j]", threads=1)
    a = np.arange(12.0).reshape(3, 4)
    results = program(A=a)
    assert list(results) == ["s", "r"]
    assert results["s"] == 66 and (results["r"] == a.sum(0)).all()
    out = np.empty(4)
    assert program(A=a, r=out)["r"] is out and (out == a.sum(0)).all()


def test_random_programs():
    """Integers, which are exact in any order; but a kernel for GPUs that adds several products up
    multiplies its sums by the quotient of their factors, as 2 / 3."""
    rng = random.Random(numbered(5))
    for drawn, given, values in random_programs.draw(rng, 12):
        text = drawn.text()
        if not drawn.is_octopi:
            text = f"type = {drawn.type}\n" + text
        elif drawn.type != "f64":
            continue
        for target in ("cpu", "sm_80"):
            program = tc.compile_program(
                text,
                notation="octopi" if drawn.is_octopi else "tensors",
                semiring=drawn.semiring or "plus_times",
                target=target,
            )
            # Dimensions are in the order of memory.
            turned = (lambda x: x.T) if drawn.is_column_major else (lambda x: x)
            arrays = {}
            for name, parameter in program.parameters.items():
                array = np.full(parameter.layout.shape, 77, parameter.layout.dtype)
                if name in given:
                    array[...] = turned(given[name])
                arrays[name] = array if target == "cpu" else Interface(array)
            program(arrays)
            for name in program.results:
                found = arrays[name] if target == "cpu" else np.rint(arrays[name].get())
                assert (found == turned(values[name])).all(), (target, name, text)


def test_slices():
    """Loops become steps, each on its part."""
    whole = "A[i,j] * B[j,k] * x[k]"
    text = f"i = 30, j = 40, k = 50\ny[i] = {whole}"
    rng = np.random.default_rng(3)
    a, b, x = rng.random((30, 40)), rng.random((40, 50)), rng.random(50)
    for target in ("cpu", "sm_80"):
        program = tc.compile_program(text, target=target, memory_limit=100)
        assert program.workspace_bytes <= 256
        arrays = [a, b, x, np.full(30, np.nan)]
        if target != "cpu":
            arrays = [Interface(array) for array in arrays]
        result = program(dict(zip("ABxy", arrays)))
        close(result if target == "cpu" else result.get(), a @ b @ x)


def test_einsum_is_one_call(monkeypatch):
    """Products of many contiguous arrays of one dtype are programs; others are not."""
    rng = np.random.default_rng(9)
    a, b, x = rng.random((7, 8)), rng.random((8, 9)), rng.random(9)
    calls = []
    contract = einsum_program.contract

    def count(*arguments):
        result = contract(*arguments)
        calls.append(result is not None)
        return result

    monkeypatch.setattr(einsum_program, "contract", count)
    # Of calls that native code reads, and of those that are remembered, nothing is counted.
    monkeypatch.setattr("tc._einsum.einsum._call_plain", lambda *arguments: None)
    monkeypatch.setattr(quick, "call", lambda *arguments: None)
    wanted = a @ b @ x
    for arrays in ((a, b, x), (a, b, x), (a[::-1][::-1], b, x)):
        close(tc.einsum("ij,jk,k->i", *arrays), wanted)
    assert tc.einsum("ij,jk,k->", a, b, x) == pytest.approx(wanted.sum(), 1e-14)
    integers = [np.asarray(8 * array, np.int32) for array in (a, b, x)]
    assert (tc.einsum("ij,jk,k->i", *integers) == np.einsum("ij,jk,k->i", *integers)).all()
    assert calls == [True] * 5
    # In whatever order, which one of opt_einsum's may be.
    calls.clear()
    theirs = opt_einsum.contract_path("ij,jk,k->i", a, b, x)[0]
    orders = [False, "greedy", theirs, tuple(theirs), [(1, 2), (0, 1)], ["einsum_path", (0, 1, 2)],
              [(0,), (0, 2), (1, 0)], [[0, 1], [0, 1]], [(np.int64(0), 2), (1, 0)]]  # fmt: skip
    for optimize in orders:
        close(tc.einsum("ij,jk,k->i", a, b, x, optimize=optimize), wanted)
    assert calls == [True] * len(orders)
    compiled = len(cache._cache)
    for optimize in orders:
        close(tc.einsum("ij,jk,k->i", a, b, x, optimize=optimize), wanted)
    assert len(cache._cache) == compiled
    calls.clear()
    for optimize in (3.5, [], [(0, 1)], [(0, 1), 0], [(0, 1), (0, 2)], [(0, 1.0), (0, 1)], "fast"):
        with pytest.raises((TypeError, ValueError), match="path|opt_einsum"):
            tc.einsum("ij,jk,k->i", a, b, x, optimize=optimize)
    assert not any(calls)
    # opt_einsum's letters go beyond those of names.
    close(tc.einsum("i\u00c0,\u00c0\u00c1,\u00c1->i", a, b, x), wanted)
    assert calls.pop()
    calls.clear()
    # Views, other dtypes, indices along which an operand is broadcast; halves in compiled code.
    close(tc.einsum("ji,jk,k->i", a.T.copy().T.T, b.T.copy().T, x[:1]), a.T.T @ b.sum(1) * x[0])
    tc.einsum("ij,jk,k->i", a.astype(np.float32), b, x)
    halves = [array.astype(np.float16) for array in (a, b, x)]
    tc.einsum("ij,jk,k->i", *halves, specialize="always")
    assert calls == [False] * 3
    tc.einsum("ij,jk,k->i", *halves)
    assert calls.pop()
    # One workspace for all, unless it is too large to be kept.
    kept = einsum_program._kept
    first = kept.workspace
    close(tc.einsum("ij,jk,k->i", a, b, x), wanted)
    assert kept.workspace is first
    del kept.workspace
    monkeypatch.setattr(einsum_program, "_MOST_KEPT", 0)
    close(tc.einsum("ij,jk,k->i", a, b, x), wanted)
    assert calls[-1] and not hasattr(kept, "workspace")


def spread(rng, array):
    """The same elements otherwise: as they are, with axes in another order, or with gaps."""
    kind = rng.integers(4)
    if kind == 0 or array.ndim == 0:
        return array
    if kind == 1:
        axes = rng.permutation(array.ndim)
        return np.ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes))
    steps = tuple(slice(None, None, -2 if kind == 2 else 3) for _ in array.shape)
    room = np.zeros([len(range(*step.indices(10**6))) and abs(step.step) * n for step, n in zip(steps, array.shape)], array.dtype)
    view = room[steps][tuple(slice(n) for n in array.shape)]
    view[...] = array
    return view


def test_views_factors_and_out_are_one_program(monkeypatch):
    """Against NumPy's sums in the widest type, with extents of one, primes and none."""
    rng = np.random.default_rng(31)
    calls = []
    contract_into = einsum_program.contract_into

    def count(*arguments):
        result = contract_into(*arguments)
        calls.append(result is not None)
        return result

    monkeypatch.setattr(einsum_program, "contract_into", count)
    cases = [("ij,jk,kl->il", "ijkl"), ("ij,jk,k->i", "ijk"), ("aij,ajk,akl,l->ia", "aijkl"), ("ij,jk,ki->", "ijk"), ("ii,ij,jk->kj", "ijk")]
    for number in range(60):
        spec, labels = cases[number % len(cases)]
        terms, result = spec.split("->")
        dtype = np.dtype(("float64", "float32", "complex128", "int32")[number % 4])
        extents = {x: int(rng.choice([1, 2, 7, 8, 13] if number % 9 else [0, 1, 3])) for x in labels}

        def draw(term):
            shape = [extents[x] for x in term]
            drawn = rng.integers(-9, 9, shape) + (1j * rng.integers(-9, 9, shape) if dtype.kind == "c" else 0)
            drawn = np.asarray(drawn) if dtype.kind == "i" else np.asarray(drawn) / 8
            return spread(rng, np.asarray(drawn, dtype))

        arrays = [draw(term) for term in terms.split(",")]
        alpha, beta = (rng.choice([None, 1, 0, 2, -3]) for _ in range(2))
        out = draw(result) if beta is not None or number % 2 else None
        wide = np.clongdouble if dtype.kind == "c" else np.int64 if dtype.kind == "i" else np.longdouble
        product = np.einsum(spec, *(x.astype(wide) for x in arrays))
        wanted = product * (1 if alpha is None else int(alpha))
        wanted = wanted + (out.astype(wide) * int(beta) if beta else 0)
        size = np.einsum(spec, *(abs(x.astype(wide)) for x in arrays)) * 3
        size = size + (3 * abs(out.astype(wide)) if out is not None else 0)
        given = {} if out is None else {"out": out}
        made = tc.einsum(spec, *arrays, alpha=alpha, beta=beta, **given)
        assert out is None or made is out
        limit = 0 if dtype.kind == "i" else 30 * np.finfo(dtype).eps
        assert np.shape(made) == wanted.shape and made.dtype == dtype
        assert (abs(made - wanted) <= limit * size).all(), (spec, extents, dtype, alpha, beta)
    assert sum(calls) > 40


def test_what_is_no_program_goes_in_pairs(monkeypatch):
    """Large views with gaps, orders with factors, and what does not fit, which pairs find fault with."""
    rng = np.random.default_rng(32)
    a, b, x = rng.random((7, 8)), rng.random((8, 9)), rng.random(9)
    wanted = a @ b @ x
    calls = []
    contract_into = einsum_program.contract_into
    monkeypatch.setattr(
        einsum_program, "contract_into", lambda *given: calls.append(contract_into(*given) is not None) or None
    )
    out = np.ones(7)
    close(tc.einsum("ij,jk,k->i", a, b, x, alpha=2, beta=3, out=out, optimize=False), 2 * wanted + 3)
    for bad, error, text in (
        (np.ones(8), ValueError, "shape"),
        (np.ones(7, np.float32), TypeError, "out has dtype float32"),
    ):
        with pytest.raises(error, match=text):
            tc.einsum("ij,jk,k->i", a, b, x, out=bad)
    with pytest.raises((TypeError, ValueError)):
        tc.einsum("ij,jk,k->i", a, b, x, alpha=1j)
    integers = [np.ones((2, 2), np.int32)] * 3
    with pytest.raises((TypeError, ValueError)):
        tc.einsum("ij,jk,kl->il", *integers, alpha=0.5)
    floats = [array.astype(np.float32) for array in (a, b, x)]
    with pytest.raises(ValueError):
        tc.einsum("ij,jk,k->i", *floats, alpha=1e39)
    assert tc.einsum("ij,jk,k->i", a, b, x, alpha=2, semiring="max_plus").shape == (7,)
    monkeypatch.setattr(einsum_program, "_MOST_COPIED", 0)
    close(tc.einsum("ij,jk,k->i", rng.random((7, 16))[:, ::2] * 0 + 1, b, x), np.full(7, (b @ x).sum()))
    calls.clear()
    gaps = np.ones((7, 16))[:, ::2]
    close(tc.einsum("ij,jk,k->i", gaps, b, x), gaps @ b @ x)
    close(tc.einsum("ij,jk,k->i", a, b, x, out=np.ones(14)[::2]), wanted)
    assert calls == [False] * 2


def test_complex():
    """Products of one factor, and slices, whose beta is zero or one."""
    rng = np.random.default_rng(10)
    a, b, x = (rng.random(s) + 1j * rng.random(s) for s in ((30, 40), (40, 50), (50,)))
    indices = "type = c64\ni = 30, j = 40, k = 50\n"
    for text, given, wanted, options in (
        ("y[i] = A[i,j]", {"A": a}, a.sum(1), {}),
        ("y[i] = A[i,j] * B[j,k] * x[k]", {"A": a, "B": b, "x": x}, a @ b @ x,
         {"memory_limit": 320}),
    ):
        for target in ("cpu", "sm_80"):
            used = indices if "B" in given else "type = c64\ni = 30, j = 40\n"
            program = tc.compile_program(used + text, target=target, **options)
            arrays = {**given, "y": np.full(30, np.nan + 0j)}
            if target != "cpu":
                arrays = {name: Interface(array) for name, array in arrays.items()}
            result = program(arrays)
            close(result if target == "cpu" else result.get(), wanted)


def test_tiles_of_chains():
    """A prime number of rows, of which the last tile has fewer. Threads share the others
    out, and results are the same to the bit."""
    text = "m = 8009, k = 30, l = 200, n = 20\nT[m,l] = A[m,k] * B[k,l]\nD[m,n] += T[m,l] * E[l,n]"
    rng = np.random.default_rng(9)
    a, b, e = rng.random((8009, 30)), rng.random((30, 200)), rng.random((200, 20))
    programs = [
        tc.compile_program(text, threads=threads, tile_chains=when)
        for threads, when in ((1, "always"), (3, "always"), (1, "never"))
    ]
    assert programs[0].workspace_bytes < programs[2].workspace_bytes == 8009 * 200 * 8
    assert programs[1].workspace_bytes == programs[0].workspace_bytes
    d = rng.random((8009, 20))
    results = [program(A=a, B=b, E=e, D=d.copy()) for program in programs]
    for result in results:
        close(result, d + a @ b @ e)
    assert (results[0] == results[1]).all()
    # As if the workspace were the caller's.
    room = np.full(programs[1].workspace_bytes + 256, 7, np.uint8)
    room = room[-room.ctypes.data % 256 :][: programs[1].workspace_bytes]
    assert (programs[1](A=a, B=b, E=e, D=d.copy(), workspace=room) == results[0]).all()
    with pytest.raises(ValueError, match="'often' is none of auto, always and never"):
        tc.compile_program(text, tile_chains="often")


def test_equal_slices():
    """Loops that are equal are one, and what they make is two results."""
    text = "i = 12, j = 8\ns[] = A[i,j] * x[j] * y[i]\nt[] = y[i] * A[i,j] * x[j]"
    rng = np.random.default_rng(8)
    a, x, y = rng.random((12, 8)), rng.random(8), rng.random(12)
    for target in ("cpu", "sm_80"):
        program = tc.compile_program(text, target=target, memory_limit=32)
        arrays = [a, x, y, np.zeros(()), np.zeros(())]
        if target != "cpu":
            arrays = [Interface(array) for array in arrays]
        for result in program(dict(zip("Axyst", arrays))).values():
            close(result if target == "cpu" else result.get(), y @ a @ x)


def test_parts_that_products_share():
    """Orders change for them: of the same tensors with other names of indices, one of
    which is defined by a statement of its own."""
    extents = "i = 5, j = 5, k = 6, l = 6, a = 9, b = 9, c = 9, d = 9, p = 3, q = 3"
    text = extents + """
        ladder[a,b,i,j] = V[k,l,c,d] * T[c,d,i,j] * U[a,b,k,l]
        dressed[p,q,i,j] = X[k,p] * T[a,b,i,j] * X[l,q] * V[k,l,a,b]
        W[j,i,l,k] = T[c,d,i,j] * V[k,l,c,d]
        scaled[i,j] += 3 * V[k,l,c,d] * T[c,d,i,j] * y[k,l]
        output ladder, dressed, W, scaled
    """
    rng = np.random.default_rng(15)
    shapes = {"V": (6, 6, 9, 9), "T": (9, 9, 5, 5), "U": (9, 9, 6, 6), "X": (6, 3), "y": (6, 6)}
    given = {name: rng.random(shape) for name, shape in shapes.items()}
    old = rng.random((5, 5))
    w = np.einsum("klcd,cdij->klij", given["V"], given["T"])
    wanted = {
        "ladder": np.einsum("klij,abkl->abij", w, given["U"]),
        "dressed": np.einsum("klij,kp,lq->pqij", w, given["X"], given["X"]),
        "W": w.transpose(3, 2, 1, 0),
        "scaled": old + 3 * np.einsum("klij,kl->ij", w, given["y"]),
    }
    for target in ("cpu", "sm_80"):
        program = tc.compile_program(text, target=target)
        arrays = {**given, "scaled": old.copy()}
        if target != "cpu":
            arrays = {name: Interface(array) for name, array in arrays.items()}
            arrays.update(
                (name, Interface(np.zeros(program.parameters[name].layout.shape)))
                for name in ("ladder", "dressed", "W")
            )
        for name, result in program(arrays).items():
            close(result if target == "cpu" else result.get(), wanted[name])


OPEN = """
i = ?200, j = 7, k = ?
T[i,k] = A[i,j] * B[j,k]
y[i] += 2 * T[i,k] * x[k]
z[k] = T[i,k] * x[k]
"""


def draw_open(i, k, seed=3):
    rng = np.random.default_rng(seed)
    return {name: rng.random(s) for name, s in
            {"A": (i, 7), "B": (7, k), "y": (i,), "x": (k,)}.items()}  # fmt: skip


def test_extents_of_calls():
    program = tc.compile_program(OPEN, threads=1)
    assert program.extents == ("i", "k") and program.workspace_bytes is None
    assert program.parameters["A"].layout.shape == ("i", 7)
    assert program.inputs == ["A", "B", "y", "x"] and program.results == ["y", "z"]
    for i, k in ((1, 1), (31, 17), (64, 1), (1, 100), (0, 5), (5, 0), (200, 128)):
        given = draw_open(i, k)
        t = given["A"] @ given["B"]
        y, z = given["y"] + 2 * t @ given["x"], (t * given["x"]).sum(0)
        room = np.full(program.workspace_bytes_for(i=i, k=k) + 64, 255, np.uint8)
        assert room.nbytes >= i * k * 8 + 64
        room = room[-room.ctypes.data % 64 :]
        for workspace, again in ((None, program), (room, pickle.loads(pickle.dumps(program)))):
            arrays = {name: array.copy() for name, array in given.items()}
            found = again(arrays, workspace=workspace)
            assert found["y"] is arrays["y"] and found["z"].shape == (k,)
            np.testing.assert_allclose(found["y"], y, rtol=1e-13)
            np.testing.assert_allclose(found["z"], z, rtol=1e-13)
    given = draw_open(5, 3)
    for name, wrong, message in (
        ("B", np.ones((7, 4)), "'x' has extent 3 along index 'k', but tensor 'B' has 4"),
        ("A", np.ones((5, 8)), r"'A' has shape \(5, 8\), but was compiled for \(5, 7\)"),
        ("A", np.ones(5), r"'A' has shape \(5,\), but was compiled for \('i', 7\)"),
        ("x", np.ones(3, np.float32), "'x' has dtype float32, but was compiled for float64"),
        ("x", np.ones(6)[::2], r"'x' has strides \(16,\), but was compiled for \(8,\)"),
    ):
        with pytest.raises(ValueError, match="tensor " + message):
            program({**given, name: wrong})
    with pytest.raises(ValueError, match="tensor 'z' has extent 4 along index 'k'"):
        program({**given, "z": np.ones(4)})
    with pytest.raises(ValueError, match="the workspace has 8 bytes, but the program needs 128"):
        program(given, workspace=np.zeros(8, np.uint8))
    with pytest.raises(ValueError, match="the program takes no extent 'j': those are i, k"):
        program.workspace_bytes_for(i=1, j=1)
    with pytest.raises(ValueError, match="extent 'k' is not given"):
        program.workspace_bytes_for(i=1)
    with pytest.raises(MemoryError, match="more bytes than can be counted"):
        program.workspace_bytes_for(i=2**40, k=2**40)


def test_extents_of_launches():
    program = tc.compile_program(OPEN, target="sm_80")
    assert program.extents == ("i", "k") and program.workspace_bytes is None
    (loaded,) = tc.Package.from_text(program.package, program.ptx.encode()).programs.values()
    assert repr(loaded) == repr(program) and "A float64[i, 7]" in repr(loaded)
    for i, k in ((1, 1), (31, 17), (64, 1), (1, 100), (64, 128)):
        given = draw_open(i, k)
        t = given["A"] @ given["B"]
        y, z = given["y"] + 2 * t @ given["x"], (t * given["x"]).sum(0)
        room = Interface(np.full(loaded.workspace_bytes_for(i=i, k=k), 255, np.uint8))
        assert room.get().nbytes >= i * k * 8
        for how in ("run", "room", "graph"):
            arrays = {name: Interface(array.copy()) for name, array in given.items()}
            arrays["z"] = Interface(np.full(k, np.nan))
            if how == "graph":
                program.graph(arrays).launch()
            else:
                workspace = room if how == "room" else None
                loaded.launch(arrays, workspace=workspace, stream=Stream().handle)
            np.testing.assert_allclose(arrays["y"].get(), y, rtol=1e-13)
            np.testing.assert_allclose(arrays["z"].get(), z, rtol=1e-13)
    with installed(fake_device.make_cupy()) as cupy:
        given = draw_open(5, 3)
        found = program({name: cupy.ndarray(array) for name, array in given.items()})["z"]
        t = given["A"] @ given["B"]
        np.testing.assert_allclose(found.get(), (t * given["x"]).sum(0), rtol=1e-13)
    arrays = {name: Interface(array) for name, array in draw_open(5, 3).items()}
    arrays["z"] = Interface(np.ones(3))
    with pytest.raises(ValueError, match="'B' has extent 4 along index 'k', but .* 'z' has 3|'x'"):
        program({**arrays, "B": Interface(np.ones((7, 4)))})
    with pytest.raises(ValueError, match="the workspace has 8 bytes, but the program needs 512"):
        program(arrays, workspace=Interface(np.zeros(8, np.uint8)))
    with pytest.raises(ValueError, match="the extent of index 'k' is 0, but must be at least 1"):
        program.workspace_bytes_for(i=1, k=0)


@pytest.mark.parametrize("dtype", ("f64", "c64"))
def test_steps_of_any_extents(dtype):
    """Permutations, sums over one tensor, sums that blocks share, complex numbers, and
    results that are copied from another one."""
    program = tc.compile_program(
        f"""
        type = {dtype}, i = ?20000, j = ?12, k = ?7
        T[k,i] = 2 * A[i,k]
        G[j,k] = A[i,k] * B[i,j]
        H[j,k] = A[i,k] * B[i,j]
        s[] = T[k,i]
        U[j,k] = G[j,k] + 0.5 * H[j,k]
        output G, H, s, U, T
        """,
        target="sm_90",
    )
    description = json.loads(program.package)
    steps = description["programs"][0]["steps"]
    assert any("copy" in step for step in steps)
    assert any("workspace" in step for step in steps)
    for i, j, k in ((1, 1, 1), (31, 17, 5), (64, 12, 7), (200, 1, 3)):
        rng = np.random.default_rng([i, j, k])
        a, b = rng.random((i, k)), rng.random((i, j))
        if dtype == "c64":
            a, b = a + 1j * rng.random(a.shape), b - 1j * rng.random(b.shape)
        g = b.T @ a
        wanted = {"G": g, "H": g, "s": 2 * a.sum(), "U": 1.5 * g, "T": 2 * a.T}
        given = {name: Interface(np.full(np.shape(array), np.nan, a.dtype)) for name, array in wanted.items()}
        program({"A": Interface(a), "B": Interface(b), **given})
        for name, array in wanted.items():
            np.testing.assert_allclose(given[name].get(), array, rtol=1e-12, err_msg=name)


def test_tool_takes_extents_of_programs(tmp_path):
    program = tc.compile_program(OPEN, target="sm_80")
    program.save(tmp_path / "open.json")

    def launch(*arguments):
        return subprocess.run(
            [pathlib.Path(os.environ["TC_TOOLS"], "tc-launch"), tmp_path / "open.json", *arguments],
            capture_output=True, text=True,
            env=dict(os.environ, LD_LIBRARY_PATH=os.environ["TC_FAKE_CUDA"]),
        )  # fmt: skip

    done = launch("--check", "--seed=1", "--extents=i=31,k=17")
    assert done.returncode == 0, done.stderr
    assert "extents      i=31 j=7 k=17" in done.stdout and "extents      i=31 k=17" in done.stdout
    assert done.stdout.count("check        passed") == done.stdout.count("\nkernel ")
    for extents, message in (
        ("i=31", "extent of index 'k' is missing"),
        ("i=31,k=17,j=7", "program program takes no extent 'j'"),
        ("i=31,k=0", "the extent of index 'k' is 0, but must be at least 1"),
    ):
        refused = launch("--validate", f"--extents={extents}")
        assert refused.returncode == 1 and f"--extents: {message}" in refused.stderr


def test_random_extents_of_launches():
    """Small integers, each program with shapes that divide no tile and some that do."""
    for number in map(numbered, range(5)):
        drawn = shaped_programs.Program(random.Random(f"launches/{number}"))
        program = tc.compile_program(drawn.text(), target="sm_80")
        rng = random.Random(number)
        for shape in range(3):
            extents = {
                label: drawn.known.get(label, rng.choice((1, 2, 3, 5, 7, 8, 11)))
                for label in shaped_programs.LABELS
            }
            dtype = shaped_programs.TYPES[drawn.type]
            generator = np.random.default_rng([number, shape])
            arrays = {
                name: generator.integers(-2, 3, [extents[x] for x in labels]).astype(dtype)
                for name, labels in drawn.tensors.items()
            }
            given = {name: Interface(arrays[name].copy()) for name in program.parameters}
            sizes = {name: np.abs(array).astype(np.float64) for name, array in arrays.items()}
            drawn.compute(extents, arrays, dtype)
            drawn.compute(extents, sizes, np.float64, abs)
            program(given)
            for name in program.results:
                found, wanted = given[name].get(), arrays[name]
                if drawn.type[0] == "f":
                    bound = 100 * np.finfo(dtype).eps * sizes[name]
                    assert (np.abs(found - wanted) <= bound).all(), (name, extents, drawn.text())
                else:
                    assert (found == wanted).all(), (name, extents, drawn.text())


def test_text_and_pickles(program, on_device):
    """A process that loads a pickle compiles it."""
    for each in (program, on_device):
        what = (
            "<tc.Program of A float64[20, 30], B float64[30, 25], C float64[25, 10], "
            f"D float64[20, 15], E float64[10, 15] for '{each.target}' that computes "
            "D float64[20, 15]>"
        )
        loaded = pickle.loads(pickle.dumps(each))
        assert repr(each) == repr(loaded) == what
        assert loaded.workspace_bytes == each.workspace_bytes and not loaded.extents
    assert repr(tc.compile_program(OPEN)) == (
        "<tc.Program of A float64[i, 7], B float64[7, k], y float64[i], x float64[k] for 'cpu' "
        "that computes y float64[i], z float64[k]>"
    )
    given = draw()
    wanted = expected(given)
    close(pickle.loads(pickle.dumps(program))(**given), wanted)


def test_device(on_device):
    given = draw(4)
    arrays = {name: Interface(array.copy()) for name, array in given.items()}
    assert on_device(arrays) is arrays["D"]
    close(arrays["D"].get(), expected(given))
    # Saved and loaded, with memory that is given.
    description = json.loads(on_device.package)
    package = tc.Package.from_text(json.dumps(description), on_device.ptx.encode())
    (loaded,) = package.programs.values()
    given = draw(5)
    arrays = {name: Interface(array.copy()) for name, array in given.items()}
    room = Interface(np.full(loaded.workspace_bytes, 255, np.uint8))
    loaded.launch(arrays, workspace=room, stream=Stream().handle)
    close(arrays["D"].get(), expected(given))


FILLS = """
func.func @f(%A: tensor<30x40xf32>, %B: tensor<40x50xf32>, %x: tensor<50xf32>)
    -> (tensor<30xf32>, tensor<30x50xf32>, tensor<7xi32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<30x50xf32>
  %t0 = linalg.fill ins(%two : f32) outs(%e : tensor<30x50xf32>) -> tensor<30x50xf32>
  %t = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<30x40xf32>, tensor<40x50xf32>)
    outs(%t0 : tensor<30x50xf32>) beta(%one : f32) -> tensor<30x50xf32>
  %d = tensor.empty() : tensor<30xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%d : tensor<30xf32>) -> tensor<30xf32>
  %y = tc.contract [i, k], [k] -> [i] ins(%t, %x : tensor<30x50xf32>, tensor<50xf32>)
    outs(%y0 : tensor<30xf32>) beta(%one : f32) -> tensor<30xf32>
  %c = arith.constant dense<-3> : tensor<7xi32>
  return %y, %t, %c : tensor<30xf32>, tensor<30x50xf32>, tensor<7xi32>
}
"""


def test_fills_on_device(tmp_path):
    """Zeros are set, other numbers copied; in graphs, too."""
    (tmp_path / "fills.mlir").write_text(FILLS)
    subprocess.run(
        [
            pathlib.Path(os.environ["TC_TOOLS"], "tc-run"), tmp_path / "fills.mlir", "--chip=sm_80",
            "--ptxas=0", f"--save-package={tmp_path}/fills.json",
        ],
        check=True,
    )  # fmt: skip
    (program,) = tc.load_package(tmp_path / "fills.json").programs.values()
    rng = np.random.default_rng(14)
    a, b, x = (rng.random(s, np.float32) for s in ((30, 40), (40, 50), (50,)))
    t = a.astype(float) @ b + 2
    shapes = {"result0": (30,), "result1": (30, 50), "result2": (7,)}

    def draw_all():
        outs = {
            name: Interface(np.full(shape, 77, np.int32 if name == "result2" else np.float32))
            for name, shape in shapes.items()
        }
        return {"arg0": Interface(a), "arg1": Interface(b), "arg2": Interface(x), **outs}

    for how in ("run", "graph"):
        arrays = draw_all()
        if how == "run":
            program.launch(arrays, stream=Stream().handle)
        else:
            program.graph(arrays).launch(stream=Stream().handle)
        np.testing.assert_allclose(arrays["result1"].get(), t, rtol=1e-5)
        np.testing.assert_allclose(arrays["result0"].get(), t @ x, rtol=1e-5)
        assert (arrays["result2"].get() == -3).all()


def test_new_results_on_device():
    program = tc.compile_program("i = 8, j = 8\nC[i] = A[i,j] * x[j]\nD[i] = C[i] * y[]",
                                 target="sm_80")
    with installed(fake_device.make_cupy()) as cupy:
        a, x, y = np.ones((8, 8)), np.arange(8.0), np.array(2.0)
        result = program(A=cupy.ndarray(a), x=cupy.ndarray(x), y=cupy.ndarray(y))
        assert (result.get() == 56).all()


def test_graph(on_device):
    given = draw(6)
    arrays = {name: Interface(array.copy()) for name, array in given.items()}
    graph = on_device.graph(arrays)
    # Nothing has run yet.
    assert (arrays["D"].get() == given["D"]).all()
    wanted = expected(given)
    assert graph.launch() is arrays["D"]
    close(arrays["D"].get(), wanted)
    graph.launch(stream=Stream().handle)
    close(arrays["D"].get(), 2 * wanted - given["D"])


def test_errors(program, on_device):
    given = draw()
    with pytest.raises(ValueError, match="tensor 'C' is not given, and is read"):
        program({name: array for name, array in given.items() if name != "C"})
    with pytest.raises(ValueError, match="no tensor 'F': those are A, B, C, D, E"):
        program(given, F=given["A"])
    with pytest.raises(TypeError, match="tensor 'A' is given twice"):
        program(given, A=given["A"])
    with pytest.raises(ValueError, match="tensor 'A' has shape"):
        program({**given, "A": given["B"]})
    with pytest.raises(ValueError, match="tensor 'A' has dtype float32"):
        program({**given, "A": given["A"].astype(np.float32)})
    both = np.zeros((20, 30))
    with pytest.raises(ValueError, match="result 'D' overlaps tensor 'A'"):
        program({**given, "A": both, "D": both.reshape(-1)[:300].reshape(20, 15)})
    fixed = given["D"].copy()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="tensor 'D' is not writable"):
        program({**given, "D": fixed})
    with pytest.raises(ValueError, match="the workspace has 8 bytes, but the program needs"):
        program(given, workspace=np.zeros(8, np.uint8))
    with pytest.raises(TypeError, match="lies in the host's memory, but the code is for sm_80"):
        on_device(given)
    with pytest.raises(TypeError, match="tensor 'A' lies on a device"):
        program({**given, "A": Interface(given["A"])})
    with pytest.raises(ValueError, match="text:1:1: error: .* is defined twice|factor"):
        tc.compile_program("i = 2\nA[i] = A[i] * B[i]")
    with pytest.raises(ValueError, match="notation 'fortran' is none of tensors and octopi"):
        tc.compile_program(TEXT, notation="fortran")
    with pytest.raises(ValueError, match=r"^the text has '\\ud800', which is no character$"):
        tc.compile_program("i = 2\nT[i] = A\ud800[i]")
    with pytest.raises(TypeError, match="^the text is b'i = 2', which is no str$"):
        tc.compile_program(b"i = 2")
    with pytest.raises(tc.UnsupportedError, match="cannot be run: nothing is multiplied$"):
        tc.compile_program("i = 2, j = 0\nT[i] = A[i,j] * B[j]", target="sm_90")
    with pytest.raises(tc.UnsupportedError, match="cannot be run"):
        tc.compile_program("i = 0, j = 2\nT[j] = A[i,j]\nS[j] = T[j] * B[j]")


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_object_file(program, tmp_path):
    """One function in an object file, which C calls."""
    (tmp_path / "program.o").write_bytes(program.object)
    (tmp_path / "program.h").write_text(program.header)
    assert "#define PROGRAM_RUN_WORKSPACE_BYTES " in program.header
    (tmp_path / "main.c").write_text("""
#include "program.h"
#include <stdio.h>
#include <stdlib.h>
static double *load(size_t count) {
  double *values = malloc(count * sizeof(double));
  if (fread(values, sizeof(double), count, stdin) != count) abort();
  return values;
}
int main(void) {
  double *a = load(600), *b = load(750), *c = load(250), *d = load(300), *e = load(150);
  void *workspace = aligned_alloc(256, (PROGRAM_RUN_WORKSPACE_BYTES + 255) / 256 * 256);
  if (program_run(a, b, c, d, e, workspace) != TC_CONTRACTION_SUCCESS) return 1;
  return fwrite(d, sizeof(double), 300, stdout) != 300;
}
""")
    subprocess.run(
        ["cc", "-Wall", "-Wextra", "-Werror", "main.c", "program.o", "-lm", "-o", "main"],
        cwd=tmp_path, check=True,
    )
    given = draw(7)
    done = subprocess.run(
        [tmp_path / "main"], input=b"".join(given[name].tobytes() for name in "ABCDE"),
        capture_output=True, check=True,
    )
    close(np.frombuffer(done.stdout).reshape(20, 15), expected(given))
    assert re.search(r"\bint program_run\(const double \*A,", program.header)
