#!/usr/bin/env python3
"""Times products of many tensors that programs compute, on one core.

Each is computed in turns, in one process and on the same random arrays, by
tc.einsum in the order that the model chooses, by tc.einsum in the order of
opt_einsum's strategies "optimal", "dp" or "random-greedy-128", by the number of
tensors (the fewest multiplications), and by NumPy in that order; the best call of so many turns of five counts, after one that compiles, and the
results are compared. Prints a table with the model's prediction and the most
bytes that temporaries take, and geometric means; --page writes the table.

  networks.py --turns=7 --page=docs/order-benchmark.md
"""

import argparse
import datetime
import json
import math
import os
import platform
import string
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# pylint: disable=wrong-import-position
import numpy as np
import opt_einsum

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, os.pardir, "scripts"))
import fairness
import tc
import whole_file

# Relative to the norm of the result.
LARGEST_ERROR = 1e-12
# Calls of a turn.
REPEATS = 5


def symbol(number):
    """A letter for each number; beyond 52, of those that there are thousands of."""
    letters = string.ascii_letters
    return letters[number] if number < len(letters) else chr(0x4E00 + number)


def mps_overlap(sites, bond, physical=2):
    """Two matrix product states of so many sites."""
    inputs, extents = [], {}
    for layer in range(2):
        for site in range(sites):
            bonds = [symbol((layer + 1) * sites + there)
                     for there in (site - 1, site) if 0 <= there < sites - 1]
            inputs.append(symbol(site) + "".join(bonds))
            extents[symbol(site)] = physical
            extents.update(dict.fromkeys(bonds, bond))
    return ",".join(inputs) + "->", extents


def peps_norm(rows, columns, bond):
    """A lattice of tensors whose physical indices are summed already."""
    count, inputs, extents = 0, {}, {}
    for row in range(rows):
        for column in range(columns):
            inputs[row, column] = inputs.get((row, column), "")
            for there in ((row + 1, column), (row, column + 1)):
                if there[0] < rows and there[1] < columns:
                    label = symbol(count)
                    count += 1
                    extents[label] = bond
                    inputs[row, column] += label
                    inputs[there] = inputs.get(there, "") + label
    return ",".join(inputs.values()) + "->", extents


def circuit(qubits, layers):
    """The amplitude of one bit string after layers of two-qubit gates."""
    count = qubits
    now, inputs = [symbol(i) for i in range(qubits)], []
    for layer in range(layers):
        for first in range(layer % 2, qubits - 1, 2):
            new = symbol(count), symbol(count + 1)
            count += 2
            inputs.append(now[first] + now[first + 1] + "".join(new))
            now[first:first + 2] = new
    ends = [symbol(i) for i in range(qubits)] + now
    inputs += sorted(set(ends))
    return ",".join(inputs) + "->", {symbol(i): 2 for i in range(count)}


def sizes(text):
    return {part[0]: int(part[1:]) for part in text.split()}


