// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

// CHECK-LABEL: func.func @fetch
func.func @fetch(%A: memref<2048xf64, #gpu.address_space<global>>, %m0: i32,
                 %k0: i32, %more: i1) {
  // CHECK: tc.load_tile_from_global a of %{{.*}} at[%{{.*}}, %{{.*}}] if %{{.*}} : memref<2048xf64, #gpu.address_space<global>>, i32, i32 -> vector<2xf64>, vector<2xf64>
  %r:2 = tc.load_tile_from_global a of %A at [%m0, %k0] if %more
      : memref<2048xf64, #gpu.address_space<global>>, i32, i32
      -> vector<2xf64>, vector<2xf64>
  // CHECK: tc.load_tile_from_global b of %{{.*}} at[] : memref<2048xf64, #gpu.address_space<global>> -> vector<1xf64>
  %s = tc.load_tile_from_global b of %A at []
      : memref<2048xf64, #gpu.address_space<global>> -> vector<1xf64>
  return
}

// CHECK-LABEL: func.func @deposit
func.func @deposit(%r0: vector<2xf64>, %r1: vector<2xf64>,
                   %panel: memref<8x64xf64, #gpu.address_space<workgroup>>) {
  // CHECK: tc.store_tile_to_shared a %{{.*}}, %{{.*}} into %{{.*}} : vector<2xf64>, vector<2xf64> into memref<8x64xf64, #gpu.address_space<workgroup>>
  tc.store_tile_to_shared a %r0, %r1 into %panel : vector<2xf64>, vector<2xf64>
      into memref<8x64xf64, #gpu.address_space<workgroup>>
  return
}

// CHECK-LABEL: func.func @copy
func.func @copy(%A: memref<2048xf64, #gpu.address_space<global>>, %m0: i32,
                %k0: i32, %more: i1,
                %panel: memref<8x64xf64, #gpu.address_space<workgroup>>) {
  // CHECK: tc.copy_tile a of %{{.*}} at[%{{.*}}, %{{.*}}] into %{{.*}} if %{{.*}} : memref<2048xf64, #gpu.address_space<global>>, i32, i32 into memref<8x64xf64, #gpu.address_space<workgroup>>
  %copy0 = tc.copy_tile a of %A at [%m0, %k0] into %panel if %more
      : memref<2048xf64, #gpu.address_space<global>>, i32, i32
      into memref<8x64xf64, #gpu.address_space<workgroup>>
  // CHECK: tc.copy_tile b of %{{.*}} at[] into %{{.*}} : memref<2048xf64, #gpu.address_space<global>> into memref<8x64xf64, #gpu.address_space<workgroup>>
  %copy1 = tc.copy_tile b of %A at [] into %panel
      : memref<2048xf64, #gpu.address_space<global>>
      into memref<8x64xf64, #gpu.address_space<workgroup>>
  %group = tc.group_copies [%copy0, %copy1]
  %tile = tc.wait_for_tiles %panel after %group : memref<8x64xf64, #gpu.address_space<workgroup>>
  return
}

// CHECK-LABEL: func.func @wait
func.func @wait(%pa: memref<8x64xf64>, %pb: memref<8x32xf64>, %copy: !nvgpu.device.async.token) {
  // CHECK: %[[GROUP:.*]] = tc.group_copies[%{{.*}}]
  %group = tc.group_copies [%copy]
  // CHECK: tc.wait_for_tiles %{{.*}}, %{{.*}} after %[[GROUP]] later 1 : memref<8x64xf64>, memref<8x32xf64>
  %tiles:2 = tc.wait_for_tiles %pa, %pb after %group later 1 : memref<8x64xf64>, memref<8x32xf64>
  // CHECK: tc.wait_for_tiles %{{.*}} after %[[GROUP]] : memref<8x64xf64>
  %c = tc.wait_for_tiles %pa after %group : memref<8x64xf64>
  // CHECK: tc.wait_for_tiles %{{.*}} : memref<8x32xf64>
  %d = tc.wait_for_tiles %pb : memref<8x32xf64>
  return
}

// 8-bit floats may become halves, also those that a prologue yields.

// CHECK-LABEL: func.func @deposit_halves
func.func @deposit_halves(%r: vector<8xf8E4M3FN>, %s: vector<8xi8>, %panel: memref<8x64xf16>) {
  // CHECK: tc.store_tile_to_shared a %{{.*}} into %{{.*}} : vector<8xf8E4M3FN> into memref<8x64xf16>
  tc.store_tile_to_shared a %r into %panel : vector<8xf8E4M3FN> into memref<8x64xf16>
  // CHECK: tc.store_tile_to_shared b
  tc.store_tile_to_shared b %s into %panel at [] prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f8E4M3FN
    tc.yield %y : f8E4M3FN
  } : vector<8xi8> into memref<8x64xf16>
  return
}

