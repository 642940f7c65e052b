# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms that run before they are compiled, the order that they take then, and what takes over.
Nothing here needs PyTorch or JAX."""

import itertools
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import tc
from tc._contraction import specialize
from tc._contraction.specialize import Later
from tc._notation.terms import Term, gradients_of, read, write
from tc._order.greedy import quick_path
from tc._programs import host_terms
from tc._programs.host_terms import HostTerms

# Gradients of a chain, products that are none of these, and terms of one factor.
TERMS = [
    "0ab,1bc,2cd->ad",
    "0ad,2bc,3cd->ab;0ad,1ab,3cd->bc;0ad,1ab,2bc->cd",
    "0ab,1bc,2cd->ad;1bc,2cd->bd;0ab->ba;1bc->b",
    "0ab,0ab,1bc->c;0ab,1bc,2cd->",
]
TYPES = {"f32": "float32", "f64": "float64", "c64": "complex128", "i32": "int32", "i64": "int64"}


def evaluate(text, arrays):
    return [
        np.einsum(
            ",".join(labels for _, labels in term.factors) + "->" + term.result,
            *(arrays[number] for number, _ in term.factors),
        )
        for term in read(text)
    ]


def draw(text, dtype, rng):
    """Small whole numbers, of which all sums are exact."""
    shapes = {
        number: tuple(3 + "abcd".index(label) for label in labels)
        for term in read(text)
        for number, labels in term.factors
    }
    return [
        rng.integers(-4, 5, shapes.get(number, ())).astype(dtype)
        for number in range(max(shapes) + 1)
    ]


def run(terms, arrays):
    results = [np.empty(shape, arrays[0].dtype) for shape in terms.shapes]
    terms.run(arrays, results)
    return results


@pytest.mark.parametrize("specialize", ["auto", "never", "always"])
@pytest.mark.parametrize("element_type", TYPES)
@pytest.mark.parametrize("text", TERMS)
def test_results(text, element_type, specialize):
    arrays = draw(text, TYPES[element_type], np.random.default_rng(1))
    shapes = [x.shape for x in arrays]
    terms = HostTerms(read(text), shapes, element_type, 1, specialize)
    for _ in range(2):
        for found, wanted in zip(run(terms, arrays), evaluate(text, arrays)):
            assert np.array_equal(found, wanted)


def test_a_word_that_is_none_of_these():
    with pytest.raises(ValueError, match="'often' is none of always, never and auto"):
        HostTerms(read(TERMS[0]), [(2, 2)] * 3, "f64", 1, "often")


def test_a_database_is_consulted(monkeypatch):
    monkeypatch.setenv("TC_TUNED", "file")
    assert specialize.in_effect("auto") == "always"
    assert specialize.in_effect("never") == "never"
    monkeypatch.delenv("TC_TUNED")
    assert specialize.in_effect("auto") == "auto"


def compiled(monkeypatch):
    """The texts that are compiled as a whole, and which event says so."""
    texts, done = [], threading.Event()
    compile_all = host_terms._compiled

    def seeing(text, *options):
        texts.append(text)
        made = compile_all(text, *options)
        done.set()
        return made

    monkeypatch.setattr(host_terms, "_compiled", seeing)
    return texts, done


@pytest.mark.parametrize("specialize", ["auto", "never"])
def test_code_takes_over(monkeypatch, specialize):
    texts, done = compiled(monkeypatch)
    monkeypatch.setattr(host_terms, "_SECONDS", 1e-4)
    text = TERMS[1]
    arrays = draw(text, "float64", np.random.default_rng(2))
    terms = HostTerms(read(text), [x.shape for x in arrays], "f64", 1, specialize)
    assert not texts
    wanted = evaluate(text, arrays)
    begin = time.thread_time()
    while time.thread_time() - begin < 0.05:
        assert all(map(np.array_equal, run(terms, arrays), wanted))
    assert done.wait(60) if specialize == "auto" else not texts
    if specialize == "auto":
        assert all(map(np.array_equal, run(terms, arrays), wanted))
        assert len(texts) == 1 and "output R0, R1, R2" in texts[0]


def test_temporaries_are_freed():
    """Of a long chain's gradients, not all temporaries live at once."""
    letters = "abcdefghijkl"
    product = write([Term(tuple((i, letters[i : i + 2]) for i in range(10)), "ak")])
    _, text, used = gradients_of(product, (True,) * 10, (True,))
    terms = HostTerms(read(text), [(2, 2)] * len(used), "f64", 1, "never")
    steps = terms.run.__self__._steps
    made = [name for _, _, name, _, _ in steps if name[0] != "R"]
    freed = list(itertools.chain.from_iterable(unread for *_, unread in steps))
    assert sorted(made) == sorted(freed) and len(made) > 5
    arrays = [np.random.default_rng(i).integers(-1, 2, (2, 2)).astype(float) for i in range(11)]
    assert all(map(np.array_equal, run(terms, arrays), evaluate(text, arrays)))


