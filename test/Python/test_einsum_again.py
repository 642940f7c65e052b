"""einsum of arrays on a device that look like those of an earlier call goes around the
rules, all of which have to hold."""

import contextlib
import threading
import types

import fake_device
import numpy as np
import pytest
from fake_device import DLPack, Interface, Memory, Stream, variables
from test_device import PROTOCOLS, close, copy, numbers
from test_device import cupy, nothing_is_left, torch  # noqa: F401  fixtures
from test_quick_calls import calls_of

import tc
from tc._einsum import again, cache
from tc._einsum import device as of_devices
from tc._einsum.device_pairs import Caller

SPEC = "ij,jk->ik"
N = 8


class Rules:
    """Counts the calls that went through them."""

    def __init__(self):
        self.calls = self.asked = 0

    def went(self):
        """Number of calls that did so since this was last asked."""
        new, self.asked = self.calls - self.asked, self.calls
        return new


@pytest.fixture(name="rules")
def fixture_rules(monkeypatch):
    rules = Rules()

    class Counted(Caller):
        def __init__(self, *arguments):
            rules.calls += 1
            super().__init__(*arguments)

    for module in (of_devices, again):
        monkeypatch.setattr(module, "Caller", Counted)
    return rules


def square(seed=0, dtype="float64"):
    return numbers((N, N), dtype, seed)


def check(make, *arrays, spec=SPEC, out=None, **options):
    """Contracts copies of the arrays, into one of `out` if it is given."""
    operands = [make(x, **options) for x in arrays]
    exact = [x.astype("float32") if x.dtype == "float16" else x for x in arrays]
    if out is None:
        result = tc.einsum(spec, *operands)
        assert type(result) is make
    else:
        result = make(out, **options)
        assert tc.einsum(spec, *operands, out=result) is result
    close(result.get(), np.einsum(spec, *exact).astype(arrays[0].dtype))
    return result


@pytest.mark.parametrize("make", PROTOCOLS)
def test_with_out(make, rules):
    for seed in range(4):
        check(make, square(seed), square(9), out=np.zeros((N, N)))
        assert rules.went() == (seed == 0)
        check(make, square(seed), spec="ij->ji", out=np.zeros((N, N)))
        assert rules.went() == (seed == 0)


@pytest.mark.parametrize(
    "name, of", [("cupy", "ndarray"), ("torch", "Tensor"), ("torch", "Subclass")]
)
def test_without_out(name, of, rules, request):
    library = request.getfixturevalue(name)
    make = getattr(library, of)
    made = library.ndarray if name == "cupy" else library.Tensor
    for device in (0, 1):
        for seed in range(3):
            a, b = square(seed), square(9)
            operands = make(a, device=device), make(b, device=device)
            result = tc.einsum(SPEC, *operands)
            assert type(result) is made and result.device == device
            close(result.get(), a @ b)
            close(tc.einsum("ij->ji", operands[0]).get(), a.T)
            assert rules.went() == 2 * (seed == 0)
            out = make(np.zeros((N, N)), device=device)
            assert tc.einsum(SPEC, *operands, out=out) is out
            close(out.get(), a @ b)
            assert rules.went() == (seed == 0)


def test_other_looks(torch, rules):
    """Of each only the first call goes through the rules."""
    whole, zeros = numbers((2 * N, 2 * N)), np.zeros((N, N))
    calls = [
        (SPEC, square(1), square(2), zeros, {}),
        ("ij,jk->ki", square(1), square(2), zeros, {}),
        ("ij,jk", square(1), square(2), zeros, {}),
        (SPEC, square(1).T, square(2), zeros, {}),
        (SPEC, square(1), whole[::2, ::2], zeros, {}),
        (SPEC, whole[:N, :N][::-1], square(2), zeros, {}),
        (SPEC, square(1), square(2), zeros.T, {}),
        (SPEC, square(1)[:4], square(2), zeros[:4], {}),
        (SPEC, square(1, "float32"), square(2, "float32"), zeros.astype("float32"), {}),
        (SPEC, square(1), square(2), zeros, {"shift": 8}),
        (SPEC, square(1, "float16"), square(2, "float16"), zeros.astype("float16"), {}),
        (SPEC, square(1, "float16"), square(2, "float16"), zeros.astype("float16"),
         {"shift": 6}),
    ]
    for make in (Interface, DLPack, torch.Tensor):
        tc.clear_cache()
        for round_ in range(3):
            for spec, a, b, out, options in calls:
                check(make, a, b, spec=spec, out=out, **options)
                assert rules.went() == (round_ == 0), (spec, options)


