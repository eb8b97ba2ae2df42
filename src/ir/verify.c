/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - checks what every user of a module relies on; see ir.h and
 * docs/ir.md. Reads only; reports every broken rule it finds.
 */
#include <string.h>

#include "ir/ir.h"
#include "ir/verify_private.h"

typedef struct {
    const sw_module *module;
    sw_diag *diag;
    const sw_fn *fn;
    const sw_block *block;
    const sw_ins *ins;
    bool broken;
} checker;

/* Reports a broken rule at the place that the checker has come to. */
static void __attribute__((format(printf, 2, 3)))
fail(checker *c, const char *fmt, ...)
{
    sw_buf text;
    sw_buf_init(&text);
    if (c->fn)
        sw_buf_printf(&text, "function '%s'", c->fn->name);
    if (c->block)
        sw_buf_printf(&text, ", block %u", c->block->index);
    if (c->block && c->block->label)
        sw_buf_printf(&text, " (%s)", c->block->label);
    if (c->fn)
        sw_buf_puts(&text, ": ");
    va_list args;
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    if (c->ins) {
        sw_buf_puts(&text, ": ");
        sw_ir_print_ins(c->fn, c->ins, &text);
    }
    uint32_t line = c->ins ? c->ins->line : c->fn ? c->fn->line : 0;
    sw_diag_add(c->diag, SW_DIAG_ERROR, c->module->name, line, 0, "%s",
                text.p ? text.p : "");
    sw_buf_finish(&text);
    c->broken = true;
}

static sw_class
reg_class(const sw_fn *fn, sw_reg reg)
{
    return reg > 0 && reg < fn->reg_count ? fn->regs[reg].cls : SW_CLASS_NONE;
}

/* ---- symbols ---- */

static bool
is_frame_slot(const sw_sym *sym)
{
    if (!sym->owner)
        return false;
    return sym->space == SW_SPACE_LOCAL ||
           (sym->space == SW_SPACE_PARAM && !sym->owner->is_entry);
}

/* A PARAM of an entry is either a formal or a slot for a call it makes. */
static bool
is_formal(const sw_fn *fn, const sw_sym *sym)
{
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_SYM && fn->params[i].sym == sym)
            return true;
    for (uint32_t i = 0; i < fn->ret_count; i++)
        if (fn->rets[i].kind == SW_OPND_SYM && fn->rets[i].sym == sym)
            return true;
    return false;
}

static void
check_sym(checker *c, const sw_sym *sym)
{
    const char *name = sym->name ? sym->name : "";
    if (!sym->name || !*sym->name)
        fail(c, "a symbol has no name");
    if (sym->align == 0 || (sym->align & (sym->align - 1)))
        fail(c, "symbol '%s': alignment %u is not a power of two", name,
             sym->align);
    if (sym->space >= SW_SPACE_COUNT || sym->type >= SW_T_COUNT ||
        sym->linkage > SW_LINK_EXTERN)
        fail(c, "symbol '%s': space, type or linkage out of range", name);
    if (sym->init_bytes > sym->bytes)
        fail(c, "symbol '%s': more initial data than bytes", name);
    if (sym->init_bytes && !sym->init)
        fail(c, "symbol '%s': initial data missing", name);
    for (uint32_t i = 0; i < sym->reloc_count; i++) {
        const sw_reloc *r = &sym->relocs[i];
        if (!r->sym)
            fail(c, "symbol '%s': relocation %u has no symbol", name, i);
        if (r->bytes != 1 && r->bytes != 4 && r->bytes != 8)
            fail(c, "symbol '%s': relocation %u of %u bytes", name, i,
                 r->bytes);
        if (r->bytes > sym->bytes || r->offset > sym->bytes - r->bytes)
            fail(c, "symbol '%s': relocation %u is outside of it", name, i);
    }
}

