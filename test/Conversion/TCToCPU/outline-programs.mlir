// RUN: tc-opt %s -split-input-file -verify-diagnostics -tc-outline-contractions -tc-outline-programs | FileCheck %s

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

// A result that overwrites a buffer as a whole lies where there is room then:
// the second life of T overlaps neither the first nor U, and W takes the place
// of the first.

// CHECK-LABEL: func.func @lives_run(
// CHECK-SAME: tc.program.workspace = 8032 : i64
func.func @lives(%A: memref<20x20xf64>, %T: memref<20x25xf64>, %C: memref<20x25xf64>, %S: memref<25x25xf64>) {
  %t = memref.alloc() : memref<20x25xf64>
  %u = memref.alloc() : memref<20x25xf64>
  %w = memref.alloc() : memref<20x25xf64>
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %T : memref<20x20xf64>, memref<20x25xf64>) outs(%t : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%t, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%u : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%u, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%w : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%w, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%t : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%t, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%C : memref<20x25xf64>)
  return
}

// -----

// A buffer that is added to, or overwritten in part, is still needed.

// CHECK-LABEL: func.func @added_run(
// CHECK-SAME: tc.program.workspace = 12064 : i64
func.func @added(%A: memref<20x20xf64>, %T: memref<20x25xf64>, %C: memref<20x25xf64>, %S: memref<25x25xf64>) {
  %one = arith.constant 1.0 : f64
  %t = memref.alloc() : memref<20x25xf64>
  %u = memref.alloc() : memref<20x25xf64>
  %w = memref.alloc() : memref<20x25xf64>
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %T : memref<20x20xf64>, memref<20x25xf64>) outs(%t : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%t, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%u : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%u, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%w : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%w, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%t : memref<20x25xf64>) beta(%one : f64)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%t, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%C : memref<20x25xf64>)
  return
}

// CHECK-LABEL: func.func @in_part_run(
// CHECK-SAME: tc.program.workspace = 12064 : i64
func.func @in_part(%A: memref<20x20xf64>, %T: memref<20x25xf64>, %C: memref<20x25xf64>, %S: memref<25x25xf64>) {
  %t = memref.alloc() : memref<20x25xf64>
  %u = memref.alloc() : memref<20x25xf64>
  %w = memref.alloc() : memref<20x25xf64>
  %upper = memref.subview %t[0, 0] [10, 25] [1, 1] : memref<20x25xf64> to memref<10x25xf64, strided<[25, 1]>>
  %of = memref.subview %w[0, 0] [10, 25] [1, 1] : memref<20x25xf64> to memref<10x25xf64, strided<[25, 1]>>
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %T : memref<20x20xf64>, memref<20x25xf64>) outs(%t : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%t, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%u : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%u, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%w : memref<20x25xf64>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%of, %S : memref<10x25xf64, strided<[25, 1]>>, memref<25x25xf64>)
    outs(%upper : memref<10x25xf64, strided<[25, 1]>>)
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%t, %S : memref<20x25xf64>, memref<25x25xf64>) outs(%C : memref<20x25xf64>)
  return
}

// -----

// A loop is unrolled, beta is zero the first time, and the result is an
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

// A value that is returned twice is a result of its own each time.

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

// A function that does anything else, or of which something is known only when
// it runs, is no program.

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

// -----

// Extents that are unknown are arguments, each index of the program's once.
// Buffers that live at the same time, as %t and %u do, have slots of their own;
// %v has that of %t, which is as large as the larger one of them.