def test_two_operands_are_no_operand_and_out(cupy):
    a, b = cupy.ndarray(square(1)), cupy.ndarray(square(2))
    for _ in range(2):
        tc.einsum("ij->ji", a, out=b)
    with pytest.raises(ValueError, match="name 1 operand, but 2 are given"):
        tc.einsum("ij->ji", a, b)
    assert not cupy.current.seen, "a result is made"


@pytest.fixture(name="warm")
def fixture_warm(rules):
    """Arrays on which a call goes around the rules."""
    a, b, out = (Interface(x) for x in (square(1), square(2), np.zeros((N, N))))
    for _ in range(2):
        tc.einsum(SPEC, a, b, out=out)
    rules.calls = rules.asked = 0
    return a, b, out


def test_what_is_refused(warm):
    a, b, out = warm
    before = out.get()
    for array, error, message in (
        (Interface(square(), version=4), ValueError, "operand 1 has version 4"),
        (Interface(square(), mask=a), TypeError, "operand 1 has a mask"),
        (Interface(square(), stream=0), ValueError, "operand 1 has stream 0"),
        (Interface(square(), shift=4), ValueError, "operand 1 begins at"),
        (Interface(square(), device=1), ValueError, "operand 1 lies on device 1"),
        (DLPack(square(), device=1), ValueError, "operand 1 lies on device 1"),
        (Interface(numbers((N + 1, N))), ValueError, "index 'j' has extent"),
        (square(), TypeError, "operand 1 lies in the host's memory"),
    ):
        for _ in range(2):
            with pytest.raises(error, match=message):
                tc.einsum(SPEC, a, array, out=out)
    with pytest.raises(ValueError, match="out is not writable"):
        tc.einsum(SPEC, a, b, out=Interface(before, read_only=True))
    for place, same in ((0, a), (1, b)):
        with pytest.raises(ValueError, match=f"out overlaps operand {place}"):
            tc.einsum(SPEC, a, b, out=same)
    with pytest.raises(TypeError, match="stream is "):
        tc.einsum(SPEC, a, b, out=out, stream=-1)
    with pytest.raises(ValueError, match="a new array is needed"):
        tc.einsum(SPEC, a, b)
    with variables(FAKE_CUDA_FAIL="cuLaunchKernel"):
        with pytest.raises(tc.DriverError, match="cuLaunchKernel"):
            tc.einsum(SPEC, a, b, out=out)
    np.testing.assert_array_equal(out.get(), before)
    read_only = DLPack(before, flags=1)
    for _ in range(2):
        tc.einsum(SPEC, read_only, DLPack(square(2)), out=DLPack(before))
    for _ in range(2):
        with pytest.raises(ValueError, match="out is not writable"):
            tc.einsum(SPEC, read_only, DLPack(square(2)), out=read_only)


def test_columns_of_one_array(rules):
    """Addresses of the operand and the result are interleaved, but none is shared."""
    memory = Interface(numbers((N, 2 * N), seed=3))
    whole, b = memory.get(), square(2)

    def columns(first):
        pointer = memory.pointer + 8 * first
        interface = {**memory.interface, "shape": (N, N), "strides": (16 * N, 8)}
        return types.SimpleNamespace(
            __cuda_array_interface__={**interface, "data": (pointer, False)}
        )

    for _ in range(3):
        tc.einsum(SPEC, columns(0), Interface(b), out=columns(N))
        close(memory.get()[:, N:], whole[:, :N] @ b)
        with pytest.raises(ValueError, match="out overlaps operand 0"):
            tc.einsum(SPEC, columns(0), Interface(b), out=columns(2))


@pytest.mark.parametrize("of", [Interface, DLPack, "torch"])
def test_devices_have_targets(of, request):
    """Code for a device is none for another one, even if it would run there."""
    make = request.getfixturevalue("torch").Tensor if of == "torch" else of
    for device, capability in ((0, 80), (1, 90)):
        with variables(FAKE_CUDA_CAPABILITY=str(capability)):
            for _ in range(2):
                check(make, square(1), square(2), out=np.zeros((N, N)), device=device)
    compiled = [call for call in cache._cache if call.kind == "code"]
    assert [call.target for call in compiled] == ["sm_80", "sm_90"]
    tc.clear_cache()


