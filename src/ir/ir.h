/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ir.h - the intermediate representation: modules of symbols and functions,
 * functions of basic blocks, blocks of instructions on virtual registers.
 *
 * The IR keeps PTX's own model: registers may be written many times (passes
 * that want single assignment compute it), an instruction works on every lane
 * of a warp that is active and whose guard holds. What PTX leaves implicit is
 * explicit here: the carry flag is a predicate register, widths agree (the
 * front end inserts cvt where PTX lets them differ), every block ends in one
 * terminator, parameters and locals are slots of a frame.
 *
 * A module lives in one arena and is freed whole; nodes are never freed one
 * by one. After it is built and linked it is read-only and may be read by any
 * thread, except sw_sym.address, which the runtime sets once before the first
 * launch. Does NOT know how anything is executed.
 */
#ifndef SW_IR_H
#define SW_IR_H
#include "base/base.h"

/* ---- closed sets; see enums.def ---- */

typedef enum {
    SW_CLASS_NONE,
    SW_CLASS_PRED, /* one bit a lane */
    SW_CLASS_B16,
    SW_CLASS_B32,
    SW_CLASS_B64,
    SW_CLASS_B128,
    SW_CLASS_COUNT
} sw_class;

typedef enum {
    SW_KIND_NONE,
    SW_KIND_PRED,
    SW_KIND_BITS,
    SW_KIND_UINT,
    SW_KIND_SINT,
    SW_KIND_FLOAT,
    SW_KIND_PACKED,
    SW_KIND_OPAQUE
} sw_kind;

#define TYPE(name, text, bits, cls, kind) SW_T_##name,
typedef enum {
#include "ir/enums.def"
    SW_T_COUNT
} sw_type;
#define SPACE(name, text) SW_SPACE_##name,
typedef enum {
#include "ir/enums.def"
    SW_SPACE_COUNT
} sw_space;
#define CMP(name, text) SW_CMP_##name,
typedef enum {
#include "ir/enums.def"
    SW_CMP_COUNT
} sw_cmp;
#define RND(name, text) SW_RND_##name,
typedef enum {
#include "ir/enums.def"
    SW_RND_COUNT
} sw_rnd;
#define CACHE(name, text) SW_CACHE_##name,
typedef enum {
#include "ir/enums.def"
    SW_CACHE_COUNT
} sw_cache;
#define ORDER(name, text) SW_ORDER_##name,
typedef enum {
#include "ir/enums.def"
    SW_ORDER_COUNT
} sw_order;
#define SCOPE(name, text) SW_SCOPE_##name,
typedef enum {
#include "ir/enums.def"
    SW_SCOPE_COUNT
} sw_scope;
#define ATOM(name, text) SW_ATOM_##name,
typedef enum {
#include "ir/enums.def"
    SW_ATOM_COUNT
} sw_atom;
#define GEOM(name, text, coords, layered) SW_GEOM_##name,
typedef enum {
#include "ir/enums.def"
    SW_GEOM_COUNT
} sw_geom;
#define SREG(name, text, type) SW_SREG_##name,
typedef enum {
#include "ir/enums.def"
    SW_SREG_COUNT
} sw_sreg;
#define OP(name, text, srcs, types, effects, unit, since, meaning) SW_OP_##name,
typedef enum {
#include "ir/ops.def"
    SW_OP_COUNT
} sw_op;
#undef OP

/* Values of sw_ins.sub, by op; 0 is the plain form. */
typedef enum { SW_BOOL_NONE, SW_BOOL_AND, SW_BOOL_OR, SW_BOOL_XOR } sw_bool;
enum { SW_SHFL_UP, SW_SHFL_DOWN, SW_SHFL_BFLY, SW_SHFL_IDX };
enum { SW_VOTE_ALL, SW_VOTE_ANY, SW_VOTE_UNI, SW_VOTE_BALLOT };
enum {
    SW_BAR_SYNC, /* sources: barrier[, threads] */
    SW_BAR_ARRIVE,
    SW_BAR_RED_POPC, /* ..., predicate as the last source */
    SW_BAR_RED_AND,
    SW_BAR_RED_OR
};
/* Of BAR with imm=1: the first barrier of a warpgroup, behind those that PTX
 * names. */