static void
check_slot(checker *c, const sw_sym *sym)
{
    bool formal = is_formal(c->fn, sym);
    bool in_block = c->fn->is_entry && formal && sym->space == SW_SPACE_PARAM;
    uint64_t limit = in_block ? c->fn->param_bytes : c->fn->frame_bytes;
    if (!in_block && !is_frame_slot(sym) && sym->space != SW_SPACE_PARAM)
        return; /* SHARED, or GLOBAL and CONST of function scope */
    if (c->fn->block_count == 0 && !in_block)
        return; /* a declaration has no frame */
    if (sym->bytes > limit || sym->address > limit - sym->bytes)
        fail(c, "symbol '%s' is outside the %s of %u bytes", sym->name,
             in_block ? "parameter block" : "frame", (unsigned)limit);
    if (sym->align && sym->address % sym->align)
        fail(c, "symbol '%s' is not aligned", sym->name);
}

static void
check_operand_sym(checker *c, const sw_opnd *o)
{
    if (!o->sym) {
        fail(c, "a symbol operand without symbol");
        return;
    }
    if (o->sym->owner && o->sym->owner != c->fn)
        fail(c, "symbol '%s' belongs to another function", o->sym->name);
    else if (o->sym->owner)
        check_slot(c, o->sym);
}

/* ---- operands ---- */

static const char *
class_name(sw_class cls)
{
    static const char *const names[SW_CLASS_COUNT] = {
        "no class", "pred", "b16", "b32", "b64", "b128"};
    return cls < SW_CLASS_COUNT ? names[cls] : "?";
}

static sw_class
letter_class(const sw_ins *ins, char letter)
{
    switch (letter) {
    case 'T':
    case 'L':
        return sw_type_class((sw_type)ins->type);
    case 'S':
        return sw_type_class((sw_type)ins->stype);
    case 'W':
        return sw_type_class(sw_type_wide((sw_type)ins->type));
    case 'R':
        return sw_type_class(sw_sreg_type((sw_sreg)ins->sub));
    case 'P':
        return SW_CLASS_PRED;
    case '3':
        return SW_CLASS_B32;
    case '6':
        return SW_CLASS_B64;
    default:
        return SW_CLASS_NONE;
    }
}

/* Is register class `cls` right for a place of the signature? */
static bool
class_fits(const sw_ins *ins, char letter, sw_class cls)
{
    switch (letter) {
    case 'X':
        return cls != SW_CLASS_NONE;
    case 'A':
    case 'H':
        return cls == SW_CLASS_B32 || cls == SW_CLASS_B64;
    case 'Y':
        return false;
    case 'L':
        return cls != SW_CLASS_PRED && cls >= letter_class(ins, letter);
    default:
        return cls == letter_class(ins, letter);
    }
}

static void
check_operand(checker *c, const sw_opnd *o, char letter, bool is_dst,
              unsigned i)
{
    const char *what = is_dst ? "destination" : "source";
    if (o->negated && (is_dst || o->kind != SW_OPND_REG ||
                       reg_class(c->fn, o->reg) != SW_CLASS_PRED))
        fail(c, "%s %u is negated but no predicate source", what, i);
    switch (o->kind) {
    case SW_OPND_NONE:
        if (!is_dst)
            fail(c, "source %u is missing", i);
        return;
    case SW_OPND_REG: {
        sw_class cls = reg_class(c->fn, o->reg);
        if (cls == SW_CLASS_NONE)
            fail(c, "%s %u is register %u, which does not exist", what, i,
                 o->reg);
        else if (!class_fits(c->ins, letter, cls))
            fail(c, "%s %u is of class %s, not %s", what, i, class_name(cls),
                 letter == 'A' || letter == 'H'
                     ? "b32 or b64"
                     : class_name(letter_class(c->ins, letter)));
        return;
    }
    case SW_OPND_IMM:
        if (is_dst || letter == 'Y')
            fail(c, "%s %u is a number", what, i);
        return;
    case SW_OPND_SYM:
        if (is_dst || !strchr("AHXY", letter))
            fail(c, "%s %u is a symbol", what, i);
        else
            check_operand_sym(c, o);
        return;
    default:
        fail(c, "%s %u is of unknown kind", what, i);
        return;
    }
}

/*
 * Checks `count` operands against a part of a signature: letters, each with
 * an optional 'v' (vec times), '?' (may be absent) or '*' (any number).
 */
