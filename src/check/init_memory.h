/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init_memory.h - which bits of memory are undefined: for device memory of the
 * process, and for the shared or local memory of a block or warp.
 *
 * A byte has a mask of its undefined bits; a word of four bytes has an
 * *origin*, which says from where the undefined bits in it came: 0 for memory
 * that nobody has written, else a number of the init tool's.
 */
#ifndef SW_CHECK_INIT_MEMORY_H
#define SW_CHECK_INIT_MEMORY_H
#include "base/base.h"

typedef uint32_t sw_init_origin;

/* Undefined bits of a few bytes in a row. */
enum { SW_INIT_BYTES = 64 }; /* of an access, at most */
typedef struct {
    uint8_t undefined[SW_INIT_BYTES];
    sw_init_origin origin; /* of the first undefined byte; 0: raw memory */
    bool is_any, is_all;   /* some, all bytes have undefined bits */
} sw_init_bytes;

/* ---- memory of devices; any thread ---- */

typedef struct sw_init_memory sw_init_memory;

/* For as long as the process lives. */
sw_init_memory *sw_init_memory_create(void);
/* Of whole ranges. Addresses below 2^48; what was never set is defined. */
void sw_init_memory_set(sw_init_memory *m, uint64_t addr, uint64_t bytes,
                        bool is_defined);
void sw_init_memory_copy(sw_init_memory *m, uint64_t to, uint64_t from,
                         uint64_t bytes);
/* bytes: at most SW_INIT_BYTES. False: all is defined, and *out is not set. */
bool sw_init_memory_load(sw_init_memory *m, uint64_t addr, uint32_t bytes,
                         sw_init_bytes *out);
/* what NULL: all is defined. */
void sw_init_memory_store(sw_init_memory *m, uint64_t addr, uint32_t bytes,
                          const sw_init_bytes *what);
/* The first undefined byte in [*addr, end) whose origin is not `skip` (0: also
 * raw ones are found): true, with its address, origin and how many undefined
 * bytes with that origin follow at once. */
bool sw_init_memory_next(sw_init_memory *m, uint64_t *addr, uint64_t end,
                         sw_init_origin *origin, uint64_t *run);

/* ---- memory of a block or a warp; one thread ---- */

typedef struct {
    uint8_t *undefined;     /* [bytes] */
    sw_init_origin *origin; /* [bytes / 4 + 1] */
    uint64_t bytes;
} sw_init_area;

void sw_init_area_init(sw_init_area *a, uint64_t bytes); /* all undefined */
void sw_init_area_finish(sw_init_area *a);
/* As of memory; bytes outside are defined. */
bool sw_init_area_load(const sw_init_area *a, uint64_t addr, uint32_t bytes,
                       sw_init_bytes *out);
void sw_init_area_store(sw_init_area *a, uint64_t addr, uint32_t bytes,
                        const sw_init_bytes *what);

#endif
