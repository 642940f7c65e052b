#!/usr/bin/env python3
"""Runs contractions on the CPU with several numbers of threads, whose results have to be the same to the bit.

Chosen schedules: random contractions, large enough for several threads, with
1, 2, 3 and 5 threads at most; the same of complex numbers, which three real
products may multiply. Drawn expressions: any indices at any places, with strategy auto and 1, 2, 3
and 8 threads. Given schedules: small contractions in random
blocks, loops in random order, shared out in random ways. The bits that all runs of a
contraction have are checked against the reference, too.
"""

import json
import math
import random
import re
import sys

import harness

# With a batch, without M or N, with K at several places.
SHAPES = ("ab,bc->ac", "ab,bc->ca", "ba,bc->ac", "ab,cb->ca", "abc,cd->abd",
          "abc,cd->dba", "acd,dbc->ab", "bacd,ebc->adeb", "bij,bjk->bik",
          "bijc,cjkb->kbic", "ab,b->a", "b,bc->c", "i,j->ij", "ib,bj->bji",
          "abcd,ebad->ce", "abcd,ebcf->adef", "ab,bcd->dac", "a,a->")


def draw_extents(rng, labels, fmas):
    """Extents whose product is around `fmas`, some far from the others."""
    extents = {label: 1 for label in labels}
    while math.prod(extents.values()) < fmas:
        extents[rng.choice(labels)] *= rng.choice((2, 3, 5, 7))
    for label in labels:
        extents[label] = max(1, extents[label] - rng.randint(0, 2))
    return extents


class Contraction:
    def __init__(self, rng, shape, fmas, types=("f64", "f32")):
        self.shape = shape
        self.a, rest = shape.split(",")
        self.b, self.c = rest.split("->")
        self.extents = draw_extents(rng, sorted(set(self.a + self.b)), fmas)
        self.element_type = rng.choice(types)
        self.factors = rng.choice(
            ([], ["--alpha=0.3"], ["--beta=1"], ["--beta=-0.7"],
             ["--alpha=1.7", "--beta=0.9"]))

    def run(self, context, *options, check=True):
        """The report's kernel. A run that has to have the same bits as one that
        was checked need not be checked itself."""
        text = context.call(
            [context.tool("tc-run"), self.shape, "--extents=" + ",".join(
                f"{label}={extent}" for label, extent in self.extents.items()),
             f"--type={self.element_type}", *self.factors, "--target=cpu",
             "--seed=1", "--workers=1", *(["--check=all"] if check else []),
             "--json", *options])
        return json.loads(text)["kernels"][0]


def expect_same(one, other):
    if one["checksum"] != other["checksum"]:
        raise harness.Failure(
            f"{other['schedule']} makes other bits than {one['schedule']}")


def chosen(number, seed, name="chosen", types=("f64", "f32"), options=()):
    rng = random.Random(f"{seed}/{number}")
    contraction = Contraction(rng, SHAPES[number % len(SHAPES)], 5e5, types)
    # Small contractions are left unpacked, unless a strategy is asked for.
    if number % 2:
        options = [*options, "--strategy=gett"]

    def run(context):
        one = contraction.run(context, "--threads=1", *options)
        used = 0
        for threads in (2, 3, 5):
            several = contraction.run(context, f"--threads={threads}", *options,
                                      check=False)
            expect_same(one, several)
            used += several["threads"] > 1
        outputs = math.prod(contraction.extents[label]
                            for label in contraction.c)
        # Few long sums are not worth a second thread, as K is not shared out.
        if used == 0 and outputs >= 1024:
            raise harness.Failure("no run had several threads")
        return {"threaded": used, "three_products": one["three_products"]}

    return harness.Case(f"{name}-{number:02}", run)


def three_products(number, seed):
    return chosen(number, seed, "three-products", ("c64", "c32"),
                  ["--allow-three-products"])


def drawn_shape(rng):
    """Up to seven indices, each of A, B and C in random order."""
    while True:
        lists = {"a": [], "b": [], "c": []}
        for label in "hijklmn"[:rng.randint(3, 7)]:
            for name in rng.choice(("ac", "bc", "ab", "abc", "ac", "bc", "ab")):
                lists[name].append(label)
        if lists["a"] and lists["b"]:
            for labels in lists.values():
                rng.shuffle(labels)
            return "{a},{b}->{c}".format(
                **{name: "".join(labels) for name, labels in lists.items()})


