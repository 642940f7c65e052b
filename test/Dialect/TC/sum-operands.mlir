// RUN: tc-opt --tc-sum-operands="target=cpu target-file=%S/../../Unit/Machine/Inputs/i7-6700k.json" %s | FileCheck %s
// RUN: tc-opt --tc-sum-operands="target=sm_90" %s | FileCheck %s --check-prefix=GPU
// RUN: tc-opt --tc-sum-operands="target=sm_90 explain" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// Both operands, each index list in the operand's order.
// CHECK-LABEL: func @both
// CHECK-SAME: (%[[A:.*]]: tensor<200x300xf64>, %[[B:.*]]: tensor<400x500xf64>, %[[C:.*]]: tensor<200x400xf64>)
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<200xf64>
// CHECK: %[[S:.*]] = tc.contract [i, j], [] -> [i] ins(%[[A]], %[[ONE]] : tensor<200x300xf64>, tensor<f64>) outs(%[[E]] : tensor<200xf64>) -> tensor<200xf64>
// CHECK: %[[F:.*]] = tensor.empty() : tensor<400xf64>
// CHECK: %[[T:.*]] = tc.contract [k, l], [] -> [k] ins(%[[B]], %{{.*}} : tensor<400x500xf64>, tensor<f64>) outs(%[[F]] : tensor<400xf64>) -> tensor<400xf64>
// CHECK: %[[D:.*]] = tc.contract [i], [k] -> [i, k] ins(%[[S]], %[[T]] : tensor<200xf64>, tensor<400xf64>) outs(%[[C]] : tensor<200x400xf64>) -> tensor<200x400xf64>
// CHECK: return %[[D]]
func.func @both(%A: tensor<200x300xf64>, %B: tensor<400x500xf64>, %C: tensor<200x400xf64>) -> tensor<200x400xf64> {
  %D = tc.contract [i, j], [k, l] -> [i, k]
    ins(%A, %B : tensor<200x300xf64>, tensor<400x500xf64>)
    outs(%C : tensor<200x400xf64>) -> tensor<200x400xf64>
  return %D : tensor<200x400xf64>
}

// Where one operand is a number, the other one's sum costs no more than a pass
// over it: two kernels, not three.
// CHECK-LABEL: func @numbers
// CHECK: tc.contract [i, j], [] -> []
// CHECK-NEXT: tc.contract [], [k, l] -> []
// CHECK-NOT: tc.contract
// GPU-LABEL: func @numbers
// GPU: tc.contract [i, j], [] -> []
// GPU-NEXT: tc.contract [], [k, l] -> []
// GPU-NOT: tc.contract
// EXPLAIN: {{^}}[i, j], [k, l] -> [] for sm_90: sums of A first take {{.*}} us in place of {{.*}} us
func.func @numbers(%A: tensor<150x150xf64>, %B: tensor<150x150xf64>, %C: tensor<f64>) -> tensor<f64> {
  %D = tc.contract [i, j], [k, l] -> []
    ins(%A, %B : tensor<150x150xf64>, tensor<150x150xf64>) outs(%C : tensor<f64>) -> tensor<f64>
  return %D : tensor<f64>
}

// A launch takes longer than a few products, and so do loops.
// CHECK-LABEL: func @small
// CHECK: tc.contract [i, j], [k] -> [i, k] ins(%arg0, %arg1
// GPU-LABEL: func @small
// GPU: tc.contract [i, j], [k] -> [i, k] ins(%arg0, %arg1
// GPU-NOT: tc.contract
// EXPLAIN: {{^}}[i, j], [k] -> [i, k] for sm_90: all products take {{.*}} us, sums of operands first no less
func.func @small(%A: tensor<8x4xf64>, %B: tensor<6xf64>, %C: tensor<8x6xf64>) -> tensor<8x6xf64> {
  %D = tc.contract [i, j], [k] -> [i, k]
    ins(%A, %B : tensor<8x4xf64>, tensor<6xf64>) outs(%C : tensor<8x6xf64>) -> tensor<8x6xf64>
  return %D : tensor<8x6xf64>
}

