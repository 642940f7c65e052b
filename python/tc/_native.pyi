from collections.abc import Callable, Mapping, Sequence
from typing import Any

from typing_extensions import Buffer

ARTIFACTS: dict[str, int]
ALIGNMENT: int
MOST_SLICES: int
MOST_THREADS: int

def common_type(a: int, b: int) -> int: ...
def end_specialization() -> None: ...
def get_threads() -> int: ...
def set_threads(threads: int) -> int: ...
def set_threads_here(threads: int) -> int: ...
def read_interface(array: Any, stream: int) -> tuple[int, tuple[Any, ...], None] | None: ...
def sum_type(element_type: int) -> int: ...
def expand(spec: str, ranks: Sequence[int]) -> str: ...
def find_order(
    spec: str,
    type: int,
    extents: Sequence[Sequence[int]],
    options: Mapping[str, str],
) -> str: ...
def compile_plain(
    subscripts: str, operands: tuple[Any, ...], type: int, options: Mapping[str, str]
) -> tuple[Contraction, tuple[int, ...]] | None: ...
def default_memory_limit() -> int: ...
def describe_program(text: str, notation: str) -> str: ...
def find_candidates(
    spec: str,
    types: Sequence[int],
    extents: Sequence[Sequence[int]],
    options: Mapping[str, str],
    most: int,
) -> str: ...
def merge_tuning(path: str, lines: str) -> int: ...
def export_tuning(path: str, best_only: bool) -> str: ...

class Contraction:
    def __init__(
        self,
        spec: str,
        types: Sequence[int],
        extents: Sequence[Sequence[int]],
        strides: Sequence[Sequence[int]],
        options: Mapping[str, str],
        auxiliaries: Sequence[tuple[str, int, Sequence[int], Sequence[int]]],
    ) -> None: ...
    def run(
        self,
        a: Buffer,
        b: Buffer | None,
        c: Buffer,
        alpha: complex | None,
        beta: complex | None,
        auxiliaries: Mapping[str, Buffer] | None = None,
    ) -> None: ...
    def run_shaped(
        self,
        a: Buffer,
        b: Buffer | None,
        c: Buffer,
        alpha: complex | None,
        beta: complex | None,
    ) -> None: ...
    def launch(
        self,
        a: int,
        b: int,
        c: int,
        alpha: complex | None,
        beta: complex | None,
        auxiliaries: Sequence[tuple[str, int]],
        stream: int,
    ) -> None: ...
    def queue(self, a: int, b: int, c: int, stream: int) -> None: ...
    def get(self, artifact: int) -> bytes: ...

class Program:
    def __init__(self, text: str, notation: str, options: Mapping[str, str]) -> None: ...
    @staticmethod
    def of_einsum(
        spec: str,
        type: int,
        extents: Sequence[Sequence[int]],
        options: Mapping[str, str],
    ) -> Program: ...
    @property
    def parameters(
        self,
    ) -> list[tuple[str, int, list[int], list[int], int, bool, bool]]: ...
    @property
    def workspace_bytes(self) -> int: ...
    @property
    def workspace_alignment(self) -> int: ...
    @property
    def extents(self) -> list[str]: ...
    def shaped_workspace_bytes(self, extents: Sequence[int]) -> int: ...
    def run(
        self,
        arrays: Sequence[Buffer],
        workspace: Buffer | None,
        extents: Sequence[int] = ...,
    ) -> None: ...
    def get(self, artifact: int) -> bytes: ...

class PastCalls:
    def __init__(self, most: int) -> None: ...
    def __len__(self) -> int: ...
    def clear(self) -> None: ...
    def call(self, subscripts: Any, operands: tuple[Any, ...], options: dict[str, Any]) -> Any: ...
    def keep(
        self,
        subscripts: Any,
        operands: tuple[Any, ...],
        options: dict[str, Any],
        native: Contraction | Program,
        shape: tuple[int, ...],
        dtype: Any,
        workspace: Callable[[], Any] | None = None,
    ) -> None: ...
    def call_arrays(self, a: Any, b: Any, out: Any) -> Any: ...
    def keep_arrays(
        self,
        a: Any,
        b: Any,
        out: Any,
        native: Contraction,
        shape: tuple[int, ...],
        dtype: Any,
    ) -> None: ...

class PlainCalls:
    def __init__(
        self,
        past: PastCalls,
        types: Mapping[Any, int],
        find_type: Callable[[Any], int | None],
        wide: set[Any],
        workspace: Callable[[int, int], Buffer | None],
        few: int,
    ) -> None: ...
    def call(self, subscripts: Any, operands: tuple[Any, ...], options: dict[str, Any]) -> Any: ...

class QuickLaunch:
    def __init__(
        self,
        contraction: Contraction,
        a: tuple[Any, ...],
        b: tuple[Any, ...],
        out: tuple[Any, ...],
    ) -> None: ...
    def launch(self, a: Any, b: Any, out: Any) -> bool: ...
