// A product of three matrices in slices, on the CPU and on a device that is the
// simulator: of tensors and of buffers, with parts of the output and of sums,
// shorter last ones among them, with factors, and with another semiring.

// REQUIRES: plugin
// DEFINE: %{to-llvm} = --pass-pipeline='builtin.module(func.func(convert-linalg-to-loops,convert-vector-to-scf),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-vector-to-llvm,gpu-to-llvm{use-bare-pointers-for-kernels=1},finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)'
// DEFINE: %{run} = env LD_LIBRARY_PATH=%fake-cuda mlir-runner -e main -entry-point-result=void -shared-libs=%mlir-libs/libmlir_runner_utils.so,%mlir-libs/libmlir_c_runner_utils.so,%tc-cuda-runtime

// RUN: tc-opt %s --tc-order="target=cpu memory-limit=100" --tc-cpu-pipeline | tc-opt %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s --tc-order="target=cpu memory-limit=320" --tc-cpu-pipeline | tc-opt %{to-llvm} | %{run} | FileCheck %s
// RUN: tc-opt %s --tc-order="memory-limit=200" --tc-gpu-pipeline=target=sm_90 | sed -f %S/Inputs/register_temporaries.sed | tc-opt --tc-kernels-to-binary | tc-opt %{to-llvm} | %{run} | FileCheck %s

// Twice the product, less three times the old output; through buffers, too, and
// then the shortest sums.
// CHECK: {{\[\[}}{{ *}}37180, {{ *}}42897, {{ *}}48614, {{ *}}54331, {{ *}}60048],
// CHECK-NEXT: {{^ *\[}}{{ *}}24010, {{ *}}31443, {{ *}}38876, {{ *}}46309, {{ *}}53742],
// CHECK-NEXT: {{^ *\[}}{{ *}}10840, {{ *}}19989, {{ *}}29138, {{ *}}38287, {{ *}}47436],
// CHECK-NEXT: {{^ *\[}}{{ *}}-2330, {{ *}}8535, {{ *}}19400, {{ *}}30265, {{ *}}41130],
// CHECK-NEXT: {{^ *\[}}{{ *}}-15500, {{ *}}-2919, {{ *}}9662, {{ *}}22243, {{ *}}34824],
// CHECK-NEXT: {{^ *\[}}{{ *}}-28670, {{ *}}-14373, {{ *}}-76, {{ *}}14221, {{ *}}28518],
// CHECK-NEXT: {{^ *\[}}{{ *}}-41840, {{ *}}-25827, {{ *}}-9814, {{ *}}6199, {{ *}}22212{{\]\]}}
// CHECK: {{\[\[}}{{ *}}37180, {{ *}}42897, {{ *}}48614, {{ *}}54331, {{ *}}60048],
// CHECK-NEXT: {{^ *\[}}{{ *}}24010, {{ *}}31443, {{ *}}38876, {{ *}}46309, {{ *}}53742],
// CHECK-NEXT: {{^ *\[}}{{ *}}10840, {{ *}}19989, {{ *}}29138, {{ *}}38287, {{ *}}47436],
// CHECK-NEXT: {{^ *\[}}{{ *}}-2330, {{ *}}8535, {{ *}}19400, {{ *}}30265, {{ *}}41130],
// CHECK-NEXT: {{^ *\[}}{{ *}}-15500, {{ *}}-2919, {{ *}}9662, {{ *}}22243, {{ *}}34824],
// CHECK-NEXT: {{^ *\[}}{{ *}}-28670, {{ *}}-14373, {{ *}}-76, {{ *}}14221, {{ *}}28518],
// CHECK-NEXT: {{^ *\[}}{{ *}}-41840, {{ *}}-25827, {{ *}}-9814, {{ *}}6199, {{ *}}22212{{\]\]}}
// CHECK: {{\[\[}}{{ *}}-20, {{ *}}-22, {{ *}}-24, {{ *}}-26, {{ *}}-28],
// CHECK-NEXT: {{^ *\[}}{{ *}}-19, {{ *}}-21, {{ *}}-23, {{ *}}-25, {{ *}}-27],
// CHECK-NEXT: {{^ *\[}}{{ *}}-18, {{ *}}-20, {{ *}}-22, {{ *}}-24, {{ *}}-26],
// CHECK-NEXT: {{^ *\[}}{{ *}}-17, {{ *}}-19, {{ *}}-21, {{ *}}-23, {{ *}}-25],
// CHECK-NEXT: {{^ *\[}}{{ *}}-16, {{ *}}-18, {{ *}}-20, {{ *}}-22, {{ *}}-24],
// CHECK-NEXT: {{^ *\[}}{{ *}}-15, {{ *}}-17, {{ *}}-19, {{ *}}-21, {{ *}}-23],
// CHECK-NEXT: {{^ *\[}}{{ *}}-14, {{ *}}-16, {{ *}}-18, {{ *}}-20, {{ *}}-22{{\]\]}}

#rows = affine_map<(i, j) -> (i, j)>

func.func @tensors(%a: tensor<7x13xf64>, %b: tensor<13x11xf64>, %c: tensor<11x5xf64>, %d: tensor<7x5xf64>,
                   %beta: f64) -> tensor<7x5xf64> {
  %two = arith.constant 2.0 : f64
  %made = tc.einsum [i, j], [j, k], [k, l] -> [i, l]
    ins(%a, %b, %c : tensor<7x13xf64>, tensor<13x11xf64>, tensor<11x5xf64>)
    outs(%d : tensor<7x5xf64>) alpha(%two : f64) beta(%beta : f64) -> tensor<7x5xf64>
  return %made : tensor<7x5xf64>
}

