/* SPDX-License-Identifier: Apache-2.0 */
/* interp_matrix_test.c - products of matrices by the lanes of a warp equal
 * those that sw_sem_matrix_mma makes, sum by sum. */
#include "check.h"
#include "interp/interp.h"
#include "sem/sem.h"

enum { REGS = 32, LANES = 32 };

typedef struct {
    uint16_t m, n, k;
    sw_type a, b, c, d;
    enum { MMA, WMMA, SPARSE } kind;
} product;

static const product products[] = {
    {16, 8, 8, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 8, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F16, MMA},
    {16, 8, 8, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F32, MMA},
    {16, 8, 8, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, MMA},
    {16, 8, 8, SW_T_BF16, SW_T_BF16, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F16, MMA},
    {16, 8, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F32, MMA},
    {16, 8, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, MMA},
    {16, 8, 16, SW_T_BF16, SW_T_BF16, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 4, SW_T_TF32, SW_T_TF32, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 8, SW_T_TF32, SW_T_TF32, SW_T_F32, SW_T_F32, MMA},
    {16, 16, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F32, WMMA},
    {16, 16, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F16, WMMA},
    {16, 16, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F32, WMMA},
    {16, 16, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, WMMA},
    {16, 16, 16, SW_T_BF16, SW_T_BF16, SW_T_F32, SW_T_F32, WMMA},
    {32, 8, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F32, WMMA},
    {32, 8, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F16, WMMA},
    {32, 8, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F32, WMMA},
    {32, 8, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, WMMA},
    {32, 8, 16, SW_T_BF16, SW_T_BF16, SW_T_F32, SW_T_F32, WMMA},
    {8, 32, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F32, WMMA},
    {8, 32, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F16, WMMA},
    {8, 32, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F32, WMMA},
    {8, 32, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, WMMA},
    {8, 32, 16, SW_T_BF16, SW_T_BF16, SW_T_F32, SW_T_F32, WMMA},
    {16, 16, 8, SW_T_TF32, SW_T_TF32, SW_T_F32, SW_T_F32, WMMA},
    {8, 8, 4, SW_T_F64, SW_T_F64, SW_T_F64, SW_T_F64, MMA},
    {8, 8, 4, SW_T_F64, SW_T_F64, SW_T_F64, SW_T_F64, WMMA},
    {16, 8, 4, SW_T_F64, SW_T_F64, SW_T_F64, SW_T_F64, MMA},
    {16, 8, 8, SW_T_F64, SW_T_F64, SW_T_F64, SW_T_F64, MMA},
    {16, 8, 16, SW_T_F64, SW_T_F64, SW_T_F64, SW_T_F64, MMA},
    {8, 8, 16, SW_T_S8, SW_T_S8, SW_T_S32, SW_T_S32, MMA},
    {8, 8, 16, SW_T_S8, SW_T_U8, SW_T_S32, SW_T_S32, MMA},
    {8, 8, 16, SW_T_U8, SW_T_S8, SW_T_S32, SW_T_S32, MMA},
    {8, 8, 16, SW_T_U8, SW_T_U8, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 16, SW_T_S8, SW_T_S8, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 16, SW_T_S8, SW_T_U8, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 16, SW_T_U8, SW_T_S8, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 16, SW_T_U8, SW_T_U8, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 32, SW_T_S8, SW_T_S8, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 32, SW_T_S8, SW_T_U8, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 32, SW_T_U8, SW_T_S8, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 32, SW_T_U8, SW_T_U8, SW_T_S32, SW_T_S32, MMA},
    {16, 16, 16, SW_T_S8, SW_T_S8, SW_T_S32, SW_T_S32, WMMA},
    {16, 16, 16, SW_T_U8, SW_T_U8, SW_T_S32, SW_T_S32, WMMA},
    {32, 8, 16, SW_T_S8, SW_T_S8, SW_T_S32, SW_T_S32, WMMA},
    {32, 8, 16, SW_T_U8, SW_T_U8, SW_T_S32, SW_T_S32, WMMA},
    {8, 32, 16, SW_T_S8, SW_T_S8, SW_T_S32, SW_T_S32, WMMA},
    {8, 32, 16, SW_T_U8, SW_T_U8, SW_T_S32, SW_T_S32, WMMA},
    {8, 32, 16, SW_T_U8, SW_T_S8, SW_T_S32, SW_T_S32, WMMA},
    {8, 8, 32, SW_T_S4, SW_T_S4, SW_T_S32, SW_T_S32, MMA},
    {8, 8, 32, SW_T_S4, SW_T_U4, SW_T_S32, SW_T_S32, MMA},
    {8, 8, 32, SW_T_U4, SW_T_S4, SW_T_S32, SW_T_S32, MMA},
    {8, 8, 32, SW_T_U4, SW_T_U4, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 32, SW_T_S4, SW_T_S4, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 32, SW_T_S4, SW_T_U4, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 32, SW_T_U4, SW_T_S4, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 32, SW_T_U4, SW_T_U4, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 64, SW_T_S4, SW_T_S4, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 64, SW_T_S4, SW_T_U4, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 64, SW_T_U4, SW_T_S4, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 64, SW_T_U4, SW_T_U4, SW_T_S32, SW_T_S32, MMA},
    {8, 8, 32, SW_T_S4, SW_T_S4, SW_T_S32, SW_T_S32, WMMA},
    {8, 8, 32, SW_T_U4, SW_T_U4, SW_T_S32, SW_T_S32, WMMA},
    {8, 8, 128, SW_T_B1, SW_T_B1, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 128, SW_T_B1, SW_T_B1, SW_T_S32, SW_T_S32, MMA},
    {16, 8, 256, SW_T_B1, SW_T_B1, SW_T_S32, SW_T_S32, MMA},
    {8, 8, 128, SW_T_B1, SW_T_B1, SW_T_S32, SW_T_S32, WMMA},
    {16, 8, 16, SW_T_E4M3, SW_T_E4M3, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 16, SW_T_E4M3, SW_T_E4M3, SW_T_F16, SW_T_F16, MMA},
    {16, 8, 16, SW_T_E4M3, SW_T_E4M3, SW_T_F32, SW_T_F16, MMA},
    {16, 8, 16, SW_T_E4M3, SW_T_E4M3, SW_T_F16, SW_T_F32, MMA},
    {16, 8, 16, SW_T_E5M2, SW_T_E4M3, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 16, SW_T_E5M2, SW_T_E4M3, SW_T_F16, SW_T_F16, MMA},
    {16, 8, 16, SW_T_E5M2, SW_T_E4M3, SW_T_F32, SW_T_F16, MMA},
    {16, 8, 16, SW_T_E5M2, SW_T_E4M3, SW_T_F16, SW_T_F32, MMA},
    {16, 8, 16, SW_T_E5M2, SW_T_E5M2, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 16, SW_T_E5M2, SW_T_E5M2, SW_T_F16, SW_T_F16, MMA},
    {16, 8, 16, SW_T_E5M2, SW_T_E5M2, SW_T_F32, SW_T_F16, MMA},
    {16, 8, 16, SW_T_E5M2, SW_T_E5M2, SW_T_F16, SW_T_F32, MMA},
    {16, 8, 32, SW_T_E4M3, SW_T_E4M3, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 32, SW_T_E4M3, SW_T_E4M3, SW_T_F16, SW_T_F16, MMA},
    {16, 8, 32, SW_T_E4M3, SW_T_E4M3, SW_T_F32, SW_T_F16, MMA},
    {16, 8, 32, SW_T_E4M3, SW_T_E4M3, SW_T_F16, SW_T_F32, MMA},
    {16, 8, 32, SW_T_E5M2, SW_T_E4M3, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 32, SW_T_E5M2, SW_T_E4M3, SW_T_F16, SW_T_F16, MMA},
    {16, 8, 32, SW_T_E5M2, SW_T_E4M3, SW_T_F32, SW_T_F16, MMA},
    {16, 8, 32, SW_T_E5M2, SW_T_E4M3, SW_T_F16, SW_T_F32, MMA},
    {16, 8, 32, SW_T_E5M2, SW_T_E5M2, SW_T_F32, SW_T_F32, MMA},
    {16, 8, 32, SW_T_E5M2, SW_T_E5M2, SW_T_F16, SW_T_F16, MMA},
    {16, 8, 32, SW_T_E5M2, SW_T_E5M2, SW_T_F32, SW_T_F16, MMA},
    {16, 8, 32, SW_T_E5M2, SW_T_E5M2, SW_T_F16, SW_T_F32, MMA},
    {16, 8, 16, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F32, SPARSE},
    {16, 8, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, SPARSE},
    {16, 8, 16, SW_T_BF16, SW_T_BF16, SW_T_F32, SW_T_F32, SPARSE},
    {16, 8, 32, SW_T_F16, SW_T_F16, SW_T_F32, SW_T_F32, SPARSE},
    {16, 8, 32, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, SPARSE},
    {16, 8, 32, SW_T_BF16, SW_T_BF16, SW_T_F32, SW_T_F32, SPARSE},
    {16, 8, 32, SW_T_S8, SW_T_S8, SW_T_S32, SW_T_S32, SPARSE},
    {16, 8, 32, SW_T_U8, SW_T_S8, SW_T_S32, SW_T_S32, SPARSE},
    {16, 8, 64, SW_T_S8, SW_T_S8, SW_T_S32, SW_T_S32, SPARSE},
    {16, 8, 64, SW_T_U8, SW_T_S8, SW_T_S32, SW_T_S32, SPARSE},
    {16, 8, 64, SW_T_S4, SW_T_S4, SW_T_S32, SW_T_S32, SPARSE},
    {16, 8, 64, SW_T_S4, SW_T_U4, SW_T_S32, SW_T_S32, SPARSE},
    {16, 8, 128, SW_T_S4, SW_T_S4, SW_T_S32, SW_T_S32, SPARSE},
    {16, 8, 128, SW_T_S4, SW_T_U4, SW_T_S32, SW_T_S32, SPARSE},
};

