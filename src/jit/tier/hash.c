/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c - see tier/hash.h; names are those of RFC 7693. */
#include "jit/tier/hash.h"

#include <string.h>

static const uint32_t iv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint8_t sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint32_t
rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* Inline, with indices that the compiler knows: then all of v and m are in
 * registers, which is twice as fast. */
static inline __attribute__((always_inline)) void
mix(uint32_t v[16], int a, int b, int c, int d, uint32_t x, uint32_t y)
{
    v[a] += v[b] + x;
    v[d] = rotate(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = rotate(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 7);
}

static inline __attribute__((always_inline)) void
mix_round(uint32_t v[16], const uint32_t m[16], const uint8_t s[16])
{
    mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
    mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
    mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
    mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
    mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
    mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
    mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
    mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
}

/* Takes one block of 64 bytes; `total` counts it already. */
static void
compress(sw_jit_hash *hash, const uint8_t *block, bool is_last)
{
    uint32_t v[16], m[16];
    /* The hosts we run on are little-endian, as are the words. */
    memcpy(m, block, sizeof m);
    memcpy(v, hash->state, 32);
    memcpy(v + 8, iv, 32);
    v[12] ^= (uint32_t)hash->total;
    v[13] ^= (uint32_t)(hash->total >> 32);
    if (is_last)
        v[14] = ~v[14];
    mix_round(v, m, sigma[0]);
    mix_round(v, m, sigma[1]);
    mix_round(v, m, sigma[2]);
    mix_round(v, m, sigma[3]);
    mix_round(v, m, sigma[4]);
    mix_round(v, m, sigma[5]);
    mix_round(v, m, sigma[6]);
    mix_round(v, m, sigma[7]);
    mix_round(v, m, sigma[8]);
    mix_round(v, m, sigma[9]);
    for (int i = 0; i < 8; i++)
        hash->state[i] ^= v[i] ^ v[i + 8];
}

void
sw_jit_hash_init(sw_jit_hash *hash)
{
    *hash = (sw_jit_hash){0};
    memcpy(hash->state, iv, sizeof iv);
    hash->state[0] ^= 0x01010000 ^ 32; /* no key, 32 bytes come out */
}

void
sw_jit_hash_add(sw_jit_hash *hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    while (n) {
        /* The last block is known only when no other follows. */
        if (hash->block_bytes == sizeof hash->block) {
            hash->total += sizeof hash->block;
            compress(hash, hash->block, false);
            hash->block_bytes = 0;
        }
        size_t part = sizeof hash->block - hash->block_bytes;
        part = part < n ? part : n;
        memcpy(hash->block + hash->block_bytes, p, part);
        hash->block_bytes += part;
        p += part;
        n -= part;
    }
}

void
sw_jit_hash_add_text(sw_jit_hash *hash, const char *text)
{
    sw_jit_hash_add(hash, text, strlen(text) + 1);
}

sw_jit_key
sw_jit_hash_finish(sw_jit_hash *hash)
{
    sw_jit_key key;
    hash->total += hash->block_bytes;
    memset(hash->block + hash->block_bytes, 0,
           sizeof hash->block - hash->block_bytes);
    compress(hash, hash->block, true);
    memcpy(key.bytes, hash->state, sizeof key.bytes);
    return key;
}
