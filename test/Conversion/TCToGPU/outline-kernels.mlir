// RUN: tc-opt %s --tc-outline-kernels -split-input-file | FileCheck %s

// CHECK: module attributes {gpu.container_module}
// CHECK: gpu.module @tc_kernels {
// CHECK-NEXT: gpu.func @matmul(
// CHECK-SAME: %[[A:.*]]: memref<10x6xf64, #gpu.address_space<global>>, %[[B:.*]]: memref<6x12xf64, #gpu.address_space<global>>, %[[C:.*]]: memref<10x12xf64, #gpu.address_space<global>>) kernel
// CHECK-SAME: known_block_size = array<i32: 4, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 9, 1, 1>
// CHECK-SAME: tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.000000e+00 : f64, beta = 0.000000e+00 : f64, schedule = #tc.schedule<
// CHECK-NEXT: tc.contract [m, k], [k, n] -> [m, n] ins(%[[A]], %[[B]]
// CHECK: gpu.return

// CHECK-LABEL: func.func @matmul
// CHECK-SAME: %[[A:.*]]: memref<10x6xf64>
// CHECK: %[[GA:.*]] = memref.memory_space_cast %[[A]]
// CHECK: %[[GRID:.*]] = arith.constant 9 : index
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[BLOCK:.*]] = arith.constant 4 : index
// CHECK: %[[SHARED:.*]] = arith.constant 256 : i32
// CHECK: gpu.launch_func @tc_kernels::@matmul blocks in (%[[GRID]], %[[ONE]], %[[ONE]]) threads in (%[[BLOCK]], %[[ONE]], %[[ONE]]) dynamic_shared_memory_size %[[SHARED]] args(%[[GA]]
// CHECK-NOT: tc.contract
func.func @matmul(%A: memref<10x6xf64>, %B: memref<6x12xf64>, %C: memref<10x12xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<10x6xf64>, memref<6x12xf64>)
      outs(%C : memref<10x12xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>}
  return
}

// -----

// Constants become part of the kernel, other scalars its arguments; buffers
// that are in global memory already are passed as they are; a second kernel of
// the same function gets a name of its own.

// CHECK: gpu.func @scaled(
// CHECK-SAME: memref<4xf32, #gpu.address_space<global>>, %[[BETA:[a-z0-9]*]]: f32) kernel
// CHECK-SAME: tc.kernel = #tc.kernel<a = [m], b = [], c = [m], alpha = -1.000000e+00 : f32, schedule =
// CHECK: %[[ALPHA:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: tc.contract {{.*}} alpha(%[[ALPHA]] : f32) beta(%[[BETA]] : f32)
// CHECK: gpu.func @scaled_0(
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: %[[SCALAR:[a-z0-9]*]]: f32)
// CHECK-NOT: memory_space_cast
// CHECK: gpu.launch_func @tc_kernels::@scaled {{.*}}%[[SCALAR]] : f32)
// CHECK: gpu.launch_func @tc_kernels::@scaled_0
func.func @scaled(%A: memref<4xf32, #gpu.address_space<global>>, %B: memref<f32, #gpu.address_space<global>>, %C: memref<4xf32, #gpu.address_space<global>>, %beta: f32) {
  %alpha = arith.constant -1.0 : f32
  tc.contract [m], [] -> [m]
      ins(%A, %B : memref<4xf32, #gpu.address_space<global>>, memref<f32, #gpu.address_space<global>>)
      outs(%C : memref<4xf32, #gpu.address_space<global>>) alpha(%alpha : f32) beta(%beta : f32)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>}
  tc.contract [m], [] -> [m]
      ins(%A, %B : memref<4xf32, #gpu.address_space<global>>, memref<f32, #gpu.address_space<global>>)
      outs(%C : memref<4xf32, #gpu.address_space<global>>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>}
  return
}

// -----

// An empty sum launches nothing.

// CHECK: // -----
// CHECK-NOT: gpu
// CHECK-LABEL: func.func @empty_sum
// CHECK-SAME: %[[C:[a-z0-9]*]]: memref<4x5xf64>, %[[BETA:[a-z0-9]*]]: f64
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: linalg.fill ins(%[[ZERO]] : f64) outs(%[[C]] : memref<4x5xf64>)
// CHECK: linalg.generic {{.*}} outs(%[[C]] : memref<4x5xf64>) {
// CHECK: %[[OLD:.*]]: f64
// CHECK: %[[SCALED:.*]] = arith.mulf %[[BETA]], %[[OLD]]
// CHECK: %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[BETA]]
// CHECK: %[[NEW:.*]] = arith.select %[[IS_ZERO]], %{{.*}}, %[[SCALED]]
// CHECK: linalg.yield %[[NEW]]
// CHECK-NOT: linalg
// CHECK: return
func.func @empty_sum(%A: memref<4x0xf64>, %B: memref<0x5xf64>, %C: memref<4x5xf64>, %beta: f64) {
  %one = arith.constant 1.0 : f64
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<4x0xf64>, memref<0x5xf64>) outs(%C : memref<4x5xf64>)
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<4x0xf64>, memref<0x5xf64>) outs(%C : memref<4x5xf64>)
      beta(%beta : f64)
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<4x0xf64>, memref<0x5xf64>) outs(%C : memref<4x5xf64>)
      beta(%one : f64)
  return
}

// -----

// Constant factors that change nothing leave no trace, so that C is not read.
// CHECK-LABEL: gpu.func @neutral_factors
// CHECK-SAME: tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.000000e+00 : f64, beta = 0.000000e+00 : f64
// CHECK-NOT: arith.constant
// CHECK: tc.contract [m, k], [k, n] -> [m, n]
// CHECK-NOT: alpha
// CHECK-NOT: beta
// CHECK-NEXT: gpu.return
func.func @neutral_factors(%A: memref<4x8xf64>, %B: memref<8x2xf64>, %C: memref<4x2xf64>) {
  %alpha = arith.constant 1.0 : f64
  %beta = arith.constant 0.0 : f64
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<4x8xf64>, memref<8x2xf64>) outs(%C : memref<4x2xf64>)
      alpha(%alpha : f64) beta(%beta : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [k: 8], register = [1, 1]>}
  return
}