enum { SW_BAR_FIRST_GROUP = 16 };
enum { SW_BAR_CLUSTER_ARRIVE, SW_BAR_CLUSTER_WAIT };
enum {
    SW_PRMT_NONE,
    SW_PRMT_F4E,
    SW_PRMT_B4E,
    SW_PRMT_RC8,
    SW_PRMT_ECL,
    SW_PRMT_ECR,
    SW_PRMT_RC16
};
enum {
    SW_TESTP_FINITE,
    SW_TESTP_INFINITE,
    SW_TESTP_NUMBER,
    SW_TESTP_NOTANUMBER,
    SW_TESTP_NORMAL,
    SW_TESTP_SUBNORMAL
};
enum { SW_TEX_BASE, SW_TEX_LEVEL, SW_TEX_GRAD };
enum {
    SW_TXQ_WIDTH,
    SW_TXQ_HEIGHT,
    SW_TXQ_DEPTH,
    SW_TXQ_CHANNEL_DATA_TYPE,
    SW_TXQ_CHANNEL_ORDER,
    SW_TXQ_NORMALIZED_COORDS,
    SW_TXQ_FORCE_UNNORMALIZED_COORDS,
    SW_TXQ_FILTER_MODE,
    SW_TXQ_ADDR_MODE_0,
    SW_TXQ_ADDR_MODE_1,
    SW_TXQ_ADDR_MODE_2,
    SW_TXQ_ARRAY_SIZE,
    SW_TXQ_NUM_MIPMAP_LEVELS,
    SW_TXQ_NUM_SAMPLES,
    SW_TXQ_MEMORY_LAYOUT
};
enum { SW_SURF_TRAP, SW_SURF_CLAMP, SW_SURF_ZERO };
enum {
    SW_MBAR_PLAIN,
    SW_MBAR_NOCOMPLETE,
    SW_MBAR_DROP,
    SW_MBAR_DROP_NOCOMPLETE
};
enum { SW_BULK_FROM_GLOBAL, SW_BULK_TO_GLOBAL, SW_BULK_SHARED };
/* Of CP_TENSOR, in imm: the rank, what its sources are, and, above, the
 * SW_ATOM_ of a reduction. */
enum {
    SW_TENSOR_RANK = 7,
    SW_TENSOR_PIXELS = 1 << 3,  /* im2col; loads have rank - 2 offsets */
    SW_TENSOR_MANY = 1 << 4,    /* the last source: blocks of the cluster */
    SW_TENSOR_REDUCES = 1 << 5, /* by the SW_ATOM_ at SW_TENSOR_ATOM_SHIFT */
    SW_TENSOR_ATOM_SHIFT = 8
};
/* Of CP_ASYNC_WAIT; imm: groups that may be under way. The last three are no
 * sub, but what events tell of copies. */
typedef enum {
    SW_ASYNC_COMMIT, /* cp.async.commit_group */
    SW_ASYNC_WAIT,   /* cp.async.wait_group */
    SW_ASYNC_WAIT_ALL,
    SW_ASYNC_ARRIVE, /* cp.async.mbarrier.arrive without .noinc, which changes
                        no count */
    SW_ASYNC_BULK_COMMIT,
    SW_ASYNC_BULK_WAIT, /* cp.async.bulk.wait_group */
    SW_ASYNC_BULK_READ, /* ... .read */
    SW_ASYNC_PREFETCH,  /* cp.async.bulk.prefetch */
    SW_ASYNC_COPY,      /* cp.async */
    SW_ASYNC_BULK,      /* cp.async.bulk */
    SW_ASYNC_REDUCE     /* cp.reduce.async.bulk */
} sw_async;

