// RUN: tc-opt %s -split-input-file -convert-linalg-to-tc 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t.remarks

// Operations that are left alone. Each has one property that keeps it from
// being a contraction.

// The payload subtracts.

// WHY: remark: stays in linalg: it does not add products of elements of two inputs
// CHECK-LABEL: func.func @difference(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @difference(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.subf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// The payload divides.

// CHECK-LABEL: func.func @quotient(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @quotient(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.divf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// The old element of C is no summand.

// CHECK-LABEL: func.func @sum_of_inputs(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @sum_of_inputs(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %a, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// The old element of C is a factor.

// CHECK-LABEL: func.func @product_with_output(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @product_with_output(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %o : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// One of two inputs is not used.

// CHECK-LABEL: func.func @one_factor(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @one_factor(%A: memref<4x4xf64>, %B: memref<4xf64>, %O: memref<4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, k) -> (m, k)>,
                     affine_map<(m, k) -> (k)>,
                     affine_map<(m, k) -> (m)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4xf64>) outs(%O : memref<4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %a : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// A factor is computed.

// CHECK-LABEL: func.func @function_of_input(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @function_of_input(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %e = math.exp %a : f64
    %product = arith.mulf %e, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// The payload does something else, too.

// CHECK-LABEL: func.func @side_effect(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @side_effect(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %i = arith.constant 0 : index
    memref.store %a, %A[%i, %i] : memref<4x4xf64>
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// A sum is rounded at every step.

// CHECK-LABEL: func.func @truncated(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @truncated(%A: memref<4x4xf16>, %B: memref<4x4xf16>, %O: memref<4x4xf16>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf16>, memref<4x4xf16>) outs(%O : memref<4x4xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %w = arith.extf %o : f16 to f32
    %product = arith.mulf %x, %y : f32
    %sum = arith.addf %w, %product : f32
    %r = arith.truncf %sum : f32 to f16
    linalg.yield %r : f16
  }
  return
}

// -----

// Sums of f32 in f64 are none of tc.contract's.

// WHY: remark: stays in linalg: tc.contract has no plus_times of f32 and f32 in f64
// CHECK-LABEL: func.func @widened(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @widened(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f32, %b: f32, %o: f64):
    %x = arith.extf %a : f32 to f64
    %y = arith.extf %b : f32 to f64
    %product = arith.mulf %x, %y : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// A map is not of loops alone.

// WHY: remark: stays in linalg: a dimension of A follows no single loop
// CHECK-LABEL: func.func @window(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @window(%A: memref<6xf64>, %B: memref<3xf64>, %O: memref<4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, k) -> (i + k)>,
                     affine_map<(i, k) -> (k)>,
                     affine_map<(i, k) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%A, %B : memref<6xf64>, memref<3xf64>) outs(%O : memref<4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// A map holds a constant.

// CHECK-LABEL: func.func @constant_index(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @constant_index(%A: memref<4x4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k, 0)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// A loop is in C only.

// WHY: remark: stays in linalg: loop 1 is in the map of no input
// CHECK-LABEL: func.func @broadcast(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @broadcast(%A: memref<4x4xf64>, %B: memref<4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// A summed loop is said to be parallel.

// WHY: remark: stays in linalg: loop 2 is parallel, but not in C's map
// CHECK-LABEL: func.func @parallel_sum(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @parallel_sum(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "parallel"]
  } ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// A loop of C is said to be a reduction.

// WHY: remark: stays in linalg: loop 1 is in C's map, but not parallel
// CHECK-LABEL: func.func @sequential(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @sequential(%A: memref<4x4xf64>, %B: memref<4x4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "reduction", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// C is written along its diagonal.

// WHY: remark: stays in linalg: loop 0 is in C's map twice
// CHECK-LABEL: func.func @output_diagonal(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @output_diagonal(%A: memref<4x4xf64>, %B: memref<4xf64>, %O: memref<4x4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, k) -> (i, k)>,
                     affine_map<(i, k) -> (k)>,
                     affine_map<(i, k) -> (i, i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%A, %B : memref<4x4xf64>, memref<4xf64>) outs(%O : memref<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// An input is a scalar.

// WHY: remark: stays in linalg: f64 is no tensor or buffer
// CHECK-LABEL: func.func @scalar(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
func.func @scalar(%A: memref<4xf64>, %B: f64, %O: memref<4xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m) -> (m)>,
                     affine_map<(m) -> ()>,
                     affine_map<(m) -> (m)>],
    iterator_types = ["parallel"]
  } ins(%A, %B : memref<4xf64>, f64) outs(%O : memref<4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %o, %product : f64
    linalg.yield %sum : f64
  }
  return
}

