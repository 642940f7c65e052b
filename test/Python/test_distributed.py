# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products over ranks: their bits, errors and examples. Checkpoints have a file of their own."""

import hashlib
import pathlib
import random
import subprocess
import sys

import numpy as np
import pytest

import tc
import tc.distributed as dist
from tc.distributed import _ranks
from tc.distributed._ranks import Ranks
from tc.distributed._spread import Ranges
from tc.distributed._sums import Forest, Node, choose_holders, combine

import mpi_ranks
from seeds import SEED

needs_mpi = pytest.mark.skipif(
    subprocess.run([sys.executable, "-c", "import mpi4py"], capture_output=True).returncode != 0,
    reason="mpi4py is not installed",
)

# Subscripts, extents, dtype, and what else `contract` gets. Extents are primes, one, and such that
# cut parts are of equal lengths or not; indices are of a batch, summed, repeated and in one operand.
CASES = [
    ("ij,jk,kl->il", dict(i=13, j=29, k=31, l=7), "float64", dict(slices=40)),
    ("bij,bjk,bk->bi", dict(b=6, i=5, j=7, k=11), "float32", dict(slices=12)),
    ("aab,bc,cd,de->ae", dict(a=3, b=8, c=16, d=9, e=4), "complex128", dict(memory_limit=200)),
    ("ab,bc,cd,da->", dict(a=17, b=12, c=10, d=8), "float64", dict(memory_limit=300)),
    ("ij,jk->ik", dict(i=1, j=101, k=1), "complex64", dict(slices={"j": 101})),
    ("ij->j", dict(i=37, j=5), "int64", dict(slices=37)),
    ("ij,jk,kl->il", dict(i=6, j=10, k=15, l=4), "float64",
     dict(slices={"j": 5, "i": 4}, path=[(1, 2), (0, 1)])),
    ("abc,cde,efa,bdf->", dict(a=4, b=3, c=5, d=4, e=3, f=6), "float64",
     dict(path=[(0, 1), (0, 1), (0, 1)], memory_limit=128)),
    ("ij,jk,kl->il", dict(i=3, j=4, k=5, l=2), "float64", {}),
    ("ij,jk,kl->il", dict(i=3, j=0, k=5, l=2), "float64", {}),
    ("ij,jk,kl->il", dict(i=3, j=4, k=5, l=0), "float32", dict(slices=4)),
]


def make_operands(case, seed):
    subscripts, extents, dtype, _ = case
    numbers = np.random.default_rng(seed)
    operands = []
    for term in subscripts.split("->")[0].split(","):
        shape = [extents[label] for label in term]
        array = numbers.uniform(-9, 9, shape)
        if np.dtype(dtype).kind == "c":
            array = array + 1j * numbers.uniform(-9, 9, shape)
        operands.append(array.astype(dtype))
    return operands


def check(case, operands, result):
    subscripts, _, dtype, _ = case
    wide = {"f": "float64", "c": "complex128", "i": "int64"}[np.dtype(dtype).kind]
    expected = np.einsum(subscripts, *(x.astype(wide) for x in operands))
    magnitude = np.einsum(subscripts, *map(abs, operands))
    assert result.dtype == dtype and result.shape == expected.shape
    limit = 0 if np.dtype(dtype).kind == "i" else 200 * np.finfo(dtype).eps
    assert (abs(result - expected) <= limit * magnitude).all()


@pytest.mark.parametrize("number", range(len(CASES)))
def test_alone(number):
    case = CASES[number]
    print("SEED", SEED)
    operands = make_operands(case, SEED)
    info = {}
    result = dist.contract(case[0], operands, info=info, **case[3])
    check(case, operands, result)
    assert info["slices"] == info["computed"] and info["found"] == info["stolen"] == 0
    assert list(info["seconds"]) == ["plan", "slices", "result", "processor"] and min(info["seconds"].values()) >= 0
    if "slices" in case[3]:
        least = case[3]["slices"]
        assert info["slices"] >= (max(least.values()) if isinstance(least, dict) else least)
    assert str(dist.plan(case[0], operands, **case[3])) == info["plan"]


