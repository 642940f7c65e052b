// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @arguments(%A: memref<4x4xf64>) {
  // expected-error @below {{'tc.fused' op region should have no arguments}}
  "tc.fused"() ({
  ^bb0(%x: f64):
    "tc.fused_yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @nested() {
  tc.fused {
    // expected-error @below {{'tc.fused' op cannot be in another one}}
    tc.fused {
    }
  }
  return
}

// -----

func.func @store(%A: memref<4xf64>, %x: f64, %i: index) {
  tc.fused {
    // expected-error @below {{'memref.store' op may touch memory, which only contractions, a softmax before the last one and a reduction of its output do in a 'tc.fused'}}
    memref.store %x, %A[%i] : memref<4xf64>
  }
  return
}

// -----

func.func @both(%A: tensor<4xf64>, %C: tensor<f64>, %X: memref<4xf64>, %Z: memref<f64>) -> tensor<f64> {
  %D = tc.fused -> tensor<f64> {
    %0 = tc.contract [k], [k] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>) -> tensor<f64>
    // expected-error @below {{'tc.contract' op is on memrefs, but the first one of its 'tc.fused' is not}}
    tc.contract [k], [k] -> [] ins(%X, %X : memref<4xf64>, memref<4xf64>) outs(%Z : memref<f64>)
    tc.fused_yield %0 : tensor<f64>
  }
  return %D : tensor<f64>
}

// -----

func.func @another_output(%X: memref<4xf64>, %W: memref<4xf64>, %Y: memref<f64>, %Z: memref<f64>) {
  tc.fused {
    tc.contract [k], [k] -> [] ins(%X, %X : memref<4xf64>, memref<4xf64>) outs(%Y : memref<f64>)
    // expected-error @below {{'tc.contract' op must have the C of the first one of its 'tc.fused'}}
    tc.contract [k], [k] -> [] ins(%W, %W : memref<4xf64>, memref<4xf64>) outs(%Z : memref<f64>)
  }
  return
}

// -----

func.func @no_chain(%A: tensor<4xf64>, %B: tensor<4xf64>, %C: tensor<f64>) -> tensor<f64> {
  %D = tc.fused -> tensor<f64> {
    // expected-error @below {{'tc.contract' op must compute C of the next one of its 'tc.fused', and nothing else may use that}}
    %0 = tc.contract [k], [k] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>) -> tensor<f64>
    %1 = tc.contract [k], [k] -> [] ins(%B, %B : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>) -> tensor<f64>
    tc.fused_yield %1 : tensor<f64>
  }
  return %D : tensor<f64>
}

// -----

func.func @used_twice(%A: tensor<4xf64>, %C: tensor<f64>, %one: f64) -> tensor<f64> {
  %D = tc.fused -> tensor<f64> {
    // expected-error @below {{'tc.contract' op must compute C of the next one of its 'tc.fused', and nothing else may use that}}
    %0 = tc.contract [k], [k] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>) -> tensor<f64>
    %1 = tc.contract [], [] -> [] ins(%0, %C : tensor<f64>, tensor<f64>) outs(%0 : tensor<f64>) beta(%one : f64) -> tensor<f64>
    tc.fused_yield %1 : tensor<f64>
  }
  return %D : tensor<f64>
}

// -----

func.func @result_types(%A: tensor<4xf64>) -> tensor<f64> {
  %D = tc.fused -> tensor<f64> {
    // expected-error @below {{'tc.fused_yield' op yields ('tensor<4xf64>'), but the results are ('tensor<f64>')}}
    tc.fused_yield %A : tensor<4xf64>
  }
  return %D : tensor<f64>
}

// -----

func.func @another_result(%A: tensor<4xf64>, %C: tensor<f64>) -> tensor<f64> {
  %D = tc.fused -> tensor<f64> {
    %0 = tc.contract [k], [k] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>) -> tensor<f64>
    // expected-error @below {{'tc.fused_yield' op must yield what the last contraction computes, and only that}}
    tc.fused_yield %C : tensor<f64>
  }
  return %D : tensor<f64>
}

// -----

func.func @result_of_buffers(%A: tensor<4xf64>, %X: memref<4xf64>, %Z: memref<f64>) -> tensor<4xf64> {
  %D = tc.fused -> tensor<4xf64> {
    tc.contract [k], [k] -> [] ins(%X, %X : memref<4xf64>, memref<4xf64>) outs(%Z : memref<f64>)
    // expected-error @below {{'tc.fused_yield' op must yield nothing, as contractions are on memrefs}}
    tc.fused_yield %A : tensor<4xf64>
  }
  return %D : tensor<4xf64>
}