static void
check_operands(checker *c, const sw_opnd *o, unsigned count, const char *part,
               size_t length, bool is_dst)
{
    unsigned vec = c->ins->vec ? c->ins->vec : 1, i = 0;
    for (size_t k = 0; k < length;) {
        char letter = part[k++];
        unsigned least = 1, most = 1;
        if (k < length && part[k] == 'v') {
            least = most = vec;
            k++;
        }
        if (k < length && part[k] == '?') {
            least = 0;
            k++;
        } else if (k < length && part[k] == '*') {
            least = 0;
            most = 255;
            k++;
        }
        unsigned n = count - i < most ? count - i : most;
        if (n < least) {
            fail(c, "too few %s", is_dst ? "destinations" : "sources");
            return;
        }
        for (unsigned end = i + n; i < end; i++)
            check_operand(c, &o[i], letter, is_dst, i);
    }
    if (i < count)
        fail(c, "too many %s", is_dst ? "destinations" : "sources");
}

/* ---- instructions ---- */

static void
check_type(checker *c, const sw_ins *ins, const sw_op_info *info)
{
    if (ins->type >= SW_T_COUNT || ins->stype >= SW_T_COUNT) {
        fail(c, "type out of range");
        return;
    }
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    bool is_float = false, is_int = false;
    switch (ins->type) {
    case SW_T_U16X2:
    case SW_T_S16X2:
        is_int = true;
        break;
    default:
        is_float = kind == SW_KIND_FLOAT || kind == SW_KIND_PACKED;
        is_int = kind == SW_KIND_UINT || kind == SW_KIND_SINT;
        break;
    }
    bool is_bits = kind == SW_KIND_BITS, ok = true;
    switch (info->types) {
    case SW_TS_NONE:
        return; /* some say more than the table: bar.red */
    case SW_TS_ANY:
        ok = kind != SW_KIND_NONE;
        break;
    case SW_TS_INT:
        ok = is_int;
        break;
    case SW_TS_FLOAT:
        ok = is_float;
        break;
    case SW_TS_NUM:
        ok = is_int || is_float;
        break;
    case SW_TS_BITS:
    case SW_TS_INTBITS:
        ok = is_bits || is_int;
        break;
    case SW_TS_B32:
        ok = sw_type_class((sw_type)ins->type) == SW_CLASS_B32;
        break;
    case SW_TS_LOGIC:
        ok = is_bits || is_int || kind == SW_KIND_PRED;
        break;
    case SW_TS_CMP:
        ok = is_int || is_float || is_bits;
        break;
    case SW_TS_MEM:
        ok = kind != SW_KIND_NONE && kind != SW_KIND_PRED;
        break;
    }
    if (!ok)
        fail(c, "type '%s' is not one of this operation",
             sw_type_text((sw_type)ins->type));
}

static void
check_fields(checker *c, const sw_ins *ins)
{
    if (ins->rnd >= SW_RND_COUNT)
        fail(c, "rounding out of range");
    if (ins->cmp >= SW_CMP_COUNT)
        fail(c, "comparison out of range");
    if (ins->boolop > SW_BOOL_XOR)
        fail(c, "boolean operator out of range");
    if (ins->space >= SW_SPACE_COUNT)
        fail(c, "state space out of range");
    if (ins->cache >= SW_CACHE_COUNT)
        fail(c, "cache operator out of range");
    if (ins->order >= SW_ORDER_COUNT || ins->scope >= SW_SCOPE_COUNT)
        fail(c, "memory order or scope out of range");
    if (ins->geom >= SW_GEOM_COUNT)
        fail(c, "geometry out of range");
    if (ins->sub > sw_verify_sub_max((sw_op)ins->op))
        fail(c, "sub %u is out of range", ins->sub);
    if (ins->vec > 8 || (ins->vec & (ins->vec - 1)))
        fail(c, "%u elements a vector", ins->vec);
    if (ins->loc && ins->loc >= c->module->loc_count)
        fail(c, "source place %u does not exist", ins->loc);
    if (ins->guard && reg_class(c->fn, ins->guard) != SW_CLASS_PRED)
        fail(c, "the guard is not a predicate");
    if (!ins->guard && ins->guard_neg)
        fail(c, "no guard, but negated");
}