// -----

// A zero may have either sign.

// CHECK-LABEL: gpu.func @negative_zero
// CHECK-NOT: beta(
// CHECK: gpu.return
func.func @negative_zero(%A: memref<4x8xf64>, %B: memref<8x2xf64>, %C: memref<4x2xf64>) {
  %zero = arith.constant -0.0 : f64
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<4x8xf64>, memref<8x2xf64>) outs(%C : memref<4x2xf64>)
      beta(%zero : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [k: 8], register = [1, 1]>}
  return
}

// -----

// Prologues come along, with the types that they yield.

// CHECK-LABEL: gpu.func @prologues
// CHECK-SAME: prologue_a = f32, prologue_b = f32, schedule =
// CHECK: tc.contract
// CHECK-SAME: prologue_a {
// CHECK: math.absf
// CHECK: prologue_b {
// CHECK: arith.sitofp %{{.*}} : i8 to f32
func.func @prologues(%A: memref<4x8xf32>, %B: memref<8x2xi8>, %C: memref<4x2xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<4x8xf32>, memref<8x2xi8>) outs(%C : memref<4x2xf32>)
      prologue_a {
      ^bb0(%x: f32):
        %0 = math.absf %x : f32
        tc.yield %0 : f32
      }
      prologue_b {
      ^bb0(%x: i8):
        %0 = arith.sitofp %x : i8 to f32
        tc.yield %0 : f32
      }
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [k: 8], register = [1, 1]>}
  return
}

// -----

// The precision is the kernel's.

// CHECK: gpu.func @precise(
// CHECK-SAME: beta = 0.000000e+00 : f32, precision = "3xtf32", schedule =
// CHECK: tc.contract {{.*}} precision = "3xtf32"
func.func @precise(%A: memref<4xf32>, %B: memref<f32>, %C: memref<4xf32>) {
  tc.contract [m], [] -> [m]
      ins(%A, %B : memref<4xf32>, memref<f32>)
      outs(%C : memref<4xf32>) precision = "3xtf32"
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [], register = [1, 1]>}
  return
}

// -----

// Without a product, halves are scaled in the type of their sums.

