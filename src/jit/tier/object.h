/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.h - a compiled object (see abi.h) made executable: its sections in one
 * mapping of their own, relocated, code and constants read-only.
 *
 * The bytes are checked before anything is done with them; damaged ones are an
 * error, never a crash. What the code itself does cannot be checked: who loads
 * bytes says that a compiler of ours made them (tier/cache.h keeps a checksum).
 * Sections that could be written (.data, .bss), thread-local ones and symbols
 * chosen at run time are refused: many warps run the code at once, and another
 * process may use it tomorrow.
 *
 * Any thread. An object does not change after it was loaded.
 */
#ifndef SW_JIT_OBJECT_H
#define SW_JIT_OBJECT_H
#include "base/base.h"

typedef struct sw_jit_object sw_jit_object;

/* Any function; cast it to its own type. */
typedef void sw_jit_code(void);

/* A function that code may call by name. */
typedef struct {
    const char *name;
    sw_jit_code *address;
} sw_jit_external;

/* A function that is in the object. */
typedef struct {
    const char *name; /* owned by the object */
    const uint8_t *address;
    uint64_t bytes;
    bool is_global; /* else of its file only */
} sw_jit_function;

/*
 * Loads an ELF object; `bytes` are not needed any more afterwards. *out is
 * owned by caller (sw_jit_object_destroy). The reason of a failure goes to
 * `diag`, which may be NULL; *out is NULL then. SW_E_INVALID_IMAGE: damaged.
 * SW_E_SHARED_OBJECT_SYMBOL_NOT_FOUND: it needs a symbol, named, that is not
 * among the externals. SW_E_NOT_SUPPORTED: a kind of section, symbol or
 * relocation that we refuse, or another processor than this. SW_E_NOMEM,
 * SW_E_OPERATING_SYSTEM: there is no memory for it, or none that may be
 * executed.
 */
sw_status sw_jit_object_load(const void *bytes, size_t size,
                             const sw_jit_external *externals,
                             size_t external_count, sw_jit_object **out,
                             sw_diag *diag);
/* The code must not be running, nor be registered with tier/debug.h. */
void sw_jit_object_destroy(sw_jit_object *object);

/* A global function of the object; NULL: there is none. */
sw_jit_code *sw_jit_object_entry(const sw_jit_object *object, const char *name);
/* All functions, in the order of the symbols; valid until it is destroyed. */
const sw_jit_function *sw_jit_object_functions(const sw_jit_object *object,
                                               size_t *count);
/* Where the ELF section of this index lies; NULL: it was not loaded. */
const uint8_t *sw_jit_object_section(const sw_jit_object *object,
                                     uint32_t section);
size_t sw_jit_object_bytes(const sw_jit_object *object); /* of memory */

#endif
