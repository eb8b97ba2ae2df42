/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - slices, text buffers, diagnostics, log, files; see base.h. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/settings.h"

enum { DIAG_KEEP = 100 };

sw_str
sw_str_of(const char *cstr)
{
    return (sw_str){cstr, strlen(cstr)};
}

bool
sw_str_eq(sw_str a, sw_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool
sw_str_is(sw_str a, const char *cstr)
{
    return sw_str_eq(a, sw_str_of(cstr));
}

bool
sw_str_has_prefix(sw_str a, const char *prefix)
{
    size_t n = strlen(prefix);
    return a.n >= n && memcmp(a.p, prefix, n) == 0;
}

static sw_str
trim(sw_str s)
{
    while (s.n && isspace((unsigned char)s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && isspace((unsigned char)s.p[s.n - 1]))
        s.n--;
    return s;
}

bool
sw_str_next_part(const char **rest, sw_str *part)
{
    if (!*rest)
        return false;
    size_t n = strcspn(*rest, ",");
    *part = trim((sw_str){*rest, n});
    *rest = (*rest)[n] ? *rest + n + 1 : NULL;
    return true;
}

bool
sw_str_to_u64(sw_str s, int base, uint64_t *out)
{
    uint64_t v = 0;
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        int c = s.p[i], d;
        if (c >= '0' && c <= '9')
            d = c - '0';
        else if (c >= 'a' && c <= 'f')
            d = c - 'a' + 10;
        else if (c >= 'A' && c <= 'F')
            d = c - 'A' + 10;
        else
            return false;
        if (d >= base || v > (UINT64_MAX - (uint64_t)d) / (uint64_t)base)
            return false;
        v = v * (uint64_t)base + (uint64_t)d;
    }
    *out = v;
    return true;
}

/* ---- buf ---- */

void
sw_buf_init(sw_buf *buf)
{
    *buf = (sw_buf){sw_alloc(64), 0, 64};
}

void
sw_buf_finish(sw_buf *buf)
{
    sw_free(buf->p);
    *buf = (sw_buf){0};
}

static inline void
buf_room(sw_buf *buf, size_t more)
{
    if (buf->capacity - buf->n > more)
        return;
    while (buf->capacity - buf->n <= more)
        buf->capacity = buf->capacity ? 2 * buf->capacity : 64;
    buf->p = sw_realloc(buf->p, buf->capacity);
}

void
sw_buf_reserve(sw_buf *buf, size_t more)
{
    buf_room(buf, more);
}

void
sw_buf_add(sw_buf *buf, const char *p, size_t n)
{
    buf_room(buf, n);
    if (n)
        memcpy(buf->p + buf->n, p, n);
    buf->n += n;
    buf->p[buf->n] = 0;
}

void
sw_buf_puts(sw_buf *buf, const char *s)
{
    sw_buf_add(buf, s, strlen(s));
}

void
sw_buf_put(sw_buf *buf, char c)
{
    buf_room(buf, 1);
    buf->p[buf->n++] = c;
    buf->p[buf->n] = 0;
}

void
sw_buf_put_u64(sw_buf *buf, uint64_t value)
{
    enum { MOST = 20 };
    char digits[MOST];
    size_t at = MOST;
    for (; value >= 100; value /= 100) { /* two at once: half the divisions */
        unsigned two = (unsigned)(value % 100);
        digits[--at] = (char)('0' + two % 10);
        digits[--at] = (char)('0' + two / 10);
    }
    digits[--at] = (char)('0' + value % 10);
    if (value >= 10)
        digits[--at] = (char)('0' + value / 10);
    buf_room(buf, MOST);
    memcpy(buf->p + buf->n, digits + at, MOST - at);
    buf->n += MOST - at;
    buf->p[buf->n] = 0;
}

void
sw_buf_vprintf(sw_buf *buf, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    SW_ASSERT(n >= 0);
    buf_room(buf, (size_t)n);
    vsnprintf(buf->p + buf->n, (size_t)n + 1, fmt, again);
    buf->n += (size_t)n;
    va_end(again);
}

void
sw_buf_printf(sw_buf *buf, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    sw_buf_vprintf(buf, fmt, args);
    va_end(args);
}

char *
sw_buf_take(sw_buf *buf)
{
    char *p = buf->p;
    sw_buf_init(buf);
    return p;
}

/* ---- diagnostics ---- */

void
sw_diag_init(sw_diag *diag)
{
    diag->arena = sw_arena_create();
    sw_vec_init(&diag->entries, sizeof(sw_diag_entry));
    diag->errors = 0;
}

void
sw_diag_finish(sw_diag *diag)
{
    sw_arena_destroy(diag->arena);
    diag->arena = NULL;
    sw_vec_finish(&diag->entries);
}

void
sw_diag_add(sw_diag *diag, sw_severity severity, const char *file,
            uint32_t line, uint32_t column, const char *fmt, ...)
{
    if (!diag)
        return;
    if (severity == SW_DIAG_ERROR)
        diag->errors++;
    if (diag->entries.count >= DIAG_KEEP)
        return;
    sw_buf text;
    sw_buf_init(&text);
    va_list args;
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    sw_diag_entry *e = sw_vec_push(&diag->entries);
    *e = (sw_diag_entry){
        severity, sw_arena_str(diag->arena, sw_str_of(file ? file : "")), line,
        column, sw_arena_str(diag->arena, (sw_str){text.p, text.n})};
    sw_buf_finish(&text);
}

void
sw_diag_print(const sw_diag *diag, sw_buf *out)
{
    static const char *const words[] = {"note", "warning", "error"};
    for (size_t i = 0; i < diag->entries.count; i++) {
        const sw_diag_entry *e = sw_vec_at(&diag->entries, i);
        if (e->file[0])
            sw_buf_printf(out, "%s:", e->file);
        if (e->line)
            sw_buf_printf(out, "%u:", e->line);
        if (e->line && e->column)
            sw_buf_printf(out, "%u:", e->column);
        sw_buf_printf(out, "%s%s: %s\n", e->file[0] || e->line ? " " : "",
                      words[e->severity], e->text);
    }
}

/* ---- log ---- */

bool
sw_log_is_on(sw_level level)
{
    static const char *const words[] = {"error", "warn", "info", "debug"};
    int limit = 3;
    while (limit > 0 && !sw_setting_is(SW_SETTING_LOG, words[limit]))
        limit--;
    return level <= (sw_level)limit;
}

void
sw_print_stderr(const char *text, size_t bytes)
{
    sw_file_write(STDERR_FILENO, text, bytes);
}

static void (*log_watcher)(sw_level level, const char *text);

void
sw_log_watch(void (*fn)(sw_level level, const char *text))
{
    __atomic_store_n(&log_watcher, fn, __ATOMIC_RELEASE);
}

void
sw_log(sw_level level, const char *fmt, ...)
{
    static const char mark[] = "softwarp: ";
    bool is_on = sw_log_is_on(level);
    void (*watcher)(sw_level, const char *) =
        level <= SW_LOG_WARN ? __atomic_load_n(&log_watcher, __ATOMIC_ACQUIRE)
                             : NULL;
    if (!is_on && !watcher)
        return;
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_puts(&text, mark);
    va_list args;
    va_start(args, fmt);
    sw_buf_vprintf(&text, fmt, args);
    va_end(args);
    if (watcher)
        watcher(level, text.p + sizeof mark - 1);
    sw_buf_puts(&text, "\n");
    if (is_on)
        sw_print_stderr(text.p, text.n);
    sw_buf_finish(&text);
}

/* ---- files and time ---- */

sw_status
sw_file_read(const char *path, char **out, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return SW_E_FILE_NOT_FOUND;
    sw_buf buf;
    sw_buf_init(&buf);
    char block[65536];
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        sw_buf_add(&buf, block, n);
    bool bad = ferror(f) != 0;
    fclose(f);
    if (bad) {
        sw_buf_finish(&buf);
        return SW_E_FILE_NOT_FOUND;
    }
    *bytes = buf.n;
    *out = buf.p;
    return SW_OK;
}

static void
set_of_limit(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGXFSZ);
}

void
sw_file_limit_begin(sw_file_limit *limit)
{
    sigset_t set, before;
    set_of_limit(&set);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    limit->was_blocked = sigismember(&before, SIGXFSZ) == 1;
    sigpending(&before);
    limit->was_pending = sigismember(&before, SIGXFSZ) == 1;
}

void
sw_file_limit_end(const sw_file_limit *limit)
{
    const struct timespec now = {0, 0};
    int error = errno;
    sigset_t set;
    set_of_limit(&set);
    if (!limit->was_pending)
        sigtimedwait(&set, NULL, &now);
    if (!limit->was_blocked)
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    errno = error;
}

bool
sw_file_write(int fd, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    ssize_t done = 0;
    sw_file_limit limit;
    sw_file_limit_begin(&limit);
    while (n) {
        done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break;
        p += done;
        n -= (size_t)done;
    }
    sw_file_limit_end(&limit);
    return !n;
}

bool
sw_file_resize(int fd, uint64_t bytes)
{
    sw_file_limit limit;
    sw_file_limit_begin(&limit);
    bool is_done = ftruncate(fd, (off_t)bytes) == 0;
    sw_file_limit_end(&limit);
    return is_done;
}

uint64_t
sw_time_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
