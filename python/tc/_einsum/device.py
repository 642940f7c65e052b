# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""einsum of arrays that lie on a CUDA device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _launch, _native
from .._arrays.dlpack import Asked
from .._arrays.layout import Layout, itemsize_of
from .._contraction.pair import (
    check_place,
    common_dtype,
    compile_pair,
    extents_of,
    launch_native,
    package_of,
)
from .._device.arrays import (
    DeviceArray,
    Gathered,
    check_out,
    check_places,
    gather,
    name_all,
)
from .._device.package import Kernel
from .._messages.errors import UnsupportedError
from .._notation.subscripts import Subscripts, parse
from .._order.slices import contract_slices
from .cache import cached
from .pairs import contract_pairs

# Bytes of which the compiler takes addresses to be a multiple.
ALIGNMENT = 16

# What is compiled where no operand has elements.
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
    rest = array.bounds[0] % ALIGNMENT
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
        # What was launched last, but for kernels that take their shape at run time.
        self.launched: _native.Contraction | None = None

    def parse(self, subscripts: str) -> Subscripts:
        return parse(subscripts, tuple(len(x.layout.shape) for x in self.operands))

    def contract(
        self,
        subscripts: Subscripts,
        a: DeviceArray,
        b: DeviceArray | None,
        alpha: Any,
        beta: Any,
        fused: tuple,
        is_last: bool,
        dtype: str | None = None,
        place: DeviceArray | None = None,
    ) -> DeviceArray:
        """Contracts two arrays, or one if `b` is None; if it is the last, into
        `place`, or `out`, if one is given. Else the result has that dtype, or the
        operands' own."""
        out = (place or self.out) if is_last else None
        what = "the result" if is_last else "two of the operands"
        auxiliaries = self.auxiliaries if is_last else {}
        given = [(a, "operand 0", "a"), (b, "operand 1", "b"), (out, "out", "c")]
        given = [(array, named, name) for array, named, name in given if array]
        offsets = tuple(
            (f"offset-{name}", str(_offset_of(array, named)))
            for array, named, name in given
        )
        layouts = tuple(x and x.layout for x in (a, b, out))
        auxiliary_layouts = tuple((name, x.layout) for name, x in auxiliaries.items())
        pointers = {name: auxiliary.pointer for name, auxiliary in auxiliaries.items()}
        if self.dynamic_shapes:
            operands = [x for x in (a, b) if x]
            extents = extents_of(subscripts.operands, [x.layout.shape for x in operands])
            spread = [
                _spread(array.layout, labels, extents)
                for array, labels in zip(operands, subscripts.operands)
            ]
            shape = tuple(extents[label] for label in subscripts.result)
            if out is not None:
                out.layout.check_result(shape, subscripts.result)
            kernel = self._find_dynamic_shapes(
                subscripts,
                (*(*spread, None)[:2], layouts[2]),
                alpha,
                beta,
                fused,
                dtype,
                auxiliary_layouts,
            )
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
        options = (*self._options(alpha, beta), *offsets, *fused)
        key = (subscripts, layouts, dtype, auxiliary_layouts, options)

        def compile_it() -> tuple[_native.Contraction, Layout]:
            return compile_pair(
                subscripts, *layouts, dict(options), dict(auxiliary_layouts), dtype
            )

        self.launched, layout = cached(key, compile_it)
        if out is None:
            out = self._make(layout, what)
        launch_native(
            self.launched,
            [x.pointer for x in (a, b) if x],
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

    def _options(self, alpha: Any, beta: Any) -> tuple[tuple[str, str], ...]:
        """What all code is compiled with; keys have the same."""
        return (
            ("target", self.target),
            ("saturate", "false"),
            ("alpha", "" if alpha is None else "argument"),
            ("beta", "" if beta is None else "argument"),
        )

    def _make(self, layout: Layout, what: str) -> DeviceArray:
        self.made, array = self.gathered.make(layout, what)
        return array._replace(owner=(self.made, array.owner))

    def _find_dynamic_shapes(
        self,
        subscripts: Subscripts,
        layouts: Sequence[Layout | None],
        alpha: Any,
        beta: Any,
        fused: tuple,
        dtype: str | None,
        auxiliaries: Sequence[tuple[str, Layout]],
    ) -> Kernel | None:
        """A kernel that takes its shape at run time, tuned for that of the first
        call of its kind; None if there is none for that kind."""
        named = dict(auxiliaries)
        if any(layout and layout.is_empty for layout in (*layouts, *named.values())):
            return None

        def kind_of(layout: Layout | None) -> tuple | None:
            return layout and (layout.dtype, _order_of(layout))

        kind = tuple(map(kind_of, layouts))
        kinds = tuple((name, kind_of(layout)) for name, layout in auxiliaries)
        options = (*self._options(alpha, beta), ("dynamic-shapes", "true"), *fused)
        key = (subscripts, kind, kinds, dtype, options)

        def compile_it() -> tuple[Kernel | None]:
            tuned = [layout and _tuned(layout) for layout in layouts]
            try:
                native, _ = compile_pair(
                    subscripts,
                    *tuned,
                    dict(options),
                    {name: _tuned(layout) for name, layout in auxiliaries},
                    dtype,
                )
            except UnsupportedError:
                return (None,)
            epilogue = dict(fused)["epilogue"] if auxiliaries else None
            return (package_of(native, epilogue).kernels[0],)

        return cached(key, compile_it)[0]


def _refuse_conversion(array: DeviceArray, dtype: str) -> DeviceArray:
    raise TypeError(
        f"a pair of operands has dtype {array.layout.dtype}, but others make the "
        f"result {dtype}: convert one of them"
    )


def contract_on_device(
    caller,
    subscripts,
    out,
    alpha,
    beta,
    fused,
    semiring,
    prologues,
    epilogue,
    tuned,
    saturate,
    order,
):
    """Contracts what the caller has gathered."""
    arrays = caller.operands
    parsed = caller.parse(subscripts)
    layouts = [array.layout for array in arrays]
    if caller.out is not None:
        check_place(caller.out.layout, parsed, [layout.shape for layout in layouts])
    out_dtype = caller.out and caller.out.layout.dtype
    found = order(parsed, layouts, caller.target, out_dtype)
    if found is None:
        a, b = (*arrays, None)[:2]
        caller.contract(parsed, a, b, alpha, beta, fused, True)
        return caller.made if out is None else out

    def contract_many(parts, place, first, old):
        def contract(pair, a, b, pair_fused, is_last, dtype):
            last = (first, old) if is_last else (None, None)
            return caller.contract(pair, a, b, *last, pair_fused, is_last, dtype, place)

        contract_pairs(
            parsed,
            parts,
            [array.layout for array in parts],
            contract,
            _refuse_conversion,
            semiring,
            prologues,
            epilogue,
            tuned,
            saturate,
            found,
        )

    if not found.slices:
        contract_many(arrays, caller.out, alpha, beta)
        return caller.made if out is None else out
    made = caller.out or caller.make_result(parsed, common_dtype([x.dtype for x in layouts]))
    result = caller.made if out is None else out
    contract_slices(
        parsed, arrays, made, (alpha, beta), semiring, found, contract_many
    )
    return result