/* sw_ins.flags */
enum {
    SW_F_FTZ = 1 << 0,
    SW_F_SAT = 1 << 1, /* .sat, .satfinite */
    SW_F_APPROX = 1 << 2,
    SW_F_FULL = 1 << 3,    /* div.full; sqrt: reciprocal of rsqrt */
    SW_F_NAN = 1 << 4,     /* min, max: NaN wins; abs, neg: NaN unchanged;
                              sub.f64: of two NaNs the first */
    SW_F_XORSIGN = 1 << 5, /* min, max: .xorsign.abs */
    SW_F_RELU = 1 << 6,
    SW_F_COPY = 1 << 6,          /* ld, st: a part of a cp.async; arrive: by
                                    cp.async.mbarrier.arrive.noinc */
    SW_F_UNI = 1 << 7,           /* bra.uni and friends: a promise, not used */
    SW_F_FUSED = 1 << 7,         /* vote.all and setp.le that passes add, of as
                                   many lanes as an engine runs together: one
                                   answer of all of them; no where that is not
                                   so for all pairs of them, if it likes */
    SW_F_FORMATTED = 1 << 8,     /* sust.p */
    SW_F_NOFTZ = 1 << 9,         /* atom.noftz */
    SW_F_ALIGNED = 1 << 10,      /* barriers: all lanes of the warp together */
    SW_F_OOB = 1 << 11,          /* fma.oob */
    SW_F_GENERIC_ADDR = 1 << 12, /* addr: result is a generic address */
    SW_F_NORETURN = 1 << 13,
    SW_F_DEMOTED = 1 << 14, /* f64 computed in f32: operands rounded to that */
    SW_F_FALLS = 1 << 15    /* bra that the program does not have: where a block
                               goes on in the next */
};

/* ---- symbols ---- */

typedef struct sw_sym sw_sym;
typedef struct sw_fn sw_fn;
typedef struct sw_module sw_module;

typedef enum {
    SW_LINK_STATIC, /* this module only */
    SW_LINK_VISIBLE,
    SW_LINK_WEAK,
    SW_LINK_COMMON,
    SW_LINK_EXTERN /* defined elsewhere; see def */
} sw_linkage;

/* An address inside initial data: bytes [offset, offset + bytes) hold
 * (address of sym + addend) >> shift, the address generic if `generic`. */
typedef struct {
    uint64_t offset;
    sw_sym *sym;
    int64_t addend;
    uint8_t bytes; /* 1 (with shift: mask() operator), 4 or 8 */
    uint8_t shift;
    bool generic;
} sw_reloc;

struct sw_sym {
    const char *name;
    sw_space space; /* GLOBAL, CONST, SHARED, LOCAL, PARAM; REG for functions;
                       GLOBAL with an opaque type for texref & co */
    sw_linkage linkage;
    sw_type type;        /* element type */
    uint64_t bytes;      /* 0 with linkage EXTERN and space SHARED: the dynamic
                            shared memory of the launch */
    uint32_t align;      /* power of two */
    uint32_t line;       /* of its declaration in the PTX text */
    const uint8_t *init; /* init_bytes of initial data; the rest zero */
    uint64_t init_bytes;
    const sw_reloc *relocs;
    uint32_t reloc_count;
    bool managed;       /* .attribute(.managed) */
    uint8_t const_bank; /* .const[bank] */
    sw_fn *fn;          /* a function; NULL for variables */
    sw_fn *owner;       /* function scope: LOCAL, PARAM, SHARED; else NULL */
    sw_sym *def;        /* after linking: what an EXTERN stands for */
    uint64_t address;   /* GLOBAL, CONST: device address once loaded;
                           functions: code address once loaded; LOCAL, PARAM
                           inside functions: offset in the frame; entry
                           PARAM: offset in the parameter block */
};

/* ---- operands and instructions ---- */

typedef uint32_t sw_reg; /* index into sw_fn.regs; 0 is "none" */

typedef enum {
    SW_OPND_NONE, /* sink '_', or absent */
    SW_OPND_REG,
    SW_OPND_IMM, /* low bits of `imm`, in the width of the type */
    SW_OPND_SYM, /* address of sym + imm: addr, memory ops, call arguments
                    that are PARAM slots */
} sw_opnd_kind;

typedef struct {
    uint8_t kind;
    bool negated; /* predicates only: !p */
    sw_reg reg;
    uint64_t imm;
    sw_sym *sym;
} sw_opnd;

static inline bool
sw_opnd_is_same(const sw_opnd *a, const sw_opnd *b)
{
    return a->kind == b->kind && a->negated == b->negated && a->reg == b->reg &&
           a->imm == b->imm && a->sym == b->sym;
}

