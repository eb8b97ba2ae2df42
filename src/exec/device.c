/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c - calls of the device runtime by threads of a kernel: arguments are
 * gathered here, memory is the engine's, the rest is left to
 * sw_env.device_call; see engine.h.
 */
#include <string.h>

#include "exec/pool.h"

enum { NOT_SUPPORTED = 801, OUT_OF_MEMORY = 2 }; /* cudaError_t */
enum { MOST_ALIGN = 8 };

/* Bytes that a call writes through its first argument; 0: none. */
static uint32_t
output_bytes(int call)
{
    switch (call) {
    case SW_DEVICE_DeviceGetAttribute:
    case SW_DEVICE_GetDevice:
    case SW_DEVICE_GetDeviceCount:
    case SW_DEVICE_OccupancyMaxActiveBlocksPerMultiprocessor:
    case SW_DEVICE_OccupancyMaxActiveBlocksPerMultiprocessorWithFlags:
    case SW_DEVICE_RuntimeGetVersion:
        return 4;
    case SW_DEVICE_DeviceGetLimit:
    case SW_DEVICE_EventCreateWithFlags:
    case SW_DEVICE_Malloc:
    case SW_DEVICE_StreamCreateWithFlags:
        return 8;
    case SW_DEVICE_FuncGetAttributes: /* its first seven, in every version */
        return 40;
    default:
        return 0;
    }
}

static void
gather(sw_device_call *c, const void *const *args, const uint32_t *bytes,
       uint32_t count)
{
    uint32_t dims = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] == sizeof c->dims[0] && dims < 2)
            memcpy(c->dims[dims++], args[i], sizeof c->dims[0]);
        else
            memcpy(&c->args[i], args[i], bytes[i] < 8 ? bytes[i] : 8);
    }
}

bool
sw_engine_device_call(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                      uint32_t lane, int call, const void *const *args,
                      const uint32_t *arg_bytes, uint32_t arg_count,
                      uint64_t *result)
{
    sw_blk *blk = warp->blk;
    sw_device_call c = {.call = call,
                        .block = blk->index,
                        .thread = warp->index * SW_WARP_LANES + lane};
    gather(&c, args, arg_bytes, arg_count);
    uint32_t bytes = output_bytes(call);
    void *owner = blk->grid->launch.owner;
    uint64_t value[SW_DEVICE_WORDS] = {0};
    uint32_t align = bytes < MOST_ALIGN ? bytes : MOST_ALIGN;
    *result = 0;
    if (bytes &&
        (c.args[0] % align || !sw_mem_is_accessible(c.args[0], bytes))) {
        sw_engine_fault(warp, fn, ins, lane, SW_E_ILLEGAL_ADDRESS,
                        SW_FAULT_ADDRESS, c.args[0],
                        "a function of the device runtime writes outside the "
                        "allocations");
        return false;
    }
    if (call == SW_DEVICE_Malloc) {
        value[0] = sw_engine_malloc(warp, c.args[1]);
        *result = value[0] || !c.args[1] ? 0 : OUT_OF_MEMORY;
    } else if (call == SW_DEVICE_Free) {
        sw_engine_free(warp, c.args[0]);
    } else if (blk->env->device_call && owner) {
        *result = blk->env->device_call(blk->env->arg, owner, &c, value);
    } else if (call != SW_DEVICE_GetParameterBuffer &&
               call != SW_DEVICE_GetParameterBufferV2) {
        *result = NOT_SUPPORTED;
    }
    if (bytes && (uint32_t)*result == 0)
        memcpy((void *)(uintptr_t)c.args[0], value, bytes);
    return true;
}
