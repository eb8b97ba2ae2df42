/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - prints a module; see ir.h, and docs/ir.md for the form. parse.c
 * reads it back.
 */
#include <inttypes.h>
#include <string.h>

#include "ir/print.h"
#include "ir/text.h"

static void
put_quoted(sw_buf *out, const char *s)
{
    sw_buf_puts(out, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\' || c < ' ' || c > '~')
            sw_buf_printf(out, "\\x%02x", c);
        else
            sw_buf_add(out, s, 1);
    }
    sw_buf_puts(out, "\"");
}

static void
put_name(sw_buf *out, const char *s)
{
    if (sw_is_plain_name(s))
        sw_buf_puts(out, s);
    else
        put_quoted(out, s);
}

static void
put_number(sw_buf *out, uint64_t v)
{
    if (v < 65536)
        sw_buf_printf(out, "%" PRIu64, v);
    else
        sw_buf_printf(out, "0x%" PRIx64, v);
}

static void
put_value(sw_buf *out, sw_set set, uint64_t value)
{
    const char *text = sw_set_text(set, value);
    if (text)
        sw_buf_puts(out, text);
    else
        put_number(out, value);
}

static void
put_fields(sw_buf *out, const sw_field *fields, const void *object)
{
    for (const sw_field *f = fields; f->name; f++) {
        uint64_t value = sw_field_get(f, object);
        if (!value)
            continue;
        sw_buf_printf(out, " %s=", f->name);
        put_value(out, f->set, value);
    }
}

static void
put_reg(sw_buf *out, const sw_fn *fn, sw_reg reg)
{
    const char *name = reg < fn->reg_count ? fn->regs[reg].name : NULL;
    if (name && sw_is_plain_name(name))
        sw_buf_puts(out, name);
    sw_buf_printf(out, "#%u", reg);
}

static void
put_sym(sw_buf *out, const sw_locals *locals, const sw_sym *sym)
{
    sw_buf_puts(out, "&");
    put_name(out, sym->name ? sym->name : "");
    if (!sym->owner)
        return;
    uint32_t i = locals ? sw_locals_find(locals, sym) : UINT32_MAX;
    if (i == UINT32_MAX)
        sw_buf_puts(out, "@?");
    else
        sw_buf_printf(out, "@%u", i);
}

static void
put_operand(sw_buf *out, const sw_fn *fn, const sw_locals *locals,
            const sw_opnd *o)
{
    if (o->negated)
        sw_buf_puts(out, "!");
    switch (o->kind) {
    case SW_OPND_REG:
        put_reg(out, fn, o->reg);
        break;
    case SW_OPND_IMM:
        put_number(out, o->imm);
        break;
    case SW_OPND_SYM:
        if (!o->sym) {
            sw_buf_puts(out, "&\"\"");
            break;
        }
        put_sym(out, locals, o->sym);
        if (o->imm) {
            sw_buf_puts(out, "+");
            put_number(out, o->imm);
        }
        break;
    default:
        sw_buf_puts(out, "_");
        break;
    }
}

static void
put_operands(sw_buf *out, const sw_fn *fn, const sw_locals *locals,
             const sw_opnd *o, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sw_buf_puts(out, i ? ", " : " ");
        put_operand(out, fn, locals, &o[i]);
    }
}

static void
put_list(sw_buf *out, const sw_fn *fn, const sw_locals *locals,
         const sw_opnd *o, uint32_t count)
{
    sw_buf_puts(out, " (");
    for (uint32_t i = 0; i < count; i++) {
        sw_buf_puts(out, i ? ", " : "");
        put_operand(out, fn, locals, &o[i]);
    }
    sw_buf_puts(out, ")");
}

/* Fields whose zero says something worth reading. */
static bool
shows_zero(const sw_ins *ins, const sw_field *f)
{
    if (f->offset == offsetof(sw_ins, cmp))
        return ins->op == SW_OP_SETP || ins->op == SW_OP_SET;
    return f->offset == offsetof(sw_ins, sub) &&
           sw_sub_set((sw_op)ins->op) != SW_SET_NUMBER;
}

static void
put_attributes(sw_buf *out, const sw_ins *ins)
{
    const char *separator = " [";
    for (const sw_flag_name *f = sw_flag_names; f->name; f++)
        if (ins->flags & f->bit) {
            sw_buf_printf(out, "%s%s", separator, f->name);
            separator = " ";
        }
    for (const sw_field *f = sw_fields_ins; f->name; f++) {
        uint64_t value = sw_field_get(f, ins);
        if (!value && !shows_zero(ins, f))
            continue;
        sw_buf_printf(out, "%s%s=", separator, f->name);
        separator = " ";
        sw_set set = f->offset == offsetof(sw_ins, sub)
                         ? sw_sub_set((sw_op)ins->op)
                         : f->set;
        if (f->offset == offsetof(sw_ins, offset))
            sw_buf_printf(out, "%" PRId64, ins->offset);
        else
            put_value(out, set, value);
    }
    if (separator[1] == '\0')
        sw_buf_puts(out, "]");
}

