// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(tc-lower-tile-copies,tc-lower-multiply-tiles,tc-lower-convert-accumulators,tc-lower-store-tile,tc-lower-reduce-blocks))" -split-input-file -verify-diagnostics

// Tile operations that don't fit the layout of the kernel around them.

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @fetch(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %A: memref<60xf64>, %m0: i32) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.load_tile_from_global' op doesn't fit the kernel's layout: expected 1 vectors of 2 and 2 origins}}
    %a = tc.load_tile_from_global a of %A at [%m0] : memref<60xf64>, i32 -> vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @deposit(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %r: vector<2xf64>, %pa: memref<2x4xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.store_tile_to_shared' op doesn't fit the kernel's layout: expected a shared tile of 4x2}}
    tc.store_tile_to_shared a %r into %pa : vector<2xf64> into memref<2x4xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @multiply(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %pa: memref<4x2xf64>, %pb: memref<2x4xf64>, %s: vector<2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.multiply_tiles' op doesn't fit the kernel's layout: expected 2 accumulators of 2, shared tiles of 4x2 and 2x4}}
    %r = tc.multiply_tiles %pa, %pb into %s : memref<4x2xf64>, memref<2x4xf64> into vector<2xf64> -> vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @store(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %s: vector<2xf64>, %C: memref<120xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.store_tile' op doesn't fit the kernel's layout: expected 2 accumulators of 2 and 2 origins}}
    tc.store_tile %s to %C at [] : vector<2xf64> to memref<120xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @fetch_of_scalars(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %A: memref<60xf64>, %m0: i32, %k0: i32) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.load_tile_from_global' op doesn't fit the kernel's layout: expected 1 vectors of 2 and 2 origins}}
    %a = tc.load_tile_from_global a of %A at [%m0, %k0] : memref<60xf64>, i32, i32 -> vector<1xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @deposit_of_scalars(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %r: vector<1xf64>, %pa: memref<4x2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.store_tile_to_shared' op doesn't fit the kernel's layout: expected 1 vectors of 2}}
    tc.store_tile_to_shared a %r into %pa : vector<1xf64> into memref<4x2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @copy_without_origin(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %A: memref<60xf64>, %m0: i32, %pa: memref<4x2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.copy_tile' op doesn't fit the kernel's layout: expected 2 origins}}
    %copy0 = tc.copy_tile a of %A at [%m0] into %pa : memref<60xf64>, i32 into memref<4x2xf64>
    %group = tc.group_copies [%copy0]
    %tile = tc.wait_for_tiles %pa after %group : memref<4x2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @copy_to_another_panel(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %B: memref<72xf64>, %n0: i32, %k0: i32, %pb: memref<4x2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.copy_tile' op doesn't fit the kernel's layout: expected a shared tile of 2x4}}
    %copy0 = tc.copy_tile b of %B at [%n0, %k0] into %pb : memref<72xf64>, i32, i32 into memref<4x2xf64>
    %group = tc.group_copies [%copy0]
    %tile = tc.wait_for_tiles %pb after %group : memref<4x2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_75", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @copy_before_sm_80(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %A: memref<60xf64>, %m0: i32, %k0: i32, %pa: memref<4x2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.copy_tile' op doesn't fit the kernel's layout: expected no asynchronous copy, and 2 origins}}
    %copy0 = tc.copy_tile a of %A at [%m0, %k0] into %pa : memref<60xf64>, i32, i32 into memref<4x2xf64>
    %group = tc.group_copies [%copy0]
    %tile = tc.wait_for_tiles %pa after %group : memref<4x2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @multiply_of_other_panels(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %pa: memref<2x4xf64>, %pb: memref<2x4xf64>, %s: vector<2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.multiply_tiles' op doesn't fit the kernel's layout: expected 2 accumulators of 2, shared tiles of 4x2 and 2x4}}
    %r:2 = tc.multiply_tiles %pa, %pb into %s, %s : memref<2x4xf64>, memref<2x4xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has no 'tc.kernel'}}
  gpu.func @no_kernel(%s: vector<2xf64>, %C: memref<120xf64>) {
    tc.store_tile %s to %C at [] : vector<2xf64> to memref<120xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, prologue_a = f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @deposit_somewhere(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %r: vector<2xf64>, %pa: memref<4x2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.store_tile_to_shared' op doesn't fit the kernel's layout: expected 1 origins along K}}
    tc.store_tile_to_shared a %r into %pa prologue {
    ^bb0(%x: f64):
      tc.yield %x : f64
    } : vector<2xf64> into memref<4x2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    semiring = user_defined(0.0 : f64), operations = 2,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @no_semiring(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %s: vector<2xf64>, %pa: memref<4x4xf64>, %pb: memref<4x4xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.multiply_tiles' op doesn't fit its kernel: regions are for a user-defined semiring, and it is user_defined}}
    %r:2 = tc.multiply_tiles %pa, %pb into %s, %s : memref<4x4xf64>, memref<4x4xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    semiring = user_defined(0.0 : f64), operations = 2,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 4], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @no_origins(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %s: vector<2xf64>, %pa: memref<4x4xf64>, %pb: memref<4x4xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.multiply_tiles' op doesn't fit the kernel's layout: expected 1 origins along K, got 0}}
    %r:2 = tc.multiply_tiles %pa, %pb into %s, %s semiring {
    ^bb0(%x: f64, %y: f64):
      tc.yield %x : f64
    }, {
    ^bb0(%x: f64, %y: f64):
      tc.yield %x : f64
    } : memref<4x4xf64>, memref<4x4xf64> into vector<2xf64>, vector<2xf64> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @handed_from(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %s: vector<2xf64>)
      attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
    %storage = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // expected-error @below {{'tc.convert_accumulators' op doesn't fit the layout of the term that it converts sums from: expected 2 vectors of 2}}
    %r = tc.convert_accumulators %s from 1 to 0 through %storage : vector<2xf64> through memref<?xi8, #gpu.address_space<workgroup>> -> vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @handed_to(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %s: vector<2xf64>)
      attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [4, 1]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
    %storage = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // expected-error @below {{'tc.convert_accumulators' op doesn't fit the layout of the term that it converts sums to: expected 4 vectors of 1}}
    %r:2 = tc.convert_accumulators %s, %s from 1 to 0 through %storage : vector<2xf64>, vector<2xf64> through memref<?xi8, #gpu.address_space<workgroup>> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has no term 2: it has 2}}
  gpu.func @no_term(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %s: vector<2xf64>)
      attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
    %storage = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %r:2 = tc.convert_accumulators %s, %s from 1 to 2 through %storage : vector<2xf64>, vector<2xf64> through memref<?xi8, #gpu.address_space<workgroup>> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1: tile along C's index 'n' is 4 in one term of the sum, and 8 along 'n' in another}}
  gpu.func @other_tile(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %s: vector<2xf64>)
      attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 8], k = [k: 2], register = [2, 4]>>]>} {
    %storage = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %r:2 = tc.convert_accumulators %s, %s from 1 to 0 through %storage : vector<2xf64>, vector<2xf64> through memref<?xi8, #gpu.address_space<workgroup>> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1: a block has 4 threads for one term of the sum and 8 for another}}
  gpu.func @other_threads(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %s: vector<2xf64>)
      attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 1]>>]>} {
    %storage = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %r:2 = tc.convert_accumulators %s, %s from 1 to 0 through %storage : vector<2xf64>, vector<2xf64> through memref<?xi8, #gpu.address_space<workgroup>> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1: A is stationary, but sums of several terms stay in place}}
  gpu.func @stationary(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %s: vector<2xf64>)
      attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 6], register = [2, 2], stationary = a, tiles_per_block = 2>>]>} {
    %storage = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %r:2 = tc.convert_accumulators %s, %s from 1 to 0 through %storage : vector<2xf64>, vector<2xf64> through memref<?xi8, #gpu.address_space<workgroup>> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must not split K}}
  gpu.func @split(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %s: vector<2xf64>)
      attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 3>>]>} {
    %storage = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %r:2 = tc.convert_accumulators %s, %s from 1 to 0 through %storage : vector<2xf64>, vector<2xf64> through memref<?xi8, #gpu.address_space<workgroup>> -> vector<2xf64>, vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @reduce_stored(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %c: vector<2xf64>, %o: i32) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.reduce_tile' op doesn't fit its kernel, which stores C}}
    %s = tc.reduce_tile %c, %c at [%o, %o] : vector<2xf64>, vector<2xf64> at i32, i32 -> f64
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @store_reduced(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64, strided<[0, 0]>>, %W: memref<200xi8>, %c: vector<2xf64>, %o: i32, %C: memref<1xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.store_tile' op doesn't fit its kernel, which adds up the elements of C}}
    tc.store_tile %c, %c to %C at [%o, %o] : vector<2xf64>, vector<2xf64> to memref<1xf64>, i32, i32
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @reduce_to_f32(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64, strided<[0, 0]>>, %W: memref<200xi8>, %c: vector<2xf64>, %o: i32) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.reduce_tile' op doesn't fit its kernel: expected a sum of 'f64', got 'f32'}}
    %s = tc.reduce_tile %c, %c at [%o, %o] : vector<2xf64>, vector<2xf64> at i32, i32 -> f32
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @blocks_stored(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %W: memref<200xi8>, %s: f64, %C: memref<1xf64>, %storage: memref<?xi8>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.reduce_blocks' op doesn't fit its kernel, which stores C}}
    tc.reduce_blocks %s to %C through %storage and %W : f64 to memref<1xf64> through memref<?xi8> and memref<200xi8>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @blocks_workspace(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64, strided<[0, 0]>>, %W: memref<190xi8>, %s: f64, %C: memref<1xf64>, %storage: memref<?xi8>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.reduce_blocks' op doesn't fit its kernel: expected a workspace of 200 bytes, got 'memref<190xi8>'}}
    tc.reduce_blocks %s to %C through %storage and %W : f64 to memref<1xf64> through memref<?xi8> and memref<190xi8>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @blocks_sum(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64, strided<[0, 0]>>, %W: memref<200xi8>, %s: f32, %C: memref<1xf64>, %storage: memref<?xi8>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.reduce_blocks' op doesn't fit its kernel: expected a sum of 'f64', got 'f32'}}
    tc.reduce_blocks %s to %C through %storage and %W : f32 to memref<1xf64> through memref<?xi8> and memref<200xi8>
    gpu.return
  }
}

