/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - level 4 of the emitters: an access to memory, the tests of its
 * addresses, and its elements lane by lane.
 */
#ifndef SW_JIT_EMIT_ACCESS_H
#define SW_JIT_EMIT_ACCESS_H
#include "jit/emit/exits.h"

/* What is moved at once at most. */
enum { SW_JIT_ELEMENTS = 4 * SW_LANES_MAX, SW_JIT_BYTES = 16 * SW_LANES_MAX };
/* Lanes whose addresses have known distances. */
typedef struct {
    sw_jit_lane_set lanes;
    unsigned first, count;    /* the lowest of them; how many they are */
    int64_t at[SW_LANES_MAX]; /* bytes from the lowest, by lane */
    int64_t span;             /* the largest of them */
    LLVMValueRef pointer;     /* of the lowest */
} sw_jit_group;
/* One instruction. */
typedef struct {
    const sw_ins *ins;
    unsigned elem, vec, unit; /* bytes of an element, elements, all bytes */
    unsigned align;           /* bytes, of an element as it lies */
    unsigned pack;            /* elements of the instruction in one of these:
                                 bytes and halves that fill words are moved as
                                 words */
    int64_t offset;           /* from its register, of the first byte that */
    unsigned turn;            /* of a store, see sw_store_turn */
    unsigned extent, shift;   /* ... is tested; how many; log2 of what they are
                                 aligned to */
    bool is_shared, is_signed, is_volatile;
    bool is_part;   /* only elements of lanes that run may be touched */
    bool is_apart;  /* the lanes do not lie side by side */
    bool is_placed; /* in shared memory at a place that is known: */
    int64_t place;  /* ... that of the lowest lane of its group, */
    int64_t room;   /* ... and so many bytes there are, or `ok` fails */
    const sw_jit_group *lie; /* is_apart: how all lie, but for `pointer`, or
                                NULL: not known */
    sw_jit_value address;
    sw_jit_group groups[SW_JIT_GROUPS];
    unsigned group_count;     /* 0: lane by lane */
    LLVMValueRef ok;          /* lane by lane: all tests have passed */
    LLVMValueRef lane_offset; /* lane by lane: vector of i64 or i32 of */
    unsigned scale;           /* ... so many bytes */
    LLVMValueRef base;        /* ... from this pointer; NULL: addresses */
    uint32_t site;            /* ... their window, if */
    bool has_site;
    LLVMValueRef stored; /* lanes of what is stored; NULL: in registers */
} sw_jit_access;
/* Where the lanes of an access are: in memory or, of shared and local memory,
 * in it. */
typedef struct {
    LLVMValueRef lanes; /* numbers; i32 or i64, of */
    unsigned scale;     /* ... so many bytes, a power of two, to 16, */
    LLVMValueRef from;  /* ... from here (i64); NULL: 0. Else they are i32, */
    bool is_signed;     /* ... or u32 */
} sw_jit_lanes_at;
/* Neighbours that lie side by side. */
enum { SW_JIT_ROW_LEAST = 8 };
typedef struct {
    unsigned lanes, count;                               /* of a row; rows */
    LLVMValueRef first[SW_LANES_MAX / SW_JIT_ROW_LEAST]; /* where they begin */
} sw_jit_rows;

/* ---- emit/window.c ---- */

/* x rotated right, so that low bits that are not zero make it large. */
LLVMValueRef sw_jit_rotate(sw_jit_emit *e, LLVMValueRef x, unsigned by);
/* The window of a site, a field of it (i64). */
LLVMValueRef sw_jit_window_of(sw_jit_emit *e, uint32_t site);
LLVMValueRef sw_jit_window_part(sw_jit_emit *e, uint32_t site, size_t part);
uint32_t sw_jit_new_site(sw_jit_emit *e, int64_t extent);
LLVMValueRef sw_jit_shared_bytes(sw_jit_emit *e);
/* i1: `end` (i64) is no more than that. */
LLVMValueRef sw_jit_ends_in_shared(sw_jit_emit *e, LLVMValueRef end);
LLVMValueRef sw_jit_is_aligned(sw_jit_emit *e, LLVMValueRef address,
                               unsigned unit);

