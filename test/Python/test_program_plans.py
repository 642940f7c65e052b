# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trees and layouts of programs on meshes, compared with a look at all of them."""

import math
import os
import pathlib
import random

import pytest

import tc.distributed as dist
from tc.distributed import _shared_parts
from tc.distributed._grid import Grid, traffic_of
from tc.distributed._program_plan import Key, find_program
from tc.distributed._statements import statements_of_einsum, statements_of_text
from tc.distributed._traffic import arrangements, move_costs

import mpi_ranks
import program_cases
from seeds import SEED
from test_distributed import needs_mpi

# Random programs on each number of ranks.
CASES = int(os.environ.get("TC_TEST_PROGRAMS", "4"))


def test_costs_of_moves():
    print("SEED", SEED)
    rng = random.Random(SEED)
    for _ in range(40):
        grid = Grid(rng.choice([(2,), (3,), (2, 2), (2, 3), (2, 2, 2), (4, 2), (1, 3), ()]))
        dims, rank = len(grid.shape), rng.choice([0, 1, 2, 3])
        shape = tuple(rng.choice([0, 1, 2, 3, 5, 8, 13]) for _ in range(rank))
        layouts = list(arrangements(dims, range(rank), rank))
        assert len(set(layouts)) == len(layouts)
        source = rng.choice(layouts)
        used = {dim for each in source for dim in each}
        partial = tuple(d for d in range(dims) if d not in used and rng.random() < 0.4)
        targets = tuple(rng.sample(layouts, min(12, len(layouts))))
        elements, messages = move_costs(grid, source, targets, shape, partial)
        for target, most, count in zip(targets, elements, messages):
            traffic = traffic_of(grid, source, target, shape, partial)
            assert (traffic.most, traffic.messages) == (most, count), (grid, source, target, shape, partial)


