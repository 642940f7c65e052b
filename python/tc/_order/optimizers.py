# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders from objects of other libraries: optimizers of opt_einsum and cotengra, and trees."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from .._arrays.layout import as_integer
from .._notation.letters import letter_of
from .._notation.subscripts import Labels, Subscripts
from .path import Order, Shapes, Slice, check_path


def is_optimizer(optimize: Any) -> bool:
    """True for a tree, and for what is called with the operands' indices to find an order."""
    if isinstance(optimize, (str, type)):
        return False
    return callable(optimize) or _is_tree(optimize)


def _is_tree(optimize: Any) -> bool:
    """True for cotengra's ContractionTree, and for what looks like it."""
    return all(hasattr(optimize, name) for name in ("get_path", "inputs", "size_dict"))


def _labels_of(
    tree: Any, subscripts: Subscripts, extents: Mapping[str, int]
) -> dict[Any, str]:
    """The label of each of a tree's indices, which stand where labels do. Raises ValueError for a
    tree of another product."""
    its = [tuple(indices) for indices in tree.inputs]
    count = len(subscripts.operands)
    if len(its) != count:
        raise ValueError(f"the tree has {len(its)} operands, but there are {count}")
    labels: dict[Any, str] = {}
    for number, (indices, operand) in enumerate(zip(its, subscripts.operands)):
        if len(indices) != len(operand):
            raise ValueError(
                f"operand {number} of the tree has {len(indices)} indices, but {len(operand)} axes"
            )
        for index, label in zip(indices, operand):
            if labels.setdefault(index, label) != label:
                raise ValueError(
                    f"index '{index}' of the tree is '{labels[index]}' and '{label}' of the operands"
                )
    for index, label in labels.items():
        size = tree.size_dict[index]
        if size != extents[label]:
            raise ValueError(
                f"index '{index}' of the tree has {size} values, but '{label}' {extents[label]}"
            )
    if len(set(labels.values())) < len(labels):
        raise ValueError("two indices of the tree are one of the operands'")
    return labels


def _order_of_tree(tree: Any, labels: Mapping[Any, str], extents: Mapping[str, int]) -> Order:
    """The path of a tree, with a slice for each value of the indices that it cuts."""
    count = len(tree.inputs)
    sliced: Sequence[Any] = tuple(getattr(tree, "sliced_inds", ()))
    slices = tuple(
        Slice(labels[index], extents[labels[index]], 1)
        for index in sliced
        if extents[labels[index]] > 1
    )
    text = f"as {type(tree).__name__} has it"
    return Order(check_path(tree.get_path(), count), None, text, slices)


@functools.lru_cache(maxsize=4096)
def ask_optimizer(
    optimizer: Any, subscripts: Subscripts, shapes: Shapes, extents: tuple[tuple[str, int], ...]
) -> Order:
    """The order that an optimizer finds or a tree has, which is asked once. Optimizers are called
    with the indices of the operands and the result, which are letters, and with the extents, as
    opt_einsum calls them; what cotengra's cut into slices stays cut."""
    of_labels = dict(extents)
    if _is_tree(optimizer):
        return _order_of_tree(optimizer, _labels_of(optimizer, subscripts, of_labels), of_labels)
    letters = {label: letter_of(i) for i, label in enumerate(of_labels)}

    def spell(labels: Labels) -> tuple[str, ...]:
        return tuple(dict.fromkeys(letters[label] for label in labels))

    inputs, output = [spell(labels) for labels in subscripts.operands], spell(subscripts.result)
    sizes = {letters[label]: extent for label, extent in of_labels.items()}
    if hasattr(optimizer, "search"):
        tree = optimizer.search(inputs, output, sizes)
        if _is_tree(tree):
            known = {letter: label for label, letter in letters.items()}
            return _order_of_tree(tree, known, of_labels)
    found = optimizer([frozenset(each) for each in inputs], frozenset(output), sizes, None)
    path = [[as_integer(position, "a position of the optimizer's path") for position in step] for step in found]
    return Order(check_path(path, len(inputs)), None, f"as {type(optimizer).__name__} found it")
