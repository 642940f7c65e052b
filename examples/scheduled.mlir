// A schedule by hand: blocks of 32 x 32 elements of C, K in steps of 8, and 4 x 2
// accumulators in each of the 128 threads. The lowering obeys it.
func.func @scheduled(%A: memref<200x100xf32>, %B: memref<100x150xf32>,
                     %C: memref<200x150xf32>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<200x100xf32>, memref<100x150xf32>)
    outs(%C : memref<200x150xf32>)
    {schedule = #tc.schedule<target = "sm_80", m = [m: 32], n = [n: 32],
                             k = [k: 8], register = [4, 2]>}
  return
}
