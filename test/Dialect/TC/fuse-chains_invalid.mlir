// RUN: tc-opt %s --tc-fuse-chains=target=sm_90 -split-input-file -verify-diagnostics

func.func @semiring(%A: tensor<4x4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %D = tc.fused -> tensor<4x4xf32> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) semiring = min_plus -> tensor<4x4xf32>
    // expected-error @below {{'tc.contract' op cannot be in one kernel with the contraction before, with which it is in a 'tc.fused': its semiring is not plus_times}}
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%0, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    tc.fused_yield %1 : tensor<4x4xf32>
  }
  return %D : tensor<4x4xf32>
}

// -----

func.func @integers(%A: tensor<4x4xi32>, %C: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %D = tc.fused -> tensor<4x4xi32> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xi32>, tensor<4x4xi32>) outs(%C : tensor<4x4xi32>) -> tensor<4x4xi32>
    // expected-error @below {{its numbers are integers}}
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%0, %A : tensor<4x4xi32>, tensor<4x4xi32>) outs(%C : tensor<4x4xi32>) -> tensor<4x4xi32>
    tc.fused_yield %1 : tensor<4x4xi32>
  }
  return %D : tensor<4x4xi32>
}

// -----

func.func @real_b(%A: tensor<4x4xcomplex<f64>>, %R: tensor<4x4xf64>, %C: tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>> {
  %D = tc.fused -> tensor<4x4xcomplex<f64>> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>) outs(%C : tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
    // expected-error @below {{its A is complex and its B is not: swap them}}
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%0, %R : tensor<4x4xcomplex<f64>>, tensor<4x4xf64>) outs(%C : tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
    tc.fused_yield %1 : tensor<4x4xcomplex<f64>>
  }
  return %D : tensor<4x4xcomplex<f64>>
}

// -----

func.func @alpha(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>, %alpha: f64) -> tensor<4x4xf64> {
  %D = tc.fused -> tensor<4x4xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) alpha(%alpha : f64) -> tensor<4x4xf64>
    // expected-error @below {{alpha of the one before is not a constant}}
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%0, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    tc.fused_yield %1 : tensor<4x4xf64>
  }
  return %D : tensor<4x4xf64>
}

// -----

func.func @old_elements(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>, %beta: f64) -> tensor<4x4xf64> {
  %D = tc.fused -> tensor<4x4xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) beta(%beta : f64) -> tensor<4x4xf64>
    // expected-error @below {{the one before uses what its C held}}
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%0, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    tc.fused_yield %1 : tensor<4x4xf64>
  }
  return %D : tensor<4x4xf64>
}

// -----

func.func @diagonal(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>, %c: tensor<4xf64>) -> tensor<4xf64> {
  %D = tc.fused -> tensor<4xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    // expected-error @below {{it takes a diagonal of what the one before computes}}
    %1 = tc.contract [m, m], [m, n] -> [n] ins(%0, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%c : tensor<4xf64>) -> tensor<4xf64>
    tc.fused_yield %1 : tensor<4xf64>
  }
  return %D : tensor<4xf64>
}

// -----

func.func @buffer(%A: memref<4x4xf64>, %T: memref<4x4xf64>, %C: memref<4x4xf64>) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-error @below {{the buffer between them is not allocated for that}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  return
}

// -----

func.func @output_in_first_input(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%C, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-error @below {{the output is in the buffer of an input}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  memref.dealloc %T : memref<4x4xf64>
  return
}

// -----

// The second link of three reads the buffer that the third stores to.
func.func @output_in_later_input(%A: memref<4x4xf64>, %C: memref<4x4xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  %U = memref.alloc() : memref<4x4xf64>
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-error @below {{the output is in the buffer of an input}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%C, %T : memref<4x4xf64>, memref<4x4xf64>) outs(%U : memref<4x4xf64>)
    tc.contract [m, k], [k, n] -> [m, n] ins(%U, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  memref.dealloc %T : memref<4x4xf64>
  memref.dealloc %U : memref<4x4xf64>
  return
}

// -----

func.func @too_large(%A: tensor<1000x1000xf64>, %C: tensor<1000x1000xf64>) -> tensor<1000x1000xf64> {
  // expected-error @below {{'tc.fused' op no schedule for sm_90 keeps the tensors between contractions in shared memory}}
  %D = tc.fused -> tensor<1000x1000xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<1000x1000xf64>, tensor<1000x1000xf64>) outs(%C : tensor<1000x1000xf64>) -> tensor<1000x1000xf64>
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%0, %A : tensor<1000x1000xf64>, tensor<1000x1000xf64>) outs(%C : tensor<1000x1000xf64>) -> tensor<1000x1000xf64>
    tc.fused_yield %1 : tensor<1000x1000xf64>
  }
  return %D : tensor<1000x1000xf64>
}

