// RUN: tc-opt %s -verify-diagnostics -split-input-file

func.func @no_input(%out: memref<f32>) {
  // expected-error @+1 {{'tc.einsum' op must have at least one input}}
  "tc.einsum"(%out) <{input_indices = [], operandSegmentSizes = array<i32: 0, 1, 0, 0>, output_indices = #tc.indices<[]>}> : (memref<f32>) -> ()
  return
}

// -----

func.func @lists(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{'tc.einsum' op has 2 inputs, but index lists for 3}}
  tc.einsum [i], [i], [i] -> [i] ins(%A, %A : memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>)
  return
}

// -----

func.func @no_lists(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{attribute 'input_indices' failed to satisfy constraint: index lists}}
  "tc.einsum"(%A, %out) <{input_indices = [1], operandSegmentSizes = array<i32: 1, 1, 0, 0>, output_indices = #tc.indices<[i]>}> : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @mixed(%A: memref<4xf32>, %B: tensor<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{must have either tensors or memrefs only, but input #1 is 'tensor<4xf32>' and the output is 'memref<4xf32>'}}
  tc.einsum [i], [i] -> [i] ins(%A, %B : memref<4xf32>, tensor<4xf32>) outs(%out : memref<4xf32>)
  return
}

// -----

func.func @unranked(%A: tensor<*xf32>, %out: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be variadic of ranked tensor or memref, but got 'tensor<*xf32>'}}
  %D = tc.einsum [i] -> [i] ins(%A : tensor<*xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @no_result(%A: tensor<4xf32>, %out: tensor<4xf32>) {
  // expected-error @+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  tc.einsum [i] -> [i] ins(%A : tensor<4xf32>) outs(%out : tensor<4xf32>)
  return
}

// -----

func.func @result_of_memref(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{has a result although it writes to a memref}}
  %D = tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_type(%A: tensor<4xf32>, %out: tensor<4xf32>) {
  // expected-error @+1 {{expected type of operand #1 ('tensor<4xf32>') to match type of corresponding result ('tensor<4xf64>')}}
  %D = tc.einsum [i] -> [i] ins(%A : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @rank(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{index list of input #2 has 2 labels, but its rank is 1}}
  tc.einsum [i], [i], [i, j] -> [i] ins(%A, %A, %A : memref<4xf32>, memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>)
  return
}

// -----

func.func @rank_of_output(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{index list of the output has 0 labels, but its rank is 1}}
  tc.einsum [i] -> [] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>)
  return
}

// -----

func.func @element_type(%A: memref<4xf32>, %B: memref<4xindex>, %out: memref<4xf32>) {
  // expected-error @+1 {{element type of input #1 must be f8e4m3fn, f8e5m2, f16, bf16, f32, f64, i8, i32, i64, c32 or c64, but is 'index'}}
  tc.einsum [i], [i] -> [i] ins(%A, %B : memref<4xf32>, memref<4xindex>) outs(%out : memref<4xf32>)
  return
}

// -----

func.func @element_types(%A: memref<4xf32>, %B: memref<4xf16>, %out: memref<4xf32>) {
  // expected-error @+1 {{inputs must have one element type, but that of input #2 is 'f16' and that of input #0 is 'f32'}}
  tc.einsum [i], [i], [i] -> [i] ins(%A, %A, %B : memref<4xf32>, memref<4xf32>, memref<4xf16>) outs(%out : memref<4xf32>)
  return
}

// -----

func.func @output_type(%A: memref<4xf32>, %out: memref<4xf64>) {
  // expected-error @+1 {{element type of the output must be f8e4m3fn, f8e5m2, f16, bf16 or f32 for factors of 'f32', but is 'f64'}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf64>)
  return
}

// -----

func.func @alpha_type(%A: memref<4xf16>, %out: memref<4xf16>, %x: f16) {
  // expected-error @+1 {{type of alpha must be that of the sums, 'f32', but is 'f16'}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf16>) outs(%out : memref<4xf16>) alpha(%x : f16)
  return
}

// -----

func.func @beta_type(%A: memref<4xi8>, %out: memref<4xi32>, %x: i8) {
  // expected-error @+1 {{type of beta must be that of the sums, 'i32', but is 'i8'}}
  tc.einsum [i] -> [i] ins(%A : memref<4xi8>) outs(%out : memref<4xi32>) beta(%x : i8)
  return
}

// -----

func.func @user_defined(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{semiring must be one by name, as the order of evaluation is free: user_defined need not distribute}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>) semiring = user_defined
  return
}

// -----

func.func @precision(%A: memref<4xf64>, %out: memref<4xf64>) {
  // expected-error @+1 {{precision tf32 applies to factors of f32, but they have 'f64'}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf64>) outs(%out : memref<4xf64>) precision = tf32
  return
}

// -----

func.func @semiring(%A: memref<4xcomplex<f64>>, %out: memref<4xcomplex<f64>>) {
  // expected-error @+1 {{semiring min_plus applies to real numbers, but the factors have 'complex<f64>'}}
  tc.einsum [i] -> [i] ins(%A : memref<4xcomplex<f64>>) outs(%out : memref<4xcomplex<f64>>) semiring = min_plus
  return
}

// -----

func.func @precision_of_semiring(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{precision tf32 applies to semiring plus_times, but it is min_plus}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>) precision = tf32 semiring = min_plus
  return
}

