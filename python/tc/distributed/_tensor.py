# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of which each rank has a block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._arrays.layout import as_integer
from ._arrays import Arrays, Transport, arrays_of, is_cuda_aware
from ._grid import Box, Grid, Layout, all_pieces, check_layout, pieces_for, size_of
from ._nccl import Nccl
from ._ranks import Ranks


def part_of_block(block: Any, has: Box, box: Box) -> Any:
    """A view of elements that a block has, both in the coordinates of the tensor."""
    # With the ellipsis, one without axes is a view, too.
    return block[(*(slice(b - a, e - a) for (a, _), (b, e) in zip(has, box)), ...)]


def shape_of(box: Box) -> tuple[int, ...]:
    return tuple(end - begin for begin, end in box)


class Mesh:
    """The ranks of a communicator as a grid, as a context; making it and `close` are collective. `cuda_aware` says
    whether MPI takes addresses on CUDA devices; by default, the environment does. With `nccl`, what is on devices goes
    by CuPy's NCCL."""

    def __init__(
        self, comm: Any, shape: Sequence[int], *, cuda_aware: bool | None = None, nccl: bool = False
    ) -> None:
        self.ranks = Ranks(comm)
        self._is_closed = False
        is_aware = is_cuda_aware() if cuda_aware is None else bool(cuda_aware)
        #: How blocks on devices are sent.
        self.transport: Transport = "mpi" if is_aware else "staged"
        try:
            with self.ranks.together():
                self.grid = Grid(tuple(as_integer(n, "an extent of the grid") for n in shape))
                if self.grid.size != self.ranks.size or min(self.grid.shape, default=1) < 1:
                    raise ValueError(
                        f"the grid has shape {self.grid.shape}, but there are {self.ranks.size} ranks"
                    )
                self.coordinates = self.grid.coordinates(self.ranks.rank)
            self.ranks.check_equal(
                {"the shape of the grid": self.grid.shape, "cuda_aware": is_aware, "nccl": bool(nccl)}
            )
            if nccl:
                with self.ranks.together():
                    self.transport = Nccl()
        except BaseException:
            # All ranks raise, or none does.
            self.close()
            raise

    def close(self) -> None:
        """Frees the communicators; nothing is left to do the second time."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            if isinstance(self.transport, Nccl):
                self.transport.close()
        finally:
            self.ranks.comm.Free()

    def __enter__(self) -> Mesh:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def distribute(self, array: Any, layout: Sequence[Any]) -> Tensor:
        """A tensor of an array that all ranks have, in the host's memory or each on a device. `layout` says for each axis along which
        dimension of the grid it is cut, if any, or along which ones, the longest parts first; blocks
        are copies."""
        with self.ranks.together():
            arrays = arrays_of(array, self.transport)
            whole = array if arrays.is_device else np.asarray(array)
            shape, dtype = tuple(whole.shape), arrays.dtype_of(whole)

        def take(box: Box) -> Any:
            part: Any = (*(slice(*bounds) for bounds in box), ...)
            return arrays.copy(whole[part])

        return self.build(shape, dtype, layout, take)

    def build(
        self, shape: Sequence[int], dtype: Any, layout: Sequence[Any], make: Callable[[Box], Any]
    ) -> Tensor:
        """A tensor that no rank has as a whole: each calls `make` with its part, from and to along
        each axis, for the array that it is."""
        with self.ranks.together():
            shape = tuple(as_integer(n, "an extent") for n in shape)
            checked = check_layout(self.grid, layout, len(shape), "the tensor")
            dtype = np.dtype(dtype)
            if dtype.kind not in "biufc":
                raise TypeError(f"the tensor has dtype {dtype}, which is none of numbers")
        self.ranks.check_equal({"shape": shape, "dtype": dtype.name, "layout": checked})
        with self.ranks.together():
            box = self.grid.box(checked, shape, self.coordinates)
            made = make(box)
            arrays = arrays_of(made, self.transport)
            block = arrays.as_block(made, dtype)
            if tuple(block.shape) != shape_of(box):
                raise ValueError(
                    f"the part {box} of a tensor has shape {shape_of(box)}, but the array that was "
                    f"made for it {tuple(block.shape)}"
                )
        self.ranks.check_equal({"where the blocks lie": arrays.kind})
        return Tensor(self, shape, checked, block)


class Tensor:
    """A tensor on a mesh: `block` is what this rank has of it, `box` which part that is."""

    def __init__(
        self, mesh: Mesh, shape: tuple[int, ...], layout: Layout, block: Any
    ) -> None:
        self.mesh = mesh
        self.shape = shape
        self.layout = layout
        self.block = block

    @property
    def arrays(self) -> Arrays:
        """The kind of array that the block is."""
        return arrays_of(self.block, self.mesh.transport)

    @property
    def dtype(self) -> np.dtype:
        return self.arrays.dtype_of(self.block)

    @property
    def box(self) -> Box:
        return self.mesh.grid.box(self.layout, self.shape, self.mesh.coordinates)

    def redistribute(self, layout: Sequence[Any]) -> Tensor:
        """The same tensor in another layout. Each rank sends what others need of its block to each of them
        once."""
        ranks = self.mesh.ranks
        with ranks.together():
            checked = check_layout(self.mesh.grid, layout, len(self.shape), "the tensor")
        ranks.check_equal({"layout": checked})
        return move(self, checked)

    def gather(self) -> Any:
        """All of it, on all ranks; an array of the kind that blocks are, and none of them itself."""
        moved = self.redistribute([None] * len(self.shape))
        with self.mesh.ranks.together():
            return self.arrays.copy(self.block) if moved.block is self.block else moved.block


def move(tensor: Tensor, layout: Layout, partial: tuple[int, ...] = ()) -> Tensor:
    """A tensor in another layout, added up in the order of ranks along dimensions of the grid
    along which ranks have summands. All ranks call it, and what fails on one is raised on all."""
    mesh, shape = tensor.mesh, tensor.shape
    if tensor.layout == layout and not partial:
        return tensor
    grid, ranks, own = mesh.grid, mesh.ranks, tensor.box
    with ranks.together():
        arrays, dtype = tensor.arrays, tensor.dtype
        pieces = all_pieces(grid, tensor.layout, layout, shape, partial)
        sends: list[list[Any]] = [[] for _ in range(ranks.size)]
        # Bytes that each rank sends and gets.
        loads = [[0, 0] for _ in range(ranks.size)]
        for piece in pieces:
            loads[piece.source][0] += size_of(piece.box)
            loads[piece.target][1] += size_of(piece.box)
            if piece.source == ranks.rank:
                sends[piece.target].append(part_of_block(tensor.block, own, piece.box).reshape(-1))
        mine = sorted(pieces_for(grid, tensor.layout, layout, shape, partial, ranks.rank))
        counts = [0] * ranks.size
        for piece in mine:
            counts[piece.source] += size_of(piece.box)
        nothing = arrays.empty(0, dtype)
        parts = [arrays.concatenate([nothing, *each]) for each in sends]
        box = grid.box(layout, shape, mesh.coordinates)
        has = shape_of(box)
        block = arrays.filled(has, dtype, 0) if partial else arrays.empty(has, dtype)
    received = ranks.exchange(parts, counts, max(map(max, loads)), dtype, arrays)
    with ranks.together():
        for piece in mine:
            # There is one of each source.
            array = received[piece.source].reshape(shape_of(piece.box))
            place = part_of_block(block, box, piece.box)
            if partial:
                place += array
            else:
                place[...] = array
    return Tensor(mesh, shape, layout, block)
