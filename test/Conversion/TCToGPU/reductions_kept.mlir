// RUN: tc-opt %s --tc-outline-kernels | FileCheck %s

// A group stores the elements that it adds up, and the sum stays on the host,
// if the initial value of the sum is not zero by then, or if something else
// reads the elements.

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [k: 2], register = [1, 1]>

// CHECK-NOT: , reduce
// CHECK-LABEL: func.func @written_before
// CHECK: gpu.launch_func
// CHECK: linalg.reduce
func.func @written_before(%A: memref<8x4xf32>, %B: memref<4x6xf32>, %E: memref<f32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%E : memref<f32>)
  scf.for %i = %c0 to %c1 step %c1 {
    memref.store %x, %E[] : memref<f32>
  }
  %C = memref.alloc() : memref<8x6xf32>
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf32>, memref<4x6xf32>) outs(%C : memref<8x6xf32>) {schedule = #s}
    linalg.reduce { arith.addf } ins(%C : memref<8x6xf32>) outs(%E : memref<f32>) dimensions = [0, 1]
  }
  return
}

// CHECK-LABEL: func.func @read_again
// CHECK: gpu.launch_func
// CHECK: linalg.reduce
func.func @read_again(%A: memref<8x4xf32>, %B: memref<4x6xf32>, %E: memref<f32>) -> f32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%E : memref<f32>)
  %C = memref.alloc() : memref<8x6xf32>
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<8x4xf32>, memref<4x6xf32>) outs(%C : memref<8x6xf32>) {schedule = #s}
    linalg.reduce { arith.addf } ins(%C : memref<8x6xf32>) outs(%E : memref<f32>) dimensions = [0, 1]
  }
  %x = memref.load %C[%c0, %c0] : memref<8x6xf32>
  return %x : f32
}
