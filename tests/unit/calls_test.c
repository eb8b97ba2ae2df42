/* SPDX-License-Identifier: Apache-2.0 */
/* calls_test.c - observers of API calls: who sees which, in what order. */
#include "rt/calls.h"

#include <string.h>

#include "check.h"

typedef struct {
    char text[256];
    uint64_t last_result, last_correlation;
} seen;

static void
note(seen *s, char what, const sw_rt_call *call)
{
    size_t n = strlen(s->text);
    snprintf(s->text + n, sizeof s->text - n, "%c%s.%u ", what,
             call->entry->name, call->depth);
    s->last_result = call->result;
    s->last_correlation = call->correlation;
}

static void
begin(void *arg, const sw_rt_call *call)
{
    note(arg, '+', call);
}

static void
end(void *arg, const sw_rt_call *call)
{
    CHECK(call->end_ns >= call->begin_ns);
    note(arg, '-', call);
}

static const sw_rt_entry outer = {"outer", "outer_v2", NULL, 0};
static const sw_rt_entry inner = {"inner", "inner", NULL, 0};

static uint64_t
call_both(void)
{
    sw_rt_call a = {.entry = &outer}, b = {.entry = &inner};
    sw_rt_call_begin(&a);
    sw_rt_call_begin(&b);
    uint64_t in = sw_rt_calls_current();
    sw_rt_call_end(&b);
    a.result = 7;
    sw_rt_call_end(&a);
    return in;
}

CASE(inner_calls_are_seen_by_those_who_want_them)
{
    static seen plain, all;
    CHECK(!sw_rt_calls_are_observed());
    CHECK_EQ(sw_rt_calls_current(), 0);
    sw_rt_calls_observe(&(sw_rt_call_observer){false, begin, end, &plain});
    sw_rt_calls_observe(&(sw_rt_call_observer){true, begin, end, &all});
    CHECK(sw_rt_calls_are_observed());
    uint64_t first = call_both();
    CHECK_STR(plain.text, "+outer.0 -outer.0 ");
    CHECK_STR(all.text, "+outer.0 +inner.1 -inner.1 -outer.0 ");
    CHECK_EQ(plain.last_result, 7);
    CHECK_EQ(plain.last_correlation, first);
    CHECK_EQ(sw_rt_calls_current(), 0);
    CHECK_EQ(call_both(), first + 1);
}
