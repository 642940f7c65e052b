"""Calls that were made before take a short way: what changes between them has to
be noticed, and how many functions they go through is bounded."""

import sys
import threading

import numpy as np
import pytest

import fake_device
import tc
from tc import _native
from tc._einsum.cache import past_calls


def numbers(*shape, dtype=np.float64, seed=0):
    random = np.random.default_rng(seed)
    made = random.integers(-9, 10, shape).astype(dtype)
    return made + 1j * random.integers(-9, 10, shape) if made.dtype.kind == "c" else made


def check(subscripts, a, b, **options):
    for _ in range(3):
        result = tc.einsum(subscripts, a, b, **options)
        expected = np.einsum(subscripts, a, b)
        assert type(result) is type(expected)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)
        if a.flags.writeable and a.size:
            a += 1


def test_einsum_again():
    for subscripts in ("ij,jk->ik", "ij,jk->ki", "ij,jk", "ij,jk->"):
        for options in ({}, {"threads": 1}, {"specialize": "never"}, {"specialize": "always"}):
            check(subscripts, numbers(4, 5), numbers(5, 3), **options)
    for dtype in (np.float32, np.complex64, np.complex128, np.int64):
        check("ij,jk->ik", numbers(4, 5, dtype=dtype), numbers(5, 3, dtype=dtype))


def test_einsum_of_other_layouts():
    check("ij,jk->ik", numbers(4, 4), numbers(4, 4))
    check("ij,jk->ik", numbers(4, 4).T, numbers(4, 4))
    check("ij,jk->ik", numbers(8, 4)[::2], numbers(4, 4)[:, ::-1])
    check("ij,jk->ik", np.broadcast_to(numbers(4), (4, 4)), numbers(4, 4))
    check("ij,jk->ik", numbers(4, 4), numbers(4, 4, dtype=np.float32))
    check("ij,jk->ik", numbers(4, 0), numbers(0, 4))
    fixed = numbers(4, 4)
    fixed.flags.writeable = False
    check("ij,jk->ik", fixed, numbers(4, 4))
    check(",->", numbers(), numbers())


def test_einsum_of_what_is_no_plain_array():
    a, b = numbers(4, 4), numbers(4, 4)
    check("ij,jk->ik", a, b)
    expected = a @ b
    swapped = a.astype(a.dtype.newbyteorder())
    for other in (a.view(np.matrix), a.tolist(), memoryview(a), swapped):
        np.testing.assert_array_equal(tc.einsum("ij,jk->ik", other, b), expected)
    # Another object for the same dtype.
    twin = np.frombuffer(bytearray(a.tobytes()), np.dtype("f8", copy=True)).reshape(4, 4)
    np.testing.assert_array_equal(tc.einsum("ij,jk->ik", twin, b), expected)


def test_einsum_that_fails_again():
    a, b = numbers(4, 5), numbers(4, 5)
    for _ in range(2):
        with pytest.raises(ValueError, match="extent"):
            tc.einsum("ij,jk->ik", a, b)
        with pytest.raises(ValueError, match="specialize"):
            tc.einsum("ij,kj->ik", a, b, specialize="sometimes")
        with pytest.raises(TypeError, match="unexpected keyword argument 'thread'"):
            tc.einsum("ij,kj->ik", a, b, thread=1)
        with pytest.raises(TypeError, match="operand 1 has dtype object"):
            tc.einsum("ij,kj->ik", a, None)
    for _ in range(2):
        expected = np.einsum(a, [0, 1], b, [2, 1])
        np.testing.assert_array_equal(tc.einsum(a, [0, 1], b, [2, 1]), expected)


@pytest.mark.parametrize(
    "optimize",
    [
        True,
        False,
        None,
        "greedy",
        "optimal",
        [(0, 1), (0, 1)],
        ((1, 2), (0, 1)),
        ["einsum_path", (0, 2), (0, 1)],
        [[1, 2], [0, 1]],
    ],
)
def test_einsum_again_in_an_order(optimize):
    tc.clear_cache()
    arrays = numbers(4, 5), numbers(5, 6, seed=1), numbers(6, 3, seed=2)
    expected = np.linalg.multi_dot(arrays)
    for _ in range(3):
        found = tc.einsum("ij,jk,kl->il", *arrays, optimize=optimize)
        np.testing.assert_array_equal(found, expected)
    assert len(past_calls) == 1
    if not isinstance(optimize, (list, tuple)):
        for _ in range(2):
            found = tc.einsum("ij,jk->ik", *arrays[:2], optimize=optimize)
            np.testing.assert_array_equal(found, arrays[0] @ arrays[1])
        assert len(past_calls) == 2


