// Schedules for contractions whose extents are unknown at compile time.
//
// RUN: tc-opt --tc-tile="representative-extents=m=4096,k=512" %s | FileCheck %s
// RUN: tc-opt --tc-tile="explain representative-extents=m=4096,k=512" %s \
// RUN:   -o /dev/null 2>&1 | FileCheck --check-prefix=EXPLAIN %s
// The extents decide: with few rows, tiles are smaller.
// RUN: tc-opt --tc-tile="representative-extents=m=16,k=512" %s \
// RUN:   | FileCheck --check-prefix=SMALL %s
// RUN: not tc-opt --tc-tile="representative-extents=m=4096" %s 2>&1 \
// RUN:   | FileCheck --check-prefix=UNKNOWN %s
// RUN: not tc-opt --tc-tile="representative-extents=m=0" %s 2>&1 \
// RUN:   | FileCheck --check-prefix=ZERO %s
// RUN: not tc-opt --tc-tile="representative-extents=4096" %s 2>&1 \
// RUN:   | FileCheck --check-prefix=FORM %s
// RUN: not tc-opt --tc-tile="representative-extents=m=4,m=8" %s 2>&1 \
// RUN:   | FileCheck --check-prefix=TWICE %s

// UNKNOWN: error: 'tc.contract' op extent of index 'k' is unknown at compile time
// ZERO: option 'representative-extents': extent of index 'm' must be a number from 1 to 2^63 - 1, but is '0'
// FORM: option 'representative-extents': '4096' is not of the form LABEL=EXTENT
// TWICE: option 'representative-extents': index 'm' is there twice

// EXPLAIN: 4096

// CHECK-LABEL: func @product
// CHECK: #tc.schedule<target = "sm_90", m = [m: {{[0-9][0-9]+}}], n = [n: {{[0-9][0-9]+}}], k = [k: {{[0-9]+}}]
// SMALL: m = [m: {{([0-9]|1[0-6])}}]
func.func @product(%A: tensor<?x?xf32>, %B: tensor<?x256xf32>,
                   %C: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %D = tc.contract [m, k], [k, n] -> [m, n]
    ins(%A, %B : tensor<?x?xf32>, tensor<?x256xf32>)
    outs(%C : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %D : tensor<?x256xf32>
}
