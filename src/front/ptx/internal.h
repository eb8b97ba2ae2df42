/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the PTX front end share: tokens, names,
 * instructions as written, and the state of the parser. parse.h has functions.
 *
 * One ptx_parser lives on the stack of sw_ptx_parse. What the module keeps is
 * in the module's arena; what a function's body needs while it is read is in
 * the function's scratch arena; declarations' names in the parser's own.
 */
#ifndef SW_PTX_INTERNAL_H
#define SW_PTX_INTERNAL_H
#include "base/base.h"
#include "ir/ir.h"

/* ---- modifiers ---- */

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

#endif
