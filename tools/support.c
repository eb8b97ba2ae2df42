/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support.c - `softwarp support`: what is supported and what is not, with what
 * to do instead; writes docs/support.md.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp support [--ptx] [--driver] [--runtime] [--markdown]\n"
    "                        [--check] [NAME...]\n"
    "  NAME        an instruction, whole or in part (add, "
    "atom.global.add.f32,\n"
    "              mbarrier.try_wait), a special register (%tid.x), a "
    "function\n"
    "              of the APIs or of device code (cudaMalloc, __shfl_sync), a\n"
    "              header, a library or a built-in: is it supported, and if\n"
    "              not, what to do; `-`: instructions and functions of the "
    "APIs\n"
    "              from the standard input, one a line, and a line for each\n"
    "  --ptx --driver --runtime  all instructions, or functions\n"
    "  --markdown  all of that as a document\n"
    "  --check     whether this command's own tables are whole\n";

const char *
support_state_text(support_state state)
{
    static const char *const texts[] = {
        [SUPPORT_DONE] = "done",          [SUPPORT_PARTIAL] = "partial",
        [SUPPORT_NONE] = "not supported", [SUPPORT_ABSENT] = "not there",
        [SUPPORT_UNKNOWN] = "unknown",
    };
    return texts[state];
}

/* The functions of both APIs. */
typedef struct {
    sw_arena *arena;
    sw_vec entries[2];    /* support_entry, by support_api */
    support_names *names; /* NULL until it is asked */
} apis;

static bool
apis_init(apis *a)
{
    sw_diag diag;
    bool ok = true;
    sw_diag_init(&diag);
    a->arena = sw_arena_create();
    a->names = NULL;
    for (int i = 0; i < 2; i++) {
        sw_vec_init(&a->entries[i], sizeof(support_entry));
        ok &= support_api_entries((support_api)i, a->arena, &a->entries[i],
                                  &diag);
    }
    if (!ok) {
        sw_buf text;
        sw_buf_init(&text);
        sw_diag_print(&diag, &text);
        fputs(text.p, stderr);
        sw_buf_finish(&text);
    }
    sw_diag_finish(&diag);
    return ok;
}

static void
apis_finish(apis *a)
{
    for (int i = 0; i < 2; i++)
        sw_vec_finish(&a->entries[i]);
    sw_arena_destroy(a->arena);
    support_names_destroy(a->names);
}

/* ---- one name ---- */

/* The entry with this symbol, else the newest one of this name. */
static const support_entry *
find_entry(const apis *a, const char *name)
{
    const support_entry *best = NULL;
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < a->entries[i].count; k++) {
            const support_entry *e = sw_vec_at(&a->entries[i], k);
            if (strcmp(e->symbol, name) == 0)
                return e;
            if (strcmp(e->name, name) == 0 &&
                (!best || e->since >= best->since))
                best = e;
        }
    }
    return best;
}

static bool
is_function_name(const char *name)
{
    return strncmp(name, "__cuda", 6) == 0 || strncmp(name, "cuda", 4) == 0 ||
           (strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2]));
}

static support_state
state_of(const apis *a, const char *name)
{
    if (*name == '%')
        return support_ptx_is_sreg(name) ? SUPPORT_DONE : SUPPORT_NONE;
    if (is_function_name(name)) {
        const support_entry *e = find_entry(a, name);
        return e ? e->state : SUPPORT_ABSENT;
    }
    return !strchr(name, '.') && support_ptx_is_mnemonic(name)
               ? SUPPORT_DONE
               : support_ptx_form(name);
}

static void
tell_function(const support_entry *e, const char *name)
{
    const char *state = support_state_text(e->state);
    if (e->state == SUPPORT_DONE)
        printf("%s: %s\n", name, state);
    else if (e->state == SUPPORT_PARTIAL)
        printf("%s: %s: %s\n", name, state, e->missing);
    else {
        sw_buf instead;
        sw_buf_init(&instead);
        support_api_instead(e, &instead);
        printf("%s: %s: %s\n  instead: %s\n", name, state,
               e->state == SUPPORT_NONE
                   ? "it returns an error, not supported (801)"
                   : "declared, but in no library: a program that calls it "
                     "does not link",
               instead.p);
        sw_buf_finish(&instead);
    }
}