static uint64_t state = 1;

static uint64_t
draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 32 ^ state << 32;
}

/* A number of the type: of any size, or near one, or 0; finite unless told. */
static uint64_t
draw_number(sw_type type, unsigned spread, bool finite)
{
    unsigned bits = sw_type_bits(type);
    unsigned fraction = type == SW_T_F16    ? 10
                        : type == SW_T_BF16 ? 7
                        : type == SW_T_E4M3 ? 3
                        : type == SW_T_E5M2 ? 2
                        : type == SW_T_F64  ? 52
                                            : 23;
    uint64_t v = draw() & (bits == 64 ? UINT64_MAX : (1ull << bits) - 1);
    if (type == SW_T_S32 && draw() % 2) /* near what is clamped */
        return (v & 0x800fffff) ^ (v & 0x80000000 ? 0 : 0x7ff00000);
    if (sw_type_kind(type) != SW_KIND_FLOAT)
        return v;
    if (draw() % 8 == 0)
        return v & 1ull << (bits - 1);
    uint64_t most = (1ull << (bits - 1 - fraction)) - 1;
    uint64_t e = v >> fraction & most;
    if (spread && spread < most)
        e = most / 2 - spread / 2 + e % spread;
    if (finite && e == most)
        e = 0;
    return (v & ~(most << fraction)) | e << fraction;
}

