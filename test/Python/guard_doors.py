# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that are drawn at random (guard_cases), by all doors of the package that compute on the host.
`run_case` says what is wrong; touching a page that nothing may touch kills the process."""

import itertools
import math

import numpy as np
import tc

import guarded_memory
from foreign_tensor import Foreign
from guard_cases import SEMIRINGS, Case, Wrong, check, check_memory, define, describe, draw_product, refuse, widened

# One dtype for all operands, or two that go together.
DTYPES = ("float64", "float64", "float32", "complex128", "complex64", "int64", "int32", "int16", "int8",
          "uint8", "uint32", "float16", "bool", "float32 float64", "int8 int32", "float64 complex128",
          "int16 float32", "uint8 int64")
WIDE = ("float64", "float32", "complex128", "complex64", "int64", "int32")


def as_lists(subscripts, operands):
    """The arguments of einsum's other form."""
    terms, _, result = subscripts.partition("->")

    def spell(term):
        head, dots, tail = term.partition("...")
        return [*map(ord, head), *([Ellipsis] if dots else []), *map(ord, tail)]

    arguments = [x for pair in zip(operands, map(spell, terms.split(","))) for x in pair]
    numbers = {x: i for i, x in enumerate(sorted({n for a in arguments[1::2] for n in a if n is not ...}))}

    def number(axes):
        return [x if x is ... else numbers[x] for x in axes]

    arguments[1::2] = map(number, arguments[1::2])
    return [*arguments, number(spell(result))]


def draw_options(case, dtypes, count):
    """Draws options of einsum."""
    options = {}
    if case.has(0.3):
        options["threads"] = case.rng.randint(1, 3)
    if case.has(0.3):
        options["specialize"] = "never"
    elif case.has(0.02):
        options["specialize"] = "always"
    if case.has(0.15):
        options["order"] = case.rng.choice("CFAK")
    if count > 2 and case.has(0.3):
        options["optimize"] = case.rng.choice((False, "greedy", True, ("greedy", 100), None))
    if count > 2 and case.has(0.15) and options.get("optimize", True) is True:
        options["memory_limit"] = case.rng.choice((0, 1000, 100000))
    if count <= 2 and len(dtypes) == 1 and dtypes[0].startswith("complex") and case.has(0.3):
        options["conjugate_a"] = True
    return options


def draw_factors(case, dtypes):
    """alpha, and beta if there is an out."""
    numbers = (2, -1, 3) if dtypes[0][0] in "iu" else (2, -1, 0.5, 1)
    alpha = case.rng.choice(numbers) if case.has(0.25) else None
    beta = case.rng.choice((*numbers, 0, 1)) if case.has(0.5) else None
    return alpha, beta


def run_einsum(case):
    count = case.rng.choice((1, 2, 2, 3, 3, 3, 4, 5))
    subscripts, shapes = draw_product(case, count)
    dtypes = case.rng.choice(DTYPES if case.has(0.5) else WIDE).split()
    operands = [case.place(shape, case.rng.choice(dtypes)) for shape in shapes]
    options = draw_options(case, dtypes, count)
    semiring = "plus_times"
    if dtypes[0] in ("float64", "float32", "int32") and len(dtypes) == 1 and case.has(0.1):
        semiring = options["semiring"] = case.rng.choice(list(SEMIRINGS))
    has_zeros = any(0 in shape for shape in shapes)
    if semiring != "plus_times" and (has_zeros or options.get("memory_limit") is not None):
        # There is no least number of none.
        semiring = "plus_times"
        del options["semiring"]
    alpha, beta = (None, None) if semiring != "plus_times" else draw_factors(case, dtypes)
    if "bool" in dtypes:
        alpha = beta = None
    wide = [widened(x) for x in operands]
    if options.get("conjugate_a"):
        wide[0] = wide[0].conj()
    expected = define(subscripts, wide, semiring)
    common = np.result_type(*dtypes)
    if common == bool:
        expected = expected != 0
    out = None
    if case.has(0.6):
        its = common if case.has(0.8) else np.result_type(common, case.rng.choice(("float64", common)))
        out = case.place(expected.shape, its, repeats=False)
        if its != common and common.kind in "biu":
            # Sums are of that dtype then.
            options["casting"] = "same_kind"
    else:
        beta = None
    for key, factor in (("alpha", alpha), ("beta", beta)):
        if factor is not None:
            options[key] = factor
    case.say("einsum", subscripts, [describe(x) for x in operands], options,
             "out " + describe(out) if out else "")
    for _ in range(2):
        compute_einsum(case, subscripts, operands, out, options, semiring, common)
        # Operands that look alike are found again.
        operands = [case.again(x) for x in operands]
        out = out and case.again(out)


