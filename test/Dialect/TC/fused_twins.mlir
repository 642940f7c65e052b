// RUN: tc-opt %s --cse | FileCheck %s
// RUN: tc-run %s --ptxas=0 --check=all | FileCheck %s --check-prefix=NUMBERS

// Equal contractions of a horizontal fusion, and one computed before it, become
// one: the group yields the same twice, and a value from around it, and is still a group.

// NUMBERS-COUNT-2: passed: all
// CHECK-LABEL: @twins
// CHECK: %[[BEFORE:.*]] = tc.contract [m, k], [k, n] -> [m, n]
// CHECK: tc.fused
// CHECK-COUNT-2: tc.contract
// CHECK-NOT: tc.contract
// CHECK: tc.fused_yield %[[X:.*]], %[[X]], %[[BEFORE]], %{{.*}} :
func.func @twins(%A: tensor<8x4xf64>, %B: tensor<4x8xf64>, %C: tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>) {
  %T = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
  %D:4 = tc.fused -> tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64> {
    %0 = tc.contract [m, k], [k, n] -> [n, m] ins(%A, %B : tensor<8x4xf64>, tensor<4x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
    %1 = tc.contract [m, k], [k, n] -> [n, m] ins(%A, %B : tensor<8x4xf64>, tensor<4x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
    %2 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : tensor<8x4xf64>, tensor<4x8xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
    %3 = tc.contract [m, k], [n, k] -> [m, n] ins(%A, %A : tensor<8x4xf64>, tensor<8x4xf64>) outs(%C : tensor<8x8xf64>) -> tensor<8x8xf64>
    tc.fused_yield %0, %1, %2, %3 : tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>
  }
  return %T, %D#0, %D#1, %D#2, %D#3 : tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>, tensor<8x8xf64>
}
