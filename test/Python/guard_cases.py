# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common code of calls on arrays beside pages that nothing may touch (guarded_memory): drawing
them, and the expected results. Elements are small integers, so that all sums are exact, and results
are expected by the definition: over the grid of all indices."""

import math
import random

import numpy as np

import guarded_memory
import random_products

SEMIRINGS = {
    "plus_times": (np.multiply, np.add),
    "min_plus": (np.add, np.minimum),
    "max_plus": (np.add, np.maximum),
    "max_min": (np.minimum, np.maximum),
}
# As many elements of the grid as take milliseconds.
MOST = 50000


class Wrong(Exception):
    """The reason why a call is wrong."""


class Case:
    """One call: its draws, and its arrays."""

    def __init__(self, seed, number):
        self.rng = random.Random(f"{seed}:{number}")
        self.numbers = np.random.default_rng(self.rng.randrange(1 << 30))
        self.guarded = []
        #: What there is to say of it.
        self.said = []

    def say(self, *what):
        self.said.append(" ".join(map(str, what)))

    def has(self, chance):
        return self.rng.random() < chance

    def draw_layout(self, shape, itemsize, repeats):
        """Strides in bytes: axes in any order, perhaps backwards or with gaps between, and, if it
        `repeats`, perhaps with no step along an axis."""
        order = list(range(len(shape)))
        if self.has(0.5):
            self.rng.shuffle(order)
        is_plain = self.has(0.4)
        strides, step = [0] * len(shape), itemsize
        for axis in order[::-1]:
            if not is_plain and self.has(0.2):
                step += itemsize * self.rng.randint(1, 3)
            strides[axis] = step
            if not is_plain and repeats and self.has(0.1):
                strides[axis] = 0
                continue
            if not is_plain and self.has(0.2):
                strides[axis] = -step
            step *= max(shape[axis], 1)
        return tuple(strides)

    def place(self, shape, dtype, repeats=True, strides=None, is_plain=False):
        """An array of that shape and elements that are drawn."""
        dtype = np.dtype(dtype)
        shift = 0
        if not is_plain and self.has(0.04):
            dtype = dtype.newbyteorder()
        elif not is_plain and self.has(0.04):
            shift = self.rng.randint(1, 7)
        if strides is None:
            strides = self.draw_layout(shape, dtype.itemsize, repeats)
        made = guarded_memory.Guarded(shape, strides, dtype, self.has(0.3), shift)
        self.guarded.append(made)
        values = self.numbers.integers(0 if dtype.kind in "ub" else -1, 2, shape)
        if dtype.kind == "c":
            values = values + 1j * self.numbers.integers(-1, 2, shape)
        return made.fill(values)

    def again(self, made):
        """Another array of the same layout."""
        return self.place(
            made.array.shape, made.array.dtype, strides=made.array.strides, is_plain=True
        )

    def close(self):
        for each in self.guarded:
            each.close()


def define(subscripts, arrays, semiring="plus_times"):
    """The result of einsum by its definition, in a dtype that holds all sums."""
    terms, _, result = subscripts.replace("...", "_").partition("->")
    terms = terms.split(",")
    labels = sorted(set("".join(terms)))
    extents = {}
    for term, array in zip(terms, arrays):
        for label, extent in zip(term, array.shape):
            if extents.get(label, 1) == 1:
                extents[label] = extent
    product, total = SEMIRINGS[semiring]
    grid = None
    for term, array in zip(terms, arrays):
        # Diagonals first: each label has one axis then.
        while len(set(term)) < len(term):
            label = next(x for x in term if term.count(x) > 1)
            first = term.index(label)
            second = term.index(label, first + 1)
            array = np.diagonal(array, axis1=first, axis2=second)
            term = "".join(x for i, x in enumerate(term) if i not in (first, second)) + label
        kept = [x for x in labels if x in term]
        array = array.transpose([term.index(x) for x in kept])
        whole = [array.shape[kept.index(x)] if x in kept else 1 for x in labels]
        array = array.reshape(whole)
        grid = array if grid is None else product(grid, array)
    grid = np.broadcast_to(grid, [extents[x] for x in labels])
    summed = tuple(i for i, x in enumerate(labels) if x not in result)
    made = total.reduce(grid, axis=summed) if summed else grid
    left = [x for x in labels if x in result]
    return np.asarray(made).transpose([left.index(x) for x in result])


def widened(made):
    """The elements of an array in a dtype in which nothing is rounded or wraps around."""
    values = made.values
    kind = {"c": "complex128", "f": "float64"}.get(values.dtype.kind, "int64")
    return values.astype(kind)


def draw_product(case, count):
    """Subscripts and shapes, small enough for `define`."""
    for largest in (17, 8, 5, 3, 2):
        subscripts, shapes = random_products.draw(case.rng.randrange(1 << 30), count, largest)
        extents = {}
        for term, shape in zip(subscripts.partition("->")[0].replace("...", "_").split(","), shapes):
            for label, extent in zip(term, shape):
                extents[label] = max(extents.get(label, 1), extent)
        if math.prod(extents.values()) <= MOST:
            break
    if case.has(0.05):
        label = case.rng.choice(sorted(extents))
        terms = subscripts.partition("->")[0].replace("...", "_").split(",")
        shapes = [
            tuple(0 if x == label and n != 1 else n for x, n in zip(term, shape))
            for term, shape in zip(terms, shapes)
        ]
    return subscripts, shapes


def check(case, what, found, expected, guarded, out=None):
    """Compares the result, and looks for other changes."""
    found = np.asarray(found)
    if found.shape != expected.shape:
        raise Wrong(f"{what}: shape {found.shape}, not {expected.shape}")
    with np.errstate(all="ignore"):
        rounded = expected.astype(found.dtype)
    if not np.array_equal(found, rounded):
        raise Wrong(f"{what}: {found.tolist()}, not {rounded.tolist()}")
    check_memory(what, guarded, out)


def check_memory(what, guarded, out=None):
    for place, each in enumerate(guarded):
        if count := each.changed():
            raise Wrong(f"{what}: {count} bytes of operand {place} are changed")
    if out is not None and (count := out.changed(is_written=True)):
        raise Wrong(f"{what}: {count} bytes between elements of out are changed")


def refuse(case, what, call, guarded, kinds=ValueError):
    """Makes a call that is to be refused, with nothing changed."""
    try:
        call()
    except kinds as error:
        case.say("refused:", error)
        check_memory(what, guarded)
        return
    raise Wrong(f"{what}: taken, and is to be refused")


def describe(made):
    array = made.array
    return f"{array.dtype}{list(array.shape)} by {list(array.strides)}"