def compute_einsum(case, subscripts, operands, out, options, semiring, common):
    wide = [widened(x) for x in operands]
    if options.get("conjugate_a"):
        wide[0] = wide[0].conj()
    expected = define(subscripts, wide, semiring)
    if common == bool and (out is None or out.array.dtype == bool):
        expected = expected != 0
    if options.get("alpha") is not None:
        expected = expected * options["alpha"]
    if options.get("beta") is not None:
        expected = expected + options["beta"] * widened(out)
    arrays = [x.array for x in operands]
    arguments = as_lists(subscripts, arrays) if case.has(0.3) else [subscripts, *arrays]
    given = dict(options, out=out.array) if out else options
    try:
        found = tc.einsum(*arguments, **given)
    except (tc.UnsupportedError, TypeError, MemoryError) as error:
        case.say(f"{type(error).__name__}: {error}")
        check_memory("einsum, refused", [*operands, *([out] if out else [])])
        return
    if out is not None and found is not out.array:
        raise Wrong("einsum returns something else than out")
    check(case, "einsum", found, expected, operands, out)


def run_wrong_out(case):
    """Outputs that are to be refused: of another shape, or overlapping themselves."""
    count = case.rng.choice((1, 2, 3, 4))
    subscripts, shapes = draw_product(case, count)
    dtypes = case.rng.choice(DTYPES).split()
    operands = [case.place(shape, case.rng.choice(dtypes)) for shape in shapes]
    shape = define(subscripts, [widened(x) for x in operands]).shape
    strides = None
    large = [axis for axis, extent in enumerate(shape) if extent > 1]
    its = np.dtype(case.rng.choice((str(np.result_type(*dtypes)), "float64", "int16")))
    if large and 0 not in shape and case.has(0.5):
        strides = list(case.draw_layout(shape, its.itemsize, False))
        axis = case.rng.choice(large)
        strides[axis] = case.rng.choice([0, *(strides[x] for x in large if x != axis)])
        strides = tuple(strides)
    else:
        wrong = list(shape)
        if wrong and case.has(0.6):
            wrong[case.rng.randrange(len(wrong))] += case.rng.choice((1, 2, 5))
        else:
            wrong.insert(case.rng.randint(0, len(wrong)), case.rng.choice((1, 2, 4)))
        shape = tuple(wrong)
    out = case.place(shape, its, repeats=False, strides=strides)
    options = draw_options(case, dtypes, count)
    if case.has(0.3):
        options["beta"] = 1
    if case.has(0.3):
        options["casting"] = "unsafe"
    case.say("wrong-out", subscripts, [describe(x) for x in operands], options, describe(out))
    arrays = [x.array for x in operands]
    refuse(case, "einsum into a wrong out", lambda: tc.einsum(subscripts, *arrays, out=out.array, **options),
           case.guarded, (ValueError, TypeError, tc.UnsupportedError))


def run_tensordot(case):
    common = [case.rng.choice((1, 2, 3, 5)) for _ in range(case.rng.randint(0, 2))]
    dtype = case.rng.choice(WIDE)
    shapes = [[case.rng.choice((1, 2, 4, 7)) for _ in range(case.rng.randint(0, 2))] for _ in "ab"]
    a = case.place((*shapes[0], *common), dtype)
    b = case.place((*common, *shapes[1]), dtype)
    case.say("tensordot", describe(a), describe(b), len(common))
    expected = np.tensordot(widened(a), widened(b), len(common))
    found = tc.tensordot(a.array, b.array, len(common))
    check(case, "tensordot", found, np.asarray(expected), case.guarded)


