/* SPDX-License-Identifier: Apache-2.0 */
/* system.c - see start.h: system calls, pages, text, messages. */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "start/start.h"

enum { ERRORS = 4095, LEVEL_WARN = 1 };

static int level = LEVEL_WARN;

static long
call6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static bool
is_error(long result)
{
    return result < 0 && result >= -ERRORS;
}

static long
map(uintptr_t at, size_t bytes, int protection, int flags, int file)
{
    return call6(SYS_mmap, (long)at, (long)bytes, protection, flags, file, 0);
}

/* The compiler makes calls of these. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *
memcpy(void *restrict to, const void *restrict from, size_t n)
{
    void *t = to;
    __asm__ volatile("rep movsb" : "+D"(t), "+S"(from), "+c"(n) : : "memory");
    return to;
}

void *memset(void *to, int value, size_t n);
void *
memset(void *to, int value, size_t n)
{
    void *t = to;
    __asm__ volatile("rep stosb" : "+D"(t), "+c"(n) : "a"(value) : "memory");
    return to;
}

const unsigned char *
sw_start_map_file(const char *path, size_t *bytes)
{
    struct stat st;
    long file = call6(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (is_error(file))
        return NULL;
    long p = -1;
    if (!is_error(call6(SYS_fstat, file, (long)&st, 0, 0, 0, 0)) &&
        st.st_size > 0) {
        *bytes = (size_t)st.st_size;
        p = map(0, *bytes, PROT_READ, MAP_PRIVATE, (int)file);
    }
    call6(SYS_close, file, 0, 0, 0, 0, 0);
    return is_error(p) ? NULL : (const unsigned char *)p;
}

static void *
pages_at(uintptr_t at, size_t bytes)
{
    long p = map(at, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
    if (is_error(p))
        return NULL;
    if ((uintptr_t)p == at)
        return (void *)p;
    sw_start_unmap((void *)p, bytes); /* a kernel that knows no such flag */
    return NULL;
}

void *
sw_start_pages_near(uintptr_t near, size_t bytes)
{
    const uintptr_t small = 1 << 16, large = 1 << 21, most = 0x70000000;
    uintptr_t from = near / small * small;
    for (uintptr_t d = (bytes + small - 1) / small * small; d < most;
         d += d < large * 2 ? small : large) {
        void *p = from > d + small ? pages_at(from - d, bytes) : NULL;
        if (p)
            return p;
    }
    /* Above a program that is not relocatable lies what malloc extends. */
    for (uintptr_t d = most / 2; d < most; d += large) {
        void *p = pages_at(from + d, bytes);
        if (p)
            return p;
    }
    return NULL;
}

void
sw_start_unmap(const void *p, size_t bytes)
{
    call6(SYS_munmap, (long)p, (long)bytes, 0, 0, 0, 0);
}

bool
sw_start_protect(uintptr_t from, size_t bytes, bool write, bool execute)
{
    uintptr_t begin = from / START_PAGE * START_PAGE;
    uintptr_t end = (from + bytes + START_PAGE - 1) / START_PAGE * START_PAGE;
    long protection =
        PROT_READ | (write ? PROT_WRITE : 0) | (execute ? PROT_EXEC : 0);
    return !is_error(call6(SYS_mprotect, (long)begin, (long)(end - begin),
                           protection, 0, 0, 0));
}

size_t
sw_start_length(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

bool
sw_start_same(const char *a, const char *b)
{
    const char *rest = sw_start_after(a, b);
    return rest && !*rest;
}

const char *
sw_start_after(const char *s, const char *prefix)
{
    for (; *prefix; s++, prefix++)
        if (*s != *prefix)
            return NULL;
    return s;
}

const char *
sw_start_base_name(const char *path)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    return base;
}

void
sw_start_set_level(const char *log)
{
    if (log)
        level = sw_start_same(log, "error")   ? 0
                : sw_start_same(log, "info")  ? 2
                : sw_start_same(log, "debug") ? 2
                                              : LEVEL_WARN;
}

void
sw_start_say(int at, ...)
{
    char line[START_TEXT];
    size_t n = 0;
    if (at > level)
        return;
    va_list texts;
    va_start(texts, at);
    const char *s = "softwarp: ";
    for (; s; s = va_arg(texts, const char *))
        while (*s && n < sizeof line - 1)
            line[n++] = *s++;
    va_end(texts);
    line[n++] = '\n';
    call6(SYS_write, 2, (long)line, (long)n, 0, 0, 0);
}
