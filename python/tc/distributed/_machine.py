# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speeds of a network and a rank, and the work that no algorithm can do without."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import _json


class Machine(NamedTuple):
    """Of each rank: seconds before a message's first byte is there, bytes a second that it sends
    and gets at the same time, multiplications with additions a second, bytes of memory
    for tensors, bytes a second of its disk, seconds of a slice besides its multiplications, and
    those in which rank 0 answers another one. The defaults are those of one core and a share of a network of 100 Gbit/s."""

    latency: float = 2e-6
    bandwidth: float = 1e9
    products: float = 2e10
    memory: float = 4e9
    disk: float = 5e8
    call: float = 2e-4
    answer: float = 2e-5

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Machine:
        """Reads a JSON object that has some of these figures by their names."""
        with open(path, encoding="utf-8") as file:
            try:
                found = _json.parse_file(file.read())
            except ValueError as error:
                raise ValueError(f"{os.fspath(path)}: {error}") from None
        return cls.of(found, os.fspath(path))

    @classmethod
    def of(cls, figures: Mapping[str, Any], where: str) -> Machine:
        if not isinstance(figures, Mapping):
            raise ValueError(f"{where}: a machine is an object with figures by their names")
        for name, value in figures.items():
            if name not in cls._fields:
                raise ValueError(
                    f"{where}: '{name}' is no figure of a machine, which has {', '.join(cls._fields)}"
                )
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            # An integer may be too large for a number of floating point.
            if not is_number or not 0 < value < sys.float_info.max:
                raise ValueError(f"{where}: {name} is {repr(value)[:80]}, which is no positive number")
        return cls(**figures)


def least_elements(m: int, n: int, k: int, batch: int, ranks: int) -> float:
    """The elements that some rank has to send or get at least to multiply `batch` matrices of m by
    k and k by n, if each element of operands and result is on one rank and all ranks have and
    multiply equally much: H. Al Daas et al., "Tight memory-independent parallel matrix
    multiplication communication lower bounds", SPAA 2022. A rank's products need the least of
    one matrix, so that there are ranks / batch for each."""
    if 0 in (m, n, k, batch) or ranks <= batch:
        return 0.0
    p = ranks / batch
    long, middle, short = sorted((m, n, k), reverse=True)
    if p <= long / middle:
        touched = (long * middle + long * short) / p + middle * short
    elif p <= long * middle / short**2:
        touched = 2 * math.sqrt(long * middle * short**2 / p) + long * middle / p
    else:
        touched = 3 * (long * middle * short / p) ** (2 / 3)
    return max(0.0, touched - (m * n + m * k + n * k) / p)


def least_elements_within(products: int, ranks: int, memory: float) -> float:
    """The same by the elements that a rank's memory holds: D. Irony, S. Toledo, A. Tiskin,
    "Communication lower bounds for distributed-memory matrix multiplication", JPDC 64 (2004)."""
    return max(0.0, products / (2 * math.sqrt(2) * ranks * math.sqrt(memory)) - memory)
