/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - the two tables and finding devices by name; see device.h. */
#include "device/device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"

#define DEVICE(name_, reported_, chip_, cc_, gpus, sms, lanes, core, shader,   \
               boost, mem, type, bits, bw, rate, mem_size_mb, l2_kb, bus_,     \
               partitions, partition_bits_, interleave, source_, notes_)       \
    {.name = name_,                                                            \
     .reported = reported_,                                                    \
     .chip = chip_,                                                            \
     .cc = cc_,                                                                \
     .gpus_on_board = gpus,                                                    \
     .sm_count = sms,                                                          \
     .fp32_lanes = lanes,                                                      \
     .core_mhz = core,                                                         \
     .shader_mhz = shader,                                                     \
     .boost_mhz = boost,                                                       \
     .mem_mhz = mem,                                                           \
     .mem_type = type,                                                         \
     .bus_bits = bits,                                                         \
     .mem_bw_gbs = bw,                                                         \
     .mem_rate_gbps = rate,                                                    \
     .mem_bytes = (uint64_t)((mem_size_mb)*1048576.0),                         \
     .l2_bytes = (uint64_t)(l2_kb)*1024,                                       \
     .bus = bus_,                                                              \
     .mem_partitions = partitions,                                             \
     .partition_bits = partition_bits_,                                        \
     .interleave_bytes = interleave,                                           \
     .source = source_,                                                        \
     .notes = notes_},

static const sw_device_info devices[] = {
#include "device/devices.def"
};

#define BLOCK true
#define WARP  false
#define THREADS(warp, warps, blocks, threads, block_threads, bx, by, bz, gx,   \
                gy, gz)                                                        \
    .warp_size = warp, .max_warps_sm = warps, .max_blocks_sm = blocks,         \
    .max_threads_sm = threads, .max_threads_block = block_threads,             \
    .max_block = {bx, by, bz}, .max_grid = {gx, gy, gz}
#define REGS(sm, block, thread, per_block, unit, gran, slices)                 \
    .regs_sm = sm, .regs_block_max = block, .max_regs_thread = thread,         \
    .regs_per_block = per_block, .reg_unit = unit, .warp_gran = gran,          \
    .subpartitions = slices
#define CONFIG(count, ...)                                                     \
    .smem_configs = count, .smem_config_kb = {__VA_ARGS__}
#define SMEM(sm, config, block, optin, unit, reserved, banks, bank_bytes,      \
             phase, per_clk)                                                   \
    .smem_sm = sm, config, .smem_block = block, .smem_block_optin = optin,     \
    .smem_unit = unit, .smem_reserved = reserved, .smem_banks = banks,         \
    .smem_bank_bytes = bank_bytes, .smem_phase_threads = phase,                \
    .smem_bytes_per_clk = per_clk
#define CACHES(constant, constant_cache, tex, l1, l1_line_, l1_sector_,        \
               caches, l2_line_, l2_sector_)                                   \
    .const_bytes = constant, .const_cache_bytes = constant_cache,              \
    .tex_cache_kb = tex, .l1_data_kb = l1, .l1_line = l1_line_,                \
    .l1_sector = l1_sector_, .l1_caches_global = caches, .l2_line = l2_line_,  \
    .l2_sector = l2_sector_
#define UNITS(sp, int32, dp, sfu, ldst, tensor, scheds, dispatch, clocks)      \
    .sp_units = sp, .int32_units = int32, .dp_units = dp, .sfu_units = sfu,    \
    .ldst_units = ldst, .tensor_cores = tensor, .schedulers = scheds,          \
    .dispatch_per_scheduler = dispatch, .clocks_per_sp_warp = clocks
#define REST(barriers, barrier_slots, grids, cluster, local, params, insts)    \
    .barriers_block = barriers, .barriers_sm = barrier_slots,                  \
    .max_resident_grids = grids, .max_cluster = cluster,                       \
    .local_thread_bytes = local, .param_bytes = params,                        \
    .max_instructions = insts
