/* SPDX-License-Identifier: Apache-2.0 */
/* advice.c - see advice.h: what counters of launches show. */
#include "report/advice.h"

#include <stdlib.h>
#include <string.h>

#include "device/occupancy.h"
#include "report/lines.h"
#include "report/report.h"
#include "softwarp/occupancy.h"

/* What is still good. Of a correct program the last warp of a grid often
 * diverges, and first and last pieces of an array are half used. */
#define MAX_TRAFFIC      1.2  /* moved / needed */
#define MAX_PASSES       1.25 /* passes of the banks / those without conflict */
#define MIN_ACTIVE       0.9  /* lanes that work / lanes */
#define MIN_DIVERGENT    0.05 /* of a line's branches */
#define MIN_OCCUPANCY    50.0
#define MIN_SHARE        0.05 /* of the launch's traffic, passes, ... */
#define MIN_LAUNCH_WASTE 0.05
#define MAX_CAMPING      2.0 /* busiest partition / mean */

/* What counted at one place: a line of the source, or of PTX. */
typedef struct {
    const char *file;
    uint32_t line, ptx_line;
    sw_counts counts;
} place;

typedef struct {
    const sw_profile *profile;
    const sw_profile_group *group;
    const sw_profile_launch *launch;
    const sw_cc_limits *limits;
    uint32_t group_index;
    sw_vec places; /* place */
    sw_vec *out;
} finder;

const char *
sw_advice_word(sw_advice_kind kind)
{
    static const char *const words[SW_ADVICE_KINDS] = {
        "coalescing", "bank conflicts", "divergence",
        "occupancy",  "block size",     "grid size",
        "partitions", "small copies",   "blocking copies",
    };
    return words[kind];
}

static void
add(finder *f, sw_advice_kind kind, double weight, const place *at,
    const char *text, const char *rule)
{
    *(sw_advice *)sw_vec_push(f->out) = (sw_advice){
        .kind = kind,
        .weight = weight,
        .group = f->group_index,
        .process = f->launch->process,
        .file = at ? at->file : "",
        .line = at ? at->line : 0,
        .ptx_line = at ? at->ptx_line : 0,
        .text = text,
        .rule = rule,
    };
}

static place
place_of(const sw_record_row *r)
{
    return (place){r->source, r->source_line, r->ptx_line, {0}};
}

static void
find_places(finder *f)
{
    SW_PROFILE_EACH (const sw_record_row, r, &f->group->rows) {
        place *found = NULL;
        SW_PROFILE_EACH (place, p, &f->places) {
            bool same = r->source_line ? p->line == r->source_line &&
                                             strcmp(p->file, r->source) == 0
                                       : !p->line && p->ptx_line == r->ptx_line;
            if (same)
                found = p;
        }
        if (!found) {
            found = sw_vec_push(&f->places);
            *found = place_of(r);
        }
        sw_counts_add(&found->counts, r->counts);
    }
}

/* ---- global memory ---- */

typedef struct {
    double moved, needed; /* bytes */
    double requests, pieces;
} traffic;

static void
add_traffic(const finder *f, const sw_count_mem *m, traffic *t)
{
    bool sectors = f->launch->device->cc >= 50;
    t->moved += sectors ? 32.0 * (double)m->sectors : (double)sw_count_moved(m);
    t->needed += 32.0 * (double)m->sectors_ideal;
    t->requests += (double)m->requests;
    t->pieces += (double)(sectors ? m->sectors : m->transactions);
}

static traffic
traffic_of(const finder *f, const sw_counts *n, bool loads, bool stores)
{
    traffic t = {0};
    if (loads)
        add_traffic(f, &n->mem[SW_ACCESS_GLOBAL_LD], &t);
    if (stores)
        add_traffic(f, &n->mem[SW_ACCESS_GLOBAL_ST], &t);
    return t;
}

/* The ending of a word of which there are so many, printed in three digits. */
static const char *
plural(double n)
{
    return n > 0.9995 && n < 1.005 ? "" : "s";
}

static void
find_uncoalesced(finder *f)
{
    traffic all = traffic_of(f, &f->group->counts, true, true);
    const char *what = f->launch->device->cc >= 50 ? "sector" : "transaction";
    SW_PROFILE_EACH (const place, p, &f->places) {
        for (int stores = 0; stores < 2; stores++) {
            traffic t = traffic_of(f, &p->counts, !stores, stores);
            double waste = t.moved - t.needed;
            if (t.needed <= 0 || t.moved < MAX_TRAFFIC * t.needed ||
                waste < MIN_SHARE * all.moved)
                continue;
            bool shifted = t.moved < 1.6 * t.needed;
            const char *text = sw_arena_printf(
                f->profile->arena,
                "global %s move %.3g times the bytes they need: %.3g %s%s for "
                "each warp's access. %s",
                stores ? "stores" : "loads", t.moved / t.needed,
                t.pieces / t.requests, what, plural(t.pieces / t.requests),
                shifted ? "They begin in the middle of a segment: let each "
                          "warp's first address be a multiple of 128 bytes "
                          "(pad rows, see cudaMallocPitch)."
                        : "Let neighbouring threads access neighbouring "
                          "words; where the pattern is another, go through "
                          "shared memory.");
            add(f, SW_ADVICE_UNCOALESCED, waste / all.moved, p, text,
                "Best Practices Guide, Coalesced Access to Global Memory");
        }
    }
}

