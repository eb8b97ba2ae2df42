/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - the record of a device fault; see engine.h and exec.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "exec/pool.h"
#include "mem/freed.h"

/* Bytes from an allocation beyond which it says nothing of an address: what a
 * wrong 32-bit index of 16-byte elements reaches. */
#define NEAR ((uint64_t)1 << 36)

bool
sw_engine_is_stopped(const sw_blk *blk)
{
    return atomic_load_explicit(&blk->grid->stopped, memory_order_relaxed);
}

static const char *
kind_text(sw_mem_kind kind)
{
    switch (kind) {
    case SW_MEM_DEVICE:
        return "device memory";
    case SW_MEM_HOST:
        return "pinned host memory";
    case SW_MEM_MANAGED:
        return "managed memory";
    case SW_MEM_REGISTERED:
        return "registered host memory";
    case SW_MEM_MODULE:
        return "a module's variables";
    case SW_MEM_HEAP:
        return "memory from malloc in a kernel";
    default:
        return "memory";
    }
}

static void
describe_range(const sw_mem_range *r, uint64_t address, sw_buf *out)
{
    const char *kind = kind_text(r->kind);
    if (address < r->base)
        sw_buf_printf(out,
                      "\n    nearest allocation: %" PRIu64
                      " bytes of %s at 0x%" PRIx64 ", %" PRIu64
                      " bytes behind the address",
                      r->bytes, kind, r->base, r->base - address);
    else if (address - r->base < r->bytes)
        sw_buf_printf(out,
                      "\n    inside an allocation: byte %" PRIu64 " of %" PRIu64
                      " bytes of %s at 0x%" PRIx64,
                      address - r->base, r->bytes, kind, r->base);
    else
        sw_buf_printf(out,
                      "\n    nearest allocation: %" PRIu64
                      " bytes of %s at 0x%" PRIx64 ", ends %" PRIu64
                      " bytes before the address",
                      r->bytes, kind, r->base, address - r->base - r->bytes);
}

/* An index of 32 bits that overflowed is wrong by 2^32, and the address by so
 * many elements: is there an allocation where it should be, or, of an index
 * that went below zero, just behind that? */
static bool
describe_overflow(uint64_t address, sw_buf *out)
{
    enum { MOST_BELOW = 4096 }; /* elements */
    for (unsigned shift = 0; shift <= 4; shift++) {
        uint64_t wrong = (uint64_t)1 << (32 + shift);
        sw_mem_range r;
        const uint64_t meant[] = {address + wrong, address - wrong};
        for (int i = 0; i < 2; i++) {
            uint64_t below = (uint64_t)MOST_BELOW << shift;
            bool is_below = i == 1 && sw_mem_nearest(meant[i], &r) &&
                            meant[i] < r.base && r.base - meant[i] <= below;
            if (!is_below && !sw_mem_find(meant[i], &r))
                continue;
            sw_buf_printf(out,
                          "\n    an index of 32 bits overflowed? The address "
                          "is 2^%u bytes %s ",
                          32 + shift, i == 0 ? "before" : "behind");
            if (is_below)
                sw_buf_printf(out, "index -%" PRIu64,
                              (r.base - meant[i]) >> shift);
            else
                sw_buf_printf(out, "byte %" PRIu64, meant[i] - r.base);
            sw_buf_printf(out, " of %" PRIu64 " bytes of %s at 0x%" PRIx64,
                          r.bytes, kind_text(r.kind), r.base);
            return true;
        }
    }
    return false;
}

/* Of what an instruction accesses at once; 0: not known. */
static uint64_t
access_bytes(const sw_ins *ins)
{
    return ins && ins->type != SW_T_NONE ? sw_type_bits(ins->type) / 8 : 0;
}

/* Far before the allocation: as an index of so large elements it is negative,
 * which a product of 32 bits is that was meant to be larger than 2^31. */
