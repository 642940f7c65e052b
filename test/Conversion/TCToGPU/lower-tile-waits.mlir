// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-tile-waits))" -split-input-file -verify-diagnostics | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @wait
  // CHECK-SAME: %[[A:[a-z0-9]*]]: memref<8x64xf64>, %[[B:[a-z0-9]*]]: memref<8x32xf64>
  gpu.func @wait(%pa: memref<8x64xf64>, %pb: memref<8x32xf64>, %out: memref<f64>) {
    %c0 = arith.constant 0 : index
    // CHECK: nvvm.cp.async.commit.group
    %group = tc.group_copies []
    // CHECK-NEXT: nvvm.cp.async.wait.group 2
    // CHECK-NEXT: gpu.barrier
    %tiles:2 = tc.wait_for_tiles %pa, %pb after %group later 2 : memref<8x64xf64>, memref<8x32xf64>
    // CHECK-NEXT: memref.load %[[A]]
    %x = memref.load %tiles#0[%c0, %c0] : memref<8x64xf64>
    // What goes by registers is there when all threads have stored it.
    // CHECK-NEXT: gpu.barrier
    %c = tc.wait_for_tiles %tiles#1 : memref<8x32xf64>
    // CHECK-NEXT: memref.load %[[B]]
    %y = memref.load %c[%c0, %c0] : memref<8x32xf64>
    // CHECK-NOT: cp.async
    %z = arith.addf %x, %y : f64
    memref.store %z, %out[] : memref<f64>
    gpu.return
  }
}

// -----

// Loops carry no tokens, and conditions yield none.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @carried
  gpu.func @carried(%tile: memref<8x64xf64>, %trips: i32, %more: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: nvvm.cp.async.commit.group
    // CHECK-NEXT: nvvm.cp.async.commit.group
    %g0 = tc.group_copies []
    %g1 = tc.group_copies []
    // CHECK-NEXT: %[[LAST:.*]] = scf.for %{{.*}} iter_args(%[[I:.*]] = %c0_i32) -> (i32)
    %r:3 = scf.for %i = %c0 to %trips step %c1 iter_args(%older = %g0, %at = %c0, %newer = %g1)
        -> (!nvgpu.device.async.token, i32, !nvgpu.device.async.token) : i32 {
      // CHECK-NEXT: nvvm.cp.async.wait.group 1
      // CHECK-NEXT: gpu.barrier
      %t = tc.wait_for_tiles %tile after %older later 1 : memref<8x64xf64>
      // CHECK-NEXT: scf.if %{{.*}} {
      // CHECK-NEXT: nvvm.cp.async.commit.group
      // CHECK-NEXT: }
      %next = scf.if %more -> (!nvgpu.device.async.token) {
        %g = tc.group_copies []
        scf.yield %g : !nvgpu.device.async.token
      } else {
        scf.yield %newer : !nvgpu.device.async.token
      }
      // CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1_i32
      %after = arith.addi %at, %c1 : i32
      // CHECK-NEXT: scf.yield %[[NEXT]] : i32
      scf.yield %newer, %after, %next : !nvgpu.device.async.token, i32, !nvgpu.device.async.token
    }
    // CHECK: nvvm.cp.async.wait.group 0
    // CHECK-NEXT: gpu.barrier
    %u = tc.wait_for_tiles %tile after %r#2 : memref<8x64xf64>
    gpu.return
  }
}

// -----

// A tile is waited for as long as something reads it.

gpu.module @kernels {
  gpu.func @too_early(%storage: memref<?xi8>, %pb: memref<8x32xf64>, %sum: vector<2xf64>) {
    %c0 = arith.constant 0 : index
    %pa = memref.view %storage[%c0][] : memref<?xi8> to memref<8x64xf64>
    %a = tc.wait_for_tiles %pa : memref<8x64xf64>
    // expected-error @below {{'tc.multiply_tiles' op reads a shared tile that nothing waits for}}
    %r = tc.multiply_tiles %a, %pb into %sum : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> -> vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @branches(%tile: memref<8x64xf64>, %first: i1) {
    %g = tc.group_copies []
    // expected-error @below {{'cf.br' op has a token of copies, which only loops and conditions of 'scf' may carry to 'tc.wait_for_tiles'}}
    cf.br ^next(%g : !nvgpu.device.async.token)
  ^next(%group: !nvgpu.device.async.token):
    %t = tc.wait_for_tiles %tile after %group : memref<8x64xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has a token of copies}}
  gpu.func @takes_a_token(%tile: memref<8x64xf64>, %group: !nvgpu.device.async.token) {
    %t = tc.wait_for_tiles %tile after %group : memref<8x64xf64>
    gpu.return
  }
}
