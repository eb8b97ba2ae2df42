/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info_tune.c - `softwarp info --tune`: the numbers by which the engine's
 * heuristics decide, as SOFTWARP_TUNE sets them; docs/tuning.md is what it
 * writes with --markdown.
 */
#include <stdio.h>
#include <string.h>

#include "rt/tune.h"
#include "tools.h"

static const char page[] =
    "# Numbers that can be tuned\n\n"
    "`softwarp info --tune --markdown` writes this page from the files "
    "`src/*/tune.def`.\n\n"
    "Heuristics decide by these numbers: how large a function may be to be "
    "inlined, how\nlong a worker looks for work before it sleeps. None of them "
    "changes what a program\ncomputes; each changes how fast it does. "
    "`SOFTWARP_TUNE=name=value,name=value` sets\nthem for a program:\n\n"
    "    SOFTWARP_TUNE=opt.inline_each=0,exec.chunk_ns=5000 softwarp run "
    "./app\n\n"
    "A name or value that is not allowed is an error message that lists what "
    "is; then all\nnumbers keep their defaults. *Shown by* is the kernel of "
    "`bench/run` that the\nnumber is for; a test holds its name against "
    "`bench/cases.txt`. In parentheses: why no\nkernel shows it, or what else "
    "of `bench/run` "
    "does; such numbers are reasoned, not\nmeasured. `scripts/tune_cases.sh` "
    "tells which "
    "kernels a number changes code of.\n";

static void
print_text(const sw_tune_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const sw_tune_row *row = &table->rows[i];
        printf("%s.%s = %u %s (%u to %u)\n  %s\n", table->library, row->name,
               (unsigned)*row->value, row->unit, (unsigned)row->least,
               (unsigned)row->most, row->why);
        if (*row->shown_by)
            printf("  shown by: %s\n", row->shown_by);
    }
}

static void
print_markdown(const sw_tune_table *table)
{
    printf("\n## `src/%s`\n\n", table->library);
    puts("| name | default | unit | range | shown by | what it bounds, and "
         "why |");
    puts("|---|---:|---|---|---|---|");
    for (size_t i = 0; i < table->count; i++) {
        const sw_tune_row *row = &table->rows[i];
        printf("| `%s.%s` | %u | %s | %u to %u | %s | %s |\n", table->library,
               row->name, (unsigned)row->initial, row->unit,
               (unsigned)row->least, (unsigned)row->most, row->shown_by,
               row->why);
    }
}

int
sw_info_tune(bool is_markdown)
{
    size_t count;
    const sw_tune_table *const *tables = sw_rt_tune_tables(&count);
    if (is_markdown)
        fputs(page, stdout);
    else
        sw_tune_read_environment(tables, count);
    for (size_t t = 0; t < count; t++)
        (is_markdown ? print_markdown : print_text)(tables[t]);
    return 0;
}