// Batches, K and diagonals stay; an own index of extent one goes with the sum.
// CHECK-LABEL: func @kept
// GPU-LABEL: func @kept
// CHECK: %[[S:.*]] = tc.contract [k, x, b, i, i, one], [] -> [k, b, i] {{.*}} outs(%{{.*}} : tensor<20x6x30xf64>) -> tensor<20x6x30xf64>
// CHECK: tc.contract [k, b, i], [b, k, j] -> [b, i, j] ins(%[[S]], %arg1 :
func.func @kept(%A: tensor<20x40x6x30x30x1xf64>, %B: tensor<6x20x50xf64>, %C: tensor<6x30x50xf64>) -> tensor<6x30x50xf64> {
  %D = tc.contract [k, x, b, i, i, one], [b, k, j] -> [b, i, j]
    ins(%A, %B : tensor<20x40x6x30x30x1xf64>, tensor<6x20x50xf64>)
    outs(%C : tensor<6x30x50xf64>) -> tensor<6x30x50xf64>
  return %D : tensor<6x30x50xf64>
}

// The factors, the epilogue and what is said of the operation stay with the
// product; prologues come before the sums. Narrow numbers have sums of single
// precision, of which C is rounded once.
// CHECK-LABEL: func @fused
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[S:.*]] = tc.contract [k, l], [] -> [k] ins(%arg1, %[[ONE]] : tensor<400x500xf16>, tensor<f32>) outs(%{{.*}} : tensor<400xf32>) prologue_a {
// CHECK: arith.extf
// CHECK: math.absf
// CHECK: } -> tensor<400xf32>
// CHECK: tc.contract [i], [k] -> [i, k] ins(%arg0, %[[S]] : tensor<200xf16>, tensor<400xf32>) outs(%arg2 : tensor<200x400xf16>) alpha(%arg4 : f32) beta(%arg5 : f32) auxiliaries(%arg3 [k] : tensor<400xf32>) prologue_a {
// CHECK: arith.negf
// CHECK: } epilogue {
// CHECK: arith.addf
// CHECK: } {note = "kept"} -> tensor<200x400xf16>
func.func @fused(%A: tensor<200xf16>, %B: tensor<400x500xf16>, %C: tensor<200x400xf16>,
                 %bias: tensor<400xf32>, %alpha: f32, %beta: f32) -> tensor<200x400xf16> {
  %D = tc.contract [i], [k, l] -> [i, k]
    ins(%A, %B : tensor<200xf16>, tensor<400x500xf16>)
    outs(%C : tensor<200x400xf16>) alpha(%alpha : f32) beta(%beta : f32)
    auxiliaries(%bias [k] : tensor<400xf32>)
    prologue_a {
    ^bb0(%x: f16):
      %n = arith.negf %x : f16
      tc.yield %n : f16
    } prologue_b {
    ^bb0(%x: f16):
      %w = arith.extf %x : f16 to f32
      %n = math.absf %w : f32
      tc.yield %n : f32
    } epilogue {
    ^bb0(%sum: f32, %old: f16, %b: f32):
      %s = arith.addf %sum, %b : f32
      %r = arith.truncf %s : f32 to f16
      tc.yield %r : f16
    } {note = "kept"} -> tensor<200x400xf16>
  return %D : tensor<200x400xf16>
}

// Sums are as wide as those of both operands, those of a real one are real.
// CHECK-LABEL: func @wide
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK: tc.contract [i, j], [] -> [i] ins(%arg0, %[[ONE]] : tensor<200x300xf32>, tensor<f64>) {{.*}} -> tensor<200xf64>
// CHECK: tc.contract [i], [k] -> [i, k] {{.*}} tensor<200xf64>, tensor<400xf64>
func.func @wide(%A: tensor<200x300xf32>, %B: tensor<400xf64>, %C: tensor<200x400xf64>) -> tensor<200x400xf64> {
  %D = tc.contract [i, j], [k] -> [i, k]
    ins(%A, %B : tensor<200x300xf32>, tensor<400xf64>)
    outs(%C : tensor<200x400xf64>) -> tensor<200x400xf64>
  return %D : tensor<200x400xf64>
}

// CHECK-LABEL: func @complex
// CHECK: tc.contract [i, j], [] -> [i] ins(%arg0, %{{.*}} : tensor<200x300xf32>, tensor<f32>) {{.*}} -> tensor<200xf32>
// CHECK: tc.contract [k, l], [] -> [k] ins(%arg1, %{{.*}} : tensor<400x500xcomplex<f32>>, tensor<complex<f32>>) {{.*}} -> tensor<400xcomplex<f32>>
// CHECK: tc.contract [i], [k] -> [i, k] {{.*}} tensor<200xf32>, tensor<400xcomplex<f32>>{{.*}} conjugate_b
func.func @complex(%A: tensor<200x300xf32>, %B: tensor<400x500xcomplex<f32>>, %C: tensor<200x400xcomplex<f32>>)
    -> tensor<200x400xcomplex<f32>> {
  %D = tc.contract [i, j], [k, l] -> [i, k]
    ins(%A, %B : tensor<200x300xf32>, tensor<400x500xcomplex<f32>>)
    outs(%C : tensor<200x400xcomplex<f32>>) conjugate_b -> tensor<200x400xcomplex<f32>>
  return %D : tensor<200x400xcomplex<f32>>
}

// Integers wrap around, so that sums of 32 bits are the same modulo 2^32.
// CHECK-LABEL: func @integers
// CHECK: tc.contract [i, j], [] -> [i] ins(%arg0, %{{.*}} : tensor<200x300xi8>, tensor<i8>) {{.*}} -> tensor<200xi32>
// CHECK: tc.contract [i], [k] -> [i, k] {{.*}} tensor<200xi32>, tensor<400xi8>) outs(%arg2 : tensor<200x400xi8>)
func.func @integers(%A: tensor<200x300xi8>, %B: tensor<400xi8>, %C: tensor<200x400xi8>) -> tensor<200x400xi8> {
  %D = tc.contract [i, j], [k] -> [i, k]
    ins(%A, %B : tensor<200x300xi8>, tensor<400xi8>)
    outs(%C : tensor<200x400xi8>) -> tensor<200x400xi8>
  return %D : tensor<200x400xi8>
}

// CHECK-LABEL: func @precision
// CHECK: tc.contract [i, j], [] -> [i] ins(%arg0, %{{.*}} : tensor<200x300xf32>, tensor<f32>) outs(%{{.*}} : tensor<200xf32>) -> tensor<200xf32>
// CHECK: tc.contract [i], [k] -> [i, k] {{.*}} precision = tf32
func.func @precision(%A: tensor<200x300xf32>, %B: tensor<400xf32>, %C: tensor<200x400xf32>) -> tensor<200x400xf32> {
  %D = tc.contract [i, j], [k] -> [i, k]
    ins(%A, %B : tensor<200x300xf32>, tensor<400xf32>)
    outs(%C : tensor<200x400xf32>) precision = tf32 -> tensor<200x400xf32>
  return %D : tensor<200x400xf32>
}

// Semirings in which products distribute.
// CHECK-LABEL: func @shortest
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK: tc.contract [i, j], [] -> [i] ins(%arg0, %[[ZERO]] : tensor<200x300xf32>, tensor<f32>) {{.*}} semiring = min_plus
// CHECK: tc.contract [i], [k] -> [i, k] {{.*}} semiring = min_plus
// CHECK: %[[ALL:.*]] = arith.constant dense<-1> : tensor<i32>
// CHECK: tc.contract [i, j], [] -> [i] ins(%arg2, %[[ALL]] : tensor<200x300xi32>, tensor<i32>) {{.*}} semiring = or_and
// CHECK: tc.contract [i, j], [] -> [i] {{.*}} semiring = xor_and
// CHECK: %[[MOST:.*]] = arith.constant dense<2147483647> : tensor<i32>
// CHECK: tc.contract [i, j], [] -> [i] ins(%arg2, %[[MOST]] : tensor<200x300xi32>, tensor<i32>) {{.*}} semiring = max_min
func.func @shortest(%A: tensor<200x300xf32>, %B: tensor<400xf32>, %I: tensor<200x300xi32>, %J: tensor<400xi32>,
                    %C: tensor<200x400xf32>, %K: tensor<200x400xi32>)
    -> (tensor<200x400xf32>, tensor<200x400xi32>, tensor<200x400xi32>, tensor<200x400xi32>) {
  %0 = tc.contract [i, j], [k] -> [i, k] ins(%A, %B : tensor<200x300xf32>, tensor<400xf32>)
    outs(%C : tensor<200x400xf32>) semiring = min_plus -> tensor<200x400xf32>
  %1 = tc.contract [i, j], [k] -> [i, k] ins(%I, %J : tensor<200x300xi32>, tensor<400xi32>)
    outs(%K : tensor<200x400xi32>) semiring = or_and -> tensor<200x400xi32>
  %2 = tc.contract [i, j], [k] -> [i, k] ins(%I, %J : tensor<200x300xi32>, tensor<400xi32>)
    outs(%K : tensor<200x400xi32>) semiring = xor_and -> tensor<200x400xi32>
  %3 = tc.contract [i, j], [k] -> [i, k] ins(%I, %J : tensor<200x300xi32>, tensor<400xi32>)
    outs(%K : tensor<200x400xi32>) semiring = max_min -> tensor<200x400xi32>
  return %0, %1, %2, %3 : tensor<200x400xf32>, tensor<200x400xi32>, tensor<200x400xi32>, tensor<200x400xi32>
}

// And those in which they do not.
// CHECK-LABEL: func @others
// CHECK-COUNT-5: tc.contract [i, j], [k] -> [i, k]
// CHECK-NOT: tc.contract
func.func @others(%A: tensor<200x300xf32>, %B: tensor<400xf32>, %I: tensor<200x300xi32>, %J: tensor<400xi32>,
                  %C: tensor<200x400xf32>, %K: tensor<200x400xi32>)
    -> (tensor<200x400xf32>, tensor<200x400xi32>, tensor<200x400xi32>, tensor<200x400xf32>, tensor<200x400xf32>) {
  %0 = tc.contract [i, j], [k] -> [i, k] ins(%A, %B : tensor<200x300xf32>, tensor<400xf32>)
    outs(%C : tensor<200x400xf32>) semiring = max_times -> tensor<200x400xf32>
  %1 = tc.contract [i, j], [k] -> [i, k] ins(%I, %J : tensor<200x300xi32>, tensor<400xi32>)
    outs(%K : tensor<200x400xi32>) semiring = max_plus -> tensor<200x400xi32>
  %2 = tc.contract [i, j], [k] -> [i, k] ins(%I, %J : tensor<200x300xi32>, tensor<400xi32>)
    outs(%K : tensor<200x400xi32>) semiring = min_plus -> tensor<200x400xi32>
  %3 = tc.contract [i, j], [k] -> [i, k] ins(%A, %B : tensor<200x300xf32>, tensor<400xf32>)
    outs(%C : tensor<200x400xf32>) semiring = min_max -> tensor<200x400xf32>
  %4 = tc.contract [i, j], [k] -> [i, k] ins(%A, %B : tensor<200x300xf32>, tensor<400xf32>)
    outs(%C : tensor<200x400xf32>) semiring = user_defined(0.0 : f32)
    product {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      tc.yield %d : f32
    } combine {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tc.yield %s : f32
    } -> tensor<200x400xf32>
  return %0, %1, %2, %3, %4 : tensor<200x400xf32>, tensor<200x400xi32>, tensor<200x400xi32>, tensor<200x400xf32>, tensor<200x400xf32>
}

// What is not multiplied several times, has no sums of its own, nothing along an
// index, or an unknown extent.
// CHECK-LABEL: func @no_gain
// CHECK: tc.contract [i, j], [i] -> []
// CHECK: tc.contract [i, j], [j, k] -> [i, k]
// CHECK: tc.contract [i, z], [k] -> [i, k]
// CHECK: tc.contract [u, j], [k] -> [u, k]
// CHECK-NOT: tc.contract
func.func @no_gain(%A: tensor<200x300xf64>, %x: tensor<200xf64>, %B: tensor<300x400xf64>, %Z: tensor<200x0xf64>,
                   %U: tensor<?x300xf64>, %V: tensor<?x200xf64>, %n: tensor<f64>, %C: tensor<200x400xf64>, %S: tensor<200x200xf64>)
    -> (tensor<f64>, tensor<200x400xf64>, tensor<200x200xf64>, tensor<?x200xf64>) {
  %0 = tc.contract [i, j], [i] -> [] ins(%A, %x : tensor<200x300xf64>, tensor<200xf64>)
    outs(%n : tensor<f64>) -> tensor<f64>
  %1 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<200x300xf64>, tensor<300x400xf64>)
    outs(%C : tensor<200x400xf64>) -> tensor<200x400xf64>
  %2 = tc.contract [i, z], [k] -> [i, k] ins(%Z, %x : tensor<200x0xf64>, tensor<200xf64>)
    outs(%S : tensor<200x200xf64>) -> tensor<200x200xf64>
  %3 = tc.contract [u, j], [k] -> [u, k] ins(%U, %x : tensor<?x300xf64>, tensor<200xf64>)
    outs(%V : tensor<?x200xf64>) -> tensor<?x200xf64>
  return %0, %1, %2, %3 : tensor<f64>, tensor<200x400xf64>, tensor<200x200xf64>, tensor<?x200xf64>
}

