// C[i,j] = A[i,k] * B[k,j] with i=32 k=24 j=16 in double precision by tensor
// cores, in tiles of 16 x 16 and steps of 8, by two warps of 8 x 16 elements.
// Asynchronous copies bring in a tile ahead, through two buffers.

#include <cuda_pipeline.h>

constexpr int N = 16, K = 24, tile = 16, step = 8;

__device__ void multiply(double (&sum)[2], double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
      "{%0, %1};"
      : "+d"(sum[0]), "+d"(sum[1])
      : "d"(a), "d"(b));
}

__device__ void copyTiles(double (*a)[step + 2], double (*b)[tile + 2],
                          const double *A, const double *B, int row, int k) {
  int t = threadIdx.x;
  // 16 x 8 and 8 x 16 doubles, two by two.
  __pipeline_memcpy_async(&a[t / 4][t % 4 * 2],
                          &A[(row + t / 4) * K + k + t % 4 * 2], 16);
  __pipeline_memcpy_async(&b[t / 8][t % 8 * 2], &B[(k + t / 8) * N + t % 8 * 2],
                          16);
  __pipeline_commit();
}

extern "C" __global__ void __launch_bounds__(64)
    tensor_cores(const double *A, const double *B, double *C) {
  __shared__ __align__(16) double a[2][tile][step + 2];
  __shared__ __align__(16) double b[2][step][tile + 2];
  int row = blockIdx.x * tile;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int group = lane / 4, member = lane % 4;
  double sum[2][2] = {};
  copyTiles(a[0], b[0], A, B, row, 0);
#pragma unroll 1
  for (int s = 0; s < K / step; ++s) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (s + 1 < K / step)
      copyTiles(a[(s + 1) % 2], b[(s + 1) % 2], A, B, row, (s + 1) * step);
    for (int k = 0; k < step; k += 4)
      for (int j = 0; j < 2; ++j)
        multiply(sum[j], a[s % 2][warp * 8 + group][k + member],
                 b[s % 2][k + member][j * 8 + group]);
  }
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i)
      C[(row + warp * 8 + group) * N + j * 8 + member * 2 + i] = sum[j][i];
}
