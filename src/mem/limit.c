/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit.c - see limit.h. From the kernel's documents: proc(5),
 * admin-guide/cgroup-v2 ("memory.max") and cgroup-v1/memory.
 */
#include "mem/limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "mem/mem.h"

static uint64_t
less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t
difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* The number behind `name` in lines of names and numbers; false: not there. */
static bool
number_of(const char *text, const char *name, uint64_t *out)
{
    size_t n = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, n) == 0 && line[n] && strchr(" :\t", line[n])) {
            *out = strtoull(line + n + 1, NULL, 10);
            return true;
        }
        if (!*line)
            break;
    }
    return false;
}

static bool
number_in(const char *file, const char *name, uint64_t *out)
{
    char *text;
    size_t bytes;
    if (sw_file_read(file, &text, &bytes) != SW_OK)
        return false;
    bool found = number_of(text, name, out);
    sw_free(text);
    return found;
}

/* ---- the machine, and the process's own limits ---- */

static uint64_t
machine_left(void)
{
    uint64_t kib, swap = 0;
    if (!number_in("/proc/meminfo", "MemAvailable", &kib))
        return UINT64_MAX;
    number_in("/proc/meminfo", "SwapFree", &swap);
    return (kib + swap) * 1024;
}

static uint64_t
own_left(void)
{
    struct rlimit limit;
    uint64_t left = UINT64_MAX, kib;
    if (getrlimit(RLIMIT_DATA, &limit) == 0 &&
        limit.rlim_cur != RLIM_INFINITY &&
        number_in("/proc/self/status", "VmData", &kib))
        left = difference(limit.rlim_cur, kib * 1024);
    const sw_mem_view *view;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        sw_mem_get_view(&view) == SW_OK)
        left = less(left, view->bytes);
    return left;
}

/* ---- control groups ---- */

typedef struct {
    const char *max, *used;  /* names of files */
    const char *reclaimable; /* of memory.stat */
} group_files;

static const group_files version_1 = {
    "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
static const group_files version_2 = {"memory.max", "memory.current",
                                      "inactive_file"};

/* False: there is no such file, or it holds no number ("max"). */
static bool
read_number(const sw_buf *folder, const char *name, uint64_t *out)
{
    sw_buf path;
    char *text;
    size_t bytes;
    sw_buf_init(&path);
    sw_buf_printf(&path, "%s/%s", folder->p, name);
    bool found = sw_file_read(path.p, &text, &bytes) == SW_OK;
    if (found) {
        char *end;
        *out = strtoull(text, &end, 10);
        found = end != text;
        sw_free(text);
    }
    sw_buf_finish(&path);
    return found;
}

/* What one group leaves; its files' cached contents go when others need it. */
static uint64_t
group_left(const sw_buf *folder, const group_files *f)
{
    uint64_t max, used, cached = 0;
    if (!read_number(folder, f->max, &max) ||
        !read_number(folder, f->used, &used))
        return UINT64_MAX;
    sw_buf stat;
    sw_buf_init(&stat);
    sw_buf_printf(&stat, "%s/memory.stat", folder->p);
    number_in(stat.p, f->reclaimable, &cached);
    sw_buf_finish(&stat);
    return difference(max, difference(used, cached));
}

/* The group and those that it lies in. Inside of a container its own folder may
 * be the root of what can be seen. */
static uint64_t
groups_left(const char *root, sw_str group, const group_files *f)
{
    uint64_t left = UINT64_MAX;
    for (;;) {
        sw_buf folder;
        sw_buf_init(&folder);
        sw_buf_printf(&folder, "%s%.*s", root, (int)group.n, group.p);
        left = less(left, group_left(&folder, f));
        sw_buf_finish(&folder);
        if (!group.n)
            return left;
        while (group.n && group.p[--group.n] != '/')
            ;
    }
}

/* Lines of /proc/self/cgroup: NUMBER:CONTROLLERS:GROUP. */
static uint64_t
cgroups_left(void)
{
    char *text;
    size_t bytes;
    uint64_t left = UINT64_MAX;
    if (sw_file_read("/proc/self/cgroup", &text, &bytes) != SW_OK)
        return left;
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        char *end = line + n;
        char *next = *end ? end + 1 : end;
        *end = 0;
        char *names = strchr(line, ':');
        char *group = names ? strchr(names + 1, ':') : NULL;
        line = next;
        if (!group)
            continue;
        *group++ = 0;
        if (strcmp(names + 1, "memory") == 0)
            left = less(left, groups_left("/sys/fs/cgroup/memory",
                                          sw_str_of(group), &version_1));
        else if (!names[1])
            left = less(left, groups_left("/sys/fs/cgroup", sw_str_of(group),
                                          &version_2));
    }
    sw_free(text);
    return left;
}

uint64_t
sw_mem_can_be_had(void)
{
    return less(less(machine_left(), own_left()), cgroups_left());
}
