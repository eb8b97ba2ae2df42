/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - see work.h. */
#include "rt/work.h"
#include "rt/compute.h"
#include "rt/copy.h"
#include "rt/host.h"
#include "rt/memory.h"

enum {
    QUICK_BYTES = 64 << 10, /* moved before a worker would have been woken */
    QUICK_ROWS = 256
};

static bool
value_holds(const sw_rt_work *w)
{
    uint64_t now = w->value.bytes == 4
                       ? __atomic_load_n((uint32_t *)(uintptr_t)w->value.addr,
                                         __ATOMIC_ACQUIRE)
                       : __atomic_load_n((uint64_t *)(uintptr_t)w->value.addr,
                                         __ATOMIC_ACQUIRE);
    uint64_t want = w->value.value;
    switch (w->value.test) {
    case 0: /* cyclic */
        return w->value.bytes == 4
                   ? (int32_t)((uint32_t)now - (uint32_t)want) >= 0
                   : (int64_t)(now - want) >= 0;
    case 1:
        return now == want;
    case 2:
        return (now & want) != 0;
    default:
        return (now | want) != (w->value.bytes == 4 ? UINT32_MAX : UINT64_MAX);
    }
}

bool
sw_rt_work_is_possible(const sw_rt_work *w)
{
    if (w->kind == SW_RT_COPY) {
        const sw_rt_copy *c = &w->copy;
        return !c->width || !c->height || !c->depth ||
               (sw_rt_memory_has_rows(c->dst, c->width, c->height, c->depth,
                                      c->dst_pitch, c->dst_slice) &&
                sw_rt_memory_has_rows(c->src, c->width, c->height, c->depth,
                                      c->src_pitch, c->src_slice));
    }
    if (w->kind == SW_RT_FILL) {
        const sw_rt_fill *f = &w->fill;
        return !f->width || !f->height || !f->depth ||
               sw_rt_memory_has_rows(f->dst, f->width * f->elem_bytes,
                                     f->height, f->depth, f->pitch, f->slice);
    }
    if (w->kind == SW_RT_COMPUTE)
        return sw_rt_compute_is_possible(w->host.arg);
    return true;
}

void
sw_rt_work_execute(sw_rt_work *w, sw_rt_context *context)
{
    switch (w->kind) {
    case SW_RT_COPY:
    case SW_RT_FILL:
        if (!sw_rt_work_is_possible(w))
            sw_rt_context_fail(context, SW_E_ILLEGAL_ADDRESS);
        else if (w->kind == SW_RT_COPY)
            sw_rt_copy_execute(&w->copy);
        else
            sw_rt_fill_execute(&w->fill);
        break;
    case SW_RT_COMPUTE:
        sw_rt_compute_execute(w->host.arg, context);
        break;
    case SW_RT_HOST:
    case SW_RT_BLOCKING:
        w->host.fn(w->host.arg);
        break;
    case SW_RT_CALLBACK:
        w->callback.fn(w->callback.handle, (int)sw_rt_context_error(context),
                       w->callback.arg);
        break;
    case SW_RT_WRITE_VALUE:
        if (w->value.bytes == 4)
            __atomic_store_n((uint32_t *)(uintptr_t)w->value.addr,
                             (uint32_t)w->value.value, __ATOMIC_RELEASE);
        else
            __atomic_store_n((uint64_t *)(uintptr_t)w->value.addr,
                             w->value.value, __ATOMIC_RELEASE);
        break;
    case SW_RT_WAIT_VALUE:
        while (!value_holds(w) && sw_rt_context_error(context) == SW_OK)
            sw_rt_host_pause();
        break;
    default:
        SW_ASSERT(false && "no such work");
    }
}

bool
sw_rt_work_is_quick(const sw_rt_work *w)
{
    size_t bytes, rows;
    if (w->kind == SW_RT_COPY) {
        rows = w->copy.height * w->copy.depth;
        bytes = w->copy.width;
    } else if (w->kind == SW_RT_FILL) {
        rows = w->fill.height * w->fill.depth;
        bytes = w->fill.width * w->fill.elem_bytes;
    } else {
        return w->kind == SW_RT_EMPTY || w->kind == SW_RT_FREE_MEMORY ||
               w->kind == SW_RT_WRITE_VALUE;
    }
    return rows <= QUICK_ROWS && bytes <= QUICK_BYTES &&
           rows * bytes <= QUICK_BYTES;
}
