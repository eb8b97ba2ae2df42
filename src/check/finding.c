/* SPDX-License-Identifier: Apache-2.0 */
/* finding.c - the set of findings, and its file; see finding.h. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/finding.h"

struct sw_findings {
    pthread_mutex_t lock;
    sw_arena *arena;
    sw_map *by_key; /* entry *, by what makes two findings one */
    sw_vec all;     /* entry * */
    void (*tell)(void *arg, const sw_buf *text); /* NULL; of new ones */
    void *tell_arg;
};

/* A finding, and the numbers of the blocks in which it was met. */
typedef struct {
    sw_finding finding; /* first: what begin returns */
    sw_map *blocks;     /* NULL: none yet */
    uint64_t last_block;
} entry;

static const sw_find_kind_info kinds[] = {
#define KIND(ID, name, tool, level, sanitizer, title, advice)                  \
    {name, SW_CHECK_##tool, SW_FIND_##level, sanitizer, title, advice},
#include "check/kinds.def"
};

static const sw_check_tool_info tools[] = {
#define CHECKER(ID, name, sanitizer, text) {name, sanitizer, text},
#include "check/tools.def"
};

const sw_find_kind_info *
sw_find_kind_get(sw_find_kind kind)
{
    SW_ASSERT(kind < SW_FIND_COUNT);
    return &kinds[kind];
}

sw_find_kind
sw_find_kind_named(sw_str name)
{
    int i = 0;
    while (i < SW_FIND_COUNT && !sw_str_is(name, kinds[i].name))
        i++;
    return (sw_find_kind)i;
}

const sw_check_tool_info *
sw_check_tool_get(sw_check_tool tool)
{
    SW_ASSERT(tool < SW_CHECK_COUNT);
    return &tools[tool];
}

/* ---- places ---- */

bool
sw_check_is_header(const char *file)
{
    static const char *const parts[] = {"/usr/include/",  "/usr/lib/",
                                        "/include/cuda/", "/include/softwarp/",
                                        "/cuda/std/",     "/cccl/"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(file, parts[i]))
            return true;
    return false;
}

sw_find_place
sw_find_place_of(const sw_fn *fn, const sw_ins *ins)
{
    const sw_module *m = fn->module;
    sw_find_place first = {m->name, ins->line};
    /* A chain of inlined calls; the bound ends one that is a circle. */
    uint32_t turns = 0;
    for (uint32_t i = ins->loc; i && i < m->loc_count && turns < 64; turns++) {
        const sw_loc *l = &m->locs[i];
        if (l->file >= m->file_count || !m->files[l->file])
            break;
        sw_find_place place = {m->files[l->file], l->line};
        if (turns == 0)
            first = place;
        if (!sw_check_is_header(place.file))
            return place;
        i = l->inlined_at;
    }
    return first;
}

/* ---- the set ---- */

sw_findings *
sw_findings_create(void)
{
    sw_findings *set = sw_alloc(sizeof *set);
    pthread_mutex_init(&set->lock, NULL);
    set->arena = sw_arena_create();
    set->by_key = sw_map_create();
    sw_vec_init(&set->all, sizeof(entry *));
    return set;
}

void
sw_findings_destroy(sw_findings *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->all.count; i++) {
        entry *e = *(entry **)sw_vec_at(&set->all, i);
        sw_vec_finish(&e->finding.details);
        if (e->blocks)
            sw_map_destroy(e->blocks);
    }
    sw_vec_finish(&set->all);
    sw_map_destroy(set->by_key);
    sw_arena_destroy(set->arena);
    pthread_mutex_destroy(&set->lock);
    sw_free(set);
}

size_t
sw_findings_count(const sw_findings *set)
{
    return set->all.count;
}

const sw_finding *
sw_findings_at(const sw_findings *set, size_t i)
{
    return &(*(entry **)sw_vec_at(&set->all, i))->finding;
}

static const char *
keep(sw_findings *set, const char *text)
{
    return sw_arena_str(set->arena, sw_str_of(text ? text : ""));
}

static uint32_t
count_lanes(const sw_find_threads *t)
{
    return t ? (uint32_t)__builtin_popcount(t->lanes) : 0;
}

