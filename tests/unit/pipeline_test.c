/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipeline_test.c - the table of passes: its order, which of them an observer
 * forbids, and what may be asked to be printed.
 */
#include <string.h>

#include "check.h"
#include "front/ptx/ptx.h"
#include "opt/pipeline.h"

/* Which row has that name, from 1; 0: none. */
static unsigned
find(const char *name, size_t n)
{
    const sw_pass_info *p;
    for (unsigned i = 0; (p = sw_opt_pass(i)); i++)
        if (strlen(p->name) == n && memcmp(p->name, name, n) == 0)
            return i + 1;
    return 0;
}

CASE(passes_come_after_those_that_they_need)
{
    const sw_pass_info *p;
    unsigned count = 0;
    for (unsigned i = 0; (p = sw_opt_pass(i)); i++) {
        for (const char *s = p->after; *s;) {
            size_t n = strcspn(s, " ");
            unsigned row = find(s, n);
            CHECK(row && row <= i && sw_opt_pass(row - 1)->stage == p->stage);
            s += n + (s[n] == ' ');
        }
        CHECK_EQ(find(p->name, strlen(p->name)), i + 1);
        CHECK(i == 0 || sw_opt_pass(i - 1)->stage <= p->stage);
        count++;
    }
    CHECK(count > 10);
}

CASE(analyses_come_after_those_that_they_need)
{
    const sw_analysis_info *a, *other;
    for (unsigned i = 0; (a = sw_opt_analysis(i)); i++)
        for (const char *s = a->needs; *s;) {
            size_t n = strcspn(s, " ");
            bool found = false;
            for (unsigned k = 0; k < i && (other = sw_opt_analysis(k)); k++)
                found |=
                    strlen(other->name) == n && memcmp(other->name, s, n) == 0;
            CHECK(found);
            s += n + (s[n] == ' ');
        }
}

CASE(a_wrong_pass_is_told_which_there_are)
{
    sw_diag diag;
    sw_diag_init(&diag);
    CHECK_EQ(sw_opt_dump_after("inline:k", &diag), SW_E_INVAL);
    const sw_diag_entry *entry = sw_vec_at(&diag.entries, 0);
    CHECK(strstr(entry->text, "no pass \"inline\"; there are contraction "));
    CHECK(strstr(entry->text, " coarsening, and all"));
    CHECK_EQ(sw_opt_dump_after("inlining:k", &diag), SW_OK);
    CHECK_EQ(sw_opt_dump_after(NULL, &diag), SW_OK);
    CHECK_EQ(diag.errors, 1);
    sw_diag_finish(&diag);
}

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 out) { .reg .u64 %d; .reg .u32 %r;\n"
    ".reg .pred %p; ld.param.u64 %d, [out]; mov.u32 %r, %tid.x;\n"
    "setp.lt.u32 %p, %r, 7; @%p bra SMALL; add.u32 %r, %r, 5; SMALL:\n"
    "st.global.u32 [%d], %r; ret; }\n";

/* Instructions that choose, after the passes of a program. */
static unsigned
count_choices(bool is_observed)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = sw_ptx_parse("pipeline", ptx, sizeof ptx - 1, &diag);
    CHECK(m != NULL);
    unsigned choices = 0;
    if (m) {
        const sw_fn *fn = m->fns[0];
        sw_opt_unit unit = {.fns = &fn,
                            .fn_count = 1,
                            .arena = sw_arena_create(),
                            .is_observed = is_observed};
        sw_opt_run(SW_STAGE_PROGRAM, &unit);
        CHECK_EQ(fn == m->fns[0], is_observed);
        for (uint32_t b = 0; b < fn->block_count; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
                choices += fn->blocks[b]->ins[i]->op == SW_OP_SELP;
        sw_arena_destroy(unit.arena);
    }
    sw_module_destroy(m);
    sw_diag_finish(&diag);
    return choices;
}

CASE(an_observed_program_stays_as_it_is)
{
    CHECK_EQ(count_choices(false), 1);
    CHECK_EQ(count_choices(true), 0);
}
