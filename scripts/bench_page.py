#!/usr/bin/env python3
"""Makes one self-contained page of results of tc-bench: a table, and with
matplotlib a roofline, bars by contraction and a performance profile. Each file
becomes a section."""

import argparse
import html
import sys

from bench_results import (BadResults, contenders_of, geometric_mean,
                           load_results, outcome_of, predicted_seconds,
                           predictions)
import whole_file

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f7f7f5; --card: #ffffff; --ink: #1a1e24; --soft: #59626e;
  --rule: #e1e3e6; --bad: #c81e4f;
  --tc: #2b6cd4; --cutensor: #b8590f; --cutensor-best: #b0307f;
  --cublas: #1d8257; --torch: #8a4fbf; --other: #59626e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101317; --card: #181c22; --ink: #e8ebef; --soft: #a3adb9;
    --rule: #2b323b; --bad: #ff5f8c;
    --tc: #74a9ff; --cutensor: #f0a35a; --cutensor-best: #f08ac4;
    --cublas: #5cc795; --torch: #c39bf0; --other: #a3adb9;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Arial,
    sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; font-weight: 600; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; font-weight: 600; margin: 2rem 0 .5rem; }
p.facts { margin: 0; color: var(--soft); }
section + section { margin-top: 3rem; padding-top: 2rem;
  border-top: 1px solid var(--rule); }
figure, .scroll { background: var(--card); border: 1px solid var(--rule);
  border-radius: 10px; margin: .75rem 0; padding: 1rem; overflow-x: auto; }
figure svg { display: block; width: 100%; height: auto; min-width: 640px; }
figure:not(.wide) svg { max-width: 820px; margin: 0 auto; }
figure.wide svg { min-width: 1100px; }
table { border-collapse: collapse; font-size: .8125rem; white-space: nowrap; }
th, td { padding: .25rem .6rem; text-align: right;
  border-bottom: 1px solid var(--rule); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child, .text { text-align: left; }
td.bad { color: var(--bad); white-space: normal; text-align: left;
  min-width: 22rem; }
ul.means { padding-left: 1.2rem; margin: .5rem 0; }
code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono",
  monospace; }