/* The finding was met by these threads. */
static void
add_threads(entry *e, const sw_find_threads *t)
{
    char key[24];
    sw_finding *f = &e->finding;
    if (!t)
        return;
    f->lanes |= t->lanes;
    if (f->has_threads && e->last_block == t->block_index)
        return;
    if (!f->has_threads)
        f->first = *t;
    f->has_threads = true;
    e->last_block = t->block_index;
    if (f->blocks >= SW_FIND_BLOCKS)
        return;
    if (!e->blocks)
        e->blocks = sw_map_create();
    snprintf(key, sizeof key, "%" PRIu64, t->block_index);
    if (!sw_map_get(e->blocks, sw_str_of(key))) {
        sw_map_set(e->blocks, sw_str_of(key), e);
        f->blocks++;
    }
}

/* Races are the same whichever of the two accesses came second. */
static void
make_key(const sw_find_report *r, sw_find_place at, sw_find_place other,
         sw_buf *out)
{
    int order = *other.file ? strcmp(at.file, other.file) : -1;
    if (order > 0 || (order == 0 && at.line > other.line)) {
        sw_find_place first = other;
        other = at;
        at = first;
    }
    sw_buf_printf(out, "%d\n%s\n%s\n%s:%u\n%s:%u\n%s", (int)r->kind,
                  r->kernel ? r->kernel : "", r->space ? r->space : "", at.file,
                  at.line, other.file, other.line, r->key ? r->key : "");
}

/* Of the last instruction before `ins` that stands in the user's own source;
 * file NULL: there is none. */
static sw_find_place
place_before(const sw_fn *fn, const sw_ins *ins)
{
    sw_find_place last = {NULL, 0};
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            const sw_ins *at = fn->blocks[b]->ins[i];
            if (at == ins)
                return last;
            sw_find_place place = sw_find_place_of(fn, at);
            if (at->loc && place.line && !sw_check_is_header(place.file))
                last = place;
        }
    return last;
}

sw_find_place
sw_find_user_place_of(const sw_fn *fn, const sw_ins *ins)
{
    sw_find_place place = sw_find_place_of(fn, ins);
    if (place.line && !sw_check_is_header(place.file))
        return place;
    sw_find_place before = place_before(fn, ins);
    return before.file ? before : place;
}

static sw_find_place
place_or(sw_find_place place, const sw_fn *fn, const sw_ins *ins)
{
    if (place.file && *place.file)
        return place;
    return fn && ins ? sw_find_user_place_of(fn, ins) : (sw_find_place){"", 0};
}

static entry *
find_or_make(sw_findings *set, const sw_find_report *r, bool *is_new)
{
    sw_find_place at = place_or(r->at, r->fn, r->ins);
    sw_find_place other = place_or(r->other, r->other_fn, r->other_ins);
    sw_buf key;
    sw_buf_init(&key);
    make_key(r, at, other, &key);
    entry *e = sw_map_get(set->by_key, (sw_str){key.p, key.n});
    *is_new = !e;
    if (!e) {
        e = sw_arena_alloc(set->arena, sizeof *e);
        e->finding = (sw_finding){.kind = r->kind,
                                  .is_benign = r->is_benign,
                                  .kernel = keep(set, r->kernel),
                                  .at = {keep(set, at.file), at.line},
                                  .other = {keep(set, other.file), other.line},
                                  .space = keep(set, r->space),
                                  .message = keep(set, r->message),
                                  .key = keep(set, r->key),
                                  .launch = r->launch,
                                  .pid = (uint32_t)getpid()};
        sw_vec_init(&e->finding.details, sizeof(sw_find_detail));
        sw_map_set(set->by_key, (sw_str){key.p, key.n}, e);
        *(entry **)sw_vec_push(&set->all) = e;
    }
    sw_buf_finish(&key);
    /* Once it did harm it is no longer benign. */
    e->finding.is_benign &= r->is_benign;
    return e;
}

sw_finding *
sw_findings_begin(sw_findings *set, const sw_find_report *report)
{
    bool is_new;
    pthread_mutex_lock(&set->lock);
    entry *e = find_or_make(set, report, &is_new);
    uint32_t lanes = count_lanes(report->threads);
    e->finding.count += report->count ? report->count : lanes ? lanes : 1;
    add_threads(e, report->threads);
    if (is_new)
        return &e->finding;
    pthread_mutex_unlock(&set->lock);
    return NULL;
}

static void
add_detail(sw_findings *set, sw_finding *f, const char *label, const char *text)
{
    *(sw_find_detail *)sw_vec_push(&f->details) =
        (sw_find_detail){keep(set, label), keep(set, text)};
}

