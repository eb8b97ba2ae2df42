/* SPDX-License-Identifier: Apache-2.0 */
/* host_calls.c - calls that copy, fill and free; see host_calls.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/host_calls.h"

/* Directions of a copy that is not an argument, behind the numbers of
 * arguments. */
enum { ANY = 100, TO_DEVICE, TO_HOST, ON_DEVICE };

typedef enum { COPIES, FILLS, SYMBOLS } row_form;

/* Numbers of arguments; NONE where a call has none. Copies have no pitch but
 * those of rows. */
enum { NONE = 200 };
typedef struct {
    const char *name;
    row_form form;
    int to, to_pitch, from, from_pitch;
    int width, height;
    int kind; /* copy: or a direction; fill: bytes of one; symbol: the offset */
} copy_row;

static const copy_row copy_table[] = {
#define COPY(name, to, from, bytes, kind)                                      \
    {#name, COPIES, to, NONE, from, NONE, bytes, NONE, kind},
#define ROWS(name, to, to_pitch, from, from_pitch, width, height, kind)        \
    {#name, COPIES, to, to_pitch, from, from_pitch, width, height, kind},
#define FILL(name, to, count, unit)                                            \
    {#name, FILLS, to, NONE, NONE, NONE, count, NONE, unit},
#define FILL_ROWS(name, to, pitch, width, height, unit)                        \
    {#name, FILLS, to, pitch, NONE, NONE, width, height, unit},
#define SYMBOL(name, count, offset)                                            \
    {#name, SYMBOLS, NONE, NONE, NONE, NONE, count, NONE, offset},
#include "check/host_calls.def"
};

/* none: of an argument that the call does not have. */
static uint64_t
argument_of(const sw_watch_call *call, int i, uint64_t none)
{
    if (i == NONE)
        return none;
    return i < 6 ? call->ints[i] : call->stack[i - 6];
}

/* What a pointer is to a copy. */
typedef enum { HOST, DEVICE, BOTH } side; /* BOTH: pinned, managed */

/* What is wrong with a call. */
typedef struct {
    sw_check *check;
    const sw_watch_call *call;
    sw_find_kind kind;
    const char *message;
    const sw_allocation *allocation; /* NULL: none */
} complaint;

static void
say(const complaint *c)
{
    sw_findings *set = c->check->findings;
    sw_buf stack, key;
    sw_buf_init(&stack);
    sw_buf_init(&key);
    sw_stack_print(sw_stack_take(), &stack);
    sw_buf_printf(&key, "%s\n%s", c->call->name, stack.p ? stack.p : "");
    sw_find_report r = {.kind = c->kind, .message = c->message, .key = key.p};
    sw_finding *f = sw_findings_begin(set, &r);
    if (f) {
        if (stack.n)
            sw_findings_detail(set, f, "called at", "%s", stack.p);
        if (c->allocation) {
            key.n = 0;
            sw_check_describe(&c->allocation->range, c->allocation->allocated,
                              &key);
            sw_findings_detail(set, f, "allocation", "%s", key.p);
        }
        if (c->allocation && c->allocation->freed) {
            key.n = 0;
            sw_stack_print(c->allocation->freed, &key);
            sw_findings_detail(set, f, "freed at", "%s", key.p);
        }
        sw_findings_end(set);
    }
    sw_buf_finish(&stack);
    sw_buf_finish(&key);
}

/* ---- copies and fills ---- */

static side
side_of(sw_allocations *all, uint64_t addr)
{
    sw_allocation a;
    if (!sw_allocations_find(all, addr, &a))
        return HOST;
    return a.range.kind == SW_MEMORY_DEVICE || a.range.kind == SW_MEMORY_MODULE
               ? DEVICE
               : BOTH;
}

/* A range that the call touches; `what` is what the range is to it. */
static void
check_range(complaint *c, sw_allocations *all, const char *what, uint64_t addr,
            uint64_t bytes)
{
    sw_allocation a;
    char message[240];
    bool is_live = sw_allocations_find(all, addr, &a);
    if (!bytes || (is_live && bytes <= a.range.addr + a.range.bytes - addr))
        return;
    bool was_freed = !is_live && sw_allocations_find_freed(all, addr, &a);
    if (!is_live && !was_freed)
        return; /* the program's own memory */
    complaint own = *c;
    if (was_freed) {
        own.kind = SW_FIND_USE_AFTER_FREE;
        snprintf(message, sizeof message, "%s: %s has been freed",
                 c->call->name, what);
    } else {
        snprintf(message, sizeof message,
                 "%s: %" PRIu64 " bytes from byte %" PRIu64
                 " of %s, which has %" PRIu64,
                 c->call->name, bytes, addr - a.range.addr, what,
                 a.range.bytes);
    }
    own.message = message;
    own.allocation = &a;
    say(&own);
}

static bool
is_wrong_way(int kind, side to, side from)
{
    switch (kind) {
    case TO_DEVICE:
        return to == HOST || from == DEVICE;
    case TO_HOST:
        return to == DEVICE || from == HOST;
    case ON_DEVICE:
        return to == HOST || from == HOST;
    default:
        return false;
    }
}

/* cudaMemcpyKind: 0 host to host, 1 to the device, 2 to the host, 3 on the
 * device, 4 by the pointers. */
static int
direction_of(const copy_row *row, const sw_watch_call *call)
{
    static const int kinds[] = {ANY, TO_DEVICE, TO_HOST, ON_DEVICE, ANY};
    if (row->kind >= ANY)
        return row->kind;
    uint64_t kind = (uint32_t)argument_of(call, row->kind, 0);
    return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : ANY;
}

/* Bytes from the first to the last of `height` rows. */
static uint64_t
extent_of(uint64_t width, uint64_t height, uint64_t pitch)
{
    return width && height ? (height - 1) * pitch + width : 0;
}

/* The API knows how large the variable is: it has refused the call. */
static void
check_symbol(complaint *c, const copy_row *row)
{
    char message[200];
    if (c->call->result != SW_E_INVAL)
        return;
    snprintf(message, sizeof message,
             "%s: %" PRIu64 " bytes from byte %" PRIu64
             " of the variable, which has fewer",
             c->call->name, argument_of(c->call, row->width, 0),
             argument_of(c->call, row->kind, 0));
    c->message = message;
    say(c);
}

static void
check_copy(sw_check *check, sw_allocations *all, const sw_watch_call *call,
           const copy_row *row)
{
    complaint c = {.check = check, .call = call, .kind = SW_FIND_MEMCPY_OOB};
    if (row->form == SYMBOLS) {
        check_symbol(&c, row);
        return;
    }
    uint64_t to = argument_of(call, row->to, 0);
    uint64_t width = argument_of(call, row->width, 0) *
                     (row->form == FILLS ? (uint64_t)row->kind : 1);
    uint64_t height = argument_of(call, row->height, 1);
    uint64_t bytes =
        extent_of(width, height, argument_of(call, row->to_pitch, width));
    if (row->form == FILLS) {
        c.kind = SW_FIND_MEMSET_OOB;
        check_range(&c, all, "the memory", to, bytes);
        return;
    }
    uint64_t from = argument_of(call, row->from, 0);
    check_range(&c, all, "the destination", to, bytes);
    check_range(
        &c, all, "the source", from,
        extent_of(width, height, argument_of(call, row->from_pitch, width)));
    static const char *const sides[] = {[HOST] = "host memory",
                                        [DEVICE] = "device memory",
                                        [BOTH] = "pinned or managed memory"};
    side a = side_of(all, to), b = side_of(all, from);
    char message[160];
    if (!bytes || !is_wrong_way(direction_of(row, call), a, b))
        return;
    snprintf(message, sizeof message,
             "%s: the destination is %s and the source %s", call->name,
             sides[a], sides[b]);
    c.kind = SW_FIND_MEMCPY_DIRECTION;
    c.message = message;
    say(&c);
}

/* ---- frees ---- */

static bool
is_free(const char *name)
{
    static const char *const names[] = {"cudaFree",      "cudaFreeHost",
                                        "cudaFreeAsync", "cuMemFree",
                                        "cuMemFreeHost", "cuMemFreeAsync"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* A free that the API refused. */
static void
check_free(sw_check *check, sw_allocations *all, const sw_watch_call *call)
{
    uint64_t addr = call->ints[0];
    sw_allocation a;
    char message[160];
    complaint c = {.check = check,
                   .call = call,
                   .kind = SW_FIND_BAD_FREE,
                   .message = message,
                   .allocation = &a};
    if (!addr || call->result != SW_E_INVAL)
        return;
    if (sw_allocations_find(all, addr, &a)) {
        snprintf(message, sizeof message,
                 "%s: byte %" PRIu64 " of an allocation, or of another kind",
                 call->name, addr - a.range.addr);
    } else if (sw_allocations_find_freed(all, addr, &a)) {
        snprintf(message, sizeof message, "%s: it has been freed before",
                 call->name);
    } else {
        snprintf(message, sizeof message, "%s: 0x%" PRIx64 " is no allocation",
                 call->name, addr);
        c.allocation = NULL;
    }
    say(&c);
}

void
sw_check_host_call(sw_check *check, sw_allocations *allocations,
                   const sw_watch_call *call)
{
    if (is_free(call->name)) {
        check_free(check, allocations, call);
        return;
    }
    for (size_t i = 0; i < sizeof copy_table / sizeof *copy_table; i++)
        if (strcmp(copy_table[i].name, call->name) == 0)
            check_copy(check, allocations, call, &copy_table[i]);
}
