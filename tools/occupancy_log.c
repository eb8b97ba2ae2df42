/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy_log.c - kernels from what an assembler said of them: the lines of
 * `ptxas -v`, as a build's log keeps them.
 *
 *     ptxas info : Compiling entry function 'NAME' for 'sm_90'
 *     ptxas info : Used 25 registers, used 0 barriers, 68 bytes smem
 */
#include <string.h>

#include "occupancy.h"

static const char used[] = ": Used ", entry[] = "Compiling entry function '";

/* The next line of *rest. */
static sw_str
next_line(sw_str *rest)
{
    const char *end = memchr(rest->p, '\n', rest->n);
    sw_str line = {rest->p, end ? (size_t)(end - rest->p) : rest->n};
    size_t taken = line.n + (end != NULL);
    rest->p += taken;
    rest->n -= taken;
    return line;
}

/* What follows `words` in a line; p NULL if they are not in it. */
static sw_str
after(sw_str line, const char *words)
{
    size_t n = strlen(words);
    const char *p = line.n >= n ? memmem(line.p, line.n, words, n) : NULL;
    if (!p)
        return (sw_str){NULL, 0};
    p += n;
    return (sw_str){p, line.n - (size_t)(p - line.p)};
}

/* The number that a text begins with; 0: none. */
static uint32_t
number_at(sw_str s)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
        n = n < 100000000 ? n * 10 + (uint32_t)(s.p[i] - '0') : n;
    return n;
}

/* The number before `words`, which ends a part of a list: "68 bytes smem". */
static uint32_t
number_before(sw_str line, const char *words)
{
    sw_str rest = after(line, words);
    if (!rest.p)
        return 0;
    const char *p = rest.p - strlen(words);
    while (p > line.p && p[-1] >= '0' && p[-1] <= '9')
        p--;
    return number_at((sw_str){p, (size_t)(line.p + line.n - p)});
}

bool
occ_is_log(sw_str text)
{
    enum { LOOKED_AT = 65536 };
    sw_str head = {text.p, text.n < LOOKED_AT ? text.n : LOOKED_AT};
    return !memchr(head.p, 0, head.n) && after(head, "ptxas info").p &&
           after(head, entry).p;
}

static occ_kernel *
kernel_of(sw_str name, uint32_t arch, sw_arena *arena, sw_vec *out)
{
    for (size_t i = 0; i < out->count; i++) {
        occ_kernel *k = sw_vec_at(out, i);
        if (sw_str_is(name, k->name))
            return k->code_arch <= arch ? k : NULL;
    }
    occ_kernel *k = sw_vec_push(out);
    *k = (occ_kernel){.name = sw_arena_str(arena, name), .from_log = true};
    return k;
}

void
occ_log_read(sw_str text, uint32_t cc, sw_arena *arena, sw_vec *out)
{
    occ_kernel *open = NULL;
    uint32_t arch = 0;
    while (text.n) {
        sw_str line = next_line(&text), name = after(line, entry);
        const char *quote = name.p ? memchr(name.p, '\'', name.n) : NULL;
        if (quote) {
            sw_str rest = after(name, "for 'sm_");
            arch = rest.p ? number_at(rest) : 0;
            name.n = (size_t)(quote - name.p);
            bool counts = arch / 10 == cc / 10 && arch <= cc;
            open = kernel_of(name, counts ? arch : 0, arena, out);
            if (!counts)
                open = NULL;
        } else if (open && after(line, used).p) {
            open->registers = number_at(after(line, used));
            open->static_smem = number_before(line, " bytes smem");
            open->code_arch = arch;
            open = NULL;
        }
    }
}
