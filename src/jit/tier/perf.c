/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf.c - see tier/perf.h. The forms are perf's: tools/perf/Documentation of
 * the Linux kernel, jit-interface.txt and jitdump-specification.txt.
 */
#include "jit/tier/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/settings.h"
#include "jit/tier/elf.h"
#include "jit/tier/lines.h"

enum { JITDUMP_MAGIC = 0x4a695444, JITDUMP_VERSION = 1 };
enum { CODE_LOAD = 0, CODE_DEBUG_INFO = 2 };

typedef struct {
    uint32_t magic, version, bytes, machine, pad, pid;
    uint64_t time, flags;
} dump_header;

/* A record begins so; `bytes` with what follows. */
typedef struct {
    uint32_t kind, bytes;
    uint64_t time;
} record_header;

/* ... then the name and the code. */
typedef struct {
    record_header h;
    uint32_t pid, tid;
    uint64_t virtual_address, address, bytes, index;
} code_load;

/* ... then the entries, a name behind each. */
typedef struct {
    record_header h;
    uint64_t address, count;
} code_lines;

typedef struct {
    uint64_t address;
    uint32_t line, discriminator;
} line_entry;

/* The two files, of this process; -1: not asked for, or not to be had. */
static struct {
    pthread_mutex_t lock;
    bool is_open;
    int map, dump;
    uint64_t index; /* of functions in the dump */
} files = {.lock = PTHREAD_MUTEX_INITIALIZER, .map = -1, .dump = -1};

/* ---- files ---- */

/* A new file of this name in /tmp, which perf looks in; one that another user
 * left there is not written to. */
static int
open_file(const char *prefix, const char *suffix)
{
    struct stat st;
    char path[64];
    snprintf(path, sizeof path, "/tmp/%s-%ld.%s", prefix, (long)getpid(),
             suffix);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && (fstat(fd, &st) || st.st_uid != geteuid() ||
                    !S_ISREG(st.st_mode) || !sw_file_resize(fd, 0))) {
        close(fd);
        errno = EPERM;
        fd = -1;
    }
    if (fd < 0)
        sw_log(SW_LOG_WARN, "SOFTWARP_PERF: %s can't be written: %s", path,
               strerror(errno));
    return fd;
}

static bool
begin_dump(int fd)
{
    dump_header h = {.magic = JITDUMP_MAGIC,
                     .version = JITDUMP_VERSION,
                     .bytes = sizeof h,
                     .machine = EM_X86_64,
                     .pid = (uint32_t)getpid(),
                     .time = sw_time_ns()};
    if (!sw_file_write(fd, &h, sizeof h))
        return false;
    /* perf learns where the file is from a mapping of it that may be run,
     * which therefore stays. */
    void *p = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC,
                   MAP_PRIVATE, fd, 0);
    return p != MAP_FAILED;
}

static void
open_files_locked(void)
{
    files.is_open = true;
    if (sw_setting_is(SW_SETTING_PERF, "map")) {
        files.map = open_file("perf", "map");
    } else if (sw_setting_is(SW_SETTING_PERF, "jitdump")) {
        files.dump = open_file("jit", "dump");
        if (files.dump >= 0 && !begin_dump(files.dump)) {
            sw_log(SW_LOG_WARN, "SOFTWARP_PERF: no jitdump: %s",
                   strerror(errno));
            close(files.dump);
            files.dump = -1;
        }
    }
}

/* ---- records ---- */

static void
add_map_line(sw_buf *out, const sw_jit_function *f, const char *name)
{
    sw_buf_printf(out, "%llx %llx %s\n",
                  (unsigned long long)(uintptr_t)f->address,
                  (unsigned long long)f->bytes, name);
}

/* The lines of one function; nothing if none is known. */
static void
add_lines(sw_buf *out, const sw_jit_function *f, const sw_vec *lines)
{
    size_t begin = out->n;
    code_lines r = {.h = {.kind = CODE_DEBUG_INFO, .time = sw_time_ns()},
                    .address = (uint64_t)(uintptr_t)f->address};
    sw_buf_add(out, (const char *)&r, sizeof r);
    for (size_t i = 0; i < lines->count; i++) {
        const sw_jit_line *l = sw_vec_at(lines, i);
        if (l->is_end || !l->line || l->address < r.address ||
            l->address - r.address >= f->bytes)
            continue;
        line_entry e = {.address = l->address, .line = l->line};
        sw_buf_add(out, (const char *)&e, sizeof e);
        sw_buf_add(out, l->file, strlen(l->file) + 1);
        r.count++;
    }
    r.h.bytes = (uint32_t)(out->n - begin);
    memcpy(out->p + begin, &r, sizeof r);
    if (!r.count) {
        out->n = begin;
        out->p[begin] = 0;
    }
}

static void
add_code(sw_buf *out, const sw_jit_function *f, const char *name)
{
    size_t name_bytes = strlen(name) + 1;
    uint64_t address = (uint64_t)(uintptr_t)f->address;
    code_load r = {.h = {.kind = CODE_LOAD,
                         .bytes = (uint32_t)(sizeof r + name_bytes + f->bytes),
                         .time = sw_time_ns()},
                   .pid = (uint32_t)getpid(),
                   .tid = (uint32_t)syscall(SYS_gettid),
                   .virtual_address = address,
                   .address = address,
                   .bytes = f->bytes,
                   .index = files.index++};
    sw_buf_add(out, (const char *)&r, sizeof r);
    sw_buf_add(out, name, name_bytes);
    sw_buf_add(out, (const char *)f->address, (size_t)f->bytes);
}

static void
read_lines(const void *bytes, size_t size, const uint8_t *image,
           sw_arena *arena, sw_vec *lines)
{
    sw_jit_elf elf;
    if (!image)
        return;
    if (!sw_jit_elf_read(bytes, size, &elf, NULL))
        sw_jit_lines_read(&elf, image, arena, lines);
    sw_jit_elf_finish(&elf);
}

static void
tell_locked(const sw_jit_object *object, const sw_vec *lines, const char *name)
{
    size_t count = 0;
    const sw_jit_function *functions = sw_jit_object_functions(object, &count);
    sw_buf map, dump;
    sw_buf_init(&map);
    sw_buf_init(&dump);
    for (size_t i = 0; i < count; i++) {
        const sw_jit_function *f = &functions[i];
        const char *called = name && f->is_global ? name : f->name;
        if (!f->bytes)
            continue;
        add_map_line(&map, f, called);
        add_lines(&dump, f, lines);
        add_code(&dump, f, called);
    }
    if (files.map >= 0)
        sw_file_write(files.map, map.p, map.n);
    if (files.dump >= 0)
        sw_file_write(files.dump, dump.p, dump.n);
    sw_buf_finish(&dump);
    sw_buf_finish(&map);
}

void
sw_jit_perf_tell(const sw_jit_object *object, const void *bytes, size_t size,
                 const uint8_t *image, const char *name)
{
    pthread_mutex_lock(&files.lock);
    if (!files.is_open)
        open_files_locked();
    if (files.map >= 0 || files.dump >= 0) {
        sw_vec lines;
        sw_vec_init(&lines, sizeof(sw_jit_line));
        sw_arena *arena = sw_arena_create();
        read_lines(bytes, size, image, arena, &lines);
        tell_locked(object, &lines, name);
        sw_arena_destroy(arena);
        sw_vec_finish(&lines);
    }
    pthread_mutex_unlock(&files.lock);
}
