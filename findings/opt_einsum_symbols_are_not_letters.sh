#!/usr/bin/env bash
# opt_einsum: the symbols that get_symbol hands out for indices.
#
# Guess:    all are letters; at least none is white space, none ends a line, all can be
#           encoded, and two of them stay two under Unicode's normalisation, so that
#           subscripts survive `split()`, `splitlines()` and a file.
# Observed: among the first 60,000, 17 are white space (5620 is U+1680, the first), two of
#           these end lines (U+2028 and U+2029), 140 (55156 to 55295) are surrogates, which
#           UTF-8 cannot encode, although get_symbol's text says that it skips these, and
#           NFC leaves 59,971 different ones. opt_einsum.contract itself tells them all
#           apart, so that "a<U+1680>,<U+1680>b->ab" is a matrix product.
# Versions: opt_einsum 3.4.0, NumPy 2.4.6 (PyPI), Unicode data of the Python at hand.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  opt_einsum==3.4.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import unicodedata

import numpy as np
import opt_einsum

symbols = [opt_einsum.get_symbol(i) for i in range(60000)]
spaces = [i for i, symbol in enumerate(symbols) if symbol.isspace()]
ends = [i for i, symbol in enumerate(symbols) if len(f"a{symbol}b".splitlines()) == 2]
surrogates = [i for i, symbol in enumerate(symbols) if "\ud800" <= symbol <= "\udfff"]
normal = {unicodedata.normalize("NFC", symbol) for symbol in symbols}
print(f"white space: {len(spaces)}, the first is symbol {spaces[0]}, {ord(symbols[spaces[0]]):#x}")
print(f"ends of lines: {[hex(ord(symbols[i])) for i in ends]}")
print(f"surrogates: {len(surrogates)}, symbols {surrogates[0]} to {surrogates[-1]}")
print(f"different: {len(set(symbols))}, after NFC: {len(normal)}")

rng = np.random.default_rng(1)
left, right = rng.random((2, 3)), rng.random((3, 4))
space = symbols[5620]
product = opt_einsum.contract(f"a{space},{space}b->ab", left, right)
print(f"contracts over it: {np.allclose(product, left @ right)}")

assert len(spaces) == 17 and spaces[0] == 5620 and ord(space) == 0x1680
assert [ord(symbols[i]) for i in ends] == [0x2028, 0x2029]
assert surrogates == list(range(55156, 55296))
assert len(set(symbols)) == 60000 and len(normal) == 59971
assert np.allclose(product, left @ right)
PYTHON
