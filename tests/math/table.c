/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - the bounds, and what was measured beside them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

/* Columns of the file. KNOWN: an error above the bounds that a device has too.
 */
enum { NAME, WHERE, BOUND, LAST_BOUND = BOUND + 2, KNOWN, FIELDS };
enum { ROWS = 512 };
static const char *rows[ROWS][FIELDS];
/* What the columns of bounds are, from the line "# NAME;..."; one without a
 * name is not there. */
static const char *headings[FIELDS];
static bool used[ROWS];
static unsigned row_count;

/* A number, or a power of two: 2^-24. Nothing: infinite; else NaN. */
static double
value_of(const char *text)
{
    bool power = !strncmp(text, "2^", 2);
    char *end;
    double x = strtod(power ? text + 2 : text, &end);
    return !*text ? INFINITY : *end ? NAN : power ? exp2(x) : x;
}

/* Divides a line into as many fields as a row has. */
static bool
divide(char *line, const char **row)
{
    int k = 0;
    for (char *field = line; field; k++) {
        char *end = strchr(field, ';');
        if (end)
            *end++ = 0;
        if (k == FIELDS)
            return false;
        row[k] = field;
        field = end;
    }
    return k == FIELDS;
}
static bool
has_bounds(const char *const *row)
{
    bool good = true;
    for (int k = WHERE + 1; k < FIELDS; k++)
        good &= value_of(row[k]) >= 0;
    return good;
}

void
math_table_read(const char *file)
{
    FILE *f = fopen(file, "r");
    if (!f) {
        fprintf(stderr, "accuracy: cannot read %s\n", file);
        exit(2);
    }
    char *line = NULL;
    size_t room = 0;
    for (unsigned n = 1; getline(&line, &room, f) > 0; n++) {
        static const char first[] = "# NAME;";
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, first, sizeof first - 1) && divide(line, headings)) {
            line = NULL; /* the headings have it */
            room = 0;
            continue;
        }
        if (*line == '#')
            continue;
        if (row_count == ROWS || !divide(line, rows[row_count]) ||
            !has_bounds(rows[row_count])) {
            fprintf(stderr, "accuracy: %s:%u: not a row of bounds\n", file, n);
            exit(2);
        }
        row_count++;
        line = NULL; /* the row has it */
        room = 0;
    }
    free(line);
    fclose(f);
    if (!headings[NAME]) {
        fprintf(stderr, "accuracy: %s: no line \"# NAME;...\"\n", file);
        exit(2);
    }
}

/* Numbers with commas between: how many. */
static int
numbers_of(const char *text, double *v)
{
    int n = 0;
    for (char *end; n < 4; n++, text = end + (*end == ',')) {
        v[n] = strtod(text, &end);
        if (end == text)
            break;
    }
    return n;
}

unsigned
math_table_hard(const char *file, const math_function *f, math_args *arguments)
{
    enum { NAME_COLUMN = 1 };
    FILE *in = fopen(file, "r");
    if (!in) {
        fprintf(stderr, "accuracy: cannot read %s\n", file);
        exit(2);
    }
    char *line = NULL, name[64];
    size_t room = 0;
    unsigned n = 0;
    int at_column = 0; /* where its heading is */
    snprintf(name, sizeof name, " `%s` ", f->name);
    while (n < MATH_HARD && getline(&line, &room, in) > 0) {
        bool same = false;
        char *rest = line, *cell;
        for (int k = 0; (cell = strsep(&rest, "|")); k++) {
            if (k == NAME_COLUMN)
                same = !strcmp(cell, name);
            if (!strcmp(cell, " at "))
                at_column = k;
            if (k == at_column && same)
                n += numbers_of(cell, arguments[n].v) == f->arguments;
        }
    }
    free(line);
    fclose(in);
    return n;
}

static const char *const *
bounds_of(const math_function *f, const math_zone *zone)
{
    static const char *const none[FIELDS] = {"", "", "", "", "", ""};
    for (unsigned i = 0; i < row_count; i++)
        if (!strcmp(rows[i][NAME], f->name) &&
            !strcmp(rows[i][WHERE], zone->where)) {
            used[i] = true;
            return rows[i];
        }
    return none;
}

unsigned
math_table_unused(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < row_count; i++)
        if (!used[i]) {
            printf("%s %s: no such function\n", rows[i][NAME], rows[i][WHERE]);
            n++;
        }
    return n;
}

static bool
is_within(const char *const *bounds, const math_worst *w)
{
    double bound = INFINITY;
    for (int k = BOUND; k <= LAST_BOUND; k++)
        bound = fmin(bound, value_of(bounds[k]));
    if (*bounds[KNOWN])
        bound = value_of(bounds[KNOWN]);
    return !w->wrong && w->error <= bound;
}

void
math_table_begin(FILE *out, bool beside)
{
    fputs("| function | where |", out);
    for (int k = BOUND; k <= LAST_BOUND; k++)
        if (*headings[k])
            fprintf(out, " %s |", headings[k]);
    fputs(" error | ulp | at | arguments | by MPFR |", out);
    fputs(beside ? " vendor's | ulp | differ |\n|" : "\n|", out);
    for (int k = BOUND; k <= LAST_BOUND; k++)
        if (*headings[k])
            fputs("---|", out);
    fputs("---|---|---|---|---|---|---|", out);
    fputs(beside ? "---|---|---|\n" : "\n", out);
}

/* The error in its unit and, if there is one, in ulp from the true value. */
static void
print_error(FILE *out, const math_zone *zone, const math_worst *w)
{
    if (zone->unit == ULP)
        fprintf(out, " %.0f", w->error);
    else
        fprintf(out, " %.2g", w->error);
    if (w->wrong)
        fprintf(out, ", %" PRIu64 " wrong", w->wrong);
    fputs(" |", out);
    if (w->error > 0 && zone->unit == ULP && !zone->allowance)
        fprintf(out, " %.3f", w->ulps);
    fputs(" |", out);
}

bool
math_table_row(FILE *out, const math_function *f, const math_zone *zone,
               const math_worst *ours, const math_worst *beside,
               uint64_t differ)
{
    const char *const *bounds = bounds_of(f, zone);
    fprintf(out, "| `%s` | %s |", f->name, zone->where);
    for (int k = BOUND; k <= LAST_BOUND; k++)
        if (*headings[k])
            fprintf(out, " %s |", bounds[k]);
    print_error(out, zone, ours);
    for (int k = 0; (ours->error > 0 || ours->wrong) && k < f->arguments; k++)
        fprintf(out, "%s %.*g", k ? "," : "", f->type == f32 ? 9 : 17,
                ours->at.v[k]);
    fprintf(out, " | %" PRIu64 " | %" PRIu64 " |", ours->count, ours->exact);
    if (beside) {
        print_error(out, zone, beside);
        fprintf(out, " %" PRIu64 " |", differ);
    }
    fputc('\n', out);
    fflush(out);
    return is_within(bounds, ours);
}
