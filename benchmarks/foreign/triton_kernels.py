"""Compiles kernels with Triton for a GPU that need not be there.

    triton_kernels.py CASE FOLDER

CASE is a JSON object from scripts/foreign_kernels.py; PTX, description and
arrays go into the folder. The algorithms are the usual ones: a product by blocks
with a swizzled order of blocks, a softmax of rows, attention with running maxima
and sums.
"""

import json
import pathlib
import sys

import numpy
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def matmul(a, b, c, m, n, k, stride_a, stride_b, stride_c,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
           GROUP: tl.constexpr):
    blocks_m, blocks_n = tl.cdiv(m, BLOCK_M), tl.cdiv(n, BLOCK_N)
    block = tl.program_id(0)
    first = block // (GROUP * blocks_n) * GROUP
    rows = min(blocks_m - first, GROUP)
    inside = block % (GROUP * blocks_n)
    i = (first + inside % rows) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = inside // rows * BLOCK_N + tl.arange(0, BLOCK_N)
    l = tl.arange(0, BLOCK_K)
    a_tile = a + (i % m)[:, None] * stride_a + l[None, :]
    b_tile = b + l[:, None] * stride_b + (j % n)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BLOCK_K)):
        left = k - step * BLOCK_K
        x = tl.load(a_tile, mask=l[None, :] < left, other=0.0)
        y = tl.load(b_tile, mask=l[:, None] < left, other=0.0)
        total = tl.dot(x, y, total)
        a_tile += BLOCK_K
        b_tile += BLOCK_K * stride_b
    tl.store(c + i[:, None] * stride_c + j[None, :],
             total.to(c.dtype.element_ty),
             mask=(i[:, None] < m) & (j[None, :] < n))


@triton.jit
def softmax(x, y, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + j, mask=j < columns,
                     other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * stride + j, powers / tl.sum(powers, axis=0),
             mask=j < columns)


