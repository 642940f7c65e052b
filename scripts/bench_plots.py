"""The plots of a page of benchmark results, as SVG that takes its colours from
the page's style sheet: every colour below stands for a variable there, so that
one drawing serves in light and in dark."""

import io
import re

import matplotlib

matplotlib.use("svg")

# pylint: disable=wrong-import-position
import matplotlib.pyplot as plt

from bench_results import contenders_of, predictions

# Style variables, each with the colour that stands for it in matplotlib's
# drawings.
VARIABLES = {"ink": "#010101", "soft": "#020202", "rule": "#030303",
             "tc": "#040404", "cutensor": "#050505",
             "cutensor-best": "#060606", "cublas": "#070707",
             "torch": "#080808", "other": "#090909"}
MARKERS = {"tc": "o", "cutensor": "s", "cutensor-best": "D", "cublas": "^",
           "torch": "v"}
STYLES = {"tc": "-", "cutensor": "--", "cutensor-best": "-.", "cublas": ":",
          "torch": (0, (3, 1, 1, 1))}


def colour(contender):
    return VARIABLES.get(contender, VARIABLES["other"])


def style():
    return {"svg.fonttype": "none", "figure.facecolor": "none",
            "axes.facecolor": "none", "savefig.facecolor": "none",
            "text.color": VARIABLES["ink"], "axes.labelcolor": VARIABLES["ink"],
            "axes.edgecolor": VARIABLES["soft"],
            "xtick.color": VARIABLES["soft"], "ytick.color": VARIABLES["soft"],
            "grid.color": VARIABLES["rule"], "legend.frameon": False,
            "legend.labelcolor": VARIABLES["ink"],
            "axes.spines.top": False, "axes.spines.right": False,
            "font.family": "sans-serif", "font.size": 10}


def to_svg(figure, name):
    """The figure as an SVG element. Identifiers are made the figure's own,
    because one page holds several."""
    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", bbox_inches="tight",
                       metadata={"Date": None})
    plt.close(figure)
    text = buffer.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    for variable, value in VARIABLES.items():
        text = text.replace(value, f"var(--{variable})")
    # The page scales it.
    text = re.sub(r'<svg ([^>]*?)width="[^"]+"', r"<svg \1", text, count=1)
    return re.sub(r'<svg ([^>]*?)height="[^"]+"', r"<svg \1", text, count=1)


def figure_of(width, height):
    figure, axes = plt.subplots(figsize=(width, height))
    axes.grid(True, linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def roofline(results, name):
    """Rate over arithmetic intensity, with the roofs of the types that occur."""
    with matplotlib.rc_context(style()):
        figure, axes = figure_of(8, 4.6)
        timed = [case for case in results["cases"] if case["outcomes"]]
        intensities = [case["flops"] / case["bytes"] for case in timed]
        low, high = min(intensities) / 2, max(intensities) * 2
        bandwidth = results["ceilings"]["copy_bytes_per_second"]
        for kind in sorted({case["type"] for case in timed}):
            peak = results["ceilings"]["flops_per_second"].get(kind)
            if not peak:
                continue
            ridge = peak / bandwidth
            xs = sorted({low, high} | ({ridge} if low < ridge < high else set()))
            axes.plot(xs, [min(peak, bandwidth * x) * 1e-9 for x in xs],
                      color=VARIABLES["soft"], linewidth=1.2)
            axes.annotate(f"{kind}: {peak * 1e-12:.3g} TFLOP/s, "
                          f"{bandwidth * 1e-9:.4g} GB/s",
                          (high, min(peak, bandwidth * high) * 1e-9),
                          xytext=(0, 3), textcoords="offset points",
                          ha="right", va="bottom", color=VARIABLES["soft"])
        for contender in contenders_of(results):
            points = [(case["flops"] / case["bytes"],
                       outcome["flops_per_second"] * 1e-9)
                      for case in timed for outcome in case["outcomes"]
                      if outcome["contender"] == contender
                      and "median_seconds" in outcome]
            if points:
                axes.scatter(*zip(*points), s=26, label=contender,
                             marker=MARKERS.get(contender, "x"),
                             facecolors=(colour(contender)
                                         if contender == "tc" else "none"),
                             edgecolors=colour(contender), linewidths=1.1)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("operations a compulsory byte")
        axes.set_ylabel("GFLOP/s")
        axes.legend(loc="lower right")
        return to_svg(figure, name)


def bars(results, name):
    """The share of the floor's rate that each contender reaches, by case."""
    with matplotlib.rc_context(style()):
        cases = [case for case in results["cases"] if case["outcomes"]]
        contenders = contenders_of(results)
        figure, axes = figure_of(max(8, 0.3 * len(cases) + 2), 4.2)
        width = 0.85 / max(len(contenders), 1)
        for place, contender in enumerate(contenders):
            heights = [next((o.get("fraction_of_floor", 0)
                             for o in case["outcomes"]
                             if o["contender"] == contender), 0)
                       for case in cases]
            xs = [i - 0.425 + (place + 0.5) * width for i in range(len(cases))]
            axes.bar(xs, heights, width, label=contender,
                     color=colour(contender))
        axes.axhline(1, color=VARIABLES["soft"], linewidth=1)
        axes.set_xticks(range(len(cases)), [case["name"] for case in cases],
                        rotation=90, fontsize=8)
        axes.set_xlim(-0.6, len(cases) - 0.4)
        axes.set_ylabel("floor / time")
        axes.grid(False, axis="x")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14),
                    ncol=max(len(contenders), 1))
        return to_svg(figure, name)


