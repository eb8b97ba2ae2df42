/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested_ir.c - kernels that launch kernels: LLVM's text.
 *
 * What nested.c lets clang see is
 *
 *     call void @kernel(ptr %p, ptr byval(%struct.S) align 8 %s) #5, !dbg !7
 *     call void @softwarp_launch(ptr byval(%struct.dim3) align 4 %g, ...)
 *
 * where @kernel is a function with an annotation. Arguments go where a buffer
 * of the device runtime wants them, each at a multiple of its alignment, and
 * the second call gets what the first one made:
 *
 *     %swnest.1 = call ptr @softwarp_begin_launch(i64 SIZE), !dbg !7
 *     ... stores ...
 *     call void @softwarp_end_launch(ptr @kernel, ptr %swnest.1, ...)
 *
 * Those two are functions of our header (softwarp/nested.h). Metadata makes
 * kernels of the marked functions.
 */
#include <stdlib.h>
#include <string.h>

#include "cc/cc_private.h"

static const char mark[] = "c\"softwarp.kernel\\00\"";
static const char launch_call[] = "call void @softwarp_launch(";
static const char any_call[] = "call void ";

typedef struct {
    sw_str type, attributes, value;
} argument;

typedef struct {
    sw_vec kernels; /* sw_str: "@name" */
    sw_vec calls;   /* const char *: lines that call what is launched */
    sw_str pending; /* the kernel whose arguments were stored; or empty */
    size_t serial;
    sw_buf *out;
} rewrite;

static const char *
find(sw_str s, const char *what)
{
    return s.n ? memmem(s.p, s.n, what, strlen(what)) : NULL;
}

static sw_str
line_of(const char *p, const char *end)
{
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    return (sw_str){p, (size_t)((stop ? stop : end) - p)};
}

static bool
is_kernel(const rewrite *r, sw_str name)
{
    for (size_t i = 0; i < r->kernels.count; i++)
        if (sw_str_eq(*(const sw_str *)sw_vec_at(&r->kernels, i), name))
            return true;
    return false;
}

/* The functions that the table of annotations says to be kernels. */
static void
find_kernels(rewrite *r, sw_str ir)
{
    const char *end = ir.p + ir.n;
    sw_str kind = {NULL, 0};
    for (const char *p = ir.p; p < end;) {
        sw_str line = line_of(p, end), left = line;
        if (line.n && *line.p == '@' && find(line, mark))
            kind = cc_ir_name_at(line.p, line.p + line.n);
        bool is_table = cc_take(&left, "@llvm.global.annotations = ");
        for (const char *at;
             is_table && kind.n && (at = find(left, "{ ptr @"));) {
            sw_str name = cc_ir_name_at(at + 6, line.p + line.n), rest;
            left.p = name.p + name.n;
            left.n = (size_t)(line.p + line.n - left.p);
            rest = left;
            if (cc_take(&rest, ", ptr ") && rest.n > kind.n &&
                sw_str_eq(cc_ir_name_at(rest.p, rest.p + rest.n), kind) &&
                !is_kernel(r, name))
                *(sw_str *)sw_vec_push(&r->kernels) = name;
        }
        p = line.p + line.n + 1;
    }
}

/* ---- arguments ---- */

/* Behind what ends at a comma or a space outside of brackets. */
static const char *
end_of(const char *p, const char *end, const char *stops)
{
    int depth = 0;
    for (; p < end; p++) {
        if (!depth && strchr(stops, *p))
            return p;
        depth += strchr("([{<", *p) != NULL;
        depth -= strchr(")]}>", *p) != NULL;
    }
    return end;
}

static sw_str
trim(const char *p, const char *end)
{
    while (p < end && *p == ' ')
        p++;
    while (end > p && end[-1] == ' ')
        end--;
    return (sw_str){p, (size_t)(end - p)};
}

/* Words between type and value. */
static const char *
skip_attributes(const char *p, const char *end)
{
    static const char *const words[] = {
        "noundef",         "signext",  "zeroext",  "noalias",
        "nonnull",         "readonly", "readnone", "align",
        "dereferenceable", "byval",    "inreg",    "nocapture"};
    for (;;) {
        size_t i = 0;
        while (i < sizeof words / sizeof *words &&
               strncmp(p, words[i], strlen(words[i])) != 0)
            i++;
        if (i == sizeof words / sizeof *words)
            return p;
        bool has_number = strncmp(p, "align ", 6) == 0;
        p = end_of(p, end, " ");
        p += p < end;
        if (has_number) {
            p = end_of(p, end, " ");
            p += p < end;
        }
    }
}

