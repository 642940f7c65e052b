// RUN: tc-opt %s --tc-gpu-pipeline="to=schedule" | FileCheck %s --check-prefix=SUMS
// RUN: tc-opt %s --tc-gpu-pipeline | FileCheck %s --check-prefix=KERNELS
// RUN: tc-opt %s --tc-cpu-pipeline="target-file=%S/../Unit/Machine/Inputs/i7-6700k.json to=schedule" | FileCheck %s --check-prefix=SUMS
// RUN: tc-opt %s --tc-gpu-pipeline="to=schedule sum-operands=false" | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --tc-gpu-pipeline="to=schedule memory-limit=1000000" | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --tc-gpu-pipeline="to=schedule dynamic-shapes" | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --tc-cpu-pipeline="target-file=%S/../Unit/Machine/Inputs/i7-6700k.json to=schedule sum-operands=false" | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --tc-cpu-pipeline="target-file=%S/../Unit/Machine/Inputs/i7-6700k.json to=schedule memory-limit=1000000" | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --tc-cpu-pipeline="target-file=%S/../Unit/Machine/Inputs/i7-6700k.json to=schedule strategy=direct" | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --tc-cpu-pipeline="target-file=%S/../Unit/Machine/Inputs/i7-6700k.json to=schedule outline" | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --convert-tc-to-linalg --convert-linalg-to-tc --tc-gpu-pipeline="to=schedule" | FileCheck %s --check-prefix=RAISED

// The sums of an operand that two products have are computed once.
// SUMS-LABEL: func @products
// SUMS: tc.contract [i, j], [] -> [i]
// SUMS: tc.contract [i], [k] -> [i, k]
// SUMS: tc.contract [i], [k] -> [i, k]
// SUMS-NOT: tc.contract

// The products, which have the sums in common, are one kernel.
// KERNELS: gpu.module
// KERNELS-COUNT-2: gpu.func
// KERNELS-NOT: gpu.func

// ALL-LABEL: func @products
// ALL: tc.contract [i, j], [k] -> [i, k]
// ALL: tc.contract [i, j], [k] -> [i, k]
// ALL-NOT: tc.contract [i, j], [] -> [i]

// RAISED-LABEL: func @products
// RAISED: tc.contract [m, s], [] -> [m]
// RAISED: tc.contract [m], [n] -> [m, n]
// RAISED: tc.contract [m], [n] -> [m, n]
// RAISED-NOT: tc.contract
func.func @products(%A: tensor<200x6000xf64>, %x: tensor<400xf64>, %y: tensor<400xf64>)
    -> (tensor<200x400xf64>, tensor<200x400xf64>) {
  %e = tensor.empty() : tensor<200x400xf64>
  %0 = tc.contract [i, j], [k] -> [i, k] ins(%A, %x : tensor<200x6000xf64>, tensor<400xf64>)
    outs(%e : tensor<200x400xf64>) -> tensor<200x400xf64>
  %1 = tc.contract [i, j], [k] -> [i, k] ins(%A, %y : tensor<200x6000xf64>, tensor<400xf64>)
    outs(%e : tensor<200x400xf64>) -> tensor<200x400xf64>
  return %0, %1 : tensor<200x400xf64>, tensor<200x400xf64>
}
