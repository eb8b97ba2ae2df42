/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.c - what device code names and nobody defines, in LLVM's text before
 * optimisation.
 *
 * Built-in variables are external objects of C++ (device_launch_parameters.h),
 * so that they are what nvcc's are: of type uint3 or dim3, with an address.
 * What loads a member reads the register instead:
 *
 *     %1 = load i32, ptr addrspacecast (ptr addrspace(1) @threadIdx to ptr)
 *     %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
 *
 * and whatever else names one gets the address of a copy, which the function
 * fills when it is entered and the optimiser takes apart.
 *
 * Host functions that functions for both sides call have an attribute, which
 * the plugin put there (dialect/messages.cpp). nvcc warns, and what calls one
 * ends there: they become functions that trap.
 */
#include <stdio.h>
#include <string.h>

#include "cc/cc_private.h"

#define READ "llvm.nvvm.read.ptx.sreg."

enum { MEMBERS = 3, BUILT_INS = 5 };

/* A variable; `members` are what is behind READ, or a number, NULL where there
 * is none. */
typedef struct {
    const char *name;
    const char *members[MEMBERS];
} built_in;

static const built_in variables[BUILT_INS] = {
    {"@threadIdx", {"tid.x", "tid.y", "tid.z"}},
    {"@blockIdx", {"ctaid.x", "ctaid.y", "ctaid.z"}},
    {"@blockDim", {"ntid.x", "ntid.y", "ntid.z"}},
    {"@gridDim", {"nctaid.x", "nctaid.y", "nctaid.z"}},
    {"@warpSize", {"32", NULL, NULL}},
};

/* One text. */
typedef struct {
    const char *text, *end;
    bool is_external[BUILT_INS];
    bool is_read[BUILT_INS][MEMBERS]; /* its declaration is needed */
    sw_buf marked;                    /* "#1 #7 ": groups of attributes */
    bool has_trap;                    /* the text declares it */
    sw_buf *out;
} completion;

/* An operand that is, or points into, a variable: where it stands in a line. */
typedef struct {
    const char *begin, *end;
    int variable, member;
} operand;

static sw_str
line_at(const char *p, const char *end)
{
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    return (sw_str){p, (size_t)((stop ? stop : end) - p)};
}

static const char *
find(sw_str s, const char *what)
{
    return s.n ? memmem(s.p, s.n, what, strlen(what)) : NULL;
}

/* The variable whose name begins at p; -1: none. */
static int
variable_at(const completion *c, const char *p, const char *end)
{
    sw_str name = cc_ir_name_at(p, end);
    for (int i = 0; i < BUILT_INS; i++)
        if (c->is_external[i] && sw_str_eq(name, sw_str_of(variables[i].name)))
            return i;
    return -1;
}

/* ---- operands ---- */

/* Where the bracket opens around what stands at p; NULL: none in the line. */
static const char *
open_before(const char *p, const char *begin)
{
    for (int depth = 0; p > begin;) {
        p--;
        depth += (*p == ')') - (*p == '(');
        if (depth < 0)
            return p;
    }
    return NULL;
}

static const char *
close_after(const char *p, const char *end)
{
    for (int depth = 0; p < end; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth < 0)
            return p + 1;
    }
    return NULL;
}

/* In front of the word `word` and of what may stand between it and the
 * bracket at p, which are flags; NULL: another word stands there. */
static const char *
word_before(const char *p, const char *begin, const char *word)
{
    size_t n = strlen(word);
    const char *first = p;
    while (first > begin && first[-1] != ',' && first[-1] != '(' &&
           first[-1] != '[' && first[-1] != '=')
        first--;
    for (const char *q = p - n; q >= first; q--)
        if (memcmp(q, word, n) == 0)
            return q;
    return NULL;
}

/* The member that the offsets of a getelementptr with this end lead to. */
static int
member_of(sw_str inside)
{
    sw_str left = inside;
    const char *last = NULL;
    for (const char *p = inside.p; p < inside.p + inside.n; p++)
        if (*p == ',')
            last = p;
    if (!last)
        return 0;
    left.p = last + 1;
    left.n = (size_t)(inside.p + inside.n - left.p);
    bool is_bytes = memmem(inside.p, inside.n, "(i8,", 4) != NULL;
    const char *digit = inside.p + inside.n;
    while (digit > left.p && (digit[-1] == ')' || digit[-1] == ' '))
        digit--;
    int value = 0, scale = 1;
    for (; digit > left.p && digit[-1] >= '0' && digit[-1] <= '9'; digit--) {
        value += (digit[-1] - '0') * scale;
        scale *= 10;
    }
    return is_bytes ? value / (int)sizeof(uint32_t) : value;
}

