# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays on CUDA devices, which are those of the fake driver."""

import ctypes
import gc
import os
import re
import subprocess
import sys
import weakref

import fake_device
import numpy as np
import pytest
from fake_device import DLPack, Interface, Memory, Stream, installed, variables

import tc

M, N, K = 13, 11, 9
SPEC = "ik,kj->ij"


def old_dlpack(array, **options):
    return DLPack(array, versioned=False, **options)


def old_interface(array, **options):
    return Interface(array, version=2, **options)


PROTOCOLS = [Interface, old_interface, DLPack, old_dlpack]


def numbers(shape, dtype="float64", seed=0):
    """Random numbers; sums of products of integers are exact."""
    random = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "i":
        return random.integers(-99, 99, shape).astype(dtype)
    made = random.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * random.uniform(-1, 1, shape)
    return made.astype(dtype)


def close(got, want):
    # Of a part, if they are complex; those of 1 byte are exact integers.
    bytes_of_part = got.dtype.itemsize // (2 if got.dtype.kind == "c" else 1)
    tolerance = {1: 0, 2: 2e-3, 4: 1e-5, 8: 1e-12}[bytes_of_part]
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=10 * tolerance)


@pytest.fixture(scope="module")
def product():
    return tc.compile(SPEC, [(M, K), (K, N)], target="sm_90")


@pytest.fixture
def operands():
    return numbers((M, K), seed=1), numbers((K, N), seed=2)


@pytest.fixture
def cupy():
    with installed(fake_device.make_cupy()) as module:
        yield module


@pytest.fixture
def torch():
    with installed(fake_device.make_torch()) as module:
        yield module


@pytest.fixture(autouse=True)
def nothing_is_left():
    tc.clear_cache()
    yield
    gc.collect()
    assert not fake_device.alive, "a capsule lives on"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_compiled(protocol, product, operands):
    a, b = operands
    out = protocol(np.full((M, N), np.nan))
    arrays = [protocol(x) for x in operands]
    assert product(*arrays, out=out) is out
    close(out.get(), a @ b)
    out.write(bytes(8 * M * N))
    assert product.launch(*arrays, out, stream=fake_device.PER_THREAD) is out
    close(out.get(), a @ b)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "dtype",
    ["float64", "float32", "float16", "int8", "int32", "int64", "complex64", "complex128"],
)
def test_einsum(protocol, dtype):
    a, b = numbers((M, K), dtype, 3), numbers((K, N), dtype, 4)
    out = protocol(np.zeros((M, N), dtype))
    assert tc.einsum(SPEC, protocol(a), protocol(b), out=out) is out
    wide = "float32" if dtype == "float16" else dtype
    close(out.get(), np.einsum(SPEC, a.astype(wide), b.astype(wide)).astype(dtype))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("shift", [0, 8])
def test_views(protocol, shift):
    base = numbers((40, 60), seed=5)
    row = numbers((1, N), seed=6)
    views = [
        (base[: 2 * K : 2, 3 : 3 + M].T, base[20 : 20 + K, N - 1 :: -1]),
        (base[M - 1 :: -1, K + 1 : 1 : -1], np.broadcast_to(row, (K, N))),
    ]
    for a, b in views:
        whole = np.full((2 * N, M + 2), np.nan)
        view = whole[::2, 1 : M + 1].T
        out = protocol(view, shift=shift)
        tc.einsum(SPEC, protocol(a, shift=shift), protocol(b, shift=shift), out=out)
        close(out.get(), np.einsum(SPEC, a, b))
        # The gaps are as they were.
        content = ctypes.create_string_buffer(out.bytes)
        with fake_device.on_device(0):
            fake_device.call("cuMemcpyDtoH_v2", content, out.base, ctypes.c_size_t(out.bytes))
        assert np.isnan(np.frombuffer(content.raw)[M : M + 2]).all()


def test_reversed_from_an_odd_element():
    base = numbers((4, 3), seed=21)
    a, b = base[:2, :2][::-1, ::-1], base[2:, :2][::-1]
    out = Interface(np.zeros((2, 2)))
    tc.einsum(SPEC, Interface(a), Interface(b), out=out)
    close(out.get(), a @ b)


