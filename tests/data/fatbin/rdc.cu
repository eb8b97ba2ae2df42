__device__ int twice(int x);
extern "C" __global__ void apply(int *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
int main(void) { apply<<<1,1>>>(0); return 0; }
