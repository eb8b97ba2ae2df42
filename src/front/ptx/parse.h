/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.h - the functions of the PTX front end, from the text up to the module.
 * The files are levels: each uses those above it in this list, and none of
 * those below (scripts/check_cycles.sh).
 *
 *     lex, modifiers                         text to tokens, words to numbers
 *     cursor                                 the current token; errors there
 *     scope, names, thread, expr, emit       what stands in a declaration or an
 *                                            operand; instructions of the IR
 *     lower, thread_moves, operand, blocks   from what is written to the IR
 *     lower_*, mnemonics                     each instruction its own way
 *     decl, init, directive, formals         declarations
 *     call, body, fn, module, parse          statements up to the module
 */
#ifndef SW_PTX_PARSE_H
#define SW_PTX_PARSE_H
#include "front/ptx/internal.h"

static inline uint64_t
ptx_align_up(uint64_t n, uint64_t align)
{
    return align ? (n + align - 1) / align * align : n;
}

/* ---- lex.c ---- */

void ptx_lex_init(ptx_lex *lex, const char *text, size_t bytes);
void ptx_lex_next(ptx_lex *lex, ptx_tok *tok);

/* ---- modifiers.c ---- */

extern const char *const ptx_mod_text[M_COUNT];

/* What a modifier means in each closed set of the IR; the set's number, or
 * -1. */
int ptx_mod_type(ptx_mod mod);
int ptx_mod_cmp(ptx_mod mod);
int ptx_mod_rnd(ptx_mod mod);
int ptx_mod_space(ptx_mod mod);
int ptx_mod_cache(ptx_mod mod);
int ptx_mod_order(ptx_mod mod);
int ptx_mod_scope(ptx_mod mod);
int ptx_mod_atom(ptx_mod mod);
int ptx_mod_geom(ptx_mod mod);
int ptx_mod_bool(ptx_mod mod);

/* ---- cursor.c ---- */

void ptx_next(ptx_parser *p);
bool ptx_is(const ptx_parser *p, int punct);
bool ptx_accept(ptx_parser *p, int punct);
/* False, with an error "expected ..., not ...", if another token stands
 * here. */
