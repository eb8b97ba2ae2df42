/* SPDX-License-Identifier: Apache-2.0 */
/* per_thread.c - each thread's default stream of a context. */
#include "rt/stream.h"

sw_rt_stream *
sw_rt_stream_per_thread(sw_rt_context *context)
{
    static _Thread_local struct {
        sw_rt_context *context;
        sw_rt_stream *stream;
        uint32_t serial; /* of the stream */
        uint32_t context_serial;
    } mine[8];
    size_t free_at = 0;
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) {
        sw_rt_stream *s = mine[i].stream;
        bool live = sw_rt_object_get(s, SW_RT_STREAM) &&
                    s->object.serial == mine[i].serial;
        if (!live)
            free_at = i;
        else if (mine[i].context == context &&
                 mine[i].context_serial == context->object.serial)
            return s;
    }
    sw_rt_stream *s = sw_rt_stream_create(context, false, 0);
    s->is_per_thread = true;
    mine[free_at].context = context;
    mine[free_at].context_serial = context->object.serial;
    mine[free_at].stream = s;
    mine[free_at].serial = s->object.serial;
    return s;
}
