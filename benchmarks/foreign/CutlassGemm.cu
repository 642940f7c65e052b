// A matrix product by CUTLASS 2.x for sm_80, compiled for one combination of
// types and tiles and launched once. The macros come from
// scripts/foreign_kernels.py.

#include "cutlass/gemm/device/gemm.h"

#include <cstdlib>

using RowMajor = cutlass::layout::RowMajor;
using ColumnMajor = cutlass::layout::ColumnMajor;
using Gemm = cutlass::gemm::device::Gemm<
    ELEMENT, LAYOUT_A, ELEMENT, LAYOUT_B, OUTPUT, RowMajor, SUM,
    cutlass::arch::OPERATOR_CLASS, cutlass::arch::Sm80,
    cutlass::gemm::GemmShape<TILE>, cutlass::gemm::GemmShape<WARP>,
    cutlass::gemm::GemmShape<INSTRUCTION>,
    cutlass::epilogue::thread::LinearCombination<OUTPUT, OUTPUT_ALIGNMENT, SUM,
                                                 SUM>,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, STAGES,
    ALIGNMENT, ALIGNMENT, /*SplitKSerial=*/false, OPERATION>;

int main(int count, char **words) {
  if (count != 4)
    return 2;
  const int m = std::atoi(words[1]), n = std::atoi(words[2]),
            k = std::atoi(words[3]);
  ELEMENT *a, *b;
  OUTPUT *c;
  cudaMalloc(&a, sizeof(ELEMENT) * m * k);
  cudaMalloc(&b, sizeof(ELEMENT) * k * n);
  cudaMalloc(&c, sizeof(OUTPUT) * m * n);
  const int strideA = std::is_same<LAYOUT_A, RowMajor>::value ? k : m;
  const int strideB = std::is_same<LAYOUT_B, RowMajor>::value ? n : k;
  Gemm gemm;
  return gemm({{m, n, k},
               {a, strideA},
               {b, strideB},
               {c, n},
               {c, n},
               {SUM(2), SUM(1)}}) == cutlass::Status::kSuccess
             ? 0
             : 1;
}
