#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/opencl/cts.sh FOLDER [SUITE...] - runs Khronos's conformance suite, built
# in FOLDER (OpenCL-CTS, `cmake --build`), on the build in SW_BUILD (build) and
# prints a table: tests passed, failed, skipped, and unfinished after CTS_SECONDS
# (300). Each test is a process of its own, so that one that ends badly is just
# one that failed.
# Without SUITE: all of the table below. Logs stay in $CTS_LOGS (FOLDER/logs).
# Exit status 1 if any failed.
set -u
folder=${1:?cts.sh FOLDER [SUITE...]}
shift
SW_BUILD=${SW_BUILD:-build}
logs=${CTS_LOGS:-$folder/logs}
seconds=${CTS_SECONDS:-300}
softwarp=$(realpath "$SW_BUILD/bin/softwarp") || exit 2
mkdir -p "$logs" || exit 2

# suite: the program under test_conformance, options of a run in reasonable time
table='
api: api/test_api
atomics: atomics/test_atomics
basic: basic/test_basic
buffers: buffers/test_buffers
c11_atomics: c11_atomics/test_c11_atomics --wimpy
commonfns: commonfns/test_commonfns
compiler: compiler/test_compiler
computeinfo: computeinfo/test_computeinfo
contractions: contractions/test_contractions
conversions: conversions/test_conversions -w -[4096]
events: events/test_events
generic_address_space: generic_address_space/test_generic_address_space
geometrics: geometrics/test_geometrics
half: half/test_half -w
images_copy: images/clCopyImage/test_cl_copy_images small_images
images_fill: images/clFillImage/test_cl_fill_images small_images
images_info: images/clGetInfo/test_cl_get_info small_images
images_read_write: images/clReadWriteImage/test_cl_read_write_images small_images
images_methods: images/kernel_image_methods/test_kernel_image_methods small_images
images_streams: images/kernel_read_write/test_image_streams small_images
integer_ops: integer_ops/test_integer_ops --wimpy
math_brute_force: math_brute_force/test_bruteforce -w -[1024]
mem_host_flags: mem_host_flags/test_mem_host_flags
multiple_device_context: multiple_device_context/test_multiples
non_uniform_work_group: non_uniform_work_group/test_non_uniform_work_group
printf: printf/test_printf
profiling: profiling/test_profiling
relationals: relationals/test_relationals
select: select/test_select -w
spirv_new: spirv_new/test_spirv_new --spirv-binaries-path spirv_bin
subgroups: subgroups/test_subgroups
SVM: SVM/test_svm
thread_dimensions: thread_dimensions/test_thread_dimensions --wimpy
vectors: vectors/test_vectors
workgroups: workgroups/test_workgroups
'
[ $# = 0 ] && eval "set -- $(echo "$table" | sed -n 's/:.*//p' | tr '\n' ' ')"

# result TEST: what the suite wrote of it in this run.
result() {
    sed -n 's/.*"'"$1"'": *"\([a-z]*\)".*/\1/p' "$results" | tail -n 1
}

# one TEST: pass, fail or skip. Some suites run all of their tests whatever one
# asks, and then write of all.
one() {
    log=$logs/$suite.$1
    rm -f "$log.json"
    test=$1
    # Its tests are pairs of types, and the one that it lists is no such pair:
    # without a name it runs all.
    [ "$suite" != conversions ] || test=
    status=0
    # shellcheck disable=SC2086
    [ -n "$(result "$1")" ] || (cd "$(dirname "$program")" && exec env \
        CL_CONFORMANCE_RESULTS_FILENAME="$log.json" \
        timeout "$seconds" "$softwarp" run "$program" $options $test) \
        >"$log.txt" 2>&1 </dev/null || status=$?
    [ ! -e "$log.json" ] || cat "$log.json" >>"$results"
    case $(result "$1") in
    pass) echo pass ;;
    skip) echo skip ;;
    *) [ $status = 124 ] && echo unfinished || echo fail ;;
    esac
}

echo '| suite | passed | failed | skipped | unfinished | failed ones |'
echo '|---|---|---|---|---|---|'
all=0
for suite; do
    row=$(echo "$table" | sed -n "s/^$suite: //p")
    [ -n "$row" ] || { echo "$suite: no such suite" >&2 && exit 2; }
    program=$(realpath "$folder/test_conformance/${row%% *}") || exit 2
    options=${row#"${row%% *}"}
    passed=0 failed=0 skipped=0 unfinished=0 names=
    results=$logs/$suite.results
    : >"$results"
    # Lines of --list are the tests, between a heading and the suite's sums.
    for test in $("$softwarp" run "$program" --list 2>/dev/null |
        sed -n 's/^[[:space:]]\{1,\}\([A-Za-z_0-9]*\)$/\1/p'); do
        case $(one "$test") in
        pass) passed=$((passed + 1)) ;;
        skip) skipped=$((skipped + 1)) ;;
        unfinished) unfinished=$((unfinished + 1)) ;;
        *) failed=$((failed + 1)) names="$names $test" ;;
        esac
    done
    [ $((passed + failed + skipped + unfinished)) != 0 ] ||
        { echo "$suite: it lists no tests" >&2 && exit 2; }
    [ $failed = 0 ] || all=1
    echo "| $suite | $passed | $failed | $skipped | $unfinished |${names:- none} |"
done
exit $all
