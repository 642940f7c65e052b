// RUN: tc-opt %s --tc-dynamic-shapes --split-input-file --verify-diagnostics

func.func @empty(%A: memref<4x0xf64>, %B: memref<0x4xf64>, %C: memref<4x4xf64>) {
  // expected-error@+1 {{'tc.contract' op cannot take its shape at run time: an extent is zero}}
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<4x0xf64>, memref<0x4xf64>) outs(%C : memref<4x4xf64>)
  return
}

// -----

// expected-error@+1 {{multiples must be at least 1, but is 0}}
func.func private @multiples() attributes {x = #tc.dynamic_shape<multiples = 0, offset_bits = 64>}

// -----

// expected-error@+1 {{offset_bits must be 32 or 64, but is 16}}
func.func private @bits() attributes {x = #tc.dynamic_shape<multiples = 1, offset_bits = 16>}

// -----

func.func @not_a_shape(%A: memref<4x4xf64>) {
  // expected-error@+1 {{'tc.contract' op attribute 'dynamic_shape' failed to satisfy constraint: a kernel takes extents and strides as arguments}}
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>) outs(%A : memref<4x4xf64>) {dynamic_shape = 1 : i64}
  return
}
