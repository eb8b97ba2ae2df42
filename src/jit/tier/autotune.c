/* SPDX-License-Identifier: Apache-2.0 */
/*
 * autotune.c - kernels that run for long get a second variant, of more fused
 * warps than seem to pay: what lanes do that part, or read anywhere, depends on
 * the data. Both run in turn, piece by piece, until it can be told which is
 * faster; that one is kept for a while, the longer the more often it has been
 * found.
 */
#include "jit/tier/variant.h"

/* How long a worker stays with a variant while both are tried; how long each
 * runs before it is told; how long that holds, at first and at most, but so
 * many times as long as it took to find out: a single block may run for
 * seconds. */
#define PIECE_NS  UINT64_C(500000)
#define ENOUGH_NS UINT64_C(5000000)
#define FIRST_NS  UINT64_C(50000000)
#define MOST_NS   UINT64_C(2000000000)
enum { COST = 10 };

/* What the wide variant has to take at most, of the other's time. */
#define BETTER 0.95

/* A kernel of fewer has nothing that could be faster, and may be launched so
 * often that looking at the clock would be seen. */
enum { INS_FEWEST = 12 };

static sw_variant *
ready_wide(const sw_variant *n)
{
    sw_variant *wide = atomic_load_explicit(&n->wide, memory_order_acquire);
    bool is_ready =
        wide && atomic_load_explicit(&wide->state, memory_order_acquire) ==
                    SW_VARIANT_READY;
    return is_ready ? wide : NULL;
}

bool
sw_variant_is_tried(const sw_variant *n)
{
    return n->has_wide && n->program->info.ins_count >= INS_FEWEST &&
           sw_variant_time_to_widen(n) != UINT64_MAX;
}

sw_variant *
sw_variant_choose(sw_variant *n, const sw_variant *now, uint64_t now_ns)
{
    sw_variant_trial *t = &n->trial;
    sw_variant *wide = ready_wide(n);
    if (!wide)
        return n;
    bool is_wide = now == wide;
    if (now_ns < atomic_load(&t->until_ns)) {
        is_wide = atomic_load(&t->is_wide);
    } else {
        uint64_t mine = atomic_load(&t->runs[is_wide].ns),
                 others = atomic_load(&t->runs[!is_wide].ns),
                 piece = sw_variant_time_to_widen(n) ? PIECE_NS : 0;
        if (mine > others + piece)
            is_wide = !is_wide;
    }
    return is_wide ? wide : n;
}

static double
ns_a_block(const sw_variant_run *run)
{
    uint64_t blocks = atomic_load(&run->blocks);
    return (double)atomic_load(&run->ns) / (double)(blocks ? blocks : 1);
}

static void
clear(sw_variant_run *run)
{
    atomic_store(&run->ns, 0);
    atomic_store(&run->blocks, 0);
}

static void
decide(sw_variant *n, uint64_t now_ns)
{
    sw_variant_trial *t = &n->trial;
    bool is_wide = ns_a_block(&t->runs[1]) < BETTER * ns_a_block(&t->runs[0]);
    uint64_t lasts = 2 * atomic_load(&t->lasts_ns);
    uint64_t cost =
        COST * (atomic_load(&t->runs[0].ns) + atomic_load(&t->runs[1].ns));
    if (lasts < FIRST_NS || is_wide != atomic_load(&t->is_wide))
        lasts = FIRST_NS;
    lasts = lasts < MOST_NS ? lasts : MOST_NS;
    sw_log(SW_LOG_DEBUG, "%s: %.0f ns a block, by more fused warps %.0f",
           n->program->kernel->name, ns_a_block(&t->runs[0]),
           ns_a_block(&t->runs[1]));
    clear(&t->runs[0]);
    clear(&t->runs[1]);
    atomic_store(&t->is_wide, is_wide);
    atomic_store(&t->lasts_ns, lasts);
    atomic_store(&t->until_ns, now_ns + (lasts > cost ? lasts : cost));
}

void
sw_variant_note_run(sw_variant *n, const sw_variant *used, uint64_t blocks,
                    uint64_t ns, uint64_t now_ns)
{
    sw_variant_trial *t = &n->trial;
    sw_variant *wide = atomic_load_explicit(&n->wide, memory_order_acquire);
    if (wide && (!ready_wide(n) || now_ns < atomic_load(&t->until_ns)))
        return;
    sw_variant_run *run = &t->runs[used == wide];
    uint64_t sum = atomic_fetch_add(&run->ns, ns) + ns;
    atomic_fetch_add(&run->blocks, blocks);
    if (!wide) {
        if (sum < sw_variant_time_to_widen(n))
            return;
        clear(run);
        sw_variant_widen(n);
    } else if (sum >= ENOUGH_NS &&
               atomic_load(&t->runs[used != wide].ns) >= ENOUGH_NS &&
               !atomic_flag_test_and_set(&t->is_busy)) {
        if (now_ns >= atomic_load(&t->until_ns))
            decide(n, now_ns);
        atomic_flag_clear(&t->is_busy);
    }
}
