#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp tune`: the best variant by counter and by predicted time, wrong ones
# never, what is kept between runs, strategies, and what is no description.
. "$SW_SOURCE/tests/expect.sh"
run() {
    "$SW_BUILD/bin/softwarp" tune "$@"
}
cd "$work" || exit 1
cat >app.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void fill(int *a)
{
    for (int i = threadIdx.x; i < 4096; i += LOOP)
        a[i] = i;
}
int main(int argc, char **argv)
{
    static int b[4096];
    int *a, wrong = 0;
    cudaMalloc(&a, sizeof b);
    cudaMemset(a, 0xff, sizeof b);
    fill<<<1, atoi(argv[1]) * STEP>>>(a);
    cudaMemcpy(b, a, sizeof b, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4096; i++)
        wrong += b[i] != i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
CU
# Fewer threads than LOOP leave gaps; 2048 threads are more than a block has.
cat >a.json <<'J'
{"source": "app.cu", "kernel": "fill", "arguments": ["{THREADS}"],
 "tune_params": {"LOOP": [32, 64, 2048], "THREADS": [16, 32, 1024],
                 "STEP": [1, 2]},
 "restrictions": ["THREADS * STEP <= LOOP",
                  "not (LOOP == 64 and THREADS == 16)",
                  "LOOP < 2048 || (THREADS == 1024 && STEP != 1)"],
 "objective": "smsp__inst_executed", "devices": ["H200"]}
J
expect 0 '^H200 SXM 141 GB: 6 of 18 variants tried, 0 of them before' a.json \
    --csv all.csv
cp "$work/out" first
expect 0 'tried, 6 of them before; the best' a.json
run() {
    cat first
}
expect 0 '^  LOOP=64 THREADS=32 STEP=2 +[0-9]+' cat
expect 0 '^  LOOP=64 THREADS=32 STEP=1 +wrong result: 2048 wrong' cat
expect 0 '^  LOOP=2048 THREADS=1024 STEP=2 +wrong result' cat
run() {
    "$SW_BUILD/bin/softwarp" tune "$@"
}
expect 0 '^-DLOOP=32 -DTHREADS=(16 -DSTEP=2|32 -DSTEP=1)$' a.json --best H200
expect 1 "nothing was found for 'GeForce GTX 280, smsp" a.json --best 'GTX 280'
expect 0 '3 of 18' a.json --again --strategy mls --max-fevals 3 --seed 3
expect 0 '2 of 18' a.json --again --strategy random_sample --max-fevals 2
expect 1 'STEP=1 +wrong result: 2048 wrong$' a.json --device 'GTX 280' \
    --objective time --max-fevals 1
sed 's/"LOOP"/"M"/; s/LOOP/M/g' a.json >b.json
expect 1 'does not compile' b.json --max-fevals 1
sed 's/STEP <= LOOP/STEP <= QQ/' a.json >b.json
expect 2 "restriction 'THREADS \* STEP <= QQ' is no expression from 'QQ' on" \
    b.json
sed 's/"source"/"sauce"/' a.json >b.json
expect 2 'b.json: it names no source' b.json
sed 's/\[32, 64, 2048\]/[]/' a.json >b.json
expect 2 "a list of 1 to 256 values belongs to 'LOOP'" b.json
echo '{' >b.json
expect 2 'b.json:[12]: ' b.json
expect 2 'strategies are brute_force' a.json --strategy genetic
expect 2 "no such option '--fast'" a.json --fast
lines=$(wc -l <all.csv)
if [ "$lines" = 7 ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "all.csv has $lines lines"
fi
echo "tools/tune_search: $passed passed, $failed failed"
[ $failed = 0 ]
