/* SPDX-License-Identifier: Apache-2.0 */
/* lower.c - what the lowering of all instructions shares: modifiers taken one
 * by one, operands brought to the class of their type. */

#include "front/ptx/parse.h"

static const ptx_opnd no_operand;

bool
ptx_take(ptx_ins *in, ptx_mod mod)
{
    for (uint32_t i = 0; i < in->mod_count; i++) {
        if (in->mods[i] == mod && !in->used[i]) {
            in->used[i] = true;
            return true;
        }
    }
    return false;
}

int
ptx_take_of(ptx_ins *in, int (*set)(ptx_mod), int none)
{
    for (uint32_t i = 0; i < in->mod_count; i++) {
        int v = in->used[i] ? -1 : set((ptx_mod)in->mods[i]);
        if (v >= 0) {
            in->used[i] = true;
            return v;
        }
    }
    return none;
}

sw_type
ptx_take_type(ptx_ins *in)
{
    return (sw_type)ptx_take_of(in, ptx_mod_type, SW_T_NONE);
}

bool
ptx_left_over(const ptx_ins *in)
{
    for (uint32_t i = 0; i < in->mod_count; i++)
        if (!in->used[i])
            return true;
    return false;
}

bool
ptx_need(ptx_parser *p, const ptx_ins *in, unsigned min, unsigned max)
{
    if (in->opnd_count >= min && in->opnd_count <= max)
        return true;
    if (min == max)
        ptx_error_at(p, in->line, in->column,
                     "expected %u operand%s of %.*s, not %u", min,
                     min == 1 ? "" : "s", (int)in->text.n, in->text.p,
                     in->opnd_count);
    else
        ptx_error_at(p, in->line, in->column,
                     "expected %u to %u operands of %.*s, not %u", min, max,
                     (int)in->text.n, in->text.p, in->opnd_count);
    return false;
}

const ptx_opnd *
ptx_op(const ptx_ins *in, unsigned i)
{
    return i < in->opnd_count ? &in->opnds[i] : &no_operand;
}

bool
ptx_type_in(sw_type type, unsigned set)
{
    sw_kind kind = sw_type_kind(type);
    bool is_int = kind == SW_KIND_UINT || kind == SW_KIND_SINT;
    bool packed_int = type == SW_T_U16X2 || type == SW_T_S16X2;
    bool is_float = kind == SW_KIND_FLOAT || kind == SW_KIND_PACKED;
    bool is_bits = kind == SW_KIND_BITS && type != SW_T_B128;
    bool small = sw_type_bits(type) < 16;
    /* formats that only conversions and matrices know */
    if (packed_int || type == SW_T_TF32 || type == SW_T_E4M3X2 ||
        type == SW_T_E5M2X2)
        is_float = false;
    switch (set) {
    case SW_TS_NONE:
        return type == SW_T_NONE;
    case SW_TS_ANY:
        return type != SW_T_NONE;
    case SW_TS_INT:
        return is_int && !small;
    case SW_TS_FLOAT:
        return is_float && !small;
    case SW_TS_NUM:
        return (is_int || is_float || packed_int) && !small;
    case SW_TS_BITS:
        return is_bits && !small;
    case SW_TS_B32:
        return type == SW_T_B32;
    case SW_TS_LOGIC:
        return kind == SW_KIND_PRED || (is_bits && !small);
    case SW_TS_INTBITS:
        return (is_int || is_bits) && !small;
    case SW_TS_CMP:
        return (is_int || is_float || packed_int || is_bits) && !small;
    case SW_TS_MEM:
        return type != SW_T_NONE && kind != SW_KIND_PRED;
    default:
        return false;
    }
}

void
ptx_unsupported(ptx_parser *p, const ptx_ins *in)
{
    char *text = sw_arena_str(p->arena, in->text);
    ptx_warn(p, in->line, in->column,
             "'%s' is not supported; it traps when it is reached", text);
    bool split = ptx_split_begin(p);
    (void)split;
    sw_ins *ins = ptx_emit(p, SW_OP_TRAP, SW_T_NONE, 0, 0);
    ins->sub = 1;
    ins->aux = text;
    ptx_emit(p, SW_OP_EXIT, SW_T_NONE, 0, 0);
    ptx_block_end(p);
}

