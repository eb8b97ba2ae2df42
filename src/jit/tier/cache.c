/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c - see tier/cache.h. */
#include "jit/tier/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/settings.h"

static const char MAGIC[8] = "softwrp";
static const char SUFFIX[] = ".swo";
static const char UNFINISHED[] = ".unfinished-";
static const uint64_t DEFAULT_LIMIT = (uint64_t)512 << 20;

enum {
    VERSION = 1,
    KEY_TEXT = 2 * sizeof(sw_jit_key),
    NAME_BYTES = KEY_TEXT + sizeof SUFFIX,
    MAX_ENTRY = 1 << 30,
    UNFINISHED_SECONDS = 3600, /* then its writer is no more */
    TOUCH_SECONDS = 60,        /* finer than this use is not recorded */
    AT_ONCE = 50               /* files to remove, while kernels wait */
};

/* What a file begins with; the notes and the object follow. */
typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t notes_bytes, object_bytes;
    sw_jit_key key;
    sw_jit_key check; /* hash of all of the file but this field */
} file_header;

struct sw_jit_cache {
    char *folder; /* NULL: off */
    const char *why_off;
    uint64_t limit;
    atomic_bool is_unwritable;
    atomic_flag is_trimming;
    atomic_bool is_measured;
    atomic_ullong bytes;  /* in the folder: when last looked, and our own */
    atomic_ullong unseen; /* written by us since */
    atomic_ullong hits, misses, writes;
};

/* ---- where ---- */

/* secure_getenv: whoever runs a program with more rights than his own chooses
 * no code for it. */
static char *
find_folder(void)
{
    static const struct {
        const char *name, *below;
    } places[] = {{"SOFTWARP_CACHE_DIR", ""},
                  {"XDG_CACHE_HOME", "/softwarp"},
                  {"HOME", "/.cache/softwarp"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *root = secure_getenv(places[i].name);
        if (!root || !*root || (i > 0 && *root != '/'))
            continue;
        sw_buf path;
        sw_buf_init(&path);
        sw_buf_printf(&path, "%s%s", root, places[i].below);
        return path.p; /* the caller's now */
    }
    return NULL;
}

static uint64_t
find_limit(void)
{
    return sw_setting_number(SW_SETTING_CACHE_BYTES, DEFAULT_LIMIT);
}

sw_jit_cache *
sw_jit_cache_open(void)
{
    sw_jit_cache *cache = sw_alloc(sizeof *cache);
    atomic_flag_clear(&cache->is_trimming);
    cache->limit = find_limit();
    if (sw_setting_is(SW_SETTING_CACHE, "0")) {
        cache->why_off = "SOFTWARP_CACHE=0";
        return cache;
    }
    cache->folder = find_folder();
    if (!cache->folder)
        cache->why_off = "neither SOFTWARP_CACHE_DIR nor HOME names a folder";
    return cache;
}

void
sw_jit_cache_close(sw_jit_cache *cache)
{
    if (!cache)
        return;
    sw_free(cache->folder);
    sw_free(cache);
}

const char *
sw_jit_cache_folder(const sw_jit_cache *cache)
{
    return cache->folder;
}

const char *
sw_jit_cache_why_off(const sw_jit_cache *cache)
{
    return cache->why_off;
}

static void
print_name(const sw_jit_key *key, char name[NAME_BYTES])
{
    for (size_t i = 0; i < sizeof key->bytes; i++)
        snprintf(name + 2 * i, 3, "%02x", (unsigned)key->bytes[i]);
    memcpy(name + KEY_TEXT, SUFFIX, sizeof SUFFIX);
}

static bool
is_entry_name(const char *name)
{
    return strlen(name) == NAME_BYTES - 1 &&
           strspn(name, "0123456789abcdef") == KEY_TEXT &&
           !strcmp(name + KEY_TEXT, SUFFIX);
}

/* folder/name, owned by caller. */
static char *
path_of(const sw_jit_cache *cache, const char *name)
{
    sw_buf path;
    sw_buf_init(&path);
    sw_buf_printf(&path, "%s/%s", cache->folder, name);
    return path.p; /* the caller's now */
}

/* ---- looking through the folder ---- */

typedef struct {
    char name[NAME_BYTES];
    struct timespec used;
    uint64_t bytes;
} found_file;

/* All entries, appended to `list`; unfinished files are counted, those of
 * writers that must be dead removed. */
static uint64_t
list_files(const sw_jit_cache *cache, sw_vec *list)
{
    uint64_t unfinished = 0;
    DIR *dir = cache->folder ? opendir(cache->folder) : NULL;
    if (!dir)
        return 0;
    for (struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        bool is_entry = is_entry_name(e->d_name);
        if (!is_entry && strncmp(e->d_name, UNFINISHED, sizeof UNFINISHED - 1))
            continue;
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode))
            continue;
        if (is_entry) {
            found_file *f = sw_vec_push(list);
            memcpy(f->name, e->d_name, NAME_BYTES);
            f->used = st.st_mtim;
            f->bytes = (uint64_t)st.st_size;
        } else if (st.st_mtime + UNFINISHED_SECONDS > time(NULL) ||
                   unlinkat(dirfd(dir), e->d_name, 0)) {
            unfinished++;
        }
    }
    closedir(dir);
    return unfinished;
}