static void
describe_index(const sw_mem_range *r, uint64_t address, uint64_t bytes,
               sw_buf *out)
{
    enum { MUCH = 65536 }; /* elements: no slip at the edge of an array */
    uint64_t index = bytes ? (r->base - address + bytes - 1) / bytes : 0;
    if (address < r->base && index > MUCH && index <= (uint64_t)1 << 31)
        sw_buf_printf(out,
                      "\n    in elements of %" PRIu64
                      " bytes its index is -%" PRIu64
                      ": a product of 32 bits that overflowed (%" PRIu64 ")?",
                      bytes, index, ((uint64_t)1 << 32) - index);
}

static void
describe_address(uint64_t address, uint64_t bytes, const sw_mem_view *view,
                 sw_buf *out)
{
    sw_mem_range r, old;
    uint64_t age;
    bool is_ours = address - view->base < view->bytes;
    bool has_near = sw_mem_nearest(address, &r);
    uint64_t apart = !has_near                    ? UINT64_MAX
                     : address < r.base           ? r.base - address
                     : address - r.base < r.bytes ? 0
                                                  : address - r.base - r.bytes;
    sw_buf_printf(out, "\n    address: 0x%" PRIx64 "%s", address,
                  address < 4096  ? " (a null pointer)"
                  : is_ours       ? ""
                  : apart <= NEAR ? " (not a device address)"
                                  : " (not a device address; a host pointer?)");
    bool has_freed =
        !sw_mem_find(address, &r) && sw_mem_find_freed(address, &old, &age);
    if (has_freed)
        sw_buf_printf(
            out,
            "\n    freed: byte %" PRIu64 " of %" PRIu64
            " bytes of %s at 0x%" PRIx64
            ", which the program has freed (%" PRIu64 " others since)",
            address - old.base, old.bytes, kind_text(old.kind), old.base, age);
    if (has_freed || address < 4096 || describe_overflow(address, out) ||
        apart > NEAR || !sw_mem_nearest(address, &r))
        return;
    describe_range(&r, address, out);
    describe_index(&r, address, bytes, out);
}

static bool
has_line(const sw_fn *fn, uint32_t line)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            uint32_t at = fn->blocks[b]->ins[i]->line;
            first = at < first ? at : first;
            last = at > last ? at : last;
        }
    return first <= line && line <= last;
}

/* The function that has the line in the text, where fn may be a kernel with
 * others in it. */
static const sw_fn *
function_around(const sw_fn *fn, uint32_t line)
{
    for (uint32_t i = 0; i < fn->module->fn_count; i++)
        if (has_line(fn->module->fns[i], line))
            return fn->module->fns[i];
    return fn;
}

/* The line of the source; without one that of the PTX, and if that is in no
 * file either, what it is a line of. */
static void
add_place(const sw_fn *fn, const sw_ins *ins, const char *place, sw_buf *out)
{
    if (!ins->loc && *fn->module->name == '<')
        sw_buf_printf(out,
                      "\n    at: line %u of the kernel's PTX, which names no "
                      "lines of the source (-lineinfo)",
                      ins->line);
    else
        sw_buf_printf(out, "\n    at: %s", place);
}

/* Thread `t` of the block, and its block, as they were launched. */
static void
find_thread(const sw_blk *blk, uint32_t t, sw_fault *fault)
{
    const sw_coarsening *coarsening = &blk->program->coarsening;
    fault->thread[0] = t % blk->ntid[0];
    fault->thread[1] = t / blk->ntid[0] % blk->ntid[1];
    fault->thread[2] = t / blk->ntid[0] / blk->ntid[1];
    if (!coarsening->blocks)
        return;
    fault->block[0] = blk->ctaid[0] * coarsening->blocks +
                      fault->thread[0] / coarsening->threads_x;
    fault->thread[0] %= coarsening->threads_x;
}