unsigned
ptx_vector(const ptx_ins *in, const ptx_opnd *o, const ptx_opnd **elems)
{
    if (o->kind == OPND_VECTOR) {
        *elems = &in->elems[o->first];
        return o->count;
    }
    *elems = o;
    return 1;
}

/* ---- sources ---- */

static void
bad_operand(ptx_parser *p, const ptx_opnd *o, const char *what)
{
    if (o->kind == OPND_NAME)
        ptx_error_at(p, o->line, o->column, "'%.*s' is not declared",
                     (int)o->name.n, o->name.p);
    else
        ptx_error_at(p, o->line ? o->line : p->ins.line,
                     o->line ? o->column : p->ins.column, "expected %s", what);
}

/* Whether a register declared as `reg` may hold a `type` of its size. */
static bool
kinds_agree(sw_type reg, sw_type type)
{
    sw_kind a = sw_type_kind(reg), b = sw_type_kind(type);
    bool a_int = a == SW_KIND_UINT || a == SW_KIND_SINT;
    bool b_int = b == SW_KIND_UINT || b == SW_KIND_SINT;
    bool wide = type == SW_T_F32 || type == SW_T_F64;
    bool reg_wide = reg == SW_T_F32 || reg == SW_T_F64;
    return !(a_int && wide) && !(reg_wide && b_int);
}

static void
mismatch(ptx_parser *p, const ptx_opnd *o, sw_reg reg, sw_type type)
{
    ptx_error_at(p, o->line, o->column,
                 "expected a .%s, not '%.*s' which is a .%s",
                 sw_type_text(type), (int)o->name.n, o->name.p,
                 sw_type_text(ptx_reg_type(p, reg)));
}

static sw_opnd
special(ptx_parser *p, const ptx_opnd *o, sw_type type)
{
    sw_type own = sw_sreg_type((sw_sreg)o->sreg);
    sw_ins *ins = ptx_emit(p, SW_OP_SREG, own, 1, 0);
    ins->sub = o->sreg;
    ins->imm = o->bits;
    sw_reg reg = ptx_reg_new(p, own, NULL);
    ins->opnd[0] = ptx_reg_opnd(reg);
    sw_class want = sw_type_class(type);
    if (ptx_reg_class(p, reg) == want)
        return ptx_reg_opnd(reg);
    if (own == SW_T_PRED || type == SW_T_PRED) {
        bad_operand(p, o, "a special register of another type");
        return ptx_reg_opnd(reg);
    }
    return ptx_reg_opnd(ptx_convert(p, reg, ptx_class_type(want), own));
}

/* Frame slots are addressed in local space; see internal.h. */
static uint8_t
effective_space(const ptx_parser *p, const sw_sym *sym)
{
    if (sym->space != SW_SPACE_PARAM)
        return (uint8_t)sym->space;
    const sw_fn *fn = p->body.fn;
    for (uint32_t i = 0; fn->is_entry && i < fn->param_count; i++)
        if (fn->params[i].sym == sym)
            return SW_SPACE_PARAM;
    return SW_SPACE_LOCAL;
}

/* base + reg, or base + reg * stride for sym[reg]. */
static sw_opnd
add_index(ptx_parser *p, const ptx_opnd *o, sw_opnd base, sw_type bits)
{
    sw_reg index = o->reg;
    sw_class have = ptx_reg_class(p, index);
    bool is_64 = bits == SW_T_B64;
    if (have != sw_type_class(bits))
        index = ptx_convert(p, index, is_64 ? SW_T_S64 : SW_T_S32,
                            have == SW_CLASS_B16   ? SW_T_S16
                            : have == SW_CLASS_B32 ? SW_T_S32
                                                   : SW_T_S64);
    sw_ins *ins = ptx_emit(p, SW_OP_MAD_LO, is_64 ? SW_T_U64 : SW_T_U32, 1, 3);
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, bits, NULL));
    ins->opnd[1] = ptx_reg_opnd(index);
    ins->opnd[2] = ptx_imm_opnd(o->stride ? o->stride : 1);
    ins->opnd[3] = base;
    return ins->opnd[0];
}