/* aux of CALL. Arguments and results pair up with the callee's formals. */
typedef struct {
    sw_sym *callee;         /* NULL: indirect, source 0 of the instruction */
    const sw_fn *prototype; /* of an indirect call; no blocks */
    const sw_opnd *args;    /* REG, IMM, or SYM (a PARAM slot of the caller) */
    const sw_opnd *rets;    /* REG, SYM or NONE */
    uint32_t arg_count, ret_count;
} sw_call;

/* aux of the v* video instructions. */
typedef struct {
    sw_type dtype, atype, btype; /* u32 or s32 */
    uint8_t asel, bsel, dsel,
        csel;              /* scalar: 0 whole, 1..4 b0..b3, 5 h0, 6 h1 */
    uint16_t amask, bmask; /* SIMD: selector digits, 4 bits a byte, low first;
                              halves: 0..3, bytes: 0..7 */
    uint8_t dmask;         /* SIMD: which parts are written */
    uint8_t op2;           /* 0 none, 1 add, 2 min, 3 max (scalar secondary
                              op), 4 insert into c (dsel); SIMD: 1 add */
    bool sat, po;          /* vmad .po */
    bool wrap;             /* vshl, vshr: .wrap */
    bool neg_a, neg_b, neg_c; /* vmad operand negation */
    uint8_t scale;            /* vmad: 0, 7 or 15 */
} sw_video;

/* aux of matrix instructions. */
typedef struct {
    uint16_t m, n, k;
    sw_type dtype, atype, btype, ctype;
    bool a_row, b_row, c_row; /* row major; else column major */
    uint8_t frag;             /* wmma.load: 'a', 'b' or 'c' */
    uint8_t bit_op;           /* b1: 0 xor.popc, 1 and.popc */
    bool satfinite;
    uint8_t rnd;      /* of f64: SW_RND_NONE, RZ, RM or RP */
    bool sparse;      /* half of a is there: sem/matrix.h */
    uint8_t selector; /* sparse: which lanes say which half */
    uint8_t dregs, aregs, bregs, cregs;
    bool neg_a, neg_b; /* wgmma: elements with the other sign */
    bool group;        /* sums as wgmma makes them */
} sw_matrix;

typedef struct sw_ins {
    uint16_t op;    /* sw_op */
    uint16_t flags; /* SW_F_ */
    uint8_t type;   /* sw_type */
    uint8_t stype;  /* second type: source of cvt, set; b of dp4a; coordinates
                       of tex; result of bar.red */
    uint8_t rnd, cmp, boolop, sub;
    uint8_t space, vec, cache, order, scope, geom;
    uint8_t ndst, nsrc;
    bool guard_neg;
    sw_reg guard;   /* predicate register, or 0: always */
    uint32_t line;  /* in the PTX text */
    uint32_t loc;   /* index into sw_module.locs; 0: none */
    int64_t offset; /* memory ops: added to the address */
    uint64_t imm;   /* see ops.def */
    sw_opnd *opnd;  /* ndst destinations (REG or NONE), then nsrc sources */
    const void *aux;
} sw_ins;

static inline const sw_opnd *
sw_ins_src(const sw_ins *ins, unsigned i)
{
    return &ins->opnd[ins->ndst + i];
}

/* ---- functions ---- */

/* Bytes of a thread's local memory that a call takes beside the frame. */
enum { SW_CALL_BYTES = 16 };

typedef struct {
    sw_class cls;
    sw_type type; /* as declared */
    const char *name;
} sw_reg_info;

typedef struct {
    sw_ins **ins; /* the last is the terminator, the only one */
    uint32_t count;
    uint32_t index;    /* in sw_fn.blocks */
    uint32_t *targets; /* of the terminator, block indices; see ops.def */
    uint32_t target_count;
    bool is_rare; /* a pass made another form of it, which runs instead nearly
                     always: its code had better be small */
    bool is_test; /* finds out which of the two, for all lanes as a whole, and
                     goes to target 1 if the rare one has to run */
    const char *label; /* or NULL */
} sw_block;

