// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Prologues, epilogues and auxiliary tensors that the verifier rejects.

func.func @arguments(%A: tensor<4x8xf16>, %B: tensor<8x2xf16>, %C: tensor<4x2xf16>) {
  // expected-error @+1 {{epilogue must have 2 arguments, but has 1}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf16>, tensor<8x2xf16>)
         outs(%C : tensor<4x2xf16>)
         epilogue {
         ^bb0(%sum: f32):
           %stored = arith.truncf %sum : f32 to f16
           tc.yield %stored : f16
         } -> tensor<4x2xf16>
  return
}

// -----

func.func @argument_type(%A: tensor<4x8xf16>, %B: tensor<8x2xf16>, %C: tensor<4x2xf16>) {
  // expected-error @+1 {{argument 0 of epilogue must be 'f32', but is 'f16'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf16>, tensor<8x2xf16>)
         outs(%C : tensor<4x2xf16>)
         epilogue {
         ^bb0(%sum: f16, %old: f16):
           tc.yield %sum : f16
         } -> tensor<4x2xf16>
  return
}

// -----

func.func @blocks(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{prologue_a must have one block, but has 2}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>)
         prologue_a {
         ^bb0(%x: f32):
           cf.br ^bb1
         ^bb1:
           tc.yield %x : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @terminator(%A: memref<4x8xf32>, %B: memref<8x2xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{prologue_b must end in tc.yield}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<8x2xf32>)
    outs(%C : memref<4x2xf32>)
    prologue_b {
    ^bb0(%x: f32):
      llvm.unreachable
    }
  return
}

// -----

func.func private @f(f32) -> f32
func.func @elementwise(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{prologue_a may only have elementwise operations on numbers, but has func.call}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>)
         prologue_a {
         ^bb0(%x: f32):
           // expected-note @+1 {{this one}}
           %y = func.call @f(%x) : (f32) -> f32
           tc.yield %y : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @outside(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: f32) {
  // expected-note @+1 {{required by region isolation constraints}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>)
         prologue_a {
         ^bb0(%x: f32):
           // expected-error @+1 {{using value defined outside the region}}
           %y = arith.mulf %x, %s : f32
           tc.yield %y : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @stored_type(%A: tensor<4x8xf16>, %B: tensor<8x2xf16>, %C: tensor<4x2xf16>) {
  // expected-error @+1 {{epilogue must yield the element type of C, 'f16', but yields 'f32'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf16>, tensor<8x2xf16>)
         outs(%C : tensor<4x2xf16>)
         epilogue {
         ^bb0(%sum: f32, %old: f16):
           tc.yield %sum : f32
         } -> tensor<4x2xf16>
  return
}

// -----

func.func @factor_of_a(%A: tensor<4x8xi8>, %B: tensor<8x2xi8>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{no type holds the factors of both A and B, which are 'f32' and 'i8': convert the elements of one in its prologue}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xi8>, tensor<8x2xi8>)
         outs(%C : tensor<4x2xf32>)
         prologue_a {
         ^bb0(%x: i8):
           %y = arith.sitofp %x : i8 to f32
           tc.yield %y : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @factor_of_b(%A: tensor<4x8xf32>, %B: tensor<8x2xi8>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{no type holds the factors of both A and B, which are 'f32' and 'i32': convert the elements of one in its prologue}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xi8>)
         outs(%C : tensor<4x2xf32>)
         prologue_b {
         ^bb0(%x: i8):
           %y = arith.extsi %x : i8 to i32
           tc.yield %y : i32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @factor_type(%A: tensor<4x8xi8>, %B: tensor<8x2xi8>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{prologues must yield f8e4m3fn, f8e5m2, f16, bf16, f32, f64, i8, i32, i64, c32 or c64, but yield 'i16'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xi8>, tensor<8x2xi8>)
         outs(%C : tensor<4x2xf32>)
         prologue_a {
         ^bb0(%x: i8):
           %y = arith.extsi %x : i8 to i16
           tc.yield %y : i16
         }
         prologue_b {
         ^bb0(%x: i8):
           %y = arith.extsi %x : i8 to i16
           tc.yield %y : i16
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @auxiliary_without_epilogue(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{has auxiliary tensors, but no epilogue that reads them}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) auxiliaries(%s [m] : tensor<4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @auxiliary_label(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{index 'k' of auxiliary tensor 0 is not in C}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) auxiliaries(%s [k] : tensor<8xf32>)
         epilogue {
         ^bb0(%sum: f32, %old: f32, %side: f32):
           tc.yield %sum : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @auxiliary_twice(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: tensor<4x4xf32>) {
  // expected-error @+1 {{index 'm' is in the index list of auxiliary tensor 0 twice}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) auxiliaries(%s [m, m] : tensor<4x4xf32>)
         epilogue {
         ^bb0(%sum: f32, %old: f32, %side: f32):
           tc.yield %sum : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @auxiliary_extent(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: tensor<5xf32>) {
  // expected-error @+1 {{index 'm' has extent 4 in A and 5 in auxiliary tensor 0}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) auxiliaries(%s [m] : tensor<5xf32>)
         epilogue {
         ^bb0(%sum: f32, %old: f32, %side: f32):
           tc.yield %sum : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @auxiliary_kind(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: memref<4xf32>) {
  // expected-error @+1 {{must have either tensors or memrefs only, but auxiliary tensor 0 is 'memref<4xf32>' and C is 'tensor<4x2xf32>'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) auxiliaries(%s [m] : memref<4xf32>)
         epilogue {
         ^bb0(%sum: f32, %old: f32, %side: f32):
           tc.yield %sum : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @auxiliary_rank(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{index list of auxiliary tensor 0 has 2 labels, but its rank is 1}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) auxiliaries(%s [m, n] : tensor<4xf32>)
         epilogue {
         ^bb0(%sum: f32, %old: f32, %side: f32):
           tc.yield %sum : f32
         } -> tensor<4x2xf32>
  return
}

// -----

func.func @auxiliary_lists(%A: memref<4x8xf32>, %B: memref<8x2xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{has 0 auxiliary tensors, but index lists for 1}}
  "tc.contract"(%A, %B, %C) <{a_indices = #tc.indices<[m, k]>,
      b_indices = #tc.indices<[k, n]>, c_indices = #tc.indices<[m, n]>,
      auxiliary_indices = [#tc.indices<[m]>],
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (memref<4x8xf32>, memref<8x2xf32>, memref<4x2xf32>) -> ()
  return
}

// -----

func.func @region_names(%A: memref<4x8xf32>, %B: memref<8x2xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{has 1 regions, but names 0}}
  "tc.contract"(%A, %B, %C) <{a_indices = #tc.indices<[m, k]>,
      b_indices = #tc.indices<[k, n]>, c_indices = #tc.indices<[m, n]>,
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}> ({
      ^bb0(%x: f32):
        tc.yield %x : f32
      }) : (memref<4x8xf32>, memref<8x2xf32>, memref<4x2xf32>) -> ()
  return
}

// -----

func.func @missing_region(%A: memref<4x8xf32>, %B: memref<8x2xf32>, %C: memref<4x2xf32>, %s: memref<4xf32>) {
  // expected-error @+1 {{has 0 regions, but names 1}}
  "tc.contract"(%A, %B, %C, %s) <{a_indices = #tc.indices<[m, k]>,
      b_indices = #tc.indices<[k, n]>, c_indices = #tc.indices<[m, n]>,
      auxiliary_indices = [#tc.indices<[m]>], has_epilogue,
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>}>
      : (memref<4x8xf32>, memref<8x2xf32>, memref<4x2xf32>, memref<4xf32>) -> ()
  return
}
