"""Lines and the page of everyday.py's figures."""

import math

import everyday_cases

# First calls count as behind beyond that ratio and so many seconds.
FIRST_RATIO = 1.5
FIRST_SECONDS = 1e-4
WORST = 40


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


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


def summary(cases):
    """Geometric means, and how many are behind."""
    lines = []
    for kind in dict.fromkeys(case["kind"] for case in cases):
        chosen = [case for case in cases if case["kind"] == kind]
        for what in ("warm", "first"):
            text = f"{kind}, {what} calls, {len(chosen)} cases: "
            parts = []
            ratios = [numpys_best(case, what) / case["peers"]["tc"][what] for case in chosen
                      if what in case["peers"].get("tc", {}) and numpys_best(case, what)]
            if ratios:
                parts.append(f"NumPy's best takes {mean(ratios):.2f} times as long as tc "
                             f"({len(ratios)} cases)")
            for name in ("opt_einsum", "cotengra", "torch", "pytblis", "sesum", "etops"):
                ratios = [rivals(case, what)[name] / case["peers"]["tc"][what]
                          for case in chosen if what in case["peers"].get("tc", {})
                          and name in rivals(case, what)]
                if ratios:
                    parts.append(f"{name} {mean(ratios):.2f} ({len(ratios)})")
            found = [compare(case, what) for case in chosen]
            ratios = [best / ours for ours, _, best in filter(None, found)]
            if ratios:
                parts.append(f"the best of all peers {mean(ratios):.2f} ({len(ratios)})")
            late = sum(is_behind(case, what, 1.1) for case in chosen)
            parts.append(f"behind the best peer by more than "
                         f"{'10 %' if what == 'warm' else '1.5 times and 0.1 ms'}: {late}")
            lines.append(text + "; ".join(parts) + ".")
    return lines


def setting_lines(setting):
    """The machine and the peers, and what is to be said of their kernels."""
    versions = ", ".join(f"{name} {version}" for name, version in setting["versions"].items())
    speeds = ", ".join(f"{name} {value:.1f}" for name, value in setting["gflops"].items())
    lines = [f"Measured on {setting['date']} on one thread of {setting['processor']}; {versions}; "
             f"OpenBLAS runs the kernels of {setting['core']}.",
             f"Products of 512 x 512 matrices of f64 run at, in GFLOP/s: {speeds}."]
    lines += [remark + "." for remark in setting["remarks"]]
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


def page(figures):
    """The page, as text."""
    cases = figures["cases"]
    counts = {kind: sum(case["kind"] == kind for case in cases) for kind in ("calls", "networks")}
    lines = [
        "# Everyday calls, measured", "",
        f"{counts['calls']} calls of `tc.einsum` and {counts['networks']} products of many "
        "tensors as people publish them, beside other libraries: "
        "[the suite](../benchmarks/suites/everyday.json) names where each is from.", "",
        *setting_lines(figures["setting"]), "",
        "Each contender has one process in which it computes all cases in order, after one other "
        "call: *first* calls are those. *Warm* calls are the least from the third on, in turns of "
        "all contenders in one process, on the same arrays. Libraries that refuse a case, take "
        "more than ten seconds, or are wrong, are not compared with in it. Of more than two "
        "operands, "
        "opt_einsum keeps an expression and sesum a path, as their documentations say; etops, "
        "which has no einsum, keeps operations that were prepared for the strides, and takes "
        "opt_einsum's path. Results that could be views are copies. Times are in microseconds.", "",
        "```sh",
        "python3 benchmarks/cpu/everyday.py --json everyday.json --page docs/everyday-benchmark.md",
        "python3 benchmarks/cpu/everyday.py --kind calls --type f64 --only transpose --behind 1.1",
        "python3 benchmarks/cpu/everyday.py --read everyday.json --page docs/everyday-benchmark.md",
        "```", "",
        *[f"- {line}" for line in summary(cases)], ""]
    for what, title in (("warm", "Warm calls behind the best peer"),
                        ("first", "First calls behind the best peer")):
        lines += [f"## {title}", "", *table(cases, what, 1.1), ""]
    wrong = wrong_lines(cases)
    if wrong:
        lines += ["## Wrong results", "",
                  "Relative by norm, beside wider numbers; of integers, the fraction that "
                  "differs.", "", *wrong[:WORST], ""]
    return "\n".join(lines)
