// RUN: tc-opt %s -verify-diagnostics -split-input-file

// expected-error @+2 {{unknown key 'tiles' in schedule; the keys are 'target', 'm', 'n', 'k', 'register', 'instruction', 'stages', 'raster', 'stationary', 'tiles_per_block', 'split_k'}}
func.func private @unknown_key() attributes {
  s = #tc.schedule<tiles = [a: 4]>
}

// -----

// expected-error @+3 {{key 'm' is in the schedule twice}}
func.func private @repeated_key() attributes {
  s = #tc.schedule<target = "sm_90", m = [a: 4], n = [],
                   m = [b: 4], k = [], register = [1, 1]>
}

// -----

// expected-error @+2 {{key 'k' is missing from the schedule}}
func.func private @missing_key() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], register = [1, 1]>
}

// -----

// expected-error @+2 {{key 'target' is missing from the schedule}}
func.func private @empty() attributes {
  s = #tc.schedule<>
}

// -----

// expected-error @+2 {{tile extent of index 'a' must be at least 1, but is 0}}
func.func private @zero_tile() attributes {
  s = #tc.schedule<target = "sm_90", m = [a: 0], n = [], k = [], register = [1, 1]>
}

// -----

// expected-error @+2 {{tile extent of index 'b' must be at least 1, but is -2}}
func.func private @negative_tile() attributes {
  s = #tc.schedule<target = "sm_90", m = [a: 4], n = [b: -2], k = [], register = [1, 1]>
}

// -----

// expected-error @+2 {{index 'a' is in the schedule twice}}
func.func private @repeated_label() attributes {
  s = #tc.schedule<target = "sm_90", m = [a: 4], n = [b: 2], k = [a: 2], register = [1, 1]>
}

// -----

// expected-error @+2 {{register tile must be at least 1 x 1, but is 0 x 1}}
func.func private @register_tile() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [0, 1]>
}

// -----

// expected-error @+2 {{the schedule's target has no name}}
func.func private @nameless_target() attributes {
  s = #tc.schedule<target = "", m = [], n = [], k = [], register = [1, 1]>
}

// -----

// expected-error @+2 {{expected string}}
func.func private @target_type() attributes {
  s = #tc.schedule<target = sm_90, m = [], n = [], k = [], register = [1, 1]>
}

// -----

// expected-error @+2 {{expected ':'}}
func.func private @no_extent() attributes {
  s = #tc.schedule<target = "sm_90", m = [a], n = [], k = [], register = [1, 1]>
}

// -----

// expected-error @+2 {{integer value too large}}
func.func private @huge_extent() attributes {
  s = #tc.schedule<target = "sm_90", m = [a: 99999999999999999999], n = [], k = [], register = [1, 1]>
}

// -----

// expected-error @+2 {{expected ']'}}
func.func private @register_rank() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1, 1]>
}

// -----

// expected-error @+2 {{expected a key of the schedule}}
func.func private @no_key() attributes {
  s = #tc.schedule<"sm_90">
}

// -----

// expected-error @+2 {{'a$' is not an index name: only letters, digits and '_' may occur}}
func.func private @index_name() attributes {
  s = #tc.indices<[a$]>
}

// -----

// expected-error @+2 {{'raster' must be at least 0, but is -1}}
func.func private @negative_raster() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1], raster = -1>
}

// -----

// expected-error @+2 {{expected what is stationary: 'output', 'a' or 'b'}}
func.func private @unknown_stationary() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1], stationary = c>
}

// -----

// expected-error @+2 {{'tiles_per_block' must be at least 1, but is 0}}
func.func private @no_tiles() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1], tiles_per_block = 0>
}

// -----

// expected-error @+2 {{'tiles_per_block' must be 1 where the output is stationary, but is 2}}
func.func private @tiles_of_output() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1], tiles_per_block = 2>
}

// -----

// expected-error @+2 {{'split_k' must be at least 1, but is 0}}
func.func private @no_part() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1], split_k = 0>
}

// -----

// expected-error @+2 {{expected an instruction: 'fma', 'mma_m8n8k4', 'mma_m16n8k4', 'mma_m16n8k8', 'mma_m16n8k16', 'mma_m16n8k32'}}
func.func private @unknown_instruction() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1], instruction = wmma>
}

// -----

// expected-error @+2 {{'stages' must be at least 2, but is 1}}
func.func private @one_stage() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1], stages = 1>
}

// -----

// expected-error @+2 {{expected integer value}}
func.func private @stages_type() attributes {
  s = #tc.schedule<target = "sm_90", m = [], n = [], k = [], register = [1, 1], stages = two>
}
