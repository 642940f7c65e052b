// RUN: tc-opt %s -split-input-file -tc-outline-contractions -tc-outline-programs | FileCheck %s

// Two temporaries, of which the second takes the place of none: it is made of the
// first.

// CHECK-LABEL: func.func @chain_run(
// CHECK-SAME: %[[A:.*]]: memref<20x30xf64>, %[[B:.*]]: memref<30x25xf64>, %[[C:.*]]: memref<25x10xf64>, %[[D:.*]]: memref<20x10xf64>, %[[ROOM:.*]]: memref<4000xi8>) -> i32
// CHECK-SAME: tc.program = ["A", "B", "C", "D"]
// CHECK-SAME: tc.program.workspace = 4000 : i64
// CHECK-SAME: tc.program.writes = array<i1: false, false, false, true>
// CHECK: memref.extract_aligned_pointer_as_index %[[ROOM]]
// CHECK: %[[T:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<20x25xf64>
// CHECK: %[[STATUS:.*]] = call @chain_contraction(%[[A]], %[[B]], %[[T]])
// CHECK: %[[SUCCESS:.*]] = arith.constant 0 : i32
// CHECK: %[[DONE:.*]] = arith.cmpi eq, %[[STATUS]], %[[SUCCESS]]
// CHECK: cf.cond_br %[[DONE]], ^[[NEXT:.*]], ^[[END:.*]]
// CHECK: ^[[NEXT]]:
// CHECK: call @chain_contraction_0(%{{.*}}, %[[C]], %[[D]])
// CHECK: ^[[END]]:
// CHECK-NEXT: return %[[STATUS]] : i32
func.func @chain(%A: memref<20x30xf64> {tc.name = "A"}, %B: memref<30x25xf64> {tc.name = "B"},
                 %C: memref<25x10xf64> {tc.name = "C"}, %D: memref<20x10xf64> {tc.name = "D"}) {
  %T = memref.alloc() : memref<20x25xf64>
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<20x30xf64>, memref<30x25xf64>) outs(%T : memref<20x25xf64>)
  tc.contract [i, k], [k, l] -> [i, l]
    ins(%T, %C : memref<20x25xf64>, memref<25x10xf64>) outs(%D : memref<20x10xf64>)
  memref.dealloc %T : memref<20x25xf64>
  return
}

// -----

// A loop is unrolled, beta is zero the first time, and what is returned is an
// argument.

// CHECK-LABEL: func.func @sum_run(
// CHECK-SAME: memref<8x4xf32>, %{{.*}}: memref<4x8xf32>, %{{.*}}: memref<8x8xf32>, %{{.*}}: memref<0xi8>) -> i32
// CHECK-SAME: tc.program = ["arg0", "arg1", "result0"]
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: call @sum_contraction(%{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]])
// CHECK: %[[BYTES:.*]] = arith.constant 8 : index
// CHECK: arith.addi %{{.*}}, %[[BYTES]]
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: call @sum_contraction(%{{.*}}, %{{.*}}, %{{.*}}, %[[ONE]])
func.func @sum(%A: memref<8x4xf32>, %B: memref<4x8xf32>) -> memref<8x8xf32> {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  %C = memref.alloc() : memref<8x8xf32>
  scf.for %k = %zero to %four step %two {
    %a = memref.subview %A[0, %k] [8, 2] [1, 1]
        : memref<8x4xf32> to memref<8x2xf32, strided<[4, 1], offset: ?>>
    %b = memref.subview %B[%k, 0] [2, 8] [1, 1]
        : memref<4x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
    %first = arith.cmpi eq, %k, %zero : index
    %beta = arith.select %first, %f0, %f1 : f32
    tc.contract [i, k], [k, j] -> [i, j]
      ins(%a, %b : memref<8x2xf32, strided<[4, 1], offset: ?>>,
                   memref<2x8xf32, strided<[8, 1], offset: ?>>)
      outs(%C : memref<8x8xf32>) beta(%beta : f32)
  }
  return %C : memref<8x8xf32>
}

// -----

// A copy, and numbers that are all the same.

// CHECK: memref.global "private" constant @[[ONES:constant.*]] : memref<4xf64> = dense<1.000000e+00>
// CHECK-LABEL: func.func @copies_run(
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<32xi8> to memref<32xi8>
// CHECK: memref.get_global @[[ONES]]
// CHECK: call @copies_contraction(
memref.global "private" constant @ones : memref<4xf64> = dense<1.0>
func.func @copies(%x: memref<4xf64> {tc.name = "x"}, %y: memref<4xf64> {tc.name = "y"},
                  %z: memref<f64> {tc.name = "z"}) {
  memref.copy %x, %y : memref<4xf64> to memref<4xf64>
  %ones = memref.get_global @ones : memref<4xf64>
  tc.contract [i], [i] -> []
    ins(%x, %ones : memref<4xf64>, memref<4xf64>) outs(%z : memref<f64>)
  return
}

