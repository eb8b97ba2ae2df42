/* SPDX-License-Identifier: Apache-2.0 */
/* host_stack.c - see host_stack.h. */
#include "rt/host_stack.h"

#include <string.h>
#include <unwind.h>

#include "check/stack.h"

/* Frames that are compared, and those that are said. */
enum { FRAMES = 24, SAID = 4, REMEMBERED = 32 };

typedef struct {
    uint32_t id; /* 0: the place is free */
    uint32_t count;
    const uintptr_t *first; /* where the first address lies */
    /* The return address into each frame, and where it lies. */
    uintptr_t address[FRAMES];
    const uintptr_t *slot[FRAMES];
} stack;

#if defined(__x86_64__)

static __thread stack remembered[REMEMBERED];

/* The return address into a frame lies below where the stack pointer is when
 * that frame goes on. A frame that breaks the rule (a signal's) ends what is
 * compared. */
static _Unwind_Reason_Code
take_frame(struct _Unwind_Context *frame, void *arg)
{
    stack *s = arg;
    uintptr_t address = _Unwind_GetIP(frame);
    const uintptr_t *slot = (const uintptr_t *)_Unwind_GetCFA(frame) - 1;
    if (slot < s->first)
        return _URC_NO_REASON;
    if (s->count == FRAMES || !address || *slot != address)
        return _URC_END_OF_STACK;
    s->address[s->count] = address;
    s->slot[s->count++] = slot;
    return _URC_NO_REASON;
}

/* first: where the return address of the function that asks lies. All slots of
 * a stack that begins there are above it, so they can be read. */
static bool
is_same(const stack *s, const uintptr_t *first)
{
    if (!s->id || s->first != first)
        return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (*s->slot[i] != s->address[i])
            return false;
    return true;
}

uint32_t
sw_rt_host_stack(void)
{
    /* Above the frame pointer that this function has saved. */
    const uintptr_t *first = (const uintptr_t *)__builtin_frame_address(0) + 1;
    static __thread unsigned last; /* what was found, or made */
    static __thread bool is_python;
    if (is_python)
        return 0;
    /* A loop comes to its launches in their order. */
    for (unsigned i = 1; i <= REMEMBERED; i++)
        if (is_same(&remembered[(last + i) % REMEMBERED], first)) {
            last = (last + i) % REMEMBERED;
            return remembered[last].id;
        }
    last = (last + 1) % REMEMBERED;
    stack *s = &remembered[last];
    memset(s, 0, sizeof *s);
    s->first = first;
    _Unwind_Backtrace(take_frame, s);
    if (s->count)
        s->id = sw_stack_take();
    is_python = sw_stack_has_python(s->id);
    return is_python ? 0 : s->id;
}

#else

uint32_t
sw_rt_host_stack(void)
{
    return 0;
}

#endif

void
sw_rt_host_stack_describe(uint32_t id, sw_buf *out)
{
    sw_buf frames, lines;
    if (!id)
        return;
    sw_buf_init(&frames);
    sw_buf_init(&lines);
    sw_stack_print(id, &frames);
    if (frames.p)
        sw_stack_resolve(frames.p, &lines);
    const char *line = lines.p ? lines.p : "";
    for (int i = 0; i < SAID && *line; i++) {
        size_t n = strcspn(line, "\n");
        sw_buf_puts(out, i ? ", called by " : "\n    launched at: ");
        sw_buf_add(out, line, n);
        line += n + (line[n] == '\n');
    }
    sw_buf_finish(&frames);
    sw_buf_finish(&lines);
}
