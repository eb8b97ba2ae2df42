/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_request.h - for tests that compile a kernel and do not run it.
 */
#ifndef JIT_REQUEST_H
#define JIT_REQUEST_H
#include "check.h"
#include "interp/interp.h"
#include "jit/abi.h"
#include "kernel.h"

/* A kernel of PTX, and what compiles it for warps of blocks of ntid threads. */
typedef struct {
    kernel kernel;
    uint32_t *frame_slots;
    sw_jit_request request;
} jit_kernel;

static inline uint32_t
jit_shared_offset(void *arg, sw_sym *sym)
{
    return sw_program_shared_offset(arg, sym);
}

/* jit_kernel_destroy. */
static inline void
jit_kernel_create(jit_kernel *j, const char *text, const char *cpu,
                  const uint32_t ntid[3], uint32_t shared_bytes)
{
    CHECK(kernel_create(&j->kernel, text, 0));
    const sw_fn *fn = j->kernel.program->kernel;
    sw_cfg *cfg = sw_cfg_create(fn);
    j->frame_slots = sw_alloc(fn->reg_count * sizeof *j->frame_slots);
    sw_interp_place_registers(fn, cfg, j->frame_slots);
    sw_cfg_destroy(cfg);
    j->request = (sw_jit_request){.kernel = fn,
                                  .frame_slots = j->frame_slots,
                                  .shared_offset = jit_shared_offset,
                                  .shared_bytes = shared_bytes,
                                  .arg = j->kernel.program,
                                  .cpu = cpu};
    sw_lane_map_init(&j->request.map, ntid, 32);
}

static inline void
jit_kernel_destroy(jit_kernel *j)
{
    sw_free(j->frame_slots);
    kernel_destroy(&j->kernel);
}

#endif
