// RUN: tc-opt %s --allow-unregistered-dialect --pass-pipeline="builtin.module(gpu.module(tc-lower-convert-accumulators,canonicalize,cse))" | FileCheck %s

// Four threads of 2 x 2 in a tile of 4 x 4. The first term has rows along m and
// columns along n, the second one the other way around, and lanes along n in
// both. There are 16 banks for sums of 8 bytes, and as many sums, so that they
// lie by their numbers.

#term = #tc.kernel<a = [x, k], b = [k, y], c = [y, x], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [x: 4], n = [y: 4], k = [k: 2], register = [4, 1]>>
#main = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>,
    edges = [C1 -> C], terms = [#term]>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @small
  // CHECK-SAME: %[[C0:[a-z0-9]*]]: vector<1xf64>, %[[C1:[a-z0-9]*]]: vector<1xf64>, %[[C2:[a-z0-9]*]]: vector<1xf64>, %[[C3:[a-z0-9]*]]: vector<1xf64>)
  // CHECK: %[[SUMS:.*]] = memref.view %{{.*}} to memref<16xf64
  // CHECK: gpu.barrier
  // CHECK: %[[ID:.*]] = gpu.thread_id x
  // CHECK: %[[T:.*]] = arith.index_cast %[[ID]] : index to i32
  // The thread has the column y of its number, whose elements are neighbours:
  // of its four sums, the first is number 4 T.
  // CHECK: %[[FIRST:.*]] = arith.muli %[[T]], %c4_i32
  // CHECK: %[[E0:.*]] = vector.extract %[[C0]][0]
  // CHECK: %[[I0:.*]] = arith.index_cast %[[FIRST]]
  // CHECK: memref.store %[[E0]], %[[SUMS]][%[[I0]]]
  // CHECK: %[[E1:.*]] = vector.extract %[[C1]][0]
  // CHECK: %[[X1:.*]] = arith.xori %[[FIRST]], %c1_i32
  // CHECK: %[[I1:.*]] = arith.index_cast %[[X1]]
  // CHECK: memref.store %[[E1]], %[[SUMS]][%[[I1]]]
  // CHECK: %[[E2:.*]] = vector.extract %[[C2]][0]
  // CHECK: %[[X2:.*]] = arith.xori %[[FIRST]], %c2_i32
  // CHECK: %[[I2:.*]] = arith.index_cast %[[X2]]
  // CHECK: memref.store %[[E2]], %[[SUMS]][%[[I2]]]
  // CHECK: %[[E3:.*]] = vector.extract %[[C3]][0]
  // CHECK: %[[X3:.*]] = arith.xori %[[FIRST]], %c3_i32
  // CHECK: %[[I3:.*]] = arith.index_cast %[[X3]]
  // CHECK: memref.store %[[E3]], %[[SUMS]][%[[I3]]]
  // CHECK: gpu.barrier
  // It gets two rows from 2 (T / 2) on, two columns from 2 (T % 2) on: the first
  // is number 8 (T / 2) + 2 (T % 2), those of the next row are 4 further.
  // CHECK: %[[ROW:.*]] = arith.divui %[[T]], %c2_i32
  // CHECK: %[[ROWS:.*]] = arith.muli %[[ROW]], %c8_i32
  // CHECK: %[[COLUMN:.*]] = arith.remui %[[T]], %c2_i32
  // CHECK: %[[COLUMNS:.*]] = arith.muli %[[COLUMN]], %c2_i32
  // CHECK: %[[FROM:.*]] = arith.addi %[[ROWS]], %[[COLUMNS]]
  // CHECK: %[[J0:.*]] = arith.index_cast %[[FROM]]
  // CHECK: %[[L0:.*]] = memref.load %[[SUMS]][%[[J0]]]
  // CHECK: %[[Y1:.*]] = arith.xori %[[FROM]], %c1_i32
  // CHECK: %[[J1:.*]] = arith.index_cast %[[Y1]]
  // CHECK: %[[L1:.*]] = memref.load %[[SUMS]][%[[J1]]]
  // CHECK: vector.from_elements %[[L0]], %[[L1]] : vector<2xf64>
  // CHECK: %[[Y4:.*]] = arith.xori %[[FROM]], %c4_i32
  // CHECK: %[[J4:.*]] = arith.index_cast %[[Y4]]
  // CHECK: %[[L2:.*]] = memref.load %[[SUMS]][%[[J4]]]
  // CHECK: %[[Y5:.*]] = arith.xori %[[FROM]], %c5_i32
  // CHECK: %[[J5:.*]] = arith.index_cast %[[Y5]]
  // CHECK: %[[L3:.*]] = memref.load %[[SUMS]][%[[J5]]]
  // CHECK: vector.from_elements %[[L2]], %[[L3]] : vector<2xf64>
  // CHECK: gpu.barrier
  // CHECK-NOT: tc.convert_accumulators
  gpu.func @small(%A: memref<4x6xf64>, %B: memref<6x4xf64>, %C: memref<4x4xf64>, %A1: memref<4x6xf64>, %B1: memref<6x4xf64>,
                  %c0: vector<1xf64>, %c1: vector<1xf64>, %c2: vector<1xf64>, %c3: vector<1xf64>)
      kernel attributes {tc.kernel = #main} {
    %storage = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %r:2 = tc.convert_accumulators %c0, %c1, %c2, %c3 from 1 to 0 through %storage
      : vector<1xf64>, vector<1xf64>, vector<1xf64>, vector<1xf64>
      through memref<?xi8, #gpu.address_space<workgroup>> -> vector<2xf64>, vector<2xf64>
    "test.use"(%r#0, %r#1) : (vector<2xf64>, vector<2xf64>) -> ()
    gpu.return
  }
}
