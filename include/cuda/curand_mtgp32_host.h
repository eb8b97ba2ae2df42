/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curand_mtgp32_host.h - makes states and parameters of MTGP32 generators in
 * memory of the device, from the host.
 */
#ifndef CURAND_MTGP32_HOST_H
#define CURAND_MTGP32_HOST_H
#pragma GCC system_header
#include "curand_kernel.h"

#include "curand_mtgp32dc_p_11213.h"

/*
 * The first words of a state from a seed: Saito and Matsumoto's, after the
 * Mersenne Twister's. state: [351].
 */
static inline void
mtgp32_init_state(unsigned int state[], const mtgp32_params_fast_t *para,
                  unsigned int seed)
{
    unsigned int hidden = para->tbl[4] ^ para->tbl[8] << 16, filler = hidden;

    filler += filler >> 16;
    filler += filler >> 8;
    filler = (filler & 0xff) * 0x01010101u;
    state[0] = seed;
    for (int i = 1; i < para->mexp / 32 + 1; i++)
        state[i] = (i == 1 ? hidden : filler) ^
                   (1812433253u * (state[i - 1] ^ state[i - 1] >> 30) +
                    (unsigned int)i);
}

/*
 * Copies the parameter sets, params: [CURAND_NUM_MTGP32_PARAMS], to *p on the
 * device. CURAND_STATUS_INITIALIZATION_FAILED if it cannot be written.
 */
static inline curandStatus_t
curandMakeMTGP32Constants(const mtgp32_params_fast_t params[],
                          mtgp32_kernel_params_t *p)
{
    static mtgp32_kernel_params_t all;

    all.mask[0] = params[0].mask;
    for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; i++) {
        all.pos_tbl[i] = (unsigned int)params[i].pos;
        all.sh1_tbl[i] = (unsigned int)params[i].sh1;
        all.sh2_tbl[i] = (unsigned int)params[i].sh2;
        for (int j = 0; j < TBL_SIZE; j++) {
            all.param_tbl[i][j] = params[i].tbl[j];
            all.temper_tbl[i][j] = params[i].tmp_tbl[j];
            all.single_temper_tbl[i][j] = params[i].flt_tmp_tbl[j];
        }
    }
    return cudaMemcpy(p, &all, sizeof all, cudaMemcpyHostToDevice)
               ? CURAND_STATUS_INITIALIZATION_FAILED
               : CURAND_STATUS_SUCCESS;
}

/*
 * Makes n states, s: [n] on the device, of the first n parameter sets, k being
 * where curandMakeMTGP32Constants put them. CURAND_STATUS_INITIALIZATION_FAILED
 * if one cannot be written.
 */
static inline curandStatus_t CURANDAPI
curandMakeMTGP32KernelState(curandStateMtgp32_t *s,
                            mtgp32_params_fast_t params[],
                            mtgp32_kernel_params_t *k, int n,
                            unsigned long long seed)
{
    unsigned int first = (unsigned int)(seed ^ seed >> 32) + 1;

    for (int i = 0; i < n; i++) {
        curandStateMtgp32_t state = {};

        mtgp32_init_state(state.s, &params[i], first + (unsigned int)i);
        state.pIdx = i;
        state.k = k;
        if (cudaMemcpy(s + i, &state, sizeof state, cudaMemcpyHostToDevice))
            return CURAND_STATUS_INITIALIZATION_FAILED;
    }
    return CURAND_STATUS_SUCCESS;
}

#endif
