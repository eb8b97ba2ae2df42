/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - devices that a user describes in text; see device.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

typedef enum { TEXT, COUNT, NUMBER, KIB, MIB, TENTHS } kind;

#define COLUMN(key, field, kind_, label, unit)                                 \
    {key, kind_, offsetof(sw_device_info, field)},
static const struct {
    const char *name;
    kind kind;
    size_t offset;
} keys[] = {
#include "device/columns.def"
};
enum { KEYS = sizeof keys / sizeof *keys };

static sw_str
trim(sw_str s)
{
    while (s.n && strchr(" \t\r", s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && strchr(" \t\r", s.p[s.n - 1]))
        s.n--;
    return s;
}

/* A number of 0 to 10^9 that is all of `s`. */
static bool
parse_number(sw_str s, double *out)
{
    char text[32];
    char *end = NULL;
    if (!s.n || s.n >= sizeof text || strchr("+-xXnNiI", s.p[0]))
        return false;
    memcpy(text, s.p, s.n);
    text[s.n] = 0;
    double value = strtod(text, &end);
    if (*end || !isfinite(value) || value < 0 || value > 1e9)
        return false;
    *out = value;
    return true;
}

/* Sets the field of key `k`; false: the value does not fit it. */
static bool
set_field(sw_device_info *device, size_t k, sw_str value, sw_arena *arena)
{
    char *field = (char *)device + keys[k].offset;
    double number = 0;
    if (keys[k].kind == TEXT) {
        *(const char **)(void *)field = sw_arena_str(arena, value);
        return true;
    }
    if (!parse_number(value, &number))
        return false;
    switch (keys[k].kind) {
    case NUMBER:
        *(double *)(void *)field = number;
        return true;
    case KIB:
    case MIB:
        number *= keys[k].kind == KIB ? 1024 : 1048576;
        *(uint64_t *)(void *)field = (uint64_t)number;
        return true;
    case TENTHS:
        number = round(number * 10);
        break;
    default:
        break;
    }
    *(uint32_t *)(void *)field = (uint32_t)number;
    return number == floor(number);
}

static sw_device_info
blank(const char *name)
{
    return (sw_device_info){.name = name,
                            .reported = name,
                            .chip = "",
                            .gpus_on_board = 1,
                            .mem_type = "",
                            .bus = "",
                            .source = "",
                            .notes = ""};
}

typedef struct {
    const char *file;
    uint32_t line;
    sw_arena *arena;
    sw_vec *out;
    sw_diag *diag;
    sw_device_info *open; /* being read */
    uint32_t open_line;
} loader;

static sw_status
close_device(loader *l)
{
    const sw_device_info *device = l->open;
    l->open = NULL;
    if (!device)
        return SW_OK;
    if (!device->cc || !device->sm_count) {
        sw_diag_add(l->diag, SW_DIAG_ERROR, l->file, l->open_line, 0,
                    "device \"%s\" has no %s", device->name,
                    device->cc ? "sm_count" : "cc");
        return SW_E_INVAL;
    }
    *(const sw_device_info **)sw_vec_push(l->out) = device;
    return SW_OK;
}

/* What a device is like follows from its capability. */
static sw_status
check_cc(loader *l)
{
    uint32_t cc = l->open->cc;
    if (sw_device_knows_cc((int)cc))
        return SW_OK;
    sw_buf known;
    sw_buf_init(&known);
    sw_device_list_cc(&known);
    sw_diag_add(l->diag, SW_DIAG_ERROR, l->file, l->line, 0,
                "compute capability %u.%u is not known; there are %s",
                (unsigned)(cc / 10), (unsigned)(cc % 10), known.p);
    sw_buf_finish(&known);
    return SW_E_INVAL;
}

static sw_status
read_pair(loader *l, sw_str key, sw_str value)
{
    if (sw_str_is(key, "name")) {
        sw_status status = close_device(l);
        if (status)
            return status;
        if (!value.n || memchr(value.p, ',', value.n)) {
            sw_diag_add(l->diag, SW_DIAG_ERROR, l->file, l->line, 0,
                        value.n ? "a name has no comma: lists of devices do"
                                : "the name is empty");
            return SW_E_INVAL;
        }
        l->open = sw_arena_alloc(l->arena, sizeof *l->open);
        *l->open = blank(sw_arena_str(l->arena, value));
        l->open_line = l->line;
        return SW_OK;
    }
    if (!l->open) {
        sw_diag_add(l->diag, SW_DIAG_ERROR, l->file, l->line, 0,
                    "a device begins with \"name = ...\"");
        return SW_E_INVAL;
    }
    if (sw_str_is(key, "like")) {
        const char *name = sw_arena_str(l->arena, value);
        const sw_device_info *like = sw_device_find_in(l->out, name);
        if (!like) {
            sw_diag_add(l->diag, SW_DIAG_ERROR, l->file, l->line, 0,
                        "no device is called \"%s\"", name);
            return SW_E_INVAL;
        }
        const char *own = l->open->name;
        *l->open = *like;
        l->open->name = l->open->reported = own;
        return SW_OK;
    }
    for (size_t k = 0; k < KEYS; k++) {
        if (!sw_str_is(key, keys[k].name))
            continue;
        if (set_field(l->open, k, value, l->arena))
            return sw_str_is(key, "cc") ? check_cc(l) : SW_OK;
        sw_diag_add(l->diag, SW_DIAG_ERROR, l->file, l->line, 0,
                    "\"%.*s\" is no value for %s", (int)value.n, value.p,
                    keys[k].name);
        return SW_E_INVAL;
    }
    sw_diag_add(l->diag, SW_DIAG_ERROR, l->file, l->line, 0,
                "unknown key \"%.*s\"", (int)key.n, key.p);
    return SW_E_INVAL;
}

sw_status
sw_device_load_text(sw_str text, const char *file, sw_arena *arena, sw_vec *out,
                    sw_diag *diag)
{
    loader l = {.file = file, .arena = arena, .out = out, .diag = diag};
    while (text.n) {
        const char *newline = memchr(text.p, '\n', text.n);
        size_t length = newline ? (size_t)(newline - text.p) : text.n;
        sw_str line = {text.p, length};
        text.p += length + (newline != NULL);
        text.n -= length + (newline != NULL);
        l.line++;

        const char *comment = memchr(line.p, '#', line.n);
        if (comment)
            line.n = (size_t)(comment - line.p);
        line = trim(line);
        if (!line.n)
            continue;
        const char *equals = memchr(line.p, '=', line.n);
        if (!equals) {
            sw_diag_add(diag, SW_DIAG_ERROR, file, l.line, 0,
                        "expected \"key = value\", found \"%.*s\"", (int)line.n,
                        line.p);
            return SW_E_INVAL;
        }
        size_t at = (size_t)(equals - line.p);
        sw_status status =
            read_pair(&l, trim((sw_str){line.p, at}),
                      trim((sw_str){equals + 1, line.n - at - 1}));
        if (status)
            return status;
    }
    return close_device(&l);
}

sw_status
sw_device_load_file(const char *path, sw_arena *arena, sw_vec *out,
                    sw_diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    sw_status status = sw_file_read(path, &text, &bytes);
    if (status) {
        sw_diag_add(diag, SW_DIAG_ERROR, path, 0, 0, "can't read the file: %s",
                    strerror(errno));
        return status;
    }
    status = sw_device_load_text((sw_str){text, bytes},
                                 sw_arena_str(arena, sw_str_of(path)), arena,
                                 out, diag);
    sw_free(text);
    return status;
}
