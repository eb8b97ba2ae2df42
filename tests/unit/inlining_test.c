/* SPDX-License-Identifier: Apache-2.0 */
/* inlining_test.c - which calls become the code of what they call. */
#include "opt/inlining.h"

#include <string.h>

#include "check.h"
#include "front/ptx/ptx.h"

/* f adds so many times. */
static void
print_function(sw_buf *text, const char *name, unsigned adds)
{
    sw_buf_printf(text,
                  ".func (.param .u32 r) %s(.param .u32 a)\n{\n"
                  ".reg .b32 x;\nld.param.u32 x, [a];\n",
                  name);
    for (unsigned i = 0; i < adds; i++)
        sw_buf_printf(text, "add.u32 x, x, %u;\n", i + 1);
    sw_buf_printf(text, "st.param.u32 [r], x;\nret;\n}\n");
}

static void
print_call(sw_buf *text, const char *name)
{
    sw_buf_printf(text,
                  "{\n.param .u32 in;\n.param .u32 out;\n"
                  "st.param.u32 [in], x;\ncall (out), %s, (in);\n"
                  "ld.param.u32 x, [out];\n}\n",
                  name);
}

typedef struct {
    unsigned large, small;
} left;

static void
count_calls(const sw_fn *fn, left *calls)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *ins = fn->blocks[b]->ins[i];
            const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
            if (call && strcmp(call->callee->name, "small") == 0)
                calls->small++;
            else if (call)
                calls->large++;
        }
}

/* The calls of the finished kernel that are left. */
static left
calls_left(sw_buf *text)
{
    sw_diag diag;
    sw_arena *arena = sw_arena_create();
    sw_diag_init(&diag);
    sw_buf_printf(text, "st.global.u32 [p], x;\nret;\n}\n");
    sw_module *m = sw_ptx_parse("t", text->p, text->n, &diag);
    CHECK(m != NULL);
    left calls = {0, 0};
    for (uint32_t f = 0; m && f < m->fn_count; f++) {
        const sw_fn *fn = m->fns[f];
        const sw_fn *copy =
            fn->is_entry ? sw_opt_inline_calls(fn, arena) : NULL;
        if (fn->is_entry)
            count_calls(copy ? copy : fn, &calls);
    }
    sw_module_destroy(m);
    sw_arena_destroy(arena);
    sw_diag_finish(&diag);
    return calls;
}

/* ... and a kernel that is to call them. */
static void
begin_module(sw_buf *text, unsigned large, unsigned small)
{
    sw_buf_init(text);
    sw_buf_printf(text, ".version 8.5\n.target sm_75\n.address_size 64\n");
    print_function(text, "large", large);
    print_function(text, "small", small);
    sw_buf_printf(text, ".entry k(.param .u64 o)\n{\n.reg .b32 x;\n"
                        ".reg .b64 p;\n.reg .pred more;\n"
                        "ld.param.u64 p, [o];\nmov.u32 x, %%tid.x;\n");
}

/* What is left in a kernel that calls a function of `large` adds so many times,
 * then one of `small` adds. */
static void
expect(unsigned large, unsigned times, unsigned small, left calls)
{
    sw_buf text;
    begin_module(&text, large, small);
    for (unsigned i = 0; i < times; i++)
        print_call(&text, "large");
    print_call(&text, "small");
    left seen = calls_left(&text);
    CHECK_EQ(seen.large, calls.large);
    CHECK_EQ(seen.small, calls.small);
    sw_buf_finish(&text);
}

CASE(small_functions_are_spelled_out)
{
    expect(100, 3, 10, (left){0, 0});
}

CASE(large_functions_are_spelled_out)
{
    expect(2500, 1, 10, (left){0, 0});
    expect(2500, 2, 10, (left){0, 0});
}

CASE(what_would_be_too_large_is_called)
{
    expect(6500, 1, 10, (left){1, 0});
    expect(2500, 4, 10, (left){2, 0});
}

/* Large ones, though they are called first, leave room for small ones. */
CASE(small_functions_come_first)
{
    expect(2950, 2, 390, (left){1, 0});
}

/* Of two large ones the one that a loop calls, though it is called last. */
CASE(what_loops_call_comes_first)
{
    sw_buf text;
    begin_module(&text, 3500, 3000);
    print_call(&text, "large");
    sw_buf_printf(&text, "again:\n");
    print_call(&text, "small");
    sw_buf_printf(&text, "setp.lt.u32 more, x, 9;\n@more bra again;\n");
    left seen = calls_left(&text);
    CHECK_EQ(seen.large, 1);
    CHECK_EQ(seen.small, 0);
    sw_buf_finish(&text);
}
