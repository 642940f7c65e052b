// A module describes its targets. Schedules are searched and checked for them,
// and PTX is made for their chip, by each tool of the way.
// RUN: tc-opt %s | tc-opt | FileCheck %s --check-prefix=ATTR
// RUN: tc-opt %s --tc-tile=target=big | FileCheck %s --check-prefix=TILE
// RUN: tc-opt %s --tc-tile=target=big --tc-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: tc-opt %s --tc-tile=target=big | tc-opt --tc-to-gpu | tc-translate --tc-to-ptx --launch-description=%t.json | FileCheck %s --check-prefix=PTX
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: tc-opt %s --tc-tile=target=sm_90 | FileCheck %s --check-prefix=SHADOW

// A target from a file is described on the module, beside the others, and in
// place of a device of its name.
// RUN: tc-opt %s --tc-tile=target-file=%S/Inputs/h100-pcie.json | FileCheck %s --check-prefix=FILE
// RUN: tc-opt %s --tc-tile=target-file=%S/Inputs/h100-pcie.json | tc-opt --tc-tile=target=h100-pcie | FileCheck %s --check-prefix=FILE
// RUN: tc-opt %s --tc-gpu-pipeline=target-file=%S/Inputs/h100-pcie.json | tc-translate --tc-to-ptx | FileCheck %s --check-prefix=PTX

// ATTR: "big" = #dlti.target_device_spec<"tc.base" = "sm_80", "tc.multiprocessors" = 1000 : i64, "tc.memory_bytes_per_second" = 2.500000e+12 : f64>
// TILE: #tc.schedule<target = "big", m = [
// GPU: #tc.schedule<target = "big", m = [
// PTX: .target sm_{{80|90}}
// JSON: "target": "sm_80"
// JSON: "schedule": "#tc.schedule<target = \"big\", m = [
// SHADOW: #tc.schedule<target = "sm_90", m = [

// FILE-DAG: "CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 65536 : i32>
// FILE-DAG: "h100-pcie" = #dlti.target_device_spec<"tc.chip" = "sm_90", "tc.product" = "NVIDIA H100 PCIe", "tc.compute_capability" = 90 : i64,{{.*}} "tc.multiprocessors" = 114 : i64, "tc.clock_hertz" = 1.755000e+09 : f64,
// FILE: #tc.schedule<target = "h100-pcie", m = [

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 65536 : i32>,
  "sm_90" = #dlti.target_device_spec<"max_vector_op_width" = 64 : i32>,
  "big" = #dlti.target_device_spec<
    "tc.base" = "sm_80", "tc.multiprocessors" = 1000 : i64,
    "tc.memory_bytes_per_second" = 2.5e12 : f64>,
  "h100-pcie" = #dlti.target_device_spec<"tc.base" = "sm_75">>} {
  func.func @product(%A: memref<256x64xf64>, %B: memref<64x256xf64>, %C: memref<256x256xf64>) {
    tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<256x64xf64>, memref<64x256xf64>) outs(%C : memref<256x256xf64>)
    return
  }
}
