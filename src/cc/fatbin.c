/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatbin.c - writes the container of device code that host objects carry:
 * a 16-byte header, then per image a header, its strings and its text.
 *
 * The text is stored as it is, so a program starts without unpacking it and
 * `strings` shows it.
 */
#include <string.h>

#include "cc/cc_private.h"

enum {
    FATBIN_MAGIC = (int)0xBA55ED50,
    FATBIN_VERSION = 1,
    FATBIN_HEADER_BYTES = 16,
    KIND_PTX = 1,
    ENTRY_VERSION = 0x0101,
    ENTRY_BYTES = 0x40,
    OPTION_RECORD_BYTES = 8, /* u32 string offset, u32 length */
    PTX_MAJOR = 8,
    PTX_MINOR = 5,
    FLAG_64BIT = 0x1,
    FLAG_ALWAYS = 0x10,
    FLAG_SUFFIX_A = 0x100000,
    FLAG_SUFFIX_F = 0x200000,
};

static void
put(sw_buf *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        char byte = (char)(value >> (8 * i) & 0xff);
        sw_buf_add(out, &byte, 1);
    }
}

static void
pad(sw_buf *out, size_t from)
{
    while ((out->n - from) % 8)
        put(out, 0, 1);
}

static void
write_entry(const cc_image *image, const char *option, sw_buf *out)
{
    size_t option_bytes = option ? strlen(option) + 1 : 0;
    size_t header_bytes =
        ENTRY_BYTES +
        (option ? (OPTION_RECORD_BYTES + option_bytes + 7) / 8 * 8 : 0);
    size_t stored = (image->bytes + 1 + 7) / 8 * 8;
    size_t start = out->n;
    uint64_t flags = FLAG_64BIT | FLAG_ALWAYS;

    if (image->arch.suffix == 'a')
        flags |= FLAG_SUFFIX_A;
    if (image->arch.suffix == 'f')
        flags |= FLAG_SUFFIX_F;
    put(out, KIND_PTX, 2);
    put(out, ENTRY_VERSION, 2);
    put(out, header_bytes, 4);
    put(out, stored, 8);
    put(out, 0, 4); /* not compressed */
    put(out, option ? ENTRY_BYTES : 0, 4);
    put(out, PTX_MINOR, 2);
    put(out, PTX_MAJOR, 2);
    put(out, image->arch.number, 4);
    put(out, 0, 8); /* no identification string */
    put(out, flags, 8);
    put(out, 0, 8);
    put(out, 0, 8); /* unpacked size: not compressed */
    if (option) {
        put(out, ENTRY_BYTES + OPTION_RECORD_BYTES, 4);
        put(out, option_bytes - 1, 4);
        sw_buf_add(out, option, option_bytes);
        pad(out, start);
    }
    SW_ASSERT(out->n - start == header_bytes);
    sw_buf_add(out, image->ptx, image->bytes);
    put(out, 0, 1);
    pad(out, start);
    SW_ASSERT(out->n - start == header_bytes + stored);
}

void
cc_fatbin_write(const cc_image *images, size_t count, const char *option,
                sw_buf *out)
{
    sw_buf entries;

    sw_buf_init(&entries);
    for (size_t i = 0; i < count; i++)
        write_entry(&images[i], option, &entries);
    put(out, (uint32_t)FATBIN_MAGIC, 4);
    put(out, FATBIN_VERSION, 2);
    put(out, FATBIN_HEADER_BYTES, 2);
    put(out, entries.n, 8);
    sw_buf_add(out, entries.p, entries.n);
    sw_buf_finish(&entries);
}
