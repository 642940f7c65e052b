# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors on meshes whose blocks lie on devices, which are those of the fake driver."""

import pathlib
import sys

import pytest

import mpi_ranks
from test_distributed import needs_mpi


@needs_mpi
def test_blocks_on_devices(tmp_path):
    """Blocks are multiplied on the device, and what is sent is in host memory only if nothing takes it from there."""
    said = mpi_ranks.run(
        2,
        tmp_path,
        f"""
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import fake_blocks, fake_device
        cupy = fake_blocks.make_cupy()
        rng = np.random.default_rng(1)
        text = "i = 5, j = 6, k = 4\\nT[i,k] = A[i,j] * B[j,k]\\nD[i,k] += 0.5 * T[i,k] * C[k]"
        shapes = dict(A=(5, 6), B=(6, 4), C=(4,), D=(5, 4))
        arrays = dict((x, rng.uniform(-1, 1, y)) for x, y in shapes.items())
        layouts = dict(A=[None, 0], B=[0, None], C=[0], D=[None, 0])

        def check(mesh, transport, nccl):
            fake_blocks.pinned.clear()
            tensors = dict((x, mesh.distribute(cupy.ndarray(y), layouts[x])) for x, y in arrays.items())
            say(all(type(x.block) is cupy.ndarray for x in tensors.values()))
            info, before = dict(), mesh.ranks.sent
            made = dist.contract_program(text, tensors, layouts=dict(D=[0, None]), info=info)
            say(mesh.ranks.sent - before == info["plan"].sent[rank] * 8 > 0)
            say(info["bytes"] <= info["plan"].peak)
            whole = made.gather()
            say(type(made.block) is type(whole) is cupy.ndarray)
            expected = arrays["D"] + 0.5 * (arrays["A"] @ arrays["B"]) * arrays["C"]
            say(bool(abs(whole.get() - expected).max() < 1e-14))
            say(bool(fake_blocks.pinned) == (transport == "staged"))
            say(transport != "nccl" or nccl.bytes == mesh.ranks.sent - before)
            if transport == "nccl":
                check_failures(mesh, nccl, tensors["A"])
            if transport != "staged":
                return
            both = dist.contract_tensors("ij,jk->ik", tensors["A"], tensors["B"])
            say(bool(abs(both.gather().get() - arrays["A"] @ arrays["B"]).max() < 1e-14))
            host = mesh.distribute(arrays["B"], [0, None])
            caught(dist.contract_tensors, "ij,jk->ik", tensors["A"], host)
            caught(dist.contract_program, "ij,jk->ik", [tensors["A"], host])
            pairs = [[mesh.distribute(kind(arrays[x]), [0, None]) for x in "AB"] for kind in (np.array, cupy.ndarray)]
            plan = dist.plan_program("ij,jk->ik", pairs[0], machine=dist.Machine(products=10))
            caught(dist.contract_program, "ij,jk->ik", pairs[1], plan=plan)
            caught(mesh.distribute, fake_device.Interface(arrays["B"]), [0, None])
            blocks = lambda box: np.ones((2, 4)) if rank else cupy.ndarray(np.ones((2, 4)))
            caught(mesh.build, (4, 4), "float64", [0, None], blocks)

        def check_failures(mesh, nccl, tensor):
            tensor.block = cupy.ndarray(tensor.block.get(), 1)
            caught(tensor.redistribute, [0, None])
            mesh.transport.close()
            class Lost:
                def __init__(self, *_):
                    if rank:
                        raise RuntimeError("NCCL finds no network")
            kept, nccl.NcclCommunicator = nccl.NcclCommunicator, Lost
            tensor.block = cupy.ndarray(tensor.block.get())
            caught(tensor.redistribute, [0, None])
            nccl.NcclCommunicator = kept
            moved = tensor.redistribute([0, None])
            say(bool((moved.gather().get() == arrays["A"]).all()))

        for transport in ("nccl", "mpi", "staged"):
            stream = fake_device.Stream().handle
            nccl = fake_blocks.make_nccl(comm, stream) if transport == "nccl" else None
            given = fake_blocks.AwareCommunicator(comm, stream) if transport == "mpi" else comm
            options = dict(cuda_aware=transport == "mpi", nccl=transport == "nccl")
            with fake_blocks.installed(cupy, nccl), dist.Mesh(given, (2,), **options) as mesh:
                with cupy.current.use(stream):
                    check(mesh, transport, nccl)
        """,
    )
    assert said[0] == said[1]
    assert said[0] == [
        *[True] * 7,
        "ValueError: blocks are on device 1, but those that NCCL sent before were on device 0: each rank has one",
        "RankError: rank 1: RuntimeError: NCCL finds no network",
        True,
        *[True] * (2 * 7 + 1),
        "ValueError: operand 0 lies on a device, as arrays of cupy, and operand 1 in host memory",
        "ValueError: operand 0 lies on a device, as arrays of cupy, and operand 1 in host memory",
        "ValueError: plan lets blocks go around, which those on devices do not",
        "TypeError: a block on a device is an array of CuPy or PyTorch, but not of fake_device",
        "ValueError: where the blocks lie is 'on a device, as arrays of cupy' on rank 0, but 'in host "
        "memory' on rank 1",
    ]


def test_what_the_environment_says(monkeypatch):
    import tc.distributed as dist

    for name in ("MPICH_GPU_SUPPORT_ENABLED", "MPIR_CVAR_ENABLE_GPU", "MV2_USE_CUDA"):
        monkeypatch.delenv(name, raising=False)
    with dist.Mesh(None, (1,)) as mesh:
        assert mesh.transport == "staged"
    monkeypatch.setenv("MPICH_GPU_SUPPORT_ENABLED", "1")
    with dist.Mesh(None, (1,)) as mesh:
        assert mesh.transport == "mpi"
    with dist.Mesh(None, (1,), cuda_aware=False) as mesh:
        assert mesh.transport == "staged"


def test_nccl_that_is_missing(monkeypatch):
    import fake_blocks
    import tc.distributed as dist

    with monkeypatch.context() as patch, pytest.raises(ImportError, match="nccl is asked for, but CuPy's cannot be imported: "):
        patch.setitem(sys.modules, "cupy", None)
        dist.Mesh(None, (1,), nccl=True)
    cupy = fake_blocks.make_cupy()
    nccl = fake_blocks.make_nccl(None)
    nccl.available = False
    with fake_blocks.installed(cupy, nccl):
        with pytest.raises(ImportError, match="nccl is asked for, but this CuPy has none"):
            dist.Mesh(None, (1,), nccl=True)
