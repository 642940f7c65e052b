// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// CHECK-LABEL: @tensors
// CHECK: tc.contract [d, e, g, a], [g, f, b, c] -> [a, b, c, d, e, f]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<24x16x24x24xf64>, tensor<24x16x16x16xf64>)
// CHECK-SAME: outs(%{{.*}} : tensor<24x16x16x24x16x16xf64>)
// CHECK-SAME: -> tensor<24x16x16x24x16x16xf64>
func.func @tensors(%A: tensor<24x16x24x24xf64>, %B: tensor<24x16x16x16xf64>,
                   %C: tensor<24x16x16x24x16x16xf64>)
    -> tensor<24x16x16x24x16x16xf64> {
  %D = tc.contract [d, e, g, a], [g, f, b, c] -> [a, b, c, d, e, f]
         ins(%A, %B : tensor<24x16x24x24xf64>, tensor<24x16x16x16xf64>)
         outs(%C : tensor<24x16x16x24x16x16xf64>)
         -> tensor<24x16x16x24x16x16xf64>
  return %D : tensor<24x16x16x24x16x16xf64>
}

// CHECK-LABEL: @memrefs
// CHECK: tc.contract [m, k], [k, n] -> [m, n]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : memref<4x8xf32, strided<[1, 4], offset: 2>>, memref<8x16xf32>)
// CHECK-SAME: outs(%{{.*}} : memref<4x16xf32>)
// CHECK-SAME: alpha(%{{.*}} : f32) beta(%{{.*}} : f32)
// CHECK-SAME: {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 8], k = [k: 2], register = [2, 4]>}
func.func @memrefs(%A: memref<4x8xf32, strided<[1, 4], offset: 2>>,
                   %B: memref<8x16xf32>, %C: memref<4x16xf32>,
                   %alpha: f32, %beta: f32) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xf32, strided<[1, 4], offset: 2>>, memref<8x16xf32>)
    outs(%C : memref<4x16xf32>) alpha(%alpha : f32) beta(%beta : f32)
    {schedule = #tc.schedule<register = [2, 4], m = [m: 4], n = [n: 8],
                             k = [k: 2], target = "sm_90">}
  return
}

// CHECK-LABEL: @adjoint
// CHECK: outs(%{{.*}} : tensor<32x64xcomplex<f64>>) alpha(%{{.*}} : complex<f64>) conjugate_a ->
// CHECK: outs(%{{.*}} : tensor<32x64xcomplex<f32>>) precision = tf32 conjugate_b ->
func.func @adjoint(%A: tensor<48x32xcomplex<f64>>, %B: tensor<48x64xcomplex<f64>>,
                   %C: tensor<32x64xcomplex<f64>>, %alpha: complex<f64>,
                   %E: tensor<48x32xf32>, %F: tensor<48x64xcomplex<f32>>,
                   %G: tensor<32x64xcomplex<f32>>)
    -> (tensor<32x64xcomplex<f64>>, tensor<32x64xcomplex<f32>>) {
  %D = tc.contract [k, m], [k, n] -> [m, n]
         ins(%A, %B : tensor<48x32xcomplex<f64>>, tensor<48x64xcomplex<f64>>)
         outs(%C : tensor<32x64xcomplex<f64>>) alpha(%alpha : complex<f64>)
         conjugate_a -> tensor<32x64xcomplex<f64>>
  %H = tc.contract [k, m], [k, n] -> [m, n]
         ins(%E, %F : tensor<48x32xf32>, tensor<48x64xcomplex<f32>>)
         outs(%G : tensor<32x64xcomplex<f32>>) precision = tf32 conjugate_b
         -> tensor<32x64xcomplex<f32>>
  return %D, %H : tensor<32x64xcomplex<f64>>, tensor<32x64xcomplex<f32>>
}

// CHECK-LABEL: @three_products
// CHECK: conjugate_b allow_three_products {schedule = #tc.schedule<{{.*}}k = [re_im_3m: 1, k: 8]
func.func @three_products(%A: memref<48x32xcomplex<f64>>,
                          %B: memref<48x64xcomplex<f64>>,
                          %C: memref<32x64xcomplex<f64>>) {
  tc.contract [k, m], [k, n] -> [m, n]
    ins(%A, %B : memref<48x32xcomplex<f64>>, memref<48x64xcomplex<f64>>)
    outs(%C : memref<32x64xcomplex<f64>>) conjugate_b allow_three_products
    {schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 16],
                             k = [re_im_3m: 1, k: 8], register = [2, 2]>}
  return
}

// The second example of the documentation: sums in f32, and a precision.
// CHECK-LABEL: @half_and_tf32
// CHECK: outs(%{{.*}} : tensor<512x512xf16>) alpha(%{{.*}} : f32) ->
// CHECK: outs(%{{.*}} : tensor<512x512xf32>) precision = tf32 ->
func.func @half_and_tf32(%A: tensor<512x256xf16>, %B: tensor<256x512xf16>,
                         %C: tensor<512x512xf16>, %E: tensor<512x256xf32>,
                         %F: tensor<256x512xf32>, %G: tensor<512x512xf32>,
                         %alpha: f32) {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<512x256xf16>, tensor<256x512xf16>)
         outs(%C : tensor<512x512xf16>) alpha(%alpha : f32)
         -> tensor<512x512xf16>
  %H = tc.contract [m, k], [k, n] -> [m, n]
         ins(%E, %F : tensor<512x256xf32>, tensor<256x512xf32>)
         outs(%G : tensor<512x512xf32>) precision = tf32
         -> tensor<512x512xf32>
  return
}

