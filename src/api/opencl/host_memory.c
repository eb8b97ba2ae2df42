/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_memory.c - the program's own memory that kernels access in place
 * (CL_MEM_USE_HOST_PTR). Ranges of several buffers may overlap, registrations
 * may not: each byte is registered once, in pieces that count who needs them.
 */
#include <string.h>

#include "api/opencl/memory.h"

typedef struct {
    uintptr_t begin, end;
    uint32_t users;
    bool is_registered; /* by us */
} piece;

struct sw_ocl_pieces {
    uintptr_t begin, end;
};

static struct {
    pthread_mutex_t lock;
    sw_vec pieces; /* piece; sorted, apart from each other */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static piece *
at(size_t i)
{
    return sw_vec_at(&all.pieces, i);
}

static void
insert_locked(size_t i, piece p)
{
    sw_vec_push(&all.pieces);
    memmove(at(i) + 1, at(i), (all.pieces.count - 1 - i) * sizeof p);
    *at(i) = p;
}

/* The memory [begin, end), which no piece has, as piece i. Who has registered
 * it before, by another API, keeps it. */
static bool
add_locked(sw_rt_context *rt, size_t i, uintptr_t begin, uintptr_t end)
{
    piece p = {begin, end, 0, true};
    sw_status status = sw_rt_memory_register(rt, (void *)begin, end - begin, 0);
    p.is_registered = status == SW_OK;
    if (status != SW_OK && status != SW_E_HOST_MEMORY_ALREADY_REGISTERED)
        return false;
    insert_locked(i, p);
    return true;
}

/* New pieces where none is between two addresses; false: the device cannot have
 * them. */
static bool
fill_gaps_locked(sw_rt_context *rt, uintptr_t begin, uintptr_t end)
{
    size_t i = 0;
    while (begin < end) {
        while (i < all.pieces.count && at(i)->end <= begin)
            i++;
        uintptr_t next = end;
        if (i < all.pieces.count && at(i)->begin < end) {
            if (at(i)->begin <= begin) {
                begin = at(i)->end;
                continue;
            }
            next = at(i)->begin;
        }
        if (!add_locked(rt, i, begin, next))
            return false;
        begin = next;
    }
    return true;
}

/* One user more or less of all pieces that the range touches; those without
 * users go. */
static void
count_locked(uintptr_t begin, uintptr_t end, int change)
{
    for (size_t i = all.pieces.count; i-- > 0;) {
        piece *p = at(i);
        if (p->begin >= end || p->end <= begin)
            continue;
        p->users += (uint32_t)change;
        if (p->users)
            continue;
        if (p->is_registered)
            sw_rt_memory_unregister((void *)p->begin);
        sw_vec_remove(&all.pieces, i);
    }
}

sw_ocl_pieces *
sw_ocl_pieces_create(cl_context context, void *p, size_t bytes, cl_int *result)
{
    sw_mem_range range;
    *result = CL_SUCCESS;
    if (sw_mem_find((uint64_t)(uintptr_t)p, &range) &&
        range.kind != SW_MEM_REGISTERED)
        return NULL; /* memory of a device already */
    sw_ocl_pieces *pieces = sw_alloc(sizeof *pieces);
    pieces->begin = (uintptr_t)p;
    pieces->end = pieces->begin + bytes;
    pthread_mutex_lock(&all.lock);
    if (!all.pieces.elem_bytes)
        sw_vec_init(&all.pieces, sizeof(piece));
    bool good = fill_gaps_locked(context->rt[0], pieces->begin, pieces->end);
    count_locked(pieces->begin, pieces->end, 1);
    if (!good)
        count_locked(pieces->begin, pieces->end, -1);
    pthread_mutex_unlock(&all.lock);
    if (good)
        return pieces;
    sw_free(pieces);
    *result = CL_INVALID_HOST_PTR;
    return NULL;
}

void
sw_ocl_pieces_release(sw_ocl_pieces *pieces)
{
    if (!pieces)
        return;
    pthread_mutex_lock(&all.lock);
    count_locked(pieces->begin, pieces->end, -1);
    pthread_mutex_unlock(&all.lock);
    sw_free(pieces);
}
