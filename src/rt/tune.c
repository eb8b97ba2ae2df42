/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "rt/tune.h"

#include "exec/tune.h"
#include "interp/tune.h"
#include "jit/tune.h"
#include "opt/tune.h"

const sw_tune_table *const *
sw_rt_tune_tables(size_t *count)
{
    static const sw_tune_table *const tables[] = {
        &sw_opt_tune_table, &sw_exec_tune_table, &sw_interp_tune_table,
        &sw_jit_tune_table};
    *count = sizeof tables / sizeof *tables;
    return tables;
}
