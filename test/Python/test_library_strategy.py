# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code that calls ahead-of-time kernels where elements are read once."""

import numpy as np
import pytest

import tc

TYPES = ["float32", "float64", "complex64", "complex128", "int8", "int32", "float16"]

# Extents of one, primes, and what tiles and vectors divide or do not.
CASES = [
    ("i,i->", {"i": 1}),
    ("i,i->", {"i": 100003}),
    ("i->", {"i": 4096}),
    ("ij,ij->i", {"i": 1009, "j": 13}),
    ("ji,ji->i", {"i": 1024, "j": 16}),
    ("ij,ij->", {"i": 97, "j": 101}),
    ("ij,ji->", {"i": 64, "j": 129}),
    ("ij,j->i", {"i": 1, "j": 1031}),
    ("ij,i->j", {"i": 509, "j": 1}),
    ("ijk,ikj->", {"i": 17, "j": 31, "k": 29}),
    ("ijk,ijk->j", {"i": 19, "j": 32, "k": 23}),
    ("aN,aN->N", {"a": 3, "N": 2003}),
    ("Na,Na->N", {"a": 3, "N": 2048}),
    ("ikN,kjN->ijN", {"N": 211, "i": 3, "j": 4, "k": 5}),
    ("ij,jk->ik", {"i": 331, "j": 67, "k": 2}),
    ("ij->ji", {"i": 65, "j": 131}),
    ("ij,ij->ij", {"i": 71, "j": 64}),
]


def draw(random, shape, dtype, step=1):
    """Every `step`-th of such numbers along the last index."""
    shape = tuple(shape)
    if shape:
        shape = (*shape[:-1], shape[-1] * step)
    dtype = np.dtype(dtype)
    if dtype.kind == "i":
        numbers = random.integers(-9, 10, shape).astype(dtype)
    else:
        numbers = random.standard_normal(shape)
        if dtype.kind == "c":
            numbers = numbers + 1j * random.standard_normal(shape)
        numbers = numbers.astype(dtype)
    return numbers[..., ::step] if shape else numbers


def check(expression, arrays, result):
    """Compares a result with the definition in long double, or in integers."""
    common = np.result_type(*arrays)
    exact = {"i": np.int64, "f": np.longdouble, "c": np.clongdouble}[common.kind]
    wide = [array.astype(exact) for array in arrays]
    expected = np.einsum(expression, *wide)
    if common.kind == "i":
        assert np.array_equal(result, expected.astype(result.dtype))
        return
    sizes = np.einsum(expression, *(np.abs(array) for array in wide))
    epsilon = np.finfo(result.dtype).eps + 8 * np.finfo(np.result_type(common, np.float32)).eps
    assert np.all(np.abs(result - expected) <= epsilon * (1 + sizes))


def arrays_of(random, expression, extents, dtypes, step=1):
    inputs = expression.split("->")[0].split(",")
    return [
        draw(random, (extents[label] for label in labels), dtype, step)
        for labels, dtype in zip(inputs, dtypes)
    ]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("expression", "extents"), CASES)
def test_compiled_code_agrees_with_the_definition(expression, extents, dtype):
    random = np.random.default_rng(len(expression) + sum(extents.values()))
    for step in (1, 2):
        arrays = arrays_of(random, expression, extents, (dtype, dtype), step)
        check(expression, arrays, tc.einsum(expression, *arrays, specialize="always", threads=1))


@pytest.mark.parametrize(
    "dtypes",
    [("float32", "float64"), ("float16", "float32"), ("complex128", "float64"), ("int8", "int32")],
)
@pytest.mark.parametrize("expression", ["i,i->", "ij,ij->j", "ij,j->i", "ikN,kjN->ijN"])
def test_types_may_differ(expression, dtypes):
    random = np.random.default_rng(3)
    extents = {"i": 37, "j": 41, "k": 5, "N": 103}
    arrays = arrays_of(random, expression, extents, dtypes)
    check(expression, arrays, tc.einsum(expression, *arrays, specialize="always"))


def test_bits_do_not_depend_on_threads():
    random = np.random.default_rng(4)
    arrays = arrays_of(random, "ij,ij->i", {"i": 7, "j": 300007}, ("complex128", "complex128"))
    one, three = (
        tc.einsum("ij,ij->i", *arrays, specialize="always", threads=threads) for threads in (1, 3)
    )
    assert np.array_equal(one, three)


def compile_dot(**options):
    shapes = [(100003,)] * 2
    return tc.compile("i,i->", shapes, "complex128", specialize="always", threads=1, **options)


def test_elements_that_are_read_once_are_the_librarys():
    assert "strategy     library" in compile_dot().explain()
    assert "strategy     library" not in compile_dot(library_calls="never").explain()
    product = tc.compile("ij,jk->ik", [(300, 300)] * 2, specialize="always", threads=1)
    assert "strategy     library" not in product.explain()


def test_object_files_call_it_only_if_they_may():
    name = b"tcCpuContract"
    kernel = compile_dot()
    assert name not in kernel.object
    assert "-ltc_cpu_runtime" not in kernel.header
    kernel = compile_dot(library_calls="always")
    assert name in kernel.object
    assert "-ltc_cpu_runtime" in kernel.header


TEXT = """
    i = 300, j = 301, k = 302
    T[j] = A[i,j] * x[i]
    y[k] = B[k,j] * T[j]
"""


def test_steps_of_programs_call_it():
    name = b"tcCpuContract"
    assert name not in tc.compile_program(TEXT, threads=1).object
    program = tc.compile_program(TEXT, threads=1, library_calls="always")
    random = np.random.default_rng(5)
    a, b, x = (random.standard_normal(shape) for shape in ((300, 301), (302, 301), 300))
    y = program(A=a, B=b, x=x)
    assert np.allclose(y, b @ (a.T @ x))


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_products_of_many_tensors(dtype):
    random = np.random.default_rng(6)
    expression = "ij,ij,jk,k->i"
    extents = {"i": 53, "j": 64, "k": 59}
    arrays = arrays_of(random, expression, extents, (dtype,) * 4)
    result = tc.einsum(expression, *arrays, specialize="always")
    expected = np.einsum(expression, *(array.astype("complex128") for array in arrays))
    assert np.allclose(result, expected, rtol=1e-3)
