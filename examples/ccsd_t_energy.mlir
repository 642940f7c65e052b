// The energy of the triples in coupled-cluster theory, (T) of CCSD(T), for spin
// orbitals: 18 contractions of double amplitudes with integrals add up to the
// connected triples x[a,b,c,i,j,k], nine products of single amplitudes with
// integrals to the disconnected ones s, and the energy is
//
//   sum over a,b,c,i,j,k of x * (x + s) / (e_i + e_j + e_k - e_a - e_b - e_c)
//
// (up to the factor of 1/36). One kernel computes it: no tensor of six dimensions
// is ever stored. docs/ccsd-t-energy.md goes through it.
//
//   tc-run examples/ccsd_t_energy.mlir --blocks=first,middle,last --check

!one = tensor<16xf64>
!two = tensor<16x16xf64>
!four = tensor<16x16x16x16xf64>
!six = tensor<16x16x16x16x16x16xf64>

func.func @energy(%t1: !two, %t2: !four, %t2_pairs: !four, %v_hole: !four,
                  %v_particle: !four, %v_pairs: !four,
                  %e_hole: !one, %e_particle: !one) -> tensor<f64> {
  %one = arith.constant 1.0 : f64
  %minus = arith.constant -1.0 : f64
  %x0 = tensor.empty() : !six

  // Connected triples, by way of a hole l.
  %x1 = tc.contract [i, b, a, l], [l, c, j, k] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x0 : !six) alpha(%minus : f64) -> !six
  %x2 = tc.contract [j, b, a, l], [l, c, i, k] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x1 : !six) beta(%one : f64) -> !six
  %x3 = tc.contract [k, b, a, l], [l, c, i, j] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x2 : !six) alpha(%minus : f64) beta(%one : f64) -> !six
  %x4 = tc.contract [i, c, b, l], [l, a, j, k] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x3 : !six) alpha(%minus : f64) beta(%one : f64) -> !six
  %x5 = tc.contract [j, c, b, l], [l, a, i, k] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x4 : !six) beta(%one : f64) -> !six
  %x6 = tc.contract [k, c, b, l], [l, a, i, j] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x5 : !six) alpha(%minus : f64) beta(%one : f64) -> !six
  %x7 = tc.contract [i, c, a, l], [l, b, j, k] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x6 : !six) beta(%one : f64) -> !six
  %x8 = tc.contract [j, c, a, l], [l, b, i, k] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x7 : !six) alpha(%minus : f64) beta(%one : f64) -> !six
  %x9 = tc.contract [k, c, a, l], [l, b, i, j] -> [a, b, c, i, j, k]
    ins(%t2, %v_hole : !four, !four) outs(%x8 : !six) beta(%one : f64) -> !six

  // And by way of a particle d.
  %x10 = tc.contract [j, i, a, d], [b, c, k, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x9 : !six) alpha(%minus : f64) beta(%one : f64) -> !six
  %x11 = tc.contract [k, j, a, d], [b, c, i, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x10 : !six) alpha(%minus : f64) beta(%one : f64) -> !six
  %x12 = tc.contract [k, i, a, d], [b, c, j, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x11 : !six) beta(%one : f64) -> !six
  %x13 = tc.contract [j, i, b, d], [a, c, k, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x12 : !six) beta(%one : f64) -> !six
  %x14 = tc.contract [k, j, b, d], [a, c, i, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x13 : !six) beta(%one : f64) -> !six
  %x15 = tc.contract [k, i, b, d], [a, c, j, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x14 : !six) alpha(%minus : f64) beta(%one : f64) -> !six
  %x16 = tc.contract [j, i, c, d], [a, b, k, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x15 : !six) alpha(%minus : f64) beta(%one : f64) -> !six
  %x17 = tc.contract [k, j, c, d], [a, b, i, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x16 : !six) alpha(%minus : f64) beta(%one : f64) -> !six

  // The last one makes the energy of a triple from all of them.
  %x18 = tc.contract [k, i, c, d], [a, b, j, d] -> [a, b, c, i, j, k]
    ins(%t2_pairs, %v_particle : !four, !four) outs(%x17 : !six) beta(%one : f64)
    auxiliaries(%t1 [i, a] : !two, %t1 [j, a] : !two, %t1 [k, a] : !two, %t1 [i, b] : !two, %t1 [j, b] : !two,
          %t1 [k, b] : !two, %t1 [i, c] : !two, %t1 [j, c] : !two, %t1 [k, c] : !two,
          %v_pairs [b, c, j, k] : !four, %v_pairs [b, c, i, k] : !four,
          %v_pairs [b, c, i, j] : !four, %v_pairs [a, c, j, k] : !four,
          %v_pairs [a, c, i, k] : !four, %v_pairs [a, c, i, j] : !four,
          %v_pairs [a, b, j, k] : !four, %v_pairs [a, b, i, k] : !four,
          %v_pairs [a, b, i, j] : !four, %e_hole [i] : !one, %e_hole [j] : !one,
          %e_hole [k] : !one, %e_particle [a] : !one, %e_particle [b] : !one,
          %e_particle [c] : !one)
    epilogue {
    ^bb0(%x: f64, %old: f64, %t_ia: f64, %t_ja: f64, %t_ka: f64, %t_ib: f64, %t_jb: f64,
         %t_kb: f64, %t_ic: f64, %t_jc: f64, %t_kc: f64, %v_bcjk: f64, %v_bcik: f64, %v_bcij: f64, %v_acjk: f64,
         %v_acik: f64, %v_acij: f64, %v_abjk: f64, %v_abik: f64, %v_abij: f64, %e_i: f64, %e_j: f64,
         %e_k: f64, %e_a: f64, %e_b: f64, %e_c: f64):
      %s1 = arith.mulf %t_ia, %v_bcjk : f64
      %s2 = arith.mulf %t_ja, %v_bcik : f64
      %sum2 = arith.subf %s1, %s2 : f64
      %s3 = arith.mulf %t_ka, %v_bcij : f64
      %sum3 = arith.addf %sum2, %s3 : f64
      %s4 = arith.mulf %t_ib, %v_acjk : f64
      %sum4 = arith.subf %sum3, %s4 : f64
      %s5 = arith.mulf %t_jb, %v_acik : f64
      %sum5 = arith.addf %sum4, %s5 : f64
      %s6 = arith.mulf %t_kb, %v_acij : f64
      %sum6 = arith.subf %sum5, %s6 : f64
      %s7 = arith.mulf %t_ic, %v_abjk : f64
      %sum7 = arith.addf %sum6, %s7 : f64
      %s8 = arith.mulf %t_jc, %v_abik : f64
      %sum8 = arith.subf %sum7, %s8 : f64
      %s9 = arith.mulf %t_kc, %v_abij : f64
      %sum9 = arith.addf %sum8, %s9 : f64
      %both = arith.addf %x, %sum9 : f64
      %square = arith.mulf %x, %both : f64
      %e_ij = arith.addf %e_i, %e_j : f64
      %e_ijk = arith.addf %e_ij, %e_k : f64
      %d_a = arith.subf %e_ijk, %e_a : f64
      %d_ab = arith.subf %d_a, %e_b : f64
      %d_abc = arith.subf %d_ab, %e_c : f64
      // Random energies leave no gap between holes and particles: here is one.
      %gap = arith.constant 8.0 : f64
      %d = arith.subf %d_abc, %gap : f64
      %energy = arith.divf %square, %d : f64
      tc.yield %energy : f64
    } -> !six

  // And their sum is the energy.
  %zero = arith.constant 0.0 : f64
  %none = tensor.empty() : tensor<f64>
  %begin = linalg.fill ins(%zero : f64) outs(%none : tensor<f64>) -> tensor<f64>
  %sum = linalg.reduce { arith.addf } ins(%x18 : !six) outs(%begin : tensor<f64>)
    dimensions = [0, 1, 2, 3, 4, 5]
  return %sum : tensor<f64>
}
