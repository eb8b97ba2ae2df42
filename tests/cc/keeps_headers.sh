#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our headers are compiled once and kept; what is made of a source is the same
# as without, whatever the user's options and files are, and a header that
# changed is read anew.
. "$(dirname "$0")/checks.inc"
# A copy of our headers, to change them.
mkdir -p here/bin here/include/softwarp inc user
cp "$SW_BUILD/bin/softwarp" here/bin/
cp -R "$(dirname "$0")/../../include/cuda" here/include/softwarp/
chmod -R u+w here
cc=$work/here/bin/softwarp\ cc
unset SOFTWARP_CACHE SOFTWARP_CACHE_BYTES
SOFTWARP_CACHE_DIR=$work/cache
export SOFTWARP_CACHE_DIR
sleep 1 # files of this very second might change again unseen
cat >a.cu <<'END'
#include "own.h"
__device__ int abi = _GLIBCXX_USE_CXX11_ABI;
__global__ void kernel(float *p) { *p = sinf(*p) * SCALE; *p; }
int main() { kernel<<<1, 1>>>(0); }
END
echo '#define SCALE 3' >inc/own.h

# kept WHAT N: so many entries.
kept() {
    check "entries: $1" test "$(find cache -name '*.swo' | wc -l)" = "$2"
}

compiles "nothing kept" -Iinc -MD -MP -MF a.d -c -o a.o a.cu
kept "one for each pass" 2
mv cc.out a.out
compiles "from what is kept" -Iinc -DMINE -MD -MP -MF b.d -c -o b.o a.cu
kept "a macro that no header has changes nothing" 2
mv cc.out b.out
SOFTWARP_CACHE=0 compiles "off" -Iinc -MD -MP -MF c.d -c -o c.o a.cu
for first in a b; do
    check "same object" cmp $first.o c.o
    check "same warnings" cmp $first.out cc.out
done
check "there are warnings" grep -q '^a.cu:3:.*warning: expression result' cc.out
for deps in a b c; do
    sed "s/^$deps\.o:/X:/" $deps.d | tr -s ' \\\n' '\n' | sort >$deps.words
done
check "same dependencies, first" cmp a.words c.words
check "same dependencies, again" cmp b.words c.words
check "the source comes first" grep -q '^b\.o: a\.cu ' b.d

compiles "-v" -v -Iinc -g -c a.cu
check "not for a host's debug information" count 'include-pch' cc.out 1
compiles "a macro that headers have" -Iinc -D_GLIBCXX_USE_CXX11_ABI=0 -ptx a.cu
check "has its effect" grep -q 'u32 abi;$' a.ptx
cp a.cu wrong.cu
echo '__global__ void wrong() { sinf("1"); threadIdx.x = 1; }' >>wrong.cu
for on in 0 1; do
    SOFTWARP_CACHE=$on refuses 'error' -Iinc -ptx wrong.cu
    mv cc.out words.$on
done
check "same errors" cmp words.0 words.1

echo '#include_next <cmath>
#undef SCALE
#define SCALE 4' >user/cmath
compiles "a folder with a header's name" -Iuser -include inc/own.h -Iinc -v \
    -ptx a.cu
check "is looked into" count 'include-pch' cc.out 0
for entry in cache/*.swo; do
    head -c 100000 "$entry" >short && cat short >"$entry"
done
compiles "after damage" -Iinc -ptx a.cu
header=here/include/softwarp/cuda/cuda_runtime.h
echo '#define MARK 1' >>$header
echo '#if !MARK
#error the header changed
#endif' >>a.cu
compiles "after a header's change" -Iinc -ptx a.cu
SOFTWARP_CACHE=0 compiles "off, PTX" -v -Iinc -ptx -o off.ptx a.cu
check "SOFTWARP_CACHE=0" count 'include-pch|emit-pch' cc.out 0
check "same PTX" cmp off.ptx a.ptx
finish
