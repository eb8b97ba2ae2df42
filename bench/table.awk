# SPDX-License-Identifier: Apache-2.0
# table.awk - bench/run's table, of bench/cases.txt, the output of roofline, the
# programs' lines, each after the name of its engine, and the names of the cases
# to print. Exit status 1 if a case is wrong or missing where its engine is
# among `engines`, or did not run in every round.

function is_on(engine) {
    return index(engines, "," engine ",") > 0
}

function median(list, n, x, i, j, t) { # numbers, apart by blanks
    n = split(list, x, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && x[j - 1] + 0 > x[j] + 0; j--) {
            t = x[j]; x[j] = x[j - 1]; x[j - 1] = t
        }
    return (x[int((n + 1) / 2)] + x[int(n / 2) + 1]) / 2
}

# Three digits, or as many as a whole number has.
function short(v) {
    return sprintf(v >= 100 ? "%.0f" : "%.3g", v)
}

# A cell: the engine's median in milliseconds; sets ms[engine, name].
function cell(engine, name, runs, v) {
    if (!((engine, name) in times)) {
        if (is_on(engine) && ((engine != "opencl" && engine != "own") ||
                              recorded[name, 3] != "-")) {
            failed++
            return "failed"
        }
        return "-"
    }
    if (split(times[engine, name], runs) < (engine == "interp" ? 1 : rounds)) {
        failed++
        return "failed"
    }
    v = ms[engine, name] = median(times[engine, name])
    return short(v) (wrong[engine, name] ? " (wrong)" : "")
}

# A cell: how many times `theirs` takes what we take. Adds to the mean `which`.
function ratio(theirs, name, which, r) {
    if (!(("ours", name) in ms) || theirs + 0 <= 0)
        return "-"
    r = theirs / ms["ours", name]
    if (recorded[name, 1] != "-" && name != "empty") {
        sum[which] += log(r)
        count[which]++
    }
    return short(r)
}

# The rate measured for the amount of bytes nearest to this.
function rate(kind, bytes, best, i, d) {
    best = 0
    for (i = 1; i <= sizes; i++) {
        d = log(size_of[i] / bytes)
        d = d < 0 ? -d : d
        if (!best || d < nearest) { best = i; nearest = d }
    }
    return roof[kind, size_of[best]]
}

# A cell: the share of what the machine can do at most, in percent.
function share(name, part, n, i, limit, v) {
    if (!(("ours", name) in ms) || limits[name] == "-")
        return "-"
    n = split(limits[name], part, "+")
    for (i = 1; i <= n; i++) {
        if (part[i] ~ /^fma/)
            v = flops[name] / roof[part[i], "-"] / 1e6
        else
            v = bytes[name] / rate(part[i], bytes[name]) / 1e6
        if (v > limit) limit = v
    }
    return sprintf("%.1f", 100 * limit / ms["ours", name])
}

# How many times as long a kernel takes while it is counted.
function counting_line(name, plain, counted) {
    plain = cell("ours", name)
    counted = cell("counted", name)
    print "| " name " | " plain " | " counted " | " \
        (ms["ours", name] ? short(ms["counted", name] / ms["ours", name]) : "-") \
        " |"
}

# ... while an observer that does nothing takes its events.
function observing_line(name, line, i, kinds, r) {
    line = "| " name " | " cell("ours", name)
    split("memory each", kinds, " ")
    for (i = 1; i <= 2; i++) {
        line = line " | " cell(kinds[i], name)
        r = ms["ours", name] ? ms[kinds[i], name] / ms["ours", name] : 0
        line = line " | " (r ? short(r) : "-")
        if (r && name != "empty") { sum[kinds[i]] += log(r); count[kinds[i]]++ }
    }
    print line " |"
}

function mean_line(text, which) {
    if (count[which])
        printf "| %s | %.2f | %d |\n", text, exp(sum[which] / count[which]),
            count[which]
}

# How OpenCL C on our platform compares with another platform, and with CUDA.
function opencl_line(name, line, i, ratios) {
    line = "| " name " | " cell("ours", name) " | " cell("own", name) " | " \
        cell("opencl", name)
    if (!ms["own", name] || !ms["ours", name]) {
        print line " | - | - |"
        return
    }
    ratios["platform"] = ms["opencl", name] / ms["own", name]
    ratios["form"] = ms["own", name] / ms["ours", name]
    for (i in ratios)
        if (ratios[i] && name != "empty") {
            sum[i] += log(ratios[i])
            count[i]++
        }
    print line " | " short(ratios["platform"]) " | " short(ratios["form"]) " |"
}

