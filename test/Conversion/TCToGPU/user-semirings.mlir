// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels,gpu.module(tc-materialize-loop-nest,canonicalize,cse))" -split-input-file | FileCheck %s --check-prefix=NEST
// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels,gpu.module(tc-materialize-loop-nest,tc-lower-multiply-tiles,canonicalize,cse))" -split-input-file | FileCheck %s --check-prefix=PRODUCT
// RUN: tc-opt %s --pass-pipeline="builtin.module(tc-outline-kernels,gpu.module(tc-materialize-loop-nest,tc-lower-partial-sums,canonicalize,cse))" -split-input-file | FileCheck %s --check-prefix=PARTS

// No difference is the least number, so that products beyond K are left out:
// the coordinate of each value of k is compared with the extent. The old
// elements of C are combined in an epilogue.

// NEST-LABEL: gpu.func @chebyshev
// NEST-SAME: semiring = user_defined(0xFF800000 : f32), operations = 3, epilogue = read_write, schedule =
// NEST-SAME: expressions = {combine = "max(x, y)", epilogue = "max(x, c)", product = "abs(x - y)"}>
// NEST: %[[NONE:.*]] = arith.constant dense<0xFF800000> : vector<1xf32>
// NEST: scf.for {{.*}} iter_args({{.*}} = %[[NONE]], {{.*}} = %[[NONE]]
// NEST: tc.multiply_tiles {{.*}} at{{ ?}}[%{{.*}}] semiring {
// NEST: math.absf
// NEST: }, {
// NEST: arith.maxnumf
// NEST: tc.store_tile {{.*}} epilogue {
// NEST-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[OLD:.*]]: f32):
// NEST-NEXT: %[[BOTH:.*]] = arith.maxnumf %[[SUM]], %[[OLD]]
// NEST-NEXT: tc.yield %[[BOTH]]

// PRODUCT-LABEL: gpu.func @chebyshev
// PRODUCT: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %c7{{.*}} : i32
// PRODUCT: %[[DIFFERENCE:.*]] = arith.subf %{{.*}}, %{{.*}} : vector<1xf32>
// PRODUCT: %[[DISTANCE:.*]] = math.absf %[[DIFFERENCE]]
// PRODUCT: %[[LARGEST:.*]] = arith.maxnumf %[[DISTANCE]], %[[OLD:.*]] :
// PRODUCT: arith.select %[[INSIDE]], %[[LARGEST]], %[[OLD]]
func.func @chebyshev(%A: memref<12x7xf32>, %B: memref<12x7xf32>, %C: memref<12x12xf32>) {
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<12x7xf32>, memref<12x7xf32>)
    outs(%C : memref<12x12xf32>) semiring = user_defined(0xFF800000 : f32) accumulate
    product {
    ^bb0(%x: f32, %y: f32):
      %difference = arith.subf %x, %y : f32
      %distance = math.absf %difference : f32
      tc.yield %distance : f32
    } combine {
    ^bb0(%x: f32, %y: f32):
      %largest = arith.maxnumf %x, %y : f32
      tc.yield %largest : f32
    }
    {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>}
  return
}

// -----

// The difference of zeros is zero, with which shared tiles are padded. The parts of a
// sum are combined, too.

// NEST-LABEL: gpu.func @manhattan
// NEST-SAME: semiring = user_defined(0.000000e+00 : f32), operations = 3, padding = [zero, zero], schedule =
// NEST: tc.multiply_tiles %{{[a-z_0-9#]+}}, %{{[a-z_0-9#]+}} into {{%[^ ]*, %[^ ]*, %[^ ]*, %[^ ]*}} semiring {
// NEST: tc.add_partial_sums of %{{.*}} combine {
// NEST: arith.addf

// PARTS-LABEL: gpu.func @manhattan
// PARTS: scf.if
// PARTS: %[[FIRST:.*]] = vector.load {{.*}} vector<1xf32>
// PARTS-COUNT-3: vector.load
// PARTS: %[[SECOND:.*]] = vector.load {{.*}} vector<1xf32>
// PARTS: arith.addf %[[FIRST]], %[[SECOND]] : vector<1xf32>
func.func @manhattan(%A: memref<12x7xf32>, %B: memref<12x7xf32>, %C: memref<12x12xf32>) {
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<12x7xf32>, memref<12x7xf32>)
    outs(%C : memref<12x12xf32>) semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      %difference = arith.subf %x, %y : f32
      %distance = math.absf %difference : f32
      tc.yield %distance : f32
    } combine {
    ^bb0(%x: f32, %y: f32):
      %sum = arith.addf %x, %y : f32
      tc.yield %sum : f32
    }
    {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 2>}
  return
}

// -----

// Infinity is the sum of zero and infinity.

// NEST-LABEL: gpu.func @of_infinities
// NEST-SAME: padding = [zero, greatest]
func.func @of_infinities(%A: memref<12x7xf32>, %B: memref<12x7xf32>, %C: memref<12x12xf32>) {
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<12x7xf32>, memref<12x7xf32>)
    outs(%C : memref<12x12xf32>) semiring = user_defined(0x7F800000 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      %sum = arith.addf %x, %y : f32
      tc.yield %sum : f32
    } combine {
    ^bb0(%x: f32, %y: f32):
      %least = arith.minnumf %x, %y : f32
      tc.yield %least : f32
    }
    {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>}
  return
}
