/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - makes a fat binary of PTX texts; see fatbin.h. */
#include <string.h>
#include <zstd.h>

#include "front/fatbin/fatbin.h"
#include "front/fatbin/layout.h"

enum { ZSTD_LEVEL = 3 };

static size_t
pad8(size_t n)
{
    return (n + 7) / 8 * 8;
}

static void
put(char *header, size_t offset, uint64_t value, size_t bytes)
{
    memcpy(header + offset, &value, bytes); /* little-endian */
}

static void
add_zeros(sw_buf *out, size_t n)
{
    static const char zeros[8] = {0};
    SW_ASSERT(n <= sizeof zeros);
    sw_buf_add(out, zeros, n);
}

/* n bytes, then zeros to a multiple of eight. */
static void
add_padded(sw_buf *out, const char *p, size_t n)
{
    if (n)
        sw_buf_add(out, p, n);
    add_zeros(out, pad8(n) - n);
}

/*
 * The payload: the text with its NUL, or a zstd frame of both. *packed is the
 * frame's size, 0 if it would not be smaller. Owned by caller.
 */
static char *
make_payload(const sw_fatbin_input *input, size_t *packed)
{
    size_t n = input->ptx.n + 1;
    char *text = sw_alloc(n);
    memcpy(text, input->ptx.p, n - 1);
    *packed = 0;
    if (!input->compressed)
        return text;
    size_t bound = ZSTD_compressBound(n);
    char *frame = sw_alloc(bound);
    size_t got = ZSTD_compress(frame, bound, text, n, ZSTD_LEVEL);
    if (ZSTD_isError(got) || got >= n) {
        sw_free(frame);
        return text;
    }
    *packed = got;
    sw_free(text);
    return frame;
}

static sw_status
write_entry(const sw_fatbin_input *input, sw_buf *out, sw_diag *diag)
{
    uint32_t major = 0, minor = 0, arch = 0;
    char variant = 0;
    sw_fatbin_scan_header(input->ptx, &major, &minor, &arch, &variant);
    if (input->arch)
        arch = input->arch;
    if (!arch) {
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0,
                    "the PTX text has no .target, and no architecture was "
                    "given");
        return SW_E_INVAL;
    }
    if (input->ptx.n >= UINT32_MAX || input->ident.n >= 4096 ||
        input->options.n >= 4096) {
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0,
                    "a PTX text of %zu bytes, a name of %zu or options of %zu "
                    "are too long for a fat binary",
                    input->ptx.n, input->ident.n, input->options.n);
        return SW_E_INVAL;
    }

    /* After the fixed part: the source name, the record of the options and
     * they, each padded. */
    size_t packed = 0;
    char *payload = make_payload(input, &packed);
    size_t text = input->ptx.n + 1;
    size_t stored = packed ? packed : text;
    size_t options = SW_ENTRY_HEADER_BYTES + pad8(input->ident.n);
    size_t header_bytes = pad8(options + 8 + input->options.n + 1);
    uint64_t flags = SW_FLAG_64_BIT | SW_FLAG_ALWAYS;
    flags |= input->debug ? SW_FLAG_DEBUG : 0;
    flags |= packed ? SW_FLAG_ZSTD : 0;
    flags |= input->is_unit ? SW_FLAG_UNIT : 0;
    flags |= variant == 'a' ? SW_FLAG_ARCH_A : 0;
    flags |= variant == 'f' ? SW_FLAG_ARCH_F : 0;

    char header[SW_ENTRY_HEADER_BYTES] = {0};
    put(header, SW_ENTRY_KIND, SW_FATBIN_PTX, 2);
    put(header, SW_ENTRY_VERSION, 0x0101, 2);
    put(header, SW_ENTRY_HEADER_SIZE, header_bytes, 4);
    put(header, SW_ENTRY_PAYLOAD_SIZE, pad8(stored), 8);
    put(header, SW_ENTRY_PACKED_SIZE, packed, 4);
    put(header, SW_ENTRY_OPTIONS, options, 4);
    put(header, SW_ENTRY_MINOR, minor, 2);
    put(header, SW_ENTRY_MAJOR, major, 2);
    put(header, SW_ENTRY_ARCH, arch, 4);
    if (input->ident.n) {
        put(header, SW_ENTRY_IDENT, SW_ENTRY_HEADER_BYTES, 4);
        put(header, SW_ENTRY_IDENT + 4, input->ident.n, 4);
    }
    put(header, SW_ENTRY_FLAGS, flags, 8);
    put(header, SW_ENTRY_UNPACKED_SIZE, packed ? text : 0, 8);
    size_t start = out->n;
    sw_buf_add(out, header, sizeof header);
    add_padded(out, input->ident.p, input->ident.n);
    char record[8];
    put(record, 0, options + 8, 4);
    put(record, 4, input->options.n, 4);
    sw_buf_add(out, record, sizeof record);
    add_padded(out, input->options.p, input->options.n);
    add_zeros(out, out->n - start < header_bytes ? 8 : 0);
    add_padded(out, payload, stored);
    sw_free(payload);
    return SW_OK;
}

sw_status
sw_fatbin_write(const sw_fatbin_input *inputs, size_t n, sw_buf *out,
                sw_diag *diag)
{
    sw_status status = SW_OK;
    sw_buf body;
    sw_buf_init(&body);
    for (size_t i = 0; i < n && status == SW_OK; i++)
        status = write_entry(&inputs[i], &body, diag);
    if (status == SW_OK) {
        char header[SW_FATBIN_HEADER_BYTES] = {0};
        put(header, 0, SW_FATBIN_MAGIC, 4);
        put(header, 4, 1, 2);
        put(header, 6, sizeof header, 2);
        put(header, 8, body.n, 8);
        sw_buf_add(out, header, sizeof header);
        if (body.n)
            sw_buf_add(out, body.p, body.n);
    }
    sw_buf_finish(&body);
    return status;
}
