"""The benchmark suites as Python values."""

import dataclasses
import json
import os
import re
from typing import Dict, List

from harness import SUITES


@dataclasses.dataclass
class Problem:
    """A contraction C-A-B of the TCCG benchmark, column-major."""
    number: int
    spec: str
    double_extents: Dict[str, int]
    single_extents: Dict[str, int]

    @property
    def name(self):
        return f"{self.number:02}-{self.spec}"

    def extents(self, element_type):
        return (self.double_extents if element_type == "f64"
                else self.single_extents)

    def lists(self):
        """The labels of C, A and B as strings."""
        return self.spec.split("-")

    def labels(self):
        """All labels, those of C first."""
        return list(dict.fromkeys("".join(self.lists())))

    def tccg_text(self, element_type):
        """The problem as a TCCG input file."""
        c, a, b = (",".join(labels) for labels in self.lists())
        lines = [f"C[{c}] = A[{a}] * B[{b}]"]
        lines += [f"{label} = {extent}"
                  for label, extent in self.extents(element_type).items()]
        return "\n".join(lines) + "\n"


def tccg() -> List[Problem]:
    with open(os.path.join(SUITES, "tccg.json"), encoding="utf-8") as file:
        return [Problem(p["id"], p["spec"], p["sizes_dp"], p["sizes_sp"])
                for p in json.load(file)]


@dataclasses.dataclass
class Statement:
    """A contraction in COGENT's notation."""
    name: str
    text: str
    labels: List[str]


def nwchem() -> List[Statement]:
    """The statements of the NWChem suite, one a line: `name: C += A * B;`."""
    path = os.path.join(SUITES, "nwchem_ccsd_t.cogent")
    statements = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            if line:
                name = re.match(r"(\w+)\s*:", line).group(1)
                labels = re.findall(r"(\w+)\s*,\s*\d+", line)
                statements.append(
                    Statement(name, line, list(dict.fromkeys(labels))))
    return statements


def format_extents(extents):
    return ",".join(f"{label}={extent}" for label, extent in extents.items())
