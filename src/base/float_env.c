/* SPDX-License-Identifier: Apache-2.0 */
/* float_env.c - see base.h. */
#include "base/base.h"

void
sw_float_enter(fenv_t *kept)
{
    fegetenv(kept);
    fesetenv(FE_DFL_ENV);
}

void
sw_float_leave(const fenv_t *kept)
{
    fesetenv(kept);
}
