// REQUIRES: ptxas, nvdisasm

// The best schedules are compiled down to machine code, and its time decides.

// RUN: tc-opt --tc-tile="refine=3 explain explain-json=%t.json runners-up=2" %s \
// RUN:   -o %t.explained.mlir 2> %t.txt
// RUN: FileCheck --check-prefix=MODULE %s < %t.explained.mlir
// RUN: FileCheck %s < %t.txt
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// RUN: tc-opt --tc-tile="refine=1 explain" %s -o /dev/null 2>&1 \
// RUN:   | FileCheck --check-prefix=MODEL %s

// The choice does not depend on whether it is explained, nor on the pipeline.
// RUN: tc-opt --tc-tile=refine=3 %s > %t.mlir
// RUN: FileCheck --check-prefix=MODULE %s < %t.mlir
// RUN: diff %t.mlir %t.explained.mlir
// RUN: tc-opt --tc-gpu-pipeline=refine=3 %s | FileCheck --check-prefix=KERNEL %s

// RUN: not tc-opt --tc-tile=refine=0 %s 2>&1 | FileCheck --check-prefix=LEAST %s
// LEAST: error: option 'refine': must be 1 at least
// RUN: not env TC_NVDISASM=%t/none tc-opt --tc-tile=refine=3 %s 2>&1 \
// RUN:   | FileCheck --check-prefix=NONE %s
// NONE: error: 'tc.contract' op option 'refine': time from machine code: TC_NVDISASM is '{{.*}}none', which is not a program

// CHECK:        {{^ *}}chosen #2 #3{{$}}
// CHECK:          to the judge {{.*[0-9] us .*[0-9] us .*[0-9] us}}
// CHECK:        #2 {{.*}} as long to the judge, {{.*}} to the model
// CHECK:        search {{.*}}; judged{{( by( time( from( machine code)?)?)?)?$}}
// MODEL-NOT:    to the judge
// MODEL:        search {{.*}}; judged{{( by( the( model)?)?)?$}}
// JSON:         "judge": "time from machine code"
// JSON:         "judged_seconds": {{[0-9]}}

// MODULE-LABEL: @searched
// MODULE: schedule = #tc.schedule<target = "sm_90"
// KERNEL: gpu.launch_func
func.func @searched(%A: tensor<512x64xf64>, %B: tensor<64x384xf64>,
                    %C: tensor<512x384xf64>) -> tensor<512x384xf64> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
         ins(%A, %B : tensor<512x64xf64>, tensor<64x384xf64>)
         outs(%C : tensor<512x384xf64>) -> tensor<512x384xf64>
  return %D : tensor<512x384xf64>
}

// An operation that carries a schedule keeps it.

// MODULE-LABEL: @scheduled
// MODULE: schedule = #tc.schedule<target = "sm_80", m = [m: 8], n = [n: 8], k = [k: 8], register = [1, 1]>
func.func @scheduled(%A: memref<64x32xf64>, %B: memref<32x48xf64>,
                     %C: memref<64x48xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<64x32xf64>, memref<32x48xf64>)
    outs(%C : memref<64x48xf64>)
    {schedule = #tc.schedule<target = "sm_80", m = [m: 8], n = [n: 8],
                             k = [k: 8], register = [1, 1]>}
  return
}
