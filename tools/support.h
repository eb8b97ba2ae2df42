/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support.h - what the files of `softwarp support` share. What is supported is
 * never written down here: the front end is asked for instructions, the
 * tables of the libraries' entry points and our CUDA headers for functions.
 */
#ifndef SW_SUPPORT_H
#define SW_SUPPORT_H
#include "base/base.h"

/* In order: what answers worst wins in a summary. */
typedef enum {
    SUPPORT_DONE,
    SUPPORT_PARTIAL,
    SUPPORT_NONE,  /* there, and refuses: by a trap or an error code */
    SUPPORT_ABSENT /* not there at all; or no such thing */
} support_state;

const char *support_state_text(support_state state);

/* ---- PTX (support_ptx.c) ---- */

/* Whether the front end takes an instruction with this opcode: its mnemonic
 * with all modifiers. DONE; NONE: it becomes a trap. If no operands that are
 * known fit, ABSENT, and that is a gap in support_forms.def. */
support_state support_ptx_form(const char *opcode);
bool support_ptx_is_mnemonic(const char *name);
/* The table of all instructions; of one if `only` is not NULL. */
void support_ptx_table(sw_buf *out, bool markdown, const char *only);
/* What is known to be missing. */
void support_ptx_missing(sw_buf *out, bool markdown);
/* What to do instead of an instruction; a sentence for everything. */
const char *support_ptx_instead(const char *opcode);
void support_ptx_sregs(sw_buf *out, bool markdown);
/* False if it is none. */
bool support_ptx_is_sreg(const char *name);
/* Sentences on what is wrong with support_forms.def; how many. */
size_t support_ptx_check(sw_buf *out);

/* ---- functions (support_api.c) ---- */

typedef enum { SUPPORT_DRIVER, SUPPORT_RUNTIME } support_api;

typedef struct {
    const char *symbol;  /* borrowed from the table or the arena */
    const char *name;    /* what programs call */
    const char *missing; /* may be "" */
    support_state state;
    int since;          /* driver: CUDA version, 11030 is 11.3 */
    unsigned libraries; /* runtime: those that have it; bits 0, 1, 2 are the
                           major versions 11, 12, 13 */
} support_entry;

/* The functions of an API, by name: those that its table holds, and as ABSENT
 * those that our headers declare besides. In `arena`. False, with a message in
 * diag, if the headers are not found. */
bool support_api_entries(support_api api, sw_arena *arena, sw_vec *out,
                         sw_diag *diag);
/* Appends what a program can do instead of calling it. */
void support_api_instead(const support_entry *entry, sw_buf *out);

#endif