static uint64_t
sum_bytes(const sw_vec *list)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < list->count; i++)
        bytes += ((const found_file *)sw_vec_at(list, i))->bytes;
    return bytes;
}

void
sw_jit_cache_measure(sw_jit_cache *cache, sw_jit_cache_stats *out)
{
    sw_vec list;
    sw_vec_init(&list, sizeof(found_file));
    *out = (sw_jit_cache_stats){.limit_bytes = cache->limit,
                                .hits = atomic_load(&cache->hits),
                                .misses = atomic_load(&cache->misses),
                                .writes = atomic_load(&cache->writes)};
    out->unfinished = list_files(cache, &list);
    out->entries = list.count;
    out->bytes = sum_bytes(&list);
    sw_vec_finish(&list);
}

uint64_t
sw_jit_cache_clear(sw_jit_cache *cache)
{
    uint64_t removed = 0;
    DIR *dir = cache->folder ? opendir(cache->folder) : NULL;
    if (!dir)
        return 0;
    for (struct dirent *e; (e = readdir(dir));)
        if (is_entry_name(e->d_name) ||
            !strncmp(e->d_name, UNFINISHED, sizeof UNFINISHED - 1))
            removed += !unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
    atomic_store(&cache->is_measured, false);
    return removed;
}

static int
by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const found_file *)a)->used;
    const struct timespec *y = &((const found_file *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Looks anew how much there is. If it is too much, an eighth more goes than
 * has to, so that not every entry to come looks again; but not thousands of
 * small entries, as to remove one takes milliseconds on some disks. */
static void
trim(sw_jit_cache *cache)
{
    sw_vec list;
    if (atomic_flag_test_and_set(&cache->is_trimming))
        return;
    sw_vec_init(&list, sizeof(found_file));
    atomic_store(&cache->unseen, 0);
    list_files(cache, &list);
    uint64_t bytes = sum_bytes(&list);
    if (bytes > cache->limit) {
        qsort(list.data, list.count, list.elem_bytes, by_use);
        for (size_t i = 0; i < list.count; i++) {
            const found_file *f = sw_vec_at(&list, i);
            if (bytes <= cache->limit - cache->limit / 8 ||
                (bytes <= cache->limit && i >= AT_ONCE))
                break;
            char *path = path_of(cache, f->name);
            if (!unlink(path) || errno == ENOENT)
                bytes -= f->bytes;
            sw_free(path);
        }
    }
    atomic_store(&cache->bytes, bytes);
    atomic_store(&cache->is_measured, true);
    sw_vec_finish(&list);
    atomic_flag_clear(&cache->is_trimming);
}

/* ---- entries ---- */

static sw_jit_key
check_of(const file_header *header, const void *notes, const void *object)
{
    sw_jit_hash hash;
    sw_jit_hash_init(&hash);
    sw_jit_hash_add(&hash, header, offsetof(file_header, check));
    sw_jit_hash_add(&hash, notes, (size_t)header->notes_bytes);
    sw_jit_hash_add(&hash, object, (size_t)header->object_bytes);
    return sw_jit_hash_finish(&hash);
}

/* The whole file; NULL if that is not to be had. */
static uint8_t *
read_all(int fd, size_t bytes)
{
    uint8_t *p = sw_alloc(bytes);
    for (size_t done = 0; done < bytes;) {
        ssize_t n = read(fd, p + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            sw_free(p);
            return NULL;
        }
        done += (size_t)n;
    }
    return p;
}

static bool
is_whole(const uint8_t *file, size_t bytes, const sw_jit_key *key,
         file_header *header)
{
    memcpy(header, file, sizeof *header);
    size_t rest = bytes - sizeof *header;
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0 ||
        header->version != VERSION || header->header_bytes != sizeof *header ||
        header->notes_bytes > rest ||
        header->object_bytes != rest - header->notes_bytes ||
        memcmp(&header->key, key, sizeof *key) != 0)
        return false;
    const uint8_t *notes = file + sizeof *header;
    sw_jit_key check = check_of(header, notes, notes + header->notes_bytes);
    return !memcmp(&header->check, &check, sizeof check);
}

/* Code that others may have written is not run. */
static bool
is_ours(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
           !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* The file's bytes in *out; false and *is_bad: it is there, but damaged. */
static bool
read_entry(int fd, const sw_jit_key *key, sw_jit_entry *out, bool *is_bad)
{
    struct stat st;
    file_header header;
    if (fstat(fd, &st) || !is_ours(&st))
        return false;
    *is_bad = true;
    if (st.st_size < (off_t)sizeof header || st.st_size > MAX_ENTRY)
        return false;
    size_t bytes = (size_t)st.st_size;
    uint8_t *file = read_all(fd, bytes);
    if (!file || !is_whole(file, bytes, key, &header)) {
        sw_free(file);
        return false;
    }
    *is_bad = false;
    *out = (sw_jit_entry){
        .notes = file + sizeof header,
        .notes_bytes = (size_t)header.notes_bytes,
        .object = file + sizeof header + header.notes_bytes,
        .object_bytes = (size_t)header.object_bytes,
        .memory = file,
    };
    if (st.st_mtime + TOUCH_SECONDS < time(NULL))
        futimens(fd, NULL); /* if that may not be: it may go earlier */
    return true;
}

bool
sw_jit_cache_get(sw_jit_cache *cache, const sw_jit_key *key, sw_jit_entry *out)
{
    bool found = false, is_bad = false;
    char name[NAME_BYTES];
    *out = (sw_jit_entry){0};
    if (!cache->folder)
        return false;
    print_name(key, name);
    char *path = path_of(cache, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0) {
        found = read_entry(fd, key, out, &is_bad);
        close(fd);
        if (is_bad) {
            sw_log(SW_LOG_INFO, "%s is damaged and goes", path);
            unlink(path);
        }
    }
    sw_free(path);
    atomic_fetch_add(found ? &cache->hits : &cache->misses, 1);
    return found;
}

void
sw_jit_entry_finish(sw_jit_entry *entry)
{
    sw_free(entry->memory);
    *entry = (sw_jit_entry){0};
}

/* mkdir -p; whether it worked shows when a file is made in it. */
static void
make_folders(const char *folder)
{
    char *path = sw_strdup(folder);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0700);
            *p = '/';
        }
    mkdir(path, 0700);
    sw_free(path);
}