static bool
is_terminator(sw_op op)
{
    return op == SW_OP_BRA || op == SW_OP_BRX || op == SW_OP_RET ||
           op == SW_OP_EXIT;
}

/* Memory operands that name a symbol say its space. */
static void
check_space(checker *c, const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_LD:
    case SW_OP_LDU:
    case SW_OP_ST:
    case SW_OP_ATOM:
    case SW_OP_RED:
        break;
    default:
        return;
    }
    const sw_opnd *o = ins->nsrc ? sw_ins_src(ins, 0) : NULL;
    if (!o || o->kind != SW_OPND_SYM || !o->sym)
        return;
    unsigned want = o->sym->space;
    if (want == SW_SPACE_PARAM && o->sym->owner &&
        !(c->fn->is_entry && is_formal(c->fn, o->sym)))
        want = SW_SPACE_LOCAL;
    if (ins->space != want && ins->space != SW_SPACE_GENERIC)
        fail(c, "symbol '%s' is not in this space", o->sym->name);
}

static uint64_t
formal_bytes(const sw_fn *fn, const sw_opnd *formal)
{
    if (formal->kind == SW_OPND_SYM)
        return formal->sym ? formal->sym->bytes : 0;
    return sw_class_bytes(reg_class(fn, formal->reg));
}

static void
check_call_list(checker *c, const sw_fn *callee, const sw_opnd *formals,
                uint32_t formal_count, const sw_opnd *args, uint32_t count,
                bool is_ret)
{
    const char *what = is_ret ? "result" : "argument";
    if (formal_count != count) {
        fail(c, "%u %ss for %u of '%s'", count, what, formal_count,
             callee->name ? callee->name : "");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t want = formal_bytes(callee, &formals[i]), have = 0;
        sw_class cls = SW_CLASS_NONE;
        switch (args[i].kind) {
        case SW_OPND_REG:
            cls = reg_class(c->fn, args[i].reg);
            have = sw_class_bytes(cls);
            if (cls == SW_CLASS_NONE)
                fail(c, "%s %u is register %u, which does not exist", what, i,
                     args[i].reg);
            if (formals[i].kind == SW_OPND_REG &&
                cls != reg_class(callee, formals[i].reg))
                fail(c, "%s %u is of class %s, the formal is not", what, i,
                     class_name(cls));
            break;
        case SW_OPND_SYM:
            check_operand_sym(c, &args[i]);
            if (!args[i].sym)
                return;
            if (args[i].sym->space != SW_SPACE_PARAM || !args[i].sym->owner)
                fail(c, "%s %u is not a parameter slot", what, i);
            have = args[i].sym->bytes;
            break;
        case SW_OPND_IMM:
            if (is_ret)
                fail(c, "%s %u is a number", what, i);
            continue;
        default:
            if (!is_ret)
                fail(c, "%s %u is missing", what, i);
            continue;
        }
        if (want && have && have != want)
            fail(c, "%s %u has %u bytes, the formal %u", what, i,
                 (unsigned)have, (unsigned)want);
    }
}

static void
check_call(checker *c, const sw_ins *ins)
{
    const sw_call *call = ins->aux;
    if (!call) {
        fail(c, "a call without sw_call");
        return;
    }
    const sw_fn *fn = call->callee ? call->callee->fn : call->prototype;
    if (call->callee && !fn)
        fail(c, "'%s' is not a function", call->callee->name);
    if (call->callee && fn && fn->is_entry && fn->module == c->module &&
        fn == c->fn)
        fail(c, "an entry calls itself");
    if (!call->callee != (ins->nsrc == 1))
        fail(c, "source 0 is the address of an indirect call, and only that");
    if (!fn)
        return;
    check_call_list(c, fn, fn->params, fn->param_count, call->args,
                    call->arg_count, false);
    check_call_list(c, fn, fn->rets, fn->ret_count, call->rets, call->ret_count,
                    true);
}