def test_halves_behind_an_aligned_address():
    a, b = numbers((64, 64), "float16", 7), numbers((64, 64), "float16", 8)
    out = Interface(np.zeros((64, 64), "float16"), shift=6)
    tc.einsum(SPEC, Interface(a, shift=2), Interface(b, shift=14), out=out)
    close(out.get(), (a.astype("float32") @ b.astype("float32")).astype("float16"))
    # The kernel that was compiled for aligned ones says so.
    fixed = tc.compile(SPEC, [(64, 64), (64, 64)], "float16", target="sm_90")
    with pytest.raises(ValueError, match="operand 1 begins at an address that is no "
                                         "multiple of the 16 bytes to which it"):
        fixed(Interface(a), Interface(b, shift=2), out)
    moved = tc.compile(
        SPEC, [(64, 64), (64, 64)], "float16", target="sm_90", offset_b=1
    )
    moved(Interface(a), Interface(b, shift=2), Interface(np.zeros((64, 64), "float16")))


def test_implicit_strides(product, operands):
    a, b = operands
    out = DLPack(np.zeros((M, N)), implicit=True)
    product(DLPack(a, implicit=True), DLPack(b, implicit=True), out)
    close(out.get(), a @ b)


def test_factors_auxiliaries_and_fused_code():
    a, b, c = numbers((M, K), seed=10), numbers((K, N), seed=11), numbers((M, N), seed=12)
    bias = numbers((N,), seed=13)
    out = Interface(c)
    tc.einsum(
        SPEC, Interface(a), Interface(b), out=out, alpha=2, beta=-3,
        prologues=["relu(x)", None], epilogue="x + bias[j]", auxiliaries={"bias": Interface(bias)},
    )
    close(out.get(), 2 * np.maximum(a, 0) @ b - 3 * c + bias)
    kernel = tc.compile(
        SPEC, [(M, K), (K, N)], target="sm_90", alpha="argument", beta="argument",
        epilogue="x + bias[j]", auxiliaries={"bias": (N,)},
    )
    out = DLPack(c)
    kernel(DLPack(a), DLPack(b), out, alpha=0.5, beta=1, auxiliaries={"bias": DLPack(bias)})
    close(out.get(), 0.5 * a @ b + c + bias)
    with pytest.raises(ValueError, match="auxiliary tensor 'bias' is not given"):
        kernel(DLPack(a), DLPack(b), out, alpha=0.5, beta=1)
    with pytest.raises(ValueError, match="auxiliary tensor 'x' is not in the epilogue"):
        kernel(DLPack(a), DLPack(b), out, alpha=1, beta=1, auxiliaries={"x": DLPack(bias)})
    with pytest.raises(TypeError, match="auxiliary tensor 'bias' lies in the host's memory"):
        kernel(DLPack(a), DLPack(b), out, alpha=1, beta=1, auxiliaries={"bias": bias})
    with pytest.raises(ValueError, match=r"auxiliary tensor 'bias' has shape \(13,\)"):
        kernel(DLPack(a), DLPack(b), out, alpha=1, beta=1, auxiliaries={"bias": DLPack(c[:, 0])})
    with pytest.raises(ValueError, match="beta is not 0: give out"):
        kernel(DLPack(a), DLPack(b), alpha=1, beta=1, auxiliaries={"bias": DLPack(bias)})
    with pytest.raises(ValueError, match="beta is not 0, but there is no out"):
        tc.einsum(SPEC, DLPack(a), DLPack(b), beta=1)
    z, w = numbers((M, K), "complex128", 14), numbers((K, N), "complex128", 15)
    out = Interface(np.zeros((M, N), "complex128"))
    tc.einsum(SPEC, Interface(z), Interface(w), out=out, alpha=2 - 1j)
    close(out.get(), (2 - 1j) * z @ w)
    out = Interface(np.zeros((M, N)))
    tc.einsum(SPEC, Interface(a), Interface(b), out=out, semiring="min_plus")
    close(out.get(), (a[:, :, None] + b[None]).min(axis=1))
    tc.einsum(
        SPEC, Interface(a), Interface(b), out=out, product="abs(x - y)",
        combine="max(x, y)", identity=float("-inf"),
    )
    close(out.get(), abs(a[:, :, None] - b[None]).max(axis=1))


