/* SPDX-License-Identifier: Apache-2.0 */
/* sfu.c - the tables of sfu.def in memory; see sfu.h. */
#include "sem/sfu.h"

#define C0(c0, c1, c2) c0,
#define C1(c0, c1, c2) c1,
#define C2(c0, c1, c2) c2,

const sem_sfu_128 sem_sfu_rcp = {
    {
#define RCP C0
#include "sem/sfu.def"
    },
    {
#define RCP C1
#include "sem/sfu.def"
    },
    {
#define RCP C2
#include "sem/sfu.def"
    },
};

const sem_sfu_128 sem_sfu_rsq = {
    {
#define RSQ C0
#include "sem/sfu.def"
    },
    {
#define RSQ C1
#include "sem/sfu.def"
    },
    {
#define RSQ C2
#include "sem/sfu.def"
    },
};

const sem_sfu_128 sem_sfu_sqrt = {
    {
#define SQRT C0
#include "sem/sfu.def"
    },
    {
#define SQRT C1
#include "sem/sfu.def"
    },
    {
#define SQRT C2
#include "sem/sfu.def"
    },
};

const sem_sfu_64 sem_sfu_ex2 = {
    {
#define EX2 C0
#include "sem/sfu.def"
    },
    {
#define EX2 C1
#include "sem/sfu.def"
    },
    {
#define EX2 C2
#include "sem/sfu.def"
    },
};

const sem_sfu_64 sem_sfu_lg2 = {
    {
#define LG2 C0
#include "sem/sfu.def"
    },
    {
#define LG2 C1
#include "sem/sfu.def"
    },
    {
#define LG2 C2
#include "sem/sfu.def"
    },
};

const sem_sfu_64 sem_sfu_sin = {
    {
#define SIN C0
#include "sem/sfu.def"
    },
    {
#define SIN C1
#include "sem/sfu.def"
    },
    {
#define SIN C2
#include "sem/sfu.def"
    },
};

const sem_sfu_64 sem_sfu_tanh = {
    {
#define TANH C0
#include "sem/sfu.def"
    },
    {
#define TANH C1
#include "sem/sfu.def"
    },
    {
#define TANH C2
#include "sem/sfu.def"
    },
};

/* Binades 2^-8 to 2^2: which bits of the fraction lead, where rows begin. */
const int32_t sem_sfu_tanh_shift[11] = {6, 6, 6, 5, 5, 4, 4, 4, 3, 2, 3};
const int32_t sem_sfu_tanh_row[11] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