static void
read_arguments(const char *p, const char *end, sw_vec *out)
{
    while (p < end) {
        const char *stop = end_of(p, end, ",");
        sw_str all = trim(p, stop);
        const char *last = all.p + all.n;
        const char *type = end_of(all.p, last, " ");
        const char *value = skip_attributes(type + (type < last), last);
        *(argument *)sw_vec_push(out) =
            (argument){trim(all.p, type), trim(type, value), trim(value, last)};
        p = stop + 1;
    }
}

static uint64_t
scalar_bytes(sw_str type)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } of[] = {{"i1", 1},  {"i8", 1},     {"i16", 2},   {"half", 2},
              {"i32", 4}, {"bfloat", 2}, {"float", 4}, {"i64", 8},
              {"ptr", 8}, {"double", 8}, {"i128", 16}};
    uint64_t count = 1;
    if (cc_take(&type, "<")) { /* <4 x float> */
        count = strtoull(type.p, NULL, 10);
        const char *x = find(type, "x ");
        if (x)
            type = (sw_str){x + 2, (size_t)(type.p + type.n - 1 - x - 2)};
    }
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (sw_str_eq(type, sw_str_of(of[i].name)))
            return count * of[i].bytes;
    return 8;
}

static uint64_t
align_of(const argument *a)
{
    const char *p = find(a->attributes, "align ");
    return p ? strtoull(p + 6, NULL, 10) : 1;
}

/* What is passed by value; empty: the argument itself is. */
static sw_str
structure_of(const argument *a)
{
    const char *p = find(a->attributes, "byval("),
               *end = a->attributes.p + a->attributes.n;
    if (!p)
        return (sw_str){NULL, 0};
    p += 6;
    return trim(p, end_of(p, end, ")"));
}

static void
add_bytes(sw_str structure, sw_buf *out)
{
    sw_buf_printf(out,
                  "ptrtoint (ptr getelementptr (%.*s, ptr null, i32 1) to i64)",
                  (int)structure.n, structure.p);
}

/* Where each argument lies, %swnest.N.at.I, and behind the last. */
static void
add_places(rewrite *r, const sw_vec *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const argument *a = sw_vec_at(arguments, i);
        sw_str s = structure_of(a);
        uint64_t align = s.n ? align_of(a) : scalar_bytes(a->type);
        sw_buf_printf(r->out, "  %%swnest.%zu.up.%zu = add i64 ", r->serial, i);
        if (i)
            sw_buf_printf(r->out, "%%swnest.%zu.end.%zu", r->serial, i - 1);
        else
            sw_buf_puts(r->out, "0");
        sw_buf_printf(r->out,
                      ", %llu\n  %%swnest.%zu.at.%zu = and i64 "
                      "%%swnest.%zu.up.%zu, -%llu\n  %%swnest.%zu.end.%zu = "
                      "add i64 %%swnest.%zu.at.%zu, ",
                      (unsigned long long)align - 1, r->serial, i, r->serial, i,
                      (unsigned long long)align, r->serial, i, r->serial, i);
        if (s.n)
            add_bytes(s, r->out);
        else
            sw_buf_printf(r->out, "%llu", (unsigned long long)align);
        sw_buf_puts(r->out, "\n");
    }
}

static void
add_store(rewrite *r, const argument *a, size_t i, sw_str place)
{
    sw_str s = structure_of(a);
    size_t n = r->serial;
    sw_buf_printf(r->out,
                  "  %%swnest.%zu.to.%zu = getelementptr i8, ptr %%swnest.%zu, "
                  "i64 %%swnest.%zu.at.%zu\n",
                  n, i, n, n, i);
    if (s.n) {
        sw_buf_printf(r->out,
                      "  call void @llvm.memcpy.p0.p0.i64(ptr align %llu "
                      "%%swnest.%zu.to.%zu, ptr align %llu %.*s, i64 ",
                      (unsigned long long)align_of(a), n, i,
                      (unsigned long long)align_of(a), (int)a->value.n,
                      a->value.p);
        add_bytes(s, r->out);
        sw_buf_printf(r->out, ", i1 false)%.*s\n", (int)place.n, place.p);
    } else if (sw_str_eq(a->type, sw_str_of("i1"))) {
        sw_buf_printf(r->out,
                      "  %%swnest.%zu.bool.%zu = zext i1 %.*s to i8\n"
                      "  store i8 %%swnest.%zu.bool.%zu, ptr "
                      "%%swnest.%zu.to.%zu, align 1\n",
                      n, i, (int)a->value.n, a->value.p, n, i, n, i);
    } else {
        sw_buf_printf(
            r->out, "  store %.*s %.*s, ptr %%swnest.%zu.to.%zu, align %llu\n",
            (int)a->type.n, a->type.p, (int)a->value.n, a->value.p, n, i,
            (unsigned long long)scalar_bytes(a->type));
    }
}