// Shared tiles have rows along the side or along K.

// CHECK-LABEL: func.func @multiply_along_k
func.func @multiply_along_k(%pa: memref<64x8xf64>, %pb: memref<8x32xf64>, %c: vector<2xf64>) {
  // CHECK: tc.multiply_tiles %{{.*}}, %{{.*}} into %{{.*}} : memref<64x8xf64>, memref<8x32xf64> into vector<2xf64> -> vector<2xf64>
  %r = tc.multiply_tiles %pa, %pb into %c
      : memref<64x8xf64>, memref<8x32xf64> into vector<2xf64> -> vector<2xf64>
  return
}

// CHECK-LABEL: func.func @multiply
func.func @multiply(%pa: memref<8x64xf64>, %pb: memref<8x32xf64>,
                    %c0: vector<2xf64>, %c1: vector<2xf64>) {
  // CHECK: tc.multiply_tiles %{{.*}}, %{{.*}} into %{{.*}}, %{{.*}} : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
  %r:2 = tc.multiply_tiles %pa, %pb into %c0, %c1
      : memref<8x64xf64>, memref<8x32xf64>
      into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
  return
}

// CHECK-LABEL: func.func @store
func.func @store(%c0: vector<2xf64>, %c1: vector<2xf64>, %C: memref<3072xf64>,
                 %m0: i32, %n0: i32, %alpha: f64, %beta: f64) {
  // CHECK: tc.store_tile %{{.*}}, %{{.*}} to %{{.*}} at[%{{.*}}, %{{.*}}] alpha(%{{.*}} : f64) beta(%{{.*}} : f64) : vector<2xf64>, vector<2xf64> to memref<3072xf64>, i32, i32
  tc.store_tile %c0, %c1 to %C at [%m0, %n0] alpha(%alpha : f64)
      beta(%beta : f64)
      : vector<2xf64>, vector<2xf64> to memref<3072xf64>, i32, i32
  // CHECK: tc.store_tile %{{.*}} to %{{.*}} at[%{{.*}}, %{{.*}}] : vector<2xf64> to memref<3072xf64>, i32, i32
  tc.store_tile %c0 to %C at [%m0, %n0]
      : vector<2xf64> to memref<3072xf64>, i32, i32
  return
}

// CHECK-LABEL: func.func @parts
func.func @parts(%c0: vector<2xf64>, %c1: vector<2xf64>,
                 %W: memref<2176xi8, #gpu.address_space<global>>) {
  // CHECK: tc.store_partial_sums %{{.*}}, %{{.*}} to %{{.*}} : vector<2xf64>, vector<2xf64> to memref<2176xi8, #gpu.address_space<global>>
  %last = tc.store_partial_sums %c0, %c1 to %W
      : vector<2xf64>, vector<2xf64>
      to memref<2176xi8, #gpu.address_space<global>>
  // CHECK: tc.add_partial_sums of %{{.*}} : memref<2176xi8, #gpu.address_space<global>> -> vector<2xf64>, vector<2xf64>
  %t:2 = tc.add_partial_sums of %W
      : memref<2176xi8, #gpu.address_space<global>>
      -> vector<2xf64>, vector<2xf64>
  return
}

// CHECK-LABEL: func.func @kernel_attribute
// CHECK-SAME: test.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.000000e+00 : f64, beta = 0.000000e+00 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>>
func.func @kernel_attribute() attributes {
    test.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n],
                             alpha = 1.0 : f64, beta = 0.0 : f64,
                             schedule = #tc.schedule<target = "sm_90",
                               m = [m: 32], n = [n: 16], k = [k: 8],
                               register = [4, 2]>>} {
  return
}

// CHECK-LABEL: func.func @kernel_attribute_scalars_at_run_time
// CHECK-SAME: test.kernel = #tc.kernel<a = [], b = [], c = [], schedule = #tc.schedule<target = "sm_80", m = [], n = [], k = [], register = [1, 1]>>
func.func @kernel_attribute_scalars_at_run_time() attributes {
    test.kernel = #tc.kernel<a = [], b = [], c = [],
                             schedule = #tc.schedule<target = "sm_80", m = [],
                               n = [], k = [], register = [1, 1]>>} {
  return
}

