/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support_api.c - the functions of the driver and the runtime API: what the
 * tables of the libraries say, and what our CUDA headers declare besides.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { L11 = 1, L12 = 2, L13 = 4, ALL = L11 | L12 | L13 };

#define ENTRY(name, symbol, since, stream, state, missing)                     \
    {#symbol, #name, missing, SUPPORT_##state, since, 0},
static const support_entry driver[] = {
#include "api/cuda/entries.def"
};
#undef ENTRY

#define ENTRY(symbol, libraries, state, missing)                               \
    {#symbol, #symbol, missing, SUPPORT_##state, 0, libraries},
static const support_entry runtime[] = {
#include "api/cudart/entries.def"
};
#undef ENTRY

/* Functions that are not there or refuse, by how their names begin; the longest
 * beginning counts. The names without cu or cuda. */
static const struct {
    const char *begin, *instead;
} advice[] = {
#define INSTEAD(begin, instead) {begin, instead},
#include "support_instead.def"
#undef INSTEAD
};

void
support_api_instead(const support_entry *entry, sw_buf *out)
{
    const char *name = entry->symbol;
    const char *best = "";
    size_t best_bytes = 0;
    bool is_runtime = strncmp(name, "cuda", 4) == 0;
    name += is_runtime ? 4 : 2;
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        size_t n = strlen(advice[i].begin);
        if (n >= best_bytes && strncmp(name, advice[i].begin, n) == 0) {
            best = advice[i].instead;
            best_bytes = n;
        }
    }
    for (; *best; best++) {
        if (*best == '@')
            sw_buf_puts(out, is_runtime ? "cuda" : "cu");
        else
            sw_buf_add(out, best, 1);
    }
}

/* ---- headers ---- */

static sw_status
read_header(const char *name, sw_arena *arena, char **text)
{
    size_t bytes;
    char *path =
        sw_arena_printf(arena, "%s/%s", support_header_folder(arena), name);
    return sw_file_read(path, text, &bytes);
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is what stands at p, a word of n characters, declared there: a '(' follows,
 * and before it stands a type. */
static bool
is_declared(const char *text, const char *p, size_t n)
{
    const char *q = p;
    if (p[n] != '(')
        return false;
    while (q > text && (isspace((unsigned char)q[-1]) || q[-1] == '*'))
        q--;
    return q > text && q < p && is_word(q[-1]);
}

static void
scan_header(const char *text, const char *prefix, sw_arena *arena,
            sw_map *known, sw_vec *out)
{
    size_t skip = strlen(prefix);
    for (const char *p = text; *p;) {
        if (!is_word(*p)) {
            p++;
            continue;
        }
        size_t n = 0;
        while (is_word(p[n]))
            n++;
        sw_str word = {p, n};
        if (n > skip && sw_str_has_prefix(word, prefix) &&
            isupper((unsigned char)p[skip]) && is_declared(text, p, n) &&
            !sw_map_get(known, word)) {
            support_entry *e = sw_vec_push(out);
            e->symbol = e->name = sw_arena_str(arena, word);
            e->missing = "";
            e->state = SUPPORT_ABSENT;
            sw_map_set(known, word, arena);
        }
        p += n;
    }
}

static int
by_symbol(const void *a, const void *b)
{
    const support_entry *x = a, *y = b;
    return strcmp(x->symbol, y->symbol);
}

bool
support_api_entries(support_api api, sw_arena *arena, sw_vec *out,
                    sw_diag *diag)
{
    bool is_driver = api == SUPPORT_DRIVER;
    const char *header =
        is_driver ? "softwarp_cu_calls.h" : "softwarp_rt_calls.h";
    const support_entry *rows = is_driver ? driver : runtime;
    size_t count = is_driver ? sizeof driver / sizeof *driver
                             : sizeof runtime / sizeof *runtime;
    char *text = NULL;
    sw_map *known = sw_map_create();
    for (size_t i = 0; i < count; i++) {
        *(support_entry *)sw_vec_push(out) = rows[i];
        sw_map_set(known, sw_str_of(rows[i].symbol), arena);
        sw_map_set(known, sw_str_of(rows[i].name), arena);
    }
    bool ok = read_header(header, arena, &text) == SW_OK;
    if (ok)
        scan_header(text, is_driver ? "cu" : "cuda", arena, known, out);
    else
        sw_diag_add(diag, SW_DIAG_ERROR, header, 0, 0,
                    "our CUDA headers are not installed");
    sw_free(text);
    sw_map_destroy(known);
    if (out->count)
        qsort(out->data, out->count, sizeof(support_entry), by_symbol);
    return ok;
}
