#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes point one way: the table says which folders of src/ each one may
# include (docs/design.md explains why). Also here: llvm-c/ only in alu, emit and
# llvm of jit; pthread.h and C threads only in base, rt, mem, exec, jit, watch,
# model, check, api and lib (and for the lock of 16-byte atomics, and to read the user's devices once);
# no "../".
cd "$(dirname "$0")/.." || exit 1
find src tools -name '*.[ch]' | LC_ALL=C sort | xargs -r awk '
BEGIN {
    may["base"]   = ""
    may["ir"]     = "base"
    may["sem"]    = "base ir"
    may["front"]  = "base ir"
    may["opt"]    = "base ir sem"
    may["mem"]    = "base"
    may["exec"]   = "base ir opt sem mem"
    may["interp"] = may["exec"] " exec"
    may["jit"]    = may["interp"] " interp watch/inline_counter.h"
    # Folders of jit, which see of each other what stands here only.
    may["jit/alu"]  = "base ir sem"
    may["jit/plan"] = may["jit/alu"] " opt exec jit/abi.h jit/tune.h"
    may["jit/emit"] = may["jit/plan"] " mem interp jit/inline_counter.h jit/alu jit/plan"
    may["jit/llvm"] = may["jit/emit"] " jit/emit"
    may["jit/tier"] = may["jit"] " jit/abi.h jit/tune.h jit/jit.h jit/run"
    may["jit/run"]  = may["jit/tier"] " jit/inline_counter.h jit/tier"
    may["device"] = "base"
    may["mach"]   = "base ir opt device"
    events = "exec/event.h exec/event_buffer.h exec/memory_event.h exec/instrument.h"
    may["watch"]  = "base ir device mach " events
    may["model"]  = "base ir opt device mach watch " events
    may["report"] = "base ir device " events " watch model"
    may["check"]  = "base ir device " events " watch report"
    may["rt"]     = may["interp"] " front interp jit device mach watch model report check"
    may["api"]    = may["rt"] " rt cc/cc.h cc/opencl.h cc/opencl_extensions.def"
    may["cc"]     = "base jit/tier/cache.h"
    may["lib"]    = may["rt"] " rt sem api/entry.h api/runtime_table.h cc/cc.h"
    may["start"]  = "api/cudart/entries.def lib/libraries.def"
    may["tools"]  = may["api"] " lib cc/cc.h cc/opencl.h api/cuda/entries.def api/cudart/entries.def"
}
function wrong(what) {
    print FILENAME ":" FNR ": " what
    bad[FILENAME] = 1
}
FNR == 1 {
    files++
    split(FILENAME, part, "/")
    folder = part[1] == "src" ? part[2] : part[1]
    top = folder
    if ((folder "/" part[3]) in may) folder = folder "/" part[3]
    if (!(folder in may)) wrong("no rule for folder " folder)
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, q, "\"")
    path = q[2]
    split(path, p, "/")
    if (path ~ /\.\.\//) wrong("includes " path ": name it from src/")
    place = p[3] ? p[1] "/" p[2] : p[1]
    if (path !~ /\// || place == folder || p[1] == folder || p[1] == "softwarp" ||
             p[1] == "cuda") next
    else if (index(" " may[folder] " ", " " place " ")) next
    else if (p[1] != top && index(" " may[folder] " ", " " p[1] " ")) next
    else if (index(" " may[folder] " ", " " path " ")) next
    else wrong(folder " may not include " path)
}
/^[ \t]*#[ \t]*include[ \t]*<llvm-c\// && folder !~ /^jit\/(alu|emit|llvm)$/ {
    wrong("only alu, emit and llvm of jit include LLVM")
}
/^[ \t]*#[ \t]*include[ \t]*<(pthread|threads)\.h>/ &&
    top !~ /^(base|rt|mem|exec|jit|watch|model|check|api|lib)$/ &&
    FILENAME != "src/interp/atomic.c" && FILENAME != "src/device/user.c" { wrong(folder " knows no threads") }
END {
    for (f in bad) failed++
    print files " files, " failed + 0 " with faults"
    print "tree/includes: " (failed ? "0 passed, 1 failed" : "1 passed, 0 failed")
    exit failed > 0
}'
