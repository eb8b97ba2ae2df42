#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make.sh OUT: the tables and pictures of the book, from what `softwarp predict`
# and `softwarp occupancy` say now. Needs gnuplot and Python.
set -eu
out=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
softwarp=${SOFTWARP:-$(command -v softwarp || echo "$root/build/bin/softwarp")}
mkdir -p "$out"
cd "$out"

"$softwarp" cc -I"$here/../lib" "$here/coalescing.cu" -o coalescing
"$softwarp" predict --devices 'GTX 280,H200' --launches \
    --json coalescing.json ./coalescing >/dev/null
"$softwarp" cc "$root/examples/transpose.cu" -o transpose
"$softwarp" predict --devices 'GTX 280,H200' --json transpose.json \
    ./transpose >/dev/null
"$softwarp" occupancy --device 'GTX 280' --threads 256 --regs 16 --smem 4096 \
    --svg occupancy.svg >/dev/null

python3 - <<'PY'
import json

def rate(row, bytes):
    return bytes / row["predicted_ns"] * 1e9 / 2**30

rows = json.load(open("coalescing.json"))
devices = list(dict.fromkeys(r["device"] for r in rows))
for kernel, first in ("offset_copy", 0), ("stride_copy", 1):
    with open(kernel + ".dat", "w") as f:
        for device in devices:
            print('"%s"' % device, file=f)
            mine = [r for r in rows
                    if kernel in r["kernel"] and r["device"] == device]
            for i, r in enumerate(mine):
                print(i + first, rate(r, 2 * 4 * 2**17), file=f)
            print("\n", file=f)

# What NVIDIA's tutorial of 2009 measured on a GTX 280, 2048 x 2048, GB/s.
tutorial = {"copy": 96.9, "copy_shared": 80.9, "transpose_naive": 2.2,
            "transpose_coalesced": 16.5, "transpose_padded": 16.6,
            "transpose_diagonal": 69.5}
rows = json.load(open("transpose.json"))
with open("transpose.csv", "w") as f:
    print("kernel,tutorial: GTX 280,predicted: GTX 280,predicted: H200", file=f)
    for name, measured in tutorial.items():
        mine = [r for r in rows if "%d%s" % (len(name), name) in r["kernel"]]
        print(name, measured, *["%.3g" % rate(r, 2 * 4 * 2048 * 1024)
                                for r in mine], sep=",", file=f)
PY

for kernel in offset stride; do
    gnuplot <<PLOT
set terminal svg size 640,400 dynamic background "white"
set output "${kernel}.svg"
set key autotitle columnhead outside top center horizontal
set logscale y
set grid
set xlabel "$kernel, in floats"
set ylabel "GiB/s of useful data, predicted"
plot for [i=0:1] "${kernel}_copy.dat" index i using 1:2 with linespoints lw 2
PLOT
done
gnuplot <<'PLOT'
set terminal svg size 640,420 dynamic background "white"
set output "transpose.svg"
set datafile separator ","
set key autotitle columnhead outside bottom center horizontal
set style data histogram
set style fill solid 0.8
set logscale y
set yrange [1:]
set grid y
set ylabel "GiB/s"
set xtics rotate by -30 noenhanced
plot "transpose.csv" using 2:xtic(1), "" using 3, "" using 4
PLOT
rm -f coalescing transpose ./*.json ./*.dat
