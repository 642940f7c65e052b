"""Random schedules for CPUs, of contractions that random_contractions.py draws.

They multiply complex numbers by three real products, which the model chooses
for large contractions only.
"""

import math


def roles_of(contraction):
    """The labels of each role."""
    held = {tensor: set(operand.labels)
            for tensor, operand in contraction.operands.items()}
    roles = {"batch": [], "m": [], "n": [], "k": []}
    for label in sorted(contraction.extents):
        if label not in held["C"]:
            role = "k"
        elif label not in held["A"]:
            role = "n"
        else:
            role = "batch" if label in held["B"] else "m"
        roles[role].append(label)
    return roles


def draw_tiles(rng, labels, extents):
    """Tiles along the labels, in any order, and the trips of their loop."""
    order = rng.sample(labels, len(labels))
    tiles = {label: rng.choice((extents[label],
                                rng.randint(1, extents[label])))
             for label in order}
    trips = math.prod(math.ceil(extents[label] / tile)
                      for label, tile in tiles.items())
    return [f"{label}: {tile}" for label, tile in tiles.items()], trips


def draw_threads(rng, trips):
    """Ways to share loops out, at most two a loop."""
    ways = {role: rng.randint(1, min(count, 2))
            for role, count in trips.items() if role != "k"}
    if math.prod(ways.values()) == 1:
        return ""
    shared = ", ".join(f"{role}: {count}" for role, count in ways.items())
    return f", threads = [{shared}]"


def draw_three_products(rng, contraction):
    """The text of a schedule."""
    roles, extents = roles_of(contraction), contraction.extents
    lists, trips = {}, {}
    for role in "mnk":
        lists[role], trips[role] = draw_tiles(rng, roles[role], extents)
    trips["batch"] = math.prod(extents[label] for label in roles["batch"])
    lists["k"].insert(0, "re_im_3m: 3")
    tiles = ", ".join(f"{role} = [{', '.join(entries)}]"
                      for role, entries in lists.items())
    lanes = rng.choice((1, 2, 4, 8, 16))
    vectors, columns = rng.choice(((1, 1), (1, 3), (1, 8), (2, 2), (2, 4),
                                   (3, 2), (3, 8)))
    # Factors may become arguments yet.
    overwrites = contraction.factors.get("beta") is None
    stores = ["cache"] + ["stream"] * (overwrites and trips["k"] == 1)
    inner = rng.choice(("rows", "columns"))
    return (f'#tc.cpu_schedule<target = "drawn", rows = {rng.choice("mn")}, '
            f"{tiles}, order = [{', '.join(rng.sample('mnk', 3))}], inner = {inner}, "
            f"register = [{vectors * lanes}, {columns}], lanes = {lanes}, "
            f"store = {rng.choice(stores)}{draw_threads(rng, trips)}>")