@needs_mpi
@pytest.mark.parametrize("ranks", mpi_ranks.RANKS)
def test_all_numbers_of_ranks_give_the_same_bits(ranks, tmp_path):
    def digest(array):
        return hashlib.md5(np.ascontiguousarray(array)).hexdigest()

    expected = [
        digest(dist.contract(case[0], make_operands(case, 7), **case[3])) for case in CASES
    ]
    said = mpi_ranks.run(
        ranks,
        tmp_path,
        f"""
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import test_distributed as test
        for case in test.CASES:
            # Strides are another on each rank.
            operands = [
                np.asfortranarray(x) if rank % 2 else x for x in test.make_operands(case, 7)
            ]
            info = {{}}
            made = dist.contract(case[0], operands, comm, info=info, **case[3])
            test.check(case, operands, made)
            total = comm.allreduce(info["computed"])
            assert total == info["slices"], (total, info)
            say(hashlib.md5(np.ascontiguousarray(made)).hexdigest())
        """,
    )
    assert said == [expected] * ranks


@needs_mpi
def test_large_messages_go_in_rounds(tmp_path):
    said = mpi_ranks.run(
        3,
        tmp_path,
        """
        from tc.distributed import _ranks
        a = np.random.default_rng(1).random((6, 50))
        once = dist.contract("ij->j", [a], comm, slices={"i": 6})
        _ranks.MOST = 7
        again = dist.contract("ij->j", [a], comm, slices={"i": 6})
        with dist.Mesh(comm, (3,)) as mesh:
            moved = mesh.distribute(a, [0, None]).redistribute([None, 0])
            say((moved.gather() == a).all().item())
            # Blocks that go around.
            square, slow = np.random.default_rng(2).random((24, 24)), dist.Machine(products=1e5)
            rows = mesh.distribute(square, [0, None])
            options = dict(layout=[0, None], machine=slow)
            assert "goes around" in str(dist.plan_tensors("ij,jk->ik", rows, rows, **options))
            made = dist.contract_tensors("ij,jk->ik", rows, rows, **options).gather()
            say(np.allclose(made, square @ square))
        say(once.tobytes() == again.tobytes())
        """,
    )
    assert said == [[True, True, True]] * 3


