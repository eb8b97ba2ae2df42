#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nvidia-smi as programs call it: a table, a list, values of fields.
cd "$(dirname "$0")/../.." || exit 1
. tests/expect.sh

run() {
    "$SW_BUILD/bin/softwarp" run --device 'H200,RTX 3090' nvidia-smi "$@"
}

expect 0 'Driver Version: [0-9.]+ +CUDA Version: [0-9]+\.[0-9]+ ' --id=0
expect 0 '^GPU 1: NVIDIA GeForce RTX 3090 \(UUID: GPU-[0-9a-f-]{36}\)$' -L
expect 0 '^name, memory\.total \[MiB\], power\.draw \[W\]$' \
    --query-gpu=name,memory.total,power.draw --format=csv
expect 0 '^NVIDIA H200, [0-9]+ MiB, \[N/A\]$' \
    --query-gpu=name,memory.total,power.draw --format=csv,noheader
expect 0 '^8\.6, 24576$' -i 1 --query-gpu=compute_cap,memory.total \
    --format=csv,noheader,nounits
expect 0 '^pid$' --query-compute-apps=pid --format=csv
expect 0 '^"gpu_name"|^"name" or "gpu_name"$' --help-query-gpu
expect 2 'Field "nam" is not a valid field' --query-gpu=nam --format=csv
expect 2 '"--format=" with "csv" must be given' --query-gpu=name
expect 6 'No devices were found' -i 7 -L
expect 1 'Invalid combination of input arguments: --what' --what
echo "tools/smi: $passed passed, $failed failed"
[ "$failed" = 0 ]
