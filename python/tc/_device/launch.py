# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of kernels on arrays on a CUDA device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .._arrays.layout import Layout
from .._messages.wording import check_count
from .arrays import DeviceArray, check_out, check_places, gather, name_all
from .libraries import library_of


def alignments_of(kernel: Mapping[str, Any]) -> list[int]:
    """The alignments of A, B, C and the auxiliary tensors of a package's kernel."""
    return [
        argument["alignment"]
        for argument in kernel["arguments"]
        if argument["kind"] == "tensor"
    ]


class Kernel(NamedTuple):
    """A kernel, and the layouts on which it is launched."""

    target: str
    operands: Sequence[Layout]
    out: Layout
    auxiliaries: Mapping[str, Layout]
    # Of A, B, C and the auxiliary tensors; none if nothing is read.
    alignments: Sequence[int]
    # Takes addresses, factors and the stream.
    run: Callable[..., None]
    # Elements from an aligned address to the least one of A, B and C.
    offsets: tuple[int, int, int] = (0, 0, 0)
    # If arrays may have any shape: makes that of a new result of the operands'
    # layouts. `run` takes the layouts of the operands, the result and the auxiliary
    # tensors then.
    out_of: Callable[[Sequence[Layout]], Layout] | None = None


def _check_alignment(
    what: str, array: DeviceArray, alignment: int, offset: int
) -> None:
    if (array.bounds[0] - offset * array.layout.itemsize) % alignment != 0:
        raise ValueError(
            f"{what} begins at an address that is no multiple of the {alignment} "
            "bytes to which it was compiled to be aligned: copy it"
        )


def launch(
    kernel: Kernel,
    operands: Sequence[Any],
    out: Any,
    alpha: Any,
    beta: Any,
    auxiliaries: Mapping[str, Any] | None,
    stream: Any,
    why_read: str | None,
) -> Any:
    """Queues a kernel on arrays of the layouts that it has, and returns `out`,
    which is new if it is None."""
    check_count(len(kernel.operands), len(operands))
    named = name_all(operands, out, auxiliaries)
    check_places(named, f"the code is for {kernel.target}")
    gathered = gather(named, stream)
    arrays = gathered.arrays
    names = [f"operand {i}" for i in range(len(operands))]
    for what, layout in zip(names, kernel.operands):
        layout.check(what, arrays[what].layout)
    for name in auxiliaries or {}:
        # The launch says so of those that are unknown.
        if name in kernel.auxiliaries:
            what = f"auxiliary tensor '{name}'"
            kernel.auxiliaries[name].check(what, arrays[what].layout)
    if out is None:
        if why_read:
            raise ValueError(f"C is read, as {why_read}: give out")
        layout = kernel.out
        if kernel.out_of:
            layout = kernel.out_of([arrays[what].layout for what in names])
        out, result = gathered.make(layout)
        kernel.out.check("the new result", result.layout)
    else:
        result = arrays["out"]
        kernel.out.check("out", result.layout)
        check_out(arrays)
    if kernel.alignments:
        # B is the last of two operands; one goes without.
        for what, place in (*zip(names, (0, 1)), ("out", 2)):
            array = result if what == "out" else arrays[what]
            _check_alignment(
                what, array, kernel.alignments[place], kernel.offsets[place]
            )
    kernel.run(
        [arrays[what].pointer for what in names],
        result.pointer,
        alpha,
        beta,
        {name: arrays[f"auxiliary tensor '{name}'"].pointer for name in auxiliaries or {}},
        gathered.stream,
        *(
            [
                [
                    *(arrays[what].layout for what in names),
                    result.layout,
                    *(
                        arrays[f"auxiliary tensor '{name}'"].layout
                        for name in kernel.auxiliaries
                        if name in (auxiliaries or {})
                    ),
                ]
            ]
            if kernel.out_of
            else []
        ),
    )
    return out


def interface_layouts(kernel: Kernel, arrays: Sequence[Any]) -> list[tuple] | None:
    """The arguments of _native.QuickLaunch for A, B and C, which the kernel was launched
    on; None if it takes none of these."""
    layouts = (*kernel.operands, kernel.out)
    if kernel.out_of or not kernel.alignments or any(x.is_empty for x in layouts):
        return None
    found = []
    for array, layout, alignment, offset in zip(
        arrays, layouts, kernel.alignments, kernel.offsets
    ):
        if library_of(type(array)) is not None or hasattr(array, "__dlpack_device__"):
            return None
        interface = array.__cuda_array_interface__
        if interface.get("stream") is not None:
            return None
        found.append(
            (
                type(array),
                tuple(interface["shape"]),
                interface["typestr"],
                interface.get("strides"),
                *layout.reach,
                alignment,
                offset * layout.itemsize,
            )
        )
    return found
