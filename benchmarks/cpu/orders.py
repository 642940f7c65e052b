#!/usr/bin/env python3
"""Orders of many tensors by tc.einsum_path and by other searches, within the same time.

For each network of benchmarks/suites/everyday.json's "orders" and "networks": the products
of the order that each finds, the largest tensor between, and the seconds of the search. One
function here counts the products of all orders.
Searches of others get --limit seconds, and so does "tc, asked"; "tc" searches as long as it
does without being asked. Its limits are numbers of steps, so that its order is always the
same: beside other work, --own-limit is less than what others get by the clock on the wall.

  orders.py --limit 2 --json orders.json
  orders.py --limit 5 --own-limit 2
  orders.py --only lattice --contenders 'tc;sesum'
"""

import argparse
import json
import math
import os
import sys
import textwrap
import time

import everyday_cases
import fairness
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, os.pardir, "scripts"))
# pylint: disable-next=wrong-import-position
import whole_file

# The searches of tc, which are compared with the others.
OURS = ("tc", "tc, asked")
# Orders count as behind beyond that ratio of products.
BEHIND = 1.1


def cost_of(spec, extents, path):
    """The products of a path, the elements of the largest tensor that it makes, and those that
    its steps read and write.

    A step of more than two tensors is taken from the left to the right. Of one tensor, and
    before a product, indices that nothing else has are summed with the product."""
    terms, output = everyday_cases.terms_of(spec)
    left = [frozenset(term) for term in terms]
    holders = dict.fromkeys(output, 1)
    for term in left:
        for label in term:
            holders[label] = holders.get(label, 0) + 1
    products, largest, moved = 0, 1, 0

    def size(labels):
        return math.prod(extents[label] for label in labels)

    for step in path:
        taken = [left.pop(place) for place in sorted(step, reverse=True)][::-1]
        made = taken[0]
        for other in taken[1:]:
            before, union = made, made | other
            products += size(union)
            for label in made & other:
                holders[label] -= 1
            made = frozenset(
                label for label in union if holders[label] > 1)
            for label in union - made:
                holders[label] = 0
            largest = max(largest, size(made))
            moved += size(before) + size(other) + size(made)
        left.append(made)
    if len(left) > 1:
        raise ValueError("a path that leaves more than one tensor")
    return products, largest, moved


def ask_tc(spec, shapes, **options):
    """A path without a limit of memory, as others have none."""
    import tc
    arrays = [np.broadcast_to(np.float64(1), shape) for shape in shapes]
    return tc.einsum_path(spec, *arrays, memory_limit=-1, **options)[0][1:]


def search_tc(spec, shapes, _):
    return ask_tc(spec, shapes)


def search_tc_within(spec, shapes, limit):
    return ask_tc(spec, shapes, search_seconds=limit)


def of_cotengra(make):
    def search(spec, shapes, limit):
        import cotengra
        terms, output = everyday_cases.terms_of(spec)
        sizes = {label: extent for term, shape in zip(terms, shapes)
                 for label, extent in zip(term, shape)}
        return make(cotengra, limit)(list(map(list, terms)), list(output), sizes)
    return search


def random_greedy(cotengra, limit):
    """It has no limit of time: rounds of 32 tries until the time is over."""
    def search(terms, output, sizes):
        best, path, end, seed = math.inf, None, time.perf_counter() + limit, 0
        while path is None or time.perf_counter() < end:
            optimizer = cotengra.RandomGreedyOptimizer(max_repeats=32, seed=seed, parallel=False)
            found = optimizer(terms, output, sizes)
            seed += 1
            if optimizer.best_flops < best or path is None:
                best, path = optimizer.best_flops, found
        return path
    return search


def hyper(cotengra, limit):
    return cotengra.HyperOptimizer(methods=["greedy"], reconf_opts={}, max_time=limit,
                                   max_repeats=10**6, parallel=False)


def search_opt_einsum(spec, shapes, limit):
    import opt_einsum
    optimizer = opt_einsum.RandomGreedy(max_repeats=128, max_time=limit)
    return opt_einsum.contract_path(spec, *shapes, shapes=True, optimize=optimizer)[0]


def search_sesum(spec, shapes, limit):
    import sesum.sr
    return sesum.sr.compute_path(spec, *shapes, minimize="flops", max_repeats=10**6,
                                 max_time=limit, threads=1)[0]


