# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are compiled here, for the CPU or a device."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _json, _launch, _native
from .._arrays.host import Maker, import_array, same
from .._arrays.layout import ELEMENT_TYPES, Layout, OpenLayout, itemsize_of
from .._contraction.save import Saved, save_object, save_package
from .._device.arrays import check_in_host
from .._einsum.arguments import check_flags
from .._order.search import check_optimize, milliseconds_of
from .program import DeviceProgram, Parameter, Program

_NAMES = {number: dtype for dtype, number in ELEMENT_TYPES.items()}

# Origin of a program: text, notation and options.
_Source = tuple[str, str, dict[str, str]]


def _parameters_of(native: _native.Program) -> dict[str, Parameter]:
    parameters = {}
    for name, number, extents, strides, alignment, is_read, is_written in native.parameters:
        dtype = _NAMES[number]
        itemsize = itemsize_of(dtype)
        layout: Layout | OpenLayout
        if any(extent < 0 for extent in extents):
            shape = [native.extents[-1 - n] if n < 0 else n for n in extents]
            layout = OpenLayout(tuple(shape), dtype, itemsize)
        elif native.extents:
            layout = Layout.contiguous(extents, dtype, itemsize)
        else:
            layout = Layout(
                tuple(extents), tuple(stride * itemsize for stride in strides), dtype, itemsize
            )
        parameters[name] = Parameter(layout, is_read, is_written, alignment)
    return parameters


class HostProgram(Program):
    """A program for the CPU."""

    def __init__(self, native: _native.Program, source: _Source) -> None:
        super().__init__(
            "cpu",
            _parameters_of(native),
            None if native.extents else native.workspace_bytes,
            native.extents,
        )
        self._native = native
        self._source = source

    def __reduce__(self) -> tuple[Any, ...]:
        return _compile, self._source

    def _workspace_bytes_of(self, extents: list[int]) -> int:
        return self._native.shaped_workspace_bytes(extents)

    @property
    def object(self) -> bytes:
        """An object file with a function for the program and one for each step."""
        return self._native.get(_native.ARTIFACTS["object"])

    @property
    def header(self) -> str:
        """Declarations in C."""
        return self._native.get(_native.ARTIFACTS["header"]).decode()

    def save(self, path: str | os.PathLike[str]) -> Saved:
        """Writes the object code, and its C header beside it, whose paths it returns."""
        return save_object(path, self.object, self.header)

    def __call__(
        self,
        arrays: Mapping[str, Any] | None = None,
        /,
        *,
        workspace: np.ndarray | None = None,
        **named: Any,
    ) -> Any:
        """Runs the program on arrays, which are given by the names of its tensors, and
        returns the result, or all of them by their names. Results that are not given are
        new arrays of the library of the first that is none of NumPy's. What is added to is updated in place. Extents that the text leaves to calls are
        those of the arrays. Without a `workspace`, an array of bytes that begins at a
        multiple of 64, the program has its own."""
        given = self._merge(arrays, named)
        result = dict(given)
        make: Maker = same
        for name, array in given.items():
            what = f"tensor '{name}'"
            check_in_host({what: array})
            writes = self.parameters[name].is_written
            given[name], its = import_array(array, what, writes=writes)
            make = its if make is same else make
        layouts, extents = self._layouts_of({n: Layout.of(array) for n, array in given.items()})
        for name, parameter in self.parameters.items():
            if name not in given:
                given[name] = np.empty(layouts[name].shape, layouts[name].dtype)
            elif parameter.is_written and not given[name].flags.writeable:
                raise ValueError(f"tensor '{name}' is not writable")
        self._check_apart(given)
        room = None
        if workspace is not None:
            room = workspace.reshape(-1).view(np.uint8)
            needed = self.workspace_bytes
            if needed is None:
                needed = self._workspace_bytes_of(list(extents.values()))
            if room.nbytes < needed:
                raise ValueError(
                    f"the workspace has {room.nbytes} bytes, but the program needs {needed}"
                )
        ordered = [given[name] for name in self.parameters]
        self._native.run(ordered, room, list(extents.values()))
        for name in self.results:
            if name not in result:
                result[name] = make(given[name])
        return self._result_of(result)


