/* SPDX-License-Identifier: Apache-2.0 */
/* callees_test.c - what is known of functions that are called. */
#include "opt/callees.h"

#include "check.h"
#include "front/ptx/ptx.h"

static bool
is_atomic(const sw_ins *ins)
{
    return ins->op == SW_OP_ATOM || ins->op == SW_OP_RED;
}

/* Whether kernel k of a module with these functions calls one with an atomic
 * operation; itself it has one. */
static bool
calls_atomic(const char *functions, const char *calls)
{
    sw_buf text;
    sw_diag diag;
    bool any = false;
    sw_diag_init(&diag);
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  ".version 8.5\n.target sm_75\n.address_size 64\n%s\n"
                  ".entry k(.param .u64 o)\n{\n.reg .b64 p, f;\n"
                  "ld.param.u64 p, [o];\nred.global.add.u32 [p], 1;\n"
                  "%s\nret;\n}\n",
                  functions, calls);
    sw_module *m = sw_ptx_parse("t", text.p, text.n, &diag);
    CHECK(m != NULL);
    for (uint32_t f = 0; m && f < m->fn_count; f++)
        if (m->fns[f]->is_entry)
            any = sw_calls_any(m->fns[f], is_atomic);
    sw_module_destroy(m);
    sw_buf_finish(&text);
    sw_diag_finish(&diag);
    return any;
}

#define PLAIN ".func plain()\n{\nret;\n}\n"
#define ATOMIC                                                                 \
    ".global .u32 n;\n.func adds()\n{\nred.global.add.u32 [n], 1;\nret;\n}\n"
#define OUTER ".func outer()\n{\ncall adds;\nret;\n}\n"

CASE(a_kernel_is_not_what_it_calls)
{
    CHECK(!calls_atomic("", ""));
    CHECK(!calls_atomic(PLAIN, "call plain;"));
    CHECK(!calls_atomic(PLAIN ATOMIC, "call plain;"));
}

CASE(functions_that_are_called)
{
    CHECK(calls_atomic(ATOMIC, "call adds;"));
    CHECK(calls_atomic(PLAIN ATOMIC OUTER, "call plain;\ncall outer;"));
}

CASE(functions_that_call_themselves)
{
    CHECK(
        !calls_atomic(".func self()\n{\ncall self;\nret;\n}\n", "call self;"));
}

CASE(what_has_no_code)
{
    CHECK(calls_atomic(".extern .func far();\n", "call far;"));
    CHECK(!calls_atomic(".extern .func free(.param .b64 p);\n",
                        "{\n.param .b64 a;\nst.param.b64 [a], p;\n"
                        "call free, (a);\n}\n"));
}

/* All that may be meant: of the same signature, and pointed at. */
CASE(calls_by_address)
{
    static const char meant[] = "mov.u64 f, plain;\n"
                                "proto: .callprototype _ ();\n"
                                "call f, (), proto;\n";
    CHECK(!calls_atomic(PLAIN ATOMIC, meant));
    CHECK(
        calls_atomic(PLAIN ATOMIC ".global .u64 table[1] = {adds};\n", meant));
}