def run_kernel(case):
    """Calls kernels of tc.compile, of one shape or of any, and with arrays of other shapes."""
    count = case.rng.choice((1, 2, 2))
    subscripts, shapes = draw_product(case, count)
    dtype = case.rng.choice(WIDE)
    operands = [case.place(shape, dtype, is_plain=True) for shape in shapes]
    expected = define(subscripts, [widened(x) for x in operands])
    out = case.place(expected.shape, dtype, repeats=False, is_plain=True)
    is_any = case.has(0.3)
    options = {"dynamic_shapes": True} if is_any else {}
    epilogue = not is_any and dtype[0] == "f" and expected.ndim and "..." not in subscripts and case.has(0.3)
    auxiliaries = {}
    if epilogue:
        label = subscripts[-1]
        bias = case.place(expected.shape[-1:], dtype, is_plain=True)
        is_described = case.has(0.5)
        if not is_described:
            bias = case.place(expected.shape[-1:], dtype, is_plain=True, strides=(bias.array.itemsize,))
        options.update(epilogue=f"x + bias[{label}]", cache="off")
        if is_described:
            options["auxiliaries"] = {"bias": bias.array}
        auxiliaries = {"auxiliaries": {"bias": bias.array}}
        expected = expected + widened(bias)
    elif case.has(0.5):
        options["specialize"] = "never"
    elif not is_any:
        options["cache"] = "off"
    has_beta = not epilogue and case.has(0.4)
    if has_beta:
        options["beta"] = 2
        expected = expected + 2 * widened(out)
    case.say("kernel", subscripts, [describe(x) for x in operands], describe(out), options)
    strides = None if is_any else [*(x.array.strides for x in operands), out.array.strides]
    try:
        kernel = tc.compile(subscripts, shapes, dtype, strides=strides, **options)
    except tc.UnsupportedError as error:
        case.say(error)
        return
    arrays = [x.array for x in operands]
    others = [x for x in case.guarded if x is not out]
    kernel(*arrays, out=out.array, **auxiliaries)
    check(case, "kernel", out.array, expected, others, out)
    run_on_wrong_shapes(case, kernel, operands, out, auxiliaries, is_any)


def run_on_wrong_shapes(case, kernel, operands, out, auxiliaries, is_any):
    """The same with arrays that are smaller than what it was compiled for, of which native code reads
    nothing either."""
    wanted = [*operands, out]
    place = case.rng.randrange(len(wanted))
    shape = wanted[place].array.shape
    large = [axis for axis, extent in enumerate(shape) if extent > 1]
    if not large or is_any:
        return
    axis = case.rng.choice(large)
    smaller = (*shape[:axis], case.rng.choice((1, shape[axis] - 1)), *shape[axis + 1 :])
    strides = wanted[place].array.strides if case.has(0.5) else None
    wanted[place] = case.place(smaller, out.array.dtype, repeats=False, is_plain=True, strides=strides)
    *given, result = (x.array for x in wanted)
    # Arrays that were written are held as they are now.
    held = [x for x in case.guarded if x is not out]
    refuse(case, "kernel on smaller arrays", lambda: kernel(*given, out=result, **auxiliaries), held)
    a, b = (*given, None)[:2]
    more = auxiliaries.get("auxiliaries")
    refuse(case, "native kernel on smaller arrays",
           lambda: kernel._native.run(a, b, result, None, None, more), held)
    if more:
        less = {"bias": more["bias"][:-1]}
        if less["bias"].size:
            given = [x.array for x in operands]
            refuse(case, "kernel with a smaller auxiliary tensor",
                   lambda: kernel(*given, out=out.array, auxiliaries=less), held)


PROGRAMS = (
    ("R[i,l] = A[i,j] * B[j,k] * C[k,l]", "R", "ij,jk,kl->il", "ABC"),
    ("R[i] += A[i,j] * B[j,k] * C[k,l] * D[l]", "R", "ij,jk,kl,l->i", "ABCD"),
    ("R[i,l] += 2 * A[i,j] * B[j,l]", "R", "ij,jl->il", "AB"),
    ("T[i,k] = A[i,j] * B[j,k]\nR[i,l] += T[i,k] * C[k,l]", "R", "ij,jk,kl->il", "ABC"),
    ("R[j,i] = A[i,j]", "R", "ij->ji", "A"),
)


