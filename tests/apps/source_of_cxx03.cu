/* SPDX-License-Identifier: Apache-2.0 */
// cc: -std=c++03
// expect: EXACT 31 3
/* C++03 as nvcc takes it: `register`, narrowing in braces, templates closed by
 * two marks. */
#include <cstdio>
#include <vector>

struct pair {
    int a;
    char b;
};

__global__ void
fill(int *p)
{
    register int i = threadIdx.x;
    p[i] = i;
}

int
main()
{
    int *p, n = 3;
    pair narrow = {1, n};
    std::vector<std::vector<int> > rows(1, std::vector<int>(n));
    cudaMallocManaged(&p, 32 * sizeof *p);
    fill<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    printf("%d %d\n", p[31], narrow.b == (char)rows[0].size() ? 3 : 0);
    return 0;
}
