#!/usr/bin/env python3
"""Runs many tc-run at once on one cache of compiled kernels: none may fail,
warn or compute wrongly, whatever the others do, and the next runs find the
code. Then changes each option that code depends on alone: none may find the
code of another. With --drawn, so many sets of options are drawn besides, which
find code if the same set came before, and only then."""

import concurrent.futures
import json
import os
import random
import subprocess
import sys

import harness

PROCESSES = 8
SPECS = ["ab,bc->ac", "ab,cb->ac", "ab,bc->ca", "abc,bc->a"]


def run(context, cache, spec):
    """The outcome of the cache and the warning."""
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
        # The last one to repair may have removed entries that others had
        # stored.
        if damage is not None:
            at_once(context, cache)
        for outcome, warning in at_once(context, cache):
            if outcome != "hit" or warning:
                raise harness.Failure(f"then: {outcome}, {warning}")

    return harness.Case(name, work)


# Options that code depends on: one set of them, and others that differ in one.
REAL = ["--extents=a=20,b=30,c=17", "--type=f32"]
COMPLEX = ["--extents=a=20,b=30,c=17", "--type=c64"]
OPTIONS = [
    ("ab,bc->ac", REAL, [
        ["--extents=a=20,b=30,c=18"], ["--type=f64"], ["--type-a=f16"],
        ["--type-b=f16"], ["--precision=tf32"], ["--semiring=max_plus"],
        ["--product=x * y", "--combine=max(x, y)", "--identity=-inf"],
        ["--product=x * y", "--combine=max(x, y)", "--identity=0"],
        ["--prologue-a=relu(x)"], ["--prologue-b=relu(x)"],
        ["--epilogue=relu(x)"], ["--epilogue=x + c"], ["--layout=col"],
        ["--alpha=2"], ["--beta=1"], ["--strategy=gett"],
        ["--strategy=ttgt"], ["--workspace-limit=0"], ["--threads=2"],
        ["--tile-chains=never"]]),
    ("ab,bc->ac", COMPLEX, [
        ["--conjugate-a"], ["--conjugate-b"], ["--allow-three-products"],
        ["--alpha=1+2i"], ["--beta=1-2i"]]),
    ("ab,cb->ac", REAL, []),
    ("ab,bc->ca", REAL, []),
]


def outcome_of(context, cache, spec, options):
    command = [context.tool("tc-run"), spec, "--target=cpu", "--threads=1",
               "--workers=1", "--json", f"--cache={cache}", *options]
    # An option takes the place of the one before it.
    given = {option.split("=")[0]: option for option in command[2:]}
    command[2:] = given.values()
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          timeout=context.timeout)
    if done.returncode != 0:
        raise harness.Failure(done.stderr.strip(), " ".join(command))
    return json.loads(done.stdout)["cache"]


def each_option_alone(context):
    cache = os.path.join(context.folder, "options")
    runs = [(spec, base + change) for spec, base, changes in OPTIONS
            for change in [[], *changes]]
    for expected in ("miss", "hit"):
        for spec, options in runs:
            outcome = outcome_of(context, cache, spec, options)
            if outcome != expected:
                raise harness.Failure(f"a {outcome} where a {expected} was "
                                      f"expected: {spec} {options}")


def drawn_options(seed, count):
    """Runs sets of options, each one step from one that came before."""
    def work(context):
        rng = random.Random(seed)
        cache = os.path.join(context.folder, "drawn")
        spec, base, changes = OPTIONS[0]
        seen = [frozenset()]
        outcome_of(context, cache, spec, base)
        hits = refused = 0
        for _ in range(count):
            chosen = seen[rng.randrange(len(seen))] ^ {
                rng.randrange(len(changes))}
            options = base + [text for number in sorted(chosen)
                              for text in changes[number]]
            expected = "hit" if chosen in seen else "miss"
            try:
                outcome = outcome_of(context, cache, spec, options)
            except harness.Failure as failure:
                # Some options exclude one another.
                if not str(failure).startswith("tc-run: "):
                    raise
                refused += 1
                continue
            if outcome != expected and not overrides(changes, chosen):
                raise harness.Failure(f"a {outcome} where a {expected} was "
                                      f"expected: {spec} {options}")
            hits += outcome == "hit"
            if chosen not in seen:
                seen.append(chosen)
        return {"sets": len(seen), "hits": hits, "refused": refused}

    return harness.Case(f"drawn-{seed}", work)


def overrides(changes, chosen):
    """Returns true if one of the options takes the place of another."""
    names = [text.split("=")[0] for number in chosen
             for text in changes[number]]
    return len(names) != len(set(names))


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drawn", type=int, default=0,
                        help="sets of options to draw")
    arguments = parser.parse_args()
    cases = [case("new", None), case("garbage", b"garbage " * 1000),
             harness.Case("options", each_option_alone)]
    if arguments.drawn:
        cases.append(drawn_options(arguments.seed, arguments.drawn))
    return harness.main(
        cases, arguments,
        lambda outcomes: print(*(f"{o.name}: {o.figures}" for o in outcomes
                                 if o.figures), sep="\n"))


if __name__ == "__main__":
    sys.exit(main())
