#!/usr/bin/env python3
"""Sums up a test run from ctest's and lit's result files.

A test that did not run counts as a failure: ctest's disabled, skipped and
missing tests, and lit's UNSUPPORTED, XFAIL, SKIPPED and the like. The exceptions
are what only lacks ptxas, nvdisasm, libdevice or matplotlib, on a machine that
has none; such tests are listed with their reason.
"""

import argparse
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

# Tools and packages that a machine may lack.
OPTIONAL = ("ptxas", "nvdisasm", "libdevice", "matplotlib")
LIT_TEST = "lit"  # the ctest test whose single tests are in lit's file


def read_ctest(path):
    """Yields (name, state, reason) for every test that ctest knows."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        status = case.get("status")
        if status == "run":
            yield case.get("name"), "passed", ""
        elif status == "fail":
            yield case.get("name"), "failed", ""
        else:
            skipped = case.find("skipped")
            reason = skipped.get("message", "") if skipped is not None else ""
            yield case.get("name"), "not run", f"{status}: {reason}"


def read_lit(path):
    """Yields (name, state, reason) for every test that lit found."""
    with open(path, encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    for test in tests:
        code = test["code"]
        reason = " ".join(test["output"].split())
        if code in ("PASS", "FLAKYPASS"):
            yield test["name"], "passed", ""
        elif code in ("FAIL", "XPASS", "TIMEOUT", "UNRESOLVED"):
            yield test["name"], "failed", code
        else:
            yield test["name"], "not run", f"{code}: {reason}"


def lacks_only(reason, absent):
    """The features for want of which a test did not run, if all of them are
    absent; else nothing."""
    _, found, features = reason.partition("unavailable features: ")
    lacking = set(features.split(", ")) if found else set()
    return sorted(lacking) if lacking <= absent else []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ctest", help="ctest's JUnit file")
    parser.add_argument("lit", help="lit's JSON file")
    for feature in OPTIONAL:
        parser.add_argument(f"--{feature}", choices=("present", "absent"),
                            required=True)
    arguments = parser.parse_args()
    absent = {feature for feature in OPTIONAL
              if getattr(arguments, feature) == "absent"}

    results = list(read_ctest(arguments.ctest))
    if any(name == LIT_TEST for name, _, _ in results):
        if not os.path.exists(arguments.lit):
            print(f"error: the test '{LIT_TEST}' left no {arguments.lit}")
            return 1
        lit_results = list(read_lit(arguments.lit))
        # lit's own verdict stands for something else that went wrong in it.
        if all(state != "failed" for _, state, _ in lit_results):
            lit_results += [r for r in results if r[0] == LIT_TEST]
        results = [r for r in results if r[0] != LIT_TEST] + lit_results

    passed = failed = 0
    for name, state, reason in results:
        if state == "passed":
            passed += 1
        elif state == "not run" and lacks_only(reason, absent):
            print(f"not run, for want of "
                  f"{' and '.join(lacks_only(reason, absent))}: {name}")
        else:
            failed += 1
            print(f"{state}: {name}" + (f" ({reason[:200]})" if reason else ""))
    if not results:
        print("error: no test ran")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
