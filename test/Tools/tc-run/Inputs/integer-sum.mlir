// Two contractions of one C whose factors no double tells apart.
func.func @sum(%A: memref<4x3xi64>, %B: memref<3x4xi64>, %D: memref<3x4xi64>,
               %C: memref<4x4xi64>) {
  %odd = arith.constant 9007199254740993 : i64
  %even = arith.constant 9007199254740992 : i64
  %one = arith.constant 1 : i64
  tc.contract [i, k], [k, j] -> [i, j]
    ins(%A, %B : memref<4x3xi64>, memref<3x4xi64>)
    outs(%C : memref<4x4xi64>) alpha(%odd : i64)
  tc.contract [i, k], [k, j] -> [i, j]
    ins(%A, %D : memref<4x3xi64>, memref<3x4xi64>)
    outs(%C : memref<4x4xi64>) alpha(%even : i64) beta(%one : i64)
  return
}