def test_one_operand_and_nothing_to_sum(cupy):
    a = numbers((M, N), seed=16)
    close(tc.einsum("ij->ji", cupy.ndarray(a)).get(), a.T)
    close(tc.einsum("ij->", cupy.ndarray(a)).get(), a.sum())
    empty = cupy.ndarray(np.zeros((M, 0))), cupy.ndarray(np.zeros((0, N)))
    assert (tc.einsum(SPEC, *empty).get() == np.zeros((M, N))).all()
    none = cupy.ndarray(np.zeros((0, K))), cupy.ndarray(numbers((K, N)))
    assert tc.einsum(SPEC, *none).shape == (0, N)
    with pytest.raises(tc.UnsupportedError, match="an extent that is summed over is zero"):
        tc.einsum(SPEC, *empty, semiring="max_plus")


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_libraries(name, request, operands):
    library = request.getfixturevalue(name)
    make = library.ndarray if name == "cupy" else library.Tensor
    a, b = operands
    c = numbers((N, M), seed=20)
    result = tc.einsum("ik,kj,jl->il", make(a), make(b), make(c))
    assert type(result) is make
    close(result.get(), a @ b @ c)
    # On another device.
    result = tc.einsum(SPEC, make(a, device=1), make(b, device=1))
    assert result.device == 1 and library.current.seen[-1] == (1, 0)
    close(result.get(), a @ b)
    compiled = tc.compile(SPEC, [a.shape, b.shape], target="sm_80")
    close(compiled(make(a), make(b)).get(), a @ b)
    close(tc.tensordot(make(a), make(b), 1).get(), a @ b)


def test_transpose(torch):
    assert tc.transpose(torch.Tensor(numbers((2, 3))), (1, 0)) == ("permuted", (1, 0))


@pytest.mark.parametrize(
    "name, of", [("cupy", "ndarray"), ("torch", "Tensor"), ("torch", "Subclass")]
)
def test_current_stream_of_the_library(name, of, request, operands):
    library = request.getfixturevalue(name)
    make = getattr(library, of)
    a, b = operands
    first, second = make(np.zeros((M, K))), make(b)
    staged = Memory(a)
    stream, other = Stream(), Stream()
    with variables(FAKE_CUDA_LAZY="1"):
        with library.current.use(stream.handle):
            copy(first, staged, stream)
            result = tc.einsum(SPEC, first, second)
            assert library.current.seen == [(0, stream.handle)]
            # 1 would be the default stream; the handle goes to the producer.
            # Plain tensors of the current stream need not be asked.
            assert first.asked == ([] if of == "Tensor" else [stream.handle])
            stream.synchronize()
            close(result.get(), a @ b)
            # Another stream waits for the library's, and the result is its.
            staged.write(bytes(8 * M * K))
            copy(first, staged, stream)
            result = tc.einsum(SPEC, first, second, stream=other.handle)
            assert library.current.seen[-1] == (0, other.handle)
            other.synchronize()
            assert (result.get() == 0).all()


@pytest.mark.parametrize("protocol", [DLPack, old_dlpack])
def test_producers_are_asked_for_the_stream(protocol, product, operands):
    theirs, ours = Stream(), Stream()
    first, second = protocol(np.zeros((M, K)), stream=theirs.handle), protocol(operands[1])
    staged, out = Memory(operands[0]), protocol(np.zeros((M, N)))
    with variables(FAKE_CUDA_LAZY="1"):
        copy(first, staged, theirs)
        product(first, second, out, stream=ours.handle)
        ours.synchronize()
        close(out.get(), operands[0] @ operands[1])
    product(first, second, out, stream=0)
    assert [x.asked for x in (first, second, out)] == 3 * [[ours.handle, fake_device.LEGACY]]


def copy(to, source, stream):
    """Queues it."""
    with fake_device.on_device(0):
        fake_device.call(
            "cuMemcpyDtoDAsync_v2", to.base, source.base,
            ctypes.c_size_t(to.bytes), ctypes.c_void_p(stream.handle),
        )


