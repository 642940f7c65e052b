# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of many arrays whose rounding depends on nothing but their number.

The terms of a sum are numbered from 0, and added up in a binary tree: node (level,
number) is the sum of the terms from number * 2**level up to those of the next node of
the level, or the last. A node whose second child has no terms is its first child. Whoever has both
children of a node adds them, so that every node has the same bits wherever it is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ._ranks import Ranks


class Node(NamedTuple):
    """A node of the tree of one block: a part of the result, which has a sum of its
    own."""

    block: int
    level: int
    number: int

    def terms(self, count: int) -> range:
        """The terms that it is the sum of, if the block has so many."""
        begin = self.number << self.level
        return range(begin, min(begin + (1 << self.level), count))


class Forest:
    """Sums of terms that are there, each as high in its tree as it can be. Arrays belong to
    the forest, which adds in place."""

    def __init__(self, terms: int) -> None:
        """Blocks have so many terms each."""
        self.terms = terms
        self.top = (terms - 1).bit_length()
        self.nodes: dict[Node, np.ndarray] = {}

    def add(self, node: Node, array: np.ndarray) -> tuple[list[Node], Node]:
        """Takes a sum whose terms are not there yet. Returns what was there and is now
        part of another sum, and that one."""
        used = []
        while node.level < self.top:
            sibling = node._replace(number=node.number ^ 1)
            if sibling.number << node.level < self.terms:
                other = self.nodes.pop(sibling, None)
                if other is None:
                    break
                used.append(sibling)
                array = np.add(array, other, out=array)
            node = Node(node.block, node.level + 1, node.number >> 1)
        self.nodes[node] = array
        return used, node

    def holds(self, node: Node) -> bool:
        """True if the terms of a node are part of a sum that is there."""
        return any(
            Node(node.block, level, node.number >> (level - node.level)) in self.nodes
            for level in range(node.level, self.top + 1)
        )


def choose_holders(
    nodes: Sequence[Iterable[Node]], top: int
) -> dict[int, list[tuple[Node, int]]]:
    """Of each block the nodes that ranks have, each with its rank, none of which is
    part of another one."""
    holders: dict[Node, int] = {}
    for rank, held in enumerate(nodes):
        for node in held:
            holders.setdefault(node, rank)
    chosen: dict[int, list[tuple[Node, int]]] = {}
    for node, rank in sorted(holders.items()):
        parents = (
            Node(node.block, level, node.number >> (level - node.level))
            for level in range(node.level + 1, top + 1)
        )
        if not any(parent in holders for parent in parents):
            chosen.setdefault(node.block, []).append((node, rank))
    return chosen


class _Piece(NamedTuple):
    """Elements of a block that one rank adds up."""

    block: int
    begin: int
    end: int
    owner: int


def _pieces(
    chosen: dict[int, list[tuple[Node, int]]], sizes: Sequence[int], ranks: int
) -> list[_Piece]:
    """Shares in the additions: a whole sum stays with its rank, and of others each rank adds up an
    equal share."""
    pieces = []
    for block, held in sorted(chosen.items()):
        size = sizes[block]
        if len(held) == 1:
            pieces.append(_Piece(block, 0, size, held[0][1]))
            continue
        ends = [size * rank // ranks for rank in range(ranks + 1)]
        pieces += [
            _Piece(block, begin, end, owner)
            for owner, (begin, end) in enumerate(zip(ends, ends[1:]))
            if begin < end
        ]
    return pieces


def gather_nodes(ranks: Ranks, forest: Forest) -> list[list[Node]]:
    """The sums that each rank has."""
    with ranks.together():
        own = sorted(forest.nodes)
    with ranks.reaching():
        return ranks.comm.allgather(own)


def combine(
    ranks: Ranks, forest: Forest, sizes: Sequence[int], dtype: np.dtype
) -> list[np.ndarray]:
    """The whole sum of each block, which has so many elements, as flat arrays on all
    ranks, whose forests have all terms together. Each element is added up by one rank:
    a rank sends and receives about as much as it holds, and as all blocks have."""
    held = gather_nodes(ranks, forest)
    with ranks.together():
        chosen = choose_holders(held, forest.top)
        pieces = _pieces(chosen, sizes, ranks.size)
        # In the same order on both sides: by piece, then by node.
        sends: list[list[np.ndarray]] = [[] for _ in range(ranks.size)]
        counts = [0] * ranks.size
        # Bytes that each rank sends and gets.
        loads = [[0, 0] for _ in range(ranks.size)]
        for piece in pieces:
            for node, holder in chosen[piece.block]:
                loads[holder][0] += piece.end - piece.begin
                loads[piece.owner][1] += piece.end - piece.begin
                if holder == ranks.rank:
                    flat = forest.nodes[node].reshape(-1)
                    sends[piece.owner].append(flat[piece.begin : piece.end])
                if piece.owner == ranks.rank:
                    counts[holder] += piece.end - piece.begin
        nothing = np.empty(0, dtype)
        parts = [np.concatenate([nothing, *each]) for each in sends]
    received = ranks.exchange(parts, counts, max(map(max, loads)), dtype)
    with ranks.together():
        places = [0] * ranks.size
        sums = [nothing]
        for piece in pieces:
            if piece.owner != ranks.rank:
                continue
            share, length = Forest(forest.terms), piece.end - piece.begin
            for node, holder in chosen[piece.block]:
                begin = places[holder]
                places[holder] = begin + length
                share.add(node, received[holder][begin : begin + length])
            (whole,) = share.nodes.values()
            sums.append(whole)
        totals = [0] * ranks.size
        for piece in pieces:
            totals[piece.owner] += piece.end - piece.begin
        summed = np.concatenate(sums)
    gathered = ranks.collect(summed, totals)
    with ranks.together():
        places = [0] * ranks.size
        blocks = [np.empty(size, dtype) for size in sizes]
        for piece in pieces:
            begin = places[piece.owner]
            places[piece.owner] = end = begin + piece.end - piece.begin
            blocks[piece.block][piece.begin : piece.end] = gathered[piece.owner][begin:end]
    return blocks
