/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - models of the caches between a warp and device memory: tags only,
 * set-associative, lines of 128 bytes in sectors of 32, least recently used.
 *
 * What is not published was fitted to the counters of an H200
 * (tests/data/h200_counters.csv) and is said so at the place. Objects belong to
 * one thread at a time.
 */
#ifndef SW_WATCH_CACHE_H
#define SW_WATCH_CACHE_H
#include "device/device.h"

/* ---- a cache of one multiprocessor: L1, texture ---- */

typedef struct sw_l1 sw_l1;

/* bytes 0: no cache, everything misses. Owned by caller, sw_l1_destroy. */
sw_l1 *sw_l1_create(uint64_t bytes);
void sw_l1_destroy(sw_l1 *l1);
/* Forgets everything. */
void sw_l1_clear(sw_l1 *l1);
/* A load of a sector (its address / 32); true: hit. A miss brings it in, whole
 * lines if `line`. */
bool sw_l1_load(sw_l1 *l1, uint64_t sector, bool line);
/* The sector is no longer here: an atomic has changed it in L2, or, on 2.x and
 * 3.x, a store. */
void sw_l1_drop(sw_l1 *l1, uint64_t sector);

/* Bytes of L1 of a multiprocessor beside shared memory for `resident` blocks of
 * `shared_bytes` each; 0: there is none. */
uint64_t sw_l1_bytes(const sw_device_info *device, uint32_t resident,
                     uint32_t shared_bytes);
/* What of the same memory, 7.0 on, is shared memory then: the smallest
 * configuration that has room for twice these blocks (but no more than a
 * multiprocessor has slots for) if that leaves L1 a half, else for these. At
 * least 32 KiB. Fitted to what an H200 chose for 75 kernels. */
uint64_t sw_unified_shared_bytes(const sw_device_info *device,
                                 uint32_t resident, uint32_t shared_bytes);
/* The same of the texture cache. */
uint64_t sw_texture_cache_bytes(const sw_device_info *device, uint32_t resident,
                                uint32_t shared_bytes);

/* ---- L2 and device memory ---- */

typedef struct sw_l2 sw_l2;

typedef enum { SW_L2_READ, SW_L2_WRITE, SW_L2_ATOM, SW_L2_RED } sw_l2_kind;

/* One sector of a request. */
typedef struct {
    uint64_t sector;  /* address / 32 */
    uint32_t what;    /* WRITE: mask of the bytes written; ATOM, RED:
                         operations on it one after another */
    uint8_t kind;     /* sw_l2_kind */
    uint8_t last;     /* the request ends here */
    uint64_t *misses; /* incremented if L2 does not have it; or NULL */
} sw_l2_access;

/* Sectors looked up and moved; as sw_counts. */
typedef struct {
    uint64_t lookups[4];                         /* by sw_l2_kind */
    uint64_t read_hits, write_hits, atomic_hits; /* of ATOM and RED */
    uint64_t dram_read, dram_write;
} sw_l2_counts;

/* Empty. A device without L2 for global memory (1.x): all goes to memory. */
sw_l2 *sw_l2_create(const sw_device_info *device);
void sw_l2_destroy(sw_l2 *l2);
/* Requests of one multiprocessor, in order. */
void sw_l2_run(sw_l2 *l2, uint32_t sm, const sw_l2_access *list, size_t count);
const sw_l2_counts *sw_l2_get_counts(const sw_l2 *l2);

#endif
