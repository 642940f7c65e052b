"""Checks of the benchmark of everyday calls that need no other libraries, and figures for
its page."""

import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3,
                                "benchmarks", "cpu"))

# pylint: disable=wrong-import-position
import everyday_cases
import everyday_peers
import numpy as np


def suite():
    """Each case has an extent for each index, types have twenty calls, names are unique."""
    calls = everyday_cases.read(["calls"])
    networks = everyday_cases.read(["networks", "orders"])
    for case in calls + networks:
        spec, extents = everyday_cases.extents_of(case)
        terms, output = everyday_cases.terms_of(spec)
        assert set("".join(terms)) == set(extents) and set(output) <= set(extents), case
        assert everyday_cases.extents_of(case) == (spec, extents), case
    types = collections.Counter(case["type"] for case in calls)
    assert set(types) == set(everyday_cases.TYPES) and min(types.values()) >= 20, types
    assert len(calls) >= 300, len(calls)
    lines = {(case["kind"], case["id"]) for case in networks if case["kind"] == "networks"}
    assert len(lines) >= 60, len(lines)
    names = collections.Counter((case["kind"], case["name"]) for case in calls + networks)
    assert max(names.values()) == 1, names.most_common(1)
    chosen = everyday_cases.read(["calls"], "^dot of halves", ["bf16"])
    assert [case["name"] for case in chosen] == ["dot of halves, bf16"], chosen


def views():
    """Views have the strides that they ask for, and the same numbers each time."""
    case = {"kind": "calls", "id": "x", "type": "f64", "spec": "ijk,jl->il",
            "sizes": "i3 j4 k5 l6", "views": ["step=2,1,-1 order=201", "step=0,1"]}
    spec, extents = everyday_cases.extents_of(case)
    first, second = everyday_cases.arrays_of(case, spec, extents)
    assert first.shape == (3, 4, 5) and first.strides == (64, 8, -192), first.strides
    assert second.shape == (4, 6) and second.strides == (0, 8), second.strides
    again, _ = everyday_cases.arrays_of(case, spec, extents)
    assert np.array_equal(first, again)


def errors():
    """Errors are relative by norm; integers wrap around."""
    case = {"kind": "calls", "id": "x", "type": "i8", "spec": "i,i->", "sizes": "i1000"}
    spec, extents = everyday_cases.extents_of(case)
    arrays = [np.full(1000, 5, np.int8)] * 2
    expected = everyday_cases.reference(case, spec, extents, arrays)
    assert everyday_cases.error_of(np.int8(25000 % 256 - 256), expected, case) == 0
    assert everyday_cases.error_of(np.int8(1), expected, case) == 1
    case["type"] = "f64"
    assert everyday_cases.error_of(np.full(4, 1.5), np.ones(4), case) == 0.5
    assert everyday_cases.error_of(np.ones(3), np.ones(4), case) == float("inf")


def peers():
    """NumPy computes a view as a copy, and refuses loops that take long."""
    case = {"kind": "calls", "id": "x", "type": "f64", "spec": "ij->ji", "sizes": "i2 j3"}
    array = np.ones((2, 3))
    result = everyday_peers.of_numpy(case, case["spec"], [array], False)()
    assert result.flags.c_contiguous and not np.shares_memory(result, array)
    case = {**case, "spec": "ij,jk->ik", "sizes": "i1000 j1000 k1000"}
    try:
        everyday_peers.of_numpy(case, case["spec"], [array, array], False)
    except everyday_peers.Refused:
        return
    raise AssertionError("not refused")


def figures():
    """Figures of two cases, of which one is behind and one peer is wrong."""
    def case(name, ours, others):
        return {"kind": "calls", "name": name, "spec": "ij,jk->ik", "sizes": "i2 j3 k4",
                "type": "f64",
                "peers": {"tc": {"first": 3e-6, "warm": ours, "error": 0, "wrong": False}, **others}}

    def right(time):
        return {"first": time, "warm": time, "error": 0, "wrong": False}
    return {"setting": {"processor": "P", "core": "C", "date": "D", "versions": {"numpy": "2"},
                        "clock": "wall", "environment": [], "gflops": {"numpy": 1.0},
                        "remarks": ["slow reaches 0.50 of OpenBLAS's speed"]},
            "cases": [case("behind", 2e-5, {"numpy": right(1e-5), "torch": right(5e-6)}),
                      case("before", 1e-6, {"numpy": right(4e-6), "etops":
                           {"first": 1e-9, "warm": 1e-9, "error": 0.5, "wrong": True}})]}


def orders():
    """Figures of one network."""
    return {"limit": 2, "rows": [{"name": "n", "class": "c", "tensors": 3, "found": {
        "tc": {"products": 3.0, "largest": 1.0, "moved": 1.0, "seconds": 0.1},
        "other": {"products": 2.0, "largest": 1.0, "moved": 1.0, "seconds": 0.25}}}]}


if __name__ == "__main__":
    if sys.argv[1:] == ["figures"]:
        print(json.dumps(figures()))
    elif sys.argv[1:] == ["orders"]:
        print(json.dumps(orders()))
    else:
        for check in (suite, views, errors, peers):
            check()
        print("all is well")