static support_state
tell_sreg(const char *name)
{
    if (support_ptx_is_sreg(name)) {
        printf("%s: done\n", name);
        return SUPPORT_DONE;
    }
    printf("%s: not supported: an instruction that reads it becomes a trap "
           "that names it\n",
           name);
    return SUPPORT_NONE;
}

static void
tell_table(const char *name)
{
    sw_buf out;
    sw_buf_init(&out);
    support_ptx_table(&out, false, name);
    fputs(out.p, stdout);
    sw_buf_finish(&out);
}

/* An instruction, whole or in part. */
static support_state
tell_opcode(const char *name)
{
    sw_buf whole, lacks;
    if (!strchr(name, '.') && support_ptx_is_mnemonic(name)) {
        tell_table(name);
        return SUPPORT_DONE;
    }
    if (support_ptx_form(name) == SUPPORT_DONE) {
        printf("%s: done\n", name);
        return SUPPORT_DONE;
    }
    sw_buf_init(&whole);
    sw_buf_init(&lacks);
    support_state state = support_ptx_partial(name, &whole, &lacks);
    if (state == SUPPORT_DONE)
        printf("%s: done: for example %s\n", name, whole.p);
    else if (state == SUPPORT_PARTIAL)
        printf("%s: partial: done is for example %s, not supported for "
               "example %s\n  instead: %s\n",
               name, whole.p, lacks.p, support_ptx_instead(lacks.p));
    else if (state == SUPPORT_NONE)
        printf("%s: not supported: it becomes a trap that names it, if it is "
               "ever executed\n  instead: %s\n",
               name, support_ptx_instead(name));
    sw_buf_finish(&whole);
    sw_buf_finish(&lacks);
    return state;
}

static void
tell_unknown(const apis *a, const char *name)
{
    sw_near near;
    sw_buf text;
    sw_near_init(&near, name);
    support_ptx_offer(&near);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < a->entries[i].count; k++)
            sw_near_offer(
                &near,
                ((const support_entry *)sw_vec_at(&a->entries[i], k))->name);
    support_names_offer(a->names, &near);
    sw_buf_init(&text);
    sw_near_say(&near, "; did you mean ", "?", &text);
    printf("%s: unknown: no instruction, function, header or library that we "
           "know%s\n",
           name, text.p);
    sw_buf_finish(&text);
}

/* A function of a library of src/lib; UNKNOWN, and nothing is said: it is
 * none. */
static support_state
tell_vendor(const char *name)
{
    const char *library, *missing;
    support_state state = support_vendor_find(name, &library, &missing);
    if (state != SUPPORT_UNKNOWN)
        printf("%s: %s: %s of %s%s%s\n", name, support_state_text(state),
               state == SUPPORT_NONE ? "it returns an error, a function"
                                     : "a function",
               library, *missing ? ": " : "", missing);
    return state;
}

static support_state
tell(apis *a, const char *name)
{
    sw_buf out;
    if (*name == '%')
        return tell_sreg(name);
    support_state vendor = tell_vendor(name);
    if (vendor != SUPPORT_UNKNOWN)
        return vendor;
    const support_entry *e = find_entry(a, name);
    if (e) {
        tell_function(e, name);
        return e->state;
    }
    support_state state = tell_opcode(name);
    if (state != SUPPORT_UNKNOWN)
        return state;
    if (!a->names)
        a->names = support_names_create();
    sw_buf_init(&out);
    state = support_names_tell(a->names, name, &out);
    fputs(out.n ? out.p : "", stdout);
    sw_buf_finish(&out);
    if (state == SUPPORT_UNKNOWN)
        tell_unknown(a, name);
    return state;
}