@pytest.mark.parametrize(
    "of, is_given",
    [
        (Interface, True), (DLPack, True), ("cupy", True), ("cupy", False), ("torch", True),
        ("torch", False),
    ],
)
def test_streams(of, is_given, rules, request):
    """That of the library, or the one that is given, whatever it was before."""
    make, use = of, contextlib.nullcontext
    if isinstance(of, str):
        library = request.getfixturevalue(of)
        make = library.ndarray if of == "cupy" else library.Tensor
        use = library.current.use
    a, b = square(1), square(2)
    first, second, out = make(np.zeros((N, N))), make(b), make(np.zeros((N, N)))
    staged, blank = Memory(a), Memory(np.zeros((N, N)))
    tc.einsum(SPEC, first, second, out=out)
    for stream in (Stream(), Stream()):
        if of is DLPack:
            for array in (first, second, out):
                array.stream = stream.handle
        out.write(bytes(8 * N * N))
        with variables(FAKE_CUDA_LAZY="1"), use(stream.handle):
            copy(first, staged, stream)
            options = {"stream": stream.handle} if is_given else {}
            tc.einsum(SPEC, first, second, out=out, **options)
            # Work that is queued behind it does not come before it.
            copy(first, blank, stream)
            stream.synchronize()
        close(out.get(), a @ b)
    assert rules.went() == 1


def test_streams_that_are_waited_for(warm, torch, cupy):
    a, b = square(1), square(2)
    staged, theirs, ours = Memory(a), Stream(), Stream()
    # Those of an interface, and of what a producer says.
    late = Interface(np.zeros((N, N)), stream=theirs.handle)
    said = DLPack(np.zeros((N, N)), stream=theirs.handle)
    for first, second, out in (
        (late, *warm[1:]),
        (said, *(DLPack(x) for x in (b, np.zeros((N, N))))),
    ):
        for _ in range(3):
            first.write(bytes(8 * N * N))
            with variables(FAKE_CUDA_LAZY="1"):
                copy(first, staged, theirs)
                tc.einsum(SPEC, first, second, out=out, stream=ours.handle)
                ours.synchronize()
            close(out.get(), a @ b)
    # A library's arrays are its current stream's, and a new one is the given stream's.
    for library, make in ((torch, torch.Tensor), (cupy, cupy.ndarray)):
        first, second = make(np.zeros((N, N))), make(b)
        for _ in range(2):
            tc.einsum(SPEC, first, second)
        with variables(FAKE_CUDA_LAZY="1"), library.current.use(theirs.handle):
            copy(first, staged, theirs)
            result = tc.einsum(SPEC, first, second, stream=ours.handle)
            assert library.current.seen[-1] == (0, ours.handle)
            ours.synchronize()
        close(result.get(), a @ b)


def test_tensors_that_are_not_what_they_say(torch, rules):
    a, b = square(1), square(2)
    operands = torch.Tensor(a), torch.Tensor(b)
    for _ in range(2):
        tc.einsum(SPEC, *operands)
    rules.went()
    for field, value in (
        ("layout", "sparse"), ("requires_grad", True), ("conjugated", True), ("negated", True),
    ):
        strange = torch.Tensor(a)
        setattr(strange, field, value)
        close(tc.einsum(SPEC, strange, operands[1]).get(), a @ b)
        # A plain tensor is left of one that the kernel conjugates.
        assert rules.went() == 1 and (strange.asked or field == "conjugated"), field
    host = torch.Tensor(a)
    host.is_cuda, host.kind = False, 1
    with pytest.raises(TypeError, match="operand 0 lies in the host's memory"):
        tc.einsum(SPEC, host, operands[1])


def test_producers_are_asked_once(rules):
    for seed in range(3):
        arrays = [DLPack(x) for x in (square(seed), square(2), np.zeros((N, N)))]
        tc.einsum(SPEC, *arrays[:2], out=arrays[2])
        assert [x.asked for x in arrays] == 3 * [[fake_device.LEGACY]]
        assert rules.went() == (seed == 0)