static sw_opnd
address_of(ptx_parser *p, const ptx_opnd *o, sw_type type)
{
    sw_class cls = sw_type_class(type);
    if (cls != SW_CLASS_B32 && cls != SW_CLASS_B64) {
        bad_operand(p, o, "a number or a register, not an address");
        return ptx_imm_opnd(0);
    }
    sw_type bits = cls == SW_CLASS_B32 ? SW_T_B32 : SW_T_B64;
    sw_ins *ins = ptx_emit(p, SW_OP_ADDR, bits, 1, 1);
    ins->space = effective_space(p, o->sym);
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, bits, NULL));
    ins->opnd[1] =
        (sw_opnd){.kind = SW_OPND_SYM, .sym = o->sym, .imm = (uint64_t)o->add};
    return o->reg ? add_index(p, o, ins->opnd[0], bits) : ins->opnd[0];
}

static sw_opnd
source(ptx_parser *p, const ptx_opnd *o, sw_type type, bool may_be_wider)
{
    sw_class want = sw_type_class(type);
    if (type == SW_T_PRED)
        return ptx_source_pred(p, o);
    if (o->not_ || o->minus || o->select.n) {
        bad_operand(p, o, "a register without '!', '-' or a part");
        return ptx_imm_opnd(0);
    }
    switch (o->kind) {
    case OPND_REG: {
        sw_class have = ptx_reg_class(p, o->reg);
        sw_type reg_type = ptx_reg_type(p, o->reg);
        if (have == want && (may_be_wider || kinds_agree(reg_type, type)))
            return ptx_reg_opnd(o->reg);
        if (may_be_wider && have > want && want > SW_CLASS_PRED)
            return ptx_reg_opnd(ptx_convert(p, o->reg, ptx_class_type(want),
                                            ptx_class_type(have)));
        mismatch(p, o, o->reg, type);
        return ptx_reg_opnd(o->reg);
    }
    case OPND_INT:
    case OPND_F32:
    case OPND_F64:
        return ptx_imm_opnd(ptx_number_bits(type, o->kind, o->bits));
    case OPND_SREG:
        return special(p, o, type);
    case OPND_SYM:
        return address_of(p, o, type);
    default:
        bad_operand(p, o, "a register or a number");
        return ptx_imm_opnd(0);
    }
}

sw_opnd
ptx_source(ptx_parser *p, const ptx_opnd *o, sw_type type)
{
    return source(p, o, type, false);
}

sw_opnd
ptx_source_wide(ptx_parser *p, const ptx_opnd *o, sw_type type)
{
    return source(p, o, type, true);
}

sw_opnd
ptx_source_pred(ptx_parser *p, const ptx_opnd *o)
{
    sw_opnd out = ptx_imm_opnd(0);
    if (o->kind == OPND_INT) {
        out.imm = o->bits != 0;
    } else if (o->kind == OPND_SREG &&
               sw_sreg_type((sw_sreg)o->sreg) == SW_T_PRED) {
        out = special(p, o, SW_T_PRED);
    } else if (o->kind != OPND_REG ||
               ptx_reg_class(p, o->reg) != SW_CLASS_PRED || o->minus) {
        bad_operand(p, o, "a predicate");
    } else {
        out = ptx_reg_opnd(o->reg);
        out.negated = o->not_;
    }
    return out;
}

/* ---- destinations ---- */

sw_opnd
ptx_dest(ptx_parser *p, const ptx_opnd *o, sw_type type)
{
    if (o->kind == OPND_NONE && o->line)
        return (sw_opnd){.kind = SW_OPND_NONE};
    if (o->kind != OPND_REG || o->not_ || o->minus || o->select.n) {
        bad_operand(p, o, "a register to write to");
        return (sw_opnd){.kind = SW_OPND_NONE};
    }
    if (ptx_reg_class(p, o->reg) != sw_type_class(type) ||
        !kinds_agree(ptx_reg_type(p, o->reg), type))
        mismatch(p, o, o->reg, type);
    return ptx_reg_opnd(o->reg);
}

sw_opnd
ptx_dest_wide(ptx_parser *p, const ptx_opnd *o, sw_type type, sw_reg *fix)
{
    *fix = 0;
    if (o->kind != OPND_REG || o->not_ || o->minus || o->select.n ||
        ptx_reg_class(p, o->reg) <= sw_type_class(type) ||
        sw_type_class(type) == SW_CLASS_PRED) {
        if (o->kind == OPND_REG &&
            ptx_reg_class(p, o->reg) == sw_type_class(type))
            return ptx_reg_opnd(o->reg);
        return ptx_dest(p, o, type);
    }
    *fix = o->reg;
    return ptx_reg_opnd(ptx_reg_new(p, type, NULL));
}

