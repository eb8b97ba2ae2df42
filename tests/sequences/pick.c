/* SPDX-License-Identifier: Apache-2.0 */
/* pick.c - see sequence.h: what a call is given. */
#include "sequence.h"

#include <string.h>

enum { ODD = 6 /* percent of the choices that are wrong on purpose */ };

uint32_t
seq_random(sequence *s, uint32_t below)
{
    s->random = s->random * UINT64_C(6364136223846793005) +
                UINT64_C(1442695040888963407);
    uint64_t high = s->random >> 32;
    return (uint32_t)(high * below >> 32);
}

bool
seq_chance(sequence *s, unsigned percent)
{
    return seq_random(s, 100) < percent;
}

uint64_t
seq_one_of(sequence *s, const uint64_t *values, unsigned n)
{
    return values[seq_random(s, n)];
}

seq_object *
seq_pick_object(sequence *s, seq_kind kind)
{
    return s->count[kind] ? &s->objects[kind][seq_random(s, s->count[kind])]
                          : NULL;
}

uint64_t
seq_pick(sequence *s, seq_kind kind)
{
    const seq_object *o = seq_pick_object(s, kind);
    return !o || seq_chance(s, ODD) ? 0 : o->handle;
}

void
seq_keep(sequence *s, seq_kind kind, uint64_t handle, uint64_t bytes,
         uint64_t owner)
{
    if (s->count[kind] < SEQ_MOST)
        s->objects[kind][s->count[kind]++] = (seq_object){handle, bytes, owner};
}

void
seq_drop(sequence *s, seq_kind kind, uint64_t handle)
{
    for (unsigned i = 0; i < s->count[kind]; i++)
        if (s->objects[kind][i].handle == handle) {
            s->objects[kind][i] = s->objects[kind][--s->count[kind]];
            return;
        }
}

void
seq_drop_owned(sequence *s, uint64_t owner)
{
    for (unsigned kind = 0; kind < SEQ_KINDS; kind++)
        for (unsigned i = s->count[kind]; i-- > 0;)
            if (s->objects[kind][i].owner == owner)
                s->objects[kind][i] = s->objects[kind][--s->count[kind]];
}

uint64_t
seq_stream(sequence *s)
{
    const seq_object *o = seq_pick_object(s, SEQ_STREAM);
    if (o && !seq_chance(s, 25))
        return o->handle;
    return SEQ_ONE_OF(s, 0, 0, 1, 2);
}

size_t
seq_size(sequence *s)
{
    return SEQ_ONE_OF(s, 4, 16, 64, 256, 1024, 4096, 1 << 16, 0, 1, 3);
}

uint64_t
seq_device(sequence *s, size_t bytes)
{
    static const seq_kind kinds[] = {SEQ_DEVICE_MEMORY, SEQ_DEVICE_MEMORY,
                                     SEQ_MANAGED, SEQ_PINNED};
    seq_kind kind = kinds[seq_random(s, 4)];
    const seq_object *o = NULL;
    for (unsigned i = 0; i < s->count[kind] && !o; i++)
        if (s->objects[kind][i].bytes >= bytes)
            o = &s->objects[kind][i];
    if (!o)
        o = seq_pick_object(s, SEQ_DEVICE_MEMORY);
    if (!o || seq_chance(s, 2))
        return 0;
    return o->handle + (seq_chance(s, 3) ? SEQ_ONE_OF(s, 1, 2, 4) : 0);
}

void *
seq_host(sequence *s, size_t bytes)
{
    (void)bytes;
    return seq_chance(s, 2) ? NULL : s->host;
}

int
seq_device_number(sequence *s)
{
    return seq_chance(s, 90) ? 0 : (int)SEQ_ONE_OF(s, 64, (uint64_t)-1, 99);
}

unsigned
seq_flags(sequence *s, unsigned all)
{
    if (seq_chance(s, 60))
        return 0;
    if (seq_chance(s, 90))
        return seq_random(s, UINT32_MAX) & all;
    return (unsigned)SEQ_ONE_OF(s, 0x80, 0x40000000, UINT32_MAX, all << 1);
}

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* The first three are right; of the others each is wrong in its own way. */
const char *const seq_ptx[] = {
    HEAD ".visible .global .align 4 .u32 word = 7;\n"
         ".visible .const .align 4 .b8 table[64];\n"
         ".global .texref tex;\n"
         ".visible .entry store(.param .u64 p) { .reg .u64 a; .reg .u32 v;\n"
         "ld.param.u64 a, [p]; mov.u32 v, 7; st.global.u32 [a], v; ret; }\n"
         ".visible .entry nothing() { ret; }\n"
         ".visible .entry fault() { .reg .u64 a; .reg .u32 v;\n"
         "mov.u64 a, 16; mov.u32 v, 7; st.global.u32 [a], v; ret; }\n"
         ".visible .entry stop() { trap; ret; }\n"
         ".visible .entry crooked(.param .u64 p) { .reg .u64 a; .reg .u32 v;\n"
         "ld.param.u64 a, [p]; add.u64 a, a, 1; mov.u32 v, 7;\n"
         "st.global.u32 [a], v; ret; }\n",
    HEAD ".visible .entry nothing() .maxntid 64, 1, 1 { ret; }\n"
         ".visible .entry store(.param .u64 p) .reqntid 32, 1, 1 {\n"
         ".reg .u64 a; .reg .u32 v;\n"
         "ld.param.u64 a, [p]; mov.u32 v, 7; st.global.u32 [a], v; ret; }\n",
    HEAD ".visible .entry nothing() { .shared .align 4 .b8 s[4096];\n"
         ".reg .u32 v; mov.u32 v, s; st.shared.u32 [s], v; ret; }\n",
    ".version 99.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry nothing() { ret; }\n",
    ".version 7.0\n.target sm_999\n.address_size 64\n"
    ".visible .entry nothing() { ret; }\n",
    HEAD ".visible .entry nothing() { bad instruction; }\n",
    HEAD ".extern .func other();\n"
         ".visible .entry nothing() { call other, (); ret; }\n",
    "",
    "not PTX at all"};
const unsigned seq_ptx_count = sizeof seq_ptx / sizeof *seq_ptx;