static void
put_aux(sw_buf *out, const sw_fn *fn, const sw_locals *locals,
        const sw_ins *ins)
{
    if (!ins->aux)
        return;
    if (ins->op == SW_OP_CALL) {
        const sw_call *call = ins->aux;
        if (call->callee) {
            sw_buf_puts(out, " calls ");
            put_sym(out, locals, call->callee);
        } else if (call->prototype) {
            sw_buf_printf(out, " calls prototype %u",
                          sw_locals_find(locals, call->prototype));
        } else {
            sw_buf_puts(out, " calls unknown");
        }
        put_list(out, fn, locals, call->args, call->arg_count);
        put_list(out, fn, locals, call->rets, call->ret_count);
    } else if (ins->op == SW_OP_TRAP) {
        sw_buf_puts(out, " names ");
        put_quoted(out, ins->aux);
    } else if (ins->op >= SW_OP_VADD && ins->op <= SW_OP_VSET4) {
        sw_buf_puts(out, " video {");
        put_fields(out, sw_fields_video, ins->aux);
        sw_buf_puts(out, " }");
    } else {
        sw_buf_puts(out, " matrix {");
        put_fields(out, sw_fields_matrix, ins->aux);
        sw_buf_puts(out, " }");
    }
}

static void
put_ins(sw_buf *out, const sw_fn *fn, const sw_locals *locals,
        const sw_ins *ins)
{
    if (ins->guard) {
        sw_buf_puts(out, ins->guard_neg ? "@!" : "@");
        put_reg(out, fn, ins->guard);
        sw_buf_puts(out, " ");
    }
    if (ins->op >= SW_OP_COUNT) {
        sw_buf_printf(out, "op%u", ins->op);
        return;
    }
    sw_buf_puts(out, sw_op_get_info((sw_op)ins->op)->text);
    if (ins->type || ins->stype) {
        const char *type = sw_set_text(SW_SET_TYPE, ins->type);
        const char *stype = sw_set_text(SW_SET_TYPE, ins->stype);
        sw_buf_printf(out, " %s", type ? type : "none");
        if (stype)
            sw_buf_printf(out, ":%s", stype);
    }
    if (ins->opnd) {
        put_operands(out, fn, locals, ins->opnd, ins->ndst);
        if (ins->ndst)
            sw_buf_puts(out, " =");
        put_operands(out, fn, locals, ins->opnd + ins->ndst, ins->nsrc);
    }
    put_attributes(out, ins);
    put_aux(out, fn, locals, ins);
}

static bool
needs_locals(const sw_ins *ins)
{
    for (unsigned i = 0; ins->opnd && i < (unsigned)ins->ndst + ins->nsrc; i++)
        if (ins->opnd[i].kind == SW_OPND_SYM)
            return true;
    return ins->op == SW_OP_CALL;
}

void
sw_ir_print_ins(const sw_fn *fn, const sw_ins *ins, sw_buf *out)
{
    if (!needs_locals(ins)) {
        put_ins(out, fn, NULL, ins);
        return;
    }
    sw_locals locals;
    sw_locals_init(&locals, fn);
    put_ins(out, fn, &locals, ins);
    sw_locals_finish(&locals);
}

static void
put_sym_line(sw_buf *out, const sw_sym *sym)
{
    sw_sym shown = *sym;
    if (shown.space != SW_SPACE_LOCAL && shown.space != SW_SPACE_PARAM)
        shown.address = 0;
    sw_buf_puts(out, "symbol ");
    put_quoted(out, sym->name);
    put_fields(out, sw_fields_sym, &shown);
    if (sym->init_bytes) {
        sw_buf_puts(out, " init ");
        for (uint64_t i = 0; i < sym->init_bytes; i++)
            sw_buf_printf(out, "%02x", sym->init[i]);
    }
    sw_buf_puts(out, "\n");
}

static void
put_relocs(sw_buf *out, const sw_locals *locals, const sw_sym *sym)
{
    for (uint32_t i = 0; i < sym->reloc_count; i++) {
        const sw_reloc *r = &sym->relocs[i];
        sw_buf_printf(out, "reloc %" PRIu64 " ", r->offset);
        put_sym(out, locals, r->sym);
        sw_buf_printf(out, " addend=%" PRId64 " bytes=%u", r->addend, r->bytes);
        if (r->shift)
            sw_buf_printf(out, " shift=%u", r->shift);
        if (r->generic)
            sw_buf_puts(out, " generic=1");
        sw_buf_puts(out, "\n");
    }
}

