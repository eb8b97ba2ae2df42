/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passes.c - `softwarp dump --passes`: the passes over the IR, in their order;
 * docs/passes.md is what it writes with --markdown.
 */
#include <stdio.h>

#include "opt/pipeline.h"
#include "tools.h"

static const struct {
    const char *name, *when;
} stages[SW_STAGE_COUNT] = {
    [SW_STAGE_LOAD] = {"load", "A module has been linked. Its functions are "
                               "changed in place; results depend on these "
                               "passes, as a device's do."},
    [SW_STAGE_PROGRAM] = {"program", "A kernel is launched for the first time. "
                                     "The functions that it can reach are "
                                     "replaced by copies; results stay."},
    [SW_STAGE_COARSEN] = {"coarsen", "A launch has blocks of few threads. The "
                                     "kernel's copy is copied once more."}};

static const char page[] =
    "# Passes\n\n"
    "`softwarp dump --passes --markdown` writes this page from "
    "`src/opt/pipeline.def`.\n\n"
    "`sw_opt_run` (`src/opt/pipeline.c`) runs the passes of a stage in this "
    "order, for the\ninterpreter as for the compiler. `SOFTWARP_DUMP_IR=PASS` "
    "prints the IR to stderr after a\npass, `SOFTWARP_DUMP_IR=PASS:KERNEL` "
    "that "
    "of one kernel, `all` after each pass. A pass\nmarked *no* under "
    "*observed* does not run where an observer sees a launch's\ninstructions. "
    "Modules compiled for debugging are left as they are.\n";

static void
print_stage(sw_stage stage, bool is_markdown)
{
    if (is_markdown) {
        printf("\n## Stage %s\n\n%s\n\n", stages[stage].name,
               stages[stage].when);
        puts("| pass | file | after | observed | what it does |");
        puts("|---|---|---|---|---|");
    }
    const sw_pass_info *p;
    for (unsigned i = 0; (p = sw_opt_pass(i)); i++) {
        if (p->stage != stage)
            continue;
        if (is_markdown)
            printf("| `%s` | `%s.c` | %s | %s | %s |\n", p->name, p->header,
                   p->after, p->is_kept ? "yes" : "no", p->what);
        else
            printf("%-8s %-20s %s\n", stages[stage].name, p->name, p->what);
    }
}

static void
print_analyses(void)
{
    puts("\n## Analyses\n");
    puts("What passes and back ends ask of a function. Nothing is kept between "
         "passes: who needs\nan analysis computes it.\n");
    puts("| analysis | file | needs | what it finds |");
    puts("|---|---|---|---|");
    const sw_analysis_info *a;
    for (unsigned i = 0; (a = sw_opt_analysis(i)); i++)
        printf("| `%s` | `%s.h` | %s | %s |\n", a->name, a->header, a->needs,
               a->what);
}

int
sw_dump_passes(bool is_markdown)
{
    if (is_markdown)
        fputs(page, stdout);
    for (int stage = 0; stage < SW_STAGE_COUNT; stage++)
        print_stage((sw_stage)stage, is_markdown);
    if (is_markdown)
        print_analyses();
    return 0;
}