@triton.jit
def attention(q, k, v, out, scale, length,
              HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              CAUSAL: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * length * HEAD
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.arange(0, BLOCK_N)
    d = tl.arange(0, HEAD)
    rows = tl.load(q + head + i[:, None] * HEAD + d[None, :],
                   mask=i[:, None] < length, other=0.0)
    most = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    sums = tl.zeros((BLOCK_M,), dtype=tl.float32)
    total = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    end = length
    if CAUSAL:
        end = min(length, (tl.program_id(0) + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        columns = start + j
        inside = columns < length
        keys = tl.load(k + head + columns[None, :] * HEAD + d[:, None],
                       mask=inside[None, :], other=0.0)
        scores = tl.dot(rows, keys) * (scale * 1.44269504)
        seen = inside[None, :]
        if CAUSAL:
            seen = seen & (columns[None, :] <= i[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        new = tl.maximum(most, tl.max(scores, axis=1))
        powers = tl.exp2(scores - new[:, None])
        factor = tl.exp2(most - new)
        sums = sums * factor + tl.sum(powers, axis=1)
        values = tl.load(v + head + columns[:, None] * HEAD + d[None, :],
                         mask=inside[:, None], other=0.0)
        total = tl.dot(powers.to(v.dtype.element_ty), values,
                       total * factor[:, None])
        most = new
    tl.store(out + head + i[:, None] * HEAD + d[None, :],
             (total / sums[:, None]).to(out.dtype.element_ty),
             mask=i[:, None] < length)


def compile_kernel(kernel, types, constants, divisible, options, folder):
    """Writes the PTX; returns the facts of it that a launch needs."""
    signature = dict(zip(kernel.arg_names, types))
    signature.update({name: "constexpr" for name in constants})
    # Arguments that are multiples of 16, as Triton finds out at each launch.
    places = [i for i, text in enumerate(types) if text.startswith("*")]
    places += [kernel.arg_names.index(word) for word in divisible]
    source = ASTSource(kernel, signature, constants,
                       {(i,): [["tt.divisibility", 16]] for i in places})
    compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32),
                              options=options)
    (folder / "kernel.ptx").write_text(compiled.asm["ptx"])
    return compiled.metadata


def describe(folder, metadata, grid, buffers, scalars, check):
    arguments = [{"buffer": buffer["name"]} for buffer in buffers]
    arguments += [{"type": type_, "value": value} for type_, value in scalars]
    # Scratch memory of the kernel and of a profiler, which it does not use.
    arguments += [{"type": "u64", "value": 0}] * 2
    (folder / "kernel.json").write_text(json.dumps({
        "format": "tc-foreign-ptx", "version": 1, "name": metadata.name,
        "code": "kernel.ptx", "buffers": buffers,
        "launches": [{"entry": metadata.name, "grid": grid,
                      "block": [32 * metadata.num_warps, 1, 1],
                      "dynamic_shared_bytes": metadata.shared,
                      "arguments": arguments}],
        "checks": [check]}, indent=1))


def buffer_of(name, type_, extents, access="read", strides=None):
    buffer = {"name": name, "type": type_, "extents": extents, "access": access}
    if strides:
        buffer["strides"] = strides
    return buffer


def with_array(buffer, values, folder):
    numpy.save(folder / f"{buffer['name']}.npy", values.astype(numpy.float32))
    buffer["fill"] = {"file": f"{buffer['name']}.npy"}
    return buffer


def make_matmul(case, folder):
    m, n, k = case["sizes"]
    pad = case.get("pad", 0)
    tile = case["tile"]
    sizes = {"m": m, "n": n, "k": k, "stride_a": k + pad, "stride_b": n + pad,
             "stride_c": n + pad}
    metadata = compile_kernel(
        matmul, [f"*{TYPES[case['type']]}"] * 2 + [f"*{TYPES[case['output']]}"] +
        ["i32"] * 6,
        {"BLOCK_M": tile[0], "BLOCK_N": tile[1], "BLOCK_K": tile[2], "GROUP": 4},
        [name for name, size in sizes.items() if size % 16 == 0],
        case["options"], folder)
    blocks = -(-m // tile[0]) * -(-n // tile[1])
    contraction = {"einsum": "ik,kj->ij", "inputs": ["A", "B"]}
    if case["type"] == "f32":
        contraction["precision"] = "tf32"
    describe(folder, metadata, [blocks, 1, 1],
             [buffer_of("A", case["type"], [m, k], strides=[k + pad, 1]),
              buffer_of("B", case["type"], [k, n], strides=[n + pad, 1]),
              buffer_of("C", case["output"], [m, n], "write", [n + pad, 1])],
             [("s32", size) for size in sizes.values()],
             {"output": "C", "contraction": contraction})


def make_softmax(case, folder):
    rows, columns = case["sizes"]
    metadata = compile_kernel(
        softmax, ["*fp32", "*fp32", "i32", "i32"],
        {"BLOCK": triton.next_power_of_2(columns)},
        ["columns", "stride"] if columns % 16 == 0 else [], case["options"],
        folder)
    values = numpy.random.default_rng(1).standard_normal((rows, columns)) * 4
    values = values.astype(numpy.float32)
    powers = numpy.exp(values.astype(float) - values.max(axis=1)[:, None])
    numpy.save(folder / "expected.npy", powers / powers.sum(axis=1)[:, None])
    describe(folder, metadata, [rows, 1, 1],
             [with_array(buffer_of("x", "f32", [rows, columns]), values, folder),
              buffer_of("y", "f32", [rows, columns], "write")],
             [("s32", columns), ("s32", columns)],
             {"output": "y", "file": "expected.npy", "tolerance": 1e-6})


def make_attention(case, folder):
    heads, length, head = case["sizes"]
    tile = case["tile"]
    metadata = compile_kernel(
        attention, [f"*{TYPES[case['type']]}"] * 4 + ["fp32", "i32"],
        {"HEAD": head, "BLOCK_M": tile[0], "BLOCK_N": tile[1],
         "CAUSAL": int(case["causal"])},
        ["length"] if length % 16 == 0 else [], case["options"], folder)
    generator = numpy.random.default_rng(2)
    shape = (heads, length, head)
    q, k, v = (generator.integers(-256, 257, shape) / 128 for _ in range(3))
    scale = 0.125
    scores = numpy.einsum("hid,hjd->hij", q, k) * scale
    if case["causal"]:
        scores = numpy.where(numpy.tri(length, dtype=bool), scores, -numpy.inf)
    powers = numpy.exp(scores - scores.max(axis=2)[:, :, None])
    powers /= powers.sum(axis=2)[:, :, None]
    numpy.save(folder / "expected.npy", numpy.einsum("hij,hjd->hid", powers, v))
    inputs = [with_array(buffer_of(name, case["type"], list(shape)), values,
                         folder)
              for name, values in (("q", q), ("k", k), ("v", v))]
    describe(folder, metadata, [-(-length // tile[0]), heads, 1],
             inputs + [buffer_of("out", case["type"], list(shape), "write")],
             [("f32", scale), ("s32", length)],
             {"output": "out", "file": "expected.npy",
              "tolerance": {"f16": 1e-3, "bf16": 8e-3}[case["type"]]})


TYPES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f8e5m2": "fp8e5"}


def main():
    case, folder = json.loads(sys.argv[1]), pathlib.Path(sys.argv[2])
    {"matmul": make_matmul, "softmax": make_softmax,
     "attention": make_attention}[case["kernel"]](case, folder)


if __name__ == "__main__":
    main()