/* The first operand of `line` from p on; false: there is none. */
static bool
next_operand(const completion *c, sw_str line, const char *p, operand *o)
{
    const char *end = line.p + line.n;
    for (; (p = memchr(p, '@', (size_t)(end - p))); p++) {
        o->variable = variable_at(c, p, end);
        if (o->variable < 0)
            continue;
        o->member = 0;
        const char *open = open_before(p, line.p);
        o->begin = open ? word_before(open, line.p, "addrspacecast") : NULL;
        o->end = o->begin ? close_after(p, end) : NULL;
        if (!o->end)
            continue;
        open = open_before(o->begin, line.p);
        const char *outer =
            open ? word_before(open, line.p, "getelementptr") : NULL;
        const char *close = outer ? close_after(o->end, end) : NULL;
        if (!close)
            return true;
        o->member = member_of((sw_str){open, (size_t)(close - open)});
        o->begin = outer;
        o->end = close;
        if (o->member >= 0 && o->member < MEMBERS)
            return true;
    }
    return false;
}

/* ---- functions ---- */

static void
put_read(completion *c, int variable, int member)
{
    const char *what = variables[variable].members[member];
    if (*what >= '0' && *what <= '9') {
        sw_buf_printf(c->out, "add i32 0, %s", what);
        return;
    }
    c->is_read[variable][member] = true;
    sw_buf_printf(c->out, "call i32 @" READ "%s()", what);
}

/* "  %x = load i32, ptr OPERAND, align 4, ..." reads a register. */
static bool
rewrite_load(completion *c, sw_str line)
{
    static const char load[] = " = load i32, ptr ";
    const char *p = find(line, load);
    operand o;
    if (!p || !next_operand(c, line, p, &o) || o.begin != p + sizeof load - 1 ||
        !variables[o.variable].members[o.member])
        return false;
    sw_buf_add(c->out, line.p, (size_t)(p - line.p));
    sw_buf_puts(c->out, " = ");
    put_read(c, o.variable, o.member);
    const char *place = find(line, ", !dbg ");
    if (place) {
        sw_str name = cc_ir_name_at(place + 7, line.p + line.n);
        sw_buf_printf(c->out, ", !dbg %.*s", (int)name.n, name.p);
    }
    sw_buf_puts(c->out, "\n");
    return true;
}

/* Copies of those that the function's body, from p on, names elsewhere than in
 * loads of members. */
static void
put_copies(completion *c, const bool needed[BUILT_INS])
{
    for (int i = 0; i < BUILT_INS; i++) {
        const char *name = variables[i].name + 1;
        if (!needed[i])
            continue;
        sw_buf_printf(c->out,
                      "  %%softwarp.%s.0 = alloca [%d x i32], align 4\n", name,
                      MEMBERS);
        for (int m = 0; m < MEMBERS && variables[i].members[m]; m++) {
            if (m > 0)
                sw_buf_printf(c->out,
                              "  %%softwarp.%s.%d = getelementptr inbounds "
                              "i32, ptr %%softwarp.%s.0, i64 %d\n",
                              name, m, name, m);
            sw_buf_printf(c->out, "  %%softwarp.%s.%d.value = ", name, m);
            put_read(c, i, m);
            sw_buf_printf(c->out,
                          "\n  store i32 %%softwarp.%s.%d.value, ptr "
                          "%%softwarp.%s.%d, align 4\n",
                          name, m, name, m);
        }
    }
}

/* A line of a function in which operands are copies. */
static void
put_line(completion *c, sw_str line)
{
    const char *p = line.p;
    operand o;
    while (next_operand(c, line, p, &o)) {
        sw_buf_add(c->out, p, (size_t)(o.begin - p));
        sw_buf_printf(c->out, "%%softwarp.%s.%d",
                      variables[o.variable].name + 1, o.member);
        p = o.end;
    }
    sw_buf_add(c->out, p, (size_t)(line.p + line.n - p));
    sw_buf_puts(c->out, "\n");
}

/* Which variables a body needs copies of; it ends with a line "}". */
static bool
find_needed(const completion *c, const char *p, bool needed[BUILT_INS])
{
    completion probe = *c;
    sw_buf unused;
    bool any = false;
    sw_buf_init(&unused);
    probe.out = &unused;
    for (sw_str line; p < c->end; p = line.p + line.n + 1) {
        operand o;
        line = line_at(p, c->end);
        if (line.n && *line.p == '}')
            break;
        unused.n = 0;
        if (!memchr(line.p, '@', line.n) || rewrite_load(&probe, line))
            continue;
        for (const char *at = line.p; next_operand(c, line, at, &o); at = o.end)
            any = needed[o.variable] = true;
    }
    sw_buf_finish(&unused);
    return any;
}

/* From the line "define ... {" at p on; returns what is behind it. */
static const char *
rewrite_function(completion *c, const char *p)
{
    bool needed[BUILT_INS] = {false};
    sw_str line = line_at(p, c->end);
    sw_buf_add(c->out, line.p, line.n);
    sw_buf_puts(c->out, "\n");
    p = line.p + line.n + 1;
    if (!find_needed(c, p, needed))
        memset(needed, 0, sizeof needed);
    line = line_at(p, c->end);
    if (line.n && *line.p != ' ' && *line.p != '}') { /* "entry:" */
        sw_buf_add(c->out, line.p, line.n);
        sw_buf_puts(c->out, "\n");
        p = line.p + line.n + 1;
    }
    put_copies(c, needed);
    for (bool ends = false; p < c->end && !ends; p = line.p + line.n + 1) {
        line = line_at(p, c->end);
        ends = line.n && *line.p == '}';
        if (!rewrite_load(c, line))
            put_line(c, line);
    }
    return p;
}

