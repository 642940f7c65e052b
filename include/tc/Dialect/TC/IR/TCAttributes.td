//===- TCAttributes.td - Attributes of the tc dialect ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index lists, which name the dimensions of a tensor, schedules, which hold the
// decisions that turn a contraction into code, and the precision that it needs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCATTRIBUTES_TD
#define TC_DIALECT_TC_IR_TCATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TC/IR/TCDialect.td"

class TC_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TC_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def TC_IndexListAttr : TC_Attr<"IndexList", "indices"> {
  let summary = "the names of a tensor's dimensions, in order";
  let description = [{
    One label per dimension, outermost first, so that in a contiguous tensor the
    last label has stride one. A label is an identifier
    (`[A-Za-z_][A-Za-z0-9_]*`). The list of a tensor of rank zero is empty. A
    label that occurs twice denotes the diagonal.

    Operations print the list bare; on its own it carries its name:

    ```mlir
    #tc.indices<[d, e, g, a]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "one label per dimension">:$labels);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::llvm::StringRef>":$labels), [{
      return $_get($_ctxt, ::llvm::map_to_vector(labels,
          [&](::llvm::StringRef label) {
            return ::mlir::StringAttr::get($_ctxt, label);
          }));
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    auto begin() const { return getLabels().begin(); }
    auto end() const { return getLabels().end(); }
    size_t size() const { return getLabels().size(); }
    bool empty() const { return getLabels().empty(); }
    ::mlir::StringAttr operator[](size_t dim) const { return getLabels()[dim]; }

    bool contains(::mlir::StringAttr label) const;
    /// The first dimension of that label, if there is one.
    std::optional<unsigned> find(::mlir::StringAttr label) const;
  }];
}

def TC_ScheduleAttr : TC_Attr<"Schedule", "schedule"> {
  let summary = "the decisions that turn one contraction into code";
  let description = [{
    A schedule denotes one loop nest over thread blocks, steps of the summation,
    threads and registers. It may be written by the search (`--tc-tile`), by a
    tuner or by hand; lowering obeys it and decides nothing again.

    ```mlir
    #tc.schedule<target = "sm_90", m = [a: 16, e: 4], n = [f: 8, c: 8],
                 k = [g: 8], register = [8, 4],
                 instruction = mma_m16n8k8, stages = 3>
    ```

    | key | meaning |
    | --- | --- |
    | `target` | the target that the schedule was made for |
    | `m` | tile extents of a thread block along the indices of A and C |
    | `n` | tile extents of a thread block along the indices of B and C |
    | `k` | tile extents of one step along the summed indices |
    | `register` | accumulators of one thread, along M and along N |
    | `instruction` | what multiplies: `fma` (the default), or the shape of `mma.sync`: `mma_m8n8k4`, `mma_m16n8k4`, `mma_m16n8k8`, `mma_m16n8k16`, `mma_m16n8k32` |
    | `stages` | tiles of A and B that shared memory holds at once, 2 by default |
    | `raster` | M tiles of a group of the raster, 0 (the default) for one group: blocks are numbered down a group's rows, through its columns, then from group to group |
    | `stationary` | what stays in place while a block works: `output` (the default), `a` or `b` |
    | `tiles_per_block` | with `a` or `b` stationary, the tiles that a block works on along N or M, 1 by default |
    | `split_k` | blocks that share the sum of one tile, 1 by default |

    Within a list the last index varies fastest in shared memory and among the
    accumulators. Batch indices have no entry: a thread block works on one value
    of each. Keys may be in any order, each once. Those with a default may be
    missing, and are printed only where they differ from it; lists may be empty.
  }];
  let parameters = (ins
    AttrParameter<"::tc::model::Schedule", "the schedule itself",
                  "const ::tc::model::Schedule &">:$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TC_DynamicShapeAttr : TC_Attr<"DynamicShape", "dynamic_shape"> {
  let summary = "a kernel takes extents and strides as arguments";
  let description = [{
    If a `tc.contract` has a `dynamic_shape`, the kernel that is made of it
    computes the same for other extents, strides and offsets, too, which are
    arguments of it: those of the operands' types are *representative*, and the
    schedule is chosen for them.

    Each extent, stride and offset with which the kernel is launched must be a
    multiple of the greatest common divisor of the representative one and
    `multiples`. A stride of one by which accesses move several elements must be
    one, and a stride of zero must be zero. With `multiples` of one, which leaves
    accesses of single elements, every shape will do. `offset_bits` are those in
    which offsets into a tensor are computed, 32 or 64; extents have 31 bits.
    `representative` has the representative extents of indices whose extent no
    type says. Along dimensions whose stride no type says, a tensor that is
    contiguous is representative. Base pointers of operands whose types leave
    extents or strides open are multiples of 16 bytes, unless `multiples` is one.

    ```mlir
    #tc.dynamic_shape<multiples = 16, offset_bits = 32>
    #tc.dynamic_shape<multiples = 1, offset_bits = 64,
                       representative = {k = 256, m = 512}>
    ```
  }];
  let parameters = (ins
    "int64_t":$multiples, "int64_t":$offsetBits,
    OptionalParameter<"::mlir::DictionaryAttr">:$representative);
  let assemblyFormat = [{
    `<` `multiples` `=` $multiples `,` `offset_bits` `=` $offsetBits
    (`,` `representative` `=` $representative^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::tc::model::DynamicShape getValue() const {
      return {getMultiples(), getOffsetBits()};
    }
  }];
}

def TC_PrecisionAttr : TC_Attr<"Precision", "precision"> {
  let summary = "the least precise arithmetic that is allowed";
  let description = [{
    The compiler may always compute more precisely, and never less.

    | precision | factors                                    | applies to |
    | --------- | ------------------------------------------ | ---------- |
    | `ieee`    | as they are                                | all types  |
    | `tf32`    | rounded to TF32, which has 10 fraction bits | f32       |
    | `3xtf32`  | split into two of TF32 each, of whose four products the smallest is dropped | f32 |
    | `bf16x3`  | the same with two of bf16 each             | f32        |

    A name that begins with a digit is written in quotes. Operations print the
    name bare; on its own it carries the attribute's:

    ```mlir
    #tc.precision<tf32>
    #tc.precision<"3xtf32">
    ```
  }];
  let parameters = (ins
    AttrParameter<"::tc::model::Precision", "the precision">:$value);
  let hasCustomAssemblyFormat = 1;
  let returnType = "::tc::model::Precision";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::tc::PrecisionAttr::get($_builder.getContext(), $0)";
}

def TC_SemiringAttr : TC_Attr<"Semiring", "semiring"> {
  let summary = "what a contraction combines, and by what product";
  let description = [{
    | semiring     | combines      | products       | zero  | one   | applies to |
    | ------------ | ------------- | -------------- | ----- | ----- | ---------- |
    | `plus_times` | $x + y$       | $x y$          | 0     | 1     | all types  |
    | `max_plus`   | $\max(x, y)$  | $x + y$        | least | 0     | all types  |
    | `min_plus`   | $\min(x, y)$  | $x + y$        | greatest | 0  | all types  |
    | `max_times`  | $\max(x, y)$  | $x y$          | least | 1     | all types  |
    | `max_min`    | $\max(x, y)$  | $\min(x, y)$   | least | greatest | all types |
    | `min_max`    | $\min(x, y)$  | $\max(x, y)$   | greatest | least | all types |
    | `or_and`     | bitwise or    | bitwise and    | 0     | all bits | integers |
    | `xor_and`    | bitwise exclusive or | bitwise and | 0 | all bits | integers |
    | `user_defined` | a region    | a region       | an attribute | none | real numbers |

    The least and the greatest floating-point numbers are the infinities.

    Operations print the name bare; on its own it carries the attribute's:

    ```mlir
    #tc.semiring<min_plus>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::tc::model::Semiring", "the semiring">:$value);
  let hasCustomAssemblyFormat = 1;
  let returnType = "::tc::model::Semiring";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::tc::SemiringAttr::get($_builder.getContext(), $0)";
}

#endif // TC_DIALECT_TC_IR_TCATTRIBUTES_TD