/* ---- lines ---- */

/* What a line calls that may be a kernel, "@name" or, if its address is only
 * known when the program runs, "%name"; empty: nothing. */
static sw_str
callee_of(sw_str line)
{
    static const char *const others[] = {"@llvm.", "@_ZN4dim3",
                                         "@softwarp_launch"};
    const char *at = find(line, any_call), *end = line.p + line.n;
    sw_str none = {NULL, 0};
    if (!at || line.p[0] != ' ')
        return none;
    sw_str name = cc_ir_name_at(at + sizeof any_call - 1, end);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (sw_str_has_prefix(name, others[i]))
            return none;
    return name.n > 1 && strchr("@%", *name.p) ? name : none;
}

/* The calls whose callees are launched: before each launch that of a kernel we
 * know, or else the last one, of a kernel that another object has. */
static void
find_calls(rewrite *r, sw_str ir)
{
    const char *end = ir.p + ir.n, *last = NULL;
    bool is_known = false;
    for (const char *p = ir.p; p < end;) {
        sw_str line = line_of(p, end), name = callee_of(line);
        if (find(line, launch_call) && last && line.p[0] == ' ') {
            *(const char **)sw_vec_push(&r->calls) = last;
            last = NULL;
            is_known = false;
        } else if (name.n && (is_kernel(r, name) || !is_known)) {
            last = line.p;
            is_known = is_kernel(r, name);
        } else if (line.n && line.p[0] == '}') {
            last = NULL;
            is_known = false;
        }
        p = line.p + line.n + 1;
    }
}

static bool
is_launched(const rewrite *r, sw_str line)
{
    for (size_t i = 0; i < r->calls.count; i++)
        if (*(const char **)sw_vec_at(&r->calls, i) == line.p)
            return true;
    return false;
}

/* A call of what is launched, if the line is one. */
static bool
rewrite_call(rewrite *r, sw_str line)
{
    const char *end = line.p + line.n;
    if (!is_launched(r, line))
        return false;
    sw_str name = callee_of(line);
    const char *open = name.p + name.n;
    if (open >= end || *open != '(')
        return false;
    const char *close = end_of(open + 1, end, ")");
    sw_str place = {NULL, 0};
    const char *dbg = find((sw_str){close, (size_t)(end - close)}, ", !dbg ");
    if (dbg)
        place = (sw_str){dbg, (size_t)(end - dbg)};
    sw_vec arguments;
    sw_vec_init(&arguments, sizeof(argument));
    read_arguments(open + 1, close, &arguments);
    r->serial++;
    add_places(r, &arguments);
    sw_buf_printf(r->out,
                  "  %%swnest.%zu = call ptr @softwarp_begin_launch(i64 ",
                  r->serial);
    if (arguments.count)
        sw_buf_printf(r->out, "%%swnest.%zu.end.%zu", r->serial,
                      arguments.count - 1);
    else
        sw_buf_puts(r->out, "0");
    sw_buf_printf(r->out, ")%.*s\n", (int)place.n, place.p);
    for (size_t i = 0; i < arguments.count; i++)
        add_store(r, sw_vec_at(&arguments, i), i, place);
    sw_vec_finish(&arguments);
    r->pending = name;
    return true;
}

