/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc_rdc.c - separate compilation on the host side.
 *
 * Made relocatable, clang's host objects export the shadows of device
 * variables, as they must; but they also leave their registration to a
 * device linker, and give static symbols names that the device side, compiled
 * whole, does not have. Here the linker is the loader, so the calls
 *
 *     __cudaRegisterLinkedBinary_<module>   -> __softwarpRegisterLinked
 *     "name__static__<hash>", "name__intern__<hash>"   -> "name"
 *
 * are rewritten in the assembly text. cuda_runtime.h's
 * softwarp_host_runtime.h defines the function.
 */
#include <ctype.h>
#include <string.h>

#include "cc.h"

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

static bool
starts(const char *p, const char *end, const char *prefix)
{
    size_t n = strlen(prefix);

    return (size_t)(end - p) >= n && memcmp(p, prefix, n) == 0;
}

size_t
cc_rdc_rewrite(char *assembly, size_t bytes)
{
    static const char linked[] = "__cudaRegisterLinkedBinary_";
    static const char ours[] = "__softwarpRegisterLinked";
    const char *p = assembly, *end = assembly + bytes;
    char *out = assembly;

    _Static_assert(sizeof ours <= sizeof linked, "the text must not grow");
    while (p < end) {
        if (starts(p, end, linked)) {
            memcpy(out, ours, sizeof ours - 1);
            out += sizeof ours - 1;
            while (p < end && is_word(*p))
                p++;
        } else if (starts(p, end, "__static__") ||
                   starts(p, end, "__intern__")) {
            const char *q = p + 10;
            while (q < end && (isxdigit((unsigned char)*q) || *q == '_'))
                q++;
            if (q < end && *q == '"') { /* a name in a string */
                p = q;
            } else {
                *out++ = *p++;
            }
        } else {
            *out++ = *p++;
        }
    }
    return (size_t)(out - assembly);
}