/* ---- emit/access.c ---- */

/* Pointer to the kernel's. */
LLVMValueRef sw_jit_params(sw_jit_emit *e);
void sw_jit_open_access(sw_jit_emit *e, sw_jit_access *a);
/* An element's integer type. */
LLVMTypeRef sw_jit_elem_type(const sw_jit_emit *e, const sw_jit_access *a);
/* The machine's own gathers and scatters can do it. */
bool sw_jit_has_gathers(const sw_jit_emit *e, const sw_jit_access *a);
/* Lane i of the group's units is the i-th of its lanes (lanes[i]), without a
 * gap. */
bool sw_jit_is_run(const sw_jit_emit *e, const sw_jit_access *a,
                   const sw_jit_group *g, int *lanes);
/* The mask of the lanes whose elements a run has, `total` in all. */
LLVMValueRef sw_jit_mask_of_run(sw_jit_emit *e, const sw_jit_access *a,
                                const int *lanes, unsigned total);
/* Whether some elements of a vector can be moved: the machine has masks for
 * them, or all can, as no other thread of the host sees them. */
bool sw_jit_can_mask(const sw_jit_emit *e, const sw_jit_access *a);
/* The loaded elements as the register holds them. */
LLVMValueRef sw_jit_extend(sw_jit_emit *e, const sw_jit_access *a,
                           LLVMValueRef x, sw_class cls, unsigned lanes);
/* Lanes whose indices follow each other may lie side by side, and moving them
 * as a row is possible: the machine has masks for it, or all lanes run. */
bool sw_jit_may_be_a_row(const sw_jit_emit *e, const sw_jit_access *a);
/* The lanes of a vector that make a row. */
LLVMValueRef sw_jit_row_of(const sw_jit_emit *e, const sw_jit_rows *rows,
                           LLVMValueRef lanes, unsigned row);
/* The element of so many bytes that is packed in a word of each lane `byte`
 * bytes from its beginning. */
LLVMValueRef sw_jit_unpack(sw_jit_emit *e, LLVMValueRef word, unsigned byte,
                           unsigned bytes, unsigned lanes);
/* Element k of the instruction becomes its register's, if it has one. */
void sw_jit_write_element(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                          LLVMValueRef x);
/* The same with element k of the access: of packed ones all. */
void sw_jit_write_loaded(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                         LLVMValueRef x);
/* Brings the window of a flat access by lanes to where its first lane is. */
void sw_jit_move_window(sw_jit_emit *e, const sw_jit_access *a);
/* Element k of all lanes, cut to what memory holds. */
LLVMValueRef sw_jit_stored(sw_jit_emit *e, const sw_jit_access *a, unsigned k);
void sw_jit_store_by_mask(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef pointer,
                          unsigned align, LLVMValueRef mask);
/* The machine has masked loads and stores of the elements. */
bool sw_jit_has_masks(const sw_jit_emit *e, const sw_jit_access *a);
/* Part i of packed elements, together with those before it. */
LLVMValueRef sw_jit_put_in(sw_jit_emit *e, const sw_jit_access *a,
                           LLVMValueRef before, LLVMValueRef x, unsigned i,
                           unsigned lanes);

/* ---- emit/access_pages.c ---- */

/* i1: `ok`, that a window holds what the lanes that run access, or each of them
 * has accessible pages there. addresses: i64 by lane, of so many bytes, aligned
 * to 1 << shift. Moves the window to the first one if it holds none. */
LLVMValueRef sw_jit_or_in_pages(sw_jit_emit *e, LLVMValueRef ok, uint32_t site,
                                LLVMValueRef addresses, unsigned extent,
                                unsigned shift);
/* The same of one address (i64): its window has only to be moved. */
LLVMValueRef sw_jit_or_moved(sw_jit_emit *e, LLVMValueRef ok, uint32_t site,
                             LLVMValueRef address, unsigned shift);

/* ---- emit/access_affine.c ---- */

