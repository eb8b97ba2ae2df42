/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT ffff|5
// expect: EXACT -4464 4465 3|5
// expect: EXACT -44
// expect: EXACT ff
// expect: EXACT %zu %zd %jd %td
// expect: EXACT 2.500000 %Lf
/* Lengths of printf's conversions that devices know, and those that they print
 * as they stand. */
#include "check.h"

__global__ void
print()
{
    printf("%hx|%d\n", -1, 5);
    printf("%hd %hd %hd|%d\n", -70000, 70001, 3, 5);
    printf("%hhd\n", -300);
    printf("%hhx\n", -1);
    printf("%zu %zd %jd %td\n", (size_t)5, (size_t)6, 7ll, 8l);
    printf("%lf %Lf\n", 2.5, 3.5);
}

int
main()
{
    print<<<1, 1>>>();
    CK(cudaDeviceSynchronize());
    return 0;
}
