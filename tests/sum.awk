# SPDX-License-Identifier: Apache-2.0
# Adds up what `ctest -V` printed into one last line. Input: first
# tests/expected-fail.txt, then the output. A test counts as its own closing
# line says (`NAME: N passed, M failed[, K skipped]`); one that fails without
# saying so - a crash, a time limit - counts as one failure, one that passes
# without a closing line too. Exit status 1 if anything failed, or nothing ran.

FILENAME == ARGV[1] { # NAME reason
    if ($1 != "" && $1 !~ /^#/) expected[$1] = 1
    next
}

/^[0-9]+: / {
    id = $1
    sub(/^[0-9]+: ?/, "")
    text[id] = text[id] $0 "\n"
    if ($0 ~ /: [0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/)
        closing[id] = $0
    else if ($0 ~ /^skip: /)
        reason[id] = substr($0, 7)
    next
}

#  1/20 Test  #3: unit/base_vec ......   Passed    0.01 sec
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    match($0, /#[0-9]+:/)
    id = substr($0, RSTART + 1, RLENGTH - 1)
    rest = substr($0, RSTART + RLENGTH + 1)
    split(rest, word, " ")
    name = word[1]
    ran[name] = 1
    p = f = s = 0
    if (match(closing[id], /[0-9]+ passed, [0-9]+ failed.*$/)) {
        split(substr(closing[id], RSTART), n, " ")
        p = n[1]; f = n[3]; s = n[5] + 0
    }
    if (rest ~ /Skipped/) {
        p = f = 0; s = 1
        print name ": skipped: " reason[id]
    } else if (rest ~ /Passed/) {
        if (p + f + s == 0) { f = 1; reason[id] = "no closing line" }
    } else if (f == 0)
        f = 1 # a crash, a time limit
    if (name in expected) {
        if (f) {
            print name ": fails, as expected"
            s += f; f = 0
        } else if (p) {
            f = 1; reason[id] = "passes, but stands in expected-fail.txt"
        }
    }
    if (f) {
        status = rest
        sub(/^[^ ]+ *\.*[ *]*/, "", status)
        print "---- " name ": " status " " reason[id]
        printf "%s", text[id]
    }
    passed += p; failed += f; skipped += s
    delete text[id]
}

END {
    for (name in expected)
        if (!(name in ran)) {
            print name ": stands in expected-fail.txt but is no test"
            failed++
        }
    printf "tests: %d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
}
