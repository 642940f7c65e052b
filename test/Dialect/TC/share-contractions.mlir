// RUN: tc-opt --tc-share-contractions %s | FileCheck %s

// Other names of indices, and operands in the other order.
// CHECK-LABEL: func @names
// CHECK: %[[T:.*]] = tc.contract [i, j], [j, k] -> [i, k]
// CHECK-NOT: tc.contract
// CHECK: return %[[T]], %[[T]], %[[T]]
func.func @names(%A: tensor<4x5xf64>, %B: tensor<5x6xf64>)
    -> (tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>) {
  %e = tensor.empty() : tensor<4x6xf64>
  %0 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<4x5xf64>, tensor<5x6xf64>)
         outs(%e : tensor<4x6xf64>) -> tensor<4x6xf64>
  %1 = tc.contract [a, b], [b, c] -> [a, c] ins(%A, %B : tensor<4x5xf64>, tensor<5x6xf64>)
         outs(%e : tensor<4x6xf64>) -> tensor<4x6xf64>
  %f = tensor.empty() : tensor<4x6xf64>
  %2 = tc.contract [j, i], [k, j] -> [k, i] ins(%B, %A : tensor<5x6xf64>, tensor<4x5xf64>)
         outs(%f : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %0, %1, %2 : tensor<4x6xf64>, tensor<4x6xf64>, tensor<4x6xf64>
}

// A use that names the indices takes the result in the other order.
// CHECK-LABEL: func @later_use
// CHECK: %[[T:.*]] = tc.contract [i, j], [j, k] -> [i, k]
// CHECK: %[[U:.*]] = tc.contract [i], [i, k] -> [k] ins(%{{.*}}, %[[T]] :
// CHECK: %[[V:.*]] = tc.einsum [k], [i, k], [i, k] -> [] ins(%[[U]], %[[T]], %[[T]] :
// CHECK: return %[[T]], %[[V]]
func.func @later_use(%A: tensor<4x5xf64>, %B: tensor<5x6xf64>, %x: tensor<4xf64>,
                     %u: tensor<6xf64>, %v: tensor<f64>) -> (tensor<4x6xf64>, tensor<f64>) {
  %e = tensor.empty() : tensor<4x6xf64>
  %0 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<4x5xf64>, tensor<5x6xf64>)
         outs(%e : tensor<4x6xf64>) -> tensor<4x6xf64>
  %f = tensor.empty() : tensor<6x4xf64>
  %1 = tc.contract [b, c], [a, b] -> [c, a] ins(%B, %A : tensor<5x6xf64>, tensor<4x5xf64>)
         outs(%f : tensor<6x4xf64>) -> tensor<6x4xf64>
  %2 = tc.contract [i], [k, i] -> [k] ins(%x, %1 : tensor<4xf64>, tensor<6x4xf64>)
         outs(%u : tensor<6xf64>) -> tensor<6xf64>
  %3 = tc.einsum [k], [k, i], [i, k] -> []
         ins(%2, %1, %0 : tensor<6xf64>, tensor<6x4xf64>, tensor<4x6xf64>)
         outs(%v : tensor<f64>) -> tensor<f64>
  return %0, %3 : tensor<4x6xf64>, tensor<f64>
}

// So do uses of the earlier one, where those of the later one cannot.
// CHECK-LABEL: func @earlier_use
// CHECK: %[[E:.*]] = tensor.empty() : tensor<6x4xf64>
// CHECK: %[[T:.*]] = tc.contract [i, j], [j, k] -> [k, i] {{.*}} outs(%[[E]] : tensor<6x4xf64>) -> tensor<6x4xf64>
// CHECK: %[[U:.*]] = tc.contract [k, i], [i] -> [k] ins(%[[T]],
// CHECK-NOT: tc.contract
// CHECK: return %[[U]], %[[T]]
func.func @earlier_use(%A: tensor<4x5xf64>, %B: tensor<5x6xf64>, %x: tensor<4xf64>,
                       %u: tensor<6xf64>, %out: tensor<6x4xf64>) -> (tensor<6xf64>, tensor<6x4xf64>) {
  %e = tensor.empty() : tensor<4x6xf64>
  %0 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<4x5xf64>, tensor<5x6xf64>)
         outs(%e : tensor<4x6xf64>) -> tensor<4x6xf64>
  %1 = tc.contract [i, k], [i] -> [k] ins(%0, %x : tensor<4x6xf64>, tensor<4xf64>)
         outs(%u : tensor<6xf64>) -> tensor<6xf64>
  %2 = tc.contract [a, b], [b, c] -> [c, a] ins(%A, %B : tensor<4x5xf64>, tensor<5x6xf64>)
         outs(%out : tensor<6x4xf64>) -> tensor<6x4xf64>
  return %1, %2 : tensor<6xf64>, tensor<6x4xf64>
}

