"""Lines and the page of everyday.py's figures."""

import math
import textwrap

import everyday_cases
import orders

# First calls count as behind beyond that ratio and so many seconds.
FIRST_RATIO = 1.5
FIRST_SECONDS = 1e-4
WORST = 40
PEERS = ("opt_einsum", "cotengra", "torch", "pytblis", "sesum", "etops")

HOW = """*First* calls: a process for each contender makes one other call and then computes all cases
in order. As some libraries remember orders, a product that comes again with another type is computed in
a second process. There are three such runs, one after the other, each with an empty cache, and the median
counts. *Warm* calls: all contenders take turns in one process, on the same arrays, and the least time
from the third call on counts. Where tc is behind, it and the best peers are measured once more, and
each contender's lesser time counts.
Libraries that refuse a case, take more than five seconds, or are wrong, are not compared with in it.
Of more than two operands, opt_einsum keeps an expression and sesum a path, as their documentations
say; etops, which has no einsum, keeps operations that were prepared for the strides, and takes
opt_einsum's path. Results that could be views are copies. Times are in microseconds."""


def wrapped(text):
    """A paragraph of the page, in lines as long as those of others."""
    return textwrap.fill(text, 140, break_long_words=False, break_on_hyphens=False)


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def merged(runs):
    """The figures of several runs as those of one, with the setting of the first and, for each
    contender of a case that several have, the least times."""
    cases = {}
    for run in runs:
        for case in run["cases"]:
            kept = cases.setdefault((case["kind"], case["name"]), case)
            for name, found in case["peers"].items():
                ours = kept["peers"].setdefault(name, found)
                for what in ("first", "warm"):
                    if what in found and "first" in ours:
                        ours[what] = min(ours.get(what, math.inf), found[what])
    return {"setting": runs[0]["setting"], "cases": list(cases.values()),
            "repeated": sum(len(run["cases"]) for run in runs) - len(cases)}


def rivals(case, what):
    """The times of peers whose results are right."""
    return {name: found[what] for name, found in case["peers"].items()
            if name != "tc" and what in found and not found.get("wrong")}


def compare(case, what):
    """The time of tc, and the name and the time of the best peer; or None."""
    ours, others = case["peers"].get("tc", {}), rivals(case, what)
    if what not in ours or not others:
        return None
    best = min(others, key=others.get)
    return ours[what], best, others[best]


def numpys_best(case, what):
    times = [case["peers"][name][what] for name in ("numpy", "numpy optimize")
             if what in case["peers"].get(name, {}) and not case["peers"][name].get("wrong")]
    return min(times) if times else None


def is_behind(case, what, ratio):
    found = compare(case, what)
    if not found:
        return False
    ours, _, best = found
    if what == "first":
        return ours > FIRST_RATIO * best and ours - best > FIRST_SECONDS
    return ours > ratio * best


def shapes_of(case):
    spec, extents = everyday_cases.extents_of(case)
    if "make" in case:
        return f"{case['make']}({', '.join(f'{k}={v}' for k, v in case['arguments'].items())})"
    shapes = ", ".join("x".join(str(extents[label]) for label in term) or "1"
                       for term in everyday_cases.terms_of(spec)[0])
    views = "; ".join(each or "-" for each in case.get("views", []))
    return f"{spec} {shapes}" + (f" [{views}]" if views else "")


def microseconds(seconds):
    return f"{1e6 * seconds:.4g}"


def behind_lines(cases, ratio):
    """Those behind the best peer, the worst first: of warm calls, then of first ones."""
    lines = []
    for what in ("warm", "first"):
        rows = [(case, compare(case, what)) for case in cases if is_behind(case, what, ratio)]
        rows.sort(key=lambda row: row[1][2] / row[1][0])
        for case, (ours, name, best) in rows:
            lines.append(f"{what:5} | {case['name']} | {shapes_of(case)} | tc "
                         f"{microseconds(ours)} us | {name} {microseconds(best)} us | "
                         f"{ours / best:.2f}")
    for case in cases:
        for name, found in case["peers"].items():
            if found.get("wrong"):
                lines.append(f"wrong | {case['name']} | {shapes_of(case)} | {name} | error "
                             f"{found['error']:.3g}")
    for case in cases:
        found = case["peers"].get("tc", {})
        if "refused" in found:
            lines.append(f"none  | {case['name']} | {shapes_of(case)} | tc | {found['refused']}")
    return lines


def ratios_of(cases, what):
    """For each peer, and for NumPy's best and the best of all, times as multiples of tc's."""
    found = {name: [] for name in ("NumPy's best", *PEERS, "the best of all")}
    for case in cases:
        ours = case["peers"].get("tc", {}).get(what)
        others = rivals(case, what)
        if not ours or not others:
            continue
        if numpys_best(case, what):
            found["NumPy's best"].append(numpys_best(case, what) / ours)
        for name in PEERS:
            if name in others:
                found[name].append(others[name] / ours)
        found["the best of all"].append(min(others.values()) / ours)
    return found


