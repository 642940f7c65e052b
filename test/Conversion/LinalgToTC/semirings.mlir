// RUN: tc-opt %s -split-input-file -convert-linalg-to-tc | FileCheck %s

// The combining and the multiplying operation tell the semiring.

// The shortest of all ways.

// CHECK-LABEL: func.func @shortest_paths(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : f32) semiring = min_plus{{$}}
func.func @shortest_paths(%A: memref<4x8xf32>, %B: memref<8x4xf32>, %C: memref<4x4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xf32>, memref<8x4xf32>) outs(%C : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.addf %a, %b : f32
    %s = arith.minnumf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Integers, too.

// CHECK-LABEL: func.func @longest_paths(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : i32) semiring = max_plus{{$}}
func.func @longest_paths(%A: memref<4x8xi32>, %B: memref<8x4xi32>, %C: memref<4x4xi32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi32>, memref<8x4xi32>) outs(%C : memref<4x4xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %p = arith.addi %a, %b : i32
    %s = arith.maxsi %c, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// CHECK-LABEL: func.func @likeliest(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : f64) semiring = max_times{{$}}
func.func @likeliest(%A: memref<4x8xf64>, %B: memref<8x4xf64>, %C: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xf64>, memref<8x4xf64>) outs(%C : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64):
    %p = arith.mulf %a, %b : f64
    %s = arith.maxnumf %c, %p : f64
    linalg.yield %s : f64
  }
  return
}

// -----

// CHECK-LABEL: func.func @bottleneck(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : i64) semiring = max_min{{$}}
func.func @bottleneck(%A: memref<4x8xi64>, %B: memref<8x4xi64>, %C: memref<4x4xi64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi64>, memref<8x4xi64>) outs(%C : memref<4x4xi64>) {
  ^bb0(%a: i64, %b: i64, %c: i64):
    %p = arith.minsi %a, %b : i64
    %s = arith.maxsi %c, %p : i64
    linalg.yield %s : i64
  }
  return
}

// -----

// CHECK-LABEL: func.func @minimax(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : f32) semiring = min_max{{$}}
func.func @minimax(%A: memref<4x8xf16>, %B: memref<8x4xf16>, %C: memref<4x4xf16>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xf16>, memref<8x4xf16>) outs(%C : memref<4x4xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %p = arith.maxnumf %a, %b : f16
    %s = arith.minnumf %c, %p : f16
    linalg.yield %s : f16
  }
  return
}

// -----

// CHECK-LABEL: func.func @reachable(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : i64) semiring = or_and{{$}}
func.func @reachable(%A: memref<4x8xi64>, %B: memref<8x4xi64>, %C: memref<4x4xi64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi64>, memref<8x4xi64>) outs(%C : memref<4x4xi64>) {
  ^bb0(%a: i64, %b: i64, %c: i64):
    %p = arith.andi %a, %b : i64
    %s = arith.ori %c, %p : i64
    linalg.yield %s : i64
  }
  return
}

// -----

// CHECK-LABEL: func.func @parity(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : i32) semiring = xor_and{{$}}
func.func @parity(%A: memref<4x8xi32>, %B: memref<8x4xi32>, %C: memref<4x4xi32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi32>, memref<8x4xi32>) outs(%C : memref<4x4xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %p = arith.andi %a, %b : i32
    %s = arith.xori %c, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// Sums of products of integers, of eight bits in 32 or in eight.

// CHECK-LABEL: func.func @integers(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : i64){{$}}
func.func @integers(%A: memref<4x8xi64>, %B: memref<8x4xi64>, %C: memref<4x4xi64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi64>, memref<8x4xi64>) outs(%C : memref<4x4xi64>) {
  ^bb0(%a: i64, %b: i64, %c: i64):
    %p = arith.muli %a, %b : i64
    %s = arith.addi %c, %p : i64
    linalg.yield %s : i64
  }
  return
}

// -----

