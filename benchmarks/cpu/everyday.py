#!/usr/bin/env python3
"""Times calls and networks that people publish, on one core, beside other libraries.

The cases of benchmarks/suites/everyday.json are computed by tc.einsum and, where they are
installed and take a case, by NumPy, opt_einsum, cotengra, PyTorch, TBLIS (pytblis), sesum and
etops, on the same random arrays: the first call in a process that has made one other call, and
the least of warm calls, which take turns. Results are compared with those in wider numbers.

  everyday.py --json all.json --page page.md --orders orders.json
  everyday.py --kind networks --only lattice --behind 1.1
"""

import argparse
import json
import os
import sys
import time

import fairness

# Before NumPy is loaded.
fairness.use_one_thread()

# pylint: disable=wrong-import-position
import everyday_cases
import everyday_page
import everyday_peers
import everyday_times

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, os.pardir, "scripts"))
import whole_file


def setting(allowed, clock):
    """The machine, versions, and which peers are slower than the machine's vectors are wide."""
    speeds = fairness.product_speeds(
        everyday_peers.square_products(), lambda name: everyday_peers.clock_of(name, clock))
    slow = fairness.half_width({name: speed for name, speed in speeds.items() if name != "tc"},
                               "numpy optimize")
    return {"processor": fairness.processor(), "core": fairness.openblas_core(),
            "date": time.strftime("%Y-%m-%d"), "clock": clock,
            "versions": fairness.versions(everyday_peers.PACKAGES),
            "environment": fairness.variables_set() if allowed else [],
            "gflops": {name: 2 * 512**3 * speed / 1e9 for name, speed in speeds.items()},
            "remarks": fairness.remarks(slow)}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def store(figures, path):
    """Figures so far, as JSON."""
    if path:
        with whole_file.writing(path) as file:
            json.dump(figures, file)
            file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default="calls,networks", help="calls, networks, or both")
    parser.add_argument("--only", default="", metavar="REGEX", help="cases whose names match")
    parser.add_argument("--type", default="", help="of f64, f32, c128, ... with commas between")
    parser.add_argument("--contenders", help="some of them, with commas between")
    parser.add_argument("--seconds", type=float, default=0.4, help="of each case's turns (0.4)")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall",
                        help="processor: without the time of others on this machine")
    parser.add_argument("--behind", type=float, default=1.1, metavar="RATIO",
                        help="prints cases that take that much longer than the best peer (1.1)")
    parser.add_argument("--read", metavar="FILE", nargs="+",
                        help="figures of --json, measured before; of a case in several, the "
                        "least times count")
    parser.add_argument("--orders", metavar="FILE", help="figures of orders.py, for the page")
    parser.add_argument("--again", action="store_true",
                        help="with --read: measures once more where tc is behind")
    parser.add_argument("--json", metavar="FILE", help="writes all figures there")
    parser.add_argument("--page", metavar="FILE", help="writes a page of Markdown there")
    fairness.add_option(parser)
    arguments = parser.parse_args()
    if arguments.read:
        figures = everyday_page.merged([load(path) for path in arguments.read])
    else:
        fairness.require_own_choice(arguments.allow_environment)
        cases = everyday_cases.read(arguments.kind.split(","), arguments.only,
                                    [each for each in arguments.type.split(",") if each])
        if not cases:
            sys.exit("no such cases")
        figures = {"setting": setting(arguments.allow_environment, arguments.clock)}
        print("\n".join(everyday_page.setting_lines(figures["setting"])), flush=True)
        names = arguments.contenders and arguments.contenders.split(",")
        figures["cases"] = everyday_times.measure(
            cases, arguments.seconds, arguments.clock, names, lambda text: print(text, flush=True),
            lambda: store({**figures, "cases": cases}, arguments.json))
    if arguments.again or not arguments.read:
        figures["setting"] = setting(arguments.allow_environment, figures["setting"]["clock"])
        everyday_times.again(figures["cases"], 2 * arguments.seconds, figures["setting"]["clock"],
                             lambda text: print(text, flush=True))
        store(figures, arguments.json)
    print("\n".join(everyday_page.summary(figures["cases"])))
    for line in everyday_page.behind_lines(figures["cases"], arguments.behind):
        print(line)
    if arguments.page:
        with whole_file.writing(arguments.page) as file:
            file.write(everyday_page.page(figures, arguments.orders and load(arguments.orders)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
