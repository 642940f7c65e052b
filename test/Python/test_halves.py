# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of several arrays of 16 and 8 bits, whose results between are not rounded to these."""

import unittest

import numpy as np

import tc

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

SPECS = ["ij,jk,kl->il", "i,ij,j->", "bi,ir,ro->bo", "ij,ik,il->jkl", "ij,jk,kl,lm->im"]
EXTENTS = [
    dict(zip("bijklmor", (5, 7, 16, 33, 9, 3, 20, 4))),
    dict(zip("bijklmor", (32, 64, 40, 48, 64, 17, 64, 8))),
    dict.fromkeys("bijklmor", 1),
]


def draw(random, spec, extents, dtype):
    """Arrays for the operands of a specification."""
    return [
        random.standard_normal([extents[label] for label in term]).astype(dtype)
        for term in spec.split("->")[0].split(",")
    ]


class Halves(unittest.TestCase):
    """Of the dtypes float16, bfloat16 and int8."""

    def test_only_the_result_is_rounded(self):
        dtypes = [np.float16] + ([ml_dtypes.bfloat16] if ml_dtypes else [])
        random = np.random.default_rng(5)
        for dtype in dtypes:
            # Half of the spacing of numbers around one, and what sums of float32 lose.
            bound = (2.0**-11 if dtype is np.float16 else 2.0**-8) + 1e-5
            for spec in SPECS:
                for extents in EXTENTS:
                    with self.subTest(dtype=dtype.__name__, spec=spec, extents=extents):
                        arrays = draw(random, spec, extents, dtype)
                        found = np.asarray(tc.einsum(spec, *arrays))
                        self.assertEqual(found.dtype, dtype)
                        wide = [array.astype(np.float64) for array in arrays]
                        expected = np.einsum(spec, *wide, optimize=True)
                        error = np.linalg.norm(found.astype(np.float64) - expected)
                        self.assertLessEqual(error, bound * np.linalg.norm(expected))

    def test_results_between_may_exceed_the_range(self):
        big = np.full((64, 64), 300, np.float16)
        small = np.full((64, 64), 2.0**-16, np.float16)
        for optimize in (True, [(0, 1), (0, 1)]):
            found = tc.einsum("ij,jk,kl->il", big, big, small, optimize=optimize)
            # The product of the first two is 5,760,000 everywhere.
            np.testing.assert_array_equal(found, np.float16(64 * 5.76e6 * 2.0**-16))

    def test_bytes_wrap_around(self):
        random = np.random.default_rng(6)
        for spec in SPECS:
            for extents in EXTENTS:
                with self.subTest(spec=spec, extents=extents):
                    arrays = [
                        random.integers(-128, 128, array.shape).astype(np.int8)
                        for array in draw(random, spec, extents, np.float64)
                    ]
                    wide = [array.astype(np.int64) for array in arrays]
                    expected = np.einsum(spec, *wide, optimize=True).astype(np.int8)
                    np.testing.assert_array_equal(tc.einsum(spec, *arrays), expected)

    def test_results_are_added_to(self):
        random = np.random.default_rng(7)
        arrays = draw(random, "ij,jk,kl->il", EXTENTS[0], np.float16)
        old = random.standard_normal((7, 9)).astype(np.float16)
        out = old.copy()
        tc.einsum("ij,jk,kl->il", *arrays, out=out, alpha=0.5, beta=2)
        wide = [array.astype(np.float64) for array in arrays]
        expected = 0.5 * np.einsum("ij,jk,kl->il", *wide) + 2 * old.astype(np.float64)
        error = np.linalg.norm(out.astype(np.float64) - expected)
        self.assertLessEqual(error, 2.0**-10 * np.linalg.norm(expected))

    def test_factors_are_not_rounded(self):
        dtypes = [np.float16] + ([ml_dtypes.bfloat16] if ml_dtypes else [])
        for dtype in dtypes:
            arrays = [np.full(shape, 10, dtype) for shape in ((3, 4), (4, 5), (5, 2))]
            # Less than the least float16, and between two of them.
            for alpha, beta in ((1e-9, None), (1e-7, 1e-7), (0.1, 0.3), (None, 0.7)):
                with self.subTest(dtype=dtype.__name__, alpha=alpha, beta=beta):
                    out = np.full((3, 2), 100, dtype)
                    given = {
                        name: value
                        for name, value in (("alpha", alpha), ("beta", beta))
                        if value is not None
                    }
                    tc.einsum("ab,bc,cd->ad", *arrays, out=out, **given)
                    exact = (1 if alpha is None else alpha) * 20000 + (beta or 0) * 100
                    wanted = np.full((3, 2), exact, dtype).astype(np.float64)
                    np.testing.assert_allclose(out.astype(np.float64), wanted, rtol=2.0**-7)


if __name__ == "__main__":
    unittest.main()
