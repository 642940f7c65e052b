// Locations survive the whole lowering, and change no instruction.

// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_90 --mlir-print-debuginfo -o %t.mlir
// RUN: FileCheck %s --check-prefix=STEPS < %t.mlir
// RUN: tc-translate %t.mlir --tc-to-ptx -o %t.plain.ptx
// RUN: tc-translate %t.mlir --tc-to-ptx --line-info -o %t.ptx
// RUN: FileCheck %s --check-prefix=PLAIN --allow-empty < %t.plain.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: sed -E '/^\t\.(file|loc)\t/d; /^\$L__(tmp|func_|info)/d; /\.debug_macinfo/d; /^$/d' %t.plain.ptx > %t.1
// RUN: sed -E '/^\t\.(file|loc)\t/d; /^\$L__(tmp|func_|info)/d; /\.debug_macinfo/d; /^$/d' %t.ptx > %t.2
// RUN: diff %t.1 %t.2

// The locations of a file without any are the lines of that file.
// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_90 -o %t.lowered.mlir
// RUN: tc-translate %t.lowered.mlir --tc-to-ptx --line-info \
// RUN:   | FileCheck %s --check-prefix=LOWERED

// Before sm_80, tiles pass through registers.
// RUN: tc-opt %s --tc-gpu-pipeline=target=sm_75 --mlir-print-debuginfo \
// RUN:   | FileCheck %s --check-prefix=REGISTERS

// PLAIN-NOT: .loc
// PLAIN-NOT: .file

// STEPS-DAG: loc("loop over tiles"(
// STEPS-DAG: loc("copy tile of A"(
// STEPS-DAG: loc("copy tile of B"(
// STEPS-DAG: loc("multiply tiles"(
// STEPS-DAG: loc("store tile"(

// REGISTERS-DAG: loc("load tile of A"(
// REGISTERS-DAG: loc("load tile of B"(
// REGISTERS-DAG: loc("copy tile of A to shared"(
// REGISTERS-DAG: loc("copy tile of B to shared"(

// CHECK-NOT: debug
// CHECK: .entry tc_product
// CHECK: .loc 1 [[#@LINE+5]] 3
// CHECK: mma.sync
// CHECK: .file 1 "{{.*}}line-info.mlir"
// LOWERED: .file 1 "{{.*}}line-info.mlir.tmp.lowered.mlir"
func.func @product(%A: memref<100x70xf64>, %B: memref<70x90xf64>, %C: memref<100x90xf64>) {
  tc.contract [i, k], [k, j] -> [i, j] ins(%A, %B : memref<100x70xf64>, memref<70x90xf64>) outs(%C : memref<100x90xf64>)
  return
}
