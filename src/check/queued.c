/* SPDX-License-Identifier: Apache-2.0 */
/* queued.c - see queued.h. */
#include "check/queued.h"

#include <pthread.h>

enum { KEPT = 4096 };

/* An operation's call stands in the slot of its number's remainder. */
struct sw_queued {
    pthread_mutex_t lock;
    struct {
        uint64_t op;
        sw_stack_id stack;
    } calls[KEPT];
};

sw_queued *
sw_queued_create(void)
{
    sw_queued *q = sw_alloc(sizeof *q);
    pthread_mutex_init(&q->lock, NULL);
    return q;
}

void
sw_queued_event(sw_queued *q, const sw_memory_event *e)
{
    if (e->work.kind != SW_OP_KIND_COPY && e->work.kind != SW_OP_KIND_FILL &&
        e->work.kind != SW_OP_KIND_COMPUTE)
        return;
    sw_stack_id stack = sw_stack_take();
    pthread_mutex_lock(&q->lock);
    q->calls[e->op % KEPT].op = e->op;
    q->calls[e->op % KEPT].stack = stack;
    pthread_mutex_unlock(&q->lock);
}

sw_stack_id
sw_queued_by(sw_queued *q, uint64_t op)
{
    pthread_mutex_lock(&q->lock);
    sw_stack_id stack =
        q->calls[op % KEPT].op == op ? q->calls[op % KEPT].stack : 0;
    pthread_mutex_unlock(&q->lock);
    return stack;
}
