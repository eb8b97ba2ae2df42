/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices.c - `softwarp devices`: lists what can be pretended to be, or tells
 * all about one device or one compute capability.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/properties.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp devices [NAME] [--cc X.Y] [--file FILE] [--json]\n"
    "  NAME        all about one device (part of a name will do)\n"
    "  --cc X.Y    only devices of this compute capability, and its limits\n"
    "  --file FILE devices described in a text file too\n"
    "  --json      the same for programs\n";

static void
print_json(const sw_device_info *d, bool with_attributes)
{
    printf("{\"name\": ");
    sw_print_json(d->name);
    printf(", \"reported\": ");
    sw_print_json(d->reported);
    printf(", \"chip\": ");
    sw_print_json(d->chip);
    printf(", \"cc\": \"%u.%u\", \"sm_count\": %u, \"fp32_lanes\": %u, "
           "\"clock_khz\": %u, \"mem_bytes\": %llu, \"mem_bw_gbs\": %g, "
           "\"bus_bits\": %u, \"l2_bytes\": %llu, \"bus\": ",
           (unsigned)(d->cc / 10), (unsigned)(d->cc % 10),
           (unsigned)d->sm_count, (unsigned)d->fp32_lanes,
           (unsigned)sw_device_clock_khz(d), (unsigned long long)d->mem_bytes,
           d->mem_bw_gbs, (unsigned)d->bus_bits,
           (unsigned long long)d->l2_bytes);
    sw_print_json(d->bus);
    if (with_attributes) {
        printf(", \"source\": ");
        sw_print_json(d->source);
        printf(", \"notes\": ");
        sw_print_json(d->notes);
        printf(", \"attributes\": {");
        for (int a = 1; a <= SW_DEVICE_ATTRIBUTES; a++) {
            int value = 0;
            sw_device_attribute(d, a, &value);
            printf("%s\"%s\": %d", a > 1 ? ", " : "",
                   sw_device_attribute_name(a), value);
        }
        putchar('}');
    }
    putchar('}');
}

/* One of the lines of a listing: unknown numbers are left out. */
static void
print_number(const char *label, double value, const char *unit)
{
    if (value > 0)
        printf("  %-28s %.10g%s%s\n", label, value, *unit ? " " : "", unit);
}

static void
print_text(const char *label, const char *text)
{
    if (*text)
        printf("  %-28s %s\n", label, text);
}

static void
print_limits(const sw_cc_limits *l)
{
    printf("compute capability %u.%u (%s)\n", (unsigned)(l->cc / 10),
           (unsigned)(l->cc % 10), l->arch);
    print_text("chips", l->chips);
    print_number("threads per block", l->max_threads_block, "");
    printf("  %-28s %u x %u x %u\n", "largest block", (unsigned)l->max_block[0],
           (unsigned)l->max_block[1], (unsigned)l->max_block[2]);
    printf("  %-28s %u x %u x %u\n", "largest grid", (unsigned)l->max_grid[0],
           (unsigned)l->max_grid[1], (unsigned)l->max_grid[2]);
    print_number("resident warps per SM", l->max_warps_sm, "");
    print_number("resident blocks per SM", l->max_blocks_sm, "");
    print_number("registers per SM", l->regs_sm, "");
    print_number("registers per block", l->regs_block_max, "");
    print_number("registers per thread", l->max_regs_thread, "");
    print_number("shared memory per SM", l->smem_sm, "bytes");
    print_number("shared memory per block", l->smem_block, "bytes");
    if (l->smem_block_optin != l->smem_block)
        print_number("  with opt-in", l->smem_block_optin, "bytes");
    print_number("shared memory banks", l->smem_banks, "");
    print_number("constant memory", l->const_bytes, "bytes");
    print_number("single-precision units per SM", l->sp_units, "");
    print_number("double-precision units per SM", l->dp_units, "");
    print_number("warp schedulers per SM", l->schedulers, "");
    print_text("notes", l->notes);
    print_text("sources", l->sources);
}

