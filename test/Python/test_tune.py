# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search for schedules, its database, and tc-tune."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

import tc
from tc import _native
from tc._tuning import tune as search
from tc._tuning.candidates import Problem, list_candidates
from tc._tuning.command import main
from tc._tuning.evaluate import EvaluationFailed, make_evaluator

needs_forest = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None, reason="scikit-learn is not installed"
)

SPEC, SHAPES = "iak,kbj->abij", [(24, 16, 200), (200, 16, 24)]


def lines_of(path, best=False):
    return [json.loads(line) for line in _native.export_tuning(str(path), best).splitlines()]


def time_of(schedule):
    """A time that depends on nothing but the schedule."""
    digest = hashlib.sha256(schedule.encode()).digest()
    return 1e-3 * (1 + digest[0] / 256 + digest[1] / 65536)


def use(monkeypatch, evaluate):
    """Takes the seconds of each schedule from a function."""

    def evaluate_each(schedules):
        for schedule in schedules:
            try:
                yield evaluate(schedule)
            except EvaluationFailed as failure:
                yield failure

    monkeypatch.setattr(search, "make_evaluator", lambda *_: evaluate_each)


@pytest.fixture
def fake_times(monkeypatch):
    """Evaluates nothing; the schedules for which a time was asked."""
    asked = []

    def evaluate(schedule):
        asked.append(schedule)
        return time_of(schedule)

    use(monkeypatch, evaluate)
    monkeypatch.setattr(search, "TREES", 10)
    monkeypatch.setattr(search, "CONFIRMING_ROUNDS", 0)
    return asked


def tune(path, **changes):
    options = {"dtypes": "float32", "evaluations": 12, "batch": 4, "pool": 100, **changes}
    return tc.tune(SPEC, SHAPES, database=str(path), **options)


@needs_forest
def test_what_is_found_is_used(tmp_path):
    path = tmp_path / "tuned.sqlite"
    progress = []
    found = tune(path, evaluations=6, batch=3, progress=progress.append)
    assert [each.number for each in found.evaluations][0] == 0
    assert len({each.number for each in found.evaluations}) == 6
    assert not found.failures and found.best.seconds > 0
    assert len(progress) == 6 and progress[-1].startswith("6/6, best ")
    assert re.search(r"left$", progress[0])
    stored = lines_of(path)
    last = {each["schedule"]: each["seconds"] for each in stored}
    assert list(last.values()) == [each.seconds for each in found.evaluations]
    assert last[found.space.candidates[found.best.number].stored] == found.best.seconds
    assert {each["kind"] for each in stored} == {"measured"}
    assert {each["search"] for each in stored} == {found.search}
    assert {each["version"] for each in stored} == {tc.__version__}
    summary = found.summary()
    assert "6 of " in summary and found.schedule in summary
    assert re.search(r"^ratio +\d+\.\d+ times", summary, re.MULTILINE)
    # Under other names of indices, too.
    compiled = tc.compile(
        "xay,ybz->abxz", SHAPES, "float32", threads=1, tuned=str(path), cache="off"
    )
    assert "from " + str(path) in compiled.explain()
    plain = tc.compile(SPEC, SHAPES, "float32", threads=1, tuned=str(path), cache="off")
    assert plain.schedule == found.schedule
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(shape).astype("float32") for shape in SHAPES)
    expected = np.einsum(SPEC, a.astype("float64"), b.astype("float64"))
    result = tc.einsum(SPEC, a, b, threads=1, tuned=path)
    assert np.abs(result - expected).max() < 1e-3


@needs_forest
def test_the_environment_names_a_database(tmp_path, monkeypatch, fake_times):
    path = tmp_path / "tuned.sqlite"
    found = tune(path)
    monkeypatch.setenv("TC_TUNED", str(path))
    compiled = tc.compile(SPEC, SHAPES, "float32", threads=1, cache="off")
    assert compiled.schedule == found.schedule
    compiled = tc.compile(SPEC, SHAPES, "float32", threads=1, cache="off", tuned="off")
    assert compiled.schedule == found.space.candidates[0].schedule
    monkeypatch.setenv("TC_TUNED", str(tmp_path / "missing"))
    with pytest.raises(tc.UnsupportedError, match="missing does not exist"):
        tc.compile(SPEC, SHAPES, "float32", threads=1)
    with pytest.raises(tc.UnsupportedError, match="missing does not exist"):
        tc.einsum("ij,jk->ik", *np.ones((2, 3, 3)), threads=1)


