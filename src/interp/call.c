/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - passing arguments and results, and calls of the functions that the
 * engine provides.
 */
#include <string.h>

#include "interp/interp.h"

enum {
    BUILTIN_VPRINTF,
    BUILTIN_CL_PRINTF, /* OpenCL's */
    BUILTIN_MALLOC,
    BUILTIN_FREE,
    BUILTIN_ASSERT,
    BUILTIN_SET_CONDITIONAL,
    BUILTIN_DEVICE /* and on: SW_DEVICE_... */
};

enum { MOST_ARGUMENTS = 8 };

int
sw_interp_builtin_index(const char *name)
{
    static const char *const names[] = {
        [BUILTIN_VPRINTF] = "vprintf",
        [BUILTIN_CL_PRINTF] = "__softwarp_cl_printf",
        [BUILTIN_MALLOC] = "malloc",
        [BUILTIN_FREE] = "free",
        [BUILTIN_ASSERT] = "__assertfail",
        [BUILTIN_SET_CONDITIONAL] = "cudaGraphSetConditional",
    };
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    int device = sw_ir_device_call(name);
    return device < 0 ? -1 : BUILTIN_DEVICE + device;
}

/* Where the bytes of a parameter are for a lane. */
static uint8_t *
place(const sw_warp *warp, const sw_dformal *f, const sw_lane_ctx *x,
      uint32_t local, unsigned lane)
{
    if (f->is_slot)
        return warp->local + (uint64_t)lane * warp->blk->local_stride + local +
               f->slot;
    return (uint8_t *)sw_lane_ptr(x, f->ref) + (uint64_t)lane * f->bytes;
}

void
sw_interp_pass(sw_run *run, uint32_t mask, const sw_dformal *from,
               const sw_lane_ctx *from_x, uint32_t from_local,
               const sw_dformal *to, const sw_lane_ctx *to_x, uint32_t to_local)
{
    uint32_t bytes = from->bytes < to->bytes ? from->bytes : to->bytes;
    if (bytes == 0 && !from->is_slot && !to->is_slot) { /* predicates */
        uint32_t *to_bits = sw_lane_ptr(to_x, to->ref);
        uint32_t bits = *(uint32_t *)sw_lane_ptr(from_x, from->ref);
        *to_bits = (*to_bits & ~mask) | (bits & mask);
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        memcpy(place(run->warp, to, to_x, to_local, i),
               place(run->warp, from, from_x, from_local, i), bytes);
    }
}

/* The n-th argument of a call as a number. */
static uint64_t
argument(const sw_run *run, const sw_dcall *call, unsigned n, unsigned lane)
{
    uint64_t v = 0;
    if (n >= call->arg_count)
        return 0;
    const sw_dformal *f = &call->args[n];
    memcpy(&v, place(run->warp, f, &run->x, run->frame->local, lane),
           f->bytes < 8 ? f->bytes : 8);
    return v;
}

static void
result(const sw_run *run, const sw_dcall *call, unsigned lane, uint64_t v)
{
    if (call->ret_count == 0)
        return;
    const sw_dformal *f = &call->rets[0];
    memcpy(place(run->warp, f, &run->x, run->frame->local, lane), &v,
           f->bytes < 8 ? f->bytes : 8);
}

static bool
device_call(sw_run *run, const sw_dins *d, const sw_dcall *call, unsigned lane)
{
    const void *args[MOST_ARGUMENTS];
    uint32_t bytes[MOST_ARGUMENTS];
    uint32_t count =
        call->arg_count < MOST_ARGUMENTS ? call->arg_count : MOST_ARGUMENTS;
    for (uint32_t i = 0; i < count; i++) {
        const sw_dformal *f = &call->args[i];
        args[i] = place(run->warp, f, &run->x, run->frame->local, lane);
        bytes[i] = f->bytes;
    }
    uint64_t value;
    if (!sw_engine_device_call(run->warp, run->code->fn, d->ins, lane,
                               call->builtin - BUILTIN_DEVICE, args, bytes,
                               count, &value))
        return false;
    result(run, call, lane, value);
    return true;
}

/* Before what lanes free goes. */
static void
observe_free(sw_run *run, const sw_dcall *call, uint32_t mask)
{
    uint64_t addr[SW_WARP_LANES] = {0}, bytes[SW_WARP_LANES] = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        addr[i] = argument(run, call, 0, i);
    }
    sw_interp_observe_heap(run, mask, &(sw_ev_heap){true, addr, bytes});
}

bool
sw_interp_builtin(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_dcall *call = d->aux;
    bool ok = true;
    uint64_t addr[SW_WARP_LANES], bytes[SW_WARP_LANES];
    if (run->observe && call->builtin == BUILTIN_FREE)
        observe_free(run, call, mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t a = argument(run, call, 0, i), b = argument(run, call, 1, i);
        int32_t printed = 0;
        if (call->builtin >= BUILTIN_DEVICE) {
            if (!device_call(run, d, call, i))
                return false;
            continue;
        }
        switch (call->builtin) {
        case BUILTIN_VPRINTF:
        case BUILTIN_CL_PRINTF:
            if (!sw_engine_vprintf(run->warp, run->code->fn, d->ins, i, a, b,
                                   call->builtin == BUILTIN_CL_PRINTF,
                                   &printed))
                return false;
            result(run, call, i, (uint32_t)printed);
            break;
        case BUILTIN_MALLOC:
            bytes[i] = a;
            addr[i] = sw_engine_malloc(run->warp, a);
            result(run, call, i, addr[i]);
            break;
        case BUILTIN_FREE:
            sw_engine_free(run->warp, a);
            break;
        case BUILTIN_SET_CONDITIONAL: /* the handle is the value's address */
            if (a % 4 == 0 && sw_mem_is_accessible(a, 4))
                __atomic_store_n((uint32_t *)(uintptr_t)a, (uint32_t)b,
                                 __ATOMIC_RELEASE);
            break;
        default:
            sw_engine_assertfail(run->warp, run->code->fn, d->ins, i, a, b,
                                 (uint32_t)argument(run, call, 2, i),
                                 argument(run, call, 3, i));
            ok = false;
            break;
        }
    }
    if (run->observe && call->builtin == BUILTIN_MALLOC)
        sw_interp_observe_heap(run, mask, &(sw_ev_heap){false, addr, bytes});
    return ok;
}
