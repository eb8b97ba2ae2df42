/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_cache_test.c - entries on disk: whole or absent, whatever happens to the
 * files, the processes that write them and the space.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"
#include "jit/tier/cache.h"
#include "jit_compile.h"

static void
check_hash(size_t n, size_t part, const char *want)
{
    sw_jit_hash hash;
    char text[65];
    sw_jit_hash_init(&hash);
    uint8_t bytes[1000];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(n == 1000 ? i * 7 + 3 : n == 3 ? 'a' + i : i);
    for (size_t i = 0; i < n; i += part)
        sw_jit_hash_add(&hash, bytes + i, n - i < part ? n - i : part);
    sw_jit_key key = sw_jit_hash_finish(&hash);
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)key.bytes[i]);
    CHECK_STR(text, want);
}

/* The second is RFC 7693's, appendix B; the others Python's hashlib.blake2s. */
CASE(hash_is_blake2s)
{
    for (size_t part = 1; part < 200; part += 21) {
        check_hash(0, part,
                   "69217a3079908094e11121d042354a7c"
                   "1f55b6482ca1a51e1b250dfd1ed0eef9");
        check_hash(3, part,
                   "508c5e8c327c14e2e1a72ba34eeb452f"
                   "37458b209ed63a294d999b4c86675982");
        check_hash(64, part,
                   "56f34e8b96557e90c1f24b52d0c89d51"
                   "086acf1b00f634cf1dde9233b8eaaa3e");
        check_hash(65, part,
                   "1b53ee94aaf34e4b159d48de352c7f06"
                   "61d0a40edff95a0b1639b4090e974472");
        check_hash(1000, part,
                   "02a016193469710efadf8fb005ca19b5"
                   "09331cb847df5598cc0794bded669681");
    }
}

/* A cache in a folder of its own below the test's, which is not there yet. */
static sw_jit_cache *
open_cache(const char *name, const char *limit)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s/of/cache", compile_get_folder(), name);
    setenv("SOFTWARP_CACHE_DIR", path, 1);
    setenv("SOFTWARP_CACHE_BYTES", limit, 1);
    unsetenv("SOFTWARP_CACHE");
    return sw_jit_cache_open();
}

static sw_jit_key
key_of(unsigned i)
{
    sw_jit_hash hash;
    sw_jit_hash_init(&hash);
    sw_jit_hash_add(&hash, &i, sizeof i);
    return sw_jit_hash_finish(&hash);
}

enum { OBJECT_MAX = 40000 };

/* Entry i: 1 to 40,000 bytes and i % 5 bytes of notes, in `memory`. */
static sw_jit_entry
entry_of(unsigned i, uint8_t memory[OBJECT_MAX])
{
    static const uint8_t notes[] = {1, 2, 3, 4};
    size_t n = 1 + i * 7919u % OBJECT_MAX;
    for (size_t k = 0; k < n; k++)
        memory[k] = (uint8_t)(k * (i + 1) >> 3);
    return (sw_jit_entry){.object = memory,
                          .object_bytes = n,
                          .notes = notes,
                          .notes_bytes = i % 5};
}

static void
put(sw_jit_cache *cache, unsigned i)
{
    static uint8_t memory[OBJECT_MAX];
    sw_jit_key key = key_of(i);
    sw_jit_entry entry = entry_of(i, memory);
    sw_jit_cache_put(cache, &key, &entry);
}

/* 0: absent; 1: there and right; 2: there and wrong. */
static int
get(sw_jit_cache *cache, unsigned i)
{
    static uint8_t memory[OBJECT_MAX];
    sw_jit_key key = key_of(i);
    sw_jit_entry want = entry_of(i, memory), got;
    if (!sw_jit_cache_get(cache, &key, &got))
        return 0;
    bool ok = got.object_bytes == want.object_bytes &&
              got.notes_bytes == want.notes_bytes &&
              !memcmp(got.object, want.object, want.object_bytes) &&
              !memcmp(got.notes, want.notes, want.notes_bytes);
    sw_jit_entry_finish(&got);
    return ok ? 1 : 2;
}

static char *
file_of(sw_jit_cache *cache, unsigned i, char path[256])
{
    sw_jit_key key = key_of(i);
    int n = snprintf(path, 200, "%s/", sw_jit_cache_folder(cache));
    for (int k = 0; k < 32; k++)
        n += snprintf(path + n, 3, "%02x", (unsigned)key.bytes[k]);
    snprintf(path + n, 5, ".swo");
    return path;
}

static void
set_age(const char *path, long seconds)
{
    struct timespec at[2] = {{.tv_sec = time(NULL) - seconds},
                             {.tv_sec = time(NULL) - seconds}};
    CHECK_EQ(utimensat(AT_FDCWD, path, at, 0), 0);
}

