// RUN: tc-opt %s -verify-diagnostics -split-input-file

func.func @mixed(%A: tensor<4x8xf32>, %B: memref<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{must have either tensors or memrefs only, but B is 'memref<8x2xf32>' and C is 'tensor<4x2xf32>'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, memref<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @unranked(%A: tensor<*xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor or memref, but got 'tensor<*xf32>'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<*xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @no_result(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>) outs(%C : tensor<4x2xf32>)
  return
}

// -----

func.func @result_of_memref(%A: memref<4x8xf32>, %B: memref<8x2xf32>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : memref<4x8xf32>, memref<8x2xf32>)
         outs(%C : memref<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @result_type(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{expected type of operand #2 ('tensor<4x2xf32>') to match type of corresponding result ('tensor<2x4xf32>')}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rank(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{index list of B has 3 labels, but its rank is 2}}
  %D = tc.contract [m, k], [k, n, b] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @element_type(%A: tensor<4x8xi16>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{element type of A must be f8e4m3fn, f8e5m2, f16, bf16, f32, f64, i8, i32, i64, c32 or c64, but is 'i16'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xi16>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @element_types(%A: tensor<4x8xf32>, %B: tensor<8x2xf64>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{element type of C must be f64 for factors of 'f64', but is 'f32'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf64>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @alpha_type(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: f64) {
  // expected-error @+1 {{type of alpha must be that of the sums, 'f32', but is 'f64'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) alpha(%s : f64) -> tensor<4x2xf32>
  return
}

// -----

func.func @beta_type(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>, %s: f64) {
  // expected-error @+1 {{type of beta must be that of the sums, 'f32', but is 'f64'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) beta(%s : f64) -> tensor<4x2xf32>
  return
}

// -----

func.func @integer_by_float(%A: tensor<4x8xi8>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{no type holds the factors of both A and B, which are 'i8' and 'f32': convert the elements of one in its prologue}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xi8>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @output_type(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xi32>) {
  // expected-error @+1 {{element type of C must be f8e4m3fn, f8e5m2, f16, bf16 or f32 for factors of 'f32', but is 'i32'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xi32>) -> tensor<4x2xi32>
  return
}

// -----

func.func @output_type_of_halves(%A: tensor<4x8xbf16>, %B: tensor<8x2xbf16>, %C: tensor<4x2xf64>) {
  // expected-error @+1 {{element type of C must be f8e4m3fn, f8e5m2, f16, bf16 or f32 for factors of 'bf16', but is 'f64'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xbf16>, tensor<8x2xbf16>)
         outs(%C : tensor<4x2xf64>) -> tensor<4x2xf64>
  return
}

// -----

func.func @alpha_of_halves(%A: tensor<4x8xf16>, %B: tensor<8x2xf16>, %C: tensor<4x2xf16>, %s: f16) {
  // expected-error @+1 {{type of alpha must be that of the sums, 'f32', but is 'f16'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf16>, tensor<8x2xf16>)
         outs(%C : tensor<4x2xf16>) alpha(%s : f16) -> tensor<4x2xf16>
  return
}

// -----

func.func @precision_of_f64(%A: tensor<4x8xf64>, %B: tensor<8x2xf64>, %C: tensor<4x2xf64>) {
  // expected-error @+1 {{precision tf32 applies to factors of f32, but they have 'f64'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf64>, tensor<8x2xf64>)
         outs(%C : tensor<4x2xf64>) precision = tf32 -> tensor<4x2xf64>
  return
}

// -----

func.func @precision_of_halves(%A: tensor<4x8xf16>, %B: tensor<8x2xf16>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{precision 3xtf32 applies to factors of f32, but they have 'f16'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf16>, tensor<8x2xf16>)
         outs(%C : tensor<4x2xf32>) precision = "3xtf32" -> tensor<4x2xf32>
  return
}

// -----

func.func @precision_name(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         // expected-error @+1 {{expected a precision: ieee, tf32, 3xtf32 or bf16x3}}
         outs(%C : tensor<4x2xf32>) precision = tf16 -> tensor<4x2xf32>
  return
}

// -----

// expected-error @+1 {{expected a precision: ieee, tf32, 3xtf32 or bf16x3}}
func.func private @precision_alone() attributes {p = #tc.precision<3>}

// -----

func.func @encoding(%A: tensor<4x8xf32, "sparse">, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{A must be a dense tensor, but has the encoding "sparse"}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32, "sparse">, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

#tiled = affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>
func.func @layout(%A: memref<4x8xf32>, %B: memref<8x2xf32, #tiled>, %C: memref<4x2xf32>) {
  // expected-error @+1 {{layout of B must be strided, but its type is 'memref<8x2xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>>'}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<8x2xf32, #tiled>) outs(%C : memref<4x2xf32>)
  return
}

// -----

func.func @output_only(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2x3xf32>) {
  // expected-error @+1 {{index 'x' of C is in neither A nor B}}
  %D = tc.contract [m, k], [k, n] -> [m, n, x]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  return
}

// -----

func.func @output_twice(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x4xf32>) {
  // expected-error @+1 {{index 'm' is in the index list of C twice}}
  %D = tc.contract [m, k], [k, n] -> [m, m]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @extents(%A: tensor<4x8xf32>, %B: tensor<9x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{index 'k' has extent 8 in A and 9 in B}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<9x2xf32>)
         outs(%C : tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// An unknown extent between two known ones hides nothing.
func.func @extents_around_unknown(%A: tensor<4x8xf32>, %B: tensor<8x?xf32>, %C: tensor<5x?xf32>) {
  // expected-error @+1 {{index 'm' has extent 4 in A and 5 in C}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x?xf32>)
         outs(%C : tensor<5x?xf32>) -> tensor<5x?xf32>
  return
}

// -----

func.func @diagonal_extents(%A: tensor<4x5xf32>, %B: tensor<2xf32>, %C: tensor<2xf32>) {
  // expected-error @+1 {{index 'i' has extent 4 in A and 5 in A}}
  %D = tc.contract [i, i], [n] -> [n]
         ins(%A, %B : tensor<4x5xf32>, tensor<2xf32>)
         outs(%C : tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @bytes(%A: tensor<2147483648x1073741824xf64>, %B: tensor<1073741824xf64>, %C: tensor<2147483648xf64>) {
  // expected-error @+1 {{the bytes of A, 'tensor<2147483648x1073741824xf64>', exceed 64 bits}}
  %D = tc.contract [m, k], [k] -> [m]
         ins(%A, %B : tensor<2147483648x1073741824xf64>, tensor<1073741824xf64>)
         outs(%C : tensor<2147483648xf64>) -> tensor<2147483648xf64>
  return
}

// -----

func.func @bytes_of_view(%A: memref<3x8xf32, strided<[1152921504606846976, 1]>>, %B: memref<8xf32>, %C: memref<3xf32>) {
  // expected-error @+1 {{the bytes of A, 'memref<3x8xf32, strided<[1152921504606846976, 1]>>', exceed 64 bits}}
  tc.contract [m, k], [k] -> [m]
    ins(%A, %B : memref<3x8xf32, strided<[1152921504606846976, 1]>>, memref<8xf32>)
    outs(%C : memref<3xf32>)
  return
}

// -----

func.func @bytes_to_offset(%A: memref<2x8xf64, strided<[8, 1], offset: 1152921504606846976>>, %B: memref<8xf64>, %C: memref<2xf64>) {
  // expected-error @+1 {{the bytes of A, 'memref<2x8xf64, strided<[8, 1], offset: 1152921504606846976>>', exceed 64 bits}}
  tc.contract [m, k], [k] -> [m]
    ins(%A, %B : memref<2x8xf64, strided<[8, 1], offset: 1152921504606846976>>, memref<8xf64>)
    outs(%C : memref<2xf64>)
  return
}

// -----

func.func @zero_stride(%A: memref<4x8xf32>, %B: memref<8x2xf32>, %C: memref<4x2xf32, strided<[1, 0]>>) {
  // expected-error @+1 {{elements of C overlap: stride 0 along index 'n' of extent 2}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<8x2xf32>)
    outs(%C : memref<4x2xf32, strided<[1, 0]>>)
  return
}

// -----

func.func @overlap(%A: memref<4x8xf32>, %B: memref<8x3xf32>, %C: memref<4x3xf32, strided<[2, 3]>>) {
  // expected-error @+1 {{elements of C overlap: strides 2 along index 'm' and 3 along index 'n'}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<4x8xf32>, memref<8x3xf32>)
    outs(%C : memref<4x3xf32, strided<[2, 3]>>)
  return
}

// -----

// Interleaved, yet no two elements meet; and one value needs no stride.
func.func @no_overlap(%B3: memref<8x3xf32>, %C3: memref<3x3xf32, strided<[2, 3]>>,
                      %A: memref<3x8xf32>, %B: memref<8x2xf32>, %C: memref<3x2xf32, strided<[2, 3]>>,
                      %v: memref<8xf32>, %w: memref<1x2xf32, strided<[0, -1], offset: 1>>, %a: memref<1x8xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<3x8xf32>, memref<8x2xf32>)
    outs(%C : memref<3x2xf32, strided<[2, 3]>>)
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B3 : memref<3x8xf32>, memref<8x3xf32>)
    outs(%C3 : memref<3x3xf32, strided<[2, 3]>>)
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%a, %B : memref<1x8xf32>, memref<8x2xf32>)
    outs(%w : memref<1x2xf32, strided<[0, -1], offset: 1>>)
  return
}

// -----

func.func @schedule(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{schedule: index 'x' is in no operand}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>)
         {schedule = #tc.schedule<target = "sm_90", m = [m: 4, x: 2], n = [n: 2],
                                  k = [k: 8], register = [1, 1]>}
         -> tensor<4x2xf32>
  return
}

// -----

func.func @label(%A: tensor<4xf32>, %C: tensor<f32>) {
  %D = tc.contract
  // expected-error @+1 {{'a.b' is not an index name: only letters, digits and '_' may occur}}
         [a.b], [k] -> []
         ins(%A, %A : tensor<4xf32>, tensor<4xf32>)
         outs(%C : tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @number_for_label(%A: tensor<4xf32>, %C: tensor<f32>) {
  %D = tc.contract
  // expected-error @+1 {{expected an index name}}
         [4], [k] -> []
         ins(%A, %A : tensor<4xf32>, tensor<4xf32>)
         outs(%C : tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @integers(%A: tensor<4x8xi8>, %B: tensor<8x2xi8>, %C: tensor<4x2xi64>) {
  // expected-error @+1 {{element type of C must be i8 or i32 for factors of 'i8', but is 'i64'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xi8>, tensor<8x2xi8>)
         outs(%C : tensor<4x2xi64>) -> tensor<4x2xi64>
  return
}

// -----

func.func @semiring_name(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         // expected-error @+1 {{expected a semiring: plus_times, max_plus, min_plus, max_times, max_min, min_max, or_and or xor_and}}
         outs(%C : tensor<4x2xf32>) semiring = plus -> tensor<4x2xf32>
  return
}

// -----

func.func @complex_maxima(%A: tensor<4x8xcomplex<f32>>, %B: tensor<8x2xcomplex<f32>>, %C: tensor<4x2xcomplex<f32>>) {
  // expected-error @+1 {{semiring max_plus applies to real numbers, but the factors have 'complex<f32>'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xcomplex<f32>>, tensor<8x2xcomplex<f32>>)
         outs(%C : tensor<4x2xcomplex<f32>>) semiring = max_plus -> tensor<4x2xcomplex<f32>>
  return
}

// -----

func.func @complex_of_other_parts(%A: tensor<4x8xf32>, %B: tensor<8x2xcomplex<f64>>, %C: tensor<4x2xcomplex<f64>>) {
  // expected-error @+1 {{no type holds the factors of both A and B, which are 'f32' and 'complex<f64>': convert the elements of one in its prologue}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xcomplex<f64>>)
         outs(%C : tensor<4x2xcomplex<f64>>) -> tensor<4x2xcomplex<f64>>
  return
}

// -----

func.func @complex_epilogue(%A: tensor<4x8xcomplex<f64>>, %B: tensor<8x2xcomplex<f64>>, %C: tensor<4x2xcomplex<f64>>) {
  // expected-error @+1 {{prologues and epilogues apply to real numbers, but the elements of A are 'complex<f64>'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xcomplex<f64>>, tensor<8x2xcomplex<f64>>)
         outs(%C : tensor<4x2xcomplex<f64>>)
         epilogue {
         ^bb0(%sum: complex<f64>, %old: complex<f64>):
           tc.yield %sum : complex<f64>
         } -> tensor<4x2xcomplex<f64>>
  return
}

// -----

func.func @conjugate_of_reals(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{conjugate_b applies to complex numbers, but the factors of B have 'f32'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) conjugate_b -> tensor<4x2xf32>
  return
}

// -----

func.func @three_products_of_reals(%A: tensor<4x8xf64>, %B: tensor<8x2xcomplex<f64>>, %C: tensor<4x2xcomplex<f64>>) {
  // expected-error @+1 {{allow_three_products applies to complex numbers, but the factors of A have 'f64'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf64>, tensor<8x2xcomplex<f64>>)
         outs(%C : tensor<4x2xcomplex<f64>>) allow_three_products -> tensor<4x2xcomplex<f64>>
  return
}

// -----

func.func @three_products_not_allowed(%A: tensor<4x8xcomplex<f64>>, %B: tensor<8x2xcomplex<f64>>, %C: tensor<4x2xcomplex<f64>>) {
  // expected-error @+1 {{schedule: index 're_im_3m' needs allow_three_products}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xcomplex<f64>>, tensor<8x2xcomplex<f64>>)
         outs(%C : tensor<4x2xcomplex<f64>>)
         {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 2], k = [re_im_3m: 1, k: 8], register = [1, 1]>}
         -> tensor<4x2xcomplex<f64>>
  return
}

// -----

func.func @bits_of_floats(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{semiring xor_and applies to integers, but the factors have 'f32'}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) semiring = xor_and -> tensor<4x2xf32>
  return
}

// -----

func.func @precision_of_semiring(%A: tensor<4x8xf32>, %B: tensor<8x2xf32>, %C: tensor<4x2xf32>) {
  // expected-error @+1 {{precision tf32 applies to semiring plus_times, but it is max_plus}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%C : tensor<4x2xf32>) precision = tf32 semiring = max_plus -> tensor<4x2xf32>
  return
}

// -----

func.func @strides_beyond_64_bits_of_unknown_offset(%A: memref<3x8xf32, strided<[1152921504606846976, 1], offset: ?>>, %B: memref<8xf32>, %C: memref<3xf32>) {
  // expected-error @+1 {{the bytes of A, 'memref<3x8xf32, strided<[1152921504606846976, 1], offset: ?>>', exceed 64 bits}}
  tc.contract [m, k], [k] -> [m] ins(%A, %B : memref<3x8xf32, strided<[1152921504606846976, 1], offset: ?>>, memref<8xf32>) outs(%C : memref<3xf32>)
  return
}

// -----

// The rounding of 8-bit floats is a property of modules.

// expected-error @below {{'func.func' op carries 'tc.nonsaturating', which is a unit attribute of modules}}
func.func @nonsaturating_function() attributes {tc.nonsaturating} {
  return
}

// -----

// expected-error @below {{'builtin.module' op carries 'tc.nonsaturating', which is a unit attribute of modules}}
module attributes {tc.nonsaturating = false} {
}

// -----

// An attribute that has become a part of something else is not ignored.

func.func @former_cpu_schedule(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4xf32>) {
  // expected-error @below {{'tc.contract' op carries 'tc.cpu_schedule', in whose place 'tc.contract' has 'cpu_schedule'}}
  tc.contract [m], [m] -> [m] ins(%A, %B : memref<4xf32>, memref<4xf32>) outs(%C : memref<4xf32>) {tc.cpu_schedule = 1}
  return
}

// -----

func.func @former_run_time_shape(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4xf32>) {
  // expected-error @below {{'tc.contract' op carries 'tc.run_time_shape', in whose place 'tc.contract' has 'dynamic_shape'}}
  tc.contract [m], [m] -> [m] ins(%A, %B : memref<4xf32>, memref<4xf32>) outs(%C : memref<4xf32>) {tc.run_time_shape = 1}
  return
}

// -----

// expected-error @below {{'func.func' op carries 'tc.terms', which is now a part of 'tc.kernel'}}
func.func @former_terms() attributes {tc.terms = []} {
  return
}

// -----

// expected-error @below {{'func.func' op carries 'tc.expressions', which is now a part of 'tc.kernel'}}
func.func @former_expressions() attributes {tc.expressions = {}} {
  return
}
