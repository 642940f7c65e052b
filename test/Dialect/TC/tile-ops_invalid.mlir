// RUN: tc-opt %s -verify-diagnostics -split-input-file

func.func @fetch_from_shaped(%A: memref<4x8xf64>) {
  // expected-error @below {{'tc.load_tile_from_global' op needs a flat buffer, got 'memref<4x8xf64>'}}
  %r = tc.load_tile_from_global a of %A at [] : memref<4x8xf64> -> vector<2xf64>
  return
}

// -----

func.func @fetch_of_another_type(%A: memref<8xf64>) {
  // expected-error @below {{'tc.load_tile_from_global' op has vectors of 'f32' but a buffer of 'f64'}}
  %r = tc.load_tile_from_global a of %A at [] : memref<8xf64> -> vector<2xf32>
  return
}

// -----

func.func @fetch_of_two_types(%A: memref<8xf64>) {
  // expected-error @below {{'tc.load_tile_from_global' op needs vectors of one type, got 'vector<2xf64>' and 'vector<1xf64>'}}
  %r:2 = tc.load_tile_from_global a of %A at [] : memref<8xf64> -> vector<2xf64>, vector<1xf64>
  return
}

// -----

func.func @fetch_of_matrices(%A: memref<8xf64>) {
  // expected-error @below {{'tc.load_tile_from_global' op needs vectors of one dimension, got 'vector<2x2xf64>'}}
  %r = tc.load_tile_from_global a of %A at [] : memref<8xf64> -> vector<2x2xf64>
  return
}

// -----

