// Shortest paths between all pairs of nodes, by repeated squaring in the
// semiring of minima and sums: after t squarings, distances are those of paths
// of at most 2^t edges. beta is 0.0, the semiring's one, so that the contents
// of C take part in the minimum.

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

// The weights of the edges between five nodes, infinite where there is none.
memref.global "private" constant @edges : memref<5x5xf64> = dense<[
  [0.0,                3.0,                8.0,                0x7FF0000000000000, -4.0],
  [0x7FF0000000000000, 0.0,                0x7FF0000000000000, 1.0,                7.0],
  [0x7FF0000000000000, 4.0,                0.0,                0x7FF0000000000000, 0x7FF0000000000000],
  [2.0,                0x7FF0000000000000, -5.0,               0.0,                0x7FF0000000000000],
  [0x7FF0000000000000, 0x7FF0000000000000, 0x7FF0000000000000, 6.0,                0.0]]>

func.func @square(%old: memref<5x5xf64>, %new: memref<5x5xf64>) {
  %one = arith.constant 0.0 : f64
  tc.contract [from, via], [via, to] -> [from, to]
    ins(%old, %old : memref<5x5xf64>, memref<5x5xf64>)
    outs(%new : memref<5x5xf64>) beta(%one : f64) semiring = min_plus
  return
}

func.func @main() {
  %edges = memref.get_global @edges : memref<5x5xf64>
  %two = memref.alloc() : memref<5x5xf64>
  %four = memref.alloc() : memref<5x5xf64>
  memref.copy %edges, %two : memref<5x5xf64> to memref<5x5xf64>
  func.call @square(%edges, %two) : (memref<5x5xf64>, memref<5x5xf64>) -> ()
  memref.copy %two, %four : memref<5x5xf64> to memref<5x5xf64>
  func.call @square(%two, %four) : (memref<5x5xf64>, memref<5x5xf64>) -> ()
  %distances = memref.cast %four : memref<5x5xf64> to memref<*xf64>
  call @printMemrefF64(%distances) : (memref<*xf64>) -> ()
  memref.dealloc %two : memref<5x5xf64>
  memref.dealloc %four : memref<5x5xf64>
  return
}
