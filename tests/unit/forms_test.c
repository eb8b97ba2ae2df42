/* SPDX-License-Identifier: Apache-2.0 */
/* forms_test.c - which of two compiled forms of a kernel runs. */
#include "check.h"
#include "jit/tier/variant.h"

enum { MILLISECOND = 1000000 };

typedef struct {
    sw_program program;
    sw_variant base, wide;
    const sw_variant *form; /* of the only context */
    uint64_t now;
} kernel;

static void
open_kernel(kernel *k, sw_variant_state state)
{
    static const sw_fn fn = {.name = "k"};
    memset(k, 0, sizeof *k);
    k->program.kernel = &fn;
    k->now = 5;
    k->base.program = k->wide.program = &k->program;
    k->base.has_wide = true;
    k->form = &k->base;
    atomic_store(&k->wide.state, state);
    atomic_store(&k->base.wide, &k->wide);
}

/* For so long, where a block takes so much by one form and the other; the share
 * of that time that the wide one had. */
static double
run(kernel *k, uint64_t ns, uint64_t base, uint64_t wide)
{
    uint64_t begin = k->now, by_wide = 0;
    while (k->now - begin < ns) {
        enum { BLOCKS = 4 };
        k->form = sw_variant_choose(&k->base, k->form, k->now);
        uint64_t took = BLOCKS * (k->form == &k->wide ? wide : base);
        by_wide += k->form == &k->wide ? took : 0;
        k->now += took;
        sw_variant_note_run(&k->base, k->form, BLOCKS, took, k->now);
    }
    return (double)by_wide / (double)(k->now - begin);
}

CASE(the_faster_one_is_kept)
{
    kernel k;
    open_kernel(&k, SW_VARIANT_READY);
    CHECK(run(&k, 1000 * MILLISECOND, 20000, 10000) > 0.9);
    open_kernel(&k, SW_VARIANT_READY);
    double share = run(&k, 1000 * MILLISECOND, 10000, 20000);
    CHECK(share > 0 && share < 0.1);
}

CASE(it_has_to_be_faster)
{
    kernel k;
    open_kernel(&k, SW_VARIANT_READY);
    CHECK(run(&k, 1000 * MILLISECOND, 10000, 9800) < 0.1);
}

CASE(it_is_tried_again)
{
    kernel k;
    open_kernel(&k, SW_VARIANT_READY);
    run(&k, 500 * MILLISECOND, 20000, 10000);
    run(&k, 1000 * MILLISECOND, 10000, 20000);
    CHECK(k.form == &k.base);
    CHECK(run(&k, 500 * MILLISECOND, 10000, 20000) < 0.1);
}

CASE(pieces_may_be_long)
{
    kernel k;
    open_kernel(&k, SW_VARIANT_READY);
    CHECK(run(&k, 2000 * MILLISECOND, 10 * MILLISECOND, 3 * MILLISECOND) > 0.8);
}

CASE(long_blocks_are_seldom_tried)
{
    kernel k;
    open_kernel(&k, SW_VARIANT_READY);
    const uint64_t second = 1000 * (uint64_t)MILLISECOND;
    double share = run(&k, 2000 * second, second / 4, second);
    CHECK(share > 0 && share < 0.1);
}

CASE(what_is_not_there_is_not_tried)
{
    kernel k;
    open_kernel(&k, SW_VARIANT_WAITING);
    CHECK(run(&k, 100 * MILLISECOND, 20000, 10000) <= 0);
    open_kernel(&k, SW_VARIANT_FAILED);
    CHECK(run(&k, 100 * MILLISECOND, 20000, 10000) <= 0);
}
