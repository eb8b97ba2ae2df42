/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden.h - instruction forms held against a real device: what they are, on
 * which inputs, and how a kernel evaluates them.
 *
 * A row of forms.def is FORM(family, name, operands, body):
 *   name      with alternatives in braces, {a,b}; each combination is a form.
 *             $1, $2, ... in operands and body are the alternatives chosen.
 *   operands  results=sources, separated by commas: TYPE[/KIND][*COUNT]. TYPE
 *             is one of PTX, N for the N-th type in the name, wN for twice its
 *             width; KIND says which inputs (inputs.c), by default any of TYPE.
 *   body      PTX; "" is `$o results, sources;`. $o is the name up to a slash;
 *             $d0, $d1, ... the results ($d the first, $D all), $a $b $c $e $f
 *             $g $h the sources, $S0, $S1, ... the sources of an operand. It
 *             may use the registers that module.c declares.
 *
 * An evaluation is a form on the inputs of a number i: every lane evaluates
 * one, 32 consecutive ones are a warp. Only the driver API and the C library
 * are used, so that the same program runs on a real device and on ours.
 */
#ifndef SW_GOLDEN_H
#define SW_GOLDEN_H
#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GOLDEN_RESULTS = 10,
    GOLDEN_SOURCES = 24,
    GOLDEN_GROUP = 16,       /* forms of one kernel, at most */
    GOLDEN_SAMPLE = 1 << 12, /* evaluations of the short check */
    GOLDEN_FULL = 1 << 20,   /* and of the long one */
    GOLDEN_BLOCK = 256,      /* threads */
    GOLDEN_CELL = 32,        /* bytes of memory for each thread's atomics */
    GOLDEN_PAD = 4096        /* inputs behind the last, for matrices */
};

/* ---- forms.c ---- */

/* TYPE(name, register class: h 16, r 32, d 64 bits, p predicate, kind) */
typedef struct {
    const char *name;
    char reg;
    const char *kind;
} golden_type;

typedef struct {
    const golden_type *type;
    char kind[16];
    unsigned group; /* which operand of the row */
} golden_operand;

typedef struct golden_form {
    const char *family;
    char *name, *body; /* body without $ */
    unsigned result_count, source_count;
    golden_operand result[GOLDEN_RESULTS], source[GOLDEN_SOURCES];
    uint64_t digest[GOLDEN_RESULTS]; /* of the last run */
} golden_form;

/* All forms, in the order of the rows; owned by the module, for the life of
 * the process. Exits with a message if a row is wrong. */
golden_form *golden_forms(size_t *count);

/* The same inputs, so that one kernel can evaluate both. */
bool golden_same_sources(const golden_form *a, const golden_form *b);

/* ---- inputs.c ---- */

/* Input i of the k-th source of a kind. Exits if there is no such kind. */
uint64_t golden_input(const char *kind, unsigned bits, unsigned k, uint32_t i);

/* ---- module.c ---- */

/* Of an input or result in a register of that class; a predicate's has 2. */
unsigned golden_bytes(char reg);

/* PTX of one kernel, `golden`, that evaluates `count` forms of the same
 * sources; valid until the next call. Its parameters: pointers to the inputs
 * of each source, to a cell for each thread and to texture handles (one a
 * form); digests (GOLDEN_RESULTS a form, added to); where the results
 * themselves go if `raw`, n of them a result; n, a multiple of the
 * threads. */
const char *golden_module(const golden_form *const *forms, unsigned count,
                          bool raw);

/* ---- texture.c ---- */

/* The texture or surface object that a form's name asks for; 0 if none.
 * Objects live as long as the context. */
CUresult golden_texture(const golden_form *form, CUtexObject *out);

/* Forgets the objects, after their context is gone. */
void golden_texture_reset(void);

#endif