/* ---- host functions ---- */

/* The groups of attributes of functions that are the host's. */
static void
find_marked(completion *c)
{
    static const char mark[] = "\"dontcall-warn\"=\"softwarp: host function\"";
    for (const char *p = c->text; p < c->end;) {
        sw_str line = line_at(p, c->end), left = line;
        p = line.p + line.n + 1;
        if (!cc_take(&left, "attributes ") || !find(left, mark))
            continue;
        const char *space = memchr(left.p, ' ', left.n);
        sw_buf_add(&c->marked, left.p, (size_t)(space - left.p));
        sw_buf_puts(&c->marked, " ");
    }
}

/* Whether a declaration ends with one of those groups. */
static bool
is_marked(const completion *c, sw_str line)
{
    const char *group = memrchr(line.p, '#', line.n);
    if (!group || !c->marked.n)
        return false;
    size_t n = strspn(group + 1, "0123456789") + 1;
    for (const char *p = c->marked.p; p && p < c->marked.p + c->marked.n;) {
        if (!strncmp(p, group, n) && p[n] == ' ')
            return true;
        p = strchr(p, ' ') + 1;
    }
    return false;
}

/* A declared function becomes one that traps. */
static void
put_trap(completion *c, sw_str line)
{
    static const char before[] = "declare ", own[] = "dso_local ";
    sw_str left = line;
    left.p += sizeof before - 1;
    left.n -= sizeof before - 1;
    const char *begin = find(left, own);
    if (begin) {
        left.n -= (size_t)(begin + sizeof own - 1 - left.p);
        left.p = begin + sizeof own - 1;
    }
    const char *close = memrchr(left.p, ')', left.n);
    const char *dots = find(left, ", ...)");
    sw_buf_printf(c->out,
                  "define internal %.*s) noinline {\n"
                  "  call void @llvm.trap()\n  unreachable\n}\n",
                  (int)((dots ? dots : close) - left.p), left.p);
}

/* ---- the text ---- */

static void
find_external(completion *c)
{
    for (int i = 0; i < BUILT_INS; i++) {
        sw_str all = {c->text, (size_t)(c->end - c->text)};
        const char *name = variables[i].name;
        size_t n = strlen(name);
        for (const char *p = all.p; (p = find(all, name)) != NULL;) {
            all.p = p + n;
            all.n = (size_t)(c->end - all.p);
            if ((p == c->text || p[-1] == '\n') &&
                !strncmp(p + n, " = extern", 9))
                c->is_external[i] = true;
        }
    }
}

static void
put_declarations(completion *c)
{
    sw_str all = {c->text, (size_t)(c->end - c->text)};
    char name[64];
    for (int i = 0; i < BUILT_INS; i++)
        for (int m = 0; m < MEMBERS; m++) {
            if (!c->is_read[i][m])
                continue;
            snprintf(name, sizeof name, "i32 @" READ "%s() #",
                     variables[i].members[m]);
            const char *p = find(all, name);
            bool is_declared = false;
            for (; p && !is_declared;
                 p = memmem(p + 1, (size_t)(c->end - p - 1), name,
                            strlen(name))) {
                const char *line = p;
                while (line > c->text && line[-1] != '\n')
                    line--;
                is_declared = !strncmp(line, "declare ", 8);
            }
            if (!is_declared)
                sw_buf_printf(c->out, "declare i32 @" READ "%s()\n",
                              variables[i].members[m]);
        }
    if (c->marked.n && !find(all, "declare void @llvm.trap()"))
        sw_buf_puts(c->out, "declare void @llvm.trap()\n");
}

int
cc_complete_ir(const char *ir)
{
    char *text;
    size_t bytes;
    sw_buf out;
    completion c = {.out = &out};

    if (!cc_read_file(ir, &text, &bytes))
        return 1;
    sw_buf_init(&out);
    sw_buf_init(&c.marked);
    c.text = text;
    c.end = text + bytes;
    find_external(&c);
    find_marked(&c);
    for (const char *p = c.text; p < c.end;) {
        sw_str line = line_at(p, c.end);
        if (!strncmp(p, "define ", 7)) {
            p = rewrite_function(&c, p);
            continue;
        }
        if (!strncmp(p, "declare ", 8) && is_marked(&c, line)) {
            put_trap(&c, line);
        } else {
            sw_buf_add(&out, line.p, line.n);
            sw_buf_puts(&out, "\n");
        }
        p = line.p + line.n + 1;
    }
    put_declarations(&c);
    int rc = !cc_write_file(ir, out.p, out.n);
    sw_buf_finish(&c.marked);
    sw_buf_finish(&out);
    sw_free(text);
    return rc;
}
