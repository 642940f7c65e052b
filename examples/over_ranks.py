# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common code of examples that compute products on the ranks of MPI."""

import sys

import tc.distributed
from mpi4py import MPI


def arguments_or(*defaults):
    """The command's arguments, or those defaults behind them, as whole numbers."""
    given = sys.argv[1 : len(defaults) + 1]
    return (int(x) for x in [*given, *defaults[len(given) :]])


def contract(subscripts, operands, limit, checkpoint=None):
    """The product, and whether this rank is the one to say so: it prints how many slices there were, which rank
    computed how many, how long that took, and the seconds of each rank's processor."""
    comm, info = MPI.COMM_WORLD, {}
    value = tc.distributed.contract(
        subscripts, operands, comm, memory_limit=limit, checkpoint=checkpoint, info=info
    )
    seconds = info["seconds"]
    computed = comm.gather((info["computed"], round(seconds["processor"], 2)))
    if comm.rank == 0:
        slices, processors = zip(*computed)
        print(f"{info['slices']} slices, of each rank {list(slices)}, {info['found']} were found")
        print(f"{seconds['plan']:.2f} s for the plan, {seconds['slices']:.2f} s for slices, "
              f"of processors {list(processors)}, {seconds['result']:.4f} s for the result")
    return value, comm.rank == 0


def contract_on_mesh(subscripts, operands):
    """The same product of tensors that are cut over the ranks, wherever that is predicted to take less time. All have
    the operands to begin with. Prints how many steps there were, and what moved."""
    comm, info = MPI.COMM_WORLD, {}
    begin = MPI.Wtime()
    with tc.distributed.Mesh(comm, (comm.size,)) as mesh:
        tensors = [mesh.distribute(x, [None] * x.ndim) for x in operands]
        value = tc.distributed.contract_program(subscripts, tensors, info=info).gather()
        sent = comm.allreduce(mesh.ranks.sent)
    seconds = MPI.Wtime() - begin
    if comm.rank == 0:
        print(f"{len(info['plan'].steps)} steps on a mesh, {sent} B sent by all ranks; {seconds:.2f} s")
    return value
