/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mach_test.c - a function as operations of the machine: where they come from,
 * in which order they are, which registers they take.
 */
#include <string.h>

#include "check.h"
#include "front/ptx/ptx.h"
#include "mach/mach.h"

/* Loads two numbers at once, and stores their sum of products. */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .u64 %d<5>; .reg .f32 %f<6>; .reg .u32 %r;\n"
    "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];\n"
    "mov.u32 %r, %tid.x; mul.wide.u32 %d3, %r, 8; add.u64 %d1, %d1, %d3;\n"
    "ld.global.v2.f32 {%f1, %f2}, [%d1];\n"
    "ld.global.f32 %f3, [%d1+4096];\n"
    "fma.rn.f32 %f4, %f1, %f2, %f3; sqrt.approx.f32 %f5, %f4;\n"
    "add.u64 %d2, %d2, %d3; st.global.f32 [%d2], %f5; ret; }\n";

typedef struct {
    sw_diag diag;
    sw_module *module;
    sw_cfg *cfg;
    sw_mach_fn *m;
} made;

static void
make(made *x, uint32_t cc)
{
    sw_diag_init(&x->diag);
    x->module = sw_ptx_parse("mach", ptx, sizeof ptx - 1, &x->diag);
    SW_ASSERT(x->module);
    x->cfg = sw_cfg_create(x->module->fns[0]);
    x->m = sw_mach_create(x->module->fns[0], x->cfg, cc, false);
}

static void
unmake(made *x)
{
    sw_mach_destroy(x->m);
    sw_cfg_destroy(x->cfg);
    sw_module_destroy(x->module);
    sw_diag_finish(&x->diag);
}

/* Loads of parameters do not count. */
static bool
is_from(const sw_mach_op *op, sw_op from)
{
    return op->ins && op->ins->op == from && op->ins->space != SW_SPACE_PARAM;
}

/* The first operation that comes from an op of the IR, and where it stands. */
static const sw_mach_op *
find(const sw_mach_fn *m, sw_op op, uint32_t *at)
{
    for (uint32_t i = 0; i < m->blocks[0].count; i++)
        if (is_from(m->blocks[0].ops[i], op)) {
            *at = i;
            return m->blocks[0].ops[i];
        }
    *at = UINT32_MAX;
    return NULL;
}

CASE(operations_come_from_instructions)
{
    made x;
    uint32_t at;
    make(&x, 80);
    const sw_mach_op *load = find(x.m, SW_OP_LD, &at);
    CHECK(load && load->kind == SW_MACH_LOAD && load->ndst == 2);
    CHECK_EQ(load->latency, sw_mach_clocks(SW_LATENCY_MEMORY, 80));
    CHECK_EQ(load->space, SW_SPACE_GLOBAL);
    const sw_mach_op *root = find(x.m, SW_OP_SQRT, &at);
    CHECK(root && root->latency == sw_mach_clocks(SW_LATENCY_SFU, 80));
    const sw_mach_op *store = find(x.m, SW_OP_ST, &at);
    CHECK(store && store->kind == SW_MACH_STORE && store->ndst == 0);
    const sw_mach_op *last = x.m->blocks[0].ops[x.m->blocks[0].count - 1];
    CHECK_EQ(last->kind, SW_MACH_END);
    unmake(&x);
}

CASE(the_order_keeps_what_depends)
{
    made x;
    uint32_t load, product, root, store;
    make(&x, 80);
    sw_mach_schedule(x.m, 64);
    find(x.m, SW_OP_LD, &load);
    find(x.m, SW_OP_FMA, &product);
    find(x.m, SW_OP_SQRT, &root);
    find(x.m, SW_OP_ST, &store);
    CHECK(load < product && product < root && root < store);
    CHECK(store < x.m->blocks[0].count);
    unmake(&x);
}

CASE(values_that_live_at_once_have_registers_of_their_own)
{
    made x;
    make(&x, 80);
    sw_mach_spills spills = {0};
    uint32_t taken = sw_mach_allocate(x.m, 64, &spills);
    CHECK(taken >= 6 && taken <= 64);
    CHECK_EQ(spills.loads + spills.stores + spills.stack, 0);
    for (uint32_t i = 0; i < x.m->blocks[0].count; i++) {
        const sw_mach_op *op = x.m->blocks[0].ops[i];
        uint64_t taken_now[4] = {0};
        for (unsigned k = op->ndst; k < (unsigned)op->ndst + op->nsrc; k++) {
            const sw_mach_value *v = sw_mach_value_at(x.m, op->value[k]);
            for (unsigned w = 0; w < v->words; w++) {
                unsigned reg = (unsigned)(v->reg + (int)w);
                CHECK(v->reg >= 0 && reg < taken);
                CHECK(!(taken_now[reg / 64] >> reg % 64 & 1));
                taken_now[reg / 64] |= UINT64_C(1) << reg % 64;
            }
        }
    }
    uint32_t at;
    const sw_mach_op *load = find(x.m, SW_OP_LD, &at);
    int first = sw_mach_value_at(x.m, load->value[0])->reg;
    CHECK_EQ(first % 2, 0);
    CHECK_EQ(sw_mach_value_at(x.m, load->value[1])->reg, first + 1);
    unmake(&x);
}

CASE(too_few_registers_are_spilled)
{
    made x;
    make(&x, 80);
    sw_mach_spills spills = {0};
    CHECK_EQ(sw_mach_allocate(x.m, 6, &spills), 6);
    CHECK(spills.stores > 0 && spills.loads > 0 && spills.stack > 0);
    CHECK_EQ(spills.stores % 4, 0);
    unmake(&x);
}

CASE(every_generation_has_every_latency)
{
    static const uint32_t ccs[] = {10, 35, 52, 61, 70, 75, 80, 90, 120};
    for (int l = 0; l < SW_LATENCY_COUNT; l++)
        for (size_t i = 0; i < sizeof ccs / sizeof *ccs; i++)
            CHECK(sw_mach_clocks((sw_mach_latency)l, ccs[i]) >= 4);
    CHECK(sw_mach_clocks(SW_LATENCY_ALU, 90) <
          sw_mach_clocks(SW_LATENCY_SHARED, 90));
    CHECK(sw_mach_clocks(SW_LATENCY_SHARED, 90) <
          sw_mach_clocks(SW_LATENCY_MEMORY, 90));
}
