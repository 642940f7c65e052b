"""The cases of benchmarks/suites/everyday.json: what is contracted, its arrays and its result.

A case is a dictionary of a line there with one type; its arrays are drawn from a seed
that follows from its name, so that each process draws the same.
"""

import json
import math
import os
import re
import zlib

import everyday_networks
import numpy as np

SUITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "suites",
                     "everyday.json")
TYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
         "c128": "complex128", "c64": "complex64", "i8": "int8", "i32": "int32", "i64": "int64"}
# Products up to which references are computed in long double, by loops.
LONG_DOUBLE = 1e7


def read(kinds, only="", types=()):
    """The cases of these kinds whose names match and whose types are among those."""
    with open(SUITE, encoding="utf-8") as file:
        suite = json.load(file)
    cases = []
    for kind in kinds:
        for line in suite[kind]:
            for dtype in line.get("types", "f64").split():
                case = {**line, "kind": kind, "type": dtype, "name": f"{line['id']}, {dtype}"}
                if re.search(only, case["name"]) and (not types or dtype in types):
                    cases.append(case)
    return cases


def extents_of(case):
    """Subscripts, and the extent of each index."""
    if "make" in case:
        return getattr(everyday_networks, case["make"])(**case["arguments"])
    spec = case["spec"]
    if case["sizes"].startswith("*"):
        labels = sorted(set(re.sub(r"[^A-Za-z]", "", spec)))
        return spec, dict.fromkeys(labels, int(case["sizes"][1:]))
    return spec, {part[0]: int(part[1:]) for part in case["sizes"].split()}


def terms_of(spec):
    inputs, output = spec.split("->")
    return inputs.split(","), output


def path_of(case, spec):
    """The path that the case gives, or None."""
    path = case.get("path")
    if path == "rows":
        return [(0, 1)] + [(0, left) for left in range(spec.count(",") - 1, 0, -1)]
    return path and [tuple(step) for step in path]


def numpy_type(name):
    if name == "bf16":
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(TYPES[name])


def draw(random, shape, dtype):
    """Standard normal numbers, or small integers."""
    if dtype.kind == "i":
        return random.integers(-5, 6, shape).astype(dtype)
    # Blocks of normal numbers repeat, as drawing takes longer than what is measured.
    size = math.prod(shape)
    numbers = random.standard_normal(min(size, 99991))
    if dtype.kind == "c":
        numbers = numbers + 1j * random.standard_normal(numbers.size)
    return np.resize(numbers.astype(dtype), shape)


def view(random, shape, dtype, how):
    """An array as a view: `step` of each axis, of which 0 repeats, `order` of the axes
    in memory, or at random both by a seed."""
    rank = len(shape)
    steps, order = [1] * rank, list(range(rank))
    for part in how.split():
        name, _, value = part.partition("=")
        if name == "random":
            dice = np.random.default_rng(int(value))
            order = [int(axis) for axis in dice.permutation(rank)]
            steps = [int(step) for step in dice.integers(1, 3, rank)]
        elif name == "order":
            order = [int(axis) for axis in value]
        else:
            steps = [int(step) for step in value.split(",")]
            steps += [1] * (rank - len(steps))
    whole = [shape[axis] * abs(steps[axis]) if steps[axis] else 1 for axis in order]
    array = draw(random, whole, dtype).transpose(np.argsort(order))
    array = array[tuple(slice(None, None, step or 1) for step in steps)]
    return np.broadcast_to(array, shape) if 0 in steps else array


def arrays_of(case, spec, extents):
    """The operands."""
    random = np.random.default_rng(zlib.crc32(case["id"].encode()))
    dtype = numpy_type(case["type"])
    terms, _ = terms_of(spec)
    views = case.get("views", []) + [""] * len(terms)
    arrays = []
    for term, how in zip(terms, views):
        shape = tuple(extents[label] for label in term)
        array = view(random, shape, dtype, how)
        if case["kind"] == "networks":
            # Results of hundreds of tensors stay in range.
            array = (array / math.prod(shape) ** 0.25).astype(dtype)
        arrays.append(array)
    return arrays


def products_of(extents):
    return math.prod(float(extent) for extent in extents.values())


def reference(case, spec, extents, arrays):
    """The result in wider numbers: long double where that is quick; integers wrap."""
    dtype = arrays[0].dtype
    long = (case["kind"] == "calls" and products_of(extents) <= LONG_DOUBLE
            and dtype.kind in "fc" and dtype.itemsize > 2)
    if dtype.kind == "i":
        wide = [array.astype(np.int64) for array in arrays]
    elif long:
        wide = [array.astype(np.clongdouble if dtype.kind == "c" else np.longdouble)
                for array in arrays]
    else:
        wide = [array.astype(np.complex128 if dtype.kind == "c" else np.float64)
                for array in arrays]
    if case["kind"] == "networks":
        import opt_einsum
        path = path_of(case, spec) or ("auto" if len(arrays) < 200 else "greedy")
        return np.asarray(opt_einsum.contract(spec, *wide, optimize=path))
    return np.asarray(np.einsum(spec, *wide, optimize=not long))


def error_of(result, expected, case):
    """Relative by norm, and for integers the fraction of those that differ."""
    result = np.asarray(result)
    if result.shape != expected.shape:
        return math.inf
    dtype = numpy_type(case["type"])
    if dtype.kind == "i":
        return float(np.mean(result.astype(dtype) != expected.astype(dtype)))
    if case["type"] in ("bf16", "f16"):
        result = result.astype(np.float64)
    wide = np.complex128 if dtype.kind == "c" else np.float64
    norm = np.linalg.norm(expected.ravel().astype(wide))
    difference = np.linalg.norm((result - expected).ravel().astype(wide))
    return float(difference / norm) if norm else float(difference)


def largest_error(case, spec, extents):
    """Beyond it, a result is called wrong: of sums one after the other, each of which is rounded."""
    if case["type"] in ("i8", "i32", "i64"):
        return 0.0
    epsilon = {"f64": 1.1e-16, "c128": 1.1e-16, "f32": 6e-8, "c64": 6e-8,
               "f16": 4.9e-4, "bf16": 3.9e-3}[case["type"]]
    terms, output = terms_of(spec)
    if case["kind"] == "networks":
        return 1e4 * epsilon
    summed = math.prod(float(extents[label]) for label in extents if label not in output)
    return 8 * epsilon * len(terms) * max(1.0, summed) ** 0.5