@needs_forest
def test_a_seed_decides(tmp_path, fake_times):
    def run(name, **changes):
        fake_times.clear()
        tune(tmp_path / name, **changes)
        return list(fake_times)

    first = run("1")
    assert len(first) == len(set(first)) == 12
    assert run("2") == first
    other = run("3", seed=2)
    assert other[0] == first[0] and other != first
    # Measurements in the forest decide, not only the sample.
    assert run("4", batch=2)[2:] != first[2:]
    assert run("5", evaluations=20)[:12] == first


@needs_forest
@pytest.mark.parametrize("stop", [1, 5, 11])
def test_an_interrupted_search_goes_on(tmp_path, monkeypatch, fake_times, stop):
    tune(tmp_path / "whole")
    whole = list(fake_times)
    fake_times.clear()

    def interrupt(line):
        if line.startswith(f"{stop}/"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(tmp_path / "parts", progress=interrupt)
    assert fake_times == whole[:stop]
    found = tune(tmp_path / "parts")
    assert fake_times == whole
    assert [each.is_known for each in found.evaluations] == [True] * stop + [False] * (12 - stop)
    # Another seed is another search, which measures anew.
    tune(tmp_path / "parts", seed=2, evaluations=4)
    assert len(fake_times) == 16


@needs_forest
def test_the_fastest_are_confirmed(tmp_path, monkeypatch):
    """The first times of what is fast are too long, and the last times of all."""
    counts = {}

    def evaluate(schedule):
        count = counts[schedule] = counts.get(schedule, 0) + 1
        slow = count == 1 and time_of(schedule) < 1.5e-3
        return time_of(schedule) * (1.1 if slow or count == rounds else 1)

    rounds = 1 + search.CONFIRMING_ROUNDS
    use(monkeypatch, evaluate)
    monkeypatch.setattr(search, "TREES", 10)
    found = tune(tmp_path / "1")
    again = {schedule for schedule, count in counts.items() if count > 1}
    assert len(again) == search.MOST_CONFIRMED < len(counts)
    assert {counts[schedule] for schedule in again} == {rounds}
    assert found.best.seconds == min(map(time_of, again)) == time_of(found.schedule)
    last = {each["schedule"]: each["seconds"] for each in lines_of(tmp_path / "1")}
    for each in found.evaluations:
        candidate = found.space.candidates[each.number]
        assert last[candidate.stored] == each.seconds
        if candidate.schedule in again:
            assert each.seconds == time_of(candidate.schedule)
    compiled = tc.compile(
        SPEC, SHAPES, "float32", threads=1, tuned=str(tmp_path / "1"), cache="off"
    )
    assert compiled.schedule == found.schedule
    # A schedule that was slower at first and confirmed then is not measured again.
    stored = [each["schedule"] for each in lines_of(tmp_path / "1")]
    twice = {
        candidate.schedule
        for candidate in found.space.candidates
        if stored.count(candidate.stored) == 2
    }
    before = dict(counts)
    resumed = tune(tmp_path / "1")
    assert resumed.best.seconds == found.best.seconds
    assert twice and all(counts[schedule] == before[schedule] for schedule in twice)


@needs_forest
def test_failures_are_left_out(tmp_path, monkeypatch):
    def evaluate(schedule):
        if schedule.count("1") % 2:
            raise EvaluationFailed("no " + schedule)
        return time_of(schedule)

    use(monkeypatch, evaluate)
    found = tune(tmp_path / "1")
    assert found.failures and len(found.failures) + len(found.evaluations) == 12
    assert found.schedule.count("1") % 2 == 0
    assert f"; {len(found.failures)} failed" in found.summary()

    def fail(schedule):
        raise EvaluationFailed("nothing works")

    use(monkeypatch, fail)
    with pytest.raises(RuntimeError, match="no candidate could be evaluated; .*nothing works"):
        tune(tmp_path / "2")
    assert not (tmp_path / "2").exists()


@needs_forest
def test_the_forest_finds_what_the_model_does_not(tmp_path, monkeypatch):
    """Times that a feature decides which the model knows nothing of."""
    use(monkeypatch, time_of)
    found = tune(tmp_path / "1", evaluations=8, batch=8, pool=1000)
    schedules = [each.schedule for each in found.space.candidates]
    rows = [re.search(r"register = \[\d+,", schedule)[0] for schedule in schedules]
    # The register tiles depend on the machine. A forest learns nothing of a tile that the first
    # evaluations do not have.
    first = [rows[each.number] for each in found.evaluations]
    feature = min(
        (each for each in sorted(set(first)) if 8 < rows.count(each) < len(rows)),
        key=lambda each: (first.count(each), -rows.count(each)),
    )

    def evaluate(schedule):
        return time_of(schedule) * (0.1 if feature in schedule else 1)

    use(monkeypatch, evaluate)
    found = tune(tmp_path / "2", evaluations=40, batch=8, pool=1000)
    wanted = {number for number, each in enumerate(rows) if each == feature}
    numbers = [each.number for each in found.evaluations]
    assert len(wanted & set(numbers[8:])) > len(wanted & set(numbers[:8]))
    assert found.best.number in wanted


def test_wrong_results_end_the_search(monkeypatch):
    problem = Problem("ij,jk->ik", ((5, 6), (6, 7)), ("float64",) * 2, "cpu", 1, {})
    evaluator = make_evaluator("cpu", problem, 1)
    schedule = list_candidates(problem, 1).candidates[0].schedule
    failure, seconds = evaluator(["#tc.cpu_schedule<>", schedule])
    assert 0 < seconds < 1
    assert isinstance(failure, EvaluationFailed) and "schedule" in str(failure)
    evaluator._expected[2, 3] += 1e-9
    with pytest.raises(RuntimeError, match="computes something else than the model's choice"):
        evaluator([schedule])


@pytest.mark.parametrize("dtype", ["float16", "int8", "complex64"])
def test_dtypes_are_compared(dtype):
    problem = Problem("ij,jk->ik", ((5, 6), (6, 7)), (dtype,) * 2, "cpu", 1, {})
    evaluator = make_evaluator("cpu", problem, 1)
    candidates = list_candidates(problem, 3).candidates
    found = list(evaluator([each.schedule for each in candidates]))
    assert len(found) == len(candidates) and min(found) > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"evaluations": 0}, "evaluations is 0, but must be 1 at least"),
        ({"batch": -1}, "batch is -1, but must be 1 at least"),
        ({"pool": 0}, "pool is 0, but must be 1 at least"),
        ({"repeats": 0}, "repeats is 0, but must be 1 at least"),
        ({"evaluate": "guess"}, "evaluate is 'guess', which is none of cpu, cuda and"),
        ({"evaluate": "cuda"}, "evaluate is 'cuda', but target is 'cpu'"),
        ({"target": "sm_80", "evaluate": "cpu"}, "evaluate is 'cpu', but target is 'sm_80'"),
        ({"dtypes": "bfloat16"}, "NumPy has no bfloat16"),
        ({"database": ""}, "no database is named"),
    ],
)
def test_bad_arguments(tmp_path, changes, message):
    options = {"database": str(tmp_path / "1"), **changes}
    with pytest.raises(ValueError, match=message):
        tc.tune("ij,jk->ik", [(4, 4), (4, 4)], **options)
    assert list(tmp_path.iterdir()) == []


