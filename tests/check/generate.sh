#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes pairs of kernels, one right and one wrong, from the patterns of a file:
#     sh tests/check/generate.sh PATTERNS TYPES SIZES GRIDS >FILE.cu
# TYPES, SIZES (threads of a block) and GRIDS (blocks) are lists with spaces;
# each pattern becomes a pair for each of their combinations. A pattern is
#
#     pattern NAME [exact]      exact: a and b have n elements, else more
#         lines of a kernel with parameters (T *a, T *b, int n)
#     +   a line of the right kernel only
#     -   a line of the wrong one only
#         a line //= KIND       what is found in the wrong kernel, and here
#
# T is the type, N the size, n the number of elements of a and b that the kernel
# may use. All kernels run one after another, each with memory of its own; a fault
# is followed by a new context. They have
# names "NAME_right_I" and "NAME_wrong_I"; the line of a finding is that of the
# pattern's file.
awk -v types="$2" -v sizes="$3" -v grids="$4" '
/^#/ || /^$/ { next }
/^pattern / { name = $2; exact[name] = $3 == "exact" ? "true" : "false"; names[++patterns] = name; next }
{ mark = substr($0, 1, 1); text = substr($0, 2)
  i = ++lines[name]; marks[name, i] = mark; texts[name, i] = text; at[name, i] = FNR }
END {
    split(types, type, " "); split(sizes, size, " "); split(grids, grid, " ")
    print "#include <cstdio>\n#include <cstdlib>"
    for (p = 1; p <= patterns; p++) {
        name = names[p]; v = 0
        for (t = 1; t in type; t++) for (s = 1; s in size; s++) for (g = 1; g in grid; g++) {
            v++
            for (wrong = 0; wrong < 2; wrong++) {
                full = name (wrong ? "_wrong_" : "_right_") v
                print "extern \"C\" __global__ void " full "(" kind(type[t]) " *a, " kind(type[t]) " *b, int n)"
                print "{\n    typedef " kind(type[t]) " T;\n    enum { N = " size[s] " };"
                for (i = 1; i <= lines[name]; i++) {
                    mark = marks[name, i]
                    if (mark == (wrong ? "+" : "-")) continue
                    print "#line " at[name, i] " \"" FILENAME "\"\n    " texts[name, i]
                }
                print "}"
                calls = calls "    run(" full ", " grid[g] ", " size[s] ", " exact[name] ");\n"
            }
        }
    }
    print "template <class T> static void run(void (*k)(T *, T *, int), int blocks, int threads, bool is_exact)"
    print "{\n    char *before;\n    T *a, *b;\n    int n = blocks * threads;"
    print "    size_t more = 4096, bytes = n * sizeof(T);"
    print "    cudaMalloc(&before, more);"
    print "    cudaMalloc(&a, is_exact ? bytes : bytes + more);\n    cudaMalloc(&b, is_exact ? bytes : 2 * bytes + more);"
    print "    cudaMemset(a, 0, is_exact ? bytes : bytes + more);\n    cudaMemset(b, 0, is_exact ? bytes : 2 * bytes + more);"
    print "    k<<<blocks, threads>>>(a, b, n);"
    print "    T *to = (T *)malloc(bytes);\n    cudaMemcpy(to, b, bytes, cudaMemcpyDeviceToHost);\n    free(to);"
    print "    cudaFree(a);\n    cudaFree(b);\n    cudaFree(before);"
    print "    if (cudaDeviceSynchronize() != cudaSuccess)\n        cudaDeviceReset();\n}"
    print "int main()\n{\n" calls "    return cudaDeviceSynchronize() != cudaSuccess;\n}"
}
function kind(t) { gsub(/_/, " ", t); return t }
' "$1"
