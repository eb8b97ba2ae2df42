/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/*
 * Threads that ask for more than there is get nothing, and take nothing from
 * those that ask for little at the same time. No bytes are an allocation too.
 */
#include "check.h"

__global__ void
ask(int *failed)
{
    void *all = malloc((size_t)1 << 40);
    int *one = (int *)malloc(100), *none = (int *)malloc(0);
    if (all || !one || !none)
        atomicAdd(failed, 1);
    else
        *one = 5;
    free(all);
    free(one);
    free(none);
}

int
main()
{
    int *failed, got;
    CK(cudaMalloc(&failed, sizeof *failed));
    CK(cudaMemset(failed, 0, sizeof *failed));
    ask<<<64, 128>>>(failed);
    CK(cudaMemcpy(&got, failed, sizeof got, cudaMemcpyDeviceToHost));
    printf(got ? "wrong\n" : "right\n");
    return 0;
}
