# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product of arrays of dask, block by block, by threads and by processes.

Each task contracts blocks that belong together, by code that tc compiles for their shapes, on one
core: dask has the others busy. The results of blocks along summed indices are added up by dask.

    python examples/dask_einsum.py [SIZE]
"""

import functools
import sys

import dask.array as da
import numpy as np
import tc


def contract_blocks(*blocks, subscripts, summed):
    """The product of some blocks, with an axis of one element for each summed index."""
    product = tc.einsum(subscripts, *blocks, threads=1)
    return product.reshape(product.shape + (1,) * summed)


def einsum(subscripts, *operands):
    """numpy.einsum of arrays of dask, with letters and `->`."""
    inputs, result = subscripts.split("->")
    inputs = inputs.split(",")
    summed = sorted(set("".join(inputs)) - set(result))
    dtype = np.result_type(*operands)
    products = da.blockwise(
        functools.partial(contract_blocks, subscripts=subscripts, summed=len(summed)),
        [*result, *summed],
        *(x for pair in zip(operands, inputs) for x in pair),
        adjust_chunks=dict.fromkeys(summed, 1),
        dtype=dtype,
        meta=np.empty((0,) * (len(result) + len(summed)), dtype),
    )
    axes = tuple(range(len(result), products.ndim))
    return products.sum(axis=axes, dtype=dtype) if summed else products


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 240
    random = np.random.default_rng(1)
    a = random.standard_normal((6, size, size + 1))
    b = random.standard_normal((size + 1, size - 1, 6))
    expected = np.einsum("bik,kjb->bij", a, b, optimize=True)
    # Blocks need not divide their arrays.
    blocks = size // 3 + 2
    product = einsum(
        "bik,kjb->bij",
        da.from_array(a, chunks=(2, blocks, blocks)),
        da.from_array(b, chunks=(blocks, blocks, 3)),
    )
    for scheduler in ("threads", "processes"):
        result = product.compute(scheduler=scheduler, num_workers=2)
        error = abs(result - expected).max() / abs(expected).max()
        print(f"{np.prod(product.numblocks)} blocks by {scheduler}, error {error:.1e}")
        if not error < 1e-12:
            raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