// CHECK-LABEL: func.func @wide(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : i32){{$}}
func.func @wide(%A: memref<4x8xi8>, %B: memref<8x4xi8>, %C: memref<4x4xi32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi8>, memref<8x4xi8>) outs(%C : memref<4x4xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %x = arith.extsi %a : i8 to i32
    %y = arith.extsi %b : i8 to i32
    %p = arith.muli %x, %y : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// CHECK-LABEL: func.func @wrapped(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : i32){{$}}
func.func @wrapped(%A: memref<4x8xi8>, %B: memref<8x4xi8>, %C: memref<4x4xi8>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi8>, memref<8x4xi8>) outs(%C : memref<4x4xi8>) {
  ^bb0(%a: i8, %b: i8, %c: i8):
    %p = arith.muli %a, %b : i8
    %s = arith.addi %c, %p : i8
    linalg.yield %s : i8
  }
  return
}

// -----

// Maxima that need not mind NaN.

// CHECK-LABEL: func.func @nan_is_none(
// CHECK: tc.contract [m, k], [k, n] -> [m, n] {{.*}} beta(%{{.*}} : f32) semiring = max_plus{{$}}
func.func @nan_is_none(%A: memref<4x8xf32>, %B: memref<8x4xf32>, %C: memref<4x4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xf32>, memref<8x4xf32>) outs(%C : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.addf %a, %b : f32
    %s = arith.maximumf %c, %p fastmath<nnan> : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Maxima of NaN are NaN here, and not in tc.contract.

// CHECK-LABEL: func.func @nan_matters(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @nan_matters(%A: memref<4x8xf32>, %B: memref<8x4xf32>, %C: memref<4x4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xf32>, memref<8x4xf32>) outs(%C : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.addf %a, %b : f32
    %s = arith.maximumf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Maxima of numbers that have wrapped around in eight bits are not those in 32.

// CHECK-LABEL: func.func @compares_wrapped(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @compares_wrapped(%A: memref<4x8xi8>, %B: memref<8x4xi8>, %C: memref<4x4xi8>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi8>, memref<8x4xi8>) outs(%C : memref<4x4xi8>) {
  ^bb0(%a: i8, %b: i8, %c: i8):
    %p = arith.addi %a, %b : i8
    %s = arith.maxsi %c, %p : i8
    linalg.yield %s : i8
  }
  return
}

// -----

// Integers without a sign.

// CHECK-LABEL: func.func @unsigned(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @unsigned(%A: memref<4x8xi8>, %B: memref<8x4xi8>, %C: memref<4x4xi32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi8>, memref<8x4xi8>) outs(%C : memref<4x4xi32>) {
  ^bb0(%a: i8, %b: i8, %c: i32):
    %x = arith.extui %a : i8 to i32
    %y = arith.extui %b : i8 to i32
    %p = arith.muli %x, %y : i32
    %s = arith.addi %c, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// CHECK-LABEL: func.func @unsigned_maximum(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @unsigned_maximum(%A: memref<4x8xi32>, %B: memref<8x4xi32>, %C: memref<4x4xi32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xi32>, memref<8x4xi32>) outs(%C : memref<4x4xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %p = arith.addi %a, %b : i32
    %s = arith.maxui %c, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// No semiring has these two.

// CHECK-LABEL: func.func @no_semiring(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @no_semiring(%A: memref<4x8xf32>, %B: memref<8x4xf32>, %C: memref<4x4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x8xf32>, memref<8x4xf32>) outs(%C : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.minnumf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// The zero that need not be combined is the semiring's.

// CHECK-LABEL: func.func @zeros(
// CHECK: tc.contract {{.*}} semiring = min_plus
// CHECK-NOT: beta
// CHECK: tc.contract {{.*}} beta(%{{.*}} : f32) semiring = min_plus
#ik = affine_map<(m, n, k) -> (m, k)>
#kj = affine_map<(m, n, k) -> (k, n)>
#ij = affine_map<(m, n, k) -> (m, n)>
func.func @zeros(%A: tensor<4x4xf32>, %C: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %infinity = arith.constant 0x7F800000 : f32
  %zero = arith.constant 0.0 : f32
  %X = linalg.fill ins(%infinity : f32) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  %Y = linalg.fill ins(%zero : f32) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  %D = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%X : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.addf %a, %b : f32
    %s = arith.minnumf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  %E = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>) outs(%Y : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.addf %a, %b : f32
    %s = arith.minnumf %p, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %D, %E : tensor<4x4xf32>, tensor<4x4xf32>
}
