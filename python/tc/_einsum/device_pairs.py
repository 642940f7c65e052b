# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of one array or two on a CUDA device."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _launch, _native
from .._arrays.dlpack import Asked
from .._arrays.host import operand_names
from .._arrays.layout import Layout, itemsize_of
from .._contraction.pair import compile_pair, extents_of, first_two, launch_native, package_of
from .._device.arrays import DeviceArray, Gathered, check_out, check_places, gather, name_all
from .._device.package import Kernel
from .._messages.errors import UnsupportedError
from .._notation.subscripts import Subscripts, parse
from .cache import cached
from .call import Call, Options

# Target for products where no operand has elements.
_ANY_TARGET = "sm_80"

# Compute capabilities by the numbers of devices.
_capabilities: dict[int, int] = {}


def clear_devices() -> None:
    _capabilities.clear()


def target_of(gathered: Gathered) -> str:
    """The target whose code is made for the device, or for one before it."""
    capability = _capabilities.get(gathered.device)
    if capability is None:
        for array in gathered.arrays.values():
            if not array.layout.is_empty:
                _, capability = _launch.find_device(array.pointer)
                _capabilities[gathered.device] = capability
                break
        else:
            return _ANY_TARGET
    target = _launch.target_for(capability)
    if target is None:
        raise ValueError(
            f"device {gathered.device} has compute capability {capability / 10}, for "
            "which there is no target"
        )
    return target


def _offset_of(array: DeviceArray, what: str) -> int:
    """Elements from an aligned address to an array's least one."""
    if array.layout.is_empty:
        return 0
    rest = array.bounds[0] % _native.ALIGNMENT
    offset, part = divmod(rest, array.layout.itemsize)
    if part:
        raise ValueError(
            f"{what} begins at an address that is no multiple of the "
            f"{array.layout.itemsize} bytes of an element: copy it"
        )
    return offset


def _order_of(layout: Layout) -> tuple[int, ...]:
    """The axes, slowest first; those whose strides say nothing come before."""

    def key(axis: int) -> tuple[bool, int]:
        stride = abs(layout.strides[axis])
        return layout.shape[axis] > 1 and stride != 0, -stride

    return tuple(sorted(range(len(layout.shape)), key=key))


def _tuned(layout: Layout) -> Layout:
    """A layout of the same shape and order of axes, without gaps."""
    order = _order_of(layout)
    dense = Layout.contiguous(
        tuple(layout.shape[axis] for axis in order), layout.dtype, layout.itemsize
    )
    strides = dict(zip(order, dense.strides))
    return layout._replace(
        strides=tuple(strides[axis] for axis in range(len(layout.shape)))
    )


def _spread(
    layout: Layout, labels: Sequence[str], extents: Mapping[str, int]
) -> Layout:
    """The layout with all of the indices' extents: an extent of one goes with
    any other."""
    shape = tuple(extents[label] for label in labels)
    strides = tuple(
        stride if extent == wanted else 0
        for extent, wanted, stride in zip(layout.shape, shape, layout.strides)
    )
    return layout._replace(shape=shape, strides=strides)