static void
rewrite_line(rewrite *r, sw_str line)
{
    const char *at = find(line, launch_call);
    sw_str rest = line;
    if (at && r->pending.n) {
        const char *arguments = at + sizeof launch_call - 1;
        sw_buf_printf(r->out,
                      "  call void @softwarp_end_launch(ptr %.*s, ptr "
                      "%%swnest.%zu, %.*s\n",
                      (int)r->pending.n, r->pending.p, r->serial,
                      (int)(line.p + line.n - arguments), arguments);
        r->pending.n = 0;
        return;
    }
    if (line.n && *line.p == ' ' && rewrite_call(r, line))
        return;
    const char *name = memchr(line.p, '@', line.n);
    if (cc_take(&rest, "define ") && name &&
        is_kernel(r, cc_ir_name_at(name, line.p + line.n)) &&
        (cc_take(&rest, "linkonce_odr ") || cc_take(&rest, "internal "))) {
        bool is_own = line.p[7] == 'i';
        sw_buf_printf(r->out, "define %s", is_own ? "" : "weak_odr ");
        line = rest;
    }
    sw_buf_add(r->out, line.p, line.n);
    sw_buf_puts(r->out, "\n");
}

/* ---- names ---- */

/* Where the definition of an own kernel has its name; NULL: it has none more
 * from p on. */
static const char *
own_kernel(const rewrite *r, const char *p, const char *end, sw_str *name)
{
    while (p < end) {
        sw_str line = line_of(p, end), rest = line;
        const char *at = memchr(line.p, '@', line.n);
        p = line.p + line.n + 1;
        if (!cc_take(&rest, "define internal ") || !at)
            continue;
        *name = cc_ir_name_at(at, line.p + line.n);
        if (is_kernel(r, *name) && name->p[1] != '"')
            return p;
    }
    return NULL;
}

/* Static kernels of relocatable code have a name of clang's own, of which
 * rdc.c makes the one that the host registers. */
static void
rename_own(const rewrite *r, sw_buf *text)
{
    sw_buf all;
    sw_vec names;
    sw_str name;
    const char *end = text->p + text->n, *done = text->p;
    sw_buf_init(&all);
    sw_vec_init(&names, sizeof(sw_str));
    for (const char *p = text->p; p && (p = own_kernel(r, p, end, &name));)
        *(sw_str *)sw_vec_push(&names) = name;
    for (const char *p = text->p; (p = memchr(p, '@', (size_t)(end - p)));) {
        name = cc_ir_name_at(p, end);
        p = name.p + name.n;
        for (size_t i = 0; i < names.count; i++) {
            if (!sw_str_eq(*(sw_str *)sw_vec_at(&names, i), name))
                continue;
            sw_buf_add(&all, done, (size_t)(p - done));
            sw_buf_puts(&all, "__intern__0000000000000000");
            done = p;
        }
    }
    sw_buf_add(&all, done, (size_t)(end - done));
    sw_vec_finish(&names);
    sw_buf_finish(text);
    *text = all;
}

int
cc_nested_rewrite(const cc_options *o, const char *ir)
{
    enum { FIRST = 100000000 }; /* above clang's own numbers */
    char *read;
    size_t bytes;
    sw_buf out, text;
    rewrite r = {.out = &out};
    if (!(o->device_overlay || o->is_nested) || o->dry_run)
        return 0;
    if (!cc_read_file(ir, &read, &bytes))
        return 1;
    sw_buf_init(&out);
    sw_buf_init(&text);
    sw_buf_add(&text, read, bytes);
    sw_free(read);
    sw_vec_init(&r.kernels, sizeof(sw_str));
    sw_vec_init(&r.calls, sizeof(const char *));
    find_kernels(&r, (sw_str){text.p, text.n});
    if (o->relocatable) {
        rename_own(&r, &text);
        r.kernels.count = 0;
        find_kernels(&r, (sw_str){text.p, text.n});
    }
    find_calls(&r, (sw_str){text.p, text.n});
    for (const char *p = text.p, *end = p + text.n; p < end;) {
        sw_str line = line_of(p, end);
        rewrite_line(&r, line);
        p = line.p + line.n + 1;
    }
    for (size_t i = 0; i < r.kernels.count; i++) {
        sw_str name = *(const sw_str *)sw_vec_at(&r.kernels, i);
        sw_buf_printf(&out,
                      "!nvvm.annotations = !{!%zu}\n"
                      "!%zu = !{ptr %.*s, !\"kernel\", i32 1}\n",
                      FIRST + i, FIRST + i, (int)name.n, name.p);
    }
    int rc = !cc_write_file(ir, out.p, out.n);
    sw_vec_finish(&r.calls);
    sw_vec_finish(&r.kernels);
    sw_buf_finish(&text);
    sw_buf_finish(&out);
    return rc;
}
