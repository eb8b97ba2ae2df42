#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every source file: names its licence in the first three lines, has at most
# 1,000 lines (or says "long because" in the first twenty), calls no malloc
# outside base, no exit, abort or stdout in the libraries (but where the text of
# kernels' printf ends up), has no marks left
# over. Tables (.def) and the lists of declarations in include/cuda may be long.
cd "$(dirname "$0")/.." || exit 1
find src tools include tests bench examples cmake scripts \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' -o \
       -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt \) -type f \
    ! -path "tests/data/*" |
    LC_ALL=C sort | xargs -r awk '
function wrong(what, line) {
    print name ":" line ": " what
    bad[name] = 1
}
function end_of_file() {
    if (!name) return
    if (!licence && name !~ /CMakeLists.txt$/) wrong("no SPDX-License-Identifier: Apache-2.0", 1)
    if (lines > 1000 && !why && name !~ /\.def$|^include\/cuda\//)
        wrong(lines " lines: split it, or say why it is long", lines)
}
FNR == 1 {
    end_of_file()
    name = FILENAME
    files++
    licence = why = 0
    is_c = name ~ /\.[ch]$/
    library = is_c && name ~ /^src\//
    base = name ~ /^src\/base\//
    kernel_printf = name == "src/rt/process.c"
    # the exit status that the user asks for where a kernel fails
    sets_status = name == "src/rt/complain.c"
    own_malloc = name == "src/jit/llvm/static.c"
    own_child = name == "src/cc/spawn.c"
}
{ lines = FNR }
FNR <= 3 && /SPDX-License-Identifier: Apache-2\.0/ { licence = 1 }
FNR <= 20 && /long because/ { why = 1 }
name != "scripts/check_files.sh" && /(^|[^A-Za-z_])(TODO|FIXME|XXX)([^A-Za-z_]|$)/ {
    wrong("a mark left over", FNR)
}
library && !base {
    code = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
    sub(/\/\*.*/, "", code)
    if (code ~ /^ \*/) next
    if (!own_malloc &&
        code ~ /(^|[^A-Za-z0-9_.>])(malloc|calloc|realloc|strdup|strndup|asprintf|posix_memalign|aligned_alloc) ?\(/)
        wrong("allocates outside base", FNR)
    if ((!own_child && !sets_status &&
         code ~ /(^|[^A-Za-z0-9_.>])_exit ?\(/) ||
        (!own_child && code ~ /(^|[^A-Za-z0-9_.>])(exit|abort|printf|puts|putchar) ?\(/) ||
        (code ~ /[^A-Za-z0-9_]stdout[^A-Za-z0-9_]/ && !kernel_printf))
        wrong("a library neither exits nor prints", FNR)
}
END {
    end_of_file()
    for (f in bad) failed++
    print files " files, " failed + 0 " with faults"
    print "tree/files: " (failed ? "0 passed, 1 failed" : "1 passed, 0 failed")
    exit failed > 0
}'
