// RUN: tc-opt %s -tc-tile-cpu=target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json | FileCheck %s
// RUN: tc-opt %s -tc-tile-cpu="target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json strategy=gett" | FileCheck %s

// Complex numbers by three real products where these are allowed and save more
// than they cost. Tiles are then of whole numbers.

// CHECK-LABEL: func.func @large
// CHECK: allow_three_products {cpu_schedule = {{.*}} rows = n, {{.*}} k = [re_im_3m: 3, k: {{[0-9]+}}],
func.func @large(%A: memref<512x512xcomplex<f64>>, %B: memref<512x512xcomplex<f64>>,
                 %C: memref<512x512xcomplex<f64>>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<512x512xcomplex<f64>>, memref<512x512xcomplex<f64>>)
    outs(%C : memref<512x512xcomplex<f64>>) allow_three_products
  return
}

// CHECK-LABEL: func.func @not_allowed
// CHECK: k = [re_im_k: 2, k: {{[0-9]+}}],
func.func @not_allowed(%A: memref<512x512xcomplex<f64>>, %B: memref<512x512xcomplex<f64>>,
                       %C: memref<512x512xcomplex<f64>>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<512x512xcomplex<f64>>, memref<512x512xcomplex<f64>>)
    outs(%C : memref<512x512xcomplex<f64>>)
  return
}

// With few values of K, updating C decides.
// CHECK-LABEL: func.func @few_sums
// CHECK: k = [re_im_k: 2, k: 2],
func.func @few_sums(%A: memref<512x2xcomplex<f64>>, %B: memref<2x512xcomplex<f64>>,
                    %C: memref<512x512xcomplex<f64>>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<512x2xcomplex<f64>>, memref<2x512xcomplex<f64>>)
    outs(%C : memref<512x512xcomplex<f64>>) allow_three_products
  return
}
