/* SPDX-License-Identifier: Apache-2.0 */
/* cpus.c - see base.h; cgroups(7), and the kernel's documents of versions 1 and
 * 2 of control groups. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

/* The numbers that a file of a group begins with, at most two; how many. */
static int
read_numbers(const char *dir, const char *name, double n[2])
{
    sw_buf path;
    char *text;
    size_t bytes;
    sw_buf_init(&path);
    sw_buf_printf(&path, "%s/%s", dir, name);
    int count = 0;
    if (sw_file_read(path.p, &text, &bytes) == SW_OK) {
        count = text ? sscanf(text, "%lf %lf", &n[0], &n[1]) : 0;
        sw_free(text);
    }
    sw_buf_finish(&path);
    return count;
}

/* How many CPUs' time a group has; 0: as much as there is. */
static double
limit_of_group(const char *dir, bool is_v2)
{
    double quota[2] = {0}, period[2] = {0};
    if (is_v2) { /* "max" instead of a number: none */
        if (read_numbers(dir, "cpu.max", quota) == 2)
            period[0] = quota[1];
    } else if (read_numbers(dir, "cpu.cfs_quota_us", quota) > 0) {
        read_numbers(dir, "cpu.cfs_period_us", period);
    }
    return quota[0] > 0 && period[0] > 0 ? quota[0] / period[0] : 0;
}

/* Of two limits; 0 is none. */
static double
lesser(double a, double b)
{
    return a > 0 && (b == 0 || a < b) ? a : b;
}

/* The least of the groups that `dir` names, from there up to `root` bytes. */
static double
least_limit(char *dir, size_t root, bool is_v2)
{
    double least = 0;
    for (;;) {
        least = lesser(limit_of_group(dir, is_v2), least);
        char *slash = strrchr(dir + root, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Whether "cpu" is one of the names between commas. */
static bool
has_cpu(const char *names)
{
    static const char cpu[] = "cpu";
    for (; names; names = strchr(names, ',')) {
        names += *names == ',';
        size_t n = strcspn(names, ",");
        if (n == sizeof cpu - 1 && memcmp(names, cpu, n) == 0)
            return true;
    }
    return false;
}

/* By a line of /proc/self/cgroup: "0::/path" is version 2,
 * "4:cpu,cpuacct:/path" version 1. */
static double
limit_of_line(char *line, const char *mount)
{
    char *names = strchr(line, ':');
    char *path = names ? strchr(names + 1, ':') : NULL;
    if (!path)
        return 0;
    *path++ = '\0';
    bool is_v2 = !*++names;
    if (!is_v2 && !has_cpu(names))
        return 0;
    sw_buf dir;
    sw_buf_init(&dir);
    sw_buf_printf(&dir, "%s%s", mount, is_v2 ? "" : "/cpu");
    size_t root = dir.n;
    sw_buf_puts(&dir, path);
    double limit = least_limit(dir.p, root, is_v2);
    sw_buf_finish(&dir);
    return limit;
}

double
sw_cgroup_cpus(const char *groups, const char *mount)
{
    char *text, *save = NULL;
    size_t bytes;
    double least = 0;
    if (sw_file_read(groups, &text, &bytes) != SW_OK)
        return 0;
    char *line = text ? strtok_r(text, "\n", &save) : NULL;
    for (; line; line = strtok_r(NULL, "\n", &save))
        least = lesser(limit_of_line(line, mount), least);
    sw_free(text);
    return least;
}

unsigned
sw_cpu_count(void)
{
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof set, &set) == 0
                 ? CPU_COUNT(&set)
                 : sysconf(_SC_NPROCESSORS_ONLN);
    double limit = sw_cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup");
    if (limit > 0 && limit < (double)n) {
        long whole = (long)limit;
        n = whole + ((double)whole < limit);
    }
    return n < 1 ? 1 : (unsigned)n;
}
