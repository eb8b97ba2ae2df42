/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested.c - kernels that launch kernels: their sources.
 *
 * For clang `kernel<<<grid, block>>>(a)` in device code is an error, and so
 * is whatever else names a kernel there. So the device pass gets copies of such
 * sources in which no kernel is launched, as functions are called:
 *
 *     (kernel(a), softwarp_launch(grid, block))     in device code
 *     kernel(a)                                     in the host's
 *
 * Kernels are marked functions for both sides then (host_defines.h, by
 * __SOFTWARP_NESTED__), and nested_ir.c makes kernels of them and launches
 * of those calls. The host pass, which looks at device code but makes nothing
 * of it, gets copies in which these launches are `((void)0)`. Lines stay where
 * they are.
 */
#include <stdlib.h>
#include <string.h>

#include "cc/cc_private.h"

enum { DEPTH_MOST = 1000 };

/* Where in a text: how deep in braces, and which of these are device code. */
typedef struct {
    const char *head; /* behind the last ';', brace or condition */
    bool is_marked;   /* as device code, from that ';' or brace to head */
    int depth;
    bool is_device[DEPTH_MOST];
} place;

typedef struct {
    const char *begin, *end;
    place at;
    sw_vec kept; /* place: of the conditions (#if) that are open */
} scan;

static bool
begins_line(const char *p, const char *begin)
{
    while (p > begin && (p[-1] == ' ' || p[-1] == '\t'))
        p--;
    return p == begin || p[-1] == '\n';
}

/* Behind the directive that begins at p. */
static const char *
end_of_directive(const char *p, const char *end)
{
    for (; p < end && *p != '\n'; p++)
        p += *p == '\\' && p + 1 < end;
    return p;
}

/* One of the words that mark device code stands between p and end, in what is
 * neither a comment nor a directive. */
static bool
is_marked(const char *p, const char *end)
{
    static const char *const words[] = {"__global__", "__device__"};
    const char *begin = p;
    while (p < end) {
        const char *q = cc_skip_inert(p, end);
        if (q == p && *p == '#' && begins_line(p, begin))
            q = end_of_directive(p, end);
        if (q != p) {
            p = q;
            continue;
        }
        while (q < end && cc_is_letter(*q))
            q++;
        for (int i = 0; i < 2; i++)
            if ((size_t)(q - p) == strlen(words[i]) &&
                !memcmp(p, words[i], (size_t)(q - p)))
                return true;
        p = q > p ? q : p + 1;
    }
    return false;
}

/* Behind the bracket that closes the one at p; NULL: there is none. */
static const char *
close_of(const char *p, const char *end)
{
    int depth = 0;
    while (p < end) {
        const char *q = cc_skip_inert(p, end);
        if (q != p) {
            p = q;
            continue;
        }
        depth += strchr("([{", *p) != NULL;
        depth -= strchr(")]}", *p) != NULL;
        p++;
        if (!depth)
            return p;
    }
    return NULL;
}

/* Where the bracket opens that ends before p, at `begin` at the earliest.
 * Angles within others are signs. */
static const char *
open_of(const char *p, const char *begin, char open, char close)
{
    int depth = 0, round = 0;
    while (p > begin) {
        p--;
        if (open == '<') {
            round += (*p == ')') - (*p == '(');
            if (round)
                continue;
        }
        depth += (*p == close) - (*p == open);
        if (!depth && *p == open)
            return p;
    }
    return NULL;
}

/* In front of space, and of comments between signs, that end before p. */
static const char *
before_space(const char *p, const char *begin)
{
    for (;;) {
        while (p > begin && cc_is_space(p[-1]))
            p--;
        if (p - begin < 4 || p[-1] != '/' || p[-2] != '*')
            return p;
        const char *q = p - 4;
        while (q > begin && memcmp(q, "/*", 2) != 0)
            q--;
        if (memcmp(q, "/*", 2) != 0)
            return p;
        p = q;
    }
}

/* Where the expression begins that names a kernel, which ends before p. */
static const char *
kernel_of(const char *p, const char *begin)
{
    for (;;) {
        p = before_space(p, begin);
        if (p > begin && p[-1] == '>')
            p = open_of(p, begin, '<', '>');
        else if (p > begin && p[-1] == ')')
            p = open_of(p, begin, '(', ')');
        else if (p > begin && p[-1] == ']')
            p = open_of(p, begin, '[', ']');
        if (!p)
            return NULL;
        if (*p == '<')
            p = before_space(p, begin);
        while (p > begin && cc_is_letter(p[-1]))
            p--;
        const char *q = before_space(p, begin);
        if (q - begin >= 2 && q[-1] == ':' && q[-2] == ':')
            p = q - 2;
        else if (q - begin >= 2 && q[-1] == '>' && q[-2] == '-')
            p = q - 2;
        else if (q > begin && q[-1] == '.')
            p = q - 1;
        else
            return p;
        if (p == begin || cc_is_space(p[-1]) ||
            (!cc_is_letter(p[-1]) && p[-1] != '>'))
            return p; /* ::kernel */
    }
}

