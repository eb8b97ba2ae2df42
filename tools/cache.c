/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - `softwarp cache`: shows what is kept of compiled code on disk, or
 * throws it away.
 */
#include "jit/tier/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools.h"

static const char help[] =
    "usage: softwarp cache [--clear] [--json]\n"
    "  --clear  remove all compiled code and headers that are kept\n"
    "  --json   the same for programs\n"
    "SOFTWARP_CACHE_DIR names another folder, SOFTWARP_CACHE_BYTES another\n"
    "limit (of bytes); SOFTWARP_CACHE=0 turns it off.\n";

static void
print_json(const sw_jit_cache *cache, const sw_jit_cache_stats *s, bool clear,
           uint64_t removed)
{
    printf("{\"folder\": ");
    if (sw_jit_cache_folder(cache))
        sw_print_json(sw_jit_cache_folder(cache));
    else
        printf("null");
    printf(", \"entries\": %" PRIu64 ", \"bytes\": %" PRIu64
           ", \"limit_bytes\": %" PRIu64 ", \"unfinished\": %" PRIu64,
           s->entries, s->bytes, s->limit_bytes, s->unfinished);
    if (clear)
        printf(", \"removed\": %" PRIu64, removed);
    puts("}");
}

static void
print_text(const sw_jit_cache *cache, const sw_jit_cache_stats *s, bool clear,
           uint64_t removed)
{
    if (sw_jit_cache_why_off(cache)) {
        printf("off: %s\n", sw_jit_cache_why_off(cache));
        return;
    }
    if (clear)
        printf("removed     %" PRIu64 " files\n", removed);
    printf("folder      %s\n", sw_jit_cache_folder(cache));
    printf("entries     %" PRIu64 "\n", s->entries);
    printf("bytes       %" PRIu64 " (%.1f MiB)\n", s->bytes,
           (double)s->bytes / 1048576);
    printf("limit       %" PRIu64 " (%.1f MiB)\n", s->limit_bytes,
           (double)s->limit_bytes / 1048576);
    if (s->unfinished)
        printf("unfinished  %" PRIu64 "\n", s->unfinished);
}

int
sw_tool_cache(int argc, char **argv)
{
    bool json = false, clear = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) {
            json = true;
        } else if (!strcmp(argv[i], "--clear")) {
            clear = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return 0;
        } else {
            fprintf(stderr, "softwarp: error: '%s' is not understood\n%s",
                    argv[i], help);
            return 2;
        }
    }
    sw_jit_cache *cache = sw_jit_cache_open();
    sw_jit_cache_stats stats;
    uint64_t removed = clear ? sw_jit_cache_clear(cache) : 0;
    sw_jit_cache_measure(cache, &stats);
    (json ? print_json : print_text)(cache, &stats, clear, removed);
    sw_jit_cache_close(cache);
    /* What could not be removed is still there. */
    return clear && stats.entries;
}