// CHECK-LABEL: func.func @empty_sum
// CHECK-SAME: %[[BETA:[a-z0-9]*]]: f32
// CHECK: ^bb0(%[[OLD:.*]]: bf16)
// CHECK: %[[WIDE:.*]] = arith.extf %[[OLD]] : bf16 to f32
// CHECK: arith.mulf %[[BETA]], %[[WIDE]] : f32
// CHECK: %[[SCALED:.*]] = arith.select {{.*}} : f32
// CHECK: %[[NARROW:.*]] = arith.truncf %[[SCALED]] : f32 to bf16
// CHECK: linalg.yield %[[NARROW]] : bf16
func.func @empty_sum(%A: memref<4x0xbf16>, %B: memref<0xbf16>, %C: memref<4xbf16>, %beta: f32) {
  tc.contract [m, k], [k] -> [m]
      ins(%A, %B : memref<4x0xbf16>, memref<0xbf16>)
      outs(%C : memref<4xbf16>) beta(%beta : f32)
  return
}

// -----

// Blocks that share sums get a workspace, whose counters are cleared.

// CHECK: gpu.func @shared(%{{.*}}: memref<4x64xf64, #gpu.address_space<global>>, %{{.*}}: memref<64xf64, #gpu.address_space<global>>, %{{.*}}: memref<4xf64, #gpu.address_space<global>>, %[[BETA:.*]]: f64, %{{.*}}: memref<256xi8, #gpu.address_space<global>>)
// CHECK-LABEL: func.func @shared
// CHECK: %[[WORKSPACE:.*]] = gpu.alloc () : memref<256xi8, #gpu.address_space<global>>
// CHECK: %[[COUNTERS:.*]] = memref.view %[[WORKSPACE]][%{{.*}}][] : memref<256xi8, #gpu.address_space<global>> to memref<32xi32, #gpu.address_space<global>>
// CHECK: gpu.memset %[[COUNTERS]], %{{.*}} : memref<32xi32, #gpu.address_space<global>>, i32
// CHECK: gpu.launch_func {{.*}}%[[WORKSPACE]] : memref<256xi8, #gpu.address_space<global>>)
// CHECK: gpu.dealloc %[[WORKSPACE]]
func.func @shared(%A: memref<4x64xf64>, %B: memref<64xf64>, %C: memref<4xf64>, %beta: f64) {
  tc.contract [m, k], [k] -> [m]
      ins(%A, %B : memref<4x64xf64>, memref<64xf64>)
      outs(%C : memref<4xf64>) beta(%beta : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [], k = [k: 8], register = [1, 1], split_k = 4>}
  return
}

// -----

// Auxiliary tensors are arguments after C; the epilogue goes along.

// CHECK: gpu.func @fused(%[[A:.*]]: memref<4xf32, #gpu.address_space<global>>, %[[B:.*]]: memref<8xf32, #gpu.address_space<global>>, %[[C:.*]]: memref<4x8xf32, #gpu.address_space<global>>, %[[BIAS:.*]]: memref<8xf32, #gpu.address_space<global>>, %[[ALPHA:.*]]: f32) kernel
// CHECK-SAME: beta = 0.000000e+00 : f32, epilogue = write, auxiliaries = {{\[\[}}n]], schedule
// CHECK: tc.contract [m], [n] -> [m, n] ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) alpha(%[[ALPHA]] : f32) auxiliaries(%[[BIAS]] [n] : memref<8xf32, #gpu.address_space<global>>) epilogue {
// CHECK: tc.yield
// CHECK-LABEL: func.func @fused
// CHECK-SAME: memref<4x8xf32>, %[[HOST_BIAS:[a-z0-9]*]]: memref<8xf32>, %[[HOST_ALPHA:.*]]: f32
// CHECK: %[[DEVICE_BIAS:.*]] = memref.memory_space_cast %[[HOST_BIAS]]
// CHECK: gpu.launch_func {{.*}}%[[DEVICE_BIAS]] : memref<8xf32, #gpu.address_space<global>>, %[[HOST_ALPHA]] : f32)
func.func @fused(%A: memref<4xf32>, %B: memref<8xf32>, %C: memref<4x8xf32>, %bias: memref<8xf32>, %alpha: f32) {
  tc.contract [m], [n] -> [m, n]
      ins(%A, %B : memref<4xf32>, memref<8xf32>)
      outs(%C : memref<4x8xf32>) alpha(%alpha : f32)
      auxiliaries(%bias [n] : memref<8xf32>)
      epilogue {
      ^bb0(%sum: f32, %old: f32, %b: f32):
        %r = arith.addf %sum, %b : f32
        tc.yield %r : f32
      }
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 8], k = [], register = [1, 1]>}
  return
}

// -----

// A tile whose beginning is known at run time only is passed by the address of
// its lowest element, whose alignment the loops tell. An argument's alignment
// is stated.

