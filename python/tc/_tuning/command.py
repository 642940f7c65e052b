# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `tc-tune`."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from .. import _json, _launch, _native
from .._arrays.layout import DTYPES
from .plot import require_matplotlib, require_place
from .results import duration
from .tune import tune

DESCRIPTION = """\
Searches the schedule with which a contraction is fastest by evaluating those that the
model finds best, and keeps all evaluations in a database, which tc-run --tuned=FILE,
the option "tuned" of libtc and of the passes, tc.einsum(..., tuned=FILE) and the
environment variable TC_TUNED consult. A search that was interrupted goes on where it
was. docs/tuning.md explains it."""

EPILOG = """\
  tc-tune export --database=FILE [--best] > LINES   write evaluations as JSON lines
  tc-tune merge --database=FILE LINES...            add those of other databases
  tc-tune show --database=FILE                      list the best of each contraction
"""

# Options of compilation that are handed on as they are.
PASSED_ON = (
    "precision",
    "semiring",
    "product",
    "combine",
    "identity",
    "prologue-a",
    "prologue-b",
    "epilogue",
    "alpha",
    "beta",
)


def _shapes(text: str) -> list[list[int]]:
    shapes = text.split(",")
    if not all(re.fullmatch(r"(\d+(x\d+)*)?", shape) for shape in shapes):
        raise ValueError(f"--shapes: '{text}' is no list of shapes as in 8x3x4,8x4x5")
    return [[int(n) for n in shape.split("x") if n] for shape in shapes]


def _dtype(name: str, option: str) -> str:
    if name not in DTYPES:
        raise ValueError(f"--{option}: '{name}' is none of {', '.join(DTYPES)}")
    return DTYPES[name]


def _formula(contraction: str) -> str:
    """A key's contraction for people: "A[i0,i2] B[i2,i1] -> C[i0,i1] of f32, i0=512"."""
    try:
        return _write_formula(_json.parse_file(contraction)["contraction"])
    except (ValueError, LookupError, TypeError, AttributeError):
        # Evaluations that were merged may be of whatever their file says.
        return repr(contraction[:200])


def _write_formula(described: Any) -> str:
    terms = []
    for tensor, name in enumerate("ABC"):
        held = [index for index in described["indices"] if index["stride"][tensor]]
        held.sort(key=lambda index: -abs(index["stride"][tensor]))
        terms.append(name + "[" + ",".join(index["label"] for index in held) + "]")
    extents = " ".join(f"{each['label']}={each['extent']}" for each in described["indices"])
    types = list(dict.fromkeys(described["types"]))
    return f"{terms[0]} {terms[1]} -> {terms[2]} of {', '.join(types)}, {extents}"


def _search_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tc-tune",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"tc-tune {_launch.VERSION}")
    parser.add_argument("spec", help="an einsum specification of two operands")
    parser.add_argument("--shapes", required=True, help="of the operands, as in 8x3x4,8x4x5")
    parser.add_argument("--type", default="f64", help="of elements (f64)")
    parser.add_argument("--type-a", help="of those of A, if it is another one")
    parser.add_argument("--type-b", help="of those of B")
    parser.add_argument(
        "--target", default="cpu", help="cpu, this machine's (default), or a GPU such as sm_90"
    )
    parser.add_argument("--threads", type=int, default=1, help="of a CPU (1)")
    parser.add_argument(
        "--evaluate",
        choices=("cpu", "cuda", "machine-code"),
        help="how: measured on this CPU (default for it), on a CUDA device, or predicted from "
        "machine code (default for GPUs)",
    )
    parser.add_argument("--evaluations", type=int, default=100, help="at most (100)")
    parser.add_argument("--batch", type=int, default=10, help="evaluated between two fits (10)")
    parser.add_argument(
        "--pool", type=int, default=1000, help="best candidates of the model to choose from (1000)"
    )
    parser.add_argument("--repeats", type=int, default=7, help="of each measurement (7)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and the forest (1)")
    parser.add_argument("--database", required=True, metavar="FILE", help="made if there is none")
    parser.add_argument("--plot", metavar="FILE.svg", help="draw the search")
    parser.add_argument("--quiet", action="store_true", help="report no progress")
    for name in PASSED_ON:
        parser.add_argument(f"--{name}", metavar="X", help="as tc-run takes it")
    return parser


