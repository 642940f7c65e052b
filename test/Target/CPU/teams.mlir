// Machine code of parallel regions: a function for the team, which the runtime
// is asked for by the calls that Clang emits.
// RUN: tc-translate --tc-to-object --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 %s -o %t.o
// RUN: llvm-objdump-22 -dr --no-show-raw-insn --no-leading-addr %t.o | FileCheck %s

// The runtime is asked once for a thread's trips, whatever loops there are. All
// wait for one another after the first of them; the region's end is another one.
// CHECK-LABEL: <fill>:
// CHECK: __kmpc_global_thread_num
// CHECK: movl $0x4, %edx
// CHECK: __kmpc_push_num_threads
// CHECK: leaq {{.*}} <fill.team>
// CHECK: __kmpc_fork_call
// CHECK-LABEL: <fill.team>:
// CHECK: __kmpc_for_static_init_8u
// CHECK: __kmpc_for_static_fini
// CHECK-NOT: __kmpc_for
// CHECK: __kmpc_barrier
// CHECK-NOT: __kmpc
// CHECK: retq
func.func @fill(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4xf64>)
    attributes {tc.contraction = "C[i] = A[i] * B[i]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %threads = arith.constant 4 : i32
  %panel = memref.alloca() : memref<4xf64>
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop schedule(static) {
      omp.loop_nest (%i) : index = (%c0) to (%c3) step (%c1) {
        %a = memref.load %A[%i] : memref<4xf64>
        memref.store %a, %panel[%i] : memref<4xf64>
        omp.yield
      }
    }
    omp.wsloop nowait schedule(static) {
      omp.loop_nest (%i) : index = (%c0) to (%c4) step (%c1) {
        %a = memref.load %panel[%i] : memref<4xf64>
        %b = memref.load %B[%i] : memref<4xf64>
        %c = arith.mulf %a, %b : f64
        memref.store %c, %C[%i] : memref<4xf64>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A loop with more trips than threads has runs of them for each, which upstream's
// translation asks for.
// CHECK-LABEL: <runs>:
// CHECK: __kmpc_fork_call
// CHECK-LABEL: <runs..omp_par>:
// CHECK: __kmpc_for_static_init_8u
func.func @runs(%A: memref<400xf64>, %B: memref<400xf64>, %C: memref<400xf64>)
    attributes {tc.contraction = "C[i] = A[i] * B[i]",
                tc.contraction.arguments = ["A", "B", "C"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c400 = arith.constant 400 : index
  %threads = arith.constant 4 : i32
  omp.parallel num_threads(%threads : i32) {
    omp.wsloop schedule(static) {
      omp.loop_nest (%i) : index = (%c0) to (%c400) step (%c1) {
        %a = memref.load %A[%i] : memref<400xf64>
        %b = memref.load %B[%i] : memref<400xf64>
        %c = arith.mulf %a, %b : f64
        memref.store %c, %C[%i] : memref<400xf64>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}