def drawn(number, seed):
    rng = random.Random(f"drawn {seed}/{number}")
    if number == 0:
        # Strategy and blocks of K once depended on the number of threads.
        contraction = Contraction(rng, "ahbfg,efdhcg->ecabd", 1, ("f64",))
        contraction.extents = dict(a=19, b=13, c=2, d=10, e=26, f=8, g=22, h=8)
        contraction.factors = []
    else:
        contraction = Contraction(rng, drawn_shape(rng), 2e6,
                                  ("f64", "f32", "f16", "bf16", "i8"))
        if contraction.element_type == "i8":
            contraction.factors = []

    def run(context):
        one = contraction.run(context, "--threads=1")
        used = 0
        for threads in (2, 3, 8):
            several = contraction.run(context, f"--threads={threads}",
                                      check=False)
            expect_same(one, several)
            used += several["threads"] > 1
        return {"threaded": used}

    return harness.Case(f"drawn-{number:02}", run)


def cut(rng, kernel):
    """The schedule with random blocks, but for K, loops and ways to share
    them out. In half of the cases one side is packed together: it stays out of
    what is shared, and may be a single block."""
    extents, schedule = kernel["extents"], kernel["schedule"]
    trips = {"m": 1, "n": 1, "batch": 1}

    def extent_of(label):
        # Indices may have been merged into one.
        return math.prod(extents[letter] for letter in label)

    labels = {role: re.findall(r"(\w+): \d+", re.search(
        rf"\b{role} = \[([^]]*)\]", schedule).group(1)) for role in "mnk"}
    together = rng.choice((None, None, "m", "n"))
    whole = together if rng.random() < 0.5 else None
    named = "".join(sum(labels.values(), []))
    for label, extent in extents.items():
        if label not in named:
            trips["batch"] *= extent
    for role in "mn":
        tiles = []
        for label in labels[role]:
            tile = rng.randint(1, extent_of(label))
            if role == whole:
                tile = extent_of(label)
            trips[role] *= math.ceil(extent_of(label) / tile)
            tiles.append(f"{label}: {tile}")
        schedule = re.sub(rf"\b{role} = \[[^]]*\]",
                          f"{role} = [{', '.join(tiles)}]", schedule)
    order = rng.sample("mnk", 3)
    if together:
        order = [together, "k", "n" if together == "m" else "m"]
    schedule = re.sub(r"order = \[[^]]*\]", f"order = [{', '.join(order)}]",
                      schedule)
    ways = {role: rng.randint(1, min(count, 4))
            for role, count in trips.items()}
    if together:
        ways[together] = ways["batch"] = 1
    shared = ", ".join(f"{role}: {count}" for role, count in ways.items())
    return schedule[:-1] + f", threads = [{shared}]>"


def given(number, seed):
    rng = random.Random(f"given {seed}/{number}")
    contraction = Contraction(rng, SHAPES[number % len(SHAPES)],
                              rng.choice((1, 100, 5000, 100000)))

    def run(context):
        first = contraction.run(context, "--threads=1", "--strategy=gett")
        # Several blocks along K.
        schedule = re.sub(r"\bk = \[(\w+): (\d+)", lambda found:
                          f"k = [{found.group(1)}: "
                          f"{rng.randint(1, int(found.group(2)))}",
                          first["schedule"]).replace("stream", "cache")
        one = contraction.run(context, f"--schedule={schedule}")
        used = 0
        for _ in range(6):
            several = contraction.run(
                context, "--schedule=" + cut(rng, {**one, "schedule": schedule}),
                check=False)
            expect_same(one, several)
            used += several["threads"] > 1
        return {"threaded": used}

    return harness.Case(f"given-{number:02}", run)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--count", type=int, default=14,
                        help="cases of each kind")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    cases = [kind(number, arguments.seed)
             for kind in (chosen, drawn, given, three_products)
             for number in range(arguments.count)]

    def show(outcomes):
        count = sum(outcome.figures.get("three_products", False)
                    for outcome in outcomes)
        print(f"{count} cases with three products of complex numbers")

    return harness.main(cases, arguments, show)


if __name__ == "__main__":
    sys.exit(main())
