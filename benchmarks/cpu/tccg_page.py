#!/usr/bin/env python3
"""Makes docs/cpu-benchmark.md and its figure of the measurements by
tccg_cpu.py.

  tccg_page.py results/*.json --page=docs/cpu-benchmark.md
"""

import argparse
import csv
import json
import os
import sys

from tccg_cpu import GROUPS, geometric_mean, whole_file

HERE = os.path.dirname(os.path.abspath(__file__))
PUBLISHED = os.path.join(HERE, "gett_toms2018_haswell.csv")
# Intel Xeon E5-2680 v3: 2.5 GHz, two FMA units of 256 bits.
PUBLISHED_PEAK = {"f64": 40.0, "f32": 80.0}
PEERS = ("tc", "gemm", "tblis", "tensordot", "einsum")


def label(run):
    threads = run["machine"]["threads"]
    return f"{run['type']}, {threads} thread{'s' if threads > 1 else ''}"


def fractions(run, peer):
    """By contraction; empty if the peer was not there."""
    return {result["id"]: result["gflops"][peer] / result["peak_gflops"]
            for result in run["results"] if peer in result["gflops"]}


def turns(run):
    return max(result["turns"] for result in run["results"])


def mean(values):
    return format(geometric_mean(values), ".3f") if values else "-"


def mean_rows(runs):
    yield ("| contractions | run | " + " | ".join(PEERS)
           + " | tc / gemm |")
    yield "| --- " * (len(PEERS) + 3) + "|"
    for name, ids in GROUPS:
        for run in runs:
            values = {peer: [value for number, value
                             in fractions(run, peer).items() if number in ids]
                      for peer in PEERS}
            ratio = geometric_mean(values["tc"]) / geometric_mean(values["gemm"])
            yield (f"| {name} | {label(run)} | "
                   + " | ".join(mean(values[peer]) for peer in PEERS)
                   + f" | {ratio:.2f} |")


def case_rows(run):
    yield "| | contraction | peak | " + " | ".join(PEERS) + " | tc / peak |"
    yield "| ---: | --- | ---: | " + "---: | " * (len(PEERS) + 1)
    for result in run["results"]:
        yield (f"| {result['id']} | `{result['spec']}` | "
               f"{result['peak_gflops']:.1f} | "
               + " | ".join(f"{result['gflops'][peer]:.1f}"
                            if peer in result["gflops"] else "-"
                            for peer in PEERS)
               + f" | {result['gflops']['tc'] / result['peak_gflops']:.2f} |")


