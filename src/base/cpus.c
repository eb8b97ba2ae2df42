/* SPDX-License-Identifier: Apache-2.0 */
/* cpus.c - see base.h; cgroups(7), and the kernel's documents of versions 1 and
 * 2 of control groups. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

enum { PATH_BYTES = 4096 };

/* The file's first line; false: there is none. */
static bool
read_line(const char *path, char *line, size_t bytes)
{
    FILE *f = fopen(path, "r");
    bool ok = f && fgets(line, (int)bytes, f);
    if (f)
        fclose(f);
    return ok;
}

/* How many CPUs' time a group has; 0: as much as there is. */
static double
limit_of_group(const char *dir, bool is_v2)
{
    char path[2 * PATH_BYTES + 64], line[64];
    double quota = -1, period = 0;
    snprintf(path, sizeof path, "%s%s", dir,
             is_v2 ? "/cpu.max" : "/cpu.cfs_quota_us");
    if (!read_line(path, line, sizeof line))
        return 0;
    if (is_v2) {
        if (sscanf(line, "%lf %lf", &quota, &period) != 2)
            return 0; /* "max" */
    } else {
        quota = strtod(line, NULL);
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir);
        if (read_line(path, line, sizeof line))
            period = strtod(line, NULL);
    }
    return quota > 0 && period > 0 ? quota / period : 0;
}

/* The least of the groups that `dir` names, from there up to `root` bytes. */
static double
least_limit(char *dir, size_t root, bool is_v2)
{
    double least = 0;
    for (;;) {
        double limit = limit_of_group(dir, is_v2);
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
        char *slash = strrchr(dir + root, '/');
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Is it a line of /proc/self/cgroup for processor time? "0::/path" is version
 * 2, "4:cpu,cpuacct:/path" version 1. */
static bool
is_of_cpus(const char *controllers, size_t n)
{
    for (const char *c = controllers, *end = c + n; c < end;) {
        size_t left = (size_t)(end - c);
        const char *comma = memchr(c, ',', left);
        size_t length = comma ? (size_t)(comma - c) : left;
        if (length == 3 && memcmp(c, "cpu", 3) == 0)
            return true;
        c += length + 1;
    }
    return n == 0;
}

double
sw_cgroup_cpus(const char *groups, const char *mount)
{
    char line[PATH_BYTES], dir[2 * PATH_BYTES];
    double least = 0;
    FILE *f = fopen(groups, "r");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path ||
            !is_of_cpus(controllers + 1, (size_t)(path - controllers) - 1))
            continue;
        bool is_v2 = path == controllers + 1;
        int root =
            snprintf(dir, sizeof dir, "%s%s", mount, is_v2 ? "" : "/cpu");
        if (root < 0 || (size_t)root + strlen(path) >= PATH_BYTES)
            continue;
        strcpy(dir + root, path + 1);
        double limit = least_limit(dir, (size_t)root, is_v2);
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
    }
    fclose(f);
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
