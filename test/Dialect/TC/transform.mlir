// RUN: tc-opt %s --transform-interpreter --split-input-file | FileCheck %s

// Lists match up to the names of indices: the transposed product does not.

// CHECK-LABEL: @match
// CHECK: tc.contract [i, l], [l, j] -> [i, j]
// CHECK-SAME: found
// CHECK: tc.contract [i, l], [l, j] -> [j, i]
// CHECK-NOT: found
// CHECK: tc.contract [i, i], [i, j] -> [i, j]
// CHECK-NOT: found
// CHECK: return
func.func @match(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  tc.contract [i, l], [l, j] -> [i, j]
    ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  tc.contract [i, l], [l, j] -> [j, i]
    ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  tc.contract [i, i], [i, j] -> [i, j]
    ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.tc.match_contract [m, k], [k, n] -> [m, n] in %root
      : (!transform.any_op) -> !transform.op<"tc.contract">
    transform.annotate %ops "found" : !transform.op<"tc.contract">
    transform.yield
  }
}

// -----

// Schedules of either kind are chosen and set, each in place of the one before.

// CHECK-LABEL: @schedules
// CHECK: tc.contract
// CHECK-SAME: cpu_schedule = #tc.cpu_schedule<{{.*}}threads = [
// CHECK-SAME: schedule = #tc.schedule<target = "sm_80"
// CHECK: tc.contract
// CHECK-SAME: cpu_schedule = #tc.cpu_schedule<target = "mine", rows = n, m = [m: 8], n = [n: 16], k = [k: 32], order = [k, m, n], register = [8, 4], lanes = 8, store = cache>
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>
// CHECK: return
func.func @schedules(%A: memref<512x256xf32>, %B: memref<256x512xf32>, %C: memref<512x512xf32>,
                     %D: memref<64x32xf32>, %E: memref<32x48xf32>, %F: memref<64x48xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<512x256xf32>, memref<256x512xf32>) outs(%C : memref<512x512xf32>)
    {schedule = #tc.schedule<target = "sm_90", m = [m: 1], n = [n: 1], k = [k: 1], register = [1, 1]>}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%D, %E : memref<64x32xf32>, memref<32x48xf32>) outs(%F : memref<64x48xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %large, %small = transform.split_handle %ops : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tc.choose_schedule %large for "sm_80" : !transform.any_op
    transform.tc.choose_schedule %large for "cpu" {threads = 2, strategy = "gett"} : !transform.any_op
    transform.tc.set_schedule #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>
      on %small : !transform.any_op
    transform.tc.set_schedule #tc.cpu_schedule<target = "mine", rows = n, m = [m: 8], n = [n: 16], k = [k: 32],
        order = [k, m, n], register = [8, 4], lanes = 8, store = cache>
      on %small : !transform.any_op
    transform.yield
  }
}

// -----

// Each contraction goes its own way: kernels for a GPU meet in one gpu.module,
// under different names; loops for the CPU; and one is left.

// CHECK: module attributes {gpu.container_module
// CHECK-LABEL: func.func @mixed
// CHECK-SAME: %[[A:[^:]*]]: memref<64x32xf64>
// CHECK-SAME: %[[SCALE:[^:]*]]: f64)
// CHECK: memref.memory_space_cast %[[A]]
// CHECK: gpu.launch_func @tc_kernels::@mixed blocks
// CHECK-SAME: {launched}
// CHECK-NOT: tc.contract
// CHECK: vector.fma
// CHECK-NOT: tc.contract
// CHECK: gpu.launch_func @tc_kernels::@mixed_0 blocks
// CHECK-SAME: %[[SCALE]] : f64)
// CHECK-SAME: {launched}
// CHECK: tc.contract [m, k], [k, n] -> [n, m]
// CHECK: gpu.module @tc_kernels {
// CHECK: gpu.func @mixed(
// CHECK-SAME: #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 2.0{{.*}}, beta = 0.0
// CHECK: gpu.func @mixed_0(
// CHECK-SAME: f64) kernel
// CHECK-NOT: func.func @mixed
func.func @mixed(%A: memref<64x32xf64>, %B: memref<32x48xf64>, %C: memref<64x48xf64>, %D: memref<48x64xf64>,
                 %scale: f64) {
  %two = arith.constant 2.0 : f64
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%C : memref<64x48xf64>) alpha(%two : f64)
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%C : memref<64x48xf64>) beta(%two : f64)
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%C : memref<64x48xf64>) beta(%scale : f64)
  tc.contract [m, k], [k, n] -> [n, m]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%D : memref<48x64xf64>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.tc.match_contract [m, k], [k, n] -> [m, n] in %root
      : (!transform.any_op) -> !transform.any_op
    %first, %second, %third = transform.split_handle %ops
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %for_gpu = transform.merge_handles %first, %third : !transform.any_op
    transform.tc.set_schedule #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>
      on %for_gpu : !transform.any_op
    %launches = transform.tc.lower_to_gpu %for_gpu : (!transform.any_op) -> !transform.op<"gpu.launch_func">
    transform.annotate %launches "launched" : !transform.op<"gpu.launch_func">
    transform.tc.choose_schedule %second for "cpu" : !transform.any_op
    transform.tc.lower_to_cpu %second : !transform.any_op
    transform.yield
  }
}