@pytest.mark.parametrize("wrap", ["handle", "cuda_stream", "ptr", "protocol"])
def test_streams_of_others(wrap, product, operands):
    """Work that is queued before on the stream is done first, whoever names it."""
    a, b = operands
    stream = Stream()
    first, staged, out = Interface(np.zeros((M, K))), Memory(a), Interface(np.zeros((M, N)))

    class Wrapped:
        def __init__(self):
            if wrap == "protocol":
                self.__cuda_stream__ = lambda: (0, stream.handle)
            else:
                setattr(self, wrap, stream.handle)

    second = Interface(b)
    with variables(FAKE_CUDA_LAZY="1"):
        copy(first, staged, stream)
        product(first, second, out, stream=stream.handle if wrap == "handle" else Wrapped())
        stream.synchronize()
        close(out.get(), a @ b)
    for wrong in ("1", True, -1, object()):
        with pytest.raises(TypeError, match="stream is .*: give a handle"):
            product(first, second, out, stream=wrong)
    with pytest.raises(ValueError, match="stream is 1180591620717411303424, which is no address"):
        product(first, second, out, stream=2**70)


@pytest.mark.parametrize("given", [True, False])
def test_stream_of_the_interface(given, operands):
    """With a stream in __cuda_array_interface__, what is queued there is waited
    for; without one, nothing is."""
    a, b = operands
    theirs, ours = Stream(), Stream()
    first = Interface(np.zeros((M, K)), stream=theirs.handle if given else None)
    staged, second, out = Memory(a), Interface(b), Interface(np.ones((M, N)))
    with variables(FAKE_CUDA_LAZY="1"):
        copy(first, staged, theirs)
        tc.einsum(SPEC, first, second, out=out, stream=ours.handle)
        ours.synchronize()
        buffer = np.zeros((M, N))
        with fake_device.on_device(0):
            fake_device.call(
                "cuMemcpyDtoH_v2", buffer.ctypes.data_as(ctypes.c_void_p), out.base,
                ctypes.c_size_t(buffer.nbytes),
            )
        close(buffer, a @ b if given else np.zeros((M, N)))
        theirs.synchronize()
        if given:
            # Without another, that stream is the one.
            copy(first, staged, theirs)
            tc.einsum(SPEC, first, second, out=out)
            theirs.synchronize()
            close(out.get(), a @ b)
        fake_device.synchronize()


@pytest.mark.parametrize("stream", [fake_device.LEGACY, fake_device.PER_THREAD, None])
def test_default_streams_of_the_interface(stream, product, operands):
    a, b = operands
    out = Interface(np.zeros((M, N)))
    product(Interface(a, stream=stream), Interface(b), out, stream=0)
    close(out.get(), a @ b)
    for wrong in (0, -1, "1"):
        with pytest.raises(ValueError, match="operand 1 has stream .* in its __cuda_array"):
            product(Interface(a), Interface(b, stream=wrong), out)


def test_targets(operands, cupy):
    """The target is the nearest one that is not newer than the device."""
    a, b = operands
    for capability, target in ((90, "sm_90"), (87, "sm_86"), (107, "sm_103"), (121, "sm_121")):
        with variables(FAKE_CUDA_CAPABILITY=str(capability)):
            tc.clear_cache()
            tc.einsum(SPEC, cupy.ndarray(a), cupy.ndarray(b))
            from tc._einsum import cache

            compiled = [call for call in cache._cache if call.kind == "code"]
            assert [call.target for call in compiled] == [target]
            tc.clear_cache()
    with variables(FAKE_CUDA_CAPABILITY="70"):
        with pytest.raises(ValueError, match="device 0 has compute capability 7.0, for "
                                             "which there is no target"):
            tc.einsum(SPEC, cupy.ndarray(a), cupy.ndarray(b))
        with pytest.raises(tc.UnsupportedError, match="the ptx is for sm_80, device 0 "
                                                      r"\(Fake GPU\) is sm_70"):
            tc.einsum(SPEC, cupy.ndarray(a), cupy.ndarray(b), target="sm_80")
        tc.clear_cache()