def test_messages_are_counted_in_32_bits():
    """Of blocks with more elements than that, which nobody looks at here."""
    begun = []

    class Comm:
        def Dup(self):
            return self

        Get_rank = Get_size = lambda self: 2

        def Isend(self, message, to):
            begun.append((message, "to", to))
            return message

        def Irecv(self, message, source):
            begun.append((message, "from", source))
            return message

    for name in ("Is_inter", "Allreduce", "allgather", "bcast"):
        setattr(Comm, name, lambda self: False)
    ranks = Ranks(Comm())
    for sent, got in ((np.empty(((1 << 31) // 5, 5), np.int8), np.empty((1 << 31) + 7, np.int8)), (np.empty(3), np.empty(0))):
        begun.clear()
        waiting = ranks.pass_on(sent, 0, got, 1)
        assert [id(message) for message, *_ in begun] == list(map(id, waiting))
        for whole, way in ((sent, ("to", 0)), (got, ("from", 1))):
            messages = [message for message, *there in begun if tuple(there) == way]
            # One behind the other, from the first element to the last.
            places = [(message.ctypes.data, message.nbytes) for message in messages]
            ends = [begin + size for begin, size in places]
            assert [begin for begin, _ in places] == [whole.ctypes.data, *ends[:-1]]
            assert ends[-1] == whole.ctypes.data + whole.nbytes
            assert all(message.size < 1 << 31 for message in messages)
            assert len(messages) == max(1, -(-whole.size // _ranks.MOST))
    assert ranks.sent == (1 << 31) // 5 * 5 + 24


@needs_mpi
def test_slow_ranks_lose_work_to_others(tmp_path):
    said = mpi_ranks.run(
        3,
        tmp_path,
        """
        from tc.distributed._slice_plan import Plan
        whole = Plan.contract
        def contract(self, operands, number, threads):
            time.sleep(0.05 if rank == 1 else 0.002)
            return whole(self, operands, number, threads)
        Plan.contract = contract
        info = {}
        a = np.ones((60, 4))
        dist.contract("ij->j", [a], comm, slices={"i": 60}, info=info)
        say([info["computed"], info["stolen"]])
        """,
    )
    (first, stolen), (slow, _), (third, _) = (each[0] for each in said)
    assert first + slow + third == 60 and stolen > 0
    assert slow < 10 and first > slow and third > slow


@needs_mpi
def test_errors_are_raised_on_all_ranks(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        """
        a, b = np.ones((6, 4)), np.ones((4, 5))
        caught(dist.contract, "ij,jk->ik" if rank == 0 else "ij,jk->ki", [a, b], comm)
        caught(dist.contract, "ij,jk", [a[: 6 - rank], b], comm)
        caught(dist.contract, "ij,jk", [a, b.astype("float32")] if rank else [a, b], comm)
        caught(dist.contract, "ij,jk", [a.astype("float32"), b.astype("float32")] if rank else [a, b], comm)
        caught(dist.contract, "ij,jk", [a, b + rank], comm)
        caught(dist.contract, "ij,jk", [a, b], comm, slices=2 + rank)
        caught(dist.contract, "ij,jk", [a, b], comm, threads=1 + rank)
        caught(dist.contract, "ij,jk", [a, b], comm, checkpoint=f"/nowhere/{rank}")
        caught(dist.contract, "ij,jk", [a, b] if rank else [a, a], comm)
        caught(dist.contract, "ij,kj->ik", [a, b], comm)
        caught(dist.contract, "ij,jk", [a, b], comm, slices=1000)
        from tc.distributed._slice_plan import Plan
        whole = Plan.contract
        for bad in (0, 1):
            failed = os.path.join(folder, f"failed-{bad}")
            def contract(self, operands, number, threads):
                if rank == bad:
                    open(failed, "w").close()
                    raise MemoryError("no room for a panel")
                # Slices go to whoever is free: one is left for that rank.
                end = time.monotonic() + 5
                while not os.path.exists(failed) and time.monotonic() < end:
                    time.sleep(0.001)
                return whole(self, operands, number, threads)
            Plan.contract = contract
            caught(dist.contract, "ij,jk", [a, b], comm, slices={"i": 6})
        Plan.contract = whole
        caught(dist.contract, "ij,jk", [a, b], comm, slices={"i": 6})
        split = comm.Split(0 if rank == 0 else MPI.UNDEFINED)
        if rank == 1:
            caught(dist.contract, "ij,jk", [a, b], split)
        pair = comm.Split(rank).Create_intercomm(0, comm, 1 - rank)
        caught(dist.contract, "ij,jk", [a, b], pair)
        """,
    )
    null = said[1].pop(-2)
    assert null.startswith("ValueError: comm is no communicator that this process belongs to: ")
    assert said[0] == said[1]
    assert said[0] == [
        "ValueError: subscripts is 'ij,jk->ik' on rank 0, but 'ij,jk->ki' on rank 1",
        "ValueError: shapes is ((6, 4), (4, 5)) on rank 0, but ((5, 4), (4, 5)) on rank 1",
        None,
        "ValueError: dtype is 'float64' on rank 0, but 'float32' on rank 1",
        said[0][4],
        "ValueError: slices is 2 on rank 0, but 3 on rank 1",
        "ValueError: threads is 1 on rank 0, but 2 on rank 1",
        "ValueError: checkpoint is '/nowhere/0' on rank 0, but '/nowhere/1' on rank 1",
        "RankError: rank 0: ValueError: index 'j' has extent 4 in axis 1 of operand 0 and 6 in "
        "axis 0 of operand 1",
        "ValueError: index 'j' has extent 4 in axis 1 of operand 0 and 5 in axis 1 of operand 1",
        "RankError: rank 0: ValueError: slices is 1000, but this product has 120 at most",
        "RankError: rank 0: MemoryError: no room for a panel",
        "RankError: rank 1: MemoryError: no room for a panel",
        None,
        "ValueError: comm is an intercommunicator: merge its two groups first",
    ]
    assert said[0][4].startswith("ValueError: the digest of operand 1 is '")


@needs_mpi
@pytest.mark.parametrize("bad", [0, 1])
def test_others_stop_when_one_fails(bad, tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        f"""
        from tc.distributed._slice_plan import Plan
        whole = Plan.contract
        def contract(self, operands, number, threads):
            if rank == {bad}:
                raise ValueError("it fails")
            time.sleep(0.02)
            return whole(self, operands, number, threads)
        Plan.contract = contract
        info = {{}}
        caught(dist.contract, "ij->j", [np.ones((100, 4))], comm, slices={{"i": 100}}, info=info)
        say(info["computed"])
        """,
    )
    assert [each[0] for each in said] == [f"RankError: rank {bad}: ValueError: it fails"] * 2
    assert said[bad][1] == 0 and said[1 - bad][1] < 50


def test_a_job_whose_ranks_are_gone_is_aborted(capsys):
    class Lost:
        """A communicator whose other ranks do not answer any more."""

        aborted = None

        def Get_rank(self):
            return 1

        def Get_size(self):
            return 2

        def Is_inter(self):
            return False

        def Dup(self):
            return self

        def Free(self):
            pass

        def bcast(self, value, root=0):
            return value

        def Allreduce(self, value, total):
            raise ConnectionError("the other rank has gone")

        def allgather(self, value):
            return [value] * 2

        def Abort(self, code):
            self.aborted = code

    comm = Lost()
    with pytest.raises(ConnectionError):
        dist.contract("ij,jk", [np.ones((2, 3)), np.ones((4, 5))], comm)
    assert comm.aborted == 1
    text = capsys.readouterr().err
    # The error here is not lost.
    assert "index 'j' has extent 3 in axis 1 of operand 0 and 4" in text
    assert "ConnectionError: the other rank has gone" in text
    assert "tc.distributed: rank 1 cannot reach the others" in text


def test_one_process_raises_what_fails(monkeypatch, capsys):
    def fail(*_, **__):
        raise MemoryError("no room for more")

    monkeypatch.setattr(_ranks._Alone, "bcast", fail)
    with pytest.raises(MemoryError, match="no room for more"):
        dist.contract("ij,jk", [np.ones((2, 3)), np.ones((3, 5))])
    assert not capsys.readouterr().err


def test_errors_of_arguments():
    a, b = np.ones((6, 4)), np.ones((4, 5))

    def raises(kind, text, *arguments, **options):
        with pytest.raises(kind) as caught:
            dist.contract(*arguments, **options)
        assert text in str(caught.value)

    raises(TypeError, "comm is 3, which is no communicator", "ij,jk", [a, b], 3)
    raises(TypeError, "subscripts are no text", 3, [a, b])
    raises(ValueError, "there is no operand", "ij,jk", [])
    raises(TypeError, "the result has dtype float16, but partial sums", "ij->", [a.astype("f2")])
    raises(ValueError, "names index 'x', which no operand has", "ij,jk", [a, b], slices={"x": 2})
    raises(ValueError, "slices has 7 parts of index 'i', which has extent 6", "ij,jk", [a, b],
           slices={"i": 7})
    raises(ValueError, "there is no memory_limit beside it", "ij,jk", [a, b], slices={"i": 2},
           memory_limit=3)
    raises(ValueError, "slices is 0, but there is one at least", "ij,jk", [a, b], slices=0)
    raises(ValueError, "memory_limit is -1", "ij,jk", [a, b], memory_limit=-1)
    raises(ValueError, "the path leaves 2 operands", "ij,jk", [a, b], path=[])
    raises(tc.UnsupportedError, "memory_limit is 7, but in the order of the path results between "
           "steps take 8 bytes", "ij,jk,k", [a, b, np.ones(5)], path=[(1, 2), (0, 1)],
           memory_limit=7)


def test_sums_have_one_order():
    rng = random.Random(SEED)
    print("SEED", SEED)
    for terms in (1, 2, 3, 5, 8, 13, 31):
        arrays = np.random.default_rng(SEED).standard_normal((terms, 4)) * 10.0 ** rng.randint(0, 9)
        made = []
        for _ in range(3):
            # As three ranks would have them.
            forests = [Forest(terms) for _ in range(3)]
            for i in rng.sample(range(terms), terms):
                forests[rng.randrange(3)].add(Node(0, 0, i), arrays[i].copy())
            chosen = choose_holders([list(x.nodes) for x in forests], forests[0].top)
            whole = Forest(terms)
            for node, rank in chosen[0]:
                whole.add(node, forests[rank].nodes[node])
            with Ranks(None) as ranks:
                (block,) = combine(ranks, whole, [4], np.dtype("float64"))
            made.append(block.tobytes())
        assert made[0] == made[1] == made[2]
        assert np.allclose(np.frombuffer(made[0]), arrays.sum(0))


def test_what_two_ranks_have_is_taken_once():
    held = [[Node(0, 0, 0), Node(0, 1, 1)], [Node(0, 2, 0), Node(0, 0, 4)], [Node(0, 0, 4)]]
    assert choose_holders(held, 3) == {0: [(Node(0, 0, 4), 1), (Node(0, 2, 0), 1)]}


def test_ranges_are_handed_out_once():
    rng = random.Random(SEED)
    print("SEED", SEED)
    for ranks in (1, 2, 7):
        for count in (0, 1, 6, 100):
            left, seen = Ranges(count, ranks), []
            while (chunk := left.take(rng.randrange(ranks), rng.randint(1, 9))) is not None:
                seen += chunk
            assert sorted(seen) == list(range(count))


@needs_mpi
@pytest.mark.parametrize(
    "example, arguments",
    [("distributed_circuit.py", ("6", "5", "256")), ("distributed_peps.py", ("2", "2", "192"))],
)
def test_examples(example, arguments):
    path = pathlib.Path(__file__).parents[2] / "examples" / example
    output = mpi_ranks.end_of(mpi_ranks.launch(2, [path, *arguments]), 120)
    assert "error " in output and " slices, of each rank " in output
