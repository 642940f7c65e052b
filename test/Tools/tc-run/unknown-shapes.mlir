// Types that leave extents and strides open: --extents gives them, and kernels take them as arguments.
// RUN: split-file %s %t

// RUN: tc-run %t/buffers.mlir --extents=m=33,n=48,k=16 --check=all --seed=1 --ptxas=0 | FileCheck %s
// RUN: tc-run %t/buffers.mlir --extents=m=33,n=48,k=16 "--strides=1,35;-49,1;50,1" --check=all --seed=2 --ptxas=0 | FileCheck %s
// CHECK: launches take product{{(_dynamic_shapes)?$}}
// CHECK: extents {{ *}}m=33 k=16 n=48
// CHECK: check {{ *}}passed: all 1584 elements

// Known extents stay, and results of contractions are operands of others.
// RUN: tc-run %t/tensors.mlir --extents=m=9,n=4,p=7 --check=all --seed=3 --ptxas=0 | FileCheck %s --check-prefix=CHAIN
// CHAIN: kernel chain
// CHAIN: extents {{ *}}m=9 k=8 n=4
// CHAIN: check {{ *}}passed: all 36 elements
// CHAIN: extents {{ *}}m=9 n=4 p=7
// CHAIN: check {{ *}}passed: all 63 elements

// A group learns the shapes that its contractions get, and is refused for what it is.
// RUN: not tc-run %t/group.mlir --extents=i=9 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: group.mlir:4:10: error: 'tc.contract' op cannot be in one kernel with the contraction before, with which it is in a 'tc.fused': it takes its shape at run time

// RUN: tc-run %t/buffers.mlir --extents=m=33,n=48,k=16 --explain | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: chosen

// RUN: not tc-run %t/buffers.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: buffers.mlir:2:3: error: 'tc.contract' op leaves the extent of index 'm' open: give it by --extents
// RUN: not tc-run %t/buffers.mlir --extents=m=3,k=4 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: leaves the extent of index 'n' open: give it by --extents
// RUN: not tc-run %t/tensors.mlir --extents=m=3,k=4,n=5,p=6 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: has extent 8 of index 'k', but --extents has 4
// RUN: not tc-run %t/cast.mlir --extents=m=3,k=4,n=5 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: takes a tensor of unknown shape, 'memref<?x4xf64>', that is no argument of a function: only these are given one
// RUN: not tc-run %t/returned.mlir --extents=m=3,k=4,n=5 2>&1 | FileCheck %s --check-prefix=RETURNED
// RETURNED: returned.mlir:{{.*}}error:
// RUN: tc-run %t/complex.mlir --extents=m=3,k=4 --check=all --seed=4 --ptxas=0 | FileCheck %s --check-prefix=COMPLEX
// COMPLEX: check {{ *}}passed: all 3 elements

// A layer with a bias and a residual, whose strides are given, too.
// RUN: tc-run %t/layer.mlir --extents=m=33,n=48 --check=all --seed=5 --ptxas=0 | FileCheck %s --check-prefix=LAYER
// RUN: tc-run %t/layer.mlir --extents=m=33,n=48 "--strides=8,1;48,1;48,1;-2;1,35" --check=all --seed=6 --ptxas=0 | FileCheck %s --check-prefix=LAYER
// RUN: tc-run %t/layer.mlir --extents=m=33,n=48 "--strides=8,1;48,1;48,1" --check=all --seed=7 --ptxas=0 | FileCheck %s --check-prefix=LAYER
// LAYER: check {{ *}}passed: all 1584 elements
// RUN: not tc-run %t/layer.mlir --extents=m=33,n=48 "--strides=8,1;48,1;48,1;2" 2>&1 | FileCheck %s --check-prefix=LISTS
// LISTS: --strides: expected a list each for A, B and C, maybe also s0 s1, between semicolons, not '8,1;48,1;48,1;2'
// RUN: not tc-run %t/buffers.mlir --extents=m=3,n=4,k=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: cannot take its shape at run time: an extent is zero
// RUN: not tc-run %t/buffers.mlir --extents=m=3,n=4,k=5,p=2 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: tc-run: --extents: no contraction has an index 'p', but m, n, k

// On a CPU, the shapes are as if the types had them.
// RUN: tc-run %t/buffers.mlir --extents=m=33,n=48,k=16 --target=cpu --check=all --seed=8 | FileCheck %s --check-prefix=CPU
// RUN: tc-run %t/tensors.mlir --extents=m=9,n=4,p=7 --target=cpu --check=all --seed=9 | FileCheck %s --check-prefix=CHAIN-CPU
// CPU: check {{ *}}passed: all 1584 elements
// CHAIN-CPU: check {{ *}}passed: all 36 elements
// CHAIN-CPU: check {{ *}}passed: all 63 elements
// RUN: not tc-run %t/buffers.mlir --target=cpu 2>&1 | FileCheck %s --check-prefix=NONE

