// A product of four tensors, compiled in the order that the model of the CPU
// chooses, in the worst one, and by upstream from that: the same numbers, which
// are integers, so that no order rounds them.

// DEFINE: %{to-llvm} = -convert-linalg-to-loops -expand-strided-metadata -lower-affine -convert-scf-to-cf -convert-vector-to-llvm -finalize-memref-to-llvm -convert-func-to-llvm -convert-math-to-llvm -convert-arith-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so
// DEFINE: %{bufferize} = -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"
// DEFINE: %{worst} = sed "s/path = .*$/path = [[0, 1], [0, 2], [0, 1]]/"

// RUN: tc-opt %s -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: %{worst} %s | tc-opt -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: sed "s/path = .*$//" %s | tc-opt -tc-cpu-pipeline %{to-llvm} | %{run} | FileCheck %s
// RUN: sed "s/path = .*$//" %s | tc-opt -tc-order=target=sm_90 -convert-tc-to-linalg %{bufferize} %{to-llvm} | %{run} | FileCheck %s

// For GPUs, each step is a kernel.
// RUN: tc-opt %s -tc-gpu-pipeline=fuse-chains=false | FileCheck %s --check-prefix=GPU
// GPU-COUNT-3: gpu.func
// GPU-NOT: gpu.func

// CHECK: {{^[[ ]*}}-88{{, +}}132{{, +}}44{{ *\]}}
// CHECK: {{^[[ ]*}}352{{, +}}-308{{, +}}-44{{ *\]}}
// CHECK: {{^[[ ]*}}-2{{, +}}48{{, +}}84{{ *\]}}
// CHECK: {{^[[ ]*}}224{{, +}}-74{{, +}}-190{{ *\]}}
// CHECK: {{^[[ ]*}}34{{, +}}64{{, +}}24{{ *\]}}
// CHECK: {{^[[ ]*}}196{{, +}}-40{{, +}}-136{{ *\]}}
// CHECK: {{^[[ ]*}}10{{, +}}-130{{, +}}-46{{ *\]}}
// CHECK: {{^[[ ]*}}-372{{, +}}194{{, +}}158{{ *\]}}

func.func private @printMemrefF64(%values: memref<*xf64>) attributes {llvm.emit_c_interface}

func.func @main() {
  %A = arith.constant dense<[[-2.0, 2.0, -1.0, 3.0], [0.0, -3.0, 1.0, -2.0], [2.0, -1.0, 3.0, 0.0]]> : tensor<3x4xf64>
  %B = arith.constant dense<[[0.0, 1.0, 2.0, -2.0, -1.0], [-2.0, -1.0, 0.0, 1.0, 2.0]]> : tensor<2x5xf64>
  %C = arith.constant dense<[[-2.0, 0.0, 2.0], [-1.0, 1.0, -2.0], [0.0, 2.0, -1.0], [1.0, -2.0, 0.0]]> : tensor<4x3xf64>
  %U = arith.constant dense<[[[-4.0, 5.0, 3.0], [2.0, 0.0, -2.0], [-3.0, -5.0, 4.0], [3.0, 1.0, -1.0], [-2.0, -4.0, 5.0]], [[-1.0, -3.0, -5.0], [5.0, 3.0, 1.0], [0.0, -2.0, -4.0], [-5.0, 4.0, 2.0], [1.0, -1.0, -3.0]], [[2.0, 0.0, -2.0], [-3.0, -5.0, 4.0], [3.0, 1.0, -1.0], [-2.0, -4.0, 5.0], [4.0, 2.0, 0.0]], [[5.0, 3.0, 1.0], [0.0, -2.0, -4.0], [-5.0, 4.0, 2.0], [1.0, -1.0, -3.0], [-4.0, 5.0, 3.0]]]> : tensor<4x5x3xf64>
  %out = tensor.empty() : tensor<4x2x3xf64>
  %two = arith.constant 2.0 : f64
  %D = tc.einsum [k, l], [j, m], [i, n], [l, m, n] -> [i, j, k]
    ins(%A, %B, %C, %U : tensor<3x4xf64>, tensor<2x5xf64>, tensor<4x3xf64>, tensor<4x5x3xf64>)
    outs(%out : tensor<4x2x3xf64>) alpha(%two : f64)
    path = [[1, 3], [1, 2], [0, 1]]
    -> tensor<4x2x3xf64>
  %buffer = bufferization.to_buffer %D : tensor<4x2x3xf64> to memref<4x2x3xf64>
  %print = memref.cast %buffer : memref<4x2x3xf64> to memref<*xf64>
  call @printMemrefF64(%print) : (memref<*xf64>) -> ()
  return
}
