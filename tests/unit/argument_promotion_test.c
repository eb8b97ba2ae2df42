/* SPDX-License-Identifier: Apache-2.0 */
/* argument_promotion_test.c - which arguments and results of calls are
 * registers. */
#include "opt/argument_promotion.h"

#include "check.h"
#include "exec/engine.h"
#include "kernel.h"

/* What f, which calls itself, gets and gives; and the kernel's call of it. */
typedef struct {
    uint32_t params, rets, args, results, slots;
} seen;

static void
count(seen *s, const sw_opnd *o, uint32_t n, uint32_t *registers)
{
    for (uint32_t i = 0; i < n; i++) {
        *registers += o[i].kind == SW_OPND_REG;
        s->slots += o[i].kind == SW_OPND_SYM;
    }
}

/* `formals` and `body` are f's, in which it is called as by the kernel: by
 * `call`. */
static seen
look(const char *formals, const char *body, const char *call)
{
    seen s = {0};
    kernel k;
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  KERNEL_HEAD ".func (.param .align 8 .b8 r[16]) f%s\n"
                              "{ .reg .b16 %%h<4>; .reg .b32 %%r<9>; "
                              ".reg .f32 %%f<9>; .reg .b64 %%d<9>; "
                              ".reg .pred %%p;\n"
                              "%s setp.ne.b32 %%p, %%r1, 0;\n"
                              "@!%%p bra out;\n{ %s }\nout: ret; }\n"
                              ".visible .entry k() { .reg .b32 %%r<9>; "
                              ".reg .f32 %%f<9>; .reg .b64 %%d<9>;\n"
                              "mov.u32 %%r1, 1;\n{ %s }\nret; }\n",
                  formals, body, call, call);
    if (kernel_create(&k, text.p, 0)) {
        const sw_program *program = k.program;
        CHECK_EQ(program->fn_count, 2);
        const sw_fn *f = program->fns[1];
        count(&s, f->params, f->param_count, &s.params);
        count(&s, f->rets, f->ret_count, &s.rets);
        for (uint32_t b = 0; b < program->kernel->block_count; b++)
            for (uint32_t i = 0; i < program->kernel->blocks[b]->count; i++) {
                const sw_ins *ins = program->kernel->blocks[b]->ins[i];
                if (ins->op != SW_OP_CALL)
                    continue;
                const sw_call *c = ins->aux;
                count(&s, c->args, c->arg_count, &s.args);
                count(&s, c->rets, c->ret_count, &s.results);
            }
        kernel_destroy(&k);
    } else {
        CHECK(false);
    }
    sw_buf_finish(&text);
    return s;
}

#define CALL                                                                   \
    ".param .b32 a; .param .align 8 .b8 b[12]; .param .align 8 .b8 o[16]; "    \
    "st.param.b32 [a], %r1; st.param.v2.f32 [b], {%f1, %f2}; "                 \
    "st.param.f32 [b+8], %f3; call (o), f, (a, b); "                           \
    "ld.param.f32 %f4, [o+4]; ld.param.b64 %d1, [o+8];"

CASE(structures_become_several)
{
    /* Of the result the first word is stored, but nobody loads it. */
    seen s = look("(.param .b32 n, .param .align 8 .b8 v[12])",
                  "ld.param.u32 %r1, [n]; ld.param.f32 %f1, [v];"
                  "ld.param.f32 %f2, [v+4]; st.param.f32 [r], %f1;"
                  "st.param.v2.b32 [r+0], {%r1, %r1};",
                  CALL);
    CHECK_EQ(s.params, 4);
    CHECK_EQ(s.rets, 3);
    CHECK_EQ(s.args, 4);
    CHECK_EQ(s.results, 3);
    CHECK_EQ(s.slots, 0);
}

CASE(what_both_sides_see_in_other_pieces_stays)
{
    /* Two words, here a double one. */
    seen s = look("(.param .b32 n, .param .align 8 .b8 v[12])",
                  "ld.param.u32 %r1, [n]; ld.param.b64 %d1, [v];", CALL);
    CHECK_EQ(s.params, 1);
    CHECK_EQ(s.args, 1);
    CHECK_EQ(s.slots, 2);
    CHECK_EQ(s.rets, 2);
}

CASE(a_word_is_not_cut_out_of_two)
{
    seen s = look("(.param .b32 n, .param .align 8 .b8 v[12])",
                  "ld.param.u32 %r1, [n]; ld.param.f32 %f1, [v];",
                  ".param .b32 a; .param .align 8 .b8 b[12]; "
                  ".param .align 8 .b8 o[16]; st.param.b32 [a], %r1; "
                  "st.param.b64 [b], %d1; call (o), f, (a, b);");
    CHECK_EQ(s.params, 1);
    CHECK_EQ(s.args, 1);
    CHECK_EQ(s.slots, 2);
}

CASE(bytes_are_cut_out_of_a_word)
{
    seen s = look("(.param .b32 n, .param .align 8 .b8 v[12])",
                  "ld.param.u32 %r1, [n]; ld.param.s8 %h1, [n];", CALL);
    CHECK_EQ(s.params, 4);
    CHECK_EQ(s.slots, 0);
    s = look("(.param .b32 n, .param .align 8 .b8 v[12])",
             "ld.param.u32 %r1, [n]; ld.param.s8 %h1, [n+1];", CALL);
    CHECK_EQ(s.params, 3);
    CHECK_EQ(s.slots, 2);
}

CASE(a_slot_whose_address_is_taken_stays)
{
    seen s = look("(.param .b32 n, .param .align 8 .b8 v[12])",
                  "ld.param.u32 %r1, [n]; mov.b64 %d1, v;", CALL);
    CHECK_EQ(s.params, 1);
    CHECK_EQ(s.slots, 2);
}

CASE(who_is_called_by_address_has_as_many_parameters)
{
    seen s = look("(.param .b32 n, .param .align 8 .b8 v[12])",
                  "ld.param.u32 %r1, [n]; mov.b64 %d2, f; "
                  "{ .param .b32 x; any: .callprototype _ (.param .b32 p); "
                  "st.param.b32 [x], %r1; "
                  "call %d2, (x), any; }",
                  CALL);
    CHECK_EQ(s.params, 1);
    CHECK_EQ(s.rets, 0);
    CHECK_EQ(s.args, 1);
    CHECK_EQ(s.slots, 4);
}
