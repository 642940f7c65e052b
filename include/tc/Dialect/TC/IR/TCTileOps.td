//===- TCTileOps.td - The steps of a kernel on its tiles ---*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the operations between a contraction and the loads, stores and
// multiply-adds of one thread. Each stands for one step of the loop nest that
// the enclosing function's #tc.kernel denotes, and each is expanded by a pass of
// its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCTILEOPS_TD
#define TC_DIALECT_TC_IR_TCTILEOPS_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TC/IR/TCDialect.td"

def TC_InputA : I32EnumAttrCase<"A", 0, "a">;
def TC_InputB : I32EnumAttrCase<"B", 1, "b">;
def TC_Input : I32EnumAttr<"Input", "an input of a contraction",
                           [TC_InputA, TC_InputB]> {
  let cppNamespace = "::tc";
  let genSpecializedAttr = 0;
}
def TC_InputAttr : EnumAttr<TC_Dialect, TC_Input, "input">;

/// Coordinates of a tile's first element.
def TC_Coordinate : AnyTypeOf<[I32, I64], "coordinate">;

/// Stands for copies that are under way.
def TC_AsyncToken : Type<CPred<"::llvm::isa<::mlir::nvgpu::DeviceAsyncTokenType>($_self)">,
                         "token of asynchronous copies">,
    BuildableType<"$_builder.getType<::mlir::nvgpu::DeviceAsyncTokenType>()">;

/// The term of a sum that a step is of: its number in the kernel.
def TC_Term : DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">;

class TC_TileOp<string mnemonic, list<Trait> traits = []> :
    Op<TC_Dialect, mnemonic, traits>;

def TC_LoadTileFromGlobalOp : TC_TileOp<"load_tile_from_global", [AttrSizedOperandSegments]> {
  let summary = "Loads the calling thread's part of an input tile.";
  let description = [{
    Loads from global memory those elements of the block's tile of A or B that
    the layout assigns to the calling thread, one vector an access. With `o` the
    origins, one for each batch, then M (of A) or N (of B), then K index in the
    schedule's order, access `j` of a thread yields

    $$ r_j[v] = T[o + \mathrm{local}(thread, j) + v] $$

    along the tensor's stride-one index, and zero where that leaves the tensor,
    where the access lies beyond the tile, or when `active` is false: then
    nothing is loaded.

    In a kernel that adds several contractions up, `term` is the number of the
    one whose layout and tensors are meant: zero for that of `tc.kernel`, and
    from one on its `terms`. So it is in the other steps.

    Example:

    ```mlir
    %r:2 = tc.load_tile_from_global a of %A at [%m0, %k0] if %more
        : memref<2048xf64, #gpu.address_space<global>>, i32
        -> vector<2xf64>, vector<2xf64>
    ```
  }];
  let arguments = (ins TC_InputAttr:$input,
                       Arg<AnyMemRef, "the flat tensor", [MemRead]>:$source,
                       Variadic<TC_Coordinate>:$origins,
                       Optional<I1>:$active, TC_Term:$term);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$fragments);
  let assemblyFormat = [{
    $input (`term` $term^)? `of` $source `at` `[` $origins `]` (`if` $active^)? attr-dict
    `:` type($source) (`,` type($origins)^)? `->` type($fragments)
  }];
  let hasVerifier = 1;
}