// -----

func.func @softmax_along_rows(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %D = tc.fused -> tensor<4x4xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    %1 = linalg.softmax dimension(0) ins(%0 : tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    // expected-error @below {{the softmax between them is along index m, which is not the one of its indices that is summed over}}
    %2 = tc.contract [m, k], [k, n] -> [m, n] ins(%1, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    tc.fused_yield %2 : tensor<4x4xf64>
  }
  return %D : tensor<4x4xf64>
}

// -----

func.func @scores_used_elsewhere(%A: memref<4x4xf64>, %X: memref<4x4xf64>, %C: memref<4x4xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    linalg.softmax dimension(1) ins(%T : memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-error @below {{something else uses the buffer between them}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  memref.copy %T, %X : memref<4x4xf64> to memref<4x4xf64>
  return
}

// -----

func.func @summed_elsewhere(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>, %c: tensor<4xf64>) -> tensor<4xf64> {
  %D = tc.fused -> tensor<4xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    // expected-error @below {{it sums over index i, which what the one before computes does not have}}
    %1 = tc.contract [m, n], [i, n] -> [m] ins(%0, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%c : tensor<4xf64>) -> tensor<4xf64>
    tc.fused_yield %1 : tensor<4xf64>
  }
  return %D : tensor<4xf64>
}

// -----

// The third contraction reads elements that no kernel would have stored.
func.func @read_later(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %D: memref<4x4xf64>) {
  %T = memref.alloc() : memref<4x4xf64>
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-error @below {{something else uses the buffer between them}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%D : memref<4x4xf64>)
  return
}

// -----

// In a loop, the one before would read elements of the last round.
func.func @read_before(%A: memref<4x4xf64>, %C: memref<4x4xf64>, %D: memref<4x4xf64>, %n: index) {
  %T = memref.alloc() : memref<4x4xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%D : memref<4x4xf64>)
    tc.fused {
      tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
      // expected-error @below {{something else uses the buffer between them}}
      tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    }
  }
  return
}

// -----

func.func @complex_softmax(%A: tensor<4x4xcomplex<f64>>, %C: tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>> {
  %D = tc.fused -> tensor<4x4xcomplex<f64>> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>) outs(%C : tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
    %1 = linalg.softmax dimension(1) ins(%0 : tensor<4x4xcomplex<f64>>) outs(%C : tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
    // expected-error @below {{the softmax between them is of complex numbers}}
    %2 = tc.contract [m, k], [k, n] -> [m, n] ins(%1, %A : tensor<4x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>) outs(%C : tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
    tc.fused_yield %2 : tensor<4x4xcomplex<f64>>
  }
  return %D : tensor<4x4xcomplex<f64>>
}

// -----

func.func @diagonal_in_common(%U: tensor<4x4xf64>, %C: tensor<4x4xf64>, %c: tensor<4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>) {
  %D:2 = tc.fused -> tensor<4x4xf64>, tensor<4xf64> {
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%U, %C : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    // expected-error @below {{one of them takes a diagonal of an input that both take}}
    %1 = tc.contract [m, m], [m] -> [m] ins(%U, %c : tensor<4x4xf64>, tensor<4xf64>) outs(%c : tensor<4xf64>) -> tensor<4xf64>
    tc.fused_yield %0, %1 : tensor<4x4xf64>, tensor<4xf64>
  }
  return %D#0, %D#1 : tensor<4x4xf64>, tensor<4xf64>
}
