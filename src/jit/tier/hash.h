/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - BLAKE2s-256 (RFC 7693): names compiled code by what it was made
 * from, and tells whether a file is as it was written. 256 bits, so that two
 * inputs of one value need not be thought of.
 */
#ifndef SW_JIT_HASH_H
#define SW_JIT_HASH_H
#include "base/base.h"

typedef struct {
    uint8_t bytes[32];
} sw_jit_key;

typedef struct {
    uint32_t state[8];
    uint64_t total; /* bytes hashed: all but those in `block` */
    uint8_t block[64];
    size_t block_bytes;
} sw_jit_hash;

void sw_jit_hash_init(sw_jit_hash *hash);
void sw_jit_hash_add(sw_jit_hash *hash, const void *bytes, size_t n);
/* The text and where it ends, so that "a", "bc" is not "ab", "c". */
void sw_jit_hash_add_text(sw_jit_hash *hash, const char *text);
/* The value of all that was added; then it must be begun anew. */
sw_jit_key sw_jit_hash_finish(sw_jit_hash *hash);

#endif