def test_einsum_in_an_order_that_changes():
    tc.clear_cache()
    arrays = [numbers(4, 4, seed=i) for i in range(3)]
    expected = np.linalg.multi_dot(arrays)
    path = [(0, 1), (0, 1)]
    for steps in ([(0, 1), (0, 1)], [(1, 2), (0, 1)], [(0, 1, 2)], [(0, 1), (0, 1)]):
        path[:] = steps
        for _ in range(2):
            found = tc.einsum("ij,jk,kl->il", *arrays, optimize=path)
            np.testing.assert_array_equal(found, expected)
    # One for each of the three, as a list may change.
    assert len(past_calls) == 3
    for wrong, message in (
        ([(0, 3), (0, 1)], "names operand 3"),
        ([(0, 1)], "operands"),
        ([(0, 0), (0, 1)], "twice"),
    ):
        path[:] = wrong
        for _ in range(2):
            with pytest.raises(ValueError, match=message):
                tc.einsum("ij,jk,kl->il", *arrays, optimize=path)
    # Numbers of NumPy are converted by Python, as before.
    for numbered in ([np.array([0, 1]), np.array([0, 1])], [(np.int64(0), 1), (0, 1)]):
        found = tc.einsum("ij,jk,kl->il", *arrays, optimize=numbered)
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(TypeError, match="optimize is neither"):
        tc.einsum("ij,jk->ik", *arrays[:2], optimize=1.5)


def test_clearing_the_cache():
    a, b = numbers(4, 4), numbers(4, 4)
    check("ij,jk->ik", a, b)
    tc.einsum("ij->ji", a)
    assert len(past_calls)
    tc.clear_cache()
    assert not len(past_calls)
    check("ij,jk->ik", a, b)


def test_einsum_in_threads():
    a, b = numbers(40, 40), numbers(40, 40)
    expected = a @ b
    wrong = []

    def work():
        for _ in range(200):
            if not np.array_equal(tc.einsum("ij,jk->ik", a, b), expected):
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for _ in range(100):
        tc.clear_cache()
    for worker in workers:
        worker.join()
    assert not wrong


def test_einsum_of_scalars():
    tc.clear_cache()
    a = numbers(4, 5)
    for dtype in (np.float32, np.float64, np.complex128, np.int8):
        array, factor = a.astype(dtype), dtype(3)
        for subscripts, operands in ((",ij->ij", (factor, array)), ("ij,->ji", (array, factor))):
            before = len(past_calls)
            for _ in range(2):
                found = tc.einsum(subscripts, *operands)
                expected = np.einsum(subscripts, *operands)
                assert found.dtype == expected.dtype
                np.testing.assert_array_equal(found, expected)
            assert len(past_calls) == before + 1
            factor = dtype(2)
            np.testing.assert_array_equal(
                tc.einsum(",ij->ij", factor, array), np.einsum(",ij->ij", factor, array)
            )
    np.testing.assert_array_equal(tc.einsum(np.float64(2), [], a, [0, 1]), 2 * a)
    found = tc.einsum(",->", np.float64(2), np.float64(3))
    assert type(found) is np.float64 and found == 6
    with pytest.raises(TypeError, match="out"):
        tc.einsum(",->", np.float64(2), np.float64(3), out=np.float64(4))


def test_einsum_of_bfloat16_again():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    tc.clear_cache()
    a = numbers(4, 4).astype(ml_dtypes.bfloat16)
    wide = a.astype(np.float64)
    for number, subscripts in enumerate(("ij->ji", "ij,jk->ik", "ij,jk,kl->li")):
        operands = subscripts.count(",") + 1
        expected = np.einsum(subscripts, *[wide] * operands).astype(a.dtype)
        for _ in range(3):
            found = tc.einsum(subscripts, *[a] * operands)
            assert found.dtype == a.dtype
            np.testing.assert_array_equal(found, expected)
        assert len(past_calls) == number + 1