/* Past a directive; what is in the branches of a condition begins alike. */
static const char *
skip_directive(scan *s, const char *p)
{
    const char *word = p + 1, *end = s->end;
    while (word < end && (*word == ' ' || *word == '\t'))
        word++;
    if (end - word > 2 && !memcmp(word, "if", 2)) {
        s->at.is_marked |= is_marked(s->at.head, p);
        s->at.head = p;
        *(place *)sw_vec_push(&s->kept) = s->at;
    } else if (s->kept.count && end - word > 4 &&
               (!memcmp(word, "else", 4) || !memcmp(word, "elif", 4))) {
        s->at = *(place *)sw_vec_at(&s->kept, s->kept.count - 1);
        s->at.head = p;
    } else if (s->kept.count && end - word >= 5 && !memcmp(word, "endif", 5)) {
        s->kept.count--;
    }
    return word;
}

/* Keeps up with braces. */
static void
pass(scan *s, const char *p)
{
    place *at = &s->at;
    bool is_inside = at->depth && at->is_device[at->depth - 1];
    if (*p == '{' && at->depth < DEPTH_MOST) {
        at->is_device[at->depth++] =
            is_inside || at->is_marked || is_marked(at->head, p);
    } else if (*p == '}' && at->depth) {
        at->depth--;
    }
    if (*p == '{' || *p == '}' || *p == ';') {
        at->head = p + 1;
        at->is_marked = false;
    }
}

typedef struct {
    const char *kernel, *brackets, *shape, *shape_end, *arguments, *end;
} launch;

/* At p are the brackets of a launch: its parts. */
static bool
read_launch(const scan *s, const char *p, launch *l)
{
    l->brackets = p;
    l->kernel = kernel_of(p, s->at.head);
    l->shape = p + 3;
    for (p += 3; s->end - p > 3 && memcmp(p, ">>>", 3) != 0;) {
        const char *q = cc_skip_inert(p, s->end);
        if (*p == ';')
            return false;
        p = q != p ? q : strchr("([{", *p) ? close_of(p, s->end) : p + 1;
        if (!p)
            return false;
    }
    if (s->end - p <= 3)
        return false;
    l->shape_end = p;
    for (p += 3; p < s->end && cc_is_space(*p);)
        p++;
    l->arguments = p;
    l->end = p < s->end && *p == '(' ? close_of(p, s->end) : NULL;
    return l->kernel && l->kernel < l->brackets && l->end;
}

static void
add_lines(sw_buf *out, const char *p, const char *end)
{
    for (; p < end; p++)
        if (*p == '\n')
            sw_buf_puts(out, "\n");
}

static void
put_launch(const launch *l, bool is_device_code, bool for_device, sw_buf *out)
{
    if (!for_device && !is_device_code) {
        sw_buf_add(out, l->kernel, (size_t)(l->end - l->kernel));
    } else if (!for_device) {
        sw_buf_puts(out, "((void)0)");
        add_lines(out, l->kernel, l->end);
    } else {
        sw_buf_puts(out, is_device_code ? "(" : "");
        sw_buf_add(out, l->kernel, (size_t)(l->brackets - l->kernel));
        sw_buf_add(out, l->arguments, (size_t)(l->end - l->arguments));
        if (is_device_code) {
            sw_buf_puts(out, ", softwarp_launch(");
            sw_buf_add(out, l->shape, (size_t)(l->shape_end - l->shape));
            sw_buf_puts(out, "))");
        } else {
            add_lines(out, l->shape, l->shape_end);
        }
        add_lines(out, l->shape_end, l->arguments);
    }
}

bool
cc_nested_source(const char *text, size_t bytes, bool for_device, sw_buf *out)
{
    scan s = {.begin = text, .end = text + bytes, .at.head = text};
    const char *done = text;
    bool any = false;
    sw_vec_init(&s.kept, sizeof(place));
    for (const char *p = text; p < s.end;) {
        const char *q = cc_skip_inert(p, s.end);
        launch l;
        if (q != p && !(*p == '\'' && p > text && cc_is_letter(p[-1]))) {
            p = q;
        } else if (*p == '#' && begins_line(p, text)) {
            p = skip_directive(&s, p);
        } else if (s.end - p > 6 && !memcmp(p, "<<<", 3) &&
                   read_launch(&s, p, &l) && l.kernel >= done) {
            bool is_device = s.at.depth && s.at.is_device[s.at.depth - 1];
            any |= is_device;
            sw_buf_add(out, done, (size_t)(l.kernel - done));
            put_launch(&l, is_device, for_device, out);
            p = done = l.end;
        } else {
            pass(&s, p++);
        }
    }
    sw_buf_add(out, done, (size_t)(s.end - done));
    sw_vec_finish(&s.kept);
    return any;
}

void
cc_nested_options(const cc_options *o, cc_command *command, bool for_device)
{
    const char *overlay = for_device ? o->device_overlay : o->host_overlay;
    if (!overlay)
        return;
    cc_command_add(command, "-ivfsoverlay");
    cc_command_add(command, overlay);
}
