// A product by CUTLASS 2.x, as other people measured it. The host program prints
// what a launch needs: grid, threads, bytes of shared memory, and the parameters
// in hexadecimal. It needs no device. The macros come from
// scripts/timing_report.py.

// The parameters that a launch would pass are a private member.
#define private public
#include "cutlass/gemm/device/gemm.h"
#include "cutlass/gemm/device/gemm_batched.h"
#undef private

#include <cstdio>

using Column = cutlass::layout::ColumnMajor;
using Tile = cutlass::gemm::GemmShape<TILE>;
using Warp = cutlass::gemm::GemmShape<WARP>;
using Instruction = cutlass::gemm::GemmShape<INSTRUCTION>;
using Epilogue =
    cutlass::epilogue::thread::LinearCombination<double, 1, double, double>;
#if BATCH == 0
using Gemm = cutlass::gemm::device::Gemm<
    double, Column, double, Column, double, Column, double,
    cutlass::arch::OpClassTensorOp, cutlass::arch::ARCHITECTURE, Tile, Warp,
    Instruction, Epilogue,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, STAGES>;
#else
using Gemm = cutlass::gemm::device::GemmBatched<
    double, Column, double, Column, double, Column, double,
    cutlass::arch::OpClassTensorOp, cutlass::arch::ARCHITECTURE, Tile, Warp,
    Instruction, Epilogue,
    cutlass::gemm::threadblock::GemmBatchedIdentityThreadblockSwizzle, STAGES>;
#endif
using KernelType = typename Gemm::GemmKernel;
template __global__ void
    cutlass::Kernel<KernelType>(typename KernelType::Params);

int main() {
  const int m = SIZE_M, n = SIZE_N, k = SIZE_K;
  auto address = [](unsigned long long place) {
    return reinterpret_cast<double *>(place << 40);
  };
  double *a = address(0x70), *b = address(0x71), *c = address(0x72);
#if BATCH == 0
  typename Gemm::Arguments arguments({m, n, k}, {a, m}, {b, k}, {c, m}, {c, m},
                                     {1.0, 0.0});
#else
  // Every product of a batch has the same second factor.
  long long ofA = 1LL * m * k, ofC = 1LL * m * n;
  typename Gemm::Arguments arguments({m, n, k}, {a, m}, ofA, {b, k}, 0, {c, m},
                                     ofC, {c, m}, ofC, {1.0, 0.0}, BATCH);
#endif
  Gemm gemm;
  if (gemm.initialize(arguments) != cutlass::Status::kSuccess)
    return 1;
  auto &parameters = gemm.underlying_operator_.params_;
  typename Gemm::ThreadblockSwizzle swizzle;
  dim3 grid = swizzle.get_grid_shape(parameters.grid_tiled_shape);
  std::printf("%u,%u,%u %d %zu ", grid.x, grid.y, grid.z,
              KernelType::kThreadCount,
              sizeof(typename KernelType::SharedStorage));
  auto *bytes = reinterpret_cast<unsigned char *>(&parameters);
  for (size_t i = 0; i < sizeof(parameters); ++i)
    std::printf("%02x", bytes[i]);
  std::printf("\n");
}
