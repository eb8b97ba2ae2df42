/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - see start.h: the names of entry points, hashed when first asked. */
#include "start/start.h"

enum {
    L11 = START_L11,
    L12 = START_L12,
    L13 = START_L13,
    ALL = L11 | L12 | L13,
    SLOTS = 2048 /* more than twice the names, a power of two */
};

#define ENTRY(symbol, libraries, state, missing) {#symbol, libraries},
static const sw_start_name names[] = {
#include "api/cudart/entries.def"
};
#undef ENTRY

enum { COUNT = sizeof names / sizeof *names };
_Static_assert(COUNT * 2 < SLOTS, "more slots");

static uint16_t slots[SLOTS]; /* index + 1 */
static bool ready;

size_t
sw_start_names(void)
{
    return COUNT;
}

const sw_start_name *
sw_start_name_at(size_t i)
{
    return &names[i];
}

static size_t
length_of(const char *symbol, size_t most)
{
    size_t n = 0;
    while (n < most && symbol[n] && symbol[n] != '@')
        n++;
    return n;
}

static uint32_t
hash(const char *s, size_t n)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    while (n--)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}

static void
prepare(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t at = hash(names[i].name, sw_start_length(names[i].name));
        while (slots[at % SLOTS])
            at++;
        slots[at % SLOTS] = (uint16_t)(i + 1);
    }
    ready = true;
}

int
sw_start_find_name(const char *symbol, size_t most)
{
    size_t n = length_of(symbol, most);
    if (n == most)
        return -1; /* cut off by the end of the table */
    if (!ready)
        prepare();
    for (uint32_t at = hash(symbol, n); slots[at % SLOTS]; at++) {
        size_t i = slots[at % SLOTS] - 1u, k = 0;
        while (k < n && names[i].name[k] == symbol[k])
            k++;
        if (k == n && !names[i].name[n])
            return (int)i;
    }
    return -1;
}
