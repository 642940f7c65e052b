// The probability of the most likely path through a hidden Markov model that
// explains the observations (Viterbi), in the semiring of maxima and sums of
// logarithms. A step multiplies the states' probabilities with those of the
// transitions; its epilogue, which reads an auxiliary tensor, multiplies with those
// of the observation.
//
// A patient is healthy or has a fever, and feels normal, cold or dizzy. Asked on
// three days, the patient feels normal, cold and dizzy.

func.func private @printMemrefF64(memref<*xf64>) attributes {llvm.emit_c_interface}

// Logarithms of the probabilities: 0.6 and 0.4 at first; of remaining healthy
// 0.7, of remaining feverish 0.6; of feeling normal, cold and dizzy 0.5, 0.4 and
// 0.1 when healthy, and 0.1, 0.3 and 0.6 when feverish.
memref.global "private" constant @start : memref<2xf64> =
    dense<[-0.5108256237659907, -0.916290731874155]>
memref.global "private" constant @transitions : memref<2x2xf64> =
    dense<[[-0.35667494393873245, -1.2039728043259361],
           [-0.916290731874155, -0.5108256237659907]]>
memref.global "private" constant @observations : memref<3x2xf64> =
    dense<[[-0.6931471805599453, -2.3025850929940455],
           [-0.916290731874155, -1.2039728043259361],
           [-2.3025850929940455, -0.5108256237659907]]>

// after[j] = max over i of before[i] + transitions[i, j], + observation[j]
func.func @step(%before: memref<2xf64>, %transitions: memref<2x2xf64>,
                %observation: memref<2xf64>, %after: memref<2xf64>) {
  tc.contract [i], [i, j] -> [j]
    ins(%before, %transitions : memref<2xf64>, memref<2x2xf64>)
    outs(%after : memref<2xf64>) semiring = max_plus
    auxiliaries(%observation [j] : memref<2xf64>)
    epilogue {
    ^bb0(%best: f64, %old: f64, %likelihood: f64):
      %sum = arith.addf %best, %likelihood : f64
      tc.yield %sum : f64
    }
  return
}

func.func @main() {
  %start = memref.get_global @start : memref<2xf64>
  %transitions = memref.get_global @transitions : memref<2x2xf64>
  %observations = memref.get_global @observations : memref<3x2xf64>
  %state = memref.alloc() : memref<2xf64>
  %next = memref.alloc() : memref<2xf64>
  %observation = memref.alloc() : memref<2xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %first = memref.load %start[%i] : memref<2xf64>
    %seen = memref.load %observations[%c0, %i] : memref<3x2xf64>
    %sum = arith.addf %first, %seen : f64
    memref.store %sum, %state[%i] : memref<2xf64>
  }
  %c3 = arith.constant 3 : index
  scf.for %day = %c1 to %c3 step %c1 {
    scf.for %i = %c0 to %c2 step %c1 {
      %seen = memref.load %observations[%day, %i] : memref<3x2xf64>
      memref.store %seen, %observation[%i] : memref<2xf64>
    }
    func.call @step(%state, %transitions, %observation, %next)
      : (memref<2xf64>, memref<2x2xf64>, memref<2xf64>, memref<2xf64>) -> ()
    memref.copy %next, %state : memref<2xf64> to memref<2xf64>
  }
  // Back from logarithms.
  scf.for %i = %c0 to %c2 step %c1 {
    %logarithm = memref.load %state[%i] : memref<2xf64>
    %probability = math.exp %logarithm : f64
    memref.store %probability, %state[%i] : memref<2xf64>
  }
  %probabilities = memref.cast %state : memref<2xf64> to memref<*xf64>
  call @printMemrefF64(%probabilities) : (memref<*xf64>) -> ()
  memref.dealloc %state : memref<2xf64>
  memref.dealloc %next : memref<2xf64>
  memref.dealloc %observation : memref<2xf64>
  return
}