def _search(arguments: Sequence[str]) -> None:
    options = _search_parser().parse_args(arguments)
    dtypes = [
        _dtype(given or options.type, "type-" + letter if given else "type")
        for letter, given in (("a", options.type_a), ("b", options.type_b))
    ]
    passed_on = {
        name.replace("-", "_"): value
        for name in PASSED_ON
        if (value := getattr(options, name.replace("-", "_"))) is not None
    }

    def progress(line: str) -> None:
        print(f"tc-tune: {line}", file=sys.stderr, flush=True)

    if options.plot:
        # Not only when the search has taken its minutes.
        require_matplotlib()
        require_place(options.plot)
    found = tune(
        options.spec,
        _shapes(options.shapes),
        dtypes,
        options.target,
        database=options.database,
        threads=options.threads,
        evaluations=options.evaluations,
        batch=options.batch,
        pool=options.pool,
        seed=options.seed,
        evaluate=options.evaluate,
        repeats=options.repeats,
        progress=None if options.quiet else progress,
        **passed_on,
    )
    for number, why in found.failures.items():
        print(
            f"tc-tune: {found.space.candidates[number].schedule} failed: {why}",
            file=sys.stderr,
        )
    print(found.summary())
    if options.plot:
        found.plot(options.plot)


def _with_database(command: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"tc-tune {command}", description=description)
    parser.add_argument("--database", required=True, metavar="FILE")
    return parser


def _export(arguments: Sequence[str]) -> None:
    parser = _with_database("export", "Writes evaluations as JSON, one a line.")
    parser.add_argument("--best", action="store_true", help="only the best of each contraction")
    options = parser.parse_args(arguments)
    sys.stdout.write(_native.export_tuning(options.database, options.best))


def _merge(arguments: Sequence[str]) -> None:
    parser = _with_database(
        "merge", "Adds evaluations that a database lacks. It is made if there is none."
    )
    parser.add_argument("lines", nargs="+", help="files that export wrote; - is the standard input")
    options = parser.parse_args(arguments)
    # All are read before any is added.
    texts = []
    for path in options.lines:
        if path == "-":
            texts.append((path, sys.stdin.read()))
        else:
            with open(path, encoding="utf-8") as file:
                texts.append((path, file.read()))
    for path, text in texts:
        try:
            added = _native.merge_tuning(options.database, text)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
        print(f"{added} evaluations added from {path}")


def _show(arguments: Sequence[str]) -> None:
    parser = _with_database("show", "Lists the best evaluation of each contraction and machine.")
    options = parser.parse_args(arguments)
    counts: dict[str, int] = {}
    for line in _native.export_tuning(options.database, False).splitlines():
        key = json.dumps(json.loads(line)["key"])
        counts[key] = counts.get(key, 0) + 1
    for line in _native.export_tuning(options.database, True).splitlines():
        best = json.loads(line)
        print(_formula(best["key"]["contraction"]))
        print(f"  machine   {best['key']['machine']}")
        print(
            f"  best      {best['kind']} {duration(best['seconds'])} of "
            f"{counts[json.dumps(best['key'])]} evaluations, search {best['search']}, "
            f"{best['date']}"
        )
        print(f"  schedule  {best['schedule']}")


COMMANDS = {"export": _export, "merge": _merge, "show": _show}


def main() -> int:
    arguments = sys.argv[1:]
    command = COMMANDS.get(arguments[0]) if arguments else None
    try:
        if command:
            command(arguments[1:])
        else:
            _search(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has seen enough; nothing is to be written at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ImportError, OSError, RuntimeError, TypeError, ValueError) as error:
        print(f"tc-tune: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tc-tune: interrupted; the same command goes on", file=sys.stderr)
        return 130
    return 0
