/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.c - see pipeline.h. */
#include "opt/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "opt/address_spaces.h"
#include "opt/argument_promotion.h"
#include "opt/async_copies.h"
#include "opt/callees.h"
#include "opt/contraction.h"
#include "opt/demanded_bits.h"
#include "opt/frame.h"
#include "opt/if_conversion.h"
#include "opt/inlining.h"
#include "opt/jump_threading.h"
#include "opt/numerics.h"
#include "opt/operand_order.h"
#include "opt/store_promotion.h"

/* A unit while the passes of a stage run on it. */
typedef struct {
    sw_opt_unit *unit;
    /* PROGRAM: [fn_count] fns[0] calls it by name, maybe through others. The
     * others are only called by address; they stay as they are. */
    bool *is_reached;
} run;

typedef struct {
    sw_pass_info info;
    /* One of them, by the pass's form. */
    void (*module)(run *r);
    void (*program)(run *r);
    const sw_fn *(*function)(const sw_fn *fn, sw_arena *arena);
    const sw_fn *(*coarsen)(const sw_fn *kernel,
                            const sw_coarsening *coarsening, sw_arena *arena);
} pass;

/* ---- passes of a whole module or program ---- */

static void
contract(run *r)
{
    sw_opt_fuse_products(r->unit->module);
}

static void
order(run *r)
{
    sw_opt_order_operands(r->unit->module);
}

static void
numerics(run *r)
{
    sw_opt_apply_numerics(r->unit->module, r->unit->numerics, r->unit->diag);
}

static sw_str
key_of(const void *const *pointer)
{
    return (sw_str){(const char *)pointer, sizeof *pointer};
}

/* From each function, as it was given, to its number plus one. */
static sw_map *
number_functions(const sw_opt_unit *unit)
{
    sw_map *numbers = sw_map_create();
    for (uint32_t i = 0; i < unit->fn_count; i++) {
        const void *p = unit->fns[i];
        sw_map_set(numbers, key_of(&p), (void *)((uintptr_t)i + 1));
    }
    return numbers;
}

/* Of the functions that are called by name, and of what they call so: a call
 * that has become the callee's code reaches nothing any more. */
static void
inlining(run *r)
{
    sw_opt_unit *unit = r->unit;
    sw_map *numbers = number_functions(unit);
    uint32_t *todo = sw_alloc((unit->fn_count + 1) * sizeof *todo), count = 1;
    todo[0] = 0;
    r->is_reached[0] = true;
    while (count) {
        const sw_fn **fn = &unit->fns[todo[--count]];
        const sw_fn *flat = sw_opt_inline_calls(*fn, unit->arena);
        *fn = flat ? flat : *fn;
        for (uint32_t b = 0; b < (*fn)->block_count; b++)
            for (uint32_t i = 0; i < (*fn)->blocks[b]->count; i++) {
                const void *next = sw_callee_of((*fn)->blocks[b]->ins[i]);
                void *number = next ? sw_map_get(numbers, key_of(&next)) : NULL;
                uint32_t to = (uint32_t)(uintptr_t)number;
                if (!to || r->is_reached[to - 1])
                    continue;
                todo[count++] = to - 1;
                r->is_reached[to - 1] = true;
            }
    }
    sw_free(todo);
    sw_map_destroy(numbers);
}

static void
argument_promotion(run *r)
{
    sw_opt_promote_arguments(r->unit->fns, r->unit->fn_count, r->unit->arena);
}

/* ---- the table ---- */

#define AS_MODULE(f)   .module = f
#define AS_PROGRAM(f)  .program = f
#define AS_FUNCTION(f) .function = f
#define AS_COARSEN(f)  .coarsen = f
#define OBSERVED_KEEP  true
#define OBSERVED_SKIP  false

