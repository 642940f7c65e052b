// RUN: tc-opt %s -split-input-file -tc-to-cpu -canonicalize -cse | FileCheck %s

// Vectors lie along the summed index: 21 is two tiles of 8, a vector of 4 and one
// lane. 6 rows are a tile of 4 and one of 2.

// CHECK-LABEL: func.func @summed
// CHECK-NOT: memref.alloc()
// CHECK: %[[SUMS:.*]]:8 = scf.for %{{.*}} = %c0 to %c16 step %c8
// CHECK-COUNT-8: vector.fma {{.*}} : vector<4xf64>
// CHECK-NOT: vector.fma
// CHECK: scf.yield
// CHECK-COUNT-4: vector.fma {{.*}} : vector<4xf64>
// CHECK: vector.fma {{.*}} : vector<1xf64>
// Lanes are added up by halves.
// CHECK: arith.addf {{.*}} : vector<4xf64>
// CHECK: arith.addf {{.*}} : vector<2xf64>
// CHECK: arith.addf {{.*}} : vector<1xf64>
// CHECK: memref.store
// CHECK: scf.for {{.*}} -> (vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>) {
// CHECK-COUNT-4: vector.fma {{.*}} : vector<4xf64>
// CHECK-NOT: vector.fma
// CHECK: scf.yield
func.func @summed(%A: memref<6x21xf64>, %x: memref<21xf64>, %y: memref<6xf64>) {
  tc.contract [i, j], [j] -> [i]
    ins(%A, %x : memref<6x21xf64>, memref<21xf64>) outs(%y : memref<6xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = direct,
       loops = [i, j], vector = j, columns = i, register = [8, 4], lanes = 4>}
  return
}

// -----

// Vectors lie along an index of C: one number of B for all lanes, and whole
// vectors of A. Eleven is a vector of 8, and one of 3.

// CHECK-LABEL: func.func @outputs
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK: vector.load {{.*}} : memref<440xf32>, vector<8xf32>
// CHECK: vector.broadcast {{.*}} : f32 to vector<8xf32>
// CHECK: vector.fma
// CHECK: vector.store {{.*}} : memref<44xf32>, vector<8xf32>
// CHECK: vector.load {{.*}} : memref<440xf32>, vector<3xf32>
// CHECK: vector.store {{.*}} : memref<44xf32>, vector<3xf32>
func.func @outputs(%A: memref<40x11xf32>, %B: memref<4x40xf32>,
                   %C: memref<4x11xf32>) {
  tc.contract [k, m], [n, k] -> [n, m]
    ins(%A, %B : memref<40x11xf32>, memref<4x40xf32>)
    outs(%C : memref<4x11xf32>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = direct,
       loops = [n, m, k], vector = m, columns = n, register = [8, 2], lanes = 8>}
  return
}

// -----

// C's elements along the vector do not lie side by side: they go through a
// buffer.

// CHECK-LABEL: func.func @scattered
// CHECK: %[[BUFFER:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4xf64>
// CHECK: vector.store {{.*}}, %[[BUFFER]]
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = memref.load %[[BUFFER]]
// CHECK: memref.store %[[SUM]], {{.*}} : memref<22xf64>
func.func @scattered(%A: memref<5x8xf64>, %x: memref<5xf64>,
                     %y: memref<8xf64, strided<[3]>>) {
  tc.contract [k, m], [k] -> [m]
    ins(%A, %x : memref<5x8xf64>, memref<5xf64>)
    outs(%y : memref<8xf64, strided<[3]>>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = direct,
       loops = [m, k], vector = m, register = [4, 1], lanes = 4>}
  return
}

// -----

// Five blocks, of the outermost loop, for two threads; the last is cut off.

// CHECK-LABEL: func.func @threads
// CHECK: omp.parallel
// CHECK: omp.wsloop nowait schedule(static)
// CHECK: %[[FIRST:.*]] = arith.divui
// CHECK: %[[END:.*]] = arith.divui
// CHECK: scf.for %[[BLOCK:.*]] = %[[FIRST]] to %[[END]]
// CHECK: %[[WHOLE:.*]] = arith.cmpi slt, %{{.*}}, %c4
// CHECK: scf.if %[[WHOLE]]
func.func @threads(%A: memref<18x8xf64>, %x: memref<8xf64>,
                   %y: memref<18xf64>) {
  tc.contract [i, j], [j] -> [i]
    ins(%A, %x : memref<18x8xf64>, memref<8xf64>) outs(%y : memref<18xf64>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = direct,
       loops = [i, j], vector = j, columns = i, register = [8, 4], lanes = 8,
       threads = [batch: 2]>}
  return
}

// -----

// Blocks of four values are summed one after the other; C is read for all but the
// first. The last has two values.

// CHECK-LABEL: func.func @blocks
// CHECK: scf.for %[[BLOCK:.*]] = %c0 to %c2
// CHECK: %[[LATER:.*]] = arith.cmpi ne, %[[BLOCK]], %c0
// CHECK-COUNT-4: vector.fma {{.*}} : vector<8xf32>
// CHECK: scf.if %[[LATER]]
// CHECK: vector.load {{.*}} : memref<8xf32>, vector<8xf32>
// CHECK: math.fma
// CHECK: vector.store
// CHECK: else
// CHECK: vector.store
// The last block.
// CHECK-COUNT-2: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK: math.fma
// CHECK: vector.store
// CHECK: return
func.func @blocks(%A: memref<10x8xf32>, %x: memref<10xf32>,
                  %y: memref<8xf32>) {
  tc.contract [j, i], [j] -> [i]
    ins(%A, %x : memref<10x8xf32>, memref<10xf32>) outs(%y : memref<8xf32>)
    {cpu_schedule = #tc.cpu_schedule<target = "x", strategy = direct,
       loops = [i, j], vector = i, k = [j: 4], register = [8, 1], lanes = 8>}
  return
}
