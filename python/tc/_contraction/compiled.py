# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of one operand or two that are compiled."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _native
from .._arrays.host import import_array, import_operands, import_readable
from .._arrays.layout import Layout
from .._arrays.overlap import check_auxiliaries, check_out
from .._device.arrays import check_in_host, name_all
from .._device.launch import Kernel, interface_layouts
from .._device.launch import launch as launch_kernel
from .._device.package import Package
from .._messages.former import renamed
from .._messages.wording import check_count, in_plain_words
from .._notation.subscripts import parse
from .pair import (
    alignments_of,
    compile_pair,
    extents_of,
    first_two,
    launch_native,
    package_of,
    why_out_is_read,
)
from .save import Saved, save_object, save_package

# Strides say nothing along extents of one, so that arrays of one layout look different ways.
_MOST_KNOWN = 64


class Contraction:
    """A contraction of one or two operands, compiled; `tc.compile` makes it."""

    def __init__(
        self,
        subscripts: str,
        operands: tuple[Layout, ...],
        out: Layout,
        native: _native.Contraction,
        options: Mapping[str, str],
        auxiliaries: Mapping[str, Layout],
    ) -> None:
        self.subscripts = subscripts
        self.target = options["target"]
        self._operands = operands
        self._out = out
        self._native = native
        self._auxiliaries = auxiliaries
        self._options = options
        self._why_read = why_out_is_read(options["beta"], options.get("epilogue"))
        # For arrays as those of an earlier call, or launch.
        self._past_calls = _native.PastCalls(_MOST_KNOWN)
        self._call_again = self._past_calls.call_arrays
        self._quick_launch: Any = None
        self._dynamic_shapes = options.get("dynamic-shapes") == "true"

    def __repr__(self) -> str:
        operands = ", ".join(f"{x.dtype}{list(x.shape)}" for x in self._operands)
        if self._dynamic_shapes:
            operands += " or any other shapes"
        return f"<tc.Contraction {self.subscripts!r} of {operands} for {self.target!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Arguments of the compilation: a process that loads it compiles it for its own machine, or
        finds it in the cache there."""
        state = (self.subscripts, self._operands, self._out, self._options, self._auxiliaries)
        return _restore, state

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return self._out.shape

    def _artifact(self, name: str) -> bytes:
        try:
            return self._native.get(_native.ARTIFACTS[name])
        except AttributeError as error:
            text = re.sub(r"^artifact \d+", name, str(error))
            if "does not exist for target" in text:
                of_cpu, of_gpu = ("object", "header", "cache"), ("ptx", "cubin", "package")
                own = of_cpu if self.target == "cpu" else of_gpu
                there = ", ".join(each for each in own if each != name)
                text = f"a contraction for target '{self.target}' has no {name}, but {there}"
            raise AttributeError(text) from None

    def _text(self, artifact: str) -> str:
        return self._artifact(artifact).decode()

    @property
    def schedule(self) -> str:
        """The schedule, in the compiler's syntax."""
        return self._text("schedule")

    def explain(self) -> str:
        """Reasons for the choice of the schedule."""
        return self._text("explanation")

    def _repr_html_(self) -> str:
        """HTML that a notebook shows: the explanation, of a GPU with its pictures."""
        # Its table of entities takes a millisecond to import.
        import html

        if self.target == "cpu":
            return f"<pre>{html.escape(self.explain())}</pre>"
        page = html.escape(self._text("page"))
        return (
            f'<iframe srcdoc="{page}" sandbox="" title="{html.escape(self.subscripts)}"'
            ' style="width: 100%; height: 40em; border: none"></iframe>'
        )

    @property
    def mlir(self) -> str:
        """The contraction as a function in MLIR's tc dialect."""
        return self._text("mlir")

    @property
    def ptx(self) -> str:
        """PTX, of a GPU."""
        return self._text("ptx")

    @property
    def cubin(self) -> bytes:
        """Machine code, of a GPU; made by ptxas, which has to be there."""
        return self._artifact("cubin")

    @property
    def package(self) -> str:
        """The JSON that describes how to launch the PTX, of a GPU."""
        return self._text("package")

    @property
    def header(self) -> str:
        """A C header for the object code, of a CPU."""
        return self._text("header")

    @property
    def object(self) -> bytes:
        """The bytes of an object file, of a CPU."""
        return self._artifact("object")

    def save(self, path: str | os.PathLike[str]) -> Saved:
        """Writes what it is compiled to into two files, whose paths it returns: of a GPU the
        launch description, which `tc.load_package` reads, and the PTX beside it; of a CPU the
        object code, and its C header beside it."""
        if self.target == "cpu":
            return save_object(path, self.object, self.header)
        return save_package(path, self.package, self.ptx)

    @property
    def cache(self) -> str:
        """Of a CPU: whether the code came from the cache ("hit"), was made
        ("miss"), or there is no cache ("off", "unusable")."""
        return self._text("cache")

    def __call__(
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
        """Runs it, on arrays of the layouts that it was compiled for, or of any
        shapes and strides if it was compiled for these: on this machine's CPU, or, if
        it was compiled for a GPU, as `launch` does. Factors
        are given if they were compiled as "argument", and auxiliary tensors if the
        epilogue reads any. Arrays, and the library of the result, are as those of `einsum`."""
        is_common = alpha is beta is auxiliaries is stream is sides is None
        if is_common:
            # The common case takes no detour.
            try:
                result = self._call_again(a, b, out)
                if result is not None:
                    return result
            except ValueError:
                # An array is not aligned, as those before were.
                pass
        if sides is not None:
            auxiliaries = renamed("sides", "auxiliaries", sides)
        if self.target != "cpu":
            return self.launch(
                a, b, out, alpha=alpha, beta=beta, auxiliaries=auxiliaries, stream=stream
            )
        if stream is not None:
            raise ValueError("there is a stream, but it was compiled for target 'cpu'")
        given = self._operands_of(a, b)
        named = name_all(given, out, auxiliaries)
        check_in_host(named)
        operands, make = import_operands(given)
        result = None if out is None else import_array(out, "out", writes=True)[0]
        read = {
            name: import_readable(array, f"auxiliary tensor '{name}'")[0]
            for name, array in (auxiliaries or {}).items()
        }
        if result is not None:
            check_out(result, operands)
            check_auxiliaries(result, read)
        elif self._why_read:
            raise ValueError(f"C is read, as {self._why_read}: give out")
        run = self._run_shaped if self._dynamic_shapes else self._run
        result = run(operands, result, alpha, beta, read)
        # An operand that was copied first is copied each time.
        is_as_given = all(array is mine for array, mine in zip(given, operands))
        if is_common and is_as_given and not self._dynamic_shapes:
            # Subclasses, such as maps of files, go the long way.
            self._past_calls.keep_arrays(a, b, out, self._native, result.shape, result.dtype)
        return make(result) if out is None else out

    def _operands_of(self, a: Any, b: Any) -> tuple[Any, ...]:
        operands = (a,) if b is None else (a, b)
        check_count(len(self._operands), len(operands))
        return operands

    @in_plain_words
    def _run(
        self,
        operands: tuple[np.ndarray, ...],
        out: np.ndarray | None,
        alpha: complex | None,
        beta: complex | None,
        auxiliaries: dict[str, np.ndarray],
    ) -> np.ndarray:
        """Runs it on arrays of the layouts that it was compiled for."""
        for i, (array, layout) in enumerate(zip(operands, self._operands)):
            self._check_layout(f"operand {i}", array, layout)
        if out is None:
            out = np.empty(self._out.shape, self._out.dtype)
        self._check_layout("out", out, self._out)
        for name, array in auxiliaries.items():
            # The compiler says so of those that are unknown.
            if name in self._auxiliaries:
                self._check_layout(f"auxiliary tensor '{name}'", array, self._auxiliaries[name])
        a, b = first_two(operands)
        self._native.run(a, b, out, alpha, beta, auxiliaries or None)
        return out

    @in_plain_words
    def _run_shaped(
        self,
        operands: tuple[np.ndarray, ...],
        out: np.ndarray | None,
        alpha: complex | None,
        beta: complex | None,
        auxiliaries: dict[str, np.ndarray],
    ) -> np.ndarray:
        """Runs it on arrays of any shapes and strides."""
        if auxiliaries:
            raise ValueError(f"auxiliary tensor '{min(auxiliaries)}' is not in the epilogue")
        for i, (array, layout) in enumerate(zip(operands, self._operands)):
            self._check_kind(f"operand {i}", array, layout)
        ranks = tuple(array.ndim for array in operands)
        subscripts = parse(self.subscripts, ranks)
        extents = extents_of(subscripts.operands, [array.shape for array in operands])
        shape = tuple(extents[label] for label in subscripts.result)
        if out is None:
            out = np.empty(shape, self._out.dtype)
        self._check_kind("out", out, self._out)
        Layout.of(out).check_result(shape, subscripts.result)
        a, b = first_two(operands)
        self._native.run_shaped(a, b, out, alpha, beta)
        return out

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
        """Queues it on the device on which the arrays lie, and returns `out`
        before it is done. The arrays are any that have `__dlpack__` or
        `__cuda_array_interface__`; without `out`, the result is one of their
        library's. `stream` is a handle, or an object of a library that has one;
        without it, it is the library's current stream. If it was compiled for any
        shape, so are the arrays."""
        is_common = alpha is beta is auxiliaries is stream is sides is None
        if is_common and self._quick_launch and self._quick_launch(a, b, out):
            return out
        if sides is not None:
            auxiliaries = renamed("sides", "auxiliaries", sides)
        if self.target == "cpu":
            raise ValueError(
                "it was compiled for target 'cpu', not for a GPU: call it instead"
            )
        operands = self._operands_of(a, b)
        if self._dynamic_shapes:
            return self._shaped.launch(
                a, b, out, alpha=alpha, beta=beta, auxiliaries=auxiliaries, stream=stream
            )
        made = launch_kernel(
            self._kernel, operands, out, alpha, beta, auxiliaries, stream, self._why_read
        )
        if is_common and len(operands) == 2 and out is not None:
            layouts = interface_layouts(self._kernel, (a, b, out))
            if layouts:
                self._quick_launch = _native.QuickLaunch(self._native, *layouts).launch
        return made

    @functools.cached_property
    def _shaped(self) -> Package:
        epilogue = self._options["epilogue"] if self._auxiliaries else None
        return package_of(self._native, epilogue)

    @functools.cached_property
    def _kernel(self) -> Kernel:
        return Kernel(
            self.target,
            self._operands,
            self._out,
            self._auxiliaries,
            alignments_of(self._native),
            functools.partial(launch_native, self._native),
            (self._offset_of("a"), self._offset_of("b"), self._offset_of("c")),
        )

    def _offset_of(self, tensor: str) -> int:
        return int(self._options.get(f"offset-{tensor}", 0))

    @staticmethod
    def _check_kind(what: str, array: np.ndarray, layout: Layout) -> None:
        """Checks all but the shape."""
        found = Layout.of(array)
        if found.dtype != layout.dtype:
            layout.check(what, found)
        if array.ndim != len(layout.shape):
            raise ValueError(
                f"{what} has {array.ndim} axes, but it was compiled for {len(layout.shape)}"
            )

    @staticmethod
    def _check_layout(what: str, array: np.ndarray, layout: Layout) -> None:
        if (
            array.shape == layout.shape
            and array.strides == layout.strides
            and array.dtype == layout.dtype
        ):
            return
        layout.check(what, Layout.of(array))


def _restore(
    subscripts: str,
    operands: tuple[Layout, ...],
    out: Layout,
    options: Mapping[str, str],
    auxiliaries: Mapping[str, Layout],
) -> Contraction:
    parsed = parse(subscripts, tuple(len(layout.shape) for layout in operands))
    a, b = first_two(operands)
    native, out = compile_pair(parsed, a, b, out, options, auxiliaries)
    return Contraction(subscripts, operands, out, native, options, auxiliaries)
