# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages: kernels that were compiled before, launched without a compiler."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _json, _launch
from .._arrays.layout import DTYPES, Layout, itemsize_of
from .._messages.former import renamed
from .._programs.program import DeviceProgram
from . import launch


class _Collapsed(Layout):
    """The layout of a tensor in a package, where neighbouring dimensions of the
    array that was compiled for may be one."""

    __slots__ = ()

    def check(self, what: str, found: Layout) -> None:
        if found.dtype != self.dtype:
            super().check(what, found)
        place = 0
        for extent, stride in zip(self.shape, self.strides):
            # The innermost of the array's axes that make up this one has its
            # stride, and each next one steps over all that are inside.
            taken, inner = 1, []
            while taken < extent and place < len(found.shape):
                inner.append((found.shape[place], found.strides[place]))
                taken *= found.shape[place]
                place += 1
            step = stride
            for length, along in reversed(inner):
                if length != 1 and along != step:
                    taken = -1
                step *= length
            if taken != extent:
                break
        else:
            if all(length == 1 for length in found.shape[place:]):
                return
        raise ValueError(
            f"{what} has shape {found.shape} and strides {found.strides}, but the "
            f"package has {self.shape} and {self.strides} for it"
        )


class _OfDynamicShapes(Layout):
    """The layout of a tensor of a kernel that takes its shape at run time: that
    which it is tuned for."""

    __slots__ = ()

    def check(self, what: str, found: Layout) -> None:
        if found.dtype != self.dtype:
            super().check(what, found)
        if len(found.shape) != len(self.shape):
            raise ValueError(
                f"{what} has {len(found.shape)} axes, but the package has "
                f"{len(self.shape)} for it"
            )

    @staticmethod
    def in_elements(what: str, found: Layout) -> tuple[list[int], list[int]]:
        """Extents, and strides in elements."""
        for extent, stride in zip(found.shape, found.strides):
            if extent > 1 and stride % found.itemsize:
                raise ValueError(
                    f"{what} has a stride of {stride} bytes, which are no whole "
                    f"elements of {found.itemsize}"
                )
        return (
            list(found.shape),
            # Strides say nothing along extents of one.
            [
                stride // found.itemsize if extent > 1 else 0
                for extent, stride in zip(found.shape, found.strides)
            ],
        )