// -----

// C is A, too.

// WHY: remark: stays in linalg: C is an input, too
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT: tc.contract
// CHECK: linalg.matmul
func.func @in_place(%A: memref<4x4xf64>, %B: memref<4x4xf64>) {
  linalg.matmul ins(%A, %B : memref<4x4xf64>, memref<4x4xf64>) outs(%A : memref<4x4xf64>)
  return
}

// -----

// An element type, an encoding and a layout that tc.contract does not have.

// WHY: remark: stays in linalg: tc.contract has no plus_times of i16 and i16 in i16
// CHECK-LABEL: func.func @types(
// CHECK-NOT: tc.contract
// CHECK: linalg.matmul {{.*}}i16
// CHECK-NOT: tc.contract
// WHY: remark: stays in linalg: tensor<4x4xf32, "other"> has an encoding
// CHECK: linalg.matmul {{.*}}"other"
// CHECK-NOT: tc.contract
// WHY: remark: stays in linalg: memref<4x4xf32, affine_map<{{.*}}>> has no strides
// CHECK: linalg.matmul {{.*}}#map
func.func @types(%A: memref<4x4xi16>, %B: memref<4x4xi16>,
                 %C: tensor<4x4xf32, "other">, %D: tensor<4x4xf32>,
                 %E: memref<4x4xf32, affine_map<(i, j) -> (i * 8 + j mod 3)>>,
                 %F: memref<4x4xf32>, %H: memref<4x4xf32>) -> tensor<4x4xf32> {
  linalg.matmul ins(%A, %A : memref<4x4xi16>, memref<4x4xi16>)
                outs(%B : memref<4x4xi16>)
  %G = linalg.matmul ins(%C, %D : tensor<4x4xf32, "other">, tensor<4x4xf32>)
                     outs(%D : tensor<4x4xf32>) -> tensor<4x4xf32>
  linalg.matmul ins(%E, %F : memref<4x4xf32, affine_map<(i, j) -> (i * 8 + j mod 3)>>, memref<4x4xf32>)
                outs(%H : memref<4x4xf32>)
  return %G : tensor<4x4xf32>
}

// -----

// Two results, and an operation that is no product.

// WHY: remark: stays in linalg: a dimension of A follows no single loop
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tc.contract
// CHECK: linalg.generic
// CHECK-NOT: tc.contract
// CHECK: linalg.conv_1d
// CHECK-NOT: tc.contract
// CHECK: return
func.func @others(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4xf64>,
                  %D: memref<4xf64>, %E: memref<2xf64>, %F: memref<3xf64>) {
  linalg.generic {
    indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>,
                     affine_map<(m) -> (m)>, affine_map<(m) -> (m)>],
    iterator_types = ["parallel"]
  } ins(%A, %B : memref<4xf64>, memref<4xf64>) outs(%C, %D : memref<4xf64>, memref<4xf64>) {
  ^bb0(%a: f64, %b: f64, %c: f64, %d: f64):
    %product = arith.mulf %a, %b : f64
    %sum = arith.addf %c, %product : f64
    linalg.yield %sum, %a : f64, f64
  }
  linalg.conv_1d ins(%A, %E : memref<4xf64>, memref<2xf64>) outs(%F : memref<3xf64>)
  return
}

// -----

// A map, whose payload does not get to see C.

// CHECK-LABEL: func.func @map(
// CHECK-NOT: tc.contract
// CHECK: linalg.map
func.func @map(%A: tensor<4xf64>, %B: tensor<4xf64>, %C: tensor<4xf64>) -> tensor<4xf64> {
  %D = linalg.map { arith.mulf } ins(%A, %B : tensor<4xf64>, tensor<4xf64>)
                                 outs(%C : tensor<4xf64>)
  return %D : tensor<4xf64>
}

// An operation that sums nothing has no remark.
// WHY-NOT: remark
