"""As much of torch as bench_torch.py uses, in plain Python, so that the script is
tested without it. FAKE_TORCH_SPOIL makes products of more than one element wrong;
FAKE_TORCH_CUDA=0 takes the device away."""

import itertools
import os
import random
import time
import types

__version__ = "fake"
float64, float32, float16, bfloat16 = "f64", "f32", "f16", "bf16"
backends = types.SimpleNamespace(
    cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=None)))


class Tensor:
    def __init__(self, shape, values):
        self.shape, self.values = list(shape), list(values)

    def position(self, coordinates):
        place = 0
        for extent, value in zip(self.shape, coordinates):
            place = place * extent + value
        return place

    def map(self, function):
        return Tensor(self.shape, map(function, self.values))

    def __mul__(self, other):
        if isinstance(other, Tensor):
            return Tensor(self.shape, (a * b for a, b in
                                       zip(self.values, other.values)))
        return self.map(lambda value: value * other)

    def __sub__(self, other):
        return self.map(lambda value: value - other)

    def __getitem__(self, selection):
        ranges = [range(extent) if isinstance(chosen, slice) else [chosen]
                  for chosen, extent in zip(selection, self.shape)]
        shape = [extent for chosen, extent in zip(selection, self.shape)
                 if isinstance(chosen, slice)]
        return Tensor(shape, (self.values[self.position(coordinates)]
                              for coordinates in itertools.product(*ranges)))

    def __float__(self):
        value, = self.values
        return float(value)

    def to(self, _):
        return self

    def double(self):
        return self

    def mul_(self, factor):
        self.values = [value * factor for value in self.values]
        return self

    def add_(self, other, alpha):
        self.values = [a + alpha * b
                       for a, b in zip(self.values, other.values)]
        return self

    def max(self):
        return max(self.values)

    def zero_(self):
        self.values = [0.0] * len(self.values)


def manual_seed(seed):
    random.seed(seed)


def rand(shape, dtype, device):
    assert dtype in ("f64", "f32") and device == "cuda"
    count = 1
    for extent in shape:
        count *= extent
    return Tensor(shape, (random.random() for _ in range(count)))


def zeros(count, dtype, device):
    assert dtype == "f32" and device == "cuda" and count > 0
    return Tensor([1], [0.0])


def einsum(expression, a, b):
    inputs, output = expression.split("->")
    first, second = inputs.split(",")
    extents = dict(zip(first + second, a.shape + b.shape))
    result = Tensor([extents[label] for label in output],
                    [0.0] * max(1, len(a.values) * len(b.values)))
    count = 1
    for extent in result.shape:
        count *= extent
    result.values = [0.0] * count
    labels = list(extents)
    for values in itertools.product(*(range(extents[l]) for l in labels)):
        at = dict(zip(labels, values))
        result.values[result.position([at[l] for l in output])] += (
            a.values[a.position([at[l] for l in first])]
            * b.values[b.position([at[l] for l in second])])
    if "FAKE_TORCH_SPOIL" in os.environ and count > 1:
        result.values = [value * 1.001 for value in result.values]
    return result


class Event:
    def __init__(self, enable_timing):
        assert enable_timing
        self.time = None

    def record(self):
        self.time = time.perf_counter()

    def elapsed_time(self, other):
        return (other.time - self.time) * 1e3


cuda = types.SimpleNamespace(
    Event=Event, synchronize=lambda: None,
    is_available=lambda: os.environ.get("FAKE_TORCH_CUDA") != "0")
