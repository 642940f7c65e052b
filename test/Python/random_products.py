# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions for einsum: subscripts and shapes."""

import random

from seeds import numbered

# One, primes, and what does and does not divide tiles.
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 11, 16, 17)


def draw(seed, operands, largest=17, ellipsis=True, repeated=True):
    """Subscripts and shapes for that many operands. Some indices are summed out of one
    operand, some are repeated in one, and some have extent one in one and not in another."""
    rng = random.Random(numbered(seed))
    choices = [n for n in EXTENTS if n <= largest]
    letters = "abcdefgh"[: rng.randint(2, 6)]
    extents = {letter: rng.choice(choices) for letter in letters}
    many = rng.choice(choices)
    terms, shapes, dotted = [], [], []
    for _ in range(operands):
        labels = rng.sample(letters, rng.randint(1, min(4, len(letters))))
        if repeated and rng.random() < 0.15:
            labels.insert(rng.randrange(len(labels) + 1), rng.choice(labels))
        shape = [
            1 if labels.count(label) == 1 and rng.random() < 0.1 else extents[label]
            for label in labels
        ]
        term = "".join(labels)
        has = ellipsis and rng.random() < 0.25
        if has:
            place = rng.randrange(len(labels) + 1)
            term = term[:place] + "..." + term[place:]
            shape.insert(place, rng.choice((1, many)))
        terms.append(term)
        shapes.append(tuple(shape))
        dotted.append(has)
    used = sorted({letter for term in terms for letter in term.replace(".", "")})
    output = rng.sample(used, rng.randint(0, min(3, len(used))))
    result = "".join(output)
    if any(dotted):
        place = rng.randrange(len(result) + 1)
        result = result[:place] + "..." + result[place:]
    return ",".join(terms) + "->" + result, shapes
