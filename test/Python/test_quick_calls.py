"""Calls that were made before take a short way: what changes between them has to
be noticed, and how many functions they go through is bounded."""

import sys
import threading

import numpy as np
import pytest

import fake_device
import tc


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


def test_clearing_the_cache():
    a, b = numbers(4, 4), numbers(4, 4)
    check("ij,jk->ik", a, b)
    tc.clear_cache()
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
    """How many functions a call goes through, Python's and those in C: what it does
    wherever it runs, of which scripts/python_overhead.py measures the time."""
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
    assert calls_of(lambda: tc.einsum("ij,jk->ik", a, b)) <= 5


def test_what_calling_compiled_code_does():
    kernel = tc.compile("ij,jk->ik", [(4, 4), (4, 4)], threads=1)
    a, b = numbers(4, 4), numbers(4, 4)
    assert calls_of(lambda: kernel(a, b)) <= 2


def test_what_a_launch_does(launched):
    kernel, a, b, out = launched
    assert calls_of(lambda: kernel.launch(a, b, out)) <= 5