struct sw_fn {
    const char *name;
    sw_sym *sym;
    sw_module *module;
    bool is_entry;
    bool noreturn;
    bool is_variadic; /* the last parameter is the address of an array of the
                         caller's; of use where calls are read */
    /* A formal is a register (sym NULL) or a PARAM slot. */
    sw_opnd *params, *rets; /* kind REG or SYM */
    uint32_t param_count, ret_count;
    uint32_t param_bytes; /* entry: size of the parameter block */
    uint32_t frame_bytes; /* LOCAL and PARAM slots of one activation, a lane;
                             multiple of 16 */
    sw_reg_info *regs;    /* [reg_count], entry 0 unused */
    uint32_t reg_count;
    sw_block **blocks; /* [block_count]; 0 is the entry. None: declaration */
    uint32_t block_count;
    sw_sym **shared; /* [shared_count] function-scope .shared variables */
    uint32_t shared_count;
    uint32_t maxntid[3], reqntid[3]; /* 0: not given */
    uint32_t minnctapersm, maxnreg;
    uint32_t reqnctapercluster[3], maxclusterrank; /* 0: not given */
    bool explicit_cluster; /* a launch says its clusters, or the kernel does */
    bool blocks_are_clusters; /* a launch's grid counts clusters */
    uint32_t line;
};

/* ---- modules ---- */

typedef struct {
    uint32_t file; /* index into sw_module.files */
    uint32_t line, column;
    const char *function; /* inlined from, or NULL */
    uint32_t inlined_at;  /* another loc, or 0 */
} sw_loc;

struct sw_module {
    sw_arena *arena;       /* owns all below */
    const char *name;      /* for messages: a file name or "<memory>" */
    uint32_t version;      /* PTX .version times ten, e.g. 85 */
    uint32_t target;       /* sm_ number: 10..., e.g. 90 */
    uint32_t address_size; /* 32 or 64 */
    bool debug;
    bool f64_demoted; /* needs no device with f64 (opt/numerics.h) */
    sw_sym **syms;    /* [sym_count] module scope, in order of appearance */
    uint32_t sym_count;
    sw_fn **fns; /* [fn_count] with a body */
    uint32_t fn_count;
    const char **files; /* [file_count]; 0 unused */
    uint32_t file_count;
    sw_loc *locs; /* [loc_count]; 0 unused */
    uint32_t loc_count;
    sw_map *by_name;    /* module scope: name -> sw_sym */
    sw_module **linked; /* [linked_count] those linked together, this one too;
                           none before sw_ir_link */
    uint32_t linked_count;
    void *digest; /* of its text, for who names by it what is made of it often;
                     freed with it, or NULL */
};

/* Owned by caller, sw_module_destroy. */
sw_module *sw_module_create(const char *name);
void sw_module_destroy(sw_module *module);
/* Adds a symbol of module scope; the sym is in the module's arena. */
void sw_module_add_sym(sw_module *module, sw_sym *sym);
/* The module-scope symbol, or NULL. Borrowed. */
sw_sym *sw_module_find(const sw_module *module, const char *name);
/* The definition behind a symbol: follows def; NULL if it is unresolved. */
sw_sym *sw_sym_resolve(sw_sym *sym);

/*
 * Resolves EXTERN symbols across modules by name (VISIBLE before WEAK before
 * COMMON). SW_E_NOT_FOUND with a diagnostic for each name that no module
 * defines (functions of sw_ir_is_builtin and sw_ir_is_drivers_own excepted);
 * two VISIBLE definitions of a name: SW_E_INVALID_PTX. Each module knows the
 * others from then on.
 */
sw_status sw_ir_link(sw_module **modules, size_t count, sw_diag *diag);
/* Device functions that every engine provides: vprintf, malloc, free,
 * __assertfail, and the device runtime. */
bool sw_ir_is_builtin(const char *name);
/* Functions of the device runtime: rows of device_calls.def, or -1. Ours are
 * called also where a module defines one. */
#define DEVICE_CALL(name, arguments) SW_DEVICE_##name,
enum {
#include "ir/device_calls.def"
    SW_DEVICE_CALLS
};
#undef DEVICE_CALL
int sw_ir_device_call(const char *name);
/*
 * Functions of a vendor's driver that kernels may call and we have not: what
 * code added by its compiler for launches from kernels refers to, and
 * cudaGraphLaunch. A module may declare them; a kernel that calls one is
 * refused.
 */
bool sw_ir_is_drivers_own(const char *name);

/* ---- facts about types and ops ---- */

