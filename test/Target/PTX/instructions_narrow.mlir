// RUN: sed -e "s/TYPE/f16/g; s/CHIP/sm_80/; s/INSTRUCTION/mma_m16n8k8/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=MATRICES --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=K8 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f16/g; s/CHIP/sm_90/; s/INSTRUCTION/mma_m16n8k16/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=MATRICES --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=F16 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f16/g; s/CHIP/sm_75/; s/INSTRUCTION/mma_m16n8k8/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=SM75 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=K8 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/bf16/g; s/CHIP/sm_80/; s/INSTRUCTION/mma_m16n8k16/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=MATRICES --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=BF16 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f32/g; s/CHIP/sm_80/; s/INSTRUCTION/mma_m16n8k8/; s/PRECISION/tf32/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=TF32 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f32/g; s/CHIP/sm_90/; s/INSTRUCTION/mma_m16n8k8/; s/PRECISION/3xtf32/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=TF32X3 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f32/g; s/CHIP/sm_80/; s/INSTRUCTION/mma_m16n8k16/; s/PRECISION/bf16x3/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=BF16X3 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f8E4M3FN/g; s/CHIP/sm_89/; s/INSTRUCTION/mma_m16n8k32/; s/k: 16/k: 32/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=E4M3 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f8E5M2/g; s/CHIP/sm_90/; s/INSTRUCTION/mma_m16n8k32/; s/k: 16/k: 32/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=E5M2 --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f8E5M2/g; s/CHIP/sm_90/; s/INSTRUCTION/mma_m16n8k16/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefixes=HALVES,PAIRS --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f8E4M3FN/g; s/CHIP/sm_80/; s/INSTRUCTION/mma_m16n8k16/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=HALVES --input-file=%t.ptx
// RUN: sed -e "s/TYPE/f16/g; s/CHIP/sm_90/; s/INSTRUCTION/fma/; s/PRECISION/ieee/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=FMA --input-file=%t.ptx

// Types below f64. Halves are loaded as matrices of 8 x 8, transposed where rows
// of the shared tile are along n: eight matrices of A, four of B, in each of four
// steps, which are no loop with matrix instructions. Sums are f32, and are
// rounded to halves, two at once, when they are stored.

// MATRICES-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// MATRICES-DAG: ldmatrix.sync.aligned.m8n8.x{{[24]}}.trans.shared.b16
// MATRICES-NOT: ld.shared
// MATRICES-COUNT-8: cvt.rn.{{b?}}f16x2.f32
// MATRICES-NOT: fma.rn

// SM75-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// SM75-DAG: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// SM75-NOT: cp.async
// SM75-NOT: ld.shared
// SM75-COUNT-16: cvt.rn.f16.f32

// K8-COUNT-32: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// K8-NOT: mma.sync
// F16-COUNT-16: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// F16-NOT: mma.sync
// BF16-COUNT-16: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// BF16-NOT: mma.sync

// With tf32, factors are rounded to nearest, from sm_90 on with ties to even, which
// takes one instruction there; with 3xtf32, so are the rests that
// this leaves, and each product takes three; with bf16x3, likewise to bf16.

// TF32-NOT: sub.rn.f32
// TF32: cvt.rna.tf32.f32
// TF32-NOT: sub.rn.f32
// TF32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// TF32-COUNT-31: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// TF32-NOT: mma.sync

// TF32X3: cvt.rn.tf32.f32
// TF32X3: sub.rn.f32
// TF32X3-NEXT: cvt.rn.tf32.f32
// TF32X3-COUNT-96: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// TF32X3-NOT: mma.sync

// BF16X3: cvt.rn.bf16x2.f32
// BF16X3: sub.rn.f32
// BF16X3: sub.rn.f32
// BF16X3: cvt.rn.bf16x2.f32
// BF16X3-COUNT-48: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// BF16X3-NOT: mma.sync

// Four 8-bit floats that are neighbours along k share a register. The rows of A's
// shared tile are along k: a lane loads eight at once.

// E4M3: .version 8.4
// E4M3-DAG: ld.shared.v2.b32
// E4M3-COUNT-8: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
// E4M3-NOT: mma.sync
// E4M3-COUNT-8: cvt.rn.satfinite.e4m3x2.f32
// E5M2-COUNT-8: mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32
// E5M2-NOT: mma.sync
// E5M2-COUNT-8: cvt.rn.satfinite.e5m2x2.f32

// Other instructions multiply them as halves, which they become as they are
// stored to shared memory.

// PAIRS: cvt.rn.f16x2.e5m2x2
// HALVES: st.shared.v{{[24]}}.b32
// HALVES: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// HALVES-NOT: ld.shared
// HALVES-COUNT-16: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// HALVES-NOT: mma.sync

// FMA-NOT: mma.sync
// FMA-COUNT-256: fma.rn.f32
// FMA-NOT: fma.rn
// FMA: cvt.rn.f16x2.f32
// FMA-NOT: mma.sync
func.func @matmul(%A: memref<128x64xTYPE>, %B: memref<64x96xTYPE>, %C: memref<128x96xTYPE>) {
  tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<128x64xTYPE>, memref<64x96xTYPE>)
      outs(%C : memref<128x96xTYPE>) precision = "PRECISION"
      {schedule = #tc.schedule<target = "CHIP", m = [m: 32], n = [n: 32], k = [k: 16], register = [4, 4], instruction = INSTRUCTION>}
  return
}
