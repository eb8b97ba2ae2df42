/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc_ptx.c - the rounding of sums and products in clang's PTX.
 *
 * Which products are folded into sums has been decided when PTX is made. But
 * PTX that leaves the rounding of mul, add and sub open lets whoever assembles
 * it fold more of them, as a device's assembler does; a program would then
 * compute other bits than one that nvcc compiled. So they get the .rn that
 * they mean.
 */
#include <string.h>

#include "cc.h"

/* The first word at p, up to `end`. */
static sw_str
word_at(const char *p, const char *end)
{
    const char *q = p;
    while (q < end && *q != ' ' && *q != '\t' && *q != ';')
        q++;
    return (sw_str){p, (size_t)(q - p)};
}

static bool
has(sw_str word, const char *part)
{
    return memmem(word.p, word.n, part, strlen(part)) != NULL;
}

/* add, sub or mul of f32 or f64 with no rounding modifier. */
static bool
is_open(sw_str word)
{
    if (word.n < 7 ||
        !(sw_str_has_prefix(word, "add.") || sw_str_has_prefix(word, "sub.") ||
          sw_str_has_prefix(word, "mul.")))
        return false;
    sw_str type = {word.p + word.n - 4, 4};
    if (!sw_str_is(type, ".f32") && !sw_str_is(type, ".f64"))
        return false;
    return !has(word, ".rn") && !has(word, ".rz") && !has(word, ".rm") &&
           !has(word, ".rp");
}

void
cc_ptx_settle(const char *text, size_t bytes, sw_buf *out)
{
    const char *end = text + bytes;
    for (const char *line = text; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        const char *p = line;
        while (p < next && (*p == ' ' || *p == '\t'))
            p++;
        if (p < next && *p == '@') { /* a guard */
            p += word_at(p, next).n;
            while (p < next && (*p == ' ' || *p == '\t'))
                p++;
        }
        if (is_open(word_at(p, next))) {
            sw_buf_add(out, line, (size_t)(p + 3 - line));
            sw_buf_puts(out, ".rn");
            line = p + 3;
        }
        sw_buf_add(out, line, (size_t)(next - line));
        line = next;
    }
}
