// A squared norm on buffers, the sum in one that the caller gives.
func.func @norm(%A: memref<37x24xf64>, %B: memref<24x45xf64>, %E: memref<f64, strided<[], offset: 3>>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%E : memref<f64, strided<[], offset: 3>>)
  %C = memref.alloc() : memref<37x45xf64>
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<37x24xf64>, memref<24x45xf64>) outs(%C : memref<37x45xf64>)
    epilogue {
    ^bb0(%x: f64, %old: f64):
      %square = arith.mulf %x, %x : f64
      tc.yield %square : f64
    }
  linalg.reduce { arith.addf } ins(%C : memref<37x45xf64>) outs(%E : memref<f64, strided<[], offset: 3>>) dimensions = [0, 1]
  memref.dealloc %C : memref<37x45xf64>
  return
}