CASE(entries_come_back)
{
    sw_jit_cache_stats stats;
    sw_jit_cache *cache = open_cache("plain", "100000000");
    CHECK(!sw_jit_cache_why_off(cache));
    for (unsigned i = 0; i < 20; i++) {
        CHECK_EQ(get(cache, i), 0);
        put(cache, i);
        CHECK_EQ(get(cache, i), 1);
    }
    put(cache, 3);
    sw_jit_cache_close(cache);
    cache = open_cache("plain", "100000000");
    for (unsigned i = 0; i < 22; i++)
        CHECK_EQ(get(cache, i), i < 20);
    sw_jit_cache_measure(cache, &stats);
    CHECK_EQ(stats.entries, 20);
    CHECK_EQ(stats.limit_bytes, 100000000);
    CHECK_EQ(stats.hits, 20);
    CHECK_EQ(stats.misses, 2);
    CHECK_EQ(stats.writes, 0);
    CHECK_EQ(stats.unfinished, 0);
    CHECK(stats.bytes > 20 * 100 && stats.bytes < 20 * (OBJECT_MAX + 200));
    CHECK_EQ(sw_jit_cache_clear(cache), 20);
    sw_jit_cache_measure(cache, &stats);
    CHECK_EQ(stats.entries, 0);
    CHECK_EQ(stats.bytes, 0);
    sw_jit_cache_close(cache);
}

static bool
write_file(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    return (!f || !fclose(f)) && ok;
}

CASE(damaged_entries_go)
{
    char path[256], other[256], *bytes = NULL;
    size_t n = 0;
    sw_jit_cache *cache = open_cache("damaged", "100000000");
    put(cache, 43);
    file_of(cache, 43, path);
    CHECK_EQ(sw_file_read(path, &bytes, &n), SW_OK);
    for (size_t at = 0; bytes && at < n; at += at < 200 ? 1 : 997) {
        CHECK(write_file(path, bytes, at)); /* cut off */
        CHECK_EQ(get(cache, 43), 0);
        CHECK(access(path, F_OK) != 0);
        bytes[at] ^= 0x10;
        CHECK(write_file(path, bytes, n));
        CHECK_EQ(get(cache, 43), 0);
        CHECK(access(path, F_OK) != 0);
        bytes[at] ^= 0x10;
    }
    CHECK(write_file(path, bytes, n));
    CHECK_EQ(get(cache, 43), 1);
    /* An entry under another's name. */
    CHECK_EQ(rename(path, file_of(cache, 44, other)), 0);
    CHECK_EQ(get(cache, 44), 0);
    CHECK(access(other, F_OK) != 0);
    /* What others may write is not taken. */
    put(cache, 43);
    CHECK_EQ(chmod(path, 0666), 0);
    CHECK_EQ(get(cache, 43), 0);
    CHECK_EQ(chmod(path, 0600), 0);
    CHECK_EQ(get(cache, 43), 1);
    sw_free(bytes);
    sw_jit_cache_close(cache);
}

CASE(what_was_not_used_for_longest_goes)
{
    char path[256];
    sw_jit_cache_stats stats;
    sw_jit_cache *cache = open_cache("small", "100000000");
    for (unsigned i = 0; i < 30; i++) {
        put(cache, i);
        set_age(file_of(cache, i, path), 100000 - (long)i);
    }
    sw_jit_cache_measure(cache, &stats);
    CHECK_EQ(stats.entries, 30);
    CHECK_EQ(get(cache, 0), 1); /* used: now the youngest */
    sw_jit_cache_close(cache);
    cache = open_cache("small", "300000");
    put(cache, 30);
    sw_jit_cache_measure(cache, &stats);
    CHECK(stats.bytes <= 300000 && stats.bytes > 300000 - 300000 / 8 - 41000);
    unsigned oldest = 1;
    while (oldest < 30 && get(cache, oldest) == 0)
        oldest++;
    CHECK(oldest > 1 && oldest < 30);
    CHECK_EQ(stats.entries, 30 - oldest + 2);
    for (unsigned i = oldest; i <= 30; i++)
        CHECK_EQ(get(cache, i), 1);
    CHECK_EQ(get(cache, 0), 1);
    sw_jit_cache_close(cache);

    /* Nothing is written that is larger than all there may be. */
    cache = open_cache("tiny", "5000");
    put(cache, 4);
    CHECK_EQ(get(cache, 4), 0);
    put(cache, 0);
    CHECK_EQ(get(cache, 0), 1);
    sw_jit_cache_close(cache);
}

/* Thousands of files are not removed while a kernel waits for its code. */
CASE(few_of_many_small_entries_go_at_once)
{
    enum { FILES = 2000, BYTES = 200 };
    static char bytes[BYTES];
    sw_jit_cache_stats stats;
    sw_jit_cache *cache = open_cache("many", "400000");
    put(cache, 1); /* makes the folder */
    sw_jit_cache_clear(cache);
    for (unsigned i = 0; i < FILES; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%064x.swo", sw_jit_cache_folder(cache),
                 i);
        CHECK(write_file(path, bytes, BYTES));
    }
    put(cache, 1);
    CHECK_EQ(get(cache, 1), 1);
    sw_jit_cache_measure(cache, &stats);
    CHECK(stats.bytes <= 400000);
    CHECK(stats.entries > FILES - 100);
    put(cache, 2);
    CHECK_EQ(get(cache, 2), 1);
    sw_jit_cache_measure(cache, &stats);
    CHECK(stats.bytes <= 400000);
    sw_jit_cache_close(cache);
}