def test_compiled_again():
    kernel = tc.compile("ij,jk->ik", [(4, 5), (5, 3)])
    a, b = numbers(4, 5), numbers(5, 3)
    for _ in range(3):
        np.testing.assert_array_equal(kernel(a, b), a @ b)
        a += 1
    of_subclass = tc.compile("ij,jk->ik", [(4, 5), (5, 3)])
    for _ in range(3):
        np.testing.assert_array_equal(of_subclass(a.view(np.recarray), b), a @ b)
    with pytest.raises(ValueError, match="operand 0 has shape"):
        kernel(b, a)
    with pytest.raises(ValueError, match="operand 1 has strides"):
        kernel(a, np.asfortranarray(b))
    with pytest.raises(ValueError, match="operand 1 has dtype"):
        kernel(a, b.astype(np.float32))
    np.testing.assert_array_equal(kernel(a.tolist(), b), a @ b)
    with pytest.raises(ValueError, match="2 operands, but 1"):
        kernel(a)
    np.testing.assert_array_equal(kernel(a, b), a @ b)
    scalar = tc.compile("i,i->", [(4,), (4,)])
    for _ in range(2):
        assert scalar(numbers(4), numbers(4)).shape == ()


def test_einsum_of_other_numbers_of_operands():
    cases = [("ij->ji", 1), ("ij->i", 1), ("ii->", 1), ("ij,jk->ki", 2), ("ij,jk,kl->il", 3)]
    for subscripts, count in cases:
        for dtype in (np.float64, np.complex64, np.int16):
            operands = [numbers(4, 4, dtype=dtype, seed=i) for i in range(count)]
            out = np.zeros_like(np.asarray(np.einsum(subscripts, *operands)))
            for number in range(4):
                expected = np.einsum(subscripts, *operands)
                result = tc.einsum(subscripts, *operands)
                assert type(result) is type(expected) and result.dtype == expected.dtype
                np.testing.assert_array_equal(result, expected)
                assert tc.einsum(subscripts, *operands, out=out, threads=1) is out
                np.testing.assert_array_equal(out, expected)
                # Another layout, and other numbers.
                operands[0] = operands[0].T if number == 1 else operands[0] + 1


@pytest.mark.parametrize("count", [1, 2, 3])
def test_out_again(count):
    """Arrays that look like those of an earlier call, but cannot be written as those."""
    subscripts = {1: "ij->ji", 2: "ij,jk->ik", 3: "ij,jk,kl->il"}[count]
    # More than kernels read before they write.
    operands = [numbers(40, 40, seed=i) for i in range(count)]
    expected = np.einsum(subscripts, *operands)
    for _ in range(2):
        for out in (np.zeros((40, 40)), np.zeros((80, 40))[20:60]):
            assert tc.einsum(subscripts, *operands, out=out) is out
            np.testing.assert_array_equal(out, expected)
        same = [x.copy() for x in operands]
        tc.einsum(subscripts, *same, out=same[-1])
        np.testing.assert_array_equal(same[-1], expected)
        same = [x.copy() for x in operands]
        tc.einsum(subscripts, *same, out=same[0][:])
        np.testing.assert_array_equal(same[0], expected)
        same[0][...] = operands[0]
        tc.einsum(subscripts, same[0][:], *operands[1:], out=same[0])
        np.testing.assert_array_equal(same[0], expected)
        with pytest.raises(ValueError, match="the subscripts name"):
            tc.einsum(subscripts, *operands, np.zeros((40, 40)))
        both = np.zeros((41, 40))
        both[1:] = operands[0]
        tc.einsum(subscripts, both[1:], *operands[1:], out=both[:40])
        np.testing.assert_array_equal(both[:40], expected)
        frozen = np.zeros((40, 40))
        frozen.flags.writeable = False
        with pytest.raises(ValueError, match="^out is not writable"):
            tc.einsum(subscripts, *operands, out=frozen)
        unaligned = np.zeros(12801, "u1")[1:].view("f8").reshape(40, 40)
        tc.einsum(subscripts, *operands, out=unaligned)
        np.testing.assert_array_equal(unaligned, expected)
        unaligned[...] = operands[0]
        result = tc.einsum(subscripts, unaligned, *operands[1:])
        np.testing.assert_array_equal(result, expected)
        with pytest.raises(ValueError, match="^out has shape"):
            tc.einsum(subscripts, *operands, out=np.zeros((40, 41)))
        tc.clear_cache()


