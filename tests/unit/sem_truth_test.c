/* SPDX-License-Identifier: Apache-2.0 */
/* sem_truth_test.c - sem/ computes what a device computed, bit for bit. */
#include "check.h"
#include "sem/eval.h"
#include "unit/sem_inputs.h"

typedef struct {
    const char *name;
    unsigned width;
    unsigned kind[4];
    uint64_t digest;
    sw_ins ins;
} row;

static const row rows[] = {
#define TRUTH(text, o, results, sources, bits, a, b, c, d, sum, ...)           \
    {.name = text,                                                             \
     .width = bits,                                                            \
     .kind = {INPUT_##a, INPUT_##b, INPUT_##c, INPUT_##d},                     \
     .digest = sum,                                                            \
     .ins = {.op = SW_OP_##o, .ndst = results, .nsrc = sources, __VA_ARGS__}},
#include "unit/sem_truth.def"
#include "unit/sem_truth_more.def"
};

static bool
agrees(const row *r)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < INPUT_COUNT; i++) {
        sw_value src[4], dst[2];
        for (unsigned k = 0; k < 4; k++)
            src[k] = (sw_value){input_value(r->kind[k], k, i), 0};
        if (!sw_sem_eval(&r->ins, src, dst))
            return false;
        uint64_t got = dst[0].lo;
        if (r->ins.ndst == 2)
            got |= dst[1].lo << 32;
        sum += input_mix(got ^ input_mix(i));
    }
    return sum == r->digest;
}

CASE(every_instruction_gives_the_device_s_bits)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool ok = agrees(&rows[i]);
        if (!ok)
            printf("%s (op %s)\n", rows[i].name,
                   sw_op_get_info(rows[i].ins.op)->text);
        CHECK(ok);
    }
}