bool ptx_expect(ptx_parser *p, int punct);
bool ptx_is_dot(const ptx_parser *p, const char *word);
bool ptx_accept_dot(ptx_parser *p, const char *word);
bool ptx_expect_u32(ptx_parser *p, uint32_t *out);
void ptx_error(ptx_parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* at the current token */
void ptx_error_at(ptx_parser *p, uint32_t line, uint32_t column,
                  const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void ptx_expected(ptx_parser *p, const char *what);
void ptx_warn(ptx_parser *p, uint32_t line, uint32_t column, const char *fmt,
              ...) __attribute__((format(printf, 4, 5)));
/* Behind the next ';', or before the next brace or the end. */
void ptx_skip_statement(ptx_parser *p);
/* After an error in a statement that began at `start`: behind it. */
void ptx_recover(ptx_parser *p, const char *start);
void ptx_skip_braces(ptx_parser *p);

/* ---- scope.c ---- */

void ptx_scope_finish(ptx_scope *scope);
/* The scope names are declared in now. */
ptx_scope *ptx_scope_current(ptx_parser *p);
/* That of the function around the current one. */
ptx_scope *ptx_scope_function(const ptx_parser *p);
ptx_name *ptx_name_add(ptx_parser *p, ptx_scope *scope, sw_str text);
/* Makes room for the registers of a range in the function being read. */
void ptx_range_pages(ptx_parser *p, ptx_name *name);
sw_reg ptx_reg_new(ptx_parser *p, sw_type type, const char *name);
/* Place: of this mention. */
ptx_label *ptx_label_get(ptx_parser *p, sw_str text, uint32_t line,
                         uint32_t column);

/* ---- thread.c ---- */

/* A register of module scope, or several. */
void ptx_thread_add_reg(ptx_parser *p, ptx_name *name);
/* Room at the start of local memory; false after an error. */
bool ptx_thread_add_slot(ptx_parser *p, ptx_name *name, uint64_t bytes,
                         uint32_t align);
/* In a function: its own name for one of module scope, and that `reg` is
 * element `index` of one, if it is. */
ptx_name *ptx_thread_name(ptx_parser *p, const ptx_name *global, sw_str text);
void ptx_thread_note_reg(ptx_parser *p, const ptx_name *name, sw_reg reg,
                         uint32_t index);
/* Behind a body, and behind the module: places in kernels' frames. */
void ptx_thread_keep_frame(ptx_parser *p);
void ptx_thread_finish(ptx_parser *p);

/* ---- names.c ---- */

/* The name, and for an element of a range its register in *reg. */
const ptx_name *ptx_name_find(ptx_parser *p, sw_str text, sw_reg *reg);

/* ---- expr.c: constant expressions ---- */

typedef struct {
    uint8_t kind; /* OPND_INT, OPND_F32, OPND_F64, OPND_SYM */
    bool is_unsigned;
    uint64_t bits;
    sw_sym *sym; /* + bits */
    bool generic;
    uint64_t mask; /* 0xFF00(sym); 0: all */
} ptx_value;
bool ptx_parse_value(ptx_parser *p, ptx_value *out);
bool ptx_parse_int(ptx_parser *p, int64_t *out);
/* The bits of a number in `type`. */
uint64_t ptx_number_bits(sw_type type, int kind, uint64_t bits);

/* ---- emit.c: the builder ---- */

void ptx_block_start(ptx_parser *p, const char *label);
sw_ins *ptx_emit(ptx_parser *p, sw_op op, sw_type type, unsigned ndst,
                 unsigned nsrc);
/* Ends the block; its targets are added afterwards. */
void ptx_block_end(ptx_parser *p);
void ptx_target_label(ptx_parser *p, ptx_label *label);
void ptx_target_block(ptx_parser *p, uint32_t block);
/* Splits: the guard of the instruction decides whether what is emitted next
 * runs; the caller emits it, then begins the block behind it. */
bool ptx_split_begin(ptx_parser *p);

sw_opnd ptx_reg_opnd(sw_reg reg);
sw_opnd ptx_imm_opnd(uint64_t bits);
sw_type ptx_reg_type(const ptx_parser *p, sw_reg reg);
sw_class ptx_reg_class(const ptx_parser *p, sw_reg reg);
/* An unsigned (or untyped) type of a class. */
sw_type ptx_class_type(sw_class cls);
sw_type ptx_bits_type(unsigned bits);
/* CVT of a register into a new temporary. */
sw_reg ptx_convert(ptx_parser *p, sw_reg reg, sw_type to, sw_type from);

/* ---- lower.c: help for lowering ---- */

bool ptx_take(ptx_ins *in, ptx_mod mod);
/* First unused modifier of a set, or `none`. */
int ptx_take_of(ptx_ins *in, int (*set)(ptx_mod), int none);
sw_type ptx_take_type(ptx_ins *in);
bool ptx_left_over(const ptx_ins *in); /* modifiers nobody took */
/* The number of operands; else an error. */
bool ptx_need(ptx_parser *p, const ptx_ins *in, unsigned min, unsigned max);
const ptx_opnd *ptx_op(const ptx_ins *in, unsigned i); /* or NONE */
/* As a source of class `type`; emits conversions. */
sw_opnd ptx_source(ptx_parser *p, const ptx_opnd *o, sw_type type);
/* As ptx_source, but a wider register is truncated. */
sw_opnd ptx_source_wide(ptx_parser *p, const ptx_opnd *o, sw_type type);
sw_opnd ptx_source_pred(ptx_parser *p, const ptx_opnd *o);
sw_opnd ptx_dest(ptx_parser *p, const ptx_opnd *o, sw_type type);
/* A destination that may be wider than `type`: *fix, if not 0, is the real
 * destination that ptx_dest_fix extends into afterwards. */
sw_opnd ptx_dest_wide(ptx_parser *p, const ptx_opnd *o, sw_type type,
                      sw_reg *fix);
void ptx_dest_fix(ptx_parser *p, sw_opnd from, sw_type type, sw_reg fix);
bool ptx_type_in(sw_type type, unsigned set); /* SW_TS_ */
/* A trap that names the instruction, and a warning. */
void ptx_unsupported(ptx_parser *p, const ptx_ins *in);
/* Elements of a vector operand; a scalar counts as one. */
unsigned ptx_vector(const ptx_ins *in, const ptx_opnd *o,
                    const ptx_opnd **elems);
/* The address in a memory operand into source 0 of ins, and its offset. */
void ptx_address(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o,
                 sw_opnd *out, int64_t *offset, uint8_t *space);
/* The same with the offset in it: an instruction has one, the first's. */
sw_opnd ptx_whole_address(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o,
                          uint8_t space);
/* Advice that changes no result. True if a cache-policy operand follows. */
bool ptx_take_hints(ptx_ins *in);

/* ---- thread_moves.c ---- */

/* A variable as an operand; .local ones of module scope have no symbol in
 * functions. False after an error. */
bool ptx_thread_sym(ptx_parser *p, sw_sym *sym, ptx_opnd *out);
/* For the body that is complete: loads and stores of such registers. */
void ptx_thread_move_regs(ptx_parser *p);

/* ---- operand.c ---- */

bool ptx_parse_operand(ptx_parser *p, ptx_ins *in, ptx_opnd *out);
bool ptx_parse_operands(ptx_parser *p, ptx_ins *in);

/* ---- blocks.c ---- */

/* Behind a body: its text becomes blocks of the function. */
void ptx_build_finish(ptx_parser *p);

/* ---- lower_*.c and mnemonics.c ---- */

#define LOWER(name) ptx_lower_fn ptx_lower_##name;
#define PTX(text, lower, op, allowed)
#include "front/ptx/mnemonics.def"
#undef PTX
#undef LOWER

/* lower_tensor.c, for cp: from behind .tensor on. */
void ptx_lower_tensor_copy(ptx_parser *p, ptx_ins *in, bool reduces);

extern const ptx_row ptx_rows[];
extern const size_t ptx_row_count;

/* ---- init.c ---- */

/* From behind '='; sym->bytes 0 takes the size of the data. */
void ptx_parse_init(ptx_parser *p, sw_sym *sym, const uint64_t *dims,
                    uint32_t dim_count);

/* ---- decl.c ---- */

bool ptx_parse_space(ptx_parser *p, sw_space *space);
/* A variable of `space` from the token behind the state space; in a body or
 * at module scope. */
void ptx_parse_variable(ptx_parser *p, sw_space space, sw_linkage linkage);
void ptx_parse_regs(ptx_parser *p);
/* A slot of the body's frame for sym; sets its address. */
void ptx_frame_add(ptx_parser *p, sw_sym *sym);

/* ---- directive.c ---- */

/* One of the directives that a module and a body may have, after its dot; false
 * if it is none of them, and nothing is taken. */
bool ptx_parse_advice(ptx_parser *p);
/* Behind the directive's name. */
void ptx_parse_pragma(ptx_parser *p);
/* The names of functions in place of the labels .loc gave. */
void ptx_name_places(ptx_parser *p);

/* ---- formals.c ---- */

/* Around all that is read of a function. */
void ptx_fn_begin(ptx_parser *p, ptx_body *body, sw_fn *fn);
void ptx_fn_finish(ptx_parser *p);
/* From '(' on; named: a body may use them. False after an error. */
bool ptx_parse_formals(ptx_parser *p, sw_opnd **out, uint32_t *count,
                       bool named);
bool ptx_parse_performance(ptx_parser *p, sw_fn *fn);
sw_fn *ptx_parse_prototype(ptx_parser *p);

/* ---- call.c ---- */

/* From behind the modifiers of a call */
void ptx_parse_call(ptx_parser *p, ptx_ins *in);

/* ---- body.c ---- */

void ptx_parse_body(ptx_parser *p, sw_fn *fn);

/* ---- fn.c ---- */

/* fn.c */
void ptx_parse_function(ptx_parser *p, bool is_entry, sw_linkage linkage);

/* ---- module.c ---- */

/* decl.c */
bool ptx_parse_module(ptx_parser *p);

#endif
