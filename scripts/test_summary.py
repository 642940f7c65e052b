#!/usr/bin/env python3
"""Sums up a test run from ctest's and lit's result files.

A test that did not run counts as a failure: ctest's disabled, skipped and
missing tests, and lit's UNSUPPORTED, XFAIL, SKIPPED and the like. The one
exception is what only lacks ptxas, on a machine that has none; such tests are
listed with their reason.
"""

import argparse
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

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


def lacks_only_ptxas(reason):
    return reason.endswith("unavailable features: ptxas")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ctest", help="ctest's JUnit file")
    parser.add_argument("lit", help="lit's JSON file")
    parser.add_argument("--ptxas", choices=("present", "absent"), required=True)
    arguments = parser.parse_args()

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
        elif (state == "not run" and arguments.ptxas == "absent"
              and lacks_only_ptxas(reason)):
            print(f"not run, for want of ptxas: {name}")
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