/* The worst instruction that reads, and the worst that writes. */
static void
find_camping(finder *f)
{
    traffic all = traffic_of(f, &f->group->counts, true, true);
    uint32_t partitions = f->launch->device->mem_partitions;
    for (int stores = 0; stores < 2; stores++) {
        const sw_record_row *worst = NULL;
        double moved = 0;
        SW_PROFILE_EACH (const sw_record_row, r, &f->group->rows) {
            traffic t = traffic_of(f, r->counts, !stores, stores);
            moved += r->camping >= MAX_CAMPING ? t.moved : 0;
            if (r->camping >= MAX_CAMPING && t.moved > 0 &&
                (!worst || r->camping > worst->camping))
                worst = r;
        }
        if (!worst || moved < MIN_SHARE * all.moved)
            continue;
        const place at = place_of(worst);
        const char *text = sw_arena_printf(
            f->profile->arena,
            "%s of blocks that run at the same time crowd into few of the %u "
            "partitions of memory: the busiest gets %.3g times its share. "
            "Partitions take turns every %u bytes: pad rows by as much, or "
            "number blocks along diagonals.",
            stores ? "stores" : "loads", partitions, worst->camping,
            f->launch->device->interleave_bytes);
        add(f, SW_ADVICE_CAMPING, (1 - 1 / worst->camping) * moved / all.moved,
            &at, text,
            "Optimizing Matrix Transpose in CUDA, Partition Camping");
    }
}

/* ---- shared memory ---- */

static void
find_conflicts(finder *f)
{
    static const sw_access accesses[] = {
        SW_ACCESS_SHARED_LD, SW_ACCESS_SHARED_ST, SW_ACCESS_SHARED_ATOM};
    static const char *const names[] = {"loads", "stores", "atomics"};
    const sw_counts *all = &f->group->counts;
    double work = (double)(sw_counts_executed(all) + sw_counts_conflicts(all));
    SW_PROFILE_EACH (const place, p, &f->places) {
        for (size_t i = 0; i < 3; i++) {
            const sw_count_mem *m = &p->counts.mem[accesses[i]];
            if (!m->wavefronts_ideal)
                continue;
            double ways = (double)m->wavefronts / (double)m->wavefronts_ideal;
            double weight = (double)m->conflicts / work;
            if (ways < MAX_PASSES || weight < MIN_SHARE)
                continue;
            const char *text = sw_arena_printf(
                f->profile->arena,
                "shared %s have %.3g-way bank conflicts: the %u banks need "
                "%.3g passes where one would do. %s",
                names[i], ways, f->limits->smem_banks, ways,
                i == 2 ? "Spread the addresses, or give each warp its own copy."
                       : "If these are columns of an array, one element of "
                         "padding in each row removes them: [N][M + 1].");
            add(f, SW_ADVICE_CONFLICTS, weight, p, text,
                "Best Practices Guide, Shared Memory and Memory Banks");
        }
    }
}

/* ---- control flow ---- */

static void
find_divergence(finder *f)
{
    const sw_counts *all = &f->group->counts;
    if (!all->inst)
        return;
    double lanes = (double)(all->thread_inst) / (32.0 * (double)all->inst);
    if (lanes >= MIN_ACTIVE)
        return;
    const sw_record_row *worst = NULL;
    SW_PROFILE_EACH (const sw_record_row, r, &f->group->rows)
        if (r->counts->divergent &&
            (!worst || r->counts->divergent > worst->counts->divergent))
            worst = r;
    if (!worst || (double)worst->counts->divergent <
                      MIN_DIVERGENT * (double)worst->counts->branches)
        return;
    const place at = place_of(worst);
    const char *text = sw_arena_printf(
        f->profile->arena,
        "threads of a warp part at %.3g%% of this branch's executions, and on "
        "average %.3g of the 32 threads work at an instruction of the kernel. "
        "Let the condition be the same for all threads of a warp: depend on "
        "threadIdx / warpSize, or sort the work.",
        100 * (double)worst->counts->divergent /
            (double)worst->counts->branches,
        32 * lanes);
    add(f, SW_ADVICE_DIVERGENCE, 1 - lanes, &at, text,
        "Best Practices Guide, Branching and Divergence");
}

