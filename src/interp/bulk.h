/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk.h - what copies by cp.async.bulk and those of tensors share: places in
 * shared memory, combining, barrier objects, and what observers are told.
 */
#ifndef SW_INTERP_BULK_H
#define SW_INTERP_BULK_H
#include "interp/interp.h"

/* What a device does only in launches with clusters; false: a fault was
 * recorded. */
bool sw_interp_needs_clusters(sw_run *run, const sw_dins *d, unsigned lane);
/* Advances the barrier object at p; what it was before. */
uint64_t sw_interp_mbar_advance(uint64_t *p, uint64_t arrivals,
                                uint64_t dropped, uint64_t tx);
/* Bytes have come at a barrier object; true: this ended its phase. */
bool sw_interp_bulk_complete(uint8_t *bar, uint64_t bytes);
/* Where `bytes` at an offset of the block's shared memory, or the cluster's,
 * are; NULL, with a fault, if they lie outside or are not aligned. */
uint8_t *sw_interp_bulk_shared(sw_run *run, const sw_dins *d, unsigned lane,
                               uint64_t offset, uint64_t bytes, unsigned align,
                               bool in_cluster);
/* Combines arrays in memory, an element at a time. */
void sw_interp_bulk_combine(const sw_dins *d, sw_atom what, sw_type type,
                            uint8_t *to, const uint8_t *from, uint64_t bytes);

/* A copy for observers; written: as in sw_ev_async; bar: NULL or its barrier
 * object. */
typedef struct {
    const uint8_t *from, *to, *bar;
    uint64_t bytes;
    uint32_t written;
    bool reduces;
} sw_bulk_copy;
void sw_interp_observe_copy(sw_run *run, unsigned lane, const sw_bulk_copy *c);
/* ended: that phase has. */
void sw_interp_observe_complete(sw_run *run, unsigned lane, const uint8_t *bar,
                                uint64_t bytes, bool ended);

#endif
