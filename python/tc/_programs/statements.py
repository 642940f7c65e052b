# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms (tc._notation.terms) as a program, those of gradients in three products' time.

The gradients of a product are terms, of which each lacks one factor of the product of all. A
tree of pairs contracts the whole product to a number. What is below a node is one
tensor, and the derivative of the number with respect to that another one: the parent's times
the sibling. Both have the indices that the node shares with the rest, and so each takes as many
multiplications as the node itself (Griewank and Walther, Evaluating Derivatives, 2nd ed., 2008,
chapter 4: the cheap gradient principle).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._arrays.layout import DTYPES
from .._notation.letters import name_of
from .._notation.subscripts import Subscripts
from .._notation.terms import Term
from .._order.greedy import quick_path
from .._order.search import Machine, find_order

Factor = tuple[int, str]


class Statement(NamedTuple):
    """A tensor that is the product of others, each with its indices. Operand 0 of the terms is
    called X0, and the result of the first term R0."""

    name: str
    labels: str
    factors: tuple[tuple[str, str], ...]


def program_of(terms: Sequence[Term], extents: Mapping[str, int], element_type: str) -> str:
    """The terms as a program (docs/programs.md). The type is the compiler's name of one."""
    assignments = [f"{name_of(x)} = {extent}" for x, extent in extents.items()]
    statements = [
        f"{_spell(each.name, each.labels)} = "
        + " * ".join(_spell(name, labels) for name, labels in each.factors)
        for each in statements_of(terms, extents, DTYPES[element_type])
    ]
    return "\n".join(
        [
            ", ".join([f"type = {element_type}", *assignments]),
            *statements,
            "output " + ", ".join(f"R{i}" for i in range(len(terms))),
        ]
    )


def statements_of(
    terms: Sequence[Term], extents: Mapping[str, int], dtype: str, is_quick: bool = False
) -> list[Statement]:
    """Statements that compute the terms; with a tree that is found quickly, as for a first call."""
    factors = _factors_of(terms)
    if factors is not None:
        return _share(terms, factors, extents, dtype, is_quick)
    return [
        Statement(
            f"R{i}",
            term.result,
            tuple((f"X{number}", labels) for number, labels in term.factors),
        )
        for i, term in enumerate(terms)
    ]


def _spell(name: str, labels: str) -> str:
    return f"{name}[{','.join(map(name_of, labels))}]"


def _factors_of(terms: Sequence[Term]) -> list[Factor] | None:
    """The factors of the product of which all terms are derivatives, each with respect to
    one factor that it lacks; None if there is no such product, or no factor to share."""
    every = sorted({factor for term in terms for factor in term.factors})
    if len(terms) < 2 or len(every) < 4 or len({number for number, _ in every}) < len(every):
        return None
    for term in terms:
        missing = [factor for factor in every if factor not in term.factors]
        if len(missing) != 1 or len(term.factors) != len(every) - 1:
            return None
        there = {label for _, labels in term.factors for label in labels}
        if term.result != "".join(label for label in missing[0][1] if label in there):
            return None
    return every


class _Node(NamedTuple):
    """Two nodes or one factor, with the indices that they share with the others."""

    children: tuple[int, ...]
    labels: str


def _find_path(
    operands: Sequence[str], extents: Mapping[str, int], dtype: str
) -> Sequence[Sequence[int]]:
    """The order of pairs that the model finds, which takes milliseconds and more."""
    return find_order(
        Subscripts(tuple(tuple(map(name_of, labels)) for labels in operands), ()),
        tuple(tuple(extents[label] for label in labels) for labels in operands),
        [dtype] * len(operands),
        True,
        Machine("cpu", 0, "plus_times", None),
    ).path


def _tree_of(
    factors: Sequence[Factor], extents: Mapping[str, int], dtype: str, is_quick: bool
) -> list[_Node]:
    """Nodes, of which the first are the factors and the last is the root."""
    operands = [labels for _, labels in factors]
    path: Sequence[Sequence[int]] | None = quick_path(operands, extents) if is_quick else None
    if path is None:
        path = _find_path(operands, extents, dtype)
    below = [{i} for i in range(len(operands))]
    nodes = []

    def add(children: tuple[int, ...], leaves: set[int], candidates: str) -> None:
        outside = {x for i, labels in enumerate(operands) if i not in leaves for x in labels}
        kept = "".join(dict.fromkeys(x for x in candidates if x in outside))
        nodes.append(_Node(children, kept))

    for i, labels in enumerate(operands):
        add((), {i}, labels)
    left = list(range(len(operands)))
    for step in path:
        chosen = [left[position] for position in step]
        left = [each for position, each in enumerate(left) if position not in step]
        while len(chosen) > 1:
            a, b = chosen.pop(0), chosen.pop(0)
            below.append(below[a] | below[b])
            add((a, b), below[-1], nodes[a].labels + nodes[b].labels)
            chosen.insert(0, len(nodes) - 1)
        left += chosen
    return nodes


def _share(
    terms: Sequence[Term],
    factors: Sequence[Factor],
    extents: Mapping[str, int],
    dtype: str,
    is_quick: bool,
) -> list[Statement]:
    """Statements which compute the terms, each a product of two tensors at most. What is
    below a node is called T0 and so on, and the derivative with respect to that D0."""
    nodes = _tree_of(factors, extents, dtype, is_quick)
    parents = {child: i for i, node in enumerate(nodes) for child in node.children}
    root = len(nodes) - 1
    statements: list[Statement] = []
    made: dict[str, tuple[str, str]] = {}

    def state(name: str, labels: str, *products: tuple[str, str]) -> tuple[str, str]:
        made[name] = (name, labels)
        statements.append(Statement(name, labels, products))
        return made[name]

    def below(i: int) -> tuple[str, str]:
        if not nodes[i].children:
            number, labels = factors[i]
            return f"X{number}", labels
        name = f"T{i}"
        return made.get(name) or state(
            name, nodes[i].labels, *(below(child) for child in nodes[i].children)
        )

    def around(i: int) -> list[tuple[str, str]]:
        """Factors of the derivative with respect to a node."""
        parent = parents[i]
        sibling = below(next(child for child in nodes[parent].children if child != i))
        return [sibling] if parent == root else [derivative(parent), sibling]

    def derivative(i: int) -> tuple[str, str]:
        if parents[i] == root:
            return around(i)[0]
        name = f"D{i}"
        return made.get(name) or state(name, nodes[i].labels, *around(i))

    for number, term in enumerate(terms):
        leaf = next(i for i, factor in enumerate(factors) if factor not in term.factors)
        state(f"R{number}", term.result, *around(leaf))
    return statements
