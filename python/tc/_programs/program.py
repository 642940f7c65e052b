# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: kernels that run one after the other, on what those before have made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _launch
from .._arrays.layout import DTYPES, Layout, OpenLayout, as_integer, itemsize_of
from .._arrays.overlap import check_apart
from .._device.arrays import check_places, gather
from .._device.libraries import NULL, handle_of


class Parameter(NamedTuple):
    """A tensor that a program takes."""

    layout: Layout | OpenLayout
    is_read: bool
    is_written: bool
    # The least address is a multiple of so many bytes.
    alignment: int

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> Parameter:
        """Of a launch description."""
        dtype = DTYPES[description["type"]]
        itemsize = itemsize_of(dtype)
        shape = tuple(description["extents"])
        layout: Layout | OpenLayout
        # All tensors are contiguous where runs give extents.
        if "strides" not in description:
            layout = OpenLayout(shape, dtype, itemsize)
        else:
            strides = tuple(stride * itemsize for stride in description["strides"])
            layout = Layout(shape, strides, dtype, itemsize)
        access = description["access"]
        return cls(
            layout,
            access != "write",
            access != "read",
            description["alignment"],
        )


class Program:
    """A program of several statements; `tc.compile_program` makes it, and packages
    have some."""

    def __init__(
        self,
        target: str,
        parameters: Mapping[str, Parameter],
        workspace_bytes: int | None,
        extents: Sequence[str] = (),
    ) -> None:
        self.target = target
        #: By their names: the inputs, and then the results that are none of these.
        self.parameters = dict(parameters)
        #: What temporaries take; None if that follows from the extents of each call.
        self.workspace_bytes = workspace_bytes
        #: The names of the extents that the arrays of each call say.
        self.extents = tuple(extents)

    def __repr__(self) -> str:
        def write(name: str) -> str:
            layout = self.parameters[name].layout
            return f"{name} {layout.dtype}[{', '.join(map(str, layout.shape))}]"

        return (
            f"<tc.Program of {', '.join(map(write, self.inputs))} for {self.target!r} that "
            f"computes {', '.join(map(write, self.results))}>"
        )

    @property
    def inputs(self) -> list[str]:
        """The names of what has to be given."""
        return [name for name, x in self.parameters.items() if x.is_read]

    @property
    def results(self) -> list[str]:
        """The names of what is computed."""
        return [name for name, x in self.parameters.items() if x.is_written]

    def _merge(self, arrays: Mapping[str, Any] | None, named: Mapping[str, Any]) -> dict[str, Any]:
        """All arrays by their names, in the program's order."""
        given = dict(arrays or {})
        if twice := given.keys() & named.keys():
            raise TypeError(f"tensor '{min(twice)}' is given twice")
        given.update(named)
        if unknown := given.keys() - self.parameters.keys():
            raise ValueError(
                f"the program has no tensor '{min(unknown)}': those are "
                + ", ".join(self.parameters)
            )
        given = {name: array for name, array in given.items() if array is not None}
        if missing := [name for name in self.inputs if name not in given]:
            raise ValueError(f"tensor '{missing[0]}' is not given, and is read")
        return {name: given[name] for name in self.parameters if name in given}

    def _layouts_of(self, found: Mapping[str, Layout]) -> tuple[dict[str, Layout], dict[str, int]]:
        """Layouts of all tensors in a call with such arrays, and the extents that these say."""
        said: dict[str, tuple[int, str]] = {}
        for name, layout in found.items():
            own = self.parameters[name].layout
            if isinstance(own, OpenLayout):
                own.bind(f"tensor '{name}'", layout, said)
        extents = {name: said[name][0] for name in self.extents}
        layouts = {}
        for name, parameter in self.parameters.items():
            own = parameter.layout
            layouts[name] = own.close(extents) if isinstance(own, OpenLayout) else own
            if name in found:
                layouts[name].check(f"tensor '{name}'", found[name])
        return layouts, extents

    def workspace_bytes_for(self, **extents: int) -> int:
        """Bytes that temporaries take for extents that the arrays of a call say, by their names."""
        if unknown := extents.keys() - set(self.extents):
            raise ValueError(
                f"the program takes no extent '{min(unknown)}': those are "
                + ", ".join(self.extents)
            )
        if missing := [name for name in self.extents if name not in extents]:
            raise ValueError(f"extent '{missing[0]}' is not given")
        return self._workspace_bytes_of(
            [as_integer(extents[name], f"extent '{name}'") for name in self.extents]
        )

    def _workspace_bytes_of(self, extents: list[int]) -> int:
        raise NotImplementedError

    def _result_of(self, arrays: Mapping[str, Any]) -> Any:
        results = {name: arrays[name] for name in self.results}
        return next(iter(results.values())) if len(results) == 1 else results

    def _check_apart(self, shadows: Mapping[str, np.ndarray]) -> None:
        """Refuses results that share elements with other tensors."""
        for name in self.results:
            for other, shadow in shadows.items():
                if other == name:
                    continue
                try:
                    check_apart(shadows[name], shadow, f"tensor '{other}'")
                except ValueError:
                    raise ValueError(
                        f"result '{name}' overlaps tensor '{other}': copy one of them"
                    ) from None


