extern "C" __global__ void vectorAdd(const float *__restrict__ a,
                                     const float *__restrict__ b, float *c,
                                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
#define T 16
extern "C" __global__ void matrixProduct(const double *__restrict__ A,
                                         const double *__restrict__ B,
                                         double *C, int m, int n, int k) {
  __shared__ double sa[T][T], sb[T][T];
  int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
  double acc = 0;
  for (int t = 0; t < (k + T - 1) / T; t++) {
    int ka = t * T + threadIdx.x, kb = t * T + threadIdx.y;
    sa[threadIdx.y][threadIdx.x] = (r < m && ka < k) ? A[r * k + ka] : 0;
    sb[threadIdx.y][threadIdx.x] = (kb < k && c < n) ? B[kb * n + c] : 0;
    __syncthreads();
    for (int i = 0; i < T; i++)
      acc += sa[threadIdx.y][i] * sb[i][threadIdx.x];
    __syncthreads();
  }
  if (r < m && c < n)
    C[r * n + c] = acc;
}
extern "C" __global__ void reduction(const float *in, float *out, unsigned n) {
  extern __shared__ float s[];
  unsigned t = threadIdx.x;
  float v = 0;
  for (unsigned i = blockIdx.x * blockDim.x + t; i < n;
       i += gridDim.x * blockDim.x)
    v += in[i];
  s[t] = v;
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k)
      s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}