// -----

// The blocks of an output that is added up neither loop over tiles nor share
// sums.
#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2], split_k = 2>>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op schedule: the output is added up, so that blocks must neither loop over tiles nor share sums}}
  gpu.func @split(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64, strided<[0, 0]>>, %W: memref<200xi8>, %s: f64, %C: memref<1xf64>, %storage: memref<?xi8>) attributes {tc.kernel = #kernel} {
    tc.reduce_blocks %s to %C through %storage and %W : f64 to memref<1xf64> through memref<?xi8> and memref<200xi8>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [k], b = [k], c = [], alpha = 1.0 : f64, beta = 0.0 : f64, dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>,
    schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [k: 2], register = [1, 1]>>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op takes its shape at run time, so it must have 7 arguments for it from argument 3 on, but has 5 arguments}}
  gpu.func @shape(%arg0: memref<8xf64>, %arg1: memref<8xf64>, %arg2: memref<f64>, %k: i32, %stride: i64) attributes {tc.kernel = #kernel} {
    %a = tc.load_tile_from_global a of %arg0 at [%k] : memref<8xf64>, i32 -> vector<1xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [k], b = [k], c = [], alpha = 1.0 : f64, beta = 0.0 : f64, dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>,
    schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [k: 2], register = [1, 1]>>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op argument 4, of its shape, must be 'i64', but is 'i32'}}
  gpu.func @shape(%arg0: memref<8xf64>, %arg1: memref<8xf64>, %arg2: memref<f64>, %k: i32, %a: i32, %oa: i64, %b: i64, %ob: i64, %oc: i64, %steps: i32) attributes {tc.kernel = #kernel} {
    %t = tc.load_tile_from_global a of %arg0 at [%k] : memref<8xf64>, i32 -> vector<1xf64>
    gpu.return
  }
}

