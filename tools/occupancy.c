/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy.c - `softwarp occupancy`: how many blocks of a kernel one
 * multiprocessor holds, what limits them, and what would help.
 */
#include "occupancy.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp occupancy [--cc X.Y | --device NAME] --threads N\n"
    "           [--regs N] [--smem BYTES] [option...]\n"
    "       softwarp occupancy [--cc X.Y | --device NAME] --kernel [NAME] "
    "FILE\n"
    "           [--threads N] [--smem BYTES] [option...]\n"
    "  --device-file FILE  devices described in a text file, "
    "docs/devices.md\n"
    "  --threads N         threads per block; of a kernel: its launch bounds\n"
    "  --regs N            registers per thread\n"
    "  --smem BYTES        shared memory per block; of a kernel: dynamic\n"
    "  --barriers N        named barriers of a block\n"
    "  --carveout PERCENT  shared memory preferred over L1\n"
    "  --kernel NAME FILE  a kernel (part of its name) of a program, library,\n"
    "                      fat binary, cubin, PTX, CUDA or OpenCL source, or\n"
    "                      output of ptxas -v; without NAME all of them\n"
    "  --maxrregcount N    of a kernel: no more registers than that, and what\n"
    "                      is spilled then\n"
    "  --curves            warps over block size, registers, shared memory\n"
    "  --svg FILE          the same as a drawing\n"
    "  --json              the same for programs\n";

typedef struct {
    const char *device_name;    /* or the family's */
    const sw_cc_limits *limits; /* NULL: of device_name, not yet found */
    const char *kernel, *file;  /* kernel "": all; NULL: by numbers */
    const char *svg;
    sw_occupancy_launch launch; /* as given: 0 where not */
    uint32_t max_registers;     /* 0: not given */
    bool json, curves;
} options;