#define CAPABILITY(cc_, arch_, chips_, threads, regs, smem, caches, units,     \
                   rest, issue_rules_, notes_, sources_)                       \
    {.cc = cc_,                                                                \
     .arch = arch_,                                                            \
     .chips = chips_,                                                          \
     threads,                                                                  \
     regs,                                                                     \
     smem,                                                                     \
     caches,                                                                   \
     units,                                                                    \
     rest,                                                                     \
     .issue_rules = issue_rules_,                                              \
     .notes = notes_,                                                          \
     .sources = sources_},

static const sw_cc_limits capabilities[] = {
#include "device/capability.def"
};

enum {
    DEVICES = sizeof devices / sizeof *devices,
    CAPABILITIES = sizeof capabilities / sizeof *capabilities
};

static const sw_device_info *
own_at(const sw_vec *own, size_t i)
{
    return *(const sw_device_info *const *)sw_vec_at(own, i);
}

/* Entry i of the table and then of `own`, or NULL where a later device of
 * `own` has its name. */
static const sw_device_info *
entry(const sw_vec *own, size_t i)
{
    bool is_own = i >= DEVICES;
    const sw_device_info *d = is_own ? own_at(own, i - DEVICES) : &devices[i];
    for (size_t k = is_own ? i - DEVICES + 1 : 0; k < own->count; k++)
        if (!strcasecmp(own_at(own, k)->name, d->name))
            return NULL;
    return d;
}

/* The next device from entry *i on, which goes past it; NULL: no more. */
static const sw_device_info *
next_device(size_t *i)
{
    const sw_vec *own = sw_device_user();
    while (*i < DEVICES + own->count) {
        const sw_device_info *d = entry(own, (*i)++);
        if (d)
            return d;
    }
    return NULL;
}

size_t
sw_device_count(void)
{
    size_t count = 0, i = 0;
    while (next_device(&i))
        count++;
    return count;
}

const sw_device_info *
sw_device_at(size_t i)
{
    size_t at = 0;
    const sw_device_info *d = next_device(&at);
    while (d && i--)
        d = next_device(&at);
    SW_ASSERT(d);
    return d;
}

size_t
sw_device_limits_count(void)
{
    return CAPABILITIES;
}

const sw_cc_limits *
sw_device_limits_at(size_t i)
{
    SW_ASSERT(i < CAPABILITIES);
    return &capabilities[i];
}

const sw_cc_limits *
sw_device_limits(int cc_times_10)
{
    const sw_cc_limits *best = &capabilities[0];
    for (size_t i = 0; i < CAPABILITIES; i++)
        if ((int)capabilities[i].cc <= cc_times_10)
            best = &capabilities[i];
    return best;
}

bool
sw_device_knows_cc(int cc_times_10)
{
    /* Targets of the assembler of CUDA 13 without a row in the tables. */
    return (int)sw_device_limits(cc_times_10)->cc == cc_times_10 ||
           cc_times_10 == 88 || cc_times_10 == 103 || cc_times_10 == 121;
}

int
sw_device_parse_cc(const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    return *text && !*end && value >= 1 && value < 100 ? (int)(value * 10 + 0.5)
                                                       : 0;
}

void
sw_device_list_cc(sw_buf *out)
{
    for (size_t i = 0; i < CAPABILITIES; i++)
        sw_buf_printf(out, "%s%u.%u", i ? ", " : "",
                      (unsigned)(capabilities[i].cc / 10),
                      (unsigned)(capabilities[i].cc % 10));
}

uint32_t
sw_device_clock_khz(const sw_device_info *device)
{
    double mhz = device->shader_mhz > 0  ? device->shader_mhz
                 : device->boost_mhz > 0 ? device->boost_mhz
                                         : device->core_mhz;
    return (uint32_t)(mhz * 1000 + 0.5);
}

/* ---- names ---- */

/* `name` without the vendor's words in front. */
static const char *
bare_name(const char *name)
{
    static const char *const words[] = {"NVIDIA ", "GeForce ", "Tesla ",
                                        "Quadro "};
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t n = strlen(words[i]);
            if (strncasecmp(name, words[i], n) == 0 && name[n]) {
                name += n;
                again = true;
            }
        }
    }
    return name;
}

