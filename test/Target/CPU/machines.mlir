// Code for other machines than this one: vectors as wide as the schedule says,
// instructions as LLVM knows them of the CPU.
// RUN: tc-translate --tc-to-object --mtriple=aarch64-linux-gnu --mcpu=neoverse-n1 %s -o %t.neon.o
// RUN: llvm-objdump-22 -d %t.neon.o | FileCheck %s --check-prefix=NEON
// RUN: tc-translate --tc-to-object --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 %s -o %t.avx2.o
// RUN: llvm-objdump-22 -d %t.avx2.o | FileCheck %s --check-prefix=AVX2
// RUN: tc-translate --tc-to-object --mtriple=x86_64-linux-gnu --mattr=+avx512f %s -o %t.avx512.o
// RUN: llvm-objdump-22 -d %t.avx512.o | FileCheck %s --check-prefix=AVX512

// NEON: file format elf64-littleaarch64
// NEON: <contract>:
// NEON-COUNT-4: fmla v{{[0-9]+}}.2d
// AVX2: file format elf64-x86-64
// AVX2: <contract>:
// AVX2-COUNT-2: vfmadd{{.*}} %ymm
// AVX512: <contract>:
// AVX512: vfmadd{{.*}} %zmm

// RUN: not tc-translate --tc-to-object --mtriple=aarch64-linux-gnu --mcpu=z80 %s -o %t.none 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not ls %t.none
// CPU: error: LLVM knows no CPU 'z80' of triple 'aarch64-linux-gnu'
// RUN: not tc-translate --tc-to-object --mtriple=pdp11-unix %s 2>&1 | FileCheck %s --check-prefix=TRIPLE
// TRIPLE: error: No available targets are compatible with triple "pdp11-unix"
// RUN: not tc-translate --tc-to-object --mtriple=i386-linux-gnu %s 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: triple 'i386-linux-gnu': addresses have to have 64 bits
// RUN: not tc-translate --tc-to-object --mcpu=x86-64 --mtriple=x86_64-linux-gnu --mattr=+avx2,-warp %s 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: error: LLVM knows no feature '-warp' of triple 'x86_64-linux-gnu'
// RUN: not tc-translate --tc-to-object --mattr=+avx2 %s 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: option 'mattr' needs 'mtriple' or 'mcpu'

func.func @contract(%A: memref<8xf64>, %B: memref<8xf64>, %C: memref<8xf64>)
    attributes {tc.contraction = "C[i] = A[i] * B[i]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %zero = arith.constant 0 : index
  %a = vector.load %A[%zero] : memref<8xf64>, vector<8xf64>
  %b = vector.load %B[%zero] : memref<8xf64>, vector<8xf64>
  %c = vector.load %C[%zero] : memref<8xf64>, vector<8xf64>
  %sum = vector.fma %a, %b, %c : vector<8xf64>
  vector.store %sum, %C[%zero] : memref<8xf64>, vector<8xf64>
  return
}