// CHECK-LABEL: func.func @store_with_epilogue
func.func @store_with_epilogue(%r: vector<2xf64>, %C: memref<64xf64>, %bias: memref<8xf32>, %m0: i32) {
  // CHECK: tc.store_tile %{{.*}} to %{{.*}} at[%{{.*}}] auxiliaries(%{{.*}} : memref<8xf32>) epilogue {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f64, %{{.*}}: f64, %[[SIDE:.*]]: f32):
  // CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[SIDE]] : f32 to f64
  // CHECK-NEXT: %[[BIASED:.*]] = arith.addf %[[SUM]], %[[WIDE]] : f64
  // CHECK-NEXT: tc.yield %[[BIASED]] : f64
  // CHECK-NEXT: } : vector<2xf64> to memref<64xf64>, i32
  tc.store_tile %r to %C at [%m0] auxiliaries(%bias : memref<8xf32>) epilogue {
  ^bb0(%sum: f64, %old: f64, %b: f32):
    %wide = arith.extf %b : f32 to f64
    %biased = arith.addf %sum, %wide : f64
    tc.yield %biased : f64
  } : vector<2xf64> to memref<64xf64>, i32
  return
}

// CHECK-LABEL: func.func @kernel_with_epilogue
// CHECK-SAME: #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.000000e+00 : f32, beta = 0.000000e+00 : f32, epilogue = read_write, auxiliaries = {{\[\[}}n], []], schedule =
func.func @kernel_with_epilogue(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4x4xf16>, %bias: memref<4xf32>, %scale: memref<f32>)
    attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, epilogue = read_write, auxiliaries = [[n], []],
                schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// CHECK-LABEL: func.func @deposit_with_prologue
func.func @deposit_with_prologue(%r: vector<4xi8>, %k0: i32, %panel: memref<8x64xf32, #gpu.address_space<workgroup>>) {
  // CHECK: tc.store_tile_to_shared b %{{.*}} into %{{.*}} at[%{{.*}}] prologue {
  // CHECK-NEXT: ^bb0(%[[WEIGHT:.*]]: i8):
  // CHECK-NEXT: %[[NUMBER:.*]] = arith.sitofp %[[WEIGHT]] : i8 to f32
  // CHECK-NEXT: tc.yield %[[NUMBER]] : f32
  // CHECK-NEXT: } : vector<4xi8> into memref<8x64xf32, #gpu.address_space<workgroup>>, i32
  tc.store_tile_to_shared b %r into %panel at [%k0] prologue {
  ^bb0(%weight: i8):
    %number = arith.sitofp %weight : i8 to f32
    tc.yield %number : f32
  } : vector<4xi8> into memref<8x64xf32, #gpu.address_space<workgroup>>, i32
  return
}

// CHECK-LABEL: func.func @kernel_with_prologues
// CHECK-SAME: prologue_a = f32, prologue_b = f32, schedule =
func.func @kernel_with_prologues(%A: memref<4xf32>, %B: memref<4xi8>, %C: memref<4x4xf32>)
    attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, prologue_a = f32, prologue_b = f32,
                schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}
// CHECK-LABEL: func.func @user_semiring
// CHECK-SAME: semiring = user_defined(0.000000e+00 : f64), operations = 3, padding = [zero, greatest], schedule =
func.func @user_semiring(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4x4xf64>,
                         %pa: memref<8x64xf64>, %pb: memref<8x32xf64>, %c: vector<2xf64>,
                         %k0: i32, %W: memref<2176xi8>)
    attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
                semiring = user_defined(0.0 : f64), operations = 3, padding = [zero, greatest],
                schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  // CHECK: tc.multiply_tiles %{{.*}}, %{{.*}} into %{{.*}} at{{ ?}}[%{{.*}}] semiring {
  // CHECK: arith.divf
  // CHECK: }, {
  // CHECK: arith.addf
  // CHECK: } : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> at i32 -> vector<2xf64>
  %r = tc.multiply_tiles %pa, %pb into %c at [%k0]
    semiring {
    ^bb0(%x: f64, %y: f64):
      %z = arith.divf %x, %y : f64
      tc.yield %z : f64
    }, {
    ^bb0(%x: f64, %y: f64):
      %z = arith.addf %x, %y : f64
      tc.yield %z : f64
    } : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> at i32 -> vector<2xf64>
  // CHECK: tc.add_partial_sums of %{{.*}} combine {
  // CHECK: arith.addf
  // CHECK: } : memref<2176xi8> -> vector<2xf64>
  %t = tc.add_partial_sums of %W
    combine {
    ^bb0(%x: f64, %y: f64):
      %z = arith.addf %x, %y : f64
      tc.yield %z : f64
    } : memref<2176xi8> -> vector<2xf64>
  return
}