typedef struct {
    uint64_t wide[REGS][LANES];
    uint32_t narrow[REGS][LANES];
    const void *at[REGS + 1];
} operand;

static void
fill(operand *o, const sw_sem_frag *f, sw_type type, unsigned spread,
     bool finite)
{
    for (unsigned r = 0; r < f->regs; r++) {
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t v = 0;
            for (unsigned p = 0; p < f->per_reg; p++)
                v |= draw_number(type, spread, finite) << (p * f->elem_bits);
            o->wide[r][i] = v;
            o->narrow[r][i] = (uint32_t)v;
        }
        o->at[r] = f->reg_bits == 64 ? (void *)o->wide[r] : o->narrow[r];
    }
}

/* A plan for it, as for an instruction in a kernel. */
static const sw_matrix_plan *
plan_of(sw_arena *arena, sw_matrix *mx, bool wmma, sw_sem_frag frag[4])
{
    static sw_reg_info regs[4 * REGS];
    static sw_opnd opnd[4 * REGS];
    static sw_fn fn;
    static sw_ins ins;
    uint8_t *counts[4] = {&mx->dregs, &mx->aregs, &mx->bregs, &mx->cregs};
    unsigned n = 0;
    for (int m = 0; m < 4; m++)
        CHECK(sw_sem_matrix_frag(mx, "abcd"[m], wmma, &frag[m]));
    for (int m = 0; m < 4; m++) {
        const sw_sem_frag *f = &frag[(m + 3) % 4];
        *counts[m] = f->regs;
        for (unsigned r = 0; r < f->regs; r++, n++) {
            regs[n].cls = f->reg_bits == 64 ? SW_CLASS_B64 : SW_CLASS_B32;
            opnd[n] = (sw_opnd){.kind = SW_OPND_REG, .reg = n};
        }
    }
    fn.regs = regs;
    ins = (sw_ins){.op = wmma ? SW_OP_WMMA : SW_OP_MMA,
                   .ndst = mx->dregs,
                   .nsrc = (uint8_t)(n - mx->dregs),
                   .opnd = opnd,
                   .aux = mx};
    return sw_interp_matrix_plan(arena, &fn, &ins);
}