def TC_StoreTileToSharedOp : TC_TileOp<"store_tile_to_shared", [AttrSizedOperandSegments,
                                                  IsolatedFromAbove]> {
  let summary = "Stores a fetched part of a tile to its shared tile in shared memory.";
  let description = [{
    Writes what `tc.load_tile_from_global` loaded to the shared tile. Its element `[k][i]`, or
    `[i][k]` where the layout has rows along K, holds the tile's element at the K
    coordinates that `k` numbers and the M (of A) or N (of B) coordinates that
    `i` numbers: the tile is transposed on the fly where its order in global
    memory asks for it.

    `prologue` is the contraction's for that operand: it maps an element of the
    tensor to the factor that the shared tile holds. `kOrigins` are the tile's origins
    along K, one for each K index in the schedule's order; beyond the tensors'
    extents there, the shared tile has what changes no sum.

    The shared tile holds factors as the schedule's instruction multiplies them: where
    that takes halves in place of 8-bit floats, the shared tile is of `f16`.

    If A and B are complex, the fragments of B are whole numbers, and the
    shared tile has in place of each one the matrix of two rows and two columns that
    multiplies as the number does. Where they are multiplied by three real
    products, the fragments are whole numbers of either, and the shared tile has their
    factors of the one that `product` numbers: of $a = u + iv$ and
    $b = x + iy$, the products are $(u + v) x$, $u (y - x)$ and $-v (x + y)$.

    Example:

    ```mlir
    tc.store_tile_to_shared a %r0, %r1 into %sharedTile
        : vector<2xf64>, vector<2xf64>
        into memref<8x64xf64, #gpu.address_space<workgroup>>
    tc.store_tile_to_shared b %r0 into %sharedTile at [%k0]
        prologue {
        ^bb0(%weight: i8):
          %number = arith.sitofp %weight : i8 to f32
          tc.yield %number : f32
        }
        : vector<4xi8> into memref<8x64xf32, #gpu.address_space<workgroup>>, i32
    ```
  }];
  let arguments = (ins TC_InputAttr:$input,
                       Variadic<AnyVectorOfNonZeroRank>:$fragments,
                       Arg<AnyMemRef, "the shared tile", [MemWrite]>:$sharedTile,
                       Variadic<TC_Coordinate>:$kOrigins,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative,
                         IntMaxValue<2>]>, "0">:$product,
                       TC_Term:$term);
  let regions = (region VariadicRegion<AnyRegion>:$prologue);
  let assemblyFormat = [{
    $input (`term` $term^)? $fragments `into` $sharedTile (`at` `[` $kOrigins^ `]`)?
    (`product` $product^)?
    (`prologue` $prologue^)? attr-dict
    `:` type($fragments) `into` type($sharedTile) (`,` type($kOrigins)^)?
  }];
  let hasRegionVerifier = 1;
}

def TC_CopyTileOp : TC_TileOp<"copy_tile", [AttrSizedOperandSegments]> {
  let summary = "Starts to copy the calling thread's part of an input tile.";
  let description = [{
    Does what `tc.load_tile_from_global` and `tc.store_tile_to_shared` do, without waiting and
    without registers in between. The copies belong to the group that `tc.group_copies`
    makes of the token, and have ended when `tc.wait_for_tiles` has waited for that group.
    When `active` is false, nothing is read or written, and the group is empty.

    Example:

    ```mlir
    %copy = tc.copy_tile a of %A at [%m0, %k0] into %sharedTile if %more
        : memref<2048xf64, #gpu.address_space<global>>, i32, i32
        into memref<8x64xf64, #gpu.address_space<workgroup>>
    %group = tc.group_copies [%copy]
    ```
  }];
  let arguments = (ins TC_InputAttr:$input,
                       Arg<AnyMemRef, "the flat tensor", [MemRead]>:$source,
                       Variadic<TC_Coordinate>:$origins,
                       Arg<AnyMemRef, "the shared tile", [MemWrite]>:$sharedTile,
                       Optional<I1>:$active, TC_Term:$term);
  let results = (outs TC_AsyncToken:$token);
  let assemblyFormat = [{
    $input (`term` $term^)? `of` $source `at` `[` $origins `]` `into` $sharedTile (`if` $active^)?
    attr-dict `:` type($source) (`,` type($origins)^)? `into` type($sharedTile)
  }];
  let hasVerifier = 1;
}

