/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support.h - what the files of `softwarp support` share. What is supported is
 * never written down here: the front end is asked for instructions, the
 * tables of the libraries' entry points and our CUDA headers for functions.
 */
#ifndef SW_SUPPORT_H
#define SW_SUPPORT_H
#include "base/base.h"
#include "base/near.h"

/* In order: what answers worst wins in a summary. */
typedef enum {
    SUPPORT_DONE,
    SUPPORT_PARTIAL,
    SUPPORT_NONE,   /* there, and refuses: by a trap or an error code */
    SUPPORT_ABSENT, /* not there at all */
    SUPPORT_UNKNOWN /* no such thing that we know of */
} support_state;

const char *support_state_text(support_state state);

/* ---- PTX (support_ptx.c) ---- */

/* Whether the front end takes an instruction with this opcode: its mnemonic
 * with all modifiers. DONE; NONE: it becomes a trap. If no operands that are
 * known fit, ABSENT, and that is a gap in support_forms.def. */
support_state support_ptx_form(const char *opcode);
bool support_ptx_is_mnemonic(const char *name);
/* The same of an opcode that may lack parts, such as its types: DONE if it can
 * be completed to one that is taken, which is put in `whole`. PARTIAL: there is
 * also a way to complete it that is missing, which is put in `lacks`. UNKNOWN:
 * PTX has nothing that begins so. */
support_state support_ptx_partial(const char *opcode, sw_buf *whole,
                                  sw_buf *lacks);
void support_ptx_offer(sw_near *near);
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

/* ---- names of CUDA C++ (support_names.c) ---- */

typedef struct support_names support_names;

/* Asks the compiler, a second or two; owned by caller. Without a compiler it
 * knows headers and libraries only. */
support_names *support_names_create(void);
void support_names_destroy(support_names *names);
/* Adds what is to be said of the name, or UNKNOWN and nothing. */
support_state support_names_tell(const support_names *names, const char *name,
                                 sw_buf *out);
void support_names_offer(const support_names *names, sw_near *near);
/* The folder of our headers: installed beside the command, or the source
 * tree's. In the arena. */
char *support_header_folder(sw_arena *arena);

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
/* ---- functions of the libraries of src/lib (support_vendor.c) ---- */

/* DONE, PARTIAL, NONE or UNKNOWN: no function of theirs. *library has it;
 * *missing may be "". */
support_state support_vendor_find(const char *name, const char **library,
                                  const char **missing);
/* A line for each library: rows of a table, or text. */
void support_vendor_counts(bool markdown, sw_buf *out);
void support_vendor_document(sw_buf *out);

/* Appends what a program can do instead of calling it. */
void support_api_instead(const support_entry *entry, sw_buf *out);

#endif