@needs_forest
@pytest.mark.parametrize(
    ("spec", "shapes", "message"),
    [
        ("ij->ji", [(4, 4)], "'ij->ji' has 1 operands; only contractions of two"),
        ("ij,jk,kl->il", [(4, 4)] * 3, "has 3 operands"),
        ("ij,jk->ik", [(4, 4), (5, 4)], "index 'j' has extent 4 .* and 5"),
        ("ij,jk->ik", [(4, 0), (0, 4)], "0 contractions in it need a schedule"),
    ],
)
def test_bad_contractions(tmp_path, spec, shapes, message):
    with pytest.raises((ValueError, tc.UnsupportedError), match=message):
        tc.tune(spec, shapes, database=str(tmp_path / "1"))


def test_without_a_forest(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(ImportError, match=r"pip install 'tc-contract\[tune\]'"):
        tune(tmp_path / "1")


def test_without_a_tool(tmp_path, monkeypatch):
    monkeypatch.setenv("TC_TOOLS", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="tc-run, .* is not in TC_TOOLS"):
        tune(tmp_path / "1", target="sm_80")
    monkeypatch.delenv("TC_TOOLS")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="TC_TOOLS may name its folder"):
        tune(tmp_path / "1", target="sm_80")


@needs_forest
def test_a_damaged_database_is_left_alone(tmp_path, fake_times):
    path = tmp_path / "tuned.sqlite"
    path.write_bytes(b"garbage " * 1000)
    with pytest.raises(tc.UnsupportedError, match=f"{path} is damaged: file is not a database"):
        tune(path)
    assert path.read_bytes() == b"garbage " * 1000 and not fake_times