const char *sw_type_text(sw_type type);
unsigned sw_type_bits(sw_type type); /* of one element; packed: all */
sw_class sw_type_class(sw_type type);
sw_kind sw_type_kind(sw_type type);
unsigned sw_class_bytes(sw_class cls); /* a lane; predicates: 0 */
sw_type sw_type_wide(sw_type type);    /* twice as wide, same kind */

enum { /* effects column of ops.def */
       SW_FX_PURE,
       SW_FX_LANES,
       SW_FX_READ,
       SW_FX_WRITE,
       SW_FX_ATOMIC,
       SW_FX_SYNC,
       SW_FX_FLOW,
       SW_FX_STATE
};
enum { /* unit column of ops.def */
       SW_UNIT_ALU,
       SW_UNIT_FMA,
       SW_UNIT_SFU,
       SW_UNIT_LSU,
       SW_UNIT_TEX,
       SW_UNIT_BRANCH,
       SW_UNIT_SYNC,
       SW_UNIT_SHFL,
       SW_UNIT_MMA
};
enum {             /* types column of ops.def: what `type` may be */
       SW_TS_NONE, /* no type */
       SW_TS_ANY,
       SW_TS_INT,   /* signed and unsigned */
       SW_TS_FLOAT, /* scalar and packed floats */
       SW_TS_NUM,   /* INT, FLOAT and packed integers */
       SW_TS_BITS,  /* untyped bits */
       SW_TS_B32,
       SW_TS_LOGIC,   /* BITS and predicates */
       SW_TS_INTBITS, /* INT and BITS */
       SW_TS_CMP,     /* NUM and BITS */
       SW_TS_MEM      /* all but predicates */
};
enum { SW_SRCS_ANY = 255 };

typedef struct {
    const char *text;
    uint8_t srcs; /* SW_SRCS_ANY */
    uint8_t types, effects, unit, since;
    const char *meaning;
} sw_op_info;

const sw_op_info *sw_op_get_info(sw_op op);
/* Spellings; "" for an unknown value. */
const char *sw_cmp_text(sw_cmp v);
const char *sw_rnd_text(sw_rnd v);
const char *sw_space_text(sw_space v);
const char *sw_cache_text(sw_cache v);
const char *sw_order_text(sw_order v);
const char *sw_scope_text(sw_scope v);
const char *sw_atom_text(sw_atom v);
const char *sw_geom_text(sw_geom v);
const char *sw_sreg_text(sw_sreg v);
sw_type sw_sreg_type(sw_sreg v);

/* The class of operand `opnd` (destinations, then sources): its register's, or
 * that of the type for numbers and symbols. */
/* A load or store of several elements, 16 bytes at most, that each lane does at
 * once: no other block sees some of them without the others. PTX does not
 * promise it, devices do it, and programs count on it where they speak with
 * each other (a flag beside a value). */
bool sw_ins_is_whole(const sw_ins *ins);

/* In which order the lanes of a warp store so many bytes each, by one
 * instruction: in turn t it is lane t ^ this, so that of lanes that store to
 * one place the last one's stays. PTX does not say whose does. Devices move
 * 128 bytes of neighbours at once, and of those the lowest lane's stay;
 * programs whose lanes all store a sum that only lane 0 has count on it. */
unsigned sw_store_turn(unsigned bytes);

sw_class sw_ins_class(const sw_fn *fn, const sw_ins *ins, unsigned opnd);

/* "file.cu:12" of an instruction, else "module.ptx:345" (PTX line), into buf;
 * returns buf. */
const char *sw_ins_place(const sw_fn *fn, const sw_ins *ins, char *buf,
                         size_t bytes);

/* ---- the module as text, and back (text.c, parse.c, verify.c) ---- */

void sw_ir_print(const sw_module *module, sw_buf *out);
void sw_ir_print_ins(const sw_fn *fn, const sw_ins *ins, sw_buf *out);
/* NULL with diagnostics if `text` is not what sw_ir_print writes. */
sw_module *sw_ir_parse(const char *name, const char *text, sw_diag *diag);
/* SW_E_INVALID_PTX with a diagnostic for each rule that is broken. */
sw_status sw_ir_verify(const sw_module *module, sw_diag *diag);

#endif
