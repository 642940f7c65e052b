// RUN: tc-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{expected m or n: k is summed}}
func.func @rows() attributes {s = #tc.cpu_schedule<rows = k>} { return }

// -----

// expected-error@+1 {{expected m, n or k}}
func.func @order() attributes {s = #tc.cpu_schedule<order = [m, x, n]>} { return }

// -----

// expected-error@+1 {{expected cache or stream}}
func.func @store() attributes {s = #tc.cpu_schedule<store = memory>} { return }

// -----

// expected-error@+1 {{expected batch, m or n}}
func.func @split_k() attributes {s = #tc.cpu_schedule<threads = [k: 2]>} { return }

// -----

// expected-error@+1 {{'m' is in 'threads' twice}}
func.func @threads_twice() attributes {s = #tc.cpu_schedule<threads = [m: 2, m: 2]>} { return }

// -----

// expected-error@+1 {{expected gett, ttgt, loop_over_gemm, direct or library}}
func.func @strategy() attributes {s = #tc.cpu_schedule<strategy = blas>} { return }

// -----

// expected-error@+1 {{expected A, B or C}}
func.func @tensor() attributes {s = #tc.cpu_schedule<transpose = [D: [i]]>} { return }

// -----

// expected-error@+1 {{'transpose' names A twice}}
func.func @tensor_twice() attributes {s = #tc.cpu_schedule<transpose = [A: [i], A: [i]]>} { return }

// -----

// expected-error@+1 {{expected an index name}}
func.func @loops() attributes {s = #tc.cpu_schedule<loops = [1]>} { return }

// -----

// expected-error@+1 {{key 'target' is missing from the schedule}}
func.func @missing() attributes {s = #tc.cpu_schedule<lanes = 8>} { return }

// -----

// expected-error@+1 {{key 'rows' is missing from the schedule}}
func.func @missing_rows() attributes {s = #tc.cpu_schedule<target = "x", register = [8, 4], lanes = 8>} { return }

// -----

// expected-error@+1 {{expected an index name}}
func.func @vector() attributes {s = #tc.cpu_schedule<vector = 1>} { return }

// -----

// expected-error@+1 {{key 'lanes' is in the schedule twice}}
func.func @twice() attributes {s = #tc.cpu_schedule<lanes = 8, lanes = 8>} { return }

// -----

// expected-error@+1 {{unknown key 'stages' in schedule; the keys are 'target', 'strategy', 'transpose', 'loops', 'vector', 'columns', 'rows', 'm', 'n', 'k', 'order', 'inner', 'register', 'lanes', 'store', 'threads'}}
func.func @unknown() attributes {s = #tc.cpu_schedule<stages = 8>} { return }

// -----

func.func @not_a_schedule(%A: memref<4x4xf64>) {
  // expected-error@+3 {{'tc.contract' op attribute 'cpu_schedule' failed to satisfy constraint: the decisions that turn one contraction into code for a CPU}}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %A : memref<4x4xf64>, memref<4x4xf64>)
    outs(%A : memref<4x4xf64>) {cpu_schedule = 1 : i64}
  return
}