def has_disassembler():
    return bool(os.environ.get("TC_NVDISASM") or shutil.which("nvdisasm"))


@needs_forest
@pytest.mark.skipif(not has_disassembler(), reason="there is no nvdisasm")
def test_machine_code(tmp_path):
    path = tmp_path / "tuned.sqlite"
    shapes = [(64, 64), (64, 64)]
    found = tc.tune(
        "ij,jk->ik", shapes, "float32", "sm_80", database=str(path), evaluations=3, batch=2, pool=9
    )
    assert len(found.evaluations) == 3 and not found.failures
    assert {each["kind"] for each in lines_of(path)} == {"simulated"}
    assert lines_of(path)[0]["key"]["machine"] == "sm_80"
    compiled = tc.compile("ij,jk->ik", shapes, "float32", "sm_80", tuned=str(path))
    assert compiled.schedule == found.schedule
    assert "simulated" in compiled.explain()


@needs_forest
def test_a_device(tmp_path, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", os.environ["TC_FAKE_CUDA"])
    path = tmp_path / "tuned.sqlite"
    found = tc.tune(
        "ij,jk->ik",
        [(8, 8), (8, 8)],
        ("float16", "float32"),
        "sm_80",
        database=str(path),
        evaluations=2,
        repeats=2,
        evaluate="cuda",
        epilogue="relu(x)",
    )
    assert len(found.evaluations) == 2, found.failures
    assert {each["kind"] for each in lines_of(path)} == {"measured"}


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ('echo "one" >&2; echo "two" >&2; exit 1', EvaluationFailed, "^two$"),
        ("exit 1", EvaluationFailed, "^tc-run failed$"),
        (
            """echo '{"kernels": [{"check": {"passed": false}}]}'; exit 1""",
            RuntimeError,
            "computes something wrong: the schedule",
        ),
    ],
)
def test_what_the_tool_says(tmp_path, monkeypatch, script, error, message):
    tool = tmp_path / "tc-run"
    tool.write_text("#!/bin/sh\n" + script + "\n")
    tool.chmod(0o755)
    monkeypatch.setenv("TC_TOOLS", str(tmp_path))
    problem = Problem("ij,jk->ik", ((5, 6), (6, 7)), ("float64",) * 2, "sm_80", 1, {})
    evaluator = make_evaluator("cuda", problem, 1)
    with pytest.raises(error, match=message):
        (found,) = evaluator(["the schedule"])
        assert isinstance(found, EvaluationFailed)
        raise found


@needs_forest
def test_pictures(tmp_path, fake_times):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    found = tune(tmp_path / "1")
    for name in ("a.svg", "b.svg"):
        found.plot(str(tmp_path / name))
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    assert "best so far" in text and "predicted by the model, ms" in text
    xml.etree.ElementTree.fromstring(text)


def test_a_picture_that_cannot_be_written(tmp_path, monkeypatch, capsys, fake_times):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    for path in (tmp_path, tmp_path / "none" / "a.svg"):
        status, out, err = command(
            SPEC, "--shapes=24x16x200,200x16x24", f"--database={tmp_path / 'new'}",
            f"--plot={path}", monkeypatch=monkeypatch, capsys=capsys)
        assert (status, out) == (1, "")
        assert err == f"tc-tune: error: no picture can be written to {path}\n"
    assert not (tmp_path / "new").exists()


