/* SPDX-License-Identifier: Apache-2.0 */
/* observers.c - the observers that have a name; see watch.h. */
#include <string.h>

#include "watch/watch.h"

static const sw_watch_entry entries[] = {
#define OBSERVER(name, open, options, text) {name, open, options, text},
#include "watch/observers.def"
};
enum { COUNT = sizeof entries / sizeof *entries };

const sw_watch_entry *
sw_watch_at(size_t i)
{
    return i < COUNT ? &entries[i] : NULL;
}

const sw_watch_entry *
sw_watch_find(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strlen(entries[i].name) == length &&
            memcmp(entries[i].name, name, length) == 0)
            return &entries[i];
    return NULL;
}
