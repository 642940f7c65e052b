// RUN: tc-opt %s -verify-diagnostics -split-input-file

// Requirements on a user-defined semiring.

func.func @no_regions(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{semiring user_defined needs product and combine}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = user_defined(0.0 : f32)

  return
}

// -----

func.func @other_semiring(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{product and combine need semiring user_defined}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = max_plus
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @type_of_identity(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{identity must be 'f32', the type of sums, but is 'f64'}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = user_defined(0.0 : f64)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @alpha(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>, %f: f32) {
  // expected-error @+1 {{semiring user_defined has no alpha}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    alpha(%f : f32) semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @beta(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>, %f: f32) {
  // expected-error @+1 {{semiring user_defined has no beta}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    beta(%f : f32) semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @accumulate_elsewhere(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{accumulate applies to semiring user_defined; others have beta}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = max_plus accumulate

  return
}

// -----

func.func @precision(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{precision tf32 applies to semiring plus_times, but it is user_defined}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    precision = tf32 semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @argument_type(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{argument 1 of product must be 'f32', but is 'f16'}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f16):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @argument_count(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{combine must have 2 arguments, but has 1}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32):
      tc.yield %x : f32
    }
  return
}

// -----

func.func @yielded(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{product must yield the type of sums, 'f32', but yields 'f16'}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      %z = arith.truncf %x : f32 to f16
      tc.yield %z : f16
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @not_an_identity(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{combine must leave the identity, 1.000000e+00 : f32, as it is, but makes 2.000000e+00 : f32 of it and itself}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = user_defined(1.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @undefined(%A: memref<4x8xi32>, %B: memref<2x8xi32>, %C: memref<4x2xi32>) {
  // expected-error @+1 {{product may only have operations that are defined for all numbers, but has arith.divsi}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xi32>, memref<2x8xi32>) outs(%C : memref<4x2xi32>)
    semiring = user_defined(0 : i32)
    product {
    ^bb0(%x: i32, %y: i32):
      %z = arith.divsi %x, %y : i32
      tc.yield %z : i32
    }
    combine {
    ^bb0(%x: i32, %y: i32):
      %z = arith.addi %x, %y : i32
      tc.yield %z : i32
    }
  return
}

// -----

func.func @complex_numbers(%A: memref<4x8xcomplex<f32>>, %B: memref<2x8xcomplex<f32>>, %C: memref<4x2xcomplex<f32>>) {
  // expected-error @+1 {{semiring user_defined applies to real numbers, but the factors have 'complex<f32>'}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xcomplex<f32>>, memref<2x8xcomplex<f32>>) outs(%C : memref<4x2xcomplex<f32>>)
    semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tc.yield %z : f32
    }
  return
}

// -----

func.func @no_identity(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{identity must be 'f32', the type of sums, but there is none}}
  "tc.contract"(%A, %B, %C) <{
    a_indices = #tc.indices<[m, k]>, b_indices = #tc.indices<[n, k]>, c_indices = #tc.indices<[m, n]>,
    semiring = #tc.semiring<user_defined>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}> ({
  ^bb0(%x: f32, %y: f32):
    tc.yield %x : f32
  }, {
  ^bb0(%x: f32, %y: f32):
    tc.yield %x : f32
  }) : (memref<4x8xf32>, memref<2x8xf32>, memref<4x2xf32>) -> ()
  return
}

// -----

func.func @identity_elsewhere(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{identity applies to semiring user_defined}}
  "tc.contract"(%A, %B, %C) <{
    a_indices = #tc.indices<[m, k]>, b_indices = #tc.indices<[n, k]>, c_indices = #tc.indices<[m, n]>,
    identity = 0.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
    : (memref<4x8xf32>, memref<2x8xf32>, memref<4x2xf32>) -> ()
  return
}

// -----

func.func @side_effects(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{combine may only have elementwise operations on numbers, but has func.call}}
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
    combine {
    ^bb0(%x: f32, %y: f32):
      // expected-note @+1 {{this one}}
      %z = func.call @operation(%x) : (f32) -> f32
      tc.yield %z : f32
    }
  return
}
func.func private @operation(f32) -> f32

// -----

func.func @product_alone(%A: memref<4x8xf32>, %B: memref<2x8xf32>, %C: memref<4x2xf32>) {
  tc.contract [m, k], [n, k] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<2x8xf32>) outs(%C : memref<4x2xf32>)
    semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      tc.yield %x : f32
    }
  // expected-error @+1 {{expected 'combine'}}
  return
}
