#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp prof` and the text profiler on a program whose counts are known:
# `copy` moves neighbouring words, `stride` words 128 bytes apart, 8 warps each.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

cat >app.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <sys/wait.h>
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>

namespace deep {
__global__ void copy(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void stride(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 32];
}
}

static bool window; /* profile only a part */

static void work(int launches)
{
    int *a, *b, host[256] = {0};
    cudaMalloc(&a, 256 * 32 * 4);
    cudaMalloc(&b, 256 * 4);
    cudaMemset(a, 0, 256 * 32 * 4);
    for (int i = 0; i < launches; i++)
        deep::copy<<<4, 64>>>(b, a);
    if (window)
        cudaProfilerStart();
    deep::stride<<<4, 64>>>(b, a);
    if (window)
        cudaProfilerStop();
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMemcpyAsync(b, host, 512, cudaMemcpyHostToDevice, s);
    cudaStreamSynchronize(s);
}

__global__ void fault(int *p) { *p = 1; }

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    puts("the program's own line");
    if (*what == 'p' && !fork()) {
        execl("/proc/self/exe", argv[0], "other", nullptr);
        _exit(9);
    }
    window = *what == 'w';
    if (*what != 'n')
        work(3);
    if (*what == 's') {
        if (!fork())
            exit(0); /* with what atexit does */
        wait(nullptr);
        work(3);
    }
    if (*what == 'd') {
        cudaSetDevice(1);
        work(1);
    }
    if (*what == 'p')
        wait(nullptr);
    if (*what == 'f') {
        fault<<<1, 1>>>((int *)8);
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 7;
    }
    if (*what == 'k')
        abort();
    return 0;
}
CU
if ! "$SW_BUILD/bin/softwarp" cc -lineinfo -std=c++17 app.cu -o app; then
    echo "tools/prof: 0 passed, 1 failed"
    exit 1
fi

# run STATUS argument...: prof, its report in `out`, the program's in `own`
run() {
    want=$1
    shift
    ran="prof $*"
    env LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" prof "$@" >own 2>out
    got=$?
    sed 's/  */ /g; s/^ //' out >flat
    [ $got = "$want" ] && { passed=$((passed + 1)); return; }
    echo "$ran: status $got, wanted $want"
    cat out
    failed=$((failed + 1))
}

# lines FILE REGEX...: each matches a line of the file
lines() {
    file=$1
    shift
    for regex; do
        if grep -Eq -- "$regex" "$file"; then
            passed=$((passed + 1))
        else
            echo "$ran: no line of $file matches $regex"
            cat "$file"
            failed=$((failed + 1))
        fi
    done
}

absent() { # FILE REGEX
    if grep -Eq -- "$2" "$1"; then
        echo "$ran: a line of $1 matches $2"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
}

time='[0-9.]+(ns|us|ms|s)'

# ---- the summary
run 0 ./app
lines own "^the program's own line$"
lines flat "[0-9.]+% $time 3 $time $time $time copy$" \
    "[0-9.]+% $time 1 $time $time $time stride$" \
    "$time 1 .* \[CUDA memcpy DtoH\]$" "$time 1 .* \[CUDA memcpy HtoD\]$" \
    "$time 1 .* \[CUDA memset\]$" "$time 4 .* cudaLaunchKernel$" \
    "$time 2 .* cudaMalloc$" 'device: H200' "Times are this computer's"
# neither the runtime's own calls of the driver nor what compilers put in
absent flat ' cu[A-Z][A-Za-z]*$|__cuda'
run 0 --full-names ./app
lines flat ' deep::copy\(int\*, int const\*\)$'
run 0 --csv --log-file - ./app
lines own '^"GPU activities:?",[0-9.]+,[0-9.]+,3,[0-9.]+,[0-9.]+,[0-9.]+,"copy"$'
run 0 --print-gpu-trace --print-api-trace ./app
lines flat '\(4 1 1\) \(64 1 1\) [0-9]+ 0B 0B - - - [0-9]+ copy$' \
    ' 1.0000KB Device Pageable 0 \[CUDA memcpy DtoH\]$' \
    ' 512B Pageable Device [1-9][0-9]* \[CUDA memcpy HtoD\]$' \
    ' 32.000KB - Device 0 \[CUDA memset\]$' ' 0 cudaStreamCreate$'