def run_program(case):
    """Calls programs of tc.compile_program, perhaps with extents that calls say."""
    text, result, subscripts, names = case.rng.choice(PROGRAMS)
    extents = {x: case.rng.choice((1, 2, 3, 5, 8)) for x in "ijkl"}
    is_open = case.has(0.4)
    element_type, dtype = case.rng.choice((("f64", "float64"), ("f32", "float32"), ("i32", "int32")))
    used = sorted(set(subscripts) & set("ijkl"))
    head = ", ".join(f"{x} = {'?' if is_open and case.has(0.6) else ''}{extents[x]}" for x in used)
    terms, _, output = subscripts.partition("->")
    shapes = {
        name: [extents[x] for x in term]
        for name, term in zip((*names, result), (*terms.split(","), output))
    }

    def place(shape):
        contiguous = np.empty(shape, dtype).strides
        return case.place(shape, dtype, is_plain=True, strides=contiguous)

    given = {name: place(shape) for name, shape in shapes.items()}
    case.say("program", head, repr(text), dtype)
    program = tc.compile_program(f"type = {element_type}, {head}\n{text}")
    expected = define(subscripts, [widened(given[x]) for x in names])
    if "2 *" in text:
        expected = 2 * expected
    if "+=" in text:
        expected = expected + widened(given[result])
    arrays = {name: x.array for name, x in given.items()}
    workspace = None
    if case.has(0.5):
        needed = program.workspace_bytes
        if needed is None:
            needed = program.workspace_bytes_for(**{x: extents[x] for x in program.extents})
        # Its address is a multiple of 64, and its end that of its pages.
        workspace = guarded_memory.Guarded((-(-needed // 64) * 64,), (1,), "uint8", False)
        case.guarded.append(workspace)
    others = [given[x] for x in names]
    program(arrays, workspace=workspace and workspace.array)
    check(case, "program", arrays[result], expected, others, given[result])
    large = [x for x in given if math.prod(shapes[x]) > 1]
    if not large:
        return
    name = case.rng.choice(large)
    smaller = place([1] * len(shapes[name]))
    wrong = dict(arrays, **{name: smaller.array})
    held = [*others, smaller]
    if program._native.extents:
        # Native code is told the extents, too.
        said = [extents[x] for x in program.extents]
        run = lambda: program._native.run([wrong[x] for x in program.parameters], None, said)
    else:
        refuse(case, "program on smaller arrays", lambda: program(wrong), held)
        run = lambda: program._native.run([wrong[x] for x in program.parameters], None)
    refuse(case, "native program on smaller arrays", run, held)


def run_dlpack(case):
    count = case.rng.choice((1, 2, 3))
    subscripts, shapes = draw_product(case, count)
    dtype = case.rng.choice(WIDE)
    operands = [case.place(shape, dtype, is_plain=True) for shape in shapes]
    expected = define(subscripts, [widened(x) for x in operands])
    out = case.place(expected.shape, dtype, repeats=False, is_plain=True)
    case.say("DLPack", subscripts, [describe(x) for x in operands], describe(out))
    tensors = [Foreign(x.array) for x in operands]
    check(case, "DLPack", tc.einsum(subscripts, *tensors), expected, operands)
    tc.einsum(subscripts, *tensors, out=Foreign(out.array))
    check(case, "DLPack", out.array, expected, operands, out)


def run_torch(case):
    """tc.torch, where PyTorch is installed."""
    try:
        import torch
        import tc.torch
    except ImportError:
        run_einsum(case)
        return
    count = case.rng.choice((1, 2, 3, 4))
    subscripts, shapes = draw_product(case, count)
    dtype = case.rng.choice(WIDE)
    operands = [case.place(shape, dtype, is_plain=True) for shape in shapes]
    case.say("tc.torch", subscripts, [describe(x) for x in operands])
    expected = define(subscripts, [widened(x) for x in operands])
    if any(min(x.array.strides, default=0) < 0 for x in operands):
        # PyTorch has no such tensors.
        return
    tensors = [torch.from_numpy(x.array) for x in operands]
    check(case, "tc.torch", tc.torch.einsum(subscripts, *tensors).numpy(), expected, operands)


DOORS = (
    *itertools.repeat(run_einsum, 9), run_wrong_out, run_wrong_out, run_tensordot, run_kernel, run_kernel,
    run_program, run_dlpack, run_torch,
)


def run_case(seed, number):
    """Runs one: what it was, and what is wrong, or None."""
    case = Case(seed, number)
    try:
        case.rng.choice(DOORS)(case)
        return case, None
    except Wrong as wrong:
        return case, str(wrong)
    except Exception as error:  # whatever it is, no call may end like this
        return case, f"{type(error).__name__}: {error}"
    finally:
        case.close()
