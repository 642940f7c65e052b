// RUN: tc-opt --tc-order %s | FileCheck %s
// RUN: tc-opt --tc-order="target=cpu target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json" %s | FileCheck %s
// RUN: tc-opt --tc-order="explain" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// A matrix and a vector twice, not two matrices; alpha and beta go with the last
// step.
// CHECK-LABEL: func @vector_last
// CHECK-SAME: (%[[A:.*]]: tensor<300x400xf64>, %[[B:.*]]: tensor<400x500xf64>, %[[X:.*]]: tensor<500xf64>, %[[OUT:.*]]: tensor<300xf64>, %[[ALPHA:.*]]: f64, %[[BETA:.*]]: f64)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<400xf64>
// CHECK: %[[T:.*]] = tc.contract [j, k], [k] -> [j] ins(%[[B]], %[[X]] :
// CHECK-SAME: outs(%[[E]] : tensor<400xf64>) -> tensor<400xf64>
// CHECK: %[[Y:.*]] = tc.contract [i, j], [j] -> [i] ins(%[[A]], %[[T]] :
// CHECK-SAME: outs(%[[OUT]] : tensor<300xf64>) alpha(%[[ALPHA]] : f64) beta(%[[BETA]] : f64) -> tensor<300xf64>
// CHECK: return %[[Y]]
// EXPLAIN: order of 3 tensors for sm_90: {{.*}} us predicted, 3.125 KiB of temporaries
// EXPLAIN-NEXT:   [i] {{.*}} 1.2e+05 products  943 KiB
// EXPLAIN-NEXT:   |- input 0 [i, j]
// EXPLAIN-NEXT:   `- [j] {{.*}} 2e+05 products    1.533 MiB
// EXPLAIN-NEXT:      |- input 1 [j, k]
// EXPLAIN-NEXT:      `- input 2 [k]
// EXPLAIN-NEXT:   (0 (1 2)) is the best of all 3 trees;
func.func @vector_last(%A: tensor<300x400xf64>, %B: tensor<400x500xf64>, %x: tensor<500xf64>,
                       %out: tensor<300xf64>, %alpha: f64, %beta: f64) -> tensor<300xf64> {
  %y = tc.einsum [i, j], [j, k], [k] -> [i]
         ins(%A, %B, %x : tensor<300x400xf64>, tensor<400x500xf64>, tensor<500xf64>)
         outs(%out : tensor<300xf64>) alpha(%alpha : f64) beta(%beta : f64)
         -> tensor<300xf64>
  return %y : tensor<300xf64>
}

// A path is obeyed, however slow it is.
// CHECK-LABEL: func @path
// CHECK: tc.contract [i, j], [j, k] -> [[LIST:\[.*\]]] ins
// CHECK: tc.contract [k], [[LIST]] -> [i]
// EXPLAIN: (2 (0 1)) is given; {{[0-9]+}} steps were predicted
func.func @path(%A: tensor<30x40xf64>, %B: tensor<40x50xf64>, %x: tensor<50xf64>,
                %out: tensor<30xf64>) -> tensor<30xf64> {
  %y = tc.einsum [i, j], [j, k], [k] -> [i]
         ins(%A, %B, %x : tensor<30x40xf64>, tensor<40x50xf64>, tensor<50xf64>)
         outs(%out : tensor<30xf64>) path = [[0, 1], [0, 1]] -> tensor<30xf64>
  return %y : tensor<30xf64>
}

