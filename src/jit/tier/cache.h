/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - compiled code kept on disk, so that the next process finds it;
 * `softwarp cc` keeps compiled headers there, too.
 *
 * One folder (SOFTWARP_CACHE_DIR, else $XDG_CACHE_HOME/softwarp, else
 * ~/.cache/softwarp), one file an entry, named by the hash of everything that
 * the code was made from. Any number of processes and threads may use it at
 * once: a file appears whole, by a rename, and is never changed. A file that is
 * damaged, of another format, or that another user could have written counts as
 * absent. When all of them are larger than SOFTWARP_CACHE_BYTES (default 512
 * MiB), those go that were not used for longest.
 *
 * Nothing here fails: where there is no folder to write to, nothing is kept.
 * SOFTWARP_CACHE=0 turns it off. Does not know what an entry means.
 */
#ifndef SW_JIT_CACHE_H
#define SW_JIT_CACHE_H
#include "jit/tier/hash.h"

typedef struct sw_jit_cache sw_jit_cache;

/* What is kept under a key: the object, and its maker's notes on it. */
typedef struct {
    const uint8_t *object;
    size_t object_bytes;
    const uint8_t *notes;
    size_t notes_bytes;
    void *memory; /* where sw_jit_cache_get has put both */
} sw_jit_entry;

typedef struct {
    uint64_t entries, bytes; /* in the folder */
    uint64_t limit_bytes;
    uint64_t unfinished; /* files of writers that are at work, or were killed */
    uint64_t hits, misses, writes; /* of this process */
} sw_jit_cache_stats;

/* By what the environment says now. Never NULL; owned by caller. */
sw_jit_cache *sw_jit_cache_open(void);
void sw_jit_cache_close(sw_jit_cache *cache);
/* NULL: it is off. Valid until the cache is closed. */
const char *sw_jit_cache_folder(const sw_jit_cache *cache);
/* Why it is off; else NULL. */
const char *sw_jit_cache_why_off(const sw_jit_cache *cache);

/* False: there is no such entry. Else finish *out. Any thread. */
bool sw_jit_cache_get(sw_jit_cache *cache, const sw_jit_key *key,
                      sw_jit_entry *out);
void sw_jit_entry_finish(sw_jit_entry *entry);
/* Keeps it, or does not. Any thread. */
void sw_jit_cache_put(sw_jit_cache *cache, const sw_jit_key *key,
                      const sw_jit_entry *entry);

/* Whether an entry of about so many bytes would be kept, and for some time. */
bool sw_jit_cache_would_keep(sw_jit_cache *cache, uint64_t bytes);

/* Looks through the folder. Any thread. */
void sw_jit_cache_measure(sw_jit_cache *cache, sw_jit_cache_stats *out);
/* Removes all entries and unfinished files, and nothing else; how many. */
uint64_t sw_jit_cache_clear(sw_jit_cache *cache);

#endif
