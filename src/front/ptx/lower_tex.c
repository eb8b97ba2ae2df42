/* SPDX-License-Identifier: Apache-2.0 */
/* lower_tex.c - textures, surfaces, video and matrices: traps so far. */
#include "front/ptx/internal.h"

#define TRAPS(n)                                                               \
    void ptx_lower_##n(ptx_parser *p, ptx_ins *in)                             \
    {                                                                          \
        ptx_unsupported(p, in);                                                \
    }
TRAPS(tex)
TRAPS(tld4)
TRAPS(txq)
TRAPS(suld)
TRAPS(sust)
TRAPS(sured)
TRAPS(video)
TRAPS(simd)
TRAPS(wmma)
TRAPS(mma)
TRAPS(ldmatrix)