/* Numbers that become infinities or NaNs: one, or all that a lane has, so that
 * several meet in a sum. */
static void
spoil(operand *o, const sw_sem_frag *f, sw_type type)
{
    uint64_t special = type == SW_T_F16    ? 0x7c00
                       : type == SW_T_BF16 ? 0x7f80
                       : type == SW_T_E4M3 ? 0x7f
                       : type == SW_T_E5M2 ? 0x7c
                       : type == SW_T_F64  ? 0x7ff0000000000000
                                           : 0x7f800000;
    unsigned count = (unsigned)f->regs * f->per_reg;
    unsigned lane = (unsigned)(draw() % LANES), at = (unsigned)(draw() % count);
    bool all = draw() % 2;
    for (unsigned e = all ? 0 : at; e < (all ? count : at + 1); e++) {
        uint64_t v = special, *to = &o->wide[e / f->per_reg][lane];
        v |= sw_type_bits(type) == 8    ? draw() & 0x83
             : sw_type_bits(type) == 16 ? draw() & 0x8007
                                        : draw() & 0x80006000;
        *to |= v << (e % f->per_reg * f->elem_bits);
        o->narrow[e / f->per_reg][lane] = (uint32_t)*to;
    }
}

/* The first four of each eight rows become zeros of either sign. */
static void
clear_rows(operand *o, const sw_sem_frag *f)
{
    for (unsigned r = 0; r < f->regs; r++)
        for (unsigned i = 0; i < LANES / 2; i++) {
            uint64_t signs = 0;
            for (unsigned p = 1; p <= f->per_reg; p++)
                signs |= 1ull << (p * f->elem_bits - 1);
            o->wide[r][i] &= signs;
            o->narrow[r][i] &= (uint32_t)signs;
        }
}

/* Of each four of a sparse matrix two. */
static void
draw_names(uint64_t names[LANES])
{
    static const uint8_t pairs[6] = {4, 8, 12, 9, 13, 14};
    for (unsigned i = 0; i < LANES; i++) {
        names[i] = 0;
        for (unsigned at = 0; at < 32; at += 4)
            names[i] |= (uint64_t)pairs[draw() % 6] << at;
    }
}

/* How numbers are drawn, and who multiplies. special: which of a, b and c has
 * one that is not finite; shared: d lies where a or c do, or others. */
typedef struct {
    const sw_lane_set *set;
    bool no_dots;
    unsigned spread;
    bool finite;
    char special, shared;
} trial;

/* Where d is to be: other registers than c's, if it shares them. */
static void
place_results(const sw_sem_frag frag[4], char shared, operand *a, operand *c,
              operand *d, void *out[REGS])
{
    operand *in = shared == 'a' ? a : shared == 'c' ? c : d;
    unsigned regs = shared == 'a'   ? frag[0].regs
                    : shared == 'c' ? frag[2].regs
                                    : frag[3].regs;
    for (unsigned r = 0; r < frag[3].regs; r++) {
        unsigned at = regs - 1 - r % regs;
        operand *o = r < regs ? in : d;
        at = r < regs ? at : r;
        out[r] = frag[3].reg_bits == 64 ? (void *)o->wide[at]
                                        : (void *)o->narrow[at];
    }
}

