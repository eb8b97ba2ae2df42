/* SPDX-License-Identifier: Apache-2.0 */
/* shape_private.h - between shape.c and divergence.c. */
#ifndef SW_SHAPE_PRIVATE_H
#define SW_SHAPE_PRIVATE_H
#include "opt/shape.h"

/* From the registers' shapes so far: which terminators part lanes, which
 * blocks are divergent, who is parked. Only adds. True if anything was. */
bool sw_shapes_find_divergence(sw_shapes *shapes);

/* In loops with several entries positions do not tell who waits where: every
 * block is divergent, and lanes may be parked anywhere. */
void sw_shapes_give_up(sw_shapes *shapes);

#endif