// In a kernel with several terms, steps say of which one they are.
// CHECK-LABEL: @terms
// CHECK-SAME: register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<
func.func @terms(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>,
                 %flat: memref<48xf64>, %pa: memref<4x2xf64>, %pb: memref<2x4xf64>, %o: i32, %r: vector<2xf64>, %storage: memref<?xi8>)
    attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  // CHECK: tc.load_tile_from_global a term 1 of %{{.*}} at
  %f = tc.load_tile_from_global a term 1 of %flat at [%o, %o] : memref<48xf64>, i32, i32 -> vector<2xf64>
  // CHECK: tc.copy_tile b term 1 of %{{.*}} at
  %copy0 = tc.copy_tile b term 1 of %flat at [%o, %o] into %pb : memref<48xf64>, i32, i32 into memref<2x4xf64>
  // CHECK: tc.store_tile_to_shared a term 1 %{{.*}} into
  tc.store_tile_to_shared a term 1 %r into %pa : vector<2xf64> into memref<4x2xf64>
  // CHECK: tc.multiply_tiles term 1 %{{.*}}, %{{.*}} into
  %s:2 = tc.multiply_tiles term 1 %pa, %pb into %r, %r : memref<4x2xf64>, memref<2x4xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
  // CHECK: tc.convert_accumulators %{{.*}}, %{{.*}} from 1 to 0 through %{{.*}} : vector<2xf64>, vector<2xf64> through memref<?xi8> -> vector<4xf64>
  %h = tc.convert_accumulators %s#0, %s#1 from 1 to 0 through %storage : vector<2xf64>, vector<2xf64> through memref<?xi8> -> vector<4xf64>
  %group = tc.group_copies [%copy0]
  %tile = tc.wait_for_tiles %pa after %group : memref<4x2xf64>
  return
}

// The steps of a softmax.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%c0: vector<2xf32>, %c1: vector<2xf32>, %m0: f32, %s0: f32, %k0: i32,
                   %rows: memref<12xf32>, %tile: memref<4x2xf16>) -> vector<2xf32> {
  // CHECK: tc.exponentiate_accumulators %{{.*}}, %{{.*}} maxima %{{.*}} sums %{{.*}} from 1 to a of 0 at{{ ?}}[%{{.*}}] through %{{.*}} epilogue {
  // CHECK: } : vector<2xf32>, vector<2xf32> maxima f32 sums f32 at i32 through memref<12xf32> -> vector<2xf32>, vector<2xf32> maxima f32 sums f32
  %e:2, %m, %s = tc.exponentiate_accumulators %c0, %c1 maxima %m0 sums %s0 from 1 to a of 0 at [%k0] through %rows
      epilogue {
      ^bb0(%x: f32, %old: f16):
        %y = arith.truncf %x : f32 to f16
        tc.yield %y : f16
      } : vector<2xf32>, vector<2xf32> maxima f32 sums f32 at i32 through memref<12xf32> -> vector<2xf32>, vector<2xf32> maxima f32 sums f32
  // CHECK: tc.store_accumulators_to_shared %{{.*}}, %{{.*}} from 1 to a of 0 at{{ ?}}[%{{.*}}] into %{{.*}} : vector<2xf32>, vector<2xf32> at i32 into memref<4x2xf16>
  tc.store_accumulators_to_shared %e#0, %e#1 from 1 to a of 0 at [%k0] into %tile : vector<2xf32>, vector<2xf32> at i32 into memref<4x2xf16>
  // CHECK: %[[F:.*]]:2 = tc.accumulators_to_factors %{{.*}}, %{{.*}} from 1 to a of 0 at{{ ?}}[%{{.*}}] epilogue {
  // CHECK: } : vector<2xf32>, vector<2xf32> at i32 -> vector<2xf16>, vector<2xf16>
  %f:2 = tc.accumulators_to_factors %e#0, %e#1 from 1 to a of 0 at [%k0]
      epilogue {
      ^bb0(%x: f32, %old: f32):
        %y = arith.truncf %x : f32 to f16
        tc.yield %y : f16
      } : vector<2xf32>, vector<2xf32> at i32 -> vector<2xf16>, vector<2xf16>
  // CHECK: tc.multiply_factors %[[F]]#0, %[[F]]#1 by %{{.*}} into %{{.*}} : vector<2xf16>, vector<2xf16> by memref<4x2xf16> into vector<2xf32> -> vector<2xf32>
  %p = tc.multiply_factors %f#0, %f#1 by %tile into %c0 : vector<2xf16>, vector<2xf16> by memref<4x2xf16> into vector<2xf32> -> vector<2xf32>
  // CHECK: tc.store_row_reciprocals %{{.*}} from 1 to a of 0 into %{{.*}} : f32 into memref<12xf32>
  tc.store_row_reciprocals %s from 1 to a of 0 into %rows : f32 into memref<12xf32>
  // CHECK: tc.rescale_accumulators %{{.*}} from 1 to a of 0 by %{{.*}} : vector<2xf32> by memref<12xf32> -> vector<2xf32>
  %r = tc.rescale_accumulators %c0 from 1 to a of 0 by %rows : vector<2xf32> by memref<12xf32> -> vector<2xf32>
  return %r : vector<2xf32>
}

