# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of JAX's arrays, in what JAX transforms.

    import tc.jax
    c = tc.jax.einsum("abc,cd->abd", a, b)

`einsum` works under `jax.jit`, `grad`, `jvp`, `vmap` and `shard_map`. On a CPU it is
a call of compiled code from XLA's; elsewhere XLA computes it. Importing this imports JAX,
which `import tc` does not.
"""

from ._einsum import einsum

__all__ = ["einsum"]