/* ---- the launch's shape ---- */

static void
say_limiter(const finder *f, const sw_occupancy_result *r, sw_buf *text)
{
    sw_buf_printf(text, "%u of %u warps fit on a multiprocessor (%.3g%%); %s",
                  r->warps, r->max_warps, r->percent,
                  sw_occupancy_resource_name(r->limiter));
    sw_buf_puts(text, " stop the next block. ");
    const sw_record_launch *l = &f->launch->r;
    uint32_t smem = l->static_shared_bytes + l->dynamic_shared_bytes;
    if (r->next_blocks && r->limiter == SW_OCCUPANCY_REGISTERS &&
        r->next_registers)
        sw_buf_printf(text,
                      "With at most %u registers a thread (now %u, estimated) "
                      "it would be %u block%s instead of %u: -maxrregcount or "
                      "__launch_bounds__.",
                      r->next_registers, l->regs, r->next_blocks,
                      plural(r->next_blocks), r->blocks);
    else if (r->next_blocks && r->limiter == SW_OCCUPANCY_SHARED_MEMORY &&
             r->next_smem != UINT32_MAX)
        sw_buf_printf(text,
                      "With at most %u bytes of shared memory a block (now "
                      "%u) it would be %u block%s instead of %u.",
                      r->next_smem, smem, r->next_blocks,
                      plural(r->next_blocks), r->blocks);
    else if (r->best_threads)
        sw_buf_printf(text, "With %u threads a block it would be %u warps.",
                      r->best_threads, r->best_warps);
    else
        sw_buf_puts(text, "`softwarp occupancy` shows what to change.");
}

static void
find_occupancy(finder *f)
{
    const sw_record_launch *l = &f->launch->r;
    sw_occupancy_launch shape = {
        .threads = l->block_x * l->block_y * l->block_z,
        .registers = l->regs,
        .static_smem = l->static_shared_bytes,
        .dynamic_smem = l->dynamic_shared_bytes,
    };
    sw_occupancy_result r;
    uint32_t cc = f->launch->device->cc;
    if (sw_occupancy_of_capability((int)cc, &shape, &r) != SW_OCCUPANCY_OK ||
        !r.blocks || r.percent >= MIN_OCCUPANCY)
        return;
    /* A grid that is smaller than the device gains nothing. */
    uint64_t blocks = (uint64_t)l->grid_x * l->grid_y * l->grid_z;
    if (blocks <= (uint64_t)r.blocks * f->launch->device->sm_count)
        return;
    sw_buf text;
    sw_buf_init(&text);
    say_limiter(f, &r, &text);
    add(f, SW_ADVICE_OCCUPANCY, (MIN_OCCUPANCY - r.percent) / 100, NULL,
        sw_arena_str(f->profile->arena, sw_str_of(text.p)),
        "Best Practices Guide, Occupancy");
    sw_buf_finish(&text);
}

static void
find_shape(finder *f)
{
    const sw_record_launch *l = &f->launch->r;
    uint32_t threads = l->block_x * l->block_y * l->block_z;
    uint32_t lanes = (threads + 31) / 32 * 32;
    double waste = 1 - (double)threads / lanes;
    uint64_t blocks = (uint64_t)l->grid_x * l->grid_y * l->grid_z;
    uint32_t sms = f->launch->device->sm_count;
    if (waste >= MIN_LAUNCH_WASTE && blocks > 1)
        add(f, SW_ADVICE_BLOCK_SIZE, waste, NULL,
            sw_arena_printf(
                f->profile->arena,
                "blocks of %u thread%s fill %u of %u lanes of their "
                "warps. Make the number of threads a multiple of "
                "32.",
                threads, plural(threads), threads, lanes),
            "Best Practices Guide, Thread and Block Heuristics");
    if (blocks < sms && f->group->counts.inst > (uint64_t)1 << 16)
        add(f, SW_ADVICE_FEW_BLOCKS, 0.5 * (1 - (double)blocks / sms), NULL,
            sw_arena_printf(f->profile->arena,
                            "a grid of %u block%s leaves %u of the %u "
                            "multiprocessors without work. Cut the work into "
                            "more blocks.",
                            (unsigned)blocks, plural((double)blocks),
                            sms - (unsigned)blocks, sms),
            "Best Practices Guide, Thread and Block Heuristics");
}

/* ---- all ---- */

