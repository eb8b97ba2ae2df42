/* SPDX-License-Identifier: Apache-2.0 */
/* result_use.c - see result_use.h. */
#include "check/result_use.h"

#include <stdint.h>
#include <string.h>

enum {
    EAX = 0,
    STEPS = 96, /* instructions that are read at most */
    WAYS = 8    /* branches that are followed at most */
};

/* What an instruction does with eax, and where it goes on. */
typedef struct {
    size_t bytes; /* 0: not known */
    bool reads, writes;
    bool ends;        /* nothing follows: another function's */
    bool returns;     /* ... and the result is the caller's now */
    bool is_jump;     /* goes on at target only */
    bool is_branch;   /* or at target */
    int64_t distance; /* of the target from the next instruction */
} step;

typedef struct {
    const uint8_t *p;
    unsigned rex;
    bool is_wide_operand; /* prefix 66 */
    unsigned mod, reg, rm;
    size_t length;
} instruction;

/* The ModRM byte at `at` with what belongs to it; notes eax as a part of an
 * address. */
static void
read_modrm(instruction *i, size_t at, step *s)
{
    uint8_t m = i->p[at++];
    i->mod = m >> 6;
    i->reg = (m >> 3 & 7) | (i->rex & 4) << 1;
    i->rm = (m & 7) | (i->rex & 1) << 3;
    if (i->mod != 3 && (m & 7) == 4) {
        uint8_t sib = i->p[at++];
        unsigned base = (sib & 7) | (i->rex & 1) << 3;
        unsigned index = (sib >> 3 & 7) | (i->rex & 2) << 2;
        s->reads |= index == EAX;
        s->reads |= base == EAX;
        if ((sib & 7) == 5 && i->mod == 0)
            at += 4;
    } else if (i->mod == 0 && (m & 7) == 5) {
        at += 4;
    } else if (i->mod != 3) {
        s->reads |= i->rm == EAX;
    }
    at += i->mod == 1 ? 1 : i->mod == 2 ? 4 : 0;
    i->length = at;
}

static int64_t
read_signed(const uint8_t *p, size_t bytes)
{
    int8_t b;
    int32_t d;
    memcpy(&b, p, 1);
    if (bytes == 1)
        return b;
    memcpy(&d, p, 4);
    return d;
}

/* op r/m, reg or reg, r/m: which of them are read and written. */
static void
use_operands(instruction *i, step *s, bool reads_reg, bool writes_reg,
             bool reads_rm, bool writes_rm)
{
    bool rm = i->mod == 3 && i->rm == EAX, reg = i->reg == EAX;
    s->reads |= (reg && reads_reg) || (rm && reads_rm);
    s->writes |= (reg && writes_reg) || (rm && writes_rm);
}

/* Opcodes of two bytes, behind 0f. */
static void
read_long(instruction *i, size_t at, step *s)
{
    uint8_t op = i->p[at++];
    if ((op & 0xf0) == 0x80) { /* jcc */
        s->is_branch = true;
        s->distance = read_signed(i->p + at, 4);
        s->bytes = at + 4;
        return;
    }
    read_modrm(i, at, s);
    s->bytes = i->length;
    if ((op & 0xf0) == 0x40) /* cmov */
        use_operands(i, s, true, true, true, false);
    else if ((op & 0xf0) == 0x90) /* setcc: a byte of the register only */
        use_operands(i, s, false, false, true, false);
    else if (op == 0xaf) /* imul */
        use_operands(i, s, true, true, true, false);
    else if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf)
        use_operands(i, s, false, true, true, false);
    else if (op == 0x6e || op == 0x2a) /* to a vector register */
        use_operands(i, s, false, false, true, false);
    else if (op == 0x7e || op == 0x2c || op == 0x2d)
        s->reads = true; /* rare here */
    else if (op == 0xc6 || op == 0x70 || op == 0xc2)
        s->bytes++;
    else if (op != 0x1e && op != 0x1f && (op & 0xf0) != 0x10 &&
             (op & 0xf0) != 0x50 && (op & 0xf0) != 0xe0 &&
             (op & 0xf0) != 0xf0 && (op & 0xf0) != 0xd0 && op != 0x28 &&
             op != 0x29 && op != 0x2e && op != 0x2f && op != 0x6f &&
             op != 0x7f && op != 0x6c && op != 0x62 && op != 0xd6)
        s->bytes = 0;
}

/* Groups whose operation stands in ModRM's middle. */
static void
read_group(instruction *i, uint8_t op, size_t at, step *s)
{
    read_modrm(i, at, s);
    unsigned kind = i->reg & 7;
    size_t imm = op == 0x81 ? (i->is_wide_operand ? 2 : 4) : 1;
    s->bytes = i->length;
    if (op == 0x80 || op == 0x81 || op == 0x83) {
        i->reg = 16;
        use_operands(i, s, false, false, true, kind != 7);
        s->bytes += imm;
    } else if (op == 0xf7 || op == 0xf6) {
        bool has_imm = kind < 2;
        i->reg = 16;
        use_operands(i, s, false, false, true, false);
        s->reads |= kind >= 4; /* mul, div: of eax */
        s->bytes += has_imm ? (op == 0xf6 ? 1 : 4) : 0;
    } else if (op == 0xff || op == 0xfe) {
        i->reg = 16;
        use_operands(i, s, false, false, true, false);
        s->ends = kind >= 2 && kind <= 5;
    } else { /* shifts */
        i->reg = 16;
        use_operands(i, s, false, false, true, true);
        s->bytes += op == 0xc1 || op == 0xc0;
    }
}

