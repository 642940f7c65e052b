// C[i,j] = A[i,k] * B[k,j] with i=64 k=48 j=32, in tiles of 32 x 32 and steps
// of 8, by 64 threads of 4 x 4 elements each. Asynchronous copies bring in the
// tiles two steps ahead, through three buffers.

#include <cuda_pipeline.h>

constexpr int M = 64, N = 32, K = 48, tile = 32, step = 8, stages = 3;

__device__ void copyTiles(float (*a)[step], float (*b)[tile], const float *A,
                          const float *B, int row, int column, int k) {
  int t = threadIdx.x;
  // 32 x 8 and 8 x 32 floats, four by four.
  __pipeline_memcpy_async(&a[t / 2][t % 2 * 4],
                          &A[(row + t / 2) * K + k + t % 2 * 4], 16);
  __pipeline_memcpy_async(&b[t / 8][t % 8 * 4],
                          &B[(k + t / 8) * N + column + t % 8 * 4], 16);
  __pipeline_commit();
}

extern "C" __global__ void __launch_bounds__(64)
    pipelined(const float *A, const float *B, float *C) {
  __shared__ __align__(16) float a[stages][tile][step];
  __shared__ __align__(16) float b[stages][step][tile];
  int row = blockIdx.x % (M / tile) * tile, column = blockIdx.x / (M / tile) * tile;
  int x = threadIdx.x % 8 * 4, y = threadIdx.x / 8 * 4;
  float sum[4][4] = {};
  for (int s = 0; s < stages - 1; ++s)
    copyTiles(a[s], b[s], A, B, row, column, s * step);
  for (int s = 0; s < K / step; ++s) {
    // The oldest group of those under way is this step's.
    if (s + 1 < K / step)
      __pipeline_wait_prior(stages - 2);
    else
      __pipeline_wait_prior(0);
    __syncthreads();
    if (s + stages - 1 < K / step)
      copyTiles(a[(s + stages - 1) % stages], b[(s + stages - 1) % stages], A,
                B, row, column, (s + stages - 1) * step);
    for (int k = 0; k < step; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          sum[i][j] += a[s % stages][y + i][k] * b[s % stages][k][x + j];
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      C[(row + y + i) * N + column + x + j] = sum[i][j];
}