def test_code_is_kept(operands, cupy, tmp_path):
    log = tmp_path / "log"
    with variables(FAKE_CUDA_LOG=str(log)):
        for _ in range(3):
            tc.einsum(SPEC, *map(cupy.ndarray, operands))
    calls = log.read_text().split()
    assert calls.count("cuModuleLoadDataEx") == 1
    assert calls.count("cuLaunchKernel") == 3


def test_kinds_of_memory(product, operands):
    """Managed memory is on a device, pinned memory is not."""
    a, b = operands
    managed = [DLPack(x, kind=13, device=1) for x in (a, b, np.zeros((M, N)))]
    tc.einsum(SPEC, *managed[:2], out=managed[2])
    close(managed[2].get(), a @ b)
    mixed = Interface(a, device=1), managed[1], managed[2]
    product(*mixed)
    with pytest.raises(TypeError, match="operand 0 lies in the host's memory"):
        product(DLPack(a, kind=3), managed[1], managed[2])


class Elsewhere:
    """On a device of another kind."""

    def __dlpack_device__(self):
        return 10, 0

    def __dlpack__(self, **_):
        raise AssertionError


class Refusing(DLPack):
    def __dlpack__(self, **_):
        raise BufferError("it requires grad")


class Empty(DLPack):
    def __dlpack__(self, **_):
        return None


