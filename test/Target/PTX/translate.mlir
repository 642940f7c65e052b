// RUN: tc-opt %s --tc-to-gpu | tc-translate --tc-to-ptx --launch-description=%t.json | FileCheck %s --check-prefix=PTX
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: tc-opt %s --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=FMA --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=LOAD --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=COPY --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=REGISTERS --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=STORE --input-file=%t.ptx

// The scalar that is not constant comes after the three pointers, shared memory
// is the launcher's, tiles go there past registers, with one barrier a step, and
// the loop's body is bare multiply-adds and wide loads.

// PTX: .version 8.4
// PTX: .target sm_90
// PTX: .extern .shared .align 16 .b8 [[SHARED:.*]][];
// PTX: .visible .entry tc_matmul(
// PTX-NEXT: .param .u64 .ptr .global .align 1 tc_matmul_param_0,
// PTX-NEXT: .param .u64 .ptr .global .align 1 tc_matmul_param_1,
// PTX-NEXT: .param .u64 .ptr .global .align 1 tc_matmul_param_2,
// PTX-NEXT: .param .f64 tc_matmul_param_3
// PTX-NEXT: )
// PTX-NEXT: .maxntid 256, 1, 1
// PTX: cp.async.cg.shared.global

// FMA-COUNT-512: fma.rn.f64
// LOAD-COUNT-64: ld.shared.v2.b64
// LOAD-NOT: ld.shared
// COPY-COUNT-4: cp.async.cg.shared.global
// COPY-NEXT: cp.async.commit_group;
// COPY: cp.async.commit_group;
// COPY: cp.async.wait_group 0;
// COPY-NEXT: bar.sync 0;
// COPY-COUNT-4: cp.async.cg.shared.global
// COPY-NOT: cp.async
// COPY-NOT: bar.sync
// REGISTERS-NOT: st.shared
// STORE-COUNT-32: st.global.v2.b64
// STORE-NOT: st.global

// JSON: "format": "tc-package"
// JSON: "name": "matmul"
// JSON: "target": "sm_90"
// JSON: "kind": "ptx"
// JSON: "file": "{{.*}}.ptx"
// JSON: "entry": "matmul"
// JSON: "grid": [
// JSON-NEXT: 12,
// JSON: "block": [
// JSON-NEXT: 256,
// JSON: "static_shared_bytes": 0
// JSON: "dynamic_shared_bytes": 40960
// JSON: "name": "A"
// JSON: "access": "read"
// JSON: "name": "C"
// JSON: "access": "read_write"
// JSON: "name": "beta"
// JSON: "alpha": {
// JSON-NEXT: "value": 1.0
// JSON: "beta": {
// JSON-NEXT: "argument":
// JSON: "index": "m"
// JSON: "index": "n"
// JSON: "schedule": "#tc.schedule<target = \"sm_90\", m = [m: 128], n = [n: 128], k = [k: 8], register = [8, 8]>"
func.func @matmul(%A: memref<512x256xf64>, %B: memref<256x384xf64>, %C: memref<512x384xf64>, %beta: f64) {
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<512x256xf64>, memref<256x384xf64>)
      outs(%C : memref<512x384xf64>) beta(%beta : f64)
      {schedule = #tc.schedule<target = "sm_90", m = [m: 128], n = [n: 128], k = [k: 8], register = [8, 8]>}
  return
}

// Base pointers need no more alignment than the widest access has.

// RUN: tc-opt %s --tc-to-gpu | tc-translate --tc-to-ptx --launch-description=%t.json -o %t.ptx
// RUN: FileCheck %s --check-prefix=ALIGNED --input-file=%t.json
// RUN: sed -e "s/256/255/g" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx --launch-description=%t.json -o %t.ptx
// RUN: FileCheck %s --check-prefix=UNALIGNED --input-file=%t.json

// ALIGNED: "name": "A"
// ALIGNED: "alignment": 16
// UNALIGNED: "name": "A"
// UNALIGNED: "alignment": 8
// UNALIGNED: "name": "B"
// UNALIGNED: "alignment": 16