def test_lists_again():
    a, b, c = numbers(4, 4), numbers(4, 4), numbers(4, 4)
    for _ in range(2):
        for lists in ([[0, 1], [1, 2]], [[0, 1], [1, 2], [2, 0]], [[0, 1], [2, 1]], [[0, 0], [0, 1], []]):
            given = [a, lists[0], b, lists[1], *lists[2:]]
            expected = np.einsum(*given)
            result = tc.einsum(*given)
            assert type(result) is type(expected)
            np.testing.assert_array_equal(result, expected)
            out = np.zeros_like(np.asarray(expected))
            assert tc.einsum(*given, out=out) is out
            np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(tc.einsum(a, [0, 1], [1, 0]), a.T)
        np.testing.assert_array_equal(
            tc.einsum(a, [0, 1], b, [1, 2], c, [2, 3]), np.einsum("ij,jk,kl", a, b, c)
        )
        unaligned = np.zeros(129, "u1")[1:].view("f8").reshape(4, 4)
        unaligned[...] = a
        np.testing.assert_array_equal(tc.einsum(unaligned, [0, 1], b, [1, 2]), a @ b)
        # An object that equals an integer is none.
        with pytest.raises(TypeError, match="stands where a list of axes should"):
            tc.einsum(a, [0, 1.0], b, [1, 2])


def test_other_calls_than_those_before():
    """Each takes arrays that look like those of a call before, and something else."""
    a, b, c = numbers(4, 4), numbers(4, 4, seed=1), numbers(4, 4, seed=2)
    for _ in range(2):
        for threads in (0, 1, 2, np.int64(1), 2**70):
            if threads == 2**70:
                with pytest.raises((OverflowError, ValueError)):
                    tc.einsum("ij,jk->ik", a, b, threads=threads)
            else:
                np.testing.assert_array_equal(tc.einsum("ij,jk->ik", a, b, threads=threads), a @ b)
        np.testing.assert_array_equal(tc.einsum("ij,jk->ki", a, b), (a @ b).T)
        np.testing.assert_array_equal(tc.einsum("ij,jk->ik", b, a), b @ a)
        np.testing.assert_array_equal(tc.einsum("ij,jk,kl->il", a, b, c), a @ b @ c)
        np.testing.assert_array_equal(tc.einsum("ij,jk,kl->il", a, b, c, optimize=True), a @ b @ c)
        np.testing.assert_array_equal(tc.einsum("ij,jk,kl->li", a, b, c), (a @ b @ c).T)
        five = tc.einsum("ij,jk,kl,lm,mn->in", a, b, c, a, b)
        np.testing.assert_array_equal(five, a @ b @ c @ a @ b)
        np.testing.assert_array_equal(tc.einsum(a, [0, 1], b, [1, 2], [2, 0]), (a @ b).T)
        np.testing.assert_array_equal(tc.einsum(a, [0, 1], b, [1, 2]), a @ b)
        np.testing.assert_array_equal(tc.einsum(a, [0, 1], b, [2, 1]), a @ b.T)
        with pytest.raises(ValueError, match="no number is negative"):
            tc.einsum(a, [0, -1], b, [-1, 2])


def test_compiled_code_on_arrays_that_are_not_aligned():
    kernel = tc.compile("ij,jk->ik", [(4, 5), (5, 3)])
    a, b = numbers(4, 5), numbers(5, 3)
    shifted = np.zeros(161, "u1")[1:].view("f8").reshape(4, 5)
    shifted[...] = a
    for array in (a, shifted, a, shifted):
        np.testing.assert_array_equal(kernel(array, b), a @ b)


