"""Checks of benchmarks/cpu/fairness.py."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3,
                                "benchmarks", "cpu"))

# pylint: disable=wrong-import-position
import fairness

# Variables that choose kernels are found, and empty ones are none.
assert fairness.variables_set({"OPENBLAS_L2_SIZE": "1", "HOME": "x"}) == ["OPENBLAS_L2_SIZE=1"]
assert fairness.variables_set({"OPENBLAS_CORETYPE": ""}) == []

# A peer below 0.6 of the standard is named with the fraction.
slow = fairness.half_width({"numpy": 2.0, "slow": 1.0, "fast": 1.3}, "numpy")
assert slow == {"slow": 0.5}
assert fairness.remarks(slow)[0].startswith("slow reaches 0.50 of OpenBLAS's speed")

# The best of turns counts, by the clock of each.
times = iter([0.0, 0.0, 2.0, 0.0, 4.0])
assert fairness.product_speeds({"one": lambda: None}, lambda name: lambda: next(times), 2) == {
    "one": 0.5}

fairness.require_own_choice(allowed=True)
fairness.require_own_choice(allowed="--allow-environment" in sys.argv)
print("fair")
