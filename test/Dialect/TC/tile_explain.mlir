// Reasons for the choice of schedules, on standard error; the module goes on.

// RUN: tc-opt --tc-tile="explain runners-up=1" %s 2> %t.txt \
// RUN:   | FileCheck --check-prefix=MODULE %s
// RUN: FileCheck %s < %t.txt
// RUN: rm -rf %t && mkdir %t
// RUN: tc-opt --tc-tile="explain-json=%t/e.json explain-html=%t/e.html runners-up=0" \
// RUN:   %s 2> %t.err | FileCheck --check-prefix=MODULE %s
// RUN: count 0 < %t.err
// RUN: FileCheck --check-prefix=JSON %s < %t/e.json
// RUN: %check-page %t/e.html | FileCheck --check-prefix=PAGE %s

// The choice does not depend on whether it is explained.
// RUN: tc-opt --tc-tile %s > %t/plain.mlir
// RUN: tc-opt --tc-tile=explain %s 2> /dev/null | diff %t/plain.mlir -

// RUN: not tc-opt --tc-tile="explain explain-html=%t/none/e.html" %s \
// RUN:   > %t.out 2> %t.err
// RUN: count 0 < %t.out
// RUN: FileCheck --check-prefix=WRITE %s < %t.err
// RUN: not tc-opt --tc-tile="explain runners-up=two" %s 2>&1 \
// RUN:   | FileCheck --check-prefix=NUMBER %s

// PAGE: e.html: 10 pictures, all well
// WRITE-NOT: explanation of
// WRITE: error: explanation: {{.*}}none/e.html: No such file or directory
// NUMBER: 'two' value invalid for uint argument

// CHECK:      explanation of {{.*}}tile_explain.mlir:[[#@LINE+8]]:8
// CHECK-NEXT:   contraction  C[m,n] = A[m,k] * B[k,n]
// CHECK:        {{^ *}}chosen #2{{$}}
// MODULE-LABEL: @searched
// MODULE: schedule = #tc.schedule<target = "sm_90"
func.func @searched(%A: tensor<64x32xf64>, %B: tensor<32x48xf64>,
                    %C: tensor<64x48xf64>) -> tensor<64x48xf64> {
  // JSON: "place": "{{.*}}tile_explain.mlir:[[#@LINE+1]]:8"
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<64x32xf64>, tensor<32x48xf64>)
         outs(%C : tensor<64x48xf64>) -> tensor<64x48xf64>
  return %D : tensor<64x48xf64>
}

// A schedule that is there is explained beside the choice of the search, and
// stays.

// CHECK:      explanation of {{.*}}tile_explain.mlir
// CHECK:        target       sm_80, NVIDIA A100
// CHECK:        {{^ *}}given chosen #2{{$}}
// MODULE-LABEL: @scheduled
// MODULE: schedule = #tc.schedule<target = "sm_80", m = [m: 8], n = [n: 8], k = [k: 8], register = [1, 1]>
func.func @scheduled(%A: tensor<64x32xf64>, %B: tensor<32x48xf64>,
                     %C: tensor<64x48xf64>) -> tensor<64x48xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<64x32xf64>, tensor<32x48xf64>)
         outs(%C : tensor<64x48xf64>)
         {schedule = #tc.schedule<target = "sm_80", m = [m: 8], n = [n: 8],
                                  k = [k: 8], register = [1, 1]>}
         -> tensor<64x48xf64>
  return %D : tensor<64x48xf64>
}

// Nothing to explain.
// CHECK-NOT: explanation of
// MODULE-LABEL: @empty
// MODULE-NOT: schedule
func.func @empty(%A: tensor<0x32xf64>, %B: tensor<32x48xf64>,
                 %C: tensor<0x48xf64>) -> tensor<0x48xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<0x32xf64>, tensor<32x48xf64>)
         outs(%C : tensor<0x48xf64>) -> tensor<0x48xf64>
  return %D : tensor<0x48xf64>
}
