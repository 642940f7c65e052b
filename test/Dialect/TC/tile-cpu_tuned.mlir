// REQUIRES: plugin
// RUN: rm -f %t.sqlite
// RUN: python3 %S/Inputs/tune.py %tools/../lib/libtc.so %t.sqlite cpu 'ik,kj->ij' 512x256,256x384 9 > %t.schedule
// RUN: sed 's/\[i:/[row:/; s/\[j:/[column:/; s/\[k:/[s:/' %t.schedule > %t.renamed
// RUN: tc-opt %s --tc-tile-cpu=tuned=%t.sqlite 2> %t.remarks > %t.mlir
// RUN: grep -F -f %t.renamed %t.mlir
// RUN: FileCheck %s --input-file=%t.remarks
// RUN: tc-opt %s --tc-cpu-pipeline=tuned=%t.sqlite 2>&1 >/dev/null | FileCheck %s
// CHECK: remark: schedule: from {{.*}}.sqlite: measured 1 us by tc 0.1.0, search test, 2026-11-25T19:30:08Z

// Another number of threads is another key.
// RUN: tc-opt %s --tc-tile-cpu="threads=3 tuned=%t.sqlite" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: remark: schedule: searched, as it is not in {{.*}}.sqlite

// An option takes precedence over measurements.
// RUN: tc-opt %s --tc-tile-cpu="strategy=ttgt tuned=%t.sqlite" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: remark: schedule: searched, as the one in {{.*}}.sqlite cannot be obeyed: its strategy is {{gett|loop_over_gemm|direct}}

// RUN: not tc-opt %s --tc-tile-cpu=tuned=%s 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: error: 'tc.contract' op option 'tuned': the tuning database {{.*}}tile-cpu_tuned.mlir is damaged: file is not a database

// tc-run obeys it, says so, and finds the code in its cache as long as the choice is
// the same.
// RUN: rm -rf %t.cache
// RUN: tc-run 'ik,kj->ij' --shapes=512x256,256x384 --type=f32 --target=cpu --threads=1 --tuned=%t.sqlite --cache=%t.cache --check > %t.run
// RUN: grep -F -f %t.schedule %t.run
// RUN: FileCheck %s --check-prefix=RAN --input-file=%t.run
// RUN: tc-run 'ik,kj->ij' --shapes=512x256,256x384 --type=f32 --target=cpu --threads=1 --tuned=%t.sqlite --cache=%t.cache --json | FileCheck %s --check-prefix=HIT
// RUN: env TC_TUNED=%t.sqlite tc-run 'ik,kj->ij' --shapes=512x256,256x384 --type=f32 --target=cpu --threads=1 --cache=%t.cache --json | FileCheck %s --check-prefix=HIT
// RUN: env TC_TUNED=%t.sqlite tc-run 'ik,kj->ij' --shapes=512x256,256x384 --type=f32 --target=cpu --threads=1 --cache=%t.cache --tuned=off --json | FileCheck %s --check-prefix=OFF
// RUN: python3 %S/Inputs/tune.py %tools/../lib/libtc.so %t.sqlite cpu 'ik,kj->ij' 32x32,32x32 0
// RUN: tc-run 'ik,kj->ij' --shapes=512x256,256x384 --type=f32 --target=cpu --threads=1 --tuned=%t.sqlite --cache=%t.cache --json | FileCheck %s --check-prefix=MISS
// RUN: not tc-run 'ik,kj->ij' --shapes=512x256,256x384 --type=f32 --target=cpu --tuned=%t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// A schedule that is given goes before any database, which is not even opened.
// RUN: env TC_TUNED=%t.missing tc-run 'ik,kj->ij' --shapes=32x32,32x32 --target=cpu --cache=%t.cache --check --schedule='target="x", rows=n, m=[i: 32], n=[j: 32], k=[k: 32], order=[m,k,n], register=[4,4], lanes=4, store=cache' | FileCheck %s --check-prefix=GIVEN
// RUN: not tc-run 'ik,kj->ij' --shapes=512x256,256x384 --type=f32 --target=cpu --tuned=%t.sqlite --schedule=x 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not tc-run 'ik,kj->ij' --shapes=512x256,256x384 --tuned= 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: tc-run 'ik,kj->ij' --shapes=64x64,64x64 --type=f32 --tuned=%t.sqlite --blocks=first | FileCheck %s --check-prefix=GPU
// RUN: tc-run 'ik,kj->ij' --shapes=64x64,64x64 --type=f32 --tuned=%t.sqlite --explain | FileCheck %s --check-prefix=GPU
// RUN: tc-run 'ik,kj->ij' --shapes=64x64,64x64 --type=f32 --tuned=%t.sqlite --explain --json | FileCheck %s --check-prefix=JSON
// RUN: tc-run 'ik,kj->ij' --shapes=64x64,64x64 --type=f32 --tuned=%t.sqlite --explain-html=%t.html
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t.html
// RUN: tc-run 'ik,kj->ij' --shapes=64x64,64x64 --type=f32 --save-package=%t.json --blocks=first
// RUN: not tc-run %t.json --tuned=%t.sqlite 2>&1 | FileCheck %s --check-prefix=PACKAGE
// RUN: not tc-run %examples/foreign/product.json --tuned=%t.sqlite 2>&1 | FileCheck %s --check-prefix=FOREIGN

// RAN: tuned{{ +}}from {{.*}}.sqlite: measured 1 us by tc 0.1.0
// HIT: "cache":{{ ?}}"hit"
// HIT: "tuned":{{ ?}}"from
// OFF: "cache":{{ ?}}"miss"
// OFF-NOT: "tuned"
// MISS: "cache":{{ ?}}"miss"
// MISSING: the tuning database {{.*}}.missing does not exist
// GIVEN: schedule{{ +}}#tc.cpu_schedule<target = "x", rows = n, m = [i: 32]
// GIVEN-NOT: tuned
// BOTH: tc-run: --tuned: --schedule says which schedule to take
// EMPTY: tc-run: --tuned: no file is named
// GPU: tuned{{ +}}searched, as it is not in {{.*}}.sqlite
// JSON: "tuned": "searched, as it is not in {{.*}}.sqlite"
// PAGE: Tuned schedule: searched, as it is not in
// PACKAGE: tc-run: --tuned: {{.*}} is already compiled
// FOREIGN: tc-run: --tuned: {{.*}} is PTX of others

func.func @tuned(%A: memref<512x256xf32>, %B: memref<256x384xf32>, %C: memref<512x384xf32>) {
  tc.contract [row, s], [s, column] -> [row, column]
    ins(%A, %B : memref<512x256xf32>, memref<256x384xf32>)
    outs(%C : memref<512x384xf32>)
  return
}
