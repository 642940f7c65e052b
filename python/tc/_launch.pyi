from collections.abc import Sequence
from typing import Any

# By the compiler's names: its number, the dtype's name, bytes, and DLPack's
# code.
ELEMENT_TYPES: dict[str, tuple[int, str, int, int]]
VERSION: str

def find_device(address: int) -> tuple[int, int]: ...
def order_streams(device: int, earlier: int, later: int) -> None: ...
def describe_overlap(
    extents: Sequence[int], strides: Sequence[int], labels: Sequence[str]
) -> str | None: ...
def target_for(capability: int) -> str | None: ...
def read_dlpack(
    capsule: Any,
) -> tuple[
    int, tuple[int, ...], tuple[int, ...], int, int, int, int, int, bool
]: ...

class Package:
    def __init__(self, description: str, code: bytes = ...) -> None: ...
    @property
    def description(self) -> str: ...
    def launch(
        self,
        kernel: int,
        tensors: Sequence[int],
        alpha: complex | None,
        beta: complex | None,
        stream: int,
        shapes: Any = None,
    ) -> None: ...
    def shaped_workspace_bytes(self, program: int, extents: Sequence[int]) -> int: ...
    def run_program(
        self,
        program: int,
        tensors: Sequence[int],
        workspace: int,
        stream: int,
        extents: Sequence[int] = ...,
    ) -> None: ...

class ProgramGraph:
    def __init__(
        self,
        package: Package,
        program: int,
        tensors: Sequence[int],
        workspace: int,
        extents: Sequence[int] = ...,
    ) -> None: ...
    def launch(self, stream: int) -> None: ...
