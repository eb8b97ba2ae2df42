/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT sums: no error
// expect: EXACT numbers: no error
// expect: EXACT 0 wrong
/* A tree whose nodes wait for others, as in codes for many bodies: each lane
 * goes around by itself until the nodes that its own needs are done, by lanes
 * of this warp, other warps, and blocks that start later. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

/* Sums from the leaves up: children come after their parents, each thread takes
 * every stride-th node, from the last on, and goes around until all children of
 * its node have sums. */
__global__ void
sums(int n, const int *child, volatile float4 *node)
{
    int stride = blockDim.x * gridDim.x;
    int k = n - 1 - (int)(threadIdx.x + blockIdx.x * blockDim.x);
    while (k >= 0) {
        if (node[k].w >= 0) {
            k -= stride;
            continue;
        }
        int missing = 0;
        for (int i = 0; i < 8; i++) {
            int c = child[8 * k + i];
            if (c >= 0 && node[c].w < 0)
                missing++;
        }
        if (missing == 0) {
            float size = 1, depth = 0;
            for (int i = 0; i < 8; i++) {
                int c = child[8 * k + i];
                if (c >= 0) {
                    size += node[c].w;
                    depth = fmaxf(depth, node[c].y + 1);
                }
            }
            node[k].y = depth;
            __threadfence();
            node[k].w = size;
            k -= stride;
        }
    }
}

/* Numbers in depth-first order from the root down: a node waits for its parent
 * to have numbered it, and all threads of a block meet each time around. */
__global__ void
numbers(int n, const int *child, const float4 *node, volatile int *number)
{
    int stride = blockDim.x * gridDim.x;
    int k = threadIdx.x + blockIdx.x * blockDim.x;
    while (k < n) {
        int at = number[k];
        if (at >= 0) {
            at++;
            for (int i = 0; i < 8; i++) {
                int c = child[8 * k + i];
                if (c >= 0) {
                    number[c] = at;
                    at += (int)node[c].w;
                }
            }
            k += stride;
        }
        __syncthreads();
    }
}

int
main()
{
    constexpr int n = 7000, near = 60;
    std::vector<int> child(8 * n, -1), parent(n, -1), depth(n), size(n, 1);
    srand(1);
    for (int i = 1; i < n; i++) {
        int at;
        do {
            int back = i < near || rand() % 3 == 0 ? i : near;
            parent[i] = i - 1 - rand() % back;
            at = 8 * parent[i] + rand() % 8;
        } while (child[at] >= 0);
        child[at] = i;
    }
    for (int i = n - 1; i > 0; i--) {
        size[parent[i]] += size[i];
        depth[parent[i]] = std::max(depth[parent[i]], depth[i] + 1);
    }
    std::vector<float4> node(n, make_float4(0, 0, 0, -1));
    std::vector<int> number(n, -1);
    number[0] = 0;
    int *d_child, *d_number;
    float4 *d_node;
    cudaMalloc(&d_child, 8 * n * sizeof *d_child);
    cudaMalloc(&d_node, n * sizeof *d_node);
    cudaMalloc(&d_number, n * sizeof *d_number);
    cudaMemcpy(d_child, child.data(), 8 * n * sizeof *d_child,
               cudaMemcpyDefault);
    cudaMemcpy(d_node, node.data(), n * sizeof *d_node, cudaMemcpyDefault);
    cudaMemcpy(d_number, number.data(), n * sizeof *d_number,
               cudaMemcpyDefault);
    sums<<<24, 256>>>(n, d_child, d_node);
    printf("sums: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    numbers<<<24, 256>>>(n, d_child, d_node, d_number);
    printf("numbers: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaMemcpy(node.data(), d_node, n * sizeof *d_node, cudaMemcpyDefault);
    cudaMemcpy(number.data(), d_number, n * sizeof *d_number,
               cudaMemcpyDefault);
    int wrong = 0;
    std::vector<char> seen(n);
    for (int i = 0; i < n; i++) {
        wrong += node[i].w != size[i] || node[i].y != depth[i];
        wrong += number[i] < 0 || number[i] >= n || seen[number[i]]++;
        wrong += i > 0 && number[i] <= number[parent[i]];
    }
    printf("%d wrong\n", wrong);
}