void
ptx_dest_fix(ptx_parser *p, sw_opnd from, sw_type type, sw_reg fix)
{
    if (!fix)
        return;
    bool sign = sw_type_kind(type) == SW_KIND_SINT;
    sw_type to = ptx_class_type(ptx_reg_class(p, fix));
    sw_type by = ptx_class_type(sw_type_class(type));
    if (sign) {
        by = by == SW_T_U16 ? SW_T_S16 : by == SW_T_U32 ? SW_T_S32 : SW_T_S64;
        to = to == SW_T_U32 ? SW_T_S32 : to == SW_T_U64 ? SW_T_S64 : to;
    }
    sw_ins *ins = ptx_emit(p, SW_OP_CVT, to, 1, 1);
    ins->stype = (uint8_t)by;
    ins->opnd[0] = ptx_reg_opnd(fix);
    ins->opnd[1] = from;
}

/* ---- memory operands ---- */

void
ptx_address(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o, sw_opnd *out,
            int64_t *offset, uint8_t *space)
{
    const ptx_opnd *at = o;
    *out = ptx_imm_opnd(0);
    *offset = 0;
    if (o->kind == OPND_MEMORY && o->count == 1)
        at = &in->elems[o->first];
    if (at == o && !(o->kind == OPND_SYM && o->stride)) {
        bad_operand(p, o, "an address in brackets");
        return;
    }
    switch (at->kind) {
    case OPND_REG:
        if (ptx_reg_class(p, at->reg) != SW_CLASS_B32 &&
            ptx_reg_class(p, at->reg) != SW_CLASS_B64)
            bad_operand(p, at, "a 32 or 64 bit register as an address");
        *out = ptx_reg_opnd(at->reg);
        *offset = at->add;
        break;
    case OPND_INT:
        *out = ptx_imm_opnd(at->bits);
        break;
    case OPND_SYM: {
        uint8_t own = effective_space(p, at->sym);
        if (at->sym->fn)
            bad_operand(p, at, "a variable, not a function");
        if (*space == SW_SPACE_GENERIC || own == SW_SPACE_LOCAL)
            *space = own;
        *offset = at->add;
        *out = (sw_opnd){.kind = SW_OPND_SYM, .sym = at->sym};
        if (at->reg) { /* sym + reg, sym[reg] */
            ptx_opnd base = *at;
            base.add = 0;
            sw_class cls = ptx_reg_class(p, at->reg);
            bool is_64 = at->stride || cls == SW_CLASS_B64;
            if (!is_64 && cls != SW_CLASS_B32)
                bad_operand(p, at, "a 32 or 64 bit register as an address");
            *out = address_of(p, &base, is_64 ? SW_T_B64 : SW_T_B32);
        }
        break;
    }
    default:
        bad_operand(p, at, "a register, a variable or a number");
    }
}

sw_opnd
ptx_whole_address(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o,
                  uint8_t space)
{
    sw_opnd at;
    int64_t offset;
    ptx_address(p, in, o, &at, &offset, &space);
    if (offset && at.kind == SW_OPND_REG) {
        sw_type type =
            ptx_reg_class(p, at.reg) == SW_CLASS_B64 ? SW_T_U64 : SW_T_U32;
        sw_ins *add = ptx_emit(p, SW_OP_ADD, type, 1, 2);
        add->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, type, NULL));
        add->opnd[1] = at;
        add->opnd[2] =
            ptx_imm_opnd(ptx_number_bits(type, OPND_INT, (uint64_t)offset));
        return add->opnd[0];
    }
    at.imm += (uint64_t)offset;
    return at;
}

bool
ptx_take_hints(ptx_ins *in)
{
    for (uint32_t i = 0; i < in->mod_count; i++)
        if ((in->mods[i] >= M_HINT_L1 && in->mods[i] <= M_HINT_NORMAL) ||
            in->mods[i] == M_UNIFIED)
            in->used[i] = true;
    return ptx_take(in, M_CACHE_HINT);
}
