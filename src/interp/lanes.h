/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h - names of what lanes.c, memory.c, texture_*.c and matrix_*.c
 * define once for each vector extension. SW_VARIANT is set
 * by the build: v2, v3, v4 (x86-64 levels) or base.
 */
#ifndef SW_LANES_H
#define SW_LANES_H
#include "interp/interp.h"

/* The loop over lanes. Its iterations do not depend on each other: operands
 * are the same array or apart. */
#if defined(__clang__)
#define LANES                                                                  \
    _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < 32; i++)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < 32; i++)
#endif

#define SW_LANE_JOIN_(a, b) a##b
#define SW_LANE_JOIN(a, b)  SW_LANE_JOIN_(a, b)
#define SW_LANE_TEXT_(a)    #a
#define SW_LANE_NAME(v)     SW_LANE_TEXT_(v)
#define SW_LANE_SET(v)      SW_LANE_JOIN(sw_lanes_, v)
#define SW_LANE_LOAD(v)     SW_LANE_JOIN(sw_lanes_load_, v)
#define SW_LANE_STORE(v)    SW_LANE_JOIN(sw_lanes_store_, v)
#define SW_LANE_PLAN(v)     SW_LANE_JOIN(sw_lanes_plan_, v)
#define SW_LANE_SURFACE(v)  SW_LANE_JOIN(sw_lanes_surface_, v)
#define SW_LANE_MULTIPLY(v) SW_LANE_JOIN(sw_lanes_multiply_, v)
#define SW_LANE_TRANSFER(v) SW_LANE_JOIN(sw_lanes_transfer_, v)
#define SW_LANE_FLOATS(v)   SW_LANE_JOIN(sw_lanes_floats_, v)
#define SW_LANE_APART(v)    SW_LANE_JOIN(sw_lanes_apart_, v)
#define SW_LANE_INTEGERS(v) SW_LANE_JOIN(sw_lanes_integers_, v)
#define SW_LANE_DOUBLES(v)  SW_LANE_JOIN(sw_lanes_doubles_, v)

bool SW_LANE_LOAD(SW_VARIANT)(sw_run *run, const sw_dins *d, uint32_t mask);
bool SW_LANE_STORE(SW_VARIANT)(sw_run *run, const sw_dins *d, uint32_t mask);
bool SW_LANE_PLAN(SW_VARIANT)(sw_tex_plan *p, const struct sw_texture *t,
                              const struct sw_sampler *s, sw_geom geom,
                              bool is_int);
bool SW_LANE_SURFACE(SW_VARIANT)(sw_tex_plan *p, const struct sw_texture *t,
                                 sw_geom geom, const sw_tex_surface *how);
bool SW_LANE_MULTIPLY(SW_VARIANT)(const sw_matrix_plan *plan,
                                  const void *const a[], const void *const b[],
                                  const void *const c[], void *const d[]);
void SW_LANE_TRANSFER(SW_VARIANT)(const sw_matrix_plan *plan, uint8_t *base,
                                  uint64_t stride, void *const regs[],
                                  bool to_memory);
/* Products by a plan: a, b and c by registers; out: d's, not yet where they
 * belong. False: not all is finite; FLOATS: or too small or large for it. Of
 * DOUBLES: some sums are NaNs. */
bool SW_LANE_FLOATS(SW_VARIANT)(const sw_matrix_plan *plan,
                                const void *const a[], const void *const b[],
                                const void *const c[], uint32_t (*out)[32]);
bool SW_LANE_APART(SW_VARIANT)(const sw_matrix_plan *plan,
                               const void *const a[], const void *const b[],
                               const void *const c[], uint32_t (*out)[32]);
void SW_LANE_INTEGERS(SW_VARIANT)(const sw_matrix_plan *plan,
                                  const void *const a[], const void *const b[],
                                  const void *const c[], uint32_t (*out)[32]);
bool SW_LANE_DOUBLES(SW_VARIANT)(const sw_matrix_plan *plan,
                                 const void *const a[], const void *const b[],
                                 const void *const c[], double (*out)[32]);

#endif