// Values computed from arguments have the shapes that follow, as front ends
// have them: the extent of a batch is read from the input. Work that is no
// contraction is named.
// RUN: tc-run %t/network.mlir --extents=m=9 --target=cpu --check=all --seed=10 | FileCheck %s --check-prefix=NETWORK
// RUN: tc-run %t/network.mlir --extents=m=9 --check=all --seed=11 --ptxas=0 | FileCheck %s --check-prefix=NETWORK
// NETWORK: no program {{ *}}'linalg.softmax' at {{.*}}network.mlir:15:9 is no contraction: it is not run
// NETWORK: epilogue {{ *}}max(x + s0[n], 0)
// NETWORK: check {{ *}}passed: all 144 elements
// NETWORK: check {{ *}}passed: all 90 elements
// RUN: not tc-run %t/network.mlir --target=cpu --check 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: network.mlir:7:8: error: 'tc.contract' op leaves the extent of index 'm' open: give it by --extents
// RUN: not tc-run %t/twice.mlir --extents=m=9,n=4 --target=cpu 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: twice.mlir:3:8: error: 'tc.contract' op takes argument 0 of the function with shape 'tensor<4x8xf32>', and another contraction with 'tensor<9x8xf32>'
// RUN: not tc-run %t/buffers.mlir --extents=m=3,n=4000000000000,k=4000000000000 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: exceed 64 bits

//--- buffers.mlir
func.func @product(%A: memref<?x?xf64, strided<[?, ?], offset: ?>>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64>)
    outs(%C : memref<?x?xf64>)
  return
}

//--- tensors.mlir
func.func @chain(%A: tensor<?x8xf32>, %B: tensor<8x?xf32>, %C: tensor<?x?xf32>, %D: tensor<?x?xf32>, %E: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<?x8xf32>, tensor<8x?xf32>) outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tc.contract [m, n], [n, p] -> [m, p]
    ins(%0, %D : tensor<?x?xf32>, tensor<?x?xf32>) outs(%E : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

//--- cast.mlir
func.func @product(%A: memref<4x4xf64>, %B: memref<4x?xf64>, %C: memref<?x?xf64>) {
  %0 = memref.cast %A : memref<4x4xf64> to memref<?x4xf64>
  tc.contract [m, k], [k, n] -> [m, n] ins(%0, %B : memref<?x4xf64>, memref<4x?xf64>) outs(%C : memref<?x?xf64>)
  return
}

//--- returned.mlir
func.func @product(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : memref<?x?xf64>, memref<?x?xf64>) outs(%C : memref<?x?xf64>)
  call @use(%C) : (memref<?x?xf64>) -> ()
  return
}
func.func private @use(memref<?x?xf64>)

//--- layer.mlir
func.func @layer(%x: memref<?x8xf32>, %w: memref<8x?xf32>, %y: memref<?x?xf32>,
                 %bias: memref<?xf32, strided<[?]>>, %residual: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : memref<?x8xf32>, memref<8x?xf32>) outs(%y : memref<?x?xf32>)
    auxiliaries(%bias [n] : memref<?xf32, strided<[?]>>, %residual [m, n] : memref<?x?xf32, strided<[?, ?], offset: ?>>)
    epilogue {
    ^bb0(%sum: f32, %old: f32, %b: f32, %r: f32):
      %biased = arith.addf %sum, %b : f32
      %added = arith.addf %biased, %r : f32
      tc.yield %added : f32
    }
  return
}

//--- network.mlir
func.func @net(%x: tensor<?x24xf32>, %w: tensor<24x16xf32>, %b: tensor<16xf32>, %w2: tensor<16x10xf32>) -> tensor<?x10xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x24xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x24xf32>, tensor<24x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%p, %b : tensor<?x16xf32>, tensor<16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  %sm = linalg.softmax dimension(1) ins(%h : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %e2 = tensor.empty(%n) : tensor<?x10xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x10xf32>) -> tensor<?x10xf32>
  %q = linalg.matmul ins(%sm, %w2 : tensor<?x16xf32>, tensor<16x10xf32>) outs(%f2 : tensor<?x10xf32>) -> tensor<?x10xf32>
  return %q : tensor<?x10xf32>
}

//--- twice.mlir
func.func @twice(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>, %c: tensor<9x4xf32>, %d: tensor<4x4xf32>) -> (tensor<9x4xf32>, tensor<4x4xf32>) {
  %0 = tc.contract [m, k], [k, n] -> [m, n] ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%c : tensor<9x4xf32>) -> tensor<9x4xf32>
  %1 = tc.contract [n, k], [k, p] -> [n, p] ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<9x4xf32>, tensor<4x4xf32>
}

//--- complex.mlir
func.func @product(%A: memref<?x?xcomplex<f64>>, %B: memref<?xcomplex<f64>>, %C: memref<?xcomplex<f64>>) {
  tc.contract [m, k], [k] -> [m] ins(%A, %B : memref<?x?xcomplex<f64>>, memref<?xcomplex<f64>>) outs(%C : memref<?xcomplex<f64>>)
  return
}

//--- group.mlir
func.func @f(%A: tensor<?x30xf64>, %B: tensor<30x40xf64>, %D: tensor<40x20xf64>, %e: tensor<?x40xf64>, %C: tensor<?x20xf64>) -> tensor<?x20xf64> {
  %r = tc.fused -> tensor<?x20xf64> {
    %0 = tc.contract [i, j], [j, k] -> [i, k] ins(%A, %B : tensor<?x30xf64>, tensor<30x40xf64>) outs(%e : tensor<?x40xf64>) -> tensor<?x40xf64>
    %1 = tc.contract [i, k], [k, l] -> [i, l] ins(%0, %D : tensor<?x40xf64>, tensor<40x20xf64>) outs(%C : tensor<?x20xf64>) -> tensor<?x20xf64>
    tc.fused_yield %1 : tensor<?x20xf64>
  }
  return %r : tensor<?x20xf64>
}
