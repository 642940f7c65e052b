// RUN: sed -e "s/CHIP/sm_75/; s/INSTRUCTION/fma/; s/STAGES/2/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=SM75 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=REGISTERS --input-file=%t.ptx
// RUN: sed -e "s/CHIP/sm_80/; s/INSTRUCTION/fma/; s/STAGES/3/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=SM80 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=FMA --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=THREE --input-file=%t.ptx
// RUN: sed -e "s/CHIP/sm_80/; s/INSTRUCTION/mma_m8n8k4/; s/STAGES/3/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=SM80 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=LOADS --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=M8N8K4 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=THREE --input-file=%t.ptx
// RUN: sed -e "s/CHIP/sm_90/; s/INSTRUCTION/mma_m8n8k4/; s/STAGES/2/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=SM90 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=LOADS --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=M8N8K4 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=TWO --input-file=%t.ptx
// RUN: sed -e "s/CHIP/sm_90/; s/INSTRUCTION/mma_m16n8k4/; s/STAGES/2/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=SM90 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=SINGLE --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=M16N8K4 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=TWO --input-file=%t.ptx
// RUN: sed -e "s/CHIP/sm_90/; s/INSTRUCTION/mma_m16n8k8/; s/STAGES/4/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=SM90 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=SINGLE --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=M16N8K8 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=FOUR --input-file=%t.ptx
// RUN: sed -e "s/CHIP/sm_90/; s/INSTRUCTION/mma_m16n8k16/; s/STAGES/2/" %s | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=SM90 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=SINGLE --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=M16N8K16 --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=TWO --input-file=%t.ptx

// The instructions that multiply, and those that bring tiles to shared memory.
// A block has two warps of 32 by 16 elements of C, and both shared tiles have
// rows along k: twelve loads of 16 bytes are all of a lane's fragments. With 16
// rows, neighbours along k are none in the registers of an instruction, and
// lanes load them one by one. With matrix instructions, the four steps are no
// loop.

// SM75: .target sm_75
// SM80: .target sm_80
// SM90: .target sm_90

// REGISTERS-NOT: cp.async
// REGISTERS-NOT: mma.sync
// REGISTERS: st.shared.v2.b64
// REGISTERS-NOT: cp.async
// REGISTERS-NOT: mma.sync

// TWO-COUNT-8: cp.async.cg.shared.global {{.*}}, 16;
// TWO-NEXT: cp.async.commit_group;
// TWO-NOT: cp.async.cg
// TWO: cp.async.wait_group 0;
// TWO-NEXT: bar.sync 0;

// THREE-COUNT-8: cp.async.cg.shared.global {{.*}}, 16;
// THREE-NEXT: cp.async.commit_group;
// THREE-COUNT-8: cp.async.cg.shared.global {{.*}}, 16;
// THREE-NEXT: cp.async.commit_group;
// THREE-NOT: cp.async.cg
// THREE: cp.async.wait_group 1;
// THREE-NEXT: bar.sync 0;

// FOUR-COUNT-24: cp.async.cg.shared.global {{.*}}, 16;
// FOUR-NEXT: cp.async.commit_group;
// FOUR-NOT: cp.async.cg
// FOUR: cp.async.wait_group 2;
// FOUR-NEXT: bar.sync 0;

// FMA-NOT: mma.sync
// FMA: ld.shared.v2.b64
// FMA-COUNT-256: fma.rn.f64
// FMA-NOT: fma.rn.f64
// FMA-NOT: mma.sync

// LOADS: .maxntid 64, 1, 1
// LOADS-COUNT-48: ld.shared.v2.b64
// LOADS-NOT: ld.shared

// SINGLE: .maxntid 64, 1, 1
// SINGLE-NOT: ld.shared.v2
// SINGLE-COUNT-96: ld.shared.b64
// SINGLE-NOT: ld.shared

// M8N8K4-COUNT-128: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// M8N8K4-NOT: mma.sync
// M8N8K4-NOT: fma.rn

// M16N8K4-COUNT-64: mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64
// M16N8K4-NOT: mma.sync
// M16N8K4-NOT: fma.rn

// M16N8K8-COUNT-32: mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64
// M16N8K8-NOT: mma.sync
// M16N8K8-NOT: fma.rn

// M16N8K16-COUNT-16: mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64
// M16N8K16-NOT: mma.sync
// M16N8K16-NOT: fma.rn
func.func @matmul(%A: memref<128x64xf64>, %B: memref<96x64xf64>, %C: memref<128x96xf64>) {
  tc.contract [m, k], [n, k] -> [m, n]
      ins(%A, %B : memref<128x64xf64>, memref<96x64xf64>)
      outs(%C : memref<128x96xf64>)
      {schedule = #tc.schedule<target = "CHIP", m = [m: 32], n = [n: 32], k = [k: 16], register = [4, 4], instruction = INSTRUCTION, stages = STAGES>}
  return
}