/* A number of 0 to 10^9; false if `text` is none. */
static bool
parse_count(const char *text, uint32_t *out)
{
    uint64_t value = 0;
    if (!sw_str_to_u64(sw_str_of(text), 10, &value) || value > 1000000000)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* ---- text ---- */

static void
print_row(const char *label, uint32_t blocks)
{
    if (blocks == UINT32_MAX)
        printf("  %-24s no limit\n", label);
    else
        printf("  %-24s %u blocks\n", label, (unsigned)blocks);
}

static void
print_next(const sw_occupancy_launch *launch, const sw_occupancy_result *r)
{
    if (!r->next_blocks)
        return;
    printf("  with ");
    if (r->next_registers)
        printf("%u registers a thread instead of %u (-maxrregcount=%u)%s",
               (unsigned)r->next_registers, (unsigned)launch->registers,
               (unsigned)r->next_registers,
               r->next_smem != UINT32_MAX ? " and " : "");
    if (r->next_smem != UINT32_MAX)
        printf("%u bytes of shared memory a block instead of %u",
               (unsigned)r->next_smem,
               (unsigned)(launch->static_smem + launch->dynamic_smem));
    printf(" there would be %u %s\n", (unsigned)r->next_blocks,
           r->next_blocks == 1 ? "block" : "blocks");
}

/* False, with a sentence: no launch can be like this. */
static bool
print_possible(const sw_cc_limits *limits, const sw_occupancy_launch *launch)
{
    uint64_t smem = (uint64_t)launch->static_smem + launch->dynamic_smem;
    uint32_t most_smem = limits->smem_block_optin > limits->smem_block
                             ? limits->smem_block_optin
                             : limits->smem_block;
    const struct {
        uint64_t wanted, most;
        const char *what;
    } all[] = {
        {launch->threads, limits->max_threads_block, "threads a block"},
        {launch->registers, limits->max_regs_thread, "registers a thread"},
        {smem, most_smem, "bytes of shared memory a block"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].most && all[i].wanted > all[i].most) {
            printf("  no launch: at most %llu %s\n",
                   (unsigned long long)all[i].most, all[i].what);
            return false;
        }
    return true;
}

static void
advise(const sw_cc_limits *limits, const sw_occupancy_launch *launch,
       const sw_occupancy_result *r)
{
    puts("advice");
    if (!print_possible(limits, launch))
        return;
    print_next(launch, r);
    if (r->limiter == SW_OCCUPANCY_BLOCKS && r->warps < r->max_warps)
        puts("  larger blocks would fill the block slots with more warps");
    if (r->best_threads)
        printf("  blocks of %u threads would give %u warps (%.1f%%)\n",
               (unsigned)r->best_threads, (unsigned)r->best_warps,
               100.0 * r->best_warps / r->max_warps);
    if (launch->threads % limits->warp_size)
        printf("  %u threads leave %u lanes of the last warp idle\n",
               (unsigned)launch->threads,
               (unsigned)(limits->warp_size -
                          launch->threads % limits->warp_size));
    if (r->warps == r->max_warps)
        puts("  none: as many warps as the multiprocessor can hold");
}

static void
print_result(const sw_cc_limits *limits, const sw_occupancy_launch *launch,
             const sw_occupancy_result *r)
{
    printf("  %u blocks, %u of %u warps: occupancy %.2f%%\n",
           (unsigned)r->blocks, (unsigned)r->warps, (unsigned)r->max_warps,
           r->percent);
    printf("  limited by %s\n", sw_occupancy_resource_name(r->limiter));
    puts("room for");
    for (int i = 0; i < SW_OCCUPANCY_RESOURCES; i++)
        print_row(sw_occupancy_resource_name((sw_occupancy_resource)i),
                  r->room[i]);
    puts("a block takes");
    printf("  %-24s %u\n", "warps",
           (unsigned)((launch->threads + limits->warp_size - 1) /
                      limits->warp_size));
    printf("  %-24s %u of %u\n", "registers", (unsigned)r->registers_per_block,
           (unsigned)limits->regs_sm);
    printf("  %-24s %u of %u bytes\n", "shared memory",
           (unsigned)r->smem_per_block, (unsigned)r->smem_per_sm);
    advise(limits, launch, r);
}

/* The registers of a kernel or those given, and where they are from. */
static uint32_t
registers_of(const options *o, const occ_kernel *k, const char **source)
{
    *source = "given";
    if (o->launch.registers || !k)
        return o->launch.registers;
    return occ_kernel_registers(k, o->max_registers, source);
}

static bool
is_estimate(const options *o, const occ_kernel *k)
{
    const char *source;
    (void)registers_of(o, k, &source);
    return !strcmp(source, "estimate");
}

static const char *
thread_source(const options *o, const occ_kernel *k)
{
    return o->launch.threads || !k ? "given"
           : k->is_required        ? "its required block"
                                   : "its launch bounds";
}

static void
print_registers(const options *o, const occ_kernel *k,
                const sw_occupancy_launch *launch)
{
    unsigned n = (unsigned)launch->registers;
    if (o->launch.registers)
        printf("  %u registers a thread (given)\n", n);
    else if (!n)
        puts("  registers a thread are not known and not counted");
    else if (!is_estimate(o, k))
        printf("  %u registers a thread (of its %s for sm_%u)\n", n,
               k->from_log ? "assembler output" : "machine code",
               (unsigned)k->code_arch);
    else
        printf("  %u registers a thread (an estimate from its PTX%s)\n", n,
               k->registers ? ""
                            : ": there is no machine code for this device");
    if (is_estimate(o, k) && k->spill_loads + k->spill_stores)
        printf("  spilled: %u bytes of stores, %u bytes of loads, %u bytes of "
               "stack a thread (estimates)\n",
               (unsigned)k->spill_stores, (unsigned)k->spill_loads,
               (unsigned)k->stack);
    else if (o->max_registers && is_estimate(o, k))
        puts("  nothing is spilled (an estimate)");
}

static void
print_kernel(const options *o, const occ_kernel *k,
             const sw_occupancy_launch *launch)
{
    printf("kernel %s\n", k->name);
    printf("  %u threads a block (%s)\n", (unsigned)launch->threads,
           thread_source(o, k));
    print_registers(o, k, launch);
    printf("  %u bytes of static shared memory%s", (unsigned)k->static_smem,
           launch->dynamic_smem ? "" : "\n");
    if (launch->dynamic_smem)
        printf(", %u dynamic\n", (unsigned)launch->dynamic_smem);
}

/* ---- JSON ---- */

static void
json_result(const options *o, const occ_kernel *k, const occ_chart *chart,
            sw_buf *out)
{
    const sw_occupancy_result *r = &chart->result;
    const char *source;
    (void)registers_of(o, k, &source);
    sw_buf_printf(out, "{\"cc\": \"%u.%u\"", (unsigned)(r->cc / 10),
                  (unsigned)(r->cc % 10));
    if (k) {
        sw_buf_puts(out, ", \"kernel\": ");
        sw_buf_put_json(out, k->name);
    }
    sw_buf_printf(out,
                  ", \"threads\": %u, \"registers\": %u, "
                  "\"registers_from\": \"%s\", \"static_smem\": %u, "
                  "\"dynamic_smem\": %u",
                  (unsigned)chart->launch.threads,
                  (unsigned)chart->launch.registers, source,
                  (unsigned)chart->launch.static_smem,
                  (unsigned)chart->launch.dynamic_smem);
    if (k && is_estimate(o, k))
        sw_buf_printf(out,
                      ", \"spill_stores\": %u, \"spill_loads\": %u, "
                      "\"stack\": %u",
                      (unsigned)k->spill_stores, (unsigned)k->spill_loads,
                      (unsigned)k->stack);
    sw_buf_printf(out,
                  ", \"blocks\": %u, \"warps\": %u, \"max_warps\": %u, "
                  "\"percent\": %.4f, \"limiter\": \"%s\", "
                  "\"registers_per_block\": %u, \"smem_per_block\": %u, "
                  "\"smem_per_sm\": %u",
                  (unsigned)r->blocks, (unsigned)r->warps,
                  (unsigned)r->max_warps, r->percent,
                  sw_occupancy_resource_name(r->limiter),
                  (unsigned)r->registers_per_block, (unsigned)r->smem_per_block,
                  (unsigned)r->smem_per_sm);
    if (r->next_blocks) {
        sw_buf_printf(out, ", \"next\": {\"blocks\": %u",
                      (unsigned)r->next_blocks);
        if (r->next_registers)
            sw_buf_printf(out, ", \"registers\": %u",
                          (unsigned)r->next_registers);
        if (r->next_smem != UINT32_MAX)
            sw_buf_printf(out, ", \"smem\": %u", (unsigned)r->next_smem);
        sw_buf_puts(out, "}");
    }
    if (r->best_threads)
        sw_buf_printf(out, ", \"best\": {\"threads\": %u, \"warps\": %u}",
                      (unsigned)r->best_threads, (unsigned)r->best_warps);
    if (o->curves) {
        sw_buf_puts(out, ", \"curves\": ");
        occ_chart_json(chart, out);
    }
    sw_buf_puts(out, "}");
}

/* ---- one launch ---- */

static bool
write_svg(const char *path, const occ_chart *chart)
{
    sw_buf text;
    sw_buf_init(&text);
    occ_chart_svg(chart, &text);
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(text.p, 1, text.n, f) == text.n;
    if (f && fclose(f) != 0)
        good = false;
    if (!good)
        fprintf(stderr, "softwarp: error: \"%s\" can't be written\n", path);
    sw_buf_finish(&text);
    return good;
}

/* Exit status. k NULL: by numbers. */
static int
show(const options *o, const occ_kernel *k)
{
    occ_chart chart = {.cc = (int)o->limits->cc, .launch = o->launch};
    const char *source;
    sw_buf text;
    if (k) {
        chart.launch.static_smem = k->static_smem;
        if (!chart.launch.threads)
            chart.launch.threads = k->threads;
        chart.launch.registers = registers_of(o, k, &source);
    }
    if (sw_occupancy_of_capability(chart.cc, &chart.launch, &chart.result)) {
        if (k)
            fprintf(stderr,
                    "softwarp: error: %s has no launch bounds; --threads says "
                    "how many there are\n",
                    k->name);
        else
            fprintf(stderr, "softwarp: error: --threads is missing or 0\n%s",
                    help);
        return 2;
    }
    sw_buf_init(&text);
    sw_buf title;
    sw_buf_init(&title);
    sw_buf_printf(&title, "%s, compute capability %u.%u", o->device_name,
                  (unsigned)(o->limits->cc / 10),
                  (unsigned)(o->limits->cc % 10));
    if (o->json) {
        json_result(o, k, &chart, &text);
        puts(text.p);
    } else {
        puts(title.p);
        if (k)
            print_kernel(o, k, &chart.launch);
        print_result(o->limits, &chart.launch, &chart.result);
        if (o->curves) {
            occ_chart_text(&chart, &text);
            fputs(text.p, stdout);
        }
    }
    if (k)
        sw_buf_printf(&title, ": %s", k->name);
    chart.title = title.p;
    int status = o->svg && !write_svg(o->svg, &chart);
    sw_buf_finish(&title);
    sw_buf_finish(&text);
    return status;
}

/* ---- all kernels ---- */

/* One line a kernel; blocks of 0 threads (no bounds) get no occupancy. */
static void
list_kernel(const options *o, const occ_kernel *k)
{
    sw_occupancy_launch launch = o->launch;
    sw_occupancy_result r;
    const char *source;
    launch.static_smem = k->static_smem;
    if (!launch.threads)
        launch.threads = k->threads;
    launch.registers = registers_of(o, k, &source);
    bool known = !sw_occupancy_of_capability((int)o->limits->cc, &launch, &r);
    if (known)
        printf("%7u", (unsigned)launch.threads);
    else
        printf("%7s", "?");
    printf(" %5u%c %8u ", (unsigned)launch.registers,
           is_estimate(o, k) ? '~' : ' ', (unsigned)k->static_smem);
    if (known)
        printf("%6u %3u/%-3u %5.1f%% %-14s", (unsigned)r.blocks,
               (unsigned)r.warps, (unsigned)r.max_warps, r.percent,
               sw_occupancy_resource_name(r.limiter));
    else
        printf("%6s %7s %6s %-14s", "?", "?", "?", "?");
    printf(" %s\n", k->name);
}

static void
list(const options *o, const sw_vec *kernels)
{
    bool estimated = false;
    sw_buf text;
    sw_buf_init(&text);
    if (o->json) {
        for (size_t i = 0; i < kernels->count; i++) {
            const occ_kernel *k = sw_vec_at(kernels, i);
            const char *source;
            uint32_t registers = registers_of(o, k, &source);
            sw_buf_puts(&text, i ? ",\n {\"kernel\": " : "[{\"kernel\": ");
            sw_buf_put_json(&text, k->name);
            sw_buf_printf(&text,
                          ", \"max_threads\": %u, \"registers\": %u, "
                          "\"registers_from\": \"%s\", \"static_smem\": %u}",
                          (unsigned)k->threads, (unsigned)registers, source,
                          (unsigned)k->static_smem);
        }
        printf("%s]\n", text.p);
        sw_buf_finish(&text);
        return;
    }
    printf("%s, compute capability %u.%u\n", o->device_name,
           (unsigned)(o->limits->cc / 10), (unsigned)(o->limits->cc % 10));
    printf("%7s %5s  %8s %6s %7s %6s %-14s kernel\n", "threads", "regs", "smem",
           "blocks", "warps", "", "limited by");
    for (size_t i = 0; i < kernels->count; i++) {
        const occ_kernel *k = sw_vec_at(kernels, i);
        list_kernel(o, k);
        estimated |= is_estimate(o, k);
    }
    if (estimated)
        puts("~ an estimate from PTX: there is no machine code for this "
             "device");
    sw_buf_finish(&text);
}

/* The kernel of this name, else the only one with it as a part. */
static const occ_kernel *
choose(const sw_vec *kernels, const char *name)
{
    const occ_kernel *found = NULL;
    unsigned matches = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        const occ_kernel *k = sw_vec_at(kernels, i);
        if (!strcmp(k->name, name))
            return k;
        if (strstr(k->name, name)) {
            found = k;
            matches++;
        }
    }
    if (matches == 1)
        return found;
    fprintf(stderr, "softwarp: error: %s kernel is called \"%s\"; there %s",
            matches ? "more than one" : "no", name,
            kernels->count == 1 ? "is" : "are");
    for (size_t i = 0; i < kernels->count; i++)
        if (!matches ||
            strstr(((const occ_kernel *)sw_vec_at(kernels, i))->name, name))
            fprintf(stderr, " %s",
                    ((const occ_kernel *)sw_vec_at(kernels, i))->name);
    fputc('\n', stderr);
    return NULL;
}

