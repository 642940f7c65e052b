// RUN: tc-run %s --target=cpu --check=all --alpha=0.5-2i --beta=1+1i | FileCheck %s --check-prefixes=CHECK,PREDICTED
// RUN: tc-run %s --target=cpu --check=all --alpha=0.5-2i --beta=0 --json | FileCheck %s --check-prefix=JSON
// RUN: tc-run %s --target=cpu --check=all --alpha=1 --beta=0-1i | FileCheck %s

// Factors that are arguments are complex, though sums are of real numbers. Both
// K and C are cut off in all blocks.

// CHECK: schedule {{.*}}k = [re_im_3m: 3, k: 4]
// CHECK: strategy     gett with three products, copies of 0 B
// PREDICTED: predicted    gett {{.*}} us
// PREDICTED: predicted    gett-3m {{.*}} us
// CHECK: passed: all 203 elements
// JSON: "strategy": "gett"
// JSON: "three_products": true
// JSON: "gett-3m": {
// JSON-NEXT: "seconds":
func.func @update(%A: memref<7x9xcomplex<f64>>, %B: memref<9x29xcomplex<f64>>,
                  %C: memref<7x29xcomplex<f64>>, %alpha: complex<f64>,
                  %beta: complex<f64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<7x9xcomplex<f64>>, memref<9x29xcomplex<f64>>)
    outs(%C : memref<7x29xcomplex<f64>>) alpha(%alpha : complex<f64>)
    beta(%beta : complex<f64>) conjugate_a allow_three_products
    {cpu_schedule = #tc.cpu_schedule<target = "x", rows = n, m = [m: 5],
       n = [n: 11], k = [re_im_3m: 3, k: 4], order = [n, k, m],
       register = [8, 2], lanes = 4, store = cache>}
  return
}
