/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - the whole test framework: include it in one .c file and write
 * CASE(name) { CHECK_EQ(got, want); ... } as often as needed.
 *
 * Has main(): runs every case in order (or those named as arguments), prints
 * `NAME: N passed, M failed`. A case that checks nothing fails. One thread.
 */
#ifndef SW_CHECK_H
#define SW_CHECK_H
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct check_case {
    const char *name;
    void (*run)(void);
    struct check_case *next;
} check_case;

static check_case *check_first, **check_end = &check_first;
static unsigned check_made, check_failed; /* in the running case */

/* Defines one case; nothing has to be registered. */
#define CASE(id)                                                               \
    static void id(void);                                                      \
    __attribute__((constructor)) static void check_add_##id(void)              \
    {                                                                          \
        static check_case c = {#id, id, NULL};                                 \
        *check_end = &c;                                                       \
        check_end = &c.next;                                                   \
    }                                                                          \
    static void id(void)

static inline bool
check_result(bool ok, const char *file, int line)
{
    check_made++;
    check_failed += !ok;
    return ok || (printf("%s:%d: ", file, line), false);
}

#define CHECK(cond)                                                            \
    (check_result((cond), __FILE__, __LINE__)                                  \
         ? (void)0                                                             \
         : (void)printf("%s does not hold\n", #cond))

/* Integers, enumerators and pointers; floating point does not compile. */
extern int check_eq_takes_no_floating_point;
#define CHECK_EQ(got, want)                                                    \
    _Generic((got), float                                                      \
             : check_eq_takes_no_floating_point, double                        \
             : check_eq_takes_no_floating_point, default                       \
             : check_eq)((uint64_t)(got), (uint64_t)(want), #got, #want,       \
                         __FILE__, __LINE__)

static inline void
check_eq(uint64_t got, uint64_t want, const char *got_text,
         const char *want_text, const char *file, int line)
{
    if (!check_result(got == want, file, line))
        printf("%s is %" PRId64 " (0x%" PRIx64 "), not %" PRId64 " (%s)\n",
               got_text, (int64_t)got, got, (int64_t)want, want_text);
}

/* NUL-terminated strings; NULL equals only NULL. */
#define CHECK_STR(got, want) check_str(got, want, #got, __FILE__, __LINE__)

static inline void
check_str(const char *got, const char *want, const char *text, const char *file,
          int line)
{
    bool ok = got && want ? strcmp(got, want) == 0 : got == want;
    if (!check_result(ok, file, line))
        printf("%s is \"%s\", not \"%s\"\n", text, got ? got : "(null)",
               want ? want : "(null)");
}

int
main(int argc, char **argv)
{
    unsigned passed = 0, failed = 0;
    for (check_case *c = check_first; c; c = c->next) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], c->name) == 0;
        if (!wanted)
            continue;
        check_made = check_failed = 0;
        c->run();
        if (check_failed || !check_made)
            printf("%s: %s\n", c->name, check_made ? "failed" : "no checks");
        *(check_failed || !check_made ? &failed : &passed) += 1;
    }
    printf("%s: %u passed, %u failed\n", SW_TEST_NAME, passed, failed);
    return failed || !passed;
}
#endif
