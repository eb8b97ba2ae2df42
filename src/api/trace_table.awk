# SPDX-License-Identifier: Apache-2.0
# trace_table.awk - our CUDA headers, preprocessed, as the rows that
# src/api/cuda/trace_table.c includes:
#   SW_CALL(symbol, "type of the result", "type name, type name")
#   SW_CALL_OF(runtime, symbol, ...)  where that generation's differs
#   SW_TYPE(type)              each type that a parameter has or points to
#   SW_ENUM(type, enumerator)
BEGIN { RS = ";" }
function trim(s)
{
    gsub(/[ \t\n]+/, " ", s)
    sub(/^ /, "", s)
    sub(/ $/, "", s)
    return s
}
function see_type(type)
{
    if (type ~ /[()\[]/ || type == "" || type == "void" || type in seen)
        return
    seen[type] = 1
    print "SW_TYPE(" type ")"
}
function see_enum(name, body,    n, i, words)
{
    n = split(body, words, ",")
    for (i = 1; i <= n; i++) {
        sub(/=.*/, "", words[i])
        words[i] = trim(words[i])
        if (words[i] != "") {
            members[name] = members[name] " " words[i]
        }
    }
}
function see_call(text,    open, head, name, type, params, row, n, i, words, p, t)
{
    open = index(text, "(")
    head = trim(substr(text, 1, open - 1))
    name = head
    sub(/.*[ *]/, "", name)
    type = trim(substr(head, 1, length(head) - length(name)))
    sub(/^extern /, "", type)
    params = substr(text, open + 1)
    if (name !~ /^(cu[A-Z]|cuda[A-Z]|__cuda[A-Z])/ ||
        (runtime ":" name) in called || (runtime && name ~ /^cu[A-Z]/) ||
        !sub(/\)[^)]*$/, "", params) || params ~ /\(/)
        return
    called[runtime ":" name] = 1
    params = trim(params)
    gsub(/ ?= ?[^,]*/, "", params)
    gsub(/ +,/, ",", params)
    if (params == "void")
        params = ""
    row = name ", \"" type "\", \"" params "\")"
    if (!runtime) {
        newest[name] = row
        print "SW_CALL(" row
    } else if (row != newest[name])
        print "SW_CALL_OF(" runtime ", " row
    n = split(params, words, ",")
    for (i = 1; i <= n; i++) {
        p = trim(words[i])
        t = p
        sub(/[A-Za-z0-9_]+(\[[^]]*\])?$/, "", t)
        t = trim(t)
        sub(/\*$/, "", t)
        t = trim(t)
        sub(/^const /, "", t)
        see_type(t)
    }
}
FNR == 1 {
    depth = 0
}
{
    text = $0
    if (depth == 0) {
        gsub(/#[^\n]*\n/, "", text)
        text = trim(text)
        if (match(text, /^(typedef )?enum [A-Za-z0-9_]* ?\{/)) {
            name = substr(text, 1, RLENGTH - 1)
            sub(/^typedef /, "", name)
            name = trim(name)
            body = substr(text, RLENGTH + 1)
            tail = body
            sub(/\}.*/, "", body)
            sub(/.*\}/, "", tail)
            tail = trim(tail)
            if (name == "enum")
                name = tail
            else if (tail != "")
                alias[tail] = name
            if (!runtime)
                see_enum(name, body)
            next
        }
        if (text ~ /^typedef enum [A-Za-z0-9_]+ [A-Za-z0-9_]+$/) {
            split(text, part, " ")
            alias[part[4]] = "enum " part[3]
            next
        }
    }
    opens = gsub(/\{/, "{", text)
    closes = gsub(/\}/, "}", text)
    was = depth
    depth += opens - closes
    if (was == 0 && opens == 0 && text !~ /^typedef/ && index(text, "("))
        see_call(text)
    else if (depth == 0 && closes > 0) {
        sub(/.*\}/, "", text)
        text = trim(text)
        if (index(text, "(") && text !~ /^typedef/)
            see_call(text)
    }
}
END {
    for (type in seen) {
        name = type in alias ? alias[type] : type
        n = split(members[name], words, " ")
        for (i = 1; i <= n; i++)
            print "SW_ENUM(" type ", " words[i] ")"
    }
}
