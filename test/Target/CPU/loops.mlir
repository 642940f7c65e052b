// What loops over panels become: a test at their ends alone, and nothing in them
// that is the same in each trip; one branch for all that asks whether C is read.
// RUN: tc-translate --tc-to-object --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 %s -o %t.o
// RUN: llvm-objdump-22 -d --no-show-raw-insn --no-leading-addr %t.o | FileCheck %s

// One index for both inputs, though they grow at different rates; the offset of
// the row is a part of the instruction.
// CHECK-LABEL: <multiply>:
// CHECK-NOT: j{{[a-z]+}}
// CHECK: vbroadcastsd (%rsi,[[INDEX:%r[a-z0-9]+]]), [[FACTOR:%ymm[0-9]+]]
// CHECK-NEXT: vfmadd231pd 0x100(%rdi,[[INDEX]],4), [[FACTOR]], %ymm{{[0-9]+}}
// CHECK-NEXT: addq $0x8, [[INDEX]]
// CHECK-NEXT: cmpq $0x1f40, [[INDEX]]
// CHECK-NEXT: jne
// CHECK-NOT: j{{[a-z]+}}
// CHECK: retq
func.func @multiply(%A: memref<4096xf64>, %B: memref<1024xf64>, %C: memref<4xf64>)
    attributes {tc.contraction = "C[i] = A[i,k] * B[k]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant dense<0.0> : vector<4xf64>
  %sum = scf.for %k = %c0 to %c1000 step %c1 iter_args(%old = %zero) -> vector<4xf64> {
    %row = arith.muli %c8, %c4 : index
    %rows = arith.muli %k, %c4 : index
    %at = arith.addi %rows, %row : index
    %a = vector.load %A[%at] : memref<4096xf64>, vector<4xf64>
    %b = memref.load %B[%k] : memref<1024xf64>
    %bs = vector.broadcast %b : f64 to vector<4xf64>
    %new = vector.fma %a, %bs, %old : vector<4xf64>
    scf.yield %new : vector<4xf64>
  }
  vector.store %sum, %C[%c0] : memref<4xf64>, vector<4xf64>
  return
}

// CHECK-LABEL: <update>:
// CHECK-NOT: vaddpd
// CHECK: j{{n?}}e
// CHECK-NOT: j{{[a-z]+}}
// CHECK-COUNT-4: vaddpd
// CHECK-NOT: vaddpd
// CHECK-NOT: j{{n?}}e
func.func @update(%A: memref<16xf64>, %B: memref<1xindex>, %C: memref<16xf64>)
    attributes {tc.contraction = "C[i] = A[i] * B[]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %block = memref.load %B[%c0] : memref<1xindex>
  %reads = arith.cmpi ne, %block, %c0 : index
  %a0 = vector.load %A[%c0] : memref<16xf64>, vector<4xf64>
  %a1 = vector.load %A[%c4] : memref<16xf64>, vector<4xf64>
  %a2 = vector.load %A[%c8] : memref<16xf64>, vector<4xf64>
  %a3 = vector.load %A[%c12] : memref<16xf64>, vector<4xf64>
  scf.if %reads {
    %c = vector.load %C[%c0] : memref<16xf64>, vector<4xf64>
    %sum = arith.addf %c, %a0 : vector<4xf64>
    vector.store %sum, %C[%c0] : memref<16xf64>, vector<4xf64>
  } else {
    vector.store %a0, %C[%c0] : memref<16xf64>, vector<4xf64>
  }
  scf.if %reads {
    %c = vector.load %C[%c4] : memref<16xf64>, vector<4xf64>
    %sum = arith.addf %c, %a1 : vector<4xf64>
    vector.store %sum, %C[%c4] : memref<16xf64>, vector<4xf64>
  } else {
    vector.store %a1, %C[%c4] : memref<16xf64>, vector<4xf64>
  }
  scf.if %reads {
    %c = vector.load %C[%c8] : memref<16xf64>, vector<4xf64>
    %sum = arith.addf %c, %a2 : vector<4xf64>
    vector.store %sum, %C[%c8] : memref<16xf64>, vector<4xf64>
  } else {
    vector.store %a2, %C[%c8] : memref<16xf64>, vector<4xf64>
  }
  scf.if %reads {
    %c = vector.load %C[%c12] : memref<16xf64>, vector<4xf64>
    %sum = arith.addf %c, %a3 : vector<4xf64>
    vector.store %sum, %C[%c12] : memref<16xf64>, vector<4xf64>
  } else {
    vector.store %a3, %C[%c12] : memref<16xf64>, vector<4xf64>
  }
  return
}