static void
read_short(instruction *i, size_t at, step *s)
{
    uint8_t op = i->p[at++];
    unsigned low = (op & 7) | (i->rex & 1) << 3;
    if (op < 0x40 && (op & 7) < 4) { /* add, or, ..., cmp */
        read_modrm(i, at, s);
        bool is_cmp = op >= 0x38, to_reg = op & 2;
        bool is_zero = (op & 0xfe) == 0x30 || (op & 0xfe) == 0x32;
        if (is_zero && i->mod == 3 && i->reg == i->rm)
            use_operands(i, s, false, true, false, true); /* xor eax, eax */
        else
            use_operands(i, s, true, !is_cmp && to_reg, true,
                         !is_cmp && !to_reg);
        s->bytes = i->length;
    } else if (op < 0x40 && (op & 7) < 6) {
        s->reads = true;
        s->bytes = at + ((op & 7) == 4 ? 1 : 4);
    } else if (op >= 0x50 && op < 0x58) {
        s->reads = low == EAX;
        s->bytes = at;
    } else if (op >= 0x58 && op < 0x60) {
        s->writes = low == EAX;
        s->bytes = at;
    } else if (op == 0x63 || op == 0x8b || op == 0x8a || op == 0x8d) {
        read_modrm(i, at, s);
        use_operands(i, s, false, op != 0x8a, op != 0x8d, false);
        s->bytes = i->length;
    } else if (op == 0x88 || op == 0x89) {
        read_modrm(i, at, s);
        use_operands(i, s, true, false, false, true);
        s->bytes = i->length;
    } else if (op == 0x84 || op == 0x85) { /* test */
        read_modrm(i, at, s);
        use_operands(i, s, true, false, true, false);
        s->bytes = i->length;
    } else if (op == 0x69 || op == 0x6b) {
        read_modrm(i, at, s);
        use_operands(i, s, false, true, true, false);
        s->bytes = i->length + (op == 0x6b ? 1 : 4);
    } else if (op == 0xc6 || op == 0xc7) { /* mov r/m, number */
        read_modrm(i, at, s);
        i->reg = 16;
        use_operands(i, s, false, false, false, true);
        s->bytes = i->length + (op == 0xc6 ? 1u : i->is_wide_operand ? 2u : 4u);
    } else if (op >= 0xb8 && op < 0xc0) {
        s->writes = low == EAX;
        s->bytes = at + (i->rex & 8 ? 8 : 4);
    } else if (op >= 0xb0 && op < 0xb8) {
        s->bytes = at + 1;
    } else if (op == 0x68 || op == 0x6a) {
        s->bytes = at + (op == 0x6a ? 1 : 4);
    } else if (op >= 0x70 && op < 0x80) {
        s->is_branch = true;
        s->distance = read_signed(i->p + at, 1);
        s->bytes = at + 1;
    } else if (op == 0xe9 || op == 0xeb) {
        s->is_jump = true;
        s->distance = read_signed(i->p + at, op == 0xeb ? 1 : 4);
        s->bytes = at + (op == 0xeb ? 1 : 4);
    } else if (op == 0xe8) {
        s->ends = true;
        s->bytes = at + 4;
    } else if (op == 0xc3) {
        s->returns = true;
        s->bytes = at;
    } else if (op == 0x90 || op == 0xc9) {
        s->bytes = at;
    } else if (op == 0x98 || op == 0x99) {
        s->reads = true;
        s->bytes = at;
    } else if (op == 0xa8 || op == 0xa9) {
        s->reads = true;
        s->bytes = at + (op == 0xa8 ? 1 : 4);
    } else if (op == 0x80 || op == 0x81 || op == 0x83 || op == 0xf6 ||
               op == 0xf7 || op == 0xfe || op == 0xff || op == 0xc0 ||
               op == 0xc1 || op == 0xd0 || op == 0xd1 || op == 0xd2 ||
               op == 0xd3) {
        read_group(i, op, at, s);
    } else if (op == 0x0f) {
        read_long(i, at, s);
    }
}

static step
read_step(const uint8_t *p)
{
    step s = {0};
    instruction i = {.p = p};
    size_t at = 0;
    while (p[at] == 0x66 || p[at] == 0xf2 || p[at] == 0xf3 || p[at] == 0x2e)
        i.is_wide_operand |= p[at++] == 0x66;
    if ((p[at] & 0xf0) == 0x40)
        i.rex = p[at++];
    read_short(&i, at, &s);
    return s;
}

typedef enum { UNUSED, USED, PASSED_ON } verdict;

/* What all ways on from p do with eax. */
static verdict
follow(const uint8_t *p, unsigned *steps, unsigned ways)
{
    while (*steps) {
        step s = read_step(p);
        --*steps;
        if (!s.bytes || s.reads)
            return USED;
        if (s.returns)
            return PASSED_ON;
        if (s.ends || s.writes)
            return UNUSED;
        p += s.bytes;
        if (s.is_jump)
            p += s.distance;
        if (!s.is_branch)
            continue;
        if (!ways)
            return USED;
        verdict there = follow(p + s.distance, steps, ways - 1);
        verdict here = follow(p, steps, ways - 1);
        return there == here                   ? here
               : there == USED || here == USED ? USED
                                               : PASSED_ON;
    }
    return USED;
}

bool
sw_check_result_is_used(void *const *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned steps = STEPS;
        verdict v = follow(frames[i], &steps, WAYS);
        if (v != PASSED_ON)
            return v == USED;
    }
    return true;
}
