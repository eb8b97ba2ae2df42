/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - what every folder may use: status codes, assertions, string slices,
 * arenas, growing arrays, hash maps, text buffers, diagnostics and the log.
 *
 * Knows nothing of GPUs. Unless a comment says otherwise an object belongs to
 * one thread at a time, and running out of memory for our own small
 * allocations aborts with a message (sizes that a guest program chooses are
 * never allocated through this header).
 */
#ifndef SW_BASE_H
#define SW_BASE_H
#include <fenv.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- status: values equal the driver API's CUresult numbers, or are our own,
 * from SW_STATUS_OWN on ---- */
enum { SW_STATUS_OWN = 10000 };
#define STATUS(name, number, opencl, text) SW_E_##name = number,
typedef enum {
#include "base/status.def"
    SW_OK = SW_E_OK
} sw_status;
#undef STATUS

/* "SW_E_INVAL" -> "INVAL"; the driver's text. Static strings; an unknown
 * number gives "UNKNOWN". */
const char *sw_status_name(sw_status status);
const char *sw_status_text(sw_status status);
/* OpenCL's number for it. */
int sw_status_opencl(sw_status status);
/* False for a number that status.def does not list, or that is our own. */
bool sw_status_is_known(int number);

/* ---- assertions: a bug in us; on in every build ---- */
_Noreturn void sw_assert_fail(const char *expr, const char *file, int line);
#define SW_ASSERT(cond)                                                        \
    ((cond) ? (void)0 : sw_assert_fail(#cond, __FILE__, __LINE__))

/* ---- sizes that somebody outside has chosen ---- */
/* UINT64_MAX, more than there ever is, where the result has no 64 bits. */
static inline uint64_t
sw_sum(uint64_t a, uint64_t b)
{
    uint64_t n;
    return __builtin_add_overflow(a, b, &n) ? UINT64_MAX : n;
}

static inline uint64_t
sw_product(uint64_t a, uint64_t b)
{
    uint64_t n;
    return __builtin_mul_overflow(a, b, &n) ? UINT64_MAX : n;
}

/* ---- heap: the only callers of malloc; never return NULL ---- */
void *sw_alloc(size_t bytes);            /* zeroed; free with sw_free */
void *sw_realloc(void *p, size_t bytes); /* new part not zeroed */
void sw_free(void *p);                   /* NULL allowed */
char *sw_strdup(const char *s);

/* ---- string slices: borrowed, not NUL-terminated ---- */
typedef struct {
    const char *p;
    size_t n;
} sw_str;

sw_str sw_str_of(const char *cstr);
bool sw_str_eq(sw_str a, sw_str b);
bool sw_str_is(sw_str a, const char *cstr);
bool sw_str_has_prefix(sw_str a, const char *prefix);
/* The next part of a list with commas, without the white space around it; *rest
 * is what follows, NULL behind the last part. False: *rest was NULL. */
bool sw_str_next_part(const char **rest, sw_str *part);
/* The value of hexadecimal or decimal digits, all of `s`; false if it is none
 * or overflows 64 bits. */
bool sw_str_to_u64(sw_str s, int base, uint64_t *out);

/* ---- arena: allocations freed together ---- */
typedef struct sw_arena sw_arena;

sw_arena *sw_arena_create(void); /* owned by caller, sw_arena_destroy */
void sw_arena_destroy(sw_arena *arena);
/* Zeroed, aligned to 16. Lives as long as the arena. */
void *sw_arena_alloc(sw_arena *arena, size_t bytes);
/* A NUL-terminated copy of s in the arena. */
char *sw_arena_str(sw_arena *arena, sw_str s);
char *sw_arena_printf(sw_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
size_t sw_arena_bytes(const sw_arena *arena); /* taken from the system */

/* ---- vec: a growing array of equal elements ---- */
typedef struct {
    void *data; /* count elements; moves when it grows */
    size_t count;
    size_t capacity;
    size_t elem_bytes;
} sw_vec;

void sw_vec_init(sw_vec *vec, size_t elem_bytes);
void sw_vec_finish(sw_vec *vec);
/* A zeroed new last element; valid until the next push. */
void *sw_vec_push(sw_vec *vec);
void *sw_vec_at(const sw_vec *vec, size_t i); /* asserts i < count */
void sw_vec_clear(sw_vec *vec);               /* keeps the capacity */
void sw_vec_remove(sw_vec *vec, size_t i);    /* keeps the order */
/* Copies the elements to `arena` and empties the vec. NULL if empty. */
void *sw_vec_to_arena(sw_vec *vec, sw_arena *arena);

/* ---- map: bytes -> pointer; keys are copied ---- */
typedef struct sw_map sw_map;

sw_map *sw_map_create(void);
void sw_map_destroy(sw_map *map); /* the values are the caller's */
void *sw_map_get(const sw_map *map, sw_str key); /* NULL if absent */
void sw_map_set(sw_map *map, sw_str key, void *value);
void *sw_map_remove(sw_map *map, sw_str key); /* the old value, or NULL */
size_t sw_map_count(const sw_map *map);
/* Iterates in insertion order (removed keys skipped): start with *it = 0;
 * false at the end. */
bool sw_map_next(const sw_map *map, size_t *it, sw_str *key, void **value);
uint64_t sw_hash_bytes(const void *p, size_t n, uint64_t seed);

/* ---- buf: text under construction; always NUL-terminated ---- */
typedef struct {
    char *p;
    size_t n;
    size_t capacity;
} sw_buf;

void sw_buf_init(sw_buf *buf);
void sw_buf_finish(sw_buf *buf);
/* Room for so much more, so that adding that does not move the text. */
void sw_buf_reserve(sw_buf *buf, size_t more);
void sw_buf_add(sw_buf *buf, const char *p, size_t n);
void sw_buf_puts(sw_buf *buf, const char *s);
void sw_buf_put(sw_buf *buf, char c);
/* In decimal; quicker than printf. */
void sw_buf_put_u64(sw_buf *buf, uint64_t value);
void sw_buf_printf(sw_buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sw_buf_vprintf(sw_buf *buf, const char *fmt, va_list args);
/* The text, owned by caller (sw_free); the buf is empty again. */
char *sw_buf_take(sw_buf *buf);

/* ---- diagnostics: sentences for whoever asked, with their place ---- */
typedef enum { SW_DIAG_NOTE, SW_DIAG_WARNING, SW_DIAG_ERROR } sw_severity;

typedef struct {
    sw_severity severity;
    const char *file; /* in the diag's arena; may be "" */
    uint32_t line;    /* 1-based; 0 if the message has no place */
    uint32_t column;  /* 1-based; 0 if unknown */
    const char *text;
} sw_diag_entry;

typedef struct {
    sw_arena *arena;
    sw_vec entries; /* sw_diag_entry */
    size_t errors;
} sw_diag;

void sw_diag_init(sw_diag *diag);
void sw_diag_finish(sw_diag *diag);
/* diag may be NULL: then the message is dropped. At most 100 entries are
 * kept; errors goes on counting. */
void sw_diag_add(sw_diag *diag, sw_severity severity, const char *file,
                 uint32_t line, uint32_t column, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* "file:line:col: error: text\n" for each entry. */
void sw_diag_print(const sw_diag *diag, sw_buf *out);

/* ---- log: our own words to the user, always on stderr ---- */
typedef enum { SW_LOG_ERROR, SW_LOG_WARN, SW_LOG_INFO, SW_LOG_DEBUG } sw_level;
/* Any thread. Printed as "softwarp: text\n" if level <= SOFTWARP_LOG's
 * (error, warn, info, debug; default warn). One write(2) a message. */
void sw_log(sw_level level, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool sw_log_is_on(sw_level level);
/* From now on fn is also given every message of level error or warn, printed or
 * not, without what stands around it, on the thread that says it. It must not
 * log. */
void sw_log_watch(void (*fn)(sw_level level, const char *text));
/* Text to stderr as it is, whatever the level: what the device's own runtime
 * would print there. */
void sw_print_stderr(const char *text, size_t bytes);

/* ---- files and time ---- */
/* The whole file, NUL-terminated, owned by caller (sw_free); *bytes without
 * the NUL. SW_E_FILE_NOT_FOUND if it can't be read. */
sw_status sw_file_read(const char *path, char **out, size_t *bytes);
/* All n bytes to an open file, however many writes that takes. */
bool sw_file_write(int fd, const void *bytes, size_t n);
bool sw_file_resize(int fd, uint64_t bytes);

/* Between these a file that would grow beyond the process's limit (ulimit -f)
 * is an error of the call that writes, EFBIG, and no signal that ends the
 * program. Of the calling thread; sw_file_write and sw_file_resize have it. */
typedef struct {
    bool was_blocked, was_pending;
} sw_file_limit;
void sw_file_limit_begin(sw_file_limit *limit);
void sw_file_limit_end(const sw_file_limit *limit);
uint64_t sw_time_ns(void); /* monotonic */

/* ---- processors ---- */

/* How many CPUs' time this process may use, at least 1: the CPUs that it may
 * run on, or fewer where its control group has a quota, as containers have; a
 * part of one counts as one. */
unsigned sw_cpu_count(void);

/* That quota in CPUs, the least of the process's groups and all above them; 0:
 * there is none. `groups` is /proc/self/cgroup, `mount` where groups are
 * mounted. */
double sw_cgroup_cpus(const char *groups, const char *mount);

/* ---- floating point ---- */

/* What computes as a device does stands between these: the program may have
 * chosen another rounding for its thread, or that denormals are zero, and a
 * new thread begins with what its maker had. */
void sw_float_enter(fenv_t *kept);
void sw_float_leave(const fenv_t *kept);

#endif
