/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - what the model says, as texts; see model.h. */
#include "model/model.h"

/* Less is not worth a word. */
static const double least = 0.0005;

/* Appends "name=share" of the largest shares first, with `between` them. */
static void
put_shares(const double *shares, int count, const char *(*name)(int),
           char between, sw_buf *out)
{
    uint32_t is_put = 0;
    for (int n = 0; n < count; n++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (!(is_put >> i & 1) && (best < 0 || shares[i] > shares[best]))
                best = i;
        is_put |= 1u << best;
        if (shares[best] < least)
            return;
        if (n)
            sw_buf_put(out, between);
        sw_buf_printf(out, "%s=%.3f", name(best), shares[best]);
    }
}
_Static_assert(SW_STALL_COUNT <= 32 && SW_LIMIT_COUNT <= 32,
               "put_shares has a bit for each");

static const char *
stall_name(int i)
{
    return sw_stall_text((sw_stall)i);
}

static const char *
limiter_name(int i)
{
    return sw_limiter_text((sw_limiter)i);
}

void
sw_model_put_stalls(const double stalls[SW_STALL_COUNT], sw_buf *out)
{
    put_shares(stalls, SW_STALL_COUNT, stall_name, ' ', out);
}

void
sw_model_put_used(const sw_times *t, sw_buf *out)
{
    put_shares(t->used, SW_LIMIT_COUNT, limiter_name, '|', out);
}

void
sw_model_put_limiter(const sw_times *t, sw_buf *out)
{
    sw_buf_puts(out, sw_limiter_text(t->limiter));
    if (t->limiter == SW_LIMIT_PIPE)
        sw_buf_printf(out, ": %s", sw_pipe_text(t->pipe));
}
