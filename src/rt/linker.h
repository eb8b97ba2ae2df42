/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linker.h - PTX of several modules made one container, as linkers do: each
 * input is parsed when it is added, and all are linked at the end, to say then
 * what is wrong with them. What is made holds the PTX as it was given: a loader
 * links it again.
 *
 * A link that failed stays so. One thread at a time. Needs no context.
 */
#ifndef SW_RT_LINKER_H
#define SW_RT_LINKER_H
#include "base/base.h"

typedef struct {
    int cc; /* of the device, times ten: chooses among the PTX of a container */
    sw_arena *arena;
    sw_vec inputs;        /* sw_fatbin_entry; texts in the arena */
    sw_vec parts;         /* sw_module *: the inputs parsed */
    sw_map *defined;      /* name of a symbol -> of the input that defines it */
    sw_status failed;     /* to link */
    sw_buf errors, infos; /* what has been said, a line each */
} sw_rt_linker;

void sw_rt_linker_init(sw_rt_linker *l, int cc);
void sw_rt_linker_finish(sw_rt_linker *l);

/*
 * Adds PTX, or a container, object or archive of which the PTX is taken
 * (sw_fatbin_units); copies it. Any other status than SW_OK: nothing was added.
 */
sw_status sw_rt_linker_add(sw_rt_linker *l, const void *data, size_t bytes,
                           const char *name);

/*
 * Links all and appends the container to `out`. `max_registers`: 0 for no
 * bound. SW_E_INVALID_SOURCE: they do not go together. The PTX of all inputs
 * are l->inputs until sw_rt_linker_finish.
 */
sw_status sw_rt_linker_link(sw_rt_linker *l, uint32_t max_registers,
                            sw_buf *out);

#endif