def TC_GroupCopiesOp : TC_TileOp<"group_copies"> {
  let summary = "Makes a group of the copies that were started.";
  let description = [{
    The group has all copies that were started since the last group; the tokens name them.
    It is waited for as a whole. Groups end in the order in which they are made.

    Example:

    ```mlir
    %group = tc.group_copies [%copyOfA, %copyOfB]
    ```
  }];
  let arguments = (ins Variadic<TC_AsyncToken>:$copies);
  let results = (outs TC_AsyncToken:$group);
  let assemblyFormat = "`[` $copies `]` attr-dict";
}

def TC_WaitForTilesOp
    : TC_TileOp<"wait_for_tiles", [AttrSizedOperandSegments,
                                   InferTypeOpAdaptor]> {
  let summary = "Waits until shared tiles have arrived, for all threads of the block.";
  let description = [{
    Waits until the copies of a group have ended, and those of all groups before it, and then
    at a barrier for the other threads of the block. So many `later` groups, made after that
    one, may still be under way. Without a group, the tiles are those that threads store.
    Yields the tiles, which may be read now: `tc.multiply_tiles` and `tc.multiply_factors`
    take no others.

    Example:

    ```mlir
    %tiles:2 = tc.wait_for_tiles %sharedA, %sharedB after %group later 1
        : memref<8x64xf64, #gpu.address_space<workgroup>>,
          memref<8x32xf64, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Variadic<AnyMemRef>:$sharedTiles,
                       Optional<TC_AsyncToken>:$group,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative,
                         IntMaxValue<2147483647>]>, "0">:$later);
  let results = (outs Variadic<AnyMemRef>:$arrived);
  let assemblyFormat = [{
    $sharedTiles (`after` $group^)? (`later` $later^)? attr-dict `:` type($sharedTiles)
  }];
  let hasVerifier = 1;
}

def TC_MultiplyTilesOp : TC_TileOp<"multiply_tiles", [
    AttrSizedOperandSegments, IsolatedFromAbove]> {
  let summary = "Adds the product of two shared tiles to a thread's accumulators.";
  let description = [{
    For the rows `m` and the columns `n` of the calling thread,

    $$ acc'[m][n] = acc[m][n] + \sum_k A[k][m] \cdot B[k][n] $$

    as outer products by the instruction of the kernel's schedule: fused
    multiply-adds in ascending order of `k`, or `mma.sync`. The accumulators are
    vectors along N, the vectors of one row next to each other. The shared tiles are those
    that `tc.wait_for_tiles` yields, or arguments of a block.

    In a user-defined semiring, `semiring` has two regions, its product and what
    combines it with a sum. Where no number beyond the tensors' extents along K
    leaves sums as they are, `kOrigins` are the tile's origins along K, one for
    each K index in the schedule's order, and products beyond are left out.

    Example:

    ```mlir
    %r:2 = tc.multiply_tiles %pa, %pb into %c0, %c1
        : memref<8x64xf64, #gpu.address_space<workgroup>>,
          memref<8x32xf64, #gpu.address_space<workgroup>>
        into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    %d:2 = tc.multiply_tiles %pa, %pb into %c0, %c1 at [%k0]
        semiring {
        ^bb0(%a: f64, %b: f64):
          %product = arith.divf %a, %b : f64
          tc.yield %product : f64
        }, {
        ^bb0(%x: f64, %y: f64):
          %sum = arith.addf %x, %y : f64
          tc.yield %sum : f64
        }
        : memref<8x64xf64, #gpu.address_space<workgroup>>,
          memref<8x32xf64, #gpu.address_space<workgroup>>
        into vector<2xf64>, vector<2xf64> at i32
        -> vector<2xf64>, vector<2xf64>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "the shared tile of A", [MemRead]>:$lhs,
                       Arg<AnyMemRef, "the shared tile of B", [MemRead]>:$rhs,
                       Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       Variadic<TC_Coordinate>:$kOrigins, TC_Term:$term);
  let regions = (region VariadicRegion<AnyRegion>:$semiring);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = [{
    (`term` $term^)? $lhs `,` $rhs `into` $accumulators (`at` `[` $kOrigins^ `]`)?
    (`semiring` $semiring^)? attr-dict
    `:` type($lhs) `,` type($rhs) `into` type($accumulators)
    (`at` type($kOrigins)^)? `->` type($results)
  }];
  let hasRegionVerifier = 1;
}

def TC_ConvertAccumulatorsOp : TC_TileOp<"convert_accumulators"> {
  let summary = "Gives a thread the sums that the next term adds to.";
  let description = [{
    In a kernel that adds several contractions up, the threads hold the sums of
    the block's tile of C as the layout of the term `from` has it, and get them
    as that of the term `to` does. The sums pass through shared memory; all
    threads of the block wait at a barrier before that, between its two halves and
    at its end.

    Example:

    ```mlir
    %r:2 = tc.convert_accumulators %c0, %c1 from 1 to 0 through %storage
        : vector<2xf64>, vector<2xf64>
        through memref<?xi8, #gpu.address_space<workgroup>>
        -> vector<2xf64>, vector<2xf64>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       Arg<AnyMemRef, "shared memory",
                           [MemRead, MemWrite]>:$storage,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = [{
    $accumulators `from` $from `to` $to `through` $storage attr-dict
    `:` type($accumulators) `through` type($storage) `->` type($results)
  }];
  let hasVerifier = 1;
}

def TC_StoreAccumulatorsToSharedOp
    : TC_TileOp<"store_accumulators_to_shared", [AttrSizedOperandSegments,
                                                 IsolatedFromAbove]> {
  let summary = "Stores a thread's accumulators to a shared tile.";
  let description = [{
    In a kernel that computes a chain of contractions, the block's tile of what the
    term `from` computes becomes the shared tile of an input of the term `to`. Each
    thread stores, of every row `m` and column `n` that it has accumulated,

    $$ S[\mathrm{place}(m, n)] = f(\alpha \cdot acc[m][n]) $$

    with the $\alpha$ of `from`, and $f$ rounding to the type of the tensor between
    the two or, if there is one, the `epilogue`: that of `from`, whose second
    argument is not used, and then the prologue that `to` has of that input. The place is
    the one that the layout of `to` has for the element. Complex numbers have a place for
    each part, and two where the layout has the matrices that they become. Beyond the extents that `to` sums
    over, the shared tile gets zeros: `kOrigins` are the tile's origins along K, one
    for each K index of the schedule of `to`.

    If `to` takes the softmax of what `from` computes, the accumulators are those
    that `tc.exponentiate_accumulators` has left: $\alpha$ and the epilogue of `from` are in
    them.

    Example:

    ```mlir
    tc.store_accumulators_to_shared %c0, %c1 from 1 to a of 0 at [%k0] into %sharedTile
        : vector<2xf64>, vector<2xf64>
        at i32 into memref<16x64xf64, #gpu.address_space<workgroup>>
    tc.store_accumulators_to_shared %c0 from 1 to a of 0 at [%k0] into %sharedTile
        epilogue {
        ^bb0(%sum: f64, %old: f64):
          %positive = arith.maximumf %sum, %sum : f64
          tc.yield %positive : f64
        }
        : vector<2xf64> at i32 into memref<16x64xf64, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       TC_InputAttr:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to,
                       Variadic<TC_Coordinate>:$kOrigins,
                       Arg<AnyMemRef, "the shared tile", [MemWrite]>:$sharedTile);
  let regions = (region VariadicRegion<AnyRegion>:$epilogue);
  let assemblyFormat = [{
    $accumulators `from` $from `to` $input `of` $to (`at` `[` $kOrigins^ `]`)?
    `into` $sharedTile (`epilogue` $epilogue^)? attr-dict
    `:` type($accumulators) (`at` type($kOrigins)^)? `into` type($sharedTile)
  }];
  let hasRegionVerifier = 1;
}

def TC_AccumulatorsToFactorsOp
    : TC_TileOp<"accumulators_to_factors", [AttrSizedOperandSegments, IsolatedFromAbove,
                                            Pure]> {
  let summary = "Makes factors of a thread's accumulators.";
  let description = [{
    If the layouts of the terms `from` and `to` have it that each thread multiplies next
    just what it has accumulated, what it has accumulated stays in registers. Of every row
    `m` and column `n`, the factor is

    $$ a[m][n] = f(\alpha \cdot acc[m][n]) $$

    as `tc.store_accumulators_to_shared` would store it, zero beyond the extents that `to`
    sums over.

    Example:

    ```mlir
    %f:2 = tc.accumulators_to_factors %c0, %c1 from 1 to a of 0 at [%k0]
        epilogue {
        ^bb0(%sum: f32, %old: f32):
          %rounded = arith.truncf %sum : f32 to f16
          tc.yield %rounded : f16
        }
        : vector<2xf32>, vector<2xf32> at i32 -> vector<2xf16>, vector<2xf16>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       TC_InputAttr:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to,
                       Variadic<TC_Coordinate>:$kOrigins);
  let regions = (region VariadicRegion<AnyRegion>:$epilogue);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$factors);
  let assemblyFormat = [{
    $accumulators `from` $from `to` $input `of` $to (`at` `[` $kOrigins^ `]`)?
    (`epilogue` $epilogue^)? attr-dict
    `:` type($accumulators) (`at` type($kOrigins)^)? `->` type($factors)
  }];
  let hasRegionVerifier = 1;
}

def TC_MultiplyFactorsOp : TC_TileOp<"multiply_factors", [
    AttrSizedOperandSegments]> {
  let summary = "Adds the product of a thread's factors and a shared tile to its "
                "accumulators.";
  let description = [{
    As `tc.multiply_tiles`, where `tc.accumulators_to_factors` has made the elements of
    $A$ that the thread multiplies:

    $$ acc'[m][n] = acc[m][n] + \sum_k A[k][m] \cdot B[k][n] $$

    by matrix instructions, whose accumulators lie in the registers of a warp as the rows
    of their factors do (two accumulators that are neighbours along the columns are two
    factors that are neighbours along $k$).

    Example:

    ```mlir
    %d:2 = tc.multiply_factors %f0, %f1 by %pb into %c0, %c1
        : vector<2xf16>, vector<2xf16> by memref<16x8xf16, #gpu.address_space<workgroup>>
        into vector<2xf32>, vector<2xf32> -> vector<2xf32>, vector<2xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$factors,
                       Arg<AnyMemRef, "the shared tile of B", [MemRead]>:$rhs,
                       Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       TC_Term:$term);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = [{
    (`term` $term^)? $factors `by` $rhs `into` $accumulators attr-dict
    `:` type($factors) `by` type($rhs) `into` type($accumulators) `->` type($results)
  }];
  let hasVerifier = 1;
}

/// Numbers that a block's threads have of rows.
def TC_Statistics : MemRefRankOf<[F32, F64], [1]>;

def TC_ExponentiateAccumulatorsOp
    : TC_TileOp<"exponentiate_accumulators", [AttrSizedOperandSegments,
                                              AttrSizedResultSegments,
                                              IsolatedFromAbove]> {
  let summary = "Exponentiates a thread's accumulators, row by row.";
  let description = [{
    In a kernel whose term `to` takes the softmax of what the term `from` computes, a
    row is what has the same values of the indices that `to` does not sum over. The
    softmax is taken tile by tile (M. Milakov and N. Gimelshein, Online normalizer
    calculation for softmax, 2018). With $x = f(\alpha \cdot acc)$ as
    `tc.store_accumulators_to_shared` has it, and $-\infty$ beyond the extents that `to` sums
    over, $M$ the `maxima` and $s$ the `sums` of the thread's rows so far,

    $$ M' = \max\bigl(M, \log_2 e \cdot \max_{n} x[m][n]\bigr), \qquad
       acc'[m][n] = 2^{x[m][n] \log_2 e - M'[m]}, \qquad
       s'[m] = 2^{M[m] - M'[m]} s[m] + \sum_{n} acc'[m][n] $$

    The maximum is over all of the block's tile, so that all threads have the same one of a
    row; the sum is over the columns of the thread. Where $M'$ is $-\infty$, zero
    takes its place. The `statistics` get $2^{M[m] - M'[m]}$ for
    `tc.rescale_accumulators`; behind these numbers, there is one for each row and
    each warp that has elements of it. All threads of the block wait at a
    barrier between the two.

    Example:

    ```mlir
    %e:2, %m, %s = tc.exponentiate_accumulators %c0, %c1 maxima %m0 sums %s0
        from 1 to a of 0 at [%k0] through %statistics
        : vector<2xf32>, vector<2xf32> maxima f32 sums f32
        at i32 through memref<512xf32, #gpu.address_space<workgroup>>
        -> vector<2xf32>, vector<2xf32> maxima f32 sums f32
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       Variadic<AnyFloat>:$maxima, Variadic<AnyFloat>:$sums,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       TC_InputAttr:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to,
                       Variadic<TC_Coordinate>:$kOrigins,
                       Arg<TC_Statistics, "numbers of rows",
                           [MemRead, MemWrite]>:$statistics);
  let regions = (region VariadicRegion<AnyRegion>:$epilogue);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$exponentials,
                      Variadic<AnyFloat>:$newMaxima, Variadic<AnyFloat>:$newSums);
  let assemblyFormat = [{
    $accumulators `maxima` $maxima `sums` $sums `from` $from `to` $input `of` $to
    (`at` `[` $kOrigins^ `]`)? `through` $statistics (`epilogue` $epilogue^)? attr-dict
    `:` type($accumulators) `maxima` type($maxima) `sums` type($sums)
    (`at` type($kOrigins)^)? `through` type($statistics)
    `->` type($exponentials) `maxima` type($newMaxima) `sums` type($newSums)
  }];
  let hasRegionVerifier = 1;
}

def TC_StoreRowReciprocalsOp : TC_TileOp<"store_row_reciprocals"> {
  let summary = "Stores the reciprocals of what rows add up to.";
  let description = [{
    Adds up the `sums` that `tc.exponentiate_accumulators` has left in all threads that
    have elements of a row, and stores the reciprocal of each row's sum to the `statistics`,
    for `tc.rescale_accumulators`. All threads of the block wait at a
    barrier before and after that.

    Example:

    ```mlir
    tc.store_row_reciprocals %s0, %s1 from 1 to a of 0 into %statistics
        : f32, f32 into memref<512xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Variadic<AnyFloat>:$sums,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       TC_InputAttr:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to,
                       Arg<TC_Statistics, "numbers of rows",
                           [MemRead, MemWrite]>:$statistics);
  let assemblyFormat = [{
    $sums `from` $from `to` $input `of` $to `into` $statistics attr-dict
    `:` type($sums) `into` type($statistics)
  }];
  let hasVerifier = 1;
}

def TC_RescaleAccumulatorsOp : TC_TileOp<"rescale_accumulators"> {
  let summary = "Multiplies a thread's accumulators by a number for each row.";
  let description = [{
    Multiplies the accumulators of the term `to` by what the `statistics` have for the
    row of `from` that each is of: $acc'[m][n] = factor[m] \cdot acc[m][n]$ where the
    input `a` of `to` is what `from` computes.

    Example:

    ```mlir
    %r:2 = tc.rescale_accumulators %c0, %c1 from 1 to a of 0 by %statistics
        : vector<2xf32>, vector<2xf32> by memref<512xf32, #gpu.address_space<workgroup>>
        -> vector<2xf32>, vector<2xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$from,
                       TC_InputAttr:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$to,
                       Arg<TC_Statistics, "numbers of rows", [MemRead]>:$statistics);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = [{
    $accumulators `from` $from `to` $input `of` $to `by` $statistics attr-dict
    `:` type($accumulators) `by` type($statistics) `->` type($results)
  }];
  let hasVerifier = 1;
}

def TC_StoreTileOp : TC_TileOp<"store_tile", [AttrSizedOperandSegments,
                                              IsolatedFromAbove]> {
  let summary = "Stores a thread's accumulators to the output.";
  let description = [{
    For every row `m` and column `n` of the calling thread that lies in the
    tensor,

    $$ C[o + \mathrm{local}(m, n)] = alpha \cdot acc[m][n]
         + beta \cdot C[o + \mathrm{local}(m, n)] $$

    with `o` the origins, one for each batch, M and N index in the schedule's
    order, and sum and product those of the kernel's semiring. Without `alpha` it
    is one; without `beta` it is zero, and C is not read for it.

    Accumulators of complex numbers are their parts, a real one in each even
    column and the imaginary one in the next; or, where they are multiplied by
    three real products, all real ones and then all imaginary ones. `alpha` and
    `beta` are complex then.

    `epilogue` is the contraction's: it maps that result, the old element and
    those of the auxiliary tensors, which are flat, to what is stored. In a kernel whose
    terms have outputs of their own, it is the output of that `term`.

    Example:

    ```mlir
    tc.store_tile %c0, %c1 to %C at [%m0, %n0] beta(%beta : f64)
        : vector<2xf64>, vector<2xf64>
        to memref<3072xf64, #gpu.address_space<global>>, i32, i32
    tc.store_tile %c0, %c1 to %C at [%m0, %n0]
        auxiliaries(%bias : memref<48xf64, #gpu.address_space<global>>)
        epilogue {
        ^bb0(%sum: f64, %old: f64, %b: f64):
          %biased = arith.addf %sum, %b : f64
          tc.yield %biased : f64
        }
        : vector<2xf64>, vector<2xf64>
        to memref<3072xf64, #gpu.address_space<global>>, i32, i32
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       Arg<AnyMemRef, "the flat tensor", [MemRead, MemWrite]>:$dest,
                       Variadic<TC_Coordinate>:$origins,
                       Optional<AnyType>:$alpha, Optional<AnyType>:$beta,
                       Arg<Variadic<AnyMemRef>, "the flat auxiliary tensors",
                           [MemRead]>:$auxiliaries, TC_Term:$term);
  let regions = (region VariadicRegion<AnyRegion>:$epilogue);
  let assemblyFormat = [{
    (`term` $term^)? $accumulators `to` $dest `at` `[` $origins `]`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)?
    (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`auxiliaries` `(` $auxiliaries^ `:` type($auxiliaries) `)`)?
    (`epilogue` $epilogue^)? attr-dict
    `:` type($accumulators) `to` type($dest) (`,` type($origins)^)?
  }];
  let hasRegionVerifier = 1;
}

/// The memory in which blocks that share a sum leave their parts of it.
def TC_Workspace : MemRefRankOf<[I8], [1]>;

def TC_ReduceTileOp : TC_TileOp<"reduce_tile", [AttrSizedOperandSegments,
                                                IsolatedFromAbove]> {
  let summary = "Adds up what a thread would store to the output.";
  let description = [{
    In a kernel whose output is added up, yields the sum of the elements that
    `tc.store_tile` would store for the calling thread, those beyond the tensor
    left out:

    $$ \sum_{m, n} e(alpha \cdot acc[m][n]) $$

    in the type in which such elements are accumulated, row after row. Without
    `alpha`, it is one; $e$ is `epilogue`, whose second argument is not used.

    Example:

    ```mlir
    %sum = tc.reduce_tile %c0, %c1 at [%m0, %n0] alpha(%alpha : f64)
        : vector<2xf64>, vector<2xf64> at i32, i32 -> f64
    %energy = tc.reduce_tile %c0, %c1 at [%m0, %n0]
        auxiliaries(%weights : memref<48xf64, #gpu.address_space<global>>)
        epilogue {
        ^bb0(%sum: f64, %old: f64, %w: f64):
          %square = arith.mulf %sum, %sum : f64
          %weighted = arith.mulf %square, %w : f64
          tc.yield %weighted : f64
        }
        : vector<2xf64>, vector<2xf64> at i32, i32 -> f64
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       Variadic<TC_Coordinate>:$origins,
                       Optional<AnyType>:$alpha,
                       Arg<Variadic<AnyMemRef>, "the flat auxiliary tensors",
                           [MemRead]>:$auxiliaries);
  let regions = (region VariadicRegion<AnyRegion>:$epilogue);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$sum);
  let assemblyFormat = [{
    $accumulators `at` `[` $origins `]`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)?
    (`auxiliaries` `(` $auxiliaries^ `:` type($auxiliaries) `)`)?
    (`epilogue` $epilogue^)? attr-dict
    `:` type($accumulators) (`at` type($origins)^)? `->` type($sum)
  }];
  let hasRegionVerifier = 1;
}

def TC_ReduceBlocksOp : TC_TileOp<"reduce_blocks"> {
  let summary = "Adds up the sums of all threads of all blocks.";
  let description = [{
    Adds up the sums of the block's threads in shared memory and leaves theirs to
    the others in the workspace. The block that is the last to do so adds up
    those of all blocks, rounds the sum to the type of `dest`, and stores it
    there. Sums are added in an order that does not depend on which block is the
    last, so that equal input gives equal bits.

    Example:

    ```mlir
    tc.reduce_blocks %sum to %C through %storage and %workspace
        : f64 to memref<1xf64, #gpu.address_space<global>>
        through memref<?xi8, #gpu.address_space<workgroup>>
        and memref<160xi8, #gpu.address_space<global>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$sum,
                       Arg<AnyMemRef, "the flat output", [MemWrite]>:$dest,
                       Arg<TC_Workspace, "shared memory",
                           [MemRead, MemWrite]>:$storage,
                       Arg<TC_Workspace, "the workspace",
                           [MemRead, MemWrite]>:$workspace);
  let assemblyFormat = [{
    $sum `to` $dest `through` $storage `and` $workspace attr-dict
    `:` type($sum) `to` type($dest) `through` type($storage) `and` type($workspace)
  }];
  let hasVerifier = 1;
}

def TC_StorePartialSumsOp : TC_TileOp<"store_partial_sums"> {
  let summary = "Leaves a block's part of a sum to the others that share it.";
  let description = [{
    Stores the accumulators of the block's threads to its place in the workspace
    and counts the block in. `isLast` holds in all threads of the block that was
    the last of those that share the sum of its tile, and in no other: what the
    others have left is there for it.

    Example:

    ```mlir
    %last = tc.store_partial_sums %c0, %c1 to %workspace
        : vector<2xf64>, vector<2xf64>
        to memref<2176xi8, #gpu.address_space<global>>
    ```
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$accumulators,
                       Arg<TC_Workspace, "the workspace",
                           [MemRead, MemWrite]>:$workspace);
  let results = (outs I1:$isLast);
  let assemblyFormat = [{
    $accumulators `to` $workspace attr-dict
    `:` type($accumulators) `to` type($workspace)
  }];
  let hasVerifier = 1;
}

def TC_AddPartialSumsOp : TC_TileOp<"add_partial_sums", [IsolatedFromAbove]> {
  let summary = "Adds up the parts of a tile's sum.";
  let description = [{
    Yields the sums of what the same thread of each of the blocks has left that
    share the sum of the tile, added up from the first part to the last: by
    `combine` in a user-defined semiring.

    Example:

    ```mlir
    %t:2 = tc.add_partial_sums of %workspace
        : memref<2176xi8, #gpu.address_space<global>>
        -> vector<2xf64>, vector<2xf64>
    ```
  }];
  let arguments = (ins Arg<TC_Workspace, "the workspace", [MemRead]>:$workspace);
  let regions = (region VariadicRegion<AnyRegion>:$combine);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = [{
    `of` $workspace (`combine` $combine^)? attr-dict `:` type($workspace) `->` type($results)
  }];
  let hasRegionVerifier = 1;
}

#endif // TC_DIALECT_TC_IR_TCTILEOPS_TD