static int
show_file(const options *o)
{
    int status = 1;
    sw_arena *arena = sw_arena_create();
    sw_diag diag;
    sw_vec kernels;
    sw_diag_init(&diag);
    sw_vec_init(&kernels, sizeof(occ_kernel));
    bool good = occ_kernels_read(o->file, o->limits, o->max_registers, arena,
                                 &kernels, &diag);
    for (size_t i = 0; i < diag.entries.count && !good; i++) {
        const sw_diag_entry *e = sw_vec_at(&diag.entries, i);
        if (e->severity == SW_DIAG_ERROR)
            fprintf(stderr, "softwarp: error: %s: %s\n", o->file, e->text);
    }
    if (good && !*o->kernel) {
        list(o, &kernels);
        status = 0;
    } else if (good) {
        const occ_kernel *k = choose(&kernels, o->kernel);
        status = k ? show(o, k) : 1;
    }
    sw_vec_finish(&kernels);
    sw_diag_finish(&diag);
    sw_arena_destroy(arena);
    return status;
}

/* ---- options ---- */

/* "9.0" as 90 if there is such a row; else NULL and a sentence. */
static const sw_cc_limits *
find_capability(const char *text)
{
    int cc = sw_device_parse_cc(text);
    if (!cc) {
        fprintf(stderr, "softwarp: error: \"%s\" is no compute capability\n",
                text);
        return NULL;
    }
    return sw_tool_cc_check(cc) ? sw_device_limits(cc) : NULL;
}

