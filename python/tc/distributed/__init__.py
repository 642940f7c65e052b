# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions by many processes, which speak to one another by MPI.

    from mpi4py import MPI
    import tc.distributed
    c = tc.distributed.contract("ij,jk,kl->il", [a, b, c], MPI.COMM_WORLD, memory_limit=1 << 30)

Nothing here imports mpi4py: any communicator with its interface will do.
"""

from ._checkpoint import CheckpointError
from ._choose import PlanError
from ._files import Report, contract_files, plan_files
from ._job import contract, plan
from ._machine import Machine
from ._multiply import contract_tensors, plan_tensors
from ._program_plan import ProgramPlan
from ._programs import contract_program, plan_program
from ._ranks import RankError
from ._scale import Prediction, predict
from ._tensor import Mesh, Tensor

__all__ = [
    "CheckpointError",
    "Machine",
    "Mesh",
    "PlanError",
    "Prediction",
    "ProgramPlan",
    "RankError",
    "Report",
    "Tensor",
    "contract",
    "contract_files",
    "contract_program",
    "contract_tensors",
    "plan",
    "plan_files",
    "plan_program",
    "plan_tensors",
    "predict",
]
