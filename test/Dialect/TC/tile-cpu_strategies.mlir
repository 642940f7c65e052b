// RUN: tc-opt %s -tc-tile-cpu="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json strategy=ttgt" | FileCheck %s --check-prefix=TTGT
// RUN: tc-opt %s -tc-tile-cpu="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json strategy=ttgt workspace-limit=30720" | FileCheck %s --check-prefix=TTGT
// RUN: tc-opt %s -tc-tile-cpu="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json strategy=loop_over_gemm" | FileCheck %s --check-prefix=LOG
// RUN: tc-opt %s -tc-tile-cpu="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json strategy=gett" | FileCheck %s --check-prefix=GETT
// RUN: tc-opt %s -tc-tile-cpu="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json" | FileCheck %s --check-prefix=GETT
// RUN: not tc-opt %s -tc-tile-cpu="strategy=ttgt workspace-limit=30719" 2>&1 | FileCheck %s --check-prefix=LIMIT

// Tensors that are no matrices are copied: C is, with a and c, which lie side
// by side in A, as one index. The index of stride one, c, keeps its stride.
// TTGT-LABEL: func.func @contraction
// TTGT: strategy = ttgt, transpose = [C: [b, a, c]], rows = m, m = [ac: {{[0-9]+}}], n = [b: {{[0-9]+}}], k = [d: 32],

// The indices of stride one, d and c, are in the matrix product, so loops run
// along a.
// LOG-LABEL: func.func @contraction
// LOG: strategy = loop_over_gemm, loops = [a], rows = m, m = [c: 12], n = [b: 20], k = [d: 32],

// GETT-LABEL: func.func @contraction
// GETT-NOT: strategy

// LIMIT: error: 'tc.contract' op strategy ttgt: transposed copies take 30720 B, more than the limit of 30719 B
func.func @contraction(%A: memref<8x12x32xf64>, %B: memref<40x32xf64>,
                       %C: memref<8x40x12xf64>) {
  tc.contract [a, c, d], [b, d] -> [a, b, c]
    ins(%A, %B : memref<8x12x32xf64>, memref<40x32xf64>)
    outs(%C : memref<8x40x12xf64>)
  return
}