/* Finds the device that is only a name yet; false after saying why not. */
static bool
choose_device(options *o)
{
    if (!sw_tool_device_check())
        return false;
    if (o->limits)
        return true;
    const sw_device_info *device = sw_tool_device_find(o->device_name);
    if (!device)
        return false;
    o->limits = sw_device_limits((int)device->cc);
    o->device_name = device->name;
    return true;
}

/* --kernel [NAME] FILE: NAME is left out if the next but one is an option. */
static int
read_kernel(options *o, int argc, char **argv, int i)
{
    bool named = i + 2 < argc && argv[i + 2][0] != '-';
    if (i + 1 >= argc || argv[i + 1][0] == '-')
        return 0;
    o->kernel = named ? argv[i + 1] : "";
    o->file = named ? argv[i + 2] : argv[i + 1];
    return named ? 2 : 1;
}

/* Exit status, or -1 to go on. */
static int
read_options(options *o, int argc, char **argv)
{
    uint32_t carveout = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        sw_occupancy_launch *l = &o->launch;
        uint32_t *number = !strcmp(argv[i], "--threads") ? &l->threads
                           : !strcmp(argv[i], "--regs")  ? &l->registers
                           : !strcmp(argv[i], "--smem")  ? &l->dynamic_smem
                           : !strcmp(argv[i], "--maxrregcount")
                               ? &o->max_registers
                           : !strcmp(argv[i], "--barriers") ? &l->barriers
                           : !strcmp(argv[i], "--carveout") ? &carveout
                                                            : NULL;
        if (number) {
            if (!parse_count(value, number)) {
                fprintf(stderr, "softwarp: error: %s needs a number\n",
                        argv[i]);
                return 2;
            }
            i++;
        } else if (!strcmp(argv[i], "--cc")) {
            if (!(o->limits = find_capability(value)))
                return 2;
            o->device_name = o->limits->arch;
            i++;
        } else if (!strcmp(argv[i], "--device") && *value) {
            o->device_name = value;
            o->limits = NULL;
            i++;
        } else if (!strcmp(argv[i], "--device-file") && *value) {
            sw_tool_device_file(value);
            i++;
        } else if (!strcmp(argv[i], "--kernel")) {
            int taken = read_kernel(o, argc, argv, i);
            if (!taken) {
                fputs("softwarp: error: --kernel needs a file\n", stderr);
                return 2;
            }
            i += taken;
        } else if (!strcmp(argv[i], "--svg") && *value) {
            o->svg = value;
            i++;
        } else if (!strcmp(argv[i], "--curves")) {
            o->curves = true;
        } else if (!strcmp(argv[i], "--json")) {
            o->json = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return 0;
        } else {
            fprintf(stderr, "softwarp: error: \"%s\" is not understood\n%s",
                    argv[i], help);
            return 2;
        }
    }
    o->launch.carveout = carveout > 100 ? 100 : (int32_t)carveout;
    return choose_device(o) ? -1 : 1;
}

int
sw_tool_occupancy(int argc, char **argv)
{
    const sw_device_info *device = sw_device_default();
    options o = {.device_name = device->name,
                 .limits = sw_device_limits((int)device->cc)};
    int status = read_options(&o, argc, argv);
    if (status >= 0)
        return status;
    return o.file ? show_file(&o) : show(&o, NULL);
}