static void
print_device(const sw_device_info *d)
{
    printf("%s\n", d->name);
    if (strcmp(d->name, d->reported) != 0)
        print_text("reported to programs as", d->reported);
    print_text("chip", d->chip);
    print_number("GPUs on the board", d->gpus_on_board, "");
    print_number("multiprocessors", d->sm_count, "");
    print_number("single-precision lanes", d->fp32_lanes, "");
    print_number("core clock", d->core_mhz, "MHz");
    print_number("shader clock", d->shader_mhz, "MHz");
    print_number("boost clock", d->boost_mhz, "MHz");
    print_number("memory", (double)d->mem_bytes / 1048576, "MiB");
    print_text("memory type", d->mem_type);
    print_number("memory bus", d->bus_bits, "bits");
    print_number("memory data rate", d->mem_rate_gbps, "Gbit/s a pin");
    print_number("memory bandwidth", d->mem_bw_gbs, "GB/s");
    print_number("memory partitions", d->mem_partitions, "");
    print_number("L2 cache", (double)d->l2_bytes / 1024, "KiB");
    print_text("connection", d->bus);
    print_text("source", d->source);
    print_text("notes", d->notes);
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

/* All devices: the table's, then the user's. */
static size_t
count(const sw_vec *own)
{
    return sw_device_count() + own->count;
}

static const sw_device_info *
at(const sw_vec *own, size_t i)
{
    if (i < sw_device_count())
        return sw_device_at(i);
    return *(const sw_device_info *const *)sw_vec_at(own,
                                                     i - sw_device_count());
}

static const sw_device_info *
find(const sw_vec *own, const char *name)
{
    for (size_t i = sw_device_count(); i < count(own); i++)
        if (!strcasecmp(at(own, i)->name, name))
            return at(own, i);
    return sw_device_find(name);
}

static int
show_one(const sw_vec *own, const char *name, bool json)
{
    const sw_device_info *d = find(own, name);
    if (!d) {
        sw_buf near;
        sw_buf_init(&near);
        sw_device_near(name, 5, &near);
        fprintf(stderr,
                "softwarp: error: no single device is called \"%s\"%s%s\n",
                name, near.n ? "; did you mean " : "", near.p);
        sw_buf_finish(&near);
        return 1;
    }
    if (json) {
        print_json(d, true);
        putchar('\n');
    } else {
        print_device(d);
    }
    return 0;
}

static int
show_list(const sw_vec *own, int cc, bool json)
{
    size_t shown = 0;
    if (json)
        putchar('[');
    else
        printf("%-28s %-6s %4s %5s %8s %10s %9s\n", "name", "chip", "cc", "SMs",
               "MHz", "memory MiB", "GB/s");
    for (size_t i = 0; i < count(own); i++) {
        const sw_device_info *d = at(own, i);
        if (cc && (int)d->cc != cc)
            continue;
        if (json) {
            printf("%s", shown ? ",\n " : "");
            print_json(d, false);
        } else {
            print_row(d);
        }
        shown++;
    }
    if (json)
        puts("]");
    else if (!shown)
        puts("(none)");
    if (cc && !json)
        print_limits(sw_device_limits(cc));
    return 0;
}

/* "9.0" as 90; 0: no capability. */
static int
parse_cc(const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    return *text && !*end && value >= 1 && value < 100 ? (int)(value * 10 + 0.5)
                                                       : 0;
}

int
sw_tool_devices(int argc, char **argv)
{
    const char *name = NULL;
    bool json = false;
    int cc = 0, status = 2;
    sw_arena *arena = sw_arena_create();
    sw_diag diag;
    sw_buf text;
    sw_vec own;
    sw_diag_init(&diag);
    sw_buf_init(&text);
    sw_vec_init(&own, sizeof(const sw_device_info *));

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) {
            json = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            status = 0;
            goto out;
        } else if (!strcmp(argv[i], "--cc") && i + 1 < argc &&
                   parse_cc(argv[i + 1])) {
            cc = parse_cc(argv[++i]);
        } else if (!strcmp(argv[i], "--file") && i + 1 < argc) {
            if (sw_device_load_file(argv[++i], arena, &own, &diag)) {
                sw_diag_print(&diag, &text);
                fputs(text.p, stderr);
                status = 1;
                goto out;
            }
        } else if (argv[i][0] != '-' && !name) {
            name = argv[i];
        } else {
            fprintf(stderr, "softwarp: error: \"%s\" is not understood\n%s",
                    argv[i], help);
            goto out;
        }
    }
    status = name ? show_one(&own, name, json) : show_list(&own, cc, json);
out:
    sw_vec_finish(&own);
    sw_buf_finish(&text);
    sw_diag_finish(&diag);
    sw_arena_destroy(arena);
    return status;
}
