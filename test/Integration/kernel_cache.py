#!/usr/bin/env python3
"""Runs many tc-run at once on one cache of compiled kernels: none may fail,
warn or compute wrongly, whatever the others do, and the next runs find the
code."""

import concurrent.futures
import json
import os
import subprocess
import sys

import harness

PROCESSES = 8
SPECS = ["ab,bc->ac", "ab,cb->ac", "ab,bc->ca", "abc,bc->a"]


def run(context, cache, spec):
    """The outcome of the cache and what was warned of."""
    command = [context.tool("tc-run"), spec, "--extents=a=20,b=30,c=17",
               "--target=cpu", "--check=all", "--workers=1", "--json",
               f"--cache={cache}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          timeout=context.timeout)
    if done.returncode != 0:
        raise harness.Failure(done.stderr.strip(), " ".join(command))
    return json.loads(done.stdout)["cache"], done.stderr


def at_once(context, cache):
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        return list(pool.map(lambda i: run(context, cache,
                                           SPECS[i % len(SPECS)]),
                             range(PROCESSES)))


def case(name, damage):
    """`damage` makes the database's file, if it is not the first to be."""
    def work(context):
        cache = os.path.join(context.folder, name)
        os.mkdir(cache)
        if damage is not None:
            with open(os.path.join(cache, "kernels.sqlite"), "wb") as file:
                file.write(damage)
        first = at_once(context, cache)
        if any(outcome not in ("hit", "miss") for outcome, _ in first):
            raise harness.Failure(f"unexpected outcomes: {first}")
        if damage is None and any(warning for _, warning in first):
            raise harness.Failure(f"unexpected warnings: {first}")
        # Whoever repairs last may have removed what others had stored.
        if damage is not None:
            at_once(context, cache)
        for outcome, warning in at_once(context, cache):
            if outcome != "hit" or warning:
                raise harness.Failure(f"then: {outcome}, {warning}")

    return harness.Case(name, work)


def main():
    arguments = harness.parser(__doc__).parse_args()
    cases = [case("new", None), case("garbage", b"garbage " * 1000)]
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
