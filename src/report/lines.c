/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - see lines.h. */
#include "report/lines.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT_BYTES = 8 << 20 };

static sw_report_line *
find_line(sw_vec *lines, const char *file, uint32_t line)
{
    SW_PROFILE_EACH (sw_report_line, l, lines)
        if (l->line == line && strcmp(l->file, file) == 0)
            return l;
    sw_report_line *l = sw_vec_push(lines);
    l->file = file;
    l->line = line;
    return l;
}

/* The place of a file among those of `lines`, for a stable order. */
static size_t
file_rank(const sw_report_line *all, size_t count, const char *file)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].file, file) == 0)
            return i;
    return count;
}

void
sw_report_lines(const sw_profile_group *g, sw_vec *out)
{
    SW_PROFILE_EACH (const sw_record_row, r, &g->rows) {
        bool known = r->source_line != 0;
        sw_report_line *l =
            find_line(out, known ? r->source : "", known ? r->source_line : 0);
        l->instructions++;
        sw_counts_add(&l->counts, r->counts);
    }
    /* Insertion: there are few, and mostly in order. */
    sw_report_line *v = out->data;
    for (size_t i = 1; i < out->count; i++) {
        sw_report_line moved = v[i];
        size_t rank = file_rank(v, out->count, moved.file), k = i;
        while (k && (file_rank(v, out->count, v[k - 1].file) > rank ||
                     (strcmp(v[k - 1].file, moved.file) == 0 &&
                      v[k - 1].line > moved.line))) {
            v[k] = v[k - 1];
            k--;
        }
        v[k] = moved;
    }
}

static sw_report_text *
cut(sw_arena *arena, const char *text)
{
    sw_report_text *t = sw_arena_alloc(arena, sizeof *t);
    for (const char *p = text; *p; p++)
        t->count += *p == '\n' || !p[1];
    t->lines = sw_arena_alloc(arena, (t->count + 1) * sizeof *t->lines);
    char *rest = sw_arena_str(arena, sw_str_of(text)), *line;
    for (size_t i = 0; i < t->count && (line = strsep(&rest, "\n")); i++) {
        size_t n = strlen(line);
        if (n && line[n - 1] == '\r')
            line[n - 1] = 0;
        t->lines[i] = line;
    }
    return t;
}

/* What the process wrote into the profile; the last of that name. */
static const char *
recorded_text(const sw_profile *p, uint32_t process, const char *file)
{
    const char *name = strncmp(file, "./", 2) ? file : file + 2;
    const char *text = NULL;
    SW_PROFILE_EACH (const sw_profile_source, s, &p->sources)
        if (s->process == process && !strcmp(s->r.name, name))
            text = s->r.text;
    return text;
}

const sw_report_text *
sw_report_read_text(const sw_profile *p, uint32_t process, const char *file)
{
    const char *recorded = recorded_text(p, process, file);
    if (recorded)
        return cut(p->arena, recorded);
    const sw_profile_process *at = sw_vec_at(&p->processes, process);
    char *text = NULL;
    size_t bytes;
    const char *path = file;
    if (*file != '/')
        path = sw_arena_printf(p->arena, "%s/%s", at->r.folder, file);
    if (!*file || sw_file_read(path, &text, &bytes) != SW_OK)
        return NULL;
    const sw_report_text *t =
        bytes <= MAX_TEXT_BYTES ? cut(p->arena, text) : NULL;
    sw_free(text);
    return t;
}
