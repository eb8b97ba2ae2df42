/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the PTX front end share: tokens, the parser's
 * state, instructions as written, and the builder of function bodies.
 *
 * One ptx_parser lives on the stack of sw_ptx_parse. What the module keeps is
 * in the module's arena; what a function's body needs while it is read is in
 * the function's scratch arena; declarations' names in the parser's own.
 */
#ifndef SW_PTX_INTERNAL_H
#define SW_PTX_INTERNAL_H
#include "base/base.h"
#include "ir/ir.h"

/* ---- tables ---- */

#define MOD(name, text) M_##name,
typedef enum {
    M_UNKNOWN,
#include "front/ptx/modifiers.def"
    M_COUNT
} ptx_mod;
#undef MOD

/* ---- tokens ---- */

typedef enum {
    TOK_END,
    TOK_IDENT,  /* foo, %r1, $L1, _ */
    TOK_DOT,    /* .word; s is without the dot */
    TOK_INT,    /* bits */
    TOK_FLOAT,  /* bits of a double */
    TOK_F32,    /* 0f...: bits of a float */
    TOK_STRING, /* s is what stands between the quotes */
    TOK_PUNCT,  /* punct: the character, or one of those below */
    TOK_BAD
} ptx_tok_kind;

enum { /* operators of two characters */
       PUNCT_SHL = 128,
       PUNCT_SHR,
       PUNCT_LE,
       PUNCT_GE,
       PUNCT_EQ,
       PUNCT_NE,
       PUNCT_ANDAND,
       PUNCT_OROR
};

typedef struct {
    uint8_t kind, punct;
    bool is_unsigned;
    bool after_space; /* a blank or a comment stands before it */
    sw_str s;
    uint32_t line, column;
    uint64_t bits;
} ptx_tok;

typedef struct {
    const char *p, *end, *line_start;
    uint32_t line;
} ptx_lex;

void ptx_lex_init(ptx_lex *lex, const char *text, size_t bytes);
void ptx_lex_next(ptx_lex *lex, ptx_tok *tok);

/* ---- names ---- */

typedef struct ptx_label ptx_label;

typedef enum { NAME_REG, NAME_VECTOR, NAME_RANGE, NAME_SYM } ptx_name_kind;

enum {
    RANGE_PAGE = 256,
    MAX_RANGE = 1 << 20,
    MAX_FN_REGS = 1 << 22,
    MAX_SCOPES = 128,
    MAX_MODS = 24,
    MAX_OPNDS = 12,
    MAX_ELEMS = 512,
    MAX_ERRORS = 20,
    MAX_GAPS = 1 << 26,
    MAX_ARRAY_BYTES_LOG2 = 32
};

/* What an identifier stands for. */
typedef struct {
    uint8_t kind;
    uint8_t count; /* of a vector's elements */
    sw_type type;
    sw_reg regs[4];     /* REG: the first */
    uint32_t range;     /* number of registers of a range */
    sw_reg **pages;     /* of a range; filled as they are used */
    const char *prefix; /* of a range's names */
    sw_sym *sym;
    bool has_slot; /* module scope: each thread has one in local memory, */
    uint32_t slot; /* ... here; of a range the first */
} ptx_name;

typedef struct ptx_scope {
    struct ptx_scope *up;
    sw_map *names;  /* ptx_name; NULL while empty */
    sw_map *labels; /* ptx_label; NULL while empty */
    uint32_t frame_top;
} ptx_scope;

struct ptx_label {
    const char *name;
    ptx_label *same; /* what it turned out to be */
    bool defined;
    uint32_t block;
    uint32_t line, column; /* of the first mention */
    /* .branchtargets, .calltargets, .callprototype */
    ptx_label **targets;
    uint32_t target_count;
    uint32_t *blocks; /* the targets, once they are known */
    sw_fn *prototype;
};

/* ---- instructions as written ---- */

typedef enum {
    OPND_NONE, /* _ */
    OPND_REG,
    OPND_INT,
    OPND_F32,
    OPND_F64,
    OPND_SYM,
    OPND_SREG,
    OPND_NAME, /* not declared: a label perhaps */
    OPND_VECTOR,
    OPND_MEMORY
} ptx_opnd_kind;

typedef struct {
    uint8_t kind;
    bool not_;    /* !p */
    bool minus;   /* -r */
    uint8_t sreg; /* sw_sreg */
    sw_reg reg;
    uint64_t bits; /* the number; index of an sreg */
    sw_sym *sym;
    int64_t add;           /* reg + add, sym + add */
    uint32_t stride;       /* sym[...]: bytes of an element, else 0 */
    sw_str name;           /* as written */
    sw_str select;         /* r.b0, r.h10: without the dot */
    uint16_t first, count; /* VECTOR, MEMORY: elements in ptx_ins.elems */
    uint32_t line, column;
} ptx_opnd;

