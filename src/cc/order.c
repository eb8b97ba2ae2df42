/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the order of a function's variables in LLVM's text.
 *
 * Of a sum of two products the first becomes part of the sum, and LLVM puts
 * that first which depends on what is defined first. For variables that a loop
 * changes, that is decided when they become values, which clang does from the
 * last variable to the first and nvcc from the first to the last. So
 *
 *     %x = alloca float, align 4
 *     %y = alloca float, align 4
 *
 * change places; nvcc's order comes out for x * x + y * y. Whole runs of such
 * lines are turned round, except where one has a number for a name: numbers
 * have to ascend.
 */
#include <string.h>

#include "cc/cc_private.h"

/* Whether a line is "  %name = alloca ...". */
static bool
is_variable(const char *line, const char *end)
{
    static const char word[] = " = alloca ";
    if (end - line < 4 || memcmp(line, "  %", 3) != 0 ||
        (line[3] >= '0' && line[3] <= '9'))
        return false;
    const char *p = memchr(line + 3, ' ', (size_t)(end - line - 3));
    return p && (size_t)(end - p) >= sizeof word &&
           memcmp(p, word, sizeof word - 1) == 0;
}

static const char *
end_of_line(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline + 1 : end;
}

void
cc_order_variables(const char *text, size_t bytes, sw_buf *out)
{
    const char *end = text + bytes;
    for (const char *line = text; line < end;) {
        const char *stop = line, *next;
        while (stop < end && is_variable(stop, next = end_of_line(stop, end)))
            stop = next;
        for (const char *last = stop; last > line;) {
            const char *p = last - 1;
            while (p > line && p[-1] != '\n')
                p--;
            sw_buf_add(out, p, (size_t)(last - p));
            last = p;
        }
        line = stop;
        if (line == end)
            break;
        next = end_of_line(line, end);
        cc_ir_add(line, (size_t)(next - line), out);
        line = next;
    }
}
