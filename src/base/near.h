/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near.h - "did you mean ...?": of many names the few that are nearest to one
 * that is none of them. A name is near if few edits make one into the other, or
 * if it holds the other; letter case counts for little.
 */
#ifndef SW_NEAR_H
#define SW_NEAR_H
#include "base/base.h"

enum { SW_NEAR_MOST = 5, SW_NEAR_BYTES = 64 };

typedef struct {
    char wanted[SW_NEAR_BYTES]; /* cut if longer */
    /* The nearest, best first; names are borrowed from who offers them. */
    const char *names[SW_NEAR_MOST];
    unsigned penalties[SW_NEAR_MOST];
    unsigned count;
} sw_near;

void sw_near_init(sw_near *near, const char *wanted);
/* `name` lives as long as `near`. The same text twice is taken once. */
void sw_near_offer(sw_near *near, const char *name);
/* The same of a name that is compared as `key`: without words in front. Of
 * several keys of one name the nearest counts. */
void sw_near_offer_as(sw_near *near, const char *name, const char *key);
/* "BEFORE a, b or c AFTER" of those offered that are near; nothing if none
 * is. */
void sw_near_say(const sw_near *near, const char *before, const char *after,
                 sw_buf *out);

/* How many edits (a letter more, less or other, or two neighbours swapped) make
 * `a` into `b`, ignoring case; of `b` the first SW_NEAR_BYTES. */
unsigned sw_edit_distance(const char *a, const char *b);

#endif