// CHECK: gpu.func @tiles(%{{.*}}: memref<8x6xf64, strided<[6, 1]>, #gpu.address_space<global>>, %{{.*}}: memref<6x12xf64, strided<[-12, 1], offset: 60>, #gpu.address_space<global>>, %{{.*}}: memref<8x12xf64, strided<[36, 1]>, #gpu.address_space<global>>)
// CHECK-SAME: alignment = [48, 1, 24], schedule
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: %{{.*}}, %[[B:[a-z0-9]*]]: memref<6x12xf64
// CHECK-DAG: %[[OFFSET_A:.*]] = {{.*}}memref.extract_strided_metadata
// CHECK-DAG: %{{.*}}, %[[OFFSET_B:.*]], %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[B]]
// CHECK: %[[BELOW:.*]] = arith.constant 60 : index
// CHECK: arith.subi %[[OFFSET_B]], %[[BELOW]]
// CHECK: builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<6x12xf64, strided<[-12, 1], offset: 60>>
func.func @tiles(%A: memref<64x6xf64>, %B: memref<6x12xf64, strided<[-12, 1], offset: ?>>, %C: memref<64x36xf64> {tc.base_alignment = 72}) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %end = arith.constant 64 : index
  scf.for %i = %zero to %end step %eight {
    %a = memref.subview %A[%i, 0] [8, 6] [1, 1] : memref<64x6xf64> to memref<8x6xf64, strided<[6, 1], offset: ?>>
    %c = memref.subview %C[%i, 24] [8, 12] [1, 1] : memref<64x36xf64> to memref<8x12xf64, strided<[36, 1], offset: ?>>
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%a, %B : memref<8x6xf64, strided<[6, 1], offset: ?>>, memref<6x12xf64, strided<[-12, 1], offset: ?>>)
        outs(%c : memref<8x12xf64, strided<[36, 1], offset: ?>>)
        {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>}
  }
  return
}

// -----

// So do maps of induction variables, as upstream's tiling makes them. Nothing
// is known of loaded values.

// CHECK: gpu.func @tiles_of_grids(
// CHECK-SAME: alignment = [48, 1, 288], schedule
func.func @tiles_of_grids(%A: memref<64x6xf64>, %B: memref<99x12xf64>, %C: memref<64x36xf64>, %rows: memref<8xindex>) {
  scf.forall (%i) in (8) {
    %row = affine.apply affine_map<(d0) -> (d0 * 8)>(%i)
    %any = memref.load %rows[%i] : memref<8xindex>
    %a = memref.subview %A[%row, 0] [8, 6] [1, 1] : memref<64x6xf64> to memref<8x6xf64, strided<[6, 1], offset: ?>>
    %b = memref.subview %B[0, %any] [6, 2] [1, 1] : memref<99x12xf64> to memref<6x2xf64, strided<[12, 1], offset: ?>>
    %c = memref.subview %C[%row, 0] [8, 2] [1, 1] : memref<64x36xf64> to memref<8x2xf64, strided<[36, 1], offset: ?>>
    tc.contract [m, k], [k, n] -> [m, n]
        ins(%a, %b : memref<8x6xf64, strided<[6, 1], offset: ?>>, memref<6x2xf64, strided<[12, 1], offset: ?>>)
        outs(%c : memref<8x2xf64, strided<[36, 1], offset: ?>>)
        {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [k: 2], register = [2, 2]>}
  }
  return
}

// -----

// An offset from an argument's base pointer is none from the first element, of
// which alone something is stated.

// CHECK: gpu.func @recast(
// CHECK-SAME: alignment = [1, 0, 0], schedule
func.func @recast(%A: memref<8x6xf64, strided<[6, 1], offset: ?>> {tc.base_alignment = 6}, %B: memref<6x12xf64>, %C: memref<8x12xf64>, %rows: index) {
  %twelve = arith.constant 12 : index
  %first = arith.muli %rows, %twelve : index
  %a = memref.reinterpret_cast %A to offset: [%first], sizes: [8, 6], strides: [6, 1]
    : memref<8x6xf64, strided<[6, 1], offset: ?>> to memref<8x6xf64, strided<[6, 1], offset: ?>>
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%a, %B : memref<8x6xf64, strided<[6, 1], offset: ?>>, memref<6x12xf64>)
      outs(%C : memref<8x12xf64>)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>}
  return
}
