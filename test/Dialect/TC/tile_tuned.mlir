// REQUIRES: plugin
// The tenth candidate for another contraction that differs in names only.
// RUN: rm -f %t.sqlite %t.other.sqlite
// RUN: python3 %S/Inputs/tune.py %tools/../lib/libtc.so %t.sqlite sm_80 'ik,kj->ij' 512x256,256x384 9 > %t.schedule
// RUN: tc-opt %s --tc-tile="target=sm_80 tuned=%t.sqlite" 2> %t.remarks > %t.mlir
// RUN: sed 's/\[i:/[row:/; s/\[j:/[column:/; s/\[k:/[s:/' %t.schedule > %t.renamed
// RUN: grep -F -f %t.renamed %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: tc-opt %s --tc-tile="target=sm_80 tuned=%t.sqlite explain=true" 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tc-opt %s --tc-gpu-pipeline="target=sm_80 tuned=%t.sqlite" 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: schedule: from {{.*}}.sqlite: measured 1 us by tc 0.1.0, search test, 2026-11-25T19:30:08Z
// REMARK: remark: schedule: searched, as it is not in {{.*}}.sqlite
// EXPLAIN: tuned{{ +}}from {{.*}}.sqlite: measured 1 us

// Another target, another contraction: the search chooses.
// RUN: tc-opt %s --tc-tile="target=sm_90 tuned=%t.sqlite" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER-NOT: from
// OTHER: remark: schedule: searched, as it is not in {{.*}}.sqlite

// One that cannot be obeyed, and one that cannot be read.
// RUN: python3 %S/Inputs/tune.py %tools/../lib/libtc.so %t.other.sqlite sm_80 'ik,kj->ij' 512x256,256x384 0 '#tc.schedule<target = "sm_80", m = [i0: 4096], n = [i1: 4096], k = [i2: 8], register = [1, 1]>'
// RUN: tc-opt %s --tc-tile="target=sm_80 tuned=%t.other.sqlite" 2> %t.remarks > %t.mlir
// RUN: FileCheck %s --check-prefix=MISFIT --input-file=%t.remarks
// RUN: tc-opt %s --tc-tile=target=sm_80 | diff - %t.mlir
// MISFIT: remark: schedule: searched, as the one in {{.*}}.other.sqlite cannot be obeyed: {{.*}}4096
// RUN: rm %t.other.sqlite
// RUN: python3 %S/Inputs/tune.py %tools/../lib/libtc.so %t.other.sqlite sm_80 'ik,kj->ij' 512x256,256x384 0 '#tc.schedule<tiles = 3>'
// RUN: tc-opt %s --tc-tile="target=sm_80 tuned=%t.other.sqlite" 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD: remark: schedule: searched, as the one in {{.*}} cannot be obeyed: {{.*}}unknown key 'tiles'

// RUN: not tc-opt %s --tc-tile="tuned=%t.missing.sqlite" 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: 'tc.contract' op option 'tuned': the tuning database {{.*}}.missing.sqlite does not exist

func.func @tuned(%A: tensor<512x256xf32>, %B: tensor<256x384xf32>, %C: tensor<512x384xf32>)
    -> tensor<512x384xf32> {
  %D = tc.contract [row, s], [s, column] -> [row, column]
         ins(%A, %B : tensor<512x256xf32>, tensor<256x384xf32>)
         outs(%C : tensor<512x384xf32>) -> tensor<512x384xf32>
  return %D : tensor<512x384xf32>
}

// C is read here.
func.func @accumulates(%A: tensor<512x256xf32>, %B: tensor<256x384xf32>, %C: tensor<512x384xf32>)
    -> tensor<512x384xf32> {
  %one = arith.constant 1.0 : f32
  %D = tc.contract [row, s], [s, column] -> [row, column]
         ins(%A, %B : tensor<512x256xf32>, tensor<256x384xf32>)
         outs(%C : tensor<512x384xf32>) beta(%one : f32) -> tensor<512x384xf32>
  return %D : tensor<512x384xf32>
}