def test_arrays_of_several_libraries(cupy, rules):
    """The first array whose library makes results decides."""
    for seed in range(3):
        a, b = square(seed), square(9)
        for first, second in ((DLPack, cupy.ndarray), (cupy.ndarray, Interface)):
            with cupy.current.use(Stream().handle):
                result = tc.einsum(SPEC, first(a), second(b))
                assert cupy.current.seen[-1] == (0, cupy.current.handle)
            assert type(result) is cupy.ndarray
            close(result.get(), a @ b)
        assert rules.went() == 2 * (seed == 0)


def test_arrays_of_the_host(rules):
    """They are not asked for a stream, which they have not."""

    class Host:
        def __init__(self, array):
            self.array, self.asked = array, []

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, *, stream=None, **options):
            self.asked.append(stream)
            return self.array.__dlpack__(**options)

    a, b = Host(square(1)), Host(square(2))
    for _ in range(2):
        close(np.asarray(tc.einsum(SPEC, a, b)), a.array @ b.array)
    assert rules.went() == 0 and {*a.asked, *b.asked} == {None}


def test_operands_that_are_read_only(cupy, rules):
    a, b = cupy.ndarray(square(1)), cupy.ndarray(square(2))
    a.flags = b.flags = 1
    for number in range(3):
        close(tc.einsum(SPEC, a, b).get(), square(1) @ square(2))
        assert rules.went() == (number == 0)


def test_what_producers_return_lives_until_the_launch(monkeypatch):
    alive, run = [], again._run

    def watch(*arguments):
        alive.append(len(fake_device.alive))
        return run(*arguments)

    monkeypatch.setattr(again, "_run", watch)
    arrays = [DLPack(x) for x in (square(1), square(2), square(3))]
    for _ in range(2):
        tc.einsum(SPEC, *arrays[:2], out=arrays[2])
    assert alive == [3]


def test_managed_memory(rules):
    for device in (0, 1):
        arrays = [DLPack(x, kind=13, device=device) for x in (square(1), square(2), square(3))]
        for _ in range(2):
            tc.einsum(SPEC, *arrays[:2], out=arrays[2])
            close(arrays[2].get(), square(1) @ square(2))


def test_nothing_to_multiply(rules, cupy):
    for _ in range(2):
        check(cupy.ndarray, np.zeros((N, 0)), np.zeros((0, N)))
        check(cupy.ndarray, np.zeros((0, N)), square(2))
        check(Interface, np.zeros((N, 0)), np.zeros((0, N)), out=square(3))
        check(Interface, np.zeros((0, N)), square(2), out=np.zeros((0, N)))
    empty = [cupy.ndarray(np.zeros(shape), device=1) for shape in ((N, 0), (0, N))]
    first, *others = [tc.einsum(SPEC, *empty).device for _ in range(3)]
    assert others == [first, first]


def test_clearing_the_cache(warm, rules):
    a, b, out = warm
    tc.einsum(SPEC, a, b, out=out)
    assert rules.went() == 0
    tc.clear_cache()
    tc.einsum(SPEC, a, b, out=out)
    assert rules.went() == 1


def test_what_is_kept_is_bounded(monkeypatch, rules):
    monkeypatch.setattr("tc._einsum.cache.CACHE_ENTRIES", 4)
    for n in range(1, 5):
        check(Interface, np.ones(n), np.ones(n), spec="i,i->", out=np.zeros(()))
    assert rules.went() == 4 and len(cache._cache) == 4
    check(Interface, np.ones(4), np.ones(4), spec="i,i->", out=np.zeros(()))
    assert rules.went() == 0
    check(Interface, np.ones(1), np.ones(1), spec="i,i->", out=np.zeros(()))
    assert rules.went() == 1


def test_threads():
    wrong = []

    def work(seed):
        a, b = square(seed), square(seed + 50)
        arrays = [Interface(x) for x in (a, b, np.zeros((N, N)))]
        for _ in range(30):
            tc.einsum(SPEC, *arrays[:2], out=arrays[2])
            if not np.allclose(arrays[2].get(), a @ b):
                wrong.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for _ in range(5):
        tc.clear_cache()
    for worker in workers:
        worker.join()
    assert not wrong


def test_what_a_call_does(warm, torch):
    a, b, out = warm
    assert calls_of(lambda: tc.einsum(SPEC, a, b, out=out)) <= 40
    first, second, third = (torch.Tensor(x.get()) for x in warm)
    tc.einsum(SPEC, first, second, out=third)
    assert calls_of(lambda: tc.einsum(SPEC, first, second, out=third)) <= 70
