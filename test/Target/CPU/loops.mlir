// Machine code of loops over panels: a test at their ends alone, and nothing in
// them that is the same in each trip.
// RUN: tc-translate --tc-to-object --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 %s -o %t.o
// RUN: llvm-objdump-22 -d --no-show-raw-insn --no-leading-addr %t.o | FileCheck %s

// The position of a row grows by a step's own: no product in the loop. The offset
// of the row is a part of the instruction.
// CHECK-LABEL: <multiply>:
// CHECK-NOT: j{{[a-z]+}}
// CHECK: vbroadcastsd (%rsi,[[STEP:%r[a-z0-9]+]],8), [[FACTOR:%ymm[0-9]+]]
// CHECK-NEXT: vfmadd231pd 0x100(%rdi,[[ROW:%r[a-z0-9]+]],8), [[FACTOR]], %ymm{{[0-9]+}}
// CHECK-NEXT: addq $0x4, [[ROW]]
// CHECK-NEXT: incq [[STEP]]
// CHECK-NEXT: cmpq $0x3e8, [[STEP]]
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

// A loop in which nothing needs the number of a trip counts by a position: by
// threes to three times its trips. The positions' first values are parts of
// instructions.
// CHECK-LABEL: <count>:
// CHECK: vaddsd 0x28(%rsi,[[UP:%r[a-z0-9]+]],8)
// CHECK-NEXT: vaddsd 0x640(%rdi,[[DOWN:%r[a-z0-9]+]],8)
// CHECK-NEXT: addq $-0x2, [[DOWN]]
// CHECK-NEXT: addq $0x3, [[UP]]
// CHECK-NEXT: cmpq $0x78, [[UP]]
// CHECK-NEXT: jne
func.func @count(%A: memref<256xf64>, %B: memref<256xf64>, %C: memref<1xf64>)
    attributes {tc.contraction = "C[] = A[i] * B[i]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c40 = arith.constant 40 : index
  %c200 = arith.constant 200 : index
  %down = arith.constant -2 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %k = %c0 to %c40 step %c1 iter_args(%old = %zero) -> f64 {
    %threes = arith.muli %k, %c3 : index
    %up = arith.addi %threes, %c5 : index
    %b = memref.load %B[%up] : memref<256xf64>
    %new = arith.addf %old, %b : f64
    %twos = arith.muli %k, %down : index
    %back = arith.addi %twos, %c200 : index
    %a = memref.load %A[%back] : memref<256xf64>
    %newer = arith.addf %new, %a : f64
    scf.yield %newer : f64
  }
  memref.store %sum, %C[%c0] : memref<1xf64>
  return
}

// A difference of positions, here always 5, is that of two that grow alike, whatever
// the loop counts by.
// CHECK-LABEL: <differ>:
// CHECK: leaq (%rsi,[[UP:%r[a-z0-9]+]],8), [[BASE:%r[a-z0-9]+]]
// CHECK: vaddsd ([[BASE]],[[DOWN:%r[a-z0-9]+]],8)
// CHECK-NEXT: addq $-0x3, [[DOWN]]
// CHECK-NEXT: addq $0x3, [[UP]]
// CHECK-NEXT: cmpq $0x78, [[UP]]
func.func @differ(%A: memref<256xf64>, %B: memref<256xf64>, %C: memref<1xf64>)
    attributes {tc.contraction = "C[] = A[i] * B[i]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c40 = arith.constant 40 : index
  %down = arith.constant -3 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %k = %c0 to %c40 step %c1 iter_args(%old = %zero) -> f64 {
    %threes = arith.muli %k, %c3 : index
    %up = arith.addi %threes, %c5 : index
    %a = memref.load %A[%up] : memref<256xf64>
    %new = arith.addf %old, %a : f64
    %back = arith.muli %k, %down : index
    %five = arith.addi %up, %back : index
    %b = memref.load %B[%five] : memref<256xf64>
    %newer = arith.addf %new, %b : f64
    scf.yield %newer : f64
  }
  memref.store %sum, %C[%c0] : memref<1xf64>
  return
}

// A function with panels, such as this, is compiled without loop strength
// reduction.
// CHECK-LABEL: <pack>:
func.func @pack(%A: memref<1xf64>, %B: memref<1xf64>, %C: memref<1xf64>)
    attributes {tc.contraction = "C[] = A[] * B[]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %c0 = arith.constant 0 : index
  %panel = memref.alloc() : memref<8xf64>
  %a = memref.load %A[%c0] : memref<1xf64>
  memref.store %a, %panel[%c0] : memref<8xf64>
  %b = memref.load %panel[%c0] : memref<8xf64>
  memref.store %b, %C[%c0] : memref<1xf64>
  memref.dealloc %panel : memref<8xf64>
  return
}

// A parallel region gets the addresses of its buffers, and nothing else that is
// known of them.
// CHECK-LABEL: <store>:
// CHECK-NOT: $0x17
// CHECK: call
// CHECK: retq
func.func @store(%A: memref<23xf64>, %B: memref<1xf64>, %C: memref<23xf64>)
    attributes {tc.contraction = "C[i] = A[i] * B[]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %two = arith.constant 2 : i32
  %c0 = arith.constant 0 : index
  omp.parallel num_threads(%two : i32) {
    %a = memref.load %A[%c0] : memref<23xf64>
    memref.store %a, %C[%c0] : memref<23xf64>
    omp.terminator
  }
  return
}
