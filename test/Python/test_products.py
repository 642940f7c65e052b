# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms, their derivatives and batches, and programs of them, on which the packages for PyTorch
and JAX stand: all that needs neither."""

import numpy as np
import pytest
import random_products

import tc
from tc._notation.terms import (
    Term,
    batched,
    extents_of,
    form_of,
    gradients_of,
    needed_of,
    read,
    selected,
    shapes_of,
    tangents_of,
    term_of,
    write,
)
from tc._programs.statements import program_of


def evaluate(text, arrays):
    return [
        np.einsum(
            ",".join(labels for _, labels in term.factors) + "->" + term.result,
            *(arrays[number] for number, _ in term.factors),
        )
        for term in read(text)
    ]


def run(text, arrays):
    """The same by a program, and the statements of that."""
    terms = read(text)
    extents = extents_of(terms, [x.shape for x in arrays])
    source = program_of(terms, extents, "f64")
    program = tc.compile_program(source)
    found = program({f"X{i}": x for i, x in enumerate(arrays) if f"X{i}" in program.parameters})
    results = [found] if len(terms) == 1 else [found[f"R{i}"] for i in range(len(terms))]
    return results, source.splitlines()[1:-1]


def close(found, wanted):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        assert a.shape == b.shape
        # Summands may cancel.
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


def draw(shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def drawn_term(seed, operands):
    """A term and arrays for it."""
    subscripts, shapes = random_products.draw(seed, operands, largest=7, repeated=False)
    form = form_of(subscripts, tuple(map(len, shapes)))
    text, removed = term_of(form, shapes)
    arrays = [x.squeeze(axes) for x, axes in zip(draw(shapes), removed)]
    return text, arrays


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("operands", [3, 4, 6])
def test_gradients(seed, operands):
    text, arrays = drawn_term(200 + seed, operands)
    (shape,) = shapes_of(text, [x.shape for x in arrays])
    (cotangent,) = draw([shape], seed=1)
    wanted = tuple(i != 1 or seed % 2 == 0 for i in range(operands))
    found, terms, used = gradients_of(text, wanted, (True,))
    assert [each.operand for each in found] == [i for i in range(operands) if wanted[i]]
    chosen = [[cotangent, *arrays][i] for i in used]
    results, statements = run(terms, chosen)
    close(results, evaluate(terms, chosen))
    if operands > 2:
        # Of each pair of the product and its cotangent, at most three.
        assert len(statements) <= 3 * operands
    # By differences: the product is linear in each operand.
    (value,) = evaluate(text, arrays)
    for each, result in zip(found, results):
        (step,) = draw([arrays[each.operand].shape], seed=2)
        moved = list(arrays)
        moved[each.operand] = arrays[each.operand] + step
        difference = (evaluate(text, moved)[0] - value) * cotangent
        whole = np.expand_dims(result, each.missing)
        np.testing.assert_allclose((whole * step).sum(), difference.sum(), rtol=1e-8, atol=1e-8)


def test_what_gradients_share():
    """A chain of eight matrices: by the definition, each of eight gradients would be seven
    products."""
    letters = "abcdefghi"
    text = write(
        [Term(tuple((i, letters[i : i + 2]) for i in range(8)), "ai")]
    )
    _, terms, _ = gradients_of(text, (True,) * 8, (True,))
    arrays = draw([(5, 5)] * 9)
    results, statements = run(terms, arrays)
    close(results, evaluate(terms, arrays))
    assert len(statements) == 20
    assert all(each.count("*") <= 1 for each in statements)
    # Each term is a statement if factors differ in more than one from the product.
    _, statements = run("0ab,1bc,2cd->ad;0ab,1bc->ac", draw([(5, 5)] * 3))
    assert len(statements) == 2


def test_needed():
    assert needed_of("0ab,1bc->ac", (True, False)) == (False, True)
    assert needed_of("0ab,1bc->ac;2a->", (True, True, True)) == (True, True, False)


def test_tangents():
    arrays, tangents = draw([(3, 4), (4, 5), (5, 3)]), draw([(3, 4), (4, 5), (5, 3)], seed=1)
    results, terms, used = tangents_of("0ab,1bc->ac;0ab,1bc,2ca->", (True, False, True))
    assert results == [0, 1, 1]
    parts = evaluate(terms, [[*arrays, *tangents][i] for i in used])
    a, b, c = arrays
    close(
        parts,
        [tangents[0] @ b, np.trace(tangents[0] @ b @ c), np.trace(a @ b @ tangents[2])],
    )


def test_batches():
    a, b = draw([(3, 2, 4), (4, 5)])
    text, has = batched("0ab,1bc->ac;1bc->c", (1, None))
    assert has == [True, False]
    close(evaluate(text, [a, b]), [np.einsum("anb,bc->nac", a, b), b.sum(0)])
    # A letter that is not used.
    assert batched("0ab->a", (0,))[0] == "0cab->ca"


def test_texts():
    assert write(read("0ab,12->a;3c->")) == "0ab,12->a;3c->"
    assert read("") == ()
    assert selected("3ab,1bc->ac") == ("1ab,0bc->ac", (1, 3))
    for text in ("ab->a", "0ab", "0ab,->a"):
        with pytest.raises(ValueError, match="is no term"):
            read(text)
    with pytest.raises(ValueError, match="^index 'a' has extents 2 and 3"):
        shapes_of("0a,1a->", [(2,), (3,)])
    with pytest.raises(ValueError, match="^operand 0 has 2 axes, but 1 indices"):
        shapes_of("0a->", [(2, 2)])


def test_forms():
    assert form_of("...ij,...jk->ik", (3, 3), sums_ellipsis=True).result == "bd"
    with pytest.raises(ValueError, match="the output has no '...'"):
        form_of("...ij,...jk->ik", (3, 3))
    assert form_of("iji->j", (3,)) == ((((0, 2),),), ("ba",), "b", (("i", "j", "i"),))
