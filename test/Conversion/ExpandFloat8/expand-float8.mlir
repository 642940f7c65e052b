// RUN: tc-opt %s --tc-expand-float8 --canonicalize --split-input-file | FileCheck %s

// Outside of kernels, by the fields of f32. test/CAPI/float8_test.c computes.

// CHECK-LABEL: func.func @extend(
// CHECK-SAME: %[[X:.*]]: f8E4M3FN) -> f64
// CHECK-DAG: %[[FACTOR:.*]] = arith.constant 1.329228E+36 : f32
// CHECK-DAG: %[[SHIFT:.*]] = arith.constant 20 : i32
// CHECK-DAG: %[[INFINITY:.*]] = arith.constant 2139095040 : i32
// CHECK-DAG: %[[NAN:.*]] = arith.constant 127 : i32
// CHECK: %[[BYTE:.*]] = arith.bitcast %[[X]] : f8E4M3FN to i8
// CHECK: %[[BITS:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK: %[[SIZE:.*]] = arith.andi %[[BITS]], %[[NAN]] : i32
// CHECK: %[[FIELDS:.*]] = arith.shli %[[SIZE]], %[[SHIFT]] : i32
// CHECK: %[[SMALL:.*]] = arith.bitcast %[[FIELDS]] : i32 to f32
// CHECK: %[[NUMBER:.*]] = arith.mulf %[[SMALL]], %[[FACTOR]] : f32
// CHECK: %[[NONE:.*]] = arith.ori %[[FIELDS]], %[[INFINITY]] : i32
// CHECK: %[[IS_NONE:.*]] = arith.cmpi uge, %[[SIZE]], %[[NAN]] : i32
// CHECK: %[[AS_BITS:.*]] = arith.bitcast %[[NUMBER]] : f32 to i32
// CHECK: arith.select %[[IS_NONE]], %[[NONE]], %[[AS_BITS]] : i32
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK: return %[[WIDE]]
func.func @extend(%x: f8E4M3FN) -> f64 {
  %y = arith.extf %x : f8E4M3FN to f64
  return %y : f64
}

// -----

// Values that are too large are cut off, with the bits of 57344 as f32, and NaN
// has all bits.

// CHECK-LABEL: func.func @round(
// CHECK-SAME: %[[X:.*]]: vector<4xf32>)
// CHECK-DAG: %[[NAN:.*]] = arith.constant dense<127> : vector<4xi32>
// CHECK-DAG: %[[LARGEST:.*]] = arith.constant dense<1197473792> : vector<4xi32>
// CHECK-DAG: %[[STEPS:.*]] = arith.constant dense<1.280000e+02> : vector<4xf32>
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : vector<4xf32> to vector<4xi32>
// CHECK: %[[SIZE:.*]] = arith.andi %[[BITS]]
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[SIZE]], %[[LARGEST]]
// CHECK: arith.addf %{{.*}}, %[[STEPS]]
// CHECK: %[[IS_NAN:.*]] = arith.cmpi ugt, %[[SIZE]]
// CHECK: arith.select %[[IS_NAN]], %[[NAN]], %{{.*}} : vector<4xi1>, vector<4xi32>
// CHECK: arith.bitcast %{{.*}} : vector<4xi8> to vector<4xf8E5M2>
func.func @round(%x: vector<4xf32>) -> vector<4xf8E5M2> {
  %y = arith.truncf %x : vector<4xf32> to vector<4xf8E5M2>
  return %y : vector<4xf8E5M2>
}

// -----

// From f64 by way of f32, but rounded once.

// CHECK-LABEL: func.func @round_double(
// CHECK-SAME: %[[X:.*]]: f64)
// CHECK: %[[NEAREST:.*]] = arith.truncf %[[X]] : f64 to f32
// CHECK: %[[AGAIN:.*]] = arith.extf %[[NEAREST]] : f32 to f64
// CHECK: %[[BITS:.*]] = arith.bitcast %[[NEAREST]] : f32 to i32
// CHECK: arith.cmpf ogt
// CHECK: arith.subi %[[BITS]]
// CHECK: arith.cmpf une, %[[AGAIN]], %[[X]]
// CHECK: arith.ori
// CHECK: arith.minui
func.func @round_double(%x: f64) -> f8E4M3FN {
  %y = arith.truncf %x : f64 to f8E4M3FN
  return %y : f8E4M3FN
}

// -----

// Without saturation, numbers from the bits of 61440 on, but for NaN, become an
// infinity.

// CHECK-LABEL: func.func @round_without_saturation(
// CHECK-SAME: %[[X:.*]]: vector<4xf32>)
// CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<1198522368> : vector<4xi32>
// CHECK-DAG: %[[REACH:.*]] = arith.constant dense<940572672> : vector<4xi32>
// CHECK-DAG: %[[INFINITY:.*]] = arith.constant dense<124> : vector<4xi32>
// CHECK: arith.minui
// CHECK: %[[ROUNDED:.*]] = arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
// CHECK: %[[BEHIND:.*]] = arith.subi %{{.*}}, %[[LEAST]]
// CHECK: %[[IS_BEYOND:.*]] = arith.cmpi ule, %[[BEHIND]], %[[REACH]]
// CHECK: %[[SPECIAL:.*]] = arith.ori %{{.*}}, %[[INFINITY]]
// CHECK: %[[BYTES:.*]] = arith.trunci %[[SPECIAL]] : vector<4xi32> to vector<4xi8>
// CHECK: arith.select %[[IS_BEYOND]], %[[BYTES]], %[[ROUNDED]] : vector<4xi1>, vector<4xi8>
module attributes {tc.nonsaturating} {
  func.func @round_without_saturation(%x: vector<4xf32>) -> vector<4xf8E5M2> {
    %y = arith.truncf %x : vector<4xf32> to vector<4xf8E5M2>
    return %y : vector<4xf8E5M2>
  }
}

