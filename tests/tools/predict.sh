#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp predict`: one run, times on several devices; a row of JSON for each
# launch and device; what moves when a device is changed; and what is wrong.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

check() { # name, expected, got
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: '$3', not '$2'"
    fi
}

cat >app.cu <<'CU'
#include <cstdio>
__global__ void copy(float *o, const float *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = p[i];
}
__global__ void work(float *o, int n)
{
    float v = threadIdx.x;
    for (int i = 0; i < n; i++)
        v = v * 1.01f + 0.5f;
    o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main()
{
    float *a;
    cudaMalloc(&a, 8 << 20);
    copy<<<4096, 256>>>(a + (1 << 20), a);
    work<<<2048, 256>>>(a, 1000);
    work<<<2048, 256>>>(a, 1000);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
CU
"$softwarp" cc app.cu -o app || { echo "0 passed, 1 failed"; exit 1; }

# the predicted_ns of a kernel on a device in a file
time_of() { # file, kernel, device
    sed -n "s/.*\"kernel\": \"[^\"]*$2[^\"]*\".*\"device\": \"$3\".*\"predicted_ns\": \([0-9]*\),.*/\1/p" "$1" | head -1
}

"$softwarp" predict --devices 'H200,GTX 280' --json one.json --html one.html \
    ./app >table
check "the program runs" "no error" "$(head -1 table)"
check "a table for each device" 2 "$(grep -c ' in 3 launches$' table)"
check "launches of a kernel are one line" 2 "$(grep -c '^ *2 .*work' table)"
check "a row for each launch and device" 6 "$(grep -c '"predicted_ns"' one.json)"
check "it is JSON" ok "$(python3 -c '
import json
rows = json.load(open("one.json"))
keys = {"kernel", "index", "grid", "block", "device", "predicted_ns", "low_ns",
        "high_ns", "limiter", "stalls"}
good = all(keys <= set(r) and r["low_ns"] < r["predicted_ns"] < r["high_ns"]
           for r in rows)
good &= [r["index"] for r in rows] == [0, 0, 1, 1, 2, 2]
good &= all(abs(sum(r["stalls"].values()) - 1) < 0.02 for r in rows)
print("ok" if good else rows)')"
check "lines of the source, with the reason" 1 "$(python3 -c '
import json
rows = [r for r in json.load(open("one.json"))
        if "copy" in r["kernel"] and "H200" in r["device"]]
line = rows[0]["lines"][0]
print(int(line["line"] == "app.cu:5" and line["stall"] == "long_scoreboard" and
          line["share"] > 0.5))')"
check "they are in the table" 1 "$(grep -c "warps' time: .*app.cu:5" table | \
    sed 's/[1-9].*/1/')"
check "a page" 2 "$(grep -c '<h2>' one.html)"
new=$(time_of one.json work 'NVIDIA H200') old=$(time_of one.json work 'GeForce GTX 280')
check "an old device takes longer" 1 "$((old > 10 * new))"
check "arithmetic: 2048 * 256 * 1000 FMAs of 132 * 128 lanes at 1.98 GHz take
15.7 us at least" 1 "$((new > 15700 && new < 47100))"
# 8 MiB at 4.8 TB/s take 1.7 us at least
copy=$(time_of one.json copy 'NVIDIA H200')
check "a copy takes what its memory takes" 1 "$((copy > 1700 && copy < 12000))"

"$softwarp" predict --devices H200 --json two.json ./app >/dev/null
check "the same again" "$(grep -c . two.json)" \
    "$(grep 'NVIDIA H200' one.json | tr -d ',' | sed 's/^/x/' >a; \
       tr -d ',' <two.json | sed 's/^/x/' >b; grep -c . b)"
check "times do not depend on the run" "$(time_of one.json copy 'NVIDIA H200')" \
    "$(time_of two.json copy 'NVIDIA H200')"
SOFTWARP_THREADS=1 "$softwarp" predict --devices H200 --json three.json ./app \
    >/dev/null
check "nor on the number of threads" "$(time_of one.json work 'NVIDIA H200')" \
    "$(time_of three.json work 'NVIDIA H200')"
"$softwarp" predict --devices H200 --set clock=990 --json four.json ./app \
    >/dev/null
slow=$(time_of four.json work 'NVIDIA H200')
check "half the clock takes twice as long" 1 \
    "$((slow > 17 * new / 10 && slow < 21 * new / 10))"

"$softwarp" predict --set nothing=1 ./app >out 2>&1
check "a wrong setting" 2 $?
check "is named" 1 "$(grep -c "nothing that can be set: 'nothing=1'" out)"
"$softwarp" predict --devices nosuch ./app >out 2>&1
check "a wrong device" 2 $?
"$softwarp" predict >out 2>&1
check "no program" 2 $?


# What has moved: half the work, one kernel more, one gone.
sed 's/work<<<2048, 256>>>(a, 1000);/work<<<2048, 256>>>(a, 500);/
    s/copy<<</other<<</; s/void copy(/void other(/' app.cu >less.cu
"$softwarp" cc less.cu -o less
"$softwarp" predict --since one.json --devices 'H200,GTX 280' ./less >moved
check "less work takes less" 2 "$(grep -c '^ *-4[0-9.]* %.* work(float\*, int) on .*instructions -[45][0-9] %' moved)"
check "a kernel is new" 2 "$(grep -c '^  new: other(' moved)"
check "a kernel is gone" 2 "$(grep -c '^  gone: copy(' moved)"
echo '{"a": 1}' >wrong.json
"$softwarp" predict --since wrong.json ./less >/dev/null 2>said
check "another file is an error" 1 "$(grep -c 'since wrong.json: these are no predictions' said)"
echo "tools/predict: $passed passed, $failed failed"
[ "$failed" = 0 ]
