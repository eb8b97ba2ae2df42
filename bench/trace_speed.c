/* SPDX-License-Identifier: Apache-2.0 */
/* trace_speed.c - how fast traces of watch/trace.h are written and read, by one
 * core, in warp-instructions a second: straight code of a loop in which every
 * fifth instruction accesses memory, by rows, strides or anywhere.
 *
 *     cmake --build build --target trace_speed && build/bin/trace_speed
 */
#include <stdio.h>
#include <time.h>

#include "watch/trace.h"

enum { BODY = 20, EACH = 5, TURNS = 200000 };

/* How far lanes lie from the first. */
static void
lay_out(uint64_t away[32], int kind)
{
    static const uint64_t strides[] = {4, 4096};
    for (uint64_t i = 0; i < 32; i++)
        away[i] = kind < 2 ? i * strides[kind] : i * i * 1664525 % 65536 * 4;
}

static void
fill(uint64_t addr[32], const uint64_t away[32], uint64_t turn)
{
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = 0x7000000000 + turn * 128 + away[i];
}

/* Processor time, ns: others may run too. */
static uint64_t
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static double
rate(uint64_t instructions, uint64_t start)
{
    return (double)instructions * 1e3 / (double)(now() - start);
}

int
main(void)
{
    static const char *const names[] = {"rows", "strides", "anywhere"};
    printf("| accesses | written, M/s | read, M/s | bytes an instruction |\n"
           "|---|---|---|---|\n");
    for (int kind = 0; kind < 3; kind++) {
        uint64_t n = (uint64_t)BODY * TURNS, addr[32], away[32], seen = 0;
        sw_trace_block t;
        sw_trace_init(&t, 0, 1, 0);
        lay_out(away, kind);
        uint64_t start = now();
        for (uint64_t turn = 0; turn < TURNS; turn++)
            for (uint32_t i = 0; i < BODY; i++) {
                sw_trace_add(&t.warps[0], i, UINT32_MAX);
                if (i % EACH)
                    continue;
                fill(addr, away, turn);
                sw_trace_add_access(&t.warps[0], SW_SPACE_GLOBAL, 4, UINT32_MAX,
                                    addr);
            }
        sw_trace_end(&t.warps[0]);
        double written = rate(n, start);
        sw_trace_reader r = sw_trace_read(&t.warps[0]);
        sw_trace_item item;
        start = now();
        while (sw_trace_next(&r, &item))
            seen += !item.is_access;
        double read = rate(n, start);
        printf("| %s | %.0f | %.0f | %.2f |\n", names[kind], written, read,
               (double)t.warps[0].count / (double)n);
        if (seen != n || r.is_broken)
            return 1;
        sw_trace_finish(&t);
    }
    return 0;
}
