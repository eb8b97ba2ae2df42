/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - the record of a device fault; see engine.h and exec.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/pool.h"

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
describe_address(uint64_t address, const sw_mem_view *view, sw_buf *out)
{
    sw_mem_range r;
    if (address < 4096)
        sw_buf_printf(out, "\n    address: 0x%" PRIx64 " (a null pointer)",
                      address);
    else if (address - view->base >= view->bytes)
        sw_buf_printf(out,
                      "\n    address: 0x%" PRIx64
                      " (not a device address; a host pointer?)",
                      address);
    else
        sw_buf_printf(out, "\n    address: 0x%" PRIx64, address);
    if (!sw_mem_nearest(address, &r))
        return;
    uint64_t apart = address < r.base ? r.base - address : address - r.base;
    if (apart > r.bytes + NEAR)
        return;
    if (address < r.base)
        sw_buf_printf(out,
                      "\n    nearest allocation: %" PRIu64
                      " bytes of %s at 0x%" PRIx64 ", %" PRIu64
                      " bytes behind the address",
                      r.bytes, kind_text(r.kind), r.base, r.base - address);
    else if (address - r.base < r.bytes)
        sw_buf_printf(out,
                      "\n    inside an allocation: byte %" PRIu64 " of %" PRIu64
                      " bytes of %s at 0x%" PRIx64,
                      address - r.base, r.bytes, kind_text(r.kind), r.base);
    else
        sw_buf_printf(
            out,
            "\n    nearest allocation: %" PRIu64 " bytes of %s at 0x%" PRIx64
            ", ends %" PRIu64 " bytes before the address",
            r.bytes, kind_text(r.kind), r.base, address - r.base - r.bytes);
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

void
sw_engine_fault(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                uint32_t lane, sw_status status, int about, uint64_t address,
                const char *fmt, ...)
{
    sw_blk *blk = warp->blk;
    sw_grid *grid = blk->grid;
    sw_fault fault = {.status = status, .address = address};
    sw_buf text;
    sw_buf_init(&text);
    va_list args;
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);

    snprintf(fault.kernel, sizeof fault.kernel, "%s",
             blk->program->kernel->name);
    bool is_thread = lane < SW_WARP_LANES;
    memcpy(fault.block, blk->ctaid, sizeof fault.block);
    find_thread(blk, is_thread ? warp->index * SW_WARP_LANES + lane : 0,
                &fault);
    sw_buf_printf(&text, "\n    kernel: %s", fault.kernel);
    if (fn && ins) {
        sw_ins_place(fn, ins, fault.place, sizeof fault.place);
        sw_buf_printf(&text, "\n    at: %s", fault.place);
        if (ins->loc)
            sw_buf_printf(&text, " (%s:%u)", fn->module->name, ins->line);
        fn = function_around(fn, ins->line);
        if (strcmp(fn->name, fault.kernel) != 0)
            sw_buf_printf(&text, ", in function %s", fn->name);
    }
    sw_buf_printf(&text, "\n    block: (%u,%u,%u)", fault.block[0],
                  fault.block[1], fault.block[2]);
    if (is_thread)
        sw_buf_printf(&text, ", thread: (%u,%u,%u)", fault.thread[0],
                      fault.thread[1], fault.thread[2]);
    if (about == SW_FAULT_ADDRESS)
        describe_address(address, blk->mem, &text);
    snprintf(fault.text, sizeof fault.text, "%s", text.p);
    sw_buf_finish(&text);

    pthread_mutex_lock(&grid->lock);
    if (grid->fault.status == SW_OK)
        grid->fault = fault;
    pthread_mutex_unlock(&grid->lock);
    atomic_store(&grid->stopped, true);
}