FILENAME ~ /cases\.txt$/ {
    if (/^#/) next
    known[$1] = 1
    size[$1] = $3; block[$1] = $4; limits[$1] = $5
    gsub(/_/, " ", size[$1])
    for (i = 1; i <= 4; i++) recorded[$1, i] = $(5 + i)
    next
}

$1 == "roofline" {
    if ($2 == "copy" && !(($2, $3) in roof)) size_of[++sizes] = $3
    if ($4 + 0 > roof[$2, $3] + 0) roof[$2, $3] = $4
    next
}

$2 == "bench" && $4 == "median_ms" {
    times[$1, $3] = times[$1, $3] " " $5
    bytes[$3] = $13; flops[$3] = $15
    next
}

$3 == "WRONG" {
    sub(/:$/, "", $2)
    wrong[$1, $2] = 1
    failed++
    next
}

$2 ~ /:$/ { next }

FILENAME == "-" {
    for (i = 1; i <= NF; i++) order[++rows] = $i
}

END {
    if (what == "counting") {
        print "| kernel | plain, ms | counted, ms | counted ÷ plain |"
        print "|---|---|---|---|"
        for (i = 1; i <= rows; i++)
            counting_line(order[i])
        exit failed > 0
    }
    if (what == "observing") {
        print "| kernel | plain, ms | memory and barriers, ms | ÷ plain |" \
            " instructions, ms | ÷ plain |"
        print "|---|---|---|---|---|---|"
        for (i = 1; i <= rows; i++)
            observing_line(order[i])
        print ""
        print "| geometric mean | | of |"
        print "|---|---|---|"
        mean_line("memory and barriers ÷ plain", "memory")
        mean_line("instructions ÷ plain", "each")
        exit failed > 0
    }
    if (what == "opencl") {
        print "| kernel | our CUDA, ms | our OpenCL, ms | other OpenCL, ms |" \
            " other ÷ our OpenCL | our OpenCL ÷ CUDA |"
        print "|---|---|---|---|---|---|"
        for (i = 1; i <= rows; i++)
            if (recorded[order[i], 3] != "-")
                opencl_line(order[i])
        print ""
        print "| geometric mean | | kernels |"
        print "|---|---|---|"
        mean_line("other ÷ our OpenCL", "platform")
        mean_line("our OpenCL ÷ our CUDA", "form")
        exit failed > 0
    }
    print "| kernel | size | block | ours | interpreter | native | native, fast |" \
        " OpenCL | native ÷ ours | fast ÷ ours | OpenCL ÷ ours |" \
        " recorded native ÷ ours | recorded PoCL ÷ ours | % of limit |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= rows; i++) {
        name = order[i]
        line = "| " name " | " (small ? "small" : size[name]) " | " block[name] \
            " | " cell("ours", name) " | " cell("interp", name) " | " \
            cell("native", name) " | " cell("fast", name) " | " \
            cell("opencl", name)
        line = line " | " ratio(ms["native", name], name, "native") " | " \
            ratio(ms["fast", name], name, "fast") " | " \
            ratio(ms["opencl", name], name, "opencl")
        if (!small) {
            ratio(recorded[name, 2], name, "fast0")
            ratio(recorded[name, 3], name, "pocl31")
            line = line " | " ratio(recorded[name, 1], name, "native0") " | " \
                ratio(recorded[name, 4], name, "poclnew")
        } else
            line = line " | - | -"
        print line " | " (name in bytes ? share(name) : "-") " |"
    }
    print "\nMilliseconds, medians of the rounds' medians; ratios above 1: ours is" \
        " faster.\n"
    if (!count["native"] && !count["fast"] && !count["opencl"] &&
        !count["native0"])
        exit failed > 0
    print "| geometric mean of the time of | ÷ ours | kernels |"
    print "|---|---|---|"
    mean_line("native", "native")
    mean_line("native, -ffast-math", "fast")
    mean_line("OpenCL", "opencl")
    mean_line("native, recorded", "native0")
    mean_line("native, -ffast-math, recorded", "fast0")
    mean_line("PoCL 3.1, recorded", "pocl31")
    mean_line("PoCL 8.0-pre, recorded", "poclnew")
    printf "\nThe machine: %s GFLOP/s in single precision, %s in double; copies %s" \
        " GB/s from memory.\n", roof["fma32", "-"], roof["fma64", "-"],
        roof["copy", size_of[sizes]]
    exit failed > 0
}