NETWORKS = {
    "coupled cluster doubles, ladder":
        ("klcd,cdij,abkl->abij", sizes("k10 l10 c24 d24 i10 j10 a24 b24")),
    "coupled cluster doubles, ring":
        ("klcd,acik,bdjl->abij", sizes("k8 l8 c20 d20 i8 j8 a20 b20")),
    "coupled cluster doubles, exchange":
        ("klcd,ackl,dbij->abij", sizes("k10 l10 c24 d24 i10 j10 a24 b24")),
    "integrals to molecular orbitals":
        ("pqrs,pi,qa,rj,sb->iajb", sizes("p28 q28 r28 s28 i8 a20 j8 b20")),
    "density-fitted MP2 energy":
        ("Pia,Pjb,iajb->", sizes("P120 i10 a40 j10 b40")),
    "density-fitted exchange":
        ("Ppq,Prs,pi,ri->qs", sizes("P120 p40 q40 r40 s40 i10")),
    "matrix product states, overlap of 6 sites": mps_overlap(6, 48),
    "matrix product states, overlap of 12 sites": mps_overlap(12, 24),
    "DMRG, one site": ("awb,bsc,wxst,dxc->atd",
                       sizes("a80 w6 b80 s2 c80 x6 t2 d80")),
    "DMRG, two sites": ("awb,bsuc,wxst,xyuv,dyc->atvd",
                        sizes("a64 w6 b64 s2 u2 c64 x6 t2 y6 v2 d64")),
    "CTMRG, corner": ("ab,bpc,aqd,pqrs->cdrs", sizes("a32 b32 p9 c32 q9 d32 r9 s9")),
    "PEPS, norm of 3 x 3": peps_norm(3, 3, 9),
    "PEPS, norm of 3 x 4": peps_norm(3, 4, 6),
    "quantum circuit, 6 qubits": circuit(6, 4),
    "quantum circuit, 12 qubits": circuit(12, 8),
    "linear attention": ("bqhd,bkhd,bkhe->bqhe",
                         sizes("b2 q256 h8 d32 k256 e32")),
    "Tucker, reconstruction": ("abc,ia,jb,kc->ijk",
                               sizes("a16 b16 c16 i96 j96 k96")),
    "Tucker, gradient": ("ijk,jb,kc->ibc", sizes("i96 j96 k96 b16 c16")),
    "CP, reconstruction": ("ir,jr,kr->ijk", sizes("i96 j96 k96 r32")),
    "CP, MTTKRP": ("ijk,jr,kr->ir", sizes("i128 j128 k128 r32")),
    "tensor train, gradient": ("ai,ijb,jkc,kd,abcd->bj",
                               sizes("a32 i8 j8 b32 k8 c32 d32")),
    "spectral elements": ("il,jm,kn,elmn->eijk",
                          sizes("i12 l10 j12 m10 k12 n10 e64")),
    "bilinear layer": ("bi,oij,bj->bo", sizes("b64 i64 o64 j64")),
    "Mahalanobis distances": ("bi,ij,bj->b", sizes("b2000 i100 j100")),
    "chain of six matrices": ("ab,bc,cd,de,ef,fg->ag",
                              sizes("a300 b20 c400 d30 e500 f10 g200")),
}


def peak_bytes(spec, extents, path):
    """The most bytes that temporaries take at the same time."""
    terms, output = spec.split("->")
    left = [(set(term), False) for term in terms.split(",")]
    peak = 0

    def size(labels):
        return 8 * math.prod(extents[label] for label in labels)

    for step in path:
        taken = [left.pop(place) for place in sorted(step, reverse=True)]
        needed = set(output).union(*(labels for labels, _ in left))
        made = set().union(*(labels for labels, _ in taken)) & needed
        alive = sum(size(labels) for labels, isTemporary in left + taken
                    if isTemporary)
        peak = max(peak, alive + (size(made) if left else 0))
        left.append((made, True))
    return peak


def predicted(text):
    """The time in the first line of tc.einsum_path's text."""
    number, unit = text.split(": ")[1].split(" predicted")[0].split()
    return float(number) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[unit]


