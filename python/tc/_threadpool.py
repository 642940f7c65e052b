# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Limits that threadpoolctl sets. It knows OpenMP's runtime, but that is loaded by the first
call that needs several threads, and would not know of what was set before."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_NAME = "threadpoolctl"


def _register(threadpoolctl: ModuleType) -> None:
    """Makes libtc one of the libraries that it limits, with those for linear algebra."""
    base = getattr(threadpoolctl, "LibController", None)
    if base is None:
        # Before version 3.3, others could not be added.
        return

    class Controller(base):  # type: ignore[misc, valid-type]
        user_api = "blas"
        internal_api = "tc"
        filename_prefixes = ("libtc",)
        check_symbols = ("tcCpuThreadsGet",)

        def get_num_threads(self) -> int:
            return int(self.dynlib.tcCpuThreadsGet())

        def set_num_threads(self, num_threads: int) -> None:
            self.dynlib.tcCpuThreadsSet(num_threads, None)

        def get_version(self) -> None:
            return None

    # Only libraries that are loaded are found.
    with contextlib.suppress(ImportError):
        importlib.import_module("._native", __package__)
        threadpoolctl.register(Controller)


class _Finder:
    """Registers when threadpoolctl is imported, and finds nothing else."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _NAME or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            # It may be found later.
            sys.meta_path.insert(0, self)
            return None
        loader = spec.loader
        execute = loader.exec_module

        def execute_and_register(module: ModuleType) -> None:
            execute(module)
            _register(module)

        loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


def watch() -> None:
    """Registers with threadpoolctl, now or when it is imported."""
    found = sys.modules.get(_NAME)
    if found is None:
        sys.meta_path.insert(0, _Finder())
    else:
        _register(found)