// CHECK-LABEL: func.func @shaped_workspace_bytes(
// CHECK-SAME: %[[I:.*]]: i64, %[[J:.*]]: i64) -> i64 attributes {tc.program.workspace_bytes}
// CHECK-DAG: %[[EXTENT_I:.*]] = arith.index_cast %[[I]]
// CHECK-DAG: %[[EXTENT_J:.*]] = arith.index_cast %[[J]]
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[EXTENT_I]], %c1152921504606846975
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[EXTENT_I]], %c8
// CHECK: %[[T:.*]] = arith.select %[[FITS]], %[[PRODUCT]], %c9223372036854775807
// CHECK: %[[T_PARTS:.*]] = arith.ceildivui %[[T]], %c64
// CHECK: %[[T_PARTS_BYTES:.*]] = arith.muli %[[T_PARTS]], %c64
// CHECK: %[[T_BYTES:.*]] = arith.minui %[[T_PARTS_BYTES]], %c9223372036854775807
// CHECK: arith.select
// CHECK: %[[FIRST:.*]] = arith.maxui %[[T_BYTES]], %{{.*}}
// CHECK: arith.select
// CHECK: %[[SUM:.*]] = arith.addi
// CHECK: arith.minui %[[SUM]], %c9223372036854775807
// CHECK: return

// CHECK-LABEL: func.func @shaped_run(
// CHECK-SAME: %[[A:.*]]: memref<f64>, %[[X:.*]]: memref<f64>, %[[Y:.*]]: memref<f64>, %[[Z:.*]]: memref<f64>, %{{.*}}: i64, %{{.*}}: i64, %[[WORKSPACE:.*]]: memref<i8>) -> i32
// CHECK-SAME: tc.program = ["A", "x", "y", "z"]
// CHECK-SAME: tc.program.extents = ["extent_i", "extent_j"]
// CHECK-SAME: tc.program.reads = array<i1: true, true, true, false>
// CHECK-SAME: tc.program.shapes = [array<i64: -1, -2>, array<i64: -2>, array<i64: -1>, array<i64: -1>]
// CHECK-SAME: tc.program.writes = array<i1: false, false, true, true>
// CHECK: %[[BYTES:.*]] = memref.reinterpret_cast %[[WORKSPACE]] to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<i8> to memref<?xi8>
// CHECK: memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%{{.*}}, %{{.*}}], strides: [%{{.*}}, 1] : memref<f64> to memref<?x?xf64>
// CHECK: memref.view %[[BYTES]][%c0{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf64>
// CHECK: %[[STATUS:.*]] = call @shaped_contraction(
// CHECK: %[[DONE:.*]] = arith.cmpi eq, %[[STATUS]],
// CHECK: cf.cond_br %[[DONE]], ^[[NEXT:.*]], ^[[END:.*]]
// CHECK: ^[[NEXT]]:
// CHECK: memref.view %[[BYTES]][%[[SECOND:.*]]][%{{.*}}] : memref<?xi8> to memref<?xf64>
// CHECK: call @shaped_contraction_0(
// CHECK: memref.view %[[BYTES]][%c0{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf64>
// CHECK: call @shaped_contraction_1(
// CHECK: memref.reinterpret_cast %[[Z]]
// CHECK: call @shaped_contraction_2(
func.func @shaped(%A: memref<?x?xf64> {tc.name = "A", tc.indices = ["i", "j"]},
                  %x: memref<?xf64> {tc.name = "x", tc.indices = ["j"]},
                  %y: memref<?xf64> {tc.name = "y", tc.indices = ["i"]})
    -> (memref<?xf64> {tc.name = "y"}, memref<?xf64> {tc.name = "z"}) {
  %zero = arith.constant 0 : index
  %i = memref.dim %A, %zero : memref<?x?xf64>
  %j = memref.dim %x, %zero : memref<?xf64>
  %one = arith.constant 1.0 : f64
  %t = memref.alloc(%i) : memref<?xf64>
  tc.contract [i, j], [j] -> [i] ins(%A, %x : memref<?x?xf64>, memref<?xf64>) outs(%t : memref<?xf64>)
  %u = memref.alloc(%j) : memref<?xf64>
  tc.contract [i, j], [i] -> [j] ins(%A, %t : memref<?x?xf64>, memref<?xf64>) outs(%u : memref<?xf64>)
  %v = memref.alloc(%i) : memref<?xf64>
  tc.contract [i, j], [j] -> [i] ins(%A, %u : memref<?x?xf64>, memref<?xf64>) outs(%v : memref<?xf64>)
  %z = memref.alloc(%i) : memref<?xf64>
  tc.contract [i], [i] -> [i] ins(%v, %v : memref<?xf64>, memref<?xf64>) outs(%z : memref<?xf64>)
  tc.contract [i], [i] -> [i] ins(%v, %v : memref<?xf64>, memref<?xf64>) outs(%y : memref<?xf64>) beta(%one : f64)
  return %y, %z : memref<?xf64>, memref<?xf64>
}

