/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.h - how the values of a warp's lanes differ, and where its lanes part.
 * What is said of a warp here holds as well for *fused* ones: two, four or
 * eight that run together as one of 64 to 256 lanes.
 *
 * A register is *uniform* (all lanes hold one value), *affine* (a uniform base
 * plus a constant for each lane), *wide* (64 bits made of a 32-bit affine
 * value that may wrap), or *varying*. Lane constants are known because a
 * kernel is looked at for one way in which warps lie in a block (sw_lane_map).
 *
 * A block is divergent if only some of a warp's lanes may run it while others
 * are elsewhere. Lanes that wait are *parked* at a block's entry, in the order
 * of sw_cfg positions; a register that one of those places still needs keeps
 * its value in the parked lanes: a write must blend. Not so for lanes that are
 * all that run the code which writes: they are not there while they wait.
 *
 * A snapshot like sw_cfg. Does NOT change the function.
 */
#ifndef SW_SHAPE_H
#define SW_SHAPE_H
#include "opt/liveness.h"

enum { SW_LANES_MAX = 256 };

/* If no extent of the grid is more than this, the index of a thread in the grid
 * has 31 bits: blocks have at most 1,024 threads. */
enum { SW_GRID_SMALL = 1 << 20 };

/* How the lanes of every warp of a block lie in it: lane i of a warp is thread
 * tid0 + (lane[0][i], lane[1][i], lane[2][i]), tid0 that of lane 0. */
typedef struct {
    uint16_t lanes;     /* 32, or 64, 128, 256: of fused warps */
    bool is_regular[3]; /* false: no such rule for this coordinate */
    bool is_large_grid; /* see SW_GRID_SMALL */
    bool is_full;       /* all warps of the block have all their lanes */
    bool is_line;       /* blocks extend along x only */
    bool is_block;      /* the warp, or the fused ones, are all of a block, of
                           `ntid` threads;
                           lane 0 is thread (0, 0, 0) */
    bool is_placed;     /* of all warps of such blocks it is the one whose
                           lane 0 is thread `first` */
    uint16_t ntid[3];   /* of the block; 0 if not is_block or is_placed */
    uint16_t first[3];  /* 0 if not is_placed */
    uint8_t align[3];   /* tid0[k] is a multiple of 1 << align[k] */
    uint8_t ntid_align; /* ... and ntid.x of 1 << ntid_align */
    uint8_t lane[3][SW_LANES_MAX]; /* of the regular coordinates */
} sw_lane_map;

/* The map of a block of ntid threads (at most 1,024), for 32, 64, 128 or 256
 * lanes; of a grid that is not large. */
void sw_lane_map_init(sw_lane_map *map, const uint32_t ntid[3], uint32_t lanes);
/* Of a block that has one plane and several groups of fused warps of that many
 * lanes, all full: how many groups; 0: the block is not so. */
uint32_t sw_lane_map_fused_count(const uint32_t ntid[3], uint32_t lanes);
/* The map of one of them. */
void sw_lane_map_init_fused(sw_lane_map *map, const uint32_t ntid[3],
                            uint32_t lanes, uint32_t number);
/* Where rows of a plane are neither a part nor a multiple of a warp, the warps
 * of a block begin at different places of a row, and again so after as many
 * warps: their phases. Phase of warp w: w % the number; 1 if they are all alike
 * or there is more than a plane. */
uint32_t sw_lane_map_phases(const uint32_t ntid[3]);
/* The map of the warps of 32 lanes of one phase. tid0 is (0, y, 0), y that of
 * lane 0: `lane` has x as it is. */
void sw_lane_map_init_phase(sw_lane_map *map, const uint32_t ntid[3],
                            uint32_t phase);

typedef enum {
    SW_SHAPE_NONE, /* of register 0 */
    SW_SHAPE_UNIFORM,
    SW_SHAPE_AFFINE,
    SW_SHAPE_EXTENDED,
    SW_SHAPE_VARYING
} sw_shape_kind;

/*
 * The value of lane i, in the register's width and modulo it:
 *   UNIFORM  base
 *   AFFINE   base + c[i] + s * v[i]
 *   WIDE     base + d[i] + scale * extend(narrow + c[i] + s * v[i])
 * base, s and narrow are uniform and known when the program runs; c, v and d
 * are known here (v, d NULL: no such term; small numbers). In WIDE narrow and s
 * have 32 bits, and their sum wraps before it is extended.
 */