def test_calls_are_forgotten_where_there_are_too_many():
    kernel = tc.compile("ij,jk->ik", [(2, 3), (3, 4)])._native
    calls = _native.PastCalls(2)
    a, b = np.ones((2, 3)), np.ones((3, 4))
    for number, subscripts in enumerate(("ij,jk", "ab,bc", "xy,yz")):
        calls.keep(subscripts, (a, b), {}, kernel, (2, 4), a.dtype)
        assert len(calls) == (1, 2, 1)[number]
        assert (calls.call(subscripts, (a, b), {}) == 3).all()
    assert calls.call("ij,jk", (a, b), {}) is None
    for options in (
        {"threads": 1},
        {"threads": True},
        {"specialize": "never"},
        {"optimize": False},
        {"optimize": [(0, 1)]},
        {"optimize": "greedy"},
        {"optimize": ("greedy", 9)},
        {"optimize": [(0, True)]},
        {"semiring": "plus_times"},
    ):
        assert calls.call("xy,yz", (a, b), options) is None
    assert (calls.call("xy,yz", (a, b), {"optimize": True}) == 3).all()
    calls.clear()
    assert len(calls) == 0 and calls.call("xy,yz", (a, b), {}) is None


def test_compiled_with_out_again():
    kernel = tc.compile("ij,jk->ik", [(4, 5), (5, 3)])
    a, b, out = numbers(4, 5), numbers(5, 3), np.zeros((4, 3))
    for _ in range(3):
        assert kernel(a, b, out) is out
        np.testing.assert_array_equal(out, a @ b)
        np.testing.assert_array_equal(kernel(a, b), a @ b)
        a += 1
    frozen = out.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="^out is not writable"):
        kernel(a, b, frozen)
    with pytest.raises(ValueError, match="^out has strides"):
        kernel(a, b, np.asfortranarray(out))
    square = tc.compile("ij,jk->ik", [(4, 4), (4, 4)])
    c, d = numbers(4, 4), np.zeros((4, 4))
    for _ in range(2):
        np.testing.assert_array_equal(square(c, c, d), c @ c)
        with pytest.raises(ValueError, match="^out overlaps operand 0"):
            square(c, d, c)
    wide = tc.compile("ij->ji", [(1, 4)])
    for step in range(200):
        row = np.lib.stride_tricks.as_strided(c, (1, 4), (8 * step, 8))
        np.testing.assert_array_equal(wide(row), c[:1].T)
    assert len(wide._past_calls) < 100
    one = tc.compile("ij->ji", [(4, 4)])
    for _ in range(2):
        np.testing.assert_array_equal(one(c), c.T)
        np.testing.assert_array_equal(one(c, out=d), c.T)
        with pytest.raises(ValueError, match="for 1 operand, but 2"):
            one(c, d)


@pytest.fixture(name="launched")
def fixture_launched():
    kernel = tc.compile("ij,jk->ik", [(8, 8), (8, 8)], target="sm_90")
    arrays = [numbers(8, 8), numbers(8, 8, seed=1), np.zeros((8, 8))]
    a, b, out = map(fake_device.Interface, arrays)
    for _ in range(2):
        assert kernel.launch(a, b, out) is out
    return kernel, a, b, out


def test_launched_again(launched):
    kernel, a, b, out = launched
    first, second = numbers(8, 8, seed=2), numbers(8, 8, seed=3)
    a.write(first.tobytes())
    other = fake_device.Interface(second)
    assert kernel.launch(a, other, out) is out
    np.testing.assert_array_equal(out.get(), first @ second)
    # The stream that an array has is waited for.
    stream = fake_device.Stream()
    late = fake_device.Interface(first, stream=stream.handle)
    kernel.launch(late, b, out)
    np.testing.assert_array_equal(out.get(), first @ b.get())


