// RUN: sed -e "s/TYPE/f32/g; s/SEMIRING/min_plus/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=MIN_PLUS --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f64/g; s/SEMIRING/max_times/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=MAX_TIMES --input-file=%t.ptx
// RUN: sed -e "s/TYPE/i8/g; s/SEMIRING/plus_times/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=BYTES --input-file=%t.ptx
// RUN: sed -e "s/TYPE/i32/g; s/SEMIRING/or_and/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=OR_AND --input-file=%t.ptx
// RUN: sed -e "s/TYPE/i64/g; s/SEMIRING/max_plus/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=MAX_PLUS --input-file=%t.ptx

// Semirings and integers become instructions of the chip, not calls, and their
// accesses are as wide as those of floating-point numbers. Tiles divide K, so
// all go to shared memory by themselves.

// MIN_PLUS-NOT: call
// MIN_PLUS: cp.async.cg.shared.global
// MIN_PLUS: ld.shared.v4.b32
// MIN_PLUS: add.rn.f32
// MIN_PLUS-COUNT-256: min.f32
// MIN_PLUS-NOT: min.f32
// MIN_PLUS: st.global.v4.b32

// MAX_TIMES-NOT: call
// MAX_TIMES: ld.shared.v2.b64
// MAX_TIMES: mul.rn.f64
// MAX_TIMES-COUNT-256: max.f64
// MAX_TIMES-NOT: max.f64

// Four bytes are loaded at once.
// BYTES-NOT: call
// BYTES-NOT: ld.shared.b8
// BYTES: ld.shared.b32
// BYTES-COUNT-256: mad.lo.s32
// BYTES: st.global.b32

// OR_AND-NOT: call
// OR_AND-COUNT-256: or.b32

// MAX_PLUS-NOT: call
// MAX_PLUS: add.s64
// MAX_PLUS-COUNT-256: max.s64
func.func @matmul(%A: memref<128x64xTYPE>, %B: memref<64x96xTYPE>, %C: memref<128x96xTYPE>) {
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<128x64xTYPE>, memref<64x96xTYPE>)
      outs(%C : memref<128x96xTYPE>) semiring = SEMIRING
      {schedule = #tc.schedule<target = "sm_90", m = [m: 32], n = [n: 32], k = [k: 16], register = [4, 4]>}
  return
}