// Orders that are not their own inverses, either way.
// CHECK-LABEL: func @cycles
// CHECK: %[[T:.*]] = tc.contract [i, l], [l, j, k] -> [i, j, k]
// CHECK: tc.contract [b, c, a], [b] -> [a, c] ins(%[[T]],
// CHECK: %[[E:.*]] = tensor.empty() : tensor<5x2x4xf64>
// CHECK: %[[U:.*]] = tc.contract [i, j], [k, l] -> [k, i, j] {{.*}} outs(%[[E]] :
// CHECK: tc.contract [k, i, j], [j] -> [i, k] ins(%[[U]],
// CHECK-NOT: tc.contract
// CHECK: return %[[T]], %{{.*}}, %{{.*}}, %[[U]]
func.func @cycles(%A: tensor<2x3xf64>, %B: tensor<3x4x5xf64>, %C: tensor<2x4xf64>, %D: tensor<5x6xf64>,
                  %x: tensor<2xf64>, %y: tensor<4xf64>, %v: tensor<5x4xf64>, %w: tensor<2x5xf64>)
    -> (tensor<2x4x5xf64>, tensor<5x4xf64>, tensor<2x5xf64>, tensor<5x2x4xf64>) {
  %e = tensor.empty() : tensor<2x4x5xf64>
  %0 = tc.contract [i, l], [l, j, k] -> [i, j, k] ins(%A, %B : tensor<2x3xf64>, tensor<3x4x5xf64>)
         outs(%e : tensor<2x4x5xf64>) -> tensor<2x4x5xf64>
  %f = tensor.empty() : tensor<5x2x4xf64>
  %1 = tc.contract [i, l], [l, j, k] -> [k, i, j] ins(%A, %B : tensor<2x3xf64>, tensor<3x4x5xf64>)
         outs(%f : tensor<5x2x4xf64>) -> tensor<5x2x4xf64>
  %2 = tc.contract [a, b, c], [b] -> [a, c] ins(%1, %x : tensor<5x2x4xf64>, tensor<2xf64>)
         outs(%v : tensor<5x4xf64>) -> tensor<5x4xf64>
  %g = tensor.empty() : tensor<2x4x5xf64>
  %3 = tc.contract [i, j], [k, l] -> [i, j, k] ins(%C, %D : tensor<2x4xf64>, tensor<5x6xf64>)
         outs(%g : tensor<2x4x5xf64>) -> tensor<2x4x5xf64>
  %4 = tc.contract [i, j, k], [j] -> [i, k] ins(%3, %y : tensor<2x4x5xf64>, tensor<4xf64>)
         outs(%w : tensor<2x5xf64>) -> tensor<2x5xf64>
  %5 = tc.contract [i, j], [k, l] -> [k, i, j] ins(%C, %D : tensor<2x4xf64>, tensor<5x6xf64>)
         outs(%f : tensor<5x2x4xf64>) -> tensor<5x2x4xf64>
  return %0, %2, %4, %5 : tensor<2x4x5xf64>, tensor<5x4xf64>, tensor<2x5xf64>, tensor<5x2x4xf64>
}

// Contractions of equal contractions are equal, too.
// CHECK-LABEL: func @chain
// CHECK-COUNT-2: tc.contract
// CHECK-NOT: tc.contract
// CHECK: return
func.func @chain(%A: tensor<4x4xf64>, %B: tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>) {
  %e = tensor.empty() : tensor<4x4xf64>
  %0 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<4x4xf64>, tensor<4x4xf64>)
         outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  %1 = tc.contract [i, j], [j, k] -> [i, k] ins(%0, %B : tensor<4x4xf64>, tensor<4x4xf64>)
         outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  %2 = tc.contract [j, k], [i, j] -> [k, i] ins(%B, %A : tensor<4x4xf64>, tensor<4x4xf64>)
         outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  %3 = tc.contract [j, k], [j, i] -> [i, k] ins(%B, %2 : tensor<4x4xf64>, tensor<4x4xf64>)
         outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  return %1, %3 : tensor<4x4xf64>, tensor<4x4xf64>
}

// Equal constants are the same; a factor that differs is not, nor are conjugates.
// CHECK-LABEL: func @factors
// CHECK-COUNT-4: tc.contract
// CHECK-NOT: tc.contract
// CHECK: return %[[T:.*]], %[[T]], %{{.*}}, %{{.*}}, %{{.*}} :
func.func @factors(%A: tensor<4xcomplex<f64>>, %B: tensor<4xcomplex<f64>>, %s: complex<f64>)
    -> (tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>,
        tensor<complex<f64>>) {
  %c0 = complex.constant [2.0, 0.0] : complex<f64>
  %c1 = complex.constant [2.0, 0.0] : complex<f64>
  %e = tensor.empty() : tensor<complex<f64>>
  %0 = tc.contract [i], [i] -> [] ins(%A, %B : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>)
         outs(%e : tensor<complex<f64>>) alpha(%c0 : complex<f64>) -> tensor<complex<f64>>
  %1 = tc.contract [i], [i] -> [] ins(%B, %A : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>)
         outs(%e : tensor<complex<f64>>) alpha(%c1 : complex<f64>) -> tensor<complex<f64>>
  %2 = tc.contract [i], [i] -> [] ins(%A, %B : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>)
         outs(%e : tensor<complex<f64>>) alpha(%s : complex<f64>) -> tensor<complex<f64>>
  %3 = tc.contract [i], [i] -> [] ins(%A, %B : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>)
         outs(%e : tensor<complex<f64>>) alpha(%c0 : complex<f64>) conjugate_a -> tensor<complex<f64>>
  %4 = tc.contract [i], [i] -> [] ins(%B, %A : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>)
         outs(%e : tensor<complex<f64>>) alpha(%c0 : complex<f64>) conjugate_a -> tensor<complex<f64>>
  return %0, %1, %2, %3, %4 : tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>,
                              tensor<complex<f64>>, tensor<complex<f64>>
}