def measure(name, turns, rng):
    spec, extents = NETWORKS[name]
    arrays = [rng.random([extents[label] for label in term])
              for term in spec.split("->")[0].split(",")]
    ours, text = tc.einsum_path(spec, *arrays, threads=1)
    strategy = ("optimal" if len(arrays) <= 8 else
                "dp" if len(arrays) <= 24 else "random-greedy-128")
    fewest, _ = opt_einsum.contract_path(spec, *arrays, optimize=strategy)
    fewest = ["einsum_path", *(tuple(step) for step in fewest)]
    calls = {
        "tc": lambda: tc.einsum(spec, *arrays, threads=1,
                                specialize="always"),
        "fewest": lambda: tc.einsum(spec, *arrays, optimize=fewest, threads=1,
                                    specialize="always"),
        # NumPy knows 52 letters.
        "numpy": lambda: opt_einsum.contract(spec, *arrays, optimize=fewest[1:],
                                             backend="numpy"),
    }
    results = {key: np.asarray(call()) for key, call in calls.items()}
    for key, result in results.items():
        error = (np.linalg.norm(result - results["tc"])
                 / np.linalg.norm(results["tc"]))
        if not error <= LARGEST_ERROR:
            sys.exit(f"{name}: {key} differs by {error}")
    best = dict.fromkeys(calls, math.inf)
    for _ in range(turns):
        for key, call in calls.items():
            # The first ones find caches and memory as the call before left them.
            for _ in range(REPEATS):
                began = time.perf_counter()
                call()
                best[key] = min(best[key], time.perf_counter() - began)
    return {"name": name, "spec": spec, "tensors": len(arrays), **best,
            "predicted": predicted(text),
            "bytes": peak_bytes(spec, extents, ours[1:]),
            "bytes_fewest": peak_bytes(spec, extents, fewest[1:])}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(results):
    lines = ["| product | tensors | predicted | tc | tc, fewest products | NumPy |"
             " temporaries | fewest products |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for r in results:
        lines.append(
            f"| {r['name']} | {r['tensors']} | {r['predicted'] * 1e6:.1f} "
            f"| {r['tc'] * 1e6:.1f} | {r['fewest'] * 1e6:.1f} "
            f"| {r['numpy'] * 1e6:.1f} | {r['bytes']} | {r['bytes_fewest']} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--only", default="", help="products with that in the name")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--json", help="file for all figures")
    parser.add_argument("--page", help="page to write")
    fairness.add_option(parser)
    arguments = parser.parse_args()
    fairness.require_own_choice(arguments.allow_environment)
    print(f"OpenBLAS runs the kernels of {fairness.openblas_core()}")
    rng = np.random.default_rng(arguments.seed)
    results = []
    for name in NETWORKS:
        if arguments.only in name:
            results.append(measure(name, arguments.turns, rng))
            r = results[-1]
            print(f"{name:44} {r['tensors']:3} predicted {r['predicted'] * 1e6:9.1f}"
                  f"  tc {r['tc'] * 1e6:9.1f}  fewest {r['fewest'] * 1e6:9.1f}"
                  f"  numpy {r['numpy'] * 1e6:9.1f} us", flush=True)
    means = {key: mean([r[key] / r["tc"] for r in results])
             for key in ("fewest", "numpy", "predicted")}
    text = (f"In the geometric mean, the order of the fewest multiplications takes "
            f"{means['fewest']:.2f} times as long, NumPy in that order "
            f"{means['numpy']:.2f} times, and the prediction is "
            f"{means['predicted']:.2f} of the time.")
    print(text)
    if arguments.json:
        with whole_file.writing(arguments.json) as file:
            json.dump(results, file, indent=1)
    if arguments.page:
        with whole_file.writing(arguments.page) as file:
            file.write(PAGE.format(
                date=datetime.date.today(), system=platform.platform(),
                numpy=np.__version__, opt_einsum=opt_einsum.__version__,
                core=fairness.openblas_core(),
                turns=arguments.turns, mean=text, table=table(results)))


PAGE = """# The order of many tensors, measured

Measured on {date}, on one core, f64: {system}; NumPy {numpy}, whose OpenBLAS runs the kernels of {core}, opt_einsum {opt_einsum}. Times are in microseconds, the best of
{turns} turns of five calls, which take turns with one another in one process on the same random arrays; all are calls from
Python. Temporaries are in bytes, at the same time.

*tc* is `tc.einsum` in [the order that the model chooses](order.md), and *fewest products* is `tc.einsum` in that of opt_einsum's
`optimal` (`dp` beyond eight tensors, `random-greedy-128` beyond 24): each is one call of native code. *NumPy* is opt_einsum's
`contract` in the latter order, which calls `numpy.tensordot` or `numpy.einsum` for each pair.

```sh
python3 benchmarks/cpu/networks.py --turns={turns} --page=docs/order-benchmark.md
```

{mean}

{table}
"""


if __name__ == "__main__":
    sys.exit(main())
