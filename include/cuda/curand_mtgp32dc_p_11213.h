/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curand_mtgp32dc_p_11213.h - 200 parameter sets of MTGP32 generators.
 */
#ifndef CURAND_MTGP32DC_P_11213_H
#define CURAND_MTGP32DC_P_11213_H
#pragma GCC system_header
#include "curand_kernel.h"

#define MTGPDC_PARAM_TABLE mtgp32dc_params_fast_11213

static const int mtgpdc_params_11213_num = CURAND_NUM_MTGP32_PARAMS;

/* Borrowed, [CURAND_NUM_MTGP32_PARAMS]; made by the first call. */
static inline mtgp32_params_fast_t *
__sw_mtgp_sets()
{
    static const struct {
        unsigned char pos, sh1, sh2;
        unsigned int recurrence[4], tempering[4];
    } rows[CURAND_NUM_MTGP32_PARAMS] = {
#include "softwarp/random_mtgp.def"
    };
    static mtgp32_params_fast_t sets[CURAND_NUM_MTGP32_PARAMS];

    if (sets[0].mexp)
        return sets;
    for (int i = CURAND_NUM_MTGP32_PARAMS - 1; i >= 0; i--) {
        mtgp32_params_fast_t *set = &sets[i];

        set->pos = rows[i].pos;
        set->sh1 = rows[i].sh1;
        set->sh2 = rows[i].sh2;
        set->mask = 0xfff80000;
        for (int row = 0; row < TBL_SIZE; row++) {
            for (int bit = 0; bit < 4; bit++)
                if (row >> bit & 1) {
                    set->tbl[row] ^= rows[i].recurrence[bit];
                    set->tmp_tbl[row] ^= rows[i].tempering[bit];
                }
            set->flt_tmp_tbl[row] = set->tmp_tbl[row] >> 9 | 0x3f800000;
        }
        set->mexp = MTGPDC_MEXP;
    }
    return sets;
}

static mtgp32_params_fast_t *const mtgp32dc_params_fast_11213 =
    __sw_mtgp_sets();

#endif
