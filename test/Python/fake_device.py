# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices for tests: the fake driver of test/FakeCuda, and stand-ins for the
libraries whose arrays lie on them."""

import contextlib
import ctypes
import os
import sys
import types

import numpy as np

driver = ctypes.CDLL(os.path.join(os.environ["TC_FAKE_CUDA"], "libcuda.so.1"))

LEGACY, PER_THREAD = 1, 2


def call(name, *arguments):
    result = getattr(driver, name)(*arguments)
    if result != 0:
        raise RuntimeError(f"{name}: {result}")


def address(value=0):
    return ctypes.c_ulonglong(value)


def _contexts():
    call("cuInit", 0)
    made = []
    for device in (0, 1):
        context = ctypes.c_void_p()
        call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        made.append(context)
    return made


os.environ["FAKE_CUDA_DEVICES"] = "2"
CONTEXTS = _contexts()


@contextlib.contextmanager
def on_device(device):
    call("cuCtxPushCurrent_v2", CONTEXTS[device])
    try:
        yield
    finally:
        call("cuCtxPopCurrent_v2", None)


class Stream:
    """A stream that waits for no other."""

    def __init__(self, device=0):
        handle = ctypes.c_void_p()
        with on_device(device):
            call("cuStreamCreate", ctypes.byref(handle), 1)
        self.handle = handle.value
        self.device = device

    def synchronize(self):
        with on_device(self.device):
            call("cuStreamSynchronize", ctypes.c_void_p(self.handle))


def order(device, earlier, later):
    """Lets one stream wait for the other."""
    with on_device(device):
        event = ctypes.c_void_p()
        call("cuEventCreate", ctypes.byref(event), 2)
        call("cuEventRecord", event, ctypes.c_void_p(earlier))
        call("cuStreamWaitEvent", ctypes.c_void_p(later), event, 0)
        call("cuEventDestroy_v2", event)


def synchronize(device=0):
    with on_device(device):
        call("cuCtxSynchronize")


class Memory:
    """A copy of an array on a device, with its strides and gaps; `shift` bytes
    behind an aligned address."""

    def __init__(self, array, device=0, shift=0):
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.device = device
        begin = array.ctypes.data
        low, high = (
            np.lib.array_utils if hasattr(np.lib, "array_utils") else np
        ).byte_bounds(array)
        self.bytes = max(high - low, 1)
        self.offset = begin - low
        self.base = address()
        with on_device(device):
            call("cuMemAlloc_v2", ctypes.byref(self.base), ctypes.c_size_t(self.bytes + shift))
        self.base.value += shift
        self.shift = shift
        content = ctypes.string_at(low, high - low) if array.size else b"?"
        self.write(content)

    def write(self, content):
        with on_device(self.device):
            call("cuMemcpyHtoD_v2", self.base, content, ctypes.c_size_t(len(content)))

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def pointer(self):
        return self.base.value + self.offset if 0 not in self.shape else 0

    def get(self):
        """The contents of the memory, when all is done."""
        synchronize(self.device)
        buffer = ctypes.create_string_buffer(self.bytes)
        with on_device(self.device):
            call("cuMemcpyDtoH_v2", buffer, self.base, ctypes.c_size_t(self.bytes))
        return np.ndarray(self.shape, self.dtype, buffer, self.offset, self.strides)

    def __del__(self):
        with on_device(self.device):
            call("cuMemFree_v2", address(self.base.value - self.shift))


class Interface(Memory):
    """Speaks __cuda_array_interface__ and nothing else."""

    def __init__(self, array, device=0, shift=0, version=3, read_only=False, **more):
        super().__init__(array, device, shift)
        contiguous = np.empty(self.shape, self.dtype).strides
        self.interface = {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.pointer, read_only),
            "version": version,
        }
        if self.strides != contiguous or version == 2:
            self.interface["strides"] = self.strides
        self.interface.update(more)

    @property
    def __cuda_array_interface__(self):
        return self.interface


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("kind", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [
        ("tensor", _DLTensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


# The contents of capsules that are alive, by their addresses.
alive = {}


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _die(capsule):
    for name in (b"dltensor", b"dltensor_versioned"):
        if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), name):
            get = ctypes.pythonapi.PyCapsule_GetPointer
            get.restype = ctypes.c_void_p
            del alive[get(ctypes.c_void_p(capsule), name)]


def _capsule(held, name, kept):
    where = ctypes.addressof(held)
    alive[where] = (held, kept)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    return make(ctypes.c_void_p(where), name, _die)


class DLPack(Memory):
    """Speaks DLPack and nothing else; `versioned` knows max_version."""

    kind = 2
    versioned = True
    major = 1
    flags = 0
    stream = 0

    def __init__(self, array, device=0, shift=0, type=None, implicit=False, **fields):
        super().__init__(array, device, shift)
        kinds = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
        self.type = type or (kinds[array.dtype.kind], 8 * array.dtype.itemsize, 1)
        self.implicit = implicit
        self.asked = []
        for key, value in fields.items():
            setattr(self, key, value)

    def __dlpack_device__(self):
        return self.kind, self.device

    def _pack(self, stream, max_version):
        self.asked.append(stream)
        if stream is not None and stream != -1:
            assert stream != 0, "0 is no stream in DLPack"
            order(self.device, self.stream, stream)
        rank = len(self.shape)
        shape = (ctypes.c_int64 * rank)(*self.shape)
        strides = (ctypes.c_int64 * rank)(
            *(stride // self.dtype.itemsize for stride in self.strides)
        )
        # A part of the address may be given apart.
        tensor = _DLTensor(
            self.base.value if self.pointer else None,
            self.kind,
            self.device,
            rank,
            *self.type,
            shape,
            None if self.implicit else strides,
            self.offset,
        )
        if max_version is None:
            return _capsule(_Managed(tensor, None, None), b"dltensor", (shape, strides))
        versioned = _Versioned(self.major, 0, None, None, self.flags, tensor)
        return _capsule(versioned, b"dltensor_versioned", (shape, strides))

    def __dlpack__(self, *, stream=None, **options):
        if not self.versioned and options:
            raise TypeError("unexpected keyword argument")
        return self._pack(stream, options.get("max_version"))


class _Current:
    """The current stream of a stand-in, and the ways to change it."""

    def __init__(self):
        self.handle = 0
        self.seen = []

    @contextlib.contextmanager
    def use(self, handle):
        before, self.handle = self.handle, handle
        try:
            yield
        finally:
            self.handle = before


def make_cupy():
    """A module with those functions of CuPy that are asked for."""
    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace()
    current = cupy.current = _Current()

    class ndarray(DLPack):
        __module__ = "cupy"

        def __init__(self, array, device=0, shift=0):
            super().__init__(array, device, shift)
            self.id = device

        @property
        def __cuda_array_interface__(self):
            raise AssertionError("DLPack says more")

        def _pack(self, stream, max_version):
            self.stream = current.handle
            return super()._pack(stream, max_version)

    class _Device(int):
        id = property(int)

        def __enter__(self):
            cupy.device = int(self)

        def __exit__(self, *_):
            cupy.device = 0

    ndarray.device = property(
        lambda self: _Device(self.id), lambda self, value: setattr(self, "id", int(value))
    )
    cupy.ndarray = ndarray
    cupy.device = 0
    cupy.cuda.Device = _Device
    cupy.cuda.get_current_stream = lambda: types.SimpleNamespace(ptr=current.handle)
    cupy.cuda.ExternalStream = current.use

    def empty(shape, dtype):
        current.seen.append((cupy.device, current.handle))
        return ndarray(np.full(shape, 77, dtype), cupy.device)

    @contextlib.contextmanager
    def use_stream(non_blocking):
        assert non_blocking
        with current.use(Stream().handle):
            yield

    cupy.empty = empty
    cupy.asarray = ndarray
    cupy.asnumpy = lambda array: array.get()
    cupy.cuda.Stream = use_stream
    return cupy


def make_torch():
    """The same of PyTorch."""
    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace()
    current = torch.current = _Current()

    class Tensor(DLPack):
        __module__ = "torch"

        def __init__(self, array, device=0, shift=0, type=None):
            self.index = device
            super().__init__(array, device, shift, type)
            # Its bytes are of another type than NumPy has.
            if type is not None:
                self.layout = "other"

        def _pack(self, stream, max_version):
            assert stream != PER_THREAD, "PyTorch refuses it"
            self.stream = current.handle
            return super()._pack(stream, max_version)

        def permute(self, axes):
            return ("permuted", axes)

        # Attributes of a plain tensor without DLPack.
        is_cuda, layout, requires_grad = True, "strided", False
        conjugated = negated = False

        def is_conj(self):
            return self.conjugated

        def conj(self):
            # There are no views of memory here.
            self.conjugated = not self.conjugated
            return self

        def is_neg(self):
            return self.negated

        def get_device(self):
            return self.index

        def data_ptr(self):
            return self.pointer

        def stride(self):
            return tuple(stride // self.dtype.itemsize for stride in self.strides)

        def element_size(self):
            return self.dtype.itemsize

    class Subclass(Tensor):
        """A tensor whose kind only DLPack knows."""

        __module__ = "torch"

    class _Device(int):
        index = property(int)

    Tensor.device = property(
        lambda self: _Device(self.index),
        lambda self, value: setattr(self, "index", int(value)),
    )

    def wrap(handle):
        return types.SimpleNamespace(cuda_stream=handle)

    torch.Tensor, torch.Subclass, torch.strided = Tensor, Subclass, "strided"
    torch._C = types.SimpleNamespace()
    torch.cuda.current_stream = lambda device: wrap(current.handle)
    torch.cuda.default_stream = lambda device: wrap(0)
    torch.cuda.ExternalStream = lambda handle, device: wrap(handle)
    torch.cuda.stream = lambda stream: current.use(stream.cuda_stream)
    torch.float32, torch.float64 = "float32", "float64"

    def empty(shape, dtype, device):
        number = int(device.removeprefix("cuda:"))
        current.seen.append((number, current.handle))
        return Tensor(np.full(shape, 77, dtype), number)

    torch.empty = empty
    return torch


@contextlib.contextmanager
def installed(module):
    """The stand-in, as if it had been imported."""
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        yield module
    finally:
        del sys.modules[module.__name__]
        if before is not None:
            sys.modules[module.__name__] = before


@contextlib.contextmanager
def variables(**values):
    """Environment variables of the driver's."""
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value