func.func @fetch_of_nothing(%A: memref<8xf64>) {
  // expected-error @below {{'tc.load_tile_from_global' op needs at least one vector}}
  "tc.load_tile_from_global"(%A) <{input = #tc<input a>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<8xf64>) -> ()
  return
}

// -----

func.func @deposit_into_strided(%r: vector<2xf64>, %panel: memref<8x64xf64, strided<[128, 1]>>) {
  // expected-error @below {{'tc.store_tile_to_shared' op needs a contiguous shared tile of two static dimensions, got 'memref<8x64xf64, strided<[128, 1]>>'}}
  tc.store_tile_to_shared a %r into %panel : vector<2xf64> into memref<8x64xf64, strided<[128, 1]>>
  return
}

// -----

func.func @copy_from_shaped(%A: memref<4x8xf64>, %panel: memref<8x64xf64>) {
  // expected-error @below {{'tc.copy_tile' op needs a flat buffer, got 'memref<4x8xf64>'}}
  %copy0 = tc.copy_tile a of %A at [] into %panel : memref<4x8xf64> into memref<8x64xf64>
  %group = tc.group_copies [%copy0]
  %tile = tc.wait_for_tiles %panel after %group : memref<8x64xf64>
  return
}

// -----

func.func @copy_into_flat(%A: memref<32xf64>, %panel: memref<512xf64>) {
  // expected-error @below {{'tc.copy_tile' op needs a contiguous shared tile of two static dimensions, got 'memref<512xf64>'}}
  %copy0 = tc.copy_tile a of %A at [] into %panel : memref<32xf64> into memref<512xf64>
  %group = tc.group_copies [%copy0]
  %tile = tc.wait_for_tiles %panel after %group : memref<512xf64>
  return
}

// -----

func.func @copy_to_another_type(%A: memref<32xf32>, %panel: memref<8x64xf64>) {
  // expected-error @below {{'tc.copy_tile' op copies 'f32' to a shared tile of 'f64'}}
  %copy0 = tc.copy_tile a of %A at [] into %panel : memref<32xf32> into memref<8x64xf64>
  %group = tc.group_copies [%copy0]
  %tile = tc.wait_for_tiles %panel after %group : memref<8x64xf64>
  return
}

// -----

func.func @deposit_halves_as_bytes(%r: vector<8xf16>, %panel: memref<8x64xf8E5M2>) {
  // expected-error @below {{'tc.store_tile_to_shared' op has vectors of 'f16' but a buffer of 'f8E5M2'}}
  tc.store_tile_to_shared a %r into %panel : vector<8xf16> into memref<8x64xf8E5M2>
  return
}

// -----

func.func @multiply_of_dynamic_panel(%pa: memref<8x?xf64>, %pb: memref<8x32xf64>, %c: vector<2xf64>) {
  // expected-error @below {{'tc.multiply_tiles' op needs a contiguous shared tile of two static dimensions, got 'memref<8x?xf64>'}}
  %r = tc.multiply_tiles %pa, %pb into %c : memref<8x?xf64>, memref<8x32xf64> into vector<2xf64> -> vector<2xf64>
  return
}

// -----

func.func @multiply_to_another_type(%pa: memref<8x64xf64>, %pb: memref<8x32xf64>, %c: vector<2xf64>) {
  // expected-error @below {{'tc.multiply_tiles' op needs results of the accumulators' types}}
  %r = tc.multiply_tiles %pa, %pb into %c : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> -> vector<4xf64>
  return
}

// -----

func.func @store_scaled_by_another_type(%c: vector<2xf64>, %C: memref<8xf64>, %alpha: f32) {
  // expected-error @below {{'tc.store_tile' op scales 'f64' by 'f32'}}
  tc.store_tile %c to %C at [] alpha(%alpha : f32) : vector<2xf64> to memref<8xf64>
  return
}

// -----

// expected-error @below {{expected 'c'}}
func.func @kernel_without_output() attributes {test.kernel = #tc.kernel<a = [m], b = [n], schedule = #tc.schedule<target = "sm_90", m = [m: 1], n = [n: 1], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'builtin.module' op is no function, so it cannot carry 'tc.kernel'}}
module attributes {tc.kernel = #tc.kernel<a = [], b = [], c = [], schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>} {
}

// -----

// expected-error @below {{'func.func' op attribute 'tc.kernel' must be a #tc.kernel, but is 3}}
func.func @kernel_of_another_kind() attributes {tc.kernel = 3 : i32} {
  return
}

// -----

// expected-error @below {{'func.func' op must have the arguments A, B and C and a scalar for each of alpha and beta that is missing in 'tc.kernel'}}
func.func @kernel_without_scalar(%A: memref<f64>, %B: memref<f64>, %C: memref<f64>, %alpha: f64) attributes {tc.kernel = #tc.kernel<a = [], b = [], c = [], schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op argument 1 must be a memref, but is 'f64'}}
func.func @kernel_of_scalar(%A: memref<f64>, %B: f64, %C: memref<f64>) attributes {tc.kernel = #tc.kernel<a = [], b = [], c = [], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'tc.contract' op index list of A has 1 labels, but its rank is 0}}
func.func @kernel_of_another_rank(%A: memref<f64>, %B: memref<f64>, %C: memref<f64>) attributes {tc.kernel = #tc.kernel<a = [k], b = [], c = [], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op must have a workspace as argument 3, a memref of one dimension of i8, because its schedule splits K}}
func.func @kernel_without_workspace(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<f64>) attributes {tc.kernel = #tc.kernel<a = [k], b = [k], c = [], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [k: 2], register = [1, 1], split_k = 2>>} {
  return
}

// -----

// expected-error @below {{'func.func' op must have a workspace as argument 4, a memref of one dimension of i8, because its schedule splits K}}
func.func @kernel_with_another_workspace(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<f64>, %beta: f64, %W: memref<16xf64>) attributes {tc.kernel = #tc.kernel<a = [k], b = [k], c = [], alpha = 1.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [], n = [], k = [k: 2], register = [1, 1], split_k = 2>>} {
  return
}

// -----

func.func @parts_of_two_types(%a: vector<2xf64>, %b: vector<2xf32>, %W: memref<64xi8>) {
  // expected-error @below {{'tc.store_partial_sums' op needs vectors of one type, got 'vector<2xf64>' and 'vector<2xf32>'}}
  %last = tc.store_partial_sums %a, %b to %W : vector<2xf64>, vector<2xf32> to memref<64xi8>
  return
}

// -----

func.func @no_parts(%W: memref<64xi8>) {
  // expected-error @below {{'tc.add_partial_sums' op needs at least one vector}}
  "tc.add_partial_sums"(%W) : (memref<64xi8>) -> ()
  return
}

// -----

func.func @auxiliaries_without_epilogue(%r: vector<2xf64>, %C: memref<64xf64>, %bias: memref<8xf64>) {
  // expected-error @below {{'tc.store_tile' op has auxiliary tensors, but no epilogue that reads them}}
  tc.store_tile %r to %C at [] auxiliaries(%bias : memref<8xf64>) : vector<2xf64> to memref<64xf64>
  return
}

// -----

func.func @epilogue_of_other_types(%r: vector<2xf64>, %C: memref<64xf64>) {
  // expected-error @below {{'tc.store_tile' op needs an epilogue with arguments of 'f64', 'f64', got 'f64', 'f32'}}
  tc.store_tile %r to %C at [] epilogue {
  ^bb0(%sum: f64, %old: f32):
    tc.yield %sum : f64
  } : vector<2xf64> to memref<64xf64>
  return
}

// -----

func.func @epilogue_that_yields_another_type(%r: vector<2xf32>, %C: memref<64xf16>) {
  // expected-error @below {{'tc.store_tile' op needs an epilogue that yields 'f16', got 'f32'}}
  tc.store_tile %r to %C at [] epilogue {
  ^bb0(%sum: f32, %old: f16):
    tc.yield %sum : f32
  } : vector<2xf32> to memref<64xf16>
  return
}

// -----

func.func @auxiliary_that_is_not_flat(%r: vector<2xf64>, %C: memref<64xf64>, %bias: memref<2x4xf64>) {
  // expected-error @below {{'tc.store_tile' op needs a flat buffer, got 'memref<2x4xf64>'}}
  tc.store_tile %r to %C at [] auxiliaries(%bias : memref<2x4xf64>) epilogue {
  ^bb0(%sum: f64, %old: f64, %b: f64):
    tc.yield %b : f64
  } : vector<2xf64> to memref<64xf64>
  return
}

// -----

// expected-error @below {{'func.func' op must have the arguments A, B and C, 1 auxiliary tensors for 'tc.kernel'}}
func.func @kernel_without_auxiliary(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4x4xf32>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, epilogue = write, auxiliaries = [[n]], schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{index 'k' of auxiliary tensor 0 is not in C}}
func.func @kernel_with_wrong_auxiliary(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4x4xf32>, %bias: memref<4xf32>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, epilogue = write, auxiliaries = [[k]], schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{has auxiliary tensors, but no epilogue that reads them}}
func.func @kernel_without_epilogue(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4x4xf32>, %bias: memref<4xf32>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, auxiliaries = [[n]], schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{expected 'write' or 'read_write'}}
func.func @kernel_with_unknown_epilogue() attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, epilogue = read, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

func.func @prologue_of_another_type(%r: vector<2xf64>, %panel: memref<8x64xf64>) {
  // expected-error @below {{'tc.store_tile_to_shared' op needs a prologue with arguments of 'f64', got 'f32'}}
  tc.store_tile_to_shared a %r into %panel prologue {
  ^bb0(%x: f32):
    %y = arith.extf %x : f32 to f64
    tc.yield %y : f64
  } : vector<2xf64> into memref<8x64xf64>
  return
}

// -----

func.func @prologue_that_yields_another_type(%r: vector<2xf64>, %panel: memref<8x64xf64>) {
  // expected-error @below {{'tc.store_tile_to_shared' op needs a prologue that yields 'f64', got 'f32'}}
  tc.store_tile_to_shared a %r into %panel prologue {
  ^bb0(%x: f64):
    %y = arith.truncf %x : f64 to f32
    tc.yield %y : f32
  } : vector<2xf64> into memref<8x64xf64>
  return
}

// -----

func.func @two_prologues(%r: vector<2xf64>, %panel: memref<8x64xf64>) {
  // expected-error @below {{'tc.store_tile_to_shared' op has 2 prologues}}
  tc.store_tile_to_shared a %r into %panel prologue {
  ^bb0(%x: f64):
    tc.yield %x : f64
  }, {
  ^bb0(%x: f64):
    tc.yield %x : f64
  } : vector<2xf64> into memref<8x64xf64>
  return
}

// -----

// expected-error @below {{no type holds the factors of both A and B, which are 'f32' and 'i8': convert the elements of one in its prologue}}
func.func @kernel_with_one_prologue(%A: memref<4xi8>, %B: memref<4xi8>, %C: memref<4x4xf32>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, prologue_a = f32, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

func.func @half_a_semiring(%pa: memref<8x64xf64>, %pb: memref<8x32xf64>, %c: vector<2xf64>) {
  // expected-error @below {{'tc.multiply_tiles' op has 1 regions in place of a product and of what combines}}
  %r = tc.multiply_tiles %pa, %pb into %c
        semiring {
        ^bb0(%x: f64, %y: f64):
          tc.yield %x : f64
        } : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> -> vector<2xf64>
  return
}

// -----

func.func @masked_sum(%pa: memref<8x64xf64>, %pb: memref<8x32xf64>, %c: vector<2xf64>, %k: i32) {
  // expected-error @below {{'tc.multiply_tiles' op leaves out products only in a semiring of regions}}
  %r = tc.multiply_tiles %pa, %pb into %c at [%k] : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> at i32 -> vector<2xf64>
  return
}

// -----

func.func @product_of_another_type(%pa: memref<8x64xf64>, %pb: memref<8x32xf64>, %c: vector<2xf64>) {
  // expected-error @below {{'tc.multiply_tiles' op needs a product with arguments of 'f64', 'f64', got 'f32', 'f32'}}
  %r = tc.multiply_tiles %pa, %pb into %c
        semiring {
        ^bb0(%x: f32, %y: f32):
          tc.yield %x : f32
        }, {
        ^bb0(%x: f64, %y: f64):
          tc.yield %y : f64
        } : memref<8x64xf64>, memref<8x32xf64> into vector<2xf64> -> vector<2xf64>
  return
}

// -----

func.func @parts_of_another_type(%W: memref<64xi8>) {
  // expected-error @below {{'tc.add_partial_sums' op needs a combination that yields 'f64', got 'f32'}}
  %t = tc.add_partial_sums of %W combine {
  ^bb0(%x: f64, %y: f64):
    %z = arith.truncf %x : f64 to f32
    tc.yield %z : f32
  } : memref<64xi8> -> vector<2xf64>
  return
}

// -----

func.func @two_combinations(%W: memref<64xi8>) {
  // expected-error @below {{'tc.add_partial_sums' op has 2 combinations}}
  %t = tc.add_partial_sums of %W combine {
  ^bb0(%x: f64, %y: f64):
    tc.yield %x : f64
  }, {
  ^bb0(%x: f64, %y: f64):
    tc.yield %x : f64
  } : memref<64xi8> -> vector<2xf64>
  return
}

// -----

// expected-error @below {{'most' is none of zero, one, least and greatest}}
func.func @kernel_with_unknown_padding() attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, semiring = user_defined(0.0 : f32), operations = 2, padding = [zero, most], schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{expected ','}}
func.func @kernel_with_half_a_padding() attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f32, beta = 0.0 : f32, semiring = user_defined(0.0 : f32), operations = 2, padding = [zero], schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op 'alignment' is of 2 tensors, but there are 3}}
func.func @kernel_aligned_in_part(%A: memref<4xf64>, %B: memref<f64>, %C: memref<4xf64>) attributes {tc.kernel = #tc.kernel<a = [m], b = [], c = [m], alpha = 1.0 : f64, beta = 0.0 : f64, alignment = [1, 0], schedule = #tc.schedule<target = "sm_90", m = [m: 1], n = [], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op 'alignment' must not be negative}}
func.func @kernel_aligned_to_less(%A: memref<4xf64>, %B: memref<f64>, %C: memref<4xf64>) attributes {tc.kernel = #tc.kernel<a = [m], b = [], c = [m], alpha = 1.0 : f64, beta = 0.0 : f64, alignment = [1, 0, -1], schedule = #tc.schedule<target = "sm_90", m = [m: 1], n = [], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op 'tc.base_alignment' is of memrefs, but argument 1 is none}}
func.func @aligned_scalar(%A: memref<4xf64>, %s: f64 {tc.base_alignment = 2}) {
  return
}

// -----

// expected-error @below {{'func.func' op 'tc.base_alignment' of argument 0 must be a positive number of elements, but is 0 : i64}}
func.func @aligned_to_nothing(%A: memref<4xf64> {tc.base_alignment = 0}) {
  return
}

// -----

// expected-error @below {{invalid kind of attribute specified}}
func.func @terms_of_another_kind(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, terms = [1]>} {
  return
}

// -----

// expected-error @below {{'func.func' op must have 5 tensors for the contractions of 'tc.kernel' and their edges, but has 3 arguments}}
func.func @terms_without_inputs(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must have a beta of zero}}
func.func @term_with_beta(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 1.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must have an alpha and a beta that are constant}}
func.func @term_without_alpha(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must have no epilogue, which is that of the sum}}
func.func @term_with_epilogue(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, epilogue = write, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must have the semiring plus_times, as it is in a kernel with others}}
func.func @term_with_semiring(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0x7FF0000000000000 : f64, semiring = min_plus, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{has extent}}
func.func @term_of_other_extents(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x5xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

func.func @sums_of_two_types(%s: vector<2xf64>, %storage: memref<?xi8>) {
  // expected-error @below {{'tc.convert_accumulators' op takes 2 sums of 'f64' and yields 2 of 'f32'}}
  %r = tc.convert_accumulators %s from 1 to 0 through %storage : vector<2xf64> through memref<?xi8> -> vector<2xf32>
  return
}

// -----

func.func @more_sums(%s: vector<2xf64>, %storage: memref<?xi8>) {
  // expected-error @below {{'tc.convert_accumulators' op takes 2 sums of 'f64' and yields 4 of 'f64'}}
  %r:2 = tc.convert_accumulators %s from 1 to 0 through %storage : vector<2xf64> through memref<?xi8> -> vector<2xf64>, vector<2xf64>
  return
}

// -----

func.func @sums_through_numbers(%s: vector<2xf64>, %storage: memref<?xf64>) {
  // expected-error @below {{'tc.convert_accumulators' op needs bytes of shared memory, got 'memref<?xf64>'}}
  %r = tc.convert_accumulators %s from 1 to 0 through %storage : vector<2xf64> through memref<?xf64> -> vector<2xf64>
  return
}

// -----

func.func @negative_term(%s: vector<2xf64>, %storage: memref<?xi8>) {
  // expected-error @below {{'tc.convert_accumulators' op attribute 'from' failed to satisfy constraint}}
  %r = tc.convert_accumulators %s from -1 to 0 through %storage : vector<2xf64> through memref<?xi8> -> vector<2xf64>
  return
}

// -----

// expected-error @below {{'func.func' op the contraction of 'tc.kernel' must have an alpha that is constant}}
func.func @sum_without_alpha(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %alpha: f64) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op the contraction of 'tc.kernel' must have an alpha other than zero}}
func.func @sum_of_nothing(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 0.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must have an alpha other than zero}}
func.func @term_of_nothing(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 0.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must have the semiring plus_times, as it is in a kernel with others}}
func.func @least_of_terms(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 0.0 : f64, beta = 0x7FF0000000000000 : f64, semiring = min_plus, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 0.0 : f64, beta = 0x7FF0000000000000 : f64, semiring = min_plus, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must have the alpha of the whole sum, of either sign, as sums are integers}}
func.func @terms_of_integers(%A: memref<8x6xi32>, %B: memref<6x8xi32>, %C: memref<8x8xi32>, %A1: memref<8x6xi32>, %B1: memref<6x8xi32>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 3 : i32, beta = 0 : i32, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 2 : i32, beta = 0 : i32, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must not be of complex numbers, as it is in a sum of contractions}}
func.func @terms_of_complex_numbers(%A: memref<8x6xcomplex<f64>>, %B: memref<6x8xcomplex<f64>>, %C: memref<8x8xcomplex<f64>>, %A1: memref<8x6xcomplex<f64>>, %B1: memref<6x8xcomplex<f64>>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

func.func @reduce_scaled(%c: vector<2xf64>, %o: i32, %alpha: f32) {
  // expected-error @below {{'tc.reduce_tile' op scales 'f64' by 'f32'}}
  %r = tc.reduce_tile %c at [%o] alpha(%alpha : f32) : vector<2xf64> at i32 -> f64
  return
}

// -----

func.func @reduce_auxiliaries(%c: vector<2xf64>, %o: i32, %s: memref<4xf64>) {
  // expected-error @below {{'tc.reduce_tile' op has auxiliary tensors, but no epilogue that reads them}}
  %r = tc.reduce_tile %c at [%o] auxiliaries(%s : memref<4xf64>) : vector<2xf64> at i32 -> f64
  return
}

// -----

func.func @reduce_epilogue(%c: vector<2xf64>, %o: i32) {
  // expected-error @below {{'tc.reduce_tile' op needs an epilogue with arguments of 'f64', 'f64', got 'f64'}}
  %r = tc.reduce_tile %c at [%o] epilogue {
  ^bb0(%x: f64):
    tc.yield %x : f64
  } : vector<2xf64> at i32 -> f64
  return
}

// -----

func.func @reduce_blocks_types(%sum: i32, %C: memref<1xf64>, %storage: memref<?xi8>, %W: memref<136xi8>) {
  // expected-error @below {{'tc.reduce_blocks' op stores a sum of 'i32' to a buffer of 'f64'}}
  tc.reduce_blocks %sum to %C through %storage and %W : i32 to memref<1xf64> through memref<?xi8> and memref<136xi8>
  return
}

// -----

func.func @reduce_blocks_flat(%sum: f64, %C: memref<1x1xf64>, %storage: memref<?xi8>, %W: memref<136xi8>) {
  // expected-error @below {{'tc.reduce_blocks' op needs a flat buffer}}
  tc.reduce_blocks %sum to %C through %storage and %W : f64 to memref<1x1xf64> through memref<?xi8> and memref<136xi8>
  return
}

// -----

// expected-error @below {{'func.func' op adds up all elements of its output, so strides of C must be 0, but its type is 'memref<4x4xf64>'}}
func.func @reduced_strides(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4x4xf64>, %W: memref<136xi8>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op adds up all elements of its output, so beta must be the constant zero}}
func.func @reduced_beta(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4x4xf64, strided<[0, 0]>>, %W: memref<136xi8>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f64, beta = 1.0 : f64, reduce, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op adds up all elements of its output, so its epilogue must not use C}}
func.func @reduced_epilogue(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4x4xf64, strided<[0, 0]>>, %W: memref<136xi8>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, epilogue = read_write, reduce, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op adds up all elements of its output, so they must not be complex}}
func.func @reduced_complex(%A: memref<4xcomplex<f64>>, %B: memref<4xcomplex<f64>>, %C: memref<4x4xcomplex<f64>, strided<[0, 0]>>, %W: memref<136xi8>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>, reduce, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op must have a workspace as argument 3, a memref of one dimension of i8, because its output is added up}}
func.func @reduced_workspace(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4x4xf64, strided<[0, 0]>>) attributes {tc.kernel = #tc.kernel<a = [m], b = [n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [], register = [1, 1]>>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must reduce C where the whole sum is reduced, and nowhere else}}
func.func @reduced_term(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64, strided<[0, 0]>>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>, %W: memref<160xi8>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, reduce, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op term 1 of 'tc.kernel' must have no terms itself}}
func.func @term_with_terms(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>]>} {
  return
}