/* A line for each name of the standard input. */
static void
tell_lines(const apis *a)
{
    char line[512];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line)
            printf("%s: %s\n", line, support_state_text(state_of(a, line)));
    }
}

/* ---- tables ---- */

static void
count_states(const sw_vec *entries, size_t counts[4])
{
    for (size_t i = 0; i < entries->count; i++)
        counts[((const support_entry *)sw_vec_at(entries, i))->state]++;
}

static void
add_libraries(const support_entry *e, sw_buf *out)
{
    unsigned all = 7;
    if (e->libraries && e->libraries != all)
        for (unsigned i = 0; i < 3; i++)
            if (e->libraries & 1u << i)
                sw_buf_printf(out, " CUDA %u", 11 + i);
}

/* The functions of one state, as rows with what is to be said of them, or, if
 * there is nothing to say, as a list. */
static void
functions_of(const sw_vec *entries, support_state state, bool markdown,
             sw_buf *out)
{
    bool list = state == SUPPORT_DONE;
    bool first = true;
    for (size_t i = 0; i < entries->count; i++) {
        const support_entry *e = sw_vec_at(entries, i);
        if (e->state != state)
            continue;
        if (!markdown) {
            sw_buf_printf(out, "%s: %s%s%s\n", e->symbol,
                          support_state_text(state), *e->missing ? ": " : "",
                          e->missing);
            continue;
        }
        if (first && !list)
            sw_buf_printf(out, "| function | %s |\n|---|---|\n",
                          state == SUPPORT_PARTIAL ? "what is missing"
                                                   : "what to do instead");
        if (list) {
            sw_buf_printf(out, "%s`%s`", first ? "" : ", ", e->symbol);
            add_libraries(e, out);
        } else {
            sw_buf_printf(out, "| `%s` | ", e->symbol);
            if (state == SUPPORT_PARTIAL)
                sw_buf_puts(out, e->missing);
            else
                support_api_instead(e, out);
            sw_buf_puts(out, " |\n");
        }
        first = false;
    }
    if (markdown && first)
        sw_buf_puts(out, "None.\n");
    else if (markdown && list)
        sw_buf_puts(out, "\n");
}

static void
document_api(const sw_vec *entries, sw_buf *out)
{
    sw_buf_puts(out, "### Partly\n\n");
    functions_of(entries, SUPPORT_PARTIAL, true, out);
    sw_buf_puts(out, "\n### Refused\n\nThese return an error, not supported "
                     "(801), and say so once on standard error.\n\n");
    functions_of(entries, SUPPORT_NONE, true, out);
    sw_buf_puts(out, "\n### Not there\n\nOur headers declare them; no library "
                     "has them, so that a program which calls one does not "
                     "link, and a look-up finds none.\n\n");
    functions_of(entries, SUPPORT_ABSENT, true, out);
    sw_buf_puts(out, "\n### Done\n\n");
    functions_of(entries, SUPPORT_DONE, true, out);
    sw_buf_puts(out, "\n");
}