# ---- counters
ld=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
run 0 -m "$ld,smsp__warps_launched.sum" ./app
lines flat 'Kernel: deep::copy\(int\*, int const\*\)' "^3 $ld 32 32 32$" \
    "^1 $ld 256 256 256$" '^3 smsp__warps_launched.sum 8 8 8$'
run 0 --device='GTX 280' --events=gld_64b,gld_32b --metrics gst_64b ./app
lines flat '^3 gld_64b 16 16 16$' '^1 gld_32b 256 256 256$' \
    '^1 gld_64b 0 0 0$' '^3 gst_64b 64 64 64$'
run 0 --sample 2 -m "$ld" ./app
lines flat "^3 $ld 32 32 32$" "^1 $ld 256 256 256$"
run 0 --kernels stride -m "$ld" ./app
lines flat "^1 $ld 256 256 256$"
absent flat "^3 $ld"
run 0 --csv -m "$ld" ./app
lines out "^\"H200[^,]*\",\"_ZN4deep4copyEPiPKi\",3,\"$ld\",\".*\",32,32,32$"
run 0 --source ./app
lines flat '^[0-9]+ [0-9.]+% 32.00 256 32 . . 17 out\[i\] = in\[i \* 32\];$' \
    '^8 [0-9.]+% 32.00 256 . . . [0-9]+ 17 ld .*\[space=global\]$'
run 0 --profile-from-start off -m "$ld" ./app window
lines flat "^1 $ld 256 256 256$"
absent flat "^3 $ld"
run 0 --profile-from-start=off ./app window
absent flat ' copy$|memcpy|cudaMalloc'
lines flat ' 1 .* stride$' ' 1 .* cudaLaunchKernel$'
run 0 --json --advice -m "$ld" --log-file json ./app
lines json '^\{"format":"softwarp profile"' "\"name\":\"$ld\"" '^"advice":.*\}$'
absent json '^Advice|Invocations'
run 2 -m nothing ./app
lines out 'there is no metric nothing'
run 2 -m gld_coherent ./app
lines out 'gld_coherent is a figure of compute capabilities 1.0 to 1.1'
run 2 --nonsense ./app
run 0 --list-metrics
lines own "^$ld$"

# ---- how programs end, and several of them
run 7 ./app fault
lines flat '^100?.* fault$|[0-9]% .* fault$' ' 1 .* cudaDeviceSynchronize$'
run 134 ./app killed
lines flat ' 3 .* copy$' 'ended by signal 6'
run 0 ./app parent
lines flat ' 6 .* copy$' 'app other, device'
run 0 ./app split
lines flat ' 6 .* copy$' ' 4 .* cudaMalloc$'
run 0 ./app nothing
lines out 'the program used no device'
run 127 ./is-not-there
run 0 -o 'kept.%p' ./app
run 0 -i kept.*
lines flat ' 3 .* copy$'
printf 'softwarp profile 2\nP\t1\n' >bad
run 1 -i bad
lines out 'bad:2: error: this line is no record'
run 1 -i app.cu
lines out 'no profile'

