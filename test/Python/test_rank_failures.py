# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A failure on one rank is raised on all of them, wherever it happens, and none waits for
another."""

import mpi_ranks
from test_distributed import needs_mpi

# Lets one rank have no memory at the n-th place that asks for some, or where it multiplies, for each n until
# a call gets through.
EACH_PLACE = """
from tc.distributed import _arrays, _files, _multiply, _slice_plan
NAMES = [(np, name) for name in ("empty", "zeros", "concatenate", "ascontiguousarray", "asarray")]
NAMES += [(_multiply, "einsum"), (_slice_plan, "part_of"), (_files, "einsum"), (_arrays.Arrays, "dtype_of")]
def fails_at(wanted, call):
    asked = 0
    def counting(whole):
        def ask(*arguments, **options):
            nonlocal asked
            asked += 1
            if asked == wanted:
                raise MemoryError("there is none")
            return whole(*arguments, **options)
        return ask
    kept = [(where, name, getattr(where, name)) for where, name in NAMES]
    for where, name, whole in kept:
        setattr(where, name, counting(whole))
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        for each in kept:
            setattr(*each)
    return None
def fails_everywhere(call, least):
    for bad in range(size):
        for wanted in range(1, 200):
            text = fails_at(wanted if rank == bad else 0, call)
            if text is None:
                break
            assert text == f"RankError: rank {bad}: MemoryError: there is none", (wanted, text)
        assert least < wanted < 199, wanted
        assert comm.allgather(wanted) == [wanted] * size
"""


@needs_mpi
def test_tensors(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        EACH_PLACE
        + """
a, b = np.ones((8, 6)), np.ones((6, 4))
slow = dist.Machine(latency=1e-12, bandwidth=1e3, products=1e3)
with dist.Mesh(comm, (2,)) as mesh:
    words = []
    for layouts, ring in (([0, None], [0, None]), True), (([0, None], [0, None]), False), (([None, 0], [0, None]), False):
        left, right = (mesh.distribute(x, layout) for x, layout in zip((a, b), layouts))
        words.append(str(dist.plan_tensors("ij,jk->ik", left, right, ring=ring, machine=slow)))
        def call():
            made = dist.contract_tensors("ij,jk->ik", left, right, ring=ring, machine=slow)
            assert (made.gather() == a @ b).all()
        fails_everywhere(call, 8)
    say(["goes around" in words[0], "all-gather" in words[1], "reduce-scatter" in words[2]])
    fails_everywhere(lambda: mesh.distribute(a, [0, None]).redistribute([None, 0]), 5)
    fails_everywhere(lambda: mesh.distribute(a, [None, None]).gather(), 3)
""",
    )
    assert said == [[[True, True, True]]] * 2


@needs_mpi
def test_programs(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        EACH_PLACE
        + """
text = "i = 8, j = 6, k = 4\\nT[i,k] = A[i,j] * B[j,k]\\nD[i] += 2 * T[i,k] * C[k]"
arrays = dict(A=np.ones((8, 6)), B=np.ones((6, 4)), C=np.ones(4), D=np.ones(8))
layouts = dict(A=[0, None], B=[0, None], C=[0], D=[None])
with dist.Mesh(comm, (2,)) as mesh:
    tensors = dict((x, mesh.distribute(y, layouts[x])) for x, y in arrays.items())
    plan = dist.plan_program(text, tensors)
    def call():
        made = dist.contract_program(text, tensors, plan=plan)
        assert (made.gather() == 49).all()
    fails_everywhere(call, 8)
    class NoRoom(dict):
        def update(self, *arguments, **options):
            raise MemoryError("no room for more")
    for bad in (0, 1):
        caught(dist.contract_program, text, tensors, plan=plan, info=NoRoom() if rank == bad else {})
""",
    )
    assert said == [[f"RankError: rank {bad}: MemoryError: no room for more" for bad in (0, 1)]] * 2


@needs_mpi
def test_slices_and_files(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        EACH_PLACE
        + """
a, b = np.ones((4, 6)), np.ones((6, 2))
def call():
    assert (dist.contract("ij,jk->ik", [a, b], comm, slices={"i": 2, "j": 3}) == a @ b).all()
fails_everywhere(call, 8)
if rank == 0:
    np.save(folder + "/c", np.zeros((4, 2)))
comm.barrier()
c = np.load(folder + "/c.npy", mmap_mode="r+")
fails_everywhere(lambda: dist.contract_files("ij,jk->ik", a, b, c, comm, memory=1 << 25, tiles=4, threads=1), 7)
assert (c == a @ b).all()
class NoRoom(dict):
    def update(self, *arguments, **options):
        raise MemoryError("no room for more")
for bad in (0, 1):
    caught(dist.contract, "ij,jk->ik", [a, b], comm, info=NoRoom() if rank == bad else {})
""",
    )
    assert said == [[f"RankError: rank {bad}: MemoryError: no room for more" for bad in (0, 1)]] * 2
