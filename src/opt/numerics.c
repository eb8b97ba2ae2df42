/* SPDX-License-Identifier: Apache-2.0 */
/* numerics.c - see numerics.h. */
#include "opt/numerics.h"

#include <stdio.h>
#include <strings.h>

#include "opt/numerics_private.h"
#include "sem/eval.h"

/* ---- generations ---- */

typedef struct {
    const char *name;
    unsigned first, last; /* capabilities times ten */
    unsigned rules;
} generation;

static const generation generations[] = {
#define FLUSH_F32                            SW_NUM_FLUSH_F32
#define TRUNCATE_MAD                         SW_NUM_TRUNCATE_MAD
#define RECIPROCAL                           SW_NUM_RECIPROCAL
#define KEEP_NAN                             SW_NUM_KEEP_NAN
#define DEMOTE_F64                           SW_NUM_DEMOTE_F64
#define NONE                                 SW_NUM_NONE
#define GENERATION(name, first, last, rules) {name, first, last, rules},
#include "opt/numerics.def"
};

enum { GENERATIONS = sizeof generations / sizeof *generations };

unsigned
sw_numerics_of(unsigned cc)
{
    for (int i = 0; i < GENERATIONS; i++)
        if (generations[i].first <= cc && cc <= generations[i].last)
            return generations[i].rules;
    return SW_NUM_NONE;
}

bool
sw_numerics_find(const char *name, unsigned *rules)
{
    unsigned major, minor;
    char rest;
    for (int i = 0; i < GENERATIONS; i++) {
        if (strcasecmp(name, generations[i].name) == 0) {
            *rules = generations[i].rules;
            return true;
        }
    }
    if (sscanf(name, "%2u.%1u%c", &major, &minor, &rest) != 2 || major < 1)
        return false;
    *rules = sw_numerics_of(10 * major + minor);
    return true;
}

void
sw_numerics_names(sw_buf *text)
{
    for (int i = 0; i < GENERATIONS; i++)
        sw_buf_printf(text, "%s%s", i ? ", " : "", generations[i].name);
}

/* ---- one instruction ---- */

/* What .ftz goes with, of those that PTX has for sm_1x. */
static bool
is_flushed(const sw_ins *ins, sw_type type, sw_type stype)
{
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_MUL:
    case SW_OP_MAD:
    case SW_OP_FMA:
    case SW_OP_DIV:
    case SW_OP_RCP:
    case SW_OP_SQRT:
    case SW_OP_RSQRT:
    case SW_OP_SIN:
    case SW_OP_COS:
    case SW_OP_LG2:
    case SW_OP_EX2:
    case SW_OP_ABS:
    case SW_OP_NEG:
    case SW_OP_MIN:
    case SW_OP_MAX:
    case SW_OP_SETP:
        return type == SW_T_F32;
    case SW_OP_SET:
    case SW_OP_SLCT:
        return stype == SW_T_F32;
    case SW_OP_CVT:
        return type == SW_T_F32 || stype == SW_T_F32;
    default:
        return false;
    }
}

static bool
is_nearest(const sw_ins *ins)
{
    return ins->rnd == SW_RND_NONE || ins->rnd == SW_RND_RN;
}

/* Division, reciprocal and root to nearest; those in a direction are software
 * on such a device, and rounded. */
static void
by_reciprocal(sw_ins *ins)
{
    uint16_t how = ins->op == SW_OP_RCP    ? SW_F_APPROX
                   : ins->op == SW_OP_DIV  ? SW_F_FULL
                   : ins->op == SW_OP_SQRT ? SW_F_FULL
                                           : 0;
    if (!how || !is_nearest(ins))
        return;
    if (ins->op == SW_OP_DIV && (ins->flags & SW_F_APPROX))
        return;
    ins->flags &= (uint16_t)~SW_F_APPROX;
    ins->flags |= how;
    ins->rnd = SW_RND_NONE;
}

/* Rules of f32 arithmetic, of f64 that is computed as such too. */
static void
change_f32(sw_ins *ins, const sw_origins *o, unsigned rules, sw_type type,
           sw_type stype)
{
    if ((rules & SW_NUM_FLUSH_F32) && is_flushed(ins, type, stype))
        ins->flags |= SW_F_FTZ;
    if (type != SW_T_F32)
        return;
    if (rules & SW_NUM_RECIPROCAL)
        by_reciprocal(ins);
    if (rules & SW_NUM_TRUNCATE_MAD) {
        if (ins->op == SW_OP_FMA && is_nearest(ins) &&
            !sw_origins_is_fused(o, ins)) {
            ins->op = SW_OP_MAD;
            ins->rnd = SW_RND_NONE;
        }
    } else if (ins->op == SW_OP_MAD) {
        ins->op = SW_OP_FMA;
        ins->rnd = SW_RND_RN;
    }
}