/* Parts side by side must fill the whole. */
static void
check_parts(checker *c, const sw_ins *ins, unsigned count, const sw_opnd *o)
{
    sw_class cls = SW_CLASS_NONE;
    for (unsigned i = 0; i < count; i++) {
        if (o[i].kind != SW_OPND_REG)
            continue;
        sw_class own = reg_class(c->fn, o[i].reg);
        if (cls != SW_CLASS_NONE && own != cls)
            fail(c, "parts of different classes");
        cls = own;
    }
    unsigned bits = sw_type_bits((sw_type)ins->type);
    unsigned part = cls == SW_CLASS_NONE ? 0 : sw_class_bytes(cls) * 8;
    bool bytes = cls == SW_CLASS_B16 && count * 8 == bits;
    if (count < 2 || (part && count * part != bits && !bytes))
        fail(c, "%u parts of %u bits do not make %u bits", count, part, bits);
}

static void
check_special(checker *c, const sw_ins *ins)
{
    const sw_block *block = c->block;
    bool last = block->ins[block->count - 1] == ins;
    if (is_terminator((sw_op)ins->op) && !last)
        fail(c, "a terminator before the end of the block");
    switch (ins->op) {
    case SW_OP_CALL:
        check_call(c, ins);
        break;
    case SW_OP_PACK:
        check_parts(c, ins, ins->nsrc, sw_ins_src(ins, 0));
        break;
    case SW_OP_UNPACK:
        check_parts(c, ins, ins->ndst, ins->opnd);
        break;
    case SW_OP_LOP3:
        if (ins->imm > 255)
            fail(c, "a truth table of more than 8 bits");
        if ((ins->ndst == 2) != (ins->nsrc == 4))
            fail(c, "a second destination goes with a fourth source");
        break;
    case SW_OP_TRAP:
        if (ins->sub == 1 && !ins->aux)
            fail(c, "a trap for an instruction without its name");
        break;
    case SW_OP_SETP:
    case SW_OP_SET:
        if ((ins->boolop != SW_BOOL_NONE) != (ins->nsrc == 3))
            fail(c, "a boolean operator goes with a third source");
        break;
    default:
        if (((ins->op >= SW_OP_VADD && ins->op <= SW_OP_VSET4) ||
             (ins->op >= SW_OP_WMMA_LOAD && ins->op <= SW_OP_MMA)) &&
            !ins->aux)
            fail(c, "the details (aux) are missing");
        break;
    }
    if (ins->guard && is_terminator((sw_op)ins->op) && ins->op != SW_OP_BRA)
        fail(c, "a guard on a terminator other than bra");
    if (ins->guard && ins->op == SW_OP_TRAP)
        fail(c, "a guard on trap");
}

static void
check_ins(checker *c, const sw_ins *ins)
{
    if (ins->op >= SW_OP_COUNT) {
        fail(c, "operation out of range");
        return;
    }
    if (ins->ndst + ins->nsrc && !ins->opnd) {
        fail(c, "operands are missing");
        return;
    }
    const sw_op_info *info = sw_op_get_info((sw_op)ins->op);
    check_type(c, ins, info);
    check_fields(c, ins);
    char plain[8];
    const char *signature = sw_verify_signature((sw_op)ins->op, plain);
    const char *sources = strchr(signature, '=') + 1;
    check_operands(c, ins->opnd, ins->ndst, signature,
                   (size_t)(sources - signature) - 1, true);
    check_operands(c, ins->opnd ? ins->opnd + ins->ndst : NULL, ins->nsrc,
                   sources, strlen(sources), false);
    check_space(c, ins);
    check_special(c, ins);
}

/* ---- blocks, functions, modules ---- */

static void
check_block(checker *c, const sw_block *block, uint32_t index)
{
    c->block = block;
    if (block->index != index)
        fail(c, "block at %u has index %u", index, block->index);
    if (block->count == 0) {
        fail(c, "an empty block");
        return;
    }
    const sw_ins *last = block->ins[block->count - 1];
    for (uint32_t i = 0; i < block->count; i++) {
        c->ins = block->ins[i];
        check_ins(c, c->ins);
    }
    c->ins = last;
    uint32_t least = 0, most = 0;
    if (!is_terminator((sw_op)last->op)) {
        fail(c, "the block does not end in a terminator");
    } else if (last->op == SW_OP_BRA) {
        least = most = last->guard ? 2 : 1;
    } else if (last->op == SW_OP_BRX) {
        least = 1;
        most = UINT32_MAX;
    }
    if (block->target_count < least || block->target_count > most)
        fail(c, "%u targets", block->target_count);
    for (uint32_t i = 0; i < block->target_count; i++)
        if (block->targets[i] >= c->fn->block_count)
            fail(c, "target %u is block %u, which does not exist", i,
                 block->targets[i]);
    c->ins = NULL;
    c->block = NULL;
}