def command(*arguments, monkeypatch, capsys):
    """Runs tc-tune: its status, and what it writes."""
    monkeypatch.setattr(sys, "argv", ["tc-tune", *map(str, arguments)])
    status = main()
    return (status, *capsys.readouterr())


@needs_forest
def test_the_command(tmp_path, monkeypatch, capsys, fake_times):
    def run(*arguments):
        return command(*arguments, monkeypatch=monkeypatch, capsys=capsys)

    here, there, lines = (tmp_path / name for name in ("here", "there", "lines"))
    search = (SPEC, "--shapes=24x16x200,200x16x24", "--type=f32", "--evaluations=5", "--batch=2")
    status, out, err = run(*search, f"--database={here}")
    assert status == 0 and "evaluations     5 of" in out
    assert err.count("tc-tune: ") == 5
    assert run(*search, f"--database={here}", "--quiet")[2] == ""
    status, exported, _ = run("export", f"--database={here}")
    assert status == 0 and exported.count("\n") == 5
    lines.write_text(exported)
    status, out, _ = run("merge", f"--database={there}", lines)
    assert (status, out) == (0, f"5 evaluations added from {lines}\n")
    assert run("merge", f"--database={there}", lines)[1] == f"0 evaluations added from {lines}\n"
    assert run("export", f"--database={there}")[1] == exported
    assert run("export", f"--database={there}", "--best")[1].count("\n") == 1
    status, out, _ = run("show", f"--database={there}")
    assert status == 0
    assert "A[i2,i0,i4] B[i4,i1,i3] -> C[i0,i1,i2,i3] of f32, i0=16" in out
    assert "of 5 evaluations" in out
    status, out, err = run(*search, f"--database={there}", "--epilogue=relu(x)", "--quiet")
    assert status == 0
    assert len(lines_of(there, best=True)) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ij,jk", "--shapes=2x2,ax2"], "--shapes: '2x2,ax2' is no list of shapes as in 8x3"),
        (["ij,jk", "--shapes=2x2,2x2", "--type=f31"], "--type: 'f31' is none of f8e4m3fn"),
        (["ij,jk", "--shapes=2x2,2x2", "--type-b=x"], "--type-b: 'x' is none of"),
        (["ij,jk", "--shapes=2x2,2x2", "--target=sm_1", "--evaluate=cpu"], "evaluate is 'cpu'"),
        (["ij,j?", "--shapes=2x2,2x2"], "'?'"),
        (["export"], "missing does not exist"),
        (["show"], "missing does not exist"),
        (["merge", "/nowhere/lines"], "No such file or directory: '/nowhere/lines'"),
    ],
)
def test_bad_commands(tmp_path, monkeypatch, capsys, arguments, message):
    arguments = [*arguments, f"--database={tmp_path / 'missing'}"]
    status, out, err = command(*arguments, monkeypatch=monkeypatch, capsys=capsys)
    assert status == 1 and out == ""
    assert err.startswith("tc-tune: error: ") and err.count("\n") == 1
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_bad_lines(tmp_path, monkeypatch, capsys):
    lines = tmp_path / "lines"
    lines.write_text("\n{}\n")
    arguments = ("merge", f"--database={tmp_path / 'd'}", lines)
    status, _, err = command(*arguments, monkeypatch=monkeypatch, capsys=capsys)
    assert status == 1
    assert err == f'tc-tune: error: {lines}: evaluations:2: $: missing key "key"\n'


@needs_forest
def test_a_killed_search_goes_on(tmp_path):
    """The program, killed while it measures."""
    path = tmp_path / "tuned.sqlite"
    arguments = [
        sys.executable,
        "-m",
        "tc.tune",
        SPEC,
        "--shapes=24x16x200,200x16x24",
        "--evaluations=8",
        "--batch=4",
        "--pool=50",
        f"--database={path}",
    ]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if "5/8" in line:
                process.send_signal(signal.SIGKILL)
                break
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    before = lines_of(path)
    assert 5 <= len(before) < 8
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert f"measured, {len(before)} of them before" in done.stdout
    after = lines_of(path)
    assert after[: len(before)] == before
    assert len({each["schedule"] for each in after}) == 8
