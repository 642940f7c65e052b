// RUN: tc-opt %s -split-input-file -verify-diagnostics

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has a chained input, but no terms in 'tc.kernel' that compute it}}
  gpu.func @no_terms(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op must have an input for each of the terms of 'tc.kernel', which are a chain, after argument 2, but has 3 arguments}}
  gpu.func @no_input(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 1.0 : f64, schedule = #s>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must have a constant alpha and a beta of zero}}
  gpu.func @beta(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_b = f64>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' begins a chain, so it must not have a chained input}}
  gpu.func @first(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, q], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must have memrefs as inputs, and compute an input of the next one, all of whose indices are in its own inputs}}
  gpu.func @unknown_index(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64, chained_b = f64, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op the contraction of 'tc.kernel' must have one chained input, not two}}
  gpu.func @both(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64, shared_b, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has both a chained input and one in common with others in 'tc.kernel'}}
  gpu.func @chained_and_shared(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #own, shared_a>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must have no input in common with others, as it is in a chain}}
  gpu.func @link_shares(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#own = #tc.schedule<target = "sm_90", m = [m: 4], n = [l: 4], k = [k: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>, schedule = #own>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = #complex.number<:f64 1.0, 0.0> : complex<f64>, beta = #complex.number<:f64 0.0, 0.0> : complex<f64>, schedule = #s, chained_a = complex<f64>, softmax, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op takes the softmax of complex numbers in 'tc.kernel'}}
  gpu.func @complex_softmax(%A: memref<8x4xcomplex<f64>>, %E: memref<4x4xcomplex<f64>>, %C: memref<8x4xcomplex<f64>>, %B: memref<4x4xcomplex<f64>>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op has no chained input in 'tc.kernel' of which it could take the softmax}}
  gpu.func @softmax_of_an_argument(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>) kernel attributes {tc.kernel =
      #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, softmax>} {
    gpu.return
  }
}

// -----

#s = #tc.schedule<target = "sm_90", m = [m: 4], n = [n: 4], k = [l: 4], register = [2, 2]>
#first = #tc.kernel<a = [m, k], b = [k, l], c = [m, l], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, softmax>
#main = #tc.kernel<a = [m, l], b = [l, n], c = [m, n], alpha = 1.0 : f64, beta = 0.0 : f64, schedule = #s, chained_a = f64, terms = [#first]>
gpu.module @kernels {
  // expected-error @below {{'gpu.func' op term 1 of 'tc.kernel' must have no terms itself, reduce nothing, take no softmax and be of known shape}}
  gpu.func @softmax_of_a_term(%A: memref<8x4xf64>, %E: memref<4x4xf64>, %C: memref<8x4xf64>, %B: memref<4x4xf64>) kernel attributes {tc.kernel = #main} {
    gpu.return
  }
}