// -----

// Factors that a thread has are rows of matrix instructions, two in a register.

#fma = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @no_matrices(%A: memref<8x6xf16>, %B: memref<6x8xf16>, %C: memref<8x8xf32>,
                        %f: vector<2xf16>, %b: memref<2x4xf16>, %c: vector<2xf32>) attributes {tc.kernel = #fma} {
    // expected-error @below {{'tc.multiply_factors' op doesn't fit the kernel's layout: its instruction, fma, does not take rows of A from two factors in a register}}
    %r = tc.multiply_factors %f by %b into %c : vector<2xf16> by memref<2x4xf16> into vector<2xf32> -> vector<2xf32>
    gpu.return
  }
}

// -----

#rows = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32,
    schedule = #tc.schedule<target = "sm_90", m = [m: 16], n = [n: 16], k = [k: 16], register = [2, 4], instruction = mma_m16n8k16>>
gpu.module @kernels {
  gpu.func @fewer_pairs(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>,
                        %f: vector<2xf16>, %b: memref<16x16xf16>, %c: vector<2xf32>) attributes {tc.kernel = #rows} {
    // expected-error @below {{'tc.multiply_factors' op doesn't fit the kernel's layout: expected 4 accumulators of 2, 4 pairs of factors and a shared tile of 16x}}
    %r = tc.multiply_factors %f by %b into %c : vector<2xf16> by memref<16x16xf16> into vector<2xf32> -> vector<2xf32>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has no term 4294967296: it has 1}}
  gpu.func @large_term(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %A: memref<60xf64>, %m0: i32, %k0: i32) attributes {tc.kernel = #kernel} {
    %a = tc.load_tile_from_global a term 4294967296 of %A at [%m0, %k0] : memref<60xf64>, i32, i32 -> vector<2xf64>
    gpu.return
  }
}

// -----

#kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64,
    schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>
gpu.module @kernels {
  gpu.func @copy_without_group(%arg0: memref<10x6xf64>, %arg1: memref<6x12xf64>, %arg2: memref<10x12xf64>, %A: memref<60xf64>, %m0: i32, %k0: i32, %pa: memref<4x2xf64>) attributes {tc.kernel = #kernel} {
    // expected-error @below {{'tc.copy_tile' op has a token that only 'tc.group_copies' may take}}
    %copy = tc.copy_tile a of %A at [%m0, %k0] into %pa : memref<60xf64>, i32, i32 into memref<4x2xf64>
    nvgpu.device_async_wait %copy
    gpu.return
  }
}
