extern "C" __global__ void scale(float *x, float a, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }
__global__ void fill(int *x) { x[threadIdx.x] = 7; }
int main(){ scale<<<1,1>>>(0,1,0); fill<<<1,1>>>(0); return 0;}
