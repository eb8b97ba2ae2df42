/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private.h - inside the generator: what it knows while it writes a kernel.
 */
#ifndef RANDOM_PRIVATE_H
#define RANDOM_PRIVATE_H
#include "generate.h"

typedef enum { H, R, D, P, CLASSES } reg_class; /* 16, 32, 64 bits, predicate */

/* For whom a value is the same, or who runs a place together. */
typedef enum { LANE, WARP, BLOCK } level;

typedef struct {
    reg_class cls;
    uint32_t number;
    char taste; /* letter of what it was made as, see ops.def; a: affine */
    level same;
    bool is_variable; /* has a value everywhere, may be written again */
} value;

typedef struct {
    uint64_t state; /* of the random numbers */
    random_kernel *kernel;
    sw_vec lines;  /* random_line */
    sw_vec values; /* that can be read here */
    sw_vec places; /* place: memory that can be accessed here */
    uint32_t next[CLASSES];
    uint32_t labels;
    level control;    /* who certainly is here, as far as not ended */
    char members[16]; /* lanes of the warp that are here, "" if not known */
    unsigned depth;   /* of control statements */
    int budget;       /* statements left */
    uint32_t threads; /* of a block */
    bool in_function;
    bool has_mine, has_all, has_counts, has_local; /* memory it uses */
    bool for_fused, for_device, for_packs;         /* see random_kind */
    bool flushes;                                  /* RANDOM_FLUSHING */
    bool for_calls;                                /* RANDOM_CALLS */
    bool is_plain;      /* more of control flow, less of arithmetic */
    bool has_exits;     /* threads may have ended */
    bool has_faulted;   /* it has its fault */
    uint32_t functions; /* that can be called */
    /* the innermost loop */
    uint32_t break_label, continue_label;
    bool in_loop;
    level loop_control; /* who has to leave it together */
} gen;

/* Registers that every kernel has, by number. */
enum { R_ZERO = 1, R_LIN, R_GID, R_LANE, REG_FIRST };
enum { D_IN = 1, D_OWN, D_DUMP, D_CELLS };

/* Memory around an address in a register. */
typedef struct {
    reg_class cls; /* of the address: R or D */
    uint32_t number;
    const char *space;  /* ".global", "" */
    bool is_written;    /* stores are allowed: no other thread comes there */
    int32_t first, end; /* distances that may be accessed */
    uint32_t align;
} place;

/* ---- random numbers ---- */
uint32_t random_below(gen *g, uint32_t n);
bool random_chance(gen *g, unsigned percent);
uint64_t random_bits(gen *g);

/* ---- lines ---- */
/* With its group only; at will; at will, but then `instead` stands there. */
void add_fixed(gen *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void add_line(gen *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void add_definition(gen *g, const char *instead, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
uint32_t open_group(gen *g);
void close_group(gen *g, uint32_t group);

/* ---- values ---- */
extern const char class_letter[CLASSES]; /* of registers' names */
extern const char *const class_type[CLASSES];
reg_class class_of_letter(char letter);
/* One that is the same at least for `same`. There always is one. */
value pick_value(gen *g, reg_class cls, char taste, level same);
/* A variable that may be written here, with a value of that level. */
bool pick_variable(gen *g, reg_class cls, level same, value *out);
value fresh_value(gen *g, reg_class cls, char taste, level same);
void publish_value(gen *g, const value *v); /* from now on it can be read */
/* A register's definition by something constant. */
void add_constant(sw_buf *out, const value *v);
level least_level(level a, level b);
/* The places where results go: fresh or variable; `instead` gets what defines
 * the fresh ones. With a guard fresh ones get a value first (`before`). */
value make_result(gen *g, char letter, level same, bool guarded, sw_buf *before,
                  sw_buf *instead);
/* A source operand of a letter as text, with its level. */
level add_source(gen *g, char letter, level same, sw_buf *out);
/* For a device: a source of another type, as bits that `before` makes of it;
 * else its assembler may convert it. */
void take_as_bits(gen *g, reg_class cls, sw_buf *before, sw_buf *source);

/* ---- statements ---- */
void generate_op(gen *g);
void generate_affine(gen *g);
void generate_pack(gen *g);
void generate_carry(gen *g);
void generate_memory(gen *g);   /* global, own or local memory */
void generate_exchange(gen *g); /* through shared memory; needs BLOCK */
void generate_levels(gen *g);   /* the same by a tree's levels */
void generate_sums(gen *g);     /* loops over own and global memory */
void generate_doubles(gen *g);  /* f64 arithmetic, of NaNs as well */
void generate_atomic(gen *g);
void generate_warp(gen *g);
void generate_call(gen *g);
void generate_control(gen *g);
void generate_fault(gen *g);
/* One more place, in a register. */
void generate_place(gen *g);
void add_shared_declarations(gen *g);
void add_shared_start(gen *g);
void generate_statements(gen *g, unsigned count);

#endif