// -----

// Upstream's operations tile; the tiles are lowered in the loop. Their base
// pointers are aligned to 64 rows, so that accesses are as wide as without.

// CHECK-LABEL: @tiled
// CHECK-NOT: tc.contract
// CHECK: scf.for
// CHECK: memref.extract_strided_metadata
// CHECK: gpu.launch_func @tc_kernels::@tiled
// CHECK-NOT: tc.contract
// CHECK: return
// CHECK: gpu.func @tiled(%{{.*}}: memref<64x32xf64, strided<[32, 1]>,
// CHECK-SAME: alignment = [2048, 0, 3072]
// CHECK: nvgpu.device_async_copy {{.*}}, 2 {bypassL1} :
func.func @tiled(%A: memref<128x32xf64>, %B: memref<32x48xf64>, %C: memref<128x48xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<128x32xf64>, memref<32x48xf64>) outs(%C : memref<128x48xf64>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tc.choose_schedule %tile for "sm_90" : !transform.any_op
    transform.tc.lower_to_gpu %tile : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Nothing is launched where there is nothing to multiply, and a schedule that
// does not fit makes the script take another way.

// CHECK-LABEL: @empty
// CHECK: linalg.fill
// CHECK-NOT: gpu.launch_func
// CHECK: return
// CHECK-LABEL: @alternatives
// CHECK: tc.contract
// CHECK-SAME: schedule = #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>
func.func @empty(%A: memref<64x0xf64>, %B: memref<0x48xf64>, %C: memref<64x48xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x0xf64>, memref<0x48xf64>) outs(%C : memref<64x48xf64>)
  return
}
func.func @alternatives(%A: memref<64x32xf64>, %B: memref<32x48xf64>, %C: memref<48x64xf64>) {
  tc.contract [m, k], [k, n] -> [n, m]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>) outs(%C : memref<48x64xf64>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %empty = transform.tc.match_contract [m, k], [k, n] -> [m, n] in %root
      : (!transform.any_op) -> !transform.any_op
    transform.tc.lower_to_gpu %empty : (!transform.any_op) -> !transform.any_op
    %function = transform.structured.match ops{["func.func"]} attributes {sym_name = "alternatives"} in %root
      : (!transform.any_op) -> !transform.any_op
    transform.alternatives %function : !transform.any_op {
    ^bb0(%scope: !transform.any_op):
      %op = transform.structured.match ops{["tc.contract"]} in %scope : (!transform.any_op) -> !transform.any_op
      transform.tc.set_schedule #tc.schedule<target = "sm_90", m = [m: 4096], n = [n: 16], k = [k: 8], register = [4, 2]>
        on %op : !transform.any_op
    }, {
    ^bb0(%scope: !transform.any_op):
      %op = transform.structured.match ops{["tc.contract"]} in %scope : (!transform.any_op) -> !transform.any_op
      transform.tc.set_schedule #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 16], k = [k: 8], register = [4, 2]>
        on %op : !transform.any_op
    }
    transform.yield
  }
}