// A kernel that adds all elements up.
// CHECK-LABEL: func.func @reduce
// CHECK-SAME: epilogue = write, auxiliaries = {{\[\[}}n]], reduce, schedule =
func.func @reduce(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4x4xf64, strided<[0, 0]>>, %S: memref<4xf64>, %W: memref<136xi8>,
                  %c0: vector<2xf64>, %c1: vector<2xf64>, %o: i32, %alpha: f64, %flat: memref<1xf64>, %storage: memref<?xi8>)
    attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, epilogue = write, auxiliaries = [[n]], reduce,
                schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  // CHECK: tc.reduce_tile %{{.*}}, %{{.*}} at{{ ?}}[%{{.*}}, %{{.*}}] alpha(%{{.*}} : f64) : vector<2xf64>, vector<2xf64> at i32, i32 -> f64
  %r = tc.reduce_tile %c0, %c1 at [%o, %o] alpha(%alpha : f64) : vector<2xf64>, vector<2xf64> at i32, i32 -> f64
  // CHECK: tc.reduce_tile %{{.*}} at{{ ?}}[%{{.*}}] auxiliaries(%{{.*}} : memref<4xf64>) epilogue {
  // CHECK: } : vector<2xf64> at i32 -> f64
  %s = tc.reduce_tile %c0 at [%o] auxiliaries(%S : memref<4xf64>) epilogue {
  ^bb0(%x: f64, %old: f64, %w: f64):
    %y = arith.mulf %x, %w : f64
    tc.yield %y : f64
  } : vector<2xf64> at i32 -> f64
  // CHECK: tc.reduce_blocks %{{.*}} to %{{.*}} through %{{.*}} and %{{.*}} : f64 to memref<1xf64> through memref<?xi8> and memref<136xi8>
  tc.reduce_blocks %r to %flat through %storage and %W : f64 to memref<1xf64> through memref<?xi8> and memref<136xi8>
  return
}

// Each field of a kernel is read as it is printed.
// CHECK-LABEL: @every_field
// CHECK-SAME: test.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 2.000000e+00 : f64, beta = 1.000000e+00 : f64,
// CHECK-SAME: precision = "3xtf32", semiring = user_defined(0.000000e+00 : f64), operations = 3, padding = [zero, one],
// CHECK-SAME: conjugate_a, conjugate_b, prologue_a = f32, prologue_b = f64, epilogue = read_write, auxiliaries = {{\[}}[m], []], reduce,
// CHECK-SAME: alignment = [1, 0, 2], dynamic_shape = #tc.dynamic_shape<multiples = 8, offset_bits = 32>,
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>,
// CHECK-SAME: edges = [C1 -> C : f32 softmax], terms = [#tc.kernel<a = [m], b = [n], c = [m, n], schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [2, 2]>>],
// CHECK-SAME: expressions = {epilogue = "x + c"}>}
func.func @every_field()
    attributes {test.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 2.0 : f64, beta = 1.0 : f64,
                precision = "3xtf32", semiring = user_defined(0.0 : f64), operations = 3, padding = [zero, one],
                conjugate_a, conjugate_b, prologue_a = f32, prologue_b = f64, epilogue = read_write, auxiliaries = [[m], []], reduce,
                alignment = [1, 0, 2], dynamic_shape = #tc.dynamic_shape<multiples = 8, offset_bits = 32>,
                schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>,
                edges = [C1 -> C : f32 softmax], terms = [#tc.kernel<a = [m], b = [n], c = [m, n], schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [2, 2]>>],
                expressions = {epilogue = "x + c"}>} {
  return
}

// Fields that have their defaults are not printed.
// CHECK-LABEL: @no_optional_field
// CHECK-SAME: test.kernel = #tc.kernel<a = [], b = [], c = [], schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>}
func.func @no_optional_field()
    attributes {test.kernel = #tc.kernel<a = [], b = [], c = [], precision = ieee, semiring = plus_times, auxiliaries = [],
                schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>} {
  return
}
