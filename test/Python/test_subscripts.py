# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Subscripts and errors: what NumPy takes is taken, and messages name operand
and axis."""

import random

import numpy as np
import opt_einsum
import pytest

import tc
from tc._notation.letters import letter_of_label
from tc._notation.subscripts import parse


def ones(*shape, dtype="float64"):
    return np.ones(shape, dtype)


@pytest.mark.parametrize(
    "subscripts, shapes",
    [
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ba,ca", [(2, 3), (4, 3)]),
        (" ij , jk -> ki ", [(2, 3), (3, 4)]),
        ("...ij,...jk", [(2, 1, 5, 2, 3), (7, 1, 3, 4)]),
        ("...ij,jk->...ik", [(5, 2, 3), (3, 4)]),
        ("i...,i...->...", [(3, 4, 5), (3, 4, 5)]),
        ("ij,jk->ik", [(2, 1), (3, 4)]),
        ("Zz,zA", [(2, 3), (3, 4)]),
        (",ij->ji", [(), (2, 3)]),
        ("ij->ji", [(2, 3)]),
        ("ii", [(4, 4)]),
        ("ii->i", [(4, 4)]),
        ("ijk->k", [(2, 3, 4)]),
        ("...ij->...", [(5, 2, 3)]),
        ("ij,jk,kl", [(2, 3), (3, 4), (4, 5)]),
        ("...i,...i,...j->...j", [(6, 3), (6, 3), (4,)]),
        ("ij,ij,ij->", [(2, 3), (2, 3), (2, 3)]),
        ("i,j,k,l->lkji", [(2,), (3,), (4,), (5,)]),
        ("ik,kj->ij", [(3, 0), (0, 4)]),
        ("ij,jk->...ik", [(2, 3), (3, 4)]),
        ("gmk,gkn->gmn", [(1, 1, 1), (1, 1, 1)]),
        ("gmk,gkn->gmn", [(0, 2, 3), (0, 3, 4)]),
        ("gmk,gkn->gmn", [(2, 2, 3), (2, 3, 0)]),
        ("gmk,gkn->gmn", [(1, 2, 0), (5, 0, 4)]),
        ("...ij,...jk->...ik", [(1, 2, 3), (5, 3, 4)]),
        ("i...->...i", [(2, 3, 4)]),
        ("ik,kj->ij", [(0, 3), (3, 4)]),
    ],
)
def test_like_numpy(subscripts, shapes):
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(shape) for shape in shapes]
    expected = np.einsum(subscripts, *arrays)
    result = tc.einsum(subscripts, *arrays)
    assert np.shape(result) == np.shape(expected)
    assert type(result) is type(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-13, atol=1e-13)


def test_letters_beyond_ascii():
    # As opt_einsum names indices when it runs out of letters.
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    assert (tc.einsum("\u00e9j,jk->\u00e9k", a, b) == a @ b).all()
    assert (tc.einsum("...\u00e9,\u00e9", a, a[0]) == a @ a[0]).all()
    # The 76th of opt_einsum and the first that combines with the one before.
    assert (tc.einsum("\u00d7j,j\u0300->\u00d7\u0300", a, b) == a @ b).all()
    assert tc.einsum("\u00d7j,j\u0300,\u0300->", a, b, b[0]) == (a @ b @ b[0]).sum()
    # A slip of "->" names an index, too, as it does for opt_einsum.
    with pytest.raises(ValueError, match="operand 1 has 2 dimensions, but 5 are named for it"):
        tc.einsum("ij,jk\u2192ik", a, b)


def test_all_symbols_are_read():
    # All of the first plane, and of the others some; 60 at a time, from the last to the first.
    codes = [*range(ord("0"), 0xD800), *range(0xE000, 0x10000), *range(0x10000, 0x110000, 97)]
    symbols = list(map(chr, codes))
    symbols = [each for each in symbols if each.isalnum() or not each.isascii()]
    assert set(map(opt_einsum.get_symbol, range(20001))) <= set(symbols)
    for begin in range(0, len(symbols), 60):
        some = symbols[begin : begin + 60]
        parsed = parse("".join(some[::-1]), (len(some),))
        assert list(map(letter_of_label, parsed.operands[0])) == some[::-1]
        assert list(map(letter_of_label, parsed.result)) == some


@pytest.mark.parametrize("seed", range(40))
def test_symbols_like_opt_einsum(seed):
    rng = random.Random(seed)
    blanks = "\u0085\u00a0\u1680\u2000\u2028\u3000"
    known = [*blanks, *"0123456789", *map(chr, range(0x2190, 0x2200)), *"abyzAZ"]
    known += [opt_einsum.get_symbol(rng.randrange(20001)) for _ in range(20)]
    known += [chr(rng.randrange(0xE000, 0x110000)) for _ in range(5)]
    chosen = rng.sample(known, 6)
    extents = {symbol: rng.randint(1, 4) for symbol in chosen}
    terms = ["".join(rng.sample(chosen, rng.randint(1, 4))) for _ in range(rng.randint(2, 3))]
    subscripts = " , ".join(terms)
    if rng.randrange(2):
        used = sorted(set("".join(terms)))
        subscripts += " -> " + "".join(rng.sample(used, rng.randint(0, len(used))))
    numbers = np.random.default_rng(seed)
    arrays = [numbers.standard_normal([extents[x] for x in term]) for term in terms]
    expected = opt_einsum.contract(subscripts, *arrays)
    result = tc.einsum(subscripts, *arrays)
    assert np.shape(result) == np.shape(expected), subscripts
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "subscripts, message",
    [
        ("ij,\tjk", r"subscripts 'ij,\tjk', character 4: '\t' is no letter"),
        ("ij,jk->ik\n", r"subscripts 'ij,jk->ik\n', character 10: '\n' is no letter"),
        ("ij,jk#->ik", "subscripts 'ij,jk#->ik', character 6: '#' is no letter"),
        ("\ud800j,jk", r"subscripts '\ud800j,jk', character 1: '\ud800' is no letter"),
        ("\u03b1j,j\u03b1", "index '\u03b1' has extent 2 in axis 0 of operand 0 and 4 in axis 1"),
        ("1j,j1", "index '1' has extent 2 in axis 0 of operand 0 and 4 in axis 1 of operand 1"),
        ("ij,_k", "character 4: '_' is not a letter"),
    ],
)
def test_what_is_no_symbol(subscripts, message):
    a, b = ones(2, 3), ones(3, 4)
    with pytest.raises(ValueError) as raised:
        tc.einsum(subscripts, a, b)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "subscripts, operands, kind, message",
    [
        (
            "ij,jk->ik",
            [ones(2, 3), ones(4, 5)],
            ValueError,
            "index 'j' has extent 3 in axis 1 of operand 0 and 4 in axis 0 of "
            "operand 1",
        ),
        (
            "ij,jk",
            [ones(2, 3)],
            ValueError,
            "subscripts 'ij,jk': the subscripts name 2 operands, but 1 is given",
        ),
        (
            "ij,jk",
            [ones(2, 3, 4), ones(3, 4)],
            ValueError,
            "subscripts 'ij,jk': operand 0 has 3 dimensions, but 2 are named for it",
        ),
        (
            "ij,jk->ii",
            [ones(2, 3), ones(3, 4)],
            ValueError,
            "character 9: index 'i' occurs twice in the output",
        ),
        (
            "ij,jk->ix",
            [ones(2, 3), ones(3, 4)],
            ValueError,
            "character 9: index 'x' is in the output but in no input",
        ),
        (
            "i.j,jk",
            [ones(2, 3), ones(3, 4)],
            ValueError,
            "character 2: expected ',', '->' or the end of the line, found '.'",
        ),
        (
            "...i,i->i",
            [ones(2, 3), ones(3)],
            ValueError,
            "character 9: the output has no '...', but that of an operand "
            "stands for 1 dimensions",
        ),
        ([0, 1], [ones(2), ones(3)], TypeError, "subscripts are no text"),
        ("i", [], ValueError, "there is no operand"),
        (
            "i,i",
            [ones(2), ones(2, dtype="longdouble")],
            TypeError,
            "operand 1 has dtype float128, which is none of float64, float32, ",
        ),
    ],
)
def test_errors(subscripts, operands, kind, message):
    with pytest.raises(kind) as raised:
        tc.einsum(subscripts, *operands)
    assert message in str(raised.value)


def test_errors_of_arguments():
    a, b = ones(2, 3), ones(3, 4)

    def fails(kind, message, **arguments):
        with pytest.raises(kind) as raised:
            tc.einsum("ij,jk->ik", a, b, **arguments)
        assert message in str(raised.value)

    fails(ValueError, "beta is not 0, but there is no out", beta=1)
    fails(ValueError, "compile() makes code for GPUs", target="sm_90")
    fails(TypeError, "out is no array", out=np.float64(0))
    fails(ValueError, "threads is -1, but must be from 0 to 65536", threads=-1)
    fails(ValueError, "out has shape (4, 2), but the result has (2, 4)", out=ones(4, 2))
    fails(
        TypeError,
        "out has dtype float32, which casting 'safe' does not make of float64",
        out=ones(2, 4, dtype="float32"),
    )
    frozen = ones(2, 4)
    frozen.flags.writeable = False
    fails(ValueError, "out is not writable", out=frozen)
    repeated = np.lib.stride_tricks.as_strided(ones(4), (2, 4), (0, 8))
    fails(ValueError, "elements of out overlap: stride 0", out=repeated)


def test_out_between_the_elements_of_an_operand():
    both = ones(4, 8)
    a, out = both[:, ::2], both[:, 1::2]
    tc.einsum("ij,jk->ik", a, np.eye(4) * 3, out=out)
    assert (a == 1).all() and (out == 3).all()
