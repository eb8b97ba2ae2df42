#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The files that `softwarp prof` writes for other programs: each is read by
# another program than ours. The page is opened in a browser that sees no
# network, and what it has drawn is looked for.
: "${SW_BUILD:?run by ctest}"
: "${SW_SOURCE:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
for tool in python3; do
    command -v $tool >/dev/null || {
        echo "skip: $tool is not installed"
        exit 77
    }
done
cd "$work" || exit 1
cp "$SW_SOURCE/examples/transpose.cu" "$SW_SOURCE/examples/example.h" .
"$SW_BUILD/bin/softwarp" cc -lineinfo transpose.cu -o transpose || exit 1
env LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" prof --device 'GTX 280' --html t.html --trace t.trace \
    --callgrind callgrind.out --json --log-file t.json ./transpose --quick \
    >/dev/null 2>out || {
    cat out
    failed=$((failed + 1))
}

check() { # what, command...
    what=$1
    shift
    if "$@" >out 2>&1; then
        passed=$((passed + 1))
    else
        echo "$what:"
        tail -n 20 out
        failed=$((failed + 1))
    fi
}

cat >see_json.py <<'PY'
import json
d = json.load(open("t.json"))
assert d["devices"][0]["name"] == "GeForce GTX 280"
by = {g["short"]: g for g in d["groups"]}
assert len(by) == 6, by.keys()
naive, coalesced = by["transpose_naive"], by["transpose_coalesced"]
assert naive["total"]["st"]["transactions"] == 16 * naive["total"]["ld"]["transactions"]
assert coalesced["total"]["conflicts"] > 0 == naive["total"]["conflicts"]
for g in d["groups"]:
    assert sum(l["inst"] for l in g["lines"]) == g["total"]["inst"]
    assert sum(i["inst"] for i in g["instructions"]) == g["total"]["inst"]
    assert g["occupancy"]["curves"][0]["points"]
assert all(l["time_us"] > 0 for l in d["launches"]) and len(d["launches"]) == 6
found = {g["short"]: {a["kind"] for a in d["advice"] if a["group"] == i}
         for i, g in enumerate(d["groups"])}
assert found == {
    "copy": set(), "copy_shared": set(), "transpose_diagonal": set(),
    "transpose_naive": {"coalescing"},
    "transpose_coalesced": {"bank conflicts"},
    "transpose_padded": set()}, found
PY
cat >see_trace.py <<'PY'
import json
events = json.load(open("t.trace"))["traceEvents"]
spans = [e for e in events if e["ph"] == "X"]
kernels = [e for e in spans if e["cat"] == "kernel"]
assert len(kernels) == 6
assert any(e["name"].startswith("transpose_naive(") for e in kernels)
named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M"}
assert all((k["pid"], k["tid"]) in named for k in kernels)
begins = [e for e in events if e["ph"] == "s"]
ends = [e for e in events if e["ph"] == "f"]
ids = sorted(e["id"] for e in begins)
assert len(ids) >= 6 and ids == sorted(e["id"] for e in ends) == sorted(set(ids))
def is_bound(end):  # some span of its track covers it
    return any(s["pid"] == end["pid"] and s["tid"] == end["tid"] and
               s["ts"] - .002 <= end["ts"] <= s["ts"] + s["dur"] + .002 for s in spans)
assert all(is_bound(e) for e in begins + ends)
for a in kernels:  # one stream: one after another
    for b in kernels:
        assert a is b or a["ts"] + a["dur"] <= b["ts"] + .002 or b["ts"] + b["dur"] <= a["ts"] + .002
PY
check t.json python3 see_json.py
check t.trace python3 see_trace.py
if command -v callgrind_annotate >/dev/null; then
    check callgrind.out sh -c "callgrind_annotate callgrind.out |
        grep -q 'transpose.cu:transpose_naive(float'"
else
    echo "callgrind_annotate is not installed: its file is not read"
fi

# The page needs nothing from outside.
check 'links in the page' sh -c "! grep -Eq '(src|href)=.?https?:|@import|url\(' t.html"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    browse() { # option...
        timeout 100 "$browser" --headless --no-sandbox --disable-gpu \
            --disable-dev-shm-usage --user-data-dir="$work/user" \
            --host-resolver-rules='MAP * ~NOTFOUND' --hide-scrollbars \
            --window-size=1400,3600 --virtual-time-budget=5000 "$@" \
            "file://$work/t.html" 2>browser
    }
    browse --dump-dom >dom
    # Only a script that came to its end says so.
    check 'the page is drawn' grep -q '<body data-ready="1"' dom
    check 'its advice' grep -q 'transpose_naive, transpose.cu:[0-9]*</div><p>global stores move 8 times' dom
    check 'its kernels' grep -q '<td class="l">transpose_padded</td>' dom
    check 'its counters' grep -q '<td class="l">warp_serialize</td>' dom
    # Of the kernel that took longest, whichever that was; each reads `in`.
    check 'its source' grep -q '<td class="text">.*\] = in\[(y + j) \* width + x\];' dom
    if grep -q 'Chart.js' t.html; then
        check 'its charts' sh -c "[ \$(grep -o '<canvas' dom | wc -l) -ge 5 ]"
    else
        check 'no charts' grep -q 'built without the charting library' dom
    fi
    browse --screenshot="$work/page.png" >/dev/null
    check 'its picture' sh -c '[ $(wc -c <page.png) -gt 50000 ]'
else
    echo "no chromium: the page is not opened"
fi
echo "tools/prof_files: $passed passed, $failed failed"
[ $failed = 0 ]
