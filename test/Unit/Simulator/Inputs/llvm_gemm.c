#define G __attribute__((address_space(1)))
#define S __attribute__((address_space(3)))
typedef double d2 __attribute__((vector_size(16)));
static S double sa[8][64] __attribute__((aligned(16)));
extern S double sb[] __attribute__((aligned(16)));
__attribute__((device_kernel)) void gemm(const G double *restrict A,
                                         const G double *restrict B,
                                         G double *restrict C, int n) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  int tr = t / 8, tc = t % 8;
  int r0 = __nvvm_read_ptx_sreg_ctaid_y() * 64,
      c0 = __nvvm_read_ptx_sreg_ctaid_x() * 64;
  double acc[8][8] = {};
  for (int k = 0; k < n; k += 8) {
    for (int i = 0; i < 8; i += 2) {
      *(S d2 *)&sa[tr][tc * 8 + i] =
          *(const G d2 *)&A[(long)(k + tr) * n + r0 + tc * 8 + i];
      *(S d2 *)&sb[tr * 64 + tc * 8 + i] =
          *(const G d2 *)&B[(long)(k + tr) * n + c0 + tc * 8 + i];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; j++) {
      double a[8], b[8];
#pragma unroll
      for (int i = 0; i < 8; i += 2) {
        d2 x = *(S d2 *)&sa[j][tr * 8 + i];
        a[i] = x[0];
        a[i + 1] = x[1];
        d2 y = *(S d2 *)&sb[j * 64 + tc * 8 + i];
        b[i] = y[0];
        b[i + 1] = y[1];
      }
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int l = 0; l < 8; l++)
          acc[i][l] = __builtin_fma(a[i], b[l], acc[i][l]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int l = 0; l < 8; l += 2) {
      d2 v = {acc[i][l], acc[i][l + 1]};
      *(G d2 *)&C[(long)(r0 + tr * 8 + i) * n + c0 + tc * 8 + l] = v;
    }
}
