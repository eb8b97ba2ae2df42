/* SPDX-License-Identifier: Apache-2.0 */
/*
 * autotune.c - kernels that run for long get a second variant, of more fused
 * warps than seem to pay: what lanes do that part, or read anywhere, depends on
 * the data. Both run in turn, piece by piece, until it can be told which is
 * faster; that one is kept for a while, the longer the more often it has been
 * found.
 */
#include "jit/tier/variant.h"
#include "jit/tune.h"

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
sw_variant_is_autotuned(const sw_variant *n)
{
    return n->has_wide &&
           n->program->info.ins_count >= sw_jit_tune.autotune_size &&
           sw_variant_tier_up_ns(n) != UINT64_MAX;
}

sw_variant *
sw_variant_choose(sw_variant *n, const sw_variant *now, uint64_t now_ns)
{
    sw_variant_autotune *t = &n->autotune;
    sw_variant *wide = ready_wide(n);
    if (!wide)
        return n;
    bool is_wide = now == wide;
    if (now_ns < atomic_load(&t->until_ns)) {
        is_wide = atomic_load(&t->is_wide);
    } else {
        uint64_t mine = atomic_load(&t->runs[is_wide].ns),
                 others = atomic_load(&t->runs[!is_wide].ns),
                 piece = sw_variant_tier_up_ns(n)
                             ? sw_jit_tune.autotune_piece_ns
                             : 0;
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
    sw_variant_autotune *t = &n->autotune;
    double least = (100 - sw_jit_tune.autotune_gain) / 100.0;
    bool is_wide = ns_a_block(&t->runs[1]) < least * ns_a_block(&t->runs[0]);
    uint64_t lasts = 2 * atomic_load(&t->lasts_ns);
    uint64_t cost = sw_jit_tune.autotune_hold_cost *
                    (atomic_load(&t->runs[0].ns) + atomic_load(&t->runs[1].ns));
    if (lasts < sw_jit_tune.autotune_hold_ns ||
        is_wide != atomic_load(&t->is_wide))
        lasts = sw_jit_tune.autotune_hold_ns;
    lasts = lasts < sw_jit_tune.autotune_hold_most_ns
                ? lasts
                : sw_jit_tune.autotune_hold_most_ns;
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
    sw_variant_autotune *t = &n->autotune;
    sw_variant *wide = atomic_load_explicit(&n->wide, memory_order_acquire);
    if (wide && (!ready_wide(n) || now_ns < atomic_load(&t->until_ns)))
        return;
    sw_variant_run *run = &t->runs[used == wide];
    uint64_t sum = atomic_fetch_add(&run->ns, ns) + ns;
    atomic_fetch_add(&run->blocks, blocks);
    if (!wide) {
        if (sum < sw_variant_tier_up_ns(n))
            return;
        clear(run);
        sw_variant_tier_up(n);
    } else if (sum >= sw_jit_tune.autotune_enough_ns &&
               atomic_load(&t->runs[used != wide].ns) >=
                   sw_jit_tune.autotune_enough_ns &&
               !atomic_flag_test_and_set(&t->is_busy)) {
        if (now_ns >= atomic_load(&t->until_ns))
            decide(n, now_ns);
        atomic_flag_clear(&t->is_busy);
    }
}
