# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted times on many ranks, beside a simulation."""

import numpy as np
import pytest

import tc.distributed as dist
from tc.distributed._scale import CALLS_BEFORE, CALLS_BEHIND, RANKS, Work, predict_row

import mpi_ranks
import simulate_ranks
from test_distributed import needs_mpi

MACHINE = dist.Machine()


@pytest.mark.parametrize(
    "slices, seconds, ranks",
    [
        (1, 1.0, 1), (1, 1.0, 7), (5, 0.5, 8), (256, 0.5, 1), (256, 0.5, 16), (256, 0.5, 100),
        (4096, 0.0004, 2), (4096, 0.0004, 8), (4096, 0.05, 64), (4096, 0.05, 4096),
        (100000, 0.003, 100), (100000, 0.003, 1000), (100000, 0.1, 1000), (20000, 1.0, 2000),
        (50000, 0.01, 20000),
    ],
)
def test_the_closed_form_agrees_with_a_simulation(slices, seconds, ranks):
    work = Work(slices, seconds, 8, 1000)
    row = predict_row(work, ranks, MACHINE)
    simulated, questions = simulate_ranks.simulate(work, ranks, MACHINE)
    print(f"{slices} {seconds} {ranks}: {row.slices:.4g} predicted, {simulated:.4g} simulated, "
          f"{row.questions} questions, {questions} simulated")
    # Whoever gets the last slice ends one later than others.
    assert row.slices * 0.95 <= simulated <= row.slices * 1.1 + 2 * seconds + 0.02


def test_more_than_the_simulation_is_asked(tmp_path):
    operands = [np.ones((40, 50)), np.ones((50, 60)), np.ones((60, 7))]
    plan = dist.plan("ij,jk,kl->il", operands, slices=300)
    prediction = dist.predict(plan)
    assert [row.ranks for row in prediction.rows] == list(RANKS)
    first = prediction.rows[0]
    assert first.begin == first.end == 0 and first.questions == 0
    assert first.slices == pytest.approx(prediction.work.slices * prediction.work.seconds)
    assert prediction.efficiency(first) == pytest.approx(1)
    # A rank has one slice at least, and more ranks take longer to hear of the plan.
    assert all(row.slices >= prediction.work.seconds for row in prediction.rows)
    begins = [row.begin for row in prediction.rows]
    assert begins == sorted(begins)
    lines = str(prediction).splitlines()
    assert lines[0].startswith(f"{prediction.work.slices} slices of ") and len(lines) == 2 + len(RANKS)
    assert lines[-1].split()[0] == "100000"
    prediction.draw(tmp_path / "scale.svg")
    text = (tmp_path / "scale.svg").read_text()
    assert "<svg" in text and f"{prediction.work.slices} slices of" in text
    prediction.draw(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == text
    with pytest.raises(ValueError, match="ranks has 0, but there is one at least"):
        dist.predict(plan, ranks=[0])


def test_work_that_grows_with_ranks():
    plan = dist.plan("ij,jk->ik", [np.ones((64, 512)), np.ones((512, 9))], slices={"i": 64})
    weak = dist.predict(plan, ranks=[1, 16, 1024, 100000], weak=True)
    one = weak.rows[0]
    assert one == dist.predict(plan, ranks=[1]).rows[0]
    assert str(weak).startswith("64 slices of ") and " for each rank, a result of 4608 B" in str(weak)
    for row in weak.rows:
        assert row.slices >= one.slices * 0.999
        assert weak.efficiency(row) == pytest.approx(one.seconds / row.seconds)
        # The same as of a plan that has so many slices.
        assert row == predict_row(weak.work._replace(slices=64 * row.ranks), row.ranks, MACHINE)
    efficiencies = [weak.efficiency(row) for row in weak.rows]
    assert efficiencies == sorted(efficiencies, reverse=True) and efficiencies[1] > 0.9 > 0.1 > efficiencies[-1]


@needs_mpi
def test_calls_of_all_ranks(tmp_path):
    said = mpi_ranks.run(
        2,
        tmp_path,
        """
        from tc.distributed import _job
        class Counting:
            \"\"\"A communicator that counts what all ranks call together.\"\"\"
            calls = 0
            def __init__(self, comm):
                self.comm = comm
            def Dup(self):
                return Counting(self.comm.Dup())
            def __getattr__(self, name):
                if name in ("Allreduce", "allgather", "bcast", "Alltoallv", "Allgatherv"):
                    Counting.calls += 1
                return getattr(self.comm, name)
        whole, counts = _job.spread, []
        def spread(ranks, *arguments):
            counts.append(Counting.calls)
            made = whole(ranks, *arguments)
            counts.append(Counting.calls)
            return made
        _job.spread = spread
        dist.contract("ij,jk->ik", [np.ones((4, 3)), np.ones((3, 5))], Counting(comm), slices={"j": 3})
        before, behind = counts
        say([before, behind - before, Counting.calls - behind])
        """,
    )
    # The check of the communicator looks at three of them.
    assert said == [[[CALLS_BEFORE + 3, 0, CALLS_BEHIND]]] * 2


def test_slow_networks_and_answers_show():
    work = Work(100000, 0.01, 8 << 20, 1000)
    quick, slow = predict_row(work, 1000, MACHINE), predict_row(
        work, 1000, MACHINE._replace(bandwidth=1e6, latency=1.0, answer=1e-3)
    )
    # Ten stages of each call, of which one has the plan, and the result some times.
    assert slow.begin == pytest.approx(10 * (CALLS_BEFORE + 1e-3)) and quick.begin < 1e-3
    assert slow.end > 8 * 8 > quick.end
    assert slow.slices == pytest.approx(slow.questions * 1e-3) and quick.slices < slow.slices