static bool
write_entry(sw_jit_cache *cache, const file_header *header,
            const sw_jit_entry *entry)
{
    char name[NAME_BYTES];
    print_name(&header->key, name);
    char *path = path_of(cache, name);
    sw_buf temporary;
    sw_buf_init(&temporary);
    sw_buf_printf(&temporary, "%s/%sXXXXXX", cache->folder, UNFINISHED);
    int fd = mkostemp(temporary.p, O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        make_folders(cache->folder);
        memcpy(temporary.p + temporary.n - 6, "XXXXXX", 6);
        fd = mkostemp(temporary.p, O_CLOEXEC);
    }
    bool ok = fd >= 0;
    if (!ok && errno != EMFILE && errno != ENFILE && errno != ENOSPC)
        atomic_store(&cache->is_unwritable, true);
    ok = ok && sw_file_write(fd, header, sizeof *header) &&
         sw_file_write(fd, entry->notes, entry->notes_bytes) &&
         sw_file_write(fd, entry->object, entry->object_bytes);
    if (fd >= 0)
        ok &= !close(fd);
    ok = ok && !rename(temporary.p, path);
    if (!ok && fd >= 0)
        unlink(temporary.p);
    sw_buf_finish(&temporary);
    sw_free(path);
    return ok;
}

void
sw_jit_cache_put(sw_jit_cache *cache, const sw_jit_key *key,
                 const sw_jit_entry *entry)
{
    uint64_t bytes =
        sizeof(file_header) + entry->notes_bytes + entry->object_bytes;
    if (!cache->folder || atomic_load(&cache->is_unwritable) ||
        bytes > MAX_ENTRY || bytes > cache->limit)
        return;
    file_header header = {.version = VERSION,
                          .header_bytes = sizeof header,
                          .notes_bytes = entry->notes_bytes,
                          .object_bytes = entry->object_bytes,
                          .key = *key};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    header.check = check_of(&header, entry->notes, entry->object);
    if (!write_entry(cache, &header, entry))
        return;
    atomic_fetch_add(&cache->writes, 1);
    uint64_t total = atomic_fetch_add(&cache->bytes, bytes) + bytes;
    uint64_t unseen = atomic_fetch_add(&cache->unseen, bytes) + bytes;
    /* Others write too: now and then we look what they did. */
    if (!atomic_load(&cache->is_measured) || total > cache->limit ||
        unseen > cache->limit / 8)
        trim(cache);
}

bool
sw_jit_cache_would_keep(sw_jit_cache *cache, uint64_t bytes)
{
    if (!cache->folder || bytes > cache->limit / 8)
        return false;
    make_folders(cache->folder);
    return !access(cache->folder, W_OK | X_OK);
}