static int
compare(const void *a, const void *b)
{
    const sw_advice *x = a, *y = b;
    /* UINT32_MAX, the program, is first. */
    uint32_t gx = x->group + 1, gy = y->group + 1;
    if (gx != gy)
        return gx < gy ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void
keep_most_important(sw_vec *out)
{
    uint32_t group = UINT32_MAX;
    size_t kept = 0, count = 0;
    sw_advice *all = out->data;
    for (size_t i = 0; i < out->count; i++) {
        if (i == 0 || all[i].group != group)
            count = 0;
        group = all[i].group;
        if (group == UINT32_MAX || count++ < SW_ADVICE_A_LAUNCH)
            all[kept++] = all[i];
    }
    while (out->count > kept)
        sw_vec_remove(out, out->count - 1);
}

void
sw_report_find_advice(const sw_profile *p, sw_vec *out)
{
    sw_advice_of_program(p, out);
    for (uint32_t i = 0; i < p->groups.count; i++) {
        finder f = {.profile = p,
                    .group = sw_vec_at(&p->groups, i),
                    .group_index = i,
                    .out = out};
        f.launch = sw_profile_first(p, f.group);
        f.limits = sw_device_limits((int)f.launch->device->cc);
        sw_vec_init(&f.places, sizeof(place));
        find_places(&f);
        find_uncoalesced(&f);
        find_camping(&f);
        find_conflicts(&f);
        find_divergence(&f);
        find_occupancy(&f);
        find_shape(&f);
        sw_vec_finish(&f.places);
    }
    if (out->count)
        qsort(out->data, out->count, sizeof(sw_advice), compare);
    keep_most_important(out);
}

/* A paragraph of at most 78 columns. */
static void
print_wrapped(const char *text, const char *indent, sw_buf *out)
{
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column && column + 1 + n + strlen(indent) > 78) {
            sw_buf_puts(out, "\n");
            column = 0;
        }
        sw_buf_puts(out, column ? " " : indent);
        sw_buf_add(out, text, n);
        column += n + (column ? 1 : 0);
        text += n + (text[n] == ' ');
    }
    sw_buf_puts(out, "\n");
}

static void
print_place(const sw_profile *p, const sw_advice *a, sw_buf *out)
{
    if (a->group == UINT32_MAX) {
        sw_buf_printf(out, "%s", "the program");
        return;
    }
    const sw_profile_group *g = sw_vec_at(&p->groups, a->group);
    const sw_profile_launch *l = sw_profile_first(p, g);
    sw_buf_printf(out, "%s", sw_profile_short_name(p->arena, l->name));
    if (a->line) {
        const char *slash = strrchr(a->file, '/');
        sw_buf_printf(out, ", %s:%u", slash ? slash + 1 : a->file, a->line);
    } else if (a->ptx_line) {
        sw_buf_printf(out, ", PTX line %u", a->ptx_line);
    } else {
        sw_buf_printf(out, " <<<(%u,%u,%u),(%u,%u,%u)>>>", l->r.grid_x,
                      l->r.grid_y, l->r.grid_z, l->r.block_x, l->r.block_y,
                      l->r.block_z);
    }
}

/* The same finding for another shape of the kernel, or another device, was
 * printed before. */
static bool
is_repeated(const sw_profile *p, const sw_advice *first, const sw_advice *a)
{
    if (a->group == UINT32_MAX)
        return false;
    bool has_line = a->line || a->ptx_line;
    for (const sw_advice *b = first; b < a; b++) {
        if (b->group == UINT32_MAX || b->kind != a->kind ||
            b->line != a->line || b->ptx_line != a->ptx_line ||
            (!has_line && strcmp(a->text, b->text) != 0))
            continue;
        const sw_profile_group *g = p->groups.data;
        if (strcmp(sw_profile_first(p, &g[a->group])->name,
                   sw_profile_first(p, &g[b->group])->name) == 0)
            return true;
    }
    return false;
}

void
sw_report_advice(const sw_profile *p, bool counted, sw_buf *out)
{
    sw_vec all;
    sw_vec_init(&all, sizeof(sw_advice));
    sw_report_find_advice(p, &all);
    sw_buf_puts(out, "\nAdvice\n");
    if (!all.count)
        sw_buf_puts(out, counted ? "  nothing to find fault with\n"
                                 : "  none from what was recorded\n");
    size_t i = 0;
    SW_PROFILE_EACH (const sw_advice, a, &all) {
        if (is_repeated(p, all.data, a))
            continue;
        sw_buf_printf(out, "  %zu. ", ++i);
        print_place(p, a, out);
        sw_buf_printf(out, ": %s\n", sw_advice_word(a->kind));
        print_wrapped(a->text, "     ", out);
        sw_buf_printf(out, "     (%s)\n", a->rule);
    }
    if (!counted && p->launches.count)
        sw_buf_puts(out, "  `softwarp prof --advice` also counts accesses to "
                         "memory and branches.\n");
    sw_vec_finish(&all);
}