// No sharing with sums over other indices, another diagonal, another semiring or
// type, or an order that no use takes.
// CHECK-LABEL: func @different
// CHECK-COUNT-6: tc.contract
// CHECK: return
func.func @different(%A: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>,
                                              tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %f = tensor.empty() : tensor<4x4xf16>
  %0 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tc.contract [i, j], [k, j] -> [i, k] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = tc.contract [i, i], [j, k] -> [i, k] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%e : tensor<4x4xf32>) semiring = min_plus -> tensor<4x4xf32>
  %4 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%f : tensor<4x4xf16>) -> tensor<4x4xf16>
  %5 = tc.contract [i, j], [j, k] -> [k, i] ins(%A, %A : tensor<4x4xf32>, tensor<4x4xf32>)
         outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>,
                                  tensor<4x4xf16>, tensor<4x4xf32>
}

// Contractions that add to C stay, and so do regions and schedules.
// CHECK-LABEL: func @accumulates
// CHECK-COUNT-6: tc.contract
// CHECK: return
func.func @accumulates(%x: tensor<4xf64>, %C: tensor<f64>)
    -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %one = arith.constant 1.0 : f64
  %0 = tc.contract [i], [i] -> [] ins(%x, %x : tensor<4xf64>, tensor<4xf64>)
         outs(%C : tensor<f64>) beta(%one : f64) -> tensor<f64>
  %1 = tc.contract [i], [i] -> [] ins(%x, %x : tensor<4xf64>, tensor<4xf64>)
         outs(%C : tensor<f64>) beta(%one : f64) -> tensor<f64>
  %2 = tc.contract [i], [i] -> [] ins(%x, %x : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>)
         prologue_a {
         ^bb0(%a: f64):
           %m = arith.mulf %a, %a : f64
           tc.yield %m : f64
         } -> tensor<f64>
  %3 = tc.contract [i], [i] -> [] ins(%x, %x : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>)
         prologue_a {
         ^bb0(%a: f64):
           %m = arith.mulf %a, %a : f64
           tc.yield %m : f64
         } -> tensor<f64>
  %4 = tc.contract [i], [i] -> [] ins(%x, %x : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>)
         {cpu_schedule = #tc.cpu_schedule<target = "host", rows = m, m = [], n = [], k = [i: 4], order = [n, k, m], register = [1, 1], lanes = 1, store = cache>} -> tensor<f64>
  %5 = tc.contract [i], [i] -> [] ins(%x, %x : tensor<4xf64>, tensor<4xf64>) outs(%C : tensor<f64>)
         {cpu_schedule = #tc.cpu_schedule<target = "host", rows = m, m = [], n = [], k = [i: 4], order = [n, k, m], register = [1, 1], lanes = 1, store = cache>} -> tensor<f64>
  return %0, %1, %2, %3, %4, %5 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// Buffers may change in between.
// CHECK-LABEL: func @buffers
// CHECK-COUNT-2: tc.contract
// CHECK: return
func.func @buffers(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<f64>, %D: memref<f64>) {
  tc.contract [i], [i] -> [] ins(%A, %B : memref<4xf64>, memref<4xf64>) outs(%C : memref<f64>)
  tc.contract [i], [i] -> [] ins(%A, %B : memref<4xf64>, memref<4xf64>) outs(%D : memref<f64>)
  return
}

// An earlier one has to be computed whenever the later one is.
// CHECK-LABEL: func @dominance
// CHECK: scf.if
// CHECK: tc.contract
// CHECK: tc.contract
// CHECK-NOT: tc.contract
// CHECK: return
func.func @dominance(%A: tensor<4xf64>, %p: i1) -> (tensor<f64>, tensor<f64>) {
  %e = tensor.empty() : tensor<f64>
  %0 = scf.if %p -> tensor<f64> {
    %1 = tc.contract [i], [i] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>)
           outs(%e : tensor<f64>) -> tensor<f64>
    scf.yield %1 : tensor<f64>
  } else {
    scf.yield %e : tensor<f64>
  }
  %2 = tc.contract [i], [i] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>)
         outs(%e : tensor<f64>) -> tensor<f64>
  %3 = scf.if %p -> tensor<f64> {
    %4 = tc.contract [i], [i] -> [] ins(%A, %A : tensor<4xf64>, tensor<4xf64>)
           outs(%e : tensor<f64>) -> tensor<f64>
    scf.yield %4 : tensor<f64>
  } else {
    scf.yield %e : tensor<f64>
  }
  return %0, %3 : tensor<f64>, tensor<f64>
}