/* How many names `matches`; *found is the last of them. */
static unsigned
count_matches(const sw_vec *own, const char *name,
              bool (*matches)(const sw_device_info *d, const char *name),
              const sw_device_info **found)
{
    unsigned hits = 0;
    for (size_t i = 0; i < DEVICES + own->count; i++) {
        const sw_device_info *d = entry(own, i);
        if (d && matches(d, name)) {
            *found = d;
            hits++;
        }
    }
    return hits;
}

static bool
has_name(const sw_device_info *d, const char *name)
{
    return !strcasecmp(name, d->name);
}

static bool
is_called(const sw_device_info *d, const char *name)
{
    return !strcasecmp(name, d->name) || !strcasecmp(name, d->reported);
}

static bool
is_called_bare(const sw_device_info *d, const char *bare)
{
    return !strcasecmp(bare, bare_name(d->name)) ||
           !strcasecmp(bare, bare_name(d->reported));
}

static bool
holds(const sw_device_info *d, const char *bare)
{
    return strcasestr(d->name, bare) != NULL;
}

enum { MAX_WORDS = 16 };

/* A name's words: runs of letters, or of digits. */
typedef struct {
    const char *at[MAX_WORDS];
    size_t length[MAX_WORDS];
    /* It is one with the last one: nothing stands between them, or they are an
     * amount of memory ("80 GB"). */
    bool is_glued[MAX_WORDS];
    bool is_unit[MAX_WORDS]; /* of such an amount */
    unsigned count;
} name_words;

/* How many letters, or digits, are next; 0: neither. */
static size_t
run_length(const char *p)
{
    size_t n = 0;
    while (isdigit((unsigned char)*p) ? isdigit((unsigned char)p[n])
                                      : isalpha((unsigned char)p[n]))
        n++;
    return n;
}

/* Not among the words: kinds of memory, which drivers name ("HBM3"), and unless
 * `sizes`, how much of it ("80GB"). */
static name_words
split(const char *name, bool sizes)
{
    name_words w = {.count = 0};
    const char *end = NULL;
    bool is_amount = false;
    for (const char *p = bare_name(name); *p && w.count < MAX_WORDS;) {
        size_t n = run_length(p);
        const char *unit = p + n + (p[n] == ' ');
        if (strncasecmp(p, "HBM", 3) == 0) {
            p += strcspn(p, " -");
        } else if (!sizes && isdigit((unsigned char)*p) &&
                   strncasecmp(unit, "GB", 2) == 0) {
            p = unit + 2;
        } else if (n) {
            w.is_unit[w.count] = is_amount;
            w.is_glued[w.count] = p == end || is_amount;
            is_amount = isdigit((unsigned char)*p) &&
                        strncasecmp(unit, "GB", 2) == 0 &&
                        !isalnum((unsigned char)unit[2]);
            w.at[w.count] = p;
            w.length[w.count++] = n;
            p += n;
            end = p;
        } else {
            p++;
        }
    }
    return w;
}

/* How many words from word i on are written as one. */
static unsigned
glued_count(const name_words *w, unsigned i)
{
    unsigned n = 1;
    while (i + n < w->count && w->is_glued[i + n])
        n++;
    return n;
}

/* Whether these `n` words of `a` are in `b`, one after the other; a unit only
 * behind its number. */
static bool
has_run(const name_words *b, const name_words *a, unsigned i, unsigned n)
{
    for (unsigned at = 0; at + n <= b->count; at++) {
        unsigned k = 0;
        while (k < n && !b->is_unit[at] &&
               a->length[i + k] == b->length[at + k] &&
               !strncasecmp(a->at[i + k], b->at[at + k], a->length[i + k]))
            k++;
        if (k == n)
            return true;
    }
    return false;
}

/* Whether all words of `a` are in `b`, too; what `a` writes as one stands
 * together in `b`: "GTX280" is a GTX 280, "GB200" no H200 of 141 GB. */
static bool
is_within(const name_words *a, const name_words *b)
{
    for (unsigned i = 0; i < a->count;) {
        unsigned n = glued_count(a, i);
        if (!has_run(b, a, i, n))
            return false;
        i += n;
    }
    return a->count > 0;
}

