// Groups are made on tensors, and where buffers rule one kernel out, each of its
// contractions has one of its own: a remark says so, and the numbers are right.
//
// RUN: split-file %s %t
// RUN: tc-opt %t/argument.mlir --tc-gpu-pipeline 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: tc-opt %t/filled.mlir --tc-gpu-pipeline 2>&1 | FileCheck %s --check-prefix=FILLED
// RUN: tc-opt %t/scores.mlir --tc-gpu-pipeline 2>&1 | FileCheck %s --check-prefix=SCORES
// RUN: tc-run %t/argument.mlir --ptxas=0 --check=all --seed=1 | FileCheck %s --check-prefix=NUMBERS
// RUN: tc-run %t/filled.mlir --ptxas=0 --check=all --seed=1 | FileCheck %s --check-prefix=NUMBERS
// RUN: tc-run %t/scores.mlir --ptxas=0 --check=all --seed=1 | FileCheck %s --check-prefix=NUMBERS
// RUN: tc-run %t/viewed.octopi --ptxas=0 --check=all --seed=2 | FileCheck %s --check-prefix=NUMBERS
//
// ARGUMENT: remark: becomes a kernel of its own: the buffer between them is not allocated for that
// ARGUMENT-COUNT-2: gpu.launch_func
// FILLED: remark: becomes a kernel of its own: something else uses the buffer between them
// FILLED-COUNT-2: gpu.launch_func
// SCORES: remark: becomes a kernel of its own: the buffer between them is not allocated for that
// SCORES: gpu.launch_func
// SCORES-NOT: linalg.softmax
// SCORES: gpu.launch_func
// NUMBERS: passed: all

//--- argument.mlir
func.func @argument(%A: tensor<512x32xf64>, %B: tensor<32x16xf64>, %E: tensor<16x8xf64>, %T: tensor<512x16xf64>, %C: tensor<512x8xf64>) -> tensor<512x8xf64> {
  %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<512x32xf64>, tensor<32x16xf64>) outs(%T : tensor<512x16xf64>) -> tensor<512x16xf64>
  %1 = tc.contract [m, l], [l, n] -> [m, n] ins(%0, %E : tensor<512x16xf64>, tensor<16x8xf64>) outs(%C : tensor<512x8xf64>) -> tensor<512x8xf64>
  return %1 : tensor<512x8xf64>
}

//--- filled.mlir
func.func @filled(%A: tensor<512x32xf64>, %B: tensor<32x16xf64>, %E: tensor<16x8xf64>, %C: tensor<512x8xf64>) -> (tensor<512x8xf64>, tensor<512x16xf64>) {
  %T = tensor.empty() : tensor<512x16xf64>
  %0 = tc.contract [m, k], [k, l] -> [m, l] ins(%A, %B : tensor<512x32xf64>, tensor<32x16xf64>) outs(%T : tensor<512x16xf64>) -> tensor<512x16xf64>
  %1 = tc.contract [m, l], [l, n] -> [m, n] ins(%0, %E : tensor<512x16xf64>, tensor<16x8xf64>) outs(%C : tensor<512x8xf64>) -> tensor<512x8xf64>
  %f = arith.constant 1.0 : f64
  %one = linalg.fill ins(%f : f64) outs(%T : tensor<512x16xf64>) -> tensor<512x16xf64>
  return %1, %one : tensor<512x8xf64>, tensor<512x16xf64>
}

//--- scores.mlir
func.func @scores(%Q: tensor<64x32xf32>, %K: tensor<32x32xf32>, %V: tensor<32x8xf32>, %T: tensor<64x32xf32>, %C: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %0 = tc.contract [q, d], [k, d] -> [q, k] ins(%Q, %K : tensor<64x32xf32>, tensor<32x32xf32>) outs(%T : tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<64x32xf32>) outs(%T : tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = tc.contract [q, k], [k, d] -> [q, d] ins(%1, %V : tensor<64x32xf32>, tensor<32x8xf32>) outs(%C : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %2 : tensor<64x8xf32>
}

//--- viewed.octopi
define:
a = 2
b = 2
c = 2
d = 3
e = 3
f = 2
T5[a f e] = A1[f d f] * T3[a a e] + Sum([b c d], A6[f] * A4[b c f d] * A4[b b a d] * A2[] * A7[a f e])
A7[f c e] += Sum([a], A6[f] * T5[a c e])
