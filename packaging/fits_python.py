#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says why this Python cannot have a wheel, and ends with status 1, if its version is
none of those in the wheel's name: pip only says that the wheel is not supported.

    fits_python.py WHEEL"""

import os
import sys


def main():
    wheel = os.path.basename(sys.argv[1])
    pythons, abi = wheel.split("-")[-3:-1]
    minors = sorted(int(tag[len("cp3"):]) for tag in pythons.split("."))
    minor = sys.version_info[1]
    if minor in minors or (abi == "abi3" and minor > minors[0]):
        return None
    named = ", ".join(f"3.{number}" for number in minors)
    later = " and later ones" if abi == "abi3" else ""
    return (f"the Python here is {sys.version.split()[0]}, and {wheel} is for {named}{later}: "
            "scripts/build_wheel.sh adds each that it is given, or finds, with headers")


if __name__ == "__main__":
    sys.exit(main())
