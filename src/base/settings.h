/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - the environment variables that Softwarp reads, as settings.def
 * has them. Who wants one asks here, so that each is documented and checked.
 *
 * Any thread may call. Nothing is kept: each call reads the environment, as a
 * program may change it before it first calls us. In a program that runs with
 * more rights than its user has, nothing is set.
 */
#ifndef SW_SETTINGS_H
#define SW_SETTINGS_H
#include "base/base.h"

#define SETTING(id, name, group, kind, without, meaning) SW_SETTING_##id,
typedef enum {
#include "base/settings.def"
    SW_SETTING_COUNT
} sw_setting_id;
#undef SETTING

typedef enum {
    SW_SETTING_WORDS,
    SW_SETTING_PREFIX,
    SW_SETTING_NUMBER,
    SW_SETTING_SECONDS,
    SW_SETTING_TEXT,
    SW_SETTING_CHECKED
} sw_setting_kind;

typedef enum {
    SW_SETTING_USER,
    SW_SETTING_MADE,
    SW_SETTING_MAKER,
    SW_SETTING_VENDOR
} sw_setting_group;

typedef struct {
    const char *name;
    sw_setting_group group;
    sw_setting_kind kind;
    const char *allowed;   /* words with | between, or a description; "" for
                              numbers */
    uint64_t least, most;  /* numbers */
    const char *otherwise; /* what holds where it is not set */
    const char *meaning;
} sw_setting_row;

/* Asserts id < SW_SETTING_COUNT. Static. */
const sw_setting_row *sw_setting_row_of(sw_setting_id id);

/* The value as it stands; NULL: not set, or empty. Borrowed from the
 * environment. */
const char *sw_setting(sw_setting_id id);
/* Whether it stands in the environment, be it empty. */
bool sw_setting_is_there(sw_setting_id id);
/* Whether the value is this word; if none is set, or one that is not allowed,
 * whether the default is. */
bool sw_setting_is(sw_setting_id id, const char *word);
/* The number; `otherwise` where none is set, or one that is not allowed. */
uint64_t sw_setting_number(sw_setting_id id, uint64_t otherwise);
double sw_setting_seconds(sw_setting_id id, double otherwise);

/* "auto, jit or interp", or "a number from 1 to 8". */
void sw_setting_add_allowed(sw_setting_id id, sw_buf *out);
/* Whether that value is allowed. CHECKED values pass: their reader looks. */
bool sw_setting_allows(sw_setting_id id, const char *value);
/* A line for each variable of ours whose value is not allowed; true: none. */
bool sw_settings_check(sw_buf *out);
/* A line for each variable SOFTWARP_... that is no setting, with the one that
 * it may be meant for. */
void sw_settings_unknown(sw_buf *out);

#endif