def test_launches_that_are_refused(launched):
    kernel, a, b, out = launched
    wide, narrow = numbers(8, 9), numbers(8, 8, dtype=np.float32)
    for array, error, message in (
        (fake_device.Interface(wide), ValueError, "operand 1 has shape"),
        (fake_device.Interface(narrow), ValueError, "operand 1 has dtype"),
        (fake_device.Interface(numbers(8, 8).T), ValueError, "operand 1 has strides"),
        (fake_device.Interface(numbers(8, 8), version=4), ValueError, "has version 4"),
        (fake_device.Interface(numbers(8, 8), mask=a), TypeError, "operand 1 has a mask"),
        (fake_device.Interface(numbers(8, 8), shift=1), ValueError, "operand 1 begins at"),
        (fake_device.Interface(numbers(8, 8), device=1), ValueError, "lies on device 1"),
        (numbers(8, 8), TypeError, "operand 1 lies in the host's memory"),
    ):
        with pytest.raises(error, match=message):
            kernel.launch(a, array, out)
    with pytest.raises(ValueError, match="out is not writable"):
        kernel.launch(a, b, fake_device.Interface(numbers(8, 8), read_only=True))
    with pytest.raises(ValueError, match="out overlaps operand 1"):
        kernel.launch(a, b, b)


def calls_of(function):
    """Number of functions that a call goes through, Python's and those in C: what it does wherever
    it runs, of which scripts/python_overhead.py measures the time."""
    function()
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    try:
        function()
    finally:
        sys.setprofile(None)
    # The last one is the call that ends this.
    return sum(event in ("call", "c_call") for event in seen) - 1


def test_what_a_small_einsum_does():
    a, b = numbers(4, 4), numbers(4, 4)
    assert calls_of(lambda: tc.einsum("ij,jk->ik", a, b)) <= 3


def test_what_other_small_calls_do():
    a, b, out = numbers(4, 4), numbers(4, 4), np.zeros((4, 4))
    assert calls_of(lambda: tc.einsum("ij,jk->ik", a, b, out=out)) <= 3
    assert calls_of(lambda: tc.einsum("ij->ji", a)) <= 3
    assert calls_of(lambda: tc.einsum(a, [0, 1], b, [1, 2])) <= 3
    assert calls_of(lambda: tc.einsum("ij,jk,kl", a, b, a)) <= 5
    # Arguments that are given although it is so anyway.
    assert calls_of(lambda: tc.einsum("ij,jk->ik", a, b, optimize=True, dtype=None)) <= 10
    # All rules.
    assert calls_of(lambda: tc.einsum("ij,jk->ik", a, b, alpha=2)) <= 90
    assert calls_of(lambda: tc.einsum("ij,jk->ik", a, b, epilogue="abs(x)")) <= 100


@pytest.mark.parametrize(
    "options",
    [
        {"search_seconds": 1},
        {"search_seconds": 0.5},
        {"search_seconds": np.float32(0.5)},
        {"search_seconds": np.int64(1)},
        {"memory_limit": np.int64(1 << 20)},
        {"threads": np.int32(1)},
    ],
)
def test_options_of_any_number_are_remembered(options):
    a, b = numbers(4, 4), numbers(4, 4)
    call = lambda: tc.einsum("ij,jk,kl", a, b, a, **options)  # noqa: E731
    np.testing.assert_allclose(call(), a @ b @ a)
    assert calls_of(call) <= 5


@pytest.mark.parametrize("seconds", [-1, -1.0, np.float64(-1), float("nan"), 10**400])
def test_no_time_of_search_is_that_of_another_call(seconds):
    a = numbers(4, 4)
    for _ in range(2):
        tc.einsum("ij,jk,kl", a, a, a)
        with pytest.raises(ValueError, match="^search_seconds is .*, but must be from 0 to 3600"):
            tc.einsum("ij,jk,kl", a, a, a, search_seconds=seconds)


def test_what_calling_compiled_code_does():
    kernel = tc.compile("ij,jk->ik", [(4, 4), (4, 4)], threads=1)
    a, b, out = numbers(4, 4), numbers(4, 4), np.zeros((4, 4))
    assert calls_of(lambda: kernel(a, b)) <= 2
    assert calls_of(lambda: kernel(a, b, out)) <= 2


def test_what_a_launch_does(launched):
    kernel, a, b, out = launched
    assert calls_of(lambda: kernel.launch(a, b, out)) <= 5