def published_rows(runs):
    """Fractions of the machine's peak, ours beside those that were printed."""
    with open(PUBLISHED, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    yield "| contractions | type | GETT | loops over GEMM | TTGT | tc here |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for run in runs:
        suffix = "dp" if run["type"] == "f64" else "sp"
        ours = fractions(run, "tc")
        for name, ids in GROUPS:
            cells = []
            for method in ("gett", "log", "ttgt"):
                values = [float(row[f"{method}_{suffix}"]) for row in rows
                          if int(row["tccg_id"]) in ids
                          and row[f"{method}_{suffix}"] not in ("-", "")]
                missing = len(ids) - len(values)
                cells.append(
                    (f"{geometric_mean(values) / PUBLISHED_PEAK[run['type']]:.2f}"
                     if values else "")
                    + (f" ({missing} not possible)" if missing else ""))
            here = geometric_mean([ours[number] for number in ids])
            yield (f"| {name} | {run['type']} | " + " | ".join(cells)
                   + f" | {here:.2f} |")


def draw(runs, path):
    import matplotlib
    matplotlib.use("svg")
    # The same figures give the same file.
    matplotlib.rcParams["svg.hashsalt"] = "tc"
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(len(runs), 1, sharex=True, squeeze=False,
                                   figsize=(10, 2.4 * len(runs)))
    for run, axis in zip(runs, axes[:, 0]):
        for peer, style in zip(PEERS, ("o-", "x--", "^:", ".", "+")):
            values = fractions(run, peer)
            axis.plot(list(values), list(values.values()), style, label=peer,
                      linewidth=1, markersize=5)
        axis.set_ylim(0, 1.05)
        axis.set_ylabel("fraction of FMA peak")
        axis.set_title(label(run), fontsize=10)
        axis.grid(alpha=0.3)
    axes[0, 0].legend(ncol=len(PEERS), fontsize=8)
    axes[-1, 0].set_xlabel("contraction")
    figure.tight_layout()
    with whole_file.writing(path, "wb") as file:
        figure.savefig(file, format="svg", metadata={"Date": None})


def page(runs, figure):
    machine = runs[0]["machine"]
    yield "# The CPU back end on the 48 contractions"
    yield ""
    yield (f"Measured on {machine['date']}: {machine['cpu']}, "
           f"{machine['cores']} cores, caches by core "
           f"{machine['caches'].replace('NAME ONE-SIZE ', '')}, "
           f"{machine['system']}; NumPy {machine['numpy']} with "
           f"{machine['blas']}, its kernels {machine['blas_core']}"
           + (f"; TBLIS of pytblis {machine['pytblis']}"
              if "pytblis" in machine else "") + ". All in "
           "GFLOP/s or as fractions of the FMA peak of the cores, which is the "
           "largest seen beside the case.")
    for run in runs:
        peaks = [result["peak_gflops"] for result in run["results"]]
        yield (f"For {label(run)}, it was from {min(peaks):.0f} to "
               f"{max(peaks):.0f} GFLOP/s.")
    yield ""
    yield ("*gemm* is NumPy's `dot` of matrices of the equal size; *tensordot* "
           "includes bringing the result into C's order; *einsum* has "
           "`optimize=True`. All run in turns in one process on the same "
           "arrays, aligned to cache lines, caches as they are; the best of "
           f"{turns(runs[0])} turns counts, of two or three for products above "
           "100 GFLOP and for the slower peers, and the results are compared.")
    yield ""
    yield "```sh"
    yield "python3 -m pip install numpy matplotlib pytblis"
    yield "cmake --preset default -DTC_ENABLE_BENCHMARKS=ON && cmake --build --preset default"
    for run in runs:
        threads = run["machine"]["threads"]
        where = "--core=1" if threads == 1 else f"--threads={threads}"
        yield (f"python3 benchmarks/cpu/tccg_cpu.py --tools=build/bin "
               f"--type={run['type']} {where} --turns={turns(run)} "
               "--json=FILE.json")
    yield "python3 benchmarks/cpu/tccg_page.py FILE.json... --page=docs/cpu-benchmark.md"
    yield "```"
    yield ""
    yield "## Geometric means, as fractions of peak"
    yield ""
    yield from mean_rows(runs)
    yield ""
    yield f"![Fractions of peak by contraction]({figure})"
    yield ""
    yield "## Beside the published figures"
    yield ""
    yield ("Springer and Bientinesi, *Design of a High-Performance GEMM-like "
           "Tensor-Tensor Multiplication* (TOMS 2018, tables III and IV), "
           "measured on one core of an Intel Xeon E5-2680 v3; here as "
           "geometric means of fractions of that machine's peak "
           f"({PUBLISHED_PEAK['f64']:.0f} GFLOP/s in f64 at its nominal 2.5 "
           "GHz). They give GETT 0.97 (f64) and 0.98 (f32) of the equal-size "
           "GEMM on average; the table above has ours.")
    yield ""
    yield from published_rows([run for run in runs
                               if run["machine"]["threads"] == 1])
    yield ""
    for run in runs:
        yield f"## All contractions: {label(run)}"
        yield ""
        yield from case_rows(run)
        yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", help="JSON of tccg_cpu.py")
    parser.add_argument("--page", required=True, help="Markdown file to write")
    arguments = parser.parse_args()
    runs = []
    for name in arguments.results:
        with open(name, encoding="utf-8") as file:
            runs.append(json.load(file))
    for run in runs:
        if len(run["results"]) != 48:
            sys.exit("a page needs all 48 contractions")
    figure = os.path.splitext(arguments.page)[0] + ".svg"
    draw(runs, figure)
    text = "\n".join(page(runs, os.path.basename(figure))).rstrip() + "\n"
    with whole_file.writing(arguments.page) as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
