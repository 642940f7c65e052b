// RUN: not tc-opt %s --tc-tile-chains="when=often" 2>&1 | FileCheck %s --check-prefix=WHEN
// RUN: not tc-opt %s --tc-tile-chains="target-file=%s.none" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tc-opt %s --tc-cpu-pipeline="tile-chains=often" 2>&1 | FileCheck %s --check-prefix=WHEN

// WHEN: error: option 'when': 'often' is none of auto, always and never
// FILE: error: option 'target-file': {{.*}}tile-chains_invalid.mlir.none

func.func @empty() {
  return
}