// -----

// expected-error @below {{'func.func' op takes its shape at run time, so it must have no terms}}
func.func @term_of_dynamic_shapes(%A: memref<8x6xf64>, %B: memref<6x8xf64>, %C: memref<8x8xf64>, %A1: memref<8x6xf64>, %B1: memref<6x8xf64>) attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, edges = [C1 -> C], terms = [#tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, dynamic_shape = #tc.dynamic_shape<multiples = 1, offset_bits = 64>, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>>]>} {
  return
}

// -----

// expected-error @below {{expected another field}}
func.func @kernel_with_open_end() attributes {tc.kernel = #tc.kernel<a = [m, k], b = [k, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [k: 2], register = [2, 2]>, >} {
  return
}

// -----

func.func @softmax_of_itself(%c: vector<2xf32>, %m: f32, %k: i32, %r: memref<8xf32>) {
  // expected-error @below {{'tc.exponentiate_accumulators' op takes what term 0 computes to the same term}}
  %e, %n, %s = tc.exponentiate_accumulators %c maxima %m sums %m from 0 to a of 0 at [%k] through %r : vector<2xf32> maxima f32 sums f32 at i32 through memref<8xf32> -> vector<2xf32> maxima f32 sums f32
  return
}

// -----

func.func @rows_of_another_type(%c: vector<2xf32>, %m: f32, %k: i32, %r: memref<8xf64>) {
  // expected-error @below {{'tc.exponentiate_accumulators' op has sums of 'f32' but numbers of rows of 'f64'}}
  %e, %n, %s = tc.exponentiate_accumulators %c maxima %m sums %m from 1 to a of 0 at [%k] through %r : vector<2xf32> maxima f32 sums f32 at i32 through memref<8xf64> -> vector<2xf32> maxima f32 sums f32
  return
}

