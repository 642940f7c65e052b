# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says where a wheel has its headers and libraries:

    cmake -S . -B build -DCMAKE_PREFIX_PATH="$(python -m tc --prefix)"
    PKG_CONFIG_PATH="$(python -m tc --prefix)/lib/pkgconfig" pkg-config --libs tc
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from . import __version__


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tc")
    parser.add_argument("--version", action="version", version=f"tc {__version__}")
    parser.add_argument(
        "--prefix",
        action="store_true",
        required=True,
        help="print the folder with include, lib, lib/cmake/TC and lib/pkgconfig",
    )
    parser.parse_args()
    prefix = pathlib.Path(__file__).parent
    if not (prefix / "include").is_dir():
        parser.exit(
            1,
            "python -m tc: error: this package was built from sources, and has "
            "neither headers nor files for CMake: cmake --install puts them where "
            "you say\n",
        )
    print(prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main())