static void
change(sw_ins *ins, const sw_origins *o, unsigned rules, bool demote)
{
    sw_type type = (sw_type)ins->type, stype = (sw_type)ins->stype;
    if (demote && sw_sem_can_demote(ins)) {
        ins->flags |= SW_F_DEMOTED;
        type = type == SW_T_F64 ? SW_T_F32 : type;
        stype = stype == SW_T_F64 ? SW_T_F32 : stype;
    }
    change_f32(ins, o, rules, type, stype);
    if ((rules & SW_NUM_KEEP_NAN) &&
        (ins->op == SW_OP_ABS || ins->op == SW_OP_NEG) &&
        (ins->type == SW_T_F32 || ins->type == SW_T_F64))
        ins->flags |= SW_F_NAN;
}

/* ---- functions ---- */

static bool
is_double(const sw_fn *fn, const sw_opnd *o)
{
    return o->kind == SW_OPND_REG && fn->regs[o->reg].type == SW_T_F64;
}

/* Looks at the bits of a double, or makes one of them: no value for which a
 * float could stand. Functions of a math library do. */
static bool
sees_bits(const sw_fn *fn, const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_PACK:
        return is_double(fn, &ins->opnd[0]);
    case SW_OP_UNPACK:
        return is_double(fn, sw_ins_src(ins, 0));
    case SW_OP_MOV:
        return ins->type != SW_T_F64 &&
               sw_ins_src(ins, 0)->kind == SW_OPND_REG &&
               is_double(fn, &ins->opnd[0]) !=
                   is_double(fn, sw_ins_src(ins, 0));
    default:
        return false;
    }
}

/* The first instruction of the function that satisfies, or NULL. */
static const sw_ins *
first(const sw_fn *fn, bool (*is)(const sw_fn *fn, const sw_ins *ins))
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (is(fn, fn->blocks[b]->ins[i]))
                return fn->blocks[b]->ins[i];
    return NULL;
}

static bool
computes_double(const sw_fn *fn, const sw_ins *ins)
{
    (void)fn;
    return sw_sem_can_demote(ins);
}

/* Functions of one kind, for a warning. */
typedef struct {
    const sw_fn *first;
    uint32_t line, count;
} functions;

static void
note(functions *f, const sw_fn *fn, const sw_ins *ins)
{
    if (!f->count++) {
        f->first = fn;
        f->line = ins->line;
    }
}

static void
warn(const functions *f, const char *what, sw_diag *diag)
{
    if (f->count)
        sw_diag_add(diag, SW_DIAG_WARNING, f->first->module->name, f->line, 0,
                    "%s; %u function%s, the first is '%s'", what, f->count,
                    f->count == 1 ? "" : "s", f->first->name);
}

/* Is the function's arithmetic on doubles demoted? */
static bool
demotes(const sw_fn *fn, functions *demoted, functions *kept)
{
    const sw_ins *used = first(fn, computes_double);
    const sw_ins *bits = used ? first(fn, sees_bits) : NULL;
    if (bits)
        note(kept, fn, bits);
    else if (used)
        note(demoted, fn, used);
    return used && !bits;
}

void
sw_opt_apply_numerics(sw_module *module, unsigned rules, sw_diag *diag)
{
    functions demoted = {0}, kept = {0};
    bool no_f64 = rules & SW_NUM_DEMOTE_F64;
    module->f64_demoted = no_f64;
    for (uint32_t k = 0; k < module->fn_count; k++) {
        sw_fn *fn = module->fns[k];
        sw_origins *o =
            rules & SW_NUM_TRUNCATE_MAD ? sw_origins_create(fn) : NULL;
        bool demote = no_f64 && demotes(fn, &demoted, &kept);
        for (uint32_t b = 0; b < fn->block_count; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
                change(fn->blocks[b]->ins[i], o, rules, demote);
        sw_origins_destroy(o);
    }
    warn(&demoted, "double is demoted to float, as the device has none", diag);
    warn(&kept,
         "double stays double, which the device has not, where bits of doubles "
         "are used",
         diag);
}
