/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.h - PTX as compilers leave it in programs: a fat binary with one
 * text, and its wrapper, to be registered by __cudaRegisterFatBinary.
 */
#ifndef SW_API_CONTAINER_H
#define SW_API_CONTAINER_H
#include <stdint.h>
#include <string.h>

enum { CONTAINER_TEXT = 4096 };

static struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
    struct {
        uint16_t kind, version;
        uint32_t header_bytes;
        uint64_t bytes;
        uint32_t packed_bytes, zero;
        uint16_t minor, major;
        uint32_t arch, name_offset, name_bytes;
        uint64_t flags, zero2, full_bytes;
    } entry;
    char text[CONTAINER_TEXT];
} container = {.magic = 0xba55ed50,
               .version = 1,
               .header_bytes = 16,
               .bytes = 64 + CONTAINER_TEXT,
               .entry = {.kind = 1,
                         .version = 0x101,
                         .header_bytes = 64,
                         .bytes = CONTAINER_TEXT,
                         .minor = 3,
                         .major = 2,
                         .arch = 13,
                         .flags = 0x11}};

static struct {
    uint32_t magic, version;
    const void *data, *list;
} wrapper = {0x466243b1, 1, &container, NULL};

/* Fewer than CONTAINER_TEXT characters. */
static inline void *
container_of(const char *ptx)
{
    memcpy(container.text, ptx, strlen(ptx) + 1);
    return &wrapper;
}

#endif