def test_errors(product, operands):
    a, b = operands
    first, second, out = Interface(a), Interface(b), Interface(np.full((M, N), 5.0))

    def fails(kind, message, function, *arrays, **options):
        with pytest.raises(kind) as raised:
            function(*arrays, **options)
        assert message in str(raised.value)

    def einsum(*arrays, **options):
        return tc.einsum(SPEC, *arrays, **{"out": out, **options})

    host = "lies in the host's memory, but "
    fails(TypeError, f"operand 1 {host}another array on a device", einsum, first, b)
    fails(TypeError, f"out {host}another", einsum, first, second, out=np.ones((M, N)))
    fails(TypeError, f"operand 0 {host}the code is for sm_90", product, a, second, out)
    fails(TypeError, f"operand 0 {host}the", product, [[1.0]], second, out)
    other = Interface(b, device=1)
    devices = "operand 1 lies on device 1, but operand 0 on device 0"
    fails(ValueError, devices, einsum, first, other)
    fails(ValueError, devices, product, first, DLPack(b, device=1), out)
    fails(ValueError, "kind 10, which is neither", einsum, first, Elsewhere())
    fails(ValueError, "a new array is needed for the result", einsum, first, second, out=None)
    fails(ValueError, "a new array is needed for the result", product, first, second)
    fails(ValueError, "target is 'cpu', but operand 0 lies on a CUDA device", einsum,
          first, second, target="cpu")
    fails(ValueError, "target is 'sm_90', but operand 0 lies in the host's memory",
          tc.einsum, SPEC, a, b, target="sm_90")
    fails(ValueError, "there is a stream, but operand 0 lies", tc.einsum, SPEC, a, b, stream=1)
    cpu = tc.compile(SPEC, [a.shape, b.shape])
    fails(ValueError, "compiled for target 'cpu', not for a GPU", cpu.launch, a, b)
    fails(ValueError, "there is a stream, but it was compiled", cpu, a, b, stream=1)

    fails(ValueError, "operand 0 has shape (9, 13), but was compiled for (13, 9)",
          product, Interface(a.T), second, out)
    fails(ValueError, "operand 0 has strides (8, 104)", product,
          Interface(np.asfortranarray(a)), second, out)
    fails(ValueError, "operand 1 has dtype float32, but", product, first,
          DLPack(b.astype("float32")), out)
    fails(ValueError, "out has shape (11, 13)", product, first, second, Interface(np.ones((N, M))))
    fails(ValueError, "compiled for 2 operands, but 1 is", product, first, out=out)
    fails(ValueError, "index 'k' has extent 9 in axis 1 of operand 0 and 11 in axis 0",
          einsum, first, Interface(b.T))
    fails(TypeError, "operand 0 has dtype uint8, which is none of", einsum,
          Interface(a.astype("uint8")), second)
    fails(TypeError, "operand 1 has elements of DLPack's type 1 with 8 bits and 1 lanes",
          einsum, first, DLPack(b.astype("uint8")))
    fails(TypeError, "type 2 with 64 bits and 2 lanes", einsum, first,
          DLPack(b, type=(2, 64, 2)))
    fails(TypeError, "operand 0 has dtype >f8", einsum, Interface(a.astype(">f8")), second)
    fails(TypeError, "operand 0 has a mask", einsum, Interface(a, mask=first), second)
    fails(ValueError, "operand 0 has version 1 of __cuda_array_interface__", einsum,
          Interface(a, version=1), second)
    fails(ValueError, "operand 0 has 2 axes, but 1 strides", einsum,
          Interface(a, strides=(8,)), second)
    for field, value, kind, message in (
        ("shape", (4.5, K), TypeError, "an extent of operand 0 is 4.5, which is no integer"),
        ("shape", (2**70, K), ValueError, "an extent of operand 0 is 1180591620717411303424,"),
        ("shape", (-M, K), ValueError, "operand 0 has shape (-13, 9), of which a part is negative"),
        ("strides", (2**64, 8), ValueError, "a stride of operand 0 is 18446744073709551616,"),
        ("data", (2**70, False), ValueError, "the address of operand 0 is 1180591620717411303424,"),
        ("data", (-8, False), ValueError, "the address of operand 0 is -8,"),
        ("stream", 2**64, ValueError, "the stream of operand 0 is 18446744073709551616,"),
    ):
        wrong = Interface(a)
        wrong.interface[field] = value
        fails(kind, message, einsum, wrong, second)
    fails(BufferError, "operand 1: its version of DLPack is unknown", einsum, first,
          DLPack(b, major=2))
    fails(BufferError, "operand 0: it requires grad", einsum, Refusing(a), second)
    fails(BufferError, "operand 0: __dlpack__ returned no capsule with a tensor", einsum,
          Empty(a), second)
    fails(ValueError, "out is not writable", einsum, first, second,
          out=Interface(np.ones((M, N)), read_only=True))
    fails(ValueError, "out is not writable", einsum, first, second,
          out=DLPack(np.ones((M, N)), flags=1))
    fails(ValueError, "operand 0 begins at an address that is no multiple of the 8 bytes",
          einsum, Interface(a, shift=4), second)
    same = Interface(np.ones((N, N)))
    overlap = "out overlaps operand 1: copy one of them"
    square = tc.compile(SPEC, [(N, N), (N, N)], target="sm_90")
    fails(ValueError, overlap, tc.einsum, SPEC, Interface(np.ones((N, N))), same, out=same)
    fails(ValueError, overlap, square, Interface(np.ones((N, N))), same, same)
    lying = Interface(a)
    lying.interface["data"] = (a.ctypes.data, False)
    fails(ValueError, "operand 0 lies in the host's memory, not on a device", einsum, lying, second)
    fails(ValueError, "a new array is needed for two of the operands", tc.einsum,
          "ik,kj,jl->il", first, second, Interface(numbers((N, 99))),
          out=Interface(np.ones((M, 99))))
    with variables(FAKE_CUDA_FAIL="cuLaunchKernel"):
        fails(tc.DriverError, "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE", product,
              first, second, out)
    assert (out.get() == 5).all()


def test_what_is_between_is_not_rounded(cupy):
    # Each sum of the first pair, 320000, is no float16.
    large = [cupy.ndarray(np.full((8, 8), 200, "float16")) for _ in range(2)]
    small = cupy.ndarray(np.full((8, 8), 2.0**-10, "float16"))
    result = tc.einsum("ij,jk,kl->il", *large, small)
    assert result.get().dtype == "float16" and (result.get() == 2500).all()
    fifties = [cupy.ndarray(np.full((8, 8), 50, "int8")) for _ in range(2)]
    last = cupy.ndarray(np.full((8, 8), 1, "int8"))
    out = cupy.ndarray(np.zeros((8, 8), "int32"))
    tc.einsum("ij,jk,kl->il", *fifties, last, out=out)
    assert (out.get() == 160000).all()


