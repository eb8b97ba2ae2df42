#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# functions.sh: that the built-in library has every function of OpenCL C that
# clang's own header declares, by name, but those of extensions that a device of
# ours does not have.
index=$SW_BUILD/lib/opencl/index
header=$("$SW_CLANG" -print-resource-dir 2>/dev/null)/include/opencl-c.h
if [ ! -f "$index" ] || [ ! -f "$header" ]; then
    echo "skip: clang, or its header for OpenCL C, is not installed"
    exit 77
fi
awk '
    FNR == NR {
        name = $1
        if (sub(/^_Z/, "", name) && match(name, /^[0-9]+/))
            has[substr(name, RLENGTH + 1, substr(name, 1, RLENGTH) + 0)] = 1
        next
    }
    /__ovld/ && match($0, /[A-Za-z_0-9]+ *\(/) {
        name = substr($0, RSTART, RLENGTH - 1)
        sub(/ +$/, "", name)
        if (name in seen || name == "__attribute__")
            next
        seen[name] = 1
        # Pipes, queues of devices, mipmaps, multisampled images, and what other
        # vendors have.
        if (name ~ /pipe|reserve_id|event|enqueue_|ndrange|kernel_|default_queue|intel|arm_|amd_|mip|num_samples|clock_read|^dot_/ &&
            name !~ /^wait_group_events$/)
            next
        count++
        if (!(name in has)) {
            print "not there: " name
            failed++
        }
    }
    END {
        printf "opencl/functions: %d passed, %d failed\n", count - failed, failed
        exit failed > 0 || count < 500
    }' "$index" "$header"
