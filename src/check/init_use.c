/* SPDX-License-Identifier: Apache-2.0 */
/* init_use.c - where undefined values come from, and what is said of their
 * use; see init.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/init.h"

static const char *
space_name(sw_space space)
{
    return space == SW_SPACE_SHARED  ? "shared"
           : space == SW_SPACE_LOCAL ? "local"
                                     : "global";
}

static init_origin *
origin_at(init_tool *t, sw_init_origin number)
{
    return *(init_origin **)sw_vec_at(&t->origins,
                                      (number & ~INIT_COMPUTED) - 1);
}

/* ---- loads ---- */

sw_init_origin
sw_init_loaded(init_launch *l, const sw_ev_where *where, uint32_t lane,
               sw_space space, uint64_t addr, bool is_padding)
{
    init_tool *t = l->tool;
    sw_allocation a = {0};
    bool is_flat = space != SW_SPACE_SHARED && space != SW_SPACE_LOCAL;
    bool has_one = is_flat && sw_allocations_find(t->allocations, addr, &a);
    sw_init_origin *site = &l->sites[where->index];
    pthread_mutex_lock(&t->lock);
    if (*site) {
        const init_origin *last = origin_at(t, *site);
        if (last->serial == a.range.serial && last->is_padding == is_padding) {
            sw_init_origin same = *site;
            pthread_mutex_unlock(&t->lock);
            return same;
        }
    }
    init_origin *o = sw_alloc(sizeof *o);
    sw_find_place at = sw_find_user_place_of(where->fn, where->ins);
    *o = (init_origin){.kernel = sw_strdup(l->launch->fn->name),
                       .at = {sw_strdup(at.file), at.line},
                       .space = space,
                       .is_padding = is_padding,
                       .launch = l->launch->grid_id,
                       .serial = a.range.serial,
                       .threads =
                           sw_check_threads_of(l->launch, where, 1u << lane),
                       .allocated = has_one ? a.allocated : 0,
                       .launched = l->stack};
    if (has_one)
        o->range = a.range;
    *(init_origin **)sw_vec_push(&t->origins) = o;
    *site = (sw_init_origin)t->origins.count;
    sw_init_origin made = *site;
    pthread_mutex_unlock(&t->lock);
    return made;
}

bool
sw_init_is_silent(init_tool *t, sw_init_origin number)
{
    if (!number || (number & INIT_COMPUTED))
        return false;
    pthread_mutex_lock(&t->lock);
    bool is = origin_at(t, number)->is_padding;
    pthread_mutex_unlock(&t->lock);
    return is;
}

/* ---- reports ---- */

static void
put_stack(sw_findings *set, sw_finding *f, const char *label, sw_stack_id stack)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_stack_print(stack, &text);
    if (text.n)
        sw_findings_detail(set, f, label, "%s", text.p);
    sw_buf_finish(&text);
}

static void
report(init_tool *t, init_origin *o, const sw_find_threads *threads,
       uint64_t count, const char *where_to, sw_find_place use,
       sw_stack_id copied)
{
    sw_findings *set = t->check->findings;
    char message[160];
    bool is_here =
        use.file && strcmp(use.file, o->at.file) == 0 && use.line == o->at.line;
    snprintf(message, sizeof message,
             "a value of %s memory that nothing has written %s",
             space_name(o->space), where_to);
    pthread_mutex_lock(&t->lock);
    if (!o->is_reported)
        o->use = is_here ? (sw_find_place){"", 0} : use;
    o->is_reported = true;
    use = o->use;
    pthread_mutex_unlock(&t->lock);
    sw_find_report r = {.kind = SW_FIND_UNINIT,
                        .kernel = o->kernel,
                        .space = space_name(o->space),
                        .message = message,
                        .at = o->at,
                        .other = use,
                        .threads = threads,
                        .count = count,
                        .launch = o->launch};
    sw_finding *f = sw_findings_begin(set, &r);
    if (!f)
        return;
    if (o->range.bytes) {
        sw_buf text;
        sw_buf_init(&text);
        sw_check_describe(&o->range, o->allocated, &text);
        sw_findings_detail(set, f, "allocation", "%s", text.p);
        sw_buf_finish(&text);
    }
    put_stack(set, f, "copied at", copied);
    put_stack(set, f, "launched at", o->launched);
    sw_findings_end(set);
}

void
sw_init_used(init_launch *l, const sw_ev_where *where, uint32_t lanes,
             sw_init_origin number, init_use use)
{
    static const char *const words[] = {
        [INIT_USE_BRANCH] = "decides a branch",
        [INIT_USE_ADDRESS] = "is part of an address",
        [INIT_USE_DIVISOR] = "is a divisor",
        [INIT_USE_ATOMIC] = "goes into an atomic operation",
        [INIT_USE_HOST] = "goes to host memory"};
    if (!number)
        return;
    pthread_mutex_lock(&l->tool->lock);
    init_origin *o = origin_at(l->tool, number);
    pthread_mutex_unlock(&l->tool->lock);
    sw_find_threads threads = sw_check_threads_of(l->launch, where, lanes);
    report(l->tool, o, &threads, 0, words[use],
           sw_find_user_place_of(where->fn, where->ins), 0);
}

void
sw_init_copied_out(init_tool *t, sw_init_origin number, sw_stack_id stack)
{
    pthread_mutex_lock(&t->lock);
    init_origin *o = origin_at(t, number);
    bool is_known = o->is_reported;
    pthread_mutex_unlock(&t->lock);
    if (!is_known)
        report(t, o, &o->threads, 0, "is copied to the host",
               (sw_find_place){"", 0}, stack);
}

void
sw_init_read_raw(init_tool *t, uint64_t addr, uint64_t bytes,
                 const char *reader, sw_stack_id stack)
{
    sw_findings *set = t->check->findings;
    sw_allocation a;
    sw_buf message, key;
    sw_buf_init(&message);
    sw_buf_init(&key);
    sw_stack_print(stack, &key);
    sw_buf_printf(
        &message, "%" PRIu64 " bytes that nothing has written are %s %s", bytes,
        reader ? "read by" : "copied to", reader ? reader : "the host");
    sw_find_report r = {.kind = SW_FIND_UNINIT,
                        .space = "global",
                        .message = message.p,
                        .key = key.p};
    bool has_one = sw_allocations_find(t->allocations, addr, &a);
    sw_finding *f = sw_findings_begin(set, &r);
    if (f) {
        put_stack(set, f, reader ? "called at" : "copied at", stack);
        if (has_one) {
            message.n = 0;
            sw_check_describe(&a.range, a.allocated, &message);
            sw_findings_detail(set, f, "allocation", "%s", message.p);
        }
        sw_findings_end(set);
    }
    sw_buf_finish(&message);
    sw_buf_finish(&key);
}
