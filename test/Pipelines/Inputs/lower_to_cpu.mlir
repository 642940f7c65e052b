// A script that lowers each contraction by itself, in two ways.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %product = transform.tc.match_contract [i, m, k], [k, n] -> [m, i, n] in %root
      : (!transform.any_op) -> !transform.any_op
    transform.tc.choose_schedule %product for "cpu" {strategy = "ttgt"} : !transform.any_op
    transform.tc.lower_to_cpu %product : !transform.any_op
    %rest = transform.structured.match ops{["tc.contract"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tc.choose_schedule %rest for "cpu" {strategy = "gett"} : !transform.any_op
    transform.tc.lower_to_cpu %rest : !transform.any_op
    transform.yield
  }
}