/* Registers, symbols and formals of a function or prototype. */
static void
put_interface(sw_buf *out, const sw_fn *fn, const sw_locals *locals)
{
    for (uint32_t r = 1; r < fn->reg_count; r++) {
        const sw_reg_info *info = &fn->regs[r];
        sw_buf_printf(out, "reg %u ", r);
        put_value(out, SW_SET_TYPE, info->type);
        if (info->cls != sw_type_class(info->type))
            sw_buf_printf(out, " class=%u", info->cls);
        if (info->name) {
            sw_buf_puts(out, " ");
            put_quoted(out, info->name);
        }
        sw_buf_puts(out, "\n");
    }
    for (size_t i = 0; i < locals->syms.count; i++) {
        const sw_sym *sym = *(const sw_sym **)sw_vec_at(&locals->syms, i);
        put_sym_line(out, sym);
        put_relocs(out, locals, sym);
    }
    if (fn->param_count) {
        sw_buf_puts(out, "params");
        put_operands(out, fn, locals, fn->params, fn->param_count);
        sw_buf_puts(out, "\n");
    }
    if (fn->ret_count) {
        sw_buf_puts(out, "rets");
        put_operands(out, fn, locals, fn->rets, fn->ret_count);
        sw_buf_puts(out, "\n");
    }
    if (fn->shared_count) {
        sw_buf_puts(out, "shared");
        for (uint32_t i = 0; i < fn->shared_count; i++) {
            sw_buf_puts(out, i ? ", " : " ");
            put_sym(out, locals, fn->shared[i]);
        }
        sw_buf_puts(out, "\n");
    }
}

static void
put_block(sw_buf *out, const sw_fn *fn, const sw_locals *locals,
          const sw_block *block)
{
    sw_buf_printf(out, "block %u", block->index);
    if (block->label) {
        sw_buf_puts(out, " ");
        put_quoted(out, block->label);
    }
    sw_buf_puts(out, ":\n");
    for (uint32_t i = 0; i < block->count; i++) {
        sw_buf_puts(out, "    ");
        put_ins(out, fn, locals, block->ins[i]);
        if (i + 1 == block->count && block->target_count) {
            sw_buf_puts(out, " ->");
            for (uint32_t t = 0; t < block->target_count; t++)
                sw_buf_printf(out, " %u", block->targets[t]);
        }
        sw_buf_puts(out, "\n");
    }
}

static void
put_fn(sw_buf *out, const char *keyword, const sw_fn *fn)
{
    sw_locals locals;
    sw_locals_init(&locals, fn);
    sw_buf_printf(out, "%s ", keyword);
    put_quoted(out, fn->name ? fn->name : "");
    put_fields(out, sw_fields_fn, fn);
    sw_buf_puts(out, "\n");
    put_interface(out, fn, &locals);
    for (size_t i = 0; i < locals.protos.count; i++)
        put_fn(out, "prototype", *(const sw_fn **)sw_vec_at(&locals.protos, i));
    for (uint32_t b = 0; b < fn->block_count; b++)
        put_block(out, fn, &locals, fn->blocks[b]);
    sw_buf_puts(out, "end\n");
    sw_locals_finish(&locals);
}

void
sw_ir_print_fn(const sw_fn *fn, sw_buf *out)
{
    put_fn(out, fn->block_count ? "function" : "declare", fn);
}

void
sw_ir_print(const sw_module *module, sw_buf *out)
{
    sw_buf_puts(out, "module ");
    put_quoted(out, module->name);
    put_fields(out, sw_fields_module, module);
    sw_buf_puts(out, "\n");
    for (uint32_t i = 1; i < module->file_count; i++) {
        sw_buf_printf(out, "file %u", i);
        if (module->files[i]) {
            sw_buf_puts(out, " ");
            put_quoted(out, module->files[i]);
        }
        sw_buf_puts(out, "\n");
    }
    for (uint32_t i = 1; i < module->loc_count; i++) {
        sw_buf_printf(out, "loc %u", i);
        put_fields(out, sw_fields_loc, &module->locs[i]);
        if (module->locs[i].function) {
            sw_buf_puts(out, " ");
            put_quoted(out, module->locs[i].function);
        }
        sw_buf_puts(out, "\n");
    }
    for (uint32_t i = 0; i < module->sym_count; i++)
        put_sym_line(out, module->syms[i]);
    for (uint32_t i = 0; i < module->sym_count; i++) {
        if (!module->syms[i]->reloc_count)
            continue;
        sw_buf_puts(out, "relocs of ");
        put_sym(out, NULL, module->syms[i]);
        sw_buf_puts(out, "\n");
        put_relocs(out, NULL, module->syms[i]);
    }
    for (uint32_t i = 0; i < module->sym_count; i++)
        if (module->syms[i]->fn && !module->syms[i]->fn->block_count)
            put_fn(out, "declare", module->syms[i]->fn);
    for (uint32_t i = 0; i < module->fn_count; i++)
        put_fn(out, "function", module->fns[i]);
}