typedef struct {
    sw_str text; /* the opcode with all its modifiers */
    uint32_t line, column;
    uint16_t mods[MAX_MODS];
    bool used[MAX_MODS];
    uint32_t mod_count;
    bool unknown_mod;
    bool unknown_opnd; /* a special register that is not supported */
    bool pair;         /* the first operand is d|p, the p is in `second` */
    ptx_opnd second;
    ptx_opnd opnds[MAX_OPNDS];
    uint32_t opnd_count;
    ptx_opnd elems[MAX_ELEMS];
    uint32_t elem_count;
    const struct ptx_row *row;
} ptx_ins;

typedef struct ptx_parser ptx_parser;

typedef void ptx_lower_fn(ptx_parser *p, ptx_ins *in);

typedef struct ptx_row {
    const char *text;
    ptx_lower_fn *lower;
    uint16_t op;      /* the sw_op it mostly becomes */
    uint16_t allowed; /* ALLOW_ */
} ptx_row;

enum { /* modifiers that the common lowering takes */
       ALLOW_NOTHING = 0,
       ALLOW_RND = 1 << 0,
       ALLOW_FTZ = 1 << 1,
       ALLOW_SAT = 1 << 2,
       ALLOW_APPROX = 1 << 3,
       ALLOW_FULL = 1 << 4,
       ALLOW_NAN = 1 << 5, /* and .xorsign.abs */
       ALLOW_RELU = 1 << 6,
       ALLOW_OOB = 1 << 7,
       ALLOW_MIXED = 1 << 8,   /* .f32.f16: the sources are narrower */
       ALLOW_DEFAULT = 1 << 9, /* PTX before 1.4: .approx (f32), .rn (f64) */
       ALLOW_ARITH = ALLOW_RND | ALLOW_FTZ | ALLOW_SAT
};

extern const ptx_row ptx_rows[];
extern const size_t ptx_row_count;
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

/* ---- the parser ---- */

typedef struct {
    uint32_t first; /* in ptx_body.ins */
    const char *label;
    uint32_t target_first, target_count; /* in ptx_body.targets */
    bool falls; /* it ends only because a label comes */
} ptx_block;

typedef struct {
    ptx_label *label; /* or NULL: */
    uint32_t block;
} ptx_target;

/* A function's register that stands for one of module scope. */
typedef struct {
    sw_reg reg;
    uint32_t slot; /* at the start of local memory */
} ptx_shadow;

typedef struct {
    sw_fn *fn;
    sw_arena *scratch;
    ptx_scope *scope;
    uint32_t depth;
    uint32_t declared_regs;
    sw_vec regs;    /* sw_reg_info */
    sw_vec ins;     /* sw_ins * */
    sw_vec blocks;  /* ptx_block */
    sw_vec targets; /* ptx_target */
    sw_vec shared;  /* sw_sym * */
    bool open;      /* the last block takes more instructions */
    uint32_t frame_top, frame_max;
    sw_vec slots;     /* sw_sym *: what lies in the frame */
    sw_vec shadows;   /* ptx_shadow */
    bool uses_thread; /* it needs what is at the start of local memory */
    sw_reg cc;        /* carry flag, 0 until used */
    sw_reg guard;
    bool guard_neg;
} ptx_body;

struct ptx_parser {
    ptx_lex lex;
    ptx_tok tok; /* the current one */
    sw_module *module;
    sw_arena *arena; /* the module's */
    sw_diag *diag;
    const char *name;
    uint32_t errors;
    bool ended;      /* the token before this one was a ';' */
    bool panic;      /* an error since the last statement: say no more */
    uint32_t nest;   /* of expressions */
    uint64_t gaps;   /* zero bytes inside of initial data, of all variables */
    sw_map *rows;    /* opcode -> ptx_row */
    sw_map *mods;    /* text -> ptx_mod */
    sw_map *sregs;   /* text -> sw_sreg + 1 */
    sw_map *places;  /* file, line, column -> loc */
    sw_map *strings; /* labels in .debug_str -> char * */
    ptx_scope globals;
    sw_arena *names_arena;
    uint32_t thread_bytes; /* of what each thread has at module scope */
    sw_vec thread_fns;     /* sw_fn *: kernels that have it in their frames */
    sw_vec thread_slots;   /* sw_sym *: what lies behind it there */
    sw_vec fns;            /* sw_fn * with a body */
    sw_vec files;          /* const char * */
    sw_vec locs;           /* sw_loc */
    uint32_t loc;          /* current */
    ptx_body body;
    ptx_ins ins;
};

/* parse.c: tokens and errors */
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

/* expr.c: constant expressions */
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