/* Of a group in shared memory, some of whose lanes do not run, the offset of
 * the lowest lane (i64), as a small number, maybe below 0; and if it is WIDE,
 * its 32-bit part. */
LLVMValueRef sw_jit_part_start(sw_jit_emit *e, const sw_jit_access *a,
                               const sw_jit_group *g);
LLVMValueRef sw_jit_narrow_part(sw_jit_emit *e, const sw_jit_access *a,
                                const sw_jit_group *g);
/* Where an access to shared memory is known to be, in all lanes that run: one
 * group, which needs no test. False: it is not. */
bool sw_jit_find_places(sw_jit_emit *e, sw_jit_access *a);
/* The groups of an affine address; false: too many, or never aligned. */
bool sw_jit_split(const sw_jit_emit *e, sw_jit_access *a);
/* Their tests, and where they begin. a->ok: what is still to be asked. */
void sw_jit_test_groups(sw_jit_emit *e, sw_jit_access *a);

/* ---- emit/access_gather.c ---- */

/* i1: ok holds in all lanes that run. */
LLVMValueRef sw_jit_masked_all(sw_jit_emit *e, LLVMValueRef ok);
/* From registers; an access to flat memory gets its site. */
void sw_jit_find_lanes(sw_jit_emit *e, sw_jit_access *a, sw_jit_lanes_at *at);
/* What `a` says of them. */
void sw_jit_set_lanes(sw_jit_emit *e, sw_jit_access *a,
                      const sw_jit_lanes_at *at);
/* The same, and the test, a->ok. */
void sw_jit_test_lanes(sw_jit_emit *e, sw_jit_access *a,
                       const sw_jit_lanes_at *at);
/* If it has failed, each lane's page: they may have different allocations.
 * Takes a fifth longer where what follows is known to depend on the test. */
void sw_jit_test_pages(sw_jit_emit *e, sw_jit_access *a,
                       const sw_jit_lanes_at *at);
/* All but that. */
void sw_jit_prepare_lanes(sw_jit_emit *e, sw_jit_access *a);
/* Pointers of element k. safe: lanes that do not run point where reading does
 * no harm. */
LLVMValueRef sw_jit_lane_pointers(sw_jit_emit *e, const sw_jit_access *a,
                                  unsigned k, bool safe);
/* Of a store, what is lane t ^ turn's at t. The machine's scatters begin with
 * the lowest. */
LLVMValueRef sw_jit_in_turn(sw_jit_emit *e, LLVMValueRef x, unsigned turn);
/* The same, that way; lanes that do not run have any. */
LLVMValueRef sw_jit_pointers_in_turn(sw_jit_emit *e, const sw_jit_access *a,
                                     unsigned k);
/* i1: the lanes that run lie in rows of `lanes` neighbours; in shared memory
 * the others too, so that their elements can be written back. */
LLVMValueRef sw_jit_lie_in_rows(sw_jit_emit *e, const sw_jit_access *a,
                                unsigned lanes, sw_jit_rows *rows);
/* How many lanes' elements are moved at once. For an observer: all, as it is
 * told of one row. */
unsigned sw_jit_row_lanes(const sw_jit_emit *e, const sw_jit_access *a);
/* Whether the gather or scatter at hand shall be loads or stores lane by lane,
 * faster on some processors than what they have for it. They are hundreds of
 * instructions: each yes is counted, and after some it is no, as compiling
 * them would take too long. */
bool sw_jit_gathers_inline(sw_jit_emit *e);
/* Of fused warps, those without lanes that run had better be passed by.
 * Elements k of the lanes are moved so, x or NULL: what is stored; what is
 * loaded. By the machine's gathers and scatters, which it has. */
bool sw_jit_skips_warps(const sw_jit_emit *e, const sw_jit_access *a);
LLVMValueRef sw_jit_move_by_warps(sw_jit_emit *e, const sw_jit_access *a,
                                  unsigned k, LLVMValueRef x);
/* Element k of the lanes that run, as memory has it. */
LLVMValueRef sw_jit_gather(sw_jit_emit *e, const sw_jit_access *a, unsigned k);

#endif