// On memrefs, temporaries are views of one allocation; the first and the third
// share a place. Each keeps the conjugates, semiring and precision.
// CHECK-LABEL: func @buffers
// CHECK: %[[W:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
// CHECK: %[[AT0:.*]] = arith.constant 0 : index
// CHECK: %[[T0:[^ ]*]] = memref.view %[[W]][%[[AT0]]][] : memref<1024xi8> to memref<8x8xf64>
// CHECK: tc.contract [a, b], [b, c] -> {{.*}} outs(%[[T0]] : {{.*}}) semiring = min_plus
// CHECK: %[[AT1:.*]] = arith.constant 512 : index
// CHECK: %[[T1:[^ ]*]] = memref.view %[[W]][%[[AT1]]][]
// CHECK: tc.contract [c, d], {{.*}}%[[T0]] : {{.*}} outs(%[[T1]] : {{.*}}) semiring = min_plus
// CHECK: %[[AT2:.*]] = arith.constant 0 : index
// CHECK: %[[T2:[^ ]*]] = memref.view %[[W]][%[[AT2]]][]
// CHECK: tc.contract [d, e], {{.*}}%[[T1]] : {{.*}} outs(%[[T2]] : {{.*}}) semiring = min_plus
// CHECK: tc.contract [e, f], {{.*}} -> [a, f] {{.*}}%[[T2]] : {{.*}} outs(%{{.*}}) semiring = min_plus
// CHECK: memref.dealloc %[[W]]
// CHECK-NEXT: return
func.func @buffers(%A: memref<8x8xf64>, %out: memref<8x8xf64>) {
  tc.einsum [a, b], [b, c], [c, d], [d, e], [e, f] -> [a, f]
    ins(%A, %A, %A, %A, %A : memref<8x8xf64>, memref<8x8xf64>, memref<8x8xf64>,
                             memref<8x8xf64>, memref<8x8xf64>)
    outs(%out : memref<8x8xf64>) semiring = min_plus path = [[0, 1], [0, 3], [0, 2], [0, 1]]
  return
}

// CHECK-LABEL: func @conjugates
// CHECK: tc.contract [j, k], [k] -> [j] {{.*}} precision = tf32 conjugate_b ->
// CHECK: tc.contract [i, j], [j] -> [i] {{.*}} precision = tf32 conjugate_a ->
func.func @conjugates(%A: tensor<30x40xcomplex<f32>>, %B: tensor<40x50xcomplex<f32>>,
                      %x: tensor<50xcomplex<f32>>, %out: tensor<30xcomplex<f32>>)
    -> tensor<30xcomplex<f32>> {
  %y = tc.einsum [i, j], [j, k], [k] -> [i]
         ins(%A, %B, %x : tensor<30x40xcomplex<f32>>, tensor<40x50xcomplex<f32>>,
                          tensor<50xcomplex<f32>>)
         outs(%out : tensor<30xcomplex<f32>>) precision = tf32 conjugate = [0, 2]
         path = [[1, 2], [0, 1]] -> tensor<30xcomplex<f32>>
  return %y : tensor<30xcomplex<f32>>
}