/* names.c */
void ptx_scope_finish(ptx_scope *scope);
/* The scope names are declared in now. */
ptx_scope *ptx_scope_current(ptx_parser *p);
ptx_name *ptx_name_add(ptx_parser *p, ptx_scope *scope, sw_str text);
/* The name, and for an element of a range its register in *reg. */
const ptx_name *ptx_name_find(ptx_parser *p, sw_str text, sw_reg *reg);
/* Makes room for the registers of a range in the function being read. */
void ptx_range_pages(ptx_parser *p, ptx_name *name);
sw_reg ptx_reg_new(ptx_parser *p, sw_type type, const char *name);
/* Place: of this mention. */
ptx_label *ptx_label_get(ptx_parser *p, sw_str text, uint32_t line,
                         uint32_t column);

/* thread.c */
/* A register of module scope, or several. */
void ptx_thread_add_reg(ptx_parser *p, ptx_name *name);
/* In a function: its own name for one of module scope, and that `reg` is
 * element `index` of one, if it is. */
ptx_name *ptx_thread_name(ptx_parser *p, const ptx_name *global, sw_str text);
void ptx_thread_note_reg(ptx_parser *p, const ptx_name *name, sw_reg reg,
                         uint32_t index);
/* A variable as an operand; .local ones of module scope have no symbol in
 * functions. False after an error. */
bool ptx_thread_sym(ptx_parser *p, sw_sym *sym, ptx_opnd *out);
/* For the body that is complete: loads and stores of such registers. */
void ptx_thread_move_regs(ptx_parser *p);
/* Behind a body, and behind the module: places in kernels' frames. */
void ptx_thread_keep_frame(ptx_parser *p);
void ptx_thread_finish(ptx_parser *p);

/* decl.c */
bool ptx_parse_module(ptx_parser *p);
/* A variable of `space` from the token behind the state space; in a body or
 * at module scope. */
void ptx_parse_variable(ptx_parser *p, sw_space space, sw_linkage linkage);
bool ptx_parse_space(ptx_parser *p, sw_space *space);
void ptx_parse_regs(ptx_parser *p);
void ptx_parse_loc(ptx_parser *p);
void ptx_parse_file(ptx_parser *p);
void ptx_parse_pragma(ptx_parser *p);
void ptx_parse_section(ptx_parser *p);
/* The names of functions in place of the labels .loc gave. */
void ptx_name_places(ptx_parser *p);
uint64_t ptx_align_up(uint64_t n, uint64_t align);
/* A slot of the body's frame for sym; sets its address. */
void ptx_frame_add(ptx_parser *p, sw_sym *sym);

/* fn.c */
void ptx_parse_function(ptx_parser *p, bool is_entry, sw_linkage linkage);
sw_fn *ptx_parse_prototype(ptx_parser *p);

/* init.c: from behind '='; sym->bytes 0 takes the size of the data. */
void ptx_parse_init(ptx_parser *p, sw_sym *sym, const uint64_t *dims,
                    uint32_t dim_count);

/* body.c */
void ptx_parse_body(ptx_parser *p, sw_fn *fn);

/* call.c: from behind the modifiers of a call */
void ptx_parse_call(ptx_parser *p, ptx_ins *in);

/* operand.c */
bool ptx_parse_operand(ptx_parser *p, ptx_ins *in, ptx_opnd *out);
bool ptx_parse_operands(ptx_parser *p, ptx_ins *in);

/* ---- the builder (emit.c) ---- */

void ptx_block_start(ptx_parser *p, const char *label);
/* Ends the block; targets are added by ptx_target_add afterwards. */
sw_ins *ptx_emit(ptx_parser *p, sw_op op, sw_type type, unsigned ndst,
                 unsigned nsrc);
void ptx_block_end(ptx_parser *p);
void ptx_target_label(ptx_parser *p, ptx_label *label);
void ptx_target_block(ptx_parser *p, uint32_t block);
/* Splits: the guard of the instruction decides whether what is emitted next
 * runs; the caller emits it, then calls ptx_split_end. */
bool ptx_split_begin(ptx_parser *p);
void ptx_build_finish(ptx_parser *p);

sw_opnd ptx_reg_opnd(sw_reg reg);
sw_opnd ptx_imm_opnd(uint64_t bits);
sw_type ptx_reg_type(const ptx_parser *p, sw_reg reg);
sw_class ptx_reg_class(const ptx_parser *p, sw_reg reg);
/* An unsigned (or untyped) type of a class. */
sw_type ptx_class_type(sw_class cls);
sw_type ptx_bits_type(unsigned bits);
/* CVT of a register into a new temporary. */
sw_reg ptx_convert(ptx_parser *p, sw_reg reg, sw_type to, sw_type from);

/* ---- help for lowering (lower.c) ---- */

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
void ptx_finish_ins(ptx_parser *p, sw_ins *ins);

#define LOWER(name) ptx_lower_fn ptx_lower_##name;
#define PTX(text, lower, op, allowed)
#include "front/ptx/mnemonics.def"
#undef PTX
#undef LOWER

#endif