// -----

// A region may read a temporary, too: %u, which is allocated before it, gets a slot
// of its own, and %v, which is allocated behind it, that of %t.

// CHECK-LABEL: func.func @region_reads_run(
// CHECK: memref.view %[[BYTES:.*]][%c0{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf64>
// CHECK: call @region_reads_contraction(
// CHECK: %[[U:.*]] = memref.view %[[BYTES]][%[[SECOND:[^c].*]]][%{{.*}}] : memref<?xi8> to memref<?xf64>
// CHECK: linalg.generic {{.*}} outs(%[[U]] :
// CHECK: memref.view %[[BYTES]][%c0{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf64>
// CHECK: call @region_reads_contraction_0(
func.func @region_reads(%A: memref<?x?xf64> {tc.name = "A", tc.indices = ["i", "j"]},
                        %x: memref<?xf64> {tc.name = "x", tc.indices = ["j"]})
    -> (memref<?xf64> {tc.name = "z"}) {
  %zero = arith.constant 0 : index
  %i = memref.dim %A, %zero : memref<?x?xf64>
  %t = memref.alloc(%i) : memref<?xf64>
  tc.contract [i, j], [j] -> [i] ins(%A, %x : memref<?x?xf64>, memref<?xf64>) outs(%t : memref<?xf64>)
  %u = memref.alloc(%i) : memref<?xf64>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%u : memref<?xf64>) {
  ^bb0(%out: f64):
    %place = linalg.index 0 : index
    %number = memref.load %t[%place] : memref<?xf64>
    linalg.yield %number : f64
  }
  %v = memref.alloc(%i) : memref<?xf64>
  tc.contract [i], [i] -> [i] ins(%u, %u : memref<?xf64>, memref<?xf64>) outs(%v : memref<?xf64>)
  %z = memref.alloc(%i) : memref<?xf64>
  tc.contract [i], [i] -> [i] ins(%u, %v : memref<?xf64>, memref<?xf64>) outs(%z : memref<?xf64>)
  return %z : memref<?xf64>
}

// -----

// It writes nothing but the element that it yields.

// CHECK-NOT: _run(
// expected-remark @+1 {{becomes no program: the region of 'linalg.generic' does more than to compute an element}}
func.func @region_writes(%x: memref<?xf64> {tc.name = "x"}, %y: memref<f64> {tc.name = "y"}, %z: memref<?xf64> {tc.name = "z"}) {
  tc.contract [i], [i] -> [] ins(%x, %x : memref<?xf64>, memref<?xf64>) outs(%y : memref<f64>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%z : memref<?xf64>) {
  ^bb0(%out: f64):
    memref.store %out, %y[] : memref<f64>
    linalg.yield %out : f64
  }
  return
}

// -----

// Other operations in such a function, and sizes that follow from no extent,
// leave it without one.

// CHECK-NOT: _run(
func.func private @other(memref<?xf64>)
// expected-remark @+1 {{becomes no program: 'func.call' is no step of a program}}
func.func @calls_shaped(%x: memref<?xf64> {tc.name = "x"}, %y: memref<f64>) {
  tc.contract [i], [i] -> [] ins(%x, %x : memref<?xf64>, memref<?xf64>) outs(%y : memref<f64>)
  call @other(%x) : (memref<?xf64>) -> ()
  return
}

// -----

// CHECK-NOT: _run(
// expected-remark @+1 {{becomes no program: argument 1 is no contiguous buffer}}
func.func @takes_number(%x: memref<?xf64> {tc.name = "x"}, %n: index) -> memref<?xf64> {
  %t = memref.alloc(%n) : memref<?xf64>
  tc.contract [i], [i] -> [i] ins(%x, %x : memref<?xf64>, memref<?xf64>) outs(%t : memref<?xf64>)
  return %t : memref<?xf64>
}
