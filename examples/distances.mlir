// Distances between all pairs of two sets of points, in semirings that this
// program defines: the sum and the maximum of the absolute differences of the
// coordinates (Manhattan and Chebyshev distances).

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

memref.global "private" constant @points : memref<3x3xf64> = dense<[
  [0.0, 0.0, 0.0],
  [1.0, 2.0, 3.0],
  [-4.0, 0.5, 2.0]]>

memref.global "private" constant @others : memref<2x3xf64> = dense<[
  [1.0, 1.0, 1.0],
  [0.0, -2.5, 6.0]]>

func.func @manhattan(%X: memref<3x3xf64>, %Y: memref<2x3xf64>, %D: memref<3x2xf64>) {
  tc.contract [p, k], [q, k] -> [p, q]
    ins(%X, %Y : memref<3x3xf64>, memref<2x3xf64>)
    outs(%D : memref<3x2xf64>) semiring = user_defined(0.0 : f64)
    product {
    ^bb0(%x: f64, %y: f64):
      %difference = arith.subf %x, %y : f64
      %distance = math.absf %difference : f64
      tc.yield %distance : f64
    } combine {
    ^bb0(%x: f64, %y: f64):
      %sum = arith.addf %x, %y : f64
      tc.yield %sum : f64
    }
  return
}

// The identity is the maximum of no distances, which are never below zero.
func.func @chebyshev(%X: memref<3x3xf64>, %Y: memref<2x3xf64>, %D: memref<3x2xf64>) {
  tc.contract [p, k], [q, k] -> [p, q]
    ins(%X, %Y : memref<3x3xf64>, memref<2x3xf64>)
    outs(%D : memref<3x2xf64>) semiring = user_defined(0.0 : f64)
    product {
    ^bb0(%x: f64, %y: f64):
      %difference = arith.subf %x, %y : f64
      %distance = math.absf %difference : f64
      tc.yield %distance : f64
    } combine {
    ^bb0(%x: f64, %y: f64):
      %largest = arith.maxnumf %x, %y : f64
      tc.yield %largest : f64
    }
  return
}

func.func @main() {
  %points = memref.get_global @points : memref<3x3xf64>
  %others = memref.get_global @others : memref<2x3xf64>
  %distances = memref.alloc() : memref<3x2xf64>
  %printed = memref.cast %distances : memref<3x2xf64> to memref<*xf64>
  call @manhattan(%points, %others, %distances) : (memref<3x3xf64>, memref<2x3xf64>, memref<3x2xf64>) -> ()
  call @printMemrefF64(%printed) : (memref<*xf64>) -> ()
  call @chebyshev(%points, %others, %distances) : (memref<3x3xf64>, memref<2x3xf64>, memref<3x2xf64>) -> ()
  call @printMemrefF64(%printed) : (memref<*xf64>) -> ()
  memref.dealloc %distances : memref<3x2xf64>
  return
}
