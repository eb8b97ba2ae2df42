/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sem.h - every inline function of what one lane computes: what pure.def and
 * its users need. The functions outside headers have headers of their own
 * (eval.h, lanes.h, matrix.h, texture.h).
 */
#ifndef SW_SEM_SEM_H
#define SW_SEM_SEM_H
#include "sem/approx.h"
#include "sem/cmp.h"
#include "sem/cvt.h"
#include "sem/int.h"

#endif
