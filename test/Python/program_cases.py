# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are drawn at random, which all ranks draw alike, and their check on ranks."""

import numpy as np

import tc.distributed as dist

import tensor_cases


def make_program(dtype, extents, steps, results):
    """The text of some statements, each a result, its indices, = or +=, and products, and a function that
    computes the results with NumPy and the sizes that rounding is measured by."""
    lines = []
    for name, result, sign, products in steps:
        spelled = " + ".join(
            f"{factor} * " + " * ".join(f"{x}[{','.join(y)}]" for x, y in factors)
            for factor, factors in products
        ).replace("+ -1 *", "- 1 *").replace("= -1 *", "= - 1 *")
        lines.append(f"{name}[{','.join(result)}] {sign} {spelled}")
    labels = {x for line in lines for x in "ijklm" if f"[{x}" in line or f",{x}" in line}
    head = f"type = {dtype}, " + ", ".join(f"{x} = {extents[x]}" for x in sorted(labels))

    def compute(arrays):
        there, sizes = dict(arrays), {x: abs(y) for x, y in arrays.items()}
        for name, result, sign, products in steps:
            total = there[name] if sign == "+=" else 0
            size = sizes[name] if sign == "+=" else 0
            for factor, factors in products:
                spec = ",".join("".join(y) for _, y in factors) + "->" + "".join(result)
                total = total + factor * np.einsum(spec, *(there[x] for x, _ in factors))
                size = size + abs(factor) * np.einsum(spec, *(sizes[x] for x, _ in factors))
            there[name], sizes[name] = np.asarray(total), np.asarray(size)
        return {x: there[x] for x in results}, {x: sizes[x] for x in results}

    return "\n".join([head, *lines, f"output {', '.join(results)}"]), compute


def adding_program(dtype):
    """A program that adds to a tensor of the caller's, and frees a temporary before; its argument's
    shapes."""
    extents = dict(i=5, j=7, k=4)
    left = ("A0", ["i", "j"])
    steps = [
        ("T0", ["i", "k"], "=", [(2, [left, ("A1", ["j", "k"])])]),
        ("T1", ["i"], "+=", [(3, [("T0", ["i", "k"]), ("A2", ["k"])]), (-1, [left, ("A3", ["j"])])]),
    ]
    text, compute = make_program(dtype, extents, steps, ["T1"])
    return text, dict(A0=(5, 7), A1=(7, 4), A2=(4,), A3=(7,), T1=(5,)), compute


def draw_program(rng, dtype="f64"):
    """The text of some statements, of which later ones read what earlier ones make, the shapes of its arguments,
    and a function that computes the results as that of `make_program` does."""
    extents = {x: rng.choice((1, 2, 3, 4, 5, 7)) for x in "ijklm"}
    shapes, made, steps = {}, [], []

    def draw_tensor(labels):
        """A tensor of these indices, an earlier one if there is one and chance has it."""
        fitting = [x for x in made if [extents[y] for y in labels] == x[1]]
        if fitting and rng.random() < 0.7:
            return rng.choice(fitting)[0]
        same = [x for x, shape in shapes.items() if shape == tuple(extents[y] for y in labels)]
        if same and rng.random() < 0.3:
            return rng.choice(same)
        name = f"A{len(shapes)}"
        shapes[name] = tuple(extents[x] for x in labels)
        return name

    def draw_product(result):
        count = rng.choice((1, 2, 2, 3, 4))
        lists = [rng.sample("ijklm", rng.randint(1, 3)) for _ in range(count)]
        for label in result:
            if not any(label in each for each in lists):
                rng.choice(lists).append(label)
        factor = rng.choice((1, 1, 2, -1, 3))
        return factor, [(draw_tensor(each), each) for each in lists]

    for number in range(rng.randint(2, 4)):
        result = rng.sample("ijklm", rng.randint(0, 2))
        name = f"T{number}"
        products = [draw_product(result) for _ in range(rng.choice((1, 1, 2)))]
        sign = "="
        if rng.random() < 0.2:
            # This tensor is given by the caller.
            shapes[name] = tuple(extents[x] for x in result)
            sign = "+="
        steps.append((name, result, sign, products))
        made.append((name, [extents[x] for x in result]))
    used = {x for _, _, _, products in steps for _, factors in products for x, y in factors}
    names = [name for name, _, _, _ in steps]
    results = [x for x in names if x not in used] or names[-1:]
    keep = rng.sample(names, rng.randint(0, len(names)))
    results = [x for x in names if x in results or x in keep]
    text, compute = make_program(dtype, extents, steps, results)
    return text, shapes, compute


def check_program(mesh, rng, number, program=None):
    """Computes a program on the mesh, one that is drawn or what `program` makes for a dtype, and compares with NumPy,
    and what is moved and held with the plan."""
    dtype, name = rng.choice((("float64", "f64"), ("float32", "f32"), ("complex128", "c64")))
    text, shapes, compute = program(name) if program else draw_program(rng, name)
    numbers = np.random.default_rng(number)
    arrays = {}
    for tensor, shape in shapes.items():
        array = numbers.uniform(-1, 1, shape)
        if dtype == "complex128":
            array = array + 1j * numbers.uniform(-1, 1, shape)
        arrays[tensor] = array.astype(dtype)
    grid = mesh.grid.shape
    given = {x: mesh.distribute(y, tensor_cases.draw_layout(rng, y.ndim, grid)) for x, y in arrays.items()}
    wide = np.dtype("complex128" if dtype == "complex128" else "float64")
    expected, sizes = compute({x: y.astype(wide) for x, y in arrays.items()})
    layouts = {
        x: tensor_cases.draw_layout(rng, np.ndim(y), grid) for x, y in expected.items() if rng.random() < 0.4
    }
    machine, ring = rng.choice(tensor_cases.MACHINES), rng.random() < 0.7
    what = f"{text}\non {grid}, {layouts}, {machine}, ring {ring}"
    plan = dist.plan_program(text, given, layouts=layouts, machine=machine, ring=ring)
    if rng.random() < 0.3:
        # With little more than the arguments, so that the fastest way does not fit.
        try:
            machine = machine._replace(memory=plan.peak - 1)
            plan = dist.plan_program(text, given, layouts=layouts, machine=machine, ring=ring)
            assert plan.peak <= machine.memory, what
        except MemoryError:
            machine = dist.Machine()
            plan = dist.plan_program(text, given, layouts=layouts, machine=machine, ring=ring)
    before, info = mesh.ranks.sent, {}
    found = dist.contract_program(
        text, given, layouts=layouts, machine=machine, ring=ring, plan=plan, info=info
    )
    moved = mesh.ranks.sent - before
    assert moved == plan.sent[mesh.ranks.rank] * np.dtype(dtype).itemsize, (what, moved, str(plan))
    assert info["bytes"] <= plan.peak, (what, info["bytes"], str(plan))
    if len(expected) == 1:
        found = dict.fromkeys(expected, found)
    limit = 100 * np.finfo(dtype).eps
    for x, tensor in found.items():
        assert x not in layouts or list(tensor.layout) == list(layouts[x]), what
        assert tensor.layout == plan.layouts[x], what
        whole = tensor.gather()
        assert whole.shape == expected[x].shape, what
        assert (abs(whole - expected[x]) <= limit * sizes[x] + 1e-300).all(), (what, x, str(plan))
    for x, tensor in given.items():
        # Arguments stay as they are.
        part = tuple(slice(*bounds) for bounds in tensor.box)
        assert np.array_equal(tensor.block, arrays[x][part]), what
    return str(plan)
