"""Checks of the products that benchmarks/cpu/orders.py counts."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3,
                                "benchmarks", "cpu"))

# pylint: disable=wrong-import-position
import everyday_networks
import orders

# By hand: indices go where nothing else has them.
extents = {"i": 2, "j": 3, "k": 5, "l": 7}
assert orders.cost_of("ij,jk,kl->il", extents, [(0, 1), (0, 1)]) == (30 + 70, 14, 31 + 59)
assert orders.cost_of("ij,jk,kl->il", extents, [(1, 2), (0, 1)]) == (105 + 42, 21, 71 + 41)
assert orders.cost_of("ij,jk,kl->il", extents, [(0, 1, 2)]) == (100, 14, 90)
# An index of three tensors is kept until the last.
assert orders.cost_of("ij,jk,jl->", extents, [(0, 1), (0, 1)]) == (30 + 21, 3, 24 + 25)
# Paths that stop early are no orders.
try:
    orders.cost_of("ij,jk,kl->il", extents, [(0, 1)])
    raise AssertionError("taken")
except ValueError:
    pass
spec, extents = everyday_networks.chain([2, 3, 5, 7])
assert spec == "ab,bc,cd->ad" and list(extents.values()) == [2, 3, 5, 7]

# Ratios of products, in classes and by network.
rows = [{"name": "n", "class": "c", "tensors": 3,
         "found": {"tc": {"products": 3.0, "largest": 1.0, "moved": 1.0, "seconds": 0.1},
                   "tc, asked": {"products": 2.0, "largest": 1.0, "moved": 2.0,
                                "seconds": 0.1},
                   "other": {"products": 2.0, "largest": 1.3, "moved": 2.0, "seconds": 0.1}}}]
assert orders.class_lines(rows)[-1] == (
    "| all | 1 | 10.00 | 10.00 | 10.00 | n | 0.10 | 0.10 | 0.50 | 0.50 |")
assert orders.class_lines(rows, "tc, asked")[-1] == (
    "| all | 1 | 1.00 | 1.00 | 1.00 | n | 1.00 | 1.00 | 0.50 | 0.50 |")
assert orders.behind_lines(rows)[0].endswith(
    "| 10.00 times the products and 0.10 times the elements moved")
assert not orders.behind_lines(rows, "tc, asked")
print("counted")
