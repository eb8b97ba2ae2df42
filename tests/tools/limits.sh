#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Limits of the process: of memory, which allocations then keep to, and of files,
# which end no program.
. "$(dirname "$0")/../expect.sh"
unset SOFTWARP_CACHE SOFTWARP_MEMORY
export SOFTWARP_CACHE_DIR="$work/cache" SOFTWARP_ENGINE=jit

cat >"$work/take.c" <<'EOF'
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 p) { .reg .u64 a; .reg .u32 v;\n"
    "ld.param.u64 a, [p]; mov.u32 v, 7; st.global.u32 [a], v; ret; }\n";
int main(int argc, char **argv)
{
    size_t mib = 0, free = 0, total = 0;
    CUcontext c; CUdeviceptr p; CUmodule m; CUfunction f; void *h;
    if (argc > 1) mib = strtoul(argv[1], NULL, 10);
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&c, 0) || cuCtxSetCurrent(c) ||
        cuMemGetInfo(&free, &total)) return 9;
    printf("free %s total\n", free < total / 8 ? "far below" : "near");
    printf("beyond %d\n", cuMemAlloc(&p, free + 4096));
    printf("pinned %d\n", cuMemAllocHost(&h, free + 4096));
    printf("taken %d\n", cuMemAlloc(&p, mib << 20));
    if (cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&f, m, "k")) return 8;
    void *args[] = {&p};
    printf("launched %d\n", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
    printf("done %d\n", cuMemsetD8(p, 1, mib << 20));
    return 0;
}
EOF
cc -w -I"$SW_SOURCE/include/cuda" "$work/take.c" -o "$work/take" \
    -L"$SW_BUILD/lib" -lcuda || exit 1

# run LIMIT MIB: under `ulimit LIMIT`; its output goes through a pipe
run() {
    said=$(
        ulimit $1 || exit 1
        LD_LIBRARY_PATH=$SW_BUILD/lib LD_PRELOAD=${SW_PRELOAD:-} \
            "$work/take" "$2" 2>&1
    )
    ended=$?
    echo "$said"
    return $ended
}

expect 0 '^free far below total$' "-d 1048576" 64
expect 0 '^beyond 2$' "-d 1048576" 64
expect 0 '^pinned 2$' "-d 1048576" 64
expect 0 '^taken 0$' "-d 1048576" 64
expect 0 '^done 0$' "-d 1048576" 64
export SOFTWARP_MEMORY=device
expect 0 '^free near total$' "-d 1048576" 64
unset SOFTWARP_MEMORY
expect 0 '^done 0$' "-f 0" 64
expect 0 '^done 0$' "-f 1" 64
SOFTWARP_LOG=debug
export SOFTWARP_LOG
expect 0 'done 0$' "-f 0" 64
echo "tools/limits: $passed passed, $failed failed"
[ $failed = 0 ]
