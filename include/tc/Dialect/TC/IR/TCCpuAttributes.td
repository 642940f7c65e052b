//===- TCCpuAttributes.td - Attributes of code for CPUs ----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedule of a contraction on a CPU.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCCPUATTRIBUTES_TD
#define TC_DIALECT_TC_IR_TCCPUATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TC/IR/TCAttributes.td"

def TC_CpuScheduleAttr : TC_Attr<"CpuSchedule", "cpu_schedule"> {
  let summary = "the decisions that turn one contraction into code for a CPU";
  let description = [{
    Is the `cpu_schedule` of a `tc.contract`. It denotes loops over cache blocks,
    in which blocks of A and B are packed into panels, around a micro-kernel. The
    search (`--tc-tile-cpu`) writes it, or a person; lowering obeys it and
    decides nothing again.

    ```mlir
    #tc.cpu_schedule<target = "host", rows = m, m = [d: 24, a: 24],
                     n = [c: 16, b: 16], k = [g: 24], order = [n, k, m],
                     register = [24, 8], lanes = 8, store = stream>
    ```

    | key | meaning |
    | --- | --- |
    | `target` | the target that the schedule was made for |
    | `strategy` | `gett`, `ttgt` (transpose, multiply matrices, transpose), `loop_over_gemm` (loops over matrix products), `direct` (nothing is packed) or `library` (a call of ahead-of-time kernels); `gett` if not given |
    | `transpose` | with `ttgt`: the tensors that are copied, as `A: [k, m]`, and the order of indices in the copy, the last of which has stride one |
    | `loops` | with `loop_over_gemm`: the indices that no matrix product has, the outermost loop first; with `direct`: all indices with an extent above one, those of C outside of summed ones |
    | `vector` | with `direct`: the index whose elements lie side by side in vector registers, the last of `loops` if it is summed |
    | `columns` | with `direct`: the index of C of which the register tile has several elements; none if not given |
    | `rows` | `m` or `n`: the role whose elements fill vector registers |
    | `m` | block extents along the indices of A and C |
    | `n` | block extents along the indices of B and C |
    | `k` | block extents along the summed indices |
    | `order` | the loops over blocks by role, the outermost first |
    | `inner` | `rows` or `columns`: the panels that the innermost loop walks; `rows` if not given |
    | `register` | rows and columns of C that the micro-kernel keeps in registers |
    | `lanes` | elements of a vector register |
    | `store` | `cache`, or `stream` for stores to C that bypass the caches |
    | `threads` | how many ways the loops over blocks of the `batch`, of `m` and of `n` are shared out among threads, as in `[m: 2, n: 4]`; one thread if not given |

    Complex numbers are multiplied by three real products (`allow_three_products`)
    if `k` begins with the index `re_im_3m`, over these, and its tile of 3.

    Within a list the last index varies fastest in the packed panels. Batch
    indices have no entry: their loops are outside all others. Keys are given
    once, in any order; `strategy`, `transpose`, `loops`, `inner` and
    `threads` need not be. Lists may be empty.

    With `direct`, there are no `rows`, `m`, `n`, `order`, `inner` and `store`; `k` may
    have the block of one summed index, whose loop is outside of all others then;
    `register` has elements along `vector` and along `columns`, and the ways of
    `batch` in `threads` share all loops over C out. An example, of a product of
    a matrix, whose elements lie side by side along `k`, and a vector:

    ```mlir
    #tc.cpu_schedule<target = "host", strategy = direct, loops = [m, k],
                     vector = k, columns = m, register = [16, 4], lanes = 8>
    ```

    With `library`, there are `target` and `threads` only, of whose `batch` the call
    may have as many: `#tc.cpu_schedule<target = "host", strategy = library>`.

    With `ttgt`, `m`, `n` and `k` name the indices of the product of the copies:
    those that move together there are merged, and the merged one is named by all
    of their labels (`[d, e, a]` becomes `dea`). Indices of extent one vanish.
  }];
  let parameters = (ins
    AttrParameter<"::tc::model::CpuSchedule", "the schedule itself",
                  "const ::tc::model::CpuSchedule &">:$value);
  let hasCustomAssemblyFormat = 1;
}

#endif // TC_DIALECT_TC_IR_TCCPUATTRIBUTES_TD