def summary(cases):
    """A table of geometric means, and of how many are behind."""
    names = list(ratios_of([], "warm"))
    lines = ["| times as long as tc | cases | " + " | ".join(names) + " | tc is behind |",
             "| --- | ---: | " + "---: | " * len(names) + "---: |"]
    for kind in dict.fromkeys(case["kind"] for case in cases):
        chosen = [case for case in cases if case["kind"] == kind]
        for what in ("warm", "first"):
            cells = [f"{mean(ratios):.2f} ({len(ratios)})" if ratios else "-"
                     for ratios in ratios_of(chosen, what).values()]
            late = sum(is_behind(case, what, 1.1) for case in chosen)
            lines.append(f"| {kind}, {what} | {len(chosen)} | " + " | ".join(cells)
                         + f" | {late} |")
    return lines


def setting_lines(setting):
    """The machine and the peers, and what is to be said of their kernels."""
    versions = ", ".join(f"{name} {version}" for name, version in setting["versions"].items())
    speeds = ", ".join(f"{name} {value:.1f}" for name, value in setting["gflops"].items())
    lines = [f"Measured on {setting['date']} on one thread of {setting['processor']}; {versions}; "
             f"OpenBLAS runs the kernels of {setting['core']}.",
             f"Products of 512 x 512 matrices of f64 run at, in GFLOP/s: {speeds}."]
    lines += [remark + "." for remark in setting["remarks"]]
    if setting["clock"] == "processor":
        lines.append("Times are the processor's, not the wall's, as others used the machine.")
    if setting["environment"]:
        lines.append(f"Not as it is elsewhere: {', '.join(setting['environment'])} was set.")
    return lines


def table(cases, what, ratio):
    rows = [(case, compare(case, what)) for case in cases if is_behind(case, what, ratio)]
    rows.sort(key=lambda row: row[1][2] / row[1][0])
    lines = ["| case | | tc | best peer | | times as long |",
             "| --- | --- | ---: | --- | ---: | ---: |"]
    for case, (ours, name, best) in rows[:WORST]:
        shapes = shapes_of(case).replace("|", "/")
        if len(shapes) > 60:
            shapes = shapes[:57] + "..."
        lines.append(f"| {case['name']} | `{shapes}` | {microseconds(ours)} | {name} | "
                     f"{microseconds(best)} | {ours / best:.2f} |")
    return lines


def wrong_lines(cases):
    """A line for each contender that is wrong or dies."""
    lines = []
    for case in cases:
        for name, found in case["peers"].items():
            if found.get("wrong"):
                lines.append(f"- {name}, {case['name']}: relative error {found['error']:.2g}")
            elif found.get("refused", "").startswith("died"):
                lines.append(f"- {name}, {case['name']}: the process dies")
    return lines


def page(figures, orders_figures=None):
    """The page, as text."""
    cases = figures["cases"]
    counts = {kind: sum(case["kind"] == kind for case in cases) for kind in ("calls", "networks")}
    lines = [
        "# Everyday calls, measured", "",
        wrapped(f"{counts['calls']} calls of `tc.einsum` and {counts['networks']} products of "
                "many tensors as people publish them, beside other libraries: [the "
                "suite](../benchmarks/suites/everyday.json) names where each is from."), "",
        wrapped(" ".join(setting_lines(figures["setting"]))), "",
        wrapped(HOW), "",
        *([f"Of {figures['repeated']} of the cases, there are two runs or more: the least times "
           "of each contender count.", ""] if figures.get("repeated") else []),
        "```sh",
        "python3 benchmarks/cpu/orders.py --limit 4 --own-limit 2 --json orders.json",
        "python3 benchmarks/cpu/everyday.py --json everyday.json --orders orders.json "
        "--page docs/everyday-benchmark.md",
        "python3 benchmarks/cpu/everyday.py --kind calls --type f64 --only transpose --behind 1.1",
        "```", "",
        "Geometric means, with the number of cases; tc is behind the best peer by more than a tenth "
        "in warm calls,", f"and by more than {FIRST_RATIO} times and 0.1 ms in first ones:", "",
        *summary(cases), ""]
    for what, title in (("warm", "Warm calls behind the best peer"),
                        ("first", "First calls behind the best peer")):
        lines += [f"## {title}", "", *table(cases, what, 1.1), ""]
    wrong = wrong_lines(cases)
    if wrong:
        lines += ["## Wrong results", "",
                  "Relative by norm, beside wider numbers; of integers, the fraction that differs.", "", *wrong[:WORST], ""]
    if orders_figures:
        lines += orders.page_lines(orders_figures)
    return "\n".join(lines).rstrip() + "\n"