static void
document(const apis *a, sw_buf *out)
{
    size_t counts[2][4] = {{0}};
    for (int i = 0; i < 2; i++)
        count_states(&a->entries[i], counts[i]);
    sw_buf_puts(
        out,
        "# What is supported\n\n"
        "Written by `softwarp support --markdown` out of the tables that the "
        "code itself uses; do not edit.\n"
        "`softwarp support NAME` answers for one instruction, special "
        "register or function, and says what to do instead.\n\n"
        "| functions | done | partly | refused | not there |\n"
        "|---|---|---|---|---|\n");
    for (int i = 1; i >= 0; i--)
        sw_buf_printf(out, "| %s API | %zu | %zu | %zu | %zu |\n",
                      i == SUPPORT_DRIVER ? "driver" : "runtime",
                      counts[i][SUPPORT_DONE], counts[i][SUPPORT_PARTIAL],
                      counts[i][SUPPORT_NONE], counts[i][SUPPORT_ABSENT]);
    support_vendor_counts(true, out);
    sw_buf_puts(
        out,
        "\n## PTX instructions\n\n"
        "Found by asking the front end, among what PTX has. A type or a "
        "modifier stands here if "
        "it may replace, or join, one in the simplest forms of the "
        "instruction; not every combination is one. *since*: the lowest "
        "compute capability that has the instruction; the front end does "
        "not ask for it. Whatever is not here becomes a trap that names it, "
        "if it is ever executed, and a warning when the module is loaded.\n\n");
    support_ptx_table(out, true, NULL);
    sw_buf_puts(out, "\n### Known to be missing\n\n");
    support_ptx_missing(out, true);
    sw_buf_puts(out, "\n### Special registers\n\n");
    support_ptx_sregs(out, true);
    sw_buf_puts(out, "\n## Runtime API\n\n");
    document_api(&a->entries[SUPPORT_RUNTIME], out);
    sw_buf_puts(out, "## Driver API\n\n");
    document_api(&a->entries[SUPPORT_DRIVER], out);
    support_vendor_document(out);
    out->p[--out->n] = 0; /* of two line ends the second */
}

/* ---- the command ---- */

static int
check(void)
{
    sw_buf out;
    sw_buf_init(&out);
    size_t faults = support_ptx_check(&out);
    fputs(out.p, stderr);
    sw_buf_finish(&out);
    return faults ? 1 : 0;
}

static void
summary(const apis *a)
{
    for (int i = 1; i >= 0; i--) {
        size_t counts[4] = {0};
        count_states(&a->entries[i], counts);
        printf("%s API: %zu functions done, %zu partly, %zu refused, %zu not "
               "there\n",
               i == SUPPORT_DRIVER ? "driver" : "runtime", counts[0], counts[1],
               counts[2], counts[3]);
    }
    sw_buf vendor;
    sw_buf_init(&vendor);
    support_vendor_counts(false, &vendor);
    fputs(vendor.p, stdout);
    sw_buf_finish(&vendor);
    fputs(help, stdout);
}

int
sw_tool_support(int argc, char **argv)
{
    bool ptx = false, api[2] = {false}, markdown = false, named = false;
    int status = 2;
    apis a;
    sw_buf out;
    if (!apis_init(&a)) {
        apis_finish(&a);
        return 1;
    }
    sw_buf_init(&out);
    support_state worst = SUPPORT_DONE;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            status = 0;
            goto out;
        } else if (!strcmp(argv[i], "--ptx")) {
            ptx = true;
        } else if (!strcmp(argv[i], "--driver")) {
            api[SUPPORT_DRIVER] = true;
        } else if (!strcmp(argv[i], "--runtime")) {
            api[SUPPORT_RUNTIME] = true;
        } else if (!strcmp(argv[i], "--markdown")) {
            markdown = true;
        } else if (!strcmp(argv[i], "--check")) {
            status = check();
            goto out;
        } else if (!strcmp(argv[i], "-")) {
            tell_lines(&a);
            named = true;
        } else if (argv[i][0] != '-') {
            support_state state = tell(&a, argv[i]);
            worst = state > worst ? state : worst;
            named = true;
        } else {
            fprintf(stderr, "softwarp: error: \"%s\" is not understood\n%s",
                    argv[i], help);
            goto out;
        }
    }
    if (markdown)
        document(&a, &out);
    if (ptx && !markdown)
        support_ptx_table(&out, false, NULL);
    for (int i = 0; i < 2; i++)
        for (int state = 0; api[i] && !markdown && state < 4; state++)
            functions_of(&a.entries[i], (support_state)state, false, &out);
    if (!named && !out.n)
        summary(&a);
    fputs(out.p, stdout);
    status = worst > SUPPORT_PARTIAL;
out:
    sw_buf_finish(&out);
    apis_finish(&a);
    return status;
}
