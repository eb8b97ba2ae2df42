/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - see near.h. */
#include "base/near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static unsigned
min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned
sw_edit_distance(const char *a, const char *b)
{
    /* Three rows of the table of distances between beginnings (Damerau's
     * distance with adjacent swaps, each letter moved once). */
    unsigned rows[3][SW_NEAR_BYTES + 1];
    size_t nb = strnlen(b, SW_NEAR_BYTES);
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = (unsigned)j;
    unsigned *row = rows[0];
    for (size_t i = 1; a[i - 1]; i++) {
        const unsigned *before = rows[(i + 1) % 3], *last = rows[(i - 1) % 3];
        row = rows[i % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            int x = tolower((unsigned char)a[i - 1]);
            int y = tolower((unsigned char)b[j - 1]);
            unsigned best =
                min(last[j - 1] + (x != y), min(last[j] + 1, row[j - 1] + 1));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                best = min(best, before[j - 2] + 1);
            row[j] = best;
        }
    }
    return row[nb];
}

void
sw_near_init(sw_near *near, const char *wanted)
{
    *near = (sw_near){.count = 0};
    snprintf(near->wanted, sizeof near->wanted, "%s", wanted);
}

/* Edits; for a name that holds the other, how much it has besides, which counts
 * less than as many edits. UINT32_MAX: not near. */
static unsigned
penalty_of(const char *wanted, const char *name)
{
    size_t n = strlen(wanted), m = strlen(name);
    unsigned edits = sw_edit_distance(wanted, name);
    unsigned most = n < 4 ? 1 : (unsigned)(n + 1) / 3;
    if (n >= 3 && strcasestr(name, wanted))
        return 1 + (unsigned)(m - n) / 4 + (strncasecmp(name, wanted, n) != 0);
    if (m >= 4 && strncasecmp(wanted, name, m) == 0)
        return 1 + (unsigned)(n - m) / 2;
    return n && edits <= most ? edits : UINT32_MAX;
}

/* `count` places from `from` on go to `to` on. */
static void
move(sw_near *near, unsigned to, unsigned from, unsigned count)
{
    memmove(near->names + to, near->names + from, count * sizeof *near->names);
    memmove(near->penalties + to, near->penalties + from,
            count * sizeof *near->penalties);
}

void
sw_near_offer_as(sw_near *near, const char *name, const char *key)
{
    unsigned penalty = *key ? penalty_of(near->wanted, key) : UINT32_MAX;
    unsigned at = 0, old = 0;
    if (penalty == UINT32_MAX)
        return;
    while (old < near->count && strcmp(near->names[old], name) != 0)
        old++;
    if (old < near->count) {
        if (near->penalties[old] <= penalty)
            return;
        move(near, old, old + 1, --near->count - old);
    }
    while (at < near->count && near->penalties[at] <= penalty)
        at++;
    if (at == SW_NEAR_MOST)
        return;
    if (near->count == SW_NEAR_MOST)
        near->count--;
    move(near, at + 1, at, near->count++ - at);
    near->names[at] = name;
    near->penalties[at] = penalty;
}

void
sw_near_offer(sw_near *near, const char *name)
{
    sw_near_offer_as(near, name, name);
}

void
sw_near_say(const sw_near *near, const char *before, const char *after,
            sw_buf *out)
{
    /* What is farther than the best is left out: all of it, if that is very
     * near. */
    unsigned count = 0, most = near->penalties[0];
    most += most > 1;
    while (count < near->count && near->penalties[count] <= most)
        count++;
    for (unsigned i = 0; i < count; i++)
        sw_buf_printf(out, "%s%s",
                      i == 0           ? before
                      : i + 1 == count ? " or "
                                       : ", ",
                      near->names[i]);
    if (count)
        sw_buf_puts(out, after);
}