void
sw_findings_detail(sw_findings *set, sw_finding *finding, const char *label,
                   const char *fmt, ...)
{
    sw_buf text;
    sw_buf_init(&text);
    va_list args;
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    add_detail(set, finding, label, text.p);
    sw_buf_finish(&text);
}

static void write_finding(const sw_finding *f, sw_buf *out);

void
sw_findings_end(sw_findings *set)
{
    if (set->tell && set->all.count) {
        sw_buf text;
        sw_buf_init(&text);
        write_finding(sw_findings_at(set, set->all.count - 1), &text);
        set->tell(set->tell_arg, &text);
        sw_buf_finish(&text);
    }
    pthread_mutex_unlock(&set->lock);
}

void
sw_findings_tell(sw_findings *set, void (*fn)(void *arg, const sw_buf *text),
                 void *arg)
{
    set->tell = fn;
    set->tell_arg = arg;
}

void
sw_findings_add(sw_findings *set, const sw_find_report *report)
{
    if (sw_findings_begin(set, report))
        sw_findings_end(set);
}

/* The place of a line "FUNCTION (FILE:LINE)"; false if it is none. */
static bool
read_frame(sw_findings *set, const char *line, size_t n, sw_find_place *out)
{
    uint64_t number;
    const char *open = line + n - 1, *colon = line + n;
    if (*open != ')')
        return false;
    while (open > line && *open != '(')
        open--;
    while (colon > open && *colon != ':')
        colon--;
    if (colon == open ||
        !sw_str_to_u64((sw_str){colon + 1, (size_t)(line + n - 2 - colon)}, 10,
                       &number))
        return false;
    *out = (sw_find_place){
        sw_arena_str(set->arena,
                     (sw_str){open + 1, (size_t)(colon - open - 1)}),
        (uint32_t)number};
    return true;
}

void
sw_findings_resolved(sw_findings *set, size_t i, size_t detail,
                     const char *text)
{
    entry *e = *(entry **)sw_vec_at(&set->all, i);
    sw_find_detail *d = sw_vec_at(&e->finding.details, detail);
    d->text = keep(set, text);
    for (const char *p = text; *p && !*e->finding.at.file;) {
        size_t n = strcspn(p, "\n");
        if (n)
            read_frame(set, p, n, &e->finding.at);
        p += n + (p[n] == '\n');
    }
}

/* ---- as a file ----
 *
 * A line "name value" for each field, in which \n and \\ stand for a new line
 * and a backslash; a line "finding KIND" begins each. */

const char sw_findings_head[] = "softwarp findings 1\n";

static void
write_text(const char *name, const char *text, sw_buf *out)
{
    if (!*text)
        return;
    sw_buf_printf(out, "%s ", name);
    for (const char *p = text; *p; p++)
        if (*p == '\n')
            sw_buf_puts(out, "\\n");
        else if (*p == '\\')
            sw_buf_puts(out, "\\\\");
        else
            sw_buf_put(out, *p);
    sw_buf_put(out, '\n');
}

static void
write_number(const char *name, uint64_t number, sw_buf *out)
{
    if (number)
        sw_buf_printf(out, "%s %" PRIu64 "\n", name, number);
}

/* The numbers of a finding: its name in the file and where it lies. */
#define NUMBERS(N)                                                             \
    N(benign, is_benign, bool)                                                 \
    N(line, at.line, uint32_t)                                                 \
    N(other_line, other.line, uint32_t)                                        \
    N(count, count, uint64_t)                                                  \
    N(launch, launch, uint64_t)                                                \
    N(blocks, blocks, uint32_t)                                                \
    N(lanes, lanes, uint32_t)                                                  \
    N(has_threads, has_threads, bool)                                          \
    N(bx, first.block[0], uint32_t)                                            \
    N(by, first.block[1], uint32_t)                                            \
    N(bz, first.block[2], uint32_t)                                            \
    N(block, first.block_index, uint64_t)                                      \
    N(tx, first.thread[0], uint32_t)                                           \
    N(ty, first.thread[1], uint32_t)                                           \
    N(tz, first.thread[2], uint32_t)                                           \
    N(first_lanes, first.lanes, uint32_t)                                      \
    N(pid, pid, uint32_t)
#define TEXTS(T)                                                               \
    T(kernel, kernel)                                                          \
    T(file, at.file)                                                           \
    T(other_file, other.file)                                                  \
    T(space, space)                                                            \
    T(message, message)                                                        \
    T(key, key)

