// The calls of host code that upstream's gpu-to-llvm generates, against the
// tests' driver: the driver's functions, and the memory's contents then.

// REQUIRES: plugin
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=i32 -shared-libs=%tc-cuda-runtime
// RUN: rm -f %t.log
// RUN: env LD_LIBRARY_PATH=%fake-cuda FAKE_CUDA_LOG=%t.log %{run} %s | FileCheck %s --check-prefix=RESULT
// RUN: FileCheck %s < %t.log

// The half of a filled word, a copied and shared one, and a registered one.
// RESULT: 11

// CHECK: cuInit
// CHECK: cuDevicePrimaryCtxRetain
// CHECK: cuCtxSetCurrent
// CHECK: cuStreamCreate
// CHECK: cuMemAlloc
// CHECK: cuMemsetD32Async
// CHECK: cuMemsetD16Async
// CHECK: cuEventCreate
// CHECK: cuEventRecord
// CHECK: cuStreamWaitEvent
// CHECK: cuEventSynchronize
// CHECK: cuEventDestroy
// CHECK: cuMemcpyAsync
// CHECK: cuStreamSynchronize
// CHECK: cuMemAllocManaged
// CHECK: cuMemcpyAsync
// CHECK: cuMemHostRegister
// CHECK: cuMemHostUnregister
// CHECK: cuMemFree
// CHECK: cuMemFree
// CHECK: cuStreamDestroy
// Neither is anything done for no bytes, nor anything released at the end.
// CHECK-NOT: cuM
// CHECK-NOT: cuDevicePrimaryCtxRelease

llvm.func @mgpuStreamCreate() -> !llvm.ptr
llvm.func @mgpuStreamDestroy(!llvm.ptr)
llvm.func @mgpuStreamSynchronize(!llvm.ptr)
llvm.func @mgpuStreamWaitEvent(!llvm.ptr, !llvm.ptr)
llvm.func @mgpuEventCreate() -> !llvm.ptr
llvm.func @mgpuEventDestroy(!llvm.ptr)
llvm.func @mgpuEventSynchronize(!llvm.ptr)
llvm.func @mgpuEventRecord(!llvm.ptr, !llvm.ptr)
llvm.func @mgpuMemAlloc(i64, !llvm.ptr, i8) -> !llvm.ptr
llvm.func @mgpuMemFree(!llvm.ptr, !llvm.ptr)
llvm.func @mgpuMemcpy(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
llvm.func @mgpuMemset32(!llvm.ptr, i32, i64, !llvm.ptr)
llvm.func @mgpuMemset16(!llvm.ptr, i16, i64, !llvm.ptr)
llvm.func @mgpuMemHostRegisterMemRef(i64, !llvm.ptr, i64)
llvm.func @mgpuMemHostUnregisterMemRef(i64, !llvm.ptr, i64)

llvm.func @main() -> i32 {
  %no = llvm.mlir.constant(0 : i8) : i8
  %yes = llvm.mlir.constant(1 : i8) : i8
  %none = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  %stream = llvm.call @mgpuStreamCreate() : () -> !llvm.ptr

  // 65537 and 65537, then 2 in the halves of the first.
  %device = llvm.call @mgpuMemAlloc(%eight, %stream, %no) : (i64, !llvm.ptr, i8) -> !llvm.ptr
  %ones = llvm.mlir.constant(65537 : i32) : i32
  llvm.call @mgpuMemset32(%device, %ones, %two, %stream) : (!llvm.ptr, i32, i64, !llvm.ptr) -> ()
  %twos = llvm.mlir.constant(2 : i16) : i16
  llvm.call @mgpuMemset16(%device, %twos, %two, %stream) : (!llvm.ptr, i16, i64, !llvm.ptr) -> ()
  %event = llvm.call @mgpuEventCreate() : () -> !llvm.ptr
  llvm.call @mgpuEventRecord(%event, %stream) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.call @mgpuStreamWaitEvent(%stream, %event) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.call @mgpuEventSynchronize(%event) : (!llvm.ptr) -> ()
  llvm.call @mgpuEventDestroy(%event) : (!llvm.ptr) -> ()
  %host = llvm.alloca %two x i32 : (i64) -> !llvm.ptr
  llvm.call @mgpuMemcpy(%host, %device, %eight, %stream) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
  llvm.call @mgpuStreamSynchronize(%stream) : (!llvm.ptr) -> ()
  %first = llvm.load %host : !llvm.ptr -> i32
  %second.at = llvm.getelementptr %host[1] : (!llvm.ptr) -> !llvm.ptr, i32
  %second = llvm.load %second.at : !llvm.ptr -> i32
  // 131074 - 65537 * 1 - 65535 = 2
  %difference = llvm.sub %first, %second : i32
  %most = llvm.mlir.constant(65535 : i32) : i32
  %half = llvm.sub %difference, %most : i32

  // Shared memory has one address on both sides.
  %shared = llvm.call @mgpuMemAlloc(%four, %stream, %yes) : (i64, !llvm.ptr, i8) -> !llvm.ptr
  %four.i32 = llvm.mlir.constant(4 : i32) : i32
  llvm.store %four.i32, %shared : i32, !llvm.ptr
  llvm.call @mgpuMemcpy(%host, %shared, %four, %stream) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
  %copied = llvm.load %host : !llvm.ptr -> i32

  // The second of two elements, by a descriptor of rank one.
  %buffer = llvm.alloca %two x i32 : (i64) -> !llvm.ptr
  %d = llvm.alloca %eight x i64 : (i64) -> !llvm.ptr
  %address = llvm.ptrtoint %buffer : !llvm.ptr to i64
  llvm.store %address, %d : i64, !llvm.ptr
  %d1 = llvm.getelementptr %d[1] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %address, %d1 : i64, !llvm.ptr
  %d2 = llvm.getelementptr %d[2] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %one, %d2 : i64, !llvm.ptr
  %d3 = llvm.getelementptr %d[3] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %one, %d3 : i64, !llvm.ptr
  %d4 = llvm.getelementptr %d[4] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %one, %d4 : i64, !llvm.ptr
  llvm.call @mgpuMemHostRegisterMemRef(%one, %d, %four) : (i64, !llvm.ptr, i64) -> ()
  llvm.call @mgpuMemHostUnregisterMemRef(%one, %d, %four) : (i64, !llvm.ptr, i64) -> ()
  // One with no element.
  llvm.store %none, %d3 : i64, !llvm.ptr
  llvm.call @mgpuMemHostRegisterMemRef(%one, %d, %four) : (i64, !llvm.ptr, i64) -> ()
  llvm.call @mgpuMemHostUnregisterMemRef(%one, %d, %four) : (i64, !llvm.ptr, i64) -> ()

  llvm.call @mgpuMemFree(%device, %stream) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.call @mgpuMemFree(%shared, %stream) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.call @mgpuStreamDestroy(%stream) : (!llvm.ptr) -> ()
  %null = llvm.call @mgpuMemAlloc(%none, %stream, %no) : (i64, !llvm.ptr, i8) -> !llvm.ptr
  llvm.call @mgpuMemFree(%null, %stream) : (!llvm.ptr, !llvm.ptr) -> ()
  llvm.call @mgpuMemcpy(%null, %null, %none, %stream) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
  %sum = llvm.add %half, %copied : i32
  %five = llvm.mlir.constant(5 : i32) : i32
  %result = llvm.add %sum, %five : i32
  llvm.return %result : i32
}