# ---- the text profiler
text() { # variable=value...
    ran="text profiler, $*"
    rm -f ./*.log
    env "$@" LD_PRELOAD="${SW_PRELOAD:-}" CUDA_PROFILE=1 "$SW_BUILD/bin/softwarp" run \
        --device "$device" --devices 2 ./app $argument >own 2>out
}
argument=
device='GTX 280'
text CUDA_PROFILE=1
lines cuda_profile_0.log '^# CUDA_PROFILE_LOG_VERSION 2.0$' \
    '^# CUDA_DEVICE 0 GeForce GTX 280$' '^method,gputime,cputime,occupancy$' \
    '^method=\[ memcpyDtoH \] gputime=\[ [0-9.]+ \] cputime=\[ [0-9.]+ \] $' \
    '^method=\[ _ZN4deep4copyEPiPKi \] .* occupancy=\[ 0.500 \] $' \
    '^method=\[ memset \]'
cat >config <<'CONFIG'
timestamp
gridsize
threadblocksize
dynsmemperblock
stasmemperblock
regperthread
memtransferdir
memtransfersize
streamid
gld_64b
# a remark
branch
divergent_branch
instructions
warp_serialize
no_such_counter
CONFIG
text CUDA_PROFILE_LOG=my.log CUDA_PROFILE_CONFIG=config
lines my.log '^timestamp,method,gputime,cputime,gridsize,.*,streamid,gld_64b,' \
    'memcpyDtoH .* memtransfersize=\[ 1024 \] memtransferdir=\[ 1 \]' \
    'copyEPiPKi .* gridsize=\[ 4, 1 \] threadblocksize=\[ 64, 1, 1 \] dynsmem'
absent my.log warp_serialize
lines out 'config:15: warp_serialize is left out' \
    'config:16: no_such_counter is no counter'
text COMPUTE_PROFILE_LOG=my.log CUDA_PROFILE_CSV=1 CUDA_PROFILE_CONFIG=config
lines my.log '^# CUDA_PROFILE_CSV 1$' ',gridsizeX,gridsizeY,threadblocksizeX,' \
    '^[0-9.]+,_ZN4deep4copyEPiPKi,[0-9.]+,[0-9.]+,4,1,64,1,1,0,[0-9]+,[0-9]+,0.500,0,' \
    '^[0-9.]+,memcpyDtoH,[0-9.]+,[0-9.]+,,,,,,,,,,0,,,,,1024,1$'
# a log for each device, if they have a number
argument=d
text CUDA_PROFILE_LOG=log%d.log
lines log0.log '^# CUDA_DEVICE 0 ' '^# CUDA_CONTEXT 1$' 'copyEPiPKi'
lines log1.log '^# CUDA_DEVICE 1 ' '^# CUDA_CONTEXT 2$' 'copyEPiPKi'
text CUDA_PROFILE_LOG=my.log
lines my.log '^# CUDA_DEVICE 0 ' 'copyEPiPKi'
absent my.log '# CUDA_DEVICE 1'
argument=
# one that needs caches
device='GTX 480'
echo l1_global_load_miss >config
text CUDA_PROFILE_LOG=my.log CUDA_PROFILE_CONFIG=config
lines my.log 'copyEPiPKi .* l1_global_load_miss=\[ 8 \]' \
    'strideEPiPKi .* l1_global_load_miss=\[ 256 \]'
text CUDA_PROFILE=0 CUDA_PROFILE_LOG=none.log COMPUTE_PROFILE=0
[ ! -e none.log ] && passed=$((passed + 1)) || failed=$((failed + 1))

# blocks that are not counted run with functions in the place of their calls,
# whose variables lie side by side and not where the others' were
cat >frames.cu <<'CU'
__device__ __noinline__ int first(const int *in, int i)
{
    int a[512];
    for (int k = 0; k < 512; k++)
        a[k] = in[k & 63] + i;
    return a[in[i & 63] & 511];
}
__device__ __noinline__ int second(const int *in, int i)
{
    int a[512];
    for (int k = 0; k < 512; k++)
        a[k] = in[k & 63] * i;
    return a[in[(i + 1) & 63] & 511];
}
__global__ void parts(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = first(in, i) + second(in, i);
}
int main()
{
    int *m, bad = 0;
    cudaMallocManaged(&m, (64 + 1024) * 4);
    for (int i = 0; i < 64; i++)
        m[i] = i * 37 % 64;
    parts<<<32, 32>>>(m, m + 64);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 7;
    for (int i = 0; i < 1024; i++)
        bad |= m[64 + i] != m[m[i & 63]] + i + m[m[(i + 1) & 63]] * i;
    return bad;
}
CU
"$SW_BUILD/bin/softwarp" cc -O3 frames.cu -o frames
run 0 --sample 8 -m "$ld" ./frames
lines flat 'Kernel: parts'

echo "tools/prof: $passed passed, $failed failed"
[ $failed = 0 ]
