#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `softwarp prof` says of the device's time: what `softwarp predict` says, by
# kernel, line and reason; and a profile on the device's clock.
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
    float *a, *host = new float[1 << 20]();
    int devices;
    cudaGetDeviceCount(&devices);
    for (int d = 0; d < devices; d++) {
        cudaSetDevice(d);
        cudaMalloc(&a, 8 << 20);
        cudaMemcpy(a, host, 4 << 20, cudaMemcpyHostToDevice);
        copy<<<4096, 256>>>(a + (1 << 20), a);
        for (int i = 0; i < 100; i++)
            work<<<64, 256>>>(a, 1000);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    }
}
CU
"$softwarp" cc app.cu -o app || { echo "tools/prof_device: 0 passed, 1 failed"; exit 1; }
"$softwarp" prof --device 'H200,GTX 280' --json --log-file both.json ./app >/dev/null
"$softwarp" predict --json predicted.json ./app >/dev/null
"$softwarp" prof --json --log-file prof.json ./app >/dev/null
"$softwarp" prof --source --log-file source.txt ./app >/dev/null
"$softwarp" prof --log-file summary.txt ./app >/dev/null
"$softwarp" prof --no-predict --log-file plain.txt ./app >/dev/null
"$softwarp" prof --clock=device --json --log-file clock.json ./app >/dev/null
"$softwarp" prof --clock=device --log-file clock.txt ./app >/dev/null
"$softwarp" prof -o kept ./app >/dev/null 2>&1
"$softwarp" prof --predict --log-file kept.txt -i kept >/dev/null

cat >see.py <<'PY'
import json, sys
def near(a, b): return abs(a / b - 1) < 0.02
predicted = {}
for r in json.load(open("predicted.json")):
    predicted.setdefault("copy" if "copy" in r["kernel"] else "work", r)
groups = {g["short"]: g for g in json.load(open("prof.json"))["groups"]}
clock = json.load(open("clock.json"))
def times(name):
    return near(groups[name]["predicted"]["ns"], predicted[name]["predicted_ns"])
def sums():
    for g in groups.values():
        p = g["predicted"]
        if not near(sum(p["stalls"].values()), 1): return False
        if sum(l["share"] for l in p["lines"]) > 1.01: return False
        if p["low_ns"] >= p["ns"] or p["high_ns"] <= p["ns"]: return False
    return True
def hot(name, line):
    return max(groups[name]["predicted"]["lines"], key=lambda l: l["share"])["line"] == line
def ordered():
    ops = sorted(clock["launches"] + clock["copies"], key=lambda o: o["begin_us"])
    return all(a["begin_us"] + a["time_us"] <= b["begin_us"] + 0.01 for a, b in zip(ops, ops[1:]))
def clocked(name):
    i = [g["short"] for g in clock["groups"]].index(name)
    l = next(l for l in clock["launches"] if l["group"] == i)
    return near(l["time_us"] * 1000, l["predicted_ns"])
def devices(name):
    both = json.load(open("both.json"))
    ns = [g["predicted"]["ns"] for g in both["groups"] if g["short"] == name]
    return len(ns) == 2 and max(ns) > 2 * min(ns)
print(eval(sys.argv[1]))
PY
see() { python3 see.py "$1" 2>&1; }
check "a copy takes what predict says" True "$(see 'times("copy")')"
check "arithmetic takes what predict says" True "$(see 'times("work")')"
check "the same launch on another device takes another time" True "$(see 'devices("copy")')"
check "reasons and lines are shares" True "$(see 'sums()')"
check "a copy waits in its one line" True "$(see 'hot("copy", 5)')"
check "arithmetic takes its time in its loop" True "$(see 'hot("work", 11)')"
check "every launch has a time" True "$(see 'all(l["predicted_ns"] > 0 for l in json.load(open("prof.json"))["launches"])')"
check "the summary has a table of the device" 1 "$(grep -c '^Predicted for H200' summary.txt)"
check "... with lines" 2 "$(grep -c "warps' time: .* at app.cu:" summary.txt)"
check "... which can be left out" 0 "$(grep -c Predicted plain.txt)"
check "the source has reasons by line" 1 \
    "$(grep -c '^ *[0-9.]*%  *11 .*wait\|^ *[0-9.]*%  *11 .*selected' source.txt)"
check "records keep what was predicted" 1 "$(grep -c '^Predicted for H200' kept.txt)"
check "on the device's clock work follows work" True "$(see 'ordered()')"
check "... a launch takes what was predicted" True "$(see 'clocked("work")')"
check "... and the report says so" 1 "$(grep -c "^Times are the device's" clock.txt)"
check "... JSON too" True "$(see 'clock["times"].startswith("of the device")')"
echo "tools/prof_device: $passed passed, $failed failed"
[ "$failed" = 0 ]