// Extents that only run time knows are asked for.
// CHECK-LABEL: func @unknown
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf64>, %[[B:.*]]: tensor<?x50xf64>,
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[I:.*]] = tensor.dim %[[A]], %[[ZERO]]
// CHECK: tensor.empty(%[[I]]) : tensor<?x50xf64>
// CHECK: tc.contract [i, j], [j, k] -> [i, k]
// CHECK: tc.contract [k], [i, k] -> [i]
func.func @unknown(%A: tensor<?x?xf64>, %B: tensor<?x50xf64>, %x: tensor<50xf64>,
                   %out: tensor<?xf64>) -> tensor<?xf64> {
  %y = tc.einsum [i, j], [j, k], [k] -> [i]
         ins(%A, %B, %x : tensor<?x?xf64>, tensor<?x50xf64>, tensor<50xf64>)
         outs(%out : tensor<?xf64>) path = [[0, 1], [0, 1]] -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// Empty products are computed in any order; a single input is multiplied by the
// semiring's one.
// CHECK-LABEL: func @empty
// CHECK-COUNT-2: tc.contract
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK: tc.contract [i, i], [] -> [] ins(%{{.*}}, %[[ONE]] : tensor<4x4xf64>, tensor<f64>)
func.func @empty(%A: tensor<3x0xf64>, %B: tensor<0x4xf64>, %x: tensor<4xf64>, %C: tensor<4x4xf64>,
                 %out: tensor<3xf64>, %trace: tensor<f64>) -> (tensor<3xf64>, tensor<f64>) {
  %y = tc.einsum [i, j], [j, k], [k] -> [i]
         ins(%A, %B, %x : tensor<3x0xf64>, tensor<0x4xf64>, tensor<4xf64>)
         outs(%out : tensor<3xf64>) -> tensor<3xf64>
  %t = tc.einsum [i, i] -> [] ins(%C : tensor<4x4xf64>) outs(%trace : tensor<f64>) -> tensor<f64>
  return %y, %t : tensor<3xf64>, tensor<f64>
}

// An infinite one is the largest number of a type without infinities.
// CHECK-LABEL: func @one_input
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: tc.contract [i, j], [] -> [j] ins(%{{.*}}, %[[ZERO]] : {{.*}}) outs(%{{.*}}) alpha(%{{.*}} : f32) semiring = min_plus
// CHECK: %[[LARGEST:.*]] = arith.constant dense<4.480000e+02> : tensor<f8E4M3FN>
// CHECK: tc.contract [i], [] -> [] ins(%{{.*}}, %[[LARGEST]] : {{.*}}) outs(%{{.*}}) semiring = max_min
// CHECK: %[[ALL:.*]] = arith.constant dense<-1> : tensor<i8>
// CHECK: tc.contract [i], [] -> [] ins(%{{.*}}, %[[ALL]] : {{.*}}) outs(%{{.*}}) semiring = or_and
// CHECK: %[[COMPLEX:.*]] = arith.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
// CHECK: tc.contract [i], [] -> [i] ins(%{{.*}}, %[[COMPLEX]] : {{.*}}) outs(%{{.*}}) conjugate_a ->
func.func @one_input(%A: tensor<3x4xf32>, %B: tensor<4xf8E4M3FN>, %C: tensor<4xi8>,
                     %D: tensor<4xcomplex<f64>>, %a: tensor<4xf32>, %b: tensor<f8E4M3FN>,
                     %c: tensor<i8>, %d: tensor<4xcomplex<f64>>, %alpha: f32)
    -> (tensor<4xf32>, tensor<f8E4M3FN>, tensor<i8>, tensor<4xcomplex<f64>>) {
  %0 = tc.einsum [i, j] -> [j] ins(%A : tensor<3x4xf32>) outs(%a : tensor<4xf32>) alpha(%alpha : f32)
         semiring = min_plus -> tensor<4xf32>
  %1 = tc.einsum [i] -> [] ins(%B : tensor<4xf8E4M3FN>) outs(%b : tensor<f8E4M3FN>)
         semiring = max_min -> tensor<f8E4M3FN>
  %2 = tc.einsum [i] -> [] ins(%C : tensor<4xi8>) outs(%c : tensor<i8>) semiring = or_and -> tensor<i8>
  %3 = tc.einsum [i] -> [i] ins(%D : tensor<4xcomplex<f64>>) outs(%d : tensor<4xcomplex<f64>>)
         conjugate = [0] -> tensor<4xcomplex<f64>>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<f8E4M3FN>, tensor<i8>, tensor<4xcomplex<f64>>
}

// CHECK-LABEL: func @one_buffer
// CHECK: %[[PLACE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<f64>
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: memref.store %[[ONE]], %[[PLACE]][]
// CHECK: tc.contract [i, j], [] -> [j, i] ins(%{{.*}}, %[[PLACE]] : memref<3x4xf64>, memref<f64>) outs(%{{.*}}) beta(%{{.*}} : f64)
// CHECK: memref.dealloc %[[PLACE]]
func.func @one_buffer(%A: memref<3x4xf64>, %out: memref<4x3xf64>, %beta: f64) {
  tc.einsum [i, j] -> [j, i] ins(%A : memref<3x4xf64>) outs(%out : memref<4x3xf64>) beta(%beta : f64)
  return
}
