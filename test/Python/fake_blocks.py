# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stand-in for CuPy whose arrays, on the fake driver's device, can be cut, joined and added, as blocks of
distributed tensors are; a communicator that takes them; and a stand-in for NCCL."""

import contextlib
import ctypes
import sys
import types

import numpy as np

import fake_device

#: Bytes of pinned memory that were asked for.
pinned = []
#: Streams that were waited for, and nothing has been sent since.
waited = []


class _Number:
    """The result of an element-wise operation, to be written elsewhere."""

    def __init__(self, array):
        self.get = lambda: array


class _View:
    """Some elements of an array, by their positions there."""

    __module__ = "cupy"

    def __init__(self, root, positions):
        self.root, self.positions = root, positions
        self.shape, self.dtype = positions.shape, root.dtype

    def __len__(self):
        return len(self.positions)

    def __getitem__(self, key):
        return _View(self.root, self.positions[key])

    def __setitem__(self, key, value):
        whole = self.root.get()
        whole.reshape(-1)[self.positions[key]] = value.get()
        self.root.write(whole.tobytes())

    def __iadd__(self, other):
        self[...] = _Number(self.get() + other.get())
        return self

    def get(self, out=None):
        found = self.root.get().reshape(-1)[self.positions]
        if out is None:
            return found
        out[...] = found
        return out

    def reshape(self, *shape):
        return _View(self.root, self.positions.reshape(*shape))

    def copy(self):
        return type(self.root)(self.get())


def _add_methods(ndarray):
    def view(self):
        return _View(self, np.arange(int(np.prod(self.shape))).reshape(self.shape))

    def get(self, out=None):
        found = super(ndarray, self).get()
        if out is None:
            return found
        out[...] = found
        return out

    def change(self, operation, other):
        self.write(operation(self.get(), other.get() if hasattr(other, "get") else other).tobytes())
        return self

    ndarray.get = get
    ndarray.data = property(lambda self: types.SimpleNamespace(ptr=self.pointer))
    ndarray.__len__ = lambda self: self.shape[0]
    ndarray.nbytes = property(lambda self: int(np.prod(self.shape)) * self.dtype.itemsize)
    ndarray.__getitem__ = lambda self, key: view(self)[key]
    ndarray.__setitem__ = lambda self, key, value: view(self).__setitem__(key, value)
    ndarray.reshape = lambda self, *shape: view(self).reshape(*shape)
    ndarray.set = lambda self, array: self.write(array.tobytes())
    ndarray.__iadd__ = lambda self, other: change(self, np.add, other)
    ndarray.__imul__ = lambda self, other: change(self, np.multiply, other)


def make_cupy():
    cupy = fake_device.make_cupy()
    _add_methods(cupy.ndarray)
    cupy.full = lambda shape, number, dtype: cupy.ndarray(np.full(shape, number, dtype))
    cupy.ascontiguousarray = lambda array, dtype: cupy.ndarray(array.get().astype(dtype))
    cupy.concatenate = lambda arrays: cupy.ndarray(np.concatenate([x.get() for x in arrays]))

    def alloc_pinned_memory(count):
        pinned.append(count)
        return bytearray(count)

    cupy.cuda.Device.synchronize = lambda self: fake_device.synchronize(int(self))
    cupy.cuda.alloc_pinned_memory = alloc_pinned_memory

    def get_current_stream():
        def synchronize():
            waited.append(cupy.current.handle)
            fake_device.synchronize()

        return types.SimpleNamespace(ptr=cupy.current.handle, synchronize=synchronize)

    cupy.cuda.get_current_stream = get_current_stream
    return cupy


class AwareCommunicator:
    """A communicator whose Alltoallv takes arrays on a device, and no others, when the stream has been waited for
    on which they are made."""

    def __init__(self, comm, stream):
        self._comm, self._stream = comm, stream

    def __getattr__(self, name):
        return getattr(self._comm, name)

    def Dup(self):
        return AwareCommunicator(self._comm.Dup(), self._stream)

    def Alltoallv(self, sends, gets):
        assert waited == [self._stream], waited
        waited.clear()
        (sent, how), (got, where) = sends, gets
        host = np.empty(got.shape, got.dtype)
        self._comm.Alltoallv([sent.get(), how], [host, where])
        got.set(host)


def make_nccl(world, stream=0):
    """A module that sends between the devices of the ranks of `world`, on one stream."""
    nccl = types.ModuleType("cupy.cuda.nccl")
    nccl.available, nccl.NCCL_INT8 = True, 0
    nccl.bytes = 0
    nccl.get_unique_id = lambda: tuple(range(128))
    waiting = []

    class NcclCommunicator:
        def __init__(self, size, unique, rank):
            assert unique == tuple(range(128))
            self.comm = world.Dup()
            assert (size, rank) == (self.comm.size, self.comm.rank)

        def send(self, address, count, kind, peer, on):
            assert (kind, on) == (nccl.NCCL_INT8, stream)
            nccl.bytes += count if peer != self.comm.rank else 0
            host = bytearray(count)
            fake_device.synchronize()
            buffer = (ctypes.c_char * count).from_buffer(host)
            with fake_device.on_device(0):
                size = ctypes.c_size_t(count)
                fake_device.call("cuMemcpyDtoH_v2", buffer, fake_device.address(address), size)
            waiting.append((self.comm.Isend(host, peer), None))

        def recv(self, address, count, kind, peer, on):
            assert (kind, on) == (nccl.NCCL_INT8, stream)
            host = bytearray(count)
            waiting.append((self.comm.Irecv(host, peer), (address, host)))

        def destroy(self):
            self.comm.Free()

    def group_end():
        for request, place in waiting:
            request.Wait()
            if place:
                address, host = place
                with fake_device.on_device(0):
                    size = ctypes.c_size_t(len(host))
                    fake_device.call("cuMemcpyHtoD_v2", fake_device.address(address), bytes(host), size)
        waiting.clear()

    nccl.groupStart, nccl.groupEnd = waiting.clear, group_end
    nccl.NcclCommunicator = NcclCommunicator
    return nccl


@contextlib.contextmanager
def installed(cupy, nccl):
    """The stand-ins, as if they had been imported; without NCCL if that is None."""
    if nccl is not None:
        cupy.cuda.nccl = nccl
    sys.modules["cupy.cuda"] = cupy.cuda
    try:
        with fake_device.installed(cupy):
            yield
    finally:
        del sys.modules["cupy.cuda"]