def compile_program(
    text: str,
    *,
    notation: str = "tensors",
    target: str = "cpu",
    precision: str = "ieee",
    semiring: str = "plus_times",
    memory_limit: int | None = None,
    search_seconds: float | None = None,
    threads: int | None = None,
    tuned: str | None = None,
    tile_chains: str = "auto",
    library_calls: str = "auto",
    saturate: bool = True,
) -> Program:
    """Compiles a program of several statements, in the notation of `.tensors` or
    `.octopi` files (docs/programs.md):

        program = tc.compile_program(\"\"\"
            i = 20, j = 30, k = 25, l = 10, m = 15
            T[i,l] = A[i,j] * B[j,k] * C[k,l]
            D[i,m] += 0.5 * T[i,l] * E[l,m]
        \"\"\")
        program(A=a, B=b, C=c, D=d, E=e)  # adds to d, and returns it

    The order of each product is the one that the model predicts to be the fastest on
    the target, and what products share is computed once. Extents may be those of each call's
    arrays, as in `i = ?2000`. `memory_limit` bounds the
    temporaries of each product, in bytes, and each order is searched for about
    `search_seconds`. On the CPU, statements that feed one another
    are computed in tiles that stay in the second cache (docs/cpu-lowering.md), where that
    is predicted to be faster, with `tile_chains="always"` wherever what is between them does
    not fit it, and with "never" not at all. Contractions that read each element once or a few times are
    computed by ahead-of-time kernels, but not in `object`, which other programs link, unless
    `library_calls` is "always"; with "never" none are. Results beyond the range of an 8-bit
    float become its largest number, and without `saturate` infinite or, of float8_e4m3fn,
    NaN. For a device, as with `target="sm_90"`, it
    is a program of a package, which launches it."""
    if not isinstance(text, str):
        raise TypeError(f"the text is {text!r}, which is no str")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the text has {text[error.start]!r}, which is no character"
        ) from None
    check_flags(saturate=saturate)
    check_optimize(True, None, search_seconds)
    options = {
        "target": target,
        "search-milliseconds": milliseconds_of(search_seconds),
        "precision": precision,
        "semiring": semiring,
        "tile-chains": tile_chains,
        "library-calls": library_calls,
        "saturate": "true" if saturate else "false",
    }
    if memory_limit is not None:
        options["memory-limit"] = str(memory_limit)
    if threads is not None:
        options["threads"] = str(threads)
    if tuned is not None:
        options["tuned"] = tuned
    return _compile(text, notation, options)


class CompiledDeviceProgram(DeviceProgram):
    """A program for a device, with what it was compiled to."""

    def __init__(self, package: str, code: bytes, source: _Source) -> None:
        described = _json.parse(package)
        (program,) = described["programs"]
        super().__init__(_launch.Package(package, code), 0, described["target"], program)
        #: The launch description as JSON, and PTX, which are to be saved together.
        self.package = package
        self.ptx = code.decode()
        self._source = source

    def save(self, path: str | os.PathLike[str]) -> Saved:
        """Writes the launch description, which `tc.load_package` reads, and the PTX beside
        it, whose paths it returns."""
        return save_package(path, self.package, self.ptx)

    def __reduce__(self) -> tuple[Any, ...]:
        return _compile, self._source


def _compile(text: str, notation: str, options: dict[str, str]) -> Program:
    """Also what pickles call: who loads one compiles the program for its own machine, or
    finds it in the cache there."""
    native = _native.Program(text, notation, options)
    source = (text, notation, options)
    if options["target"] == "cpu":
        return HostProgram(native, source)
    return CompiledDeviceProgram(
        native.get(_native.ARTIFACTS["package"]).decode(),
        native.get(_native.ARTIFACTS["ptx"]),
        source,
    )
