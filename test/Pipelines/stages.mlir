// RUN: tc-opt %s --tc-gpu-pipeline="target=sm_80 to=fuse" | FileCheck %s --check-prefix=FUSE
// RUN: tc-opt %s --tc-gpu-pipeline="target=sm_80 to=schedule" | FileCheck %s --check-prefix=SCHEDULE
// RUN: tc-opt %s --tc-gpu-pipeline="target=sm_80 to=fuse" | \
// RUN:   tc-opt --tc-gpu-pipeline="target=sm_80 from=schedule" > %t.in-steps
// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_80 | diff - %t.in-steps
// RUN: tc-opt %s --tc-cpu-pipeline="to=fuse" | FileCheck %s --check-prefix=CPU
// RUN: tc-opt %s --tc-cpu-pipeline="to=fuse" | tc-opt --tc-cpu-pipeline="from=schedule" > %t.in-steps
// RUN: tc-opt %s --tc-cpu-pipeline | diff - %t.in-steps
// RUN: not tc-opt %s --tc-gpu-pipeline="to=fused" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tc-opt %s --tc-gpu-pipeline="from=lower to=fuse" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tc-opt %s --tc-cpu-pipeline="from=fuse to=prepare" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tc-run %s --chip=sm_80 --check --seed=1 --ptxas=0 | FileCheck %s --check-prefix=RUNS
// RUN: tc-run %s --chip=sm_80 --explain --runners-up=1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tc-run %s --chip=sm_80 --explain --json | FileCheck %s --check-prefix=JSON
// RUN: tc-run %s --chip=sm_80 --explain-html=%t.html && FileCheck %s --check-prefix=HTML --input-file=%t.html
// RUN: tc-run %s --chip=sm_80 --fuse-chains=false --explain | FileCheck %s --check-prefix=APART

// A chain whose first factors have two types is one kernel, whoever compiles it,
// and that kernel is explained.

// FUSE: tc.fused
// FUSE-COUNT-2: schedule = #tc.schedule<target = "sm_80"
// FUSE-NOT: memref
// SCHEDULE: tc.fused
// SCHEDULE-NOT: gpu.launch_func
// CPU-NOT: tc.fused
// CPU: tensor<2048x32xf32>
// UNKNOWN: for the --to option: Cannot find option named 'fused'!
// NONE: stages.mlir:{{.*}} error: option 'from': stage '{{lower|fuse}}' comes after '{{fuse|prepare}}', which is the last to run
// RUNS: kernel chain
// RUNS: contraction 1 A[m,l] = A1[m,k] * B1[k,l]
// RUNS: passed
// RUNS-NOT: kernel
// EXPLAIN: chain [m, l] -> [m, n]: one kernel is predicted to take {{.*}}: fused
// EXPLAIN: explanation of {{.*}}stages.mlir:[[# @LINE + 18]]:8
// EXPLAIN: types {{.*}}A f16, B f32, C f32
// EXPLAIN: kernel {{.*}}contraction 1 of 2, which one kernel computes
// EXPLAIN: fused apart #2
// EXPLAIN: explanation of
// EXPLAIN: contraction 2 of 2
// JSON: "kernel": {
// JSON-NEXT: "contraction": 1,
// JSON-NEXT: "contractions": 2
// JSON: "name": "fused"
// JSON: "name": "apart"
// HTML: Kernel: contraction 1 of 2, which one kernel computes.
// HTML: Kernel: contraction 2 of 2, which one kernel computes.
// APART-NOT: fused
// APART: chosen
func.func @chain(%A: tensor<2048x32xf16>, %B: tensor<32x32xf32>,
                 %D: tensor<32x48xf32>) -> tensor<2048x48xf32> {
  %e = tensor.empty() : tensor<2048x32xf32>
  %T = tc.contract [m, k], [k, l] -> [m, l]
    ins(%A, %B : tensor<2048x32xf16>, tensor<32x32xf32>)
    outs(%e : tensor<2048x32xf32>) -> tensor<2048x32xf32>
  %f = tensor.empty() : tensor<2048x48xf32>
  %R = tc.contract [m, l], [l, n] -> [m, n]
    ins(%T, %D : tensor<2048x32xf32>, tensor<32x48xf32>)
    outs(%f : tensor<2048x48xf32>) -> tensor<2048x48xf32>
  return %R : tensor<2048x48xf32>
}