typedef struct {
    uint8_t kind;
    bool is_signed; /* WIDE: sign extension */
    uint8_t align;  /* UNIFORM, AFFINE: base is a multiple of 1 << align */
    uint32_t max;   /* UNIFORM, AFFINE: every lane's value is in [0, max];
                       UINT32_MAX: not known */
    int64_t scale;
    const int32_t *c, *v, *d; /* [map.lanes], interned: equal contents, equal
                                 pointers */
} sw_shape;

/* How an affine or wide result comes about. a, b, c: sources. */
typedef enum {
    SW_RULE_NONE,   /* from the whole values */
    SW_RULE_COPY,   /* a */
    SW_RULE_ADD,    /* a + b */
    SW_RULE_SUB,    /* a - b */
    SW_RULE_MUL,    /* a * b; the uniform one is `factor` */
    SW_RULE_MAD,    /* (a * b) + c */
    SW_RULE_MASK,   /* a & imm, the base vanishes */
    SW_RULE_CLEAR,  /* a & imm, the base is untouched */
    SW_RULE_SHR,    /* a >> imm, parts alone */
    SW_RULE_WIDEN,  /* to 64 bits */
    SW_RULE_NARROW, /* to 32 bits */
    SW_RULE_BASES   /* of the bases alone; uniform */
} sw_rule;

typedef struct {
    sw_rule rule;
    unsigned factor;  /* MUL, MAD: which source (0 or 1) is uniform */
    bool is_constant; /* ... and an immediate, in `number` */
    int64_t number;   /* MUL, MAD by an immediate; MASK, CLEAR, SHR */
    bool widens;      /* MUL, MAD: mul.wide, mad.wide */
    bool is_signed;   /* WIDEN, and MUL that widens */
    sw_shape product; /* MAD: of a * b */
} sw_rule_use;

typedef struct {
    const sw_fn *fn;
    const sw_cfg *cfg;
    const sw_liveness *live;
    sw_lane_map map;
    sw_shape *regs;     /* [reg_count] */
    bool *is_divergent; /* [block_count] only some of the lanes may be there */
    bool *diverges;     /* [block_count] lanes may diverge at its terminator */
    uint32_t *head;     /* [block_count] the block, an earlier one or itself,
                             with which lanes come to it, never at another time
                             and never others; or SW_SHAPES_ROOT */
    uint64_t *parked;   /* [block_count][live->words] registers that lanes
                           parked elsewhere need while the block runs */
    bool *is_invariant; /* [reg_count] see invariants.h */
    sw_arena *arena;
    sw_vec lanes;    /* const int32_t *: interned constants */
    sw_vec reach;    /* see opt/reaching_definitions.h */
    bool is_looking; /* at what is reached: no further */
} sw_shapes;

/* cfg, live and fn outlive it. Owned by caller, sw_shapes_destroy. */
sw_shapes *sw_shapes_create(const sw_fn *fn, const sw_cfg *cfg,
                            const sw_liveness *live, const sw_lane_map *map);
void sw_shapes_destroy(sw_shapes *shapes);

/* The shape that a pure instruction's first result would have by itself, and
 * how it comes about. */
sw_shape sw_shapes_result(sw_shapes *shapes, const sw_ins *ins,
                          sw_rule_use *use);
/* Of a special register. */
sw_shape sw_shapes_sreg(sw_shapes *shapes, const sw_ins *ins);
/* Of an operand as a source: its register's, with the limits of what was
 * written last where that is certain. */
sw_shape sw_shapes_source(sw_shapes *shapes, const sw_ins *ins, unsigned i);
/* Of an affine or wide value: from the first lane's to the second one's, as far
 * as it is known here; else 0. */
int64_t sw_shape_step(const sw_shape *shape);

#define SW_SHAPES_ROOT UINT32_MAX /* head of what all lanes run */

/* Whether what is written there must leave the parked lanes' values alone. Of
 * lanes that do not run as well it is right to write what a base tells of all
 * of them, if they have no other value. */
static inline bool
sw_shapes_blends(const sw_shapes *s, uint32_t block, sw_reg reg,
                 const sw_shape *written)
{
    bool is_theirs = s->is_invariant[reg] && written->kind != SW_SHAPE_VARYING;
    return s->is_divergent[block] && !is_theirs &&
           (s->parked[block * s->live->words + reg / 64] >> (reg % 64) & 1);
}

#endif
