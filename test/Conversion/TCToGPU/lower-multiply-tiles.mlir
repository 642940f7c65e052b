// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-multiply-tiles,canonicalize,cse))" -split-input-file | FileCheck %s
// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-multiply-tiles{max-unrolled=4},canonicalize,cse))" -split-input-file | FileCheck %s --check-prefix=LOOP
// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-multiply-tiles{max-unrolled=1},canonicalize,cse))" -split-input-file | FileCheck %s --check-prefix=TRIPS

#kernel = #tc.kernel<a = [k, m], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// C's stride-one index is n, so consecutive threads walk along n. For each of
// the two rows of the shared tiles: a pair of A, a pair of B, an outer product.

// CHECK-LABEL: gpu.func @along_sides
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>
// CHECK: %[[FLAT_A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [8], strides: [1]
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[T:.*]] = arith.index_cast %[[THREAD]] : index to i32
// CHECK: %[[TM:.*]] = arith.divui %[[T]], %c2_i32
// CHECK: %[[M:.*]] = arith.muli %[[TM]], %c2_i32
// CHECK: %[[FLAT_B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [8], strides: [1]
// CHECK: %[[TN:.*]] = arith.remui %[[T]], %c2_i32
// CHECK: %[[N:.*]] = arith.muli %[[TN]], %c2_i32
// CHECK: %[[AT_A:.*]] = arith.index_cast %[[M]] : i32 to index
// CHECK: %[[A:.*]] = vector.load %[[FLAT_A]][%[[AT_A]]] {alignment = 16 : i64}
// CHECK: %[[A0:.*]] = vector.extract %[[A]][0]
// CHECK: %[[A1:.*]] = vector.extract %[[A]][1]
// CHECK: %[[AT_B:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK: %[[B:.*]] = vector.load %[[FLAT_B]][%[[AT_B]]] {alignment = 16 : i64}
// CHECK: %[[F0:.*]] = vector.broadcast %[[A0]]
// CHECK: %[[P0:.*]] = math.fma %[[F0]], %[[B]], %[[S0]]
// CHECK: %[[F1:.*]] = vector.broadcast %[[A1]]
// CHECK: %[[P1:.*]] = math.fma %[[F1]], %[[B]], %[[S1]]
// CHECK: %[[NEXT_A:.*]] = arith.addi %[[AT_A]], %c4
// CHECK: %[[A_NEXT:.*]] = vector.load %[[FLAT_A]][%[[NEXT_A]]]
// CHECK: %[[A2:.*]] = vector.extract %[[A_NEXT]][0]
// CHECK: %[[A3:.*]] = vector.extract %[[A_NEXT]][1]
// CHECK: %[[NEXT_B:.*]] = arith.addi %[[AT_B]], %c4
// CHECK: %[[B_NEXT:.*]] = vector.load %[[FLAT_B]][%[[NEXT_B]]]
// CHECK: %[[F2:.*]] = vector.broadcast %[[A2]]
// CHECK: %[[Q0:.*]] = math.fma %[[F2]], %[[B_NEXT]], %[[P0]]
// CHECK: %[[F3:.*]] = vector.broadcast %[[A3]]
// CHECK: %[[Q1:.*]] = math.fma %[[F3]], %[[B_NEXT]], %[[P1]]
// CHECK-NOT: math.fma
// CHECK: vector.store %[[Q0]]
// CHECK: vector.store %[[Q1]]

// Beyond the limit, rows are trips of a loop.

