#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp prof` on what cannot be done: one error, no empty report, and the
# program does not run. Then programs whose devices are used in odd ways.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

cat >app.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <sys/wait.h>
#include <cuda_runtime.h>
__global__ void add(int *p) { p[threadIdx.x] += 1; }
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *p, launches = argc > 2 ? atoi(argv[2]) : 1;
    puts("it runs");
    fflush(stdout);
    if (!strcmp(what, "memory"))
        return cudaMalloc(&p, 1024);
    if (!strcmp(what, "fork")) {
        for (int i = 0; i < 3; i++)
            if (!fork()) {
                cudaMalloc(&p, 1024);
                add<<<1, 32>>>(p);
                exit(cudaDeviceSynchronize());
            }
        while (wait(nullptr) > 0)
            continue;
        return 0;
    }
    cudaMalloc(&p, 1024);
    for (int i = 0; i < launches; i++)
        add<<<1, 32>>>(p);
    return cudaDeviceSynchronize();
}
CU
if ! "$SW_BUILD/bin/softwarp" cc -std=c++17 app.cu -o app; then
    echo "tools/prof_wrong: 0 passed, 1 failed"
    exit 1
fi

# run STATUS argument...: prof, its report in `out`, the program's in `own`
run() {
    want=$1
    shift
    ran="prof $*"
    env LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" prof "$@" >own 2>out
    got=$?
    [ $got = "$want" ] && { passed=$((passed + 1)); return; }
    echo "$ran: status $got, wanted $want"
    cat out
    failed=$((failed + 1))
}

# has TEXT: a line of the report does
has() {
    if grep -qF -- "$1" out; then
        passed=$((passed + 1))
    else
        echo "$ran: no line has $1"
        cat out
        failed=$((failed + 1))
    fi
}

# refused STATUS TEXT argument...: that one line, and nothing has run
refused() {
    want=$1 text=$2
    shift 2
    run "$want" "$@"
    has "$text"
    if [ "$(wc -l <out)" = 1 ] && [ ! -s own ]; then
        passed=$((passed + 1))
    else
        echo "$ran: more than one line, or the program ran"
        cat out own
        failed=$((failed + 1))
    fi
}

echo 'no program' >text
mkdir folder
refused 127 './missing does not exist' ./missing
refused 127 'missing_too is in no folder of PATH' missing_too
refused 126 './text is not executable' ./text
refused 126 './folder is a folder' ./folder
refused 2 'no program after' --print-summary
refused 2 '"Nothing"' --device Nothing ./app
refused 2 '"Nothing"' --device H200 --device Nothing ./app
refused 2 '"Nothing"' --device Nothing --list-metrics
SOFTWARP_DEVICE=Nothing
export SOFTWARP_DEVICE
refused 2 '"Nothing"' ./app
unset SOFTWARP_DEVICE
refused 2 "1 to 64, not '0'" --devices 0 ./app
refused 2 "number from 1 to 65536, not 'x'" --threads x ./app
refused 2 "not 'zz'" --numerics zz ./app
refused 2 'none.txt: error' --device-file none.txt ./app
refused 2 'no metric nothing' -m nothing ./app
refused 2 "takes names, not ''" -m '' ./app
refused 2 'it depends on time' -m sm__cycles_active.sum ./app
refused 2 "no such option '--nothing'" --nothing ./app
refused 2 "no such option '--advice=nothing'" --advice=nothing ./app
refused 2 "no value for '--html'" --html
refused 2 "number from 1 on, not '0'" --sample=0 ./app
refused 2 "on or off, not 'maybe'" --profile-from-start maybe ./app
refused 2 "expression, not '['" --kernels '[' ./app
for option in --html --trace --callgrind --log-file -o; do
    refused 2 'cannot write no/where: No such file' $option no/where ./app
done
refused 2 'cannot write folder: Is a directory' --html folder ./app
refused 1 'none.prof: error: cannot be read' -i none.prof

# ---- no device is used
nothing='softwarp prof: the program used no device'
refused 3 "$nothing: nothing to report" sh -c 'exit 3'
refused 0 "$nothing: no records" -o records true
run 0 -o 'records.%p' ./app
has 'the records are in records.%p'
run 0 ./app memory
has 'app memory, device: H200'
has 'nothing ran on a device'

# ---- processes without exec
run 0 ./app fork
has ' 3 '
[ "$(grep -c 'app fork, device: H200' out)" = 3 ] && passed=$((passed + 1)) || {
    echo "$ran: not three processes"
    cat out
    failed=$((failed + 1))
}

# ---- many launches, with caches: a launch does not cost what L2 has sets
run 0 -m lts__t_sectors_op_write.sum ./app many 5000
has ' 5000  lts__t_sectors_op_write.sum '

echo "tools/prof_wrong: $passed passed, $failed failed"
[ $failed = 0 ]
