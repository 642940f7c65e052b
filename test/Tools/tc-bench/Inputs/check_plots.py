"""Checks the drawings of a page: identifiers occur once, those referred to are
there, and no colour of matplotlib is left in place of the page's. Then the steps
of a performance profile."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                *[".."] * 4, "scripts"))

import bench_plots  # pylint: disable=wrong-import-position

with open(sys.argv[1], encoding="utf-8") as file:
    page = file.read()
drawings = re.findall(r"<svg .*?</svg>", page, flags=re.DOTALL)
assert len(drawings) == int(sys.argv[2]), len(drawings)
identifiers = re.findall(r'\bid="([^"]+)"', page)
assert len(identifiers) == len(set(identifiers)), "an id occurs twice"
used = re.findall(r'xlink:href="#([^"]+)"|url\(#([^)]+)\)', page)
assert used, "nothing is referred to"
assert {a or b for a, b in used} <= set(identifiers), "no such id"
assert "var(--tc)" in page and "#0404" not in page
assert "<metadata>" not in page and "http-equiv" not in page

# Two cases: tc is best in the first, twice as slow in the second; the other was
# not measured in the first.
best = [1.0, 2.0]
assert bench_plots.profile_curve([1.0, 4.0], best) == [(1, 0.5), (2, 1)]
assert bench_plots.profile_curve([None, 2.0], best) == [(1, 0.5)]
print("fine")
