/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - what the printer and the parser of the IR's text form share: the
 * names of fields and flags. Nobody else includes it.
 */
#ifndef SW_IR_TEXT_H
#define SW_IR_TEXT_H
#include "ir/ir.h"

/* How a field's value is spelled. */
typedef enum {
    SW_SET_NUMBER,
    SW_SET_TYPE,
    SW_SET_SPACE,
    SW_SET_CMP,
    SW_SET_RND,
    SW_SET_CACHE,
    SW_SET_ORDER,
    SW_SET_SCOPE,
    SW_SET_GEOM,
    SW_SET_ATOM,
    SW_SET_SREG,
    SW_SET_LINKAGE,
    SW_SET_BOOL, /* sw_bool */
    SW_SET_FLAG  /* a C bool */
} sw_set;

typedef struct {
    const char *name; /* NULL ends a table */
    uint16_t offset, bytes;
    sw_set set;
} sw_field;

/* Fields printed as name=value unless 0. */
extern const sw_field sw_fields_ins[], sw_fields_video[], sw_fields_matrix[],
    sw_fields_sym[], sw_fields_fn[], sw_fields_loc[], sw_fields_module[];

typedef struct {
    const char *name;
    uint32_t bit;
} sw_flag_name;
extern const sw_flag_name sw_flag_names[]; /* NULL ends */

uint64_t sw_field_get(const sw_field *field, const void *object);
void sw_field_set(const sw_field *field, void *object, uint64_t value);
/* NULL: the set has no such value. */
const char *sw_set_text(sw_set set, uint64_t value);
/* False if the set has no such spelling. */
bool sw_set_value(sw_set set, sw_str text, uint64_t *value);
/* What sub means for an op. */
sw_set sw_sub_set(sw_op op);
/* May be written without quotes. */
bool sw_is_plain_name(const char *name);

/* The symbols of function scope that a function mentions, each once, and the
 * prototypes of its indirect calls; both in order of appearance. */
typedef struct {
    sw_vec syms;   /* const sw_sym * */
    sw_vec protos; /* const sw_fn * */
    sw_map *index; /* address of either -> index + 1 */
} sw_locals;

void sw_locals_init(sw_locals *locals, const sw_fn *fn);
void sw_locals_finish(sw_locals *locals);
/* UINT32_MAX if it is not there. */
uint32_t sw_locals_find(const sw_locals *locals, const void *what);

#endif