// -----

func.func @unknown_rows(%c: vector<2xf32>, %r: memref<?xf32>) {
  // expected-error @below {{'tc.rescale_accumulators' op needs a known number of numbers of rows, got 'memref<?xf32>'}}
  %e = tc.rescale_accumulators %c from 1 to a of 0 by %r : vector<2xf32> by memref<?xf32> -> vector<2xf32>
  return
}

// -----

func.func @maximum_of_another_type(%c: vector<2xf32>, %m: f64, %x: f32, %k: i32, %r: memref<8xf32>) {
  // expected-error @below {{'tc.exponentiate_accumulators' op has sums of 'f32' but a number of a row of 'f64'}}
  %e, %n, %s = tc.exponentiate_accumulators %c maxima %m sums %x from 1 to a of 0 at [%k] through %r : vector<2xf32> maxima f64 sums f32 at i32 through memref<8xf32> -> vector<2xf32> maxima f64 sums f32
  return
}

// -----

func.func @sums_of_fewer_rows(%c: vector<2xf32>, %m: f32, %k: i32, %r: memref<8xf32>) {
  // expected-error @below {{'tc.exponentiate_accumulators' op has 2 maxima, but 1 sums}}
  %e, %n:2, %s = tc.exponentiate_accumulators %c maxima %m, %m sums %m from 1 to a of 0 at [%k] through %r : vector<2xf32> maxima f32, f32 sums f32 at i32 through memref<8xf32> -> vector<2xf32> maxima f32, f32 sums f32
  return
}