CASE(the_environment_says_where)
{
    char want[128];
    const char *folder = compile_get_folder();
    sw_jit_cache *cache = open_cache("where", "none");
    sw_jit_cache_stats stats;
    sw_jit_cache_measure(cache, &stats);
    CHECK_EQ(stats.limit_bytes, 512 << 20);
    sw_jit_cache_close(cache);

    setenv("SOFTWARP_CACHE", "0", 1);
    cache = sw_jit_cache_open();
    CHECK(!sw_jit_cache_folder(cache));
    CHECK_STR(sw_jit_cache_why_off(cache), "SOFTWARP_CACHE=0");
    put(cache, 1);
    CHECK_EQ(get(cache, 1), 0);
    CHECK_EQ(sw_jit_cache_clear(cache), 0);
    sw_jit_cache_close(cache);
    unsetenv("SOFTWARP_CACHE");

    unsetenv("SOFTWARP_CACHE_DIR");
    setenv("XDG_CACHE_HOME", folder, 1);
    cache = sw_jit_cache_open();
    snprintf(want, sizeof want, "%s/softwarp", folder);
    CHECK_STR(sw_jit_cache_folder(cache), want);
    sw_jit_cache_close(cache);
    setenv("XDG_CACHE_HOME", "relative/ones/do/not/count", 1);
    setenv("HOME", folder, 1);
    cache = sw_jit_cache_open();
    snprintf(want, sizeof want, "%s/.cache/softwarp", folder);
    CHECK_STR(sw_jit_cache_folder(cache), want);
    sw_jit_cache_close(cache);
    unsetenv("HOME");
    cache = sw_jit_cache_open();
    CHECK(sw_jit_cache_why_off(cache) != NULL);
    sw_jit_cache_close(cache);
}

CASE(without_a_folder_to_write_to_nothing_is_kept)
{
    char path[128];
    sw_jit_cache_stats stats;
    snprintf(path, sizeof path, "%s/file", compile_get_folder());
    CHECK(write_file(path, "", 0));
    sw_jit_cache *cache = open_cache("file", "100000000");
    put(cache, 1);
    CHECK_EQ(get(cache, 1), 0);
    sw_jit_cache_measure(cache, &stats);
    CHECK_EQ(stats.entries + stats.writes, 0);
    sw_jit_cache_close(cache);
}

/* One of the processes of the next case: exit status 1 if it ever saw a wrong
 * entry. */
static void
work(unsigned seed, unsigned rounds)
{
    sw_jit_cache *cache = open_cache("shared", "1000000");
    int bad = 0;
    for (unsigned r = 0; r < rounds; r++) {
        unsigned i = (seed * 31 + r * (2 * seed + 1)) % 60;
        if (get(cache, i) == 2)
            bad = 1;
        put(cache, i);
        if (get(cache, i) == 2)
            bad = 1;
    }
    sw_jit_cache_close(cache);
    _exit(bad);
}

CASE(processes_share_it_and_may_be_killed)
{
    enum { WORKERS = 4, KILLED = 40 };
    pid_t workers[WORKERS];
    char path[256];
    sw_jit_cache_stats stats;
    for (unsigned i = 0; i < WORKERS; i++)
        if (!(workers[i] = fork()))
            work(i, 300);
    for (unsigned i = 0; i < KILLED; i++) {
        pid_t pid = fork();
        if (!pid)
            work(100 + i, 1000000);
        usleep(1000 + i * 997 % 5000);
        int status = 0;
        CHECK_EQ(kill(pid, SIGKILL), 0);
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFSIGNALED(status));
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        int status = 1;
        CHECK_EQ(waitpid(workers[i], &status, 0), workers[i]);
        CHECK_EQ(status, 0);
    }
    sw_jit_cache *cache = open_cache("shared", "1000000");
    unsigned there = 0;
    for (unsigned i = 0; i < 60; i++) {
        int got = get(cache, i);
        CHECK(got != 2);
        there += got == 1;
    }
    sw_jit_cache_measure(cache, &stats);
    CHECK_EQ(stats.entries, there); /* none was damaged */
    CHECK(there > 10);
    /* Those at work may go a little over the limit together. */
    CHECK(stats.bytes < 2000000);

    /* What a killed one leaves is removed once it is old. */
    uint64_t unfinished = stats.unfinished;
    snprintf(path, sizeof path, "%s/.unfinished-abcdef",
             sw_jit_cache_folder(cache));
    CHECK(write_file(path, "part", 4));
    sw_jit_cache_measure(cache, &stats);
    CHECK_EQ(stats.unfinished, unfinished + 1);
    set_age(path, 3700);
    sw_jit_cache_measure(cache, &stats);
    CHECK_EQ(stats.unfinished, unfinished);
    CHECK(access(path, F_OK) != 0);
    printf("%u entries, %u unfinished files\n", there, (unsigned)unfinished);
    CHECK_EQ(sw_jit_cache_clear(cache), there + unfinished);
    sw_jit_cache_close(cache);
}