class Caller:
    """Contracts arrays of one call, which lie on one device."""

    def __init__(
        self,
        operands: Sequence[Any],
        out: Any,
        auxiliaries: Mapping[str, Any] | None,
        target: str | None,
        stream: Any,
        dynamic_shapes: bool,
        asked: Sequence[Asked | None] = (),
    ) -> None:
        named = name_all(operands, out, auxiliaries)
        check_places(named, "another array on a device")
        self.gathered = gather(named, stream, asked)
        arrays = self.gathered.arrays
        if out is not None:
            check_out(arrays)
        self.operands = [arrays[f"operand {i}"] for i in range(len(operands))]
        self.out = arrays.get("out")
        self.auxiliaries = {name: arrays[f"auxiliary tensor '{name}'"] for name in auxiliaries or {}}
        self.target = target or target_of(self.gathered)
        self.dynamic_shapes = dynamic_shapes
        # The newest array, which is the result in the end. Those before live until
        # what reads them is queued.
        self.made: Any = None
        # Kernel that was launched last, but for kernels that take their shape at run time.
        self.launched: Any = None

    def parse(self, subscripts: str) -> Subscripts:
        return parse(subscripts, tuple(len(x.layout.shape) for x in self.operands))

    def contract(
        self,
        subscripts: Subscripts,
        a: DeviceArray,
        b: DeviceArray | None,
        alpha: Any,
        beta: Any,
        options: Options,
        is_last: bool,
        dtype: str | None = None,
        place: DeviceArray | None = None,
    ) -> DeviceArray:
        """Contracts two arrays, or one if `b` is None; if it is the last, into
        `place`, or `out`, if one is given. Else the result has that dtype, or the
        operands' own. The options are all on which code depends."""
        out = (place or self.out) if is_last else None
        what = "the result" if is_last else "two of the operands"
        auxiliaries = self.auxiliaries if is_last else {}
        operands = [x for x in (a, b) if x]
        names = (*operand_names(len(operands)), "out")
        # Layouts, each with the elements by which an array begins behind an aligned address.
        looks = [
            (x.layout, _offset_of(x, name)) for x, name in zip((*operands, out), names) if x
        ]
        call = Call(
            "code",
            subscripts,
            tuple(looks[: len(operands)]),
            looks[-1] if out else None,
            tuple((name, x.layout) for name, x in auxiliaries.items()),
            dtype,
            alpha is not None,
            beta is not None,
            self.target,
            options,
        )
        pointers = {name: auxiliary.pointer for name, auxiliary in auxiliaries.items()}
        if self.dynamic_shapes:
            extents = extents_of(subscripts.operands, [x.layout.shape for x in operands])
            spread = [
                _spread(array.layout, labels, extents)
                for array, labels in zip(operands, subscripts.operands)
            ]
            shape = tuple(extents[label] for label in subscripts.result)
            if out is not None:
                out.layout.check_result(shape, subscripts.result)
            kernel = _find_dynamic_shapes(call, spread, out and out.layout)
            if kernel:
                if out is None:
                    dtype = kernel.out_dtype
                    layout = Layout.contiguous(shape, dtype, itemsize_of(dtype))
                    out = self._make(layout, what)
                kernel.run(
                    [x.pointer for x in operands],
                    out.pointer,
                    alpha,
                    beta,
                    pointers,
                    self.gathered.stream,
                    [
                        *spread,
                        out.layout,
                        *(auxiliaries[name].layout for name in kernel.auxiliary_names),
                    ],
                )
                return out
        self.launched, layout = cached(call, functools.partial(_compile, call))
        if out is None:
            out = self._make(layout, what)
        launch_native(
            self.launched,
            [x.pointer for x in operands],
            out.pointer,
            alpha,
            beta,
            pointers,
            self.gathered.stream,
        )
        return out

    def make_result(self, subscripts: Subscripts, dtype: str) -> DeviceArray:
        """A new array for the result of all operands."""
        shapes = [array.layout.shape for array in self.operands]
        extents = extents_of(subscripts.operands, shapes)
        shape = tuple(extents[label] for label in subscripts.result)
        layout = Layout.contiguous(shape, dtype, itemsize_of(dtype))
        return self._make(layout, "the result")

    def _make(self, layout: Layout, what: str) -> DeviceArray:
        self.made, array = self.gathered.make(layout, what)
        return array._replace(owner=(self.made, array.owner))


def _options_of(call: Call) -> dict[str, str]:
    """The options with which all code for a call is compiled."""
    return {
        "target": call.target,
        "saturate": "false",
        "alpha": "argument" if call.has_alpha else "",
        "beta": "argument" if call.has_beta else "",
        **dict(call.options.fused),
    }


def _compile(call: Call) -> tuple[_native.Contraction, Layout]:
    """Compiles what the record describes, all of which comes from it."""
    options = _options_of(call)
    layouts: list[Any] = []
    for look, name in zip((*call.operands, call.out), (*"ab"[: len(call.operands)], "c")):
        layout, offset = look or (None, 0)
        layouts.append(layout)
        if layout:
            options[f"offset-{name}"] = str(offset)
    *operands, out = layouts
    a, b = first_two(operands)
    return compile_pair(call.subscripts, a, b, out, options, dict(call.auxiliaries), call.dtype)


def _find_dynamic_shapes(
    call: Call, operands: Sequence[Layout], out: Layout | None
) -> Kernel | None:
    """A kernel that takes its shape at run time, tuned for that of the first
    call of its kind; None if there is none for that kind."""
    named = dict(call.auxiliaries)
    if any(layout and layout.is_empty for layout in (*operands, out, *named.values())):
        return None

    def kind_of(layout: Layout | None) -> tuple | None:
        return layout and (layout.dtype, _order_of(layout))

    kind = call._replace(
        kind="kernel",
        operands=tuple(map(kind_of, operands)),
        out=kind_of(out),
        auxiliaries=tuple((name, kind_of(layout)) for name, layout in named.items()),
    )

    def compile_it() -> tuple[Kernel | None]:
        a, b = first_two(list(map(_tuned, operands)))
        try:
            native, _ = compile_pair(
                call.subscripts,
                a,
                b,
                out and _tuned(out),
                {**_options_of(call), "dynamic-shapes": "true"},
                {name: _tuned(layout) for name, layout in named.items()},
                call.dtype,
            )
        except UnsupportedError:
            return (None,)
        return (package_of(native, call.options.epilogue if named else None).kernels[0],)

    return cached(kind, compile_it)[0]
