#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with a CUDA runtime inside, as nvcc links them unless told otherwise:
# its entry points become ours. The one inside is of our own making here, an
# archive of functions of those names that fail; where there is nvcc, its too.
. "$(dirname "$0")/checks.inc"
[ "$(uname -m)" = x86_64 ] || {
    echo "skip: entry points are replaced on x86-64 only"
    exit 77
}

# fake MAJOR FLAGS...: libfake.a, the runtime of CUDA 11, 12 or 13. A third of
# its functions are too short for a jump.
fake() {
    major=$1
    shift
    sed -n 's/^ENTRY(\(.*\))$/\1/p' "$SW_SOURCE/src/api/cudart/entries.def" |
        awk -F ', *' -v bit="L$major" '$2 == "ALL" || index($2, bit) {
            print "int " $1 "(void);"
            if (NR % 3)
                print "int " $1 "(void) { volatile int v = 999; return v; }"
            else
                print "int " $1 "(void) { return 0; }"
        }' >fake.c
    rm -f libfake.a
    cc -fPIC "$@" -c fake.c -o fake.o && ar rcs libfake.a fake.o
}

cat >app.cu <<'END'
#include <cstdio>
#include <cstdlib>
template <class T> __global__ void add(T *a, const T *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += b[i];
}
__constant__ int factor;
__managed__ int managed = 20;
__global__ void scale() { managed *= factor; }
struct before_main {
    int devices;
    before_main() { if (cudaGetDeviceCount(&devices)) devices = -1; }
} first;
#define TRY(call)                                                             \
    if (cudaError_t error = call) {                                           \
        printf("%s: %s\n", #call, cudaGetErrorName(error));                   \
        return 1;                                                             \
    }
int main(int argc, char **argv)
{
    float host[100], *a, *b;
    cudaStream_t stream;
    TRY(cudaStreamCreate(&stream));
    TRY(cudaMalloc(&a, sizeof host));
    TRY(cudaMalloc(&b, sizeof host));
    for (int i = 0; i < 100; i++)
        host[i] = (float)i;
    TRY(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, stream));
    TRY(cudaMemcpyAsync(b, host, sizeof host, cudaMemcpyHostToDevice, stream));
    add<float><<<4, 32, 0, stream>>>(a, b, 100);
    TRY(cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream));
    TRY(cudaStreamSynchronize(stream));
    const int two = 2;
    TRY(cudaMemcpyToSymbol(factor, &two, sizeof two));
    scale<<<1, 1>>>();
    TRY(cudaDeviceSynchronize());
    printf("%g %d %d\n", host[99], managed, first.devices);
    fflush(stdout);
    return argc > 1 ? system(argv[1]) != 0 : 0;
}
END
cat >lib.cu <<'END'
__global__ void fill(int *p) { *p = 42; }
struct before { int n; before() { n = cudaGetDeviceCount(&n) ? -1 : n; } } first;
extern "C" int answer()
{
    int *p, got = 0;
    if (first.n != 1 || cudaMalloc(&p, sizeof got))
        return 1;
    fill<<<1, 1, 0, cudaStreamPerThread>>>(p);
    if (cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost))
        return 2;
    return cudaFree(p) ? 3 : got;
}
END
cat >opens.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        int (*answer)(void) =
            library ? (int (*)(void))dlsym(library, "answer") : NULL;
        if (!answer) {
            puts(dlerror());
            return 1;
        }
        printf("%d\n", answer());
        dlclose(library);
    }
    return 0;
}
END
# A program that has functions of these names, and no runtime.
cat >own.c <<'END'
int cudaMalloc(void **p, unsigned long n);
int cudaMalloc(void **p, unsigned long n) { return *p == 0 && n == 4 ? 7 : 8; }
int main(void) { void *p = 0; return cudaMalloc(&p, 4) == 7 ? 0 : 1; }
END

good='198 40 1'
link() { # output, option...
    out=$1
    shift
    check "links $out" cc "$@" app.o -L. -lfake -lstdc++ -o "$out"
}
works() { # what, command...
    what=$1
    shift
    run "$@" >out 2>err
    check "$what" sh -c 'cat out err; [ "$(cat out)" = "$0" ] && [ ! -s err ]' \
        "$good"
}

compiles "the program" -c app.cu -o app.o
compiles "the library" -c -Xcompiler -fPIC lib.cu -o lib.o
for major in 11 12 13; do
    check "a runtime of CUDA $major" fake $major -O2
    link app$major
    works "in place of CUDA $major's" ./app$major
done
check "it fails by itself" sh -c '! ./app13'
check "there is no other" sh -c '! ldd app13 | grep -q cudart'
link fixed -no-pie
works "a program at a fixed address" ./fixed
works "programs that programs start" ./app13 true
if shell_runs; then
    good="$good
