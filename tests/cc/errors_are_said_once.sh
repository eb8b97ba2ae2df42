#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A source is compiled twice or more; its errors and warnings appear once, at
# the user's line, and the exit status tells.
. "$(dirname "$0")/checks.inc"
cat >kernel.cu <<'END'
__global__ void kernel(int *p)
{
    *p = missing;
}
int main() { kernel<<<1, 1>>>(0); }
END
refuses "^kernel.cu:3:10: error: use of undeclared identifier 'missing'" \
    -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 \
    kernel.cu
check "one error" count 'error:' cc.out 1
check "no output" test ! -e a.out
cat >host.cu <<'END'
__global__ void kernel(int *p) {}
int main() { kernel<<<1>>>(0); return missing; }
END
refuses "^host.cu:2:.*missing" host.cu
check "each host error once" count 'missing.$' cc.out 1
cat >warn.cu <<'END'
__global__ void kernel(int *p) { *p; }
int main() { 1 + 1; return 0; }
END
compiles "with warnings" -c warn.cu
check "a warning in a kernel, once" count '^warn.cu:1:.*warning:' cc.out 1
check "a warning on the host, once" count '^warn.cu:2:.*warning:' cc.out 1
compiles "with -w" -w -c warn.cu
check "-w silences" count . cc.out 0
refuses "error: expression result unused" -Werror all-warnings -c warn.cu
compiles "with -Wall for the host" -Xcompiler -Wall -c warn.cu
check "still once" count '^warn.cu:1:.*warning:' cc.out 1
finish