SEARCHES = {
    "tc": search_tc,
    "tc, asked": search_tc_within,
    "cotengra, random greedy": of_cotengra(random_greedy),
    "cotengra, greedy and reconfiguration": of_cotengra(hyper),
    "opt_einsum, random-greedy-128": search_opt_einsum,
    "sesum": search_sesum,
}


def measure(case, names, limits, clock):
    """For each search, logarithms of products, of the largest tensor and of elements moved, and
    seconds. The limits are those of others and of tc."""
    spec, extents = everyday_cases.extents_of(case)
    shapes = [tuple(extents[label] for label in term)
              for term in everyday_cases.terms_of(spec)[0]]
    found = {}
    for name in names:
        begin = clock()
        try:
            path = SEARCHES[name](spec, shapes, limits[name in OURS])
        except Exception as error:  # pylint: disable=broad-except
            # Whatever a library raises for what it does not take.
            found[name] = {"refused": f"{type(error).__name__}: {str(error)[:120]}"}
            continue
        seconds = clock() - begin
        products, largest, moved = cost_of(spec, extents, path)
        found[name] = {"products": math.log10(max(products, 1)),
                       "largest": math.log10(largest), "moved": math.log10(moved),
                       "seconds": seconds}
    return {"name": case["id"], "class": case["class"], "tensors": len(shapes), "found": found}


def best_other(row, figure="products"):
    """The name and the logarithm of the least figure of others, such as the fewest products."""
    others = {name: found[figure] for name, found in row["found"].items()
              if name not in OURS and figure in found}
    best = min(others, key=others.get)
    return best, others[best]


def mean_ratio(logs):
    return f"{10 ** (sum(logs) / len(logs)):.2f}" if logs else "-"


def class_lines(rows, ours="tc"):
    """For each class: the geometric mean of tc's products over each other's, and the worst;
    of the elements that steps move over those of the best of others; and of its largest tensor
    over the smallest of others."""
    names = [name for name in rows[0]["found"] if name not in OURS]
    lines = ["| class | networks | " + " | ".join(names)
             + " | best of them | worst | network | elements moved there | elements moved |"
             " largest tensor | worst |",
             "| --- | ---: | " + "---: | " * (len(names) + 2) + "--- | ---: | ---: | ---: | ---: |"]
    classes = dict.fromkeys(row["class"] for row in rows)
    for group in [*classes, "all"]:
        chosen = [row for row in rows if group in ("all", row["class"])
                  and "products" in row["found"][ours]]

        def gaps_to_best(figure, chosen=chosen):
            return [row["found"][ours][figure] - best_other(row, figure)[1] for row in chosen]

        cells = [mean_ratio([row["found"][ours]["products"] - row["found"][name]["products"]
                             for row in chosen if "products" in row["found"][name]])
                 for name in names]
        gaps = gaps_to_best("products")
        worst = max(range(len(gaps)), key=gaps.__getitem__)
        largest = gaps_to_best("largest")
        # Beside the order with the fewest products, not with the fewest elements.
        moved = [row["found"][ours]["moved"] - row["found"][best_other(row)[0]]["moved"]
                 for row in chosen]
        cells += [mean_ratio(gaps), mean_ratio([gaps[worst]]), chosen[worst]["name"],
                  mean_ratio([moved[worst]]), mean_ratio(moved), mean_ratio(largest), mean_ratio([max(largest)])]
        lines.append(f"| {group} | {len(chosen)} | " + " | ".join(cells) + " |")
    return lines


def searches_of_tc(rows):
    return [name for name in OURS if name in rows[0]["found"]]


def network_lines(rows):
    """A line for each network: products and seconds of each search, in powers of ten."""
    names = list(rows[0]["found"])
    lines = ["| network | tensors | " + " | | ".join(names) + " | |",
             "| --- | ---: | " + "---: | ---: | " * len(names)]
    for row in rows:
        cells = []
        for name in names:
            found = row["found"][name]
            cells += ([f"{found['products']:.2f}", f"{found['seconds']:.2f} s"]
                      if "products" in found else ["-", "-"])
        lines.append(f"| {row['name']} | {row['tensors']} | " + " | ".join(cells) + " |")
    return [line.rstrip() for line in lines]