def test_narrow_pairs_are_not_converted(cupy):
    narrow = [cupy.ndarray(numbers(shape, "float32")) for shape in ((M, K), (K, N))]
    with pytest.raises(TypeError, match="dtype float32, but others make the result float64"):
        tc.einsum("ik,kj,jl->il", *narrow, cupy.ndarray(numbers((N, 99))))


def test_temporaries_live_until_they_are_read(cupy, monkeypatch):
    """No more are alive at once than is said of the order."""
    shapes = [(20, 21), (21, 22), (22, 23), (23, 24), (24, 3)]
    operands = [numbers(shape, seed=i) for i, shape in enumerate(shapes)]
    alive, peaks, empty = [], [], cupy.empty

    def make(shape, dtype):
        array = empty(shape, dtype)
        alive.append((array.bytes, weakref.ref(array)))
        peaks.append(sum(size for size, made in alive if made() is not None))
        return array

    monkeypatch.setattr(cupy, "empty", make)
    arrays = [cupy.ndarray(x) for x in operands]
    _, text = tc.einsum_path("ij,jk,kl,lm,mn->in", *arrays, memory_limit=3000)
    said = float(re.search(r"order of 5 tensors for sm_90: .*, (.*) KiB of", text)[1])
    for options, peak in (
        ({"optimize": False}, 8 * 20 * (23 + 24)),
        ({"memory_limit": 3000}, 1024 * said),
    ):
        alive.clear()
        peaks.clear()
        result = tc.einsum("ij,jk,kl,lm,mn->in", *arrays, **options)
        close(result.get(), np.linalg.multi_dot(operands))
        # The result is the caller's.
        assert max(*peaks[:-1], peaks[-1] - result.bytes) == pytest.approx(peak, rel=1e-3)
    for target in ("sm_80", "cpu"):
        _, text = tc.einsum_path("ij,jk,kl,lm,mn->in", *arrays, target=target)
        assert text.startswith(f"order of 5 tensors for {target}: ")


@pytest.mark.parametrize("with_out", [False, True])
def test_slices(cupy, with_out):
    """Of indices of the result and of a sum, whose parts begin at any element."""
    shapes = [(5, 13), (13, 7), (7, 1), (7, 3)]
    operands = [numbers(shape, seed=i) for i, shape in enumerate(shapes)]
    arrays = [cupy.ndarray(x) for x in operands]
    spec = "ij,jk,ki,kl->il"
    expected = np.einsum(spec, *operands)
    old = numbers(expected.shape, seed=9)
    for limit in (16, 40, 100):
        _, text = tc.einsum_path(spec, *arrays, memory_limit=limit)
        assert " slices: [" in text
        if with_out:
            out = cupy.ndarray(old)
            tc.einsum(spec, *arrays, out=out, alpha=2, beta=-1, memory_limit=limit)
            close(out.get(), 2 * expected - old)
        else:
            close(tc.einsum(spec, *arrays, memory_limit=limit).get(), expected)


def test_memory_runs_out():
    split = tc.compile(
        SPEC, [(M, 31), (31, N)], target="sm_90",
        schedule='target = "sm_90", m = [i: 4], n = [j: 4], k = [k: 4], '
        "register = [2, 2], split_k = 3",
    )
    a, b = numbers((M, 31), seed=30), numbers((31, N), seed=31)
    arrays = Interface(a), Interface(b), Interface(np.zeros((M, N)))
    with variables(FAKE_CUDA_FAIL="cuMemAlloc"):
        with pytest.raises(MemoryError, match="bytes on the device for the workspace"):
            split(*arrays)
    split(*arrays)
    split(*arrays)
    close(arrays[2].get(), a @ b)


def test_no_driver():
    """In a process that has none."""
    script = (
        "import tc\n"
        "class Array:\n"
        "    __cuda_array_interface__ = dict(shape=(2, 2), typestr='<f8', "
        "data=(4096, False), version=3)\n"
        "try:\n"
        "    tc.einsum('ij,jk->ik', Array(), Array(), out=Array())\n"
        "except tc.DriverError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True,
        env={key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"},
    )
    assert "no CUDA driver: libcuda.so.1: cannot open shared object file" in done.stdout