func.func @buffers(%a: memref<7x13xf64>, %b: memref<13x11xf64>, %c: memref<11x5xf64>, %d: memref<7x5xf64>,
                   %e: memref<7x5xf64>, %beta: f64) {
  %two = arith.constant 2.0 : f64
  tc.einsum [i, j], [j, k], [k, l] -> [i, l]
    ins(%a, %b, %c : memref<7x13xf64>, memref<13x11xf64>, memref<11x5xf64>)
    outs(%d : memref<7x5xf64>) alpha(%two : f64) beta(%beta : f64) path = [[0, 1], [0, 1]]
  tc.einsum [i, j], [j, k], [k, l] -> [i, l]
    ins(%a, %b, %c : memref<7x13xf64>, memref<13x11xf64>, memref<11x5xf64>)
    outs(%e : memref<7x5xf64>) semiring = min_plus
  return
}

func.func @main() {
  %a = memref.alloc() : memref<7x13xf64>
  %b = memref.alloc() : memref<13x11xf64>
  %c = memref.alloc() : memref<11x5xf64>
  %d = memref.alloc() : memref<7x5xf64>
  %e = memref.alloc() : memref<7x5xf64>
  %f = memref.alloc() : memref<7x5xf64>
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%a : memref<7x13xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.constant 1 : index
    %q = arith.constant -1 : index
    %pi = arith.muli %p, %i : index
    %qj = arith.muli %q, %j : index
    %sum = arith.addi %pi, %qj : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%b : memref<13x11xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.constant 2 : index
    %q = arith.constant -3 : index
    %pi = arith.muli %p, %i : index
    %qj = arith.muli %q, %j : index
    %sum = arith.addi %pi, %qj : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%c : memref<11x5xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.constant 1 : index
    %q = arith.constant -2 : index
    %pi = arith.muli %p, %i : index
    %qj = arith.muli %q, %j : index
    %sum = arith.addi %pi, %qj : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%d : memref<7x5xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.constant 100 : index
    %q = arith.constant 1 : index
    %pi = arith.muli %p, %i : index
    %qj = arith.muli %q, %j : index
    %sum = arith.addi %pi, %qj : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%e : memref<7x5xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.constant 0 : index
    %q = arith.constant 0 : index
    %pi = arith.muli %p, %i : index
    %qj = arith.muli %q, %j : index
    %sum = arith.addi %pi, %qj : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%f : memref<7x5xf64>) {
  ^bb0(%o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.constant 100 : index
    %q = arith.constant 1 : index
    %pi = arith.muli %p, %i : index
    %qj = arith.muli %q, %j : index
    %sum = arith.addi %pi, %qj : index
    %int = arith.index_cast %sum : index to i64
    %value = arith.sitofp %int : i64 to f64
    linalg.yield %value : f64
  }
  %any_a = memref.cast %a : memref<7x13xf64> to memref<*xf64>
  gpu.host_register %any_a : memref<*xf64>
  %any_b = memref.cast %b : memref<13x11xf64> to memref<*xf64>
  gpu.host_register %any_b : memref<*xf64>
  %any_c = memref.cast %c : memref<11x5xf64> to memref<*xf64>
  gpu.host_register %any_c : memref<*xf64>
  %any_d = memref.cast %d : memref<7x5xf64> to memref<*xf64>
  gpu.host_register %any_d : memref<*xf64>
  %any_e = memref.cast %e : memref<7x5xf64> to memref<*xf64>
  gpu.host_register %any_e : memref<*xf64>
  %any_f = memref.cast %f : memref<7x5xf64> to memref<*xf64>
  gpu.host_register %any_f : memref<*xf64>
  %beta = arith.constant -3.0 : f64
  %ta = bufferization.to_tensor %a restrict : memref<7x13xf64> to tensor<7x13xf64>
  %tb = bufferization.to_tensor %b restrict : memref<13x11xf64> to tensor<13x11xf64>
  %tc = bufferization.to_tensor %c restrict : memref<11x5xf64> to tensor<11x5xf64>
  %tf = bufferization.to_tensor %f restrict writable : memref<7x5xf64> to tensor<7x5xf64>
  %made = call @tensors(%ta, %tb, %tc, %tf, %beta) : (tensor<7x13xf64>, tensor<13x11xf64>, tensor<11x5xf64>, tensor<7x5xf64>, f64) -> tensor<7x5xf64>
  %place = bufferization.to_buffer %made : tensor<7x5xf64> to memref<7x5xf64>
  %any = memref.cast %place : memref<7x5xf64> to memref<*xf64>
  call @printMemrefF64(%any) : (memref<*xf64>) -> ()
  call @buffers(%a, %b, %c, %d, %e, %beta) : (memref<7x13xf64>, memref<13x11xf64>, memref<11x5xf64>, memref<7x5xf64>, memref<7x5xf64>, f64) -> ()
  call @printMemrefF64(%any_d) : (memref<*xf64>) -> ()
  call @printMemrefF64(%any_e) : (memref<*xf64>) -> ()
  return
}
func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}