def behind_lines(rows, ours_name="tc"):
    """Networks whose order has more products than the best of others, the worst first."""
    found = []
    for row in rows:
        ours = row["found"][ours_name]
        if "products" not in ours:
            found.append((math.inf, f"{row['name']} | {row['class']} | {ours_name}: "
                          f"{ours['refused']}"))
            continue
        name, best = best_other(row)
        ratio = 10 ** (ours["products"] - best)
        if ratio > BEHIND:
            found.append((ratio, f"{row['name']} | {row['class']} | {row['tensors']} tensors | {ours_name} "
                          f"10^{ours['products']:.2f} in {ours['seconds']:.2f} s, largest "
                          f"10^{ours['largest']:.2f} | {name} 10^{best:.2f} in "
                          f"{row['found'][name]['seconds']:.2f} s, largest "
                          f"10^{row['found'][name]['largest']:.2f} | {ratio:.2f} times the products and "
                          f"{10 ** (ours['moved'] - row['found'][name]['moved']):.2f} "
                          "times the elements moved"))
    return [line for _, line in sorted(found, key=lambda each: -each[0])]


def page_lines(figures):
    """The section of the page."""
    tables = {"tc": "As long as tc searches without being asked",
              "tc, asked": "With `search_seconds` of "
                           f"{figures.get('own limit', figures['limit'])}"}
    return ["## Orders", "",
            textwrap.fill(
                "Products of orders that `tc.einsum_path` finds, as multiples of those of other "
                f"searches, which get {figures['limit']} s each, in the geometric mean of the "
                "networks of a class. tc's order is the one that its model predicts to take the "
                "least time, which need not have the fewest products, and its limit is a number "
                "of steps: elements that steps read and write take time, too, and are compared "
                "with those of the order of others that has the fewest products, for the worst "
                "network and in the mean. On a machine that others use, seconds of the processor "
                "are fewer. The last columns compare the largest intermediate with the smallest "
                "of others.",
                140),
            "",
            *[line for name in searches_of_tc(figures["rows"])
              for line in (tables[name] + ":", "",
                           *class_lines(figures["rows"], name), "")],
            "Products in powers of ten, and seconds of each search:", "",
            *network_lines(figures["rows"]), ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default="orders", help="orders, networks, or both (orders)")
    parser.add_argument("--only", default="", metavar="REGEX", help="networks whose names match")
    parser.add_argument("--contenders", default=";".join(SEARCHES),
                        help="with semicolons between")
    parser.add_argument("--limit", type=float, default=2, help="seconds of others' searches (2)")
    parser.add_argument("--own-limit", type=float, metavar="SECONDS",
                        help="of \"tc, asked\" (--limit)")
    parser.add_argument("--clock", choices=("wall", "processor"), default="wall",
                        help="by which the seconds of searches are measured, not limited")
    parser.add_argument("--read", metavar="FILE", help="figures of --json, measured before")
    parser.add_argument("--json", metavar="FILE", help="writes all figures there")
    fairness.add_option(parser)
    arguments = parser.parse_args()
    if arguments.read:
        with open(arguments.read, encoding="utf-8") as file:
            figures = json.load(file)
    else:
        fairness.require_own_choice(arguments.allow_environment)
        # An order does not depend on the type.
        cases = {case["id"]: case
                 for case in everyday_cases.read(arguments.kind.split(","), arguments.only)}
        rows = []
        own_limit = arguments.limit if arguments.own_limit is None else arguments.own_limit
        clock = time.process_time if arguments.clock == "processor" else time.perf_counter
        if any(name in OURS for name in arguments.contenders.split(";")):
            search_tc("ij,jk,kl->il", [(2, 2)] * 3, 0)
        for case in cases.values():
            rows.append(measure(case, arguments.contenders.split(";"),
                                (arguments.limit, own_limit), clock))
            print(f"{case['id']:45} " + "  ".join(
                f"{name} {found['products']:.2f} ({found['seconds']:.2f} s)" if "products" in found
                else f"{name}: {found['refused']}"
                for name, found in rows[-1]["found"].items()), flush=True)
        if not rows:
            sys.exit("no such networks")
        figures = {"limit": arguments.limit, "own limit": own_limit, "rows": rows,
                   "versions": fairness.versions(("opt_einsum", "cotengra", "cotengrust", "sesum")),
                   "date": time.strftime("%Y-%m-%d"), "processor": fairness.processor()}
    if arguments.json:
        with whole_file.writing(arguments.json) as file:
            json.dump(figures, file)
            file.write("\n")
    if set(figures["rows"][0]["found"]) <= set(OURS):
        return 0
    for name in searches_of_tc(figures["rows"]):
        print(f"{name}:")
        print("\n".join(class_lines(figures["rows"], name)))
        print("\n".join(behind_lines(figures["rows"], name)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