// -----

func.func @conjugate_of_real(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{conjugate applies to complex numbers, but the elements of input #0 are 'f32'}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>) conjugate = [0]
  return
}

// -----

func.func @conjugate_beyond(%A: memref<4xcomplex<f64>>, %out: memref<4xcomplex<f64>>) {
  // expected-error @+1 {{conjugate names input #1, but there are 1 inputs}}
  tc.einsum [i] -> [i] ins(%A : memref<4xcomplex<f64>>) outs(%out : memref<4xcomplex<f64>>) conjugate = [0, 1]
  return
}

// -----

func.func @conjugate_before(%A: memref<4xcomplex<f64>>, %out: memref<4xcomplex<f64>>) {
  // expected-error @+1 {{conjugate names input #-1, but there are 1 inputs}}
  tc.einsum [i] -> [i] ins(%A : memref<4xcomplex<f64>>) outs(%out : memref<4xcomplex<f64>>) conjugate = [-1]
  return
}

// -----

func.func @conjugate_order(%A: memref<4xcomplex<f64>>, %out: memref<4xcomplex<f64>>) {
  // expected-error @+1 {{conjugate must name each input once, in ascending order, but input #0 follows input #1}}
  tc.einsum [i], [i] -> [i] ins(%A, %A : memref<4xcomplex<f64>>, memref<4xcomplex<f64>>) outs(%out : memref<4xcomplex<f64>>) conjugate = [1, 0]
  return
}

// -----

func.func @conjugate_twice(%A: memref<4xcomplex<f64>>, %out: memref<4xcomplex<f64>>) {
  // expected-error @+1 {{conjugate must name each input once, in ascending order, but input #0 follows input #0}}
  tc.einsum [i], [i] -> [i] ins(%A, %A : memref<4xcomplex<f64>>, memref<4xcomplex<f64>>) outs(%out : memref<4xcomplex<f64>>) conjugate = [0, 0]
  return
}

// -----

func.func @step_of_none(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{step #0 of the path must name one or two positions, but names 0}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>) path = [[]]
  return
}

// -----

func.func @step_of_three(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{step #1 of the path must name one or two positions, but names 3}}
  tc.einsum [i], [i], [i] -> [i] ins(%A, %A, %A : memref<4xf32>, memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>) path = [[0], [0, 1, 2]]
  return
}

// -----

func.func @position_beyond(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{step #1 of the path names position 2 of 2 operands}}
  tc.einsum [i], [i], [i] -> [i] ins(%A, %A, %A : memref<4xf32>, memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>) path = [[0, 2], [0, 2]]
  return
}

// -----

func.func @position_before(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{step #0 of the path names position -1 of 1 operands}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>) path = [[-1]]
  return
}

// -----

func.func @position_twice(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{step #0 of the path names position 1 twice}}
  tc.einsum [i], [i] -> [i] ins(%A, %A : memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>) path = [[1, 1]]
  return
}

// -----

func.func @path_too_short(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{path must leave one operand, but leaves 2}}
  tc.einsum [i], [i], [i] -> [i] ins(%A, %A, %A : memref<4xf32>, memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>) path = [[0, 1]]
  return
}

// -----

func.func @path_too_long(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{step #1 of the path names position 1 of 1 operands}}
  tc.einsum [i], [i] -> [i] ins(%A, %A : memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>) path = [[0, 1], [0, 1]]
  return
}

// -----

func.func @no_path(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{attribute 'path' failed to satisfy constraint: steps, which are arrays of positions}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>) {path = [1]}
  return
}

// -----

func.func @path_of_numbers(%A: memref<4xf32>, %out: memref<4xf32>) {
  // expected-error @+1 {{expected '['}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32>) path = [0]
  return
}

// -----

func.func @encoding(%A: tensor<4xf32, "sparse">, %out: tensor<4xf32>) {
  // expected-error @+1 {{input #0 must be a dense tensor, but has the encoding "sparse"}}
  %D = tc.einsum [i] -> [i] ins(%A : tensor<4xf32, "sparse">) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

#tiled = affine_map<(i) -> (i floordiv 2, i mod 2)>
func.func @layout(%A: memref<4xf32>, %out: memref<4xf32, #tiled>) {
  // expected-error @+1 {{layout of the output must be strided, but its type is 'memref<4xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>'}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32, #tiled>)
  return
}

// -----

func.func @output_only(%A: memref<4xf32>, %out: memref<4x5xf32>) {
  // expected-error @+1 {{index 'x' of the output is in no input}}
  tc.einsum [i] -> [i, x] ins(%A : memref<4xf32>) outs(%out : memref<4x5xf32>)
  return
}

// -----

func.func @output_twice(%A: memref<4xf32>, %out: memref<4x4xf32>) {
  // expected-error @+1 {{index 'i' is in the index list of the output twice}}
  tc.einsum [i] -> [i, i] ins(%A : memref<4xf32>) outs(%out : memref<4x4xf32>)
  return
}

// -----

func.func @extents(%A: memref<4xf32>, %B: memref<5xf32>, %out: memref<f32>) {
  // expected-error @+1 {{index 'i' has extent 4 in input #0 and 5 in input #2}}
  tc.einsum [i], [i], [i] -> [] ins(%A, %A, %B : memref<4xf32>, memref<4xf32>, memref<5xf32>) outs(%out : memref<f32>)
  return
}

// -----

func.func @extents_of_output(%A: memref<4xf32>, %out: memref<5xf32>) {
  // expected-error @+1 {{index 'i' has extent 4 in input #0 and 5 in the output}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<5xf32>)
  return
}

// -----

func.func @bytes(%A: tensor<2147483648x1073741824xf64>, %out: tensor<f64>) {
  // expected-error @+1 {{the bytes of input #0, 'tensor<2147483648x1073741824xf64>', exceed 64 bits}}
  %D = tc.einsum [m, k] -> [] ins(%A : tensor<2147483648x1073741824xf64>) outs(%out : tensor<f64>) -> tensor<f64>
  return
}

// -----

func.func @zero_stride(%A: memref<4xf32>, %out: memref<4xf32, strided<[0]>>) {
  // expected-error @+1 {{elements of the output overlap: stride 0 along index 'i' of extent 4}}
  tc.einsum [i] -> [i] ins(%A : memref<4xf32>) outs(%out : memref<4xf32, strided<[0]>>)
  return
}

// -----

func.func @overlap(%A: memref<4x3xf32>, %out: memref<4x3xf32, strided<[2, 3]>>) {
  // expected-error @+1 {{elements of the output overlap: strides 2 along index 'i' and 3 along index 'j'}}
  tc.einsum [i, j] -> [i, j] ins(%A : memref<4x3xf32>) outs(%out : memref<4x3xf32, strided<[2, 3]>>)
  return
}