// Sums of halves may be stored as they are. The default precision is not
// printed; a name that begins with a digit is in quotes.
// CHECK-LABEL: @precisions
// CHECK: outs(%{{.*}} : memref<4x2xbf16>) beta(%{{.*}} : f32){{$}}
// CHECK: outs(%{{.*}} : memref<4x2xf32>) beta(%{{.*}} : f32){{$}}
// CHECK: outs(%{{.*}} : memref<4x2xf32>){{$}}
// CHECK: outs(%{{.*}} : memref<4x2xf32>) precision = "3xtf32" {tc.note = 1 : i32}
func.func @precisions(%A: memref<4x8xbf16>, %B: memref<8x2xbf16>,
                      %C: memref<4x2xbf16>, %E: memref<4x8xf32>,
                      %F: memref<8x2xf32>, %G: memref<4x2xf32>, %beta: f32) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xbf16>, memref<8x2xbf16>)
    outs(%C : memref<4x2xbf16>) beta(%beta : f32)
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xbf16>, memref<8x2xbf16>)
    outs(%G : memref<4x2xf32>) beta(%beta : f32)
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%E, %F : memref<4x8xf32>, memref<8x2xf32>)
    outs(%G : memref<4x2xf32>) precision = ieee
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%E, %F : memref<4x8xf32>, memref<8x2xf32>)
    outs(%G : memref<4x2xf32>) precision = "3xtf32" {tc.note = 1 : i32}
  return
}

// The third example of the documentation; @tensors has the first.
// CHECK-LABEL: @documented
// CHECK: tc.contract [m, k], [k, n] -> [m, n]
func.func @documented(%A: memref<512x256xf32>, %B: memref<256x512xf32>,
                      %C: memref<512x512xf32>, %alpha: f32) {
  %one = arith.constant 1.0 : f32
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<512x256xf32>, memref<256x512xf32>)
    outs(%C : memref<512x512xf32>) alpha(%alpha : f32) beta(%one : f32)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 64], n = [n: 64],
                             k = [k: 16], register = [4, 4]>}
  return
}

// Each scalar may stand alone, and extents may be unknown.
// CHECK-LABEL: @dynamic
// CHECK: outs(%{{.*}} : tensor<?x?xf64>) alpha(%{{.*}} : f64) ->
// CHECK: outs(%{{.*}} : tensor<?x?xf64>) beta(%{{.*}} : f64) ->
func.func @dynamic(%A: tensor<?x8xf64>, %B: tensor<?x?xf64>,
                   %C: tensor<?x?xf64>, %s: f64) -> tensor<?x?xf64> {
  %0 = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<?x8xf64>, tensor<?x?xf64>)
         outs(%C : tensor<?x?xf64>) alpha(%s : f64) -> tensor<?x?xf64>
  %1 = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<?x8xf64>, tensor<?x?xf64>)
         outs(%0 : tensor<?x?xf64>) beta(%s : f64) -> tensor<?x?xf64>
  return %1 : tensor<?x?xf64>
}

// A scalar, diagonals, sums within one input, and extents of zero.
// CHECK-LABEL: @forms
// CHECK: tc.contract [], [] -> []
// CHECK: tc.contract [i, i], [i, j] -> [i]
// CHECK: tc.contract [i, k], [l, j] -> [j, i]
// CHECK: tc.contract [_x, i8], [i8, Long_1] -> [_x, Long_1]
func.func @forms(%s: tensor<f32>, %square: tensor<4x4xf32>,
                 %v: tensor<4xf32>, %A: tensor<3x0xf32>, %B: tensor<0x5xf32>,
                 %C: tensor<3x5xf32>) {
  %0 = tc.contract [], [] -> []
         ins(%s, %s : tensor<f32>, tensor<f32>)
         outs(%s : tensor<f32>) -> tensor<f32>
  %1 = tc.contract [i, i], [i, j] -> [i]
         ins(%square, %square : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %2 = tc.contract [i, k], [l, j] -> [j, i]
         ins(%square, %square : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%square : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = tc.contract [_x, i8], [i8, Long_1] -> [_x, Long_1]
         ins(%A, %B : tensor<3x0xf32>, tensor<0x5xf32>)
         outs(%C : tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// The attributes on their own.
// CHECK-LABEL: @attributes
// CHECK-SAME: empty = #tc.indices<[]>
// CHECK-SAME: least = #tc.precision<tf32>
// CHECK-SAME: list = #tc.indices<[a, b, a]>
// CHECK-SAME: more = #tc.precision<"3xtf32">
// CHECK-SAME: pipeline = #tc.schedule<target = "sm_80", m = [], n = [], k = [], register = [1, 1], instruction = mma_m8n8k4, stages = 3>
// CHECK-SAME: raster = #tc.schedule<target = "sm_80", m = [], n = [], k = [], register = [1, 1], raster = 8>
// CHECK-SAME: schedule = #tc.schedule<target = "sm_80", m = [], n = [], k = [], register = [1, 1]>
func.func private @attributes() attributes {
  empty = #tc.indices<[]>,
  list = #tc.indices<[a, b, a]>,
  least = #tc.precision<"tf32">,
  more = #tc.precision<"3xtf32">,
  schedule = #tc.schedule<target = "sm_80", m = [], n = [], k = [],
                          register = [1, 1]>,
  // Keys with defaults are printed where they say something.
  pipeline = #tc.schedule<stages = 3, target = "sm_80", m = [], n = [], k = [],
                          instruction = mma_m8n8k4, register = [1, 1]>,
  raster = #tc.schedule<stages = 2, instruction = fma, tiles_per_block = 1, raster = 8, target = "sm_80", m = [], n = [],
                        split_k = 1, k = [], stationary = output,
                        register = [1, 1]>
}