static void
check_formals(checker *c, const sw_opnd *formals, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const sw_opnd *o = &formals[i];
        if (o->kind == SW_OPND_SYM) {
            check_operand_sym(c, o);
            if (o->sym)
                check_sym(c, o->sym);
            if (o->sym && o->sym->space != SW_SPACE_PARAM)
                fail(c, "formal '%s' is not in the space param", o->sym->name);
        } else if (o->kind != SW_OPND_REG || c->fn->is_entry ||
                   reg_class(c->fn, o->reg) == SW_CLASS_NONE) {
            fail(c, "formal %u is neither a register nor a slot", i);
        }
    }
}

static void
check_fn(checker *c, const sw_fn *fn)
{
    c->fn = fn;
    if (fn->module != c->module)
        fail(c, "it belongs to another module");
    if (!fn->sym || fn->sym->fn != fn || fn->sym->space != SW_SPACE_REG)
        fail(c, "its symbol is not a function's");
    if (fn->frame_bytes % 16)
        fail(c, "frame of %u bytes, no multiple of 16", fn->frame_bytes);
    for (uint32_t r = 1; r < fn->reg_count; r++)
        if (fn->regs[r].type >= SW_T_COUNT ||
            fn->regs[r].cls != sw_type_class(fn->regs[r].type) ||
            fn->regs[r].cls == SW_CLASS_NONE)
            fail(c, "register %u: class and type differ", r);
    check_formals(c, fn->params, fn->param_count);
    check_formals(c, fn->rets, fn->ret_count);
    for (uint32_t i = 0; i < fn->shared_count; i++) {
        check_sym(c, fn->shared[i]);
        if (fn->shared[i]->owner != fn ||
            fn->shared[i]->space != SW_SPACE_SHARED)
            fail(c, "'%s' is not a shared variable of the function",
                 fn->shared[i]->name);
    }
    for (uint32_t b = 0; b < fn->block_count; b++)
        check_block(c, fn->blocks[b], b);
    c->fn = NULL;
}

/* A place is inlined at one that stands before it, so that to follow them ends.
 */
static void
check_locs(checker *c)
{
    const sw_module *m = c->module;
    for (uint32_t i = 0; i < m->loc_count; i++) {
        if (m->locs[i].file >= m->file_count)
            fail(c, "place %u is in file %u, of %u", i, m->locs[i].file,
                 m->file_count);
        if (m->locs[i].inlined_at && m->locs[i].inlined_at >= i)
            fail(c, "place %u is inlined at place %u", i,
                 m->locs[i].inlined_at);
    }
}

sw_status
sw_ir_verify(const sw_module *module, sw_diag *diag)
{
    checker c = {.module = module, .diag = diag};
    uint32_t bodies = 0;
    if (module->address_size != 32 && module->address_size != 64)
        fail(&c, "addresses of %u bits", module->address_size);
    check_locs(&c);
    for (uint32_t i = 0; i < module->sym_count; i++) {
        const sw_sym *sym = module->syms[i];
        check_sym(&c, sym);
        if (sym->owner)
            fail(&c, "symbol '%s' of module scope has an owner", sym->name);
        if (sym->name && sw_module_find(module, sym->name) != sym)
            fail(&c, "symbol '%s' is there twice", sym->name);
        if (sym->fn && sym->fn->block_count)
            bodies++;
        else if (sym->fn)
            check_fn(&c, sym->fn);
    }
    if (bodies != module->fn_count)
        fail(&c, "%u symbols of functions with a body, but %u functions",
             bodies, module->fn_count);
    for (uint32_t i = 0; i < module->fn_count; i++) {
        c.fn = module->fns[i];
        if (module->fns[i]->block_count == 0)
            fail(&c, "no body");
        check_fn(&c, module->fns[i]);
    }
    return c.broken ? SW_E_INVALID_PTX : SW_OK;
}
