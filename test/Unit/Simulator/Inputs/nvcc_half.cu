// Narrow floating point and tensor cores, as CUDA's headers and inline assembly
// make them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// y = max(a x + y, 0) where x < y, else y.
extern "C" __global__ void half_step(__half2 a, const __half2 *x, __half2 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 isLess = __hlt2(x[i], y[i]);
  __half2 stepped = __hfma2_relu(a, x[i], y[i]);
  __half2 one = __float2half2_rn(1.0f);
  y[i] = __hfma2(isLess, stepped, __hmul2(__hsub2(one, isLess), y[i]));
}

extern "C" __global__ void brain_step(float a, const __nv_bfloat162 *x,
                                      __nv_bfloat162 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat162 factor = __float2bfloat162_rn(a);
  y[i] = __hmax2(__hfma2(factor, x[i], y[i]), __hneg2(y[i]));
}

extern "C" __global__ void to_bytes(const float2 *x, __nv_fp8x2_e4m3 *y,
                                    __half2 *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __nv_fp8x2_e4m3(x[i]);
  z[i] = static_cast<__half2>(y[i]);
}

// C = A B for a 16 by 16 k, row-major, and a 16 k by 8, row-major, by one warp.
extern "C" __global__ void half_gemm(const __half *a, const __half *b, float *c,
                                     int k) {
  __shared__ alignas(16) __half tileA[16][24];
  __shared__ alignas(16) __half tileB[16][8];
  int lane = threadIdx.x;
  float sums[4] = {0, 0, 0, 0};
  for (int begin = 0; begin < k; begin += 16) {
    __syncthreads();
    *reinterpret_cast<float4 *>(&tileA[lane / 2][8 * (lane % 2)]) =
        *reinterpret_cast<const float4 *>(a + lane / 2 * k + begin +
                                          8 * (lane % 2));
    if (lane < 16)
      *reinterpret_cast<float4 *>(&tileB[lane][0]) =
          *reinterpret_cast<const float4 *>(b + (begin + lane) * 8);
    __syncthreads();
    unsigned fragmentA[4], fragmentB[2];
    auto rowA = static_cast<unsigned>(
        __cvta_generic_to_shared(&tileA[lane % 16][8 * (lane / 16)]));
    auto rowB =
        static_cast<unsigned>(__cvta_generic_to_shared(&tileB[lane % 16][0]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, "
                 "[%4];"
                 : "=r"(fragmentA[0]), "=r"(fragmentA[1]), "=r"(fragmentA[2]),
                   "=r"(fragmentA[3])
                 : "r"(rowA));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, "
                 "[%2];"
                 : "=r"(fragmentB[0]), "=r"(fragmentB[1])
                 : "r"(rowB));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(fragmentA[0]), "r"(fragmentA[1]), "r"(fragmentA[2]),
                   "r"(fragmentA[3]), "r"(fragmentB[0]), "r"(fragmentB[1]));
  }
  for (int i = 0; i < 4; ++i)
    c[(lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2] = sums[i];
}
