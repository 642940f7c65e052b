// RUN: tc-opt %s -split-input-file -verify-diagnostics

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op contraction 0 of 'tc.kernel' has an edge of contraction 1, but there are 1}}
  gpu.func @no_terms(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has terms, but no edges in 'tc.kernel' that connect these: of a sum, they are [C1 -> C, ...]}}
  gpu.func @no_edges(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op edge C1 -> A of 'tc.kernel' must have the type of its elements}}
  gpu.func @no_type(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> C : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op edge C1 -> C of 'tc.kernel' must not have a type, as its tensors have one}}
  gpu.func @type_of_an_argument(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op must have 4 tensors for the contractions of 'tc.kernel' and their edges, but has 3 arguments}}
  gpu.func @no_input(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op must have memrefs as the tensors of the contractions of 'tc.kernel', whose outputs have indices of their inputs only where they are an input of another}}
  gpu.func @no_memref(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: f64) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 1.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must have a beta of zero}}
  gpu.func @beta(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must have an alpha and a beta that are constant}}
  gpu.func @alpha(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own, edges = [C1 -> C]>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must have no terms itself}}
  gpu.func @edges_of_a_term(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#split = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 2], register = [2, 2], split_k = 2>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #split>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must not split K}}
  gpu.func @split(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, q], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op must have memrefs as the tensors of the contractions of 'tc.kernel', whose outputs have indices of their inputs only where they are an input of another}}
  gpu.func @unknown_index(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64, C1 -> B : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op contraction 1 of 'tc.kernel' is connected to the others twice}}
  gpu.func @both(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A2 : f64, B -> B2], terms = [#first, #first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op contraction 2 of 'tc.kernel' is connected to the others in another way than they are to each other}}
  gpu.func @chained_and_shared(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1 : i32, beta = 0 : i32, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1 : i32, beta = 0 : i32, schedule = #s, edges = [C1 -> A : i32], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' has a wrong A1: it must have floating-point numbers, but has i32}}
  gpu.func @integers(%A: memref<8x4xi32>, %E: memref<4x4xi32>, %C: memref<8x4xi32>, %B: memref<4x4xi32>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>, schedule = #s, edges = [C1 -> A : complex<f64> softmax], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' has a wrong C1: it passes through a softmax, but its numbers are complex}}
  gpu.func @complex_softmax(%A: memref<8x4xcomplex<f64>>, %E: memref<4x4xcomplex<f64>>, %C: memref<8x4xcomplex<f64>>, %B: memref<4x4xcomplex<f64>>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [A -> A1 softmax], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op contraction 1 of 'tc.kernel' must not pass its output through a softmax: only the kernel's own contraction takes one}}
  gpu.func @softmax_of_a_shared_input(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A2 : f64 softmax, C2 -> A : f64], terms = [#first, #first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op contraction 1 of 'tc.kernel' must not pass its output through a softmax: only the kernel's own contraction takes one}}
  gpu.func @softmax_of_a_term(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
gpu.module @kernels {
  gpu.func @no_tensor() kernel attributes {
    // expected-error @below {{'D1' is no tensor, such as A, B1 or C2}}
    tc.kernel = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], schedule = #s, edges = [D1 -> A]>} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
gpu.module @kernels {
  gpu.func @no_function() kernel attributes {
    // expected-error @below {{'sofmax' is no function of an edge: softmax}}
    tc.kernel = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], schedule = #s, edges = [C1 -> A : f64 sofmax]>} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
gpu.module @kernels {
  gpu.func @former_keys() kernel attributes {
    // expected-error @below {{'chained_a' is now an edge, as in edges = [C1 -> A : f64 softmax] or edges = [A -> B1]}}
    tc.kernel = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], schedule = #s, chained_a = f64>} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = "x", beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op alpha of 'tc.kernel' must be a number, but is "x"}}
  gpu.func @text_as_alpha(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = dense<1.0> : tensor<2xf64>, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op alpha of 'tc.kernel' must be a number, but is dense<1.000000e+00> : tensor<2xf64>}}
  gpu.func @tensor_as_alpha(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1 : i128, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, edges = [C1 -> A : f64], terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op alpha of 'tc.kernel' must have the type of sums, 'f64', but is 1 : i128}}
  gpu.func @wide_alpha(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}
