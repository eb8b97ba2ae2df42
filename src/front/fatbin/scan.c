/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - a look into PTX text without parsing it; see fatbin.h. */
#include <string.h>

#include "front/fatbin/fatbin.h"

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%' ||
           (unsigned char)c >= 0x80;
}

/* Steps over a comment or string at *pos; false: there is none. */
static bool
skip_text(sw_str s, size_t *pos)
{
    size_t i = *pos;
    const char *end = NULL;
    if (s.p[i] == '"') {
        for (i++; i < s.n && s.p[i] != '"' && s.p[i] != '\n'; i++)
            i += s.p[i] == '\\';
        *pos = i < s.n ? i + 1 : s.n;
        return true;
    }
    if (s.p[i] != '/' || i + 1 >= s.n)
        return false;
    if (s.p[i + 1] == '/') {
        end = memchr(s.p + i, '\n', s.n - i);
        *pos = end ? (size_t)(end - s.p) + 1 : s.n;
        return true;
    }
    if (s.p[i + 1] == '*') {
        end = memmem(s.p + i + 2, s.n - i - 2, "*/", 2);
        *pos = end ? (size_t)(end - s.p) + 2 : s.n;
        return true;
    }
    return false;
}

static void
skip_blank(sw_str s, size_t *pos)
{
    while (*pos < s.n && (is_space(s.p[*pos]) || skip_text(s, pos)))
        *pos += *pos < s.n && is_space(s.p[*pos]);
}

static sw_str
take_word(sw_str s, size_t *pos)
{
    size_t start = *pos;
    while (*pos < s.n && is_word(s.p[*pos]))
        ++*pos;
    return (sw_str){s.p + start, *pos - start};
}

/* The next directive (".entry") at or after *pos, *pos past it. */
static bool
next_directive(sw_str s, size_t *pos, sw_str *name)
{
    while (*pos < s.n) {
        if (skip_text(s, pos))
            continue;
        if (s.p[*pos] != '.' || (*pos && is_word(s.p[*pos - 1]))) {
            ++*pos;
            continue;
        }
        ++*pos;
        *name = take_word(s, pos);
        return true;
    }
    return false;
}

/* The decimal number at *pos, at most 9999; 0 if there is none. */
static uint32_t
take_number(sw_str s, size_t *pos)
{
    uint32_t value = 0;
    for (; *pos < s.n && s.p[*pos] >= '0' && s.p[*pos] <= '9'; ++*pos)
        value = value < 1000 ? value * 10 + (uint32_t)(s.p[*pos] - '0') : 9999;
    return value;
}

void
sw_fatbin_scan_header(sw_str ptx, uint32_t *major, uint32_t *minor,
                      uint32_t *arch, char *variant)
{
    size_t pos = 0;
    sw_str name;
    bool has_version = false, has_target = false;
    *major = *minor = *arch = 0;
    *variant = 0;
    while (!(has_version && has_target) && next_directive(ptx, &pos, &name)) {
        skip_blank(ptx, &pos);
        if (sw_str_is(name, "version") && !has_version) {
            has_version = true;
            *major = take_number(ptx, &pos);
            if (pos < ptx.n && ptx.p[pos] == '.') {
                pos++;
                *minor = take_number(ptx, &pos);
            }
        } else if (sw_str_is(name, "target")) {
            sw_str word = take_word(ptx, &pos);
            size_t at = 3;
            if (!sw_str_has_prefix(word, "sm_"))
                continue;
            has_target = true;
            *arch = take_number(word, &at);
            if (at < word.n)
                *variant = word.p[at];
        } else if (sw_str_is(name, "entry") || sw_str_is(name, "func")) {
            return; /* both stand before all code */
        }
    }
}

bool
sw_fatbin_next_kernel(sw_str ptx, size_t *pos, sw_str *name)
{
    sw_str directive;
    while (next_directive(ptx, pos, &directive)) {
        if (!sw_str_is(directive, "entry"))
            continue;
        skip_blank(ptx, pos);
        *name = take_word(ptx, pos);
        if (name->n)
            return true;
    }
    return false;
}