// -----

// All else is done in f32.

// CHECK-LABEL: func.func @arithmetic(
// CHECK: math.absf %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: arith.select %{{.*}} : f8E4M3FN
func.func @arithmetic(%x: f8E4M3FN, %i: i32) -> f8E4M3FN {
  %half = arith.constant 0.5 : f8E4M3FN
  %size = math.absf %x : f8E4M3FN
  %sum = arith.addf %size, %half : f8E4M3FN
  %number = arith.sitofp %i : i32 to f8E4M3FN
  %less = arith.cmpf olt, %sum, %number : f8E4M3FN
  %least = arith.select %less, %sum, %number : f8E4M3FN
  return %least : f8E4M3FN
}

// -----

// In kernels by instructions, in pairs; one that is left over is paired with
// itself.

#kernel = #tc.kernel<a = [m], b = [], c = [m], beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_89", m = [m: 4], n = [], k = [], register = [1, 1]>>

// CHECK-LABEL: gpu.func @instructions(
// CHECK-SAME: %[[X:[a-z0-9]*]]: f8E4M3FN, %[[V:[a-z0-9]*]]: vector<3xf32>
// CHECK: %[[PAIR:.*]] = vector.broadcast %[[X]] : f8E4M3FN to vector<2xf8E4M3FN>
// CHECK: %[[BYTES:.*]] = arith.bitcast %[[PAIR]] : vector<2xf8E4M3FN> to vector<2xi8>
// CHECK: %[[HALVES:.*]] = nvvm.convert.f8x2.to.f16x2 %[[BYTES]] : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK: %[[HALF:.*]] = vector.extract %[[HALVES]][0]
// CHECK: arith.extf %[[HALF]] : f16 to f32
// CHECK: %[[V0:.*]] = vector.extract %[[V]][0]
// CHECK: %[[V1:.*]] = vector.extract %[[V]][1]
// CHECK: %[[V2:.*]] = vector.extract %[[V]][2]
// CHECK: nvvm.convert.f32x2.to.f8x2 %[[V1]], %[[V0]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E5M2)
// CHECK: nvvm.convert.f32x2.to.f8x2 %[[V2]], %[[V2]]
gpu.module @kernels {
  gpu.func @instructions(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>, %alpha: f32,
                         %x: f8E4M3FN, %v: vector<3xf32>, %p: memref<f32>, %q: memref<4xf8E5M2>)
      kernel attributes {tc.kernel = #kernel} {
    %zero = arith.constant 0 : index
    %y = arith.extf %x : f8E4M3FN to f32
    memref.store %y, %p[] : memref<f32>
    %w = arith.truncf %v : vector<3xf32> to vector<3xf8E5M2>
    vector.store %w, %q[%zero] : memref<4xf8E5M2>, vector<3xf8E5M2>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m], b = [], c = [m], beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_80", m = [m: 4], n = [], k = [], register = [1, 1]>>

// Earlier targets have no such instructions.

// CHECK-LABEL: gpu.func @integers(
// CHECK-NOT: nvvm.convert
// CHECK: arith.extui
gpu.module @kernels {
  gpu.func @integers(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>, %alpha: f32,
                     %x: f8E4M3FN, %p: memref<f32>) kernel attributes {tc.kernel = #kernel} {
    %y = arith.extf %x : f8E4M3FN to f32
    memref.store %y, %p[] : memref<f32>
    gpu.return
  }
}

// -----

// Of kernels, too: the instruction saturates.

#kernel = #tc.kernel<a = [m], b = [], c = [m], beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_89", m = [m: 4], n = [], k = [], register = [1, 1]>>

// CHECK-LABEL: gpu.func @instructions_without_saturation(
// CHECK: %[[PAIR:.*]] = nvvm.convert.f32x2.to.f8x2 {{.*}} : vector<2xi8>(f8E4M3FN)
// CHECK: %[[IS_BEYOND:.*]] = arith.cmpi ule
// CHECK: arith.select %[[IS_BEYOND]], %{{.*}}, %{{.*}} : vector<2xi1>, vector<2xi8>
module attributes {tc.nonsaturating} {
  gpu.module @kernels {
    gpu.func @instructions_without_saturation(%arg0: memref<8xf32>, %arg1: memref<f32>, %arg2: memref<8xf32>,
                                              %alpha: f32, %v: vector<2xf32>, %q: memref<4xf8E4M3FN>)
        kernel attributes {tc.kernel = #kernel} {
      %zero = arith.constant 0 : index
      %w = arith.truncf %v : vector<2xf32> to vector<2xf8E4M3FN>
      vector.store %w, %q[%zero] : memref<4xf8E4M3FN>, vector<2xf8E4M3FN>
      gpu.return
    }
  }
}
