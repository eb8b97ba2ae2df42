#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# softwarp check python: a race in a kernel of Numba is named with the lines of
# the Python source. SW_PYTHON is an interpreter that has Numba.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
python=${SW_PYTHON:-python3}
"$python" -c 'import numba.cuda' 2>/dev/null || {
    echo "skipped: $python has no Numba (SW_PYTHON names another)"
    echo "tools/check_python: 0 passed, 0 failed, 1 skipped"
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/turn.py" <<'PY'
import numpy as np
from numba import cuda

@cuda.jit(lineinfo=True)
def turn(a):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    a[t] = s[63 - t]

a = cuda.to_device(np.zeros(64, np.int32))
turn[1, 64](a)
cuda.synchronize()
PY
"$softwarp" check --tool race "$python" "$work/turn.py" 2>"$work/log"
status=$?
passed=0 failed=0
if [ $status = 1 ] && grep -q 'turn.py:8 ' "$work/log" &&
    grep -q 'turn.py:9 ' "$work/log"; then
    passed=1
else
    failed=1
    cat "$work/log"
fi
echo "tools/check_python: $passed passed, $failed failed"
[ $failed = 0 ]
