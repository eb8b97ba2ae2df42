/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - what all tools say of threads and memory; see check.h. */
#include <inttypes.h>
#include <string.h>

#include "check/check.h"

sw_find_threads
sw_check_threads_of(const sw_watch_launch *launch, const sw_ev_where *where,
                    uint32_t lanes)
{
    uint32_t lane = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
    uint32_t t = 32 * where->warp + lane;
    const uint32_t *n = launch->block;
    sw_find_threads threads = {
        .block_index = where->block_index,
        .thread = {t % n[0], t / n[0] % n[1], t / n[0] / n[1]},
        .lanes = lanes};
    memcpy(threads.block, where->block, sizeof threads.block);
    return threads;
}

void
sw_check_describe(const sw_mev_range *range, sw_stack_id allocated, sw_buf *out)
{
    static const char *const kinds[] = {
        [SW_MEMORY_DEVICE] = "device memory",
        [SW_MEMORY_HOST] = "pinned host memory",
        [SW_MEMORY_MANAGED] = "managed memory",
        [SW_MEMORY_REGISTERED] = "registered host memory",
        [SW_MEMORY_MODULE] = "a variable of a module",
        [SW_MEMORY_HEAP] = "memory from malloc in a kernel",
        [SW_MEMORY_INTERNAL] = "the engine's own memory"};
    sw_buf_printf(out, "%" PRIu64 " bytes of %s at 0x%" PRIx64, range->bytes,
                  kinds[range->kind], range->addr);
    if (!allocated)
        return;
    sw_buf_puts(out, ", allocated at\n");
    sw_stack_print(allocated, out);
}
