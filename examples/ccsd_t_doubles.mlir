// The doubles of the triples correction in coupled-cluster theory, CCSD(T), as
// NWChem has them: eighteen contractions (sd_t_d1_1 to sd_t_d2_9) that add to one
// tensor of six dimensions, each with its indices permuted in another way and
// with its sign. One kernel computes them: it reads and writes the tensor once.
//
//   tc-run examples/ccsd_t_doubles.mlir --blocks=first,middle,last --check

func.func @doubles(
    %t3: tensor<16x16x16x16x16x16xf64>,
    %t2_d1_1: tensor<16x16x16x16xf64>, %v2_d1_1: tensor<16x16x16x16xf64>,
    %t2_d1_2: tensor<16x16x16x16xf64>, %v2_d1_2: tensor<16x16x16x16xf64>,
    %t2_d1_3: tensor<16x16x16x16xf64>, %v2_d1_3: tensor<16x16x16x16xf64>,
    %t2_d1_4: tensor<16x16x16x16xf64>, %v2_d1_4: tensor<16x16x16x16xf64>,
    %t2_d1_5: tensor<16x16x16x16xf64>, %v2_d1_5: tensor<16x16x16x16xf64>,
    %t2_d1_6: tensor<16x16x16x16xf64>, %v2_d1_6: tensor<16x16x16x16xf64>,
    %t2_d1_7: tensor<16x16x16x16xf64>, %v2_d1_7: tensor<16x16x16x16xf64>,
    %t2_d1_8: tensor<16x16x16x16xf64>, %v2_d1_8: tensor<16x16x16x16xf64>,
    %t2_d1_9: tensor<16x16x16x16xf64>, %v2_d1_9: tensor<16x16x16x16xf64>,
    %t2_d2_1: tensor<16x16x16x16xf64>, %v2_d2_1: tensor<16x16x16x16xf64>,
    %t2_d2_2: tensor<16x16x16x16xf64>, %v2_d2_2: tensor<16x16x16x16xf64>,
    %t2_d2_3: tensor<16x16x16x16xf64>, %v2_d2_3: tensor<16x16x16x16xf64>,
    %t2_d2_4: tensor<16x16x16x16xf64>, %v2_d2_4: tensor<16x16x16x16xf64>,
    %t2_d2_5: tensor<16x16x16x16xf64>, %v2_d2_5: tensor<16x16x16x16xf64>,
    %t2_d2_6: tensor<16x16x16x16xf64>, %v2_d2_6: tensor<16x16x16x16xf64>,
    %t2_d2_7: tensor<16x16x16x16xf64>, %v2_d2_7: tensor<16x16x16x16xf64>,
    %t2_d2_8: tensor<16x16x16x16xf64>, %v2_d2_8: tensor<16x16x16x16xf64>,
    %t2_d2_9: tensor<16x16x16x16xf64>, %v2_d2_9: tensor<16x16x16x16xf64>
  ) -> tensor<16x16x16x16x16x16xf64> {
  %one = arith.constant 1.0 : f64
  %minus = arith.constant -1.0 : f64
  %d1_1 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p4, p5, p6, h1, h2, h3]
    ins(%t2_d1_1, %v2_d1_1 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%t3 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d1_2 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p4, p5, p6, h2, h1, h3]
    ins(%t2_d1_2, %v2_d1_2 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_1 : tensor<16x16x16x16x16x16xf64>) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d1_3 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p4, p5, p6, h2, h3, h1]
    ins(%t2_d1_3, %v2_d1_3 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_2 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d1_4 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p6, p4, p5, h1, h2, h3]
    ins(%t2_d1_4, %v2_d1_4 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_3 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d1_5 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p6, p4, p5, h2, h1, h3]
    ins(%t2_d1_5, %v2_d1_5 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_4 : tensor<16x16x16x16x16x16xf64>) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d1_6 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p6, p4, p5, h2, h3, h1]
    ins(%t2_d1_6, %v2_d1_6 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_5 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d1_7 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p4, p6, p5, h1, h2, h3]
    ins(%t2_d1_7, %v2_d1_7 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_6 : tensor<16x16x16x16x16x16xf64>) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d1_8 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p4, p6, p5, h2, h1, h3]
    ins(%t2_d1_8, %v2_d1_8 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_7 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d1_9 = tc.contract [h1, p5, p4, h7], [h7, p6, h2, h3] -> [p4, p6, p5, h2, h3, h1]
    ins(%t2_d1_9, %v2_d1_9 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_8 : tensor<16x16x16x16x16x16xf64>) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_1 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p4, p5, p6, h1, h2, h3]
    ins(%t2_d2_1, %v2_d2_1 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d1_9 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_2 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p4, p5, p6, h3, h1, h2]
    ins(%t2_d2_2, %v2_d2_2 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d2_1 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_3 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p4, p5, p6, h1, h3, h2]
    ins(%t2_d2_3, %v2_d2_3 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d2_2 : tensor<16x16x16x16x16x16xf64>) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_4 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p5, p4, p6, h1, h2, h3]
    ins(%t2_d2_4, %v2_d2_4 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d2_3 : tensor<16x16x16x16x16x16xf64>) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_5 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p5, p4, p6, h3, h1, h2]
    ins(%t2_d2_5, %v2_d2_5 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d2_4 : tensor<16x16x16x16x16x16xf64>) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_6 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p5, p4, p6, h1, h3, h2]
    ins(%t2_d2_6, %v2_d2_6 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d2_5 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_7 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p5, p6, p4, h1, h2, h3]
    ins(%t2_d2_7, %v2_d2_7 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d2_6 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_8 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p5, p6, p4, h3, h1, h2]
    ins(%t2_d2_8, %v2_d2_8 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d2_7 : tensor<16x16x16x16x16x16xf64>) alpha(%minus : f64) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  %d2_9 = tc.contract [h2, h1, p4, p7], [p5, p6, h3, p7] -> [p5, p6, p4, h1, h3, h2]
    ins(%t2_d2_9, %v2_d2_9 : tensor<16x16x16x16xf64>, tensor<16x16x16x16xf64>)
    outs(%d2_8 : tensor<16x16x16x16x16x16xf64>) beta(%one : f64) -> tensor<16x16x16x16x16x16xf64>
  return %d2_9 : tensor<16x16x16x16x16x16xf64>
}