class Kernel:
    """A kernel of a package."""

    def __init__(
        self,
        native: _launch.Package,
        number: int,
        target: str,
        description: Mapping[str, Any],
        versions: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.name: str = description["entry"]
        #: The kernel's part of the launch description.
        self.description = description
        arguments = description["arguments"]
        tensors = [x for x in arguments if x["kind"] == "tensor"]
        layouts = []
        self._dynamic_shapes = "dynamic_shape" in description
        kind = _OfDynamicShapes if self._dynamic_shapes else _Collapsed
        for tensor in tensors:
            dtype = DTYPES[tensor["type"]]
            itemsize = itemsize_of(dtype)
            strides = tuple(stride * itemsize for stride in tensor["strides"])
            layouts.append(kind(tuple(tensor["extents"]), strides, dtype, itemsize))
        if "reduce" in description:
            # The sum of all elements, which the extents are of.
            layouts[2] = _Collapsed((), (), layouts[2].dtype, layouts[2].itemsize)
        auxiliaries = {x["name"]: layout for x, layout in zip(tensors[3:], layouts[3:])}
        offsets = tuple(
            x["offset"] + layout.reach[0] // layout.itemsize
            for x, layout in zip(tensors[:3], layouts)
        )
        self._native, self._number = native, number
        self._why_read = (
            "beta is not 0, or the epilogue uses c"
            if tensors[2]["access"] == "read_write"
            else None
        )
        self._kernel = launch.Kernel(
            target,
            layouts[:2],
            layouts[2],
            auxiliaries,
            # The launch chooses the version that fits.
            [min(x) for x in zip(*map(launch.alignments_of, [description, *versions]))],
            self.run,
            # Those of the shape that a kernel is tuned for say nothing.
            (0, 0, 0) if self._dynamic_shapes else offsets,
            self._make_out if self._dynamic_shapes else None,
        )

    def _shape_of(self, place: int, operands: Sequence[Layout]) -> list[int]:
        """The shape of the tensor of that number, from those of the operands."""
        arguments = self.description["arguments"]
        extents: dict[str, int] = {}
        for tensor, layout in zip(arguments, operands):
            extents.update(zip(tensor["indices"], layout.shape))
        return [extents[label] for label in arguments[place]["indices"]]

    def _make_out(self, operands: Sequence[Layout]) -> Layout:
        """The layout of a new result, from the operands' shapes."""
        shape = [] if "reduce" in self.description else self._shape_of(2, operands)
        return Layout.contiguous(shape, self._kernel.out.dtype, self._kernel.out.itemsize)

    def _shapes_of(self, layouts: Sequence[Layout]) -> list[tuple[list[int], list[int]]]:
        """Extents and strides of A, B and C, and of the auxiliary tensors, for a
        kernel that takes its shape at run time."""
        operands = layouts[:2]
        names = ["operand 0", "operand 1", "out"]
        names += [f"auxiliary tensor '{name}'" for name in self._kernel.auxiliaries]
        for place, (name, found) in enumerate(zip(names[3:], layouts[3:]), 3):
            wanted = tuple(self._shape_of(place, operands))
            if found.shape != wanted:
                raise ValueError(f"{name} has shape {found.shape}, but must have {wanted}")
        shapes = [
            _OfDynamicShapes.in_elements(name, layout) for name, layout in zip(names, layouts)
        ]
        shape = self._shape_of(2, operands)
        if "reduce" in self.description:
            # One number is in the place of all elements.
            shapes[2] = shape, [0] * len(shape)
        else:
            labels = self.description["arguments"][2]["indices"]
            layouts[2].check_result(tuple(shape), labels)
        return shapes

    @property
    def auxiliary_names(self) -> Sequence[str]:
        """The names of what the epilogue reads besides C, in the order of `run`."""
        return list(self._kernel.auxiliaries)

    @property
    def out_dtype(self) -> str:
        """The dtype of the result."""
        return self._kernel.out.dtype

    def run(
        self,
        operands: Sequence[int],
        out: int,
        alpha: complex | None,
        beta: complex | None,
        auxiliaries: Mapping[str, int],
        stream: Any,
        layouts: Sequence[Layout] | None = None,
    ) -> None:
        """Launches it on addresses; if it takes its shape at run time, on tensors
        of these layouts: of the operands, the result and the auxiliary tensors."""
        if len(operands) == 1:
            # The launch takes the semiring's one for B.
            operands = [*operands, 0]
            if layouts is not None:
                layouts = [layouts[0], self._kernel.operands[1], *layouts[1:]]
        missing = self._kernel.auxiliaries.keys() - auxiliaries.keys()
        if unknown := auxiliaries.keys() - self._kernel.auxiliaries.keys():
            raise ValueError(f"auxiliary tensor '{min(unknown)}' is not in the epilogue")
        if missing:
            raise ValueError(f"auxiliary tensor '{min(missing)}' is not given")
        ordered = [auxiliaries[name] for name in self._kernel.auxiliaries]
        shapes = None if layouts is None else self._shapes_of(layouts)
        self._native.launch(
            self._number, [*operands, out, *ordered], alpha, beta, stream, shapes
        )

    def launch(
        self,
        a: Any,
        b: Any = None,
        out: Any = None,
        *,
        alpha: complex | None = None,
        beta: complex | None = None,
        auxiliaries: Mapping[str, Any] | None = None,
        stream: Any = None,
        sides: Mapping[str, Any] | None = None,
    ) -> Any:
        """Queues the kernel on the device on which the arrays lie, and returns
        `out` before it is done; see `tc.Contraction.launch`. A kernel of one
        operand goes without `b`, or takes a scalar one of its dtype. Without `out`, the result
        has the shape that the package has for it. Auxiliary tensors have the names
        that they have there. A kernel that takes its shape at run time takes
        arrays of any extents and strides."""
        if sides is not None:
            auxiliaries = renamed("sides", "auxiliaries", sides)
        kernel = self._kernel
        operands = (a,) if b is None else (a, b)
        if b is None and not kernel.operands[1].shape:
            kernel = kernel._replace(operands=kernel.operands[:1])
        return launch.launch(
            kernel, operands, out, alpha, beta, auxiliaries, stream, self._why_read
        )

    __call__ = launch


class Package:
    """Kernels, and how to launch them."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._take(_launch.Package(os.fspath(path)))

    @classmethod
    def from_text(cls, description: str, code: bytes) -> Package:
        """A package of a launch description and its code, PTX or a cubin."""
        package = cls.__new__(cls)
        package._take(_launch.Package(description, code))
        return package

    def _take(self, native: _launch.Package) -> None:
        #: The launch description (docs/package.md).
        self.description: dict[str, Any] = _json.parse(native.description)
        self.target: str = self.description["target"]
        described = self.description["kernels"]
        #: Without those that are versions of others.
        self.kernels: list[Kernel] = [
            Kernel(
                native, number, self.target, kernel,
                [x for x in described if x.get("version_of") == kernel["entry"]],
            )
            for number, kernel in enumerate(described) if "version_of" not in kernel
        ]
        #: What kernels compute together, by their names.
        self.programs: dict[str, DeviceProgram] = {
            program["name"]: DeviceProgram(native, number, self.target, program)
            for number, program in enumerate(self.description.get("programs", []))
        }

    def __repr__(self) -> str:
        names = [kernel.name for kernel in self.kernels] + list(self.programs)
        return f"<tc.Package of {', '.join(names)} for {self.target!r}>"

    def launch(self, *arrays: Any, **options: Any) -> Any:
        """Launches the only kernel; see `Kernel.launch`."""
        if len(self.kernels) != 1:
            names = ", ".join(kernel.name for kernel in self.kernels)
            raise ValueError(f"the package has several kernels: choose of {names}")
        return self.kernels[0].launch(*arrays, **options)

    __call__ = launch


def load_package(path: str | os.PathLike[str]) -> Package:
    """Reads the package whose launch description is at `path`, with the code
    beside it. Nothing of the compiler is needed, nor is a device."""
    return Package(path)