def profile_curve(times, best):
    """(ratio, share of cases) steps of one contender; `times` has None where
    it was not measured."""
    ratios = sorted(t / b for t, b in zip(times, best) if t is not None)
    return [(ratio, (i + 1) / len(times)) for i, ratio in enumerate(ratios)]


def performance_profile(results, name):
    """For each factor, the share of cases in which a contender takes at most
    that many times the least time of all. Those that compute something else do
    not take part."""
    with matplotlib.rc_context(style()):
        figure, axes = figure_of(8, 4.2)
        contenders = [c for c in contenders_of(results) if c != "cublas"]
        times = {c: [] for c in contenders}
        for case in results["cases"]:
            found = {o["contender"]: o.get("median_seconds")
                     for o in case["outcomes"]}
            if not any(found.get(c) for c in contenders):
                continue
            for contender in contenders:
                times[contender].append(found.get(contender))
        best = [min(t for t in row if t) for row in zip(*times.values())]
        most = 1.0
        for contender in contenders:
            curve = profile_curve(times[contender], best)
            if not curve:
                continue
            most = max(most, curve[-1][0])
            xs, ys = zip(*([(1, 0)] + curve + [(1e6, curve[-1][1])]))
            axes.step(xs, ys, where="post", label=contender, linewidth=1.8,
                      linestyle=STYLES.get(contender, "-"),
                      color=colour(contender))
        axes.set_xlim(1, max(1.1, min(most * 1.05, 10)))
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("time / least time of all")
        axes.set_ylabel("share of cases")
        axes.legend(loc="lower right")
        return to_svg(figure, name)


def predicted(results, name):
    """Measured times of tc's kernels over those that were predicted."""
    with matplotlib.rc_context(style()):
        figure, axes = figure_of(8, 4.6)
        pairs = [(p * 1e6, m * 1e6) for p, m in predictions(results)]
        ends = (min(map(min, pairs)) / 1.3, max(map(max, pairs)) * 1.3)
        axes.plot(ends, ends, color=VARIABLES["soft"], linewidth=1.2)
        axes.scatter(*zip(*pairs), s=26, facecolors=colour("tc"),
                     edgecolors=colour("tc"), linewidths=1.1)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("predicted, µs")
        axes.set_ylabel("measured, µs")
        return to_svg(figure, name)


def simulated(results, name):
    """The simulator's counts: the share of math in the main loop, and how near
    shared memory and sectors are to the ideal."""
    with matplotlib.rc_context(style()):
        cases = [case for case in results["cases"] if case["simulation"]]
        figure, axes = figure_of(max(8, 0.3 * len(cases) + 2), 4.2)
        series = [("math in the main loop", "tc", "o", lambda s:
                   (s["main_loop"] or {}).get("math_share")),
                  ("ideal wavefronts / wavefronts", "cutensor", "s", lambda s:
                   1 / s["wavefronts_over_ideal"]
                   if s["wavefronts_over_ideal"] else None),
                  ("least use of sectors", "cublas", "^", lambda s:
                   min((use for use in s["sector_use"].values() if use),
                       default=None))]
        for label, variable, marker, figure_of_case in series:
            values = [figure_of_case(case["simulation"]) for case in cases]
            points = [(i, v) for i, v in enumerate(values) if v is not None]
            if points:
                axes.plot(*zip(*points), marker, label=label, markersize=5,
                          color=VARIABLES[variable])
        axes.set_xticks(range(len(cases)), [case["name"] for case in cases],
                        rotation=90, fontsize=8)
        axes.set_xlim(-0.6, len(cases) - 0.4)
        axes.set_ylim(0, 1.05)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncol=3)
        return to_svg(figure, name)