$good" works "and those have a runtime inside too" ./app13 ./fixed
    works "from a script" sh -c 'exec ./app13'
fi
check "reports" sh -c 'SOFTWARP_LOG=info "$0" run ./app13 2>&1 |
    grep -q "entry points of its own CUDA runtime go to ours"' \
    "$SW_BUILD/bin/softwarp"

check "packed functions, some shorter than a jump" fake 13 -Os \
    -fcf-protection=none
link packed
works "all found room" ./packed
check "functions that begin with endbr64" fake 13 -O1 -fcf-protection=full
link endbr
works "keep it" ./endbr
check "local symbols" sh -c 'ld -r app.o fake.o -o whole.o &&
    objcopy --keep-global-symbol=main whole.o && cc whole.o -lstdc++ -o whole'
works "are found too" ./whole

check "libraries" sh -c 'cc -shared lib.o -L. -lfake -lstdc++ -o one.so &&
    cp one.so two.so && strip two.so &&
    printf "V1 { global: cuda*; answer; __cuda*; local: *; };" >map &&
    cc -shared -Wl,--version-script=map lib.o -L. -lfake -lstdc++ -o three.so &&
    printf "{ global: answer; local: *; };" >map &&
    cc -shared -Wl,--version-script=map lib.o -L. -lfake -lstdc++ -o four.so &&
    cc opens.c -ldl -o opens && cc -rdynamic own.c -o own'
good='42
42
42
42
42' works "that are opened, also twice, stripped, versioned, hidden" ./opens \
    ./one.so ./one.so ./two.so ./three.so ./four.so
check "a program's own cudaMalloc stays" run ./own

# A library that opens the runtime when it is first called: each function jumps
# to where the runtime's is, through a slot.
sed -n 's/^\(int cuda[A-Za-z0-9_]*\)(void);$/\1/p' fake.c | sed 's/int //' |
    awk '{
        print ".globl " $1 "\n.type " $1 ", @function\n" $1 ":"
        print "cmpq $0, slot+" NR * 8 "(%rip)\nje 1f\njmp *slot+" NR * 8 "(%rip)"
        print "1: mov $999, %eax\nret"
    } END { print ".local slot\n.comm slot, " NR * 8 + 8 }' >forward.s
check "a library that forwards" sh -c 'cat forward.s >both.s &&
    printf ".globl answer\nanswer: mov \$42, %%eax\nret\n" >>both.s &&
    cc -shared -Wl,-Bsymbolic both.s -o forward.so'
good=42 works "stays as it is, and nothing is said" ./opens ./forward.so

strip -o stripped app13
run ./stripped >out 2>err
check "a stripped program hears what to do" \
    grep -q 'stripped.*link it without -s, or with nvcc -cudart shared' err
check "before it runs as well" sh -c '"$0" info stripped |
    grep -q "replaced; link it without -s"' "$SW_BUILD/bin/softwarp"
check "and the other that all is well" sh -c '"$0" info app13 |
    grep -q "runtime is replaced by ours"' "$SW_BUILD/bin/softwarp"
check "nvcc is told to link ours" test "$(NVCC_APPEND_FLAGS=-g run printenv \
    NVCC_APPEND_FLAGS)" = '-g -cudart shared'

cat >asks.c <<'END'
int cuGetExportTable(const void **table, const unsigned char *id);
int main(void)
{
    static const unsigned char id[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4,
        0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
    const void *table;
    return cuGetExportTable(&table, id) != 500 ||
           cuGetExportTable(&table, id) != 500;
}
END
check "a runtime that nobody finds" cc asks.c "$SW_BUILD/lib/libcuda.so.1" \
    -o asks
run ./asks >out 2>err
check "is known by what it asks for, once" test "$(grep -c \
    'asks has a CUDA runtime inside.*fail with error 500' err)" = 1

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    check "nvcc" "$nvcc" app.cu -o nvcc_app
    works "what nvcc makes by default" ./nvcc_app
    check "nvcc -rdc" "$nvcc" -rdc=true -default-stream per-thread app.cu \
        -o nvcc_rdc
    works "separate compilation, a default stream per thread" ./nvcc_rdc
    check "nvcc -shared" "$nvcc" -shared -Xcompiler -fPIC lib.cu -o nvcc.so
    good=42 works "a library by nvcc" ./opens ./nvcc.so
    check "nvcc in softwarp run" "$SW_BUILD/bin/softwarp" run "$nvcc" app.cu \
        -o nvcc_shared
    check "links the shared runtime" sh -c 'ldd nvcc_shared | grep -q libcudart'
    works "which works too" ./nvcc_shared
else
    echo "note: no nvcc here; the archive of our own stood in for it"
fi
finish
