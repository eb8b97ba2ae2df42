/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices.c - `softwarp devices`: lists what can be pretended to be, or tells
 * all about one device or one compute capability.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "device/device.h"
#include "device/properties.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp devices [NAME] [--cc X.Y] [--device-file FILE] [--json]\n"
    "  NAME        all about one device (part of a name will do)\n"
    "  --cc X.Y    only devices of this compute capability, and its limits\n"
    "  --device-file FILE\n"
    "              devices described in a text file too (docs/devices.md)\n"
    "  --names     the names alone, one a line\n"
    "  --json      the same for programs\n";

typedef enum {
    TEXT,
    COUNT,
    NUMBER,
    TENTHS,
    FLAG,
    KIB,
    MIB,
    TRIPLE,
    CONFIGS
} kind;

typedef struct {
    const char *key, *label, *unit;
    kind kind;
    size_t offset;
} column;

#define COLUMN(key, field, kind_, label, unit)                                 \
    {key, label, unit, kind_, offsetof(sw_device_info, field)},
static const column device_columns[] = {
#include "device/columns.def"
};
#define LIMIT(field, kind_, label, unit)                                       \
    {#field, label, unit, kind_, offsetof(sw_cc_limits, field)},
static const column limit_columns[] = {
#include "device/columns.def"
};
enum {
    DEVICE_COLUMNS = sizeof device_columns / sizeof *device_columns,
    LIMIT_COLUMNS = sizeof limit_columns / sizeof *limit_columns
};

static const void *
field_of(const void *row, const column *c)
{
    return (const char *)row + c->offset;
}

/* The value of a column that is one number. */
static double
number_of(const void *row, const column *c)
{
    const void *field = field_of(row, c);
    switch (c->kind) {
    case NUMBER:
        return *(const double *)field;
    case KIB:
        return (double)*(const uint64_t *)field / 1024;
    case MIB:
        return (double)*(const uint64_t *)field / 1048576;
    case TENTHS:
        return *(const uint32_t *)field / 10.0;
    default:
        return *(const uint32_t *)field;
    }
}

/* ---- JSON ---- */

static void
print_json_list(const uint32_t *n, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        printf("%s%u", i ? ", " : "[", (unsigned)n[i]);
    fputs(count ? "]" : "[]", stdout);
}

static void
print_json_column(const void *row, const column *c)
{
    const void *field = field_of(row, c);
    printf(", \"%s\": ", c->key);
    if (c->kind == TEXT)
        sw_print_json(*(const char *const *)field);
    else if (c->kind == FLAG)
        fputs(*(const bool *)field ? "true" : "false", stdout);
    else if (c->kind == TENTHS)
        printf("\"%.1f\"", number_of(row, c));
    else if (c->kind == TRIPLE)
        print_json_list(field, 3);
    else if (c->kind == CONFIGS)
        print_json_list(field, ((const sw_cc_limits *)row)->smem_configs);
    else
        printf("%.15g", number_of(row, c));
}

static void
print_json_limits(const sw_cc_limits *l)
{
    printf("{\"cc\": \"%u.%u\"", (unsigned)(l->cc / 10),
           (unsigned)(l->cc % 10));
    for (size_t i = 0; i < LIMIT_COLUMNS; i++)
        print_json_column(l, &limit_columns[i]);
    putchar('}');
}

static void
print_json(const sw_device_info *d, bool in_full)
{
    printf("{\"name\": ");
    sw_print_json(d->name);
    for (size_t i = 0; i < DEVICE_COLUMNS; i++)
        print_json_column(d, &device_columns[i]);
    printf(", \"clock_khz\": %u, \"mem_bytes\": %llu, \"l2_bytes\": %llu",
           (unsigned)sw_device_clock_khz(d), (unsigned long long)d->mem_bytes,
           (unsigned long long)d->l2_bytes);
    if (in_full) {
        printf(", \"attributes\": {");
        for (int a = 1; a <= SW_DEVICE_ATTRIBUTES; a++) {
            int value = 0;
            sw_device_attribute(d, a, &value);
            printf("%s\"%s\": %d", a > 1 ? ", " : "",
                   sw_device_attribute_name(a), value);
        }
        printf("}, \"limits\": ");
        print_json_limits(sw_device_limits((int)d->cc));
    }
    putchar('}');
}

/* ---- text ---- */

/* A line of a listing; what is not known is left out. */
static void
print_column(const void *row, const column *c)
{
    const void *field = field_of(row, c);
    const uint32_t *n = field;
    const char *before = *c->unit ? " " : "";
    if (c->kind == TEXT) {
        const char *text = *(const char *const *)field;
        if (*text)
            printf("  %-32s %s\n", c->label, text);
    } else if (c->kind == FLAG) {
        printf("  %-32s %s\n", c->label,
               *(const bool *)field ? c->unit : "each warp");
    } else if (c->kind == TRIPLE) {
        printf("  %-32s %u x %u x %u\n", c->label, (unsigned)n[0],
               (unsigned)n[1], (unsigned)n[2]);
    } else if (c->kind == CONFIGS) {
        uint32_t count = ((const sw_cc_limits *)row)->smem_configs;
        printf("  %-32s", c->label);
        for (uint32_t i = 0; i < count; i++)
            printf("%s%u", i ? ", " : " ", (unsigned)n[i]);
        printf("%s%s\n", before, c->unit);
    } else if (c->kind == TENTHS) {
        printf("  %-32s %.1f\n", c->label, number_of(row, c));
    } else if (number_of(row, c) > 0) {
        printf("  %-32s %.10g%s%s\n", c->label, number_of(row, c), before,
               c->unit);
    }
}

static void
print_limits(const sw_cc_limits *l)
{
    printf("compute capability %u.%u\n", (unsigned)(l->cc / 10),
           (unsigned)(l->cc % 10));
    for (size_t i = 0; i < LIMIT_COLUMNS; i++)
        print_column(l, &limit_columns[i]);
}

static void
print_device(const sw_device_info *d)
{
    printf("%s\n", d->name);
    for (size_t i = 0; i < DEVICE_COLUMNS; i++)
        print_column(d, &device_columns[i]);
    puts("attributes, as cuDeviceGetAttribute answers");
    for (int a = 1; a <= SW_DEVICE_ATTRIBUTES; a++) {
        int value = 0;
        sw_device_attribute(d, a, &value);
        printf("  %-48s %d\n", sw_device_attribute_name(a), value);
    }
    print_limits(sw_device_limits((int)d->cc));
}

static void
print_row(const sw_device_info *d)
{
    char memory[32] = "?", bandwidth[32] = "?";
    if (d->mem_bytes)
        snprintf(memory, sizeof memory, "%llu",
                 (unsigned long long)(d->mem_bytes >> 20));
    if (d->mem_bw_gbs > 0)
        snprintf(bandwidth, sizeof bandwidth, "%.1f", d->mem_bw_gbs);
    printf("%-28s %-6s %2u.%u %5u %8.0f %10s %9s\n", d->name, d->chip,
           (unsigned)(d->cc / 10), (unsigned)(d->cc % 10),
           (unsigned)d->sm_count, sw_device_clock_khz(d) / 1e3, memory,
           bandwidth);
}

static int
show_one(const char *name, bool json)
{
    const sw_device_info *d = sw_tool_device_find(name);
    if (!d)
        return 1;
    if (json) {
        print_json(d, true);
        putchar('\n');
    } else {
        print_device(d);
    }
    return 0;
}

static void
list_json(int cc)
{
    size_t shown = 0;
    if (cc) {
        fputs("{\"limits\": ", stdout);
        print_json_limits(sw_device_limits(cc));
        fputs(",\n \"devices\": ", stdout);
    }
    putchar('[');
    for (size_t i = 0; i < sw_device_count(); i++) {
        if (cc && (int)sw_device_at(i)->cc != cc)
            continue;
        printf("%s", shown++ ? ",\n " : "");
        print_json(sw_device_at(i), false);
    }
    puts(cc ? "]}" : "]");
}

static void
list_names(int cc)
{
    for (size_t i = 0; i < sw_device_count(); i++)
        if (!cc || (int)sw_device_at(i)->cc == cc)
            puts(sw_device_at(i)->name);
}

static void
list_text(int cc)
{
    size_t shown = 0;
    printf("%-28s %-6s %4s %5s %8s %10s %9s\n", "name", "chip", "cc", "SMs",
           "MHz", "memory MiB", "GB/s");
    for (size_t i = 0; i < sw_device_count(); i++) {
        if (cc && (int)sw_device_at(i)->cc != cc)
            continue;
        print_row(sw_device_at(i));
        shown++;
    }
    if (!shown)
        puts("(none)");
    if (cc)
        print_limits(sw_device_limits(cc));
}

void
sw_tool_device_file(const char *path)
{
    const char *old = sw_setting(SW_SETTING_DEVICE_FILE);
    sw_buf list;
    sw_buf_init(&list);
    sw_buf_printf(&list, "%s%s%s", old ? old : "", old && *old ? ":" : "",
                  path);
    setenv("SOFTWARP_DEVICE_FILE", list.p, 1);
    sw_buf_finish(&list);
}

bool
sw_tool_device_check(void)
{
    fputs(sw_device_user_errors(), stderr);
    return !*sw_device_user_errors();
}

bool
sw_tool_cc_check(int cc)
{
    uint32_t row = sw_device_limits(cc)->cc;
    if (sw_device_knows_cc(cc)) {
        if ((int)row != cc)
            fprintf(stderr,
                    "softwarp: warning: the limits of %d.%d are taken to be "
                    "those of %u.%u\n",
                    cc / 10, cc % 10, (unsigned)(row / 10),
                    (unsigned)(row % 10));
        return true;
    }
    sw_buf known;
    sw_buf_init(&known);
    sw_device_list_cc(&known);
    fprintf(stderr,
            "softwarp: error: compute capability %d.%d is not known; there "
            "are %s\n",
            cc / 10, cc % 10, known.p);
    sw_buf_finish(&known);
    return false;
}

const sw_device_info *
sw_tool_device_find(const char *name)
{
    const sw_device_info *device = sw_device_find(name);
    if (device && !sw_device_is_named(device, name))
        fprintf(stderr, "softwarp: \"%s\" is taken to be \"%s\"\n", name,
                device->name);
    if (device)
        return device;
    sw_buf near;
    sw_buf_init(&near);
    sw_device_near(name, &near);
    fprintf(stderr, "softwarp: error: no single device is called \"%s\"%s\n",
            name, near.n ? near.p : "; see `softwarp devices`");
    sw_buf_finish(&near);
    return NULL;
}

int
sw_tool_devices(int argc, char **argv)
{
    const char *name = NULL;
    bool json = false, names = false;
    int cc = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) {
            json = true;
        } else if (!strcmp(argv[i], "--names")) {
            names = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return 0;
        } else if (!strcmp(argv[i], "--cc") && i + 1 < argc &&
                   sw_device_parse_cc(argv[i + 1])) {
            cc = sw_device_parse_cc(argv[++i]);
        } else if (!strcmp(argv[i], "--device-file") && i + 1 < argc) {
            sw_tool_device_file(argv[++i]);
        } else if (argv[i][0] != '-' && !name) {
            name = argv[i];
        } else {
            fprintf(stderr, "softwarp: error: \"%s\" is not understood\n%s",
                    argv[i], help);
            return 2;
        }
    }
    if (!sw_tool_device_check() || (cc && !sw_tool_cc_check(cc)))
        return 1;
    if (name)
        return show_one(name, json);
    if (names)
        list_names(cc);
    else if (json)
        list_json(cc);
    else
        list_text(cc);
    return 0;
}