class Graph:
    """A run of a program on certain arrays, as a CUDA graph."""

    def __init__(self, native: _launch.ProgramGraph, arrays: Sequence[Any], result: Any) -> None:
        self._native = native
        # Their memory is the graph's for as long as it lives.
        self._arrays = arrays
        #: The result, or all of them by their names, which each run computes.
        self.result = result

    def launch(self, *, stream: Any = None) -> Any:
        """Queues one run, and returns the result before it is done. Two runs must
        not overlap, and arrays must be filled on the stream that is given."""
        self._native.launch(handle_of(stream) if stream is not None else NULL)
        return self.result

    __call__ = launch


class DeviceProgram(Program):
    """A program of a package."""

    def __init__(
        self, native: _launch.Package, number: int, target: str, description: Mapping[str, Any]
    ) -> None:
        super().__init__(
            target,
            {x["name"]: Parameter.of(x) for x in description["parameters"]},
            description["workspace"].get("bytes"),
            [x["name"] for x in description.get("extents", ())],
        )
        self.name: str = description["name"]
        self._native, self._number = native, number
        self._workspace_alignment = description["workspace"]["alignment"]

    def _workspace_bytes_of(self, extents: list[int]) -> int:
        return self._native.shaped_workspace_bytes(self._number, extents)

    def _prepare(
        self, given: Mapping[str, Any], workspace: Any, stream: Any
    ) -> tuple[dict[str, Any], list[int], int, int, list[int]]:
        """All arrays, the addresses of parameters and workspace, the stream, and the extents
        that the arrays say."""
        named = {f"tensor '{name}'": array for name, array in given.items()}
        if workspace is not None:
            named["the workspace"] = workspace
        check_places(named, f"the code is for {self.target}")
        gathered = gather(named, stream)
        arrays, found = dict(given), {}
        layouts, said = self._layouts_of(
            {name: gathered.arrays[f"tensor '{name}'"].layout for name in given}
        )
        extents = list(said.values())
        for name, parameter in self.parameters.items():
            what = f"tensor '{name}'"
            if name in given:
                array = gathered.arrays[what]
            else:
                arrays[name], array = gathered.make(layouts[name], what)
            if parameter.is_written and array.is_read_only:
                raise ValueError(f"{what} is not writable")
            found[name] = array
        self._check_apart({name: array.shadow for name, array in found.items()})
        address = 0
        if workspace is not None:
            room = gathered.arrays["the workspace"]
            address, end = room.bounds
            needed = self.workspace_bytes
            if needed is None:
                needed = self._workspace_bytes_of(extents)
            if end - address < needed:
                raise ValueError(
                    f"the workspace has {end - address} bytes, but the program needs {needed}"
                )
            if address % self._workspace_alignment:
                raise ValueError(
                    "the workspace begins at an address that is no multiple of "
                    f"{self._workspace_alignment} bytes"
                )
        pointers = [x.pointer for x in found.values()]
        return arrays, pointers, address, gathered.stream, extents

    def launch(
        self,
        arrays: Mapping[str, Any] | None = None,
        /,
        *,
        workspace: Any = None,
        stream: Any = None,
        **named: Any,
    ) -> Any:
        """Queues the program on the device on which the arrays lie, which are given
        by the names of its tensors, and returns the result before it is done, or all
        of them by their names. Results that are not given are new arrays of PyTorch or
        CuPy, if one of the others is. What is added to is updated in place. Without a
        `workspace`, an array of bytes, there is one for each stream."""
        given = self._merge(arrays, named)
        everything, pointers, room, queue, extents = self._prepare(given, workspace, stream)
        self._native.run_program(self._number, pointers, room, queue, extents)
        return self._result_of(everything)

    __call__ = launch

    def graph(
        self, arrays: Mapping[str, Any] | None = None, /, *, workspace: Any = None, **named: Any
    ) -> Graph:
        """A CUDA graph of a run on these arrays: its launches are one call of the
        driver. Nothing is run."""
        given = self._merge(arrays, named)
        everything, pointers, room, _, extents = self._prepare(given, workspace, None)
        native = _launch.ProgramGraph(self._native, self._number, pointers, room, extents)
        return Graph(native, [*everything.values(), workspace], self._result_of(everything))
