/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipeline.h - runs the passes of pipeline.def in their order, and prints the
 * IR between them.
 *
 * The only state is what is to be printed, which is chosen before the first
 * pass runs; passes may then run on any number of threads.
 */
#ifndef SW_OPT_PIPELINE_H
#define SW_OPT_PIPELINE_H
#include "ir/ir.h"
#include "opt/coarsening.h"

typedef enum {
    SW_STAGE_LOAD,
    SW_STAGE_PROGRAM,
    SW_STAGE_COARSEN,
    SW_STAGE_COUNT
} sw_stage;

/* What the passes of a stage work on. Fields that a stage does not name are not
 * looked at. */
typedef struct {
    /* LOAD: linked, and executed by nobody yet; changed in place. */
    sw_module *module;
    unsigned numerics; /* LOAD: the device's rules (SW_NUM_, numerics.h) */
    sw_diag *diag;     /* LOAD: warnings of passes; may be NULL */

    /* PROGRAM, COARSEN: fns[0] is the kernel, the others what it can reach.
     * Passes put copies in their places; the functions stay as they are. */
    const sw_fn **fns;
    uint32_t fn_count;
    sw_arena *arena;  /* of the copies, which have parts of the functions too */
    bool is_observed; /* PROGRAM: an observer sees the launch's instructions */
    const sw_coarsening *coarsening; /* COARSEN */
} sw_opt_unit;

/* Runs the passes of the stage, all or, of an observed unit, those that are
 * marked KEEP. */
void sw_opt_run(sw_stage stage, sw_opt_unit *unit);

/*
 * From now on the IR is written to stderr after a pass: text is PASS or
 * PASS:KERNEL, PASS a name of pipeline.def or "all". With a kernel only its
 * functions are written, and passes of stage LOAD write that function alone.
 * NULL, "": nothing is written. SW_E_INVAL: there is no such pass; then diag
 * (may be NULL) has an error that lists them, and the choice stays as it was.
 */
sw_status sw_opt_dump_after(const char *text, sw_diag *diag);

/* A row of pipeline.def, for documentation and tests; NULL behind the last. */
typedef struct {
    const char *name;
    sw_stage stage;
    bool is_kept; /* ... where a launch is observed */
    const char *after, *header, *what;
} sw_pass_info;
const sw_pass_info *sw_opt_pass(unsigned i);

typedef struct {
    const char *name, *header, *needs, *what;
} sw_analysis_info;
const sw_analysis_info *sw_opt_analysis(unsigned i);

#endif