// -----

func.func @maximum(%X: memref<4xf64>, %Y: memref<4xf64>, %Z: memref<f64>) {
  tc.fused {
    tc.contract [k], [k] -> [k] ins(%X, %X : memref<4xf64>, memref<4xf64>) outs(%Y : memref<4xf64>)
    // expected-error @below {{'linalg.reduce' op must add all elements of what the last contraction of its 'tc.fused' computes to one number}}
    linalg.reduce { arith.maximumf } ins(%Y : memref<4xf64>) outs(%Z : memref<f64>) dimensions = [0]
  }
  return
}

// -----

func.func @used_beside_sum(%A: tensor<4xf64>, %C: tensor<4xf64>, %Z: tensor<f64>) -> tensor<f64> {
  %D = tc.fused -> tensor<f64> {
    // expected-error @below {{'tc.contract' op is added up, so nothing else may use its result}}
    %0 = tc.contract [k], [k] -> [k] ins(%A, %A : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<4xf64>) -> tensor<4xf64>
    %1 = tensor.cast %0 : tensor<4xf64> to tensor<?xf64>
    %2 = linalg.reduce { arith.addf } ins(%0 : tensor<4xf64>) outs(%Z : tensor<f64>) dimensions = [0]
    tc.fused_yield %2 : tensor<f64>
  }
  return %D : tensor<f64>
}

// -----

func.func @yields_no_sum(%A: tensor<4xf64>, %C: tensor<4xf64>, %Z: tensor<f64>) -> tensor<f64> {
  %D = tc.fused -> tensor<f64> {
    %0 = tc.contract [k], [k] -> [k] ins(%A, %A : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<4xf64>) -> tensor<4xf64>
    %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4xf64>) outs(%Z : tensor<f64>) dimensions = [0]
    // expected-error @below {{'tc.fused_yield' op must yield what the reduction computes, and only that}}
    tc.fused_yield %Z : tensor<f64>
  }
  return %D : tensor<f64>
}

// -----

func.func @yield_elsewhere() {
  // expected-error @below {{'tc.fused_yield' op expects parent op 'tc.fused'}}
  "tc.fused_yield"() : () -> ()
}

// -----

func.func @used_twice(%A: tensor<4x4xf64>, %C: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %D = tc.fused -> tensor<4x4xf64> {
    // expected-error @below {{'tc.contract' op must compute A or B of the next one of its 'tc.fused', and nothing else may use that}}
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%0, %A : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    %2 = tc.contract [m, k], [k, n] -> [m, n] ins(%1, %0 : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
    tc.fused_yield %2 : tensor<4x4xf64>
  }
  return %D : tensor<4x4xf64>
}

// -----

func.func @chain_and_sum(%A: memref<4x4xf64>, %T: memref<4x4xf64>, %C: memref<4x4xf64>) {
  tc.fused {
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%T : memref<4x4xf64>)
    // expected-error @below {{'tc.contract' op must compute A or B of the next one of its 'tc.fused', and nothing else may use that}}
    tc.contract [m, k], [k, n] -> [m, n] ins(%T, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
    tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%C : memref<4x4xf64>)
  }
  return
}

// -----

func.func @first_softmax(%A: tensor<4x4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %D = tc.fused -> tensor<4x4xf32> {
    // expected-error @below {{'linalg.softmax' op must be of what the last contraction but one of its 'tc.fused' computes, for the last one}}
    %0 = linalg.softmax dimension(1) ins(%A : tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = tc.contract [m, k], [k, n] -> [m, n] ins(%0, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    tc.fused_yield %1 : tensor<4x4xf32>
  }
  return %D : tensor<4x4xf32>
}

// -----

func.func @softmax_used_twice(%A: tensor<4x4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %D = tc.fused -> tensor<4x4xf32> {
    // expected-error @below {{'tc.contract' op must compute A or B of the next one of its 'tc.fused', and nothing else may use that}}
    %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = linalg.softmax dimension(1) ins(%0 : tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = tensor.insert_slice %1 into %C[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32>
    %3 = tc.contract [m, k], [k, n] -> [m, n] ins(%1, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
    tc.fused_yield %3 : tensor<4x4xf32>
  }
  return %D : tensor<4x4xf32>
}