// LOOP-LABEL: gpu.func @along_sides
// LOOP: %[[SUMS:.*]]:2 = scf.for %[[K:.*]] = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// LOOP: %[[ROW:.*]] = arith.muli %[[K]], %c4_i32
// LOOP: arith.addi %{{.*}}, %[[ROW]]
// LOOP: vector.load
// LOOP: arith.addi %{{.*}}, %[[ROW]]
// LOOP: vector.load
// LOOP-COUNT-2: math.fma
// LOOP-NOT: math.fma
// LOOP: scf.yield
// LOOP: vector.store %[[SUMS]]#0
gpu.module @kernels {
  gpu.func @along_sides(%A: memref<6x12xf64>, %B: memref<6x12xf64>, %C: memref<12x12xf64>,
                        %pa: memref<2x4xf64>, %pb: memref<2x4xf64>, %s0: vector<2xf64>, %s1: vector<2xf64>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s0, %s1 : memref<2x4xf64>, memref<2x4xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    vector.store %r#0, %C[%at, %at] : memref<12x12xf64>, vector<2xf64>
    vector.store %r#1, %C[%at, %at] : memref<12x12xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>

// A's shared tile has rows along k: a load has two values of k of one m. The two m of
// a thread are two threads apart.

// CHECK-LABEL: gpu.func @along_k
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>
// CHECK: %[[FLAT_A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [8], strides: [1]
// CHECK: %[[TM:.*]] = arith.divui %{{.*}}, %c2_i32
// CHECK: %[[ROW:.*]] = arith.muli %[[TM]], %c2_i32
// CHECK: %[[FLAT_B:.*]] = memref.reinterpret_cast
// CHECK: %[[AT_A:.*]] = arith.index_cast %[[ROW]] : i32 to index
// CHECK: %[[A0:.*]] = vector.load %[[FLAT_A]][%[[AT_A]]] {alignment = 16 : i64}
// CHECK: %[[A00:.*]] = vector.extract %[[A0]][0]
// CHECK: %[[A01:.*]] = vector.extract %[[A0]][1]
// CHECK: %[[NEXT_M:.*]] = arith.addi %[[AT_A]], %c4
// CHECK: %[[A1:.*]] = vector.load %[[FLAT_A]][%[[NEXT_M]]] {alignment = 16 : i64}
// CHECK: %[[A10:.*]] = vector.extract %[[A1]][0]
// CHECK: %[[A11:.*]] = vector.extract %[[A1]][1]
// CHECK: %[[B0:.*]] = vector.load %[[FLAT_B]][%[[AT_B:.*]]] {alignment = 16 : i64}
// CHECK: %[[F00:.*]] = vector.broadcast %[[A00]]
// CHECK: %[[P0:.*]] = math.fma %[[F00]], %[[B0]], %[[S0]]
// CHECK: %[[F10:.*]] = vector.broadcast %[[A10]]
// CHECK: %[[P1:.*]] = math.fma %[[F10]], %[[B0]], %[[S1]]
// CHECK: %[[NEXT_K:.*]] = arith.addi %[[AT_B]], %c4
// CHECK: %[[B1:.*]] = vector.load %[[FLAT_B]][%[[NEXT_K]]]
// CHECK: %[[F01:.*]] = vector.broadcast %[[A01]]
// CHECK: %[[Q0:.*]] = math.fma %[[F01]], %[[B1]], %[[P0]]
// CHECK: %[[F11:.*]] = vector.broadcast %[[A11]]
// CHECK: %[[Q1:.*]] = math.fma %[[F11]], %[[B1]], %[[P1]]
// CHECK-NOT: math.fma
// CHECK: vector.store %[[Q0]]
// CHECK: vector.store %[[Q1]]
gpu.module @kernels {
  gpu.func @along_k(%A: memref<10x6xf64>, %B: memref<6x12xf64>, %C: memref<10x12xf64>,
                    %pa: memref<4x2xf64>, %pb: memref<2x4xf64>, %s0: vector<2xf64>, %s1: vector<2xf64>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s0, %s1 : memref<4x2xf64>, memref<2x4xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    vector.store %r#0, %C[%at, %at] : memref<10x12xf64>, vector<2xf64>
    vector.store %r#1, %C[%at, %at] : memref<10x12xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_80", m = [m: 16], n = [n: 16], k = [k: 4], register = [1, 4], instruction = mma_m8n8k4>>

// Two warps along m. A lane's row is its number over four, its depth and the
// column of its accumulators the rest; of b's columns it loads two neighbours,
// one for each instruction. Even rows' are among the first eight of sixteen, odd
// ones' among the others, and exchanged in pairs. The rows of B's shared tile are
// padded to 20.

// CHECK-LABEL: gpu.func @m8n8k4
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>
// CHECK: %[[FLAT_A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [64], strides: [1]
// CHECK: %[[T:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32_i32
// CHECK: %[[WARP:.*]] = arith.divui %[[T]], %c32_i32
// CHECK: %[[G:.*]] = arith.divui %[[LANE]], %c4_i32
// CHECK: %[[WARP_ROWS:.*]] = arith.muli %[[WARP]], %c8_i32
// CHECK: %[[ROW:.*]] = arith.addi %[[WARP_ROWS]], %[[G]]
// CHECK: %[[DEPTH:.*]] = arith.remui %[[LANE]], %c4_i32
// CHECK: %[[ROW_A:.*]] = arith.muli %[[ROW]], %c4_i32
// CHECK: %[[AT_A:.*]] = arith.addi %[[ROW_A]], %[[DEPTH]]
// CHECK: %[[FLAT_B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [80], strides: [1]
// CHECK: %[[ROUND:.*]] = arith.remui %[[G]], %c2_i32
// CHECK: %[[HALF:.*]] = arith.divui %[[G]], %c2_i32
// CHECK: %[[PLACE:.*]] = arith.xori %[[HALF]], %[[ROUND]]
// CHECK: %[[OF_ROUND:.*]] = arith.muli %[[ROUND]], %c4_i32
// CHECK: %[[PAIR:.*]] = arith.addi %[[PLACE]], %[[OF_ROUND]]
// CHECK: %[[COLUMN:.*]] = arith.muli %[[PAIR]], %c2_i32
// CHECK: %[[ROW_B:.*]] = arith.muli %[[DEPTH]], %c20_i32
// CHECK: %[[AT_B:.*]] = arith.addi %[[COLUMN]], %[[ROW_B]]
// CHECK-DAG: %[[S00:.*]] = vector.extract %[[S0]][0]
// CHECK-DAG: %[[S01:.*]] = vector.extract %[[S0]][1]
// CHECK-DAG: %[[S10:.*]] = vector.extract %[[S1]][0]
// CHECK-DAG: %[[S11:.*]] = vector.extract %[[S1]][1]
// CHECK: %[[I_A:.*]] = arith.index_cast %[[AT_A]]
// CHECK: %[[LOAD_A:.*]] = vector.load %[[FLAT_A]][%[[I_A]]] {alignment = 8 : i64} : memref<64xf64>, vector<1xf64>
// CHECK: %[[A:.*]] = vector.extract %[[LOAD_A]][0]
// CHECK: %[[I_B:.*]] = arith.index_cast %[[AT_B]]
// CHECK: %[[LOAD_B:.*]] = vector.load %[[FLAT_B]][%[[I_B]]] {alignment = 16 : i64} : memref<80xf64>, vector<2xf64>
// CHECK: %[[B0:.*]] = vector.extract %[[LOAD_B]][0]
// CHECK: %[[B1:.*]] = vector.extract %[[LOAD_B]][1]
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[A]], %[[B0]], %[[S00]], %[[S10]])
// CHECK: %[[P0:.*]] = llvm.extractvalue %[[P]][0]
// CHECK: %[[P1:.*]] = llvm.extractvalue %[[P]][1]
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"(%[[A]], %[[B1]], %[[S01]], %[[S11]])
// CHECK: %[[Q0:.*]] = llvm.extractvalue %[[Q]][0]
// CHECK: %[[Q1:.*]] = llvm.extractvalue %[[Q]][1]
// CHECK-NOT: llvm.call_intrinsic
// CHECK: %[[R0:.*]] = vector.from_elements %[[P0]], %[[Q0]]
// CHECK: %[[R1:.*]] = vector.from_elements %[[P1]], %[[Q1]]
// CHECK: vector.store %[[R0]]
// CHECK: vector.store %[[R1]]
gpu.module @kernels {
  gpu.func @m8n8k4(%A: memref<32x16xf64>, %B: memref<16x32xf64>, %C: memref<32x32xf64>,
                   %pa: memref<16x4xf64>, %pb: memref<4x20xf64>, %s0: vector<2xf64>, %s1: vector<2xf64>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s0, %s1 : memref<16x4xf64>, memref<4x20xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    vector.store %r#0, %C[%at, %at] : memref<32x32xf64>, vector<2xf64>
    vector.store %r#1, %C[%at, %at] : memref<32x32xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [k, m], b = [n, k], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 8], k = [k: 16], register = [2, 2], instruction = mma_m16n8k8>>

// A's shared tile has rows along m, so that a load has both of a lane's rows of one
// depth, and B's along k, so that one has both depths of a column: neighbours in
// the registers of an instruction, which takes the depths in another order, but
// the same one for A and B.

// CHECK-LABEL: gpu.func @m16n8k8
// CHECK: %[[FLAT_A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [288], strides: [1]
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
// CHECK: %[[G:.*]] = arith.divui %[[LANE]], %c4_i32
// CHECK: %[[ROWS:.*]] = arith.muli %[[G]], %c2_i32
// CHECK: %[[T:.*]] = arith.remui %[[LANE]], %c4_i32
// CHECK: %[[DEPTHS_A:.*]] = arith.muli %[[T]], %c36_i32
// CHECK: %[[AT_A:.*]] = arith.addi %[[ROWS]], %[[DEPTHS_A]]
// CHECK: %[[FLAT_B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [192], strides: [1]
// CHECK: %[[DEPTHS_B:.*]] = arith.muli %[[T]], %c2_i32
// CHECK: %[[COLUMN:.*]] = arith.muli %[[G]], %c24_i32
// CHECK: %[[AT_B:.*]] = arith.addi %[[COLUMN]], %[[DEPTHS_B]]
// CHECK: %[[I:.*]] = arith.index_cast %[[AT_A]]
// CHECK: %[[LOAD0:.*]] = vector.load %[[FLAT_A]][%[[I]]] {alignment = 16 : i64}
// CHECK-DAG: %[[A00:.*]] = vector.extract %[[LOAD0]][0]
// CHECK-DAG: %[[A80:.*]] = vector.extract %[[LOAD0]][1]
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %c18
// CHECK: %[[LOAD1:.*]] = vector.load %[[FLAT_A]][%[[I1]]] {alignment = 16 : i64}
// CHECK-DAG: %[[A01:.*]] = vector.extract %[[LOAD1]][0]
// CHECK-DAG: %[[A81:.*]] = vector.extract %[[LOAD1]][1]
// CHECK: %[[I_B:.*]] = arith.index_cast %[[AT_B]]
// CHECK: %[[LOAD_B:.*]] = vector.load %[[FLAT_B]][%[[I_B]]] {alignment = 16 : i64}
// CHECK-DAG: %[[B0:.*]] = vector.extract %[[LOAD_B]][0]
// CHECK-DAG: %[[B1:.*]] = vector.extract %[[LOAD_B]][1]
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"(%[[A00]], %[[A80]], %[[A01]], %[[A81]], %[[B0]], %[[B1]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-DAG: %[[P0:.*]] = llvm.extractvalue %[[P]][0]
// CHECK-DAG: %[[P1:.*]] = llvm.extractvalue %[[P]][1]
// CHECK-DAG: %[[P2:.*]] = llvm.extractvalue %[[P]][2]
// CHECK-DAG: %[[P3:.*]] = llvm.extractvalue %[[P]][3]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c144
// CHECK: vector.load %[[FLAT_A]][%[[NEXT]]]
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[P0]], %[[P1]], %[[P2]], %[[P3]])
// CHECK-DAG: %[[Q0:.*]] = llvm.extractvalue %[[Q]][0]
// CHECK-DAG: %[[Q1:.*]] = llvm.extractvalue %[[Q]][1]
// CHECK-DAG: %[[Q2:.*]] = llvm.extractvalue %[[Q]][2]
// CHECK-DAG: %[[Q3:.*]] = llvm.extractvalue %[[Q]][3]
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.from_elements %[[Q0]], %[[Q1]]
// CHECK: vector.from_elements %[[Q2]], %[[Q3]]

// Beyond the limit, which counts instructions, depths are trips of a loop.

// LOOP-LABEL: gpu.func @m16n8k8
// LOOP-NOT: scf.for
// LOOP-COUNT-2: llvm.call_intrinsic
// TRIPS-LABEL: gpu.func @m16n8k8
// TRIPS: scf.for %{{.*}} = %c0_i32 to %c16_i32 step %c8_i32
// TRIPS-COUNT-1: llvm.call_intrinsic
// TRIPS-NOT: llvm.call_intrinsic
// TRIPS: scf.yield
gpu.module @kernels {
  gpu.func @m16n8k8(%A: memref<32x32xf64>, %B: memref<32x32xf64>, %C: memref<32x32xf64>,
                   %pa: memref<16x18xf64>, %pb: memref<8x24xf64>, %s0: vector<2xf64>, %s1: vector<2xf64>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s0, %s1 : memref<16x18xf64>, memref<8x24xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    vector.store %r#0, %C[%at, %at] : memref<32x32xf64>, vector<2xf64>
    vector.store %r#1, %C[%at, %at] : memref<32x32xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [k, m], b = [k, n], c = [n, m], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 8], n = [n: 16], k = [k: 4], register = [2, 2], instruction = mma_m16n8k4>>

// C's stride-one index is m: there lie the columns, and along n the rows, whose
// two of a lane are neighbours. B is the left operand.

// CHECK-LABEL: gpu.func @rows_along_n
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<2xf64>, %[[S1:[a-z0-9]*]]: vector<2xf64>
// CHECK: %[[FLAT_A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [32], strides: [1]
// CHECK: %[[G:.*]] = arith.divui %{{.*}}, %c4_i32
// CHECK: %[[T:.*]] = arith.remui %{{.*}}, %c4_i32
// CHECK: %[[ROW_A:.*]] = arith.muli %[[T]], %c8_i32
// CHECK: %[[AT_A:.*]] = arith.addi %[[G]], %[[ROW_A]]
// CHECK: %[[FLAT_B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [80], strides: [1]
// CHECK: %[[N:.*]] = arith.muli %[[G]], %c2_i32
// CHECK: %[[ROW_B:.*]] = arith.muli %[[T]], %c20_i32
// CHECK: %[[AT_B:.*]] = arith.addi %[[N]], %[[ROW_B]]
// CHECK-DAG: %[[S00:.*]] = vector.extract %[[S0]][0]
// CHECK-DAG: %[[S01:.*]] = vector.extract %[[S0]][1]
// CHECK-DAG: %[[S10:.*]] = vector.extract %[[S1]][0]
// CHECK-DAG: %[[S11:.*]] = vector.extract %[[S1]][1]
// CHECK: %[[I_A:.*]] = arith.index_cast %[[AT_A]]
// CHECK: %[[LOAD_A:.*]] = vector.load %[[FLAT_A]][%[[I_A]]] {alignment = 8 : i64} : memref<32xf64>, vector<1xf64>
// CHECK: %[[A:.*]] = vector.extract %[[LOAD_A]][0]
// CHECK: %[[I_B:.*]] = arith.index_cast %[[AT_B]]
// CHECK: %[[LOAD_B:.*]] = vector.load %[[FLAT_B]][%[[I_B]]] {alignment = 16 : i64} : memref<80xf64>, vector<2xf64>
// CHECK-DAG: %[[B0:.*]] = vector.extract %[[LOAD_B]][0]
// CHECK-DAG: %[[B1:.*]] = vector.extract %[[LOAD_B]][1]
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k4.row.col.f64"(%[[B0]], %[[B1]], %[[A]], %[[S00]], %[[S10]], %[[S01]], %[[S11]])
// CHECK-DAG: %[[P0:.*]] = llvm.extractvalue %[[P]][0]
// CHECK-DAG: %[[P1:.*]] = llvm.extractvalue %[[P]][1]
// CHECK-DAG: %[[P2:.*]] = llvm.extractvalue %[[P]][2]
// CHECK-DAG: %[[P3:.*]] = llvm.extractvalue %[[P]][3]
// CHECK: %[[R0:.*]] = vector.from_elements %[[P0]], %[[P2]]
// CHECK: %[[R1:.*]] = vector.from_elements %[[P1]], %[[P3]]
// CHECK: vector.store %[[R0]]
// CHECK: vector.store %[[R1]]
gpu.module @kernels {
  gpu.func @rows_along_n(%A: memref<32x32xf64>, %B: memref<32x32xf64>, %C: memref<32x32xf64>,
                   %pa: memref<4x8xf64>, %pb: memref<4x20xf64>, %s0: vector<2xf64>, %s1: vector<2xf64>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s0, %s1 : memref<4x8xf64>, memref<4x20xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    vector.store %r#0, %C[%at, %at] : memref<32x32xf64>, vector<2xf64>
    vector.store %r#1, %C[%at, %at] : memref<32x32xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [n, k], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 8], k = [k: 16], register = [2, 2], instruction = mma_m16n8k16>>

// Both shared tiles have rows along k, but neighbours in a row of A are none in the
// registers of an instruction. So all is loaded one by one, and lanes take turns
// along k, so that words do not meet in banks.

// CHECK-LABEL: gpu.func @m16n8k16
// CHECK: %[[G:.*]] = arith.divui %{{.*}}, %c4_i32
// CHECK: %[[T:.*]] = arith.remui %{{.*}}, %c4_i32
// CHECK: %[[ROW:.*]] = arith.muli %[[G]], %c20_i32
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[T]]
// CHECK: %[[I:.*]] = arith.index_cast %[[AT]]
// CHECK: %[[A0:.*]] = vector.load %[[FLAT_A:.*]][%[[I]]] {alignment = 8 : i64} : memref<320xf64>, vector<1xf64>
// CHECK: %[[I8:.*]] = arith.addi %[[I]], %c160
// CHECK: vector.load %[[FLAT_A]][%[[I8]]]
// CHECK: %[[I4:.*]] = arith.addi %[[I]], %c4
// CHECK: vector.load %[[FLAT_A]][%[[I4]]]
// CHECK-COUNT-5: vector.load %{{.*}} {alignment = 8 : i64} : memref<320xf64>, vector<1xf64>
// CHECK: %[[B0:.*]] = vector.load %[[FLAT_B:.*]][%[[I]]] {alignment = 8 : i64} : memref<160xf64>, vector<1xf64>
// CHECK: vector.load %[[FLAT_B]][%[[I4]]]
// CHECK-COUNT-2: vector.load %{{.*}} {alignment = 8 : i64} : memref<160xf64>, vector<1xf64>
// CHECK-COUNT-1: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f64"
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.store
gpu.module @kernels {
  gpu.func @m16n8k16(%A: memref<32x32xf64>, %B: memref<32x32xf64>, %C: memref<32x32xf64>,
                   %pa: memref<16x20xf64>, %pb: memref<8x20xf64>, %s0: vector<2xf64>, %s1: vector<2xf64>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s0, %s1 : memref<16x20xf64>, memref<8x20xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    vector.store %r#0, %C[%at, %at] : memref<32x32xf64>, vector<2xf64>
    vector.store %r#1, %C[%at, %at] : memref<32x32xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

// Halves are loaded as matrices of 8 x 8, four at once: each lane has the address
// of one row of one of them. Matrices go in the order of the instruction's
// registers: of the rows, A, to the next rows first, then along k; of the columns,
// B, whose shared tile has rows along n and is transposed, along k first.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 16], k = [k: 16], register = [2, 4], instruction = mma_m16n8k16>>

// CHECK-LABEL: gpu.func @halves
// CHECK: %[[FLAT_A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [256], strides: [1]
// CHECK: %[[LANE:.*]] = arith.addi %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK: %[[ROW:.*]] = arith.remui %[[LANE]], %c8_i32
// CHECK: %[[MATRIX:.*]] = arith.divui %[[LANE]], %c8_i32
// CHECK: %[[FAST:.*]] = arith.remui %[[MATRIX]], %c2_i32
// CHECK: %[[SLOW:.*]] = arith.divui %[[MATRIX]], %c2_i32
// CHECK: %[[SLOW_AT:.*]] = arith.muli %[[SLOW]], %c8_i32
// CHECK: %[[AT_ROW:.*]] = arith.muli %[[ROW]], %c16_i32
// CHECK: %[[FAST_AT:.*]] = arith.muli %[[FAST]], %c128_i32
// CHECK: %[[MATRIX_AT:.*]] = arith.addi %[[FAST_AT]], %[[SLOW_AT]]
// CHECK: %[[AT:.*]] = arith.addi %[[AT_ROW]], %[[MATRIX_AT]]
// CHECK: %[[FLAT_B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [256], strides: [1]
// CHECK: %[[I_A:.*]] = arith.index_cast %[[AT]]
// CHECK: %[[A:.*]] = nvgpu.ldmatrix %[[FLAT_A]][%[[I_A]]] {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x2xbf16>
// CHECK-DAG: %[[A0:.*]] = vector.extract %[[A]][0]
// CHECK-DAG: %[[A1:.*]] = vector.extract %[[A]][1]
// CHECK-DAG: %[[A2:.*]] = vector.extract %[[A]][2]
// CHECK-DAG: %[[A3:.*]] = vector.extract %[[A]][3]
// CHECK: %[[B:.*]] = nvgpu.ldmatrix %[[FLAT_B]][%[[I_A]]] {numTiles = 4 : i32, transpose = true} : {{.*}} -> vector<4x2xbf16>
// CHECK-DAG: %[[B0:.*]] = vector.extract %[[B]][0]
// CHECK-DAG: %[[B1:.*]] = vector.extract %[[B]][1]
// CHECK-DAG: %[[B2:.*]] = vector.extract %[[B]][2]
// CHECK-DAG: %[[B3:.*]] = vector.extract %[[B]][3]
// CHECK: %[[R0:.*]] = llvm.bitcast %[[A0]] : vector<2xbf16> to i32
// CHECK: %[[R1:.*]] = llvm.bitcast %[[A1]]
// CHECK: %[[R2:.*]] = llvm.bitcast %[[A2]]
// CHECK: %[[R3:.*]] = llvm.bitcast %[[A3]]
// CHECK: %[[C0:.*]] = llvm.bitcast %[[B0]]
// CHECK: %[[C2:.*]] = llvm.bitcast %[[B2]]
// CHECK: %[[C1:.*]] = llvm.bitcast %[[B1]]
// CHECK: %[[C3:.*]] = llvm.bitcast %[[B3]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"(%[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[C0]], %[[C1]], %{{.*}}) : {{.*}} -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"(%[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[C2]], %[[C3]], %{{.*}})
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.store
gpu.module @kernels {
  gpu.func @halves(%A: memref<32x32xbf16>, %B: memref<32x32xbf16>, %C: memref<32x32xbf16>,
                   %pa: memref<16x16xbf16, #gpu.address_space<workgroup>>, %pb: memref<16x16xbf16, #gpu.address_space<workgroup>>,
                   %s: vector<2xf32>, %out: memref<8xf32>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:4 = tc.multiply_tiles %pa, %pb into %s, %s, %s, %s : memref<16x16xbf16, #gpu.address_space<workgroup>>, memref<16x16xbf16, #gpu.address_space<workgroup>> into vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32> -> vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>
    vector.store %r#0, %out[%at] : memref<8xf32>, vector<2xf32>
    vector.store %r#3, %out[%at] : memref<8xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// Three products of TF32 for one of f32: rests by factors, factors by rests,
// factors by factors.

#kernel = #tc.kernel<a = [m, k], b = [n, k], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, precision = "3xtf32",
    schedule = #tc.schedule<target = "sm_80", m = [m: 16], n = [n: 8], k = [k: 8], register = [2, 2], instruction = mma_m16n8k8>>

// CHECK-LABEL: gpu.func @split
// CHECK: %[[A:.*]] = llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%[[FACTOR:.*]]) : (f32) -> i32
// CHECK: %[[ROUNDED:.*]] = arith.bitcast %[[A]] : i32 to f32
// CHECK: %[[REST:.*]] = arith.subf %[[FACTOR]], %[[ROUNDED]]
// CHECK: %[[REST_A:.*]] = llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%[[REST]])
// CHECK-COUNT-3: arith.subf
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"
// CHECK: %[[B:.*]] = llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%[[FACTOR_B:.*]]) : (f32) -> i32
// CHECK: %[[ROUNDED_B:.*]] = arith.bitcast %[[B]] : i32 to f32
// CHECK: %[[LEFT_B:.*]] = arith.subf %[[FACTOR_B]], %[[ROUNDED_B]]
// CHECK: %[[REST_B:.*]] = llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%[[LEFT_B]])
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[REST_A]], %{{.*}}, %{{.*}}, %{{.*}}, %[[B]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[P0:.*]] = llvm.extractvalue %[[P]][0]
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[A]], %{{.*}}, %{{.*}}, %{{.*}}, %[[REST_B]], %{{.*}}, %[[P0]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[Q0:.*]] = llvm.extractvalue %[[Q]][0]
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[A]], %{{.*}}, %{{.*}}, %{{.*}}, %[[B]], %{{.*}}, %[[Q0]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.store
gpu.module @kernels {
  gpu.func @split(%A: memref<32x32xf32>, %B: memref<32x32xf32>, %C: memref<32x32xf32>,
                   %pa: memref<16x8xf32>, %pb: memref<8x8xf32>, %s: vector<2xf32>, %out: memref<8xf32>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s, %s : memref<16x8xf32>, memref<8x8xf32> into vector<2xf32>, vector<2xf32> -> vector<2xf32>, vector<2xf32>
    vector.store %r#0, %out[%at] : memref<8xf32>, vector<2xf32>
    vector.store %r#1, %out[%at] : memref<8xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// The same with pairs of bf16, whose upper halves are those of f32.

#kernel = #tc.kernel<a = [m, k], b = [n, k], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, precision = bf16x3,
    schedule = #tc.schedule<target = "sm_80", m = [m: 16], n = [n: 8], k = [k: 8], register = [2, 2], instruction = mma_m16n8k8>>

// CHECK-LABEL: gpu.func @split_in_halves
// CHECK: %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[SECOND:.*]], %[[FIRST:.*]]) : (f32, f32) -> vector<2xbf16>
// CHECK: %[[A:.*]] = llvm.bitcast %[[PAIR]] : vector<2xbf16> to i32
// CHECK: %[[LOW:.*]] = arith.shli %[[A]], %{{.*}}
// CHECK: %[[HIGH:.*]] = arith.andi %[[A]], %{{.*}}
// CHECK-DAG: %[[ROUNDED_FIRST:.*]] = arith.bitcast %[[LOW]] : i32 to f32
// CHECK-DAG: %[[REST_FIRST:.*]] = arith.subf %[[FIRST]], %[[ROUNDED_FIRST]]
// CHECK-DAG: %[[ROUNDED_SECOND:.*]] = arith.bitcast %[[HIGH]] : i32 to f32
// CHECK-DAG: %[[REST_SECOND:.*]] = arith.subf %[[SECOND]], %[[ROUNDED_SECOND]]
// CHECK: %[[RESTS:.*]] = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%[[REST_SECOND]], %[[REST_FIRST]])
// CHECK: %[[REST_A:.*]] = llvm.bitcast %[[RESTS]]
// CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.bf16"(%[[REST_A]], %{{.*}}, %[[B:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[P0:.*]] = llvm.extractvalue %[[P]][0]
// CHECK: %[[Q:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.bf16"(%[[A]], %{{.*}}, %{{.*}}, %[[P0]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: %[[Q0:.*]] = llvm.extractvalue %[[Q]][0]
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.bf16"(%[[A]], %{{.*}}, %[[B]], %[[Q0]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.store
gpu.module @kernels {
  gpu.func @split_in_halves(%A: memref<32x32xf32>, %B: memref<32x32xf32>, %C: memref<32x32xf32>,
                   %pa: memref<16x8xf32>, %pb: memref<8x8xf32>, %s: vector<2xf32>, %out: memref<8xf32>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s, %s : memref<16x8xf32>, memref<8x8xf32> into vector<2xf32>, vector<2xf32> -> vector<2xf32>, vector<2xf32>
    vector.store %r#0, %out[%at] : memref<8xf32>, vector<2xf32>
    vector.store %r#1, %out[%at] : memref<8xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// Fused multiply-adds of halves are of f32.

#kernel = #tc.kernel<a = [k, m], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 1], register = [2, 2]>>

// CHECK-LABEL: gpu.func @extended
// CHECK-SAME: %[[S:[a-z0-9]*]]: vector<2xf32>
// CHECK: vector.load %{{.*}} : memref<8xf16>, vector<2xf16>
// CHECK: %[[A0:.*]] = vector.extract %{{.*}}[0] : f16
// CHECK: vector.load %{{.*}} : memref<8xf16>, vector<2xf16>
// CHECK: %[[B0:.*]] = vector.extract %{{.*}}[0] : f16
// CHECK: %[[B1:.*]] = vector.extract %{{.*}}[1] : f16
// CHECK: %[[W0:.*]] = arith.extf %[[B0]] : f16 to f32
// CHECK: %[[W1:.*]] = arith.extf %[[B1]] : f16 to f32
// CHECK: %[[B:.*]] = vector.from_elements %[[W0]], %[[W1]]
// CHECK: %[[A:.*]] = arith.extf %[[A0]] : f16 to f32
// CHECK: %[[F:.*]] = vector.broadcast %[[A]]
// CHECK: math.fma %[[F]], %[[B]], %[[S]] : vector<2xf32>
gpu.module @kernels {
  gpu.func @extended(%A: memref<8x8xf16>, %B: memref<8x8xf16>, %C: memref<8x8xf16>,
                   %pa: memref<1x8xf16>, %pb: memref<1x8xf16>, %s: vector<2xf32>, %out: memref<8xf32>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s, %s : memref<1x8xf16>, memref<1x8xf16> into vector<2xf32>, vector<2xf32> -> vector<2xf32>, vector<2xf32>
    vector.store %r#0, %out[%at] : memref<8xf32>, vector<2xf32>
    vector.store %r#1, %out[%at] : memref<8xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// Other semirings: factors are added up, and the least sum stays.

#kernel = #tc.kernel<a = [k, m], b = [k, n], c = [m, n], alpha = 0.0 : f32, beta = 0x7F800000 : f32, semiring = min_plus,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 1], register = [2, 2]>>

// CHECK-LABEL: gpu.func @shortest
// CHECK-SAME: %[[S:[a-z0-9]*]]: vector<2xf32>
// CHECK: vector.load %{{.*}} : memref<4xf32>, vector<2xf32>
// CHECK: %[[B:.*]] = vector.load %{{.*}} : memref<4xf32>, vector<2xf32>
// CHECK: %[[F:.*]] = vector.broadcast
// CHECK: %[[P:.*]] = arith.addf %[[F]], %[[B]] : vector<2xf32>
// CHECK: arith.minnumf %[[P]], %[[S]] : vector<2xf32>
// CHECK-NOT: math.fma
gpu.module @kernels {
  gpu.func @shortest(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>,
                   %pa: memref<1x4xf32>, %pb: memref<1x4xf32>, %s: vector<2xf32>, %out: memref<8xf32>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s, %s : memref<1x4xf32>, memref<1x4xf32> into vector<2xf32>, vector<2xf32> -> vector<2xf32>, vector<2xf32>
    vector.store %r#0, %out[%at] : memref<8xf32>, vector<2xf32>
    vector.store %r#1, %out[%at] : memref<8xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// Products of bytes are of 32 bits.

#kernel = #tc.kernel<a = [k, m], b = [k, n], c = [m, n], alpha = 1 : i32, beta = 0 : i32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 1], register = [2, 2]>>

// CHECK-LABEL: gpu.func @bytes
// CHECK-SAME: %[[S:[a-z0-9]*]]: vector<2xi32>
// CHECK: vector.load %{{.*}} : memref<16xi8>, vector<2xi8>
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: %[[B:.*]] = vector.from_elements
// CHECK: %[[F:.*]] = vector.broadcast
// CHECK: %[[P:.*]] = arith.muli %[[F]], %[[B]] : vector<2xi32>
// CHECK: arith.addi %[[P]], %[[S]] : vector<2xi32>
gpu.module @kernels {
  gpu.func @bytes(%A: memref<8x8xi8>, %B: memref<8x8xi8>, %C: memref<8x8xi32>,
                   %pa: memref<1x16xi8>, %pb: memref<1x16xi8>, %s: vector<2xi32>, %out: memref<8xi32>, %at: index)
      kernel attributes {tc.kernel = #kernel} {
    %r:2 = tc.multiply_tiles %pa, %pb into %s, %s : memref<1x16xi8>, memref<1x16xi8> into vector<2xi32>, vector<2xi32> -> vector<2xi32>, vector<2xi32>
    vector.store %r#0, %out[%at] : memref<8xi32>, vector<2xi32>
    vector.store %r#1, %out[%at] : memref<8xi32>, vector<2xi32>
    gpu.return
  }
}