"""


def escape(value):
    return html.escape(str(value))


def number(value, pattern="{:.2f}"):
    return "–" if value is None else pattern.format(value)


def row(cells, tag="td"):
    """Cells are texts, or pairs of a class and a text."""
    parts = []
    for cell in cells:
        kind, text = cell if isinstance(cell, tuple) else ("", cell)
        attribute = f' class="{kind}"' if kind else ""
        parts.append(f"<{tag}{attribute}>{text}</{tag}>")
    return f"<tr>{''.join(parts)}</tr>"


def speedups(results, contender):
    """By case: the contender's time over tc's."""
    ratios = []
    for case in results["cases"]:
        ours = outcome_of(case, "tc").get("median_seconds")
        theirs = outcome_of(case, contender).get("median_seconds")
        if ours and theirs:
            ratios.append(theirs / ours)
    return ratios


def means(results):
    """One line a contender: the geometric mean of the speed-ups."""
    lines = []
    for contender in contenders_of(results)[1:]:
        ratios = speedups(results, contender)
        if not ratios:
            continue
        mean = geometric_mean(ratios)
        wins = sum(ratio >= 1 for ratio in ratios)
        lines.append(f"<li>tc is <b>{mean:.3f}</b> times as fast as "
                     f"{escape(contender)}, geometric mean of {len(ratios)}; "
                     f"at least as fast in {wins}; from {min(ratios):.3f} to "
                     f"{max(ratios):.3f}</li>")
    ratios = [measured / predicted for predicted, measured
              in predictions(results)]
    if ratios:
        errors = [abs(1 / ratio - 1) for ratio in ratios]
        lines.append(f"<li>tc takes <b>{geometric_mean(ratios):.3f}</b> times "
                     "as long as was predicted from its machine code, "
                     f"geometric mean of {len(ratios)}; mean error of the "
                     f"predictions {sum(errors) / len(errors):.1%}</li>")
    return f'<ul class="means">{"".join(lines)}</ul>' if lines else ""


def clock(case):
    after = (case["conditions"] or {}).get("after") or {}
    return number(after.get("multiprocessor_mhz"), "{:.0f}")


def failures(case):
    texts = [case["refused"]] if "refused" in case else []
    texts += [f"{o['contender']}: {o['error']}" for o in case["outcomes"]
              if "error" in o]
    return "; ".join(texts)


def timed_table(results):
    contenders = contenders_of(results)
    head = (["case", ("text", "contraction"), "bound", "floor, µs"]
            + [f"{escape(c)}, µs" for c in contenders]
            + ["tc, GFLOP/s", "tc, GB/s", "floor / tc", "predicted, µs",
               "predicted / tc"]
            + [f"{escape(c)} / tc" for c in contenders[1:]]
            + ["registers", "MHz", ("text", "what failed")])
    rows = []
    for case in results["cases"]:
        ours = outcome_of(case, "tc")
        median = ours.get("median_seconds")
        floor = case.get("floor_seconds")
        cells = [escape(case["name"]),
                 ("text", f"<code>{escape(case['contraction'])}</code>"),
                 case.get("bound", "–"), number(floor and floor * 1e6)]
        for contender in contenders:
            seconds = outcome_of(case, contender).get("median_seconds")
            cells.append(number(seconds and seconds * 1e6))
        flops, moved = (ours.get(key) for key in ("flops_per_second",
                                                  "bytes_per_second"))
        cells += [number(flops and flops * 1e-9, "{:.0f}"),
                  number(moved and moved * 1e-9, "{:.0f}"),
                  number(ours.get("fraction_of_floor"), "{:.3f}")]
        predicted = predicted_seconds(case)
        cells += [number(predicted and predicted * 1e6),
                  number(predicted and median and predicted / median,
                         "{:.3f}")]
        for contender in contenders[1:]:
            seconds = outcome_of(case, contender).get("median_seconds")
            cells.append(number(median and seconds and seconds / median,
                                "{:.3f}"))
        cells += [number(ours.get("details", {}).get("registers"), "{:.0f}"),
                  clock(case), ("bad", escape(failures(case)))]
        rows.append(row(cells))
    return row(head, "th"), rows


def simulated_table(results):
    head = ["case", ("text", "contraction"), "registers", "spilled B",
            "shared B", "predicted, µs", "math share", "others / math",
            "wavefronts / ideal",
            "sector use A", "B", "C", ("text", "what failed")]
    rows = []
    for case in results["cases"]:
        found = case["simulation"] or {}
        loop = found.get("main_loop") or {}
        use = found.get("sector_use", {})
        predicted = predicted_seconds(case)
        rows.append(row(
            [escape(case["name"]),
             ("text", f"<code>{escape(case['contraction'])}</code>"),
             number(found.get("registers"), "{:.0f}"),
             number(found.get("spill_store_bytes"), "{:.0f}"),
             number(found.get("shared_bytes"), "{:.0f}"),
             number(predicted and predicted * 1e6),
             number(loop.get("math_share"), "{:.3f}"),
             number(loop.get("others_per_math"), "{:.3f}"),
             number(found.get("wavefronts_over_ideal"), "{:.3f}")]
            + [number(use.get(tensor)) for tensor in "ABC"]
            + [("bad", escape(failures(case)))]))
    return row(head, "th"), rows


def facts(results):
    device, options = results["device"], results["options"]
    parts = [device.get("name", ""), results["date"]]
    parts += [f"{key} {value}" for key, value in results["versions"].items()
              if value]
    copy = results["ceilings"].get("copy_bytes_per_second")
    if copy:
        parts.append(f"copies move {copy * 1e-9:.4g} GB/s")
    parts += [f"{key} {value}" for key, value in options.items()
              if value is not None]
    lines = [" · ".join(escape(part) for part in parts)]
    lines += [f"No {escape(name)}: {escape(reason)}"
              for name, reason in results["unavailable"].items()]
    if not results["complete"]:
        lines.append(f"{len(results['not_run'])} cases were not run for want "
                     f"of time: {escape(', '.join(results['not_run']))}")
    return "".join(f'<p class="facts">{line}</p>' for line in lines)


def plots(results, name):
    """(title, kind of figure, SVG) of all that there are data for."""
    import bench_plots  # pylint: disable=import-outside-toplevel
    measured = any("median_seconds" in outcome for case in results["cases"]
                   for outcome in case["outcomes"])
    drawings = []
    if measured:
        drawings += [
            ("Roofline", "", bench_plots.roofline(results, f"{name}-roof")),
            ("Share of the floor's rate", "wide",
             bench_plots.bars(results, f"{name}-bars")),
            ("Performance profile", "",
             bench_plots.performance_profile(results, f"{name}-profile"))]
    if predictions(results):
        drawings.append(("Predicted and measured", "",
                         bench_plots.predicted(results, f"{name}-predicted")))
    if any(case["simulation"] for case in results["cases"]):
        drawings.append(("Counted", "wide",
                         bench_plots.simulated(results, f"{name}-sim")))
    return drawings


def section(results, place, with_plots):
    is_simulated = results["machine"] == "sim"
    head, rows = (simulated_table if is_simulated else timed_table)(results)
    parts = [f"<section><h1>{escape(results['suite'])}</h1>", facts(results),
             means(results)]
    if with_plots:
        for title, kind, drawing in plots(results, f"s{place}"):
            parts.append(f'<h2>{title}</h2><figure class="{kind}">{drawing}'
                         "</figure>")
    parts.append('<h2>All cases</h2><div class="scroll"><table>'
                 f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody>"
                 "</table></div></section>")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="+", metavar="RESULTS.json")
    parser.add_argument("-o", "--output", required=True, metavar="PAGE.html")
    parser.add_argument("--no-plots", action="store_true",
                        help="only the tables; needs no matplotlib")
    arguments = parser.parse_args()
    try:
        files = [load_results(path) for path in arguments.results]
        body = "\n".join(section(results, place, not arguments.no_plots)
                         for place, results in enumerate(files))
        title = ", ".join(results["suite"] for results in files)
        with whole_file.writing(arguments.output) as file:
            file.write('<!doctype html>\n<html lang="en"><head>'
                       '<meta charset="utf-8"><meta name="viewport" '
                       'content="width=device-width, initial-scale=1">'
                       f"<title>{escape(title)}</title><style>{STYLE}</style>"
                       f"</head><body><main>\n{body}\n</main></body></html>\n")
    except BadResults as error:
        print(f"bench_page.py: {error}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"bench_page.py: {error}; --no-plots needs no matplotlib",
              file=sys.stderr)
        return 1
    except OSError as error:
        print(f"bench_page.py: {arguments.output}: {error.strerror}",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