static bool
has_these_words(const sw_device_info *d, const char *name)
{
    name_words asked = split(name, true), own = split(d->name, true);
    return is_within(&asked, &own) && is_within(&own, &asked);
}

/* One word is no more than a part of a name. */
static bool
has_words(const sw_device_info *d, const char *name)
{
    name_words asked = split(name, true), own = split(d->name, true);
    return asked.count > 1 && is_within(&asked, &own);
}

/* A name with an amount of memory, of a device that comes with one only. */
static bool
is_called_without_memory(const sw_device_info *d, const char *name)
{
    name_words asked = split(name, false), own = split(d->name, true);
    return is_within(&asked, &own) && is_within(&own, &asked);
}

/* "3090", "1080 Ti": what is left of a name without its series. */
static const char *
number_of(const char *bare)
{
    bool has_series = !strncasecmp(bare, "RTX ", 4) ||
                      !strncasecmp(bare, "GTX ", 4) ||
                      !strncasecmp(bare, "GTS ", 4);
    return has_series && isdigit((unsigned char)bare[4]) ? bare + 4 : "";
}

/* Whether they are the same but for spaces, dashes and letter case. */
static bool
is_said_so(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " -_");
        b += strspn(b, " -_");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

static bool
has_number(const sw_device_info *d, const char *name)
{
    return *name && (is_said_so(number_of(bare_name(d->name)), name) ||
                     is_said_so(number_of(bare_name(d->reported)), name));
}

static const struct {
    const char *said, *device;
} aliases[] = {
#define ALIAS(said, device) {said, device},
#include "device/aliases.def"
#undef ALIAS
};

/* The usual model of that name; NULL: there is none. */
static const sw_device_info *
find_usual(const sw_vec *own, const char *bare)
{
    const sw_device_info *found = NULL;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (is_said_so(aliases[i].said, bare) &&
            count_matches(own, aliases[i].device, is_called, &found))
            return found;
    return NULL;
}

const sw_device_info *
sw_device_find_in(const sw_vec *own, const char *name)
{
    const sw_device_info *found = NULL;
    const char *bare = bare_name(name);
    /* A name is unique among tables and files, the last file's wins. What
     * drivers report is not. */
    if (count_matches(own, name, has_name, &found) ||
        count_matches(own, name, is_called, &found) == 1)
        return found;
    if (!*bare)
        return NULL;
    if (count_matches(own, bare, is_called_bare, &found) == 1)
        return found;
    const sw_device_info *usual = find_usual(own, bare);
    if (usual)
        return usual;
    static bool (*const ways[])(const sw_device_info *, const char *) = {
        has_number, has_these_words, holds, has_words,
        is_called_without_memory};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (count_matches(own, bare, ways[i], &found) == 1)
            return found;
    return NULL;
}

bool
sw_device_is_named(const sw_device_info *device, const char *name)
{
    return is_said_so(bare_name(device->name), bare_name(name)) ||
           is_said_so(bare_name(device->reported), bare_name(name));
}

const sw_device_info *
sw_device_find(const char *name)
{
    return sw_device_find_in(sw_device_user(), name);
}

const sw_device_info *
sw_device_default(void)
{
    static const sw_vec none = {0};
    const sw_device_info *device = sw_device_find_in(&none, "NVIDIA H200");
    SW_ASSERT(device);
    return device;
}

void
sw_device_near(const char *name, sw_buf *out)
{
    const sw_vec *own = sw_device_user();
    sw_near near;
    sw_near_init(&near, bare_name(name));
    for (size_t i = 0; i < DEVICES + own->count; i++) {
        const sw_device_info *d = entry(own, i);
        if (!d)
            continue;
        char first[SW_NEAR_BYTES];
        const char *bare = bare_name(d->name);
        snprintf(first, sizeof first, "%.*s", (int)strcspn(bare, " "), bare);
        sw_near_offer_as(&near, d->name, bare);
        sw_near_offer_as(&near, d->name, number_of(bare));
        if (first[strcspn(first, "0123456789")])
            sw_near_offer_as(&near, d->name, first);
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        sw_near_offer(&near, aliases[i].said);
    sw_near_say(&near, "; did you mean ", "?", out);
}
