/* SPDX-License-Identifier: Apache-2.0 */
/* user_object.c - counted objects of the program that graphs keep alive. */
#include "api/cuda/graph.h"

typedef struct {
    sw_rt_object object;
    void *ptr;
    CUhostFn destroy;
    uint32_t count; /* atomic */
} user_object;

static user_object *
user_object_of(CUuserObject handle)
{
    return sw_rt_object_get(handle, SW_RT_USER_OBJECT);
}

static void
drop(user_object *u, uint32_t count)
{
    if (__atomic_sub_fetch(&u->count, count, __ATOMIC_ACQ_REL))
        return;
    CUhostFn destroy = u->destroy;
    void *ptr = u->ptr;
    sw_rt_object_free(u);
    destroy(ptr);
}

static void
retain_one(void *object)
{
    __atomic_add_fetch(&((user_object *)object)->count, 1, __ATOMIC_RELAXED);
}

static void
drop_one(void *object)
{
    drop(object, 1);
}

CUresult
cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
                   unsigned int initialRefcount, unsigned int flags)
{
    NEED_INIT();
    REQUIRE(object_out && destroy && initialRefcount &&
                initialRefcount <= INT32_MAX &&
                flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC,
            CUDA_ERROR_INVALID_VALUE);
    user_object *u = sw_rt_object_new(SW_RT_USER_OBJECT, sizeof *u);
    u->ptr = ptr;
    u->destroy = destroy;
    u->count = initialRefcount;
    *object_out = (CUuserObject)u;
    return CUDA_SUCCESS;
}

CUresult
cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    NEED_INIT();
    user_object *u = user_object_of(object);
    REQUIRE(u && count && count <= INT32_MAX, CUDA_ERROR_INVALID_VALUE);
    __atomic_add_fetch(&u->count, count, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

CUresult
cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    NEED_INIT();
    user_object *u = user_object_of(object);
    REQUIRE(u && count && count <= u->count, CUDA_ERROR_INVALID_VALUE);
    drop(u, count);
    return CUDA_SUCCESS;
}

CUresult
cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                        unsigned int flags)
{
    GRAPH(g, graph);
    user_object *u = user_object_of(object);
    REQUIRE(u && count && count <= INT32_MAX &&
                !(flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE),
            CUDA_ERROR_INVALID_VALUE);
    bool moves = flags & CU_GRAPH_USER_OBJECT_MOVE;
    REQUIRE(!moves || count <= u->count, CUDA_ERROR_INVALID_VALUE);
    if (!moves)
        __atomic_add_fetch(&u->count, count, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < count; i++)
        *(sw_rt_graph_user *)sw_vec_push(&g->users) =
            (sw_rt_graph_user){drop_one, u, retain_one};
    return CUDA_SUCCESS;
}

CUresult
cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    GRAPH(g, graph);
    user_object *u = user_object_of(object);
    unsigned held = 0;
    for (size_t i = 0; i < g->users.count; i++)
        held += ((sw_rt_graph_user *)sw_vec_at(&g->users, i))->arg == u;
    REQUIRE(u && count && count <= held, CUDA_ERROR_INVALID_VALUE);
    unsigned left = count;
    for (size_t i = g->users.count; left && i-- > 0;)
        if (((sw_rt_graph_user *)sw_vec_at(&g->users, i))->arg == u) {
            sw_vec_remove(&g->users, i);
            left--;
        }
    drop(u, count);
    return CUDA_SUCCESS;
}
