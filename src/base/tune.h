/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune.h - the numbers by which heuristics decide: how large a function may be
 * to be inlined, how long a worker looks for work before it sleeps. None of
 * them changes what a program computes; each changes how fast it does.
 *
 * A library keeps its numbers in one file, <folder>/tune.def, a row each:
 *
 *     TUNE(name, initial, least, most, unit, case, why)
 *
 *   name     an identifier; users write it behind the folder's name and a
 *            point: opt.inline_each
 *   initial  the value that is used unless somebody sets another one
 *   least, most  the range that the code can work with, both inclusive;
 *            0 <= least <= initial <= most < 2^32
 *   unit     what the number counts: "instructions", "ns"
 *   case     the kernel of bench/cases.txt that shows what the number does, or
 *            in parentheses why none does, or what else of bench/run
 *   why      one sentence: what the number bounds and for what reason
 *
 * From the rows a folder makes a struct of uint32_t fields, one variable of it,
 * which the code reads as it reads any variable, and a sw_tune_table, with the
 * two macros below. The variables are set before work begins: by the engine
 * when it starts (environment variable SOFTWARP_TUNE), and by tests. Nobody
 * locks them, so no other thread may run the library meanwhile.
 */
#ifndef SW_TUNE_H
#define SW_TUNE_H
#include "base/base.h"

typedef struct {
    const char *name; /* as in the .def file */
    uint32_t *value;  /* the field that the code reads */
    uint32_t initial, least, most;
    const char *unit, *shown_by, *why;
} sw_tune_row;

typedef struct {
    const char *library; /* "opt" */
    const sw_tune_row *rows;
    size_t count;
} sw_tune_table;

/* How tune.h of a folder makes fields of the rows. */
#define SW_TUNE_FIELD(name, initial, least, most, unit, shown_by, why)         \
    uint32_t name;
/* How tune.c of a folder makes initial values and rows of them. `variable` is
 * the folder's, defined there as a macro named VARIABLE. */
#define SW_TUNE_INITIAL(name, initial, least, most, unit, shown_by, why)       \
    .name = (initial),
#define SW_TUNE_ROW(name, initial, least, most, unit, shown_by, why)           \
    {#name, &VARIABLE.name, initial, least, most, unit, shown_by, why},
#define SW_TUNE_CHECK(name, initial, least, most, unit, shown_by, why)         \
    _Static_assert((least) <= (initial) && (initial) <= (most) &&              \
                       (most) <= UINT32_MAX,                                   \
                   "the initial value of " #name " is out of range");

/*
 * Sets what `text` says, "opt.inline_each=3,exec.chunk_ns=500", in the tables.
 * Numbers are decimal, or hexadecimal behind 0x; blanks around names and
 * numbers are allowed, and so are empty parts. SW_E_INVAL: a part is wrong;
 * then no value has changed, and each wrong part has an error in diag (may be
 * NULL) that lists what is allowed: the names there are, or the range.
 */
sw_status sw_tune_set(const sw_tune_table *const *tables, size_t count,
                      const char *text, sw_diag *diag);
/* Gives every row its initial value again. */
void sw_tune_reset(const sw_tune_table *const *tables, size_t count);
/* Sets what the environment variable SOFTWARP_TUNE says, if it is there; what
 * is wrong with it goes to the log as errors, once for each wrong part. */
void sw_tune_read_environment(const sw_tune_table *const *tables, size_t count);
/* Adds the values that are not the initial ones, as sw_tune_set reads them:
 * what another library that has the same tables is to be given. */
void sw_tune_print_changed(const sw_tune_table *const *tables, size_t count,
                           sw_buf *out);
/* The same values have the same number: part of the key under which something
 * made with them is kept. */
uint64_t sw_tune_hash(const sw_tune_table *const *tables, size_t count);

#endif
