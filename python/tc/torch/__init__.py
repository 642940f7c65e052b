# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of PyTorch's tensors, with gradients.

    import tc.torch
    c = tc.torch.einsum("abc,cd->abd", a, b)

`einsum` takes what `torch.einsum` takes, and works under autograd, `torch.func`,
`torch.compile` and `torch.export`. `with tc.torch.patched():` puts it in the place
of `torch.einsum`. Importing this imports PyTorch, which `import tc` does not.
"""

from ._einsum import einsum, is_supported
from ._patched import patched

__all__ = ["einsum", "is_supported", "patched"]