// -----

// What is returned twice is a result of its own each time.

// CHECK-LABEL: func.func @twice_run(
// CHECK-SAME: memref<4xf64>, %[[FIRST:.*]]: memref<f64>, %[[SECOND:.*]]: memref<f64>, %{{.*}}: memref<0xi8>) -> i32
// CHECK: call @twice_contraction(%{{.*}}, %{{.*}}, %[[FIRST]])
// CHECK: memref.extract_aligned_pointer_as_index %[[FIRST]]
// CHECK: memref.extract_aligned_pointer_as_index %[[SECOND]]
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<8xi8> to memref<8xi8>
func.func @twice(%x: memref<4xf64> {tc.name = "x"}) -> (memref<f64>, memref<f64>) {
  %sum = memref.alloc() : memref<f64>
  tc.contract [i], [i] -> []
    ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%sum : memref<f64>)
  return %sum, %sum : memref<f64>, memref<f64>
}

// -----

// Fills, elements that are stored, and copies of constants write numbers.

// CHECK-LABEL: func.func @fills_run(
// CHECK-SAME: %{{.*}}: memref<4xf64>, %[[Y:.*]]: memref<4xf64>, %[[Z:.*]]: memref<f64>, %{{.*}}: memref<3xi32>, %{{.*}}: memref<0xi8>) -> i32
// CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00 : f64
// CHECK: linalg.fill ins(%[[TWO]] : f64) outs(%[[Y]] : memref<4xf64>)
// CHECK: %[[FIVE:.*]] = arith.constant 5.000000e+00 : f64
// CHECK: linalg.fill ins(%[[FIVE]] : f64) outs(%{{.*}} : memref<1xf64>)
// CHECK: call @fills_contraction(
// CHECK: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK: linalg.fill ins(%[[THREE]] : i32) outs(%{{.*}} : memref<3xi32>)
memref.global "private" constant @threes : memref<3xi32> = dense<3>
func.func @fills(%x: memref<4xf64>, %y: memref<4xf64>, %z: memref<f64>, %n: memref<3xi32>) {
  %two = arith.constant 2.0 : f64
  %five = arith.constant 5.0 : f64
  %one = arith.constant 1.0 : f64
  linalg.fill ins(%two : f64) outs(%y : memref<4xf64>)
  memref.store %five, %z[] : memref<f64>
  tc.contract [i], [i] -> [] ins(%x, %y : memref<4xf64>, memref<4xf64>) outs(%z : memref<f64>) beta(%one : f64)
  %threes = memref.get_global @threes : memref<3xi32>
  memref.copy %threes, %n : memref<3xi32> to memref<3xi32>
  return
}

// -----

// What else is done, or what is known only when it runs, is no program.

// CHECK-NOT: _run(
func.func private @other(memref<4xf64>)
func.func @calls(%x: memref<4xf64>, %y: memref<f64>) {
  tc.contract [i], [i] -> []
    ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%y : memref<f64>)
  call @other(%x) : (memref<4xf64>) -> ()
  tc.contract [i], [i] -> []
    ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%y : memref<f64>)
  return
}
func.func @unknown(%x: memref<4xf64>, %y: memref<f64>, %alpha: f64) {
  tc.contract [i], [i] -> []
    ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%y : memref<f64>)
  tc.contract [i], [i] -> []
    ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%y : memref<f64>) alpha(%alpha : f64)
  return
}
// A single contraction is a function already.
func.func @alone(%x: memref<4xf64>, %y: memref<f64>) {
  tc.contract [i], [i] -> []
    ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%y : memref<f64>)
  return
}
// A loop that is long and launches nothing ends the look at it.
func.func @endless(%x: memref<4xf64>, %y: memref<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 9000000000000000000 : index
  scf.for %i = %zero to %many step %one {
    %first = arith.cmpi eq, %i, %zero : index
    scf.if %first {
      tc.contract [i], [i] -> []
        ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%y : memref<f64>)
    }
  }
  return
}
// So does a condition that may not hold.
func.func @asserts(%x: memref<4xf64>, %y: memref<f64>) {
  %false = arith.constant false
  tc.contract [i], [i] -> []
    ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%y : memref<f64>)
  cf.assert %false, "never"
  tc.contract [i], [i] -> []
    ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%y : memref<f64>)
  return
}