// Schedules speak of all products, and groups of their members.
// CHECK-LABEL: func @scheduled
// CHECK: tc.contract [i, j], [k] -> [i, k] {{.*}} {schedule =
// CHECK: tc.contract [i, j], [k] -> [i, k] {{.*}} {cpu_schedule =
// CHECK: tc.fused
// CHECK: tc.contract [i, j], [k] -> [i, k]
// CHECK: tc.contract [i, j], [k] -> [k, i]
// CHECK-NOT: tc.contract
func.func @scheduled(%A: tensor<256x16xf32>, %B: tensor<256xf32>, %C: tensor<256x256xf32>)
    -> (tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>) {
  %0 = tc.contract [i, j], [k] -> [i, k] ins(%A, %B : tensor<256x16xf32>, tensor<256xf32>)
    outs(%C : tensor<256x256xf32>)
    {schedule = #tc.schedule<target = "sm_90", m = [i: 64], n = [k: 64], k = [j: 16], register = [4, 4]>}
    -> tensor<256x256xf32>
  %1 = tc.contract [i, j], [k] -> [i, k] ins(%A, %B : tensor<256x16xf32>, tensor<256xf32>)
    outs(%C : tensor<256x256xf32>)
    {cpu_schedule = #tc.cpu_schedule<target = "host", rows = m, m = [i: 64], n = [k: 64], k = [j: 16], order = [n, k, m], register = [6, 16], lanes = 8, store = cache>}
    -> tensor<256x256xf32>
  %one = arith.constant 1.0 : f32
  %2 = tc.fused -> tensor<256x256xf32> {
    %f = tc.contract [i, j], [k] -> [i, k] ins(%A, %B : tensor<256x16xf32>, tensor<256xf32>)
      outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
    %g = tc.contract [i, j], [k] -> [k, i] ins(%A, %B : tensor<256x16xf32>, tensor<256xf32>)
      outs(%f : tensor<256x256xf32>) beta(%one : f32) -> tensor<256x256xf32>
    tc.fused_yield %g : tensor<256x256xf32>
  }
  return %0, %1, %2 : tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>
}

// On memrefs, sums are buffers. Strides, as of a transposed operand, stay.
// CHECK-LABEL: func @buffers
// CHECK: %[[ONE:.*]] = memref.alloc() {alignment = 64 : i64} : memref<f64>
// CHECK: memref.store %{{.*}}, %[[ONE]][] : memref<f64>
// CHECK: %[[S:.*]] = memref.alloc() {alignment = 64 : i64} : memref<200xf64>
// CHECK: tc.contract [i, j], [] -> [i] ins(%arg0, %[[ONE]] : memref<200x300xf64, strided<[1, 200], offset: 3>>, memref<f64>) outs(%[[S]] : memref<200xf64>)
// CHECK: tc.contract [i], [k] -> [i, k] ins(%[[S]], %arg1 : memref<200xf64>, memref<400xf64>) outs(%arg2 : memref<200x400xf64>) beta(%arg3 : f64)
// CHECK: memref.dealloc %[[ONE]]
// CHECK: memref.dealloc %[[S]]
// CHECK: return
func.func @buffers(%A: memref<200x300xf64, strided<[1, 200], offset: 3>>, %B: memref<400xf64>, %C: memref<200x400xf64>, %beta: f64) {
  tc.contract [i, j], [k] -> [i, k]
    ins(%A, %B : memref<200x300xf64, strided<[1, 200], offset: 3>>, memref<400xf64>)
    outs(%C : memref<200x400xf64>) beta(%beta : f64)
  return
}
