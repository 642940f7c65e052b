// RUN: tc-opt %s --transform-interpreter --split-input-file --verify-diagnostics

func.func @no_target(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error @below {{option 'target': unknown target 'sm_1'; known are sm_75}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{by 'transform.tc.choose_schedule'}}
    transform.tc.choose_schedule %ops for "sm_1" : !transform.any_op
    transform.yield
  }
}

// -----

func.func @no_strategy(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error @below {{option 'strategy': 'best' is none of auto, gett, ttgt, loop_over_gemm, direct and library}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{by 'transform.tc.choose_schedule'}}
    transform.tc.choose_schedule %ops for "cpu" {strategy = "best"} : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%op: !transform.any_op) {
    // expected-error @below {{'threads' is for "cpu" only, and the machine is "sm_90"}}
    transform.tc.choose_schedule %op for "sm_90" {threads = 4} : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%op: !transform.any_op) {
    // expected-error @below {{attribute 'schedule' failed to satisfy constraint: the decisions that turn one contraction into code or the decisions that turn one contraction into code for a CPU}}
    transform.tc.set_schedule #tc.indices<[m]> on %op : !transform.any_op
    transform.yield
  }
}

// -----

func.func @misfit(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error @below {{schedule: the list of M names index 'q', which is not in the contraction}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{by 'transform.tc.set_schedule'}}
    transform.tc.set_schedule #tc.schedule<target = "sm_90", m = [q: 8], n = [n: 8], k = [k: 8], register = [1, 1]>
      on %ops : !transform.any_op
    transform.yield
  }
}

// -----

func.func @not_a_contraction() {
  // expected-note @below {{when applied to this op}}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["func.return"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{transform applied to the wrong op kind}}
    transform.tc.lower_to_cpu %ops : !transform.any_op
    transform.yield
  }
}

// -----

func.func @tensors(%A: tensor<8x8xf32>, %B: tensor<8x8xf32>, %C: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{works on tensors: bufferize it first}}
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<8x8xf32>, tensor<8x8xf32>) outs(%C : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %D : tensor<8x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{by 'transform.tc.lower_to_gpu'}}
    transform.tc.lower_to_gpu %ops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @in_a_group(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  tc.fused {
    // expected-error @below {{is in a 'tc.fused', of which one kernel is made}}
    tc.contract [m, k], [k, n] -> [m, n]
      ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  }
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{by 'transform.tc.lower_to_gpu'}}
    transform.tc.lower_to_gpu %ops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @gpu_without_schedule(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error @below {{has no schedule: run --tc-tile or write one}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{by 'transform.tc.lower_to_gpu'}}
    transform.tc.lower_to_gpu %ops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @cpu_without_schedule(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  // expected-error @below {{has no 'cpu_schedule': run --tc-tile-cpu first}}
  tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : memref<8x8xf32>, memref<8x8xf32>) outs(%C : memref<8x8xf32>)
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{by 'transform.tc.lower_to_cpu'}}
    transform.tc.lower_to_cpu %ops : !transform.any_op
    transform.yield
  }
}