// -----

func.func @exponentials_of_another_type(%c: vector<2xf32>, %m: f32, %k: i32, %r: memref<8xf32>) {
  // expected-error @below {{'tc.exponentiate_accumulators' op must have results of the types of its accumulators, maxima and sums}}
  %e, %n, %s = tc.exponentiate_accumulators %c maxima %m sums %m from 1 to a of 0 at [%k] through %r : vector<2xf32> maxima f32 sums f32 at i32 through memref<8xf32> -> vector<4xf32> maxima f32 sums f32
  return
}

// -----

func.func @reciprocals_of_no_row(%r: memref<8xf32>) {
  // expected-error @below {{'tc.store_row_reciprocals' op needs numbers of at least one row}}
  "tc.store_row_reciprocals"(%r) {from = 1 : i64, input = #tc<input a>, to = 0 : i64} : (memref<8xf32>) -> ()
  return
}

// -----

func.func @rescaled_type(%c: vector<2xf32>, %r: memref<8xf32>) {
  // expected-error @below {{'tc.rescale_accumulators' op must have results of the types of its accumulators}}
  %e = tc.rescale_accumulators %c from 1 to a of 0 by %r : vector<2xf32> by memref<8xf32> -> vector<4xf32>
  return
}

// -----

func.func @factors_of_itself(%c: vector<2xf32>) {
  // expected-error @below {{'tc.accumulators_to_factors' op takes what term 1 computes to the same term}}
  %f = tc.accumulators_to_factors %c from 1 to a of 1 : vector<2xf32> -> vector<2xf16>
  return
}

// -----

func.func @fewer_factors(%c: vector<2xf32>) {
  // expected-error @below {{'tc.accumulators_to_factors' op needs factors like its accumulators, 2 vectors of 2, got 1 vectors of 2}}
  %f = tc.accumulators_to_factors %c, %c from 1 to a of 0 : vector<2xf32>, vector<2xf32> -> vector<2xf16>
  return
}

// -----

func.func @longer_factors(%c: vector<2xf32>) {
  // expected-error @below {{'tc.accumulators_to_factors' op needs factors like its accumulators, 1 vectors of 2, got 1 vectors of 4}}
  %f = tc.accumulators_to_factors %c from 1 to a of 0 : vector<2xf32> -> vector<4xf16>
  return
}

// -----

func.func @factors_of_another_code(%c: vector<2xf32>) {
  // expected-error @below {{'tc.accumulators_to_factors' op needs an epilogue with arguments of 'f32', 'f32', got 'f64', 'f32'}}
  %f = tc.accumulators_to_factors %c from 1 to a of 0
      epilogue {
      ^bb0(%x: f64, %old: f32):
        %y = arith.truncf %x : f64 to f16
        tc.yield %y : f16
      } : vector<2xf32> -> vector<2xf16>
  return
}

// -----

func.func @multiply_factors_of_another_type(%f: vector<2xf16>, %b: memref<16x8xbf16>, %c: vector<2xf32>) {
  // expected-error @below {{'tc.multiply_factors' op has vectors of 'f16' but a buffer of 'bf16'}}
  %r = tc.multiply_factors %f by %b into %c : vector<2xf16> by memref<16x8xbf16> into vector<2xf32> -> vector<2xf32>
  return
}

// -----

func.func @multiply_factors_to_another_type(%f: vector<2xf16>, %b: memref<16x8xf16>, %c: vector<2xf32>) {
  // expected-error @below {{'tc.multiply_factors' op needs results of the accumulators' types}}
  %r = tc.multiply_factors %f by %b into %c : vector<2xf16> by memref<16x8xf16> into vector<2xf32> -> vector<2xf64>
  return
}

// -----

func.func @multiply_factors_by_flat_buffer(%f: vector<2xf16>, %b: memref<16xf16>, %c: vector<2xf32>) {
  // expected-error @below {{'tc.multiply_factors' op needs a contiguous shared tile of two static dimensions, got 'memref<16xf16>'}}
  %r = tc.multiply_factors %f by %b into %c : vector<2xf16> by memref<16xf16> into vector<2xf32> -> vector<2xf32>
  return
}
