/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - inside the compiler: a kernel as one LLVM function that runs a
 * warp, or two, four or eight fused warps as one of 64 to 256 lanes
 * (plan/fuse.c says when). The emitters read a plan (plan/plan.h) and make code
 * of it, and decide nothing that the plan could have decided.
 *
 * The emitters are levels; a header is one level, and each includes the one
 * below. A file calls files of its own level and of those below it, and no two
 * files call each other (scripts/check_cycles.sh):
 *
 *     state.h        0  what is known of the kernel and the place
 *     build.h        1  LLVM code in small pieces
 *     registers.h    2  what registers hold; the interpreter's frames
 *     exits.h        3  waiting, yielding, side exits, counting
 *     access.h       4  an access, its tests, its elements
 *     access_ways.h  4  the ways in which its data is moved
 *     instruction.h  5  instructions, one of each kind
 *     control.h      6  runs of instructions, loops, partitions
 *     emit.h         7  the kernel; what jit/llvm calls
 *
 * Control flow. Blocks that all lanes run together are plain code. Others are
 * laid out in the order of sw_cfg positions; each has a *reconvergence point*
 * with a pending mask: lanes that go there add themselves to the mask and the
 * warp goes on to the next point; a point without lanes is passed by. A loop's
 * back edge waits at a point of its own, the latch. Blocks that the same lanes
 * always run together need one point, that of the first of them, their
 * *head*. So lanes meet where the interpreter's do.
 *
 * Parts. A large kernel is several LLVM functions, each in a module of its own,
 * which are compiled side by side: emit/partition.c.
 */
#ifndef SW_JIT_EMIT_H
#define SW_JIT_EMIT_H
#include "jit/emit/control.h"

/* All but the code, of the request, which outlives it; e->ll has what there is
 * of the target, and a context. Returns how many parts there are. */
uint32_t sw_jit_emit_open(sw_jit_emit *e, const sw_jit_request *rq);
/* One after the other, each into the empty module of e->ll, whose context is
 * its own. */
void sw_jit_emit_part(sw_jit_emit *e, uint32_t part);
void sw_jit_emit_finish(sw_jit_emit *e);

#endif