static void
write_finding(const sw_finding *f, sw_buf *out)
{
    sw_buf_printf(out, "finding %s\n", kinds[f->kind].name);
#define T(name, field) write_text(#name, f->field, out);
    TEXTS(T)
#undef T
#define N(name, field, type) write_number(#name, (uint64_t)f->field, out);
    NUMBERS(N)
#undef N
    for (size_t k = 0; k < f->details.count; k++) {
        const sw_find_detail *d = sw_vec_at(&f->details, k);
        write_text("label", d->label, out);
        write_text("text", d->text, out);
    }
}

void
sw_findings_write(const sw_findings *set, sw_buf *out)
{
    sw_buf_puts(out, sw_findings_head);
    for (size_t i = 0; i < set->all.count; i++)
        write_finding(sw_findings_at(set, i), out);
}

/* The value of a line, with new lines and backslashes again. */
static const char *
read_text(sw_findings *set, sw_str value)
{
    sw_buf text;
    sw_buf_init(&text);
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '\\' && i + 1 < value.n)
            sw_buf_put(&text, value.p[++i] == 'n' ? '\n' : value.p[i]);
        else
            sw_buf_put(&text, value.p[i]);
    }
    const char *kept = keep(set, text.p);
    sw_buf_finish(&text);
    return kept;
}

static bool
read_field(sw_findings *set, sw_finding *f, const char **label, sw_str name,
           sw_str value)
{
    uint64_t number;
#define T(field_name, field)                                                   \
    if (sw_str_is(name, #field_name)) {                                        \
        f->field = read_text(set, value);                                      \
        return true;                                                           \
    }
    TEXTS(T)
#undef T
    if (sw_str_is(name, "label"))
        *label = read_text(set, value);
    else if (sw_str_is(name, "text"))
        add_detail(set, f, *label, read_text(set, value));
    else if (!sw_str_to_u64(value, 10, &number))
        return false;
#define N(field_name, field, type)                                             \
    else if (sw_str_is(name, #field_name)) f->field = (type)number;
    NUMBERS(N)
#undef N
    else return false;
    return true;
}

/* Joins what was read with what is there: the same defect is one entry. */
static void
take(sw_findings *set, sw_finding *read)
{
    bool is_new;
    sw_find_report r = {.kind = read->kind,
                        .is_benign = read->is_benign,
                        .kernel = read->kernel,
                        .space = read->space,
                        .message = read->message,
                        .key = read->key,
                        .at = read->at,
                        .other = read->other};
    entry *e = find_or_make(set, &r, &is_new);
    if (is_new) {
        sw_vec_finish(&e->finding.details);
        e->finding = *read;
        return;
    }
    e->finding.count += read->count;
    e->finding.lanes |= read->lanes;
    e->finding.blocks =
        e->finding.blocks > read->blocks ? e->finding.blocks : read->blocks;
    sw_vec_finish(&read->details);
}

static sw_finding
empty_finding(sw_find_kind kind)
{
    sw_finding f = {.kind = kind,
                    .kernel = "",
                    .at = {"", 0},
                    .other = {"", 0},
                    .space = "",
                    .message = "",
                    .key = ""};
    sw_vec_init(&f.details, sizeof(sw_find_detail));
    return f;
}

bool
sw_findings_read(sw_findings *set, sw_str text)
{
    if (!sw_str_has_prefix(text, sw_findings_head))
        return false;
    sw_finding f;
    const char *label = "";
    bool has_one = false, good = true;
    const char *p = text.p + strlen(sw_findings_head), *end = text.p + text.n;
    while (p < end && good) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        const char *gap = memchr(p, ' ', (size_t)(stop - p));
        good = gap != NULL;
        if (!good)
            break;
        sw_str name = {p, (size_t)(gap - p)};
        sw_str value = {gap + 1, (size_t)(stop - gap - 1)};
        if (sw_str_is(name, "finding")) {
            if (has_one)
                take(set, &f);
            sw_find_kind kind = sw_find_kind_named(value);
            has_one = good = kind != SW_FIND_COUNT;
            if (good)
                f = empty_finding(kind);
        } else {
            good = has_one && read_field(set, &f, &label, name, value);
        }
        p = stop + 1;
    }
    if (has_one)
        take(set, &f);
    return good;
}