static void
tell_fault(const sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
           uint32_t lane, const sw_fault *fault)
{
    const sw_blk *blk = warp->blk;
    const sw_observer *ob = blk->observer;
    if (!ob || !ob->fault || !(ob->events & SW_EV_FAULT) || !fn || !ins)
        return;
    bool is_window = ins->space == SW_SPACE_SHARED ||
                     ins->space == SW_SPACE_LOCAL ||
                     ins->space == SW_SPACE_PARAM;
    sw_ev_where where = {.block_index = blk->index,
                         .warp = warp->index,
                         .state = blk->observer_state,
                         .fn = fn,
                         .ins = ins,
                         .index = UINT32_MAX};
    memcpy(where.block, blk->ctaid, sizeof where.block);
    if (lane < SW_WARP_LANES)
        where.mask = where.active = 1u << lane;
    uint64_t at = fault->address;
    sw_ev_fault event = {.status = fault->status,
                         .lane = lane,
                         .space =
                             is_window ? (sw_space)ins->space : SW_SPACE_GLOBAL,
                         .address = at,
                         .is_host = !is_window && at >= 4096 &&
                                    at - blk->mem->base >= blk->mem->bytes};
    ob->fault(ob->arg, &where, &event);
}

/* Of what stands in the report before the place, and of the place that the
 * fault has or `ins` gives it. */
static void
record(sw_warp *warp, const sw_fn *fn, const sw_ins *ins, uint32_t lane,
       int about, sw_fault *fault, sw_buf *text)
{
    sw_blk *blk = warp->blk;
    sw_grid *grid = blk->grid;
    snprintf(fault->kernel, sizeof fault->kernel, "%s",
             blk->program->kernel->name);
    bool is_thread = lane < SW_WARP_LANES;
    memcpy(fault->block, blk->ctaid, sizeof fault->block);
    find_thread(blk, is_thread ? warp->index * SW_WARP_LANES + lane : 0, fault);
    sw_buf_puts(text, "\n    kernel: ");
    sw_demangle(fault->kernel, text);
    if (*fault->place) {
        sw_buf_printf(text, "\n    at: %s", fault->place);
    } else if (fn && ins) {
        sw_ins_place(fn, ins, fault->place, sizeof fault->place);
        add_place(fn, ins, fault->place, text);
        fn = function_around(fn, ins->line);
        if (strcmp(fn->name, fault->kernel) != 0) {
            sw_buf_puts(text, ", in function ");
            sw_demangle(fn->name, text);
        }
    }
    sw_buf_printf(text, "\n    block: (%u,%u,%u)", fault->block[0],
                  fault->block[1], fault->block[2]);
    if (is_thread)
        sw_buf_printf(text, ", thread: (%u,%u,%u)", fault->thread[0],
                      fault->thread[1], fault->thread[2]);
    if (about == SW_FAULT_ADDRESS)
        describe_address(fault->address, access_bytes(ins), blk->mem, text);
    snprintf(fault->text, sizeof fault->text, "%s", text->p);

    tell_fault(warp, fn, ins, lane, fault);
    pthread_mutex_lock(&grid->lock);
    if (grid->fault.status == SW_OK)
        grid->fault = *fault;
    pthread_mutex_unlock(&grid->lock);
    atomic_store(&grid->stopped, true);
}

void
sw_engine_fault(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                uint32_t lane, sw_status status, int about, uint64_t address,
                const char *fmt, ...)
{
    sw_fault fault = {.status = status, .address = address};
    sw_buf text;
    sw_buf_init(&text);
    va_list args;
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    record(warp, fn, ins, lane, about, &fault, &text);
    sw_buf_finish(&text);
}

void
sw_engine_fail_assertion(sw_warp *warp, uint32_t lane, const char *expression,
                         const char *function, const char *place)
{
    sw_fault fault = {.status = SW_E_ASSERT};
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text, "device-side assertion `%s` failed, %s, in %s",
                  expression, place, function);
    snprintf(fault.place, sizeof fault.place, "%s", place);
    record(warp, NULL, NULL, lane, SW_FAULT_PLAIN, &fault, &text);
    sw_buf_finish(&text);
}