def wait_for_threads():
    for thread in threading.enumerate():
        if thread.name == "tc":
            thread.join()


def test_later():
    calls = []
    later = Later(lambda: calls.append("ahead"), lambda: lambda: calls.append("code"), 0)
    later.run()
    wait_for_threads()
    later.run()
    assert calls == ["ahead", "code"]


def test_what_takes_less_time_is_not_compiled():
    calls = []
    later = Later(lambda: None, lambda: calls.append("made"), 10)
    for _ in range(100):
        later.run()
    wait_for_threads()
    assert not calls


def test_what_cannot_be_compiled():
    calls, tries = [], []

    def make():
        tries.append(1)
        raise tc.UnsupportedError("no compiler")

    later = Later(lambda: calls.append(1), make, 0)
    for _ in range(3):
        later.run()
        wait_for_threads()
    assert len(calls) == 3 and len(tries) == 1


def test_one_is_made_at_a_time():
    gate, calls = threading.Event(), []

    def slow():
        gate.wait()
        return lambda: calls.append("first")

    first, second = Later(lambda: None, slow, 0), Later(lambda: None, slow, 0)
    try:
        first.run()
        second.run()
        assert [x.name for x in threading.enumerate()].count("tc") == 1
    finally:
        gate.set()
    wait_for_threads()
    # Work that had to wait is made later.
    second.run()
    wait_for_threads()
    assert second._make is None
    first.run()
    assert calls == ["first"]


# While code is made, the process forks or ends.
BUSY = """
import os, sys, time
from tc._contraction.specialize import Later

made = []

def make():
    time.sleep(0.5)
    made.append(1)
    print("made", flush=True)
    return lambda: None

later = Later(lambda: None, make, 0)
later.run()
if sys.argv[1] == "fork":
    child = os.fork()
    # It has been waited for, and the child makes code of its own.
    assert made
    if child:
        assert os.waitpid(child, 0)[1] == 0
    else:
        Later(lambda: None, make, 0).run()
"""


# A fork waits for it, and an end does not.
@pytest.mark.parametrize("what, count", [("end", 0), ("fork", 1)])
def test_a_process_ends_while_code_is_made(what, count):
    # Python 3.12 warns of a fork where another thread has not ended yet.
    quiet = ["-W", "ignore::DeprecationWarning"]
    done = subprocess.run(
        [sys.executable, *quiet, "-c", textwrap.dedent(BUSY), what],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr[-2000:]
    assert done.stdout.count("made") == count


def cost_of(operands, extents, path):
    """The multiplications of a path that contracts all to a number."""
    left, total = [set(x) for x in operands], 0
    for i, j in path:
        union = left[i] | left[j]
        total += np.prod([extents[x] for x in union])
        rest = [x for number, x in enumerate(left) if number not in (i, j)]
        left = [*rest, union & set().union(*rest)]
    assert len(left) == 1
    return total


def test_quick_path():
    extents = {"a": 2, "b": 9, "c": 3, "d": 8, "e": 4}
    for operands in (["ab", "bc", "cd", "da"], ["ab", "ab", "c", "cd", "d"], ["ab", "bc", "c", "ad", "de"], ["ab", "cd"]):
        path = quick_path(operands, extents)
        found = cost_of(operands, extents, path)

        def paths(count):
            if count == 1:
                yield ()
                return
            for pair in itertools.combinations(range(count), 2):
                for rest in paths(count - 1):
                    yield (pair, *rest)

        best = min(cost_of(operands, extents, each) for each in paths(len(operands)))
        assert found <= 1.5 * best
    # A better order is worth a search.
    assert quick_path(["ab", "bc", "cd", "da"], dict.fromkeys("abcd", 300)) is None
