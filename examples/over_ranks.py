# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What examples have in common whose slices are computed on the ranks of MPI."""

import sys

import tc.distributed
from mpi4py import MPI


def arguments_or(*defaults):
    """The command's arguments, or those defaults behind them, as whole numbers."""
    given = sys.argv[1 : len(defaults) + 1]
    return (int(x) for x in [*given, *defaults[len(given) :]])


def contract(subscripts, operands, limit, checkpoint=None):
    """The product, and whether this rank is the one to say so: it prints how many slices there were, which rank
    computed how many, and how long that took."""
    comm, info = MPI.COMM_WORLD, {}
    begin = MPI.Wtime()
    value = tc.distributed.contract(
        subscripts, operands, comm, memory_limit=limit, checkpoint=checkpoint, info=info
    )
    seconds = MPI.Wtime() - begin
    computed = comm.gather(info["computed"])
    if comm.rank == 0:
        print(f"{info['slices']} slices, of each rank {computed}, {info['found']} were found; {seconds:.2f} s")
    return value, comm.rank == 0
