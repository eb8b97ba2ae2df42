/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256.h - SHA-256 (FIPS 180-4) of many messages of 32 bytes, one block
 * each. Written once, for the device, for the native peer and for the check,
 * which knows the digest of "abc" besides.
 */
#ifndef BENCH_SHA256_H
#define BENCH_SHA256_H
#include "../bench.h"

#ifdef __CUDACC__
#define SHA256_FN static __host__ __device__ inline
#else
#define SHA256_FN static inline
#endif

enum { SHA256_BLOCK = 256 };

typedef struct sha256 {
    size_t n; /* messages */
} sha256;

#define SHA256_K                                                               \
    {                                                                          \
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,            \
            0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,        \
            0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,        \
            0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,        \
            0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,        \
            0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,        \
            0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,        \
            0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,        \
            0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,        \
            0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,        \
            0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,        \
            0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,        \
            0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2                     \
    }

SHA256_FN uint32_t
sha256_rotate(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

/* The digest of one padded block of 16 words; w is used up. k: SHA256_K. */
SHA256_FN void
sha256_block(uint32_t h[8], uint32_t w[16], const uint32_t *k)
{
    uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++)
        h[i] = s[i];
#pragma GCC unroll 64
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] +=
                (sha256_rotate(x, 7) ^ sha256_rotate(x, 18) ^ x >> 3) +
                w[(i + 9) & 15] +
                (sha256_rotate(y, 17) ^ sha256_rotate(y, 19) ^ y >> 10);
        }
        uint32_t e = s[4], a = s[0];
        uint32_t t1 =
            s[7] + k[i] + w[i & 15] + ((e & s[5]) ^ (~e & s[6])) +
            (sha256_rotate(e, 6) ^ sha256_rotate(e, 11) ^ sha256_rotate(e, 25));
        uint32_t t2 = (sha256_rotate(a, 2) ^ sha256_rotate(a, 13) ^
                       sha256_rotate(a, 22)) +
                      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6];
        s[6] = s[5];
        s[5] = e;
        s[4] = s[3] + t1;
        s[3] = s[2];
        s[2] = s[1];
        s[1] = a;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

/* The digest of message i: the number, then zeros, 32 bytes in all. */
SHA256_FN void
sha256_message(uint32_t h[8], uint32_t i, const uint32_t *k)
{
    uint32_t w[16] = {i,           0, 0, 0, 0, 0, 0, 0,
                      0x80000000u, 0, 0, 0, 0, 0, 0, 256};
    sha256_block(h, w, k);
}

static inline sha256
sha256_create(void)
{
    sha256 s = {bench_size(1 << 18, 1 << 12)};
    return s;
}

/* got: [8][n], word by word. */
static inline bool
sha256_check(const sha256 *s, const uint32_t *got)
{
    static const uint32_t k[64] = SHA256_K;
    static const uint32_t abc[8] = {0xba7816bf, 0x8f01cfea, 0x414140de,
                                    0x5dae2223, 0xb00361a3, 0x96177a9c,
                                    0xb410ff61, 0xf20015ad};
    uint32_t w[16] = {0x61626380, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24};
    uint32_t h[8];
    sha256_block(h, w, k);
    if (!bench_same(h, abc, 8, sizeof *h))
        return false;
    for (size_t i = 0; i < s->n; i++) {
        sha256_message(h, (uint32_t)i, k);
        for (size_t j = 0; j < 8; j++)
            if (got[j * s->n + i] != h[j]) {
                fprintf(stderr, "bench: digest %zu is wrong\n", i);
                return false;
            }
    }
    return true;
}
#endif