class Looker:
    """All plans of products of two, one after the other, by the definition of what they take."""

    def __init__(self, grid, machine, extents):
        self.grid, self.machine, self.extents = grid, machine, extents

    def shape(self, labels):
        return tuple(self.extents[x] for x in labels)

    def size(self, labels, layout):
        parts = (-(-self.extents[x] // self.grid.parts(d)) for x, d in zip(labels, layout))
        return 8 * math.prod(parts)

    def layouts(self, labels):
        return list(arrangements(len(self.grid.shape), range(len(labels)), len(labels)))

    def moved(self, labels, source, target, partial=()):
        traffic = traffic_of(self.grid, source, target, self.shape(labels), partial)
        return traffic.messages * self.machine.latency + traffic.most * 8 / self.machine.bandwidth

    def products(self, a, b, result, stored):
        """Of each way to multiply tensors that are stored in these layouts: seconds, the layout of the
        result, and the bytes of blocks while operands are moved, multiplied and added up, where `held` of
        either says whether its block counts and is then gone."""
        labels = tuple(dict.fromkeys((*a, *b)))
        for cuts in self.layouts(labels):
            cut = dict(zip(labels, cuts))
            needed = [tuple(cut[x] for x in each) for each in (a, b)]
            made = tuple(cut[x] for x in result)
            partial = tuple(sorted(d for x in labels if x not in result for d in cut[x]))
            products = math.prod(-(-self.extents[x] // self.grid.parts(cut[x])) for x in labels)
            seconds = products / self.machine.products
            counted = [self.size(x, layout) if held else 0 for x, (layout, held) in zip((a, b), stored)]
            now, peak = sum(counted), 0
            for x, (layout, _), need, count in zip((a, b), stored, needed, counted):
                seconds += self.moved(x, layout, need)
                if layout != need:
                    now += self.size(x, need)
                    peak = max(peak, now)
                    now -= count
            now += self.size(result, made)
            peak = max(peak, now)
            places = [made]
            for dim in partial:
                places += [
                    (*place[:i], (*place[i], dim), *place[i + 1 :])
                    for place in places for i in range(len(result))
                ]
            for place in places:
                added = seconds + self.moved(result, made, place, partial)
                most = peak
                if partial:
                    most = max(most, self.size(result, made) + self.size(result, place))
                for out in self.layouts(result):
                    then = most
                    if out != place:
                        then = max(then, self.size(result, place) + self.size(result, out))
                    yield added + self.moved(result, place, out), out, then


def plans_of_three(looker, subscripts, layouts, wanted):
    """Seconds and bytes of all plans of a product of three."""
    terms, result = subscripts.split("->")
    lists = terms.split(",")
    for last in range(3):
        first, second = (i for i in range(3) if i != last)
        kept = set(result) | set(lists[last])
        between = [x for x in dict.fromkeys(lists[first] + lists[second]) if x in kept]
        # Of each layout of the temporary only the plans that no other one beats.
        fronts = {}
        there = [(layouts[i], False) for i in (first, second)]
        for seconds, out, peak in looker.products(lists[first], lists[second], between, there):
            fronts.setdefault(out, set()).add((seconds, peak))
        for out, plans in fronts.items():
            plans = [
                x for x in plans if not any(y != x and y[0] <= x[0] and y[1] <= x[1] for y in plans)
            ]
            after = looker.products(between, lists[last], result, [(out, True), (layouts[last], False)])
            for seconds, place, peak in after:
                if wanted is None or place == wanted:
                    for before, held in plans:
                        yield before + seconds, max(held, peak)


def test_what_was_moved_before_may_fit():
    """There is memory for the fastest way if the temporary lies on all ranks before the last
    operand is moved; not where both are moved at the same time."""
    grid = Grid((3,))
    subscripts, extents = "ij,jk,kl->il", {"i": 8, "j": 64, "k": 64, "l": 30}
    machine = dist.Machine(latency=1e-9, products=1e7)
    looker = Looker(grid, machine, extents)
    layouts, wanted = [((), ()), ((), ()), ((0,), ())], ((0,), ())
    terms = subscripts.split("->")[0].split(",")
    statements = statements_of_einsum(subscripts, [looker.shape(term) for term in terms])
    key = Key(
        statements, dict(enumerate(layouts)), {statements.results["result"]: wanted}, "float64", grid
    )
    there, limit = sum(looker.size(*each) for each in zip(terms, layouts)), 10400
    least = min(x for x in plans_of_three(looker, subscripts, layouts, wanted) if x[1] <= limit)
    found = find_program(key, machine._replace(memory=there + limit), False)
    assert found.seconds == pytest.approx(least[0], rel=1e-9)
    assert found.peak <= there + limit


@pytest.mark.parametrize("grid", [(2,), (3,), (2, 2)])
def test_no_plan_is_better(grid):
    print("SEED", SEED)
    rng = random.Random(SEED + len(grid))
    grid = Grid(grid)
    for subscripts in ("ij,jk,kl->il", "ij,jk,k->i", "ij,kj,ik->", "i,j,ij->ji")[: 1 if len(grid.shape) > 1 else 4]:
        terms = subscripts.split("->")[0].split(",")
        extents = {x: rng.choice([2, 5, 8, 30, 64]) for x in sorted(set("".join(terms)))}
        machine = dist.Machine(latency=rng.choice([1e-9, 1e-6]), products=rng.choice([1e7, 1e9]))
        looker = Looker(grid, machine, extents)
        layouts = [rng.choice(looker.layouts(term)) for term in terms]
        wanted = rng.choice([None, rng.choice(looker.layouts(subscripts.split("->")[1]))])
        statements = statements_of_einsum(subscripts, [looker.shape(term) for term in terms])
        number = statements.results["result"]
        key = Key(
            statements, dict(enumerate(layouts)), {} if wanted is None else {number: wanted}, "float64", grid
        )
        there = sum(looker.size(term, layout) for term, layout in zip(terms, layouts))
        plans = list(plans_of_three(looker, subscripts, layouts, wanted))
        peaks = sorted({peak for _, peak in plans})
        for limit in (math.inf, *peaks[:: max(len(peaks) // 4, 1)]):
            least = min((plan for plan in plans if plan[1] <= limit), default=None)
            what = (subscripts, extents, grid.shape, layouts, wanted, machine, limit)
            found = find_program(key, machine._replace(memory=there + limit), False)
            assert found.seconds == pytest.approx(least[0], rel=1e-9, abs=1e-15), (what, str(found))
            assert found.peak <= there + limit, (what, str(found))
        with pytest.raises(MemoryError, match="no way to compute result on a grid of"):
            find_program(key, machine._replace(memory=there + peaks[0] - 1), False)


def test_shared_layouts():
    """A tensor that two products read lies where both together take the least time."""
    text = "i = 16, j = 64, k = 48, l = 4\nT[i,k] = A[i,j] * B[j,k]\nU[i,l] = T[i,k] * C[k,l]\nV[k,l] = T[i,k] * D[i,l]"
    statements = statements_of_text(text, "tensors")
    grid = Grid((2,))
    looker = Looker(grid, dist.Machine(products=1e9), dict(i=16, j=64, k=48, l=4))
    names = statements.arguments
    chosen = dict(A=((0,), ()), B=((), (0,)), C=((0,), ()), D=((), ()))
    key = Key(statements, {names[x]: y for x, y in chosen.items()}, {}, "float64", grid)
    found = find_program(key, looker.machine, False)

    def least(a, b, result, stored, out=None):
        return min(x for x, y, _ in looker.products(a, b, result, stored) if out in (None, y))

    expected = min(
        least("ij", "jk", "ik", [(chosen["A"], False), (chosen["B"], False)], between)
        + least("ik", "kl", "il", [(between, False), (chosen["C"], False)])
        + least("ik", "il", "kl", [(between, False), (chosen["D"], False)])
        for between in looker.layouts("ik")
    )
    assert found.seconds == pytest.approx(expected)


def test_parts_are_made_once():
    text = (pathlib.Path(__file__).parents[2] / "examples" / "coupled_cluster.tensors").read_text()
    statements = statements_of_text(text, "tensors")
    names = statements.arguments
    given = {names["V"]: ((), (), (0,), ()), names["T"]: ((0,), (), (), ()), names["X"]: ((), ())}
    key = Key(statements, given, {}, "float64", Grid((4,)))
    plan = find_program(key, dist.Machine(), True)
    lines = str(plan).splitlines()
    assert lines[0].startswith("ladder, dressed in 4 steps on 4 ranks in a grid of 4: ")
    (made,) = (line for line in lines if line[6:].startswith("part 1[") and " = " in line)
    assert "T[" in made and "V[" in made
    assert sum(" = " in line and "part 1[" in line.split(" = ")[1] for line in lines) == 2
    # It is gone behind the last of the two.
    assert sum("frees      part 1" in line for line in lines) == 1
    assert any(line.startswith("  lower bounds  of steps by themselves: ") for line in lines)


def test_a_part_that_is_twice_in_one_term():
    """The square of a product, which is a part of its own: no factor of it is forgotten."""
    text = "i = 3\nj = 4\nk = 4\nl = 3\nT[] = A[j] * B[i] * B[l] * A[k]"
    statements = statements_of_text(text, "tensors")
    (part, places), *_ = [
        (part, _shared_parts._apart(places))
        for part, places in _shared_parts._parts(statements).items()
        if len(_shared_parts._apart(places)) == 2
    ]
    shared = _shared_parts._extract(statements, part, places)
    (term,) = shared.values[statements.order()[-1]].terms
    made = len(shared.values) - 1
    assert term.inputs == (made, made)
    assert shared.values[made].terms[0].inputs == part[0]


def test_long_products_keep_the_order_of_the_model():
    count = 12
    terms = [f"[a{i},a{i + 1}]" for i in range(count)]
    shapes = [(4, 4)] * count
    statements = statements_of_einsum(",".join(terms) + f"->[a0,a{count}]", shapes)
    given = {i: ((0,), ()) for i in range(count)}
    plan = find_program(Key(statements, given, {}, "float64", Grid((2, 2))), dist.Machine(), True)
    assert len(plan.steps) == count - 1


def test_programs_on_one_rank():
    """Many programs take little time if nothing moves."""
    print("SEED", SEED)
    rng = random.Random(SEED)
    for number in range(20 * CASES):
        with dist.Mesh(None, (1,)) as mesh:
            program_cases.check_program(mesh, rng, number)


@needs_mpi
@pytest.mark.parametrize("ranks", mpi_ranks.RANKS)
def test_programs(ranks, tmp_path):
    print("SEED", SEED)
    said = mpi_ranks.run(
        ranks,
        tmp_path,
        f"""
        import random
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import program_cases, tensor_cases
        rng = random.Random({SEED})
        words = set()
        for number in range({CASES}):
            with dist.Mesh(comm, tensor_cases.draw_grid(rng, size)) as mesh:
                text = program_cases.check_program(mesh, rng, number)
            words.update(x for x in ("stays", "all-gather", "+=", "frees", "all-reduce") if x in text)
        say(sorted(words))
        with dist.Mesh(comm, (size,)) as mesh:
            text = program_cases.check_program(mesh, random.Random(1), 1, program_cases.adding_program)
        say([x for x in ("stays", "+=", "frees") if x in text])
        """,
        seconds=600,
    )
    assert all(each == said[0] for each in said)
    print(said[0][0])
    assert said[0][1] == ["stays", "+=", "frees"]


@needs_mpi
def test_errors_of_programs(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        """
        mesh, other = dist.Mesh(comm, (2,)), dist.Mesh(comm, (1, 2))
        a, b = np.ones((6, 4)), np.ones((4, 5))
        left, right = mesh.distribute(a, [0, None]), mesh.distribute(b, [0, None])
        text = "i = 6, j = 4, k = 5\\nC[i,k] = A[i,j] * B[j,k]"
        call = dist.contract_program
        caught(call, text, {"A": a, "B": b})
        caught(call, text, {"A": left, "B": b})
        caught(call, text, {"A": left})
        caught(call, text, {"A": left, "B": right, "E": right})
        caught(call, text, {"A": left, "B": left})
        caught(call, text, {"A": left, "B": other.distribute(b, [None, None])})
        caught(call, text, {"A": left, "B": mesh.distribute(b.astype("f4"), [0, None])})
        caught(call, text.replace("i = 6", "type = f32, i = 6"), {"A": left, "B": right})
        caught(call, text, {"A": left, "B": right}, layouts={"D": [0, None]})
        caught(call, text, {"A": left, "B": right}, layouts=[0, None])
        caught(call, text, {"A": left, "B": right}, layouts={"C": [0]})
        caught(call, text + " +", {"A": left, "B": right})
        caught(call, text.replace("i = 6", "i = ?6"), {"A": left, "B": right})
        caught(call, "i = 6\\nC[] = A[i,i]", {"A": left})
        caught(call, "ij,jk->ik", [left, mesh.distribute(np.ones((1, 5)), [None, None])])
        caught(call, "ii,jk->ik", [mesh.distribute(np.ones((4, 4)), [0, None]), right])
        caught(call, "ij,jk->ik", [])
        caught(call, text if rank else "ij,jk->ik", {"A": left, "B": right} if rank else [left, right])
        caught(call, text, {"A": left, "B": right}, machine=dist.Machine(memory=100))
        from tc.distributed import _programs
        kept = _programs.find_program
        def fail(*_):
            raise MemoryError("no room for more")
        _programs.find_program = fail
        caught(call, text, {"A": left, "B": right})
        _programs.find_program = kept
        caught(call, text, {"A": left, "B": right}, notation="einsum")
        plan = dist.plan_program(text, {"A": left, "B": right})
        caught(call, text, {"A": left.redistribute([None, 0]), "B": right}, plan=plan)
        caught(call, text, {"A": left, "B": right}, plan=str(plan))
        slow = dist.plan_program(text, {"A": left, "B": right}, machine=dist.Machine(products=10))
        caught(call, text, {"A": left, "B": right}, plan=slow, ring=False)
        assert call(text, {"A": left, "B": right}, plan=slow).gather().tolist() == (a @ b).tolist()
        whole = call(text, {"A": left, "B": right}, plan=plan, layouts=None).gather()
        say(whole.tolist() == (a @ b).tolist())
        """,
    )
    assert said[0] == said[1]
    assert said[0] == [
        "TypeError: no operand is a Tensor: distribute them",
        "TypeError: B is no Tensor, but ndarray: distribute it",
        "ValueError: tensor 'B' is missing",
        "ValueError: the program takes no tensor 'E', but A, B",
        "ValueError: B has shape (6, 4), but in the program (4, 5)",
        "ValueError: B is on another mesh than A",
        "TypeError: A has dtype float64 and B float32: convert one of them",
        "TypeError: A has dtype float64, but in the program float32",
        "ValueError: layouts names 'D', which is no result; those are C",
        "TypeError: layouts are those of results by their names",
        "ValueError: result 'C' has 2 axes, but its layout 1: [0]",
        "ValueError: text:2:27: error: expected a tensor, found end of input",
        "ValueError: the extent of index 'i' is unknown: programs on a mesh have all extents in their text",
        "ValueError: tensor 'A' has index 'i' twice: take its diagonal first",
        "ValueError: index 'j' has extent 1 in operand 1, but 4 in another: tensors on a mesh are not "
        "broadcast",
        "ValueError: operand 0 has index 'i' twice: take its diagonal first",
        "TypeError: no operand is a Tensor: distribute them",
        "ValueError: the program is 'ij,jk->ik' on rank 0, but 'i = 6, j = 4, k = 5\\nC[i,k] = A[i,j] * "
        "B[j,k]' on rank 1",
        "PlanError: no way to compute C on a grid of (2,) leaves each rank within its 100 bytes",
        "RankError: rank 0: MemoryError: no room for more",
        "ValueError: notation 'einsum' is none of tensors and octopi",
        "ValueError: plan was made for another program, or for other layouts or dtypes",
        "TypeError: plan is no ProgramPlan, but str",
        "ValueError: plan lets blocks go around, but ring is False",
        True,
    ]


@needs_mpi
@pytest.mark.parametrize(
    "example, arguments",
    [("distributed_ccd.py", ("2",)), ("distributed_circuit.py", ("18", "4", "224"))],
)
def test_examples(example, arguments):
    path = pathlib.Path(__file__).parents[2] / "examples" / example
    output = mpi_ranks.end_of(mpi_ranks.launch(2, [path, *arguments]), 120)
    assert "error " in output