/* Whether the lanes' function did it. */
static bool
compare(const product *p, const trial *t)
{
    static operand a, b, c, d;
    static uint64_t want[REGS][LANES], names[LANES];
    static uint32_t named[LANES];
    void *out[REGS];
    sw_sem_frag frag[4];
    sw_arena *arena = sw_arena_create();
    sw_matrix mx = {.m = p->m,
                    .n = p->n,
                    .k = p->k,
                    .atype = p->a,
                    .btype = p->b,
                    .ctype = p->c,
                    .dtype = p->d,
                    .a_row = true,
                    .sparse = p->kind == SPARSE,
                    .selector = (uint8_t)(draw() % 2),
                    .bit_op = draw() % 2,
                    .satfinite = draw() % 2};
    const sw_matrix_plan *made = plan_of(arena, &mx, p->kind == WMMA, frag);
    CHECK(made != NULL);
    if (!made)
        return false;
    sw_matrix_plan plan = *made;
    plan.has_dots &= !t->no_dots;
    fill(&a, &frag[0], p->a, t->spread, t->finite);
    fill(&b, &frag[1], p->b, t->spread, t->finite);
    fill(&c, &frag[2], p->c, t->spread * 2, t->finite);
    if (sw_type_kind(p->a) == SW_KIND_FLOAT && draw() % 4 == 0)
        clear_rows(&a, &frag[0]);
    draw_names(names);
    for (unsigned i = 0; i < LANES; i++)
        named[i] = (uint32_t)names[i];
    c.at[frag[2].regs] = named;
    bool is_float = sw_type_kind(p->a) == SW_KIND_FLOAT;
    if (is_float && t->special == 'a')
        spoil(&a, &frag[0], p->a);
    else if (is_float && t->special == 'b')
        spoil(&b, &frag[1], p->b);
    else if (is_float && t->special == 'c')
        spoil(&c, &frag[2], p->c);
    CHECK(sw_sem_matrix_mma(&mx, p->kind == WMMA, (const uint64_t(*)[32])a.wide,
                            (const uint64_t(*)[32])b.wide,
                            (const uint64_t(*)[32])c.wide, names, want));
    place_results(frag, t->shared, &a, &c, &d, out);
    bool done = t->set->multiply(&plan, a.at, b.at, c.at, out);
    unsigned wrong = 0;
    for (unsigned r = 0; done && r < frag[3].regs; r++)
        for (unsigned i = 0; i < LANES; i++)
            wrong += want[r][i] != (frag[3].reg_bits == 64
                                        ? ((uint64_t *)out[r])[i]
                                        : ((uint32_t *)out[r])[i]);
    CHECK_EQ(wrong, 0);
    sw_arena_destroy(arena);
    return done;
}

static unsigned
list_sets(const sw_lane_set *sets[3])
{
    unsigned count = 0;
    sets[count++] = sw_interp_lanes();
#ifdef __x86_64__
    sets[count++] = &sw_lanes_v2;
    if (__builtin_cpu_supports("x86-64-v3"))
        sets[count++] = &sw_lanes_v3;
#endif
    return count;
}

CASE(lanes_multiply_as_sums_one_by_one)
{
    const sw_lane_set *sets[3];
    unsigned count = list_sets(sets);
    for (unsigned p = 0; p < sizeof products / sizeof *products; p++) {
        /* sums of bytes have no room in halves */
        unsigned narrow = sw_type_bits(products[p].a) == 8 ? 7 : 60;
        for (unsigned i = 0; i < 60; i++) {
            bool any_size = i % 3 == 0;
            trial t = {.set = sets[i / 2 % count],
                       .no_dots = i % 2,
                       .spread = any_size ? 0 : 2 + i / 3 % narrow,
                       .finite = true,
                       .shared = "dac"[i / 7 % 3]};
            CHECK(compare(&products[p], &t) || any_size);
        }
    }
}

/* Of halves it is by lanes all the same. */
CASE(what_is_not_finite_is_not_taken_for_finite)
{
    const sw_lane_set *sets[3];
    unsigned count = list_sets(sets);
    for (unsigned p = 0; p < sizeof products / sizeof *products; p++)
        for (unsigned i = 0; i < 60; i++) {
            trial t = {.set = sets[i / 2 % count],
                       .spread = i % 5 ? 4 : 0,
                       .finite = i % 10,
                       .special = "abc"[i % 3]};
            bool halves =
                (products[p].a == SW_T_F16 || products[p].a == SW_T_BF16) &&
                products[p].kind != SPARSE;
            CHECK(compare(&products[p], &t) || !halves);
        }
}