static const pass passes[] = {
#define ANALYSIS(name, header, needs, what)
#define PASS(name, stage, form, observed, after, function, header, what)       \
    {{#name, SW_STAGE_##stage, OBSERVED_##observed, after, header, what},      \
     AS_##form(function)},
#include "opt/pipeline.def"
#undef PASS
#undef ANALYSIS
};

static const sw_analysis_info analyses[] = {
#define PASS(name, stage, form, observed, after, function, header, what)
#define ANALYSIS(name, header, needs, what) {#name, header, needs, what},
#include "opt/pipeline.def"
#undef PASS
#undef ANALYSIS
};

enum {
    PASSES = sizeof passes / sizeof *passes,
    ANALYSES = sizeof analyses / sizeof *analyses
};

const sw_pass_info *
sw_opt_pass(unsigned i)
{
    return i < PASSES ? &passes[i].info : NULL;
}

const sw_analysis_info *
sw_opt_analysis(unsigned i)
{
    return i < ANALYSES ? &analyses[i] : NULL;
}

/* ---- printing ---- */

static struct {
    bool is_on, is_all;
    const pass *after; /* unless is_all */
    char *kernel;      /* NULL: all */
    _Atomic bool has_printed;
} dump;

static const pass *
find_pass(sw_str name)
{
    for (unsigned i = 0; i < PASSES; i++)
        if (sw_str_is(name, passes[i].info.name))
            return &passes[i];
    return NULL;
}

/* When the process ends. */
static void
say_unseen(void)
{
    if (dump.kernel && !dump.has_printed)
        sw_log(SW_LOG_ERROR,
               "SOFTWARP_DUMP_IR: no kernel \"%s\" went through %s",
               dump.kernel, dump.is_all ? "a pass" : dump.after->info.name);
}

sw_status
sw_opt_dump_after(const char *text, sw_diag *diag)
{
    sw_str name = sw_str_of(text ? text : "");
    const char *colon = strchr(name.p, ':');
    name.n = colon ? (size_t)(colon - name.p) : name.n;
    bool is_all = sw_str_is(name, "all");
    const pass *after = find_pass(name);
    if (name.n && !is_all && !after) {
        sw_buf list;
        sw_buf_init(&list);
        for (unsigned i = 0; i < PASSES; i++)
            sw_buf_printf(&list, " %s", passes[i].info.name);
        sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0,
                    "there is no pass \"%.*s\"; there are%s, and all",
                    (int)name.n, name.p, list.p);
        sw_buf_finish(&list);
        return SW_E_INVAL;
    }
    dump.is_on = name.n;
    dump.is_all = is_all;
    dump.after = after;
    if (colon && !dump.kernel)
        atexit(say_unseen);
    sw_free(dump.kernel);
    dump.kernel = colon ? sw_strdup(colon + 1) : NULL;
    return SW_OK;
}

static bool
is_asked_for(const sw_fn *fn)
{
    return !dump.kernel || (fn->name && strcmp(fn->name, dump.kernel) == 0);
}

static void
print_unit(const pass *p, const run *r)
{
    const sw_opt_unit *unit = r->unit;
    const sw_module *module = unit->module;
    sw_buf out;
    sw_buf_init(&out);
    if (p->info.stage == SW_STAGE_LOAD) {
        if (!dump.kernel)
            sw_ir_print(module, &out);
        for (uint32_t i = 0; dump.kernel && i < module->fn_count; i++)
            if (is_asked_for(module->fns[i]))
                sw_ir_print_fn(module->fns[i], &out);
    } else if (is_asked_for(unit->fns[0])) {
        for (uint32_t i = 0; i < unit->fn_count; i++)
            sw_ir_print_fn(unit->fns[i], &out);
    }
    if (out.n) {
        char *ir = sw_buf_take(&out);
        sw_buf_printf(&out, "# after %s\n%s", p->info.name, ir);
        sw_print_stderr(out.p, out.n);
        dump.has_printed = true;
        sw_free(ir);
    }
    sw_buf_finish(&out);
}

/* ---- running ---- */

static void
run_on_functions(const pass *p, const run *r)
{
    sw_opt_unit *unit = r->unit;
    for (uint32_t i = 0; i < unit->fn_count; i++) {
        if (!r->is_reached[i])
            continue;
        const sw_fn *copy = p->function(unit->fns[i], unit->arena);
        unit->fns[i] = copy ? copy : unit->fns[i];
    }
}

static void
run_pass(const pass *p, run *r)
{
    if (p->module)
        p->module(r);
    else if (p->program)
        p->program(r);
    else if (p->function)
        run_on_functions(p, r);
    else
        r->unit->fns[0] =
            p->coarsen(r->unit->fns[0], r->unit->coarsening, r->unit->arena);
}

void
sw_opt_run(sw_stage stage, sw_opt_unit *unit)
{
    run r = {.unit = unit};
    if (stage != SW_STAGE_LOAD)
        r.is_reached = sw_alloc((unit->fn_count + 1) * sizeof *r.is_reached);
    for (unsigned i = 0; i < PASSES; i++) {
        const pass *p = &passes[i];
        if (p->info.stage != stage || (unit->is_observed && !p->info.is_kept))
            continue;
        run_pass(p, &r);
        if (dump.is_on && (dump.is_all || dump.after == p))
            print_unit(p, &r);
    }
    sw_free(r.is_reached);
}
