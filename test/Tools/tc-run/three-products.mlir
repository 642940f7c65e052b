// RUN: tc-run %s --target=sim --check=all --alpha=0.5-2i --beta=1+1i --save-package=%t.json | FileCheck %s
// RUN: FileCheck --check-prefix=PACKAGE %s < %t.json
// RUN: tc-run %t.json --target=sim --check=all --alpha=0.5-2i --beta=1+1i | FileCheck %s

// Factors that are arguments are complex, though sums are of real numbers.

// CHECK: passed: all 35 elements
// PACKAGE: "accumulator": "c64"
// PACKAGE-NOT: "factors"
func.func @update(%A: memref<5x9xcomplex<f64>>, %B: memref<9x7xcomplex<f64>>,
                  %C: memref<5x7xcomplex<f64>>, %alpha: complex<f64>,
                  %beta: complex<f64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<5x9xcomplex<f64>>, memref<9x7xcomplex<f64>>)
    outs(%C : memref<5x7xcomplex<f64>>) alpha(%alpha : complex<f64>)
    beta(%beta : complex<f64>) allow_three_products
    {schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4],
                             k = [re_im_3m: 1, k: 4], register = [2, 2]>}
  return
}
